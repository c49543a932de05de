"""``Workers``: the processes of one server, which are started, watched, replaced and ended together.

Each has a listening socket of its own for the one port, where the system can divide connections among
sockets; elsewhere they share one. The sockets stay open here, so that no connection is lost while a process
is replaced.
"""

from __future__ import annotations

import errno
import signal
import socket
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from threading import Thread
from time import monotonic
from typing import Any, TypeAlias

import uvicorn
from starlette.types import ASGIApp

from ..errors import TrustUQAError, UsageError

_BACKLOG = 1024
_GRACE = 5  # seconds for requests that run, then they are cancelled
_END_TIMEOUT = 30.0  # seconds until a process that does not end is killed
_MAX_ENDS, _ENDS_TIME = 5, 60.0  # so many processes may end in so many seconds

Target: TypeAlias = Callable[[Any, int, socket.socket, Connection], None]
"""What a process runs: what all get, its number from 1, its socket, and where it says that it answers."""


class WorkerEnded(TrustUQAError):
    """A process of the server ended, and is not replaced."""


class _Server(uvicorn.Server):
    """Calls ``on_start`` when it answers."""

    def __init__(self, config: uvicorn.Config, on_start: Callable[[], object]) -> None:
        super().__init__(config)
        self._on_start = on_start

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_start()


def make_web_server(app: ASGIApp, on_start: Callable[[], object]) -> uvicorn.Server:
    """Make a server that is run by the caller, and calls ``on_start`` when it answers."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_GRACE,
    )
    return _Server(config, on_start)


def serve_requests(
    app: ASGIApp, listener: socket.socket, on_start: Callable[[], object] = lambda: None
) -> None:
    """Answer requests until a signal comes, or until the process that started this one has ended."""
    server = make_web_server(app, on_start)
    if (parent := parent_process()) is not None:

        def end_with_parent() -> None:
            parent.join()
            server.should_exit = True

        Thread(target=end_with_parent, name="tuqa-parent", daemon=True).start()
    server.run(sockets=[listener])


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


def listen(host: str, port: int, workers: int = 1) -> list[socket.socket]:
    """Open the sockets of the processes.

    Raises:
        UsageError: the address cannot be used.
    """
    try:
        listener = _listen(host, port)
        if workers == 1 or not hasattr(socket, "SO_REUSEPORT"):
            return [listener] * workers
        # Such sockets would also share the port with another server, which the first one excluded.
        listener.close()
        return [_listen(host, port, is_shared=True) for _ in range(workers)]
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


def _listen(host: str, port: int, *, is_shared: bool = False) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if is_shared:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listener.bind((host, port))
        listener.listen(_BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


class Workers:
    """``notify`` shows a message to the person who started the server."""

    def __init__(
        self,
        target: Target,
        start: object,
        listeners: Sequence[socket.socket],
        notify: Callable[[str], object],
    ) -> None:
        self._target = target
        self._start = start
        self._listeners = listeners
        self._notify = notify
        # A process that is a copy of this one would have its threads' locks.
        self._context = get_context("spawn")
        self._processes: dict[int, BaseProcess] = {}
        self._starting: dict[int, Connection] = {}
        self._ends: deque[float] = deque(maxlen=_MAX_ENDS)

    def run(self) -> None:
        """Run all processes, and replace those that end, until this one is interrupted.

        Raises:
            WorkerEnded: a process ended before it answered, or too many ended.
        """
        try:
            for number in range(1, len(self._listeners) + 1):
                self._begin(number)
            while True:
                wait([*(p.sentinel for p in self._processes.values()), *self._starting.values()])
                self._note_starts()
                for number, process in [*self._processes.items()]:
                    if not process.is_alive():
                        self._replace(number, process)
        finally:
            self._end_all()

    def _begin(self, number: int) -> None:
        receiver, sender = self._context.Pipe(duplex=False)
        arguments = (self._start, number, self._listeners[number - 1], sender)
        process = self._context.Process(
            target=self._target, args=arguments, name=f"tuqa-worker-{number}"
        )
        process.start()
        sender.close()
        self._processes[number] = process
        self._starting[number] = receiver

    def _note_starts(self) -> None:
        for number, receiver in [*self._starting.items()]:
            # The end of a process ends its side, too.
            with suppress(EOFError):
                if receiver.poll() and receiver.recv():
                    receiver.close()
                    del self._starting[number]

    def _replace(self, number: int, process: BaseProcess) -> None:
        end = _describe_end(process.exitcode)
        if number in self._starting:
            raise WorkerEnded(
                f"worker {number} {end} before it answered", hint="see the messages above"
            )
        now = monotonic()
        self._ends.append(now)
        if len(self._ends) == _MAX_ENDS and now - self._ends[0] < _ENDS_TIME:
            raise WorkerEnded(
                f"{_MAX_ENDS} workers ended within {_ENDS_TIME:.0f} seconds, the last one {end}",
                hint="see the messages above, and how much memory the machine has",
            )
        self._notify(f"worker {number} {end}; another one takes its place")
        self._begin(number)

    def _end_all(self) -> None:
        try:
            for process in self._processes.values():
                process.terminate()
            for process in self._processes.values():
                process.join(_END_TIMEOUT)
        finally:
            # Also after another Ctrl-C.
            for process in self._processes.values():
                if process.is_alive():
                    process.kill()
                process.join()


def _describe_end(code: int | None) -> str:
    if code is not None and code < 0:
        return f"was ended by signal {-code}"
    return f"ended with code {code}"
