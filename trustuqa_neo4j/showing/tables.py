"""Columns and rows for other programs: CSV, and a DataFrame of pandas."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from ..errors import MissingExtra

if TYPE_CHECKING:
    import pandas

Field: TypeAlias = str | float | int


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[Field]]) -> str:
    """A header and a line a row, as RFC 4180 has it but with bare line feeds; no cell is changed."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return written.getvalue()


def frame(columns: Sequence[str], rows: Iterable[Sequence[Field]]) -> pandas.DataFrame:
    """A DataFrame; columns of text stay text, and only columns all of numbers are numbers.

    Raises:
        MissingExtra: pandas is not installed.
    """
    try:
        import pandas
    except ModuleNotFoundError as error:
        raise MissingExtra(
            "a DataFrame needs the Python package 'pandas'",
            where="which is not installed",
            hint="try: pip install pandas, or take to_csv()",
        ) from error
    return pandas.DataFrame([list(row) for row in rows], columns=list(columns))
