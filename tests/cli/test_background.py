"""The process that embeds names after a load."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest

from trustuqa_neo4j.cli import background
from trustuqa_neo4j.cli.connection import Neo4jOptions

NOWHERE = Neo4jOptions("bolt://127.0.0.1:1", "neo4j", None)


def test_nothing_of_the_working_folder_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package of that name beside the data is not imported; what the process says is in its log."""
    ran, home = tmp_path / "ran", tmp_path / "home"
    for name in ("trustuqa_neo4j", "neo4j"):
        package = tmp_path / "data" / name
        package.mkdir(parents=True)
        (package / "__init__.py").write_text(f"open({str(ran)!r}, 'w').close()")
    monkeypatch.chdir(tmp_path / "data")
    monkeypatch.setenv("TUQA_HOME", str(home))
    monkeypatch.setenv("NEO4J_PASSWORD", "secret")
    monkeypatch.delenv("TUQA_EMBEDDER", raising=False)
    process = psutil.Process(background.start("d", home, NOWHERE))
    psutil.wait_procs([process], timeout=300)
    assert "127.0.0.1:1" in (home / background.LOG).read_text()
    assert not ran.exists()
