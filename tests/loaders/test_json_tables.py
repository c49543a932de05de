"""``json``: a list of flat records is the table that a CSV file with these columns is."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.items import facts, items, parts, written
from support.record_samples import RECORDS, as_csv, describe

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.errors import MalformedLine, UnreadableFile, UsageError
from trustuqa_neo4j.loading.formats import ReadOptions
from trustuqa_neo4j.loading.table_options import TableOptions
from trustuqa_neo4j.model.facts import Fact, NodeDeclared, SourceStart
from trustuqa_neo4j.values import ValueOptions


def lines_of(records: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


@pytest.mark.parametrize("name", RECORDS)
def test_a_list_of_records_is_the_table_of_a_csv_file(tmp_path: Path, name: str) -> None:
    records = RECORDS[name]
    if name == "texts":  # a CSV record with a line break has the line in which it begins
        records = [record | {"t": record["t"].replace("\n", " ")} for record in records]
    from_csv = ReadOptions()
    expected = describe(
        items("table", written(tmp_path, {"d.csv": as_csv(records)}), from_csv), shift=1
    )
    documents = {
        "d.json": json.dumps(records),
        "d.jsonl": lines_of(records),
        "d.txt": lines_of(records),
        "one.json": json.dumps({"rows": records}, indent=1),
        "more.json": json.dumps({"next": None, "rows": records, "errors": []}),
    }
    for file, content in documents.items():
        options = ReadOptions()
        assert describe(items("json", written(tmp_path, {file: content}), options)) == expected
        # Only lines can be meant as the end of a file.
        assert {*options.remarks} == {r for r in from_csv.remarks if "rows at the end" not in r}


def test_rows_have_the_file_and_the_number_of_their_record(tmp_path: Path) -> None:
    result = items("json", written(tmp_path, {"d.jsonl": '\n{"a": 1}\n\n{"a": 2, "b": "x"}\n'}))
    assert result == [
        SourceStart("d.jsonl", "d.jsonl", "table", ("a", "b")),
        NodeDeclared("d.jsonl\x1f1", "row 1", position=1),
        Fact("d.jsonl\x1f1", "a", "1", 2),
        Fact("d.jsonl\x1f1", "b", "", 2),
        NodeDeclared("d.jsonl\x1f2", "row 2", position=2),
        Fact("d.jsonl\x1f2", "a", "2", 4),
        Fact("d.jsonl\x1f2", "b", "x", 4),
    ]


def test_a_list_is_a_cell_with_several_values(tmp_path: Path) -> None:
    content = '[{"f": "x", "in": ["a", 1e1, null, "a", true]}, {"f": "y", "in": ["b"]}, {"in": []}]'
    result = facts(items("json", written(tmp_path, {"d.json": content})))
    assert [(f.tail, f.cell, f.line) for f in result if f.relation == "in"] == [
        ("a", "a; 10; a; true", 1),
        ("10", "a; 10; a; true", 1),
        ("true", "a; 10; a; true", 1),
        ("b", "", 2),
        ("", "", 3),
    ]


def test_each_list_of_a_document_is_a_table(tmp_path: Path) -> None:
    content = '{"shops": [{"id": 1}, {"id": 2}], "sales": [{"shop": 1, "sum": 5}]}'
    result = items("json", written(tmp_path, {"d.json": content}))
    assert [(part.source, part.file, part.columns) for part in parts(result)] == [
        ("d.json#shops", "d.json", ("id",)),
        ("d.json#sales", "d.json", ("shop", "sum")),
    ]
    assert [(f.head, f.tail, f.line) for f in facts(result)][2:] == [
        ("d.json#sales\x1f1", "1", 1), ("d.json#sales\x1f1", "5", 1),
    ]  # fmt: skip


def test_what_stands_beside_the_records_is_left_out_with_a_note(tmp_path: Path) -> None:
    content = '{"count": 2, "next": null, "ok": true, "results": [{"a": 1}, {"a": 2}], "page": 0}'
    options = ReadOptions()
    result = items("json", written(tmp_path, {"d.json": content}), options)
    assert [(part.source, part.columns) for part in parts(result)] == [("d.json", ("a",))]
    assert [f.tail for f in facts(result)] == ["1", "2"]
    (remark,) = options.remarks
    assert remark == "a member beside the records of a document, which is not read"
    assert options.remarks[remark].places == ["d.json#/count", "d.json#/ok", "d.json#/page"]


@pytest.mark.parametrize(
    "content",
    [
        '[{"a": 1}, {"a": {"@id": "x"}}]',
        '[{"a": 1}, {"a": [[{"b": {"@c": 2}}]]}]',
        '[{"id": 1, "type": "T", "of": {"a": [{"_id": 1, "type": ["S", "T"]}]}}]',
        '[{"@id": "x", "a": 1}]',
        '{"a": 1}',
        '{"a": [1, 2], "b": [3, 4]}',
        '{"a": [{"b": 1}, 5]}',
        '{"parts": {"a": 1}, "rows": [{"b": 1}]}',
        '{"title": "t", "rows": [{"b": 1}]}',
        '{"rows": [{"b": 1}], "id": 5}',
        '{"count": 0, "rows": []}',
    ],
)
def test_all_else_is_a_graph(tmp_path: Path, content: str) -> None:
    assert [part.kind for part in parts(items("json", written(tmp_path, {"d.json": content})))] == [
        "kg"
    ]


def test_names_of_columns(tmp_path: Path) -> None:
    options = ReadOptions()
    content = '[{" a\\n b ": 1, "": 2, "x": 3, "x": 4}, {"x": NaN}, {"x": -Infinity}]'
    result = items("json", written(tmp_path, {"d.json": content}), options)
    assert parts(result)[0].columns == ("a b", "unnamed", "x")
    assert [f.tail for f in facts(result) if f.relation == "x"] == ["3", "4", "", "-Infinity"]
    assert list(options.remarks) == [
        "a member without a name, called unnamed",
        "an object has a member twice, and each is a fact",
        "NaN or Infinity, which JSON does not have: NaN is read as missing",
    ]


def test_members_that_look_like_data_are_no_columns(tmp_path: Path) -> None:
    """A table of 2,000 columns and rows with one filled cell each would have millions of cells."""
    content = json.dumps([{f"n{number}": number} for number in range(2000)])
    result = items("json", written(tmp_path, {"d.json": content}))
    assert [part.kind for part in parts(result)] == ["kg"]
    wide = json.dumps([{f"n{number}": number for number in range(2000)}])
    assert [part.kind for part in parts(items("json", written(tmp_path, {"d.json": wide})))] == [
        "table"
    ]


@pytest.mark.parametrize("content", ['[{"a": 1}, 5, {"a": 2}]', '{"a": 1}\n{"a": x}\n{"a": 2}'])
def test_a_bad_record(tmp_path: Path, content: str) -> None:
    files = written(tmp_path, {"d.json": content})
    with pytest.raises(MalformedLine, match=r"d\.json:2\nhint: "):
        items("json", files)
    options = ReadOptions(skip_bad=1)
    assert [f.line for f in facts(items("json", files, options))] == [1, 3]
    with pytest.raises(MalformedLine, match="half a character"):
        items("json", written(tmp_path, {"d.json": '[{"a": "\\ud800"}]'}))
    with pytest.raises(UnreadableFile, match="no fact in it"):
        items("json", written(tmp_path, {"d.json": "[{}, {}]"}))


def test_a_large_document_is_read_as_a_small_one(tmp_path: Path) -> None:
    text = "x" * 700_000
    records = [{"n": n, "text": text, "list": [text, text]} for n in range(4)]
    contents = [("d.json", json.dumps(records)), ("d.json", json.dumps({"rows": records}))]
    for file, content in [*contents, ("d.jsonl", lines_of(records))]:
        result = items("json", written(tmp_path, {file: content}))
        assert [f.tail for f in facts(result) if f.relation == "n"] == ["0", "1", "2", "3"]
        assert [f.tail for f in facts(result) if f.relation == "list"] == [text] * 4


def test_options_of_tables(tmp_path: Path) -> None:
    files = written(tmp_path, {"d.json": '[{"a": "x|y", "b": 1, "c": 2}, {"a": "z", "b": 3}]'})
    table = TableOptions(columns=("a", "d"), rename={"b": "d"}, split={"a": "|"}, skip_end=1)
    result = items("json", files, ReadOptions(table=table))
    assert parts(result)[0].columns == ("a", "d")
    assert [(f.relation, f.tail) for f in facts(result)] == [("a", "x"), ("a", "y"), ("d", "1")]
    for refused in (TableOptions(header=(2, 2)), TableOptions(skip=1), TableOptions(sheets=("s",))):
        with pytest.raises(UsageError, match=r"records have no (header|skip|sheets), d.json"):
            items("json", files, ReadOptions(table=refused))
    nested = written(tmp_path, {"n.json": '[{"@id": "b", "a": 1}]'})
    with pytest.raises(UsageError, match="no table with these options: columns"):
        items("json", nested, ReadOptions(table=TableOptions(columns=("a",))))


# Asked.

SALES: list[dict[str, Any]] = [
    {"shop": "Nord", "day": "2024-01-05", "sold": 3, "price": 2.5, "paid": True, "tags": ["new", "red"]},
    {"shop": "Nord", "day": "2024-02-07", "sold": 1e1, "price": 4, "paid": False, "tags": ["red"]},
    {"shop": "West", "day": "2023-12-31", "sold": 8, "paid": True, "tags": []},
    {"shop": "Ost", "day": "2024-03-01", "sold": None, "price": 1.25, "paid": True, "tags": ["blue", "new"]},
]  # fmt: skip

QUERIES = [
    "sum(get_information(relation='sold'))",
    "mean(get_information(relation='price'))",
    "count(get_information(relation='shop'))",
    "max(get_information(relation='day'))",
    "get_information(relation='shop', key='sold', value='10')",
    "get_information(relation='shop', key='tags', value='new')",
    "get_information(relation='shop', key='paid', value='yes')",
    "group_by(set=get_table(columns='shop, sold'), by='shop', values='sum(sold) as total')",
]

QUESTIONS = [
    "What is the total sold per shop?",
    "Which shop sold the most?",
    "What is the average price?",
]


@pytest.fixture(scope="module")
def sales(client: TrustUQA, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    folder = tmp_path_factory.mktemp("sales")
    flat = [record | {"tags": ";".join(record["tags"])} for record in SALES]
    (folder / "sales.csv").write_text(as_csv(flat))
    (folder / "sales.json").write_text(json.dumps({"sales": SALES}))
    (folder / "sales.jsonl").write_text(lines_of(SALES))
    client.load(
        folder / "sales.csv", dataset="sales csv", split={"tags": ";"},
        embeddings=False,
    )  # fmt: skip
    client.load(folder / "sales.json", dataset="sales json", embeddings=False)
    client.load(folder / "sales.jsonl", dataset="sales lines", embeddings=False)
    client.load(SALES, dataset="sales list", embeddings=False)
    names = ["sales csv", "sales json", "sales lines", "sales list"]
    yield names
    for name in names:
        client.drop(name)


@pytest.mark.parametrize("query", QUERIES)
def test_queries_have_the_answers_of_the_csv_file(
    client: TrustUQA, sales: list[str], query: str
) -> None:
    expected, *others = [client.run(query, dataset) for dataset in sales]
    assert expected.values
    for answer in others:
        assert (answer.values, answer.rows) == (expected.values, expected.rows)


@pytest.mark.parametrize("question", QUESTIONS)
def test_questions_have_the_answers_of_the_csv_file(
    client: TrustUQA, sales: list[str], question: str
) -> None:
    expected, *others = [client.ask(question, dataset) for dataset in sales]
    for answer in others:
        assert (answer.values, answer.rows) == (expected.values, expected.rows)


def test_values_of_python(tuqa: TrustUQA) -> None:
    records = [
        {"day": dt.date(2020, 5, 1), "size": float("nan"), "in": {"b", "a"}, "at": dt.time(10, 30)},
        {"day": dt.date(2021, 5, 1), "size": 2.5, "in": ("c",), "at": None},
    ]  # fmt: skip
    tuqa.load(records, dataset="python values", embeddings=False)
    assert tuqa.run("max(get_information(relation='day'))", "python values").values == (
        "2021-05-01",
    )
    assert tuqa.run("sum(get_information(relation='size'))", "python values").values == (2.5,)
    answer = tuqa.run("get_information(relation='day', key='in', value='b')", "python values")
    assert answer.values == ("2020-05-01",)


def test_column_options_apply_to_records(tuqa: TrustUQA) -> None:
    records = [{"on": "05/03/2024", "code": "7"}, {"on": "06/02/2024", "code": "-"}]
    values = ValueOptions(dates="dmy", columns={"code": ValueOptions(null=frozenset("-"))})
    report = tuqa.load(records, dataset="record options", values=values, embeddings=False)
    assert report.facts == 3
    latest = tuqa.run("max(get_information(relation='on'))", "record options")
    assert latest.values == ("05/03/2024",)
