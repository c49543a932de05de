"""``tuqa neo4j``: start, stop and inspect the embedded server; migrate a database."""

from __future__ import annotations

import json
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import click

from ..settings import Settings
from .connection import Neo4jOptions, connection_options, resolve_server

if TYPE_CHECKING:
    from ..embedded import EmbeddedServer
    from ..embedded.readiness import ServerInfo, ServerStatus

PORT = click.IntRange(1024, 65535)


@click.group("neo4j")
def command() -> None:
    """Start, stop and inspect the embedded Neo4j server.

    Other commands start it if NEO4J_URI is not set, and leave it running.

    \b
    Example:
      tuqa neo4j start
      tuqa neo4j browser
      tuqa neo4j stop
    """


@command.command()
@click.option(
    "--bolt-port",
    type=PORT,
    help="Port for drivers.  [default: as before]",
    metavar="N",
)
@click.option(
    "--http-port",
    type=PORT,
    help="Port for Browser.  [default: as before]",
    metavar="N",
)
@click.option(
    "--repair",
    is_flag=True,
    help="Cut off a damaged end of Neo4j's log, as after a full disk.",
)
def start(bolt_port: int | None, http_port: int | None, repair: bool) -> None:
    """Start the server and leave it running.

    The first start downloads Neo4j. If the server is running already, nothing changes.

    \b
    Example:
      tuqa neo4j start
      tuqa neo4j start --bolt-port 7687 --http-port 7474
    """
    info = _start(bolt_port, http_port, repair)
    how = "runs" if info.is_new else "runs already"
    click.echo(f"Neo4j {info.version} {how} at {info.uri}")
    click.echo(f"user {info.username}; to see the password: tuqa neo4j password")
    click.echo(f"Neo4j Browser: {info.browser_url}")
    click.echo("to stop it: tuqa neo4j stop")


@command.command()
def stop() -> None:
    """Stop the server, even if programs use it.

    \b
    Example:
      tuqa neo4j stop
    """
    click.echo("stopped" if _server().stop() else "the embedded server is not running")


@command.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def status(as_json: bool) -> None:
    """Show the state, the addresses and the size of the server.

    \b
    Example:
      tuqa neo4j status
      tuqa neo4j status --json
    """
    server_status = _server().status()
    if as_json:
        click.echo(json.dumps(server_status.to_dict()))
        return
    for label, value in _status_lines(server_status).items():
        click.echo(f"{label:<9} {value}")


@command.command()
@click.option("--query", help="Cypher query to put into the editor of Browser.", metavar="CYPHER")
def browser(query: str | None) -> None:
    """Open Neo4j Browser; start the server if it is not running.

    The command prints the address. In a terminal it opens the address too.

    \b
    Example:
      tuqa neo4j browser
      tuqa neo4j browser --query "MATCH (n) RETURN n LIMIT 25"
    """
    info = _start(None, None)
    url = info.browser_url if query is None else info.browser_url_with(query)
    click.echo(url)
    click.echo(f"user {info.username}; to see the password: tuqa neo4j password", err=True)
    if sys.stdout.isatty():
        import webbrowser

        webbrowser.open(url)


@command.command()
def password() -> None:
    """Print only the password of the user neo4j.

    \b
    Example:
      tuqa neo4j password
    """
    click.echo(_server().password())


@command.command()
@connection_options
@click.option("--quiet", is_flag=True, help="Show no progress bars.")
def migrate(neo4j: Neo4jOptions, quiet: bool) -> None:
    """Bring datasets of an older version of this package up to date.

    Works on the embedded and any other server. No dataset can be used until it has finished. After an
    interruption, run it again.

    \b
    Example:
      tuqa neo4j migrate
      tuqa neo4j migrate --uri bolt://localhost:7687
    """
    from ..graph.connection import Connection
    from ..graph.interrupts import defer_interrupts
    from ..graph.store_migration import migrate as migrate_store
    from .output import progress_bars

    settings = resolve_server(neo4j)
    with (
        closing(Connection.open(settings, migrates=True)) as connection,
        progress_bars(quiet) as progress,
    ):
        try:
            with defer_interrupts() as guard:
                changed = migrate_store(connection, progress, guard.raise_pending)
        except KeyboardInterrupt as error:
            raise KeyboardInterrupt(
                "interrupted: run `tuqa neo4j migrate` again to go on"
            ) from error
    if changed is None:
        click.echo("the database is up to date")
    else:
        click.echo(f"migrated: {changed:,} facts changed")


@command.command()
@click.option("--jars", is_flag=True, help="Remove only the downloaded jars.")
@click.option("--data", is_flag=True, help="Remove only data, password and logs.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def clean(jars: bool, data: bool, yes: bool) -> None:
    """Remove downloaded jars and stored data; the server must not be running.

    \b
    Example:
      tuqa neo4j clean
      tuqa neo4j clean --data --yes
    """
    server = _server()
    jars, data = (jars, data) if jars or data else (True, True)
    server_status = server.status()
    parts = [f"jars ({_size(server_status.jar_bytes)})"] * jars
    parts += [f"all data, the password and logs ({_size(server_status.data_bytes)})"] * data
    question = f"Remove {' and '.join(parts)} under {server_status.home}?"
    if yes or server_status.running or click.confirm(question, err=True):
        click.echo(f"{_size(server.clean(jars, data))} freed")


def _server() -> EmbeddedServer:
    from ..embedded import EmbeddedServer

    return EmbeddedServer.from_settings(Settings.read())


def _start(bolt_port: int | None, http_port: int | None, repair: bool = False) -> ServerInfo:
    from .output import download_progress

    with download_progress() as progress:
        return _server().start(
            keep=True,
            bolt_port=bolt_port,
            http_port=http_port,
            repair=repair,
            notify=lambda message: click.echo(message, err=True),
            progress=progress,
        )


def _status_lines(server_status: ServerStatus) -> dict[str, object]:
    from ..embedded.process import read_machine_memory

    state = "starting or stopping" if server_status.running else "not running"
    lines: dict[str, object] = {
        "state": "running" if server_status.ready else state,
        "version": server_status.version or "none yet",
    }
    if server_status.pid is not None:
        lines["process"] = server_status.pid
    if server_status.uri is not None:
        started = server_status.started
        lines |= {
            "bolt": server_status.uri,
            "browser": server_status.browser_url,
            "memory": format_memory(server_status, read_machine_memory()),
            "started": started and f"{started.astimezone():%Y-%m-%d %H:%M:%S}",
            "users": ", ".join(f"process {pid}" for pid in server_status.users) or "none",
            "stays": "yes" if server_status.keep else "until its last user leaves",
        }
    return lines | {
        "home": server_status.home,
        "data": _size(server_status.data_bytes),
        "jars": _size(server_status.jar_bytes),
        "logs": "\n          ".join(map(str, server_status.logs)) or "none yet",
    }


def format_memory(server_status: ServerStatus, total: int) -> str:
    """Say what the server takes and may take, of ``total`` bytes, in the megabytes of its settings."""
    text = f"{(server_status.memory_bytes or 0) >> 20:,} MB resident"
    if server_status.heap_bytes is not None and server_status.page_cache_bytes is not None:
        heap, cache = server_status.heap_bytes >> 20, server_status.page_cache_bytes >> 20
        text += f"; at most {heap:,} MB of heap and {cache:,} MB of page cache"
        if server_status.heap_bytes > total // 8:
            text += (
                f"; the heap is more than an eighth of {total >> 20:,} MB (TUQA_NEO4J_HEAP sets it)"
            )
    return text


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB"
