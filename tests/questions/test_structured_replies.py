"""Replies that keep to a JSON Schema, from servers of models."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from langchain_core.language_models import FakeListChatModel
from support.chat_models import without_reader
from support.chat_server import KEY, Chat, Reply, status

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.errors import ModelRefused, UsageError

QUESTION = "who directed Alien"
ARGUMENTS = [
    {"name": "head_entity", "operator": "=", "value": "Alien"},
    {"name": "relation", "operator": "=", "value": "directed by"},
]
STEP = {"comment": "Look it up", "function": "get_information", "arguments": ARGUMENTS}
REPLY = json.dumps({"steps": [STEP]})


@pytest.fixture
def settings(server: Settings, films: TrustUQA, tmp_path: Path) -> Settings:
    return replace(server, llm="openai:test", openai_api_key=KEY, home=tmp_path)


def ask(settings: Settings, *replies: Reply, **options: Any) -> tuple[Any, Chat]:
    with Chat(*replies) as chat:
        own = replace(settings, openai_base_url=chat.url)
        with TrustUQA.connect(own, datasets=["films"]) as tuqa:
            return without_reader(tuqa).ask(QUESTION, "films", structured=True, **options), chat


def test_the_schema_is_sent_and_the_reply_read(settings: Settings) -> None:
    answer, chat = ask(settings, REPLY, extra_body={"top_k": 20})
    assert answer.values == ("Ridley Scott",)
    assert answer.llm_query.startswith("Step1: Look it up\nQuery1: get_information(")
    body = chat.requests[0].body
    wish = body["response_format"]
    assert (wish["type"], wish["json_schema"]["strict"], body["top_k"]) == ("json_schema", True, 20)
    Draft202012Validator(wish["json_schema"]["schema"]).validate(json.loads(REPLY))
    assert '"directed by"' in json.dumps(wish)
    system = chat.requests[0].messages[0][1]
    assert "Reply with the steps of a query as JSON" in system
    assert "Reply with a query in this form" not in system


def test_a_wrong_query_goes_back_with_the_schema(settings: Settings) -> None:
    wrong = REPLY.replace("directed by", "budget")
    answer, chat = ask(settings, wrong, REPLY)
    assert answer.values == ("Ridley Scott",)
    assert ["response_format" in request.body for request in chat.requests] == [True, True]


def test_without_it_nothing_changes(settings: Settings) -> None:
    with Chat("Query1: \"get_information(head_entity='Alien', relation='directed by')\"") as chat:
        own = replace(settings, openai_base_url=chat.url)
        with TrustUQA.connect(own, datasets=["films"]) as tuqa:
            assert tuqa.ask(QUESTION, "films").values == ("Ridley Scott",)
    assert "response_format" not in chat.requests[0].body


def test_a_server_that_knows_no_schema_is_named(settings: Settings) -> None:
    refusal = status(400, "This response_format type is unavailable now")
    with pytest.raises(ModelRefused, match="leave out structured"):
        ask(settings, refusal, fallback=False)
    named = status(400, "Invalid parameter", param="response_format")
    with pytest.raises(ModelRefused, match="leave out structured"):
        ask(settings, named, fallback=False)


@pytest.mark.parametrize(
    "message",
    [
        "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
        "Invalid schema for response_format 'steps': too many members",
    ],
)
def test_a_refused_schema_raises_no_warning_of_langchain(settings: Settings, message: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with pytest.raises(ModelRefused, match="leave out structured"):
            ask(settings, status(400, message), fallback=False)
    assert not caught


def test_a_model_without_schemas_is_refused_before_anything_is_sent(films: TrustUQA) -> None:
    model = FakeListChatModel(responses=[REPLY])
    with pytest.raises(UsageError, match="takes no JSON Schema"):
        films.ask(QUESTION, "films", llm=model, structured=True, fallback=False)
