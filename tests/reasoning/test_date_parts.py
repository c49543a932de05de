"""Parts of dates: what holds the whole date, and what is refused."""

from __future__ import annotations

import pytest

from trustuqa_neo4j.reasoning.date_parts import DATE_PARTS
from trustuqa_neo4j.reasoning.results import Cell, EvaluationError
from trustuqa_neo4j.values import OPEN, Value, read_value


def extract(part: str, text: str) -> str:
    return DATE_PARTS[part](Cell(text, read_value(text)), 0).text


@pytest.mark.parametrize(
    ("part", "text", "expected"),
    [
        ("year", "5 March 1999", "1999"),
        ("year", "2007–08", "2007"),
        ("year", "summer of 1999, 1999", "1999"),
        ("month", "5 March 1999", "1999-03"),
        ("month", "March 1999", "1999-03"),
        ("quarter", "1999-03-31", "1999-Q1"),
        ("quarter", "April 1999", "1999-Q2"),
        ("quarter", "1999-12-31", "1999-Q4"),
        ("decade", "1999-03-31", "1990s"),
        ("decade", "2000", "2000s"),
        ("month_name", "1999-03-31", "March"),
        ("month_name", "March 1999", "March"),
        ("weekday", "2024-02-29", "Thursday"),
        ("weekday", "1969-07-20", "Sunday"),
    ],
)
def test_parts(part: str, text: str, expected: str) -> None:
    assert extract(part, text) == expected


@pytest.mark.parametrize(
    ("part", "text", "problem"),
    [
        ("year", "12345 and 99", "names no year"),
        ("year", "from 1999 until 2004", "names several years"),
        ("month", "1999", "names no month"),
        ("month", "from 1999-03-05 to 1999-04-01", "names no month"),
        ("month_name", "1999", "names no month"),
        ("quarter", "1999", "names no quarter"),
        ("quarter", "5 March", "names no year"),
        ("decade", "5 March", "names no year"),
        ("weekday", "March 1999", "names no day"),
        ("weekday", "5 March", "names no year"),
        ("weekday", "oak", "names no day"),
    ],
)
def test_what_has_no_such_part(part: str, text: str, problem: str) -> None:
    with pytest.raises(EvaluationError, match=problem):
        extract(part, text)


@pytest.mark.parametrize("part", DATE_PARTS)
def test_an_open_end_has_no_part(part: str) -> None:
    with pytest.raises(EvaluationError):
        DATE_PARTS[part](Cell("still", Value(None, None, OPEN, OPEN)), 0)
