"""What went wrong with single queries: they are run once more, for the trace that no line keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..client import TrustUQA
from .benchmark import Case
from .lines import Line
from .replay import Run, answered
from .summary import is_right

_LONGEST = 200
_TOLD = ("parse", "check")
"""Stages that say nothing but the query and its problems, which a line has."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A line that is not right, and each stage of its query in a few words, from its mapping on."""

    line: Line
    trace: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """As JSON: the line's fields and ``trace``."""
        return {**asdict(self.line), "trace": list(self.trace)}


def failures(
    tuqa: TrustUQA, lines: Sequence[Line], cases: Mapping[str, Case], run: Run, limit: int
) -> list[Failure]:
    """The first ``limit`` lines that are not right.

    Raises:
        DataError, DatabaseError
    """
    failed = [line for line in lines if not is_right(line)][:limit]
    return [Failure(line, _trace(tuqa, cases[line.id], run)) for line in failed]


def _trace(tuqa: TrustUQA, case: Case, run: Run) -> tuple[str, ...]:
    stages = [s for s in answered(tuqa, case, run).trace if s.stage not in _TOLD]
    return tuple(_short(f"{stage.stage}: {stage.given} → {stage.found}") for stage in stages)


def _short(text: str) -> str:
    one = " ".join(text.split())
    return one if len(one) <= _LONGEST else one[: _LONGEST - 1] + "…"
