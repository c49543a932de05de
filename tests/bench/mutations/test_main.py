"""``python -m bench.mutations`` over a dataset and programs of one's own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from support import data_packs
from support.samples import FILMS
from support.shell import Done, shell

from trustuqa_neo4j import Settings, TrustUQA

Shell = Callable[..., Done]
RIGHT = "get_information(head_entity='Alien', relation='starring')"
NONE = "get_information(head_entity='Nobody', relation='starring')"
OWN = ("--dataset", "films", "--programs", "programs.jsonl", "--quiet")


@pytest.fixture
def sh(server: Settings, tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    tuqa.load("kg", str(FILMS), dataset="films", embeddings=False)
    data_packs.jsonl(
        Path("programs.jsonl"), {"id": "1", "query": RIGHT}, {"query": NONE}, {"query": "?"}
    )
    return lambda *words: shell(server, "bench.mutations", *words)


@pytest.mark.long
def test_figures_as_json(sh: Shell, tuqa: TrustUQA) -> None:
    done = sh(*OWN, "--json", "--failures", "1")
    assert (done.code, done.err) == (0, "")
    (told,) = json.loads(done.out)
    assert (told["ground"], told["checks"]) == ("films", ["check"])
    assert told["left_out"] == {"cannot be read": 1, "empty itself": 1}
    rows = {row["operator"]: row for row in told["rows"]}
    assert (rows["direction"]["n"], rows["direction"]["baseline"]) == (1, 1)
    assert rows["direction"]["structural"]
    for row in (*told["rows"], *told["totals"].values()):
        caught = row["by_check"]["check"]
        through = row["n"] - caught["refused"] - caught["doubted"]
        assert caught["passed"] + caught["missed"] == through
        assert caught["warned"] <= through
    assert told["totals"]["all"]["n"] == sum(row["n"] for row in told["rows"])
    (originals,) = [each for each in told["right"] if each["kind"] == "originals"]
    assert originals == {"kind": "originals", "n": 1, "by_check": {"check": [0, 0, 0]}}
    assert [each.name for each in tuqa.datasets() if each.name.startswith("films")] == ["films"]


@pytest.mark.long
def test_figures_in_the_terminal(sh: Shell) -> None:
    done = sh(*OWN, "--limit", "3", "--sample", "4")
    assert (done.code, done.err) == (0, "")
    head, *lines = done.out.splitlines()
    assert head.split() == [
        "films",
        "n",
        "dropped",
        "baseline",
        "check",
        "warned",
        "passed",
        "missed",
    ]
    (total,) = [line for line in lines if line.startswith("all ")]
    assert sum(map(int, total.split()[1:3])) == 3
    assert any(line.startswith("originals") for line in lines)
    assert "left out: cannot be read 1, empty itself 1" in done.out


@pytest.mark.parametrize("words", [("--dataset", "films"), ("--programs", "programs.jsonl")])
def test_a_dataset_and_its_programs_go_together(sh: Shell, words: tuple[str, str]) -> None:
    done = sh(*words, "--packs", ".")
    assert done.code == 2
    assert "--dataset and --programs go together" in done.err


def test_packs_or_programs_are_needed(sh: Shell) -> None:
    done = sh()
    assert done.code == 2
    assert "the folder of the data packs is unknown" in done.err


def test_a_program_that_cannot_be_read_is_told(sh: Shell) -> None:
    Path("programs.jsonl").write_text('{"id": "1"}\n', encoding="utf-8")
    done = sh(*OWN)
    assert done.code == 1
    assert "programs.jsonl:1" in done.err
