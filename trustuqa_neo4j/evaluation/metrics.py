"""How good the values of one answer are against its labels: pure functions.

Labels are the distinct names that are wanted; a value is given as all the names it goes by, one for most
benchmarks. So that every metric looks names up and none compares thousands of values with thousands of
labels one by one. The normalisation of WikiTableQuestions is no look-up; it stands in ``denotation``.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from math import ceil
from typing import TypeAlias

from ..answer import Value

Names: TypeAlias = Set[str]


def spelled(value: Value) -> str:
    """A value as text: ``3.0``, a computed number, is ``3``."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def contains(labels: Names, values: Sequence[Names]) -> bool:
    """Every label is among the values; never so without labels."""
    return bool(labels) and labels <= {name for names in values for name in names}


def exact(labels: Names, values: Sequence[Names]) -> bool:
    """Every label is among the values and every value among the labels."""
    return contains(labels, values) and all(names & labels for names in values)


def hits(labels: Names, values: Sequence[Names]) -> bool:
    """Hits@1: the value given first is a label."""
    return bool(values and values[0] & labels)


def reaches(labels: Names, values: Sequence[Names]) -> bool:
    """At least one value is a label."""
    return any(names & labels for names in values)


def f1(labels: Names, values: Sequence[Names]) -> float:
    """Harmonic mean of precision (by values) and recall (by labels); 0 where nothing matches."""
    right = sum(bool(names & labels) for names in values)
    if not right:
        return 0.0
    found = len(labels & {name for names in values for name in names})
    precision, recall = right / len(values), found / len(labels)
    return 2 * precision * recall / (precision + recall)


def percentile(numbers: Sequence[float], share: float) -> float | None:
    """The smallest of ``numbers`` that at least ``share`` of them do not exceed; None of none."""
    if not numbers:
        return None
    return sorted(numbers)[max(0, ceil(share * len(numbers)) - 1)]
