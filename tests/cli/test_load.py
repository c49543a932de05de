"""``tuqa-load``, as people run it: options, messages, exit codes, interruptions."""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from support.paused_load import paused_load
from support.shell import Done, environment, shell

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.cli import connection
from trustuqa_neo4j.model.dataset import Dataset

Shell = Callable[..., Done]
FILMS = (Path(__file__).parents[1] / "samples" / "films.tsv").read_bytes()


@pytest.fixture
def sh(server: Settings, tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    Path("films.tsv").write_bytes(FILMS)
    return lambda *words, **options: shell(server, *words, **options)


@pytest.fixture
def unharmed(tuqa: TrustUQA) -> Iterator[None]:
    """What a test does leaves the database as it was."""
    before = tuqa.datasets()
    yield
    assert tuqa.datasets() == before


def listed(client: TrustUQA, name: str) -> Dataset:
    (found,) = [dataset for dataset in client.datasets() if dataset.name == name]
    return found


def names(client: TrustUQA) -> set[str]:
    return {dataset.name for dataset in client.datasets()}


def test_totals(sh: Shell) -> None:
    done = sh("tuqa-load", "kg", "films.tsv")
    assert done.code == 0
    assert re.fullmatch(
        r"films: 14 facts from 1 source in \d+\.\d s \([\d,]+ facts/s\)\n", done.out
    )
    assert done.err == ""
    again = sh("tuqa-load", "kg", "films.tsv")
    assert again == Done(0, "films: loaded already from the same 1 source; nothing changed\n", "")


def test_totals_as_json(sh: Shell) -> None:
    Path("bad.tsv").write_text("a\tr\tb\nx\na\tr\tb\na\tr\tc\n")
    done = sh("tuqa-load", "kg", "bad.tsv", "--skip-bad", "1", "--json")
    told = json.loads(done.out)
    assert told.pop("seconds") > 0
    assert told == {
        "dataset": "bad",
        "sources": 1,
        "facts": 2,
        "repeated": 1,
        "resumed_at": 0,
        "total": 2,
        "begun": "new",
        "replaced": [],
        "dry_run": False,
        "embedded": 0,
        "unembedded": 0,
        "embedding": "",
        "embedding_error": None,
        "embedding_seconds": 0.0,
        "is_embedded_later": False,
        "remarks": {},
        "detected": [],
        "bad": [{"where": "bad.tsv:2", "what": "1 column where 3 are needed, split at tab"}],
    }
    assert done.err == "skipped bad.tsv:2: 1 column where 3 are needed, split at tab\n"
    again = json.loads(sh("tuqa-load", "kg", "bad.tsv", "--skip-bad", "1", "--json").out)
    assert (again["begun"], again["facts"], again["total"]) == ("unchanged", 0, 2)


@pytest.mark.parametrize(
    ("path", "dataset"),
    [
        ("films.tsv", "films"),
        ("kb.txt.gz", "kb"),
        ("./a folder/Ünï cödé.v2.csv", "Ünï cödé"),
        ("plain", "plain"),
    ],
)
def test_a_dataset_is_named_after_its_file(
    sh: Shell, tuqa: TrustUQA, path: str, dataset: str
) -> None:
    Path("a folder").mkdir()
    Path(path).write_bytes(gzip.compress(FILMS, mtime=0) if path.endswith("gz") else FILMS)
    assert sh("tuqa-load", "kg", path).code == 0
    found = listed(tuqa, dataset)
    assert (found.sources[0].name, found.facts) == (path.removeprefix("./"), 14)


def test_names_given(sh: Shell, tuqa: TrustUQA) -> None:
    Path("more.tsv").write_text("a\tr\tb\n")
    words = ("kg", "films.tsv", "more.tsv", "--dataset", "my films", "--source", "kept")
    assert sh("tuqa-load", *words).out.startswith("my films: 15 facts from 1 source in ")
    (source,) = listed(tuqa, "my films").sources
    assert (source.name, source.files) == ("kept", ("films.tsv", "more.tsv"))


def test_standard_input(sh: Shell, tuqa: TrustUQA) -> None:
    films = gzip.compress(FILMS, mtime=0)
    done = sh("tuqa-load", "kg", "-", "--dataset", "typed", stdin=films)
    assert done.out.startswith("typed: 14 facts from 1 source in ")
    (source,) = listed(tuqa, "typed").sources
    assert (source.name, source.files) == ("stdin", ("stdin",))
    again = sh("tuqa-load", "kg", "-", "--dataset", "typed", stdin=films)
    assert "nothing changed" in again.out


def test_standard_input_beside_a_file(sh: Shell, tuqa: TrustUQA) -> None:
    done = sh("tuqa-load", "kg", "-", "films.tsv", "--dataset", "two", stdin="a,r,b")
    assert done.out.startswith("two: 15 facts from 2 sources in ")
    assert {source.name for source in listed(tuqa, "two").sources} == {"stdin", "films.tsv"}


def test_dry_run(sh: Shell, unharmed: None) -> None:
    done = sh("tuqa-load", "kg", "films.tsv", "--dry-run")
    assert done.code == 0
    assert re.fullmatch(r"films: 14 facts in 1 source, read in .*; nothing written\n", done.out)
    told = json.loads(sh("tuqa-load", "kg", "films.tsv", "--dry-run", "--json").out)
    assert (told["facts"], told["total"], told["dry_run"]) == (14, None, True)


def test_a_dry_run_is_a_preview(sh: Shell, unharmed: None) -> None:
    Path("t.csv").write_text(
        "name;size;kinds\nAnn;1,5;x | y\nBob;2,25;-\n" + "Cid;3,5;z\n" * 10, encoding="utf-8"
    )
    words = ["tuqa-load", "t.csv", "--dry-run", "--split", "kinds=|", "--null", "kinds=-"]
    done = sh(*words)
    assert [line.split(maxsplit=2) for line in done.out.splitlines()[2:]] == [
        ["t.csv:", "12", "rows, 3 columns"],
        ["column", "read", "as            range       first rows"],
        ["name", "text", "Ann | Bob | Cid | Cid | Cid"],
        ["size", "number,", "decimal ,  1.5 to 3.5  1,5 | 2,25 | 3,5 | 3,5 | 3,5"],
        ["kinds", "text", "x | y |  | z | z | z"],
    ]
    report = json.loads(sh(*words, "--json").out)
    assert report["facts"] == 36
    assert report["tables"][0]["rows"] == 12
    assert report["tables"][0]["columns"][1]["type"] == "number"


def test_a_preview_fits_a_terminal(sh: Shell, unharmed: None) -> None:
    Path("wide.csv").write_text(",".join(f"c{n}" for n in range(40)) + "\n" + "1," * 39 + "1\n")
    out = sh("tuqa-load", "wide.csv", "--dry-run").out.splitlines()
    assert "… 22 more columns (--json prints all)" in out
    names = [f"{n}.csv" for n in range(12)]
    for name in names:
        Path(name).write_text("a,b\n1,2\n3,4\n")
    out = sh("tuqa-load", "table", *names, "--dataset", "many", "--dry-run").out.splitlines()
    assert "… 2 more tables (--json prints all)" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--split", "a"], "error: --split 'a'\nhint: write it as COLUMN=SIGN"),
        (["--rename", "=b"], "error: --rename '=b'\nhint: write it as OLD=NEW"),
        (["--type", "a=text", "--type", "a=date"], "error: two settings of --type, column 'a'"),
        (["--header", "one"], "error: header 'one'"),
        (["--null", "q=-"], "error: --null for 'q': no column\nhint: there are 'a', 'b'"),
        (["--columns", 'a,"c,d"'], "error: --columns: no column 'c,d'"),
    ],
)
def test_options_of_tables_that_are_wrong(
    sh: Shell, unharmed: None, words: list[str], message: str
) -> None:
    Path("t.csv").write_text("a,b\n1,2\n")
    done = sh("tuqa-load", "t.csv", "--quiet", *words)
    assert done.code == 2
    assert done.err.startswith(message)


def test_a_dry_run_shows_notes_on_columns(sh: Shell, tmp_path: Path, unharmed: None) -> None:
    path = tmp_path / "de.csv"
    path.write_text("k;two words\nx;1.234\ny;0,5\n", encoding="utf-8")
    message = (
        "'two words' has decimal commas (0,5), so 1.234 is read as 1234; "
        "--decimal 'two words=.' reads decimal points"
    )
    done = sh("tuqa-load", "table", str(path), "--dry-run", "--quiet")
    assert (done.code, done.err) == (0, f"note: {message}: {path.name}:2\n")
    report = json.loads(sh("tuqa-load", "table", str(path), "--dry-run", "--json").out)
    assert report["remarks"] == {message: {"times": 1, "places": [f"{path.name}:2"], "changes": []}}
    done = sh("tuqa-load", "table", str(path), "--dry-run", "--quiet", "--decimal", "two words=,")
    assert (done.code, done.err) == (0, "")
    done = sh("tuqa-load", "table", str(path), "--dry-run", "--quiet", "--dates", "k=ydm")
    assert (done.code, done.err.splitlines()[0]) == (2, "error: --dates 'k=ydm'")


@pytest.mark.parametrize("option", ["--replace", "--replace-all"])
def test_a_replacement_reports_its_demonstrations(sh: Shell, tuqa: TrustUQA, option: str) -> None:
    sh("tuqa-load", "kg", "films.tsv", "--no-embeddings", "--quiet")
    query = "get_information(head_entity='Alien', relation='directed by')"
    sh("tuqa", "demonstrations", "add", "Who directed Alien?", query, "--dataset", "films")
    done = sh("tuqa-load", "kg", "films.tsv", "--no-embeddings", "--quiet", option)
    assert done.code == 0
    summary, demonstrations = done.out.splitlines()
    assert summary.endswith("; 'films.tsv' replaced, now 14 facts")
    assert demonstrations.startswith("demonstrations of films: 1 run (unlabelled)")
    assert done.err == (
        "to be deleted from 'films' before the load:\n"
        "  source films.tsv: 14 facts\n"
        "  1 demonstration stays, to be verified again\n"
    )


@pytest.mark.parametrize(
    ("option", "sources"),
    [
        ("--replace", ["  source films.tsv: 14 facts"]),
        ("--replace-source", ["  source films.tsv: 14 facts"]),
        ("--replace-all", ["  source films.tsv: 14 facts", "  source more: 1 facts"]),
    ],
)
def test_a_replacement_asks_on_a_terminal(
    sh: Shell, tuqa: TrustUQA, monkeypatch: pytest.MonkeyPatch, option: str, sources: list[str]
) -> None:
    load = ("tuqa-load", "kg", "films.tsv", "--no-embeddings", "--quiet")
    sh(*load)
    sh("tuqa-load", "kg", "-", "--dataset", "films", "--source", "more", "--append", "--quiet",
       "--no-embeddings", stdin="a\tr\tb\n")  # fmt: skip
    before = tuqa.datasets()
    monkeypatch.setattr(connection, "is_interactive", lambda: True)
    done = sh(*load, option, stdin="n\n")
    assert (done.code, done.out) == (1, "")
    assert done.err.splitlines()[1:-2] == sources
    assert done.err.splitlines()[-2:] == ["replace this? [y/N]: n", "nothing replaced"]
    assert tuqa.datasets() == before
    done = sh(*load, option, stdin="y\n")
    assert (done.code, len(done.out.splitlines())) == (0, 1)
    assert len(tuqa.datasets()[0].sources) == 3 - len(sources)
    assert "replace this?" not in sh(*load, option, "--yes").err


def test_options_that_change_nothing_yet(sh: Shell, tuqa: TrustUQA) -> None:
    done = sh(
        "tuqa-load", "kg", "films.tsv", "--no-embeddings", "--quiet", "--batch-size", "3",
        "--encoding", "utf-8",
    )  # fmt: skip
    assert (done.code, done.err) == (0, "")
    assert listed(tuqa, "films").facts == 14


def test_the_list_of_formats(sh: Shell) -> None:
    done = sh("tuqa-load", "--list")
    assert done.code == 0
    assert "\nkg                  knowledge graph: head, relation, tail by line" in done.out


def test_benchmarks_are_listed_apart(sh: Shell) -> None:
    formats, benchmarks = sh("tuqa-load", "--list").out.split("\nbenchmarks:\n")
    assert "also called csv, tsv, excel, xlsx" in formats
    assert "suffixes .csv .tsv .tab .psv .xlsx" in formats
    assert "metaqa" not in formats
    assert benchmarks.startswith("cronquestions ")
    assert "\nmetaqa " in benchmarks


# Without a format.

MEDALS = "nation,gold\nFrance,16\nJapan,20\n"
KG_LINE = (
    "films.tsv: kg (head, relation, tail; tab); to load it as table: tuqa-load table films.tsv\n"
)


def test_a_table_by_itself(sh: Shell, tuqa: TrustUQA) -> None:
    Path("medals.csv").write_text(MEDALS)
    done = sh("tuqa-load", "medals.csv")
    assert done.out.startswith("medals: 4 facts from 1 source in ")
    assert (done.code, done.err) == (0, "medals.csv: table (CSV, comma, 2 columns)\n")
    assert sh("tuqa-load", "csv", "medals.csv") == Done(
        0, "medals: loaded already from the same 1 source; nothing changed\n", ""
    )


def test_an_existing_dataset_and_a_wrong_format(sh: Shell, tuqa: TrustUQA) -> None:
    Path("my medals.csv").write_text(MEDALS)
    assert sh("tuqa-load", "my medals.csv").code == 0
    done = sh("tuqa-load", "json", "my medals.csv")
    assert done.code == 1
    looks = "it looks like table (CSV, comma, 2 columns): tuqa-load table 'my medals.csv'"
    assert f"\nhint: {looks}; --replace replaces " in done.err


def test_the_choice_by_lines_can_be_changed(sh: Shell, unharmed: None) -> None:
    done = sh("tuqa-load", "films.tsv", "--dry-run")
    assert done.out.startswith("films: 14 facts in 1 source")
    assert done.err == KG_LINE
    done = sh("tuqa-load", "table", "films.tsv", "--dry-run")
    note = "'Alien' looks like data; --header none reads it as a row: films.tsv:1\n"
    assert (done.code, done.err.endswith(note)) == (0, True)
    done = sh("tuqa-load", "films.tsv", "--dry-run", "--header", "none")
    assert (done.code, done.err.splitlines()) == (
        0,
        ["films.tsv: table (delimited text); to load it as kg: tuqa-load kg films.tsv"],
    )


def test_the_detected_format_as_json(sh: Shell, unharmed: None) -> None:
    done = sh("tuqa-load", "films.tsv", "--dry-run", "--json")
    assert json.loads(done.out)["detected"] == [
        {
            "file": "films.tsv",
            "format": "kg",
            "description": "head, relation, tail; tab",
            "alternative": "table",
            "is_sure": False,
        }
    ]
    assert done.err == ""
    assert sh("tuqa-load", "films.tsv", "--dry-run", "--quiet").err == ""


def test_many_files_without_a_format(sh: Shell, unharmed: None) -> None:
    names = [f"t{number}.csv" for number in range(8)]
    for number, name in enumerate(names):
        Path(name).write_text(MEDALS.replace("20", f"2{number}"))
    done = sh("tuqa-load", *names, "--dataset", "many", "--dry-run")
    assert done.out.startswith("many: 32 facts in 8 sources")
    assert done.err.splitlines()[4:] == [
        "t4.csv: table (CSV, comma, 2 columns)",
        "… 3 more files: table",
    ]


def test_a_folder_without_a_format(sh: Shell, unharmed: None) -> None:
    Path("folder").mkdir()
    Path("folder/medals.csv").write_text(MEDALS)
    done = sh("tuqa-load", "folder/", "--dry-run")
    assert done.out.startswith("folder: 4 facts in 1 source")
    assert done.err == "folder: table (folder of 1 file)\n"


def test_a_file_that_is_called_like_a_format(sh: Shell, unharmed: None) -> None:
    Path("json").write_text('{"name": "Alien", "year": 1979}')
    done = sh("tuqa-load", "json", "--dry-run")
    assert (done.code, done.err) == (0, "json: json (JSON)\n")
    done = sh("tuqa-load", "json", "json", "--dry-run")
    assert (done.code, done.err) == (0, "")


def test_a_table_that_is_read_as_facts(sh: Shell, unharmed: None) -> None:
    Path("items.csv").write_text("name,category,price\nAlien,film,3\nDune,book,4\n")
    done = sh("tuqa-load", "kg", "items.csv", "--dry-run")
    message = "read as facts, but it looks like a table (CSV, comma, 3 columns)"
    assert (done.code, done.err) == (0, f"note: {message}: items.csv\n")
    assert sh("tuqa-load", "items.csv", "--dry-run").out.startswith("items: 6 facts in 1 source")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["none.csv"], 2, "error: no such file, none.csv\nhint: check the path\n"),
        (["none"], 2, "error: 'none' is neither a file nor a format\nhint: check the path; known are "),
        (["empty.csv"], 1, "error: the file is empty, empty.csv\nhint: give one with facts\n"),
        (["prose.txt"], 2, "error: neither its name nor its lines show the format, prose.txt\nhint: give "),
        (["medals.csv", "more.csv"], 2, "error: several files or standard input need a name\n"),
        (["-"], 1, "error: the file is empty, stdin\n"),
        (["-", "-", "--dataset", "d"], 2, "error: - is given twice\n"),
        (["rdf", "medals.csv"], 1, ("error: neither its suffix nor its content is that of RDF, medals.csv\n"
         "hint: it looks like table (CSV, comma, 2 columns): tuqa-load table medals.csv; ")),
        (["kg", "medals.csv"], 1, ("error: no line of the first 3 has three columns, medals.csv:1\n"
         "hint: it looks like table (CSV, comma, 2 columns): tuqa-load table medals.csv; ")),
        (["sql", "towns.ttl"], 1, ("error: its content is rdf (Turtle), which sql does not read, towns.ttl\n"
         "hint: tuqa-load rdf towns.ttl\n")),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_formats_that_are_wrong(
    sh: Shell, unharmed: None, words: list[str], code: int, said: str
) -> None:
    for name in ("medals.csv", "more.csv"):
        Path(name).write_text(MEDALS)
    Path("empty.csv").touch()
    Path("prose.txt").write_text("One, two.\nThree.\n")
    Path("towns.ttl").write_text("@prefix : <http://x/> .\n:a :b :c .\n:d :b :c .\n")
    done = sh("tuqa-load", *words)
    assert (done.code, done.out) == (code, "")
    assert said in done.err
    assert "Traceback" not in done.err


def test_help_and_version(sh: Shell) -> None:
    for flag in ("--help", "-h"):
        told = sh("tuqa-load", flag).out
        assert "tuqa-load kg films.tsv --dataset films" in told
    assert re.fullmatch(r"tuqa-load, version \d+\.\d+\.\d+\n", sh("tuqa-load", "--version").out)


BAD_CALLS: dict[str, tuple[list[str], str]] = {
    "no words": ([], "error: PATH is missing\nhint: give files, or \"-\" for standard input"),
    "no path": (["kg"], "error: PATH is missing\nhint: give files"),
    "no file": (["kg", "nothing.tsv"], "error: no such file, nothing.tsv\nhint: check the path"),
    "no option": (["kg", "films.tsv", "--bach-size", "3"], "No such option '--bach-size'"),
    "batch size": (["kg", "films.tsv", "--batch-size", "0"], "Invalid value for '--batch-size'"),
    "skip bad": (["kg", "films.tsv", "--skip-bad", "-1"], "Invalid value for '--skip-bad'"),
    "slip": (["kgg", "films.tsv"], "error: no format 'kgg'\nhint: did you mean kg?"),
    "no format": (["something", "films.tsv"], "error: no format 'something'\nhint: known are "),
    "encoding": (
        ["kg", "films.tsv", "--encoding", "x"], "error: no encoding 'x'\nhint: try utf-8 or latin-1",
    ),
    "several files": (
        ["kg", "films.tsv", "b.tsv"],
        "error: several files or standard input need a name\nhint: give --dataset NAME",
    ),
    "standard input": (
        ["kg", "-"], "error: several files or standard input need a name\nhint: give --dataset NAME",
    ),
    "twice": (
        ["kg", "films.tsv", "films.tsv", "--dataset", "a"],
        "error: films.tsv is given twice\nhint: give each file once",
    ),
    "blank dataset": (
        ["kg", "films.tsv", "--dataset", ""], "error: the dataset's name is empty\nhint: give --dataset NAME",
    ),
    "--replace and --append": (
        ["kg", "films.tsv", "--replace", "--append"],
        "error: --append and --replace contradict each other\nhint: give one of them",
    ),
    "--bulk": (["kg", "films.tsv", "--bulk"], "error: --bulk fills the embedded database only, "),
    "--header, beyond the file": (
        ["table", "films.tsv", "--header", "99"],
        "error: no row is left, films.tsv, after line 98\nhint: give a smaller number of lines",
    ),
    "--header, no line": (["table", "films.tsv", "--header", "0"], "1-2, or none if the first line is a row"),
    "--dates, unknown": (["kg", "films.tsv", "--dates", "ydm"], "error: --dates 'ydm'\nhint: give "),
    "--decimal, unknown": (
        ["kg", "films.tsv", "--decimal", ";"], "error: --decimal ';'\nhint: give . or ,; COLUMN=. is ",
    ),
    "--demonstrations": (["kg", "films.tsv", "--demonstrations", "x.jsonl"], "'x.jsonl': No such file"),
}  # fmt: skip


@pytest.mark.parametrize(("words", "said"), BAD_CALLS.values(), ids=BAD_CALLS)
def test_calls_that_are_wrong(sh: Shell, unharmed: None, words: list[str], said: str) -> None:
    done = sh("tuqa-load", *words)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert "Traceback" not in done.err


def test_other_content(sh: Shell, tuqa: TrustUQA) -> None:
    sh("tuqa-load", "kg", "films.tsv", "--dataset", "before")
    before = tuqa.datasets()
    Path("films.tsv").write_text("a\tr\tb\n")
    done = sh("tuqa-load", "kg", "films.tsv", "--dataset", "before")
    assert tuqa.datasets() == before
    assert done == Done(
        1,
        "",
        "error: 'before' is there with other content, it was loaded from films.tsv\nhint: "
        "--replace replaces the sources that are loaded and keeps the others; "
        "--replace-all replaces the dataset; or choose another --dataset\n",
    )


def test_bad_lines_are_passed_over_up_to_a_number(sh: Shell, tuqa: TrustUQA) -> None:
    Path("f.tsv").write_text("a\tr\tb\nx\nc\tr\td\n\tr\tb\n")
    done = sh("tuqa-load", "kg", "f.tsv", "--skip-bad", "1")
    assert done.code == 1
    assert done.err.startswith("error: the head is empty, f.tsv:4\nhint: ")
    assert done.err.endswith("; skipped before it: f.tsv:2\n")
    assert "f" not in names(tuqa)
    done = sh("tuqa-load", "kg", "f.tsv", "--skip-bad", "2")
    assert done.code == 0
    assert done.err == (
        "skipped f.tsv:2: 1 column where 3 are needed, split at tab\n"
        "skipped f.tsv:4: the head is empty\n"
    )
    assert done.out.startswith("f: 2 facts from 1 source")


def test_an_unfinished_load_is_told_and_started_over(sh: Shell, tuqa: TrustUQA) -> None:
    Path("f.tsv").write_text("a\tr\tb\nc\tr\td\nx\n")
    assert sh("tuqa-load", "kg", "f.tsv", "--batch-size", "1").code == 1
    assert "not complete" in sh("tuqa", "datasets").out
    query = "get_information(head_entity='a', relation='r')"
    done = sh("tuqa", "run", "--dataset", "f", stdin=query)
    assert done == Done(
        1,
        "",
        "error: the load of 'f' has not finished, it has come to f.tsv:2\nhint: "
        "run the same tuqa-load again to go on with it, or `tuqa drop` the dataset\n",
    )
    Path("f.tsv").write_text("a\tr\te\n")
    done = sh("tuqa-load", "kg", "f.tsv")
    assert done.out.endswith("; an unfinished load of other content was removed first\n")
    assert sh("tuqa", "run", "--dataset", "f", stdin=query).out.startswith("e\n")


@pytest.mark.parametrize(
    ("env", "said"),
    [
        ({"NEO4J_URI": "bolt://127.0.0.1:1"}, "hint: start a server there"),
        ({"NEO4J_PASSWORD": "wrong"}, "hint: check NEO4J_USERNAME"),
        ({"NEO4J_DATABASE": "nothing"}, "hint: check NEO4J_DATABASE"),
    ],
)
def test_a_database_that_is_not_there(
    sh: Shell, tmp_path: Path, env: dict[str, str], said: str
) -> None:
    (tmp_path / "films.tsv").write_bytes(FILMS)
    done = sh("tuqa-load", "kg", "films.tsv", env=env)
    assert (done.code, done.out) == (3, "")
    assert said in done.err
    assert "Traceback" not in done.err


def test_a_process_of_its_own(command: Shell, tuqa: TrustUQA, tmp_path: Path) -> None:
    """No progress bar and no escape code where stderr is not a terminal; and names in any encoding."""
    (tmp_path / "films.tsv").write_bytes(FILMS)
    done = command("tuqa-load", "kg", "films.tsv")
    assert (done.code, done.err) == (0, "")
    assert "\x1b" not in done.out
    other = os.fsencode(tmp_path) + b"/films\xff.tsv"
    Path(os.fsdecode(other)).write_bytes(FILMS)
    done = command("tuqa-load", "kg", os.fsdecode(other), "--dataset", "other")
    assert done.code == 2
    assert done.err.startswith("error: the path is not UTF-8, ")
    assert "films" in names(tuqa)
    assert "other" not in names(tuqa)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ('"$0" kg - --dataset x <&-', 2, "error: standard input is closed\nhint: give a file\n"),
        ('ulimit -f 0; "$0" kg - --dataset x', 1, "error: it cannot be copied ("),
    ],
    ids=["closed", "no space"],
)
def test_standard_input_that_cannot_be_kept(
    server: Settings, tuqa: TrustUQA, tmp_path: Path, words: str, code: int, said: str
) -> None:
    done = subprocess.run(
        ["sh", "-c", words, Path(sys.executable).with_name("tuqa-load")],
        env=environment(server) | {"TMPDIR": str(tmp_path)},
        input=FILMS,
        capture_output=True,
        check=False,
        timeout=300,
    )
    assert (done.returncode, done.stdout) == (code, b"")
    assert done.stderr.decode().startswith(said)
    assert done.stderr.count(b"\n") == 2
    assert not list(tmp_path.iterdir())
    assert "x" not in names(tuqa)


def test_progress_is_shown_on_a_terminal(server: Settings, tuqa: TrustUQA, tmp_path: Path) -> None:
    """A bar for each phase, on stderr; and totals alone on stdout."""
    name = "[red]x.tsv"
    (tmp_path / name).write_text("".join(f"h\tr\tt{n}\n" for n in range(5000)))
    script = Path(sys.executable).with_name("tuqa-load")
    for quiet in ([], ["--quiet"]):
        above, terminal = os.openpty()
        process = subprocess.Popen(
            [script, "kg", name, "--dataset", f"x{quiet}", *quiet],
            env=environment(server) | {"TERM": "xterm", "COLUMNS": "120"},
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=terminal,
        )
        os.close(terminal)
        shown = b"".join(iter(lambda: _read(above), b"")).decode()  # noqa: B023 # used at once
        os.close(above)
        out, _ = process.communicate(timeout=300)
        assert process.returncode == 0
        assert out.decode().startswith(f"x{quiet}: 5,000 facts from 1 source")
        if quiet:
            assert shown == ""
        else:
            assert f"look at {name}" in shown
            assert re.search(rf"load {re.escape(name)}.*[ m]\d+\.\d kB", shown)
            assert "index" in shown


def _read(above: int) -> bytes:
    """What came on a terminal; nothing where its other end was closed."""
    try:
        return os.read(above, 1 << 16)
    except OSError:
        return b""


# Interruptions, in processes of their own.

FACTS = 20_000


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Many facts, some of them twice, and hubs among their nodes."""
    chosen = random.Random(7)
    lines = [
        f"thing {chosen.randrange(4_000)}\trel {n % 7}\tthing {int(4_000 * chosen.random() ** 3)}\n"
        for n in range(FACTS)
    ]
    path = tmp_path_factory.mktemp("big") / "big.tsv"
    path.write_text("".join(lines))
    return path


class Running:
    """A load in a process of its own."""

    def __init__(self, server: Settings, path: Path, limit: int) -> None:
        self._go_on = path.with_name(f"go on after {limit}")
        words = ("kg", path.name, "--batch-size", "400")
        self._process = subprocess.Popen(
            [*paused_load(limit, self._go_on), *words],
            env=environment(server),
            cwd=path.parent,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.id = self._process.pid

    def wait_for(self, client: TrustUQA, facts: int) -> Dataset:
        """The dataset, once it has so many facts."""
        deadline = monotonic() + 300
        while monotonic() < deadline:
            assert self._process.poll() is None, self._process.communicate(timeout=300)
            if "big" in names(client) and listed(client, "big").facts >= facts:
                return listed(client, "big")
            sleep(0.01)
        pytest.fail(f"{facts} facts did not come")

    def end(self, number: signal.Signals | None = None) -> Done:
        if number is None:
            self._go_on.touch()
        else:
            self._process.send_signal(number)
        out, err = self._process.communicate(timeout=300)
        return Done(self._process.returncode, out, err)


@pytest.mark.long
def test_whatever_interrupts_a_load_it_goes_on(
    server: Settings, tuqa: TrustUQA, big: Path, sh: Shell
) -> None:
    """Ctrl-C, then killed three times, then to the end while another one is refused."""
    load = Running(server, big, 4_000)
    assert not load.wait_for(tuqa, 1_600).complete
    done = load.end(signal.SIGINT)
    assert (done.code, done.out) == (130, "")
    told = re.fullmatch(
        r"\s*interrupted: ([\d,]+) facts of 'big' are stored, up to big\.tsv:(\d+), "
        r"run the same command again to go on\n",
        done.err,
    )
    assert told, done.err
    read = int(told[2])
    assert 1_600 <= read <= 4_400
    dataset = listed(tuqa, "big")
    assert (dataset.complete, dataset.facts) == (False, int(told[1].replace(",", "")))
    refused = sh(
        "tuqa", "run", "--dataset", "big", stdin="get_information(head_entity='a', relation='b')"
    )
    assert refused.code == 1
    assert (
        f"error: the load of 'big' has not finished, it has come to big.tsv:{read}" in refused.err
    )

    for facts, limit in ((dataset.facts + 1, 6_000), (6_000, 10_000), (12_000, 16_000)):
        load = Running(server, big, limit)
        load.wait_for(tuqa, facts)
        assert load.end(signal.SIGKILL).code == -signal.SIGKILL
        assert not listed(tuqa, "big").complete

    load = Running(server, big, 18_000)
    started = load.wait_for(tuqa, listed(tuqa, "big").facts + 1).facts
    second = sh("tuqa-load", "kg", str(big), "--dataset", "big")
    assert (second.code, second.out) == (1, "")
    assert re.match(
        rf"error: 'big' is being loaded by process {load.id} on \S+, "
        r"from big\.tsv, [\d,]+ items read\nhint: wait for it, or stop it and run this again to go on\n",
        second.err,
    )
    done = load.end()
    assert (done.code, done.err) == (0, "")
    expected: dict[tuple[str, ...], int] = {}
    for number, line in enumerate(big.read_text().splitlines(), 1):
        expected.setdefault(tuple(line.split("\t")), number)
    told = re.search(r"; went on after ([\d,]+) facts, now ([\d,]+)\n", done.out)
    assert told, done.out
    assert 12_000 <= int(told[1].replace(",", "")) <= started
    assert int(told[2].replace(",", "")) == len(expected)

    dataset = listed(tuqa, "big")
    assert dataset.complete
    assert (dataset.facts, dataset.relations) == (len(expected), 7)
    assert dataset.nodes == len({name for h, _, t in expected for name in (h, t)})
    assert dataset.sources[0].facts == len(expected)
    assert all_facts(tuqa) == expected


def all_facts(client: TrustUQA) -> dict[tuple[str, ...], int]:
    """Every fact of ``big`` with its line; none twice."""
    cypher = (
        "MATCH (h:Node {dataset: 'big'})-[f:FACT]->(t:Node {dataset: 'big'}) "
        "RETURN h.name AS h, f.relation AS r, t.name AS t, f.line AS line"
    )
    with client.connection.driver.session() as session:
        rows: list[Any] = session.run(cypher).values()
    found = {(h, r, t): line for h, r, t, line in rows}
    assert len(found) == len(rows)
    return found


def test_ctrl_c_while_standard_input_is_awaited(
    server: Settings, tuqa: TrustUQA, tmp_path: Path
) -> None:
    code = "from trustuqa_neo4j.cli.load import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "kg", "-", "--dataset", "typed"],
        env=environment(server) | {"TMPDIR": str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = monotonic() + 300
    while not list(tmp_path.glob("tuqa-*/copy")):
        assert process.poll() is None
        assert monotonic() < deadline
        sleep(0.01)  # the processor is the command's meanwhile
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert (process.returncode, out, err.strip()) == (130, "", "interrupted")
    assert not list(tmp_path.iterdir())
    assert "typed" not in names(tuqa)


def test_parquet_in_a_process_of_its_own(tmp_path: Path) -> None:
    """The command keeps the driver from importing packages that Parquet needs."""
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({"what": ["a", "b"]}), tmp_path / "t.parquet")
    script = "from trustuqa_neo4j.cli.load import main; main()"
    words = [
        sys.executable,
        "-c",
        script,
        str(tmp_path / "t.parquet"),
        "--dry-run",
        "--no-embeddings",
    ]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, "2 rows" in done.stdout) == (0, True), done.stderr
