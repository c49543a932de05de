"""Who works on a load: told by host and process, so that a dead one's load can be gone on with at once.

A time limit alone (the alternative) either makes people wait after a crash or lets two processes write.
It is what remains for processes of other hosts, which cannot be looked at.
"""

from __future__ import annotations

import os
import socket
import sys
from uuid import uuid4

IDLE = 60
"""Seconds without a batch after which an owner that cannot be looked at counts as gone."""


def new() -> str:
    """An owner of this process: host, process id, and something that no other has."""
    return f"{socket.gethostname()} {os.getpid()} {uuid4().hex}"


def described(owner: str) -> str:
    """For people."""
    host, process, _ = owner.split(" ")
    return f"process {process} on {host}"


def alive(owner: str, idle: int) -> bool:
    """Whether the owner may still be at work, having written its last batch ``idle`` seconds ago."""
    host, process, _ = owner.split(" ")
    if host != socket.gethostname() or sys.platform == "win32":
        return idle < IDLE
    if int(process) == os.getpid():
        return idle < IDLE
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
