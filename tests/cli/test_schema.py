"""``tuqa schema``: for people, for programs, and as a picture."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.declarations import load_items
from support.shell import Done

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.cli.mermaid import draw_classes, draw_relations, escape_label
from trustuqa_neo4j.errors import MalformedLine, UnknownDataset
from trustuqa_neo4j.graph import ontology_store
from trustuqa_neo4j.graph.dataset_schema import columns, relations
from trustuqa_neo4j.model.dataset import (
    Schema,
    SchemaClass,
    SchemaRelation,
    SchemaSource,
    TailCounts,
    format_classes,
    format_ranges,
    format_tails,
)
from trustuqa_neo4j.model.facts import (
    ClassDeclared,
    Fact,
    Item,
    NodeDeclared,
    RelationDeclared,
    SourceStart,
    make_row_key,
    make_row_node,
)
from trustuqa_neo4j.values import OPEN

Shell = Callable[..., Done]


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
        "d: mixed, 3 sources, 13 facts, 7 relations",
        "",
        "relation facts from to range held qualifiers samples",
        "Nation 3 rows of 2 sources text Ann | Bob | Cid",
        "Gold 2 rows number 3 to 5 3 | 5 km",
        "Year 2 rows date 50 %, year 50 % 1999-01-01 to 2001-05-31 1999 | May 2001",
        "Gold_2 2 rows number 3 to 4 4 | 3",
        "led 2 names text 1990-01-01 to 1995-02-03 stated in Reds",
        "Note 1 rows text x",
        "stated in 1 facts (a qualifier) text Gazette",
        "",
        "source kind facts columns",
        "medals.csv table 8 Nation, Gold, Year, Gold_2",
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
    assert "… 6 more relations (--limit N shows more, --json all)" in found
    assert "… 2 more sources (--limit N shows more, --json all)" in found


def test_a_wide_table_fits_on_a_screen(sh: Shell, tuqa: TrustUQA, tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text(f"{','.join(f'reading {n}' for n in range(300))}\n{','.join(['1'] * 300)}\n")
    tuqa.load("table", path, dataset="w", source="s")
    found = lines(sh("tuqa", "schema", "w"))
    assert len(found) == 22
    assert "… 285 more relations (--limit N shows more, --json all)" in found
    assert found[-1].endswith("reading 3, reading 4 and 295 more")
    assert len(lines(sh("tuqa", "schema", "w", "--limit", "300"))) == 306


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
        "name": "Gold", "facts": 2, "leads_from": ["rows"], "sources": ["medals.csv"],
        "tails": {"text": 0, "numbers": 2, "dates": 0, "years": 0}, "lowest": 3.0, "highest": 5.0,
        "earliest": None, "latest": None, "held": 0, "first": None, "last": None, "qualifiers": [],
        "samples": ["3", "5 km"], "starts_from": [], "leads_to": [], "comment": "",
        "starts_nameless": False, "leads_on": [],
    }  # fmt: skip
    assert found["Nation"]["sources"] == ["medals.csv", "more.csv"]
    assert found["Year"]["tails"] == {"text": 0, "numbers": 0, "dates": 1, "years": 1}
    assert (found["led"]["held"], found["led"]["qualifiers"]) == (2, ["stated in"])
    assert told["classes"] == []
    assert told["sources"][0] == {
        "name": "medals.csv", "kind": "table", "files": ["medals.csv"], "facts": 8,
        "columns": ["Nation", "Gold", "Year", "Gold_2"],
    }  # fmt: skip


def test_what_is_refused(sh: Shell, mixed: TrustUQA) -> None:
    Path("half.tsv").write_text("a\tr\tb\nx\n")
    with pytest.raises(MalformedLine):
        mixed.load("kg", "half.tsv", dataset="half", batch_size=1)
    for words, code, said in (
        (["dd"], 1, "error: no dataset 'dd'\nhint: did you mean 'd'?"),
        (["d", "--source", "mor.csv"], 1,
         "error: no source 'mor.csv', dataset 'd'\nhint: did you mean 'more.csv'?"),
        (["half"], 1, "error: the load of 'half' has not finished"),
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
        "leads_from": ("names",), "sources": ("s",), "tails": TailCounts(facts, 0, 0, 0),
    }  # fmt: skip
    return SchemaRelation(name, facts, **(given | changes))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (TailCounts(0, 0, 0, 0), ""),
        (TailCounts(5, 0, 0, 0), "text"),
        (TailCounts(1, 3, 0, 0), "number 75 %, text 25 %"),
        (TailCounts(1000, 1, 0, 1), "text >99 %, number <1 %"),
    ],
)
def test_kinds_of_tails(given: TailCounts, told: str) -> None:
    assert format_tails(relation(tails=given)) == told


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
             "tails": TailCounts(0, 0, 0, 9)},
            "1990 to 1999",
        ),
    ],
)  # fmt: skip
def test_ranges(given: dict[str, Any], told: str) -> None:
    assert format_ranges(relation(**given)) == told


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
        "r", 11, ("facts", "rows"), ("s", "t"), TailCounts(9, 0, 1, 1), 4.0, 5.0, 3, 4, 1, 1, 2, (),
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
    found = escape_label(name)
    assert re.fullmatch(r"(?:[^\W_]| |#\d+;)+", found)
    decoded = re.sub(r"#(\d+);", lambda code: chr(int(code[1])), found)
    assert decoded == re.sub(r"[\x00-\x1f]+", " ", name).strip() or not name.strip()


def test_the_picture(mixed: TrustUQA, sh: Shell) -> None:
    assert sh("tuqa", "schema", "d", "--mermaid").out.splitlines() == [
        "flowchart LR",
        '  from1["rows of 2 sources"]',
        '  from2["rows of medals#46;csv"]',
        '  from3["names of reigns#46;tsv"]',
        '  from4["rows of more#46;csv"]',
        '  from5["facts of reigns#46;tsv"]',
        '  to_text(["names and texts"])',
        '  to_number(["numbers"])',
        '  to_date(["dates"])',
        '  to_year(["years"])',
        '  from1 -->|"Nation: 3"| to_text',
        '  from2 -->|"Gold: 2<br/>Gold#95;2: 2"| to_number',
        '  from2 -->|"Year: 1"| to_date',
        '  from2 -->|"Year: 1"| to_year',
        '  from3 -->|"led: 2"| to_text',
        '  from4 -->|"Note: 1"| to_text',
        '  from5 -->|"stated in: 1"| to_text',
    ]


def test_a_picture_of_many_relations() -> None:
    found = tuple(relation(f"r{n}", 10 - n) for n in range(5))
    schema = Schema("d", None, "kg", 1, 40, found, (SchemaSource("s", "kg", ("s",), 40),))
    assert draw_relations(schema, 2).splitlines() == [
        "flowchart LR",
        '  more["3 more relations with fewer facts are not drawn"]',
        '  from1["names of s"]',
        '  to_text(["names and texts"])',
        '  from1 -->|"r0: 10<br/>r1: 9"| to_text',
    ]


# ``tuqa schema`` of a dataset that has classes, declared or found.

LIBRARY: list[Item] = [
    SourceStart("books.ttl", "books.ttl", "kg"),
    ClassDeclared("Book", ("Work",), labels=("volume",), comment="What is\nread. " + "Long. " * 20),
    ClassDeclared("Person"), ClassDeclared("Work"),
    RelationDeclared("wrote", (("Person", "Group"),), (("Book",),), False),
    RelationDeclared("title", (("Book",),), values=True),
    RelationDeclared("unused", (("Book",),), (("Person",),)),
    *(NodeDeclared(key, None) for key in ("p1", "b1", "b2")),
    Fact("p1", "type", "Person", 1), Fact("b1", "type", "Book", 2), Fact("b2", "type", "Book", 3),
    Fact("p1", "wrote", "b1", 4), Fact("p1", "wrote", "b2", 5), Fact("b1", "title", "Emma", 6),
    Fact("Bath", "type", "Town", 7), Fact("p1", "lives in", "Bath", 8), Fact("Bath", "pop", "94000", 9),
    Fact("x", "near", "y", 10),
    SourceStart("t.csv", "t.csv", "table", ("Nation", "title")), make_row_node("t.csv", 1),
    Fact(make_row_key("t.csv", 1), "Nation", "Ann", 2), Fact(make_row_key("t.csv", 1), "title", "Emma", 2),
]  # fmt: skip


@pytest.fixture
def library(tuqa: TrustUQA, tmp_path: Path) -> TrustUQA:
    load_items(tuqa, tmp_path / "f", LIBRARY)
    return tuqa


def test_classes_are_shown_to_people(sh: Shell, library: TrustUQA) -> None:
    assert lines(sh("tuqa", "schema", "d")) == [
        "d: mixed, 2 sources, 12 facts, 7 relations, 4 classes",
        "",
        "class kind of members comment",
        "Book Work 2 What is read. Long. Long. Long. Long. Long. Long. Long. Lon…",
        "Work 2",
        "Person 1",
        "Town 1",
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


def test_json_says_everything_of_classes(sh: Shell, library: TrustUQA) -> None:
    told = json.loads(sh("tuqa", "schema", "d", "--json").out)
    assert told == json.loads(json.dumps(library.schema("d").to_dict()))
    assert told["classes"][:2] == [
        {"name": "Book", "kind_of": ["Work"], "members": 2, "labels": ["volume"],
         "comment": "What is\nread. " + "Long. " * 20},
        {"name": "Work", "kind_of": [], "members": 2, "labels": [], "comment": ""},
    ]  # fmt: skip
    ends = {each["name"]: (each["starts_from"], each["leads_to"]) for each in told["relations"]}
    assert ends == {
        "type": ([], []), "title": (["Book"], []), "wrote": (["Person", "Group"], ["Book"]),
        "Nation": ([], []), "lives in": (["Person"], ["Town"]), "near": ([], []), "pop": (["Town"], []),
    }  # fmt: skip


def test_members_that_nobody_counted(
    sh: Shell, tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ontology_store, "MAX_ANALYZED_FACTS", 1)
    load_items(tuqa, tmp_path / "f", LIBRARY)
    assert {each.name: each.members for each in tuqa.schema("d").classes} == dict.fromkeys(
        ("Book", "Person", "Work")
    )
    assert "class kind of comment" in lines(sh("tuqa", "schema", "d"))


def test_the_picture_of_classes(sh: Shell, library: TrustUQA) -> None:
    assert sh("tuqa", "schema", "d", "--mermaid").out.splitlines() == [
        "flowchart LR",
        '  class1["<b>Book</b>: 2<br/>title: text"]',
        '  class2["<b>Person</b>: 1"]',
        '  class3["<b>Town</b>: 1<br/>pop: number"]',
        '  class4["<b>Work</b>: 2"]',
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


def class_relation(
    name: str, start: tuple[str, ...], end: tuple[str, ...], facts: int = 1
) -> SchemaRelation:
    kinds = TailCounts(facts, 0, 0, 0)
    return SchemaRelation(name, facts, ("names",), ("s",), kinds, starts_from=start, leads_to=end)


def schema(classes: tuple[SchemaClass, ...], *relations: SchemaRelation) -> Schema:
    return Schema("d", None, "kg", 9, 9, relations, (SchemaSource("s", "kg", ("s",), 9),), classes)


def test_a_picture_of_many_classes() -> None:
    """Those that have relations are drawn first."""
    classes = tuple(SchemaClass(f"C{n}", (f"C{n + 1}", f"C{n}"), 9 - n) for n in range(6))
    found = schema(
        classes, class_relation("r", ("C4",), ("C5", "C4")), class_relation("s", ("C9",), ("C4",)),
        class_relation("t", ("C4",), ("C3",)), class_relation("u", ("C5",), ("C4",)),
    )  # fmt: skip
    assert draw_classes(found, 2).splitlines() == [
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
def test_names_of_classes_in_the_picture(name: str) -> None:
    found = draw_classes(schema((SchemaClass(name),), class_relation(name, (name,), ())), 9)
    bare = re.sub(r"<b>|</b>|<br/>", "", found.splitlines()[1])
    assert re.fullmatch(r'  class1\["(?:[^\W_]| |#\d+;)+: text"\]', bare)
    assert len(found.splitlines()) == 2


@pytest.mark.parametrize(
    ("start", "told"),
    [(("A",), "A"), (("A", "B", "C"), "A or B or C"), (tuple("ABCDE"), "A or B or C or 2 more")],
)
def test_any_of_several_classes(start: tuple[str, ...], told: str) -> None:
    assert format_classes(start) == told


def test_kinds_of_tails_that_are_of_a_class() -> None:
    some = replace(class_relation("r", (), ("A", "B")), tails=TailCounts(1, 3, 0, 0), facts=4)
    assert format_tails(some) == "number 75 %, A or B 25 %"
    assert format_tails(replace(some, leads_from=("names", "rows"))) == "number 75 %, text 25 %"


def test_a_dataset_is_taught_synonyms(mixed: TrustUQA, sh: Shell) -> None:
    words = ["schema", "d", "--synonym", "titles = gold", "--synonym", "boss=Ann"]
    lines = sh("tuqa", *words).out.splitlines()
    assert [line.split() for line in lines[-2:]] == [["boss", "Ann"], ["titles", "Gold"]]
    assert json.loads(sh("tuqa", "schema", "d", "--json").out)["synonyms"] == [
        {"phrase": "boss", "name": "Ann", "kind": "name"},
        {"phrase": "titles", "name": "Gold", "kind": "relation"},
    ]
    removed = sh("tuqa", "schema", "d", "--remove-synonym", "boss")
    assert "boss" not in removed.out


def test_a_dataset_has_notes(mixed: TrustUQA, sh: Shell) -> None:
    text = "Gold  is counted\nin kilograms."
    lines = sh("tuqa", "schema", "d", "--note", text, "--note", "Ann left.").out.splitlines()
    assert [line.split(maxsplit=1) for line in lines[-2:]] == [
        ["1", "Gold is counted in kilograms."],
        ["2", "Ann left."],
    ]
    assert sh("tuqa", "schema", "d", "--note", "Ann left.").out.splitlines() == lines
    removed = sh("tuqa", "schema", "d", "--remove-note", "1", "--json")
    assert json.loads(removed.out)["notes"] == ["Ann left."]
    assert sh("tuqa", "schema", "d", "--remove-note", "1").code == 0


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--synonym", "titles"], 2, "'titles' is not PHRASE=NAME, as in runtime=length"),
        (["--synonym", "=Gold"], 2, "'=Gold' is not PHRASE=NAME, as in runtime=length"),
        (["--synonym", "a=Gould"], 1, "hint: did you mean 'Gold', "),
        (["--remove-synonym", "titles"], 1, "hint: it has none"),
        (["--note", " "], 2, "a note is empty"),
        (["--note", "x" * 301], 2, "a note has at most 300 characters, this one 301"),
        (["--remove-note", "1"], 2, "there is no note 1; 'd' has 0 notes"),
    ],
)
def test_a_wrong_synonym_or_note_is_refused(
    mixed: TrustUQA, sh: Shell, words: list[str], code: int, message: str
) -> None:
    done = sh("tuqa", "schema", "d", *words)
    assert done.code == code
    assert message in done.err
