"""What sources declare, and which relations meet: as loads and drops leave it in the database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from declaring import declarations, load_items, shares, stamp, vocabulary_of

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.checking import meetings as meetings_of
from trustuqa_neo4j.checking.meetings import Side
from trustuqa_neo4j.checking.vocabulary import Figures, Vocabulary
from trustuqa_neo4j.executing import consulting
from trustuqa_neo4j.graph import meeting, writing
from trustuqa_neo4j.graph.batch import Batcher
from trustuqa_neo4j.loading import Interrupted
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
from trustuqa_neo4j.values import DEFAULT

BOOKS: list[Item] = [
    Part("books", "books.ttl", "kg"),
    ClassDeclared("Book", ("Work",), ("Person",), ("volume",), "What is read."),
    ClassDeclared("Person"),
    RelationDeclared("wrote", (("Person",),), (("Book",), ("Work", "Text")), False, inverses=("by",)),
    RelationDeclared("title", (("Book",),), values=True, datatypes=("text",)),
    Thing("p1", None), Thing("b1", None), Thing("b2", None),
    Fact("p1", "type", "Person", 1), Fact("b1", "type", "Book", 2), Fact("b2", "type", "Book", 3),
    Fact("p1", "wrote", "b1", 4), Fact("p1", "wrote", "b2", 5), Fact("b1", "title", "Emma", 6),
]  # fmt: skip
SHOPS: list[Item] = [
    Part("shops", "shops.ttl", "kg"),
    ClassDeclared("Book", ("Ware",), labels=("volume", "tome"), comment="What is sold."),
    ClassDeclared("Shop"),
    RelationDeclared("wrote", parents=("made",), comment="Somebody did."),
    RelationDeclared("sells", (("Shop",),), (("Book",),), False),
    Fact("Hatchards", "type", "Shop", 1), Fact("Hatchards", "sells", "b1", 2),
    Thing("b2", None), Fact("b2", "title", "Persuasion", 3), Fact("p1", "wrote", "b1", 4),
]  # fmt: skip


def start(relation: str) -> Side:
    return Side("start", relation)


def end(relation: str) -> Side:
    return Side("end", relation)


def members(name: str) -> Side:
    return Side("class", name)


# What loads and drops leave.


def test_declarations_of_two_sources_add_up(tuqa: TrustUQA, tmp_path: Path) -> None:
    load_items(tuqa, tmp_path / "f", [*BOOKS, *SHOPS])
    found = vocabulary_of(tuqa)
    book = found.ontology.classes["Book"]
    assert sorted(book.parents) == ["Ware", "Work"]
    assert (book.disjoint, sorted(book.labels)) == (("Person",), ["tome", "volume"])
    assert book.comment in ("What is read.", "What is sold.")
    wrote = found.ontology.relations["wrote"]
    assert wrote == RelationDeclared(
        "wrote", (("Person",),), (("Book",), ("Work", "Text")), False, (), ("by",), ("made",), (),
        "Somebody did.",
    )  # fmt: skip
    assert found.ontology.relations["title"].values is True
    assert sorted(found.ontology.classes) == ["Book", "Person", "Shop"]
    assert found.relations["title"] == Figures(2)
    assert found.relations["wrote"] == Figures(3)  # one of them said twice


def test_a_node_of_two_sources_counts_once_and_ids_are_counted(
    tuqa: TrustUQA, tmp_path: Path
) -> None:
    load_items(tuqa, tmp_path / "f", [*BOOKS, *SHOPS])
    met = vocabulary_of(tuqa).met
    for side, size, ids in (
        (start("wrote"), 1, 1), (end("wrote"), 2, 2), (start("title"), 2, 2), (end("title"), 2, 0),
        (members("Book"), 2, 2), (members("Shop"), 1, 0), (end("sells"), 1, 1), (end("type"), 3, 0),
        (end("nothing"), 0, 0),
    ):  # fmt: skip
        assert (met.size(side), met.ids(side)) == (size, ids), side
    assert met.shared(end("wrote"), start("title")) == 2
    assert met.shared(end("sells"), end("wrote")) == met.shared(end("wrote"), end("sells")) == 1
    assert met.shared(start("sells"), members("Shop")) == 1
    assert met.shared(start("sells"), start("title")) == 0
    assert met.shared(end("title"), end("nothing")) == 0


def test_append_replace_and_drop_leave_what_remains(tuqa: TrustUQA, tmp_path: Path) -> None:
    load_items(tuqa, tmp_path / "only", BOOKS, "only")
    load_items(tuqa, tmp_path / "f", BOOKS)
    stamps = [stamp(tuqa), stamp(tuqa, "only")]
    assert declarations(tuqa, "d") == declarations(tuqa, "only")
    load_items(tuqa, tmp_path / "g", SHOPS, mode="append")
    both = vocabulary_of(tuqa)
    assert both.classes == ("Book", "Person", "Shop")
    assert both.met.size(start("sells")) == 1
    stamps.append(stamp(tuqa))
    tuqa.drop("d", "shops")
    assert declarations(tuqa, "d") == declarations(tuqa, "only")
    assert shares(vocabulary_of(tuqa).met) == shares(vocabulary_of(tuqa, "only").met)
    assert vocabulary_of(tuqa).relations == vocabulary_of(tuqa, "only").relations
    stamps.append(stamp(tuqa))
    load_items(tuqa, tmp_path / "g", SHOPS, mode="replace")
    replaced = vocabulary_of(tuqa)
    assert (sorted(replaced.ontology.classes), replaced.classes) == (
        ["Book", "Shop"],
        ("Book", "Shop"),
    )
    assert replaced.ontology.classes["Book"].parents == ("Ware",)
    assert start("type") in replaced.met.places
    assert members("Person") not in replaced.met.places
    stamps.append(stamp(tuqa))
    assert len({*stamps}) == len(stamps) == 5
    tuqa.drop("d")
    assert (declarations(tuqa, "d"), stamp(tuqa)) == ([], None)
    assert len(declarations(tuqa, "only")) == 4
    assert vocabulary_of(tuqa) == Vocabulary()


def test_the_last_graph_takes_the_vocabulary_with_it(tuqa: TrustUQA, tmp_path: Path) -> None:
    cells: list[Item] = [
        Part("t", "t.csv", "table", ("Nation", "type")), row("t", 1),
        Fact(row_key("t", 1), "Nation", "Book", 2), Fact(row_key("t", 1), "type", "Emma", 2),
    ]  # fmt: skip
    load_items(tuqa, tmp_path / "f", cells)
    assert stamp(tuqa) is None
    load_items(tuqa, tmp_path / "g", BOOKS, mode="append")
    met = vocabulary_of(tuqa).met
    assert met.size(start("title")) == met.size(end("title")) == 1
    assert start("Nation") not in met.places
    assert members("Emma") not in met.places
    assert "Nation" not in vocabulary_of(tuqa).relations
    tuqa.drop("d", "books")
    assert stamp(tuqa) is None
    assert tuqa.schema("d").facts == 2


def test_a_drop_that_is_interrupted_is_done_to_the_end(
    tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The dataset cannot be asked before its vocabulary is that of what remains."""
    load_items(tuqa, tmp_path / "f", [*BOOKS, *SHOPS])

    def fail(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(meeting, "_known", fail)
        with pytest.raises(KeyboardInterrupt):
            tuqa.drop("d", "shops")
    assert [d.complete for d in tuqa.datasets() if d.name == "d"] == [False]
    tuqa.drop("d", "shops")
    assert [d.complete for d in tuqa.datasets() if d.name == "d"] == [True]
    assert start("sells") not in vocabulary_of(tuqa).met.places


def test_an_interrupted_load_gone_on_with_is_as_one(
    tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_items(tuqa, tmp_path / "only", [*BOOKS, *SHOPS], "only")
    write = writing.Writer.write
    for batches in (3, 6):
        left = iter(range(batches))

        def stopping(self: writing.Writer, batch: object, left: Iterator[int] = left) -> object:
            if next(left, None) is None:
                raise KeyboardInterrupt
            return write(self, batch)  # type: ignore[arg-type]  # a batch

        monkeypatch.setattr(writing.Writer, "write", stopping)
        with pytest.raises(Interrupted, match="run the same command again to go on"):
            load_items(tuqa, tmp_path / "f", [*BOOKS, *SHOPS], batch_size=2)
        monkeypatch.setattr(writing.Writer, "write", write)
        report = load_items(tuqa, tmp_path / "f", [*BOOKS, *SHOPS], batch_size=2)
        assert report.begun == "resumed"
        assert declarations(tuqa, "d") == declarations(tuqa, "only")
        assert shares(vocabulary_of(tuqa).met) == shares(vocabulary_of(tuqa, "only").met)
        tuqa.drop("d")


def test_where_a_load_of_declarations_stopped() -> None:
    told = []
    batcher = Batcher(iter(BOOKS), DEFAULT, size=2)
    while batch := batcher.next():
        told.append(batch.at)
    assert told == [
        *["what books.ttl declares"] * 2, "books.ttl:2", "books.ttl:4", "books.ttl:6",
    ]  # fmt: skip


def test_many_declarations_come_in_batches(
    tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = writing.Writer.write
    sizes = []

    def noting(self: writing.Writer, batch: object) -> object:
        sizes.append(len(batch.classes) + len(batch.properties))  # type: ignore[attr-defined]
        return write(self, batch)  # type: ignore[arg-type]  # a batch

    monkeypatch.setattr(writing.Writer, "write", noting)
    classes = [ClassDeclared(f"c{n}", (f"c{n // 2}",)) for n in range(20_000)]
    relations = [RelationDeclared(f"r{n}", ((f"c{n}",),)) for n in range(5_000)]
    load_items(tuqa, tmp_path / "f", [Part("s", "s", "kg"), *classes, *relations], batch_size=4_000)
    assert sizes == [4_000] * 6 + [1_000]
    found = vocabulary_of(tuqa)
    assert (len(found.classes), len(found.ontology.relations)) == (20_000, 5_000)
    assert found.ontology.fits("c19999", "c1")
    assert not found.met.places
    tuqa.drop("d")
    assert declarations(tuqa, "d") == []


def test_a_large_dataset_has_declarations_alone(
    tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(meeting, "MOST", 5)
    load_items(tuqa, tmp_path / "f", BOOKS)
    found = vocabulary_of(tuqa)
    assert stamp(tuqa) is not None
    assert (len(found.met.places), sorted(found.ontology.classes)) == (0, ["Book", "Person"])
    assert found.relations["wrote"] == Figures(2)
    assert found.clash(start("title"), members("Person"))
    assert not found.clash(end("type"), start("wrote"))  # nothing is known of what is not declared
    monkeypatch.setattr(meeting, "MOST", 6)
    tuqa.drop("d")
    load_items(tuqa, tmp_path / "f", BOOKS)
    assert vocabulary_of(tuqa).met.places
    load_items(tuqa, tmp_path / "g", SHOPS, mode="append")
    assert not vocabulary_of(tuqa).met.places
    tuqa.drop("d", "shops")
    assert vocabulary_of(tuqa).met.places


def test_a_node_with_very_many_relations(
    tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its pairs would fill the memory at the end of a load: what meets is left open, and nothing refused."""
    monkeypatch.setattr(meetings_of, "PAIRS", 900)
    wide = [Part("s", "s", "kg"), *(Fact("hub", f"r{n}", f"t{n}", n + 1) for n in range(30))]
    load_items(tuqa, tmp_path / "f", wide)
    assert vocabulary_of(tuqa).met.places
    monkeypatch.setattr(meetings_of, "PAIRS", 400)  # fewer than 30 × 31 / 2
    tuqa.drop("d")
    load_items(tuqa, tmp_path / "f", wide)
    assert not vocabulary_of(tuqa).met.places
    monkeypatch.setattr(meetings_of, "PAIRS", 900)
    monkeypatch.setattr(meetings_of, "SIDES", 59)
    tuqa.drop("d")
    load_items(tuqa, tmp_path / "f", wide)
    assert not vocabulary_of(tuqa).met.places
    found = tuqa.run("get_information(head_entity='hub', relation='r7')", "d")
    assert found.values == ("t7",)


def test_names_that_no_index_holds_are_left_out(tuqa: TrustUQA, tmp_path: Path) -> None:
    long = "é" * 40_000
    load_items(
        tuqa, tmp_path / "f",
        [Part("s", "s.owl", "kg"), ClassDeclared(long), ClassDeclared("é" * 1000, (long,)),
         RelationDeclared(long), RelationDeclared("r", ((long, "A"),), comment=long)],
    )  # fmt: skip
    found = vocabulary_of(tuqa).ontology
    assert (*found.classes,) == ("é" * 1000,)
    assert found.domains("r") == ((long, "A"),)


# Reading it.


def test_the_vocabulary_is_read_once_for_each_stamp(tuqa: TrustUQA, tmp_path: Path) -> None:
    def statements() -> list[str]:
        answer = tuqa.run("get_information(relation='title', head_entity='b1')", "d")
        return [sent.statement for stage in answer.trace for sent in stage.sent]

    load_items(tuqa, tmp_path / "f", BOOKS)
    assert "read_vocabulary" in statements()
    assert "read_vocabulary" not in statements()
    load_items(tuqa, tmp_path / "g", SHOPS, mode="append")
    assert "read_vocabulary" in statements()
    assert "read_vocabulary" not in statements()


def test_those_used_last_are_held(
    tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consulting, "HELD", 2)
    for name in "abc":
        load_items(tuqa, tmp_path / name, BOOKS, name)

    def is_read(dataset: str) -> bool:
        answer = tuqa.run("get_information(relation='title', head_entity='b1')", dataset)
        return any(s.statement == "read_vocabulary" for stage in answer.trace for s in stage.sent)

    assert [is_read(name) for name in "abacab"] == [True, True, False, True, False, True]
    assert len(consulting._held) == 2
