"""How questions ended, as the papers on repair report it: right at once or after repair, unknown, error."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from .lines import Line
from .summary import ALL, Ends, is_right

UNKNOWN = ("rejected", "not_askable", "abstained")
"""Outcomes that say that there is no answer to be trusted, and give none."""


def by_group(lines: Sequence[Line]) -> tuple[Ends, ...]:
    """How the questions of each group ended, in order of its name, then of all."""
    names = sorted({line.group for line in lines})
    return tuple(
        ends(name, [line for line in lines if name in (line.group, ALL)]) for name in (*names, ALL)
    )


def ends(group: str, lines: Sequence[Line]) -> Ends:
    """How the questions of ``lines`` ended."""
    counted = Counter(_end(line) for line in lines)
    first, repaired = counted["first"], counted["repaired"]
    return Ends(
        group, len(lines), first + repaired, first, repaired,
        counted["partial"], counted["wrong"], counted["unknown"], counted["error"],
    )  # fmt: skip


def fired(lines: Sequence[Line]) -> Mapping[str, int]:
    """How many queries had a problem of each kind, whether sent back or given up; the most frequent first."""
    counted: Counter[str] = Counter()
    for line in lines:
        for kinds in line.sent_back:
            counted.update(set(kinds))
        if line.outcome in UNKNOWN:
            counted.update({problem["kind"] for problem in line.problems if "kind" in problem})
    return dict(sorted(counted.items(), key=lambda kind: (-kind[1], kind[0])))


def _end(line: Line) -> str:
    if is_right(line):
        return "repaired" if line.sent_back else "first"
    if line.scores.get("partial") == 1:
        return "partial"
    if line.outcome in UNKNOWN:
        return "unknown"
    return "error" if line.outcome == "failed" else "wrong"
