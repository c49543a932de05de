"""Words that only a question or only its demonstration has, without a server."""

from __future__ import annotations

import pytest

from trustuqa_neo4j.demonstrations.alignment import QuestionAligner, Span, WordWeights
from trustuqa_neo4j.demonstrations.pattern_model import build_pattern_model
from trustuqa_neo4j.demonstrations.templates import mask_literals
from trustuqa_neo4j.demonstrations.word_coverage import (
    WordDifference,
    compare_words,
    question_kind,
)
from trustuqa_neo4j.demonstrations.words import split_question
from trustuqa_neo4j.lexicon.forms import stem
from trustuqa_neo4j.model.demonstration import QuestionPattern

LIVES = (
    "Which clients live in Paris?",
    "get_information(relation='lives in', tail_entity='Paris')",
)
BOTH = (
    "Which clients live in Paris and not in Rome?",
    (
        "set_difference(get_information(relation='lives in', tail_entity='Paris'), "
        "get_information(relation='lives in', tail_entity='Rome'))"
    ),
)


def compare(
    demonstration: tuple[str, str], question: str, *names: str, is_strict: bool = False
) -> WordDifference:
    shown, query = demonstration
    pattern = QuestionPattern("d", mask_literals(shown, query).template, shown, query)
    model = build_pattern_model(pattern)
    assert model is not None
    words = split_question(question)
    stems = [stem(word.text) for word in words.words]
    spans: list[list[Span]] = [
        [
            Span(stems.index(name.casefold()), stems.index(name.casefold()) + 1, 1.0)
            for name in names
        ]
        for _ in model.slots
    ]
    weights = WordWeights.from_templates([(model.stems, query)])
    alignment = QuestionAligner(stems, weights).align(model.stems, spans)
    return compare_words(model, alignment, words, weights, is_strict)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Which clients do not live in Paris?", ("not",)),
        ("Which clients don't live in Paris?", ("dont",)),
        ("Which clients no longer live in Paris?", ("no", "longer")),
        ("Which clients live outside Paris?", ("outside",)),
        ("Which clients live anywhere except Paris?", ("except",)),
        ("Which clients live without Paris?", ("without",)),
        ("Which clients live in Paris or Rome?", ("or", "rome")),
        ("Which clients live in Paris and buy toys?", ("and",)),
        ("Which clients live in Paris in May?", ("may",)),
        ("Which clients live in Paris in 2003?", ("2003",)),
        ("Which two clients live in Paris?", ("two",)),
        ("Which clients live in Paris, Texas?", ("texas",)),
        ("How many clients live in Paris?", ("how many",)),
        ("What is the number of clients in Paris?", ("how many",)),
        ("Do clients live in Paris?", ("do",)),
    ],
)
def test_a_word_that_changes_the_question_is_named(question: str, words: tuple[str, ...]) -> None:
    assert compare(LIVES, question, "Paris").question == words


@pytest.mark.parametrize(
    "question",
    [
        "which clients are living in paris",
        "Who lives in Paris?",
        "Where do clients live, Paris?",
        "Tell me which of the clients live in Paris",
        "Which rich clients live in Paris?",
        "Which bent clients live in Paris?",
    ],
)
def test_other_words_are_left_to_the_score(question: str) -> None:
    assert not compare(LIVES, question, "Paris".casefold())


def test_without_calibration_all_words_of_content_must_agree() -> None:
    question = "Which rich clients live in Paris?"
    assert compare(LIVES, question, "Paris", is_strict=True) == WordDifference(("rich",))
    assert not compare(LIVES, "Which of the clients live in Paris?", "Paris", is_strict=True)
    assert compare(LIVES, "Which clients for Paris?", "Paris", is_strict=True).demonstration == (
        "live",
    )


def test_a_comparison_that_only_one_side_has_is_named() -> None:
    earns = ("Who earns more than 1700?", "get_information(relation='earns', tail_entity>1700)")
    assert not compare(earns, "Who earns more than 1500?", "1500")
    assert compare(earns, "Who earns 1500?", "1500").demonstration == ("more", "than")
    assert compare(LIVES, "Which clients lived in Paris before Rome?", "Paris").question == (
        "before",
        "rome",
    )


def test_a_demonstration_with_the_same_word_fits() -> None:
    question = "Which clients live in Oslo and not in Bern?"
    assert not compare(BOTH, question, "Oslo", "Bern")
    assert compare(BOTH, "Which clients live in Oslo or Bern?", "Oslo", "Bern") == WordDifference(
        ("or",), ("and", "not")
    )


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who led NASA?", "who"),
        ("By whom was it led", "who"),
        ("How long did it fly", "how long"),
        ("the number of clients", "how many"),
        ("Did it fly", "did"),
        ("list all clients", ""),
    ],
)
def test_the_kind_of_a_question(question: str, kind: str) -> None:
    assert question_kind([word.text for word in split_question(question).words]) == kind


def test_both_sides_are_described() -> None:
    difference = WordDifference(("or",), ("and",))
    assert difference.describe() == "not understood: 'or'; not in the question: 'and'"
