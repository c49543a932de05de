"""``tuqa serve``."""

from __future__ import annotations

import re
import socket
import webbrowser
from contextlib import suppress
from secrets import token_urlsafe
from typing import TYPE_CHECKING

import click

from ..errors import BadSettings, UsageError, require_extra
from ..settings import Settings
from ..wording import use_shell_words
from .connection import connection_options, resolve_server
from .main import allow_imports

if TYPE_CHECKING:
    from ..server.options import ServerOptions

_TOKEN_BYTES = 24
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
    open_page: bool,
    uri: str | None,
    username: str | None,
    database: str | None,
) -> None:
    """Serve a page, an API, and agents in one process.

    The page is at /, the API at /api/v1, an API for chat programs at /v1, and agents (MCP) are at /mcp. The
    printed address has a random token: whoever has it may ask. Agents have a token of their own, which opens
    nothing else. TUQA_SERVE_TOKEN and TUQA_SERVE_AGENT_TOKEN set them.

    \b
    Example:
      tuqa serve --open
      tuqa serve --dataset films --allow-load --allow-teach
    """
    with require_extra("serve", "a web server needs"):
        import uvicorn

        from ..server.app import make_app
        from ..server.options import ServerOptions
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
    )
    listener = _listen(host, port)
    settings = resolve_server(uri, username, database)
    with TrustUQA.connect(settings, llm=llm, datasets=list(dataset) or None) as tuqa:
        allow_imports()
        app = make_app(tuqa, options, settings.home / "uploads")
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=5,
        )
        _announce(options, open_page)
        # Requests name options as in Python.
        with use_shell_words(False), suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[listener])
    click.echo("stopped", err=True)


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


def _listen(host: str, port: int) -> socket.socket:
    # Before the database starts, since this can fail.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(1024)
    except OSError as error:
        listener.close()
        raise UsageError(
            f"cannot listen ({error.strerror or error})",
            where=f"{host}:{port}",
            hint="another program may use the port: take another one with --port",
        ) from error
    return listener
