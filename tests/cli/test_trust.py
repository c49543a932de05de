"""``tuqa trust``: what a file of a working folder sets is shown, allowed, listed and taken back."""

from __future__ import annotations

from pathlib import Path

import platformdirs
import pytest
from click.testing import CliRunner

from trustuqa_neo4j import Settings
from trustuqa_neo4j.cli.trust import command
from trustuqa_neo4j.errors import BadSettings, UsageError

TEXT = """
[neo4j]
uri = "bolt://ann:top-secret@there"
password = "top-secret"
database = "films\u202e"
[openai]
api_key = "top-secret"
[tuqa]
home = "./h"
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(platformdirs, "user_config_dir", lambda *_: str(tmp_path / "config"))
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "tuqa.toml").write_text(TEXT, encoding="utf-8")
    monkeypatch.chdir(folder)
    return folder


def trust(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(command, words, standalone_mode=False)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


def test_a_file_is_allowed_and_taken_back(here: Path) -> None:
    with pytest.raises(BadSettings):
        Settings.read({})
    code, output = trust("--yes")
    assert code == 0
    assert "top-secret" not in output
    assert "\u202e" not in output
    assert "tuqa.home = './h'  (needs consent)" in output
    assert "neo4j.database = 'films\\u202e'  (counts)" in output
    assert "neo4j.uri = 'bolt://***@there'" in output
    assert Settings.read({}).home == Path("h")
    assert "needs consent" not in trust()[1]
    assert trust("--list")[1] == f"{here / 'tuqa.toml'}\n"
    assert "not allowed any more" in trust("--forget", str(here))[1]
    assert "was not allowed" in trust("--forget")[1]
    with pytest.raises(BadSettings):
        Settings.read({})


def test_a_script_is_not_asked(here: Path) -> None:
    with pytest.raises(UsageError) as caught:
        trust(str(here / "tuqa.toml"))
    assert "--yes" in caught.value.hint
    assert trust("--list")[1] == ""


def test_what_needs_no_consent_gets_none(here: Path) -> None:
    (here / "tuqa.toml").write_text("[neo4j]\ndatabase = 'films'\n", encoding="utf-8")
    assert "(counts)" in trust()[1]
    assert trust("--list")[1] == ""


def test_a_missing_file_is_named(here: Path, tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="no such file"):
        trust(str(tmp_path))


def test_a_consent_that_cannot_be_stored_is_reported(here: Path, tmp_path: Path) -> None:
    (tmp_path / "config").write_text("in the way")
    with pytest.raises(BadSettings, match="cannot be stored"):
        trust("--yes")
