"""Tests on cells: equality, order, extremes, and what holds a value as a word."""

from __future__ import annotations

import pytest
from support.cells import cells, nodes

from trustuqa_neo4j.reasoning.conditions import (
    decisive_bound,
    filter_cells,
    find_containing,
    find_extremes,
    find_frequent,
    find_in_month,
    is_same_cell,
    rank_texts,
    read_month,
    replace_number_word,
    select_cells,
    sort_key,
)
from trustuqa_neo4j.reasoning.notes import NoteCollector
from trustuqa_neo4j.reasoning.results import Cell, EvaluationError


@pytest.mark.parametrize(
    ("first_text", "second_text", "expected"),
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
def test_same_cells(first_text: str, second_text: str, expected: bool) -> None:
    (first,), (second,) = cells(first_text), cells(second_text)
    assert is_same_cell(first, second) is expected


@pytest.mark.parametrize(
    ("first_text", "second_text", "signs"),
    [
        ("6–8", "6–10", (-1, 0)),
        ("456 / 139", "350 / 107", (1, 0)),
        ("Week 5", "Week 5", (0, 0)),
        ("1,200 of 2", "900 of 2", (1, 0)),
        ("7–1", "2–3", (None, None)),
        ("MHz 8", "Intel 8086", (None, None)),
        ("Week five", "Week five", (None, None)),
        ("5", "6", (5, 6)),
    ],
)
def test_texts_that_differ_in_numbers(
    first_text: str, second_text: str, signs: tuple[float | None, float | None]
) -> None:
    (first,), (second,) = cells(first_text), cells(second_text)
    ranked = rank_texts(first, second)
    assert tuple(None if cell.value is None else cell.value.number for cell in ranked) == signs
    assert [cell.text for cell in ranked] == [first_text, second_text]


def test_rows_are_no_texts_with_numbers() -> None:
    rows = Cell("row 2", node=1, position=2), Cell("row 3", node=2, position=3)
    assert rank_texts(*rows) == rows


def test_nodes_are_equal_by_id() -> None:
    assert is_same_cell(Cell("a", node=1), Cell("b", node=1))
    assert not is_same_cell(Cell("a", node=1), Cell("b", node=2))


def filter_texts(texts: list[str], operator: str, *bounds: str) -> list[str]:
    operands = cells(*texts)
    return [texts[place] for place in filter_cells(operands, operator, cells(*bounds), 0).places]


def test_equality_with_any_bound() -> None:
    assert filter_texts(["1", "2", "3"], "=", "1.0", "3") == ["1", "3"]
    assert filter_texts(["1", "2", "3", ""], "!=", "1.0", "3") == ["2", ""]
    assert filter_texts(["1"], "=") == []
    assert filter_texts(["1"], "!=") == ["1"]


@pytest.mark.parametrize(
    ("operator", "expected"),
    [("<", ["4"]), ("<=", ["4", "5"]), (">", ["8"]), (">=", ["7", "8"])],
)
def test_decisive_bound(operator: str, expected: list[str]) -> None:
    assert filter_texts(["4", "5", "6", "7", "8"], operator, "7", "5") == expected


def test_no_bound_selects_nothing() -> None:
    assert filter_texts(["4"], ">") == []


def test_incomparable_cells_are_counted() -> None:
    result = filter_cells(cells("5", "text", "", "7 kg", "9 m"), ">", cells("6 m"), 3)
    assert (result.places, [c.text for c in result.skipped]) == ([4], ["text", "", "7 kg"])


def test_only_incomparable_cells_are_refused() -> None:
    with pytest.raises(EvaluationError) as caught:
        filter_cells(cells("", "text", "more"), ">", cells("6"), 3)
    assert (caught.value.kind, caught.value.position) == ("not comparable", 3)
    assert caught.value.message == "none of 3 values, such as 'text', can be compared with '6' by >"
    with pytest.raises(EvaluationError, match="such as ''"):
        filter_cells(cells(""), ">", cells("6"), 3)
    assert filter_cells((), ">", cells("6"), 3).places == []


def test_a_number_without_a_unit_is_not_compared_with_several_units() -> None:
    for bounds in (("9 km", "9000 m"), ("9000 m", "9 km")):
        with pytest.raises(
            EvaluationError, match="none of 1 values, such as '5000', can be compared"
        ):
            filter_texts(["5000"], ">", *bounds)
        assert filter_texts(["5000", "10 km", "8 km"], ">", *bounds) == ["10 km"]
    assert filter_texts(["5000", "8"], ">", "9 km", "7 km") == ["5000"]


def test_a_condition_on_nothing_leaves_nothing() -> None:
    assert filter_cells((), ">", cells("text"), 3).places == []


def test_order_needs_a_number_or_date() -> None:
    with pytest.raises(EvaluationError) as caught:
        decisive_bound("<", cells("text"), 8)
    assert caught.value.message == "< needs a number or a date, and 'text' is text"
    bound = decisive_bound("<", cells("text", "5", "4"), 8)
    assert bound is not None
    assert bound.number == 4


def test_sort_key_is_number_unless_most_are_dates() -> None:
    def ordered(*texts: str) -> list[str]:
        values = cells(*texts)
        return [cell.text for cell in sorted(values, key=sort_key(values))]

    assert ordered("10", "9", "8.5") == ["8.5", "9", "10"]
    assert ordered("0.5 km", "400 m") == ["400 m", "0.5 km"]
    assert ordered("2001", "1999") == ["1999", "2001"]
    assert ordered("2003-01-01", "2001", "2000-05-01", "1999") == [
        "1999", "2000-05-01", "2001", "2003-01-01",
    ]  # fmt: skip
    assert ordered("7", "2003-01-01", "8") == ["2003-01-01", "7", "8"]
    assert ordered("2003-01-01", "7", "2001-01-01") == ["7", "2001-01-01", "2003-01-01"]


def most(*members: str, upper: bool = True) -> tuple[list[int], str | None]:
    """Places, and the message of a note."""
    selection, notes = find_extremes(cells(*members), upper), NoteCollector()
    selection.add_notes(notes, cells(*members))
    return selection.places, next((note.message for note in notes.notes), None)


def least(*members: str) -> tuple[list[int], str | None]:
    return most(*members, upper=False)


def test_extremes() -> None:
    assert most("1", "1,000", "9", "1000.0") == ([1, 3], None)
    assert least("5", "(1,250)", "0") == ([1], None)
    assert most("400 m", "0.5 km", "1 m") == ([1], None)
    assert most() == ([], None)
    assert most("", "") == ([], None)


def test_extremes_of_dates_and_years() -> None:
    assert most("1999", "2001", "2000-05-01", "2003-01-01") == ([3], None)
    assert least("5 March 1999", "1999-03-05", "2001") == ([0, 1], None)


ONE_SKIPPED = "1 of 3 cells could not be compared and was left out"


def test_extremes_skip_incomparable_cells() -> None:
    assert most("5", "text", "7", "") == (
        [2],
        "2 of 4 cells could not be compared and were left out: 'text', ''",
    )
    assert most("5", "2003-05-06", "7") == ([2], f"{ONE_SKIPPED}: '2003-05-06'")
    assert most("5", "2003-05-06", "2001-05-06") == ([1], f"{ONE_SKIPPED}: '5'")


def test_extremes_of_text_use_the_alphabet() -> None:
    assert most("b", "", "Zoë", "zoe", "a") == (
        [2, 3],
        "5 of 5 cells are text, ordered by the alphabet: 'Zoë', 'a', 'b' and 2 more",
    )
    assert least("b", "", "A") == (
        [2],
        "3 of 3 cells are text, ordered by the alphabet: 'A', 'b', ''",
    )


def test_frequent() -> None:
    assert find_frequent(["a", "b", "a", "c", "c"], most=True) == [0, 2, 3, 4]
    assert find_frequent(["a", "b", "a"], most=False) == [1]
    assert find_frequent([], most=True) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2007", ["2007–08", "May 2007–June 2008", "c. 2007?"]),
        ("08", ["2007–08"]),
        ("1,250", []),
        ("12", ["12–3", "No 12!"]),
        ("2007–08", ["2007–08"]),
        ("text", []),
    ],
)
def test_cells_that_contain_a_value(text: str, expected: list[str]) -> None:
    names = [
        "2007–08", "May 2007–June 2008", "c. 2007?", "12007", "2007.5", "2,007", "(1,250)", "12–3",
        "No 12!", "12 kg", "x12", "",
    ]  # fmt: skip
    (bound,) = cells(text)
    assert [names[place] for place in find_containing(cells(*names), bound)] == expected


def test_values_of_nodes_are_compared() -> None:
    assert filter_cells(nodes("5", "7"), ">", nodes("6", begin=9), 0).places == [1]


@pytest.mark.parametrize(
    ("operator", "bound", "expected"),
    [(">=", "3 September", [0, 1, 2]), ("<=", "2 January", [0, 1, 2]), ("<", "1 October", [0])],
)
def test_day_without_year_in_one_season(operator: str, bound: str, expected: list[int]) -> None:
    days = cells("3 September 2005", "8 October 2005", "2 January 2006")
    assert filter_cells(days, operator, cells(bound), 0).places == expected


def test_day_without_year_in_several_years_is_refused() -> None:
    with pytest.raises(EvaluationError):
        filter_cells(cells("3 September 2005", "8 October 2007"), ">", cells("1 October"), 0)


def test_day_without_year_equals_that_day_of_any_year() -> None:
    assert is_same_cell(*cells("24 October", "24 October 1987"))
    assert not is_same_cell(*cells("25 October", "24 October 1987"))


@pytest.mark.parametrize(
    ("upper", "texts", "place"),
    [
        (True, ("9-1", "10-2", "2-3"), 1),
        (False, ("Week 12", "Week 5"), 1),
        (True, ("3–5", "–", "9–4"), 2),
        (True, ("Ann", "bea", "Cid"), 2),
    ],
)
def test_extremes_of_texts_with_numbers(upper: bool, texts: tuple[str, ...], place: int) -> None:
    assert find_extremes(cells(*texts), upper).places == [place]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("first", "1"), ("1st place", "1st"), ("Third Place", "3"), ("None", "0"), ("two", "2"),
     ("first lady", "first lady")],
)  # fmt: skip
def test_numbers_in_words(text: str, expected: str) -> None:
    assert replace_number_word(text) == expected


def test_months() -> None:
    assert (read_month("March"), read_month("sept."), read_month("Mar"), read_month("5 March")) == (
        3, None, 3, None,
    )  # fmt: skip
    days = cells("5 March 1999", "June 7", "in March or so", "1999", "2003-03-09")
    assert find_in_month(days, 3) == [0, 2, 4]


def test_range_contains_its_first_and_last_day() -> None:
    ranges = cells("30 January 1920 – 6 December 1930", "1 January 1920 – 30 January 1921", "1920")
    assert find_containing(ranges, cells("January 30, 1920")[0]) == [0]


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
def test_selecting_words(
    texts: tuple[str, ...], word: str, places: list[int], skipped: int
) -> None:
    result = select_cells(cells(*texts), "=", cells(word), 0)
    assert (result.places, len(result.skipped)) == (places, skipped)


def test_highest_text_is_refused() -> None:
    with pytest.raises(EvaluationError, match="highest needs numbers or dates, and 'a' is none"):
        select_cells(cells("a", "b"), "=", cells("highest"), 0)
