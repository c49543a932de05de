"""Metrics over sets of names, and percentiles."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.processor import a_minute_at_most

from trustuqa_neo4j.evaluation import metrics
from trustuqa_neo4j.evaluation.metrics import (
    Denotation,
    TableMatch,
    TableRows,
    compare_tables,
    matches_denotation,
    normalize_text,
    read_denotation,
)


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
    assert metrics.contains_all_labels(set(labels), given) is contains
    assert metrics.matches_exactly(set(labels), given) is exact
    assert metrics.is_first_value_right(set(labels), given) is hits
    assert metrics.contains_any_label(set(labels), given) is reaches
    assert metrics.f1_score(set(labels), given) == pytest.approx(f1)


def test_a_value_with_several_names_is_one_value() -> None:
    given = [{"english", "english language"}]
    assert metrics.matches_exactly({"english language"}, given)
    assert metrics.f1_score({"english language"}, given) == 1
    assert metrics.f1_score({"english language", "french"}, given) == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("values", "is_right"),
    [("a", True), ("abc", True), ("ab", True), ("xyz", False), ("awxyz", False), ("", False)],
)
def test_a_label_among_few_values(values: str, is_right: bool) -> None:
    names = [{value} for value in values]
    assert metrics.contains_label_among_few({"a", "b"}, names) is is_right


def test_a_label_among_many_labels() -> None:
    names = [{value} for value in "abcd"]
    assert metrics.contains_label_among_few(set("abcde"), names)


@pytest.mark.parametrize(
    ("value", "text"), [("3.0", "3.0"), (3, "3"), (3.0, "3"), (2.5, "2.5"), (-0.0, "0")]
)
def test_spelled(value: str | float, text: str) -> None:
    assert metrics.value_text(value) == text


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


# Denotation accuracy: the normalisation as the evaluator of WikiTableQuestions documents it.


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("Norway", "norway"),
        ("  São   Paulo ", "sao paulo"),
        ("Beyoncé", "beyonce"),
        ("‘Alien’", "'alien'"),
        ("1990–95", "1990-95"),
        ("−5", "-5"),
        ("“Heroes”", "heroes"),
        ('"Heroes"', "heroes"),
        ('"Heroes" and "Low"', '"heroes" and "low"'),
        ("Jamaica (JAM)", "jamaica"),
        ("Jamaica (JAM) (retired)", "jamaica"),
        ("f(x)", "f(x)"),
        ("(none)", "(none)"),
        ("Gold[1]", "gold"),
        ("Gold[1][note 2]*†", "gold"),
        ("[citation needed]", "[citation needed]"),
        ("[7]", ""),
        ("Usain Bolt* (JAM)[3]", "usain bolt"),
        ('"Heroes" (live)', "heroes"),
        ("+", ""),
        ("St. Louis.", "st. louis"),
        ("etc..", "etc."),
        ("a\n b", "a b"),
        ("", ""),
        ("½", "1⁄2"),
        ("導演", "導演"),
    ],
)
def test_normalised(written: str, plain: str) -> None:
    assert normalize_text(written) == plain


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("5", 5.0),
        ("-5", -5.0),
        ("+5.50", 5.5),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("1990-xx-xx", 1990.0),
        ("1,000", None),
        ("5 km", None),
        ("inf", None),
        ("nan", None),
        ("1_000", None),
        ("٥", None),
        ("9" * 400, None),
    ],
)
def test_numbers(written: str, number: float | None) -> None:
    assert read_denotation(written).number == number


def test_labels_have_separators_of_thousands() -> None:
    assert read_denotation("-1,234,567.5", separators=True).number == -1_234_567.5
    assert read_denotation("12,34", separators=True).number is None


@pytest.mark.parametrize(
    ("written", "date"),
    [
        ("1995-01-26", (1995, 1, 26)),
        ("xx-01-26", (-1, 1, 26)),
        ("xxxx-01-xx", (-1, 1, -1)),
        ("1995-xx-26", (1995, -1, 26)),
        ("XX-12-XX", (-1, 12, -1)),
        ("xx-xx-xx", None),
        ("1995-13-01", None),
        ("1995-01-32", None),
        ("1995-01-00", None),
        ("1995-01", None),
        ("January 26, 1995", None),
    ],
)
def test_dates(written: str, date: tuple[int, int, int] | None) -> None:
    assert read_denotation(written).date == date


@pytest.mark.parametrize(
    ("labels", "values", "expected"),
    [
        (["3"], [3], True),
        (["3"], [3.0], True),
        (["3"], ["3.0"], True),
        (["3"], [3.0000001], True),
        (["3"], [3.001], False),
        (["1,234"], [1234], True),
        (["1,234"], ["1,234"], True),
        (["1234"], ["1,234"], False),
        (["Norway"], ["norway"], True),
        (["Norway"], ["Norway (NOR)"], True),
        (["Norway", "Sweden"], ["Sweden", "Norway"], True),
        (["Norway", "Sweden"], ["Sweden"], False),
        (["Norway"], ["Norway", "Sweden"], False),
        (["Norway"], ["Norway", "norway*"], True),
        (["Norway", "Norway"], ["Norway"], True),
        (["5", "5.0"], [5], True),
        (["1995-01-26"], ["1995-1-26"], True),
        (["1995-01-26"], ["1995-01-27"], False),
        (["1990"], ["1990-xx-xx"], True),
        (["yes"], ["Yes"], True),
        (["Norway"], [], False),
        ([], [], True),
    ],
)
def test_right(labels: list[str], values: list[str | float], expected: bool) -> None:
    assert matches_denotation(labels, values) is expected


def test_a_date_matches_no_number() -> None:
    assert not Denotation("a", number=1995.0).matches(Denotation("b", date=(1995, 1, 1)))


@given(st.text(alphabet='ab1 .[]()"*-É“\n', max_size=30))
def test_nothing_at_the_end_is_left(text: str) -> None:
    """Normalising again changes at most a full stop or a line break, and what that uncovers."""
    plain = normalize_text(text)
    assert plain == plain.strip()
    assert plain == plain.lower()
    if not {".", "\n"} & set(text):
        assert normalize_text(plain) == plain


@pytest.mark.parametrize("piece", ["(", ")", "[", "]", " (", "[a", '"', "*", " (a)", "[1]", "x"])
def test_long_texts_take_no_longer_by_the_sign(piece: str) -> None:
    with a_minute_at_most():
        normalize_text("a" + piece * 500_000)
        normalize_text("a" + piece * 500_000 + "]")
        normalize_text("a" + piece * 500_000 + ")")


# Tables compared: the same rows under any matching of columns, or some columns too many or too few.


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
def test_likeness(wanted: TableRows, given: TableRows, found: TableMatch) -> None:
    assert compare_tables(wanted, given) == found


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
    assert (compare_tables([[wanted]], [[given]]) == "same") is same


def test_columns_and_rows_in_any_order_are_the_same() -> None:
    chance = random.Random(3)
    for _ in range(50):
        wide, long = chance.randint(1, 9), chance.randint(1, 12)
        wanted = [[chance.randint(0, 2) for _ in range(wide)] for _ in range(long)]
        order = chance.sample(range(wide), wide)
        given = [[row[at] for at in order] for row in wanted]
        chance.shuffle(given)
        assert compare_tables(wanted, given) == "same"
        assert compare_tables(wanted, [[*row, 7] for row in given]) == "extra columns"
        assert compare_tables(wanted, [*given[:-1], [8] * wide]) in ("other", "overlap")
