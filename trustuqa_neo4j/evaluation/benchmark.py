"""A benchmark: the data to load, the cases to run and a score for each answer.

Each file of this package declares one ``Benchmark`` or two. The runner, the summary and the command know
no benchmark by name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from ..answer import SUCCESS_OUTCOMES, Outcome, Value
from ..model.demonstration import Demonstration
from . import metrics

Scores: TypeAlias = Mapping[str, float]
"""Metric → 0 to 1; the answer is right if the first metric is 1."""


@dataclass(frozen=True, slots=True)
class Case:
    """A question with its labels and the query to run; the query is empty if the question is asked.

    ``group`` is its row in the summary, ``source`` the table to query. ``invented`` lists functions of the
    query that the paper does not define. ``rows`` is the expected table, if labels are not enough.
    ``tags`` are further rows of the summary in which it counts, ``entities`` its topics in the data set.
    ``datasets`` are asked instead of that of the run. ``home`` is the data set and table that it belongs to,
    ``traps`` are values that only a wrong join reaches. ``references`` are queries of its authors by
    language, ``sql`` or ``sparql``.
    """

    id: str
    question: str
    query: str
    labels: tuple[str, ...]
    group: str
    source: str | None = None
    invented: tuple[str, ...] = ()
    rows: tuple[tuple[Value | None, ...], ...] = ()
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    home: tuple[str, str | None] = ("", None)
    traps: tuple[str, ...] = ()
    references: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    # ``rows`` is None if the answer is not a table. ``datasets`` were asked, ``source`` is the table read.
    outcome: Outcome
    values: tuple[Value, ...]
    rows: tuple[tuple[Value, ...], ...] | None = None
    datasets: tuple[str, ...] = ()
    source: str | None = None

    @property
    def table(self) -> tuple[tuple[Value, ...], ...]:
        # Values become rows of one cell. Empty if there is no answer.
        if self.outcome not in SUCCESS_OUTCOMES:
            return ()
        return tuple((value,) for value in self.values) if self.rows is None else self.rows


Score: TypeAlias = Callable[[Case, ScoredAnswer], Scores]


def score_values(score: Callable[[Case, Sequence[Value]], Scores]) -> Score:
    return lambda case, answer: score(case, answer.values)


def score_names(
    names: Sequence[str],
    read_label: Callable[[str], str] = str,
    read_value: Callable[[str], Set[str]] | None = None,
) -> Score:
    """Return a score by metrics of ``NAME_METRICS``; a value is right by any of its names."""

    def score(case: Case, answer: ScoredAnswer) -> Scores:
        labels = set(map(read_label, case.labels))
        texts = [metrics.value_text(value) for value in answer.values]
        values = [{read_label(text)} if read_value is None else read_value(text) for text in texts]
        return {name: metrics.NAME_METRICS[name](labels, values) for name in names}

    return score


@dataclass(frozen=True)
class CaseSet:
    # ``left_out`` counts records without a case, by reason.
    cases: tuple[Case, ...]
    score: Score
    left_out: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def collect(cls, results: Iterable[Case | str], score: Score) -> CaseSet:
        # A text is the reason why a record has no case.
        cases: list[Case] = []
        left_out: Counter[str] = Counter()
        for result in results:
            if isinstance(result, str):
                left_out[result] += 1
            else:
                cases.append(result)
        return cls(tuple(cases), score, left_out)


@dataclass(frozen=True)
class QuestionSet:
    # Test questions without queries, and demonstrations of the training questions. ``recorded`` are
    # training questions with queries that show what the language can say.
    prepared: CaseSet
    demonstrations: tuple[Demonstration, ...] = ()
    recorded: CaseSet | None = None


@dataclass(frozen=True)
class Benchmark:
    """A benchmark: its pack, the data to load and the functions that read its cases.

    ``data`` are files to load with the loader ``format``, or patterns of them; without them, the folder of
    the pack is loaded, and without a format the dataset must exist. ``prepare`` reads recorded queries from
    that folder or from a file; ``ask`` reads the test questions. The first of ``metrics`` decides whether an
    answer is right. ``tables`` is the variant that queries the original tables instead of the graph,
    ``untaught`` the variant that is asked without demonstrations, ``release`` the one that reads the files
    as released, which are recognized by one of ``marks``. ``parts`` are loaded instead, each as a dataset.
    """

    name: str
    pack: str
    format: str
    metrics: tuple[str, ...]
    prepare: Callable[[Path, Path | None], CaseSet]
    ask: Callable[[Path], QuestionSet]
    data: tuple[str, ...] = ()
    tables: Benchmark | None = None
    untaught: Benchmark | None = None
    release: Benchmark | None = None
    marks: tuple[str, ...] = ()
    parts: tuple[Benchmark, ...] = ()
