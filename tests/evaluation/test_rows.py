"""Tables compared: the same rows under any matching of columns, or some columns too many or too few."""

from __future__ import annotations

import random

import pytest

from trustuqa_neo4j.evaluation.rows import Likeness, Rows, likeness


@pytest.mark.parametrize(
    ("wanted", "given", "found"),
    [
        ([], [], "same"),
        ([["a"]], [], "other"),
        ([], [["a"]], "other"),
        ([["a", 1]], [[1, "a"]], "same"),
        ([["a", 1], ["b", 2]], [["2", "b"], ["1", "a"]], "same"),
        ([["a", 1], ["b", 2]], [["2", "a"], ["1", "b"]], "overlap"),
        ([["a", "b"], ["b", "a"]], [["a", "a"], ["b", "b"]], "overlap"),
        ([["a"], ["a"]], [["a"]], "other"),
        ([["a"], ["a"], ["b"]], [["a"], ["b"], ["b"]], "other"),
        ([["a", 1]], [["a", 1, "x"]], "extra columns"),
        ([["a", 1], ["b", 1]], [["a", 1, 1], ["b", 1, 2]], "extra columns"),
        ([["a", 1]], [["a"]], "missing columns"),
        ([["a", 1]], [["a", "x"]], "overlap"),
        ([["a", 1, 2]], [["a", "x", "y"]], "other"),
        ([["a", 1]], [["x", "y"]], "other"),
        ([["a", "a"]], [["a"]], "missing columns"),
    ],
)
def test_likeness(wanted: Rows, given: Rows, found: Likeness) -> None:
    assert likeness(wanted, given) == found


@pytest.mark.parametrize(
    ("wanted", "given", "same"),
    [
        (1000, "1000", True),
        (1000, "1000.00", True),
        (1333.3333333333333, "1333.33333333333", True),
        (0.68, "0.6800000000001", True),
        (0.68, "0.68001", False),
        (49000, "48999.9999999999", True),
        (0.68, "0.69", False),
        (31003000336, "31003000337", False),
        (98000, "98,000", False),
        ("007", "7", False),
        ("2019-01-15", "2019-01-15T00:00:00", True),
        ("2019-01-15", "2019-01-15 00:00", True),
        ("2019-01-15", "2019-01-15T12:00:00", False),
        ("Fire", "fire", False),
        ("Fire", " Fire", True),
        (None, None, True),
        (None, "", False),
    ],
)
def test_cells(wanted: str | float | None, given: str | None, same: bool) -> None:
    assert (likeness([[wanted]], [[given]]) == "same") is same


def test_columns_and_rows_in_any_order_are_the_same() -> None:
    chance = random.Random(3)
    for _ in range(50):
        wide, long = chance.randint(1, 9), chance.randint(1, 12)
        wanted = [[chance.randint(0, 2) for _ in range(wide)] for _ in range(long)]
        order = chance.sample(range(wide), wide)
        given = [[row[at] for at in order] for row in wanted]
        chance.shuffle(given)
        assert likeness(wanted, given) == "same"
        assert likeness(wanted, [[*row, 7] for row in given]) == "extra columns"
        assert likeness(wanted, [*given[:-1], [8] * wide]) in ("other", "overlap")
