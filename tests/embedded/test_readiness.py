"""What is made of the logs of a server that did not start."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest
from support.homes import check

from trustuqa_neo4j.embedded import readiness
from trustuqa_neo4j.embedded.readiness import (
    CAUSES,
    UNKNOWN,
    ServerLogs,
    find_panic,
    start_error,
    wait_for_answer,
    wait_until_ready,
)
from trustuqa_neo4j.errors import ServerDidNotStart, Unreachable

BIND = """\
2026-11-20 19:50:52.049+0000 ERROR Failed to start Neo4j on 127.0.0.1:25677.
java.lang.RuntimeException: Error starting Neo4j database server at /data/databases
	at org.neo4j.graphdb.facade.Factory.start(Factory.java:294)
Caused by: org.neo4j.kernel.lifecycle.LifecycleException: Component 'BoltServer' failed
	... 6 more
Caused by: io.netty.channel.unix.Errors$NativeIoException: bind(..) failed: Address already in use
2026-11-20 19:50:52.055+0000 INFO  Stopped."""
NEWER = (
    '{"time":"1","level":"ERROR","category":"c","message":"Error starting","stacktrace":'
    '"java.lang.RuntimeException: x\\n\\tat a.b(C.java:1)\\nCaused by: java.lang.IllegalState'
    "Exception: Log file contains entries with prefix 32, and the highest supported Kernel Version "
    'is V5_25."}\n{"time":"2","level":"INFO","message":"Total Physical memory: Error 3 GB"}'
)
UNREADABLE = (
    "Caused by: java.lang.RuntimeException: Failure to read transaction log file number 0. "
    "Unreadable bytes are encountered after last readable position."
)


@pytest.mark.parametrize(
    ("text", "reason", "hint"),
    [
        (BIND, "bind(..) failed: Address already in use", "another program took the port"),
        (NEWER, "Log file contains entries with prefix 32", "TUQA_NEO4J_VERSION"),
        (NEWER, "Log file contains entries with prefix 32", "tuqa neo4j start --repair"),
        (
            UNREADABLE,
            "Failure to read transaction log file number 0",
            "tuqa neo4j start --repair",
        ),
        (
            "Error occurred during initialization of VM\nCould not reserve enough space for 9999 KB",
            "Could not reserve enough space for 9999 KB",
            "not enough memory",
        ),
        (
            "Terminating due to java.lang.OutOfMemoryError: Java heap space",
            "Terminating due to java.lang.OutOfMemoryError",
            "not enough memory",
        ),
        (
            "java.io.IOException: No space left on device",
            "No space left on device",
            "the disk is full",
        ),
        (
            "org.neo4j.kernel.StoreLockException: Lock file has been locked by another process: /x",
            "Lock file has been locked by another process",
            "another process has the data open",
        ),
        ("Error: LinkageError\njava.lang.UnsupportedClassVersionError: X", "X", "JAVA_HOME"),
        (
            "Caused by: a.b.TreeInconsistencyException: Unexpected combination of state.",
            "files of its data are damaged or missing: Unexpected combination of state",
            "restore the folder 'data' from a copy",
        ),
        (
            "Caused by: a.b.X: Fail to start: transaction logs found, while database files are missing.",
            "files of its data are damaged or missing: Fail to start",
            "TUQA_HOME to another folder",
        ),
        (
            "Caused by: a.b.X: Transaction logs are missing and recovery is not possible.",
            "files of its data are damaged or missing: Transaction logs are missing",
            "restore the folder 'data' from a copy",
        ),
        (
            "Caused by: java.lang.RuntimeException: Failed to load data from legacy metadata store",
            "files of its data are damaged or missing: Failed to load",
            "restore the folder 'data' from a copy",
        ),
        ("java.nio.file.AccessDeniedException: /x", "/x", "permissions"),
        ("2026-11-20 19:50:52.049+0000 ERROR Something new", "Something new", "look at the logs"),
        ("WARNING: sun.misc.Unsafe::objectFieldOffset", "", "look at the logs"),
    ],
)
def test_the_logs_tell_why(tmp_path: Path, text: str, reason: str, hint: str) -> None:
    error = start_error("ended", text.splitlines(), tmp_path)
    start = f"the embedded server ended: {reason}" if reason else "the embedded server ended"
    assert error.what.startswith(start)
    assert error.where == str(tmp_path)
    check(error, "server did not start", hint)


def test_a_killed_server_may_have_been_too_big(tmp_path: Path) -> None:
    error = start_error("was ended by signal 9", [], tmp_path, code=-9)
    assert "memory runs out" in error.hint


def test_a_panic_counts_if_the_server_that_runs_had_it(tmp_path: Path) -> None:
    assert not find_panic(tmp_path, 0.0)
    entry = {
        "time": "2026-11-22 08:00:08.639+0000",
        "level": "ERROR",
        "message": "Database panic: The database has encountered a critical error",
    }
    log = tmp_path / "debug.log"
    log.write_text('{"time": "2026-11-22 08:00\n' + json.dumps(entry).replace('": "', '":"') + "\n")
    panic = datetime(2026, 11, 22, 8, 0, 8, tzinfo=UTC).timestamp()
    assert find_panic(tmp_path, panic - 10)
    assert not find_panic(tmp_path, panic + 10)
    log.write_text(log.read_text().rstrip("}\n"))  # the disk was full
    assert find_panic(tmp_path, panic - 10)
    log.write_text(log.read_text().replace("panic", "state"))
    assert not find_panic(tmp_path, 0.0)


class Clock:
    """A clock that only waiting moves on; ``at`` is called with each new time."""

    def __init__(self, at: Callable[[float], None] = lambda _now: None) -> None:
        self.now = 0.0
        self._at = at

    def monotonic(self) -> float:
        return self.now

    def sleep(self, _seconds: float) -> None:
        self.now += 10
        self._at(self.now)


@pytest.fixture
def silent_server(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A process that runs, listens and does not answer."""
    monkeypatch.setattr(readiness, "_is_ready", lambda *_: False)
    monkeypatch.setattr(readiness, "has_port", lambda *_: True)
    monkeypatch.setattr(readiness, "exit_code", lambda *_: None)
    return SimpleNamespace(pid=4711, status=lambda: psutil.STATUS_SLEEPING)


def test_a_start_is_waited_for_as_long_as_the_logs_grow(
    silent_server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(now: float) -> None:
        if now <= 1000 and now % 100 == 0:
            with (tmp_path / "debug.log").open("a") as log:
                log.write(f"recovery at {now / 10:.0f} %\n")

    clock = Clock(write)
    monkeypatch.setattr(readiness, "time", clock)
    monkeypatch.setattr(readiness, "START_TIMEOUT", 120.0)
    with pytest.raises(ServerDidNotStart, match="was silent for 120 seconds"):
        wait_until_ready(silent_server, 17001, "p", ServerLogs(tmp_path))
    assert 1120 < clock.now <= 1140


@pytest.mark.parametrize(
    ("status", "state", "hint"),
    [
        (psutil.STATUS_STOPPED, "is suspended and", "kill -CONT 4711"),
        (psutil.STATUS_SLEEPING, "runs and", "tuqa neo4j stop"),
    ],
)
def test_a_server_that_hangs_is_not_waited_for(
    silent_server: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    status: str,
    state: str,
    hint: str,
) -> None:
    silent_server.status = lambda: status
    clock = Clock()
    monkeypatch.setattr(readiness, "time", clock)
    with pytest.raises(Unreachable) as caught:
        wait_for_answer(silent_server, 17001, "p", ServerLogs(tmp_path), 30.0)
    assert f"(process 4711) {state} does not answer within 30 seconds" in caught.value.what
    check(caught.value, "unreachable", "its data are whole", hint)
    assert clock.now == 40


def test_no_hint_is_to_delete_what_may_be_whole() -> None:
    for hint in (*CAUSES.values(), UNKNOWN):
        assert "clean" not in hint
