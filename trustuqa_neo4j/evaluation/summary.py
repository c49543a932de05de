"""What a run comes to: figures by group, why queries were refused, and what became of invented functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ..answer import GOOD
from .benchmark import Case
from .lines import Line
from .metrics import percentile

ALL = "all"


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures of one group of ``n`` queries, each in one of ``right``, ``wrong``, ``empty``, ``refused``.

    ``wrong`` were answered and not right, ``empty`` ran and found nothing, ``refused`` are all others,
    which ``kinds`` counts by outcome and kind of problem. ``scores`` are means; ``p50`` and ``p95`` are
    of the ms that mapping and execution took together where a query ran.
    """

    group: str
    n: int
    right: int
    wrong: int
    empty: int
    refused: int
    scores: Mapping[str, float] = field(default_factory=dict)
    kinds: Mapping[str, int] = field(default_factory=dict)
    p50: float | None = None
    p95: float | None = None


@dataclass(frozen=True, slots=True)
class Ends:
    """How the ``n`` questions of a group ended; those ``right`` were so at ``first``, or ``repaired``.

    All others are in one of ``partial`` (right but for columns), ``wrong``, ``unknown`` and ``error``.
    """

    group: str
    n: int
    right: int
    first: int
    repaired: int
    partial: int
    wrong: int
    unknown: int
    error: int


@dataclass(frozen=True)
class Summary:
    """A run's figures by group, the last of all together; by invented function; and what made them.

    Where answers are tables, ``ends`` say how questions ended, and ``fired`` what was wrong with queries.
    """

    benchmark: str
    metrics: tuple[str, ...]
    groups: tuple[Figures, ...]
    functions: tuple[Figures, ...]
    left_out: Mapping[str, int]
    settings: Mapping[str, Any]
    ends: tuple[Ends, ...] = ()
    fired: Mapping[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


def is_right(line: Line) -> bool:
    """Whether the first of its metrics is full."""
    return next(iter(line.scores.values())) == 1


def by_group(lines: Sequence[Line]) -> tuple[Figures, ...]:
    """Figures of each group in order of its name, then of all."""
    names = sorted({line.group for line in lines})
    groups = [figures(name, [line for line in lines if line.group == name]) for name in names]
    return tuple(groups) if len(groups) == 1 else (*groups, figures(ALL, lines))


def by_function(lines: Iterable[Line], cases: Iterable[Case]) -> tuple[Figures, ...]:
    """Figures of the queries with each invented function, the most used first."""
    by_id = {line.id: line for line in lines}
    using: dict[str, list[Line]] = {}
    for case in cases:
        for name in case.invented:
            if case.id in by_id:
                using.setdefault(name, []).append(by_id[case.id])
    ordered = sorted(using.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple(figures(name, found) for name, found in ordered)


def figures(group: str, lines: Sequence[Line]) -> Figures:
    """The figures of ``lines``."""
    counted = Counter(_became(line) for line in lines)
    kinds = Counter(_kind(line) for line in lines if _became(line) == "refused")
    took = [
        line.ms.get("map", 0) + line.ms.get("execute", 0) for line in lines if line.outcome in GOOD
    ]
    metrics = list(lines[0].scores) if lines else []
    return Figures(
        group,
        len(lines),
        counted["right"],
        counted["wrong"],
        counted["empty"],
        counted["refused"],
        {name: sum(line.scores[name] for line in lines) / len(lines) for name in metrics},
        dict(sorted(kinds.items(), key=lambda kind: (-kind[1], kind[0]))),
        percentile(took, 0.50),
        percentile(took, 0.95),
    )


def _became(line: Line) -> str:
    if is_right(line):
        return "right"
    return {"answered": "wrong", "empty": "empty"}.get(line.outcome, "refused")


def _kind(line: Line) -> str:
    kind = line.problems[0].get("kind") if line.problems else None
    return f"{line.outcome}: {kind}" if kind else line.outcome
