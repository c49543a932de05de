"""The trace of a question as it is asked: stages of asking, then those of the query that won."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

from ..answer import Answer, Sent, Stage
from .dialogue import Dialogue


class Teller:
    """Collects the stages of asking, and tells each as it ends."""

    def __init__(self) -> None:
        self.begun = self._last = perf_counter()
        self.stages: list[Stage] = []

    def tell(self, stage: str, given: str, found: str, sent: Sequence[Sent] = ()) -> Dialogue[None]:
        """A stage that took the time since the one before."""
        now = perf_counter()
        told = Stage(stage, given, found, round((now - self._last) * 1000, 3), tuple(sent))
        self._last = now
        self.stages.append(told)
        yield told

    def finish(self, answer: Answer, **given: Any) -> Answer:
        """``answer`` with what asking adds to it, its trace after that of asking, and all times."""
        asking: dict[str, float] = {}
        for stage in self.stages:
            asking[stage.stage] = round(asking.get(stage.stage, 0.0) + stage.ms, 3)
        total = round((perf_counter() - self.begun) * 1000, 3)
        ms: Mapping[str, float] = {**answer.ms, **asking, "total": total}
        return replace(answer, trace=(*self.stages, *answer.trace), ms=ms, **given)
