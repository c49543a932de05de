"""From a process that was started to a server that answers, or to the reason why it does not.

Waiting looks at two things: the process, which may end, and the server, which answers a query once it
is up. Neo4j's logs are read only to explain a failure; to wait for their word "Started", the
alternative, would trust a line that other versions may write differently.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import AuthenticationFailed, ServerDidNotStart
from .info import USERNAME
from .process import LOOPBACK, POLL, answers, exit_code

if TYPE_CHECKING:
    import psutil

PATIENCE = 120.0  # seconds that a start may take


# What may stand in the logs when a start fails, and what to try then. The first that fits counts.
CAUSES = {
    r"no space left|disk quota exceeded|not enough space on|disk full": (
        "the disk is full: free some space and start again"
    ),
    r"address already in use|address in use|failed to bind": (
        "another program took the port in the meantime: start again, or name ports with "
        "--bolt-port and --http-port"
    ),
    r"outofmemory|could not reserve|cannot allocate|insufficient memory|physical memory": (
        "there is not enough memory: close other programs and start again"
    ),
    r"unsupportedclassversion|unrecognized (vm )?option": (
        "this Java does not suit this Neo4j: set JAVA_HOME to another one"
    ),
    r"(newer|later) version|unknown store|unsupported.*version|supported kernel version|downgrad": (
        "the data was written by another version of Neo4j: set TUQA_NEO4J_VERSION to that one, "
        "or begin anew with: tuqa neo4j clean --data"
    ),
    r"locked by another process": "another process has the data open: end it and start again",
    r"permission denied|accessdenied|read-only file system": (
        "the folder cannot be written: correct its permissions, or set TUQA_HOME to another one"
    ),
}
KILLED = "the system ended it, as it does when memory runs out: close other programs, start again"
UNKNOWN = "look at the logs; to begin anew: tuqa neo4j clean --data"

# What a log line says when it says that something is wrong, and what such lines may say that is no
# news to anybody who asked for a start.
COMPLAINT = re.compile(
    r"\bERROR\b|Error\b|Exception\b|^Caused by|^Terminating due|^Could not|^Unrecognized"
)
NO_NEWS = re.compile(
    r"^\tat |^\t?\.\.\. \d+ more|^WARNING|Failed to start Neo4j on|Error occurred during init|"
    r"Error starting Neo4j database server"
)
# The server says so when it has given up, or never will come up; its process may go on for minutes.
GAVE_UP = re.compile(r"\bERROR (Failed to start|Invalid memory conf)|No space left on device")


class Logs:
    """What the server writes from this moment on: its own logs are kept from start to start."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._read = {folder / name: 0 for name in ("console.log", "neo4j.log", "debug.log")}
        for path in list(self._read)[1:]:
            self._read[path] = path.stat().st_size if path.is_file() else 0
        self.lines: list[str] = []

    def gave_up(self) -> bool:
        """Reads on; whether the server has said by now that it will not come up."""
        known = len(self.lines)
        for path, start in self._read.items():
            if path.is_file():
                with path.open("rb") as file:
                    file.seek(start)
                    whole, end, _rest = file.read().rpartition(b"\n")
                self._read[path] += len(whole) + len(end)
                self.lines += whole.decode("utf-8", errors="replace").splitlines()
        return any(GAVE_UP.search(text) for line in self.lines[known:] for text in _errors(line))


def wait_until_ready(process: psutil.Process, port: int, password: str, logs: Logs) -> None:
    """Returns once the server answers a query.

    Args:
        process: the server's.
        port: where it listens for the driver.
        password: of its user ``neo4j``.
        logs: what it has written.

    Raises:
        ServerDidNotStart, AuthenticationFailed
    """
    deadline = time.monotonic() + PATIENCE
    while not _ready(port, password):
        code = exit_code(process)
        gave_up = logs.gave_up()
        if code is not None:
            how = f"was ended by signal {-code}" if code < 0 else "ended"
            raise did_not_start(f"{how} while it started", logs.lines, where=logs.folder, code=code)
        if gave_up:
            raise did_not_start("could not start", logs.lines, where=logs.folder)
        if time.monotonic() > deadline:
            how = f"was silent for {PATIENCE:.0f} seconds"
            raise did_not_start(how, logs.lines, where=logs.folder)
        time.sleep(POLL)


def _ready(port: int, password: str) -> bool:
    """Whether the server answers a query, which it does when its database is up."""
    if not answers(port):  # the driver would write a warning for every look
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
            "the embedded server does not take the password that is kept for it",
            where=address,
            hint="put the right one into the file 'password' under TUQA_HOME, or begin anew with: "
            "tuqa neo4j stop, then tuqa neo4j clean --data",
        ) from error
    except (DriverError, Neo4jError):
        return False
    return True


def did_not_start(
    how: str, lines: list[str], where: Path, code: int | None = None
) -> ServerDidNotStart:
    """The error for a server that ended with ``code``, or did not come up, from its log lines."""
    texts = [text for line in lines for text in _errors(line) if not NO_NEWS.search(text)]
    complaints = [text for text in texts if COMPLAINT.search(text)]
    causes = [text for text in complaints if text.startswith("Caused by:")]
    reason = _bare((causes or complaints or [""])[-1])
    # The reason itself says most; the other lines help where it is a consequence.
    hints = (_hint(text) for text in (reason, *reversed(complaints)))
    hint = next((h for h in hints if h), KILLED if code == -9 else UNKNOWN)
    what = f"the embedded server {how}"
    return ServerDidNotStart(f"{what}: {reason}" if reason else what, where=str(where), hint=hint)


def _hint(text: str) -> str | None:
    return next(
        (hint for cause, hint in CAUSES.items() if re.search(cause, text, re.IGNORECASE)), None
    )


def _errors(line: str) -> list[str]:
    """The lines of one entry: debug.log has JSON, of which only errors count; the rest is plain."""
    if line.startswith("{"):
        try:
            entry: Mapping[str, str] = json.loads(line)
        except ValueError:
            return []
        if entry.get("level") != "ERROR":
            return []
        line = f"ERROR {entry.get('message')}\n{entry.get('stacktrace', '')}"
    return [text for text in line.splitlines() if text.strip()]


def _bare(message: str) -> str:
    """A message without its time, its level, and the names of Java classes in front."""
    message = re.sub(r"^[\d-]{10} [\d:.+]+ +", "", message.strip())
    message = re.sub(r"^(ERROR|WARN|Caused by:)\s+", "", message)
    return re.sub(r"^([\w$]+\.)+[\w$]+:\s+", "", message).strip().rstrip(".")[:400]
