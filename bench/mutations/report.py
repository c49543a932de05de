"""Statistics of a measurement: by operator, in total, and for correct queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bench.mutations.measure import CorrectQueryResult, Measurement, MutantResult
from bench.mutations.operators import OPERATORS, TWO


@dataclass(frozen=True)
class CheckCounts:
    """Number of mutants that a check refuses, doubts, only warns about, and does not catch.

    Of those that it does not catch, ``passed`` have an answer somewhere; ``missed`` have none.
    """

    refused: int
    doubted: int
    warned: int
    passed: int
    missed: int


@dataclass(frozen=True)
class OperatorRow:
    """An operator: number of mutants that count, of dropped ones, and the results of the checks.

    ``baseline`` is the number of mutants without an answer, which running alone reveals.
    """

    operator: str
    structural: bool
    n: int
    dropped: int
    baseline: int
    by_check: Mapping[str, CheckCounts]

    def share(self, check: str | None = None) -> float:
        """The share that a check catches; without ``check``, the share that running reveals."""
        if not self.n:
            return 0.0
        if check is None:
            return self.baseline / self.n
        counts = self.by_check[check]
        return (counts.refused + counts.doubted) / self.n


@dataclass(frozen=True)
class CorrectQueryRow:
    """Number of correct queries of a kind; by check, how many are refused, doubted and warned about."""

    kind: str
    n: int
    by_check: Mapping[str, tuple[int, int, int]]


@dataclass(frozen=True)
class MutationReport:
    """All statistics of a corpus."""

    ground: str
    checks: tuple[str, ...]
    rows: tuple[OperatorRow, ...]
    right: tuple[CorrectQueryRow, ...]
    left_out: Mapping[str, int]
    examples: tuple[Mapping[str, str], ...]

    def total(self, structural: bool = False) -> OperatorRow:
        """All operators as one, or the structural ones."""
        rows = [row for row in self.rows if row.structural or not structural]
        by_check = {
            check: CheckCounts(
                *(sum(column) for column in zip(*_count_rows(rows, check), strict=True))
            )
            for check in self.checks
        }
        n, dropped, baseline = (
            sum(getattr(row, name) for row in rows) for name in ("n", "dropped", "baseline")
        )
        name = "structural" if structural else "all"
        return OperatorRow(name, structural, n, dropped, baseline, by_check)

    def macro(self, check: str | None = None) -> float:
        """The mean share of the operators."""
        shares = [row.share(check) for row in self.rows if row.n]
        return sum(shares) / len(shares) if shares else 0.0

    def false_positives(self, check: str) -> int:
        """Number of correct queries that a check refuses or doubts."""
        return sum(sum(row.by_check[check][:2]) for row in self.right)

    def to_dict(self) -> dict[str, Any]:
        totals = {"all": asdict(self.total()), "structural": asdict(self.total(structural=True))}
        means = {check: self.macro(check) for check in self.checks}
        return {**asdict(self), "totals": totals, "macro": {**means, "baseline": self.macro()}}


def _count_rows(rows: Iterable[OperatorRow], check: str) -> list[tuple[int, ...]]:
    counts = [CheckCounts(0, 0, 0, 0, 0), *(row.by_check[check] for row in rows)]
    return [(c.refused, c.doubted, c.warned, c.passed, c.missed) for c in counts]


def make_report(measurement: Measurement, examples: int = 0) -> MutationReport:
    """The statistics, with at most ``examples`` missed mutants of each operator."""
    checks = tuple(measurement.corpus.vocabularies)
    rows = []
    missed: list[Mapping[str, str]] = []
    for name in (*OPERATORS, TWO):
        results = [result for result in measurement.mutants if result.mutant.operator == name]
        dropped = measurement.dropped[name]
        if not results and not dropped:
            continue
        is_structural = OPERATORS[name].structural if name in OPERATORS else False
        baseline = sum(result.outcome != "answered" for result in results)
        by_check = {check: _count_check(results, check) for check in checks}
        rows.append(OperatorRow(name, is_structural, len(results), dropped, baseline, by_check))
        missed += _missed_examples(results, checks)[:examples]
    kinds: dict[str, list[CorrectQueryResult]] = {}
    for correct in measurement.correct:
        kinds.setdefault(correct.kind, []).append(correct)
    return MutationReport(
        measurement.corpus.name,
        checks,
        tuple(rows),
        tuple(_correct_query_row(kind, results, checks) for kind, results in kinds.items()),
        dict(measurement.left_out),
        tuple(missed),
    )


def _count_check(results: Sequence[MutantResult], check: str) -> CheckCounts:
    not_caught = [result for result in results if not result.checks[check].caught]
    return CheckCounts(
        sum(result.checks[check].refused for result in results),
        sum(result.checks[check].doubted for result in results),
        sum(result.checks[check].warned for result in not_caught),
        sum(result.has_answer for result in not_caught),
        sum(not result.has_answer for result in not_caught),
    )


def _missed_examples(
    results: Sequence[MutantResult], checks: Sequence[str]
) -> list[Mapping[str, str]]:
    """Mutants without an answer that some check did not catch."""
    return [
        {
            "operator": result.mutant.operator,
            "origin": result.mutant.origin.id,
            "query": result.mutant.text,
        }
        for result in results
        if not result.has_answer and not all(result.checks[check].caught for check in checks)
    ]


def _correct_query_row(
    kind: str, results: Sequence[CorrectQueryResult], checks: Sequence[str]
) -> CorrectQueryRow:
    by_check = {
        check: (
            sum(result.checks[check].refused for result in results),
            sum(result.checks[check].doubted for result in results),
            sum(result.checks[check].warned for result in results),
        )
        for check in checks
    }
    return CorrectQueryRow(kind, len(results), by_check)
