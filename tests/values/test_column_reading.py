"""Columns: one cell can say how the numbers and dates of the others are meant."""

from __future__ import annotations

import pytest

from trustuqa_neo4j.values import ColumnSurvey, ValueOptions, may_be_ambiguous
from trustuqa_neo4j.values.column_reading import classify_date, classify_number
from trustuqa_neo4j.wording import use_words_of

DEFAULT = ValueOptions()


def read(
    *cells: str, defaults: ValueOptions = DEFAULT, fixed: ValueOptions = DEFAULT
) -> tuple[str, list[str]]:
    """The options for a column called ``v``, and the notes on it."""
    survey = ColumnSurvey("v")
    for line, cell in enumerate(cells, 2):
        if may_be_ambiguous(cell):
            survey.add(cell, "f", line)
    options = survey.decide(defaults, fixed)
    return options.text, [f"{note.message} @ {note.place}" for note in survey.notes]


@pytest.mark.parametrize(
    ("cells", "options"),
    [
        (("1.234", "2.500", "0,5"), "decimal ,"),
        (("1.234,56 €", "2.000"), "decimal ,"),
        (("52,520008", "n/a", ""), "decimal ,"),
        (("1.5", "1,234"), ""),
        (("1,234", "2,500"), ""),
        (("7–1", "12"), ""),
        (("1.2.2020", "0,5"), "decimal ,"),
        (("25/12/2020", "03/04/2019"), "dates dmy"),
        (("12/25/2020", "03/04/2019 10:00"), "dates mdy"),
        (("03.04.2019", "03/04/2019"), "dates dmy"),
        (("25/12/2020", "26/12/2020"), ""),
        (("2020-12-25", "10-5-1"), ""),
    ],
)
def test_every_cell_fits_one_reading(cells: tuple[str, ...], options: str) -> None:
    assert read(*cells)[0] == options


NOTES = {
    ("1.234", "0,5"): (
        "'v' has decimal commas (0,5), so 1.234 is read as 1234; "
        "--decimal v=. reads decimal points @ f:2"
    ),
    ("1.5", "0,5", "1.234"): (
        "'v' mixes decimal commas and full stops: --decimal v=, reads 2 of 3 as numbers, "
        "--decimal v=. reads 2 @ f:3"
    ),
    ("1.200", "1,200"): (
        "'v' mixes decimal commas and full stops: --decimal v=, reads 2 of 2 as numbers, "
        "--decimal v=. reads 2 @ f:3"
    ),
    ("987", "1.234"): (
        "'v': the full stop of 1.234 may separate decimals or thousands, and is read as a decimal "
        "point; --decimal v=, reads thousands @ f:3"
    ),
    ("25/12/2020", "03/04/2019"): (
        "'v' has the day first (25/12/2020), and 03/04/2019 is read so; --dates v=mdy reads it the "
        "other way @ f:3"
    ),
    ("25/12/2020", "12/25/2020", "03/04/2019", "05/04/2019"): (
        "'v': 2 dates such as 03/04/2019 stay text, since the order of day and month or the century "
        "is open; --dates v=dmy or --dates v=mdy reads them @ f:4"
    ),
    ("05-Jan-24", "15-feb-24"): (
        "'v': dates such as 05-Jan-24 stay text, since the century is open; --dates v=dmy reads them @ f:2"
    ),
    ("11/18/67", "12/19/68"): (
        "'v': 2 dates such as 11/18/67 stay text, since the order of day and month or the century "
        "is open; --dates v=dmy or --dates v=mdy reads them @ f:2"
    ),
}


@pytest.mark.parametrize(("cells", "message"), NOTES.items())
def test_notes(cells: tuple[str, ...], message: str) -> None:
    with use_words_of("shell"):
        assert read(*cells)[1] == [message]


@pytest.mark.parametrize(
    "cells",
    [("1,234", "5"), ("1.5", "2.25"), ("0,5", "12,25"), ("25/12/2020",), ("10-5-01", "3-2-02"), ()],
)
def test_columns_without_a_doubt(cells: tuple[str, ...]) -> None:
    assert read(*cells)[1] == []


def test_what_the_user_gives_is_not_overruled() -> None:
    fixed = ValueOptions(dates="mdy", decimal=".")
    assert read("25/12/2020", "03/04/2019", "0,5", defaults=fixed, fixed=fixed) == (
        "dates mdy, decimal .",
        ["'v': with the decimal sign '.', 1 cell such as 0,5 stays text @ f:4"],
    )


def test_a_column_overrules_the_options_of_its_dataset() -> None:
    assert read("1.5", "1,234", defaults=ValueOptions(decimal=","))[0] == "decimal ."


@pytest.mark.parametrize(
    ("text", "form"),
    [(f"{year}-{month:02}-{day:02}", "text") for year in ("0000", "1999", "2024")
     for month in (0, 5, 12, 13, 99) for day in (0, 7, 31, 32)]
    + [(f"{sign}{whole}.{part}", "point") for sign in ("", "-", "+")
       for whole in (0, 5, 12, 31, 2024) for part in ("0", "5", "05", "24")],
)  # fmt: skip
def test_cells_without_doubt_have_the_form_of_a_full_reading(text: str, form: str) -> None:
    assert classify_date(text) is None
    assert classify_number(text) == form
    survey = ColumnSurvey("c")
    survey.add(text, "t.csv", 2)
    assert survey.find_decimal() == ("." if form == "point" else None)
