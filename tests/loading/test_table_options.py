"""Options of tables: what a load reads with them, what a dataset keeps of them, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.tables import xlsx

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.errors import UsageError
from trustuqa_neo4j.loading.request import LoadReport
from trustuqa_neo4j.loading.table_options import (
    NO_HEADER,
    TableOptions,
    add_types,
    format_options,
    parse_header,
    parse_options,
)
from trustuqa_neo4j.values import ValueOptions

SALES = (
    "Sales;;;\n;;;\nbranch;amount;goods;code\n"
    "North;1.200,50;toys | books;007\nSouth;-;books;010\nEast;2.000;toys | toys;7\nTotal;3.200,50;;\n"
)
OPTIONS: dict[str, Any] = {
    "header": 3,
    "skip_end": 1,
    "rename": {"amount": "EUR"},
    "types": {"code": "text"},
    "split": {"goods": "|"},
    "columns": ["branch", "EUR", "goods", "code"],
    "values": ValueOptions(columns={"EUR": ValueOptions(null=frozenset({"-"}))}),
}


def load(tuqa: TrustUQA, path: Path, content: str | bytes, **options: Any) -> LoadReport:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    parameters = {"dataset": "d", "source": path.stem, "embeddings": False, **options}
    return tuqa.load("table", path, **parameters)


def ask(tuqa: TrustUQA, query: str) -> list[str]:
    return sorted(map(str, tuqa.run(query, "d").values))


def test_a_preview_counts_what_the_load_reports(tuqa: TrustUQA, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    preview = load(tuqa, path, SALES, dry_run=True, **OPTIONS)
    assert tuqa.datasets() == ()
    (table,) = preview.tables
    assert [(c.name, c.type, c.cells) for c in table.columns] == [
        ("branch", "text", 3),
        ("EUR", "number", 2),
        ("goods", "text", 4),
        ("code", "text", 3),
    ]
    assert table.first_rows[0] == ["North", "1.200,50", "toys | books", "007"]
    report = load(tuqa, path, SALES, **OPTIONS)
    assert (report.facts, report.sources) == (preview.facts, preview.sources) == (12, 1)
    assert report.remarks == preview.remarks
    assert "tables" not in report.to_dict()
    assert preview.to_dict()["tables"][0]["columns"][1]["range"] == "1200.5 to 2,000"


def test_options_of_tables(tuqa: TrustUQA, tmp_path: Path) -> None:
    load(tuqa, tmp_path / "a.csv", SALES, **OPTIONS)
    goods = "get_information(relation='branch', key='goods', value='toys')"
    assert ask(tuqa, goods) == ["East", "North"]
    assert ask(tuqa, "sum(get_information(relation='EUR'))") == ["3200.5"]
    assert ask(tuqa, "get_information(relation='branch', key='code', value='007')") == ["North"]
    answer = tuqa.run(goods, "d")
    facts = [fact for fact in answer.evidence if fact.relation == "goods"]
    assert {(fact.tail, fact.line, fact.cell) for fact in facts} == {
        ("toys", 4, "toys | books"),
        ("toys", 6, "toys | toys"),
    }
    assert all(fact.cell is None for fact in answer.evidence if fact not in facts)
    assert "toys (cell: toys | books)" in answer.to_text()


def test_a_dataset_keeps_its_options(tuqa: TrustUQA, tmp_path: Path) -> None:
    load(tuqa, tmp_path / "a.csv", SALES, **OPTIONS)
    later = SALES.replace("North", "West")
    preview = load(tuqa, tmp_path / "b.csv", later, mode="append", dry_run=True)
    report = load(tuqa, tmp_path / "b.csv", later, mode="append")
    assert report.facts == preview.facts == 12
    assert load(tuqa, tmp_path / "b.csv", later, mode="append").begun == "unchanged"
    assert ask(tuqa, "get_information(relation='branch', key='code', value='007')") == [
        "North",
        "West",
    ]
    # Each option that is given replaces that of the dataset; columns that are not there do not matter.
    load(tuqa, tmp_path / "c.csv", "branch,place\nx,y\n", mode="append", header=1, skip_end=0)
    assert "x" in ask(tuqa, "get_information(relation='branch')")


def test_replacing_keeps_the_options(tuqa: TrustUQA, tmp_path: Path) -> None:
    load(tuqa, tmp_path / "a.csv", SALES, **OPTIONS)
    load(tuqa, tmp_path / "a.csv", SALES.replace("North", "West"), mode="replace")
    load(tuqa, tmp_path / "b.csv", SALES, mode="append")
    goods = "get_information(relation='branch', key='goods', value='books')"
    assert set(ask(tuqa, goods)) == {"North", "South", "West"}


def test_the_same_content_is_noted(tuqa: TrustUQA, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("k,v\nx,1\n")
    (tmp_path / "b.csv").write_text("k,v\nx,1\n")
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    report = tuqa.load(first, second, dataset="d", dry_run=True)
    (note,) = report.remarks
    assert note == f"the same content as {first}, so that its facts count twice; load one of them"
    tuqa.load(first, dataset="d", embeddings=False)
    report = tuqa.load(second, dataset="d", mode="append", embeddings=False)
    (note,) = report.remarks
    assert f"`tuqa drop d --source {first}` removes the older one" in note


def test_sheets(tuqa: TrustUQA, tmp_path: Path) -> None:
    book = xlsx({"One": [["a"], ["x"]], "Two": [["a"], ["y"]], "Notes": [["Read me"]]})
    preview = load(tuqa, tmp_path / "b.xlsx", book, dry_run=True, sheets=["Two"], source=None)
    assert [table.source for table in preview.tables] == [f"{tmp_path / 'b.xlsx'}#Two"]
    with pytest.raises(UsageError, match=r"no sheet 'Tow'\nhint: did you mean 'Two'\?"):
        load(tuqa, tmp_path / "b.xlsx", book, sheets=["Tow"])
    with pytest.raises(UsageError, match=r"no sheet 'Two'\nhint: the inputs have none"):
        load(tuqa, tmp_path / "b.csv", "a,b\n1,2\n", sheets=["Two"])


def test_two_header_lines_by_option(tuqa: TrustUQA, tmp_path: Path) -> None:
    rows = "x,2023,\n,low,high\nAnn,1,2\n"
    for content in (rows, xlsx({"S": [["x", 2023, None], [None, "low", "high"], ["Ann", 1, 2]]})):
        preview = load(tuqa, tmp_path / "t", content, dry_run=True, header="1-2")
        names = [column.name for column in preview.tables[0].columns]
        assert names == ["x", "2023 low", "2023 high"]
        preview = load(tuqa, tmp_path / "t", content, dry_run=True, skip=1)
        assert [column.name for column in preview.tables[0].columns] == ["column 1", "low", "high"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"header": 2}, "no row begins in line 2, .*\nhint: the next row is in line 3"),
        ({"header": 0}, "header '0'\nhint: give its line from 1"),
        ({"header": "x"}, "header 'x'\nhint: give its line from 1"),
        ({"header": 1, "skip": 2}, "a line of the header, and lines to skip above it"),
        ({"skip": -1}, "a negative number"),
        ({"columns": ["a", "vlue"]}, "columns: no column 'vlue'\nhint: did you mean 'value'"),
        ({"rename": {"q": "z"}}, "rename: no column 'q'\nhint: there are 'a', 'value'"),
        ({"rename": {"a": "value"}}, "two columns are called 'value' by rename"),
        ({"rename": {"a": "z", "value": "z"}}, "two columns renamed to 'z'"),
        ({"split": {"a": ""}}, "no separator for 'a'"),
        ({"rename": {"a": "z"}, "split": {"a": ";"}}, "split: 'a' is renamed\nhint: write 'z'"),
        ({"types": {"a": "txt"}}, "no type 'txt', column 'a'\nhint: did you mean text"),
        ({"types": {"b": "date"}}, "types for 'b': no column"),
    ],
)
def test_options_that_are_wrong(
    tuqa: TrustUQA, tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        load(tuqa, tmp_path / "t", "a,value\n\n1,2\n", **options)
    assert tuqa.datasets() == ()


def test_formats_without_tables_refuse_them(tuqa: TrustUQA, tmp_path: Path) -> None:
    (tmp_path / "t").write_text("a\tr\tb\n")
    with pytest.raises(UsageError, match="the format kg has no tables with these options: skip"):
        tuqa.load("kg", tmp_path / "t", skip=1)


def test_options_of_tables_choose_the_table(tuqa: TrustUQA, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,r,b\nc,r,d\ne,r,b\n")
    assert tuqa.load(tmp_path / "t.csv", dry_run=True).tables == []
    (table,) = tuqa.load(tmp_path / "t.csv", dry_run=True, header="none").tables
    assert table.rows == 3


def test_the_types_of_columns(tuqa: TrustUQA, tmp_path: Path) -> None:
    content = "name,year,size,code\nAnn,1999,1999,0012\nBob,2001-05-03,3 km,12\n"
    types = {"year": "date", "size": "decimal", "code": "text"}
    preview = load(tuqa, tmp_path / "t", content, types=types, dry_run=True)
    assert [column.type for column in preview.tables[0].columns] == [
        "text",
        "date",
        "number",
        "text",
    ]
    load(tuqa, tmp_path / "t", content, types=types)
    assert ask(tuqa, "get_information(relation='name', key='year', value<2000-01-01)") == ["Ann"]
    assert ask(tuqa, "get_information(relation='name', key='code', value='12')") == ["Bob"]
    assert ask(tuqa, "sum(get_information(relation='size'))") == ["2002"]


def test_options_as_text() -> None:
    table = TableOptions((1, 2), None, 3, ("S",), ("a; {", "b"), {"x": "a"}, {"b": '"; {"'})
    values = add_types(ValueOptions("dmy", null=frozenset({"{-}"})), {"a": "text"})
    text = format_options(table, values)
    assert parse_options(text) == (table, {"a": ValueOptions(kind="text")})
    assert text.endswith("; dates dmy, null {-}")
    assert format_options(TableOptions(), ValueOptions("dmy")) == "dates dmy"
    assert parse_options("dates dmy") == (TableOptions(), {})
    assert parse_header(" 1 - 3 ") == (1, 3)
    assert parse_header("None") == NO_HEADER


def test_a_dry_run_of_a_graph_counts_as_the_load(tuqa: TrustUQA, tmp_path: Path) -> None:
    content = "head\trelation\ttail\tplace\na\tr\tb\tx\na\tr\tb\tx\na\tr\tb\ty\na\tr\tc\t\n"
    path = tmp_path / "t.tsv"
    path.write_text(content)
    preview = tuqa.load("kg", path, dataset="d", dry_run=True)
    report = tuqa.load("kg", path, dataset="d", embeddings=False)
    assert (preview.facts, preview.repeated) == (report.facts, report.repeated)
    assert preview.tables == []


FLAGS = (
    "client,active,member,paid,wind,score\n"
    "Ann,yes,x,1,N,1\nBob,TRUE,,0,S,0\nCid,No,,1,N,1\nDan,y,x,0,W,0\nEve,,x,1,N,1\n"
)


@pytest.mark.parametrize(
    ("condition", "clients"),
    [
        ("key='active', value='yes'", "Ann Bob Dan"),
        ("key='active', value='true'", "Ann Bob Dan"),
        ("key='active', value='no'", "Cid"),
        ("key='active', value!='yes'", "Cid Eve"),
        ("key='member', value='yes'", "Ann Dan Eve"),
        ("key='member', value='no'", "Bob Cid"),
        ("key='paid', value='true'", "Ann Cid Eve"),
        ("key='paid', value='no'", "Bob Dan"),
        ("key='wind', value='N'", "Ann Cid Eve"),
        ("key='score', value='yes'", "Ann Cid Eve"),
        ("key='active', value='yes', key='paid', value='yes'", "Ann"),
        ("head_entity='Bob', key='active', value='yes'", "Bob"),
    ],
)
def test_yes_and_no(tuqa: TrustUQA, tmp_path: Path, condition: str, clients: str) -> None:
    load(tuqa, tmp_path / "a.csv", FLAGS, types={"paid": "boolean"})
    query = f"get_information(relation='client', {condition})"
    assert ask(tuqa, query) == clients.split()


def test_columns_of_yes_and_no_in_a_preview(tuqa: TrustUQA, tmp_path: Path) -> None:
    preview = load(tuqa, tmp_path / "a.csv", FLAGS, types={"paid": "bool"}, dry_run=True)
    types = {column.name: column.type for column in preview.tables[0].columns}
    assert types == {
        "client": "text", "active": "boolean", "member": "boolean", "paid": "boolean",
        "wind": "text", "score": "number",
    }  # fmt: skip
    load(tuqa, tmp_path / "a.csv", FLAGS)
    answer = tuqa.run("get_information(relation='client', key='active', value='true')", "d")
    assert {(match.given, match.used) for match in answer.mapped} == {
        ("true", "yes"),
        ("true", "y"),
    }
    assert tuqa.ask("Which clients are active?", "d").values == ("Ann", "Bob", "Dan")


def test_what_is_recognized_is_stored(tuqa: TrustUQA, tmp_path: Path) -> None:
    load(tuqa, tmp_path / "days", "day,sales\n20240105,3\n20240216,4\n")
    assert ask(tuqa, "get_information(relation='sales', key='day', value='2024-02')") == ["4"]


def test_a_dataset_remembers_that_sums_are_rows(tuqa: TrustUQA, tmp_path: Path) -> None:
    content = "place,sales\nA,3\nB,4\nTotal,7\n"
    assert load(tuqa, tmp_path / "one", content, skip_end=0).facts == 6
    assert load(tuqa, tmp_path / "two", content.replace("A", "C"), mode="append").facts == 6
