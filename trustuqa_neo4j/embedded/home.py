"""The folder ``TUQA_HOME``: ``Home`` has its paths, password and users; ``ServerState`` the last start.

::

    jars/                 a Maven repository, shared between versions
        java-cache/       caches of loaded classes
    server.lock           held while a server is started or stopped
    server/               only the owner may look in
        conf/              settings of Neo4j, written anew at each start
        data/ logs/ run/ import/     Neo4j's own folders
        password          the password, readable by the owner alone
        state.json        ports, version, whether to keep running, whether it was stopped
        users/PID-N       one file for each Python client that uses the server

Processes share state through files that are replaced whole; a process that serves the state would itself
have to be started, found and stopped.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import json
import os
import secrets
import shutil
import tempfile
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from ..errors import DiskFull, EmbeddedError, HomeNotUsable, require_extra
from ..private_folder import FolderNotPrivate, make_private_folder, restrict_access

PLUGINS = "run/plugins"
"""Below the folder of the server: Neo4j loads code from there, so it is emptied before each start."""

CACHES = "java-cache"
"""Beside the jars."""

OWN_SERVER = "or set NEO4J_URI to use a server of your own"

_DISK_FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))  # Windows knows no quotas
_lease_numbers = itertools.count(1)


def embedded_extra() -> AbstractContextManager[None]:
    # Imports of the extra are inside functions: ``tuqa --help`` stays quick and the base package
    # works without it.
    return require_extra("embedded", "the embedded server needs", OWN_SERVER)


@dataclass(frozen=True)
class ServerState:
    version: str
    bolt_port: int
    http_port: int
    keep: bool
    stopped: bool  # the last stop was seen to its end

    @property
    def is_valid(self) -> bool:
        """False if a value does not have its type: the file may have been edited."""
        # type() and not isinstance: True is an int.
        types = {"str": str, "int": int, "bool": bool}
        fit = all(type(getattr(self, f.name)) is types[str(f.type)] for f in fields(self))
        return fit and all(0 < port < 65536 for port in (self.bolt_port, self.http_port))


class Home:
    def __init__(self, folder: Path) -> None:
        self.folder: Path = folder.expanduser().resolve()
        self.jars: Path = self.folder / "jars"
        self.lock: Path = self.folder / "server.lock"
        self.server: Path = self.folder / "server"
        self.conf: Path = self.server / "conf" / "neo4j.conf"
        self.data: Path = self.server / "data"
        self.logs: Path = self.server / "logs"
        self.run: Path = self.server / "run"
        self.plugins: Path = self.server / PLUGINS
        self.pid_file: Path = self.run / "neo4j.pid"
        self.class_path_file: Path = self.run / "class-path.args"
        self.console: Path = self.logs / "console.log"
        self.password_file: Path = self.server / "password"
        self.state_file: Path = self.server / "state.json"
        self.users: Path = self.server / "users"

    def prepare(self) -> None:
        try:
            for folder in (self.folder, self.server):
                make_private_folder(folder)
            for folder in (self.conf.parent, self.logs, self.run, self.users):
                if folder.is_symlink():
                    raise _link_error(folder)
                make_private_folder(folder)
            restrict_access(self.password_file)
            for folder in (self.folder, self.server):
                tempfile.TemporaryFile(dir=folder).close()
        except OSError as error:
            raise write_error(error, self.folder) from error

    def clear_configuration(self) -> None:
        """Remove all that Neo4j would read besides its database: settings, log settings, plugins.

        Log settings can write to any file, and plugins are code.
        """
        try:
            for folder in (self.conf.parent, self.plugins):
                if folder.is_symlink():
                    raise _link_error(folder)
                if folder.exists():
                    shutil.rmtree(folder)
                folder.mkdir(mode=0o700)
        except OSError as error:
            raise write_error(error, self.folder) from error

    @property
    def java_caches(self) -> Path:
        return self.jars / CACHES

    @property
    def has_data(self) -> bool:
        return (self.data / "databases").is_dir()

    @property
    def has_accounts(self) -> bool:
        # A server has started with this data; an import alone makes none.
        return (self.data / "databases" / "system").is_dir()

    def password(self) -> str | None:
        # None before the first start.
        with contextlib.suppress(FileNotFoundError):
            return self.password_file.read_text(encoding="ascii").strip()
        return None

    def ensure_password(self) -> str:
        # The first call creates it, unless the folder has data already: their password is lost.
        if password := self.password():
            return password
        if self.has_data:
            raise HomeNotUsable(
                "the server's data is there and the file with its password is not",
                where=str(self.password_file),
                hint="put the file back, or set TUQA_HOME to another folder and load the files there",
            )
        # Hexadecimal: neo4j-admin reads the file as arguments, and a minus would begin an option.
        password = secrets.token_hex(20)
        self.password_file.unlink(missing_ok=True)
        descriptor = os.open(self.password_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(password + "\n")
        return password

    def state(self) -> ServerState | None:
        # None if there is none that can be read.
        try:
            content = json.loads(self.state_file.read_text(encoding="utf-8"))
            state = ServerState(
                **{field.name: content[field.name] for field in fields(ServerState)}
            )
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return state if state.is_valid else None

    def write_state(self, state: ServerState) -> None:
        # In one step: a reader sees the old state or the new one.
        draft = self.state_file.with_suffix(".draft")
        _write_private(draft, json.dumps(asdict(state), indent=2) + "\n")
        draft.replace(self.state_file)

    def pid(self) -> int | None:
        # The process of the last start. Another program may have the number now.
        with contextlib.suppress(OSError, ValueError):
            return int(self.pid_file.read_text(encoding="ascii"))
        return None

    def write_pid(self, pid: int) -> None:
        _write_private(self.pid_file, f"{pid}\n")

    def take_lease(self) -> Path:
        # The file shows that this process uses the server.
        with embedded_extra():
            import psutil

        self.users.mkdir(exist_ok=True)
        path = self.users / f"{os.getpid()}-{next(_lease_numbers)}"
        draft = path.with_name(f".{path.name}")
        _write_private(draft, repr(psutil.Process().create_time()))
        return draft.replace(path)

    def live_users(self) -> list[int]:
        # Leases of dead processes are removed.
        pids = []
        for path in sorted(self.users.glob("[0-9]*-[0-9]*")):
            pid = int(path.name.partition("-")[0])
            if _is_same_process(pid, path):
                pids.append(pid)
            else:
                path.unlink(missing_ok=True)
        return pids


def _write_private(path: Path, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)


def _is_same_process(pid: int, lease: Path) -> bool:
    # Process numbers are used again, so the start time in the lease must match, too.
    import psutil

    try:
        started = float(lease.read_text(encoding="ascii"))
        return abs(psutil.Process(pid).create_time() - started) < 1.0
    except (psutil.Error, OSError, ValueError):
        return False


# The disk


def _link_error(folder: Path) -> HomeNotUsable:
    return HomeNotUsable(
        "the folder is a link, and may lead into files of others",
        where=str(folder),
        hint="remove the link; to use another disk, set TUQA_HOME",
    )


def check_free_space(folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise DiskFull(
            f"the embedded server needs {needed / 1e6:.0f} MB and {free / 1e6:.0f} MB are free",
            where=str(folder),
            hint=f"free some space, set TUQA_HOME to a folder on another disk, {OWN_SERVER}",
        )


def write_error(error: OSError, folder: Path) -> EmbeddedError:
    if error.errno in _DISK_FULL:
        return DiskFull(
            "the disk is full",
            where=str(folder),
            hint="free some space and try again, or set TUQA_HOME to a folder on another disk, "
            f"{OWN_SERVER}",
        )
    if isinstance(error, FolderNotPrivate):
        return HomeNotUsable(str(error.strerror), where=str(error.filename), hint=error.hint)
    return HomeNotUsable(
        f"the embedded server cannot write its files ({error.strerror or error})",
        where=str(error.filename or folder),
        hint=f"set TUQA_HOME to a folder that you can write, {OWN_SERVER}",
    )


def folder_size(folder: Path) -> int:
    # 0 if it does not exist.
    total = 0
    for parent, _folders, files in os.walk(folder):
        for name in files:
            with contextlib.suppress(OSError):
                total += (Path(parent) / name).lstat().st_size
    return total
