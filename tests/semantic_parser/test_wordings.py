"""Other wordings of a question that mean the same, and those that do not."""

from __future__ import annotations

import pytest

from trustuqa_neo4j.semantic_parser.wordings import write_out


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("whats new since the start of 2021", "what's new since 2021"),
        ("paid by the end of March", "paid until March"),
        ("after the end of 2020", "after 2020"),
        ("from 12 May to 16 May 2025", "between 12 May 2025 and 16 May 2025"),
        ("between the 3rd and the 9th of June", "between 3 June and 9 June"),
        ("exams 12-16 May", "exams between 12 May and 16 May"),
        ("from June 5 to 9", "between 5 June and 9 June"),
        ("between May 12 and 16, 2025", "between 12 May 2025 and 16 May 2025"),
        ("from 28 May to 3 June", "between 28 May and 3 June"),
        ("sold in 2008-05", "sold in May 2008"),
        ("in the year 2005", "in 2005"),
        ("more then 20 offers were turned down", "more than 20 offers were refused"),
    ],
)
def test_one_wording_for_several(text: str, written: str) -> None:
    assert write_out(text) == written


@pytest.mark.parametrize(
    "text",
    [
        "on 12 and 16 May",
        "from 3 to 5 people in May",
        "between 3 and 9",
        "sold in 2021",
        "2008-09",
        "2008-05-01",
    ],
)
def test_what_means_something_else_stays(text: str) -> None:
    assert write_out(text) == text
