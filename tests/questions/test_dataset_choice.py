"""A model selects one of the datasets that know the words of a question nearly as well."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.chat_models import without_reader
from support.chat_server import BROKEN_JSON, EMPTY, Chat, Reply, status

from trustuqa_neo4j import Answer, Settings, TrustUQA
from trustuqa_neo4j.errors import ModelBusy, ModelError, ModelFailed, ModelRefused

MEDALS = "Nation,Gold medals,Host city\nFrance,16,Paris\nJapan,20,Tokyo\n"
OLD_MEDALS = "Nation,Gold medals,Host city\nFrance,9,Lyon\nItaly,7,Rome\n"
GOLD = "Query1: \"get_information(head_entity='France', relation='Gold medals')\""
NONE = "Query1: \"get_information(relation='Gold medals', tail_entity>'30')\""
QUESTION = "How many gold medals did France win?"
Asks = Callable[..., tuple[TrustUQA, Chat]]


@pytest.fixture
def asks(server: Settings, tuqa: TrustUQA, tmp_path: Path) -> Iterator[Asks]:
    """A client of two tables that both know the question, and of a model that gives these replies."""
    for name, text in (("medals", MEDALS), ("old medals", OLD_MEDALS)):
        path = tmp_path / f"{name}.csv"
        path.write_text(text, encoding="utf-8")
        tuqa.load("table", path, dataset=name)
    opened: list[tuple[TrustUQA, Chat]] = []

    def open_client(*replies: Reply) -> tuple[TrustUQA, Chat]:
        chat = Chat(*replies)
        chat.__enter__()
        settings = chat.make_settings(server, tmp_path)
        client = without_reader(TrustUQA.connect(settings, datasets=("medals", "old medals")))
        opened.append((client, chat))
        return client, chat

    yield open_client
    for client, chat in opened:
        client.close()
        chat.__exit__()


def choices(answer: Answer) -> list[str]:
    return [stage.found for stage in answer.trace if stage.stage == "choose"][1:]


def test_the_selected_dataset_is_asked_first(asks: Asks) -> None:
    client, chat = asks('"old medals"', GOLD)
    answer = client.ask(QUESTION)
    assert (answer.outcome, answer.values, answer.datasets) == ("answered", ("9",), ("old medals",))
    assert choices(answer) == ["the model selects old medals"]
    assert answer.usage["calls"] == len(chat.requests) == 2
    read = sum(len(text.split()) for request in chat.requests for _, text in request.messages)
    assert answer.usage["input_tokens"] == read
    catalogue = chat.requests[0].prompt
    assert '"old medals": table\n  columns: "Gold medals", "Host city", "Nation"' in catalogue
    assert "Lyon" not in catalogue
    assert str(client.prompt(QUESTION)).count(catalogue) == 1
    assert len(chat.requests) == 2


def test_the_catalogue_tells_no_words_where_only_the_schema_may_leave(asks: Asks) -> None:
    client, chat = asks('"old medals"', GOLD)
    client.ask(QUESTION)
    client.ask(QUESTION, private=True)
    plain, private = (request.prompt for request in chat.requests[::2])
    assert 'words of the question: "' in plain
    assert "words of the question:" not in private
    assert '"old medals": table\n  columns: "Gold medals", "Host city", "Nation"' in private


def test_the_next_dataset_is_tried_if_the_selected_one_is_empty(asks: Asks) -> None:
    client, chat = asks('"old medals"', NONE, NONE, GOLD)
    answer = client.ask(QUESTION)
    assert (answer.outcome, answer.values) == ("answered", ("16",))
    assert answer.datasets == ("old medals", "medals")
    assert choices(answer) == ["the model selects old medals", "the next is asked: medals"]
    assert answer.usage["calls"] == len(chat.requests) == 4


def test_datasets_of_one_line_are_asked_together(asks: Asks) -> None:
    client, chat = asks('"medals" + "old medals"', GOLD)
    answer = client.ask(QUESTION)
    assert set(answer.values) == {"9", "16"}
    assert choices(answer) == ["the model selects medals with old medals"]
    assert len(chat.requests) == 2


@pytest.mark.parametrize(
    ("reply", "stage", "calls"),
    [
        ("I cannot say.", "the model selects no dataset of these", 2),
        ('"films"', "the model selects no dataset of these", 2),
        (BROKEN_JSON, "what came is not a reply of a model: ", 2),
        (EMPTY, "a reply with no choices, ", 2),
        ("", "a reply with no text (it ended by 'stop'), ", 2),
    ],
)
def test_the_words_decide_if_the_reply_names_no_dataset(
    asks: Asks, reply: Reply, stage: str, calls: int
) -> None:
    client, chat = asks(reply, GOLD)
    answer = client.ask(QUESTION)
    assert (answer.values, answer.datasets) == (("16",), ("medals",))
    assert choices(answer)[0].startswith(stage)
    assert answer.usage["calls"] == len(chat.requests) == calls


@pytest.mark.parametrize(
    ("reply", "kind", "message", "requests"),
    [
        (
            status(500, "oh no", retry_after=0.01),
            ModelFailed,
            "the server failed (500): oh no",
            3,
        ),
        (
            status(429, retry_after=0.01),
            ModelBusy,
            "too many requests (429), to be tried again after 0.01 s",
            3,
        ),
        (status(400, "no", param="seed"), ModelRefused, "the request is not taken (400): no", 1),
    ],
    ids=["failed", "busy", "refused setting"],
)
def test_a_failed_request_is_the_failure_of_the_question(
    asks: Asks, reply: Reply, kind: type[ModelError], message: str, requests: int
) -> None:
    client, chat = asks(reply)
    with pytest.raises(kind) as caught:
        client.ask(QUESTION, fallback=False, seed=7)
    assert caught.value.what == message
    assert len(chat.requests) == requests


def test_a_limit_that_leaves_one_call_is_for_the_query(asks: Asks) -> None:
    client, chat = asks(GOLD)
    answer = client.ask(QUESTION, max_calls=1)
    assert (answer.values, choices(answer)) == (("16",), [])
    assert len(chat.requests) == 1


def test_a_limit_of_tokens_that_the_choice_would_exceed(asks: Asks) -> None:
    client, chat = asks(GOLD)
    answer = client.ask(QUESTION, prompt_tokens=10_000, max_tokens=50, reader=True)
    assert any(
        stage.found.startswith("0 of 50 tokens are used")
        for stage in answer.trace
        if stage.stage == "choose"
    )
    assert not chat.requests


def test_a_named_dataset_needs_no_choice(asks: Asks) -> None:
    client, chat = asks(GOLD)
    assert client.ask(QUESTION, "old medals").values == ("9",)
    assert len(chat.requests) == 1
