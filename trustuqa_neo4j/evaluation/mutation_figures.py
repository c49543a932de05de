"""Figures of a measurement of mutants: by operator, over all, and what was refused of right queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from .mutating.operators import OPERATORS, TWO
from .mutations import Measured, Right, Seen


@dataclass(frozen=True)
class Caught:
    """How many of the mutants of a row a check refuses, doubts, only warns of, and lets pass.

    ``passed`` have an answer somewhere, as a right query has; ``missed`` find nothing anywhere.
    """

    refused: int
    doubted: int
    warned: int
    passed: int
    missed: int


@dataclass(frozen=True)
class Row:
    """An operator: mutants that count, those dropped as no different, and what became of the others.

    ``baseline`` are those whose running alone would have shown something: no answer, or none at all.
    """

    operator: str
    structural: bool
    n: int
    dropped: int
    baseline: int
    by_check: Mapping[str, Caught]

    def share(self, check: str | None = None) -> float:
        """The share that a check catches; without one, that running catches."""
        if not self.n:
            return 0.0
        if check is None:
            return self.baseline / self.n
        caught = self.by_check[check]
        return (caught.refused + caught.doubted) / self.n


@dataclass(frozen=True)
class Refused:
    """Right queries of some kind: how many, and by check how many it refuses, doubts and warns of."""

    kind: str
    n: int
    by_check: Mapping[str, tuple[int, int, int]]


@dataclass(frozen=True)
class Report:
    """All figures of one ground."""

    ground: str
    checks: tuple[str, ...]
    rows: tuple[Row, ...]
    right: tuple[Refused, ...]
    left_out: Mapping[str, int]
    examples: tuple[Mapping[str, str], ...]

    def total(self, structural: bool = False) -> Row:
        """All operators as one, or the structural ones."""
        rows = [row for row in self.rows if row.structural or not structural]
        by_check = {
            check: Caught(*(sum(column) for column in zip(*_figures(rows, check), strict=True)))
            for check in self.checks
        }
        n, dropped, baseline = (
            sum(getattr(row, name) for row in rows) for name in ("n", "dropped", "baseline")
        )
        name = "structural" if structural else "all"
        return Row(name, structural, n, dropped, baseline, by_check)

    def macro(self, check: str | None = None) -> float:
        """The mean of the operators' shares."""
        shares = [row.share(check) for row in self.rows if row.n]
        return sum(shares) / len(shares) if shares else 0.0

    def false_positives(self, check: str) -> int:
        """Right queries that a check refuses or doubts."""
        return sum(sum(each.by_check[check][:2]) for each in self.right)

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        summed = {"all": asdict(self.total()), "structural": asdict(self.total(structural=True))}
        means = {check: self.macro(check) for check in self.checks}
        return {**asdict(self), "totals": summed, "macro": {**means, "baseline": self.macro()}}


def _figures(rows: Iterable[Row], check: str) -> list[tuple[int, ...]]:
    nothing = Caught(0, 0, 0, 0, 0)
    found = [nothing, *(row.by_check[check] for row in rows)]
    return [(c.refused, c.doubted, c.warned, c.passed, c.missed) for c in found]


def report(measured: Measured, examples: int = 0) -> Report:
    """The figures of what was seen, with so many mutants of each operator that were missed."""
    checks = tuple(measured.ground.vocabularies)
    rows = []
    missed: list[Mapping[str, str]] = []
    for name in (*OPERATORS, TWO):
        seen = [each for each in measured.seen if each.mutant.operator == name]
        dropped = measured.dropped.get(name, 0)
        if not seen and not dropped:
            continue
        structural = OPERATORS[name].structural if name in OPERATORS else False
        baseline = sum(each.outcome != "answered" for each in seen)
        by_check = {check: _caught(seen, check) for check in checks}
        rows.append(Row(name, structural, len(seen), dropped, baseline, by_check))
        missed += _missed(seen, checks)[:examples]
    right = tuple(_refused(kind, several, checks) for kind, several in _kinds(measured.right))
    return Report(
        measured.ground.name, checks, tuple(rows), right, dict(measured.left_out), tuple(missed)
    )


def _caught(seen: Sequence[Seen], check: str) -> Caught:
    through = [each for each in seen if not each.found[check].caught]
    return Caught(
        sum(each.found[check].refused for each in seen),
        sum(each.found[check].doubted for each in seen),
        sum(each.found[check].warned for each in through),
        sum(each.finds for each in through),
        sum(not each.finds for each in through),
    )


def _missed(seen: Sequence[Seen], checks: Sequence[str]) -> list[Mapping[str, str]]:
    """Mutants that find nothing and that some check lets pass."""
    return [
        {
            "operator": each.mutant.operator,
            "origin": each.mutant.origin.id,
            "query": each.mutant.text,
        }
        for each in seen
        if not each.finds and not all(each.found[check].caught for check in checks)
    ]


def _kinds(right: Sequence[Right]) -> list[tuple[str, list[Right]]]:
    kinds: dict[str, list[Right]] = {}
    for each in right:
        kinds.setdefault(each.kind, []).append(each)
    return list(kinds.items())


def _refused(kind: str, several: Sequence[Right], checks: Sequence[str]) -> Refused:
    by_check = {
        check: (
            sum(each.found[check].refused for each in several),
            sum(each.found[check].doubted for each in several),
            sum(each.found[check].warned for each in several),
        )
        for check in checks
    }
    return Refused(kind, len(several), by_check)
