"""How a condition graph lies in the database: what each kind of item becomes, and what goes when it goes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.errors import (
    DatasetExists,
    IncompleteDataset,
    MalformedLine,
    UnknownSource,
    UnreadableFile,
)
from trustuqa_neo4j.graph import catalog, replacement
from trustuqa_neo4j.loading import writer
from trustuqa_neo4j.loading.batch import span_class
from trustuqa_neo4j.loading.formats import File, ReadOptions, get_loader
from trustuqa_neo4j.loading.load import LoadInterrupted, load
from trustuqa_neo4j.loading.request import LoadReport, LoadRequest, Progress
from trustuqa_neo4j.model.dataset import Dataset
from trustuqa_neo4j.model.facts import (
    Fact,
    Item,
    NodeDeclared,
    SourceStart,
    ValidTime,
    make_row_key,
    make_row_node,
)
from trustuqa_neo4j.values import OPEN, ValueOptions

KG = get_loader("kg")


def rows(client: TrustUQA, cypher: str, **parameters: object) -> list[list[Any]]:
    with client.connection.driver.session() as session:
        return [record.values() for record in session.run(cypher, parameters)]  # type: ignore[arg-type]


def node(client: TrustUQA, key: str, dataset: str = "d") -> dict[str, Any]:
    """Properties and labels of a node, those that all have left out."""
    found = rows(
        client,
        "MATCH (n:Node {dataset: $d, key: $k}) RETURN properties(n), labels(n)",
        d=dataset,
        k=key,
    )
    ((properties, labels),) = found
    del properties["dataset"], properties["key"]
    return {**properties, "labels": set(labels) - {"Node"}}


def facts(client: TrustUQA, dataset: str = "d") -> list[tuple[Any, ...]]:
    """Every fact: keys of its ends, relation, source."""
    found = rows(
        client,
        "MATCH (h:Node {dataset: $d})-[f:FACT]->(t), (s)-[:HAS {number: f.number}]->(r) "
        "WHERE r.name = f.relation RETURN h.key, f.relation, t.key, s.name",
        d=client.connection.find_version(dataset).storage,
    )
    return sorted(tuple(r) for r in found)


def has(client: TrustUQA, source: str, relation: str) -> dict[str, Any]:
    """What the catalogue says of a relation in a source of ``d``."""
    ((found,),) = rows(
        client,
        "MATCH (:Source {dataset: 'd', name: $s})-[h:HAS]->(:Relation {dataset: 'd', name: $r}) "
        "RETURN properties(h)",
        s=source,
        r=relation,
    )
    assert found.pop("number") > 0
    return found  # type: ignore[no-any-return]


def listed(client: TrustUQA, name: str = "d") -> Dataset:
    (found,) = [dataset for dataset in client.datasets() if dataset.name == name]
    return found


Store = Callable[..., LoadReport]


@pytest.fixture
def store(tuqa: TrustUQA, tmp_path: Path) -> Store:
    """Loads items as they are; the file they stand in is made for them."""

    def run(items: Iterable[Item], name: str = "f", **changes: Any) -> LoadReport:
        given = list(items)
        path = tmp_path / name
        path.write_text(repr(given))

        def read(files: Sequence[File], reading: ReadOptions) -> Iterator[Item]:
            yield from given

        request = LoadRequest(replace(KG, read=read), (str(path),), "d", **changes)
        return load(lambda: nullcontext(tuqa.connection), request, Progress())

    return run


def kg(*found: Item, source: str = "s") -> list[Item]:
    return [SourceStart(source, f"{source}.tsv", "kg"), *found]


# Nodes.


def test_names_numbers_and_dates(tuqa: TrustUQA, store: Store) -> None:
    store(kg(Fact("Ann", "born", "1999-03-05", 1), Fact("Ann", "height", "1,234.5 km", 2)))
    assert node(tuqa, "Ann") == {"name": "Ann", "folded": "ann", "labels": {"Entity", "Name"}}
    assert node(tuqa, "1999-03-05") == {
        "name": "1999-03-05", "folded": "1999 03 05", "date_start": 19990305, "date_end": 19990305,
        "labels": {"Value"},
    }  # fmt: skip
    assert node(tuqa, "1,234.5 km") == {
        "name": "1,234.5 km", "folded": "1,234.5 km", "number": 1234.5, "unit": "km", "labels": {"Value"},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "text", "found"),
    [
        (ValueOptions(), "05/03/1999", {}),
        (ValueOptions(dates="dmy"), "05/03/1999", {"date_start": 19990305, "date_end": 19990305}),
        (ValueOptions(dates="mdy"), "05/03/1999", {"date_start": 19990503, "date_end": 19990503}),
        (ValueOptions(decimal=","), "1,500", {"number": 1.5}),
        (ValueOptions(decimal="."), "1,500", {"number": 1500.0}),
        (ValueOptions(), "-99", {"number": -99.0}),
    ],
)
def test_how_values_are_read(
    tuqa: TrustUQA, store: Store, options: ValueOptions, text: str, found: dict[str, Any]
) -> None:
    store(kg(Fact("a", "r", text, 1)), values=options)
    read = node(tuqa, text)
    assert read.pop("name") == text
    assert {k: v for k, v in read.items() if k not in ("folded", "labels", "unit")} == found


def test_words_for_missing_values_are_no_facts(tuqa: TrustUQA, store: Store) -> None:
    null = ValueOptions(null=frozenset({"n/a"}))
    cells = [
        SourceStart("t", "t", "table", ("a", "b")),
        make_row_node("t", 1), Fact(make_row_key("t", 1), "a", " n/a ", 2),
        Fact(make_row_key("t", 1), "b", "x", 2),
        make_row_node("t", 2), Fact(make_row_key("t", 2), "a", "n/a", 3),
    ]  # fmt: skip
    edge = Fact("h", "r", "y", 1, None, (("from", "n/a"), ("to", "z")))
    store([*cells, SourceStart("s", "s", "kg"), edge], values=null)
    assert sorted(tail for _, _, tail, *_ in facts(tuqa)) == ["x", "y", "z"]
    assert listed(tuqa).nodes == 6
    assert tuqa.run("get_information(head_entity='n/a')", "d").values == ()


def test_ids_names_and_aliases(tuqa: TrustUQA, store: Store) -> None:
    store(
        kg(
            NodeDeclared("m.1", "Paris", ("City of Light", "Lutetia")),
            NodeDeclared("m.2", "Paris"), NodeDeclared("cvt.1", None),
            Fact("m.1", "r", "m.2", 1), Fact("m.2", "r", "cvt.1", 2),
        )
    )  # fmt: skip
    assert node(tuqa, "m.1") == {
        "name": "Paris", "folded": "paris", "aliases": ["City of Light", "Lutetia"],
        "labels": {"Entity", "Name"},
    }  # fmt: skip
    assert node(tuqa, "cvt.1") == {"labels": {"Entity"}}
    query = "get_information(head_entity='{}', relation='r')"
    both = tuqa.run(query.format("paris"), "d")
    assert (both.values, both.evidence_total) == (("Paris", "cvt.1"), 2)
    one = tuqa.run(query.format("lutetia"), "d")
    assert one.values == ("Paris",)
    assert [(m.given, m.used, m.how) for m in one.mapped] == [("lutetia", "Paris", "alias")]
    by_id = tuqa.run(query.format("m.2"), "d")
    assert (by_id.values, by_id.mapped) == (("cvt.1",), ())
    assert by_id.evidence[0].tail == "cvt.1"


def test_rows_and_cells(tuqa: TrustUQA, store: Store) -> None:
    store(
        [
            SourceStart("t.csv", "t.csv", "table", ("Nation", "Gold", "Note", "Gold")),
            *(make_row_node("t.csv", 1), Fact(make_row_key("t.csv", 1), "Nation", "Ann", 2)),
            *(Fact(make_row_key("t.csv", 1), "Gold", cell, 2) for cell in ("3", "4")),
            Fact(make_row_key("t.csv", 1), "Note", "", 2),
        ]
    )
    assert node(tuqa, make_row_key("t.csv", 1)) == {
        "name": "row 1", "source": "t.csv", "position": 1, "labels": {"Row"},
    }  # fmt: skip
    assert node(tuqa, "Ann")["labels"] == {"Value", "Name"}
    assert node(tuqa, "") == {"name": "", "folded": "", "labels": {"Value"}}
    assert has(tuqa, "t.csv", "Gold")["places"] == [2, 4]
    assert (has(tuqa, "t.csv", "Gold")["facts"], listed(tuqa).kind) == (2, "table")
    assert tuqa.run("get_information(relation='Gold', tail_entity='3')", "d").values == ("Ann",)


def test_a_table_without_rows_has_its_columns(tuqa: TrustUQA, store: Store) -> None:
    report = store([SourceStart("t.csv", "t.csv", "table", ("Nation", "Gold"))])
    assert (report.facts, report.sources, report.total) == (0, 1, 0)
    assert has(tuqa, "t.csv", "Nation") == {"facts": 0, "places": [1]}
    assert listed(tuqa).complete


# Facts.


def test_intervals(tuqa: TrustUQA, store: Store) -> None:
    """Held facts differ by when they held; what is open or unknown is indexed too."""
    team = [
        ValidTime(19900101, 19921231, "1990", "1992"), ValidTime(19950101, OPEN, "1995"),
        ValidTime(19900101, 19921231, "1990", "1992"),
    ]  # fmt: skip
    report = store(
        [
            SourceStart("s", "s", "temporal-kg"),
            *(Fact("Ann", "plays for", "Reds", line, held) for line, held in enumerate(team, 1)),
            Fact("Ann", "plays for", "Reds", 4),
            Fact("Bob", "plays for", "Reds", 5, ValidTime(20000101, 19991231, "2000", "1999")),
        ]
    )
    assert (report.facts, report.repeated) == (4, 1)
    found = rows(
        tuqa,
        "MATCH (:Node {dataset: 'd'})-[f:FACT]->() RETURN f.line, f.start, f.end, f.span, f.start_text, "
        "f.end_text ORDER BY f.line",
    )
    assert found == [
        [1, 19900101, 19921231, 15, "1990", "1992"],
        [2, 19950101, OPEN, span_class(19950101, OPEN), "1995", None],
        [4, None, None, None, None, None],
        [5, 20000101, 19991231, 0, "2000", "1999"],
    ]
    assert span_class(19900101, 19900101) == 0
    assert all(end - start < 2 ** span_class(start, end) for start, end, *_ in team)
    known = has(tuqa, "s", "plays for")
    assert (known["held"], known["first"], known["last"]) == (3, 19900101, 19991231)
    answer = tuqa.run("get_information(head_entity='Ann', relation='plays for')", "d")
    assert sorted((f.start or "", f.end or "") for f in answer.evidence) == [
        ("", ""), ("1990", "1992"), ("1995", ""),
    ]  # fmt: skip


def test_qualifiers(tuqa: TrustUQA, store: Store) -> None:
    """A fact with qualifiers is an edge and a node; the same fact with others is another one."""
    said = (("stated in", "Gazette"), ("place", "Oslo"))
    items = kg(
        Fact("Ann", "award", "Prize", 1, None, said), Fact("Ann", "award", "Prize", 2, None, said),
        Fact("Ann", "award", "Prize", 3, None, (("place", "Rome"),)), Fact("Ann", "award", "Prize", 4),
    )  # fmt: skip
    report = store(items, batch_size=1)
    assert report.facts == 3 + 3
    edges = rows(
        tuqa,
        "MATCH (h)<-[:HEAD]-(e:Hyperedge {dataset: 'd'})-[:TAIL]->(t), (e)-[q:FACT]->(v) "
        "RETURN h.key, e.relation, t.key, q.relation, v.key ORDER BY q.relation, v.key",
    )
    assert edges == [
        ["Ann", "award", "Prize", "place", "Oslo"],
        ["Ann", "award", "Prize", "place", "Rome"],
        ["Ann", "award", "Prize", "stated in", "Gazette"],
    ]
    linked = rows(
        tuqa,
        "MATCH (h:Node {dataset: 'd'})-[f:FACT {relation: 'award'}]->(t) WHERE f.hyperedge IS NOT NULL "
        "MATCH (e:Hyperedge {dataset: 'd', key: f.hyperedge})-[:HEAD]->(h) RETURN count(*)",
    )
    assert linked == [[2]]
    assert has(tuqa, "s", "award")["qualifiers"] == ["place", "stated in"]
    assert tuqa.drop("d").nodes == 2 + 3 + 2
    assert rows(tuqa, "MATCH (n {dataset: 'd'}) RETURN count(n)") == [[0]]


def test_the_catalogue(tuqa: TrustUQA, store: Store) -> None:
    tails = ["10", "2 km", "1999", "March 2001", "Ann", "Bob", "Cid", "Dan", "Eve", "Flo"]
    store(kg(*(Fact(f"h{n}", "r", tail, n) for n, tail in enumerate(tails))), batch_size=3)
    found = has(tuqa, "s", "r")
    assert found.pop("samples") == ["10", "2 km", "1999", "March 2001", "Ann"]
    assert found == {
        "facts": 10, "numbers": 3, "dates": 2, "values": 4, "held": 0, "lowest": 2.0, "highest": 1999.0,
        "earliest": 19990101, "latest": 20010331,
    }  # fmt: skip


def test_hubs_are_found_by_index_and_as_before(
    tuqa: TrustUQA, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Marked or not, also those that grow later, answers are the same."""
    two = [
        *kg(*(Fact(f"a{n}", f"r{n % 3}", "hub", n) for n in range(1, 40))),
        *kg(*(Fact("hub", f"r{n % 3}", f"b{n}", n) for n in range(1, 40)), source="t"),
    ]
    asked = [
        ("get_information(head_entity='hub', relation='r1')", None),
        ("get_information(relation='r2', tail_entity='hub')", None),
        ("get_information(relation='r2', tail_entity='hub')", "s"),
        ("get_information(relation='r2', tail_entity='hub')", "t"),
        ("get_information(head_entity=['hub', 'a1'], relation='r1')", None),
    ]
    store(two)
    plain = [tuqa.run(query, "d", source=source).values for query, source in asked]
    assert [len(values) for values in plain] == [13, 13, 13, 0, 14]
    hubs = writer.find_hubs(tuqa.connection, "d", degree=50)
    assert len(hubs) == 1
    writer.mark_hubs(tuqa.connection, hubs)
    assert "hub" in node(tuqa, "hub")
    assert [tuqa.run(query, "d", source=source).values for query, source in asked] == plain
    more = kg(Fact("hub", "r1", "more", 1), source="later")
    store(more, "g", mode="append")
    assert tuqa.run(asked[0][0], "d").values == tuple(sorted([*plain[0], "more"]))
    assert writer.find_hubs(tuqa.connection, "d", degree=50) == []


@pytest.mark.long
def test_very_many_relations(tuqa: TrustUQA, store: Store) -> None:
    """More of them than one transaction deletes; what another source says of them stays."""
    many = [Fact(f"h{n % 50}", f"r{n}", f"t{n % 70}", n + 1) for n in range(21_000)]
    store([*kg(*many), *kg(*many[:3], source="t")])
    assert tuqa.run("get_information(head_entity='h7', relation='r20007')", "d").values == ("t57",)
    assert len(tuqa.schema("d").relations) == 21_000
    tuqa.drop("d", "s")
    assert sorted(relation.name for relation in tuqa.schema("d").relations) == ["r0", "r1", "r2"]
    tuqa.drop("d")
    store(kg(*many))
    tuqa.drop("d")
    left = "MATCH (n) WHERE n.dataset = 'd' RETURN count(n) AS n"
    with tuqa.connection.driver.session() as session:
        assert session.run(left).single(strict=True)["n"] == 0


# Several loads of a dataset.


def test_appending(tuqa: TrustUQA, store: Store) -> None:
    first, second = (
        kg(Fact("a", "r", "b", 1)),
        kg(Fact("a", "r", "b", 1), Fact("b", "r", "c", 2), source="t"),
    )
    assert store(first, mode="append").begun == "new"
    report = store(second, "g", mode="append")
    assert (report.begun, report.facts, report.total) == ("appended", 2, 3)
    assert "; now 3 facts" in report.summary()
    assert facts(tuqa) == [("a", "r", "b", "s"), ("a", "r", "b", "t"), ("b", "r", "c", "t")]
    assert (listed(tuqa).nodes, listed(tuqa).complete) == (3, True)
    for items, name in ((first, "f"), (second, "g")):
        again = store(items, name, mode="append")
        assert (again.begun, again.sources) == ("unchanged", 2)
    table = [
        SourceStart("u", "u", "table", ("r",)),
        make_row_node("u", 1),
        Fact(make_row_key("u", 1), "r", "a", 1),
    ]
    store(table, "h", mode="append")
    assert (listed(tuqa).kind, listed(tuqa).facts) == ("mixed", 4)


def test_what_cannot_be_appended_leaves_the_dataset_as_it_was(
    tuqa: TrustUQA, store: Store, tmp_path: Path
) -> None:
    store(kg(Fact("a", "r", "b", 1)))
    before = facts(tuqa), listed(tuqa)
    with pytest.raises(
        DatasetExists, match="'d' has a source 's' already\nhint: mode=\"replace\" replaces it"
    ):
        store(kg(Fact("x", "r", "y", 1)), "g", mode="append")
    bad = tmp_path / "bad.tsv"
    bad.write_text("a\tr\tb\n" * 50 + "x\n")
    for mode in ("append", "replace"):
        with pytest.raises(MalformedLine):
            tuqa.load("kg", bad, dataset="d", mode=mode, batch_size=5)
    assert (facts(tuqa), listed(tuqa)) == before


def test_an_append_that_was_interrupted(tuqa: TrustUQA, store: Store) -> None:
    store(kg(Fact("a", "r", "b", 1)))
    more = kg(*(Fact("a", "r", f"c{n}", n) for n in range(1, 30)), source="t")
    write = writer.BatchWriter.write

    def stop(self: writer.BatchWriter, batch: Any) -> Any:
        done = write(self, batch)
        if batch.position > 15:
            raise KeyboardInterrupt
        return done

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writer.BatchWriter, "write", stop)
        with pytest.raises(LoadInterrupted, match="21 facts of 'd'"):
            store(more, "g", mode="append", batch_size=10)
    assert tuqa.run("get_information(head_entity='a', relation='r')", "d").values == ("b",)
    report = store(more, "g", mode="append", batch_size=10)
    assert (report.begun, report.facts, report.total) == ("resumed", 9, 30)
    assert listed(tuqa).complete


def test_an_append_that_is_given_up(tuqa: TrustUQA, store: Store) -> None:
    store(kg(Fact("a", "r", "b", 1)))
    before = facts(tuqa), listed(tuqa)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replacement, "update_pending_statistics", lambda *_: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            store(kg(Fact("a", "r", "c", 1), source="t"), "g", mode="append")
    assert tuqa.run("get_information(head_entity='a', relation='r')", "d").values == ("b",)
    tuqa.drop_unfinished("d")
    now = listed(tuqa)
    assert (facts(tuqa), replace(now, loaded=before[1].loaded)) == before


def test_replacing(tuqa: TrustUQA, store: Store) -> None:
    assert store(kg(Fact("a", "r", "b", 1)), mode="replace").begun == "new"
    report = store(kg(Fact("a", "q", "c", 1), source="t"), "g", mode="replace-all")
    assert (report.begun, report.facts, report.total) == ("replaced", 1, 1)
    assert "; 's' replaced, now 1 fact" in report.summary()
    assert facts(tuqa) == [("a", "q", "c", "t")]
    storage = tuqa.connection.find_version("d").storage
    assert rows(tuqa, "MATCH (r:Relation {dataset: $d}) RETURN r.name", d=storage) == [["q"]]


def test_dropping_a_source(tuqa: TrustUQA, store: Store) -> None:
    """Exactly what only it contributed goes."""
    shared = [Fact("a", "r", "b", 1), Fact("b", "q", "c", 2)]
    store([*kg(*shared, Fact("a", "p", "b", 3)), *kg(*shared, Fact("x", "o", "c", 4), source="t")])
    alone = [("a", "p", "b", "s"), ("a", "r", "b", "s"), ("b", "q", "c", "s")]
    dropped = tuqa.drop("d", "t")
    assert (dropped.facts, dropped.nodes) == (3, 1)
    assert facts(tuqa) == alone
    found = listed(tuqa)
    assert (found.nodes, found.facts, found.relations, len(found.sources)) == (3, 3, 3, 1)
    assert found.complete
    with pytest.raises(UnknownSource, match="no source 't', dataset 'd'"):
        tuqa.drop("d", "t")
    with pytest.raises(DatasetExists):  # no longer what was loaded
        store(
            [*kg(*shared, Fact("a", "p", "b", 3)), *kg(*shared, Fact("x", "o", "c", 4), source="t")]
        )
    tuqa.drop("d", "s")
    assert (listed(tuqa).nodes, listed(tuqa).facts) == (0, 0)


def test_a_drop_of_a_source_that_was_interrupted(tuqa: TrustUQA, store: Store) -> None:
    store([*kg(Fact("a", "r", "b", 1)), *kg(Fact("b", "r", "c", 2), source="t")])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(tuqa.connection), "run_alone", _interrupted)
        with pytest.raises(KeyboardInterrupt):
            catalog.drop_source(tuqa.connection, "d", "t")
    for refused in (
        lambda: tuqa.run("get_information(head_entity='a', relation='r')", "d"),
        lambda: store([*kg(Fact("a", "r", "b", 1)), *kg(Fact("b", "r", "c", 2), source="t")]),
    ):
        with pytest.raises(IncompleteDataset, match="a source of 'd' is being dropped"):
            refused()
    tuqa.drop("d", "t")
    assert facts(tuqa) == [("a", "r", "b", "s")]
    assert listed(tuqa).complete


def _interrupted(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


# Files that change.


def test_a_file_that_changes_while_it_is_read(tuqa: TrustUQA, tmp_path: Path) -> None:
    path = tmp_path / "f.tsv"
    path.write_text("a\tr\tb\n")

    def read(files: Sequence[File], reading: ReadOptions) -> Iterator[Item]:
        yield from KG.read(files, reading)
        with path.open("a") as file:
            file.write("c\tr\td\n")

    request = LoadRequest(replace(KG, read=read), (str(path),), "d")
    with pytest.raises(
        UnreadableFile, match=r"it changed while it was read, .*\nhint: .*once nobody writes"
    ):
        load(lambda: nullcontext(tuqa.connection), request, Progress())
    assert not listed(tuqa).complete


def test_a_folder_without_a_file_of_the_format(tuqa: TrustUQA, tmp_path: Path) -> None:
    request = LoadRequest(replace(KG, expand=lambda folder: []), (str(tmp_path),), "d")
    with pytest.raises(UnreadableFile, match="no file of the format kg in this folder"):
        load(lambda: nullcontext(tuqa.connection), request, Progress())


def test_facts_of_new_rows_are_not_compared_with_others(
    tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row that an earlier batch declared may have facts already."""
    sent: list[Sequence[Any]] = []
    make_rows = writer._make_group_rows
    monkeypatch.setattr(
        writer, "_make_group_rows", lambda *a: sent.extend(rows := [*make_rows(*a)]) or rows
    )
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n3,2\n1,2\n")
    report = tuqa.load("table", path, dataset="d", batch_size=3)
    assert (report.facts, report.repeated) == (6, 0)
    compared = [(relation, len(facts)) for _, _, relation, _, facts, is_new in sent if not is_new]
    assert compared == [("b", 1)]
    assert sum(len(facts) for *_, facts, _ in sent) == 6
