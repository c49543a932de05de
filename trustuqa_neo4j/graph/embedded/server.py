"""The embedded server: the real Neo4j, run as a process of its own for whoever has no database.

One server for each ``TUQA_HOME``; starting and stopping happen one at a time, under a file lock. It is
no child that dies with its parent: commands come and go and share it, and it is stopped by the command
that says so, or by the last Python client that closes. The alternative, a server for every process,
would take seconds for each command and could not share the data.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path

from ...errors import HomeNotUsable, UsageError
from ...settings import Settings
from . import launching, process
from .extras import embedded_extra
from .fetching import Progress
from .home import Home, State, folder_size
from .info import ServerInfo, Status
from .launching import Notify, Wanted
from .runtime import ADMIN_HEAP, Command, ready_runtime

STOPPING = 60.0  # seconds that a stop may take


class EmbeddedServer:
    """The embedded server of one folder.

    Args:
        home: ``TUQA_HOME``, made on the first start.
        version: of Neo4j; None for the one that wrote the data, else the newest that was tested.
        mirror: address to fetch jars from in place of the public repository.
    """

    def __init__(self, home: Path, version: str | None = None, mirror: str | None = None) -> None:
        self.home = Home(home)
        self._wanted = Wanted(version, mirror)
        self._lease: Path | None = None

    def start(
        self,
        keep: bool,
        bolt_port: int | None = None,
        http_port: int | None = None,
        notify: Notify | None = None,
        progress: Progress | None = None,
    ) -> ServerInfo:
        """Starts the server, or shares the one that runs; returns when it answers.

        Args:
            keep: whether it stays when this process ends. Otherwise this process takes a lease, and
                the last one to release its lease stops the server.
            bolt_port: for the driver; None for the one used before.
            http_port: for Neo4j Browser; None for the one used before.
            notify: is told, in one sentence each, what the user should know.
            progress: is told (jars done, jars to do) while jars are fetched.

        Raises:
            EmbeddedError, MissingExtra, BadSettings, UsageError
        """
        wanted = replace(self._wanted, bolt_port=bolt_port, http_port=http_port)
        wanted.check()
        say = notify or _silent
        self.home.prepare()
        with self._locked(say):
            state, recovered = launching.share(self.home, wanted, say), False
            started_now = state is None
            if state is None:
                state, recovered = launching.start(self.home, wanted, keep, say, progress)
            if not keep:
                self._take_lease()
            elif not state.keep:
                self.home.write_state(replace(state, keep=True))
        return replace(self._info(state), started_now=started_now, recovered=recovered)

    def stop(self) -> bool:
        """Stops the server, whoever uses it; False where none runs.

        Raises:
            ServerDidNotStop, MissingExtra, HomeNotUsable
        """
        if not self.home.server.is_dir():
            return False
        with self._locked(_silent):
            return self._stop()

    def status(self) -> Status:
        """How the server is. Changes nothing, and makes no folder."""
        with embedded_extra():
            import psutil

        state = self.home.state()
        status = Status(
            running=False,
            home=self.home.folder,
            data_bytes=folder_size(self.home.data),
            jar_bytes=folder_size(self.home.jars),
            logs=tuple(sorted(self.home.logs.glob("*.log"))),
            version=state.version if state else None,
        )
        server = launching.find(self.home)
        if server is None or state is None:
            return replace(status, running=server is not None, pid=server.pid if server else None)
        info = self._info(state)
        with contextlib.suppress(psutil.NoSuchProcess):
            status = replace(
                status,
                running=True,
                ready=process.answers(state.bolt_port),
                keep=state.keep,
                users=tuple(self.home.live_users()),
                pid=server.pid,
                uri=info.uri,
                browser_url=info.browser_url,
                memory_bytes=server.memory_info().rss,
                started=datetime.fromtimestamp(server.create_time(), timezone.utc),
            )
        return status

    def password(self) -> str:
        """The password of the user ``neo4j``.

        Raises:
            HomeNotUsable: there is none before the first start.
        """
        password = self.home.password()
        if password is None:
            raise HomeNotUsable(
                "there is no password yet",
                where=str(self.home.password_file),
                hint="the first start makes it: tuqa neo4j start",
            )
        return password

    def clean(self, jars: bool = True, data: bool = True) -> int:
        """Removes jars, or data, password and logs, or both; the bytes that this freed.

        Raises:
            UsageError: the server runs.
        """
        folders = [*[self.home.jars] * jars, *[self.home.server] * data]
        if not any(folder.exists() for folder in folders):
            return 0
        with self._locked(_silent):
            server = launching.find(self.home)
            if server is not None:
                raise UsageError(
                    f"the embedded server is running (process {server.pid})",
                    where=str(self.home.folder),
                    hint="stop it first: tuqa neo4j stop",
                )
            freed = sum(folder_size(folder) for folder in folders)
            for folder in folders:
                _remove(folder)
        return freed

    def lease(self) -> None:
        """Notes that this process uses the server, so that no other client's closing stops it."""
        if self._lease is None:
            self.home.prepare()
            with self._locked(_silent):
                self._take_lease()

    def release(self) -> None:
        """Gives the lease back; stops the server where it was the last one and nobody keeps it."""
        lease, self._lease = self._lease, None
        atexit.unregister(self.release)
        # A process that this one forked has a copy of the lease, and no right to it.
        if lease is None or not lease.name.startswith(f"{os.getpid()}-") or not lease.exists():
            return
        with self._locked(_silent):
            lease.unlink(missing_ok=True)
            state = self.home.state()
            if state is not None and not state.keep and not self.home.live_users():
                self._stop()

    def admin_tool_command(
        self, *arguments: str, heap: str = ADMIN_HEAP, progress: Progress | None = None
    ) -> Command:
        """The command that runs ``neo4j-admin`` with ``arguments`` on this server's folders.

        Raises:
            EmbeddedError, MissingExtra, BadSettings
        """
        self.home.prepare()
        with self._locked(_silent):
            wanted = self._wanted
            runtime = ready_runtime(self.home, wanted.version, wanted.mirror, progress)
        return runtime.admin_tool(self.home, arguments, heap)

    def _take_lease(self) -> None:
        if self._lease is None:
            self._lease = self.home.take_lease()
            atexit.register(self.release)  # a client that nobody closed

    def _stop(self) -> bool:
        server = launching.find(self.home)
        if server is not None:
            process.end(server, STOPPING, self.home.logs)
            state = self.home.state()
            if state is not None:
                self.home.write_state(replace(state, keep=False, stopped=True))
        self.home.pid_file.unlink(missing_ok=True)
        return server is not None

    def _info(self, state: State) -> ServerInfo:
        password = self.home.password() or ""
        return ServerInfo(state.version, state.bolt_port, state.http_port, password)

    @contextlib.contextmanager
    def _locked(self, say: Notify) -> Iterator[None]:
        """One process at a time; the system frees the lock of one that dies."""
        with embedded_extra():
            from filelock import FileLock, Timeout

        lock = FileLock(self.home.lock, mode=0o600)
        try:
            try:
                lock.acquire(timeout=0)
            except Timeout:
                say("another process is starting or stopping the embedded server: waiting for it")
                lock.acquire()
            try:
                yield
            finally:
                lock.release()
        except OSError as error:
            raise self.home.trouble(error) from error


def _silent(_what: str) -> None:
    """Tells nobody."""


def _remove(folder: Path) -> None:
    if folder.is_symlink():
        folder.unlink()
    elif folder.exists():
        shutil.rmtree(folder)


def server_of(settings: Settings) -> EmbeddedServer:
    """The embedded server that ``settings`` mean."""
    return EmbeddedServer(settings.home, settings.neo4j_version, settings.jar_mirror)


def with_server(settings: Settings, info: ServerInfo) -> Settings:
    """``settings`` that lead to the embedded server."""
    return replace(settings, uri=info.uri, username=info.username, password=info.password)


def running(
    settings: Settings, notify: Notify | None = None, progress: Progress | None = None
) -> Settings:
    """Settings that lead to the embedded server, which is started if need be and stays.

    Raises:
        EmbeddedError, MissingExtra, BadSettings
    """
    say = notify or _silent
    info = server_of(settings).start(keep=True, notify=notify, progress=progress)
    if info.started_now:
        say(f"the embedded server runs at {info.uri}; to stop it: tuqa neo4j stop")
    return with_server(settings, info)


@dataclass(frozen=True)
class Leased:
    """The embedded server as long as it is needed."""

    settings: Settings
    release: Callable[[], None]


@contextlib.contextmanager
def leased(
    settings: Settings, notify: Notify | None = None, progress: Progress | None = None
) -> Iterator[Leased]:
    """The embedded server for as long as the context lasts; the last one to leave stops it.

    Raises:
        EmbeddedError, MissingExtra, BadSettings
    """
    server = server_of(settings)
    info = server.start(keep=False, notify=notify, progress=progress)
    try:
        yield Leased(with_server(settings, info), server.release)
    finally:
        server.release()
