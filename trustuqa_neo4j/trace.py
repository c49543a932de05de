"""The trace of one query as it runs: stages, statements sent, and times."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any, TypeAlias, TypeVar

from .answer import Answer, Evidence, Outcome, SentStatement, Stage, Value
from .errors import format_count
from .language.ast import Problem
from .matching import NameMatch
from .planning.operations import Plan
from .reads.reader import InnerReader, Reader, Row
from .reasoning.notes import Note

T = TypeVar("T")

Listener: TypeAlias = Callable[[Stage], None]
"""Is called with each stage as it ends, in the thread of the query."""

TIMED_STAGES = ("parse", "check", "map", "execute")
"""The stages that an answer has times of."""

# Stages whose time is told under another's name in ``ms``.
_PART = {"plan": "check", "prove": "execute"}


@dataclass(frozen=True)
class TracedReader(InnerReader):
    """Records in ``sent`` each statement that it runs."""

    sent: list[SentStatement]

    def run(self, name: str, /, **parameters: Any) -> list[Row]:
        started = perf_counter()
        rows = self.reader.run(name, **parameters)
        self.sent.append(SentStatement(name, parameters, len(rows), _ms(started)))
        return rows


@dataclass
class TraceBuilder:
    listen: Listener | None = None
    started: float = field(default_factory=perf_counter)
    stages: list[Stage] = field(default_factory=list)
    sent: list[SentStatement] = field(default_factory=list)

    def timed(self, stage: str, text: str, work: Callable[[], T]) -> T:
        """Run ``work`` and record it as ``stage``."""
        begun = perf_counter()
        result = work()
        self.add(stage, text, _shown(result), begun)
        return result

    def add(
        self,
        stage: str,
        text: str,
        result: str,
        begun: float,
        step: int | None = None,
        uses: Iterable[int] = (),
    ) -> None:
        """Record a stage that began at ``begun``, with the statements sent since the stage before."""
        noted = Stage(stage, text, result, _ms(begun), tuple(self.sent), step, tuple(uses))
        self.stages.append(noted)
        self.sent.clear()
        if self.listen is not None:
            self.listen(noted)

    def reader(self, reader: Reader) -> TracedReader:
        return TracedReader(reader, self.sent)

    def name(self, members: Mapping[int, tuple[str, ...]]) -> None:
        """Enter the names of the first members of steps, which only the end of the query resolves."""
        self.stages = [
            stage if stage.step is None else replace(stage, members=members.get(stage.step, ()))
            for stage in self.stages
        ]

    def answer(
        self,
        outcome: Outcome,
        values: Sequence[Value] = (),
        columns: tuple[str, ...] | None = None,
        rows: tuple[tuple[Value, ...], ...] | None = None,
        problems: Sequence[Problem] = (),
        mapped: Iterable[NameMatch] = (),
        evidence: Sequence[Evidence] = (),
        evidence_total: int = 0,
        considered_total: int = 0,
        evidence_counts: tuple[int, ...] = (),
        evidence_steps: Mapping[int, int] | None = None,
        notes: Sequence[Note] = (),
        truncated: int | None = None,
        doubts: Sequence[Problem] = (),
    ) -> Answer:
        times: dict[str, float] = dict.fromkeys(TIMED_STAGES, 0.0)
        for stage in self.stages:
            part = _PART.get(stage.stage, stage.stage)
            times[part] = round(times[part] + stage.ms, 3)
        return Answer(
            outcome,
            values=tuple(values),
            columns=columns,
            rows=rows,
            problems=tuple(problems),
            mapped=tuple(dict.fromkeys(mapped)),
            evidence=tuple(evidence),
            evidence_total=evidence_total,
            considered_total=considered_total,
            evidence_counts=evidence_counts,
            evidence_steps=evidence_steps or {},
            notes=tuple(notes),
            trace=tuple(self.stages),
            truncated=truncated,
            doubts=tuple(doubts),
            ms={**times, "total": _ms(self.started)},
        )


def _ms(begun: float) -> float:
    return round((perf_counter() - begun) * 1000, 3)


def _shown(result: object) -> str:
    if isinstance(result, tuple):
        return "; ".join(_problem(problem) for problem in result) if result else "nothing wrong"
    if isinstance(result, Plan):
        return str(result)
    return format_count(len(getattr(result, "steps", ())), "step")


def _problem(problem: Problem) -> str:
    where = "" if problem.step is None else f", step {problem.step}"
    return f"{problem.severity}{where}: {problem.kind}: {problem.message}"
