"""``tuqa serve``."""

from __future__ import annotations

import re
import socket
import webbrowser
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from secrets import token_urlsafe
from typing import TYPE_CHECKING

import click

from ..errors import BadSettings, require_extra
from ..settings import Settings
from ..wording import use_words_of
from .connection import check_start, connection_options, resolve_server
from .main import allow_imports, run_in_process

if TYPE_CHECKING:
    from ..client import TrustUQA
    from ..server.options import ServerOptions

_TOKEN_BYTES = 24
_MAX_WORKERS = 64
_TOKEN = re.compile(r"[\w-]{16,200}", re.ASCII)


@click.command()
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
@click.option("--allow-load", is_flag=True, help="Let the page, the API and agents load files.")
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
@click.option("--llm", help="What writes queries.  [env: TUQA_LLM]", metavar="MODEL")
@click.option(
    "--workers",
    type=click.IntRange(1, _MAX_WORKERS),
    default=1,
    show_default=True,
    help="Processes that answer; each takes a core, and about 150 MB.",
)
@click.option("--open", "open_page", is_flag=True, help="Open the page in the browser.")
@connection_options
def command(
    host: str,
    port: int,
    dataset: tuple[str, ...],
    allow_load: bool,
    allow_teach: bool,
    allow_host: tuple[str, ...],
    private: bool,
    llm: str | None,
    workers: int,
    open_page: bool,
    uri: str | None,
    username: str | None,
    database: str | None,
) -> None:
    """Serve a page, an API, and agents on one port.

    The page is at /, the API at /api/v1, an API for chat programs at /v1, and agents (MCP) are at /mcp. The
    printed address has a random token: whoever has it may ask. Agents have a token of their own, which opens
    nothing else. TUQA_SERVE_TOKEN and TUQA_SERVE_AGENT_TOKEN set them.

    \b
    Example:
      tuqa serve --open
      tuqa serve --dataset films --allow-load --allow-teach
      tuqa serve --workers 4
    """
    with require_extra("serve", "a web server needs"):
        from ..server.options import ServerOptions
        from ..server.workers import Workers, end_at_signals, listen
        from ..server.workspace import open_workspace

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
        workers=workers,
    )
    if options.agent_token == options.token:
        raise BadSettings(
            "the token of agents is that of the page, so an agent could open the page",
            where="TUQA_SERVE_AGENT_TOKEN",
            hint="choose another one, or leave it out for a random one",
        )
    # Before the database starts, since this can fail.
    listeners = listen(host, port, workers)
    with ExitStack() as stack:
        for listener in listeners:
            stack.callback(listener.close)
        settings = resolve_server(uri, username, database)
        stack.enter_context(end_at_signals())
        workspace = stack.enter_context(open_workspace(settings.home / "uploads"))
        start = _WorkerStart(options, settings, workspace, dataset, llm)
        with start.connect() as tuqa:
            check_start(tuqa, () if allow_load else dataset)
            if workers == 1:
                _announce(options, open_page)
                _serve(start, tuqa, listeners[0])
        if workers > 1:
            _announce(options, open_page)
            notify = partial(click.echo, err=True)
            Workers(_run_worker, start, listeners, notify).run()
    click.echo("stopped", err=True)


@dataclass(frozen=True)
class _WorkerStart:
    """What each process of the server gets."""

    options: ServerOptions
    settings: Settings
    workspace: Path
    datasets: tuple[str, ...]
    llm: str | None

    def connect(self) -> TrustUQA:
        from ..client import TrustUQA

        return TrustUQA.connect(self.settings, llm=self.llm, datasets=list(self.datasets) or None)


def _serve(
    start: _WorkerStart,
    tuqa: TrustUQA,
    listener: socket.socket,
    on_start: Callable[[], object] = lambda: None,
) -> None:
    allow_imports()
    from ..server.app import make_app
    from ..server.workers import serve_requests

    with use_words_of("serve"):
        serve_requests(make_app(tuqa, start.options, start.workspace), listener, on_start)


def _run_worker(
    start: _WorkerStart, number: int, listener: socket.socket, ready: Connection
) -> None:
    """The work of process ``number``; its errors are shown as those of a command."""
    from ..gate import MOST, PLACES, Gate
    from ..server.workers import end_at_signals

    start = replace(start, options=replace(start.options, worker=number))

    def work() -> None:
        with end_at_signals(), start.connect() as tuqa:
            most = max(1, MOST // start.options.workers)
            tuqa.connection.gate = Gate(min(PLACES, most), most)
            _serve(start, tuqa, listener, lambda: ready.send(True))

    run_in_process(work)


def _announce(options: ServerOptions, open_page: bool) -> None:
    address = f"{options.address}?token={options.token}"
    click.echo(f"page:   {address}")
    click.echo(f"API:    {options.address}api/v1  (Authorization: Bearer {options.token})")
    click.echo(f"agents: {options.address}mcp  (Authorization: Bearer {options.agent_token})")
    click.echo("Ctrl-C stops it.", err=True)
    if open_page:
        webbrowser.open(address)


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
