"""Conditions on the time of facts: before a day, in a year, the earliest, the longest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..language.printer import quote_name
from ..reasoning.arithmetic import count_days_and_months, estimate_open_end
from ..values import read_value
from .graph_view import Edge

_LATEST = ("latest", "highest")


@dataclass(frozen=True, slots=True)
class Moment:
    """A day or a period as the question writes it, with its first and last day."""

    text: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class TimeCondition:
    """``key`` is ``time``, ``start time`` or ``end time``; ``moment`` may be ``earliest`` or ``latest``.

    With the key ``duration`` it is ``longest`` or ``shortest``.
    """

    key: str
    operator: str
    moment: Moment | str

    def select(self, edges: Sequence[Edge], latest: int) -> list[Edge]:
        timed = [edge for edge in edges if edge.start is not None]
        if self.key == "duration":
            return self._select_by_duration(timed, latest)
        if isinstance(self.moment, str):
            upper = self.moment in _LATEST
            keys = [_bound(edge, self.key, upper) for edge in timed]
            best = (max if upper else min)(keys, default=0)
            return [edge for edge, key in zip(timed, keys, strict=True) if key == best]
        return [edge for edge in timed if self._holds(edge, self.moment)]

    def _select_by_duration(self, edges: Sequence[Edge], latest: int) -> list[Edge]:
        days = {edge: days for edge in edges if (days := count_days(edge, latest)) is not None}
        extreme = (max if self.moment == "longest" else min)(days.values(), default=0)
        return [edge for edge, count in days.items() if count == extreme]

    def _holds(self, edge: Edge, moment: Moment) -> bool:
        assert edge.start is not None
        assert edge.end is not None
        if self.key == "time":
            return {
                "=": edge.start <= moment.last and edge.end >= moment.first,
                "<": edge.start < moment.first,
                ">": edge.end > moment.last,
            }[self.operator]
        day = edge.start if self.key == "start time" else edge.end
        return {
            "=": moment.first <= day <= moment.last,
            "<": day < moment.first,
            ">": day > moment.last,
        }[self.operator]

    def write(self) -> str:
        text = self.moment if isinstance(self.moment, str) else self.moment.text
        return f"key={quote_name(self.key)}, value{self.operator}{quote_name(text)}"


def count_days(edge: Edge, latest: int) -> float | None:
    """Count the days of a fact; without an end it lasts until the latest day of the graph."""
    start = read_value(edge.start_text) if edge.start_text else None
    if start is None or start.start is None:
        return None
    end = read_value(edge.end_text) if edge.end_text else None
    if end is None or end.start is None:
        end = estimate_open_end(start, latest)
    return count_days_and_months(start, end)[0]


def _bound(edge: Edge, key: str, upper: bool) -> int:
    assert edge.start is not None
    assert edge.end is not None
    is_end = key == "end time" or (key == "time" and upper)
    return edge.end if is_end else edge.start
