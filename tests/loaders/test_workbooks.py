"""``table``: workbooks and Parquet: values as a person sees them, and what is refused and how."""

from __future__ import annotations

import datetime
import io
import sys
import zipfile
from decimal import Decimal
from pathlib import Path

import pytest
from support.samples import SAMPLES
from support.tables import MAIN, Shown, found, ods, one, xlsx, zipped

from trustuqa_neo4j.errors import MissingExtra, UnreadableFile
from trustuqa_neo4j.loading.formats import File, ReadOptions


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "book"


def test_values_of_xlsx(path: Path) -> None:
    content = xlsx(
        {
            "S": [
                ["name", None, "when"],
                [" a\nb ", 3.0, 25267],
                ["1.0", 0.1 + 0.2, 25267.5],
                [None, None, None],
                [True, 1e20, None],
                ["ü", -0.0, 25267],
            ]
        },
        dated=2,
    )
    table = one(path, content)
    assert table.columns == ("name", "column 2", "when")
    assert table.rows == [
        [" a\nb ", "3", "1969-03-05"],
        ["1.0", "0.3", "1969-03-05 12:00:00"],
        ["true", "1e+20", ""],
        ["ü", "0", "1969-03-05"],
    ]
    assert table.places == [("book", 2), ("book", 3), ("book", 5), ("book", 6)]


@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        (0.125, "0.0%", "12.5%"),
        (0.125, "0%", "12.5%"),
        (0.07, '0.00\\ "%"', "0.07 %"),
        (1, "[Red]0%", "100%"),
        (1200.5, '#,##0.00\\ "€"', "1,200.50 €"),
        (-1200.5678, "#,##0.00 [$€-407];[Red]-#,##0.00 [$€-407]", "-1,200.5678 €"),
        (1200.5, '_("$"* #,##0.00_);_("$"* (#,##0.00)', "$1,200.50"),
        (5, "[$CHF] #,##0", "CHF 5"),
        (12.5, '0.0 "kg"', "12.5 kg"),
        (1067, "00000", "01067"),
        (1200, "#,##0", "1200"),
        (1200, "General", "1200"),
        (5000, "#,##0,", "5000"),
        (5551234, "000-0000", "5551234"),
        (1200, "0.00E+00", "1200"),
        (0.5, "# ?/?", "0.5"),
        (3, '"', "3"),
        (3, "", "3"),
    ],
)
def test_number_formats_of_xlsx(path: Path, value: float, code: str, text: str) -> None:
    table = one(path, xlsx({"S": [["n"], [Shown(value, code)]]}))
    assert table.rows == [[text]]


def test_values_of_xls() -> None:
    (table,) = found("table", [File(SAMPLES / "missions.xls", "missions.xls")]).values()
    assert table.columns == ("mission", "launched", "crew", "days", "landed")
    assert table.rows == [
        ["Apollo 11", "1969-07-16 13:32:00", "3", "8.14", "true"],
        ["Apollo 8", "1968-12-21", "3", "6.125", "false"],
    ]
    assert table.places == [("missions.xls", 3), ("missions.xls", 4)]


def test_number_formats_of_xls() -> None:
    tables = found("table", [File(SAMPLES / "prices.xls", "prices.xls")])
    table = tables["prices.xls#Prices"]
    columns = ("part", "price", "discount", "fee", "weight", "code", "since", "amount")
    assert table.columns == columns
    assert table.rows == [
        ["bolt", "1,200.50 €", "12.5%", "$3.00", "12.5 kg", "01067", "2024-01-05 14:30:00", "7"],
        ["nut", "-3.00 €", "7.0%", "$4.25", "2.0 kg", "80331", "2024-02-29", "1200"],
    ]
    assert tables["prices.xls#Rates"].rows == [["50%"]]


def cell(kind: str, **attributes: str) -> str:
    value = " ".join(f'office:{name}="{text}"' for name, text in attributes.items())
    return f'<table:table-cell office:value-type="{kind}" {value}/>'


def test_values_of_ods(path: Path) -> None:
    header = "".join(
        f'<table:table-cell office:value-type="string"><text:p>{c}</text:p></table:table-cell>'
        for c in "abcd"
    )
    values = (
        cell("float", value="3") + '<table:table-cell/>' + cell("date", **{"date-value": "1969-03-05"})
        + cell("boolean", **{"boolean-value": "false"})
    )  # fmt: skip
    table = one(
        path, ods("".join(f"<table:table-row>{row}</table:table-row>" for row in (header, values)))
    )
    assert (table.columns, table.rows) == (("a", "b", "c", "d"), [["3", "", "1969-03-05", "false"]])


def test_number_formats_of_ods(path: Path) -> None:
    row = cell("percentage", value="0.125") + cell("currency", value="1200.5", currency="EUR")
    header = cell("string", **{"string-value": "a"}) + cell("string", **{"string-value": "b"})
    rows = "".join(f"<table:table-row>{cells}</table:table-row>" for cells in (header, row))
    assert one(path, ods(rows)).rows[-1] == ["12.5%", "1200.5 EUR"]


def formula_workbook() -> bytes:
    """Formulas: uncomputed, shared and uncomputed, computed, and computed to the empty text."""
    content = io.BytesIO(xlsx({"S": [["a", "b", "c", "d"], [1, 2, 3, 4]]}))
    with zipfile.ZipFile(content) as archive:
        members: dict[str, bytes | str] = {n: archive.read(n) for n in archive.namelist()}
    cells = (
        '<c r="A2"><f>1+1</f><v/></c><c r="B2"><f t="shared" si="0"/></c>'
        '<c r="C2"><f>1+2</f><v>3</v></c><c r="D2" t="str"><f>""</f><v></v></c>'
        '<c r="A3"><v>7</v></c>'
    )
    sheet = members["xl/worksheets/1.xml"]
    assert isinstance(sheet, bytes)
    row = sheet.index(b'<row r="2">')
    members["xl/worksheets/1.xml"] = (
        sheet[:row] + f'<row r="2">{cells}</row></sheetData></worksheet>'.encode()
    )
    return zipped(members)


def test_formulas_without_a_value_are_noted(path: Path) -> None:
    options = ReadOptions()
    table = one(path, formula_workbook(), options)
    assert table.rows == [["", "", "3", ""], ["7", "", "", ""]]
    (remark,) = options.remarks.values()
    assert (remark.times, remark.places) == (2, ["book, 1 A2", "book, 1 B2"])


def test_ods_formulas_without_a_value_are_noted(path: Path) -> None:
    header = '<table:table-cell office:value-type="string"><text:p>a</text:p></table:table-cell>'
    rows = (
        header,
        cell("float", value="3"),
        '<table:table-cell table:formula="of:=1+1"/>',
        '<table:table-cell table:formula="of:=1+1" office:value-type="float" office:value="2"/>',
    )
    options = ReadOptions()
    one(path, ods("".join(f"<table:table-row>{row}</table:table-row>" for row in rows)), options)
    (remark,) = options.remarks.values()
    assert remark.times == 1
    assert remark.places[0].endswith(" A3")


def test_each_sheet_with_a_cell_is_a_source(path: Path) -> None:
    sheets = {"One": [["a"], [1]], "None": [], "The Other": [["a"], [0], [2]], "Bare": [["a"]]}
    path.write_bytes(xlsx(sheets))  # type: ignore[arg-type]
    options = ReadOptions()
    tables = found("table", [File(path, "book")], options)
    assert list(tables) == ["book#One", "book#The Other", "book#Bare"]
    assert tables["book#The Other"].rows == [["0"], ["2"]]
    assert tables["book#The Other"].places == [("book#The Other", 2), ("book#The Other", 3)]
    assert options.remarks["no data row"].places == ["book#Bare"]
    joined = found("table", [File(path, "book")], ReadOptions(source="all"))
    assert joined["all"].rows == [["1"], ["0"], ["2"]]


def test_empty_cells_of_ods_are_repeated_to_the_end(path: Path) -> None:
    empty = "<table:table-cell table:number-columns-repeated='16384'/>"
    row = f"<table:table-row>{cell('float', value='1')}{empty}</table:table-row>"
    end = f"<table:table-row table:number-rows-repeated='1048574'>{empty}</table:table-row>"
    assert one(path, ods(row + row + end)).rows == [["1"]]


def test_progress_of_a_workbook(path: Path) -> None:
    positions: list[int] = []
    content = xlsx({"S": [["a"], *[[n] for n in range(3000)]]})
    one(path, content, ReadOptions(progress=lambda _, done: positions.append(done)))
    assert positions == [len(content)] * 3


WHOLE = xlsx({"S": [["a", "b"], [1, 2]]})
BAD = {
    "no sheet with a cell": ("x.xlsx", xlsx({"S": [], "T": []}), "no cell in any sheet"),
    "cut": ("x.xlsx", WHOLE[:-40], "the workbook cannot be read (invalid Zip archive"),
    "broken XML": (
        "x.xlsx", zipped({"xl/workbook.xml": "<workbook", "[Content_Types].xml": ""}),
        "the workbook cannot be read (",
    ),
    "locked XLSX": ("x.xlsx", (SAMPLES / "locked.xlsx").read_bytes(), "protected by a password"),
    "locked ODS": ("x.ods", ods("", locked=True), "protected by a password"),
    "something else by Microsoft": (
        "x.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "the workbook cannot be read (",
    ),
    "cut XLS": ("x.xls", (SAMPLES / "missions.xls").read_bytes()[:2000], "the workbook cannot be read ("),
    "magic of XLSX alone": ("x.xlsx", b"PK\x03\x04", "the workbook cannot be read ("),
    "magic of Parquet alone": ("x", b"PAR1", "the Parquet file cannot be read (Parquet file size is 4 "),
    "Parquet without its end": ("x", b"PAR1" + b"x" * 99, "the Parquet file cannot be read (Parquet magic"),
}  # fmt: skip


def far(cell: str, sheet_end: str = "</worksheet>") -> bytes:
    """A sheet with A1 and this cell alone."""
    with zipfile.ZipFile(io.BytesIO(WHOLE)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    return zipped(members | {
        "xl/worksheets/1.xml": f'<worksheet xmlns="{MAIN}"><dimension ref="A1:B2"/><sheetData>'
        f'<row r="1"><c r="A1"><v>1</v></c></row>{cell}</sheetData>{sheet_end}'
    })  # fmt: skip


LAST = '<c r="XFD1048576"><v>2</v></c>'
MANY = "<table:table-row table:number-rows-repeated='1000000'>{}</table:table-row>".format(
    cell("float", value="1").replace(
        "<table:table-cell", "<table:table-cell table:number-columns-repeated='16000'"
    )
)
APART = "the workbook cannot be read (a sheet has 2 cells"
BAD |= {
    "cells far apart": ("x.xlsx", far(f'<row r="1048576">{LAST}</row>'), APART),
    "cells far apart in one row": ("x.xlsx", far(f"<row>{LAST}</row>"), APART),
    "cells far apart, damaged": (
        "x.xlsx", far(f"<row>{LAST}</row>", "</wrong>"), "the workbook cannot be read (",
    ),
    "a repeated cell": ("x.ods", ods(MANY), APART.replace("2", "1")),
}  # fmt: skip


@pytest.mark.parametrize(("name", "content", "what"), BAD.values(), ids=BAD)
def test_what_is_refused(tmp_path: Path, name: str, content: bytes, what: str) -> None:
    with pytest.raises(UnreadableFile) as caught:
        one(tmp_path / name, content)
    assert caught.value.what.startswith(what)
    assert caught.value.where == name
    assert caught.value.hint


def parquet(path: Path, columns: dict[str, object]) -> None:
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.table(columns), path)


def test_values_of_parquet(path: Path) -> None:
    import pyarrow

    parquet(
        path,
        {
            "text": [" x\n", None],
            "": [3, -7],
            "real": [2.0, float("nan")],
            "short": pyarrow.array([0.1, None], pyarrow.float32()),
            "day": [datetime.date(1969, 3, 5), None],
            "moment": pyarrow.array([0, 1_000_000_001], pyarrow.timestamp("ns")),
            "zone": pyarrow.array([0, 1], pyarrow.timestamp("s", tz="UTC")),
            "time": [datetime.time(12, 30), datetime.time(1)],
            "span": [datetime.timedelta(hours=30, milliseconds=5), datetime.timedelta(seconds=-90)],
            "yes": [True, False],
            "money": [Decimal("1.50"), Decimal("2")],
            "bytes": [b"abc", "ü".encode()],
            "list": [[1, 2], None],
            "made": [{"a": datetime.date(1969, 3, 5), "b": [None, True]}, None],
        },
    )
    (table,) = found("table", [File(path, "book")]).values()
    assert table.columns[:3] == ("text", "column 2", "real")
    assert table.rows == [
        [
            " x\n", "3", "2", "0.1", "1969-03-05", "1970-01-01", "1970-01-01 00:00:00+00:00", "12:30:00",
            "30:00:00.005", "true", "1.50", "abc", "[1, 2]", '{"a": "1969-03-05", "b": [null, true]}',
        ],
        [
            "", "-7", "NaN", "", "", "1970-01-01 00:00:01", "1970-01-01 00:00:01+00:00", "01:00:00",
            "-0:01:30", "false", "2.00", "ü", "", "",
        ],
    ]  # fmt: skip
    assert table.places == [("book", 1), ("book", 2)]


def test_parquet_is_read_in_batches(path: Path) -> None:
    positions: list[int] = []
    parquet(path, {"n": list(range(9000))})
    options = ReadOptions(progress=lambda _, done: positions.append(done))
    (table,) = found("table", [File(path, "book")], options).values()
    assert [row[0] for row in table.rows] == [str(n) for n in range(9000)]
    assert [line for _, line in table.places] == list(range(1, 9001))
    assert len(positions) == 3


def test_parquet_without_rows(path: Path) -> None:
    options = ReadOptions()
    parquet(path, {"a": [], "b": []})
    (table,) = found("table", [File(path, "book")], options).values()
    assert (table.columns, table.rows) == (("a", "b"), [])
    assert options.remarks["no data row"].places == ["book"]


def test_bytes_that_are_no_text(path: Path) -> None:
    parquet(path, {"a": [1], "picture": [b"\xff"]})
    with pytest.raises(UnreadableFile, match=r"type binary .* text .*book, column 'picture'"):
        found("table", [File(path, "book")])


def test_damage_inside_of_parquet(path: Path) -> None:
    parquet(path, {"a": list(range(1000))})
    content = bytearray(path.read_bytes())
    content[4:104] = b"\xff" * 100
    path.write_bytes(content)
    with pytest.raises(
        UnreadableFile, match=r"the Parquet file cannot be read .*book\nhint: write"
    ):
        found("table", [File(path, "book")])


def test_parquet_needs_its_extra(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"pip install \"trustuqa-neo4j\[parquet\]\""):
        found("table", [File(path, "book")])
