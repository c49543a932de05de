"""What an answer rests on: the facts that were used, and what was done to find them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

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
