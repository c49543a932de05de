"""Tables for other programs."""

from __future__ import annotations

import csv
import io
import sys
from datetime import datetime

import pandas as pd
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


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1,200", "3.5"], [1200.0, 3.5]),
        (["2100000", "5"], [2_100_000, 5]),
        ([3, "4"], [3, 4]),
        (["2024-01-31", "2023-12-01"], [datetime(2024, 1, 31), datetime(2023, 12, 1)]),  # noqa: DTZ001 # days
        (["007", "010"], ["007", "010"]),
        (["5 kg", "6 kg"], ["5 kg", "6 kg"]),
        (["May 2024", "June 2024"], ["May 2024", "June 2024"]),
        (["12", "n/a"], ["12", "n/a"]),
        (["", ""], ["", ""]),
    ],
)
def test_only_columns_of_nothing_but_numbers_or_days_are_typed(
    cells: list[str | int], expected: list[object]
) -> None:
    frame = rows_to_dataframe(["cell"], [[cell] for cell in cells])
    assert list(frame["cell"]) == expected
    plain = rows_to_dataframe(["cell"], [[cell] for cell in cells], typed=False)
    assert list(plain["cell"]) == cells


def test_empty_cells_of_numbers_are_missing() -> None:
    frame = rows_to_dataframe(["a", "a"], [["1", "x"], ["", ""]])
    assert frame.iloc[0, 0] == 1
    assert pd.isna(frame.iloc[1, 0])
    assert list(frame.iloc[:, 1]) == ["x", ""]
    assert list(rows_to_dataframe(["a"], []).columns) == ["a"]


def test_without_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtra) as caught:
        rows_to_dataframe(("a",), [])
    assert str(caught.value) == (
        "a DataFrame needs the Python package 'pandas', which is not installed\nhint: "
        "pip install pandas, or take to_csv()"
    )
