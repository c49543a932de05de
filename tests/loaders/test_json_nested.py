"""``json``: records with nested objects are rows, joined to a graph of these objects."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.items import facts, items, parts, written
from support.record_samples import RECORDS, as_csv, describe

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.errors import MalformedLine
from trustuqa_neo4j.loading.formats import ReadOptions
from trustuqa_neo4j.loading.table_options import TableOptions
from trustuqa_neo4j.model.facts import Fact, Item, NodeDeclared, SourceStart, make_row_node

TREES: list[dict[str, Any]] = [
    {
        "name": "Alder", "height": "12 m", "planted": "03/01/1950", "girth": "1,5", "code": "007",
        "protected": "yes", "note": "n/a", "owner": {"name": "Ann", "age": 41, "born": "03/14/1970"},
        "tags": ["old", "tall"],
        "visits": [{"on": "2024-05-01", "by": {"name": "Bob"}}, {"on": "2024-06-01"}],
    },
    {
        "name": "Birch", "height": "9 m", "planted": "20/05/1971", "girth": "0,75", "code": "012",
        "protected": "no", "note": "n/a", "owner": {"name": "Bob", "age": 35}, "tags": ["thin"],
    },
    {
        "name": "Cedar", "height": "30.5 m", "planted": "02/11/1890", "girth": "2,25", "code": "100",
        "protected": "yes", "note": "by the gate", "owner": {"name": "Ann", "age": 41}, "visits": [],
    },
    {
        "name": "Dogwood", "height": None, "planted": "15/01/2001", "girth": "0,5", "code": "003",
        "protected": "no", "note": "n/a", "owner": None, "tags": ["old"],
    },
]  # fmt: skip
NESTED = ("owner", "visits")


def flat(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in NESTED}


def read(folder: Path, records: Any, options: ReadOptions | None = None) -> list[Item]:
    return items("json", written(folder, {"d.json": json.dumps(records)}), options)


def test_records_are_rows_and_what_is_nested_is_a_graph(tmp_path: Path) -> None:
    record = {
        "name": "Rome",
        "mayor": {"title": "R. G.", "of": {"no": 1}},
        "twins": ["Kiel", {"in": 2}, []],
    }
    result = read(tmp_path, [record, {"name": "Oslo", "mayor": "Ann"}])
    row, second = make_row_node("d.json", 1), make_row_node("d.json", 2)
    mayor, of, twin = "d.json#/0/mayor", "d.json#/0/mayor/of", "d.json#/0/twins/1"
    assert result == [
        SourceStart("d.json", "d.json", "table", ("name", "mayor", "twins")),
        row,
        Fact(row.key, "name", "Rome", 1),
        NodeDeclared(mayor, "R. G."),
        NodeDeclared(of, None, label="of 1"),
        Fact(row.key, "mayor", mayor, 1),
        Fact(row.key, "twins", "Kiel", 1),
        second,
        Fact(second.key, "name", "Oslo", 2),
        Fact(second.key, "mayor", "Ann", 2),
        Fact(second.key, "twins", "", 2),
        SourceStart("d.json#nested", "d.json", "kg"),
        NodeDeclared("of", "of"),
        NodeDeclared("mayor", "mayor"),
        NodeDeclared("twins", "twins"),
        Fact(mayor, "title", "R. G.", 1),
        Fact(of, "no", "1", 1),
        Fact(of, "type", "of", 1),
        Fact(mayor, "of", of, 1),
        Fact(mayor, "type", "mayor", 1),
        NodeDeclared(twin, None, label="twin 1.2"),
        Fact(twin, "in", "2", 1),
        Fact(twin, "type", "twins", 1),
        Fact(row.key, "twins", twin, 1),
    ]


def test_rows_lead_to_objects_without_a_name_in_the_graph(tmp_path: Path) -> None:
    """Else the cell would be an answer that says nothing."""
    files = {
        name: json.dumps(
            [{"k": 1, "at": [{"x": 1}]}, {"k": 2}, {"k": 3, "at": [{"name": "n"}, {"x": 2}]}]
        )
        for name in ("a.json", "b.json")
    }
    result = items("json", written(tmp_path, files), ReadOptions(source="s"))
    assert [(part.source, part.file, part.columns) for part in parts(result)] == [
        ("s", "a.json", ("k",)),
        ("s", "b.json", ("k",)),
        ("s#nested", "a.json", ()),
        ("s#nested", "b.json", ()),
    ]
    assert [(f.head, f.tail) for f in facts(result) if f.relation == "at"] == [
        (make_row_node("s", 1).key, "s:a.json#/0/at/0"),
        (make_row_node("s", 3).key, "s:a.json#/2/at/0"),
        (make_row_node("s", 3).key, "s:a.json#/2/at/1"),
        (make_row_node("s", 4).key, "s:b.json#/0/at/0"),
        (make_row_node("s", 6).key, "s:b.json#/2/at/0"),
        (make_row_node("s", 6).key, "s:b.json#/2/at/1"),
    ]
    only_objects = items("json", written(tmp_path, {"c.json": '[{"at": [{"x": 1}]}]'}))
    assert [part.kind for part in parts(only_objects)] == ["kg"]


def test_the_parts_of_a_record_are_columns(tmp_path: Path) -> None:
    """An object without a name, an id or a class is not a thing: it says more of its record."""
    records = [
        {"name": "Oslo", "medals": {"gold": 2, "by": {"men": 1}}, "mayor": {"name": "Ann"}},
        {"name": "Bergen", "medals": {"gold": 0, "by": {"men": 3}, "days": [1, 4]}},
        {"name": "Molde", "medals": {}},
    ]
    result = read(tmp_path, records)
    columns = ("name", "medals gold", "medals by men", "medals days", "mayor")
    assert [(part.kind, part.columns) for part in parts(result)] == [("table", columns), ("kg", ())]
    cells = [
        (f.relation, f.tail, f.line) for f in facts(result) if f.tail and "medals" in f.relation
    ]
    assert cells == [
        ("medals gold", "2", 1), ("medals by men", "1", 1), ("medals gold", "0", 2),
        ("medals by men", "3", 2), ("medals days", "1", 2), ("medals days", "4", 2),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "last",
    [
        pytest.param({"at": {"id": 4, "x": 1}}, id="an id"),
        pytest.param({"at": {"type": "place", "x": 1}}, id="a class"),
        pytest.param({"at": [{"x": 1}]}, id="a list of objects"),
        pytest.param({"at": "here"}, id="a text"),
        pytest.param({"at": {"x": {"y": {"z": 1}}}}, id="deep"),
        pytest.param({"at": {"x": 1}, "at x": 5}, id="a column of its own"),
        pytest.param({"at": {f"day {day}": 1 for day in range(60)}}, id="members that are data"),
    ],
)
def test_what_may_be_a_thing_stays_a_graph(tmp_path: Path, last: dict[str, Any]) -> None:
    result = read(tmp_path, [{"k": 1, "at": {"x": 1}}, {"k": 2} | last])
    assert [part.kind for part in parts(result)] == ["table", "kg"]
    assert {column for column in parts(result)[0].columns if column.startswith("at ")} <= {*last}


def test_an_object_of_alike_objects_is_a_table(tmp_path: Path) -> None:
    """Their names are a column, unless each has its name as a member."""
    records = {"A": {"code": "A", "x": 1}, "B": {"code": "B", "x": 2}, "C": {"code": "C"}}
    result = items("json", written(tmp_path, {"d.json": json.dumps(records)}))
    assert [(part.kind, part.columns) for part in parts(result)] == [("table", ("code", "x"))]
    plain = {name: {"x": number, "y": 1} for number, name in enumerate("ABC")}
    result = items("json", written(tmp_path, {"d.json": json.dumps(plain)}))
    assert parts(result)[0].columns == ("key", "x", "y")
    assert [fact.tail for fact in facts(result) if fact.relation == "key"] == ["A", "B", "C"]
    # Each record has a key, or none has.
    likes = {"red": {"likes": "red"}, "blue": {"likes": "green"}, "green": {"likes": "red"}}
    result = items("json", written(tmp_path, {"d.json": json.dumps(likes)}))
    assert [fact.tail for fact in facts(result) if fact.relation == "key"] == [*likes]
    own = {"r1": {"key": "K1", "x": 1}, "r2": {"key": "K2", "x": 1}, "r3": {"key": "K3", "x": 2}}
    result = items("json", written(tmp_path, {"d.json": json.dumps(own)}))
    assert parts(result)[0].columns == ("record key", "key", "x")


def test_what_stands_before_records_may_be_empty(tmp_path: Path) -> None:
    document = {"errors": {}, "records": [{"x": 1}, {"x": 2}]}
    result = items("json", written(tmp_path, {"d.json": json.dumps(document)}))
    assert [(part.kind, part.columns) for part in parts(result)] == [("table", ("x",))]


@pytest.mark.parametrize(
    "document",
    [
        pytest.param({"A": {"x": 1}, "B": {"x": 1}}, id="two objects"),
        pytest.param({"A": {"x": 1}, "B": {"y": 1}, "C": {"z": 1}, "D": {"w": 1}}, id="not alike"),
        pytest.param({c: {"0": 1, "1": 2, "2": 3} for c in "abc"}, id="columns of pandas"),
        pytest.param({"A": {"x": 1}, "B": {"x": 1}, "C": {"x": 1}, "n": 3}, id="a number beside"),
    ],
)
def test_other_objects_of_objects_are_graphs(tmp_path: Path, document: dict[str, Any]) -> None:
    result = items("json", written(tmp_path, {"d.json": json.dumps(document)}))
    assert [part.kind for part in parts(result)] == ["kg"]


@pytest.mark.parametrize("form", ["d.json", "d.jsonl", "wrapped"])
@pytest.mark.parametrize("name", RECORDS)
def test_flat_members_are_the_columns_of_a_csv_file(tmp_path: Path, name: str, form: str) -> None:
    records = RECORDS[name]
    if name == "texts":  # a CSV record with a line break has the line in which it begins
        records = [record | {"t": record["t"].replace("\n", " ")} for record in records]
    from_csv, from_json = ReadOptions(), ReadOptions()
    expected = describe(
        items("table", written(tmp_path, {"d.csv": as_csv(records)}), from_csv), shift=1
    )
    objects = {"owner": {"name": "n/a", "day": "31/12/2020"}, "visits": [{"v": 1}, {"v": "x"}]}
    nested = [records[0] | objects, *records[1:-1], records[-1] | {"owner": None}]
    content = {
        "d.json": json.dumps(nested),
        "d.jsonl": "".join(json.dumps(record) + "\n" for record in nested),
        "wrapped": json.dumps({"rows": nested, "next": None}),
    }[form]
    file = "d.json" if form == "wrapped" else form
    described = describe(items("json", written(tmp_path, {file: content}), from_json))
    start = next(n for n, entry in enumerate(described[1:], 1) if entry[0] == "kg")
    (kind, columns, readings), *entries = described[:start]
    own = [
        entry for entry in entries
        if (entry[1] if len(entry) == 2 else entry[0] not in NESTED)
    ]  # fmt: skip
    plain = tuple(column for column in columns if column not in NESTED)
    assert [(kind, plain, readings), *own] == expected
    # Only lines of text have a note on empty rows at their end.
    notes = [what for what in from_csv.remarks if not what.startswith("empty rows at the end")]
    assert list(from_json.remarks) == notes


def test_objects_with_an_id_are_one_node(tmp_path: Path) -> None:
    result = read(
        tmp_path,
        [
            {"k": 1, "owner": {"id": 7, "age": 41}},
            {"k": 2, "owner": {"id": 7, "name": "Ann"}},
            {"k": 3, "owner": {"id": 8}},
        ],
    )
    owners = [fact.tail for fact in facts(result) if fact.relation == "owner"]
    assert owners == ["d.json#/owner\x1f7", "d.json#/owner\x1f7", "d.json#/owner\x1f8"]
    nodes = [item for item in result if isinstance(item, NodeDeclared) and item.key in owners]
    assert [(node.name, node.label) for node in nodes] == [("Ann", ""), (None, "owner 8")]
    # Both are declared before any fact leads to them.
    for node in nodes:
        first = next(n for n, i in enumerate(result) if isinstance(i, Fact) and i.tail == node.key)
        assert result.index(node) < first


def test_the_graph_has_what_the_rows_have(tmp_path: Path) -> None:
    """Rows and columns that are not read leave nothing in the graph."""
    records = [
        {"k": "a", "v": 1, "in": {"name": "n", "x": "in a"}, "at": [{"y": "at a"}]},
        {"k": "b", "v": 2, "in": {"name": "n", "x": "in b"}, "at": [{"y": "at b"}]},
        {"k": "Total", "v": 3, "in": {"name": "n", "x": "in total"}},
    ]
    texts = {fact.tail for fact in facts(read(tmp_path, records)) if fact.relation in "xy"}
    assert texts == {"in a", "at a", "in b", "at b"}
    table = TableOptions(columns=("k", "inside"), rename={"in": "inside"}, skip_end=0)
    result = read(tmp_path, records, ReadOptions(table=table))
    assert parts(result)[0].columns == ("k", "inside")
    assert [fact.tail for fact in facts(result) if fact.relation in "xy"] == [
        "in a", "in b", "in total",
    ]  # fmt: skip
    only = read(tmp_path, records, ReadOptions(table=TableOptions(columns=("k",))))
    assert not [fact for fact in facts(only) if fact.relation in "xy"]
    named = read(tmp_path, records, ReadOptions(source="s"))
    assert [(part.source, part.kind) for part in parts(named)] == [
        ("s", "table"),
        ("s#nested", "kg"),
    ]


def test_a_bad_record_is_no_row_and_in_no_graph(tmp_path: Path) -> None:
    deep: Any = {"x": "deep"}
    for _ in range(120):
        deep = {"in": deep}
    records = [{"k": 1, "in": {"x": "a"}}, {"k": 2, "in": deep}, 5, {"k": 4, "in": {"x": "b"}}]
    with pytest.raises(MalformedLine, match=r"nested more than 100 deep, d\.json:2"):
        read(tmp_path, records)
    options = ReadOptions(skip_bad=2)
    result = read(tmp_path, records, options)
    assert [error.where for error in options.bad] == ["d.json:2", "d.json:3"]
    assert [(f.tail, f.line) for f in facts(result) if f.relation in "kx"] == [
        ("1", 1), ("4", 4), ("a", 1), ("b", 4),
    ]  # fmt: skip
    assert [
        item.position for item in result if isinstance(item, NodeDeclared) and item.position
    ] == [1, 2]


def test_lists_of_lists_are_values(tmp_path: Path) -> None:
    options = ReadOptions()
    result = read(tmp_path, [{"at": [[1, 2], [3]], "none": [[], {}]}], options)
    assert [part.kind for part in parts(result)] == ["table"]
    assert [(f.tail, f.cell) for f in facts(result)] == [
        ("1", "1; 2; 3"), ("2", "1; 2; 3"), ("3", "1; 2; 3"), ("", ""),
    ]  # fmt: skip
    assert list(options.remarks) == [
        "an array in an array: its elements count as those of the outer one"
    ]


# Asked.


def path(column: str, name: str, relation: str) -> str:
    return (
        f"output_of_query1 = get_information(relation={column!r}, key='name', value={name!r})\n"
        f"output_of_query2 = get_information(head_entity=output_of_query1, relation={relation!r})"
    )


ABOUT_COLUMNS = [
    "get_information(relation='height', key='name', value='Alder')",
    "get_information(head_entity='Cedar', relation='planted')",
    "get_information(relation='name', key='height', value>'10 m')",
    "get_information(relation='name', key='planted', value<'1960')",
    "get_information(relation='name', key='planted', value='1950-01-03')",
    "get_information(relation='name', key='planted', value='1890-11-02')",
    "get_information(relation='name', key='girth', value>1.4)",
    "sum(get_information(relation='girth'))",
    "get_information(relation='name', key='code', value='007')",
    "get_information(relation='name', key='protected', value='yes')",
    "count(get_information(relation='name', key='protected', value='no'))",
    "get_information(relation='note')",
    "count(get_information(relation='note'))",
    "mean(get_information(relation='height'))",
    "max(get_information(relation='height'))",
    "get_information(relation='name', key='tags', value='old')",
    "get_information(relation='tags', key='name', value='Alder')",
    "get_information(relation='name', key='height', value='max')",
]  # fmt: skip


@pytest.fixture(scope="module")
def trees(client: TrustUQA, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrustUQA]:
    folder = tmp_path_factory.mktemp("trees")
    rows = [flat(tree) | {"tags": "; ".join(tree.get("tags", []))} for tree in TREES]
    (folder / "trees.csv").write_text(as_csv(rows))
    (folder / "trees.json").write_text(json.dumps(TREES))
    from_csv = client.load(folder / "trees.csv", dataset="flat", split={"tags": ";"})
    from_json = client.load(folder / "trees.json", dataset="nested", source="trees")
    assert list(from_json.remarks) == list(from_csv.remarks) != []
    yield client
    client.drop("flat")
    client.drop("nested")


@pytest.mark.parametrize("query", ABOUT_COLUMNS)
def test_flat_columns_answer_as_those_of_the_csv_file(trees: TrustUQA, query: str) -> None:
    from_csv, from_json = trees.run(query, dataset="flat"), trees.run(query, dataset="nested")
    assert (from_json.outcome, from_json.values) == (from_csv.outcome, from_csv.values)
    assert from_csv.outcome == "answered"


@pytest.mark.parametrize(
    ("query", "values"),
    [
        ("get_information(relation='owner', key='name', value='Alder')", ["Ann"]),
        ("get_information(relation='name', key='owner', value='Ann')", ["Alder", "Cedar"]),
        ("get_information(head_entity='Ann', relation='age')", ["41"]),
        (
            path("owner", "Birch", "age"),
            ["35"],
        ),
        (
            path("visits", "Alder", "on"),
            ["2024-05-01", "2024-06-01"],
        ),
        ("get_information(relation='by', key='on', value<'2024-06-01')", ["Bob"]),
        ("count(get_information(relation='type', tail_entity='visits'))", [2]),
        ("get_information(relation='type', tail_entity='owner')", ["Ann", "Bob"]),
    ],
)
def test_what_is_nested_is_asked_as_a_graph(trees: TrustUQA, query: str, values: list[Any]) -> None:
    answer = trees.run(query, dataset="nested")
    assert (answer.outcome, sorted(answer.values)) == ("answered", sorted(values))


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("which trees are protected", ["Alder", "Cedar"]),
        ("how high is Alder", ["12 m"]),
        ("who owns Alder", ["Ann"]),
        ("which trees does Ann own", ["Alder", "Cedar"]),
        ("how many visits are there", []),
        ("when was Alder visited", []),
    ],
)
def test_questions_without_a_model(trees: TrustUQA, question: str, values: list[str]) -> None:
    """Objects without a name are not an answer, and rows that have some are not counted for them."""
    assert list(trees.ask(question, dataset="nested").values) == values


def test_sources_and_proofs(trees: TrustUQA) -> None:
    (dataset,) = [d for d in trees.datasets() if d.name == "nested"]
    assert [(source.name, source.kind) for source in dataset.sources] == [
        ("trees", "table"), ("trees#nested", "kg"),
    ]  # fmt: skip
    answer = trees.run(path("owner", "Birch", "age"), dataset="nested")
    proofs = {(fact.relation, fact.tail, fact.source, fact.line) for fact in answer.evidence}
    assert ("owner", "Bob", "trees", 2) in proofs
    assert ("age", "35", "trees#nested", 2) in proofs


def test_a_preview_shows_names(client: TrustUQA, tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    path.write_text(json.dumps(TREES))
    report = client.load(path, dataset="preview", dry_run=True)
    (table,) = report.tables
    assert table.rows == 4
    owner = [column.name for column in table.columns].index("owner")
    assert [row[owner] for row in table.first_rows] == ["Ann", "Bob", "Ann", ""]


def test_an_export_is_loaded_again(trees: TrustUQA, tmp_path: Path) -> None:
    folder = tmp_path / "exported"
    trees.export("nested", folder)
    trees.load("exported", str(folder), dataset="again")
    try:
        for query in (*ABOUT_COLUMNS, "get_information(head_entity='Ann', relation='age')"):
            assert (
                trees.run(query, dataset="again").values
                == trees.run(query, dataset="nested").values
            )
    finally:
        trees.drop("again")
