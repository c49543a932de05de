"""The chart of an answer whose rows are groups, a ranking or a series: which column names, which measures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isfinite

from .evidence import Evidence, Value
from .render.chart import ChartContent, ChartPoint
from .values import read_value

_MIN_BARS = 2
_YEAR = re.compile("[12][0-9]{3}")


def make_chart(
    columns: Sequence[str],
    rows: Sequence[Sequence[Value]],
    shown: Sequence[Sequence[str]],
    links: Sequence[Evidence] = (),
) -> ChartContent | None:
    """Make a chart of the first names and the first column of numbers beside them, as they are ``shown``.

    The bars link to the first of their facts in ``links``. None: there are not two such rows.
    """
    if len(rows) < _MIN_BARS:
        return None
    cells = [*zip(*rows, strict=True)]
    numbers = [[_read_number(cell) for cell in column] for column in cells]
    is_number = [all(number is not None for number in column) for column in numbers]
    label = is_number.index(False) if False in is_number else 0
    measure = next((n for n, good in enumerate(is_number) if good and n != label), None)
    if measure is None:
        return None
    targets: dict[int, str] = {}
    for fact_number, fact in enumerate(links, 1):
        for row in fact.answers:
            targets.setdefault(row, f"#fact-{fact_number}")
    points = [
        ChartPoint(
            str(cells[label][row]),
            number,
            shown[row][measure],
            targets.get(row, ""),
        )
        for row, number in enumerate(numbers[measure])
        if number is not None
    ]
    times = [_read_start(point.name) for point in points]
    is_series = None not in times and len({*times}) == len(times)
    order = sorted(
        range(len(points)), key=lambda n: (times[n] or 0) if is_series else -points[n].number
    )
    title = f"{columns[measure]}, {columns[label]}"
    return ChartContent(title, tuple(points[n] for n in order), is_series)


def _read_number(cell: Value) -> float | None:
    if not isinstance(cell, str):
        return float(cell) if isfinite(cell) else None
    value = read_value(cell)
    return None if value is None or value.number is None else float(value.number)


def _read_start(name: str) -> int | None:
    """The day on which a time begins, as a number; None if the name is not a time."""
    if _YEAR.fullmatch(name):
        return int(name) * 10_000
    value = read_value(name)
    return None if value is None else value.start
