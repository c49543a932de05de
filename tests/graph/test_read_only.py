"""A database that can only be read, on a real server: loading and dropping are refused, asking is not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.homes import VERSION, MakeHome, homes_with_jars

from trustuqa_neo4j import Settings, TrustUQA, embedded
from trustuqa_neo4j.cli.main import main as tuqa_command
from trustuqa_neo4j.embedded import config
from trustuqa_neo4j.errors import ReadOnlyServer

pytestmark = [pytest.mark.embedded, pytest.mark.long]


@pytest.fixture
def make_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MakeHome]:
    with homes_with_jars(tmp_path_factory) as make:
        yield make


def test_read_only(make_home: MakeHome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(home=make_home(), neo4j_version=VERSION, embedder="none")
    films, more = tmp_path / "films.tsv", tmp_path / "more.tsv"
    films.write_text("Alien\tdirector\tRidley Scott\n")
    more.write_text("Brazil\tdirector\tTerry Gilliam\n")
    with TrustUQA.connect(embedded.ensure_running(settings)) as tuqa:
        tuqa.load("kg", films, dataset="films")
    embedded.EmbeddedServer.from_settings(settings).stop()
    monkeypatch.setattr(
        config, "SETTINGS", {**config.SETTINGS, "server.databases.read_only": "neo4j"}
    )
    running = embedded.ensure_running(settings)
    with TrustUQA.connect(running) as tuqa:
        before = tuqa.datasets()
        with pytest.raises(ReadOnlyServer, match="use one that is writable"):
            tuqa.load("kg", more, dataset="more")
        with pytest.raises(ReadOnlyServer):
            tuqa.load("kg", more, dataset="films", mode="append")
        with pytest.raises(ReadOnlyServer):
            tuqa.drop("films")
        assert tuqa.datasets() == before
        answer = tuqa.run("get_information(head_entity='Alien', relation='director')", "films")
        assert answer.values == ("Ridley Scott",)
    # The server whose home this is, by its address: as anybody reaches a replica.
    assert running.uri is not None
    monkeypatch.setenv("NEO4J_URI", running.uri)
    monkeypatch.setenv("NEO4J_PASSWORD", running.password or "")
    said = CliRunner().invoke(tuqa_command, ["drop", "films"])
    assert said.exit_code == 3
    assert said.stderr.startswith("error: ")
    assert "\nhint: use one that is writable" in said.stderr
