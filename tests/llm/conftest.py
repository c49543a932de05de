"""A model that asks a server of the tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from support.chat_models import Opened
from support.chat_server import KEY, Chat

from trustuqa_neo4j import Settings
from trustuqa_neo4j.llm.client import Model, open_model


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment switches nothing on."""
    for name in ("LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2", "OPENAI_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def opened() -> Iterator[Opened]:
    """Opens models that ask a ``Chat``, and closes them."""
    with ExitStack() as stack:

        def of(chat: Chat, **given: Any) -> Model:
            settings = Settings(
                llm="openai:test",
                openai_api_key=KEY,
                openai_base_url=chat.url,
                llm_prices=given.pop("prices", None),
            )
            model = open_model(settings, **given)
            stack.callback(model.close)
            return model

        yield of
