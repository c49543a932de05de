"""A dataset that was exported and loaded again is the same dataset; and exports that cannot be made."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.declarations import shares, vocabulary_of

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.errors import (
    DataError,
    DiskFull,
    IncompleteDataset,
    MalformedLine,
    UnknownDataset,
    UsageError,
)
from trustuqa_neo4j.export import export
from trustuqa_neo4j.export import export as exporting
from trustuqa_neo4j.export.csv_writer import CsvWriter
from trustuqa_neo4j.export.export import RowSorter
from trustuqa_neo4j.loading.formats import File, ReadOptions, get_loader
from trustuqa_neo4j.loading.load import load
from trustuqa_neo4j.loading.request import LoadRequest, Progress
from trustuqa_neo4j.model.facts import (
    ClassDeclared,
    Fact,
    Item,
    NodeDeclared,
    RelationDeclared,
    SourceStart,
    ValidTime,
    make_row_key,
    make_row_node,
)
from trustuqa_neo4j.values import OPEN, ValueOptions, parse_value_options

KG = get_loader("kg")


def stored(client: TrustUQA, path: Path, found: Iterable[Item], **changes: Any) -> None:
    """Load items as ``d``; the file they stand in is made for them."""
    items = list(found)
    path.write_text(repr(items))

    def read(files: Sequence[File], reading: ReadOptions) -> Iterator[Item]:
        yield from items

    request = LoadRequest(replace(KG, read=read), (str(path),), "d", **changes)
    load(lambda: nullcontext(client.connection), request, Progress())


_ASKED = {
    "nodes": "MATCH (n:Node {dataset: $d}) WHERE n.key IS NOT NULL RETURN labels(n), properties(n)",
    "facts": "MATCH (h:Node {dataset: $d})-[f:FACT]->(t), (s)-[:HAS {number: f.number}]->() "
    "RETURN h.key, t.key, s.name, s.files[f.file], f {.*, number: null}",
    "ends": "MATCH (e:Hyperedge {dataset: $d})-[r]->(n) WHERE type(r) <> 'FACT' "
    "RETURN e.key, type(r), n.key",
    "aliases": "MATCH (a:Alias {dataset: $d})-[:OF]->(n) RETURN a.name, a.folded, n.key",
    "sources": "MATCH (s:Source {dataset: $d}) RETURN properties(s)",
    "catalogue": "MATCH (s:Source {dataset: $d})-[h:HAS]->(r) RETURN s.name, r.name, h {.*, number: null}",
    "relations": "MATCH (r:Relation {dataset: $d}) RETURN r.name, r.folded",
    "declarations": "MATCH (n:Class|Property {dataset: $d}) RETURN labels(n), properties(n)",
    "dataset": "MATCH (x:Dataset {name: $d}) RETURN x.kind, x.values, x.nodes, x.facts, x.complete",
}
_OWN = ("dataset", "load", "hub", "head", "tail", "embedding")
"""Properties that tell which dataset or load it is, or that the server's own numbers are in."""


def everything(client: TrustUQA, dataset: str) -> dict[str, list[str]]:
    """All that the database holds of a dataset."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            # The order of the facts of one line follows their ids, and the server gives free ids anew.
            if value.get("samples"):
                value = {**value, "samples": sorted(value["samples"])}
            return sorted((k, plain(v)) for k, v in value.items() if k not in _OWN)
        return sorted(value) if isinstance(value, list) and "Node" in value else value  # labels

    storage = client.connection.find_version(dataset).storage
    with client.connection.driver.session(notifications_min_severity="OFF") as session:
        return {
            what: sorted(
                repr([plain(v) for v in record.values()])
                for record in session.run(asked, d=dataset if what == "dataset" else storage)
            )
            for what, asked in _ASKED.items()
        }


def again(client: TrustUQA, path: Path, **options: Any) -> dict[str, Any]:
    """Export ``d``, load it as ``e``, see that they are the same; the manifest."""
    client.export("d", path)
    client.load("exported", path, dataset="e", **options)
    before, after = everything(client, "d"), everything(client, "e")
    for what in before:
        assert after[what] == before[what], what
    known, read = vocabulary_of(client, "d"), vocabulary_of(client, "e")
    assert shares(read.joins) == shares(known.joins)
    assert (read.ontology, read.relations) == (known.ontology, known.relations)
    client.drop("e")
    manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
    assert isinstance(manifest, dict)
    return manifest


def table(
    name: str, header: Sequence[str], *rows: Sequence[str | None], lines: int = 2
) -> list[Item]:
    """A table, in which a cell that is ``None`` is missing."""
    found: list[Item] = [SourceStart(name, f"in/{name}", "table", tuple(header))]
    for position, cells in enumerate(rows, 1):
        found.append(make_row_node(name, position))
        for column, cell in zip(header, cells, strict=True):
            if cell is not None:
                found.append(Fact(make_row_key(name, position), column, cell, position + lines - 1))
    return found


def test_graphs(tuqa: TrustUQA, tmp_path: Path) -> None:
    """Ids, aliases, unnamed nodes, names that look like values, long names, several files."""
    long, longer = "n" * 1500, "x" * 999
    stored(
        tuqa, tmp_path / "f",
        [
            SourceStart("s", "one.tsv", "kg"),
            NodeDeclared("m.1", "Paris", ("City of Light", "a, \"b\"\r\nc")), NodeDeclared("m.2", "Paris"),
            Fact("m.1", "twin", "m.2", 1), Fact("m.1", "held by", long, 2), Fact(long, "r", longer, 3),
            SourceStart("s", "unused.tsv", "kg"),
            SourceStart("s", "two.tsv", "kg"),
            NodeDeclared("1999", "1999"), NodeDeclared("5 km", "5 km", ("five",)), NodeDeclared("77", None),
            NodeDeclared("c\x1f9", None, label="customer 9"),
            Fact("m.2", "year", "1999", 1), Fact("m.2", "year", "2000", 1), Fact("a\rb", "r\n", " c ", 2),
            Fact("m.2", "to", "5 km", 3), Fact("77", "is", "12 kg", 4),
            # Facts of one line come in the order of their ids, which the server gives anew.
            Fact("c\x1f9", "is", "1999", 5), Fact("\ufeff", "'", '"', 5),
            SourceStart("t", "two.tsv", "kg"),
            Fact("m.1", "twin", "m.2", 7), Fact("New", "r", "1999", 9),
        ],
    )  # fmt: skip
    manifest = again(tuqa, tmp_path / "out")
    assert [source["name"] for source in manifest["sources"]] == ["s", "t"]  # tables would be first
    assert manifest["sources"][0]["files"] == ["one.tsv", "unused.tsv", "two.tsv"]
    names = (tmp_path / "out" / "names.csv").read_text(encoding="utf-8").splitlines()
    assert names[:2] == ["key,kind,name,alias", "m.1,named,Paris,City of Light"]
    assert names[-4:] == [
        "1999,named,1999,", "5 km,named,5 km,five", "77,unnamed,,", "c\x1f9,unnamed,customer 9,",
    ]  # fmt: skip
    facts = (tmp_path / "out" / "2-t.csv").read_text(encoding="utf-8")
    assert facts == "head,relation,tail,line\nm.1,twin,m.2,7\nNew,r,1999,9\n"


def test_times_and_qualifiers(tuqa: TrustUQA, tmp_path: Path) -> None:
    """Orders of qualifiers are found again, whatever they were; so are days that no text says."""
    three = (("c", "1"), ("a", "m.9"), ("b", "x"))
    facts = [
        Fact("Ann", "won", "Prize", 1, None, (("a", "x"),)),
        *(Fact(f"h{n}", "won", "Prize", 2, None, three[n:] + three[:n]) for n in range(3)),
        Fact("Ann", "won", "Prize", 3, None, (("a", "y"), ("a", "x"), ("b", "z"))),
        Fact("Ann", "won", "Prize", 4, ValidTime(19900101, OPEN, "1990"), (("b", "y"), ("a", "x"))),
        Fact("Ann", "won", "Prize", 5, ValidTime(19900101, 19901231)),
        Fact("Ann", "won", "Prize", 5, ValidTime(20000101, 19991231, "2000", "1999")),
        Fact("Ann", "won", "Prize", 6),
    ]
    stored(
        tuqa,
        tmp_path / "f",
        [SourceStart("s", "s", "temporal-kg"), NodeDeclared("m.9", "Nine"), *facts],
    )
    again(tuqa, tmp_path / "out")
    written = (tmp_path / "out" / "1-s.csv").read_text(encoding="utf-8").splitlines()
    assert written[0] == "head,relation,tail,start,end,first_day,last_day,qualifiers,line"
    assert written[1] == 'Ann,won,Prize,,,,,"[[""a"", ""x""]]",1'
    assert "Ann,won,Prize,,,19900101,19901231,,5" in written[7:9]
    (tmp_path / "g").write_text(
        "head\trelation\ttail\tby\tat\nA\tr\tB\tyou\tOslo\nA\tr\tC\t\tOslo\n"
    )
    tuqa.drop("d")
    tuqa.load("kg", tmp_path / "g", dataset="d")
    again(tuqa, tmp_path / "more")


def test_tables(tuqa: TrustUQA, tmp_path: Path) -> None:
    """Headers that repeat, cells of every kind, rows on other lines, no rows; one lacks a cell."""
    header = ["Nation", "Gold", "column 3", "Gold"]
    rows = [("Ann", "3", "", "4"), ("Ann", "7", "x\r\ny", "7"), ('"', "4,5", " ", "3")]
    stored(
        tuqa, tmp_path / "f",
        [
            *table("plain.csv", header, *rows),
            *table("later.csv", ["one"], ("",), (" ",), ("a",), lines=5),
            *table("empty.csv", ["row", "file", "line"]),
            *table("sparse.csv", ["a", "b"], ("1", "2"), (None, "3"), ("Ann", "x")),
            SourceStart("joined", "x.csv", "table", ("a",)), make_row_node("joined", 1),
            Fact(make_row_key("joined", 1), "a", "1", 2),
            SourceStart("joined", "y.csv", "table", ("a",)), make_row_node("joined", 2),
            Fact(make_row_key("joined", 2), "a", "2", 2),
            *table("said.csv", ["a"], ("1",)), Fact(make_row_key("said.csv", 1), "b", "1", 3),
        ],
    )  # fmt: skip
    manifest = again(tuqa, tmp_path / "out")
    found = {source["name"]: source for source in manifest["sources"]}
    assert {name: source["form"] for name, source in found.items()} == {
        "plain.csv": "table", "later.csv": "table", "empty.csv": "table", "sparse.csv": "facts",
        "joined": "table", "said.csv": "facts",
    }  # fmt: skip
    plain = tmp_path / "out" / found["plain.csv"]["file"]
    assert plain.name == "4-plain-csv.csv"
    with plain.open(encoding="utf-8", newline="") as file:
        written = file.read()
    # Nothing tells which of two cells under one header came first, but usually the order in the database.
    assert re.fullmatch(
        'Nation,Gold,column 3,Gold\nAnn,(3,,4|4,,3)\n"Ann","7","x\r\ny","7"\n'
        '"""",("4,5", ,3|3, ,"4,5")\n',
        written,
    )
    assert found["plain.csv"]["lines"] is None
    lines = tmp_path / "out" / found["joined"]["lines"]
    assert lines.read_text(encoding="utf-8") == "row,file,line\n1,x.csv,2\n2,y.csv,2\n"
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(
        {"manifest.json", "names.csv"}
        | {source[each] for source in found.values() for each in ("file", "lines") if source[each]}
    )


def test_declarations(tuqa: TrustUQA, tmp_path: Path) -> None:
    """Of sources with facts and without, with all that names and comments may hold."""
    odd = 'a, "b"\r\nc\u2028'
    stored(
        tuqa, tmp_path / "f",
        [
            SourceStart("onto.owl", "onto.owl", "kg"),
            ClassDeclared("B", ("A", "Thing"), ("C", odd), ("bee", "é"), odd), ClassDeclared("A"),
            RelationDeclared(
                "r", (("A", "B"), ("C",)), (("A",),), False, (), ("s",), ("q",), ("are",), odd
            ),
            RelationDeclared("v", values=True, datatypes=("date", "number")), RelationDeclared("s"),
            SourceStart("g", "g.tsv", "kg"), Fact("x", "type", "A", 1), Fact("x", "r", "y", 2),
            *table("t.csv", ["a"], ("1",)), RelationDeclared("a", values=True),
            SourceStart("g", "g.tsv", "kg"), ClassDeclared("A", ("Top",)),
        ],
    )  # fmt: skip
    manifest = again(tuqa, tmp_path / "out")
    assert (manifest["version"], manifest["declarations"]) == (4, "declarations.jsonl")
    assert {source["name"]: source["declared"] for source in manifest["sources"]} == {
        "t.csv": 1, "onto.owl": 5, "g": 1,
    }  # fmt: skip
    written = (tmp_path / "out" / "declarations.jsonl").read_text(encoding="utf-8").split("\n")
    assert written[:2] == [
        '{"source": "t.csv", "relation": "a", "values": true}',
        '{"source": "g", "class": "A", "parents": ["Top"]}',
    ]
    assert written[2] == '{"source": "onto.owl", "class": "A"}'


def test_an_older_export_is_still_read(films: TrustUQA, tmp_path: Path) -> None:
    films.export("films", tmp_path / "out")
    path = tmp_path / "out" / "manifest.json"
    given = json.loads(path.read_text())
    assert given.pop("declarations") is None
    assert [source.pop("declared") for source in given["sources"]] == [0]
    path.write_text(json.dumps({**given, "version": 1}))
    films.load("exported", tmp_path / "out", dataset="e")
    assert everything(films, "e") == everything(films, "films")
    films.drop("e")


def test_sources_that_share_names(tuqa: TrustUQA, tmp_path: Path) -> None:
    """What is an entity and a cell is what it was first."""
    graph: list[Item] = [SourceStart("g", "g", "kg"), Fact("Ann", "r", "Bob", 1)]
    cells = table("t", ["a", "b"], ("Ann", "Cid"), ("Cid", "Eve"))
    later: list[Item] = [SourceStart("h", "h", "kg"), Fact("Cid", "r", "Dan", 1)]
    stored(tuqa, tmp_path / "f", [*graph, *cells, *later])
    assert again(tuqa, tmp_path / "out")["names"] == "names.csv"
    stored(tuqa, tmp_path / "g", [*cells, *graph, *later], mode="replace")
    assert again(tuqa, tmp_path / "other")["names"] is None
    tuqa.drop("d", "g")
    more: list[Item] = [
        SourceStart("i", "i", "temporal-kg"),
        Fact("Zoe", "r", "Eve", 1, ValidTime(1, 2, "a", "b")),
    ]
    stored(tuqa, tmp_path / "h", more, mode="append")
    assert again(tuqa, tmp_path / "third")["facts"] == 6


def test_columns_are_read_again_as_they_were(tuqa: TrustUQA, tmp_path: Path) -> None:
    table = tmp_path / "de.csv"
    table.write_text("k;v\nx;1.234\ny;2.500\nz;0,5\n", encoding="utf-8")
    tuqa.load("table", table, dataset="d", source="de", embeddings=False)
    again(tuqa, tmp_path / "out")
    tuqa.load("exported", tmp_path / "out", dataset="e", embeddings=False)
    assert tuqa.run("sum(get_information(relation='v'))", "e").values == (3734.5,)
    tuqa.drop("e")


def test_whole_cells_are_kept(tuqa: TrustUQA, tmp_path: Path) -> None:
    table = tmp_path / "clients.csv"
    table.write_text("name,goods\nAnn,toys; books\nBob, toys \nCid,\n", encoding="utf-8")
    tuqa.load(table, dataset="d", source="clients", split={"goods": ";"}, embeddings=False)
    again(tuqa, tmp_path / "out")
    tuqa.load("exported", tmp_path / "out", dataset="e", embeddings=False)
    answer = tuqa.run("get_information(relation='name', key='goods', value='toys')", "e")
    assert {fact.cell for fact in answer.evidence if fact.relation == "goods"} == {
        "toys; books",
        " toys ",
    }
    tuqa.drop("e")


@pytest.mark.parametrize(
    "values",
    [
        ValueOptions(),
        ValueOptions("dmy", ",", frozenset({"-", "n/a, or so", "null"})),
        ValueOptions(null=frozenset({"x"})),
        ValueOptions(decimal="."),
    ],
)
def test_how_values_are_read(tuqa: TrustUQA, tmp_path: Path, values: ValueOptions) -> None:
    assert parse_value_options(values.text) == values
    cells = table("t", ["a"], ("1,500",), ("05/03/1999",), ("-",))
    stored(tuqa, tmp_path / "f", cells, values=values)
    again(tuqa, tmp_path / "out", values=values)
    with pytest.raises(
        UsageError, match=r"the values of 'd' were read with other options.*(give|omit)"
    ):
        tuqa.load("exported", tmp_path / "out", dataset="e", values=ValueOptions("iso"))
    assert "e" not in {dataset.name for dataset in tuqa.datasets()}


HOSTILE = [
    "../x", "/etc/passwd", "CON", ".", "..", "-rf", "a\\b", "C:\\x", "導演", " ", "a\x1fb", "x" * 1000,
    "manifest.json", "names.csv", "NUL.csv", "$(id)", "a" * 300 + "/b", "é", "e\u0301",
]  # fmt: skip


def test_sources_may_be_called_anything(tuqa: TrustUQA, tmp_path: Path) -> None:
    found = [item for name in HOSTILE for item in table(name, ["a", "b"], ("1", None))]
    found += [item for name in HOSTILE for item in table(f"{name[:998]}t", ["a"], ("1",))]
    stored(tuqa, tmp_path / "f", found)
    again(tuqa, tmp_path / "out")
    names = [path.name for path in (tmp_path / "out").iterdir()]
    assert all(name.isascii() and len(name) < 70 and name[0].isalnum() for name in names)
    assert len({name.lower() for name in names}) == len(names)
    assert all(name[0].isdigit() for name in names if name not in ("manifest.json", "names.csv"))


def test_two_exports_are_the_same_bytes(films: TrustUQA, tmp_path: Path) -> None:
    for name in ("one", "two"):
        films.export("films", tmp_path / name)
    one, two = (
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}
        for name in ("one", "two")
    )
    assert one == two


# What cannot be exported.


def test_a_folder_that_holds_something(films: TrustUQA, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / ".kept").write_text("mine")
    (tmp_path / "file").write_text("mine")
    for name, said in (("full", "the folder is not empty"), ("file", "a file of this name")):
        with pytest.raises(DataError, match=f"{said}.*{name}\nhint: name"):
            films.export("films", tmp_path / name)
    assert (tmp_path / "full" / ".kept").read_text() == "mine"
    with pytest.raises(DataError, match=r"cannot be written \(.*below\nhint: name a folder"):
        films.export("films", tmp_path / "file" / "below")
    with pytest.raises(DataError, match="no path"):
        films.export("films", "a\0b")


def test_an_empty_folder_is_filled_and_stays_the_same_folder(
    films: TrustUQA, tmp_path: Path
) -> None:
    target = tmp_path / "empty"
    target.mkdir()
    before = target.stat().st_ino
    films.export("films", target)
    assert target.stat().st_ino == before
    films.load("exported", target, dataset="e")
    films.export("films", tmp_path / "a" / "b" / "c")
    assert (tmp_path / "a" / "b" / "c" / "manifest.json").is_file()


def left(path: Path) -> list[str]:
    return sorted(str(each.relative_to(path)) for each in path.rglob("*"))


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), DiskFull),
        (OSError(errno.EIO, "Input/output error"), DataError),
        (KeyboardInterrupt(), KeyboardInterrupt),
    ],
)
def test_nothing_half_written_is_left(
    films: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    there: bool, error: BaseException, expected: type[BaseException],
) -> None:  # fmt: skip
    target = tmp_path / "out"
    if there:
        target.mkdir()
    before = left(tmp_path)
    write = CsvWriter.write

    def fail(self: CsvWriter, given: Sequence[str]) -> None:
        write(self, given)
        if self.row_count == 3:
            raise error

    monkeypatch.setattr(CsvWriter, "write", fail)
    with pytest.raises(expected):
        films.export("films", target)
    assert left(tmp_path) == before


@pytest.mark.parametrize("there", [True, False])
def test_a_rename_that_fails(
    films: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    target = tmp_path / "out"
    if there:
        target.mkdir()
    before, rename = left(tmp_path), Path.rename

    def fail(self: Path, to: Path) -> Path:
        if self.name == "manifest.json" or to == target:
            raise OSError(errno.EACCES, "Permission denied")
        return rename(self, to)

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(DataError, match="Permission denied"):
        films.export("films", target)
    assert left(tmp_path) == before


def test_an_interruption_is_told(
    films: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "PROGRESS_STEP", 5)
    progress = Progress(advance=lambda _: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt, match=r"^interrupted: nothing is in .*out$"):
        films.export("films", tmp_path / "out", progress)
    assert left(tmp_path) == []
    assert films.ping()


def test_a_dataset_that_is_not_there_not_whole_or_not_allowed(
    films: TrustUQA, tmp_path: Path
) -> None:
    with pytest.raises(UnknownDataset, match=r"no dataset 'film'\nhint: did you mean 'films'"):
        films.export("film", tmp_path / "out")
    bad = tmp_path / "bad"
    bad.write_text("a\tr\tb\nx\n")
    with pytest.raises(MalformedLine):
        films.load("kg", bad, dataset="half", batch_size=1)
    with pytest.raises(IncompleteDataset, match="the load of 'half' has not finished"):
        films.export("half", tmp_path / "out")
    scoped = TrustUQA(films.connection.driver, films.connection._database, datasets=["half"])
    with pytest.raises(UnknownDataset, match="no dataset 'films' in this client's scope"):
        scoped.export("films", tmp_path / "out")
    assert left(tmp_path) == ["bad"]


def test_a_dataset_that_changes_meanwhile(films: TrustUQA, tmp_path: Path) -> None:
    more = tmp_path / "more"
    more.write_text("a\tr\tb\n")

    def begin(_phase: str, _total: int, _unit: str = "bytes", /) -> None:
        films.load("kg", more, dataset="films", mode="append")

    with pytest.raises(DataError, match="'films' changed while it was exported"):
        films.export("films", tmp_path / "out", Progress(begin))
    assert left(tmp_path) == ["more"]


def test_what_no_text_file_holds(tuqa: TrustUQA, tmp_path: Path) -> None:
    stored(tuqa, tmp_path / "f", [SourceStart("s", "s", "kg"), Fact("a", "r", "b\0c", 1)])
    with pytest.raises(DataError, match=r"a name contains a NUL character.*b\\x00c"):
        tuqa.export("d", tmp_path / "out")


# Parts of it.


@given(
    rows=st.lists(st.tuples(st.integers(), st.text()), unique_by=lambda each: each[0]),
    size=st.integers(1, 5),
)
def test_sorting(
    rows: list[tuple[int, str]], size: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(export, "MAX_RUNS", 3)
        sorter = RowSorter(place, size)
        for each in rows:
            sorter.add(list(each))
        assert list(sorter) == sorted(map(list, rows))
        assert list(sorter) == sorted(map(list, rows))
    sorter.close()
    assert not list(place.iterdir())


def test_rows_with_long_texts_are_not_all_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "MAX_RUN_LETTERS", 10)
    sorter = RowSorter(tmp_path)
    for number in range(4):
        sorter.add([number, "x" * 6], 6)
    assert len(list(tmp_path.iterdir())) == 2


def test_large_sources_are_sorted_on_disk(
    tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "RowSorter", lambda place: RowSorter(place, 7))
    monkeypatch.setattr(export, "MAX_RUNS", 4)
    facts = [Fact(f"h{n % 7}", f"r{n % 5}", f"t{n}", n + 1) for n in range(100)]
    rows = [(str(n), f"c{n % 3}") for n in range(40)]
    stored(
        tuqa, tmp_path / "f", [SourceStart("s", "s", "kg"), *facts, *table("t", ["a", "b"], *rows)]
    )
    again(tuqa, tmp_path / "out")
    written = (tmp_path / "out" / "2-s.csv").read_text().splitlines()[1:]
    assert written == [f"{f.head},{f.relation},{f.tail},{f.line}" for f in facts]


def test_the_hint_of_a_full_disk() -> None:
    with (
        pytest.raises(DiskFull, match=r"the disk is full, x\nhint: make room"),
        export._convert_errors(Path("x")),
    ):
        raise OSError(errno.ENOSPC, "No space left on device")
