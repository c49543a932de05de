"""The chat API with the client of OpenAI, as chat programs use it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import openai
import pytest
from openai.types.chat import ChatCompletionMessageParam
from support.web import TOKEN, run_server

from trustuqa_neo4j import TrustUQA


@pytest.fixture
def address(films: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with run_server(films, tmp_path) as address:
        yield f"{address.rstrip('/')}/v1"


def say(client: openai.OpenAI, *texts: str, model: str = "films") -> str:
    messages: list[ChatCompletionMessageParam] = [
        {"role": "user", "content": text} for text in texts
    ]
    completion = client.chat.completions.create(model=model, messages=messages)
    return completion.choices[0].message.content or ""


def test_a_chat_asks_on_picks_and_streams(address: str) -> None:
    with openai.OpenAI(base_url=address, api_key=TOKEN, max_retries=0) as client:
        assert [model.id for model in client.models.list()] == ["films"]
        assert say(client, "who directed Aliens?", "and Alien?").startswith("**Ridley Scott**")
        offered = say(client, "Who is the CEO of Alien?")
        assert "Ridley Scott" in offered
        assert "`tuqa ask" not in offered
        assert say(client, "Who is the CEO of Alien?", "1").startswith("**")
        stream = client.chat.completions.create(
            model="films",
            messages=[{"role": "user", "content": "who directed Alien?"}],
            stream=True,
        )
        texts = [chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices]
        assert "".join(texts).startswith("**Ridley Scott**")


def test_reasons_are_shown(address: str) -> None:
    with openai.OpenAI(base_url=address, api_key=TOKEN, max_retries=0) as client:
        with pytest.raises(openai.NotFoundError, match="no dataset 'flims', did you mean 'films'"):
            say(client, "who directed Alien?", model="flims")
        stranger = client.with_options(api_key="wrong")
        with pytest.raises(openai.AuthenticationError, match="no token of this server"):
            say(stranger, "who directed Alien?")
