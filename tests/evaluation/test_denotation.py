"""Denotation accuracy: the normalisation as the evaluator of WikiTableQuestions documents it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustuqa_neo4j.evaluation.denotation import Denotation, denotation, normalised, right


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
    assert normalised(written) == plain


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
    assert denotation(written).number == number


def test_labels_have_separators_of_thousands() -> None:
    assert denotation("-1,234,567.5", separators=True).number == -1_234_567.5
    assert denotation("12,34", separators=True).number is None


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
    assert denotation(written).date == date


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
    assert right(labels, values) is expected


def test_a_date_matches_no_number() -> None:
    assert not Denotation("a", number=1995.0).matches(Denotation("b", date=(1995, 1, 1)))


@given(st.text(alphabet='ab1 .[]()"*-É“\n', max_size=30))
def test_nothing_at_the_end_is_left(text: str) -> None:
    """Normalising again changes at most a full stop or a line break, and what that uncovers."""
    plain = normalised(text)
    assert plain == plain.strip()
    assert plain == plain.lower()
    if not {".", "\n"} & set(text):
        assert normalised(plain) == plain


@pytest.mark.parametrize("piece", ["(", ")", "[", "]", " (", "[a", '"', "*", " (a)", "[1]", "x"])
def test_long_texts_take_no_longer_by_the_sign(piece: str) -> None:
    begun = time.process_time()
    normalised("a" + piece * 100_000)
    normalised("a" + piece * 100_000 + "]")
    normalised("a" + piece * 100_000 + ")")
    assert time.process_time() - begun < 5
