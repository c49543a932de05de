"""What the embedded server runs on: a version, a Java, its jars, and the commands made of them."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from ...errors import ServerDidNotStart
from . import process
from .config import ADMIN_CLASS, DEFAULT_VERSION, JAVA_OPTIONS, ServerConfig, release_of
from .fetching import Progress
from .home import Home
from .jars import JarLock, ensure_jars, locked_versions, read_lock, version_key
from .java import Java, find_java
from .startup import did_not_start

ADMIN_PATIENCE = 120.0  # seconds for neo4j-admin to set the password
ADMIN_HEAP = "512m"


@dataclass(frozen=True)
class Command:
    """A program to run: its words and its environment."""

    words: tuple[str, ...]
    environment: dict[str, str]


@dataclass(frozen=True)
class Runtime:
    """A Java and the jars of one version, ready to run."""

    version: str
    java: Java
    class_path_file: Path

    def server(self, home: Home, config: ServerConfig) -> list[str]:
        """The command of the server."""
        return [
            *(str(self.java.path), *config.java_options(), f"@{self.class_path_file}"),
            *(release_of(self.version).main_class, process.HOME_OPTION, str(home.server)),
            *("--config-dir", str(home.conf.parent)),
        ]

    def admin_tool(self, home: Home, arguments: tuple[str, ...], heap: str = ADMIN_HEAP) -> Command:
        """The command of neo4j-admin."""
        words = (str(self.java.path), f"-Xmx{heap}", *JAVA_OPTIONS, f"@{self.class_path_file}")
        environment = process.child_environment(home.server)
        return Command((*words, ADMIN_CLASS, *arguments), environment)


def ready_runtime(
    home: Home, version: str | None, mirror: str | None, progress: Progress | None
) -> Runtime:
    """Finds Java and fetches jars.

    Raises:
        BadSettings, JavaNotFound, DownloadFailed, ChecksumMismatch, DiskFull, HomeNotUsable
        ServerDidNotStart: the data was written by a newer version.
    """
    version = choose_version(home, version)
    lock = read_lock(version)
    java = find_java(lock.java)
    ensure_jars(lock, home.jars, mirror, progress)
    _write_class_path(lock, home)
    return Runtime(version, java, home.class_path_file)


def choose_version(home: Home, wanted: str | None) -> str:
    """The version asked for, else the one that wrote the data, else the newest tested.

    Without being asked, data is not handed to another version: what a newer one has opened, an older
    one cannot read any more.

    Raises:
        ServerDidNotStart: the data was written by a newer version.
    """
    state = home.state()
    before = state.version if state is not None and home.has_data else None
    if wanted is None:
        wanted = before if before is not None and before in locked_versions() else DEFAULT_VERSION
    if before is not None and version_key(wanted) < version_key(before):
        raise ServerDidNotStart(
            f"the data was written by Neo4j {before}, and {wanted} is older and cannot read it",
            where=str(home.server),
            hint=f"set TUQA_NEO4J_VERSION to {before}, or TUQA_HOME to another folder, or begin "
            "anew with: tuqa neo4j clean --data",
        )
    return wanted


def _write_class_path(lock: JarLock, home: Home) -> None:
    """As a file of arguments: Windows allows fewer characters on a command line."""
    paths = os.pathsep.join(str(home.jars / jar.path) for jar in lock.jars)
    quoted = paths.replace("\\", "\\\\").replace('"', '\\"')
    home.class_path_file.write_bytes(os.fsencode(f'-cp\n"{quoted}"\n'))


def set_initial_password(home: Home, runtime: Runtime) -> None:
    """Gives the user ``neo4j`` the password that was made for it, before the first start.

    neo4j-admin reads it from its file, so it never stands on a command line.

    Raises:
        ServerDidNotStart
    """
    arguments = ("dbms", "set-initial-password", f"@{home.password_file}")
    command = runtime.admin_tool(home, arguments)
    try:
        done = subprocess.run(
            command.words,
            env=command.environment,
            cwd=home.server,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=ADMIN_PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        said = f"ERROR neo4j-admin was silent for {ADMIN_PATIENCE:.0f} seconds"
        raise did_not_start("could not be given its password", [said], home.logs) from error
    if done.returncode != 0:
        lines = (done.stderr + done.stdout).splitlines()
        raise did_not_start("could not be given its password", lines, home.logs)
