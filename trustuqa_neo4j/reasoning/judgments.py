"""Judgments of values that no reader can compare, and of functions that the language does not have.

A judgment comes from outside, from a model if the user allows it; by default there is none, and the operation
is refused. A missing judgment ends the run with ``JudgmentMissing``: the caller gets it and runs the query
again, so no transaction is open while a model works.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Literal

from ..context_value import hold_value
from .results import Cell

MAX_VALUES = 200
"""Distinct values in one request; of more, none is judged."""

_MAX_LENGTH = 500  # characters of a value

_WORDS = {"<": "less than", "<=": "at most", ">": "greater than", ">=": "at least"}


@dataclass(frozen=True, slots=True)
class JudgedOperand:
    """The distinct values of an operand, in alphabetical order; ``label`` is empty if it has no name."""

    label: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JudgmentRequest:
    """A task in words over the values of its operands.

    ``select`` and ``extreme`` ask for values of the only operand, ``compute`` for any values.
    """

    kind: Literal["select", "extreme", "compute"]
    task: str
    operands: tuple[JudgedOperand, ...]

    @property
    def values(self) -> tuple[str, ...]:
        return tuple(value for operand in self.operands for value in operand.values)


class JudgmentMissing(Exception):
    """A run needs this judgment."""

    def __init__(self, request: JudgmentRequest) -> None:
        super().__init__(request.task)
        self.request = request


@dataclass
class Judgments:
    """The judgments so far, None for a request that got none; ``used`` are those of the last run."""

    results: dict[JudgmentRequest, tuple[str, ...] | None] = field(default_factory=dict)
    used: set[JudgmentRequest] = field(default_factory=set)

    def find(self, request: JudgmentRequest) -> tuple[str, ...] | None:
        """The values that a request got.

        Raises:
            JudgmentMissing: it was not made yet.
        """
        values = request.values
        if len(values) > MAX_VALUES or any(len(value) > _MAX_LENGTH for value in values):
            return None
        if request not in self.results:
            raise JudgmentMissing(request)
        result = self.results[request]
        if result is not None:
            self.used.add(request)
        return result


_current: ContextVar[Judgments | None] = ContextVar("judgments", default=None)


def use_judgments(judgments: Judgments | None) -> AbstractContextManager[None]:
    return hold_value(_current, judgments)


def allows_judgments() -> bool:
    return _current.get() is not None


def judge_order(cells: Sequence[Cell], operator: str, bounds: Sequence[Cell]) -> list[int] | None:
    """Find the places of cells in an order to the bounds; None if nobody judges it."""
    if _has_rows(bounds):
        return None
    quoted = " and ".join(json.dumps(bound.text, ensure_ascii=False) for bound in bounds)
    return _judge_places("select", f"Which of the values are {_WORDS[operator]} {quoted}?", cells)


def judge_extreme(cells: Sequence[Cell], word: str) -> list[int] | None:
    """Find the places of the cells that ``word``, such as ``highest``, means; None if nobody judges it."""
    return _judge_places("extreme", f"Which of the values is the {word}?", cells)


def judge_function(
    name: str, operands: Sequence[tuple[str, Sequence[Cell]]]
) -> tuple[str, ...] | None:
    """Compute an undefined function of operands with their labels; None if nobody judges it."""
    judgments = _current.get()
    if judgments is None or any(_has_rows(cells) for _, cells in operands):
        return None
    judged = tuple(_make_operand(label, cells) for label, cells in operands)
    return judgments.find(JudgmentRequest("compute", f"Compute the function {name}.", judged))


def _judge_places(
    kind: Literal["select", "extreme"], task: str, cells: Sequence[Cell]
) -> list[int] | None:
    judgments = _current.get()
    present = [place for place, cell in enumerate(cells) if cell.text]
    if judgments is None or not present or _has_rows(cells):
        return None
    operand = _make_operand("", cells)
    if kind == "extreme" and len(operand.values) == 1:
        return present
    values = judgments.find(JudgmentRequest(kind, task, (operand,)))
    return None if values is None else [place for place in present if cells[place].text in values]


def _has_rows(cells: Sequence[Cell]) -> bool:
    # "row 3" says nothing to whoever judges.
    return any(cell.position is not None for cell in cells)


def _make_operand(label: str, cells: Sequence[Cell]) -> JudgedOperand:
    return JudgedOperand(label, tuple(sorted({cell.text for cell in cells if cell.text})))
