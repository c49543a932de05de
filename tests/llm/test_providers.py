"""The packages of other providers, as they are installed, against servers that speak their protocols."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from support.chat_models import QUESTION

from trustuqa_neo4j import Settings
from trustuqa_neo4j.errors import (
    BadSettings,
    MissingExtra,
    ModelBusy,
    ModelFailed,
    ModelRefused,
    UsageError,
)
from trustuqa_neo4j.llm.client import open_model
from trustuqa_neo4j.llm.messages import Usage
from trustuqa_neo4j.llm.parameters import ModelParameters

ANTHROPIC = {
    "id": "1",
    "type": "message",
    "role": "assistant",
    "model": "served",
    "content": [{"type": "text", "text": "Query1: it"}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 3, "cache_read_input_tokens": 100, "output_tokens": 4},
}
OLLAMA = {
    "model": "served",
    "created_at": "2026-01-01T00:00:00Z",
    "message": {"role": "assistant", "content": "Query1: it"},
    "done": True,
    "done_reason": "stop",
    "prompt_eval_count": 7,
    "eval_count": 3,
}
KEY = "sk-ant-only-for-tests"


class Provider:
    """The address of a server and the requests that it has got: path and body."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.requests: list[tuple[str, Mapping[str, Any]]] = []


@contextmanager
def serve(reply: Mapping[str, Any], code: int = 200) -> Iterator[Provider]:
    class Handler(BaseHTTPRequestHandler):
        # HTTP/1.0 ends each connection: langchain keeps the clients of these packages.
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            provider.requests.append((self.path, body))
            content = json.dumps(reply).encode() + b"\n"
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Retry-After", "0.01")
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            """Silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider = Provider(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)


def test_a_model_of_anthropic() -> None:
    with serve(ANTHROPIC) as provider:
        settings = Settings(llm="anthropic:claude-test", llm_prices="10/100/1")
        model = open_model(settings, base_url=provider.url)
        assert repr(model) == f"Model('anthropic:claude-test at {provider.url}')"
        completion = model.complete(QUESTION, parameters=ModelParameters(0.3, reply_tokens=99))
    ((path, body),) = provider.requests
    assert path == "/v1/messages"
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("claude-test", 0.3, 99)
    assert body["system"] == "Write a query."
    assert body["messages"] == [{"role": "user", "content": "who won the race"}]
    assert (completion.texts, completion.model) == (("Query1: it",), "served")
    cost = (3 * 10 + 100 * 1 + 4 * 100) / 1e6
    assert completion.usage.cost == pytest.approx(cost)
    assert completion.usage == Usage(
        103, 4, 1, cost=completion.usage.cost, provider_cached_tokens=100
    )


def test_ollama_gets_the_schema_of_replies() -> None:
    schema = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    with serve(OLLAMA) as provider:
        model = open_model(Settings(llm="ollama:test"), base_url=provider.url)
        model.complete(QUESTION, reply_schema=schema)
    assert provider.requests[0][1]["format"] == schema


def test_a_model_of_ollama() -> None:
    parameters = ModelParameters(0.3, 5, 99, "low")
    with serve(OLLAMA) as provider:
        model = open_model(Settings(llm="ollama:llama3.2:3b"), base_url=provider.url)
        completion = model.complete(QUESTION, parameters=parameters)
    ((path, body),) = provider.requests
    assert (path, body["model"], body["think"]) == ("/api/chat", "llama3.2:3b", "low")
    assert body["options"] == {"num_predict": 99, "temperature": 0.3, "seed": 5}
    assert (completion.texts, completion.model) == (("Query1: it",), "served")
    assert completion.usage == Usage(7, 3, 1, cost=None)


def test_a_parameter_that_anthropic_does_not_have() -> None:
    with serve(ANTHROPIC) as provider:
        model = open_model(Settings(llm="anthropic:claude-test"), base_url=provider.url)
        with pytest.raises(UsageError) as caught:
            model.complete(QUESTION, parameters=ModelParameters(seed=5))
        assert not provider.requests
    assert str(caught.value) == (
        "anthropic:claude-test takes no seed\nhint: leave out seed (TUQA_LLM_SEED)"
    )


FAULTS: dict[str, tuple[str, int, str, type[Exception], str, int]] = {
    "anthropic, temperature": (
        "anthropic:test", 400, "`temperature` is deprecated for this model.", ModelRefused,
        "leave out temperature (TUQA_LLM_TEMPERATURE), or give another value", 1,
    ),
    "anthropic, busy": (
        "anthropic:test", 429, "slow down", ModelBusy, "wait, or ask fewer questions at once", 3
    ),
    "anthropic, failed": ("anthropic:test", 500, "oh no", ModelFailed, "try again later", 3),
    "ollama, failed": ("ollama:test", 500, "oh no", ModelFailed, "try again later", 1),
}  # fmt: skip


@pytest.mark.parametrize("case", FAULTS)
def test_a_fault_of_a_provider(case: str) -> None:
    name, code, words, kind, hint, requests = FAULTS[case]
    error = {"type": "error", "error": {"type": "error", "message": words}}
    reply: dict[str, Any] = error if name.startswith("anthropic") else {"error": words}
    with serve(reply, code) as provider:
        model = open_model(Settings(llm=name), base_url=provider.url)
        with pytest.raises(kind) as caught:
            model.complete(QUESTION, parameters=ModelParameters(temperature=0.3))
        assert len(provider.requests) == requests
    assert caught.value.hint == hint  # type: ignore[attr-defined]
    assert words in str(caught.value) or code == 429
    assert KEY not in str(caught.value)


def test_a_missing_key_is_an_error_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    with pytest.raises(BadSettings) as caught:
        open_model(Settings(llm="anthropic:claude-test"))
    assert str(caught.value) == (
        "no key, ANTHROPIC_API_KEY, for anthropic:claude-test\nhint: set ANTHROPIC_API_KEY"
    )


@pytest.mark.parametrize(
    ("provider", "package"),
    [
        ("bedrock", "langchain-aws"),
        ("bedrock_converse", "langchain-aws"),
        ("azure_ai", "langchain-azure-ai"),
        ("nvidia", "langchain-nvidia-ai-endpoints"),
    ],
)
def test_a_missing_package_is_named(provider: str, package: str) -> None:
    with pytest.raises(MissingExtra) as caught:
        open_model(Settings(llm=f"{provider}:test"))
    assert str(caught.value) == (
        f"models of {provider} need the Python package {package!r}, which is not installed\n"
        f"hint: pip install {package}"
    )


def test_missing_variables_of_azure_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN", "OPENAI_API_VERSION"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(BadSettings) as caught:
        open_model(Settings(llm="azure_openai:test"))
    assert caught.value.hint == "set AZURE_OPENAI_API_KEY or AZURE_OPENAI_AD_TOKEN"
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)
    with pytest.raises(BadSettings) as caught:
        open_model(Settings(llm="azure_openai:test"))
    assert caught.value.hint == "set OPENAI_API_VERSION"
    assert KEY not in str(caught.value)


def test_an_unknown_provider_is_no_missing_key() -> None:
    with pytest.raises(BadSettings) as caught:
        open_model(Settings(llm="azure:test"))
    assert "did you mean azure_ai:NAME or azure_openai:NAME? Else write" in (
        caught.value.hint or ""
    )
