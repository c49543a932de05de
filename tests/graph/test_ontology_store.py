"""What sources declare, and which relations meet: as loads and drops leave it in the database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.declarations import declarations, load_items, shares, stamp, vocabulary_of

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.graph import ontology_store
from trustuqa_neo4j.loading import writer
from trustuqa_neo4j.loading.batch import Batcher
from trustuqa_neo4j.loading.load import LoadInterrupted
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
from trustuqa_neo4j.ontology import join_statistics
from trustuqa_neo4j.ontology.join_statistics import RelationEnd
from trustuqa_neo4j.ontology.schema_knowledge import SchemaKnowledge, TailStatistics
from trustuqa_neo4j.values import DEFAULT_VALUE_OPTIONS

BOOKS: list[Item] = [
    SourceStart("books", "books.ttl", "kg"),
    ClassDeclared("Book", ("Work",), ("Person",), ("volume",), "What is read."),
    ClassDeclared("Person"),
    RelationDeclared("wrote", (("Person",),), (("Book",), ("Work", "Text")), False, inverses=("by",)),
    RelationDeclared("title", (("Book",),), values=True, datatypes=("text",)),
    NodeDeclared("p1", None), NodeDeclared("b1", None), NodeDeclared("b2", None),
    Fact("p1", "type", "Person", 1), Fact("b1", "type", "Book", 2), Fact("b2", "type", "Book", 3),
    Fact("p1", "wrote", "b1", 4), Fact("p1", "wrote", "b2", 5), Fact("b1", "title", "Emma", 6),
]  # fmt: skip
SHOPS: list[Item] = [
    SourceStart("shops", "shops.ttl", "kg"),
    ClassDeclared("Book", ("Ware",), labels=("volume", "tome"), comment="What is sold."),
    ClassDeclared("Shop"),
    RelationDeclared("wrote", parents=("made",), comment="Somebody did."),
    RelationDeclared("sells", (("Shop",),), (("Book",),), False),
    Fact("Hatchards", "type", "Shop", 1), Fact("Hatchards", "sells", "b1", 2),
    NodeDeclared("b2", None), Fact("b2", "title", "Persuasion", 3), Fact("p1", "wrote", "b1", 4),
]  # fmt: skip


def start(relation: str) -> RelationEnd:
    return RelationEnd("start", relation)


def end(relation: str) -> RelationEnd:
    return RelationEnd("end", relation)


def members(name: str) -> RelationEnd:
    return RelationEnd("class", name)


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
    assert found.relations["title"] == TailStatistics(2)
    assert found.relations["wrote"] == TailStatistics(3)  # one of them said twice


def test_a_node_of_two_sources_counts_once_and_ids_are_counted(
    tuqa: TrustUQA, tmp_path: Path
) -> None:
    load_items(tuqa, tmp_path / "f", [*BOOKS, *SHOPS])
    joins = vocabulary_of(tuqa).joins
    for side, size, ids in (
        (start("wrote"), 1, 1), (end("wrote"), 2, 2), (start("title"), 2, 2), (end("title"), 2, 0),
        (members("Book"), 2, 2), (members("Shop"), 1, 0), (end("sells"), 1, 1), (end("type"), 3, 0),
        (end("nothing"), 0, 0),
    ):  # fmt: skip
        assert (joins.count_nodes(side), joins.count_nameless(side)) == (size, ids), side
    assert joins.count_shared(end("wrote"), start("title")) == 2
    assert (
        joins.count_shared(end("sells"), end("wrote"))
        == joins.count_shared(end("wrote"), end("sells"))
        == 1
    )
    assert joins.count_shared(start("sells"), members("Shop")) == 1
    assert joins.count_shared(start("sells"), start("title")) == 0
    assert joins.count_shared(end("title"), end("nothing")) == 0


def test_append_replace_and_drop_leave_what_remains(tuqa: TrustUQA, tmp_path: Path) -> None:
    load_items(tuqa, tmp_path / "only", BOOKS, "only")
    load_items(tuqa, tmp_path / "f", BOOKS)
    stamps = [stamp(tuqa), stamp(tuqa, "only")]
    assert declarations(tuqa, "d") == declarations(tuqa, "only")
    load_items(tuqa, tmp_path / "g", SHOPS, mode="append")
    both = vocabulary_of(tuqa)
    assert both.classes == ("Book", "Person", "Shop", "Ware", "Work")  # by inference too
    assert both.joins.count_nodes(start("sells")) == 1
    stamps.append(stamp(tuqa))
    tuqa.drop("d", "shops")
    assert declarations(tuqa, "d") == declarations(tuqa, "only")
    assert shares(vocabulary_of(tuqa).joins) == shares(vocabulary_of(tuqa, "only").joins)
    assert vocabulary_of(tuqa).relations == vocabulary_of(tuqa, "only").relations
    stamps.append(stamp(tuqa))
    load_items(tuqa, tmp_path / "g", SHOPS, mode="replace-all")
    replaced = vocabulary_of(tuqa)
    assert (sorted(replaced.ontology.classes), replaced.classes) == (
        ["Book", "Shop"],
        ("Book", "Shop"),
    )
    assert replaced.ontology.classes["Book"].parents == ("Ware",)
    assert start("type") in replaced.joins.ends
    assert members("Person") not in replaced.joins.ends
    stamps.append(stamp(tuqa))
    assert len({*stamps}) == len(stamps) == 5
    tuqa.drop("d")
    assert (declarations(tuqa, "d"), stamp(tuqa)) == ([], None)
    assert len(declarations(tuqa, "only")) == 4
    assert vocabulary_of(tuqa) == SchemaKnowledge()


def test_the_last_graph_takes_the_vocabulary_with_it(tuqa: TrustUQA, tmp_path: Path) -> None:
    cells: list[Item] = [
        SourceStart("t", "t.csv", "table", ("Nation", "type")), make_row_node("t", 1),
        Fact(make_row_key("t", 1), "Nation", "Book", 2), Fact(make_row_key("t", 1), "type", "Emma", 2),
    ]  # fmt: skip
    load_items(tuqa, tmp_path / "f", cells)
    assert stamp(tuqa) is None
    load_items(tuqa, tmp_path / "g", BOOKS, mode="append")
    joins = vocabulary_of(tuqa).joins
    assert joins.count_nodes(start("title")) == joins.count_nodes(end("title")) == 1
    assert start("Nation") not in joins.ends
    assert members("Emma") not in joins.ends
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
        patch.setattr(ontology_store, "_compute_join_statistics", fail)
        with pytest.raises(KeyboardInterrupt):
            tuqa.drop("d", "shops")
    assert [d.complete for d in tuqa.datasets() if d.name == "d"] == [False]
    tuqa.drop("d", "shops")
    assert [d.complete for d in tuqa.datasets() if d.name == "d"] == [True]
    assert start("sells") not in vocabulary_of(tuqa).joins.ends


def test_an_interrupted_load_gone_on_with_is_as_one(
    tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_items(tuqa, tmp_path / "only", [*BOOKS, *SHOPS], "only")
    write = writer.BatchWriter.write
    for batches in (3, 6):
        left = iter(range(batches))

        def stopping(self: writer.BatchWriter, batch: object, left: Iterator[int] = left) -> object:
            if next(left, None) is None:
                raise KeyboardInterrupt
            return write(self, batch)  # type: ignore[arg-type]  # a batch

        monkeypatch.setattr(writer.BatchWriter, "write", stopping)
        with pytest.raises(LoadInterrupted, match="run the same command again to go on"):
            load_items(tuqa, tmp_path / "f", [*BOOKS, *SHOPS], batch_size=2)
        monkeypatch.setattr(writer.BatchWriter, "write", write)
        report = load_items(tuqa, tmp_path / "f", [*BOOKS, *SHOPS], batch_size=2)
        assert report.begun == "resumed"
        assert declarations(tuqa, "d") == declarations(tuqa, "only")
        assert shares(vocabulary_of(tuqa).joins) == shares(vocabulary_of(tuqa, "only").joins)
        tuqa.drop("d")


def test_where_a_load_of_declarations_stopped() -> None:
    told = []
    batcher = Batcher(iter(BOOKS), DEFAULT_VALUE_OPTIONS, size=2)
    while batch := batcher.next():
        told.append(batch.at)
    assert told == [
        *["what books.ttl declares"] * 2, "books.ttl:2", "books.ttl:4", "books.ttl:6",
    ]  # fmt: skip


def test_many_declarations_come_in_batches(
    tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = writer.BatchWriter.write
    sizes = []

    def noting(self: writer.BatchWriter, batch: object) -> object:
        sizes.append(len(batch.classes) + len(batch.properties))  # type: ignore[attr-defined]
        return write(self, batch)  # type: ignore[arg-type]  # a batch

    monkeypatch.setattr(writer.BatchWriter, "write", noting)
    classes = [ClassDeclared(f"c{n}", (f"c{n // 2}",)) for n in range(2_000)]
    relations = [RelationDeclared(f"r{n}", ((f"c{n}",),)) for n in range(500)]
    load_items(
        tuqa, tmp_path / "f", [SourceStart("s", "s", "kg"), *classes, *relations], batch_size=400
    )
    assert sizes == [400] * 6 + [100]
    found = vocabulary_of(tuqa)
    assert (len(found.classes), len(found.ontology.relations)) == (2_000, 500)
    assert found.ontology.is_subclass("c1999", "c1")
    assert not found.joins.ends
    tuqa.drop("d")
    assert declarations(tuqa, "d") == []


def test_a_large_dataset_has_declarations_alone(
    tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ontology_store, "MAX_ANALYZED_FACTS", 5)
    load_items(tuqa, tmp_path / "f", BOOKS)
    found = vocabulary_of(tuqa)
    assert stamp(tuqa) is not None
    assert (len(found.joins.ends), sorted(found.ontology.classes)) == (0, ["Book", "Person"])
    assert found.relations["wrote"] == TailStatistics(2)
    assert found.is_impossible_join(start("title"), members("Person"))
    assert not found.is_impossible_join(
        end("type"), start("wrote")
    )  # nothing is known of what is not declared
    monkeypatch.setattr(ontology_store, "MAX_ANALYZED_FACTS", 6)
    tuqa.drop("d")
    load_items(tuqa, tmp_path / "f", BOOKS)
    assert vocabulary_of(tuqa).joins.ends
    load_items(tuqa, tmp_path / "g", SHOPS, mode="append")
    assert not vocabulary_of(tuqa).joins.ends
    tuqa.drop("d", "shops")
    assert vocabulary_of(tuqa).joins.ends


def test_a_node_with_very_many_relations(
    tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its pairs would fill the memory at the end of a load: what meets is left open, and nothing refused."""
    monkeypatch.setattr(join_statistics, "MAX_PAIRS", 900)
    wide = [SourceStart("s", "s", "kg"), *(Fact("hub", f"r{n}", f"t{n}", n + 1) for n in range(30))]
    load_items(tuqa, tmp_path / "f", wide)
    assert vocabulary_of(tuqa).joins.ends
    monkeypatch.setattr(join_statistics, "MAX_PAIRS", 400)  # fewer than 30 × 31 / 2
    tuqa.drop("d")
    load_items(tuqa, tmp_path / "f", wide)
    assert not vocabulary_of(tuqa).joins.ends
    monkeypatch.setattr(join_statistics, "MAX_PAIRS", 900)
    monkeypatch.setattr(join_statistics, "MAX_ENDS", 59)
    tuqa.drop("d")
    load_items(tuqa, tmp_path / "f", wide)
    assert not vocabulary_of(tuqa).joins.ends
    found = tuqa.run("get_information(head_entity='hub', relation='r7')", "d")
    assert found.values == ("t7",)


def test_names_that_no_index_holds_are_left_out(tuqa: TrustUQA, tmp_path: Path) -> None:
    long = "é" * 40_000
    load_items(
        tuqa, tmp_path / "f",
        [SourceStart("s", "s.owl", "kg"), ClassDeclared(long), ClassDeclared("é" * 1000, (long,)),
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
    assert "get_ontology" in statements()
    assert "get_ontology" not in statements()
    load_items(tuqa, tmp_path / "g", SHOPS, mode="append")
    assert "get_ontology" in statements()
    assert "get_ontology" not in statements()
