"""The pure stages: aligning, comparing, filling, deciding, calibrating."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustuqa_neo4j.demonstrating.aligning import Span, Weights, align
from trustuqa_neo4j.demonstrating.calibrating import FEWEST, calibrate
from trustuqa_neo4j.demonstrating.columns import naming, stems_of
from trustuqa_neo4j.demonstrating.comparisons import compared, comparing
from trustuqa_neo4j.demonstrating.deciding import THRESHOLD, Tried, decide
from trustuqa_neo4j.demonstrating.demonstration import Demonstration, Pattern
from trustuqa_neo4j.demonstrating.filling import Filling, fill
from trustuqa_neo4j.demonstrating.guessing import Unknown
from trustuqa_neo4j.demonstrating.leaving import without
from trustuqa_neo4j.demonstrating.masking import mask
from trustuqa_neo4j.demonstrating.suggesting import Candidate
from trustuqa_neo4j.language.parse import parse
from trustuqa_neo4j.language.query import Call, Literal, LLMQuery

TEMPLATES = [
    ("who directed the film {0}", "d"), ("who directed the movie {0}", "d"), ("who made the film {0}", "d"),
    ("who wrote the film {0}", "w"), ("who wrote the movie {0}", "w"), ("who starred in the film {0}", "s"),
]  # fmt: skip
WEIGHTS = Weights.of((template.split(), query) for template, query in TEMPLATES)


def score(template: str, question: str, *spans: Span) -> float:
    return align(template.split(), question.split(), [spans], WEIGHTS).score


def test_the_very_wording_scores_all() -> None:
    assert score("who wrote the film {0}", "who wrote the film Heat", Span(4, 5, 1.0)) == 1.0


def test_telling_words_count_more() -> None:
    span = Span(4, 5, 1.0)
    question = "who wrote the film Heat"
    assert score("who wrote the movie {0}", question, span) > score(
        "who directed the film {0}", question, span
    )


def test_words_that_templates_exchange_are_alike() -> None:
    assert WEIGHTS.likeness("film", "movie") > 0
    assert WEIGHTS.likeness("wrote", "directed") == 0


def test_order_counts() -> None:
    assert score("film directed by writer", "film directed by writer") == 1
    assert score("film directed by writer", "writer directed by film") < 1


def test_a_blank_takes_the_span_that_leaves_least() -> None:
    spans = [Span(4, 5, 1.0, "Heat"), Span(3, 5, 1.0, "The Heat")]
    found = align(
        ["who", "wrote", "{0}"], ["who", "wrote", "about", "the", "heat"], [spans], WEIGHTS
    )
    assert found.spans[0] is not None
    assert found.spans[0].what == "The Heat"


def test_a_blank_without_a_span_stays_empty() -> None:
    found = align(["who", "wrote", "{0}"], ["who", "wrote"], [[]], WEIGHTS)
    assert found.spans == (None,)
    assert found.score < 1


QUERY = "get_information(relation='hours', tail_entity>'100')"


def test_all_is_worded_alike_whatever_fills_the_blanks() -> None:
    weights = Weights.of([(("who", "wrote", "{0}"), "q")])
    wrote = ("who", "wrote", "{0}")
    assert align(wrote, ("who", "wrote", "x"), [[Span(2, 3, 0.4)]], weights).worded
    assert not align(wrote, ("who", "wrote", "x", "y"), [[Span(2, 3, 0.4)]], weights).worded
    assert not align(wrote, ("who", "wrote", "x"), [[]], weights).worded


@pytest.mark.parametrize(
    ("said", "capital"),
    [("Apollo 99", True), ("Sea of Cheese", False), ("99", False), ("apollo 99", False), ("Élan", True)],
)  # fmt: skip
def test_what_is_written_as_a_name(said: str, capital: bool) -> None:
    assert Unknown(said).capital == capital


def test_a_comparison_is_a_blank_of_its_own() -> None:
    masked = mask("which flew more than 100 hours", QUERY)
    assert masked.read is not None
    words = ["which", "flew", "more", "than", "100", "hours"]
    (found,) = compared(words, masked.slots, masked.read)
    assert (found.first, found.last, found.operator) == (2, 4, ">")
    (span,) = comparing(["which", "flew", "at", "most", "9", "hours"], ">")
    assert (span.first, span.last, span.what) == (2, 4, "<=")
    assert fill(masked.read, Filling({}, dict.fromkeys(found.places, "<="))) == (
        "Query1: get_information(relation='hours', tail_entity<='100')"
    )


@settings(deadline=None, max_examples=300)
@given(
    st.text(min_size=1, max_size=40)
    | st.sampled_from(
        ("', relation='x", "Query2: count(", "print all rows", "\nQuery2: count('a')",
         "<think>", "output_of_query1", "## Target type: {a}", "\\", "a'b\"c", "```")
    )
)  # fmt: skip
def test_whatever_fills_a_blank_is_a_name_or_there_is_no_query(name: str) -> None:
    masked = mask("who flew on [A]", "get_information(head_entity='A', relation='crew')")
    assert masked.read is not None
    written = fill(masked.read, Filling(dict.fromkeys(masked.slots[0].places, name)))
    if written is None:
        return
    read = parse(written)
    assert isinstance(read, LLMQuery)
    (step,) = read.steps
    assert isinstance(step.value, Call)
    head, relation = step.value.arguments
    assert (head.name, relation.name) == ("head_entity", "relation")
    assert isinstance(head.value, Literal)
    assert head.value.text == name


@pytest.mark.parametrize(
    ("words", "column", "best"),
    [
        ("which nation won", "nation", 1.0),
        ("which nations won", "Nation", 1.0),
        ("the home team", "team", 1.0),
        ("the scorer", "scores", 0.8),
    ],
)
def test_words_name_columns(words: str, column: str, best: float) -> None:
    found = max(naming(stems_of(words), stems_of(column)), key=lambda span: span.fit)
    assert found.fit >= best


CREW = "get_information(head_entity='A', relation='crew')"
PATTERN = Pattern("d", "who flew on {0}", "who flew on [A]", CREW)


def tried(score: float, said: str | None, values: int = 1, **more: object) -> Tried:
    candidate = Candidate("q", score, PATTERN, (), "d", None)
    return Tried(replace(candidate, **more), said, values)  # type: ignore[arg-type]  # names as declared


def test_the_best_answer_wins() -> None:
    decided = decide([tried(0.9, "a"), tried(0.5, "b")], 0)
    assert decided.place == 0
    assert 0.5 < decided.score < 0.9


def test_agreement_makes_sure() -> None:
    alone = decide([tried(0.9, "a"), tried(0.6, "b"), tried(0.6, "c")], 0)
    agreed = decide([tried(0.9, "a"), tried(0.6, "a"), tried(0.6, "c")], 0)
    assert agreed.score > alone.score


def test_what_was_refused_says_nothing() -> None:
    assert decide([tried(0.9, None), tried(0.8, "b")]).place == 1
    assert decide([tried(0.9, None)]).place is None
    assert decide([]).place is None


def test_nothing_is_an_answer_only_where_nothing_else_comes_near() -> None:
    nothing = tried(1.0, "nothing", 0)
    assert decide([nothing, tried(0.95, "a")]).place == 1
    assert decide([nothing, tried(0.3, "a")], 0.5).place == 0
    assert decide([tried(0.8, "nothing", 0)], 0.5).place is None


def test_several_things_are_less_sure_where_one_was_the_answer() -> None:
    assert (
        decide([tried(1.0, "a", 2, single=True)], 0).score < decide([tried(1.0, "a", 2)], 0).score
    )
    assert decide([tried(1.0, "a", 1, single=True)], 0).score == 1


def test_below_the_threshold_there_is_no_answer() -> None:
    decided = decide([tried(0.4, "a")], 0.5)
    assert decided.place is None
    assert decided.score == pytest.approx(0.4)


def test_the_threshold_is_the_least_that_is_right_often_enough() -> None:
    scored = [(0.9, True)] * 60 + [(0.6, True)] * 38 + [(0.6, False)] * 2 + [(0.3, False)] * 20
    found = calibrate(scored)
    assert found.threshold == 0.6
    assert found.share == pytest.approx(100 / 120)
    assert found.precision == pytest.approx(98 / 100)


def test_few_that_are_right_are_less_sure_than_many() -> None:
    scored = [(0.9, True)] * 12 + [(0.6, True)] * 11 + [(0.6, False)] + [(0.2, False)] * 9
    assert calibrate(scored).threshold == 0.6


def test_where_all_are_right_a_little_less_will_do() -> None:
    assert calibrate([(0.8, True)] * 20 + [(0.4, True)] * 20).threshold == pytest.approx(0.3)


def test_where_nothing_is_right_often_enough_the_best_is_taken() -> None:
    scored = [(0.9, True)] * 8 + [(0.9, False)] * 4 + [(0.5, False)] * 20
    found = calibrate(scored)
    assert found.threshold == 0.9
    assert found.precision == pytest.approx(8 / 12)


def test_few_demonstrations_say_nothing() -> None:
    assert calibrate([(0.5, True)] * (FEWEST - 1)).threshold == THRESHOLD
    assert calibrate([(0.0, False)] * 50).share == 0


def test_a_demonstration_is_left_out() -> None:
    own = Demonstration("who flew on [A]", PATTERN.query)
    assert without([PATTERN], own) == []
    assert without([replace(PATTERN, count=3)], own) == [replace(PATTERN, count=2)]
    other = Demonstration("who flew with [A]", PATTERN.query)
    assert without([PATTERN], other) == [PATTERN]
