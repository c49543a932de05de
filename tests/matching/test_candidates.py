"""Folding of names, the rungs at which names are found, and what a name may be a slip of."""

from __future__ import annotations

import sys
import unicodedata
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.golden_cases import cases

from trustuqa_neo4j.matching import (
    MAX_NORMALIZED_LENGTH,
    MatchTier,
    NameCandidate,
    NameMatch,
    ScoredName,
    build_name_query,
    compute_certainty,
    is_near_value,
    match_tiers,
    normalize_name,
    score_names,
    suggest_names,
)
from trustuqa_neo4j.matching.similarity import (
    CELL_THRESHOLD,
    COLUMN_THRESHOLD,
    RELATION_THRESHOLD,
    RELATION_THRESHOLD_BY_LETTERS,
    SURE,
    VALUE_THRESHOLD,
)

LETTERS = st.characters(categories=["Lu", "Ll", "Nd"], max_codepoint=0x24F)
WORDS = st.lists(st.text(LETTERS, min_size=1, max_size=8), min_size=1, max_size=5)
LONG = st.text(max_size=30).map(lambda text: text * 20)


@cases("fold")
def test_these_names_are_one(case: dict[str, Any]) -> None:
    assert {normalize_name(name) for name in case["same"]} == {case["folded"]}


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
    assert normalize_name(one) != normalize_name(other)


@given(st.text() | LONG)
def test_folding_again_changes_nothing(name: str) -> None:
    assert normalize_name(normalize_name(name)) == normalize_name(name)


@given(st.text() | LONG)
def test_a_folded_name_is_short_and_never_empty(name: str) -> None:
    assert len(normalize_name(name)) <= MAX_NORMALIZED_LENGTH
    assert bool(normalize_name(name)) == bool(name)


def test_names_are_cut_to_two_hundred_characters() -> None:
    assert MAX_NORMALIZED_LENGTH == 200
    assert normalize_name("X" * 300) == "x" * 200
    assert normalize_name("映" * 300) == "映" * 200
    assert normalize_name("!" * 300) == "!" * 200


@given(WORDS)
def test_case_accents_and_punctuation_do_not_count(words: list[str]) -> None:
    name = " ".join(words)
    expected = normalize_name(name)
    assert normalize_name(name.upper()) == expected
    assert normalize_name(name.swapcase()) == expected
    assert normalize_name(unicodedata.normalize("NFD", name)) == expected
    assert normalize_name(name.replace(" ", "-")) == expected
    assert normalize_name(f"«{name.replace(' ', ' _ ')}»!") == expected
    assert normalize_name("'".join(name)) == expected
    assert normalize_name("".join(letter + "\u0301" for letter in name)) == expected


@pytest.mark.parametrize("around", ["{}", "1{}5", "É{}"])
def test_every_character_folds_once_and_for_all(around: str) -> None:
    for code in range(0, sys.maxunicode + 1, 11):
        folded = normalize_name(around.format(chr(code)))
        assert folded, hex(code)
        assert normalize_name(folded) == folded, hex(code)


@pytest.mark.parametrize("ending", [" ", ".", ",", "-", "'", ".5", "é"])
def test_a_cut_name_ends_where_a_name_can_end(ending: str) -> None:
    name = "x" * (MAX_NORMALIZED_LENGTH - 2) + "1" + ending + "9 and more"
    assert normalize_name(name) == normalize_name(normalize_name(name))
    assert normalize_name(name).startswith("x" * (MAX_NORMALIZED_LENGTH - 2) + "1")


# Rungs

ALIEN, SMALL, ACCENT = (
    NameCandidate("Alien", 1),
    NameCandidate("alien", 2),
    NameCandidate("Álien", 3),
)


def test_what_has_the_very_name_stands_first_then_all_that_fold_to_it() -> None:
    found = match_tiers("Alien", [SMALL, ALIEN, ACCENT])
    assert found == (MatchTier("exact", (ALIEN,)), MatchTier("folded", (SMALL, ALIEN, ACCENT)))
    assert found[1].nodes == (2, 1, 3)
    assert found[1].names == ("alien", "Alien", "Álien")


def test_homonyms_all_stand_at_the_exact_rung() -> None:
    twin = NameCandidate("Alien", 9)
    assert match_tiers("Alien", [ALIEN, twin]) == (MatchTier("exact", (ALIEN, twin)),)


def test_without_the_very_name_there_is_only_the_folded_rung() -> None:
    assert match_tiers("ALIEN", iter([ALIEN])) == (MatchTier("folded", (ALIEN,)),)


def test_what_nothing_stands_for_has_no_rung() -> None:
    assert match_tiers("Alien", []) == ()


def test_relations_have_names_and_no_nodes() -> None:
    rung = MatchTier("exact", (NameCandidate("directed_by"), NameCandidate("directed_by")))
    assert rung.nodes == ()
    assert rung.names == ("directed_by",)


def test_only_names_that_are_other_names_are_shown_as_mapped() -> None:
    rung = MatchTier("folded", (SMALL, ALIEN, ALIEN))
    assert rung.mapped("Alien") == (NameMatch("Alien", "alien", "folded", 1.0),)
    assert rung.mapped("Alien")[0].to_dict() == {
        "given": "Alien",
        "used": "alien",
        "how": "folded",
        "score": 1.0,
    }


@given(st.text(), st.lists(st.text()))
def test_going_down_a_rung_loses_nothing(name: str, others: list[str]) -> None:
    candidates = [NameCandidate(other, node) for node, other in enumerate([name, *others, name])]
    nodes = [set(rung.nodes) for rung in match_tiers(name, candidates)]
    assert nodes[-1] == set(range(len(candidates)))
    assert all(upper < lower for upper, lower in pairwise(nodes))


# Suggestions


def test_the_nearest_known_names_are_suggested() -> None:
    known = ["directed_by", "written_by", "starred_actors", "release_year"]
    assert suggest_names("Directed-Bye", known)[0] == "directed_by"
    assert suggest_names("directed", known, most=1) == ["directed_by"]
    assert len(suggest_names("year", ["year 1", "year 2", "year 3", "year 4"])) == 3
    assert suggest_names("xyzzy", known) == []
    assert suggest_names("directed_by", []) == []


# Nearness


def scored(given: str, *names: str, cosines: list[float | None] | None = None) -> list[ScoredName]:
    return score_names(given, list(enumerate(names)), cosines)


def order(given: str, *names: str) -> list[str]:
    return [near.name for near in scored(given, *names)]


def test_all_of_the_pool_is_there_best_first_with_its_nodes() -> None:
    found = score_names("Alien", [(7, "Aliens"), (None, "Alien"), (9, "Zulu"), (8, "Alien")])
    assert [(n.node, n.name) for n in found] == [
        (None, "Alien"),
        (8, "Alien"),
        (7, "Aliens"),
        (9, "Zulu"),
    ]
    assert [n.score for n in found[:2]] == [1.0, 1.0]
    assert found[-1].score == 0
    assert score_names("Alien", []) == []


@pytest.mark.parametrize(
    ("given", "nearest", "others"),
    [
        ("Giovane Alves De Silva", "Giovane Alves da Silva", ["Giovane Silva", "Alves"]),
        ("Kazuki Nakjima", "Kazuki Nakajima", ["Kazuki", "Satoru Nakajima"]),
        ("Nation", "Nation\n(team)", ["Notes", "Location"]),
        ("Italy", "Italy (ITA)", ["Italo Calvino", "Italian"]),
        ("uk", "Peak chart positions\nUK", ["Year", "Single"]),
        ("CMU", "Carnegie Mellon University", ["Cumberland", "university"]),
        ("LOTR", "The Lord of the Rings", ["Lodge", "Lord"]),
        ("September 12, 1998", "12 September 1998", ["12 September 1997", "September 1998 list"]),
        ("11st Korea Musical Awards", "11th Korea Musical Awards", ["10th Korea Musical Awards"]),
        ("Luke 1:26-38", "Luke 01:26–38", ["Luke 01:26–37", "Luke"]),
    ],
)
def test_what_is_nearest(given: str, nearest: str, others: list[str]) -> None:
    assert order(given, *others, nearest)[0] == nearest
    assert order(given, nearest, *others)[0] == nearest
    assert scored(given, nearest)[0].score >= (0.35 if given == "uk" else 0.4)


@pytest.mark.parametrize(
    ("given", "other"),
    [
        ("November 17", "November 16"),
        ("M63", "M61"),
        ("Texas Memory Systems RamSan-630", "Texas Memory Systems RamSan-70"),
        ("Team", "Heat"),
        ("Name", "Time"),
        ("US", "-"),
        (":", "TV"),
        ("Denver Broncos", "Dallas Cowboys"),
    ],
)
def test_another_thing_is_below_the_threshold(given: str, other: str) -> None:
    assert scored(given, other)[0].score < RELATION_THRESHOLD_BY_LETTERS


def test_a_slip_comes_before_what_means_the_same() -> None:
    found = scored("Amelei", "Audrey Tautou", "Amélie", cosines=[0.99, 0.1])
    assert [n.name for n in found] == ["Amélie", "Audrey Tautou"]
    one, two = scored("Armstrong", "Armstrang", "Armstroggg")
    assert one.score > two.score > 0.9


def test_meaning_decides_where_letters_do_not() -> None:
    found = scored("zoology", "Zoolander", "animal biology", cosines=[0.1, 0.95])
    assert found[0].name == "animal biology"
    assert found[0].score > RELATION_THRESHOLD_BY_LETTERS
    assert scored("zoology", "Zoolander", "animal biology")[0].name == "Zoolander"


def test_what_has_no_vector_is_compared_by_letters() -> None:
    some = scored("Mount Vernon", "Mount Vernon Hotel", "Vernon", cosines=[None, 0.8])
    none = scored("Mount Vernon", "Mount Vernon Hotel", "Vernon")
    assert some[0] == none[0]
    assert some[1].score > none[1].score


def test_a_name_without_letters_is_near_nothing() -> None:
    assert [n.score for n in scored("", "a", "!", "b c")] == [0, 0, 0]
    assert [n.score for n in scored("", "a", "")] == [1, 0]
    assert scored("a", "")[0].score == 0


@given(st.text() | LONG, st.lists(st.text() | LONG), st.floats(-1.5, 1.5))
def test_scores_lie_between_nothing_and_the_same(
    name: str, names: list[str], cosine: float
) -> None:
    for cosines in (None, [cosine] * len(names)):
        found = score_names(name, [(None, other) for other in names], cosines)
        assert sorted(n.name for n in found) == sorted(names)
        for near in found:
            assert 0 <= near.score <= 1
            assert (near.score == 1) == (normalize_name(near.name) == normalize_name(name))


def test_the_thresholds_are_in_order() -> None:
    assert 0 < CELL_THRESHOLD < COLUMN_THRESHOLD < RELATION_THRESHOLD_BY_LETTERS
    assert RELATION_THRESHOLD_BY_LETTERS <= RELATION_THRESHOLD <= VALUE_THRESHOLD < SURE < 0.9


def test_a_name_of_like_meaning_is_near_only_in_an_open_column() -> None:
    (japan,) = scored("China", "Japan", cosines=[1.0])
    assert not is_near_value(japan, has_vectors=True)
    assert is_near_value(japan, has_vectors=True, is_open_column=True)


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("Italy", "Italy (ITA)"), ("CMU", "Carnegie Mellon University"), ("A", "Class A")],
)
def test_all_words_and_initials_are_spelling(name: str, nearest: str) -> None:
    assert is_near_value(scored(name, nearest, cosines=[0.7])[0], has_vectors=True)
    assert is_near_value(scored(name, nearest)[0], has_vectors=False)


def test_certainty_falls_with_the_similarity_of_nearest_names() -> None:
    sure = NameMatch("Apolo 11", "Apollo 11", "nearest", 0.95)
    weak = NameMatch("medals", "Bronze", "nearest", 0.4)
    assert compute_certainty([sure, NameMatch("dundee", "Dundee", "folded", 1.0)]) == 1
    assert compute_certainty([sure, weak, weak]) == pytest.approx(0.5)


# What a full-text index is asked


def test_words_may_differ_by_letters_and_where_they_begin() -> None:
    asked = build_name_query("The Matrx", ["d"])
    for part in ("the~1", "matrx~1", "thematrx~2", '"The Matrx"', '+dataset:("d")^0'):
        assert part in asked
    assert "(+the +(matrix atrix))" in build_name_query("thematrix", ["d"])
    assert build_name_query("", ["d"]) == build_name_query("!?* ~", ["d"]) == ""


@given(st.text(), st.lists(st.text(), min_size=1, max_size=3))
def test_nothing_given_means_anything_to_the_index(name: str, datasets: list[str]) -> None:
    """Outside of quotes there are only letters and digits in lower case, and signs of ours."""
    bare = ""
    quoted = escaped = False
    for sign in build_name_query(name, datasets):
        if quoted:
            quoted = escaped or sign != '"'
            escaped = not escaped and sign == "\\"
        elif sign == '"':
            quoted = True
        else:
            bare += sign
    assert not quoted
    assert not set("[]{}!&|*?/\\'<>=") & set(bare)
    assert not {"and", "or", "not"} & {w for w in bare.split() if w.isupper()}
    assert bare == "" or bare.count(":") == 2


def test_what_is_asked_stays_short() -> None:
    assert len(build_name_query("a" * 100_000, ["d"])) < 1_000
    assert len(build_name_query("word " * 20_000, ["d"])) < 4_000
    assert len(build_name_query(" ".join(f"word{n}" for n in range(1_000)), ["d"])) < 4_000
