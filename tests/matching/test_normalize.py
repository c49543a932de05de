"""Folding: the short way for plain names gives what the long one gives."""

from __future__ import annotations

from string import ascii_letters, digits

from hypothesis import given
from hypothesis import strategies as st

from trustuqa_neo4j.matching import MAX_NORMALIZED_LENGTH, normalize_name
from trustuqa_neo4j.matching.normalize import _normalize_any


@given(st.text(ascii_letters + digits + "  .,-'", max_size=12) | st.text(max_size=6))
def test_both_ways_are_one(name: str) -> None:
    assert normalize_name(name) == _normalize_any(name)


def test_long_plain_names_are_cut_alike() -> None:
    for name in ("a" * 300, "ab " * 100, "a" * (MAX_NORMALIZED_LENGTH - 1) + " b", " x  y "):
        assert normalize_name(name) == _normalize_any(name)
