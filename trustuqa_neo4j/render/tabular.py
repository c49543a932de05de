"""Columns and rows as CSV, or as a DataFrame of pandas."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from ..errors import MissingExtra

if TYPE_CHECKING:
    import pandas

Field: TypeAlias = str | float | int


def rows_to_csv(columns: Sequence[str], rows: Iterable[Sequence[Field]]) -> str:
    # As in RFC 4180 but with bare line feeds; no cell is changed.
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return buffer.getvalue()


def rows_to_dataframe(columns: Sequence[str], rows: Iterable[Sequence[Field]]) -> pandas.DataFrame:
    # Columns of text stay text; only columns of nothing but numbers are numbers.
    try:
        import pandas
    except ModuleNotFoundError as error:
        raise MissingExtra(
            "a DataFrame needs the Python package 'pandas'",
            where="which is not installed",
            hint="pip install pandas, or take to_csv()",
        ) from error
    return pandas.DataFrame([list(row) for row in rows], columns=list(columns))
