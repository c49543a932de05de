"""The command that the tests of ``tuqa eval`` share."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.evaluation import Shell
from support.shell import shell

from trustuqa_neo4j import Settings, TrustUQA


@pytest.fixture
def evaluate(
    server: Settings, tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Shell:
    """``tuqa eval`` in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return lambda *words: shell(server, "tuqa", "eval", *words)
