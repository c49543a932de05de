"""Metrics over sets of names, and percentiles."""

from __future__ import annotations

import pytest

from trustuqa_neo4j.evaluation import metrics


@pytest.mark.parametrize(
    ("labels", "values", "contains", "exact", "hits", "reaches", "f1"),
    [
        ("a", "a", True, True, True, True, 1),
        ("ab", "ba", True, True, True, True, 1),
        ("a", "ab", True, False, True, True, 2 / 3),
        ("a", "ba", True, False, False, True, 2 / 3),
        ("ab", "a", False, False, True, True, 2 / 3),
        ("ab", "ca", False, False, False, True, 1 / 2),
        ("a", "b", False, False, False, False, 0),
        ("a", "", False, False, False, False, 0),
        ("", "a", False, False, False, False, 0),
        ("", "", False, False, False, False, 0),
    ],
)
def test_single_names(
    labels: str, values: str, contains: bool, exact: bool, hits: bool, reaches: bool, f1: float
) -> None:
    given = [{value} for value in values]
    assert metrics.contains(set(labels), given) is contains
    assert metrics.exact(set(labels), given) is exact
    assert metrics.hits(set(labels), given) is hits
    assert metrics.reaches(set(labels), given) is reaches
    assert metrics.f1(set(labels), given) == pytest.approx(f1)


def test_a_value_with_several_names_is_one_value() -> None:
    given = [{"english", "english language"}]
    assert metrics.exact({"english language"}, given)
    assert metrics.f1({"english language"}, given) == 1
    assert metrics.f1({"english language", "french"}, given) == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("value", "text"), [("3.0", "3.0"), (3, "3"), (3.0, "3"), (2.5, "2.5"), (-0.0, "0")]
)
def test_spelled(value: str | float, text: str) -> None:
    assert metrics.spelled(value) == text


@pytest.mark.parametrize(
    ("numbers", "share", "expected"),
    [
        ([], 0.5, None),
        ([7], 0.95, 7),
        ([3, 1, 2], 0.5, 2),
        ([4, 1, 2, 3], 0.5, 2),
        (list(range(1, 101)), 0.95, 95),
        ([1, 2], 0, 1),
    ],
)
def test_percentile(numbers: list[float], share: float, expected: float | None) -> None:
    assert metrics.percentile(numbers, share) == expected
