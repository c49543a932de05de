"""The trace of one query as it runs: stages, statements sent, and times."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TypeVar

from .answer import Answer, Evidence, Outcome, Sent, Stage, Value
from .compiling import Program, Read, Row
from .language.query import Problem
from .mapping import Mapped
from .planning import ExecutionQuery

T = TypeVar("T")

# Stages whose time is told under another's name in ``ms``.
_PART = {"plan": "check", "prove": "execute"}


@dataclass
class Recorder:
    """Collects the trace, and times by stage."""

    begun: float
    stages: list[Stage] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)

    def timed(self, stage: str, given: str, work: Callable[[], T]) -> T:
        """Do ``work`` and note it as ``stage``."""
        begun = perf_counter()
        found = work()
        self.note(stage, given, _shown(found), begun)
        return found

    def note(
        self,
        stage: str,
        given: str,
        found: str,
        begun: float,
        step: int | None = None,
        uses: Iterable[int] = (),
    ) -> None:
        """Note a stage that began at ``begun``, with the statements sent since the one before."""
        noted = Stage(stage, given, found, _ms(begun), tuple(self.sent), step, tuple(uses))
        self.stages.append(noted)
        self.sent.clear()

    def name(self, members: Mapping[int, tuple[str, ...]]) -> None:
        """Enter the names of the first members of steps, which are known only at the end."""
        self.stages = [
            stage if stage.step is None else replace(stage, members=members.get(stage.step, ()))
            for stage in self.stages
        ]

    def read(self, read: Read) -> Program[list[Row]]:
        """Have ``read`` run, and note it for the stage that goes on."""
        begun = perf_counter()
        rows = yield read
        self.sent.append(Sent(read.statement, read.parameters, len(rows), _ms(begun)))
        return rows

    def answer(
        self,
        outcome: Outcome,
        values: Sequence[Value] = (),
        columns: tuple[str, ...] | None = None,
        rows: tuple[tuple[Value, ...], ...] | None = None,
        problems: Sequence[Problem] = (),
        mapped: Iterable[Mapped] = (),
        evidence: Sequence[Evidence] = (),
        evidence_total: int = 0,
        truncated: int | None = None,
        doubts: Sequence[Problem] = (),
    ) -> Answer:
        """The answer, with all that was noted."""
        times = dict.fromkeys(("parse", "check", "map", "execute"), 0.0)
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
            trace=tuple(self.stages),
            truncated=truncated,
            doubts=tuple(doubts),
            ms={**times, "total": _ms(self.begun)},
        )


def _ms(begun: float) -> float:
    return round((perf_counter() - begun) * 1000, 3)


def _shown(found: object) -> str:
    if isinstance(found, tuple):
        return "; ".join(_problem(each) for each in found) if found else "nothing wrong"
    if isinstance(found, ExecutionQuery):
        return "; ".join(str(step.operation) for step in found.steps)
    return f"{len(getattr(found, 'steps', ()))} steps"


def _problem(found: Problem) -> str:
    where = "" if found.step is None else f", step {found.step}"
    return f"{found.severity}{where}: {found.kind}: {found.message}"
