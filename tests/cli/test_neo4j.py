"""``tuqa neo4j``, as a person types it."""

from __future__ import annotations

import json
import os
import pty
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import neo4j
import pytest
from click.testing import CliRunner
from support.ports import closed_port

from trustuqa_neo4j import Settings
from trustuqa_neo4j.cli.neo4j import command, format_memory
from trustuqa_neo4j.embedded.config import DEFAULT_VERSION
from trustuqa_neo4j.embedded.download import ensure_jars, read_lock
from trustuqa_neo4j.embedded.readiness import ServerStatus

VERSION = Settings.read().neo4j_version or DEFAULT_VERSION


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Shell:
    """A shell whose ``TUQA_HOME`` is ``home``."""

    home: Path

    @property
    def environment(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("NEO4J_", "TUQA_"))}
        return kept | {"TUQA_HOME": str(self.home), "TUQA_NEO4J_VERSION": VERSION}

    def tuqa(self, *words: str, stdin: str = "", **environment: str) -> Done:
        done = subprocess.run(
            [str(Path(sys.executable).with_name("tuqa")), "neo4j", *words],
            input=stdin,
            capture_output=True,
            text=True,
            env=self.environment | environment,
            cwd=self.home.parent,
            timeout=300,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="module")
def cache() -> Path:
    """The jars of this machine, fetched once."""
    settings = Settings.read()
    folder = settings.home / "jars"
    ensure_jars(read_lock(VERSION), folder, settings.jar_mirror)
    return folder


@pytest.fixture(scope="module")
def started(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Shell, Done]]:
    """A server that ``tuqa neo4j start`` started, and what that said."""
    home = tmp_path_factory.mktemp("shell") / "home"
    home.mkdir()
    (home / "jars").symlink_to(cache)
    shell = Shell(home)
    yield shell, shell.tuqa("start")
    shell.tuqa("stop")


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A home where nothing has been started."""
    return Shell(tmp_path / "home")


@pytest.mark.parametrize("name", sorted(command.commands))
def test_every_command_has_an_example(name: str) -> None:
    done = CliRunner().invoke(command, [name, "--help"])
    assert done.exit_code == 0
    assert "Example:" in done.output
    assert f"tuqa neo4j {name}" in done.output
    for parameter in command.commands[name].params:
        assert isinstance(parameter, click.Option)
        assert parameter.help


@pytest.mark.embedded
def test_start_says_where_and_how_to_stop(started: tuple[Shell, Done]) -> None:
    shell, first = started
    assert (first.code, first.err) == (0, "")
    lines = first.out.splitlines()
    assert lines[0].startswith(f"Neo4j {VERSION} runs at bolt://127.0.0.1:")
    assert lines[1] == "user neo4j; to see the password: tuqa neo4j password"
    assert lines[2].startswith("Neo4j Browser: http://127.0.0.1:")
    assert lines[3:] == ["to stop it: tuqa neo4j stop"]
    again = shell.tuqa("start")
    assert again.out == first.out.replace(" runs at ", " runs already at ")


@pytest.mark.embedded
def test_the_password_opens_the_server(started: tuple[Shell, Done]) -> None:
    shell, first = started
    done = shell.tuqa("password")
    assert (done.code, done.err) == (0, "")
    assert done.out == done.out.strip() + "\n"
    uri = first.out.splitlines()[0].split()[-1]
    with neo4j.GraphDatabase.driver(uri, auth=("neo4j", done.out.strip())) as driver:
        driver.verify_connectivity()


@pytest.mark.embedded
@pytest.mark.parametrize(
    ("total", "clause"),
    [
        (2 << 30, "; the heap is more than an eighth of 2,048 MB (TUQA_NEO4J_HEAP sets it)"),
        (4 << 30, ""),
    ],
)
def test_a_heap_above_its_share_of_the_memory_is_shown(total: int, clause: str) -> None:
    shown = ServerStatus(
        True,
        Path(),
        0,
        0,
        (),
        memory_bytes=900 << 20,
        heap_bytes=512 << 20,
        page_cache_bytes=256 << 20,
    )
    limits = "900 MB resident; at most 512 MB of heap and 256 MB of page cache"
    assert format_memory(shown, total) == limits + clause


def test_status_for_people_and_for_programs(started: tuple[Shell, Done]) -> None:
    shell, first = started
    told = dict(line.split(maxsplit=1) for line in shell.tuqa("status").out.splitlines()[:12])
    assert told["state"] == "running"
    assert told["version"] == VERSION
    assert told["stays"] == "yes"
    assert told["users"] == "none"
    assert told["home"] == str(shell.home)
    assert re.fullmatch(
        r"[\d,]+ MB resident; at most [\d,]+ MB of heap and [\d,]+ MB of page cache", told["memory"]
    )
    done = shell.tuqa("status", "--json")
    found = json.loads(done.out)
    assert found["memory_bytes"] > 100_000_000
    assert found["heap_bytes"] > found["page_cache_bytes"] >= 256 << 20
    assert (done.code, done.err) == (0, "")
    assert found["running"] is True
    assert str(found["pid"]) == told["process"]
    assert found["uri"] == told["bolt"] == first.out.splitlines()[0].split()[-1]
    assert found["browser_url"] == told["browser"]


@pytest.mark.embedded
def test_browser_prints_its_address(started: tuple[Shell, Done]) -> None:
    shell, first = started
    address = first.out.splitlines()[2].removeprefix("Neo4j Browser: ")
    assert shell.tuqa("browser").out == address + "\n"
    done = shell.tuqa("browser", "--query", "MATCH (n) RETURN n")
    assert done.out == f"{address}&cmd=edit&arg=MATCH%20%28n%29%20RETURN%20n\n"
    assert done.err == "user neo4j; to see the password: tuqa neo4j password\n"


@pytest.mark.embedded
def test_browser_opens_from_a_terminal(started: tuple[Shell, Done], tmp_path: Path) -> None:
    shell, first = started
    opened = tmp_path / "opened"
    opener = tmp_path / "opener"
    opener.write_text(f'#!/bin/sh\necho "$1" > "{opened}"\n')
    opener.chmod(0o755)
    ours, theirs = pty.openpty()
    try:
        subprocess.run(
            [str(Path(sys.executable).with_name("tuqa")), "neo4j", "browser"],
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=subprocess.DEVNULL,
            env=shell.environment | {"BROWSER": str(opener)},
            timeout=300,
            check=True,
        )
    finally:
        os.close(theirs)
        os.close(ours)
    assert opened.read_text().strip() == first.out.splitlines()[2].split()[-1]


@pytest.mark.embedded
def test_a_running_server_is_neither_cleaned_nor_moved(started: tuple[Shell, Done]) -> None:
    shell, _ = started
    done = shell.tuqa("clean", "--yes")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: the embedded server is running (process ")
    assert done.err.endswith(f", {shell.home}\nhint: stop it first: tuqa neo4j stop\n")
    done = shell.tuqa("start", "--http-port", "17078")
    assert done.code == 0
    assert "with HTTP port" in done.err
    assert "and not 17078" in done.err


@pytest.mark.embedded
def test_stop_and_clean(started: tuple[Shell, Done]) -> None:
    """The last of those that share the server."""
    shell, _ = started
    assert shell.tuqa("stop") == Done(0, "stopped\n", "")
    assert shell.tuqa("stop") == Done(0, "the embedded server is not running\n", "")
    told = shell.tuqa("status").out.splitlines()
    assert told[:2] == ["state     not running", f"version   {VERSION}"]

    refused = shell.tuqa("clean", stdin="n\n")
    assert (refused.code, refused.out) == (0, "")
    assert refused.err.startswith("Remove jars (")
    assert f"under {shell.home}?" in refused.err
    assert (shell.home / "server" / "data").is_dir()

    done = shell.tuqa("clean", "--data", "--yes")
    assert done.code == 0
    assert done.out.endswith(" MB freed\n")
    assert float(done.out.split()[0]) > 1
    assert not (shell.home / "server").exists()
    assert (shell.home / "jars").exists()
    assert shell.tuqa("password").code == 3


def test_a_terminal_sees_a_bar_and_a_file_does_not() -> None:
    code = (
        "from trustuqa_neo4j.cli.output import download_progress\n"
        "with download_progress() as progress:\n"
        "    print(progress is not None)\n"
        "    if progress: progress(0, 232); progress(7, 232)\n"
    )
    words = [sys.executable, "-c", code]
    to_file = subprocess.run(words, capture_output=True, text=True, check=True)
    assert (to_file.stdout, to_file.stderr) == ("False\n", "")
    ours, theirs = pty.openpty()
    try:
        environment = os.environ | {"TERM": "xterm"}
        to_terminal = subprocess.run(
            words, stdout=subprocess.PIPE, stderr=theirs, env=environment, text=True, check=True
        )
        seen = os.read(ours, 100_000).decode()
    finally:
        os.close(theirs)
        os.close(ours)
    assert to_terminal.stdout == "True\n"
    assert "7/232" in seen


def test_before_the_first_start(shell: Shell) -> None:
    assert shell.tuqa("stop") == Done(0, "the embedded server is not running\n", "")
    assert shell.tuqa("status").out.splitlines()[:2] == [
        "state     not running",
        "version   none yet",
    ]
    assert json.loads(shell.tuqa("status", "--json").out)["pid"] is None
    assert shell.tuqa("clean", "--yes").out == "0.0 MB freed\n"
    done = shell.tuqa("password")
    assert (done.code, done.out) == (3, "")
    assert done.err == (
        f"error: there is no password yet, {shell.home}/server/password\nhint: "
        "the first start makes it: tuqa neo4j start\n"
    )
    assert not shell.home.exists()


def test_without_a_network(shell: Shell) -> None:
    with closed_port() as port:
        done = shell.tuqa("start", TUQA_JAR_MIRROR=f"http://127.0.0.1:{port}")
    assert (done.code, done.out) == (3, "")
    fetching, failed, hint = done.err.splitlines()
    assert fetching.startswith("fetching Neo4j (licensed under GPLv3): ")
    assert re.match(r"error: \S+\.jar could not be fetched \(", failed)
    assert hint.startswith("hint: ")
    assert "TUQA_JAR_MIRROR" in hint
    assert not list((shell.home / "jars").rglob("*.jar"))


def test_a_home_that_is_a_file(shell: Shell) -> None:
    shell.home.write_text("in the way")
    done = shell.tuqa("start")
    assert done.code == 3
    assert done.err.startswith("error: the embedded server cannot write its files (File exists)")
    assert str(shell.home) in done.err


def test_a_version_that_is_not_known(shell: Shell) -> None:
    done = shell.tuqa("start", TUQA_NEO4J_VERSION="4.4.0")
    assert done.code == 2
    assert done.err.startswith("error: Neo4j '4.4.0' cannot be run")


@pytest.mark.parametrize("words", [("start", "--bolt-port", "80"), ("start", "--bolt-port", "x")])
def test_a_port_that_is_none(shell: Shell, words: tuple[str, ...]) -> None:
    done = shell.tuqa(*words)
    assert done.code == 2
    assert "--bolt-port" in done.err


def test_a_port_that_is_taken(shell: Shell, cache: Path) -> None:
    shell.home.mkdir()
    (shell.home / "jars").symlink_to(cache)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = shell.tuqa("start", "--bolt-port", port)
    assert (done.code, done.out) == (3, "")
    assert done.err.startswith(f"error: port {port} is in use by ")
    assert "--bolt-port" in done.err
