"""``EmbeddedServer``: the real Neo4j as a process of its own, for users who have no database.

There is one server for each ``TUQA_HOME``; a file lock lets one process at a time start or stop it.
Commands share it and leave it running: ``tuqa neo4j stop`` or the last Python client that closes stops it.
A server for every process would take seconds for each command and could not share data.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from ..errors import HomeNotUsable, UsageError
from ..settings import Settings
from . import java_cache, launch, process
from .config import MB, read_memory
from .download import JarProgress, has_jars, read_lock
from .home import Home, ServerState, embedded_extra, folder_size, write_error
from .launch import Notify, StartOptions
from .readiness import ServerInfo, ServerStatus, find_panic
from .runtime import ADMIN_HEAP, SHORT_RUN, AdminCommand, choose_version, prepare_runtime

STOP_TIMEOUT = 60.0  # seconds


class EmbeddedServer:
    """The embedded server of one folder.

    Args:
        home: ``TUQA_HOME``; the first start creates it.
        version: of Neo4j; None for the one that wrote the data, else the newest that was tested.
        mirror: address that replaces the public repository of jars.
        heap: maximum of Java's heap in bytes; None for a part of the memory of the machine.
        page_cache: maximum of Neo4j's page cache in bytes; None as for ``heap``.
    """

    def __init__(
        self,
        home: Path,
        version: str | None = None,
        mirror: str | None = None,
        heap: int | None = None,
        page_cache: int | None = None,
    ) -> None:
        self.home: Home = Home(home)
        self._options = StartOptions(version, mirror, heap=heap, page_cache=page_cache)
        self._lease: Path | None = None

    @classmethod
    def from_settings(cls, settings: Settings) -> EmbeddedServer:
        sizes = (settings.read_megabytes(name) for name in ("neo4j_heap", "neo4j_page_cache"))
        heap, page_cache = (None if size is None else size * MB for size in sizes)
        return cls(settings.home, settings.neo4j_version, settings.jar_mirror, heap, page_cache)

    def start(
        self,
        keep: bool,
        bolt_port: int | None = None,
        http_port: int | None = None,
        repair: bool = False,
        notify: Notify | None = None,
        progress: JarProgress | None = None,
        answer_timeout: float | None = None,
    ) -> ServerInfo:
        """Start the server, or share the one that runs; return when it answers.

        Args:
            keep: whether it stays when this process ends. Otherwise this process takes a lease, and
                the last one to release its lease stops the server.
            bolt_port: for the driver; None for the last one.
            http_port: for Neo4j Browser; None for the last one.
            repair: whether a damaged end of Neo4j's log is cut off; what was complete before it stays.
            notify: called with one sentence at a time for the user.
            progress: called with (jars done, jars to do) during a download.
            answer_timeout: seconds in which a server that runs already must answer.

        Raises:
            EmbeddedError, MissingExtra, BadSettings, UsageError
        """
        options = replace(
            self._options,
            bolt_port=bolt_port,
            http_port=http_port,
            repair=repair,
            answer_timeout=answer_timeout,
        )
        options.check()
        notify = notify or _ignore
        self.home.prepare()
        with self._locked(notify):
            state, is_recovered = launch.share_server(self.home, options, notify), False
            is_new = state is None
            if state is None:
                state, is_recovered = launch.start_server(
                    self.home, options, keep, notify, progress
                )
            if not keep:
                self._take_lease()
            elif not state.keep:
                self.home.write_state(replace(state, keep=True))
        return replace(self._info(state), is_new=is_new, is_recovered=is_recovered)

    def stop(self) -> bool:
        """Stop the server, even if others use it; return False if none runs."""
        if not self.home.server.is_dir():
            return False
        with self._locked():
            return self._stop()

    def status(self) -> ServerStatus:
        """Changes nothing, and creates no folder."""
        with embedded_extra():
            import psutil

        state = self.home.state()
        status = ServerStatus(
            running=False,
            home=self.home.folder,
            data_bytes=folder_size(self.home.data),
            jar_bytes=folder_size(self.home.jars),
            logs=tuple(sorted(self.home.logs.glob("*.log"))),
            version=state.version if state else None,
        )
        server = process.find_server(self.home)
        if server is None or state is None:
            return replace(status, running=server is not None, pid=server.pid if server else None)
        info, memory = self._info(state), read_memory(self.home.conf)
        with contextlib.suppress(psutil.NoSuchProcess):
            status = replace(
                status,
                running=True,
                ready=process.has_port(server, state.bolt_port),
                keep=state.keep,
                users=tuple(self.home.live_users()),
                pid=server.pid,
                uri=info.uri,
                browser_url=info.browser_url,
                memory_bytes=server.memory_info().rss,
                heap_bytes=memory.heap if memory else None,
                page_cache_bytes=memory.page_cache if memory else None,
                started=datetime.fromtimestamp(server.create_time(), UTC),
            )
        return status

    def password(self) -> str:
        """The password of the user ``neo4j``; HomeNotUsable before the first start."""
        password = self.home.password()
        if password is None:
            raise HomeNotUsable(
                "there is no password yet",
                where=str(self.home.password_file),
                hint="the first start makes it: tuqa neo4j start",
            )
        return password

    def clean(self, jars: bool = True, data: bool = True) -> int:
        """Remove jars, or data with password and logs, or both; return the bytes that this freed."""
        folders = [*[self.home.jars] * jars, *[self.home.server] * data]
        if not any(folder.exists() for folder in folders):
            return 0
        with self._locked():
            server = process.find_server(self.home)
            if server is not None:
                raise UsageError(
                    f"the embedded server is running (process {server.pid})",
                    where=str(self.home.folder),
                    hint="stop it first: tuqa neo4j stop",
                )
            if jars and not self.home.jars.is_symlink():
                java_cache.end_making(self.home)
            size = sum(folder_size(folder) for folder in folders)
            for folder in folders:
                if folder.is_symlink():
                    folder.unlink()
                elif folder.exists():
                    shutil.rmtree(folder)
        return size

    def lease(self) -> None:
        """Note that this process uses the server, so that no other client's closing stops it."""
        if self._lease is None:
            self.home.prepare()
            with self._locked():
                self._take_lease()

    def release(self) -> None:
        """Give the lease back; stop the server if it was the last one and nobody keeps it."""
        lease, self._lease = self._lease, None
        atexit.unregister(self.release)
        # A process that this one forked has a copy of the lease, and no right to it.
        if lease is None or not lease.name.startswith(f"{os.getpid()}-") or not lease.exists():
            return
        with self._locked():
            lease.unlink(missing_ok=True)
            state = self.home.state()
            if state is not None and not state.keep and not self.home.live_users():
                self._stop()

    def can_have_data(self) -> bool:
        # False if there is none, and an import needs no server but the one that starts after it.
        version = choose_version(self.home, self._options.version)
        return (
            self.home.has_data
            or not has_jars(read_lock(version), self.home.jars)
            or process.find_server(self.home) is not None
        )

    def admin_command(
        self, *arguments: str, heap: str = ADMIN_HEAP, options: tuple[str, ...] = SHORT_RUN
    ) -> AdminCommand:
        # ``arguments`` of ``neo4j-admin`` on this server's folders, ``options`` of Java.
        self.home.prepare()
        with self._locked():
            version, mirror = self._options.version, self._options.mirror
            runtime = prepare_runtime(self.home, version, mirror, None)
            self.home.clear_configuration()
        return runtime.admin_command(self.home, arguments, heap, options)

    def _take_lease(self) -> None:
        if self._lease is None:
            self._lease = self.home.take_lease()
            atexit.register(self.release)  # for a client that nobody closes

    def _stop(self) -> bool:
        server = process.find_server(self.home)
        if server is not None:
            # A database that has panicked, as on a full disk, could only write behind the damage to its log.
            has_panicked = find_panic(self.home.logs, server.create_time())
            if has_panicked:
                process.kill_process(server, STOP_TIMEOUT)
            else:
                process.stop_process(server, STOP_TIMEOUT, self.home.logs)
            state = self.home.state()
            if state is not None:
                self.home.write_state(replace(state, keep=False, stopped=not has_panicked))
        self.home.pid_file.unlink(missing_ok=True)
        return server is not None

    def _info(self, state: ServerState) -> ServerInfo:
        password = self.home.password() or ""
        return ServerInfo(state.version, state.bolt_port, state.http_port, password)

    @contextlib.contextmanager
    def _locked(self, notify: Notify | None = None) -> Iterator[None]:
        # The system frees the lock of a process that dies.
        with embedded_extra():
            from filelock import FileLock, Timeout

        lock = FileLock(self.home.lock, mode=0o600)
        try:
            try:
                lock.acquire(timeout=0)
            except Timeout:
                (notify or _ignore)(
                    "another process is starting or stopping the embedded server: waiting for it"
                )
                lock.acquire()
            try:
                yield
            finally:
                lock.release()
        except OSError as error:
            raise write_error(error, self.home.folder) from error


def _ignore(_message: str) -> None:
    pass


def _connect_settings(settings: Settings, info: ServerInfo) -> Settings:
    return replace(
        settings,
        uri=info.uri,
        username=info.username,
        password=info.password,
        data_folder=Home(settings.home).data,
    )


def ensure_running(
    settings: Settings,
    notify: Notify | None = None,
    progress: JarProgress | None = None,
    answer_timeout: float | None = None,
) -> Settings:
    """Start the embedded server unless it runs, and keep it; return settings with its address."""
    server = EmbeddedServer.from_settings(settings)
    info = server.start(keep=True, notify=notify, progress=progress, answer_timeout=answer_timeout)
    if info.is_new and notify is not None:
        notify(f"the embedded server runs at {info.uri}; to stop it: tuqa neo4j stop")
    return _connect_settings(settings, info)


@dataclass(frozen=True)
class ServerLease:
    settings: Settings  # with the server's address
    release: Callable[[], None]


@contextlib.contextmanager
def lease_server(
    settings: Settings, notify: Notify | None = None, progress: JarProgress | None = None
) -> Iterator[ServerLease]:
    """The embedded server for as long as the context lasts; the last one to leave stops it."""
    server = EmbeddedServer.from_settings(settings)
    info = server.start(keep=False, notify=notify, progress=progress)
    try:
        yield ServerLease(_connect_settings(settings, info), server.release)
    finally:
        server.release()
