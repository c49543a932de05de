"""Parameters that a user sets: sent, refused, or dropped if only this package set them."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.language_models import FakeListChatModel
from support.chat_models import QUESTION, Opened
from support.chat_server import KEY, Chat, status

from trustuqa_neo4j import Settings
from trustuqa_neo4j.errors import BadSettings, ModelRefused, UsageError
from trustuqa_neo4j.llm.cache import ReplyCache
from trustuqa_neo4j.llm.client import Model, open_model
from trustuqa_neo4j.llm.parameters import ModelParameters

ALL = ModelParameters(0.3, 7, 200, "low", {"top_k": 20})
DEPRECATED = "Unsupported value: 'temperature' does not support 0 with this model."


def test_all_are_sent(opened: Opened) -> None:
    with Chat("yes") as chat:
        opened(chat).complete(QUESTION, parameters=ALL)
    body = chat.requests[0].body
    assert {name: body[name] for name in ("temperature", "seed", "reasoning_effort", "top_k")} == {
        "temperature": 0.3,
        "seed": 7,
        "reasoning_effort": "low",
        "top_k": 20,
    }
    assert body["max_completion_tokens"] == 200
    assert chat.requests[0].prompt == "who won the race"


def test_those_of_a_request_come_before_those_of_the_settings() -> None:
    with Chat("yes") as chat:
        settings = Settings(
            llm="openai:test",
            openai_base_url=chat.url,
            openai_api_key=KEY,
            llm_temperature="0.7",
            llm_seed="1",
            llm_extra_body='{"min_p": 0.1}',
        )
        model = open_model(settings)
        model.complete(QUESTION, temperature=1.0)
        model.complete(QUESTION, parameters=ModelParameters(temperature=0.2))
        model.close()
    bodies = [request.body for request in chat.requests]
    assert [body["temperature"] for body in bodies] == [0.7, 0.2]
    assert [(body["seed"], body["min_p"]) for body in bodies] == [(1, 0.1)] * 2


@pytest.mark.parametrize(
    ("name", "text", "allowed"),
    [
        ("temperature", "warm", "a number, at least 0"),
        ("temperature", "-1", "a number, at least 0"),
        ("temperature", "nan", "a number, at least 0"),
        ("seed", "1.5", "a whole number"),
        ("reply_tokens", "0", "a whole number, at least 1"),
        ("reasoning_effort", " ", "a word of the provider, as low or high"),
        ("extra_body", "[1]", 'a JSON object, as {"top_k": 20}'),
        ("extra_body", "{", 'a JSON object, as {"top_k": 20}'),
    ],
)
def test_a_setting_that_cannot_be_read(name: str, text: str, allowed: str) -> None:
    settings = Settings(llm="openai:test", openai_api_key=KEY, **{f"llm_{name}": text})  # type: ignore[arg-type]
    with pytest.raises(BadSettings) as caught:
        open_model(settings)
    assert str(caught.value) == (
        f"{text!r} cannot be read, TUQA_LLM_{name.upper()}\nhint: it is {allowed}"
    )


def test_a_value_without_a_meaning() -> None:
    with pytest.raises(UsageError, match=r"temperature=-0\.1 is not a number, at least 0"):
        ModelParameters(temperature=-0.1)


@pytest.mark.parametrize("name", ["seed", "reply_tokens", "reasoning_effort", "extra_body"])
def test_a_model_without_the_parameter_refuses_it(name: str) -> None:
    model = Model(FakeListChatModel(responses=["yes"]), name="mine")
    with pytest.raises(UsageError) as caught:
        model.complete(QUESTION, parameters=ModelParameters(**{name: getattr(ALL, name)}))
    assert str(caught.value) == (
        f"mine takes no {name.replace('_', ' ')}\nhint: leave out {name} (TUQA_LLM_{name.upper()})"
    )


@pytest.mark.parametrize(
    "refusal", [status(400, "no", param="temperature"), status(400, DEPRECATED)]
)
def test_a_temperature_of_this_package_is_dropped(opened: Opened, refusal: Any) -> None:
    with Chat(refusal, "yes") as chat:
        model = opened(chat)
        assert model.complete(QUESTION).texts == ("yes",)
        assert model.complete(QUESTION).texts == ("yes",)
    assert ["temperature" in request.body for request in chat.requests] == [True, False, False]


REFUSALS = {
    "temperature": (status(400, "no", param="temperature"), "no"),
    "temperature in words": (status(400, DEPRECATED), DEPRECATED),
    "seed": (status(422, "the 'seed' is not known"), "the 'seed' is not known"),
    "reply_tokens": (status(400, "max_tokens is too large"), "max_tokens is too large"),
    "reasoning_effort": (status(400, "no", param="reasoning.effort"), "no"),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_a_refused_parameter_of_the_user_is_an_error(opened: Opened, case: str) -> None:
    refusal, detail = REFUSALS[case]
    name = case.split()[0]
    with Chat(refusal) as chat:
        with pytest.raises(ModelRefused) as caught:
            opened(chat).complete(
                QUESTION, parameters=ModelParameters(**{name: getattr(ALL, name)})
            )
        assert len(chat.requests) == 1
    code = refusal.code
    assert caught.value.what == f"the request is not taken ({code}): {detail}"
    assert caught.value.hint == (
        f"leave out {name} (TUQA_LLM_{name.upper()}), or give another value"
    )


def test_a_message_that_names_two_parameters_refuses_none(opened: Opened) -> None:
    with Chat(status(400, "temperature and max_tokens are odd")) as chat:
        with pytest.raises(ModelRefused) as caught:
            opened(chat).complete(QUESTION)
        assert len(chat.requests) == 1
    assert caught.value.hint == "does this model take chat messages, and these parameters?"


def test_the_address_of_an_option_comes_first(opened: Opened) -> None:
    """A key of the environment may go there, although tuqa.toml names an address."""
    with Chat("elsewhere") as other, Chat("here") as chat:
        settings = Settings(llm="openai:test", openai_base_url=other.url, openai_api_key=KEY)
        model = open_model(settings, base_url=chat.url)
        assert model.address == chat.url
        assert model.complete(QUESTION).texts == ("here",)
        model.close()
    assert not other.requests
    assert chat.requests[0].key == KEY


def test_an_address_without_a_scheme() -> None:
    with pytest.raises(BadSettings) as caught:
        open_model(Settings(llm="openai:test", openai_api_key=KEY), base_url="localhost:8000")
    assert str(caught.value) == (
        "'localhost:8000' is not an address, base_url\n"
        "hint: it begins with http:// or https://, as http://localhost:8000/v1"
    )


def test_a_seed_is_cached_by_itself(opened: Opened, tmp_path: Any) -> None:
    cache = ReplyCache(tmp_path / "replies.sqlite")
    with Chat("one", "two") as chat:
        model = opened(chat, cache=cache)
        first, second = ModelParameters(seed=1), ModelParameters(seed=2)
        texts = [model.complete(QUESTION, parameters=p).texts[0] for p in (first, second, first)]
    cache.close()
    assert texts == ["one", "two", "one"]
    assert len(chat.requests) == 2
