"""A real server for the tests: ``NEO4J_URI``, else Docker, else the embedded one in a home of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import hypothesis
import pytest
from support.homes import start_own_server
from support.kept_films import NAME, KeptFilms
from support.shell import Command, Done, environment, shell

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.graph import replacement

# Tests embed only where they say so: opening the model takes seconds in each process.
os.environ.setdefault("TUQA_EMBEDDER", "none")
# Some virtual machines announce AMX and cannot run it: torch then ends the process.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16")
# Hundreds of processes would each compile what they import: seconds, where reading it takes a tenth.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# A make that a test runs belongs to no run of several jobs, and would warn that it does not.
for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
    os.environ.pop(name, None)
# A shell starts what it puts in the background with SIGINT ignored, and children inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# A run that `timeout` or CI ends stops its servers too.
signal.signal(signal.SIGTERM, lambda *_: pytest.exit("ended by SIGTERM", returncode=143))

# A busy machine must not fail a test: hypothesis allows 200 ms per example by default.
hypothesis.settings.register_profile(
    "untimed",
    hypothesis.settings(),  # CI's own profile where CI is set
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("untimed")


def pytest_report_header() -> str:
    return (
        f"data packs: {os.environ.get('TUQA_PACKS') or 'none (set TUQA_PACKS to run their tests)'}"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Without packs their tests are not part of the run; a skip would look like a hole in it."""
    for item in items:
        item.add_marker(pytest.mark.xdist_group(_group(item)))
        if "server" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.server)
    if os.environ.get("TUQA_PACKS"):
        return
    packs = [item for item in items if item.get_closest_marker("packs")]
    if packs:
        config.hook.pytest_deselected(items=packs)
        items[:] = [item for item in items if item not in packs]


def _group(item: pytest.Item) -> str:
    """Tests that share what is dear: the pack they load, else the fixtures of their file."""
    callspec = getattr(item, "callspec", None)
    pack = callspec.params.get("prepared") if callspec is not None else None
    if pack == "metaqa" or "metaqa" in getattr(item, "fixturenames", ()):
        return "metaqa"
    return item.path.stem if pack is None else f"replay of {pack}"


@pytest.fixture(scope="session")
def packs() -> Path:
    """The folder of the data packs."""
    folder = Path(os.environ["TUQA_PACKS"])
    if not folder.is_dir():
        pytest.fail(f"TUQA_PACKS names no folder: {folder}")
    return folder


def _docker_answers() -> bool:
    try:
        asked = subprocess.run(["docker", "info"], capture_output=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return asked.returncode == 0


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """Settings of a server that answers and holds nothing of anybody's."""
    settings = Settings.read()
    if settings.uri is not None:
        yield settings
    elif _docker_answers():
        yield from _in_docker()
    else:
        with start_own_server(tmp_path_factory.mktemp("home")) as running:
            yield running


def _in_docker() -> Iterator[Settings]:
    from testcontainers.neo4j import Neo4jContainer

    version = os.environ.get("TUQA_NEO4J_VERSION", "2026.08.1")
    with Neo4jContainer(f"neo4j:{version}-community", password="only-for-tests") as container:
        uri = container.get_connection_url()
        yield Settings(uri=uri, password="only-for-tests", embedder="none")


@pytest.fixture(scope="session", autouse=True)
def _short_grace() -> Iterator[None]:
    """Loads that replace or append wait 2 or 4 seconds for readers; few tests have readers meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replacement, "GRACE", 0.01)
        yield


@pytest.fixture(scope="session")
def client(server: Settings) -> Iterator[TrustUQA]:
    """A client of the server, for all tests."""
    with TrustUQA.connect(server) as tuqa:
        yield tuqa
        for kept in _kept:
            kept.drop()


_kept: list[KeptFilms] = []


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test that does not ask for the films finds none."""
    if "kept_films" not in getattr(item, "fixturenames", ()):
        for kept in _kept:
            kept.drop()


@pytest.fixture
def kept_films(client: TrustUQA) -> Iterator[KeptFilms]:
    if not _kept:
        _kept.append(KeptFilms(client))
    (kept,) = _kept
    kept.ensure()
    yield kept
    kept.drop_changed()


@pytest.fixture
def tuqa(client: TrustUQA) -> Iterator[TrustUQA]:
    """The client; what a test loads is dropped after it."""
    before = {dataset.name for dataset in client.datasets()}
    yield client
    kept = {NAME for films in _kept if films.is_kept}
    for dataset in client.datasets():
        if dataset.name not in before | kept:
            client.drop(dataset.name)


@pytest.fixture
def command(server: Settings, tmp_path: Path) -> Command:
    """Runs a console script as a person would, in a process of its own and an empty folder."""

    def run(*words: str, stdin: str | bytes = "", env: dict[str, str] | None = None) -> Done:
        given = stdin.encode() if isinstance(stdin, str) else stdin
        script = Path(sys.executable).with_name(words[0])
        done = subprocess.run(
            [str(script), *words[1:]],
            input=given,
            capture_output=True,
            env=environment(server) | (env or {}),
            cwd=tmp_path,
            timeout=300,
            check=False,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@pytest.fixture
def sh(
    server: Settings, tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Command:
    """As ``command``, but inside this process: for all that does not depend on the process."""
    monkeypatch.chdir(tmp_path)
    return partial(shell, server)


@pytest.fixture
def films(kept_films: KeptFilms, tuqa: TrustUQA) -> TrustUQA:
    """A small graph with homonyms by case and accent, facts repeated, several sources."""
    return tuqa
