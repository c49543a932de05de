"""Who works on a load, and whether they still do."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest

from trustuqa_neo4j.graph import load_journal, replacement

HOST = socket.gethostname()


@pytest.fixture
def owner() -> Iterator[str]:
    owner = load_journal.make_owner()
    yield owner
    load_journal.release_owner(owner)


@pytest.fixture
def other(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that waits, of a name that is hard to read in /proc."""
    script = tmp_path / "a) b (c"
    script.write_text("#!/bin/sh\nread line\n")
    script.chmod(0o755)
    with subprocess.Popen([script], stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


def of(process: int, host: str = HOST) -> str:
    return f"{host} {process} {load_journal._read_start_time(process)} something"


def test_it_is_told_by_host_and_process(owner: str) -> None:
    assert load_journal.describe_owner(owner) == f"process {os.getpid()} on {HOST}"
    assert load_journal.make_owner() != owner


def test_a_load_of_this_process_is_alive_as_long_as_it_lasts(owner: str) -> None:
    """However long ago its last batch was; nothing else in this process can be mistaken for it."""
    assert load_journal.is_alive(owner, idle=9999)
    assert not load_journal.is_alive(owner + "x", idle=0)
    load_journal.release_owner(owner)
    assert not load_journal.is_alive(owner, idle=0)
    load_journal.release_owner(owner)


def test_another_process_is_alive_until_it_ends(other: subprocess.Popen[bytes]) -> None:
    name = of(other.pid)
    assert load_journal.is_alive(name, idle=9999)
    other.kill()
    other.wait()
    assert not load_journal.is_alive(name, idle=0)


def test_a_number_that_went_to_another_process(other: subprocess.Popen[bytes]) -> None:
    """As in a container, where the same few numbers come again."""
    host, process, start, rest = of(other.pid).split(" ")
    earlier = f"{host} {process} {start}0 {rest}"
    assert start != "?"
    assert not load_journal.is_alive(earlier, idle=0)


def test_a_process_of_somebody_else() -> None:
    """The first one is there everywhere, and usually not ours to look into."""
    assert load_journal.is_alive(of(1), idle=9999)


def test_another_host_is_believed_for_a_minute() -> None:
    name = of(1, host="elsewhere.example")
    assert load_journal.is_alive(name, idle=load_journal.MAX_IDLE_SECONDS - 1)
    assert not load_journal.is_alive(name, idle=load_journal.MAX_IDLE_SECONDS)


@pytest.mark.parametrize("age", [-3_600_000, 3_600_000])
def test_a_clock_that_was_set_makes_nobody_wait(age: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The age of a change comes from the clock of the server, which may be set back or forward."""
    monkeypatch.setattr(replacement, "GRACE", 0.05)
    started = monotonic()

    def check_time() -> None:
        assert monotonic() - started < 30

    replacement.wait_for_readers(age, check_time)
    assert monotonic() - started >= 0.05  # readers still have their time
