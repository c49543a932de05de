"""Columns and rows as CSV, or as a DataFrame of pandas."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, TypeAlias

from ..errors import MissingExtra
from ..values import read_value

if TYPE_CHECKING:
    import pandas

Field: TypeAlias = str | float | int

_DAY_DIGITS = 8  # of a day as a number, such as 20240131


_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""First characters of a text that spreadsheet programs compute, or that they drop before they do."""

_NUMBER = re.compile(r"[+-]?\d[\d.,'\u00a0\u202f ]*([eE][+-]?\d+)?\s?%?")


def rows_to_csv(
    columns: Sequence[str], rows: Iterable[Sequence[Field]], *, escape_formulas: bool = False
) -> str:
    # As in RFC 4180 but with bare line feeds; no cell is changed, or only those that are formulas.
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    for row in (columns, *rows):
        writer.writerow([*map(_escape_formula, row)] if escape_formulas else row)
    return buffer.getvalue()


def _escape_formula(cell: Field) -> Field:
    is_text = isinstance(cell, str) and cell.startswith(_FORMULA_STARTS)
    return f"'{cell}" if is_text and not _NUMBER.fullmatch(str(cell)) else cell


def rows_to_dataframe(
    columns: Sequence[str], rows: Iterable[Sequence[Field]], *, typed: bool = True
) -> pandas.DataFrame:
    # ``typed`` reads columns of nothing but numbers or days; all others stay text.
    try:
        import pandas
    except ModuleNotFoundError as error:
        raise MissingExtra(
            "a DataFrame needs the Python package 'pandas'",
            where="which is not installed",
            hint="pip install pandas, or take to_csv()",
        ) from error
    cells = [list(row) for row in rows]
    if not typed:
        return pandas.DataFrame(cells, columns=list(columns))
    series = [_read_column([row[place] for row in cells]) for place in range(len(columns))]
    return pandas.DataFrame([list(row) for row in zip(*series, strict=True)], columns=list(columns))


def _read_column(cells: Sequence[Field]) -> Sequence[object]:
    filled = [cell for cell in cells if cell != ""]
    for read in (_read_plain_number, _read_day):
        values = {cell: read(cell) for cell in filled}
        if filled and None not in values.values():
            return [values.get(cell) for cell in cells]
    return cells


def _read_plain_number(cell: Field) -> float | int | None:
    if not isinstance(cell, str):
        return cell
    value = read_value(cell)
    if value is None or value.number is None or value.unit is not None:
        return None
    is_code = cell[:1] == "0" and cell[1:2].isdigit()
    if is_code:
        return None
    return int(value.number) if value.number.is_integer() else value.number


def _read_day(cell: Field) -> datetime | None:
    value = read_value(cell) if isinstance(cell, str) else None
    if value is None or value.start is None or value.start != value.end:
        return None
    text = str(value.start)
    return datetime.fromisoformat(text) if len(text) == _DAY_DIGITS else None
