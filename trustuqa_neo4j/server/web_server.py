"""The web server: uvicorn, with bounds that it lacks.

A stranger can open connections and send nothing, send a head byte by byte, or never read a response. Each of
these keeps a file of the process open, and without files the process can do nothing for anybody.
"""

from __future__ import annotations

import errno
import os
import signal
import socket
from asyncio import BaseTransport, TimerHandle
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Timer
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from ..errors import UsageError
from .options import MAX_HEAD, ServerOptions
from .problems import describe_problem, problem_response

_BACKLOG = 1024
_GRACE = 5  # seconds for requests that run, then they are cancelled
_END_TIMEOUT = (
    20.0  # seconds after the last response, then what still runs in threads is left behind
)
_OTHER_FILES = 256  # connections to the database, uploads, child processes
_WANTED_FILES = 4096


class _Config(uvicorn.Config):
    """``waiting`` are the connections without a whole head of a request, in the order of their wait."""

    def __init__(self, app: ASGIApp, options: ServerOptions) -> None:
        self.max_connections: int = _count_connections(options.max_connections)
        super().__init__(
            app,
            http=_BoundedProtocol,
            ws="none",
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=int(options.keep_alive),
            timeout_graceful_shutdown=_GRACE,
        )
        self.options = options
        self.waiting: dict[_BoundedProtocol, None] = {}


class _BoundedProtocol(HttpToolsProtocol):
    """One connection. Beyond the bound, the one that has waited longest is closed for a new one."""

    config: _Config

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._head_size = 0
        self._is_in_head = False
        self._head_timer: TimerHandle | None = None
        self._write_timer: TimerHandle | None = None

    def connection_made(self, transport: BaseTransport) -> None:
        super().connection_made(transport)  # type: ignore[arg-type]  # uvicorn's name for the same
        self.config.waiting[self] = None
        self._watch_head()
        if len(self.connections) > self.config.max_connections:
            oldest = next(iter(self.config.waiting))
            oldest._refuse(503, "too many connections", "another one needs the place")

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_wait()
        self._end_write_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not self._is_in_head and self not in self.config.waiting:
            return
        # Part of a head, or empty lines before one; the next head may come before the response.
        self._head_size += len(data)
        if self._head_size > MAX_HEAD:
            self._refuse(431, "head too long", f"more than {MAX_HEAD:,} bytes before the body")
        elif self._head_timer is None:
            self._watch_head()

    def on_message_begin(self) -> None:
        self._is_in_head = True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._end_wait()
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.cycle.response_complete and not self.transport.is_closing():
            # What waits longest for the next request is the first to go.
            self.config.waiting[self] = None

    def pause_writing(self) -> None:
        super().pause_writing()
        self._end_write_timer()
        self._write_timer = self.loop.call_later(
            self.config.options.body_timeout, self.transport.abort
        )

    def resume_writing(self) -> None:
        self._end_write_timer()
        super().resume_writing()

    def _watch_head(self) -> None:
        seconds = self.config.options.head_timeout
        self._head_timer = self.loop.call_later(
            seconds, self._refuse, 408, "head too slow", f"no whole head within {seconds:g} seconds"
        )

    def _end_wait(self) -> None:
        self.config.waiting.pop(self, None)
        self._head_size = 0
        self._is_in_head = False
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _end_write_timer(self) -> None:
        if self._write_timer is not None:
            self._write_timer.cancel()
            self._write_timer = None

    def _refuse(self, status: int, kind: str, detail: str) -> None:
        self._end_wait()
        if self.transport.is_closing():
            return
        # A response that has begun must not end with another one.
        if self.cycle is None or self.cycle.response_complete:
            response = problem_response(describe_problem(status, kind, detail, "try again"))
            lines = [STATUS_LINE[status], b"connection: close\r\n"]
            lines += [name + b": " + value + b"\r\n" for name, value in response.raw_headers]
            self.transport.write(b"".join((*lines, b"\r\n", bytes(response.body))))
        self.transport.close()


def _count_connections(wanted: int) -> int:
    """So many connections as the files that this process may open allow; the limit is raised if it can be."""
    try:
        import resource
    except ImportError:  # there is no such limit
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return wanted
    highest = _WANTED_FILES if hard == resource.RLIM_INFINITY else min(hard, _WANTED_FILES)
    if soft < highest:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (highest, hard))
            soft = highest
    return min(wanted, max(soft - _OTHER_FILES, soft // 4))


class _Server(uvicorn.Server):
    """Calls ``on_start`` when it answers, and ``on_end`` when it begins to end."""

    def __init__(
        self, config: uvicorn.Config, on_start: Callable[[], object], on_end: Callable[[], object]
    ) -> None:
        super().__init__(config)
        self._on_start = on_start
        self._on_end = on_end

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._on_end()
        await super().shutdown(sockets)


def make_web_server(
    app: ASGIApp,
    options: ServerOptions,
    on_start: Callable[[], object] = lambda: None,
    on_end: Callable[[], object] = lambda: None,
) -> uvicorn.Server:
    """Make a server that is run by the caller; it calls ``on_start`` when it answers."""
    return _Server(_Config(app, options), on_start, on_end)


def serve_requests(
    app: ASGIApp, options: ServerOptions, listener: socket.socket, on_start: Callable[[], object]
) -> None:
    """Answer requests until a signal comes; then the process ends soon, whatever its threads do.

    ``on_start`` is called when it answers.
    """

    def end_soon() -> None:
        # A thread may compute, or wait for a database that hangs: in the end nobody waits for it.
        timer = Timer(_END_TIMEOUT, os._exit, (0,))
        timer.daemon = True
        timer.start()

    make_web_server(app, options, on_start, end_soon).run(sockets=[listener])


@contextmanager
def end_at_signals() -> Iterator[None]:
    """Let SIGTERM end what is inside ``with`` as Ctrl-C does: everything is closed."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGTERM, interrupt)
    try:
        with suppress(KeyboardInterrupt):
            yield
    finally:
        signal.signal(signal.SIGTERM, previous)


def listen(host: str, port: int) -> socket.socket:
    """Open the socket of the server.

    Raises:
        UsageError: the address cannot be used.
    """
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, port))
            listener.listen(_BACKLOG)
        except OSError:
            listener.close()
            raise
    except OSError as error:
        hints = {
            socket.EAI_NONAME: "give an address of this machine with --host, such as 127.0.0.1",
            errno.EADDRNOTAVAIL: "give an address of this machine with --host, such as 127.0.0.1",
            errno.EACCES: "ports below 1024 need rights: take another one with --port",
        }
        raise UsageError(
            f"cannot listen ({error.strerror or error})",
            where=f"{host}:{port}",
            hint=hints.get(
                error.errno or 0, "another program may use the port: take another one with --port"
            ),
        ) from error
    return listener
