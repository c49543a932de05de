"""``tuqa datasets``: what is loaded, for people and for programs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.samples import FILMS
from support.shell import Done, shell

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.errors import MalformedLine

Shell = Callable[..., Done]


@pytest.fixture
def sh(server: Settings, tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    Path("films.tsv").write_bytes(FILMS.read_bytes())
    return lambda *words, **options: shell(server, *words, **options)


def listed(sh: Shell, *names: str) -> list[dict[str, Any]]:
    told = json.loads(sh("tuqa", "datasets", "--json").out)
    return [dataset for dataset in told if dataset["name"] in names]


def row(sh: Shell, name: str) -> str:
    (found,) = [
        line for line in sh("tuqa", "datasets").out.splitlines() if line.startswith(f"{name} ")
    ]
    return found


def half(tuqa: TrustUQA) -> None:
    Path("half.tsv").write_text("a\tr\tb\nx\n")
    with pytest.raises(MalformedLine):
        tuqa.load("kg", "half.tsv", dataset="half", batch_size=1)


def test_json_says_everything(sh: Shell, tuqa: TrustUQA) -> None:
    tuqa.load("kg", "films.tsv", dataset="films")
    half(tuqa)
    films, unfinished = listed(sh, "films", "half")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", films.pop("loaded"))
    assert films == {
        "name": "films",
        "kind": "kg",
        "complete": True,
        "nodes": 20,
        "facts": 14,
        "relations": 6,
        "embedded": 0,
        "embedding_model": None,
        "sources": [{"name": "films.tsv", "kind": "kg", "files": ["films.tsv"], "facts": 14}],
        "embeddable": None,
        "embedding_error": None,
    }
    assert unfinished == {
        "name": "half",
        "kind": "kg",
        "complete": False,
        "nodes": 2,
        "facts": 1,
        "relations": 1,
        "embedded": 0,
        "embedding_model": None,
        "loaded": None,
        "sources": [{"name": "half.tsv", "kind": "kg", "files": ["half.tsv"], "facts": 1}],
        "embeddable": None,
        "embedding_error": None,
    }


def test_the_table(sh: Shell, tuqa: TrustUQA) -> None:
    tuqa.load("kg", "films.tsv", dataset="films")
    half(tuqa)
    done = sh("tuqa", "datasets")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[0].split() == [
        "dataset", "kind", "sources", "nodes", "facts", "embedded", "loaded", "from",
    ]  # fmt: skip
    assert re.fullmatch(
        r"films +kg +1 +20 +14 +0 +\d{4}-\d\d-\d\d \d\d:\d\d +films\.tsv", row(sh, "films")
    )
    assert re.fullmatch(r"half +kg +1 +2 +1 +0 +not complete +half\.tsv", row(sh, "half"))
    assert "\x1b" not in done.out
    assert all(line == line.rstrip() for line in done.out.splitlines())


def test_they_are_in_order_of_their_names(sh: Shell, tuqa: TrustUQA) -> None:
    for name in ("b", "a", "B", "c d"):
        tuqa.load("kg", "films.tsv", dataset=name)
    assert [dataset["name"] for dataset in listed(sh, "a", "b", "B", "c d")] == [
        "B",
        "a",
        "b",
        "c d",
    ]


def test_numbers_are_readable_and_many_files_are_not_all_shown(sh: Shell, tuqa: TrustUQA) -> None:
    files = [f"part{number}.tsv" for number in range(5)]
    for number, file in enumerate(files):
        Path(file).write_text("".join(f"h{number}\tr\tt{n}\n" for n in range(300)))
    tuqa.load("kg", *files, dataset="parts")
    assert re.fullmatch(
        r"parts +kg +5 +305 +1,500 +0 +\S+ \S+ +part0\.tsv, part1\.tsv, part2\.tsv and 2 more",
        row(sh, "parts"),
    )
    assert [source["name"] for source in listed(sh, "parts")[0]["sources"]] == files


def test_names_are_shown_as_they_are(sh: Shell, tuqa: TrustUQA) -> None:
    file = "[red]\x1b[31m:smile:.tsv"
    Path(file).write_text("a\tr\tb\n")
    tuqa.load("kg", file, dataset="[/b] 導演")
    assert row(sh, "[/b] 導演").endswith("[red]␛[31m:smile:.tsv")
    assert listed(sh, "[/b] 導演")[0]["sources"][0]["name"] == file


def test_long_names_are_not_cut(sh: Shell, tuqa: TrustUQA) -> None:
    folder = Path("/".join(["f" * 200] * 4))
    folder.mkdir(parents=True)
    file = str(folder / "facts.tsv")
    Path(file).write_text("a\tr\tb\n")
    tuqa.load("kg", file, dataset="d" * 200)
    assert row(sh, "d" * 200).endswith(" " + file)


def test_a_dropped_one_is_gone(sh: Shell, tuqa: TrustUQA) -> None:
    tuqa.load("kg", "films.tsv", dataset="films")
    sh("tuqa", "drop", "films")
    assert listed(sh, "films") == []


def test_an_empty_database_says_how_to_fill_it(sh: Shell, tuqa: TrustUQA) -> None:
    found = tuqa.datasets()
    hint = "" if found else "nothing is loaded; load something with tuqa-load\n"
    assert sh("tuqa", "datasets").err == hint
    done = sh("tuqa", "datasets", "--json")
    assert (done.code, done.err) == (0, "")
    assert [dataset["name"] for dataset in json.loads(done.out)] == [d.name for d in found]


def test_options_say_which_database(sh: Shell, server: Settings, tuqa: TrustUQA) -> None:
    tuqa.load("kg", "films.tsv", dataset="films")
    words = ["--uri", server.uri or "", "--username", server.username, "--database", "neo4j"]
    assert sh("tuqa", "datasets", *words) == sh("tuqa", "datasets")
    for option, kind in (
        (["--uri", "bolt://127.0.0.1:1"], "hint: start a server there"),
        (["--username", "nobody"], "hint: check NEO4J_USERNAME"),
        (["--database", "nothing"], "hint: check NEO4J_DATABASE"),
    ):
        done = sh("tuqa", "datasets", *option)
        assert (done.code, done.out) == (3, "")
        assert kind in done.err


def test_no_escape_codes_where_there_is_no_terminal(
    sh: Shell, tuqa: TrustUQA, command: Shell
) -> None:
    tuqa.load("kg", "films.tsv", dataset="films")
    done = command("tuqa", "datasets", env={"TERM": "xterm-256color"})
    assert (done.code, done.err) == (0, "")
    assert "films" in done.out
    assert "\x1b" not in done.out


def test_names_are_not_broken_in_a_narrow_terminal(
    sh: Shell, tuqa: TrustUQA, monkeypatch: pytest.MonkeyPatch
) -> None:
    tuqa.load("kg", "films.tsv", dataset="films")
    monkeypatch.setattr("trustuqa_neo4j.cli.datasets.fits_terminal", lambda _: False)
    lines = sh("tuqa", "datasets").out.splitlines()
    place = next(n for n, line in enumerate(lines) if line.startswith("films (kg): "))
    assert lines[place].startswith("films (kg): 1 source, ")
    assert ", from films.tsv" in lines[place + 1]
