"""The reader and a model as voters: the table of cases, and models of every kind beside a sure reading."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from support.chat_server import Chat, Reply, status

from trustuqa_neo4j import Answer, Settings, TrustUQA
from trustuqa_neo4j.answer import QueryReading
from trustuqa_neo4j.language.ast import Problem, ProblemKind
from trustuqa_neo4j.questions.options import MODEL_PRECISION
from trustuqa_neo4j.questions.with_both import MIN_CONFIDENCE, Voices, combine, decide
from trustuqa_neo4j.semantic_parser.reading import MIN_PROBABILITY

QUERY = "Query1: get_information(head_entity='{}', relation='directed by')".format
OFFERED = (QueryReading(QUERY("Aliens"), 0.4, total=1, values=("James Cameron",)),)


def say(*values: str, confidence: float = 1.0, origin: str = "model") -> Answer:
    outcome = "answered" if values else "empty"
    return Answer(
        outcome,  # type: ignore[arg-type]
        values,
        llm_query=QUERY(origin),
        confidence=confidence,
        origin=origin,  # type: ignore[arg-type]
        samples=1,
        evidence_total=len(values),
    )


SURE = say("Scott", confidence=0.8, origin="read")
UNSURE = Answer("not_askable", problems=(Problem("not probable", "0.40"),), readings=OFFERED)  # type: ignore[arg-type]
NO_READING = Answer("not_askable")
REFUSED = Answer("rejected", problems=(Problem(ProblemKind.UNKNOWN_FUNCTION, "undefined f"),))
FAILED = Answer("failed", problems=(Problem(ProblemKind.UNREADABLE, "no step found"),))


def hear(read: Answer, replied: Answer, precision: float = 0.7, wished: float = 0.0) -> Answer:
    readings = ((read.confidence or 0.0, read),) if read is SURE else ()
    if read is UNSURE:
        readings = ((0.4, say("Cameron", confidence=0.4, origin="read")),)
    return decide(Voices(read, readings, replied, precision, wished))


@pytest.mark.parametrize(
    ("read", "replied", "outcome", "values", "origin", "confidence"),
    [
        (SURE, say("Scott"), "answered", ("Scott",), "agreed", combine(0.8, 0.7)),
        (SURE, say("Lucas"), "answered", ("Scott",), "read", 0.8),
        (SURE, say(), "answered", ("Scott",), "read", 0.8),
        (SURE, REFUSED, "answered", ("Scott",), "read", 0.8),
        (SURE, FAILED, "answered", ("Scott",), "read", 0.8),
        (UNSURE, say("Cameron"), "answered", ("Cameron",), "agreed", combine(0.4, 0.7)),
        (UNSURE, say("Lucas"), "answered", ("Lucas",), "model", 0.7),
        (UNSURE, say("Lucas", confidence=0.6), "not_askable", (), None, None),
        (UNSURE, REFUSED, "rejected", (), None, None),
        (UNSURE, FAILED, "failed", (), None, None),
        (NO_READING, say("Lucas"), "answered", ("Lucas",), "model", 0.7),
        (NO_READING, say("Lucas", confidence=0.6), "not_askable", (), None, None),
        (NO_READING, say(), "empty", (), "model", 0.7),
    ],
)  # fmt: skip
def test_each_case_of_the_rule(
    read: Answer,
    replied: Answer,
    outcome: str,
    values: tuple[str, ...],
    origin: str | None,
    confidence: float | None,
) -> None:
    answer = hear(read, replied)
    assert (answer.outcome, answer.values, answer.origin) == (outcome, values, origin)
    assert answer.confidence == pytest.approx(confidence)
    assert answer.samples is None or origin == "read"


def test_a_disagreement_is_shown_with_both_values() -> None:
    answer = hear(SURE, say("Lucas"))
    assert [(r.origin, r.values, r.probability) for r in answer.readings] == [
        ("read", ("Scott",), 0.8),
        ("model", ("Lucas",), 0.7),
    ]
    (problem,) = answer.problems
    assert (problem.kind, problem.severity) == ("disagreement", "warning")
    assert problem.message == (
        "the model reads 'directed by' of model → Lucas; "
        "the reader reads 'directed by' of read → Scott"
    )
    assert "2. 'directed by' of model (by the model) → Lucas" in str(answer)
    refused = hear(SURE, REFUSED)
    assert [problem.message for problem in refused.problems] == [
        "the model has no query that can be run: undefined f"
    ]


def test_what_is_not_sure_enough_is_offered_after_the_readings() -> None:
    answer = hear(UNSURE, say("Lucas", confidence=0.6))
    assert [(r.origin, r.values) for r in answer.readings] == [
        ("read", ("James Cameron",)),
        ("model", ("Lucas",)),
    ]
    assert answer.readings[1].probability == pytest.approx(0.42)
    assert [problem.kind for problem in answer.problems] == ["not probable", "not probable"]
    assert "the model alone would answer 'directed by' of model → Lucas" in str(answer)
    weak = hear(UNSURE, say("Cameron"), precision=0.3)
    assert (weak.outcome, len(weak.readings)) == ("not_askable", 2)


def test_a_number_of_the_model_alone_that_no_fact_leads_to_is_offered() -> None:
    made_up = replace(say("7"), evidence_total=0)
    answer = hear(NO_READING, made_up)
    assert (answer.outcome, answer.readings[0].values) == ("not_askable", ("7",))
    assert "and no fact leads to it" in str(answer)
    assert hear(NO_READING, replace(made_up, considered_total=2)).outcome == "answered"


def test_a_model_alone_is_less_sure_than_any_sure_reading() -> None:
    assert MIN_CONFIDENCE <= MODEL_PRECISION < MIN_PROBABILITY


def test_refusals_keep_the_readings() -> None:
    assert hear(UNSURE, REFUSED).readings == OFFERED


def test_the_least_confidence_counts_after_the_agreement() -> None:
    assert hear(SURE, say("Scott"), wished=0.85).outcome == "answered"
    assert hear(SURE, say("Lucas"), wished=0.85).outcome == "abstained"


def test_what_the_user_lets_the_model_compute_is_given() -> None:
    computed = replace(say("Lucas", confidence=0.3), grounded=False)
    assert hear(NO_READING, computed).outcome == "answered"
    assert hear(NO_READING, computed, wished=0.5).outcome == "abstained"


@pytest.mark.parametrize("model", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("reading", [0.1, 0.5, 0.9, 1.0])
def test_agreement_lowers_neither_confidence(reading: float, model: float) -> None:
    assert max(reading, model) <= combine(reading, model) <= 1.0
    assert combine(0.0, model) == model
    assert combine(0.6, 0.0) >= MIN_CONFIDENCE


QUESTION = "who directed Alien"
RIGHT = "Query1: \"get_information(head_entity='Alien', relation='directed by')\""
OTHER = "Query1: \"get_information(head_entity='Alien', relation='starring')\""
HOME = f"{RIGHT}\nQuery2: \"get_information(head_entity='output_of_query1', relation='born in')\""
Asks = Callable[..., tuple[TrustUQA, Chat]]


@pytest.fixture
def asks(server: Settings, films: TrustUQA, tmp_path: Path) -> Iterator[Asks]:
    with ExitStack() as stack:

        def connect(*replies: Reply) -> tuple[TrustUQA, Chat]:
            chat = stack.enter_context(Chat(*replies))
            own = chat.make_settings(server, tmp_path)
            return stack.enter_context(TrustUQA.connect(own, datasets=["films"])), chat

        yield connect


MODELS: dict[str, Reply] = {
    "another query": OTHER,
    "another query for another dataset": OTHER.replace(")", ", table='secrets.tsv')"),
    "nothing found": RIGHT.replace("Alien", "Aliens 9"),
    "prose": "I am afraid that I cannot answer this.",
    "another language": "Das kann ich leider nicht beantworten.",
    "no text": " ",
    "half a JSON": '{"steps": [{"function": "count", "argu',
    "code": "```python\nimport os\nprint(os.listdir('/'))\n```",
    "8,000 tokens": "word " * 3_900,
    "a literal": "Query1: mode(set='Alien')",
    "a server that fails": status(500),
}


@pytest.mark.parametrize("reply", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize("votes", [1, 3])
def test_no_model_changes_a_sure_reading(asks: Asks, reply: Reply, votes: int) -> None:
    client, chat = asks(reply)
    alone = client.ask(QUESTION, "films", llm="demonstrations")
    answer = client.ask(QUESTION, "films", votes=votes)
    assert chat.requests
    assert (answer.outcome, answer.values, answer.confidence, answer.origin) == (
        "answered", ("Ridley Scott",), alone.confidence, "read",
    )  # fmt: skip
    assert answer.evidence == alone.evidence
    assert [problem.severity for problem in answer.problems] == ["warning"]
    assert "schema" in answer.sent
    assert answer.usage["calls"] >= 1


def test_a_model_that_agrees_raises_the_confidence(asks: Asks) -> None:
    client, _ = asks(RIGHT)
    alone = client.ask(QUESTION, "films", llm="demonstrations")
    answer = client.ask(QUESTION, "films")
    assert (answer.values, answer.origin, answer.problems) == (("Ridley Scott",), "agreed", ())
    assert answer.confidence is not None
    assert answer.confidence == combine(alone.confidence or 0.0, MODEL_PRECISION)
    assert "(the reader and the model agree)" in str(answer)
    stages = [stage.stage for stage in answer.trace]
    assert stages.index("read") < stages.index("complete") < stages.index("decide")
    assert stages.count("prove") == 1


def test_the_reading_of_the_model_can_be_picked(asks: Asks) -> None:
    client, chat = asks(OTHER)
    shown = client.ask(QUESTION, "films").readings
    picked = client.ask(QUESTION, "films", pick=2)
    assert (picked.origin, picked.values) == ("model", shown[1].values)
    asked = len(chat.requests)
    assert client.ask(QUESTION, "films", pick=1).values == ("Ridley Scott",)
    assert len(chat.requests) == asked


def test_a_model_alone_is_believed_by_its_precision(asks: Asks) -> None:
    question = "by whose hand came Alien into being"
    client, _ = asks(HOME)
    given = client.ask(question, "films")
    assert (given.values, given.origin, given.confidence) == (("South Shields",), "model", 0.55)
    assert "confidence 0.55 (the model alone)" in str(given)
    offered = client.ask(question, "films", model_precision=0.4)
    assert (offered.outcome, offered.values) == ("not_askable", ())
    assert [reading.origin for reading in offered.readings] == ["read", "read", "read", "model"]
    assert (offered.readings[3].values, offered.readings[3].probability) == (
        ("South Shields",),
        0.4,
    )
    assert client.ask(question, "films", pick=4).values == ("South Shields",)
    off = client.ask(question, "films", model_precision=0.4, reader=False)
    assert (off.values, off.confidence) == (("South Shields",), 1.0)


def test_the_only_reading_is_picked_by_its_number(asks: Asks) -> None:
    client, _ = asks(HOME)
    question = "quokka wombat zyzzyva"
    assert not client.ask(question, "films", llm="demonstrations").readings
    offered = client.ask(question, "films", model_precision=0.4)
    assert [reading.origin for reading in offered.readings] == ["model"]
    assert client.ask(question, "films", pick=1).values == ("South Shields",)


def test_a_model_agrees_with_a_reading_that_is_not_sure(asks: Asks) -> None:
    question = "by whose hand came Alien into being"
    client, _ = asks(RIGHT)
    (reading, *_) = client.ask(question, "films", llm="demonstrations").readings
    answer = client.ask(question, "films")
    assert (answer.values, answer.origin) == (("Ridley Scott",), "agreed")
    assert answer.confidence == combine(reading.probability, MODEL_PRECISION)
    assert len(answer.evidence) == 1


def test_without_a_fallback_a_failure_is_the_outcome(asks: Asks) -> None:
    client, _ = asks("I am afraid that I cannot answer this.")
    assert client.ask(QUESTION, "films", fallback=False).outcome == "failed"
