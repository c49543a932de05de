"""Readiness of the embedded server, reasons of a failed start, its address and its status.

The process may end, and the server answers a query once it is up; the wait checks both. Neo4j's logs are
read only to explain a failure: other versions may word their line "Started" differently.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from ..errors import AuthenticationFailed, PortTaken, ServerDidNotStart, Unreachable
from .process import (
    LOOPBACK,
    POLL_INTERVAL,
    describe_port_owner,
    exit_code,
    has_port,
    is_listening,
)

if TYPE_CHECKING:
    import psutil

USERNAME = "neo4j"


@dataclass(frozen=True)
class ServerInfo:
    version: str
    bolt_port: int
    http_port: int
    password: str = field(repr=False)
    username: str = USERNAME
    is_new: bool = False  # this call started it
    is_recovered: bool = False  # it had not been stopped properly before

    @property
    def uri(self) -> str:
        return f"bolt://127.0.0.1:{self.bolt_port}"

    @property
    def http(self) -> str:
        return f"http://127.0.0.1:{self.http_port}"

    @property
    def browser_url(self) -> str:
        # Browser fills in the user; the password is for people to type.
        address = self.uri.replace("://", f"://{self.username}@")
        return f"{self.http}/browser/?dbms={address}"

    def browser_url_with(self, query: str) -> str:
        # The query is in Browser's editor, not yet run. Browser cuts it off at ``&`` and ``#``,
        # however they are encoded.
        return f"{self.browser_url}&cmd=edit&arg={quote(query, safe='')}"


@dataclass(frozen=True)
class ServerStatus:
    """The optional fields are None unless the server runs."""

    running: bool
    home: Path
    data_bytes: int
    jar_bytes: int
    logs: tuple[Path, ...]
    version: str | None = None  # also known of a server that ran before
    ready: bool = False  # it listens; a running one that does not is starting or stopping
    keep: bool = False  # it stays when its last Python client closes
    users: tuple[int, ...] = ()  # processes of Python clients
    pid: int | None = None
    uri: str | None = None
    browser_url: str | None = None
    memory_bytes: int | None = None  # resident
    heap_bytes: int | None = None  # at most
    page_cache_bytes: int | None = None  # at most
    started: datetime | None = None

    def to_dict(self) -> dict[str, object]:
        return {
            **vars(self),
            "home": str(self.home),
            "logs": [str(path) for path in self.logs],
            "users": list(self.users),
            "started": None if self.started is None else self.started.isoformat(),
        }


# Logs, and the reason of a failed start


START_TIMEOUT = 120.0
"""Seconds without a new line in the logs: a recovery may take long, and says how far it is."""

ANSWER_TIMEOUT = 60.0  # seconds in which a server that runs already must answer

DAMAGED = (
    "restore the folder 'data' from a copy that was made while the server was stopped, or set TUQA_HOME to "
    "another folder and load the files there"
)

# Pattern in the logs of a failed start -> hint. The first that matches applies.
CAUSES = {
    r"no space left|disk quota exceeded|not enough space on|disk full": (
        "the disk is full: free some space and start again"
    ),
    r"address already in use|address in use|failed to bind": (
        "another program took the port in the meantime: start again, or name ports with "
        "--bolt-port and --http-port"
    ),
    r"outofmemory|could not (reserve|allocate)|cannot allocate|insufficient memory|physical memory": (
        "there is not enough memory: close other programs and start again, or set another heap "
        "(TUQA_NEO4J_HEAP, in megabytes)"
    ),
    r"unsupportedclassversion|unrecognized (vm )?option": (
        "this Java does not suit this Neo4j: set JAVA_HOME to another one"
    ),
    r"unreadable bytes|transaction log.*corrupt|corrupt.*transaction log": (
        "the end of Neo4j's log is damaged, as after a full disk; see that there is free space, then cut it "
        "off: tuqa neo4j start --repair; what was complete before stays"
    ),
    r"log file contains entries with prefix": (
        "the data was written by another version of Neo4j: set TUQA_NEO4J_VERSION to that one; if this "
        "version wrote it, the end of Neo4j's log is damaged: tuqa neo4j start --repair"
    ),
    r"(newer|later) version|unknown store|unsupported.*version|supported kernel version|downgrad": (
        "the data was written by another version of Neo4j: set TUQA_NEO4J_VERSION to that one, "
        "or TUQA_HOME to another folder"
    ),
    # Neo4j's own words for files whose parts do not fit each other, or that are not all there.
    r"unexpected combination of state|tree (is )?inconsisten|checksum|(legacy )?metadata store|"
    r"(store|metadata) file.*(missing|corrupt)|neostore.*not found|current store version|"
    r"(database files|transaction logs) are missing": DAMAGED,
    r"locked by another process": "another process has the data open: end it and start again",
    r"permission denied|accessdenied|read-only file system": (
        "the folder cannot be written: correct its permissions, or set TUQA_HOME to another one"
    ),
}
KILLED = "the system ended it, as it does when memory runs out: close other programs, start again"
UNKNOWN = (
    "look at the logs; tuqa neo4j start --repair cuts off a damaged end of Neo4j's log; to go on with other "
    "data meanwhile, set TUQA_HOME to another folder"
)
PANIC = '"Database panic: '  # in a line of debug.log

# Log lines that report an error, and those of them that say nothing about its reason.
COMPLAINT = re.compile(
    r"\bERROR\b|Error\b|Exception\b|^Caused by|^Terminating due|^Could not|^Unrecognized"
)
NOISE = re.compile(
    r"^\tat |^\t?\.\.\. \d+ more|^WARNING|Failed to start Neo4j on|Error occurred during init|"
    r"Error starting Neo4j database server"
)
# The server has given up, or cannot start; its process may run on for minutes.
GAVE_UP = re.compile(r"\bERROR (Failed to start|Invalid memory conf)|No space left on device")


class ServerLogs:
    # The server appends to its files at each start; only new lines count.
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lines: list[str] = []
        # The console's file is new at each start.
        self._positions = {folder / "console.log": 0}
        for path in (folder / "neo4j.log", folder / "debug.log"):
            self._positions[path] = path.stat().st_size if path.is_file() else 0

    def read(self) -> list[str]:
        # ``lines`` keeps all lines.
        lines: list[str] = []
        for path, position in self._positions.items():
            if path.is_file():
                with path.open("rb") as file:
                    file.seek(position)
                    content, newline, _rest = file.read().rpartition(b"\n")
                self._positions[path] += len(content) + len(newline)
                lines += content.decode("utf-8", errors="replace").splitlines()
        self.lines += lines
        return lines


def wait_until_ready(
    process: psutil.Process,
    port: int,
    password: str,
    logs: ServerLogs,
    timeout: float | None = None,
) -> None:
    """Wait until the server answers a query, for as long as its logs grow within ``timeout`` seconds.

    Raises:
        ServerDidNotStart, AuthenticationFailed, PortTaken
    """
    timeout = timeout or START_TIMEOUT
    deadline = time.monotonic() + timeout
    while not _is_ready(process, port, password):
        code = exit_code(process)
        lines = logs.read()
        if lines:
            deadline = time.monotonic() + timeout
        has_given_up = any(GAVE_UP.search(e) for line in lines for e in _error_lines(line))
        if code is not None:
            end = f"was ended by signal {-code}" if code < 0 else "ended"
            raise start_error(f"{end} while it started", logs.lines, logs.folder, code)
        if has_given_up:
            raise start_error("could not start", logs.lines, logs.folder)
        if time.monotonic() > deadline:
            raise start_error(f"was silent for {timeout:.0f} seconds", logs.lines, logs.folder)
        time.sleep(POLL_INTERVAL)


def wait_for_answer(
    process: psutil.Process, port: int, password: str, logs: ServerLogs, timeout: float | None
) -> None:
    """Wait until a server that runs already answers, or has started if it is about to.

    Raises:
        Unreachable: it listens, and answers nothing.
        ServerDidNotStart, AuthenticationFailed, PortTaken
    """
    import psutil

    if not has_port(process, port):  # it starts
        wait_until_ready(process, port, password, logs)
        return
    timeout = timeout or ANSWER_TIMEOUT
    try:
        wait_until_ready(process, port, password, logs, timeout)
    except ServerDidNotStart as error:
        if exit_code(process) is not None:
            raise
        is_stopped = process.status() == psutil.STATUS_STOPPED
        state = "is suspended and" if is_stopped else "runs and"
        wake = f"kill -CONT {process.pid}" if is_stopped else "tuqa neo4j stop, then start it again"
        raise Unreachable(
            f"the embedded server (process {process.pid}) {state} does not answer within {timeout:g} "
            "seconds",
            where=f"bolt://{LOOPBACK}:{port}",
            hint=f"its data are whole; wait, or wake it up: {wake}",
        ) from error


def _is_ready(process: psutil.Process, port: int, password: str) -> bool:
    # The server answers a query when its database is up.
    if not has_port(process, port):
        _check_port(process, port)
        return False
    import neo4j
    from neo4j.exceptions import AuthError, DriverError, Neo4jError

    address = f"bolt://{LOOPBACK}:{port}"
    try:
        with (
            neo4j.GraphDatabase.driver(
                address,
                auth=(USERNAME, password),
                telemetry_disabled=True,
                connection_timeout=3.0,
                connection_acquisition_timeout=3.0,
            ) as driver,
            driver.session() as session,
        ):
            session.run("RETURN 1").consume()
    except AuthError as error:
        raise AuthenticationFailed(
            "the embedded server does not accept the password that is stored for it",
            where=address,
            hint="put the right one into the file 'password' under TUQA_HOME, or set TUQA_HOME to another "
            "folder and load the files there",
        ) from error
    except (DriverError, Neo4jError):
        return False
    return True


def _check_port(process: psutil.Process, port: int) -> None:
    """Refuse a port on which another program than the server listens."""
    # The server may have begun to listen in between, or may have ended, which its exit code explains.
    if not is_listening(port) or has_port(process, port) or exit_code(process) is not None:
        return
    raise PortTaken(
        f"port {port} is in use by {describe_port_owner(port)} and not by the embedded server "
        f"(process {process.pid})",
        where=f"{LOOPBACK}:{port}",
        hint="nothing was sent there; start the server at another port: tuqa neo4j stop, then tuqa neo4j "
        "start",
    )


def find_panic(logs: Path, since: float) -> bool:
    """Return True if a database of the server that started at ``since`` has given up all work."""
    log = logs / "debug.log"
    if not log.exists():
        return False
    with log.open(encoding="utf-8", errors="replace") as lines:
        return any(PANIC in line and _read_time(line) >= since for line in lines)


def _read_time(line: str) -> float:
    """The time of a line of debug.log; 0 if it has none. On a full disk the end of the line is missing."""
    match = re.search(r'"time":"([^"]+)"', line)
    try:
        return datetime.fromisoformat(match[1]).timestamp() if match else 0.0
    except ValueError:
        return 0.0


def start_error(
    event: str, lines: list[str], folder: Path, code: int | None = None
) -> ServerDidNotStart:
    # The reason is in the log lines; ``code`` is the exit code.
    errors = [text for line in lines for text in _error_lines(line) if not NOISE.search(text)]
    complaints = [text for text in errors if COMPLAINT.search(text)]
    causes = [text for text in complaints if text.startswith("Caused by:")]
    reason = _strip_prefixes((causes or complaints or [""])[-1])
    # The reason itself explains most; the other lines help if it is a consequence.
    hints = (_find_hint(text) for text in (reason, *reversed(complaints)))
    hint = next((h for h in hints if h), KILLED if code == -9 else UNKNOWN)
    what = f"the embedded server {event}"
    if hint is DAMAGED:
        what += ": files of its data are damaged or missing"
    return ServerDidNotStart(f"{what}: {reason}" if reason else what, where=str(folder), hint=hint)


def _find_hint(text: str) -> str | None:
    return next(
        (hint for cause, hint in CAUSES.items() if re.search(cause, text, re.IGNORECASE)), None
    )


def _error_lines(line: str) -> list[str]:
    # debug.log has JSON, of which only errors count, as several lines; the other logs are plain.
    if line.startswith("{"):
        try:
            entry: Mapping[str, str] = json.loads(line)
        except ValueError:
            return []
        if entry.get("level") != "ERROR":
            return []
        line = f"ERROR {entry.get('message')}\n{entry.get('stacktrace', '')}"
    return [text for text in line.splitlines() if text.strip()]


def _strip_prefixes(message: str) -> str:
    # Time, level, and names of Java classes are in front of a message.
    message = re.sub(r"^[\d-]{10} [\d:.+]+ +", "", message.strip())
    message = re.sub(r"^(ERROR|WARN|Caused by:)\s+", "", message)
    return re.sub(r"^([\w$]+\.)+[\w$]+:\s+", "", message).strip().rstrip(".")[:400]
