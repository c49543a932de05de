"""Who works on a load: told by host and process, so that a dead one's load can be gone on with at once.

A time limit alone (the alternative) either makes people wait after a crash or lets two processes write.
It is what remains for processes of other hosts, which cannot be looked at.
"""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path
from uuid import uuid4

IDLE = 60
"""Seconds without a batch after which an owner that cannot be looked at counts as gone."""

_working: set[str] = set()


def new() -> str:
    """An owner of this process: host, process, its start, and something that no other has."""
    process = os.getpid()
    owner = f"{socket.gethostname()} {process} {_start(process)} {uuid4().hex}"
    _working.add(owner)
    return owner


def gone(owner: str) -> None:
    """An owner of this process works no more."""
    _working.discard(owner)


def described(owner: str) -> str:
    """For people."""
    host, process, _, _ = owner.split(" ")
    return f"process {process} on {host}"


def alive(owner: str, idle: int) -> bool:
    """Whether the owner may still be at work, having written its last batch ``idle`` seconds ago."""
    host, number, start, _ = owner.split(" ")
    process = int(number)
    if host != socket.gethostname() or sys.platform == "win32":
        return idle < IDLE
    if process == os.getpid():
        return owner in _working
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    # The number may have gone to another process since, as it does in containers and after a restart.
    return start == _start(process)


def _start(process: int) -> str:
    """When a process began, in ticks since the system did; ``?`` where the system does not tell."""
    try:
        told = Path(f"/proc/{process}/stat").read_bytes()
    except OSError:
        return "?"
    # The name of the program stands in brackets before it, and may itself hold brackets and spaces.
    return told.rpartition(b") ")[2].split()[19].decode()
