"""Runs of one benchmark with other settings, side by side: ablations and sweeps.

An ablation leaves one part of the system out; a sweep gives one option several values. Each variant is
compared with the first one, question by question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..ablation import SystemPart
from ..answer import SUCCESS_OUTCOMES
from ..errors import UsageError
from .comparison import mcnemar
from .report import Part, ReportTable, wilson_interval
from .results_file import ResultLine
from .summary import is_right


@dataclass(frozen=True, slots=True)
class Variant:
    """``options`` of a question replace those of the run; ``left_out`` are parts of the system.

    ``needs_model``: without a model the variant is the same as the whole system.
    """

    label: str
    options: Mapping[str, Any] = field(default_factory=dict)
    left_out: frozenset[SystemPart] = frozenset()
    needs_model: bool = True

    @property
    def name(self) -> str:
        return self.label or "whole system"

    def name_file(self, path: Path) -> Path:
        """Name the file of results of this variant beside that of the whole system."""
        words = re.sub(r"[^\w.=-]+", "-", self.label)
        return path.with_name(f"{path.stem}-{words}{path.suffix}") if words else path


WHOLE = Variant("")
ABLATIONS: Mapping[str, Variant] = {
    "dynamic": Variant("no dynamic", left_out=frozenset((SystemPart.DEMONSTRATIONS,))),
    "static": Variant("no static", left_out=frozenset((SystemPart.WORKED_EXAMPLES,))),
    "mapping": Variant("no mapping", left_out=frozenset((SystemPart.MAPPING,)), needs_model=False),
    "retry": Variant("no retry", {"retries": 0}),
    "voting": Variant("no voting", {"votes": 1}),
    "check": Variant("no check", left_out=frozenset((SystemPart.CHECK,)), needs_model=False),
}
"""Ablation → what is asked without it; the system as a whole is asked too."""


def list_ablations(
    names: Sequence[str], options: Mapping[str, Any], *, has_model: bool
) -> tuple[Variant, ...]:
    """Return the whole system, asked with ``options``, and what is left without each of these parts.

    Raises:
        UsageError: without a model or with these options, a part changes nothing.
    """
    for name in names:
        changed = ABLATIONS[name].options
        if changed and all(options[option] == value for option, value in changed.items()):
            stated = ", ".join(f"--{option} {value}" for option, value in changed.items())
            hint = "give the whole system more of it"
            raise UsageError(f"--ablate {name} changes nothing beside {stated}", hint=hint)
        if ABLATIONS[name].needs_model and not has_model:
            hint = "leave out --untaught or --replay, or choose mapping or check"
            raise UsageError(f"--ablate {name} changes nothing without a model", hint=hint)
    return (WHOLE, *(ABLATIONS[name] for name in dict.fromkeys(names)))


def lay_out_variants(runs: Sequence[tuple[Variant, Sequence[ResultLine]]]) -> Iterator[Part]:
    """Lay out one row for each variant, compared with the first."""
    names = ("n", "answered", "right", "right %", "95 %", "gained", "lost", "p", "calls")
    first = {line.id: is_right(line) for line in runs[0][1]}
    rows = tuple((variant.name, *_lay_out_run(lines, first)) for variant, lines in runs)
    yield ReportTable("variants", ("setting", *names), rows)
    yield (
        "gained and lost: questions that are right only here, or only in the first row; "
        "p of McNemar's exact test, two-sided"
    )


def _lay_out_run(lines: Sequence[ResultLine], first: Mapping[str, bool]) -> tuple[str, ...]:
    counts = _count(lines)
    n, right = counts["n"], counts["right"]
    low, high = wilson_interval(right, n)
    gained = sum(is_right(line) and not first[line.id] for line in lines)
    lost = sum(first[line.id] and not is_right(line) for line in lines)
    calls = sum(line.usage.get("calls", 0) for line in lines)
    return (
        f"{n:,}",
        f"{counts['answered']:,}",
        f"{right:,}",
        f"{100 * right / n:.1f}" if n else "",
        f"{100 * low:.1f} to {100 * high:.1f}",
        f"{gained:,}",
        f"{lost:,}",
        f"{mcnemar(gained, lost):.3g}",
        f"{calls:,}",
    )


def describe_variants(
    runs: Sequence[tuple[Variant, Sequence[ResultLine]]],
) -> list[dict[str, Any]]:
    """Return the counts of each setting, for JSON."""
    return [{"setting": variant.name, **_count(lines)} for variant, lines in runs]


def _count(lines: Sequence[ResultLine]) -> dict[str, int]:
    return {
        "n": len(lines),
        "answered": sum(line.outcome in SUCCESS_OUTCOMES for line in lines),
        "right": sum(map(is_right, lines)),
    }
