"""The operating system's side of the embedded server: its process, ports, and the machine's memory.

A process counts as the server only when its own command line says so. A number in a file, the
alternative, may by now belong to any program.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import PortTaken, ServerDidNotStop
from .config import MAIN_CLASSES
from .extras import embedded_extra

if TYPE_CHECKING:
    import psutil

LOOPBACK = "127.0.0.1"
HOME_OPTION = "--home-dir"
POLL = 0.05  # seconds between two looks at a process

# Below the range from which systems take ports for outgoing connections, so that a remembered port
# is seldom in use by chance.
PORTS = range(17000, 32000)

# The server gets what Java and the system need, not the keys and settings of the user's other
# programs: JAVA_TOOL_OPTIONS could undo its memory limit or open a port, and a process's environment
# can be read.
ENVIRONMENT = (
    *("HOME", "PATH", "TMPDIR", "TZ"),
    *(
        "APPDATA",
        "LOCALAPPDATA",
        "SYSTEMDRIVE",
        "SYSTEMROOT",
        "TEMP",
        "TMP",
        "USERPROFILE",
        "WINDIR",
    ),
)

# A container may hold less memory than the machine; first the newer place of that limit.
CONTAINER_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def find_server(folder: Path, pid: int | None = None) -> psutil.Process | None:
    """The live process that runs the server of ``folder``: the one numbered ``pid``, else any."""
    with embedded_extra():
        import psutil

    if pid is not None:
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(pid)
            if _runs(process, folder):
                return process
    return next((p for p in psutil.process_iter() if _runs(p, folder)), None)


def _runs(process: psutil.Process, folder: Path) -> bool:
    import psutil

    try:
        words = process.cmdline()
        return (
            not MAIN_CLASSES.isdisjoint(words)
            and HOME_OPTION in words[:-1]
            and words[words.index(HOME_OPTION) + 1] == str(folder)
            and process.status() != psutil.STATUS_ZOMBIE
        )
    except psutil.Error:  # it has ended, or belongs to somebody else
        return False


def launch(command: Sequence[str], folder: Path, log: Path) -> psutil.Process:
    """Starts ``command`` on its own: it outlives this process, its terminal and its Ctrl-C."""
    with embedded_extra():
        import psutil

    detached: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        flags = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.DETACHED_PROCESS
        detached = {"creationflags": flags}
    with log.open("wb") as console:
        child = subprocess.Popen(
            command,
            cwd=folder,
            env=child_environment(folder),
            stdin=subprocess.DEVNULL,
            stdout=console,
            stderr=subprocess.STDOUT,
            **detached,
        )
    # Popen would warn that the child still runs when it is forgotten; that is the intention.
    child.returncode = 0
    return psutil.Process(child.pid)


def child_environment(folder: Path) -> dict[str, str]:
    """The environment of the server and of ``neo4j-admin``."""
    kept = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    # Java takes the locale's word for how file names are written, and its messages are read here.
    given = {"LC_ALL": "C.UTF-8", "NEO4J_HOME": str(folder), "NEO4J_CONF": str(folder / "conf")}
    return kept | given


def exit_code(process: psutil.Process) -> int | None:
    """None while it runs; 0 where it ended and this process cannot know how.

    What has ended stays on the system's list until its parent looks, and the parent may be another
    program that never does.
    """
    import psutil

    try:
        return process.wait(timeout=0) or 0
    except psutil.TimeoutExpired:
        pass
    try:
        return 0 if process.status() == psutil.STATUS_ZOMBIE else None
    except psutil.NoSuchProcess:
        return 0


def has_ended(process: psutil.Process, patience: float) -> bool:
    """Waits up to ``patience`` seconds for the process to end."""
    deadline = time.monotonic() + patience
    while exit_code(process) is None:
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL)
    return True


def end(process: psutil.Process, patience: float, logs: Path) -> None:
    """Asks the process to end, and sees that it does.

    Raises:
        ServerDidNotStop: it still runs after ``patience`` seconds.
    """
    import psutil

    with contextlib.suppress(psutil.NoSuchProcess):
        process.terminate()
    if not has_ended(process, patience):
        raise ServerDidNotStop(
            f"the embedded server (process {process.pid}) was asked to end and still runs after "
            f"{patience:.0f} seconds",
            where=str(logs),
            hint=f"wait and look at its logs; to end it by force: {_by_force(process.pid)} "
            "(Neo4j repairs its data at the next start)",
        )


def abandon(process: psutil.Process, patience: float) -> None:
    """Ends a server that nobody has used yet: by force if it takes long or Ctrl-C comes again."""
    import psutil

    ended = False
    try:
        process.terminate()
        ended = has_ended(process, patience)
    except psutil.NoSuchProcess:
        ended = True
    finally:
        if not ended:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
            has_ended(process, patience)


def _by_force(pid: int) -> str:
    return f"taskkill /F /PID {pid}" if os.name == "nt" else f"kill -{int(signal.SIGKILL)} {pid}"


def is_free(port: int) -> bool:
    """Whether a server could listen on ``port`` of this machine."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        if sys.platform == "win32":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:  # as servers do: what a closed connection leaves behind is no obstacle
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def free_port(avoid: Collection[int] = ()) -> int:
    """A port that is free now.

    Raises:
        PortTaken: none was found.
    """
    for _ in range(1000):
        port = secrets.choice(PORTS)
        if port not in avoid and is_free(port):
            return port
    raise PortTaken(
        "no free port was found",
        where=f"{LOOPBACK}, ports {PORTS.start} to {PORTS.stop - 1}",
        hint="see which programs listen on this machine, or name ports with --bolt-port and "
        "--http-port",
    )


def holder(port: int) -> str:
    """Who listens on ``port``, as far as the system tells."""
    import psutil

    with contextlib.suppress(psutil.Error, OSError):
        for found in psutil.net_connections("tcp"):
            listens = found.status == psutil.CONN_LISTEN and tuple(found.laddr)[1:] == (port,)
            if listens and found.pid:
                return f"{psutil.Process(found.pid).name()} (process {found.pid})"
    return "another program"


def answers(port: int) -> bool:
    """Whether anything listens on ``port``."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        return probe.connect_ex((LOOPBACK, port)) == 0


def machine_memory() -> int:
    """Bytes of memory of this machine, or of the container that holds this process."""
    with embedded_extra():
        import psutil

    limits: list[int] = [psutil.virtual_memory().total]
    for path in CONTAINER_LIMITS:
        with contextlib.suppress(OSError, ValueError):  # ValueError: "max", for no limit
            limits.append(int(Path(path).read_text(encoding="ascii")))
    return min(limits)
