"""What a question or query leads to: Answer, with Evidence and Trace.

Plain frozen data that renders nowhere and does no I/O; the command line and notebooks draw it. Outcomes
are kept apart on purpose: *empty* (it ran and nothing is there) must never look like *not_askable* (the
data has no such relation).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

from .language.query import Problem
from .mapping import Mapped

Outcome: TypeAlias = Literal["answered", "empty", "not_askable", "rejected", "abstained", "failed"]

GOOD: frozenset[Outcome] = frozenset({"answered", "empty"})
"""Outcomes that end a command with exit code 0."""


Value: TypeAlias = str | float | int
"""What comes from the data is text as it was loaded; only what was computed is a number."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A fact that was used, and where it stands: dataset, source, file and line (from 1).

    ``start`` and ``end`` are when it held, as written; None where that is open, unknown or not said.
    """

    head: str
    relation: str
    tail: str
    dataset: str
    source: str
    file: str
    line: int
    start: str | None = None
    end: str | None = None


@dataclass(frozen=True, slots=True)
class Sent:
    """A statement that was sent: its name, its parameters, how many rows came, in how many ms."""

    statement: str
    parameters: Mapping[str, Any]
    rows: int
    ms: float


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage: its name, what went in and what came out as text, ms, and the statements it sent.

    Where a step of the query was run: its number, the steps whose results it ``uses``, and names of the
    first ``members`` of what it led to.
    """

    stage: str
    given: str
    found: str
    ms: float
    sent: tuple[Sent, ...] = ()
    step: int | None = None
    uses: tuple[int, ...] = ()
    members: tuple[str, ...] = ()


Trace: TypeAlias = tuple[Stage, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one query.

    ``values`` are the answer's distinct names and numbers; where only a part of them is here, ``truncated``
    is how many there are, or how many facts a step should have looked at. ``evidence`` holds at most a
    limited number of the facts used; ``evidence_total`` is how many there are. ``ms`` has parse, check, map,
    execute and total.
    """

    outcome: Outcome
    values: tuple[Value, ...] = ()
    columns: tuple[str, ...] | None = None
    rows: tuple[tuple[Value, ...], ...] | None = None
    problems: tuple[Problem, ...] = ()
    mapped: tuple[Mapped, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    evidence_total: int = 0
    trace: Trace = ()
    truncated: int | None = None
    ms: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self, *, proof: bool = True) -> dict[str, Any]:
        """As JSON; without ``proof`` evidence and trace are left out (one line of many)."""
        given: dict[str, Any] = {
            "outcome": self.outcome,
            "values": list(self.values),
            "columns": None if self.columns is None else list(self.columns),
            "rows": None if self.rows is None else [list(row) for row in self.rows],
            "problems": [problem.to_dict() for problem in self.problems],
            "mapped": [mapped.to_dict() for mapped in self.mapped],
            "truncated": self.truncated,
            "ms": dict(self.ms),
        }
        if proof:
            given["evidence"] = [asdict(fact) for fact in self.evidence]
            given["evidence_total"] = self.evidence_total
            given["trace"] = [asdict(stage) for stage in self.trace]
        return given
