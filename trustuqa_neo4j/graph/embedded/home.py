"""The folder ``TUQA_HOME`` as the embedded server uses it: paths, password, state, and users.

::

    jars/                 a Maven repository, shared between versions
    server.lock           held while a server is started or stopped
    server/               only the owner may look in
        conf/ data/ logs/ run/ import/     Neo4j's own folders
        password          the password, readable by the owner alone
        state.json        ports, version, whether to keep running, whether it was stopped
        users/PID-N       one file for each Python client that uses the server

What several processes must agree on lies in files that are replaced whole; a process that is asked
for them (the alternative) would itself have to be started, found and stopped.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import secrets
import tempfile
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from ...errors import DiskFull, EmbeddedError, HomeNotUsable
from .extras import OWN_SERVER, embedded_extra
from .fetching import DISK_FULL

_numbers = itertools.count(1)


@dataclass(frozen=True)
class State:
    """What is remembered from one start to the next."""

    version: str
    bolt_port: int
    http_port: int
    keep: bool
    stopped: bool  # the last stop was seen to its end


class Home:
    """Paths under ``TUQA_HOME``, and what is written there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.expanduser().resolve()
        self.jars = self.folder / "jars"
        self.lock = self.folder / "server.lock"
        self.server = self.folder / "server"
        self.conf = self.server / "conf" / "neo4j.conf"
        self.data = self.server / "data"
        self.logs = self.server / "logs"
        self.run = self.server / "run"
        self.pid_file = self.run / "neo4j.pid"
        self.class_path_file = self.run / "class-path.args"
        self.console = self.logs / "console.log"
        self.password_file = self.server / "password"
        self.state_file = self.server / "state.json"
        self.users = self.server / "users"

    def prepare(self) -> None:
        """Makes the folders, and sees that they can be written.

        Raises:
            HomeNotUsable, DiskFull
        """
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.server.mkdir(mode=0o700, exist_ok=True)
            for folder in (self.conf.parent, self.logs, self.run, self.users):
                folder.mkdir(exist_ok=True)
            for folder in (self.folder, self.server):
                tempfile.TemporaryFile(dir=folder).close()
        except OSError as error:
            raise self.trouble(error) from error

    def trouble(self, error: OSError) -> EmbeddedError:
        """The error that says what to try when this folder cannot be written."""
        if error.errno in DISK_FULL:
            return DiskFull(
                "no space is left",
                where=str(self.folder),
                hint="free some space, or set TUQA_HOME to a folder on another disk",
            )
        return HomeNotUsable(
            f"the embedded server cannot keep its files there ({error.strerror or error})",
            where=str(error.filename or self.folder),
            hint=f"set TUQA_HOME to a folder that you can write, {OWN_SERVER}",
        )

    @property
    def has_data(self) -> bool:
        """Whether a server has run here before."""
        return (self.data / "databases").is_dir()

    def password(self) -> str | None:
        """The password; None before the first start."""
        with contextlib.suppress(FileNotFoundError):
            return self.password_file.read_text(encoding="ascii").strip()
        return None

    def ensure_password(self) -> str:
        """The password, which the first call makes.

        Raises:
            HomeNotUsable: the data is there and its password is not.
        """
        known = self.password()
        if known:
            return known
        if self.has_data:
            raise HomeNotUsable(
                "the server's data is there and the file with its password is not",
                where=str(self.password_file),
                hint="put the file back, or remove the data and start again: "
                "tuqa neo4j clean --data",
            )
        # Hexadecimal: neo4j-admin reads the file as arguments, and a minus would begin an option.
        password = secrets.token_hex(20)
        self.password_file.unlink(missing_ok=True)
        descriptor = os.open(self.password_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(password + "\n")
        return password

    def state(self) -> State | None:
        """What the last start left; None where it left nothing that can be read."""
        try:
            read = json.loads(self.state_file.read_text(encoding="utf-8"))
            return State(**{field.name: read[field.name] for field in fields(State)})
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def write_state(self, state: State) -> None:
        """Replaces the state in one step: a reader sees the old one or the new one."""
        draft = self.state_file.with_suffix(".draft")
        draft.write_text(json.dumps(asdict(state), indent=2) + "\n", encoding="utf-8")
        draft.replace(self.state_file)

    def pid(self) -> int | None:
        """The number that the last start noted; it proves nothing."""
        with contextlib.suppress(OSError, ValueError):
            return int(self.pid_file.read_text(encoding="ascii"))
        return None

    def write_pid(self, pid: int) -> None:
        """Notes which process is the server."""
        self.pid_file.write_text(f"{pid}\n", encoding="ascii")

    def take_lease(self) -> Path:
        """A file that says that this process uses the server."""
        with embedded_extra():
            import psutil

        self.users.mkdir(exist_ok=True)
        path = self.users / f"{os.getpid()}-{next(_numbers)}"
        draft = path.with_name(f".{path.name}")
        draft.write_text(repr(psutil.Process().create_time()), encoding="ascii")
        return draft.replace(path)

    def live_users(self) -> list[int]:
        """Processes that use the server; what dead ones left is removed."""
        live = []
        for path in sorted(self.users.glob("[0-9]*-[0-9]*")):
            pid = int(path.name.partition("-")[0])
            if _is_same_process(pid, path):
                live.append(pid)
            else:
                path.unlink(missing_ok=True)
        return live


def _is_same_process(pid: int, lease: Path) -> bool:
    """Whether the process that took the lease lives: numbers are used again, moments are not."""
    import psutil

    try:
        began = float(lease.read_text(encoding="ascii"))
        return abs(psutil.Process(pid).create_time() - began) < 1.0
    except (psutil.Error, OSError, ValueError):
        return False


def folder_size(folder: Path) -> int:
    """Bytes of all files in a folder; 0 where there is none."""
    total = 0
    for parent, _folders, files in os.walk(folder):
        for name in files:
            with contextlib.suppress(OSError):
                total += (Path(parent) / name).lstat().st_size
    return total
