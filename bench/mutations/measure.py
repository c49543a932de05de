"""Run the validation over mutants of correct queries, and over correct variants.

A mutant counts if its answer differs from that of its original query, on the data or on one of several
instances of the same kind. The run without validation shows what running alone reveals. Rewritten queries,
and questions whose answer is really empty, show what the validation rejects wrongly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from bench.mutations.corpora import Corpus, empty_questions, narrow_query, replace_constants
from bench.mutations.data_profile import DataProfile
from bench.mutations.operators import CorrectQuery, Mutant, make_mutants, sample_mutants
from bench.mutations.rewrites import rewrite_query
from trustuqa_neo4j import pipeline
from trustuqa_neo4j.answer import Answer
from trustuqa_neo4j.client import TrustUQA
from trustuqa_neo4j.graph.connection import TIMEOUT
from trustuqa_neo4j.language.ast import Query
from trustuqa_neo4j.language.parser import parse_query
from trustuqa_neo4j.loading.request import Progress
from trustuqa_neo4j.model.dataset import Scope
from trustuqa_neo4j.questions.batch import OWN, failed

T = TypeVar("T")
R = TypeVar("R")

AnswerContent: TypeAlias = "tuple[Hashable, ...]"
"""Outcome and sorted rows of an answer."""

EMPTY_QUESTIONS = 40


@dataclass(frozen=True)
class CheckResult:
    """The verdict of a check, and the kinds of its errors and doubts."""

    refused: bool
    doubted: bool
    warned: bool
    kinds: tuple[str, ...]

    @property
    def caught(self) -> bool:
        return self.refused or self.doubted


@dataclass(frozen=True)
class MutantResult:
    """A mutant that counts: its outcome without validation, and the result of each check.

    ``has_answer``: the mutant has an answer on the data or on an instance, so no knowledge of the data can
    distinguish it from a correct query. This is computed only if a check did not catch it.
    """

    mutant: Mutant
    outcome: str
    checks: dict[str, CheckResult]
    has_answer: bool


@dataclass(frozen=True)
class CorrectQueryResult:
    """A correct query of some kind, and the result of each check."""

    kind: str
    text: str
    checks: dict[str, CheckResult]


@dataclass
class Measurement:
    """All results of a corpus; ``dropped`` counts mutants that do not differ, by operator."""

    corpus: Corpus
    mutants: list[MutantResult] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    correct: list[CorrectQueryResult] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class MeasurementOptions:
    """Seed, maximum number of mutants, and number of threads."""

    seed: int = 0
    limit: int | None = None
    workers: int = 2
    progress: Progress = field(default_factory=Progress)


def measure_corpus(
    tuqa: TrustUQA, corpus: Corpus, profile: DataProfile, options: MeasurementOptions
) -> Measurement:
    """Make mutants of the correct queries and check them.

    Raises:
        DataError, DatabaseError
    """
    return _CorpusRun(tuqa, corpus, profile, options).measure()


@dataclass
class _CorpusRun:
    tuqa: TrustUQA
    corpus: Corpus
    profile: DataProfile
    options: MeasurementOptions
    answers: dict[tuple[str, str], AnswerContent] = field(default_factory=dict)

    def measure(self) -> Measurement:
        measurement = Measurement(self.corpus)
        originals = self._select_originals(measurement)
        seed = self.options.seed
        all_mutants = [m for query in originals for m in make_mutants(query, self.profile, seed)]
        mutants = sample_mutants(all_mutants, seed, self.options.limit)
        results = self._map("mutants", mutants, self._check_mutant)
        for mutant, result in zip(mutants, results, strict=True):
            if result is None:
                measurement.dropped[mutant.operator] += 1
            else:
                measurement.mutants.append(result)
        self._check_correct_queries(measurement, originals)
        return measurement

    def _select_originals(self, measurement: Measurement) -> list[CorrectQuery]:
        """The queries that have an answer, and their variants with a condition."""
        parsed = []
        for query in self.corpus.origins:
            if isinstance(parse_query(query.query), Query):
                parsed.append(query)
            else:
                measurement.left_out["cannot be read"] += 1
        narrowed = [n for q in parsed for n in narrow_query(q, self.profile, self.options.seed)]
        queries = [*parsed, *narrowed]
        originals = []
        for query, answer in zip(queries, self._map("queries", queries, self._answer), strict=True):
            if answer[0] != "answered":
                measurement.left_out[f"{answer[0]} itself"] += 1
            elif not {(label,) for label in query.labels} <= {*answer[1:]}:
                measurement.left_out["not its label"] += 1
            else:
                originals.append(query)
        return originals

    def _answer(self, query: CorrectQuery, dataset: str | None = None) -> AnswerContent:
        """The answer of a correct query, from a cache."""
        key = (dataset or self.corpus.data, query.query)
        if key not in self.answers:
            self.answers[key] = answer_content(self._run(query.query, key[0]))
        return self.answers[key]

    def _check_mutant(self, mutant: Mutant) -> MutantResult | None:
        """Check a mutant; None if its answer differs nowhere."""
        answer = self._run(mutant.text, self.corpus.data)
        if answer_content(answer) == self._answer(mutant.origin) and not self._differs(mutant):
            return None
        checks = self._check_all(mutant.text, mutant.origin.question)
        has_answer = answer.outcome == "answered"
        if not has_answer and not all(check.caught for check in checks.values()):
            answers = (self._run(mutant.text, dataset) for dataset in self.corpus.instances)
            has_answer = any(answer.outcome == "answered" for answer in answers)
        return MutantResult(mutant, answer.outcome, checks, has_answer)

    def _differs(self, mutant: Mutant) -> bool:
        return any(
            answer_content(self._run(mutant.text, dataset)) != self._answer(mutant.origin, dataset)
            for dataset in self.corpus.instances
        )

    def _check_correct_queries(
        self, measurement: Measurement, originals: Sequence[CorrectQuery]
    ) -> None:
        """Check the originals, their rewrites, and questions with an empty answer."""
        queries = [("originals", query.query, query.question) for query in originals]
        rewrites = [
            (kind, text, query)
            for query in originals
            for kind, text in rewrite_query(_parse_valid(query.query), self.profile)
        ]
        same = self._map("rewrites", rewrites, lambda rewrite: self._is_same(*rewrite[1:]))
        for (kind, text, query), is_same in zip(rewrites, same, strict=True):
            if is_same:
                queries.append((kind, text, query.question))
            else:
                measurement.left_out[f"{kind}, not the same"] += 1
        queries += [("truly empty", text, "") for text in self._select_empty(originals)]
        checked = self._map("right queries", queries, lambda query: self._check_all(*query[1:]))
        for (kind, text, _), checks in zip(queries, checked, strict=True):
            measurement.correct.append(CorrectQueryResult(kind, text, checks))

    def _is_same(self, text: str, query: CorrectQuery) -> bool:
        """Whether both queries have the same answer on the data and all instances."""
        return all(
            answer_content(self._run(text, dataset)) == self._answer(query, dataset)
            for dataset in (self.corpus.data, *self.corpus.instances)
        )

    def _select_empty(self, originals: Sequence[CorrectQuery]) -> list[str]:
        texts = list(empty_questions(self.profile, self.options.seed, EMPTY_QUESTIONS))
        for query in originals:
            texts += replace_constants(query, self.profile, self.options.seed)
        answers = self._map(
            "empty questions", texts, lambda text: self._run(text, self.corpus.data)
        )
        pairs = zip(texts, answers, strict=True)
        return [text for text, answer in pairs if answer.outcome == "empty"]

    def _check_all(self, text: str, question: str) -> dict[str, CheckResult]:
        datasets = self.corpus.vocabularies.items()
        return {name: self._check(text, question, dataset) for name, dataset in datasets}

    def _run(self, text: str, dataset: str) -> Answer:
        """Run without validation; an error of one query becomes an answer that failed."""
        scope = Scope((dataset,))
        try:
            return self.tuqa.connection.read(
                lambda reader: pipeline.run(text, scope, reader, evidence=0, checked=False), TIMEOUT
            )
        except OWN as error:
            return failed(error, text)

    def _check(self, text: str, question: str, dataset: str) -> CheckResult:
        report = self.tuqa.check(text, dataset, question=question or None)
        severities = {problem.severity for problem in report.problems}
        kinds = tuple(sorted({p.kind for p in report.problems if p.severity != "warning"}))
        refused = report.outcome is not None
        # A nearest name is shown with the answer, as a warning is.
        warned = "warning" in severities or any(m.how == "nearest" for m in report.mapped)
        return CheckResult(refused, not refused and not report.good, warned, kinds)

    def _map(self, phase: str, items: Sequence[T], work: Callable[[T], R]) -> list[R]:
        """Call ``work`` with each item in several threads."""
        self.options.progress.begin(f"{self.corpus.name}: {phase}", len(items), "queries")
        results: list[R] = []
        with ThreadPoolExecutor(self.options.workers, thread_name_prefix="mutations") as pool:
            try:
                for number, result in enumerate(pool.map(work, items), 1):
                    results.append(result)
                    self.options.progress.advance(number)
            finally:
                pool.shutdown(wait=True, cancel_futures=True)
        return results


def _parse_valid(text: str) -> Query:
    query = parse_query(text)
    assert isinstance(query, Query)  # it ran
    return query


def answer_content(answer: Answer) -> AnswerContent:
    """Outcome and rows in a fixed order; values become rows of one cell."""
    if answer.outcome != "answered":
        return ("empty",) if answer.outcome == "empty" else ("refused",)
    rows: Iterable[Sequence[object]] = (
        [(value,) for value in answer.values] if answer.rows is None else answer.rows
    )
    return ("answered", *sorted((tuple(map(_cell_text, row)) for row in rows), key=repr))


def _cell_text(value: object) -> str:
    """A cell as text; numbers are rounded, since sums depend on the order of addition."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{float(value):.9g}"
    return str(value)
