"""``tuqa neo4j``: the embedded server, for people."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from ..settings import Settings

if TYPE_CHECKING:
    from ..graph.embedded import EmbeddedServer
    from ..graph.embedded.fetching import Progress
    from ..graph.embedded.info import ServerInfo, Status

PORT = click.IntRange(1024, 65535)


@click.group("neo4j")
def command() -> None:
    """Start, stop and look at the embedded Neo4j server.

    Other commands start it where NEO4J_URI is not set, and leave it running.

    \b
    Example:
      tuqa neo4j start
      tuqa neo4j browser
      tuqa neo4j stop
    """


@command.command()
@click.option("--bolt-port", type=PORT, help="For drivers; else the one used before.", metavar="N")
@click.option("--http-port", type=PORT, help="For Browser; else the one used before.", metavar="N")
def start(bolt_port: int | None, http_port: int | None) -> None:
    """Start the server and leave it running.

    The first start fetches Neo4j, once. A server that runs already is left as it is.

    \b
    Example:
      tuqa neo4j start
      tuqa neo4j start --bolt-port 7687 --http-port 7474
    """
    info = _start(bolt_port, http_port)
    how = "runs" if info.started_now else "runs already"
    click.echo(f"Neo4j {info.version} {how} at {info.uri}")
    click.echo(f"user {info.username}; to see the password: tuqa neo4j password")
    click.echo(f"Neo4j Browser: {info.browser_url}")
    click.echo("to stop it: tuqa neo4j stop")


@command.command()
def stop() -> None:
    """Stop the server, also when programs use it.

    \b
    Example:
      tuqa neo4j stop
    """
    click.echo("stopped" if _server().stop() else "the embedded server is not running")


@command.command()
@click.option("--json", "as_json", is_flag=True, help="As one JSON object.")
def status(as_json: bool) -> None:
    """Show whether the server runs, where, and what it takes.

    \b
    Example:
      tuqa neo4j status
      tuqa neo4j status --json
    """
    found = _server().status()
    if as_json:
        click.echo(json.dumps(found.to_dict()))
        return
    for label, value in _told(found).items():
        click.echo(f"{label:<9} {value}")


@command.command()
@click.option("--query", help="Put this Cypher into Browser's editor.", metavar="CYPHER")
def browser(query: str | None) -> None:
    """Open Neo4j Browser, starting the server if need be.

    The address is printed; where that goes to a terminal, it is opened too.

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
    """Print the password of the user neo4j, and nothing else.

    \b
    Example:
      tuqa neo4j password
    """
    click.echo(_server().password())


@command.command()
@click.option("--jars", is_flag=True, help="Only what was downloaded.")
@click.option("--data", is_flag=True, help="Only what was stored: data, password, logs.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def clean(jars: bool, data: bool, yes: bool) -> None:
    """Remove what was downloaded and stored; the server must not be running.

    \b
    Example:
      tuqa neo4j clean
      tuqa neo4j clean --data --yes
    """
    server = _server()
    jars, data = (jars, data) if jars or data else (True, True)
    found = server.status()
    parts = [f"jars ({_size(found.jar_bytes)})"] * jars
    parts += [f"all data, the password and logs ({_size(found.data_bytes)})"] * data
    question = f"Remove {' and '.join(parts)} under {found.home}?"
    if yes or found.running or click.confirm(question, err=True):
        click.echo(f"{_size(server.clean(jars, data))} freed")


def _server() -> EmbeddedServer:
    from ..graph.embedded import server_of

    return server_of(Settings.read())


def _start(bolt_port: int | None, http_port: int | None) -> ServerInfo:
    with jar_bar() as progress:
        return _server().start(
            keep=True,
            bolt_port=bolt_port,
            http_port=http_port,
            notify=lambda what: click.echo(what, err=True),
            progress=progress,
        )


@contextmanager
def jar_bar() -> Iterator[Progress | None]:
    """A progress bar on stderr, where that is a terminal, for the jars that are fetched."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("Neo4j"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, redirect_stdout=False) as shown:

        def show(done: int, total: int) -> None:
            if not shown.tasks:  # there is nothing to fetch on most starts, and no bar then
                shown.add_task("jars", total=total)
            shown.update(shown.tasks[0].id, completed=done)

        yield show


def _told(found: Status) -> dict[str, object]:
    """What a person wants to know of a server, by label."""
    state = "running" if found.ready else "starting or stopping" if found.running else "not running"
    told: dict[str, object] = {"state": state, "version": found.version or "none yet"}
    if found.pid is not None:
        told["process"] = found.pid
    if found.uri is not None:
        users = ", ".join(f"process {pid}" for pid in found.users) or "none"
        told |= {
            "bolt": found.uri,
            "browser": found.browser_url,
            "memory": _size(found.memory_bytes or 0),
            "started": found.started and f"{found.started.astimezone():%Y-%m-%d %H:%M:%S}",
            "users": users,
            "stays": "yes" if found.keep else "until its last user leaves",
        }
    told |= {"home": found.home, "data": _size(found.data_bytes), "jars": _size(found.jar_bytes)}
    told["logs"] = "\n          ".join(str(path) for path in found.logs) or "none yet"
    return told


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB"
