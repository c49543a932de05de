"""A name → a model; what is missing or wrong is told before anything is sent."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from asked_models import QUESTION
from chatting import KEY, Chat
from langchain_core.language_models import FakeListChatModel
from langchain_openai import ChatOpenAI

from trustuqa_neo4j import Settings
from trustuqa_neo4j.errors import BadSettings, MissingExtra, TrustUQAError, UsageError
from trustuqa_neo4j.llm.models import Model, open_model
from trustuqa_neo4j.llm.prices import Prices


def settings(**given: Any) -> Settings:
    return Settings(**({"llm": "openai:test", "openai_api_key": KEY} | given))


@pytest.mark.parametrize("name", [None, "demonstrations", "gpt-5", "openai:", ":gpt", ""])
def test_a_name_that_names_no_model(name: str | None) -> None:
    with pytest.raises(BadSettings) as caught:
        open_model(settings(llm=name))
    assert str(caught.value) == (
        f"bad settings: {name or 'demonstrations'!r} names no model, TUQA_LLM, "
        "write provider:NAME, as openai:gpt-5-mini, or demonstrations"
    )


def test_a_key_is_needed_at_the_provider() -> None:
    with pytest.raises(BadSettings) as caught:
        open_model(settings(openai_api_key=None))
    assert str(caught.value) == (
        "bad settings: no key, OPENAI_API_KEY, for openai:test, "
        "set it, or OPENAI_BASE_URL for a server that needs none, or take demonstrations"
    )


def test_a_server_of_ones_own_needs_no_key(tmp_path: Path) -> None:
    with Chat("yes") as chat:
        environment = {"TUQA_LLM": "openai:mine", "OPENAI_BASE_URL": chat.url}
        model = open_model(Settings.read(environment, tmp_path))
        assert model.complete(QUESTION).texts == ("yes",)
        assert repr(model) == f"Model('openai:mine at {chat.url}')"
        model.close()


@pytest.mark.parametrize("address", ["localhost:8000/v1", "me:secret@localhost", "ftp://host"])
def test_an_address_that_is_none(address: str) -> None:
    with pytest.raises(BadSettings) as caught:
        open_model(settings(openai_base_url=address))
    assert caught.value.where == "OPENAI_BASE_URL"
    assert "http://localhost:8000/v1" in caught.value.hint
    assert "secret" not in str(caught.value)


def test_a_password_in_an_address_is_not_shown() -> None:
    with Chat("yes") as chat:
        address = chat.url.replace("http://", "http://me:top-secret@")
        model = open_model(settings(openai_base_url=address))
        assert "top-secret" not in repr(model)
        assert model.address == chat.url
        model.close()


@pytest.mark.parametrize("called", ["sync", "async"])
def test_a_proxy_that_the_environment_names_is_used(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, called: str
) -> None:
    monkeypatch.delenv("NO_PROXY")
    with Chat("through the proxy") as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url.removesuffix("/v1"))
        model = open_model(settings(openai_base_url="http://model.invalid/v1"))
        asked = model.complete if called == "sync" else lambda m: asyncio.run(model.acomplete(m))
        assert asked(QUESTION).texts == ("through the proxy",)
        model.close()
    assert proxy.contacts == ["POST http://model.invalid/v1/chat/completions"]
    assert not caplog.records


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "langchain_openai", None)
    with pytest.raises(MissingExtra) as caught:
        open_model(settings())
    assert str(caught.value) == (
        "missing extra: OpenAI models need the Python package 'langchain_openai', "
        'which is not installed, try: pip install "trustuqa-neo4j[openai]", or take demonstrations'
    )


def test_other_providers_need_langchain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr("trustuqa_neo4j.llm.opening.find_spec", lambda _: None)
    with pytest.raises(MissingExtra) as caught:
        open_model(settings(llm="anthropic:claude"))
    assert str(caught.value) == (
        "missing extra: models of anthropic need the Python package 'langchain', "
        "which is not installed, try: pip install langchain langchain-anthropic"
    )


@pytest.fixture
def langchain(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A package ``langchain`` that has the one function that is used of it."""
    given = SimpleNamespace(asked=[], result=FakeListChatModel(responses=["yes"]))

    def init_chat_model(model: str, **options: Any) -> Any:
        given.asked.append((model, options))
        if isinstance(given.result, Exception):
            raise given.result
        return given.result

    package, models = ModuleType("langchain"), ModuleType("langchain.chat_models")
    package.__spec__ = ModuleSpec("langchain", None)
    models.init_chat_model = init_chat_model  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "langchain", package)
    monkeypatch.setitem(sys.modules, "langchain.chat_models", models)
    return given


def test_langchain_opens_the_others(langchain: SimpleNamespace) -> None:
    model = open_model(settings(llm="ollama:llama3.2:3b"))
    assert model.complete(QUESTION).texts == ("yes",)
    assert model.name == "ollama:llama3.2:3b"
    options = {"model_provider": "ollama", "max_retries": 2}
    assert langchain.asked == [("llama3.2:3b", options)]


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (
            ModuleNotFoundError("x", name="langchain_ollama"),
            MissingExtra,
            "pip install langchain-ollama",
        ),
        (ImportError("no"), MissingExtra, "pip install langchain-nobody"),
        (ValueError("Unsupported provider"), BadSettings, "it knows no such provider"),
        (ValueError(f"Did not find api_key, {KEY}"), BadSettings, "its key is not set"),
    ],
)
def test_what_langchain_cannot_open(
    langchain: SimpleNamespace, error: Exception, kind: type[TrustUQAError], words: str
) -> None:
    langchain.result = error
    with pytest.raises(kind) as caught:
        open_model(settings(llm="nobody:model"))
    assert words in caught.value.hint
    assert KEY not in str(caught.value)


def test_a_model_of_the_caller_is_asked_where_it_says() -> None:
    with Chat("yes") as chat:
        given = ChatOpenAI(model="mine", base_url=chat.url, api_key=KEY, temperature=0.3)
        model = Model(given)
        assert model.name == "mine"
        assert model.address == chat.url
        assert model.complete(QUESTION, n=2).texts == ("yes", "yes")
        assert given.temperature == 0.3
        model.close()
        assert not given.root_client.is_closed()
        given.root_client.close()
    assert chat.requests[0].body["temperature"] == 0.0


@pytest.mark.parametrize("given", ["openai:gpt", FakeListChatModel(responses=[]).bind(stop=["x"])])
def test_what_is_no_chat_model(given: Any) -> None:
    with pytest.raises(UsageError, match="is no chat model, give a BaseChatModel of langchain"):
        Model(given)


def test_prices() -> None:
    assert Prices.of("0.25/2").cost(1_000_000, 500_000) == 1.25


@pytest.mark.parametrize("text", ["1", "1/2/3", "a/b", "-1/2", "nan/1", "inf/1", ""])
def test_what_are_no_prices(text: str) -> None:
    with pytest.raises(BadSettings, match=r"write what a million tokens cost"):
        Prices.of(text)
