"""Which end of a relation a question asks for, and what the gate refuses."""

from __future__ import annotations

import pytest
from support.graphs import make_graph

from bench.semantic_parser.memory_graph import MemoryGraph
from trustuqa_neo4j.semantic_parser.graph_account import GraphAccount, is_refused
from trustuqa_neo4j.semantic_parser.graph_parser import (
    link_neighbourhood,
    parse_for_graph,
    propose_graph_readings,
)
from trustuqa_neo4j.semantic_parser.graph_voice import find_voice
from trustuqa_neo4j.semantic_parser.question import read_question

CREW = make_graph(
    ("Ada Quell", "trainedBy", "Boris Tane"),
    ("Cora Lind", "trainedBy", "Ada Quell"),
    ("Boris Tane", "editor_of", "The Lantern"),
    ("otter", "preys on", "trout"),
    ("Boris Tane", "accusation", "Ada Quell"),
    ("Ada Quell", "accusation", "Cora Lind"),
    ("Tane Ferries", "parent company", "Quell Lines"),
    ("Velm Path", "ends at", "Oster"),
    ("Lindow Hut", "located in", "Oster"),
    ("Lindow Hut", "built in", "1988"),
)
HILLS = make_graph(
    ("Oskrin", "kind", "mountain"),
    ("Oskrin", "elevation", "3120"),
    ("Velm", "kind", "mountain"),
    ("Velm", "elevation", "2874"),
)


@pytest.mark.parametrize(
    ("text", "forward"),
    [
        ("who trained Ada Quell", True),
        ("Who was Ada Quell's trainer?", True),
        ("the trainer of Ada Quell", True),
        ("whom did Ada Quell train", False),
        ("people trained by Ada Quell", False),
        ("what does the otter prey on", True),
        ("who accused Ada Quell", False),
        ("whom did Ada Quell accuse", True),
    ],
)
def test_the_grammar_says_the_direction(text: str, forward: bool) -> None:
    links, hood = link_neighbourhood(read_question(text), CREW)
    readings = [
        reading
        for reading in propose_graph_readings(links, hood)
        if reading.operators == ("one hop",)
        and reading.hops[0].relation in ("trainedBy", "preys on", "accusation")
        and links.match(reading.hops[0].relation).own
    ]
    assert readings
    assert {(r.hops[0].forward, find_voice(links, r)) for r in readings} <= {
        (forward, True),
        (not forward, False),
    }


def test_a_relation_of_leads_away_from_who_acts() -> None:
    links, hood = link_neighbourhood(read_question("what did Boris Tane edit"), CREW)
    edited = [r for r in propose_graph_readings(links, hood) if r.hops[0].relation == "editor_of"]
    assert [find_voice(links, reading) for reading in edited] == [True]


@pytest.mark.parametrize(
    "text",
    [
        "Who trained Boris Tane?",
        "what does the trout prey on",
        # The firm that owns the other has no parent company in the data.
        "the parent company of Quell Lines",
        "Quell Lines's parent company",
    ],
)
def test_the_other_end_is_no_answer(text: str) -> None:
    # Boris has no trainer in the data, but trained somebody.
    assert not any(
        reading.is_sure for reading in parse_for_graph(read_question(text), CREW).readings
    )


def test_the_first_of_two_steps_must_be_said() -> None:
    readings = parse_for_graph(read_question("What year was Oster built?"), CREW).readings
    assert any(reading.members == ("1988",) for reading in readings)
    assert not any(reading.is_sure for reading in readings)


def test_another_word_is_no_misspelt_one() -> None:
    graph = make_graph(("Cloudberry Trail", "starts at", "Stennby"))
    wrong, misspelt = (
        parse_for_graph(read_question(f"Where does the {name} Trail start?"), graph).readings
        for name in ("Raspberry", "Clodberry")
    )
    assert not any(reading.is_sure for reading in wrong)
    assert misspelt[0].members == ("Stennby",)


def test_a_superlative_asks_for_one_and_not_for_all_values() -> None:
    links, hood = link_neighbourhood(read_question("What is the tallest mountain?"), HILLS)
    readings = propose_graph_readings(links, hood)
    explained = {
        r.members for r in readings if not is_refused(GraphAccount(links, r).explain().evidence)
    }
    assert explained == {("Oskrin",)}


@pytest.mark.parametrize(
    "text", ["Which main dish is the cheapest?", "What is the cheapest starter?"]
)
def test_a_name_that_is_a_cue_is_not_the_extreme(text: str) -> None:
    """*main* may mean the highest, and is the course of a dish here."""
    graph = make_graph(
        ("Stew", "course", "main"),
        ("Cod", "course", "main"),
        ("Soup", "course", "starter"),
        ("Salad", "course", "starter"),
        ("Stew", "price", "27"),
        ("Cod", "price", "16"),
        ("Soup", "price", "4"),
        ("Salad", "price", "6"),
    )
    unrefused = [r for r in parse_for_graph(read_question(text), graph).readings if not r.refusal]
    assert unrefused[0].members == (("Cod",) if "main" in text else ("Soup",))


def test_a_noun_before_a_name_says_what_it_is() -> None:
    graph = make_graph(
        ("The Lamp", "written_by", "Ilka Brandt"),
        ("The Lamp", "starred_actors", "Jonas Reed"),
        ("Grey Morning", "written_by", "Ilka Brandt"),
        ("Grey Morning", "written_by", "Otto Weil"),
    )
    for text, members in (
        ("films by the writer Ilka Brandt", {"The Lamp", "Grey Morning"}),
        ("who are the actors of the writer Ilka Brandt", {"Jonas Reed"}),
        ("who are co-writers of Ilka Brandt", {"Otto Weil"}),
        ("what are the actors of Ilka Brandt written films", {"Jonas Reed"}),
        ("who wrote the screenplay for the films starred by Jonas Reed", {"Ilka Brandt"}),
    ):
        best = parse_for_graph(read_question(text), graph).readings[0]
        assert set(best.members) == members, best.query
        assert best.is_sure, text


LESSONS = make_graph(
    ("Cora Lind", "taught by", "Ada Quell"),
    ("Ada Quell", "taught by", "Boris Tane"),
    ("Cora Lind", "lives in", "Brakel"),
    ("Ada Quell", "lives in", "Orne"),
    ("Brakel", "part of", "Westshire"),
    ("Orne", "part of", "Eastshire"),
    ("Brakel", "kind", "village"),
    ("Orne", "kind", "village"),
    ("Westshire", "kind", "county"),
    ("Eastshire", "kind", "county"),
    ("Quell Lines", "chief_technology_officer", "Cora Lind"),
    ("Quell Lines", "founded", "1988"),
)


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("pupils of Ada Quell", {"Cora Lind"}),
        ("Ada Quell's teacher", {"Boris Tane"}),
        ("who is the CTO of Quell Lines", {"Cora Lind"}),
        ("in which county does Cora Lind live", {"Westshire"}),
        ("in which village does Cora Lind live", {"Brakel"}),
        ("Who taught the teacher of Cora Lind?", {"Boris Tane"}),
    ],
)
def test_the_noun_says_how_far_and_where_to(text: str, members: set[str]) -> None:
    best = parse_for_graph(read_question(text), LESSONS).readings[0]
    assert set(best.members) == members, best.query
    assert best.is_explained


FAMILY = make_graph(
    ("Ada Quell", "parentOf", "Boris Quell"),
    ("Ada Quell", "parentOf", "Cora Lind"),
    ("Boris Quell", "parentOf", "Dan Quell"),
    ("Cora Lind", "parentOf", "Eve Lind"),
    ("Ada Quell", "weightKg", "1850"),
    ("Boris Quell", "weightKg", "4200"),
)


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("children of Ada Quell", {"Boris Quell", "Cora Lind"}),
        ("siblings of Boris Quell", {"Cora Lind"}),
        ("Who are the grandchildren of Ada Quell?", {"Dan Quell", "Eve Lind"}),
        ("Who is Dan Quell's grandparent?", {"Ada Quell"}),
        # 1850 can be a year, but not beside 4200.
        ("who has the highest weight", {"Boris Quell"}),
    ],
)
def test_families(text: str, members: set[str]) -> None:
    best = parse_for_graph(read_question(text), FAMILY).readings[0]
    assert set(best.members) == members, best.query
    assert best.is_explained


@pytest.mark.parametrize(
    "text",
    [
        "the mascot of Quell Lines",
        "Which shipyard founded Quell Lines?",
        "Where did Cora Lind study?",
        "where did Cora Lind live when she won the prize",
        "the pupils of the pupils of Ada Quell",
    ],
)
def test_what_the_words_left_out_would_change_is_no_answer(text: str) -> None:
    readings = parse_for_graph(read_question(text), LESSONS).readings
    assert readings
    assert not any(reading.is_sure for reading in readings)


def test_an_answer_tells_which_words_it_leaves_out() -> None:
    best = parse_for_graph(read_question("who taught Cora Lind the lute"), LESSONS).readings[0]
    assert (best.members, best.left_out) == (("Ada Quell",), ("lute",))


GUILD = make_graph(
    ("Ada", "coaches", "Bo"),
    ("Bo", "coaches", "Cid"),
    ("Norva", "borders", "Suda"),
    ("Vesta", "borders", "Norva"),
    ("Lise", "linked to", "Marek"),
    ("Otto", "linked to", "Lise"),
)


SCHOOL = make_graph(
    ("Bo", "pupil of", "Dag"),
    ("Dag", "pupil of", "Ada"),
    ("Eli", "manager of", "Dag"),
    ("Dag", "manager of", "Bo"),
)


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("Who is Cid's coach?", {"Bo"}),
        ("Whose coach is Bo?", {"Cid"}),
        ("Who has Bo as coach?", {"Cid"}),
        ("Whom does Bo have as coach?", {"Ada"}),
        ("Which countries border Norva?", {"Suda", "Vesta"}),
        ("Which countries does Norva border?", {"Suda", "Vesta"}),
        ("Who is Lise connected to?", {"Marek", "Otto"}),
    ],
)
def test_a_noun_and_a_verb_say_the_end(text: str, members: set[str]) -> None:
    best = parse_for_graph(read_question(text), GUILD).readings[0]
    assert {*best.members} == members, best.query
    assert best.is_explained


OWNERS = make_graph(
    ("Bo", "pupil_of", "Ada"),
    ("Cid", "pupil_of", "Bo"),
    ("Gralm", "owns", "Harn"),
    ("Harn", "owns", "Ikto"),
    ("Bo", "hired", "Cid"),
    ("Dag", "hired", "Bo"),
    ("Cid", "friend_of", "Bo"),
    ("Bo", "friend_of", "Dag"),
)


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("Whom does Bo teach?", {"Cid"}),
        ("Who is Bo taught by?", {"Ada"}),
        ("Who is taught by Bo?", {"Cid"}),
        ("Which company has Ikto as owner?", None),  # Ikto owns nothing
        ("Who was Bo hired by?", {"Dag"}),
        ("Who hired Bo?", {"Dag"}),
        ("Who are Bo's friends?", {"Cid", "Dag"}),
    ],
)
def test_a_verb_says_who_acts(text: str, members: set[str] | None) -> None:
    best = parse_for_graph(read_question(text), OWNERS).readings[0]
    assert best.is_sure == (members is not None), best.query
    assert members in (None, {*best.members}), best.query


@pytest.mark.parametrize(
    "text", ["Who manages Bo's teacher?", "Who is the manager of Bo's teacher?"]
)
def test_the_second_step_begins_at_the_noun_of_the_first(text: str) -> None:
    best = parse_for_graph(read_question(text), SCHOOL).readings[0]
    assert {*best.members} == {"Eli"}, best.query
    assert best.is_explained


STAFF = make_graph(
    ("Ann", "mentors", "Bo"),
    ("Ann", "mentors", "Cid"),
    ("Bo", "mentors", "Cid"),
    ("Eve", "mentors", "Ann"),
    ("Bo", "hired_by", "Eve"),
    ("Cid", "hired_by", "Eve"),
    ("Ann", "kind", "nurse"),
    ("Eve", "kind", "nurse"),
    ("Bo", "kind", "clerk"),
    ("Cid", "kind", "clerk"),
)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Who mentors at least two people?", {"Ann"}),
        ("Who mentors exactly one person?", {"Bo", "Eve"}),
        ("Who is mentored by exactly two people?", {"Cid"}),
        ("How many people mentor exactly one person?", {"2.0"}),
        ("Who hired more than one person?", {"Eve"}),
        ("Which nurses mentor at least two clerks?", {"Ann"}),
        ("Which clerks mentor nobody?", {"Cid"}),
        ("Which nurses are mentored by nobody?", {"Eve"}),
        ("Which nurses mentor some clerk?", {"Ann"}),
        ("Which clerks do not mentor Cid?", {"Cid"}),
        ("Who mentors both nurses and clerks?", None),
    ],
)
def test_words_in_place_of_a_name_say_the_direction(text: str, answer: set[str] | None) -> None:
    best = next(iter(parse_for_graph(read_question(text), STAFF).readings), None)
    found = {*map(str, best.members)} if best is not None and best.is_sure else None
    assert found in (None, answer)
    if answer is not None:
        assert best is not None
        assert {*map(str, best.members)} == answer


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Who hired Cid's mentor?", {"Ann", "Bo"}),  # the mentors, and not who hired them
        ("Which nurses mentor at least one clerk?", {"Bo", "Cid"}),
        ("Which clerks are mentored by no nurse?", {"Bo", "Cid"}),
    ],
)
def test_a_step_or_a_negation_is_not_left_out(text: str, wrong: set[str]) -> None:
    best = next(iter(parse_for_graph(read_question(text), STAFF).readings), None)
    assert best is None or not best.is_sure or {*map(str, best.members)} != wrong


def test_a_relation_that_two_names_share_is_not_counted() -> None:
    graph = make_graph(
        ("Ann", "manages", "Bo"), ("Bo", "manager", "Ann"), ("Cid", "manager", "Ann")
    )
    readings = parse_for_graph(read_question("Who manages exactly one person?"), graph).readings
    assert not any("count_by" in reading.query for reading in readings)


FEUDS = make_graph(
    ("Boris Tane", "accusation", "Ada Quell"),
    ("Boris Tane", "accusation", "Cora Lind"),
    ("Lem Orr", "accusation", "Cora Lind"),
)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Which person accused the most people?", "Boris Tane"),
        ("Which person did the most people accuse?", "Cora Lind"),
    ],
)
def test_the_grammar_says_whose_facts_are_counted(text: str, name: str) -> None:
    readings = parse_for_graph(read_question(text), FEUDS).readings
    meant = [reading for reading in readings if reading.is_explained]
    assert [reading.members for reading in meant] == [(name,)]


OFFICE = make_graph(
    ("Ann", "reports to", "Bo"),
    ("Bo", "reports to", "Cid"),
    ("Cid", "reports to", "Dan"),
    ("Cid", "reports to", "Eve"),
    ("Ann", "coached by", "Eve"),
    ("Fay", "coached by", "Cid"),
    ("Zoe", "coached by", "Bo"),
    ("Cid", "teacher of", "Ann"),
    ("Gil", "teacher of", "Eve"),
    ("Ann", "tutors", "Bo"),
    ("Bo", "tutors", "Fay"),
    ("Hal", "manager of", "Ida"),
    ("Ida", "manager of", "Jo"),
    ("Ann", "is a", "clerk"),
    ("Fay", "is a", "clerk"),
    ("Bo", "is a", "clerk"),
    ("Cid", "is a", "officer"),
    ("Dan", "is a", "officer"),
)


WARD = make_graph(
    ("Cid", "coached by", "Ann"),
    ("Fay", "coached by", "Cid"),
    ("Jo", "coached by", "Max"),
    ("Bo", "coached by", "Jo"),
    ("Kim", "coached by", "Bo"),
    ("Ann", "is a", "nurse"),
    ("Fay", "is a", "nurse"),
    ("Kim", "is a", "nurse"),
    ("Bo", "is a", "nurse"),
    ("Jo", "is a", "clerk"),
    ("Cid", "is a", "clerk"),
)


@pytest.mark.parametrize(
    ("graph", "text", "members"),
    [
        (OFFICE, "Who reports to Cid?", {"Bo"}),
        (OFFICE, "How many people report to Cid?", {"1.0"}),
        (OFFICE, "To whom does Cid report?", {"Dan", "Eve"}),
        (OFFICE, "Who is Ida managed by?", {"Hal"}),
        (OFFICE, "By whom is Bo tutored?", {"Ann"}),
        (OFFICE, "Who reports to either Bo or Cid?", {"Ann", "Bo"}),
        (OFFICE, "Who is coached by Ann's teacher?", {"Fay"}),  # and not Eve, who coaches Ann
        (OFFICE, "Which clerks never coach anybody?", {"Ann", "Fay"}),
        (OFFICE, "Which clerks are coached by nobody?", {"Bo"}),
        (OFFICE, "Which officers do not coach anyone?", {"Dan"}),
        (WARD, "Which nurses aren't coached?", {"Ann"}),
        (WARD, "Which nurses nobody coaches?", {"Ann"}),
        (WARD, "Which nurses aren't coached by anyone?", {"Ann"}),
        (WARD, "Which nurses never coach anybody?", {"Fay", "Kim"}),
    ],
)
def test_who_reports_and_who_coaches(graph: MemoryGraph, text: str, members: set[str]) -> None:
    best = parse_for_graph(read_question(text), graph).readings[0]
    assert {*map(str, best.members)} == members
    assert best.is_explained


def test_a_noun_after_a_negation_is_not_a_participle() -> None:
    readings = parse_for_graph(read_question("Which nurses are not coaches?"), WARD).readings
    assert not any(reading.is_sure for reading in readings)


@pytest.mark.parametrize(
    "text",
    [
        "Which clerks does no officer coach?",
        "Which clerk except Ann reports to Cid?",
        "Which officers does no clerk coach?",
        "Which officers are coached by no clerk?",
        "Which clerks coach no officer?",
        "Which officers report to a clerk?",
        "Which clerk reports to Dan?",
        "delete all clerks",
        "Who reports to both Bo and Cid?",
        "Who either reports to Bo or tutors Fay?",
    ],
)
def test_who_is_excluded_is_not_passed_over(text: str) -> None:
    assert not any(r.is_sure for r in parse_for_graph(read_question(text), OFFICE).readings)


STUDIO = make_graph(
    ("Ann Lee", "studied with", "Bo Marsh"),
    ("Cy Holm", "studied with", "Bo Marsh"),
    ("Bo Marsh", "studied with", "Di Lund"),
    ("Bo Marsh", "chief coach of", "Wick Choir"),
    ("Ann Lee", "sued", "Cy Holm"),
    ("Ed Nye", "guest coach of", "Wick Choir"),
)


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("Who studied with Bo Marsh?", {"Ann Lee", "Cy Holm"}),
        ("With whom did Ann Lee study?", {"Bo Marsh"}),
        ("With whom did the chief coach of the Wick Choir study?", {"Di Lund"}),
        ("Did Ann Lee sue Cy Holm?", {"yes"}),
    ],
)
def test_the_name_after_a_whole_relation_is_its_end(text: str, members: set[str]) -> None:
    best = parse_for_graph(read_question(text), STUDIO).readings[0]
    assert {*map(str, best.members)} == members
    assert best.is_explained


@pytest.mark.parametrize("text", ["Who studied with Ann Lee?", "Did Cy Holm sue Ann Lee?"])
def test_a_relation_is_not_followed_the_other_way(text: str) -> None:
    readings = parse_for_graph(read_question(text), STUDIO).readings
    assert not any(reading.is_sure for reading in readings)
