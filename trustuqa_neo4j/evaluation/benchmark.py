"""What a benchmark is to the replay: cases to run, and a score for each answer.

One file per benchmark declares one ``Benchmark``; the replay, the out file, the summary and the command
know no benchmark by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from ..answer import Value
from ..demonstrating.demonstration import Demonstration

Scores: TypeAlias = Mapping[str, float]
"""Metric → 0 to 1; the first says whether the answer is right."""


@dataclass(frozen=True, slots=True)
class Case:
    """One question with its labels, and the query to run for it; an empty one where it is to be asked.

    ``group`` is the row of the summary that it belongs to. ``source`` is the table that it is asked of.
    ``invented`` are its functions that the paper does not have.
    """

    id: str
    question: str
    query: str
    labels: tuple[str, ...]
    group: str
    source: str | None = None
    invented: tuple[str, ...] = ()


@dataclass(frozen=True)
class Prepared:
    """All that can be run of a pack; ``left_out`` counts what cannot, by its reason."""

    cases: tuple[Case, ...]
    score: Callable[[Case, Sequence[Value]], Scores]
    left_out: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Asked:
    """Test questions, whose queries are for others to write, and what the training side demonstrates."""

    prepared: Prepared
    demonstrations: tuple[Demonstration, ...]


@dataclass(frozen=True)
class Benchmark:
    """A benchmark: the pack it reads, what of it is loaded and how, and what prepares its cases.

    ``data`` is loaded by ``format``, plain or packed; empty, that is the pack's folder. ``prepare`` takes
    that folder, and a file to be read instead of the pack's recorded queries. ``metrics`` are the names
    of the scores, the one that says what is right first. ``ask`` takes that folder, too, and gives the
    questions that are asked in plain words.
    """

    name: str
    pack: str
    format: str
    metrics: tuple[str, ...]
    prepare: Callable[[Path, Path | None], Prepared]
    ask: Callable[[Path], Asked]
    data: str = ""
