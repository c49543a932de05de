"""What the check finds of queries made wrong on purpose, and what it refuses of right ones.

A mutant counts if it answers otherwise than what it was made from, on the data or on one of several
instances of the same make; run without the check, it also says what running alone would have shown. Right
queries asked otherwise, and questions whose answer is truly none, show what is refused wrongly.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from .. import engine
from ..answer import Answer
from ..asking.many import OWN, failed
from ..client import TrustUQA
from ..dataset import Scope
from ..graph.connection import TIMEOUT
from ..language.parse import parse
from ..language.query import LLMQuery
from ..loading import Progress
from .mutating.empties import empties, other_constants
from .mutating.mutants import Mutant, Origin, mutants, sampled
from .mutating.narrowing import narrowed
from .mutating.outline import Outline
from .mutating.rewriting import rewrites

T = TypeVar("T")
R = TypeVar("R")

Told: TypeAlias = "tuple[Hashable, ...]"
"""What an answer says, whatever order it says it in."""

EMPTY = 40
"""Questions whose answer is truly none that are tried."""


@dataclass(frozen=True)
class Ground:
    """Data to ask: right queries, and the datasets that hold it.

    ``data`` is what queries are run on, ``instances`` are others of its make. Each of ``vocabularies`` is the
    same data with what one kind of check knows: its name → the dataset.
    """

    name: str
    data: str
    vocabularies: dict[str, str]
    instances: tuple[str, ...]
    origins: tuple[Origin, ...]


@dataclass(frozen=True)
class Found:
    """What a check found in a query: it would not run, or is doubted, or warned of; and of what kinds."""

    refused: bool
    doubted: bool
    warned: bool
    kinds: tuple[str, ...]

    @property
    def caught(self) -> bool:
        """Whether the check tells it from a right one."""
        return self.refused or self.doubted


@dataclass(frozen=True)
class Seen:
    """A mutant that counts: the outcome of running it, what the checks found, and whether it finds anything.

    ``finds``: on the data or an instance it has an answer that is not empty, so no knowledge of how the data
    is made can tell it from a right query. Looked for only where a check did not catch it.
    """

    mutant: Mutant
    outcome: str
    found: dict[str, Found]
    finds: bool


@dataclass(frozen=True)
class Right:
    """A right query of some kind, and what the checks found in it."""

    kind: str
    text: str
    found: dict[str, Found]


@dataclass
class Measured:
    """All that was seen on a ground; ``dropped`` counts mutants that are no different, by operator."""

    ground: Ground
    seen: list[Seen] = field(default_factory=list)
    dropped: dict[str, int] = field(default_factory=dict)
    right: list[Right] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)

    def leave_out(self, why: str) -> None:
        """Count a query that is not asked."""
        self.left_out[why] = self.left_out.get(why, 0) + 1


@dataclass(frozen=True)
class Plan:
    """How it is measured: by which seed, how many mutants, how many queries at a time."""

    seed: int = 0
    limit: int | None = None
    workers: int = 2
    progress: Progress = field(default_factory=Progress)


def measure(tuqa: TrustUQA, ground: Ground, outline: Outline, plan: Plan) -> Measured:
    """Make mutants of the right queries of ``ground``, and see what becomes of them.

    Raises:
        DataError, DatabaseError
    """
    return _Measuring(tuqa, ground, outline, plan).whole()


@dataclass
class _Measuring:
    tuqa: TrustUQA
    ground: Ground
    outline: Outline
    plan: Plan
    answers: dict[tuple[str, str], Told] = field(default_factory=dict)

    def whole(self) -> Measured:
        measured = Measured(self.ground)
        origins = self._origins(measured)
        made = [m for origin in origins for m in mutants(origin, self.outline, self.plan.seed)]
        chosen = sampled(made, self.plan.seed, self.plan.limit)
        for mutant, seen in zip(chosen, self._each("mutants", chosen, self._seen), strict=True):
            if seen is None:
                name = mutant.operator
                measured.dropped[name] = measured.dropped.get(name, 0) + 1
            else:
                measured.seen.append(seen)
        self._right(measured, origins)
        return measured

    def _origins(self, measured: Measured) -> list[Origin]:
        """The queries that have an answer, and the same kept to some value."""
        right: list[Origin] = []
        given = []
        for origin in self.ground.origins:
            if isinstance(parse(origin.query), LLMQuery):
                given.append(origin)
            else:
                measured.leave_out("cannot be read")
        further = [n for o in given for n in narrowed(o, self.outline, self.plan.seed)]
        every = [*given, *further]
        for origin, answer in zip(every, self._each("queries", every, self._of), strict=True):
            if answer[0] != "answered":
                measured.leave_out(f"{answer[0]} itself")
            elif not {(label,) for label in origin.labels} <= {*answer[1:]}:
                measured.leave_out("not its label")
            else:
                right.append(origin)
        return right

    def _of(self, origin: Origin, dataset: str | None = None) -> Told:
        """What a right query answers."""
        place = (dataset or self.ground.data, origin.query)
        if place not in self.answers:
            self.answers[place] = told(self._run(origin.query, place[0]))
        return self.answers[place]

    def _seen(self, mutant: Mutant) -> Seen | None:
        """What becomes of a mutant; None if it is no different anywhere."""
        answer = self._run(mutant.text, self.ground.data)
        if told(answer) == self._of(mutant.origin) and not self._differs(mutant):
            return None
        found = self._checks(mutant.text, mutant.origin.question)
        finds = answer.outcome == "answered"
        if not finds and not all(each.caught for each in found.values()):
            runs = (self._run(mutant.text, dataset) for dataset in self.ground.instances)
            finds = any(run.outcome == "answered" for run in runs)
        return Seen(mutant, answer.outcome, found, finds)

    def _differs(self, mutant: Mutant) -> bool:
        return any(
            told(self._run(mutant.text, dataset)) != self._of(mutant.origin, dataset)
            for dataset in self.ground.instances
        )

    def _right(self, measured: Measured, origins: Sequence[Origin]) -> None:
        """Right queries, as they are, and otherwise, and those with no answer."""
        queries = [("originals", origin.query, origin.question) for origin in origins]
        others = [
            (name, text, origin)
            for origin in origins
            for name, text in rewrites(_read(origin.query), self.outline)
        ]
        kept = self._each("rewrites", others, lambda each: self._same(each[1], each[2]))
        for (name, text, origin), same in zip(others, kept, strict=True):
            if same:
                queries.append((name, text, origin.question))
            else:
                measured.leave_out(f"{name}, not the same")
        queries += [("truly empty", text, "") for text in self._empty(origins)]
        checked = self._each("right queries", queries, lambda each: self._checks(*each[1:]))
        for (kind, text, _), found in zip(queries, checked, strict=True):
            measured.right.append(Right(kind, text, found))

    def _same(self, text: str, origin: Origin) -> bool:
        """Whether a query says the same as another everywhere."""
        return all(
            told(self._run(text, dataset)) == self._of(origin, dataset)
            for dataset in (self.ground.data, *self.ground.instances)
        )

    def _empty(self, origins: Sequence[Origin]) -> list[str]:
        made = list(empties(self.outline, self.plan.seed, EMPTY))
        for origin in origins:
            made += other_constants(origin, self.outline, self.plan.seed)
        ran = self._each("empty questions", made, lambda text: self._run(text, self.ground.data))
        return [text for text, answer in zip(made, ran, strict=True) if answer.outcome == "empty"]

    def _checks(self, text: str, question: str) -> dict[str, Found]:
        datasets = self.ground.vocabularies.items()
        return {name: self._check(text, question, dataset) for name, dataset in datasets}

    def _run(self, text: str, dataset: str) -> Answer:
        """The answer without the check; what befalls a single query is an answer that failed."""
        scope = Scope((dataset,))
        try:
            return self.tuqa.connection.read(
                lambda: engine.run(text, scope, evidence=0, checked=False), TIMEOUT
            )
        except OWN as error:
            return failed(error, text)

    def _check(self, text: str, question: str, dataset: str) -> Found:
        checked = self.tuqa.check(text, dataset, question=question or None)
        severities = {problem.severity for problem in checked.problems}
        kinds = tuple(sorted({p.kind for p in checked.problems if p.severity != "warning"}))
        refused = checked.outcome is not None
        # What was read as the nearest name is told with the answer, as a warning is.
        warned = "warning" in severities or any(each.how == "nearest" for each in checked.mapped)
        return Found(refused, not refused and not checked.good, warned, kinds)

    def _each(self, what: str, given: Iterable[T], work: Callable[[T], R]) -> list[R]:
        """The results of ``work``, several at a time."""
        todo = list(given)
        self.plan.progress.begin(f"{self.ground.name}: {what}", len(todo), "queries")
        found: list[R] = []
        with ThreadPoolExecutor(self.plan.workers, thread_name_prefix="mutations") as pool:
            try:
                for number, result in enumerate(pool.map(work, todo), 1):
                    found.append(result)
                    self.plan.progress.advance(number)
            finally:
                pool.shutdown(wait=True, cancel_futures=True)
        return found


def _read(text: str) -> LLMQuery:
    read = parse(text)
    assert isinstance(read, LLMQuery)  # it ran
    return read


def told(answer: Answer) -> Told:
    """What an answer says: rows, or values as rows of one cell, in no order."""
    if answer.outcome != "answered":
        return ("empty",) if answer.outcome == "empty" else ("refused",)
    rows: Iterable[Sequence[object]] = (
        [(value,) for value in answer.values] if answer.rows is None else answer.rows
    )
    return ("answered", *sorted((tuple(map(_cell, row)) for row in rows), key=repr))


def _cell(value: object) -> str:
    """A cell as text, figures without what only the order of adding changes."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{float(value):.9g}"
    return str(value)
