"""Alignment, slot values and calibration, without a server."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustuqa_neo4j.demonstrations.alignment import QuestionAligner, Span, WordWeights
from trustuqa_neo4j.demonstrations.selection import (
    DEFAULT_THRESHOLD,
    MIN_ANSWERS,
    calibrate,
)
from trustuqa_neo4j.demonstrations.templates import (
    fill_query,
    is_same_query,
    mask_literals,
    remove_demonstration,
)
from trustuqa_neo4j.language.ast import Call, Literal, Query
from trustuqa_neo4j.language.parser import parse_query
from trustuqa_neo4j.model.demonstration import Demonstration, QuestionPattern

TEMPLATES = [
    ("who directed the film {0}", "d"), ("who directed the movie {0}", "d"), ("who made the film {0}", "d"),
    ("who wrote the film {0}", "w"), ("who wrote the movie {0}", "w"), ("who starred in the film {0}", "s"),
]  # fmt: skip
WEIGHTS = WordWeights.from_templates((template.split(), query) for template, query in TEMPLATES)


def score(template: str, question: str, *spans: Span) -> float:
    return QuestionAligner(question.split(), WEIGHTS).align(template.split(), [spans]).score


def test_the_very_wording_scores_all() -> None:
    assert score("who wrote the film {0}", "who wrote the film Heat", Span(4, 5, 1.0)) == 1.0


def test_telling_words_count_more() -> None:
    span = Span(4, 5, 1.0)
    question = "who wrote the film Heat"
    assert score("who wrote the movie {0}", question, span) > score(
        "who directed the film {0}", question, span
    )


def test_words_that_templates_exchange_are_alike() -> None:
    assert WEIGHTS.similarity("film", "movie") > 0
    assert WEIGHTS.similarity("wrote", "directed") == 0


def test_order_counts() -> None:
    assert score("film directed by writer", "film directed by writer") == 1
    assert score("film directed by writer", "writer directed by film") < 1


def test_a_blank_takes_the_span_that_leaves_least() -> None:
    spans = [Span(4, 5, 1.0, "Heat"), Span(3, 5, 1.0, "The Heat")]
    alignment = QuestionAligner(["who", "wrote", "about", "the", "heat"], WEIGHTS).align(
        ["who", "wrote", "{0}"], [spans]
    )
    assert alignment.spans[0] is not None
    assert alignment.spans[0].value == "The Heat"


def test_a_blank_without_a_span_stays_empty() -> None:
    alignment = QuestionAligner(["who", "wrote"], WEIGHTS).align(["who", "wrote", "{0}"], [[]])
    assert alignment.spans == (None,)
    assert alignment.score < 1


QUERY = "get_information(relation='hours', tail_entity>'100')"


@settings(max_examples=300)
@given(
    st.text(min_size=1, max_size=40)
    | st.sampled_from(
        ("', relation='x", "Query2: count(", "print all rows", "\nQuery2: count('a')",
         "<think>", "output_of_query1", "## Target type: {a}", "\\", "a'b\"c", "```")
    )
)  # fmt: skip
def test_whatever_fills_a_blank_is_a_name_or_there_is_no_query(name: str) -> None:
    masked = mask_literals("who flew on [A]", "get_information(head_entity='A', relation='crew')")
    assert masked.parsed is not None
    written = fill_query(masked.parsed, dict.fromkeys(masked.literals[0].positions, name))
    if written is None or not is_same_query(written):
        return
    read = parse_query(written)
    assert isinstance(read, Query)
    (step,) = read.steps
    assert isinstance(step.value, Call)
    head, relation = step.value.arguments
    assert (head.name, relation.name) == ("head_entity", "relation")
    assert isinstance(head.value, Literal)
    assert head.value.text == name


CREW = "get_information(head_entity='A', relation='crew')"
PATTERN = QuestionPattern("d", "who flew on {0}", "who flew on [A]", CREW)


def test_the_threshold_is_the_least_that_is_right_often_enough() -> None:
    scored = [(0.9, True)] * 60 + [(0.6, True)] * 38 + [(0.6, False)] * 2 + [(0.3, False)] * 20
    calibration = calibrate(scored)
    assert calibration.threshold == 0.6
    assert calibration.share == pytest.approx(100 / 120)
    assert calibration.precision == pytest.approx(98 / 100)


def test_few_that_are_right_are_less_sure_than_many() -> None:
    scored = [(0.9, True)] * 12 + [(0.6, True)] * 11 + [(0.6, False)] + [(0.2, False)] * 9
    assert calibrate(scored).threshold == 0.6


def test_where_nothing_is_right_often_enough_the_best_is_taken() -> None:
    scored = [(0.9, True)] * 8 + [(0.9, False)] * 4 + [(0.5, False)] * 20
    calibration = calibrate(scored)
    assert calibration.threshold == 0.9
    assert calibration.precision == pytest.approx(8 / 12)


def test_few_demonstrations_say_nothing() -> None:
    assert calibrate([(0.5, True)] * (MIN_ANSWERS - 1)).threshold == DEFAULT_THRESHOLD
    assert calibrate([(0.0, False)] * 50).share == 0


def test_a_demonstration_is_left_out() -> None:
    own = Demonstration("who flew on [A]", PATTERN.query)
    assert remove_demonstration([PATTERN], own) == []
    assert remove_demonstration([replace(PATTERN, count=3)], own) == [replace(PATTERN, count=2)]
    other = Demonstration("who flew with [A]", PATTERN.query)
    assert remove_demonstration([PATTERN], other) == [PATTERN]
