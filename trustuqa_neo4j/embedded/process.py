"""The operating system's side of the embedded server: its process, ports, and the machine's memory.

A process is the server only if its own command line says so: the number in a PID file may by now belong to
another program. It must also belong to this user or to the owner of the server's folder, and the socket that
gets the password must be its own: on a shared machine anybody may imitate both.
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
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from ..errors import PortTaken, ServerDidNotStop
from ..private_folder import restrict_access
from .config import MAIN_CLASSES
from .home import Home, embedded_extra

if TYPE_CHECKING:
    import psutil

LOOPBACK = "127.0.0.1"
HOME_OPTION = "--home-dir"
POLL_INTERVAL = 0.05  # seconds

# Below the range from which systems take ports for outgoing connections, so that a remembered port
# is seldom in use by chance.
PORTS = range(17000, 32000)

# The server gets what Java and the system need, not the keys and settings of the user's other
# programs: JAVA_TOOL_OPTIONS could undo its memory limit or open a port, and a process's environment
# can be read. The second row is for Windows.
ENVIRONMENT = (
    *("HOME", "PATH", "TMPDIR", "TZ"),
    *[
        "APPDATA",
        "LOCALAPPDATA",
        "SYSTEMDRIVE",
        "SYSTEMROOT",
        "TEMP",
        "TMP",
        "USERPROFILE",
        "WINDIR",
    ],
)

# The files of the server are for its owner alone.
_PRIVATE_FILES: dict[str, Any] = {} if sys.platform == "win32" else {"umask": 0o077}

# A container, a service or a session may have less memory than the machine: its group of processes, or
# one that this group is part of, has a limit.
GROUPS = Path("/proc/self/cgroup")
GROUP_FOLDER = Path("/sys/fs/cgroup")


def find_server(home: Home) -> psutil.Process | None:
    # The recorded process is checked first, then all.
    with embedded_extra():
        import psutil

    pid = home.pid()
    if pid is not None:
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(pid)
            if is_server_process(process, home.server):
                return process
    return next((p for p in psutil.process_iter() if is_server_process(p, home.server)), None)


def is_server_process(process: psutil.Process, folder: Path) -> bool:
    import psutil

    try:
        words = process.cmdline()
        return (
            not MAIN_CLASSES.isdisjoint(words)
            and HOME_OPTION in words[:-1]
            and words[words.index(HOME_OPTION) + 1] == str(folder)
            and process.status() != psutil.STATUS_ZOMBIE
            and _is_owned(process, folder)
        )
    except psutil.Error:  # it has ended, or belongs to somebody else
        return False


def _is_owned(process: psutil.Process, folder: Path) -> bool:
    # It belongs to this user, or to the owner of the folder.
    if sys.platform == "win32":
        return True  # the command lines of other users' processes cannot be read there
    owners = {os.geteuid()}
    with contextlib.suppress(OSError):
        owners.add(folder.stat().st_uid)
    return process.uids().effective in owners


def spawn(command: Sequence[str], folder: Path, log: Path, niceness: int = 0) -> psutil.Process:
    with embedded_extra():
        import psutil

    with log.open("wb") as console:
        restrict_access(log)
        pid = spawn_detached(
            command,
            console,
            niceness,
            cwd=folder,
            env=child_environment(folder),
            **_PRIVATE_FILES,
        )
    return psutil.Process(pid)


def spawn_detached(
    command: Sequence[str], output: IO[bytes] | int, niceness: int = 0, **options: Any
) -> int:
    # ``command`` outlives this process, its terminal and its Ctrl-C. With a niceness (1 to 19) it lets
    # other processes come first. Returns its process id.
    detached: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        flags = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.DETACHED_PROCESS
        if niceness:
            flags |= subprocess.IDLE_PRIORITY_CLASS
        detached = {"creationflags": flags}
    child = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        **detached,
        **options,
    )
    # Without this, Popen warns that the child still runs; that is the intention.
    child.returncode = 0
    if niceness and sys.platform != "win32":
        _lower_priority(child.pid, niceness)
    return child.pid


def _lower_priority(pid: int, niceness: int) -> None:
    # Where the system refuses, or the process has ended, nothing changes.
    with contextlib.suppress(OSError):
        # A user may have chosen more, and only an administrator can take it back.
        chosen = os.getpriority(os.PRIO_PROCESS, pid)
        os.setpriority(os.PRIO_PROCESS, pid, max(niceness, chosen))
        # Linux gives each session an equal part of the processor; niceness counts within a session.
        Path(f"/proc/{pid}/autogroup").write_text(str(niceness), encoding="ascii")


def child_environment(folder: Path) -> dict[str, str]:
    # Also for ``neo4j-admin``.
    inherited = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    # Java writes file names as the locale says, and its messages are read here.
    own = {"LC_ALL": "C.UTF-8", "NEO4J_HOME": str(folder), "NEO4J_CONF": str(folder / "conf")}
    return inherited | own


def exit_code(process: psutil.Process) -> int | None:
    # None while it runs; 0 if it ended and this process cannot know how. An ended process stays on
    # the system's list until its parent looks, and the parent may be another program that never
    # does.
    import psutil

    try:
        return process.wait(timeout=0) or 0
    except psutil.TimeoutExpired:
        pass
    try:
        return 0 if process.status() == psutil.STATUS_ZOMBIE else None
    except psutil.NoSuchProcess:
        return 0


def wait_for_exit(process: psutil.Process, timeout: float) -> bool:
    # True: the process ended.
    deadline = time.monotonic() + timeout
    while exit_code(process) is None:
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_INTERVAL)
    return True


def stop_process(process: psutil.Process, timeout: float, logs: Path) -> None:
    import psutil

    with contextlib.suppress(psutil.NoSuchProcess):
        process.terminate()
    if not wait_for_exit(process, timeout):
        force = f"kill -{int(signal.SIGKILL)}" if os.name != "nt" else "taskkill /F /PID"
        raise ServerDidNotStop(
            f"the embedded server (process {process.pid}) was asked to end and still runs after "
            f"{timeout:.0f} seconds",
            where=str(logs),
            hint=f"wait and look at its logs; to end it by force: {force} {process.pid} "
            "(Neo4j repairs its data at the next start)",
        )


def discard_process(process: psutil.Process, timeout: float) -> None:
    # Nobody has used this server yet: force ends it after ``timeout`` or a second Ctrl-C.
    import psutil

    has_ended = False
    try:
        process.terminate()
        has_ended = wait_for_exit(process, timeout)
    except psutil.NoSuchProcess:
        has_ended = True
    finally:
        if not has_ended:
            kill_process(process, timeout)


def kill_process(process: psutil.Process, timeout: float) -> None:
    import psutil

    with contextlib.suppress(psutil.NoSuchProcess):
        process.kill()
    wait_for_exit(process, timeout)


# Ports and memory


def is_port_free(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        if sys.platform == "win32":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:  # as servers do: what a closed connection leaves behind is not an obstacle
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def find_free_port(avoid: Collection[int] = ()) -> int:
    for _ in range(1000):
        port = secrets.choice(PORTS)
        if port not in avoid and is_port_free(port):
            return port
    raise PortTaken(
        "no free port was found",
        where=f"{LOOPBACK}, ports {PORTS.start} to {PORTS.stop - 1}",
        hint="see which programs listen on this machine, or name ports with --bolt-port and "
        "--http-port",
    )


def describe_port_owner(port: int) -> str:
    # As far as the system gives the information.
    import psutil

    with contextlib.suppress(psutil.Error, OSError):
        for connection in psutil.net_connections("tcp"):
            if connection.pid and _listens_on(connection, port):
                return f"{psutil.Process(connection.pid).name()} (process {connection.pid})"
    return "another program"


def has_port(process: psutil.Process, port: int) -> bool:
    import psutil

    with contextlib.suppress(psutil.Error):
        return any(_listens_on(c, port) for c in process.net_connections("tcp"))
    return False


def _listens_on(connection: Any, port: int) -> bool:
    import psutil

    is_open = connection.status == psutil.CONN_LISTEN
    return is_open and tuple(connection.laddr)[1:2] == (port,)


def is_listening(port: int) -> bool:
    # Of any program; nothing is sent to it.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        return probe.connect_ex((LOOPBACK, port)) == 0


def read_machine_memory() -> int:
    # Bytes; in a container, its limit.
    with embedded_extra():
        import psutil

    limits: list[int] = [psutil.virtual_memory().total]
    for path in _list_limit_files():
        with contextlib.suppress(OSError, ValueError):  # ValueError: "max", for no limit
            limits.append(int(path.read_text(encoding="ascii")))
    return min(limits)


def _list_limit_files() -> Iterator[Path]:
    try:
        lines = GROUPS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    # A container may see the name of its group, and not its folder: what it sees is its own group.
    for line in ("0::/", "1:memory:/", *lines):
        _, controllers, name = line.split(":", 2)
        if not controllers:
            folder, file = GROUP_FOLDER, "memory.max"
        elif "memory" in controllers.split(","):
            folder, file = GROUP_FOLDER / "memory", "memory.limit_in_bytes"
        else:
            continue
        group = folder / name.lstrip("/")
        yield from (
            place / file for place in (group, *group.parents) if folder in (place, *place.parents)
        )
