"""A password in an address is used and never shown, by whatever way the address comes in."""

from __future__ import annotations

import logging
import socket
import threading
import traceback
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import platformdirs
import pytest
from support.shell import Done, shell

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.cli import connection
from trustuqa_neo4j.errors import TimedOut, TrustUQAError, UnknownDataset

SECRET = "S3CRET-PW"
NOBODY = "127.0.0.1:1"
ADDRESSES = [
    f"bolt://neo4j:{SECRET}@{NOBODY}",
    f"neo4j://:{SECRET}@{NOBODY}",
    f"bolt://neo4j:a@{SECRET}@{NOBODY}",
    f"bolt://neo4j:a/{SECRET}@{NOBODY}",
    f"bolt://neo4j:{SECRET}@",
    f"bolt://neo4j:{SECRET}@[::1",
    f"neo4j:{SECRET}@{NOBODY}",
    f"http://neo4j:{SECRET}@{NOBODY}",
    f"bolt://{NOBODY}?password={SECRET}",
    f"neo4j://{NOBODY}?{SECRET}",
    f"neo4j://{NOBODY}?a={SECRET}&a={SECRET}",
]
COMMANDS = [
    ("tuqa", "datasets", "--json"),
    ("tuqa", "schema", "--json", "d"),
    ("tuqa", "run", "--json", "--dataset", "d"),
    ("tuqa-load", "kg", "f.tsv", "--json"),
    ("tuqa-load", "kg", "f.tsv", "--bulk"),
]


@pytest.fixture(autouse=True)
def here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> Iterator[Path]:
    """An empty working folder; all that is logged is kept, and searched for the secret."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(platformdirs, "user_config_dir", lambda *_: str(tmp_path / "config"))
    (tmp_path / "f.tsv").write_text("a\tr\tb\n")
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.DEBUG, "neo4j")
    yield tmp_path
    assert SECRET not in caplog.text


@pytest.fixture
def nowhere(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home", embedder="none")


def check_refused(done: Done) -> None:
    assert done.code in (2, 3)
    assert "error: " in done.err
    assert SECRET not in done.out + done.err


@pytest.mark.parametrize("words", COMMANDS)
def test_of_the_environment(nowhere: Settings, words: tuple[str, ...]) -> None:
    check_refused(shell(nowhere, *words, stdin="x()", env={"NEO4J_URI": ADDRESSES[0]}))


@pytest.mark.parametrize("words", COMMANDS)
def test_of_an_option(nowhere: Settings, words: tuple[str, ...]) -> None:
    check_refused(shell(nowhere, *words, "--uri", ADDRESSES[0], stdin="x()"))


@pytest.mark.parametrize("address", ADDRESSES)
def test_of_a_file(nowhere: Settings, here: Path, address: str) -> None:
    (here / "tuqa.toml").write_text(f"[neo4j]\nuri = '{address}'\n")
    check_refused(shell(nowhere, "tuqa", "datasets"))


@pytest.mark.parametrize("address", ADDRESSES)
def test_of_the_caller_in_python(address: str) -> None:
    with pytest.raises(TrustUQAError) as caught:
        TrustUQA.connect(Settings(address))
    assert SECRET not in "".join(traceback.format_exception_only(caught.value))
    assert SECRET not in caught.value.summary


@pytest.mark.parametrize(
    "words",
    [
        ("neo4j", f"bolt://neo4j:{SECRET}@{NOBODY}"),
        ("neo4j", f"bolt://neo4j:a@{SECRET}@{NOBODY}"),
        ("neo4j", f"bolt://neo4j:a/{SECRET}@{NOBODY}"),
        ("sql", f"postgresql://ann:{SECRET}@{NOBODY}/shop"),
        ("sql", f"mysql+pymysql://{NOBODY}/shop?password={SECRET}"),
        ("kg", f"bolt://neo4j:{SECRET}@{NOBODY}"),
    ],
)
def test_of_a_database_to_load_from(nowhere: Settings, words: tuple[str, ...]) -> None:
    done = shell(nowhere, "tuqa-load", *words, "--dataset", "d", "--dry-run")
    assert done.code in (1, 2, 3)
    assert SECRET not in done.out + done.err


def test_a_database_that_does_not_answer_holds_no_command_up(
    nowhere: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "_GRACE", 0.2)
    monkeypatch.setattr(connection, "_MIN_CONNECT", 0.1)
    # It takes connections and says nothing, as a server that is suspended.
    with socket.create_server(("127.0.0.1", 0)) as silent:
        uri = f"bolt://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(TimedOut) as caught:
            connection.connect_within(0.1, replace(nowhere, uri=uri))
    assert caught.value.what == "the database does not answer within 0.3 seconds"
    assert "tuqa neo4j status" in caught.value.hint
    assert all(t.daemon for t in threading.enumerate() if t is not threading.main_thread())


def test_what_a_call_gives_or_raises_comes_through() -> None:
    def fail(name: str) -> None:
        raise UnknownDataset(name)

    assert connection.call_within(60, max, 1, 2) == 2
    with pytest.raises(UnknownDataset, match="rivers"):
        connection.call_within(60, fail, name="rivers")
