"""Times with two parts in a query: ``2:20`` is hours and minutes beside ``2:10:46``, else minutes.

A value alone is read as minutes and seconds. The values that it is compared with say more: whether they have
seconds as a third part, and how long they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ..deadline import watch
from ..values import Value
from .results import Cell

_TIME = re.compile(r"\d{1,3}:[0-5]\d(?P<third>:[0-5]\d)?(?P<fraction>[.,]\d{1,6})?", re.ASCII)
_CLEAR = 5
"""A reading is clear if the other one is this many times as far from the values."""


class _Times(NamedTuple):
    """The times among some values: the shortest and longest in seconds, one as written, and their forms."""

    shortest: float
    longest: float
    sample: str
    has_two_parts: bool
    has_three_parts: bool

    def measure_distance(self, seconds: float) -> float:
        return max(self.shortest / seconds, seconds / self.longest, 1.0)


def read_time_bounds(
    cells: Sequence[Cell], bounds: Sequence[Cell]
) -> tuple[Sequence[Cell], tuple[str, ...]]:
    """Read bounds with two parts as the cells are written; return remarks where that is not certain."""
    if not any(_read_parts(bound) for bound in bounds):
        return bounds, ()
    times = _survey(cells)
    if times is None:
        return bounds, ()
    pairs = [_read_bound(bound, times) for bound in bounds]
    return [bound for bound, _ in pairs], tuple(remark for _, remark in pairs if remark)


def _read_parts(bound: Cell) -> int:
    """Return the number of parts of a time in the query; 0 for any other bound."""
    is_typed = bound.node is None and bound.computed is None
    match = _TIME.fullmatch(bound.text.strip()) if is_typed and bound.value else None
    if match is None or (match["fraction"] and not match["third"]):
        return 0
    return 3 if match["third"] else 2


def _survey(cells: Sequence[Cell]) -> _Times | None:
    seconds: list[float] = []
    samples: dict[bool, str] = {}
    for cell in watch(cells):
        match = _TIME.fullmatch(cell.text.strip()) if ":" in cell.text else None
        if match is not None and cell.value is not None and cell.value.number:
            seconds.append(cell.value.number)
            samples.setdefault(bool(match["third"]), cell.text.strip())
    if not seconds:
        return None
    sample = samples.get(True) or samples[False]
    return _Times(min(seconds), max(seconds), sample, False in samples, True in samples)


def _read_bound(bound: Cell, times: _Times) -> tuple[Cell, str]:
    parts = _read_parts(bound)
    seconds = None if bound.value is None else bound.value.number
    if not parts or not seconds:
        return bound, ""
    if parts == 3:
        return bound, _doubt_hours(bound, seconds, times)
    if not times.has_three_parts:
        return bound, ""
    as_minutes, as_hours = map(times.measure_distance, (seconds, 60 * seconds))
    if times.has_two_parts or as_minutes < as_hours:
        is_certain = times.has_two_parts and as_minutes < as_hours
        return bound, "" if is_certain else _describe(bound, "minutes and seconds", times)
    assert bound.value is not None
    bound_in_hours = replace(bound, value=Value(60 * seconds, bound.value.unit))
    is_certain = as_minutes >= _CLEAR * as_hours
    return bound_in_hours, "" if is_certain else _describe(bound, "hours and minutes", times)


def _doubt_hours(bound: Cell, seconds: float, times: _Times) -> str:
    """Remark that times with two parts may be hours, where a bound has hours and they would be near it."""
    is_doubtful = not times.has_three_parts and seconds >= 3600
    if not is_doubtful or times.measure_distance(seconds) <= times.measure_distance(seconds / 60):
        return ""
    return (
        f"values such as {times.sample!r} are read as minutes and seconds, and {bound.text!r} has hours; "
        "if the values are hours and minutes, write the bound as they are written"
    )


def _describe(bound: Cell, reading: str, times: _Times) -> str:
    parts = bound.text.strip()
    other = f"0:{parts.zfill(5)}" if reading.startswith("hours") else f"{parts}:00"
    return (
        f"{bound.text!r} is read as {reading}, beside values such as {times.sample!r}; "
        f"write {other!r} for the other reading"
    )
