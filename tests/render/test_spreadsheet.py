"""XLSX files: read again by the reader of loads, with bad names, numbers and sizes."""

from __future__ import annotations

import io
from zipfile import ZipFile

import pytest
from python_calamine import CalamineWorkbook

from trustuqa_neo4j.render import spreadsheet
from trustuqa_neo4j.render.spreadsheet import rows_to_xlsx


def read(content: bytes) -> list[list[object]]:
    workbook = CalamineWorkbook.from_filelike(io.BytesIO(content))
    return list(workbook.get_sheet_by_index(0).to_python())


def test_texts_and_numbers_are_read_again() -> None:
    rows = [("Ann & <Bob>", 3, 2.5), ("two\nlines ", -1, 0.0), ("עברית", 7, 1e-9)]
    assert read(rows_to_xlsx(("name", "count", "mean"), rows)) == [
        ["name", "count", "mean"],
        *map(list, rows),
    ]


@pytest.mark.parametrize("text", ["=1+1", "+1", "@SUM(A1)", "-2", "=cmd|' /C calc'!A0", "0012"])
def test_a_text_is_not_computed(text: str) -> None:
    content = rows_to_xlsx(("cell",), [(text,)])
    assert read(content)[1] == [text]
    with ZipFile(io.BytesIO(content)) as file:
        assert b"<f>" not in file.read("xl/worksheets/sheet1.xml")


def test_long_identifiers_keep_their_digits() -> None:
    assert read(rows_to_xlsx(("id",), [(12345678901234567890,)]))[1] == ["12345678901234567890"]
    assert read(rows_to_xlsx(("n",), [(float("inf"),), (float("nan"),)]))[1:] == [["inf"], ["nan"]]


def test_characters_without_a_place_in_xml_are_shown() -> None:
    (_, (shown,)) = read(rows_to_xlsx(("cell",), [("a\x00b\x1b\ud800\uffff",)]))
    assert isinstance(shown, str)
    assert shown.startswith("a")
    assert not {"\x00", "\x1b", "\uffff"} & {*shown}


def test_what_a_sheet_cannot_hold_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spreadsheet, "MAX_ROWS", 3)
    monkeypatch.setattr(spreadsheet, "MAX_COLUMNS", 1)
    monkeypatch.setattr(spreadsheet, "MAX_TEXT", 2)
    assert read(rows_to_xlsx(("ab", "c"), [("xyz", 1)] * 9)) == [["ab"], ["xy"], ["xy"]]
