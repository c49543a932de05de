"""Folding of names, the rungs at which names are found, and what a name may be a slip of."""

from __future__ import annotations

import sys
import unicodedata
from itertools import pairwise
from typing import Any

import pytest
from golden import cases
from hypothesis import given, settings
from hypothesis import strategies as st

from trustuqa_neo4j.mapping import FOLDED_LENGTH, Candidate, Mapped, Rung, fold, rungs, suggestions

LETTERS = st.characters(categories=["Lu", "Ll", "Nd"], max_codepoint=0x24F)
WORDS = st.lists(st.text(LETTERS, min_size=1, max_size=8), min_size=1, max_size=5)
LONG = st.text(max_size=30).map(lambda text: text * 20)


@cases("fold")
def test_these_names_are_one(case: dict[str, Any]) -> None:
    assert {fold(name) for name in case["same"]} == {case["folded"]}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1.5", "15"),
        ("1,000", "1000"),
        ("Vol. 1", "Vol. 2"),
        ("Spider-Man", "Spiderman"),
        ("कि", "की"),
        ("がき", "かき"),
        ("ใกล้", "ไกล"),
        ("C++", "C#.1"),
        ("!", "?"),
        ("...", ""),
    ],
)
def test_these_names_are_two(one: str, other: str) -> None:
    assert fold(one) != fold(other)


@settings(deadline=None)
@given(st.text() | LONG)
def test_folding_again_changes_nothing(name: str) -> None:
    assert fold(fold(name)) == fold(name)


@settings(deadline=None)
@given(st.text() | LONG)
def test_a_folded_name_is_short_and_never_empty(name: str) -> None:
    assert len(fold(name)) <= FOLDED_LENGTH
    assert bool(fold(name)) == bool(name)


def test_names_are_cut_to_two_hundred_characters() -> None:
    assert FOLDED_LENGTH == 200
    assert fold("X" * 300) == "x" * 200
    assert fold("映" * 300) == "映" * 200
    assert fold("!" * 300) == "!" * 200


@settings(deadline=None)
@given(WORDS)
def test_case_accents_and_punctuation_do_not_count(words: list[str]) -> None:
    name = " ".join(words)
    expected = fold(name)
    assert fold(name.upper()) == expected
    assert fold(name.swapcase()) == expected
    assert fold(unicodedata.normalize("NFD", name)) == expected
    assert fold(name.replace(" ", "-")) == expected
    assert fold(f"«{name.replace(' ', ' _ ')}»!") == expected
    assert fold("'".join(name)) == expected
    assert fold("".join(letter + "\u0301" for letter in name)) == expected


@pytest.mark.parametrize("around", ["{}", "1{}5", "É{}"])
def test_every_character_folds_once_and_for_all(around: str) -> None:
    for code in range(0, sys.maxunicode + 1, 11):
        folded = fold(around.format(chr(code)))
        assert folded, hex(code)
        assert fold(folded) == folded, hex(code)


@pytest.mark.parametrize("ending", [" ", ".", ",", "-", "'", ".5", "é"])
def test_a_cut_name_ends_where_a_name_can_end(ending: str) -> None:
    name = "x" * (FOLDED_LENGTH - 2) + "1" + ending + "9 and more"
    assert fold(name) == fold(fold(name))
    assert fold(name).startswith("x" * (FOLDED_LENGTH - 2) + "1")


# Rungs

ALIEN, SMALL, ACCENT = Candidate("Alien", 1), Candidate("alien", 2), Candidate("Álien", 3)


def test_what_has_the_very_name_stands_first_then_all_that_fold_to_it() -> None:
    found = rungs("Alien", [SMALL, ALIEN, ACCENT])
    assert found == (Rung("exact", (ALIEN,)), Rung("folded", (SMALL, ALIEN, ACCENT)))
    assert found[1].nodes == (2, 1, 3)
    assert found[1].names == ("alien", "Alien", "Álien")


def test_homonyms_all_stand_at_the_exact_rung() -> None:
    twin = Candidate("Alien", 9)
    assert rungs("Alien", [ALIEN, twin]) == (Rung("exact", (ALIEN, twin)),)


def test_without_the_very_name_there_is_only_the_folded_rung() -> None:
    assert rungs("ALIEN", iter([ALIEN])) == (Rung("folded", (ALIEN,)),)


def test_what_nothing_stands_for_has_no_rung() -> None:
    assert rungs("Alien", []) == ()


def test_relations_have_names_and_no_nodes() -> None:
    rung = Rung("exact", (Candidate("directed_by"), Candidate("directed_by")))
    assert rung.nodes == ()
    assert rung.names == ("directed_by",)


def test_only_names_that_are_other_names_are_shown_as_mapped() -> None:
    rung = Rung("folded", (SMALL, ALIEN, ALIEN))
    assert rung.mapped("Alien") == (Mapped("Alien", "alien", "folded", 1.0),)
    assert rung.mapped("Alien")[0].to_dict() == {
        "given": "Alien",
        "used": "alien",
        "how": "folded",
        "score": 1.0,
    }


@settings(deadline=None)
@given(st.text(), st.lists(st.text()))
def test_going_down_a_rung_loses_nothing(name: str, others: list[str]) -> None:
    candidates = [Candidate(other, node) for node, other in enumerate([name, *others, name])]
    nodes = [set(rung.nodes) for rung in rungs(name, candidates)]
    assert nodes[-1] == set(range(len(candidates)))
    assert all(upper < lower for upper, lower in pairwise(nodes))


# Suggestions


def test_the_nearest_known_names_are_suggested() -> None:
    known = ["directed_by", "written_by", "starred_actors", "release_year"]
    assert suggestions("Directed-Bye", known)[0] == "directed_by"
    assert suggestions("directed", known, most=1) == ["directed_by"]
    assert len(suggestions("year", ["year 1", "year 2", "year 3", "year 4"])) == 3
    assert suggestions("xyzzy", known) == []
    assert suggestions("directed_by", []) == []
