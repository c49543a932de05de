"""``CheckReport``: the problems of a query that was checked but not run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .language.ast import Problem
from .matching import NameMatch
from .render.blocks import Block, TextBlock, lay_out_table
from .stage import Trace


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The problems of a query that was checked but not run.

    ``outcome`` is the outcome that running it would have, None if the query can be run. An ``error`` keeps
    it from running, a ``doubt`` is likely wrong, a ``warning`` is only shown. ``mapped`` are names that were
    read as other names.
    """

    outcome: str | None
    problems: tuple[Problem, ...]
    mapped: tuple[NameMatch, ...] = ()
    trace: Trace = ()

    @property
    def good(self) -> bool:
        """True if there are only warnings."""
        return self.outcome is None and all(p.severity == "warning" for p in self.problems)

    def __repr__(self) -> str:
        return f"<CheckReport {self.outcome or 'can be run'}, {len(self.problems):,} problems>"

    def _repr_html_(self) -> str:
        from .render.html import render_html

        return render_html(_layout_check(self), label="check")

    def to_dict(self, text: str) -> dict[str, Any]:
        """Convert to JSON; ``text`` is the query, for lines and columns of problems (from 1)."""
        problems = []
        for problem in self.problems:
            line, column = (
                (None, None)
                if problem.position is None
                else line_and_column(text, problem.position)
            )
            place = {"severity": problem.severity, "line": line, "column": column}
            problems.append(problem.to_dict() | place)
        return {
            "good": self.good,
            "outcome": self.outcome,
            "problems": problems,
            "mapped": [match.to_dict() for match in self.mapped],
        }


def _layout_check(report: CheckReport) -> Iterator[Block]:
    outcome = (report.outcome or "the query can be run").replace("_", " ")
    yield TextBlock("answer", (outcome,))
    rows = [
        (problem.severity, problem.kind, problem.message, str(problem.step or ""))
        for problem in report.problems
    ]
    yield from lay_out_table(("severity", "kind", "problem", "step"), rows)
    if report.mapped:
        yield TextBlock("note", tuple(map(describe_match, report.mapped)))


def describe_match(match: NameMatch) -> str:
    return f"{match.given!r} was read as {match.used!r} ({match.how})"


def line_and_column(text: str, position: int) -> tuple[int, int]:
    """Line and column of a position in ``text``, both from 1."""
    before = text[:position]
    return before.count("\n") + 1, position - (before.rfind("\n") + 1) + 1
