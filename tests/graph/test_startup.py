"""What is made of the logs of a server that did not start."""

from __future__ import annotations

from pathlib import Path

import pytest
from homes import check

from trustuqa_neo4j.graph.embedded.startup import did_not_start

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


@pytest.mark.parametrize(
    ("text", "reason", "hint"),
    [
        (BIND, "bind(..) failed: Address already in use", "another program took the port"),
        (NEWER, "Log file contains entries with prefix 32", "TUQA_NEO4J_VERSION"),
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
        ("java.nio.file.AccessDeniedException: /x", "/x", "permissions"),
        ("2026-11-20 19:50:52.049+0000 ERROR Something new", "Something new", "look at the logs"),
        ("WARNING: sun.misc.Unsafe::objectFieldOffset", "", "look at the logs"),
    ],
)
def test_the_logs_tell_why(tmp_path: Path, text: str, reason: str, hint: str) -> None:
    error = did_not_start("ended", text.splitlines(), tmp_path)
    start = f"the embedded server ended: {reason}" if reason else "the embedded server ended"
    assert error.what.startswith(start)
    assert error.where == str(tmp_path)
    check(error, "server did not start", hint)


def test_a_killed_server_may_have_been_too_big(tmp_path: Path) -> None:
    error = did_not_start("was ended by signal 9", [], tmp_path, code=-9)
    assert "memory runs out" in error.hint
