"""``tuqa schema``: for people, for programs, and as a picture."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Done
from shell import shell

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.cli.mermaid import label, picture
from trustuqa_neo4j.cli.schema import ranges, tails
from trustuqa_neo4j.dataset import Schema, SchemaRelation, SchemaSource, Tails
from trustuqa_neo4j.errors import MalformedLine, UnknownDataset
from trustuqa_neo4j.graph.describing import columns, relations
from trustuqa_neo4j.values import OPEN

Shell = Callable[..., Done]


@pytest.fixture
def sh(server: Settings, tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    return lambda *words, **options: shell(server, *words, **options)


@pytest.fixture
def mixed(tuqa: TrustUQA, sh: Shell) -> TrustUQA:
    """Two tables and a temporal graph as ``d``."""
    Path("medals.csv").write_text("Nation,Gold,Year,Gold\nAnn,3,1999,4\nBob,5 km,May 2001,3\n")
    Path("more.csv").write_text("Nation,Note\nCid,x\n")
    Path("reigns.tsv").write_text(
        "head\trelation\ttail\tstart\tend\tstated in\n"
        "Ann\tled\tReds\t1990\t1992\tGazette\nBob\tled\tReds\t1995-02-03\t####\t\n"
    )
    tuqa.load("table", "medals.csv", "more.csv", dataset="d")
    tuqa.load("temporal-kg", "reigns.tsv", dataset="d", mode="append")
    return tuqa


def lines(done: Done) -> list[str]:
    assert (done.code, done.err) == (0, "")
    return [re.sub(" +", " ", line) for line in done.out.splitlines()]


def test_for_people(sh: Shell, mixed: TrustUQA) -> None:
    assert lines(sh("tuqa", "schema", "d")) == [
        "d: mixed, 3 sources, 13 facts, 6 relations",
        "",
        "relation facts from to range held qualifiers samples",
        "Gold 4 rows number 3 to 5 3 | 4 | 5 km",
        "Nation 3 rows of 2 sources text Ann | Bob | Cid",
        "Year 2 rows date 50 %, year 50 % 1999-01-01 to 2001-05-31 1999 | May 2001",
        "led 2 names text 1990-01-01 to 1995-02-03 stated in Reds",
        "Note 1 rows text x",
        "stated in 1 facts (a qualifier) text Gazette",
        "",
        "source kind facts columns",
        "medals.csv table 8 Nation, Gold, Year, Gold",
        "more.csv table 2 Nation, Note",
        "reigns.tsv temporal-kg 3",
    ]
    assert lines(sh("tuqa", "schema", "d", "--source", "more.csv")) == [
        "d, more.csv: table, 1 source, 2 facts, 2 relations",
        "",
        "relation facts from to samples",
        "Nation 1 rows text Cid",
        "Note 1 rows text x",
        "",
        "source kind facts columns",
        "more.csv table 2 Nation, Note",
    ]
    found = lines(sh("tuqa", "schema", "d", "--limit", "1"))
    assert "… 5 more relations (--limit N shows more, --json all)" in found
    assert "… 2 more sources (--limit N shows more, --json all)" in found


def test_json_says_everything(sh: Shell, mixed: TrustUQA) -> None:
    told = json.loads(sh("tuqa", "schema", "d", "--json", "--limit", "1").out)
    assert told == json.loads(json.dumps(mixed.schema("d").to_dict()))
    assert (told["dataset"], told["source"], told["kind"], told["facts"]) == (
        "d",
        None,
        "mixed",
        13,
    )
    found = {relation["name"]: relation for relation in told["relations"]}
    assert found["Gold"] == {
        "name": "Gold", "facts": 4, "leads_from": ["rows"], "sources": ["medals.csv"],
        "tails": {"text": 0, "numbers": 4, "dates": 0, "years": 0}, "lowest": 3.0, "highest": 5.0,
        "earliest": None, "latest": None, "held": 0, "first": None, "last": None, "qualifiers": [],
        "samples": ["3", "4", "5 km"], "starts_from": [], "leads_to": [], "comment": "",
    }  # fmt: skip
    assert found["Nation"]["sources"] == ["medals.csv", "more.csv"]
    assert found["Year"]["tails"] == {"text": 0, "numbers": 0, "dates": 1, "years": 1}
    assert (found["led"]["held"], found["led"]["qualifiers"]) == (2, ["stated in"])
    assert told["classes"] == []
    assert told["sources"][0] == {
        "name": "medals.csv", "kind": "table", "files": ["medals.csv"], "facts": 8,
        "columns": ["Nation", "Gold", "Year", "Gold"],
    }  # fmt: skip


def test_what_is_refused(sh: Shell, mixed: TrustUQA) -> None:
    Path("half.tsv").write_text("a\tr\tb\nx\n")
    with pytest.raises(MalformedLine):
        mixed.load("kg", "half.tsv", dataset="half", batch_size=1)
    for words, code, said in (
        (["dd"], 1, "unknown dataset: no dataset 'dd', did you mean 'd'?"),
        (["d", "--source", "mor.csv"], 1,
         "unknown source: no source 'mor.csv', dataset 'd', did you mean 'more.csv'?"),
        (["half"], 1, "incomplete dataset: the load of 'half' has not finished"),
        (["d", "--json", "--mermaid"], 2, "--json and --mermaid contradict each other"),
        (["d", "--limit", "0"], 2, "0 is not in the range"),
    ):  # fmt: skip
        done = sh("tuqa", "schema", *words)
        assert (done.code, done.out) == (code, "")
        assert said in done.err
    scoped = TrustUQA(mixed.connection.driver, mixed.connection._database, datasets=["x"])
    with pytest.raises(UnknownDataset, match="no dataset 'd' in this client's scope"):
        scoped.schema("d")


def test_names_are_shown_as_they_are(sh: Shell, tuqa: TrustUQA) -> None:
    name = "[red]\x1b[31m:smile:"
    Path("f.tsv").write_text(f"a\t{name}\t{name}\n")
    tuqa.load("kg", "f.tsv", dataset="d", source=name.replace("\x1b", ""))
    out = sh("tuqa", "schema", "d").out
    assert "\x1b" not in out
    assert out.count("[red]␛[31m:smile:") == 2
    assert "\n[red][31m:smile:  kg" in out


def relation(name: str = "r", facts: int = 1, **changes: Any) -> SchemaRelation:
    given: dict[str, Any] = {
        "leads_from": ("names",), "sources": ("s",), "tails": Tails(facts, 0, 0, 0),
    }  # fmt: skip
    return SchemaRelation(name, facts, **(given | changes))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (Tails(0, 0, 0, 0), ""),
        (Tails(5, 0, 0, 0), "text"),
        (Tails(1, 3, 0, 0), "number 75 %, text 25 %"),
        (Tails(1000, 1, 0, 1), "text >99 %, number <1 %, year <1 %"),
    ],
)
def test_kinds_of_tails(given: Tails, told: str) -> None:
    assert tails(relation(tails=given)) == told


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"lowest": -1.5, "highest": 2e20}, "-1.5 to 2e+20"),
        ({"lowest": 7.0, "highest": 7.0}, "7"),
        ({"earliest": 19990101, "latest": 20011231}, "1999 to 2001"),
        ({"earliest": -4899899, "latest": 19990305}, "-490-01-01 to 1999-03-05"),
        ({"earliest": 719, "latest": OPEN}, "07-19 to open"),
        (
            {"lowest": 1990.0, "highest": 1999.0, "earliest": 19900101, "latest": 19991231,
             "tails": Tails(0, 0, 0, 9)},
            "1990 to 1999",
        ),
    ],
)  # fmt: skip
def test_ranges(given: dict[str, Any], told: str) -> None:
    assert ranges(relation(**given)) == told


def test_sources_are_put_together() -> None:
    """What the catalogue says of a relation in each source → one relation, with what all say."""
    one = {"relation": "r", "facts": 2, "numbers": 1, "dates": 2, "values": 2, "lowest": 4.0,
           "highest": 5.0, "earliest": 3, "latest": 4, "samples": ["a", "b"]}  # fmt: skip
    two = {"relation": "r", "facts": 9, "numbers": 0, "dates": 0, "values": 0, "held": 1, "first": 1,
           "last": 2, "samples": ["b", "c", "d", "e", "f"], "places": [2, 1]}  # fmt: skip
    other = {"relation": "q", "facts": 0, "places": [3]}
    said = {"relation": "p", "facts": 11, "qualifiers": ["r"]}
    found = relations([
        {"name": "s", "relations": [one, said]}, {"name": "t", "relations": [two, other]},
    ])  # fmt: skip
    assert [(each.name, each.facts) for each in found] == [("p", 11), ("r", 11), ("q", 0)]
    assert found[1] == SchemaRelation(
        "r", 11, ("facts", "rows"), ("s", "t"), Tails(9, 0, 1, 1), 4.0, 5.0, 3, 4, 1, 1, 2, (),
        ("b", "c", "d", "e", "f"),
    )  # fmt: skip
    assert columns([two, other]) == ("r", "r", "q")
    assert columns([one]) == ()


# The picture.

HOSTILE = (
    'x"]-->y["', "end", "`class`", "%%{init: {}}%%", "<script>alert(1)</script>", "a\nb", "#quot;",
    "1. list", "subgraph", ";", "|", "[()]{}", "\\", "", " ", "導演", "&amp;", "_i_", "\x1b[31m",
)  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_names_in_the_picture(name: str) -> None:
    found = label(name)
    assert re.fullmatch(r"(?:[^\W_]| |#\d+;)+", found)
    decoded = re.sub(r"#(\d+);", lambda code: chr(int(code[1])), found)
    assert decoded == re.sub(r"[\x00-\x1f]+", " ", name).strip() or not name.strip()


def test_the_picture(mixed: TrustUQA, sh: Shell) -> None:
    assert sh("tuqa", "schema", "d", "--mermaid").out.splitlines() == [
        "flowchart LR",
        '  from1["rows of medals#46;csv"]',
        '  from2["rows of 2 sources"]',
        '  from3["names of reigns#46;tsv"]',
        '  from4["rows of more#46;csv"]',
        '  from5["facts of reigns#46;tsv"]',
        '  to_number(["numbers"])',
        '  to_text(["names and texts"])',
        '  to_date(["dates"])',
        '  to_year(["years"])',
        '  from1 -->|"Gold: 4"| to_number',
        '  from2 -->|"Nation: 3"| to_text',
        '  from1 -->|"Year: 1"| to_date',
        '  from1 -->|"Year: 1"| to_year',
        '  from3 -->|"led: 2"| to_text',
        '  from4 -->|"Note: 1"| to_text',
        '  from5 -->|"stated in: 1"| to_text',
    ]


def test_a_picture_of_many_relations() -> None:
    found = tuple(relation(f"r{n}", 10 - n) for n in range(5))
    schema = Schema("d", None, "kg", 1, 40, found, (SchemaSource("s", "kg", ("s",), 40),))
    assert picture(schema, 2).splitlines() == [
        "flowchart LR",
        '  more["3 more relations with fewer facts are not drawn"]',
        '  from1["names of s"]',
        '  to_text(["names and texts"])',
        '  from1 -->|"r0: 10<br/>r1: 9"| to_text',
    ]
