"""Each fault of a model and its server: outcome of a question, its message, and number of requests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from support.chat_models import without_reader
from support.chat_server import (
    BROKEN_JSON,
    CUT,
    EMPTY,
    HALF_EVENTS,
    HALF_STREAM,
    KEY,
    LONG,
    NOT_JSON,
    Chat,
    Reply,
    status,
)

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.errors import ModelError

QUESTION = "who directed Alien"
DIRECTOR = "Query1: \"get_information(head_entity='Alien', relation='directed by')\""
AGAIN = 0.01  # seconds that a server asks to wait
NO_SCHEMA = "This response_format type is unavailable now"

Asks = Callable[..., tuple[TrustUQA, Chat]]


@pytest.fixture
def asks(server: Settings, films: TrustUQA, tmp_path: Path) -> Iterator[Asks]:
    """Makes clients of a model that gives these replies, and closes them."""
    (tmp_path / "secrets.tsv").write_text("Alien\tdirected by\tSomebody Secret\n", encoding="utf-8")
    films.load("kg", tmp_path / "secrets.tsv", dataset="secrets")
    with ExitStack() as stack:

        def connect(*replies: Reply) -> tuple[TrustUQA, Chat]:
            chat = stack.enter_context(Chat(*replies))
            own = chat.make_settings(server, tmp_path)
            client = stack.enter_context(TrustUQA.connect(own, datasets=["films"]))
            return without_reader(client), chat

        yield connect


class ServerFault(NamedTuple):
    """A fault without any reply to read: the kind of its error, a part of the message, the requests."""

    reply: Reply
    kind: str
    message: str
    requests: int
    options: dict[str, Any] = {}  # noqa: RUF012 # of a tuple


SERVER_FAULTS = {
    "429": ServerFault(
        status(429, retry_after=AGAIN),
        "model busy",
        "too many requests (429), to be tried again after 0.01 s",
        3,
    ),
    "500": ServerFault(status(500, "oh no", retry_after=AGAIN), "model failed", "(500): oh no", 3),
    "401": ServerFault(status(401), "model key refused", "the key is refused (401)", 1),
    "cut": ServerFault(CUT, "model unreachable", "peer closed connection", 3),
    "half a stream": ServerFault(HALF_STREAM, "model unreachable", "peer closed connection", 3),
    "half of the events": ServerFault(HALF_EVENTS, "unusable reply", "data: {", 1),
    "not JSON": ServerFault(NOT_JSON, "unusable reply", "<html>Welcome</html>", 1),
    "broken JSON": ServerFault(BROKEN_JSON, "unusable reply", "not a reply of a model", 1),
    "no choices": ServerFault(EMPTY, "unusable reply", "a reply with no choices", 1),
    "2 MB": ServerFault(LONG, "unusable reply", "a reply of 2,000,000 characters", 1),
    "no schema": ServerFault(
        status(400, NO_SCHEMA), "model refused", f"(400): {NO_SCHEMA}", 1, {"structured": True}
    ),
}


@pytest.mark.parametrize("fault", SERVER_FAULTS.values(), ids=SERVER_FAULTS)
def test_a_fault_of_the_server_is_an_error(
    asks: Asks, fault: ServerFault, caplog: pytest.LogCaptureFixture
) -> None:
    tuqa, chat = asks(fault.reply)
    with pytest.raises(ModelError) as raised:
        tuqa.ask(QUESTION, "films", fallback=False, **fault.options)
    assert (raised.value.kind, raised.value.exit_code) == (fault.kind, 3)
    assert fault.message in raised.value.what
    assert raised.value.hint
    assert len(chat.requests) == fault.requests
    assert KEY not in str(raised.value) + repr(raised.value) + caplog.text


@pytest.mark.parametrize("fault", SERVER_FAULTS.values(), ids=SERVER_FAULTS)
def test_without_the_model_that_failed_the_question_is_read(
    asks: Asks, fault: ServerFault, caplog: pytest.LogCaptureFixture
) -> None:
    tuqa, chat = asks(fault.reply)
    answer = tuqa.ask(QUESTION, "films", reader=True, **fault.options)
    assert (answer.outcome, answer.values) == ("answered", ("Ridley Scott",))
    assert (answer.origin, answer.datasets, answer.understood) == (
        "read", ("films",), "'directed by' of Alien",
    )  # fmt: skip
    (problem,) = answer.problems
    assert (problem.kind, problem.severity) == (fault.kind, "warning")
    assert fault.message in problem.message
    assert problem.message.endswith("; the answer is without the model")
    (stage,) = (stage for stage in answer.trace if stage.stage == "fallback")
    assert stage.given.startswith(f"the model failed: {fault.kind}: ")
    assert "schema" in answer.sent
    assert (answer.usage["calls"], len(chat.requests)) == (1, fault.requests)
    assert KEY not in repr(answer) + caplog.text


class ReplyFault(NamedTuple):
    """A reply that is not a right query: the outcome of the question, its problems, the requests."""

    reply: Reply
    outcome: str
    messages: list[str]
    requests: int = 2


PROSE = "I am afraid that I cannot answer this."
REPLY_FAULTS = {
    "prose": ReplyFault(
        PROSE, "failed", ['no step found: a query has lines like Query1: "get_information(…)"']
    ),
    "half a query": ReplyFault(
        DIRECTOR[:-12], "failed", ["the name that begins here never ends: no ' closes it"]
    ),
    "broken JSON": ReplyFault(
        '{"steps": [{"step": 1 "query": 2}]}',
        "failed",
        ["the JSON cannot be read: Expecting ',' delimiter (line 1, column 23)"],
    ),
    "half of the JSON": ReplyFault(
        '{"steps": [{"function": "count", "argu',
        "failed",
        ["the JSON cannot be read: Unterminated string starting at (line 1, column 34)"],
    ),
    "another dataset": ReplyFault(
        "Query1: \"get_information(head_entity='Alien', relation='directed by', table='secrets.tsv')\"",
        "rejected",
        ["films has no table 'secrets.tsv'; it has films.tsv"],
    ),
    "another scope": ReplyFault(
        "Query1: \"search_node(node1='Alien', condition='directed by', scope='secrets')\"",
        "rejected",
        ["search_node with a condition allows only scope=all"],
    ),
}


@pytest.mark.parametrize("fault", REPLY_FAULTS.values(), ids=REPLY_FAULTS)
def test_a_reply_that_is_no_right_query_goes_back_once(asks: Asks, fault: ReplyFault) -> None:
    tuqa, chat = asks(fault.reply)
    answer = tuqa.ask(QUESTION, "films", fallback=False)
    assert (answer.outcome, [problem.message for problem in answer.problems]) == (
        fault.outcome, fault.messages,
    )  # fmt: skip
    assert len(chat.requests) == answer.usage["calls"] == fault.requests
    assert "Somebody Secret" not in str(answer.to_dict())
    assert all("tests/samples" not in text for sent in chat.requests for _, text in sent.messages)


def test_fewer_replies_than_votes_are_asked_for_one_by_one(asks: Asks) -> None:
    tuqa, chat = asks([DIRECTOR], DIRECTOR)
    answer = tuqa.ask(QUESTION, "films", votes=3)
    assert (answer.outcome, answer.problems, answer.confidence) == ("answered", (), 1.0)
    assert [request.body.get("n", 1) for request in chat.requests] == [3, 1, 1]


def test_problems_with_tables_show_no_folders(tuqa: TrustUQA, tmp_path: Path) -> None:
    paths = [tmp_path / folder / "pay.csv" for folder in ("north", "south")]
    for path in paths:
        path.parent.mkdir()
        path.write_text("who,salary\nAnn Lee,81234\n", encoding="utf-8")
    tuqa.load("table", *paths, dataset="pay")
    query = "Query1: get_information(relation='who', table='{}')".format
    names = [source.name for source in tuqa.schema("pay").sources]
    answers = [
        tuqa.run(query("pay.csv"), "pay"),
        tuqa.run(query("payroll"), "pay"),
        tuqa.run(query("south/pay.csv"), "pay", source=names[0]),
    ]
    assert [problem.message for answer in answers for problem in answer.problems] == [
        "'pay.csv' is the name of several tables: north/pay.csv, south/pay.csv",
        "pay has no table 'payroll'; it has north/pay.csv, south/pay.csv",
        "pay.csv of pay is asked alone, not 'south/pay.csv'",
    ]
