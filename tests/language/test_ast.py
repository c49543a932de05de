"""Problems as JSON, and the line with a caret that shows where they are."""

from __future__ import annotations

import pytest

from trustuqa_neo4j.language.ast import Problem, ProblemKind, excerpt


def test_a_problem_as_json() -> None:
    assert Problem(ProblemKind.UNREADABLE, "no", 2, 7).to_dict() == {
        "kind": "unreadable",
        "message": "no",
        "step": 2,
        "position": 7,
    }
    assert Problem(ProblemKind.UNREADABLE, "no").to_dict()["position"] is None


@pytest.mark.parametrize(
    ("text", "at", "shown"),
    [
        ("abc", "b", "abc\n ^"),
        ("one\ntwo\nthree", "w", "two\n ^"),
        ("one\r\ntwo\r\n", "t", "two\n^"),
        ("a\tb\x07c", "c", "a b c\n    ^"),
        ("名前='x'", "'x'", "名前='x'\n     ^"),
        ("e\u0301 x", "x", "e\u0301 x\n  ^"),
        ("a\n\nb", "\nb", "\n^"),
    ],
)
def test_the_caret_stands_below_the_place(text: str, at: str, shown: str) -> None:
    assert excerpt(text, text.index(at)) == shown


@pytest.mark.parametrize(
    ("text", "shown"), [("abc", "abc\n   ^"), ("abc  ", "abc\n     ^"), ("", "\n^")]
)
def test_the_end_of_the_text_is_a_place(text: str, shown: str) -> None:
    assert excerpt(text, len(text)) == shown


@pytest.mark.parametrize("position", [0, 40, 500, 999])
def test_long_lines_are_cut_around_the_place(position: int) -> None:
    text = "." * position + "X" + "." * (999 - position)
    shown, caret = excerpt(text, position, width=80).split("\n")
    assert len(shown) <= 80
    assert shown[caret.index("^")] == "X"


@pytest.mark.parametrize(
    ("position", "shown"),
    [(0, "01234567\n^"), (4, "01234567\n    ^"), (5, "12345678\n    ^"), (9, "56789\n    ^")],
)
def test_the_place_stands_in_the_middle_of_what_is_cut(position: int, shown: str) -> None:
    assert excerpt("0123456789\n0123456789", position, width=8) == shown
    assert excerpt("0123456789\n0123456789", position + 11, width=8) == shown


def test_a_line_is_cut_to_a_hundred_characters() -> None:
    assert excerpt("." * 200, 0) == "." * 100 + "\n^"
