"""Tables for other programs."""

from __future__ import annotations

import csv
import io
import sys

import pytest
from support.answers import ODD

from trustuqa_neo4j.errors import MissingExtra
from trustuqa_neo4j.render.tabular import rows_to_csv, rows_to_dataframe


def test_a_header_and_a_line_a_row() -> None:
    assert rows_to_csv(("a", "b, c"), [("x", 1), ('y "z"', 0.5)]) == (
        'a,"b, c"\nx,1\n"y ""z""",0.5\n'
    )
    assert rows_to_csv(("a",), []) == "a\n"


def test_cells_come_back_as_they_were() -> None:
    odd = [value for value in ODD if "\0" not in value]  # not before Python 3.11
    rows = [(value, str(number)) for number, value in enumerate(odd)]
    read = csv.reader(io.StringIO(rows_to_csv(("value", "n"), rows), newline=""))
    assert [tuple(row) for row in read] == [("value", "n"), *rows]


def test_a_frame_keeps_what_is_text() -> None:
    made = rows_to_dataframe(
        ("name", "n", "mixed", "n"), [("007", 1, "x", 2.5), ("8", 2**70, 3, 1)]
    )
    assert list(made.columns) == ["name", "n", "mixed", "n"]
    assert made.values.tolist() == [["007", 1, "x", 2.5], ["8", 2**70, 3, 1.0]]
    assert made.iloc[:, 3].dtype == float
    assert rows_to_dataframe(("a", "b"), []).shape == (0, 2)


def test_without_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtra) as caught:
        rows_to_dataframe(("a",), [])
    assert str(caught.value) == (
        "a DataFrame needs the Python package 'pandas', which is not installed\nhint: "
        "pip install pandas, or take to_csv()"
    )
