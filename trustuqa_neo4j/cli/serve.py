"""``tuqa serve``."""

from __future__ import annotations

import re
import webbrowser
from contextlib import ExitStack
from dataclasses import asdict
from functools import partial
from pathlib import Path
from secrets import token_urlsafe
from threading import Thread
from typing import TYPE_CHECKING, TextIO

import click

from ..errors import BadSettings, require_extra
from ..render.terminal import escape_controls
from ..settings import Settings
from ..wording import use_words_of
from .connection import Neo4jOptions, check_start, connection_options, resolve_server
from .main import allow_imports
from .output import format_json
from .question_options import agent_folder, table_option

if TYPE_CHECKING:
    from ..server.options import ServerOptions
    from ..server.tokens import TokenFile

_TOKEN_BYTES = 24
_MAX_WORKERS = 64
_TOKEN = re.compile(r"[\w-]{16,200}", re.ASCII)


@click.group(invoke_without_command=True)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    default=8765,
    show_default=True,
    help="Port to listen on.",
)
@click.option(
    "--dataset", multiple=True, help="Serve only this dataset; repeatable.", metavar="NAME"
)
@click.option("--allow-load", is_flag=True, help="Let the page and the API load files.")
@agent_folder
@click.option("--allow-teach", is_flag=True, help="Let all of them store demonstrations.")
@click.option(
    "--allow-host",
    multiple=True,
    help="Another name under which the server is called; repeatable.",
    metavar="NAME",
)
@click.option(
    "--private",
    is_flag=True,
    help="Tell agents outcomes and counts only, and models only the schema; people see values on the page.",
)
@click.option(
    "--request-log",
    type=click.File("a", encoding="utf-8", lazy=False),
    help="Add a line of JSON for each request to a file: id, path, status, time.",
    metavar="FILE",
)
@table_option("llm")
@click.option("--workers", type=click.IntRange(1, _MAX_WORKERS), default=1, hidden=True)
@click.option("--open", "open_page", is_flag=True, help="Open the page in the browser.")
@connection_options
@click.pass_context
def command(
    context: click.Context,
    host: str,
    port: int,
    dataset: tuple[str, ...],
    allow_load: bool,
    agent_loads: Path | None,
    allow_teach: bool,
    allow_host: tuple[str, ...],
    private: bool,
    request_log: TextIO | None,
    llm: str | None,
    workers: int,
    open_page: bool,
    neo4j: Neo4jOptions,
) -> None:
    """Serve a page, an API, and agents on one port.

    The page is at /, the API at /api/v1, an API for chat programs at /v1, and agents (MCP) are at /mcp. The
    printed address has a random token: whoever has it may ask. Agents have a token of their own, which opens
    nothing else. TUQA_SERVE_TOKEN and TUQA_SERVE_AGENT_TOKEN set them. Other people and programs get tokens
    of their own, with rights and datasets (`tuqa serve token`).

    \b
    Example:
      tuqa serve --open
      tuqa serve --dataset films --allow-load --allow-teach
      tuqa serve token make anna --rights ask,teach --dataset films
    """
    if context.invoked_subcommand is not None:
        return
    with require_extra("serve", "a web server needs"):
        from ..server.options import ServerOptions
        from ..server.tokens import TokenFile
        from ..server.web_server import end_at_signals, listen, serve_requests
        from ..server.workspace import open_workspace
    from ..client import TrustUQA

    own = Settings.read()
    options = ServerOptions(
        token=_make_token(own.serve_token, "TUQA_SERVE_TOKEN"),
        agent_token=_make_token(own.serve_agent_token, "TUQA_SERVE_AGENT_TOKEN"),
        host=host,
        port=port,
        hosts=allow_host,
        allow_load=allow_load,
        allow_teach=allow_teach,
        private=private,
        agent_folder=agent_loads,
        request_log=request_log,
        home=own.home,
    )
    if options.agent_token == options.token:
        raise BadSettings(
            "the token of agents is that of the page, so an agent could open the page",
            where="TUQA_SERVE_AGENT_TOKEN",
            hint="choose another one, or leave it out for a random one",
        )
    TokenFile(own.home).read()  # a damaged file is better known now than at the first request
    if workers > 1:
        click.echo("note: --workers has no effect: one process answers, with threads", err=True)
    # Before the database starts, since this can fail.
    with ExitStack() as stack:
        listener = stack.enter_context(listen(host, port))
        settings = resolve_server(neo4j)
        stack.enter_context(end_at_signals())
        workspace = stack.enter_context(open_workspace(settings.home / "uploads"))
        tuqa = stack.enter_context(
            TrustUQA.connect(settings, llm=llm, datasets=list(dataset) or None)
        )
        check_start(tuqa, () if allow_load or agent_loads else dataset)
        allow_imports()
        from ..server.app import make_app

        with use_words_of("serve"):
            app = make_app(tuqa, options, workspace)
            # The address is printed when requests are answered, and signals end the server in order.
            serve_requests(app, options, listener, partial(_announce, options, open_page))
    click.echo("stopped", err=True)


@command.group()
def token() -> None:
    """Give people and programs tokens of their own.

    A token has rights and, if they are named, only some datasets. A running server knows a new token at once,
    and a revoked one opens nothing. The file of tokens lies under TUQA_HOME and has no token itself.

    \b
    Example:
      tuqa serve token make anna --rights ask,teach --dataset films
      tuqa serve token list
      tuqa serve token revoke anna
    """


@token.command()
@click.argument("name")
@click.option(
    "--rights", default="ask", show_default=True, metavar="LIST",
    help="What it may do: ask, teach, load, manage, with commas between them.",
)  # fmt: skip
@click.option("--dataset", multiple=True, help="Only this dataset; repeatable.", metavar="NAME")
def make(name: str, rights: str, dataset: tuple[str, ...]) -> None:
    """Make a token and print it, once.

    The page opens with http://ADDRESS/?token=TOKEN; programs send it as Authorization: Bearer TOKEN.

    \b
    Example:
      tuqa serve token make anna
      tuqa serve token make ci --rights ask,load --dataset films --dataset actors
    """
    text = _open_tokens().make(name, [part.strip() for part in rights.split(",")], dataset)
    click.echo(text)
    click.echo("It is shown this once. `tuqa serve token list` lists what it may do.", err=True)


@token.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_tokens(as_json: bool) -> None:
    """List the tokens with their rights and datasets.

    \b
    Example:
      tuqa serve token list
    """
    tokens = _open_tokens().read()
    if as_json:
        records = [asdict(entry) for entry in tokens]
        for record in records:
            del record["digest"]
        click.echo(format_json(records, indent=2))
        return
    if not tokens:
        click.echo("there are no tokens; make one with tuqa serve token make NAME", err=True)
    for entry in tokens:
        datasets = ", ".join(entry.datasets) or "all"
        line = (
            f"{entry.name}: {', '.join(entry.rights)}; datasets: {datasets}; made {entry.created}"
        )
        click.echo(escape_controls(line))


@token.command()
@click.argument("name")
def revoke(name: str) -> None:
    """Revoke a token.

    \b
    Example:
      tuqa serve token revoke anna
    """
    _open_tokens().revoke(name)
    click.echo(f"{name}: revoked", err=True)


def _open_tokens() -> TokenFile:
    with require_extra("serve", "a web server needs"):
        from ..server.tokens import TokenFile
    return TokenFile(Settings.read().home)


def _announce(options: ServerOptions, open_page: bool) -> None:
    address = f"{options.address}?token={options.token}"
    click.echo(f"page:   {address}")
    click.echo(f"API:    {options.address}api/v1  (Authorization: Bearer {options.token})")
    click.echo(f"agents: {options.address}mcp  (Authorization: Bearer {options.agent_token})")
    click.echo("Ctrl-C stops it.", err=True)
    if open_page:
        # Not in the loop of the server: a browser in the terminal returns when it is closed.
        Thread(target=webbrowser.open, args=(address,), daemon=True).start()


def _make_token(token: str | None, variable: str) -> str:
    """The token of the settings, else a random one."""
    if token is None:
        return token_urlsafe(_TOKEN_BYTES)
    if not _TOKEN.fullmatch(token):
        raise BadSettings(
            "the token has fewer than 16 characters, or others than letters, digits, - and _",
            where=variable,
            hint="leave it out for a random one",
        )
    return token
