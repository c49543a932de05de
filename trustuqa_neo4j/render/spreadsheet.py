"""A table as an XLSX file of one sheet: texts are texts, also those that begin with ``=``."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from .terminal import escape_controls

Cell = str | float | int

MAX_ROWS, MAX_COLUMNS, MAX_TEXT = 1_048_576, 16_384, 32_767
"""Of a sheet, as spreadsheets read them; further rows and columns are left out, and texts cut."""

_SAFE_NUMBER = 10**15  # longer whole numbers are identifiers, of which a spreadsheet drops digits
_NOT_XML = re.compile("[\ufffe\uffff\ud800-\udfff]")
_TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPES}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_TYPES}.worksheet+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
    f'Type="{_RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATIONS}">'
    '<sheets><sheet name="answer" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/>'
    "</Relationships>",
}


def rows_to_xlsx(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> bytes:
    """Make the file; the same table gives the same bytes."""
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as file:
        for name, part in _PARTS.items():
            file.writestr(ZipInfo(name), _HEAD + part, ZIP_DEFLATED)
        sheet = "".join(_sheet(columns, rows))
        file.writestr(ZipInfo("xl/worksheets/sheet1.xml"), sheet, ZIP_DEFLATED)
    return buffer.getvalue()


def _sheet(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Iterator[str]:
    yield f'{_HEAD}<worksheet xmlns="{_MAIN}"><sheetData>'
    for number, row in enumerate((columns, *rows), 1):
        if number > MAX_ROWS:
            break
        yield f'<row r="{number}">{"".join(map(_cell, row[:MAX_COLUMNS]))}</row>'
    yield "</sheetData></worksheet>"


def _cell(cell: Cell) -> str:
    if not isinstance(cell, str) and abs(cell) < _SAFE_NUMBER:
        return f"<c><v>{cell}</v></c>"
    # A text in the sheet itself is never computed. Line ends stay.
    lines = map(escape_controls, str(cell)[:MAX_TEXT].split("\n"))
    text = escape(_NOT_XML.sub("�", "\n".join(lines)))
    return f'<c t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'
