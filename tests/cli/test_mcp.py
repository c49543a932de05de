"""``tuqa mcp --register``: what is printed starts the server with the same options."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from trustuqa_neo4j.cli.main import main

SECRET = "a-password-of-the-tests"


def register(program: str, *words: str) -> tuple[str, str]:
    result = CliRunner().invoke(main, ["mcp", *words, "--register", program])
    assert result.exit_code == 0, result.output
    return result.stdout, result.stderr


@pytest.fixture(autouse=True)
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_PASSWORD", SECRET)


@pytest.mark.parametrize(("program", "key"), [("cursor", "mcpServers"), ("vscode", "servers")])
def test_the_file_of_a_program_has_the_options(program: str, key: str) -> None:
    out, err = register(program, "--dataset", "films", "--dataset", "my data", "--private")
    server = json.loads(out)[key]["tuqa"]
    assert Path(server["command"]).is_absolute()
    assert server["args"] == ["mcp", "--dataset", "films", "--dataset", "my data", "--private"]
    assert "mcp.json" in err


def test_the_command_of_claude_is_quoted() -> None:
    out, _ = register("claude", "--dataset", "it's; mine", "--timeout", "5")
    before, _, words = out.partition(" -- ")
    assert before == "claude mcp add tuqa"
    assert shlex.split(words)[1:] == ["mcp", "--dataset", "it's; mine", "--timeout", "5.0"]


@pytest.mark.parametrize("program", ["claude", "cursor", "vscode"])
def test_a_password_is_not_printed(program: str) -> None:
    out, err = register(program)
    assert SECRET not in out + err
    assert "NEO4J_PASSWORD" in err


def test_an_unknown_program_is_refused() -> None:
    result = CliRunner().invoke(main, ["mcp", "--register", "emacs"])
    assert result.exit_code == 2
    assert "cursor" in result.output


def test_an_address_with_a_password_is_refused() -> None:
    words = ["mcp", "--uri", f"bolt://neo4j:{SECRET}@localhost:7687", "--register", "cursor"]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 2
    assert SECRET not in result.output
    assert "NEO4J_PASSWORD" in result.output
