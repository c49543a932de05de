"""What a check of a query found, without running it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..language.query import Problem
from ..mapping import Mapped
from .proof import Stage


@dataclass(frozen=True, slots=True)
class Checked:
    """Problems of a query by their severity; ``outcome`` is what running it would come to if not an answer.

    An ``error`` keeps a query from running, a ``doubt`` is worth a second look and may be the truth, a
    ``warning`` is only told. ``mapped`` are the names that were read as others.
    """

    outcome: str | None
    problems: tuple[Problem, ...]
    mapped: tuple[Mapped, ...] = ()
    trace: tuple[Stage, ...] = ()

    @property
    def good(self) -> bool:
        """Whether there is nothing but warnings."""
        return self.outcome is None and all(p.severity == "warning" for p in self.problems)

    def to_dict(self, text: str) -> dict[str, Any]:
        """As JSON; with ``text``, which was checked, each place is also a line and a column, from 1."""
        return {
            "good": self.good,
            "outcome": self.outcome,
            "problems": [
                {**problem.to_dict(), "severity": problem.severity, **_place(text, problem)}
                for problem in self.problems
            ],
            "mapped": [mapped.to_dict() for mapped in self.mapped],
        }


def _place(text: str, problem: Problem) -> dict[str, int | None]:
    if problem.position is None:
        return {"line": None, "column": None}
    line, column = line_and_column(text, problem.position)
    return {"line": line, "column": column}


def line_and_column(text: str, position: int) -> tuple[int, int]:
    """Where in ``text`` a position is, both from 1."""
    before = text[:position]
    return before.count("\n") + 1, position - (before.rfind("\n") + 1) + 1
