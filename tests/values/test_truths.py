"""Columns of words for yes and no."""

from __future__ import annotations

import pytest

from trustuqa_neo4j.values import read_truths


@pytest.mark.parametrize(
    "texts",
    [("x", "y"), ("f",), ("t",), ("y", "j"), ("x", "1"), ("x", "yes"), ("x", "n"),
     ("y", "f"), ("yes", "maybe")],
    ids="-".join,
)  # fmt: skip
def test_letters_of_different_pairs_are_names(texts: tuple[str, ...]) -> None:
    assert read_truths(texts) is None


@pytest.mark.parametrize(
    ("texts", "truths"),
    [
        (("Y", "n"), [True, False]),
        (("t", "f"), [True, False]),
        (("j", "n", ""), [True, False]),
        (("yes", "n"), [True, False]),
        (("x", ""), [True, False]),
        (("x", "-"), [True, False]),
        (("y",), [True]),
        (("1", "0"), [True, False]),
        (("✓", "✗"), [True, False]),
    ],
)
def test_marks_that_fit_together(texts: tuple[str, ...], truths: list[bool]) -> None:
    assert [*(read_truths(texts) or {}).values()] == truths
