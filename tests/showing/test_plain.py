"""Text from the data that steers nothing."""

from __future__ import annotations

import pytest

from trustuqa_neo4j.showing.plain import one_line, plain


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Ada", "Ada"),
        ("\x1b[31mred\x07", "␛[31mred␇"),
        ("\x7f\x9b\x00", "␡�␀"),
        ("a\r\nb\rc\nd\te", "a\nb␍c\nd\te"),
        ("a\u2028b\u2029c", "a\nb\nc"),
        ("\u202egnp.exe", "�gnp.exe"),
        ("\u2066a\u2069", "�a�"),
        ("שלום\u200f!", "שלום\u200f!"),
        ("👩‍🚀", "👩‍🚀"),
        ("\ud800", "�"),
    ],
)
def test_what_is_shown(name: str, shown: str) -> None:
    assert plain(name) == shown
    assert plain(shown) == shown


def test_one_line_of_many() -> None:
    assert one_line("a\n  b\tc", 10) == "a b c"
    assert one_line("x" * 10, 10) == "x" * 10
    assert one_line("x" * 11, 10) == "x" * 9 + "…"
    assert one_line("x " * 10**6, 10) == "x x x x x…"
