"""What a benchmark is to the replay: cases to run, and a score for each answer.

One file per benchmark declares one ``Benchmark``; the replay, the out file, the summary and the command
know no benchmark by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from ..answer import GOOD, Outcome, Value
from ..demonstrating.demonstration import Demonstration

Scores: TypeAlias = Mapping[str, float]
"""Metric → 0 to 1; the first says whether the answer is right."""


@dataclass(frozen=True, slots=True)
class Case:
    """One question with its labels, and the query to run for it; an empty one where it is to be asked.

    ``group`` is the row of the summary that it belongs to. ``source`` is the table that it is asked of.
    ``invented`` are its functions that the paper does not have. ``rows`` are wanted where labels do not say
    which of them stand together.
    """

    id: str
    question: str
    query: str
    labels: tuple[str, ...]
    group: str
    source: str | None = None
    invented: tuple[str, ...] = ()
    rows: tuple[tuple[Value | None, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Given:
    """What became of a case, as far as it is scored: ``rows`` are those of a table, None of values."""

    outcome: Outcome
    values: tuple[Value, ...]
    rows: tuple[tuple[Value, ...], ...] | None = None

    @property
    def table(self) -> tuple[tuple[Value, ...], ...]:
        """The rows, of values those of one column; nothing where there was no answer."""
        if self.outcome not in GOOD:
            return ()
        return tuple((value,) for value in self.values) if self.rows is None else self.rows


Score: TypeAlias = Callable[[Case, Given], Scores]


def by_values(score: Callable[[Case, Sequence[Value]], Scores]) -> Score:
    """A score that looks at the values alone, as most do."""
    return lambda case, given: score(case, given.values)


@dataclass(frozen=True)
class Prepared:
    """All that can be run of a pack; ``left_out`` counts what cannot, by its reason."""

    cases: tuple[Case, ...]
    score: Score
    left_out: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Asked:
    """Test questions, whose queries are for others to write, and what the training side demonstrates."""

    prepared: Prepared
    demonstrations: tuple[Demonstration, ...]


@dataclass(frozen=True)
class Benchmark:
    """A benchmark: the pack it reads, what of it is loaded and how, and what prepares its cases.

    ``data`` are loaded by ``format``, plain or packed; empty, that is the pack's folder. ``prepare`` takes
    that folder, and a file to be read instead of the pack's recorded queries. ``metrics`` are the names
    of the scores, the one that says what is right first. ``ask`` takes that folder, too, and gives the
    questions that are asked in plain words. ``tables`` is the same benchmark over the tables that its graph
    was made of.
    """

    name: str
    pack: str
    format: str
    metrics: tuple[str, ...]
    prepare: Callable[[Path, Path | None], Prepared]
    ask: Callable[[Path], Asked]
    data: tuple[str, ...] = ()
    tables: Benchmark | None = None
