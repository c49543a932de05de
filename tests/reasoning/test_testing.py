"""Tests on cells: equality, order, extremes, and what holds a value as a word."""

from __future__ import annotations

import pytest
from reasoning_cells import cells, nodes

from trustuqa_neo4j.reasoning.results import Cell, Refused
from trustuqa_neo4j.reasoning.testing import (
    decisive,
    equal,
    extremes,
    frequent,
    holding,
    in_month,
    keep,
    month_of,
    order_of,
    selected,
    spoken,
)
from trustuqa_neo4j.values import read_value


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("1,000", "1000.0", True),
        ("1000", "-1000", False),
        ("-850", "850", False),
        ("(1,250)", "1,250", False),
        ("0.4 km", "400 m", True),
        ("400 m", "400", True),
        ("$12", "€12", False),
        ("$12", "12", True),
        ("$12", "$ 12", True),
        ("Dundee", "DUNDEE", True),
        ("Zoë", "zoe", True),
        ("7–1", "7-1", True),
        ("5 km", "5 kg", False),
        ("5 pt of it", "5 pt, of it", True),
        ("7–1", "7–2", False),
        ("1999-03-05", "5 March 1999", True),
        ("1999-03-05", "5 March", True),
        ("1999-03-06", "5 March", False),
        ("1999-03-05", "1999", True),
        ("1999", "1999-03-05", False),
        ("", "", True),
        ("", "0", False),
        ("a", "", False),
    ],
)
def test_equal(one: str, other: str, same: bool) -> None:
    (first,), (second,) = cells(one), cells(other)
    assert equal(first, second) is same


def test_a_node_is_itself_whatever_it_is_called() -> None:
    assert equal(Cell("a", node=1), Cell("b", node=1))
    assert not equal(Cell("a", node=1), Cell("b", node=2))


def kept(given: list[str], operator: str, *bounds: str) -> list[str]:
    read = cells(*given)
    return [given[place] for place in keep(read, operator, cells(*bounds), 0).places]


def test_keep_equal_to_any() -> None:
    assert kept(["1", "2", "3"], "=", "1.0", "3") == ["1", "3"]
    assert kept(["1", "2", "3", ""], "!=", "1.0", "3") == ["2", ""]
    assert kept(["1"], "=") == []
    assert kept(["1"], "!=") == ["1"]


@pytest.mark.parametrize(
    ("operator", "found"),
    [("<", ["4"]), ("<=", ["4", "5"]), (">", ["8"]), (">=", ["7", "8"])],
)
def test_of_several_bounds_one_decides(operator: str, found: list[str]) -> None:
    assert kept(["4", "5", "6", "7", "8"], operator, "7", "5") == found


def test_without_a_bound_nothing_passes() -> None:
    assert kept(["4"], ">") == []


def test_what_cannot_be_compared_is_skipped_and_counted() -> None:
    found = keep(cells("5", "text", "", "7 kg", "9 m"), ">", cells("6 m"), 3)
    assert (found.places, found.skipped) == ([4], 3)


def test_where_nothing_can_be_compared_it_is_told() -> None:
    with pytest.raises(Refused) as caught:
        keep(cells("", "text", "more"), ">", cells("6"), 3)
    assert (caught.value.kind, caught.value.position) == ("not comparable", 3)
    assert caught.value.message == "none of 3 values, such as 'text', can be compared with '6' by >"
    with pytest.raises(Refused, match="such as ''"):
        keep(cells(""), ">", cells("6"), 3)
    assert keep((), ">", cells("6"), 3).places == []


def test_an_order_needs_a_number_or_a_date() -> None:
    with pytest.raises(Refused) as caught:
        decisive("<", cells("text"), 8)
    assert caught.value.message == "< needs a number or a date, and 'text' is text"
    found = decisive("<", cells("text", "5", "4"), 8)
    assert found is not None
    assert found.number == 4


def test_order_is_by_number_unless_more_are_dates() -> None:
    def ordered(*texts: str) -> list[str]:
        values = {text: read_value(text) for text in texts}
        key = order_of([value for value in values.values() if value])
        return sorted(texts, key=lambda text: key(values[text] or pytest.fail(text)))

    assert ordered("10", "9", "8.5") == ["8.5", "9", "10"]
    assert ordered("0.5 km", "400 m") == ["400 m", "0.5 km"]
    assert ordered("2001", "1999") == ["1999", "2001"]
    assert ordered("2003-01-01", "2001", "2000-05-01", "1999") == [
        "1999", "2000-05-01", "2001", "2003-01-01",
    ]  # fmt: skip
    assert ordered("7", "2003-01-01", "8") == ["2003-01-01", "7", "8"]
    assert ordered("2003-01-01", "7", "2001-01-01") == ["7", "2001-01-01", "2003-01-01"]


def most(*given: str) -> tuple[list[int], str | None]:
    return extremes(cells(*given), upper=True)


def least(*given: str) -> tuple[list[int], str | None]:
    return extremes(cells(*given), upper=False)


def test_extremes() -> None:
    assert most("1", "1,000", "9", "1000.0") == ([1, 3], None)
    assert least("5", "(1,250)", "0") == ([1], None)
    assert most("400 m", "0.5 km", "1 m") == ([1], None)
    assert most() == ([], None)
    assert most("", "") == ([], None)


def test_extremes_of_dates_and_years() -> None:
    assert most("1999", "2001", "2000-05-01", "2003-01-01") == ([3], None)
    assert least("5 March 1999", "1999-03-05", "2001") == ([0, 1], None)


def test_extremes_leave_out_what_cannot_be_compared() -> None:
    assert most("5", "text", "7", "") == ([2], "2 of 4 could not be compared")
    assert most("5", "2003-05-06", "7") == ([2], "1 of 3 could not be compared")
    assert most("5", "2003-05-06", "2001-05-06") == ([1], "1 of 3 could not be compared")


def test_extremes_of_text_are_by_the_alphabet() -> None:
    assert most("b", "", "Zoë", "zoe", "a") == ([2, 3], "of text: by the alphabet")
    assert least("b", "", "A") == ([2], "of text: by the alphabet")


def test_frequent() -> None:
    assert frequent(["a", "b", "a", "c", "c"], most=True) == [0, 2, 3, 4]
    assert frequent(["a", "b", "a"], most=False) == [1]
    assert frequent([], most=True) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2007", ["2007–08", "May 2007–June 2008", "c. 2007?"]),
        ("08", ["2007–08"]),
        ("1,250", []),
        ("12", ["12–3", "No 12!"]),
        ("2007–08", ["2007–08"]),
        ("text", []),
    ],
)
def test_holding(text: str, found: list[str]) -> None:
    names = [
        "2007–08", "May 2007–June 2008", "c. 2007?", "12007", "2007.5", "2,007", "(1,250)", "12–3",
        "No 12!", "12 kg", "x12", "",
    ]  # fmt: skip
    (bound,) = cells(text)
    assert [names[place] for place in holding(cells(*names), bound)] == found


def test_values_of_nodes_are_compared_as_those_of_names() -> None:
    assert keep(nodes("5", "7"), ">", nodes("6", begin=9), 0).places == [1]


@pytest.mark.parametrize(
    ("operator", "bound", "found"),
    [(">=", "3 September", [0, 1, 2]), ("<=", "2 January", [0, 1, 2]), ("<", "1 October", [0])],
)
def test_a_day_without_a_year_is_one_of_the_season(
    operator: str, bound: str, found: list[int]
) -> None:
    days = cells("3 September 2005", "8 October 2005", "2 January 2006")
    assert keep(days, operator, cells(bound), 0).places == found


def test_a_day_without_a_year_is_none_of_several_years() -> None:
    with pytest.raises(Refused):
        keep(cells("3 September 2005", "8 October 2007"), ">", cells("1 October"), 0)


def test_a_day_equals_that_day_of_some_year() -> None:
    assert equal(*cells("24 October", "24 October 1987"))
    assert not equal(*cells("25 October", "24 October 1987"))


@pytest.mark.parametrize(
    ("upper", "given", "place"),
    [
        (True, ("9-1", "10-2", "2-3"), 1),
        (False, ("Week 12", "Week 5"), 1),
        (True, ("3–5", "–", "9–4"), 2),
        (True, ("Ann", "bea", "Cid"), 2),
    ],
)
def test_extremes_of_text(upper: bool, given: tuple[str, ...], place: int) -> None:
    assert extremes(cells(*given), upper)[0] == [place]


@pytest.mark.parametrize(
    ("written", "read"),
    [("first", "1"), ("1st place", "1st"), ("Third Place", "3"), ("None", "0"), ("two", "2"),
     ("first lady", "first lady")],
)  # fmt: skip
def test_numbers_in_words(written: str, read: str) -> None:
    assert spoken(written) == read


def test_months() -> None:
    assert (month_of("March"), month_of("sept."), month_of("Mar"), month_of("5 March")) == (
        3, None, 3, None,
    )  # fmt: skip
    days = cells("5 March 1999", "June 7", "in March or so", "1999", "2003-03-09")
    assert in_month(days, 3) == [0, 2, 4]


def test_a_range_is_found_by_the_day_that_it_begins_or_ends_with() -> None:
    ranges = cells("30 January 1920 – 6 December 1930", "1 January 1920 – 30 January 1921", "1920")
    assert holding(ranges, cells("January 30, 1920")[0]) == [0]


@pytest.mark.parametrize(
    ("texts", "word", "places", "skipped"),
    [
        (("3", "9", "9", "x"), "highest", [1, 2], 1),
        (("3", "9", "9"), "Lowest", [0], 0),
        (("a", "b", "a"), "most", [0, 2], 0),
        (("a", "b", "a"), "least", [1], 0),
        (("highest", "5"), "highest", [0], 0),
        ((), "highest", [], 0),
        (("1", "2"), "2", [1], 0),
    ],
)
def test_words_select(texts: tuple[str, ...], word: str, places: list[int], skipped: int) -> None:
    found = selected(cells(*texts), "=", cells(word), 0)
    assert (found.places, found.skipped) == (places, skipped)


def test_what_is_no_number_has_no_extreme() -> None:
    with pytest.raises(Refused, match="highest needs numbers or dates, and 'a' is none"):
        selected(cells("a", "b"), "=", cells("highest"), 0)
