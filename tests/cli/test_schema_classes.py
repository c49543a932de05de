"""``tuqa schema`` of a dataset that has classes, declared or found."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Done
from declaring import load_items
from shell import shell

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.cli.mermaid_classes import picture
from trustuqa_neo4j.cli.schema import any_of, tails
from trustuqa_neo4j.dataset import Schema, SchemaClass, SchemaRelation, SchemaSource, Tails
from trustuqa_neo4j.graph import meeting
from trustuqa_neo4j.triples import (
    ClassDeclared,
    Fact,
    Item,
    Part,
    RelationDeclared,
    Thing,
    row,
    row_key,
)

Shell = Callable[..., Done]

LIBRARY: list[Item] = [
    Part("books.ttl", "books.ttl", "kg"),
    ClassDeclared("Book", ("Work",), labels=("volume",), comment="What is\nread. " + "Long. " * 20),
    ClassDeclared("Person"), ClassDeclared("Work"),
    RelationDeclared("wrote", (("Person", "Group"),), (("Book",),), False),
    RelationDeclared("title", (("Book",),), values=True),
    RelationDeclared("unused", (("Book",),), (("Person",),)),
    *(Thing(key, None) for key in ("p1", "b1", "b2")),
    Fact("p1", "type", "Person", 1), Fact("b1", "type", "Book", 2), Fact("b2", "type", "Book", 3),
    Fact("p1", "wrote", "b1", 4), Fact("p1", "wrote", "b2", 5), Fact("b1", "title", "Emma", 6),
    Fact("Bath", "type", "Town", 7), Fact("p1", "lives in", "Bath", 8), Fact("Bath", "pop", "94000", 9),
    Fact("x", "near", "y", 10),
    Part("t.csv", "t.csv", "table", ("Nation", "title")), row("t.csv", 1),
    Fact(row_key("t.csv", 1), "Nation", "Ann", 2), Fact(row_key("t.csv", 1), "title", "Emma", 2),
]  # fmt: skip


@pytest.fixture
def sh(server: Settings, tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    return lambda *words, **options: shell(server, *words, **options)


@pytest.fixture
def library(tuqa: TrustUQA, tmp_path: Path) -> TrustUQA:
    load_items(tuqa, tmp_path / "f", LIBRARY)
    return tuqa


def lines(done: Done) -> list[str]:
    assert (done.code, done.err) == (0, "")
    return [re.sub(" +", " ", line) for line in done.out.splitlines()]


def test_for_people(sh: Shell, library: TrustUQA) -> None:
    assert lines(sh("tuqa", "schema", "d")) == [
        "d: mixed, 2 sources, 12 facts, 7 relations, 4 classes",
        "",
        "class kind of members comment",
        "Book Work 2 What is read. Long. Long. Long. Long. Long. Long. Long. Lon…",
        "Person 1",
        "Town 1",
        "Work 0",
        "",
        "relation facts from to range samples",
        "type 4 names text Person | Book | Town",
        "title 2 Book, rows of 2 sources text Emma",
        "wrote 2 Person or Group Book",
        "Nation 1 rows text Ann",
        "lives in 1 Person Town Bath",
        "near 1 names text y",
        "pop 1 Town number 94,000 94000",
        "",
        "source kind facts columns",
        "t.csv table 2 Nation, title",
        "books.ttl kg 10",
    ]
    found = lines(sh("tuqa", "schema", "d", "--limit", "2"))
    assert "… 2 more classes (--limit N shows more, --json all)" in found


def test_one_source_is_described_without_classes(sh: Shell, library: TrustUQA) -> None:
    found = lines(sh("tuqa", "schema", "d", "--source", "books.ttl"))
    assert found[0] == "d, books.ttl: kg, 1 source, 10 facts, 6 relations"
    assert "wrote 2 names text" in found
    assert library.schema("d", "books.ttl").classes == ()


def test_json_says_everything(sh: Shell, library: TrustUQA) -> None:
    told = json.loads(sh("tuqa", "schema", "d", "--json").out)
    assert told == json.loads(json.dumps(library.schema("d").to_dict()))
    assert told["classes"][:2] == [
        {"name": "Book", "kind_of": ["Work"], "members": 2, "labels": ["volume"],
         "comment": "What is\nread. " + "Long. " * 20},
        {"name": "Person", "kind_of": [], "members": 1, "labels": [], "comment": ""},
    ]  # fmt: skip
    ends = {each["name"]: (each["starts_from"], each["leads_to"]) for each in told["relations"]}
    assert ends == {
        "type": ([], []), "title": (["Book"], []), "wrote": (["Person", "Group"], ["Book"]),
        "Nation": ([], []), "lives in": (["Person"], ["Town"]), "near": ([], []), "pop": (["Town"], []),
    }  # fmt: skip


def test_members_that_nobody_counted(
    sh: Shell, tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(meeting, "MOST", 1)
    load_items(tuqa, tmp_path / "f", LIBRARY)
    assert {each.name: each.members for each in tuqa.schema("d").classes} == dict.fromkeys(
        ("Book", "Person", "Work")
    )
    assert "class kind of comment" in lines(sh("tuqa", "schema", "d"))


def test_the_picture(sh: Shell, library: TrustUQA) -> None:
    assert sh("tuqa", "schema", "d", "--mermaid").out.splitlines() == [
        "flowchart LR",
        '  class1["<b>Book</b>: 2<br/>title: text"]',
        '  class2["<b>Person</b>: 1"]',
        '  class3["<b>Town</b>: 1<br/>pop: number"]',
        '  class4["<b>Work</b>"]',
        '  class2 -->|"wrote: 2"| class1',
        '  class2 -->|"lives in: 1"| class3',
        '  class1 -.->|"kind of"| class4',
        '  from1["names and rows of 2 sources"]',
        '  from2["rows of t#46;csv"]',
        '  from3["names of books#46;ttl"]',
        '  to_text(["names and texts"])',
        '  from1 -->|"title: 2"| to_text',
        '  from2 -->|"Nation: 1"| to_text',
        '  from3 -->|"near: 1"| to_text',
    ]


def relation(
    name: str, start: tuple[str, ...], end: tuple[str, ...], facts: int = 1
) -> SchemaRelation:
    kinds = Tails(facts, 0, 0, 0)
    return SchemaRelation(name, facts, ("names",), ("s",), kinds, starts_from=start, leads_to=end)


def schema(classes: tuple[SchemaClass, ...], *relations: SchemaRelation) -> Schema:
    return Schema("d", None, "kg", 9, 9, relations, (SchemaSource("s", "kg", ("s",), 9),), classes)


def test_a_picture_of_many_classes() -> None:
    """Those that have relations are drawn first."""
    classes = tuple(SchemaClass(f"C{n}", (f"C{n + 1}", f"C{n}"), 9 - n) for n in range(6))
    found = schema(
        classes, relation("r", ("C4",), ("C5", "C4")), relation("s", ("C9",), ("C4",)),
        relation("t", ("C4",), ("C3",)), relation("u", ("C5",), ("C4",)),
    )  # fmt: skip
    assert picture(found, 2).splitlines() == [
        "flowchart LR",
        '  more["2 more relations with fewer facts are not drawn"]',
        '  fewer["4 more classes are not drawn"]',
        '  class1["<b>C4</b>: 5"]',
        '  class2["<b>C5</b>: 4"]',
        '  class1 -->|"r: 1"| class2',
        '  class1 -->|"r: 1"| class1',
        '  class1 -.->|"kind of"| class2',
        '  from1["names of s"]',
        '  to_text(["names and texts"])',
        '  from1 -->|"s: 1"| to_text',
    ]


@pytest.mark.parametrize(
    "name", ['x"]-->y["', "end", "<script>", "a\nb", ";", "[()]{}", "", "導演"]
)
def test_names_in_the_picture(name: str) -> None:
    found = picture(schema((SchemaClass(name),), relation(name, (name,), ())), 9)
    bare = re.sub(r"<b>|</b>|<br/>", "", found.splitlines()[1])
    assert re.fullmatch(r'  class1\["(?:[^\W_]| |#\d+;)+: text"\]', bare)
    assert len(found.splitlines()) == 2


@pytest.mark.parametrize(
    ("start", "told"),
    [(("A",), "A"), (("A", "B", "C"), "A or B or C"), (tuple("ABCDE"), "A or B or C or 2 more")],
)
def test_any_of_several_classes(start: tuple[str, ...], told: str) -> None:
    assert any_of(start) == told


def test_kinds_of_tails_that_are_of_a_class() -> None:
    some = replace(relation("r", (), ("A", "B")), tails=Tails(1, 3, 0, 0), facts=4)
    assert tails(some) == "number 75 %, A or B 25 %"
    assert tails(replace(some, leads_from=("names", "rows"))) == "number 75 %, text 25 %"
