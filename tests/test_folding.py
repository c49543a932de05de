"""Folding: the short way for plain names gives what the long one gives."""

from __future__ import annotations

from string import ascii_letters, digits

from hypothesis import given
from hypothesis import strategies as st

from trustuqa_neo4j.mapping import FOLDED_LENGTH, fold
from trustuqa_neo4j.mapping.folding import _folded


@given(st.text(ascii_letters + digits + "  .,-'", max_size=12) | st.text(max_size=6))
def test_both_ways_are_one(name: str) -> None:
    assert fold(name) == _folded(name)


def test_long_plain_names_are_cut_alike() -> None:
    for name in ("a" * 300, "ab " * 100, "a" * (FOLDED_LENGTH - 1) + " b", " x  y "):
        assert fold(name) == _folded(name)
