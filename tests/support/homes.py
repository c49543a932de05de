"""What the tests of the embedded server have in common."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import neo4j
import psutil
import pytest

from trustuqa_neo4j import Settings
from trustuqa_neo4j.embedded import (
    EmbeddedServer,
    config,
    ensure_running,
    process,
    readiness,
    runtime,
)
from trustuqa_neo4j.embedded.config import DEFAULT_VERSION
from trustuqa_neo4j.embedded.download import ensure_jars, read_lock
from trustuqa_neo4j.embedded.home import Home, ServerState
from trustuqa_neo4j.embedded.readiness import ServerInfo
from trustuqa_neo4j.errors import TrustUQAError

VERSION = Settings.read().neo4j_version or DEFAULT_VERSION
MakeHome = Callable[[], Path]
STATE = ServerState("5.26.30", 17001, 17002, keep=False, stopped=False)


@contextmanager
def quick_java() -> Iterator[None]:
    """Servers that start meanwhile need half the processor time, and may take minutes to start.

    They live for minutes, so that little compiled code pays. Each test changes the statistics by more than
    what makes Neo4j plan its statements anew, and a new plan takes longer than the old one for so few facts.
    """
    options = (*config.JAVA_OPTIONS, "-XX:TieredStopAtLevel=1")
    settings = {**config.SETTINGS, "dbms.cypher.min_replan_interval": "10h"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(config, "SETTINGS", settings)
        patch.setattr(config, "JAVA_OPTIONS", options)
        patch.setattr(config, "COLLECTOR", "-XX:+UseSerialGC")
        patch.setattr(runtime, "JAVA_OPTIONS", (*options, "-XX:+UseSerialGC"))
        patch.setattr(readiness, "START_TIMEOUT", 600.0)
        yield


@contextmanager
def start_own_server(home: Path) -> Iterator[Settings]:
    """Settings of a new server without datasets, whose jars are this machine's."""
    settings = Settings.read()
    jars = settings.home / "jars"
    jars.mkdir(parents=True, exist_ok=True)
    (home / "jars").symlink_to(jars)
    own = replace(settings, uri=None, home=home)
    with quick_java():
        running = ensure_running(own)
    try:
        yield running
    finally:
        EmbeddedServer.from_settings(own).stop()


@contextmanager
def homes_with_jars(factory: pytest.TempPathFactory) -> Iterator[MakeHome]:
    """Makes homes whose jars are this machine's; no server of theirs outlives the context."""
    settings = Settings.read()
    cache = settings.home / "jars"
    ensure_jars(read_lock(VERSION), cache, settings.jar_mirror)
    homes: list[Path] = []

    def make() -> Path:
        home = factory.mktemp("homes") / "a hôme"  # neither blanks nor accents do harm
        home.mkdir()
        (home / "jars").symlink_to(cache)
        homes.append(home)
        return home

    with quick_java():
        yield make
    for server in (server for home in homes for server in servers(home)):
        server.kill()


def a_home(folder: Path, state: ServerState | None = None) -> Home:
    """A home without jars; with data where there is a ``state``."""
    home = Home(folder / "home")
    home.prepare()
    if state is not None:
        home.write_state(state)
        (home.data / "databases").mkdir(parents=True)
    return home


def server_in(home: Path) -> EmbeddedServer:
    return EmbeddedServer(home, VERSION)


def run(info: ServerInfo, query: str, **parameters: Any) -> list[Any]:
    """The first column of what ``query`` gives."""
    with neo4j.GraphDatabase.driver(info.uri, auth=(info.username, info.password)) as driver:
        records = driver.execute_query(query, parameters).records
    return [record[0] for record in records]


def wait_for(what: Callable[[], Any]) -> Any:
    """What ``what`` gives, once that is something."""
    deadline = time.monotonic() + 300
    while not (found := what()):
        assert time.monotonic() < deadline, "waited for five minutes"
        time.sleep(0.01)
    return found


def servers(home: Path) -> list[psutil.Process]:
    """All processes that run the server of ``home``, of which there should be one at most."""
    return [p for p in psutil.process_iter() if process.is_server_process(p, Home(home).server)]


def in_a_process(home: Path, then: str = "", keep: bool = True) -> subprocess.Popen[str]:
    """Starts the server from a process of its own, which then does ``then`` with ``info``."""
    code = (
        "import sys; from pathlib import Path; from trustuqa_neo4j.embedded import *\n"
        "server = EmbeddedServer(Path(sys.argv[1]), sys.argv[2])\n"
        f"info = server.start(keep={keep}, notify=lambda what: print(what, flush=True))\n"
        f"print(info.is_new, info.bolt_port, server.status().pid, flush=True)\n{then}"
    )
    words = [sys.executable, "-c", code, str(home), VERSION]
    pipe = subprocess.PIPE
    return subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def check(error: TrustUQAError, kind: str, *hints: str, code: int = 3) -> None:
    """An error is of this kind, ends a command with this code, and says what to try."""
    assert error.kind == kind
    assert error.exit_code == code
    for hint in hints:
        assert hint in error.hint
