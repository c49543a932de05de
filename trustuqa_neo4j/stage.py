"""``Stage``: an entry of the trace of a question, with the statements that it sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class SentStatement:
    """A statement that was sent to the database: its name, its parameters, its rows and its time in ms."""

    statement: str
    parameters: Mapping[str, Any]
    rows: int
    ms: float


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of the work: its name, input and output as text, ms, and the statements it sent.

    A stage that ran a step of the query has its number, the steps whose results it ``uses``, and the names
    of the first ``members`` of its result.
    """

    stage: str
    given: str
    found: str
    ms: float
    sent: tuple[SentStatement, ...] = ()
    step: int | None = None
    uses: tuple[int, ...] = ()
    members: tuple[str, ...] = ()


Trace: TypeAlias = tuple[Stage, ...]
