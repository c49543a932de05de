"""Loads of agents over standard input and output have the limits that they have over HTTP."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.types import CallToolResult
from support.shell import shell

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.mcp.server import make_server
from trustuqa_neo4j.server.agent_loads import BoundedChanges, open_changes
from trustuqa_neo4j.server.options import LOAD_LIMITS, MEGABYTE, ReadLimits

MEDALS = "nation,gold\nFrance,16\nJapan,20\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "for agents"
    path.mkdir()
    (path / "medals.csv").write_text(MEDALS)
    (path / "large.csv.gz").write_bytes(gzip.compress(b"nation,gold\n" + b"France,16\n" * 200_000))
    return path


def load_with(tuqa: TrustUQA, folder: Path, file: str, limits: ReadLimits) -> CallToolResult:
    async def main() -> CallToolResult:
        with open_changes(tuqa, 600.0, limits) as changes:
            server = make_server(tuqa, load_folder=folder, changes=changes, timeout=600.0)
            async with Client(server) as client:
                arguments = {"path": file, "dataset": "medals"}
                return await client.call_tool("load", arguments)

    return anyio.run(main)


def test_a_file_that_unpacks_to_too_much_is_refused(tuqa: TrustUQA, folder: Path) -> None:
    result = load_with(tuqa, folder, "large.csv.gz", ReadLimits(2000 * MEGABYTE, 3600.0, MEGABYTE))
    assert result.is_error
    assert "1 MB" in str(result.content)
    assert not [dataset.name for dataset in tuqa.datasets() if dataset.complete]


def test_the_time_of_a_load_is_limited(tuqa: TrustUQA, folder: Path) -> None:
    result = load_with(tuqa, folder, "medals.csv", ReadLimits(2000 * MEGABYTE, 0.01, MEGABYTE))
    assert result.is_error
    assert "cannot be read within 0.01 seconds" in str(result.content)


@pytest.mark.parametrize("is_allowed", [True, False])
def test_the_command_loads_within_the_limits_of_the_server(
    tuqa: TrustUQA,
    server: Settings,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    is_allowed: bool,
) -> None:
    made: list[dict[str, Any]] = []

    class Unspoken:
        def run(self, transport: str) -> None:
            assert transport == "stdio"

    def note(_tuqa: TrustUQA, **options: Any) -> Unspoken:
        made.append(options)
        return Unspoken()

    monkeypatch.setattr("trustuqa_neo4j.mcp.server.make_server", note)
    words = ("--agent-loads", str(folder)) if is_allowed else ()
    assert shell(server, "tuqa", "mcp", *words).code == 0
    (options,) = made
    if is_allowed:
        assert isinstance(options["changes"], BoundedChanges)
        assert options["changes"].limits == LOAD_LIMITS
    else:
        assert options["changes"] is options["load_folder"] is None
