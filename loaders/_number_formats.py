"""Number formats of workbooks: percent, currencies and other words around a number, and leading zeros.

A cell with 0.125 and the format ``0 %`` shows 13 %. Here it becomes ``12.5 %``: the unit as a person sees it,
and no digit less than the workbook has.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, NamedTuple, TypeAlias

_DIGITS = "0#?"
_LITERALS = " -+()$€£¥:'!&~{}<>="
_BUILT_IN = {9: "0%", 10: "0.00%"}
"""Formats that a workbook need not define; those of money depend on the country and show none here."""


class NumberFormat(NamedTuple):
    """``decimals`` and ``digits`` are the fewest after and before the decimal point."""

    prefix: str = ""
    suffix: str = ""
    decimals: int = 0
    digits: int = 1
    is_grouped: bool = False
    is_percent: bool = False

    @property
    def is_code(self) -> bool:
        # Leading zeros and nothing else, as in postal codes.
        return self == NumberFormat(digits=self.digits) and self.digits > 1

    def format(self, value: float) -> str:
        number = Decimal(f"{value:.15g}")
        if self.is_percent:
            number *= 100
        exponent = number.normalize().as_tuple().exponent
        assert isinstance(exponent, int)  # workbooks have neither NaN nor infinity
        decimals = max(self.decimals, -exponent)
        text = f"{abs(number):{',' if self.is_grouped else ''}.{decimals}f}"
        whole, point, fraction = text.partition(".")
        sign = "-" if number < 0 else ""
        return f"{sign}{self.prefix}{whole.zfill(self.digits)}{point}{fraction}{self.suffix}"


CellFormats: TypeAlias = dict[str, dict[tuple[int, int], NumberFormat]]
"""By the name of the sheet, then by row and column from 1: the formats that add to a number."""

_DAMAGE = (struct.error, LookupError, ValueError, AssertionError, EOFError)
"""xlrd raises these when it reads a damaged workbook."""


def find_format(code: str, number: int = -1) -> NumberFormat | None:
    # The format of a code, or of the built-in ``number``; None if it shows a number as it is.
    parts = ["", "", ""]  # before, in and after the digits
    is_percent = False
    for kind, text in _tokens(code or _BUILT_IN.get(number, "")):
        if kind == "end":
            break
        if kind == "unknown":
            return None
        if kind == "digits":
            if parts[2]:
                return None  # digits in groups, as of a telephone number
            parts[1] += text
        else:
            is_percent |= kind == "percent"
            parts[2 if parts[1] else 0] += text
    prefix, pattern, suffix = parts[0].lstrip(), parts[1], parts[2].rstrip()
    whole, _, fraction = pattern.partition(".")
    if not pattern or pattern.endswith(",") or "." in fraction:
        return None
    digits = whole.count("0")
    if digits < 2 and not prefix.strip() and not suffix.strip():
        return None
    return NumberFormat(
        prefix, suffix, fraction.count("0"), max(1, digits), "," in whole, is_percent
    )


def _tokens(code: str) -> Iterator[tuple[str, str]]:
    # Pairs of a kind (literal, percent, digits, end, unknown) and a text.
    position = 0
    while position < len(code):
        sign = code[position]
        position += 1
        if sign in "\\_*":
            literal = code[position : position + 1] if sign == "\\" else ""
            position += 1
            yield "literal", literal
        elif sign in '"[':
            end = code.find('"' if sign == '"' else "]", position)
            end = len(code) if end < 0 else end
            yield _quoted(sign, code[position:end])
            position = end + 1
        elif sign == ";":
            yield "end", ""
        elif sign in _DIGITS or sign in ".,":
            yield "digits", sign
        elif sign == "%":
            yield "percent", sign
        elif sign in _LITERALS:
            yield "literal", sign
        else:
            yield "unknown", sign


def _quoted(sign: str, text: str) -> tuple[str, str]:
    # A literal in quotes, or a currency or a colour in brackets.
    if sign == '"':
        return "literal", text
    if text.startswith("$"):
        return "literal", text[1:].partition("-")[0]
    is_elapsed_time = text.casefold().strip("hms") == ""
    return ("unknown" if is_elapsed_time else "literal"), ""


def read_xls_formats(path: str) -> CellFormats:
    """Read the formats of numbers in the sheets of an XLS workbook.

    Raises:
        BadXlsFormats: they cannot be read.
    """
    # Here, since only XLS needs it.
    import xlrd
    from xlrd.biffh import XLRDError

    formats: CellFormats = {}
    try:
        with xlrd.open_workbook(path, formatting_info=True, logfile=io.StringIO()) as book:
            # ``format_map`` also has formats of money that the file does not name, in dollars.
            codes = {entry.format_key: entry.format_str for entry in book.format_list}
            keys = [style.format_key for style in book.xf_list]
            by_style = [find_format(codes.get(key, ""), key) for key in keys]
            for sheet in book.sheets():
                for row, column in _number_cells(sheet):
                    number_format = by_style[sheet.cell_xf_index(row, column)]
                    if number_format is not None:
                        formats.setdefault(sheet.name, {})[row + 1, column + 1] = number_format
    except (XLRDError, *_DAMAGE) as error:
        raise BadXlsFormats from error
    return formats


def _number_cells(sheet: Any) -> Iterator[tuple[int, int]]:
    from xlrd import XL_CELL_NUMBER

    for row in range(sheet.nrows):
        for column, kind in enumerate(sheet.row_types(row)):
            if kind == XL_CELL_NUMBER:
                yield row, column


class BadXlsFormats(Exception):  # a signal to the reader of the cells, never seen outside
    pass


class StyleReader:
    """Reads the formats of cells from the elements of ``xl/styles.xml``."""

    def __init__(self) -> None:
        self.formats: list[NumberFormat | None] = []
        self._codes: dict[str, str] = {}
        self._is_in_cells = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2]
        if name == "numFmt":
            self._codes[attributes.get("numFmtId", "")] = attributes.get("formatCode", "")
        elif name == "cellXfs":
            self._is_in_cells = True
        elif name == "xf" and self._is_in_cells:
            number = attributes.get("numFmtId", "0")
            code = self._codes.get(number, "")
            self.formats.append(find_format(code, int(number) if number.isdecimal() else -1))

    def end(self, tag: str) -> None:
        if tag.rpartition(":")[2] == "cellXfs":
            self._is_in_cells = False


class SheetNameReader:
    """Reads the names of sheets by their files, from ``xl/workbook.xml`` and its relationships."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._targets: dict[str, str] = {}

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2]
        if name == "sheet":
            key = next((v for k, v in attributes.items() if k.rpartition(":")[2] == "id"), "")
            self._names[key] = attributes.get("name", "")
        elif name == "Relationship":
            self._targets[attributes.get("Id", "")] = attributes.get("Target", "")

    def end(self, tag: str) -> None:
        pass

    def by_path(self) -> dict[str, str]:
        return {
            (path.lstrip("/") if path.startswith("/") else f"xl/{path}"): self._names[key]
            for key, path in self._targets.items()
            if key in self._names
        }
