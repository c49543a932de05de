"""Relations of one meaning: a step follows all that there are, or the reading is refused."""

from __future__ import annotations

import pytest
from support.graphs import make_graph

from trustuqa_neo4j.semantic_parser.graph_parser import parse_for_graph
from trustuqa_neo4j.semantic_parser.graph_view import Hop
from trustuqa_neo4j.semantic_parser.question import read_question
from trustuqa_neo4j.semantic_parser.relation_forms import find_equivalents

OFFICE = make_graph(
    ("Zoe", "manages", "Nora"),
    ("Zoe", "managerOf", "Hanna"),
    ("Hugo", "manages", "Hanna"),
    ("Nora", "is managed by", "Hugo"),
    ("Nora", "has child", "Ben"),
    ("Otto", "parentOf", "Ben"),
    ("Otto", "has child", "Mila"),
    ("Ben", "taughtBy", "Ida"),
    ("Ben", "teacher", "Karl"),
    ("Mila", "teacher", "Ida"),
    ("Mila", "pupil of", "Ida"),
    ("Vera", "mentor of", "Ida"),
    ("Ulf", "mentor of", "Ben"),
)
TALLY = make_graph(
    ("Lantern", "employees", "40"),
    ("Harbour", "employees", "12"),
    ("Ada", "employer", "Lantern"),
    ("Bo", "employer", "Lantern"),
)
CLUBS = make_graph(
    ("Falcon", "coached by", "Ida"),
    ("Heron", "coached by", "Ida"),
    ("Ida", "coach of", "Heron"),
    ("Otto", "coach of", "Gull"),
    ("Otto", "coach of", "Kite"),
    ("Otto", "coach of", "Crane"),
)
SCHOOL = make_graph(
    ("Oak School", "teacher", "Ann"),
    ("Ann", "teaches", "Maths"),
    ("Oak School", "students", "Ben"),
    ("Ben", "student of", "Ann"),
    ("Austin", "state", "Texas"),
    ("Dallas", "state", "Texas"),
    ("Texas", "state of", "Union"),
    ("Ann", "parents", "Eve"),
    ("Ann", "children", "Kim"),
    ("Kim", "children", "Lou"),
    ("Eve", "parents", "Gus"),
    ("Chateau", "wines", "Merlot"),
    ("Chateau", "wins", "Gold Medal"),
)


@pytest.mark.parametrize(
    ("relation", "other", "is_same_way"),
    [
        ("manages", "managerOf", True),
        ("managed by", "manages", False),
        ("is managed by", "manager", True),
        ("planner of", "plans", True),
        ("carried by", "carries", False),
        ("taughtBy", "has teacher", True),
        ("teacher", "students", False),
        ("pupil of", "taught by", True),
        ("parent", "parent of", False),
        ("children", "parentOf", True),
        ("capital", "capital of", False),
        ("has part", "part of", False),
        ("hosts", "guest", True),
    ],
)
def test_forms_of_one_word(relation: str, other: str, is_same_way: bool) -> None:
    equivalents = find_equivalents((relation, other))
    assert equivalents[Hop(relation, True)] == (Hop(other, is_same_way),)
    assert equivalents[Hop(relation, False)] == (Hop(other, not is_same_way),)


@pytest.mark.parametrize(
    ("relation", "other"),
    [
        ("host", "hosts"),  # the tail may be who hosts
        ("kind", "kind of"),  # the tail is the class in both
        ("married to", "spouse"),
        ("mentor", "teacher"),
        ("father", "parent"),
        ("products", "produced by"),
        ("born in", "birthplace"),
        ("music.producer", "film.producer"),
        ("is child", "has child"),
        ("number", "numb"),
    ],
)
def test_other_words(relation: str, other: str) -> None:
    assert not find_equivalents((relation, other))


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("Whom does Zoe manage?", {"Nora", "Hanna"}),
        ("Who manages Nora?", {"Zoe", "Hugo"}),
        ("Who is managed by both Zoe and Hugo?", {"Nora", "Hanna"}),
        ("How many people does Hugo manage?", {2.0}),
        ("Who are the parents of Ben?", {"Nora", "Otto"}),
        ("Who taught Ben?", {"Ida", "Karl"}),
        ("Who are the pupils of Ida?", {"Ben", "Mila"}),
    ],
)
def test_all_are_followed(text: str, members: set[object]) -> None:
    best = parse_for_graph(read_question(text), OFFICE).readings[0]
    assert not best.refusal
    assert set(best.members) == members


def test_numbers_are_not_members() -> None:
    best = parse_for_graph(read_question("How many employees does Lantern have?"), TALLY).readings[
        0
    ]
    assert {str(member) for member in best.members} <= {"40", "2.0"}


def test_facts_of_one_relation_are_not_counted_alone() -> None:
    """Two clubs of Ida would be the most, as those of Otto are in another relation."""
    assert all(
        reading.refusal
        for reading in parse_for_graph(read_question("Who coaches the most clubs?"), CLUBS).readings
        if "mode" in reading.query or "count_by" in reading.query
    )


def test_a_word_for_a_step_of_another_relation() -> None:
    """Who mentors Ben is not who mentors his teacher, though *mentor* may mean a teacher."""
    for text in ("Who mentors Ben's teacher?", "Who are the mentors of the teacher of Ben?"):
        best = parse_for_graph(read_question(text), OFFICE).readings[0]
        assert best.refusal or set(best.members) == {"Vera"}
