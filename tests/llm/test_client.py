"""Asking a model: what is sent, what comes back, what it used."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel, FakeListChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_openai import ChatOpenAI
from support.chat_models import QUESTION, Opened
from support.chat_server import EMPTY, KEY, LONG, Chat, Reply, Request, recorded, slow, status

from trustuqa_neo4j import Settings
from trustuqa_neo4j.deadline import Cancellation
from trustuqa_neo4j.errors import (
    BadSettings,
    Cancelled,
    LimitReached,
    MissingExtra,
    ModelError,
    ModelTimedOut,
    TrustUQAError,
    UsageError,
)
from trustuqa_neo4j.llm.budget import Limits, Meter, Prices
from trustuqa_neo4j.llm.client import Model, open_model
from trustuqa_neo4j.llm.messages import Completion, Message, Usage
from trustuqa_neo4j.llm.parameters import ModelParameters


@pytest.fixture(params=["sync", "async"])
def ask(request: pytest.FixtureRequest) -> Any:
    """``complete`` from a plain thread, or from a thread beside an event loop that runs."""

    def completed(model: Model, messages: Any = QUESTION, **how: Any) -> Completion:
        if request.param == "sync":
            return model.complete(messages, **how)
        return asyncio.run(asyncio.to_thread(model.complete, messages, **how))

    return completed


def test_a_reply(opened: Opened, ask: Any) -> None:
    with Chat("Query1: it") as chat:
        found = ask(opened(chat), timeout=7.0, parameters=ModelParameters(reply_tokens=50))
    assert found == Completion(("Query1: it",), Usage(7, 2, calls=1, cost=None), "served")
    (request,) = chat.requests
    assert request.path == "/v1/chat/completions"
    assert request.messages == [("system", "Write a query."), ("user", "who won the race")]
    assert request.body["model"] == "test"
    assert request.body["temperature"] == 0.0
    assert request.body["max_completion_tokens"] == 50
    assert request.body.get("n", 1) == 1
    assert request.key == KEY


def test_several_replies_are_one_request(opened: Opened, ask: Any) -> None:
    with Chat(["a", "b", "c"]) as chat:
        found = ask(opened(chat), n=3, temperature=1.0)
    assert found.texts == ("a", "b", "c")
    assert found.usage.calls == len(chat.requests) == 1
    assert (chat.requests[0].body["n"], chat.requests[0].body["temperature"]) == (3, 1.0)


@pytest.mark.parametrize(
    ("replies", "texts", "asked"),
    [
        ([["a", "b", "c", "d"]], ("a", "b", "c"), [3]),
        ([["a", "b"], "c"], ("a", "b", "c"), [3, 1]),
        ([["a"], "b"], ("a", "b", "b"), [3, 1, 1]),
        ([["a", "b", LONG], "c"], ("a", "b", "c"), [3, 1]),
        ([["a", "", "b"], EMPTY], ("a", "b"), [3, 1]),
    ],
    ids=["more", "fewer", "knows no n", "one is too long", "one is empty and stays so"],
)
def test_another_number_of_replies_will_do(
    opened: Opened, ask: Any, replies: list[Reply], texts: tuple[str, ...], asked: list[int]
) -> None:
    with Chat(*replies) as chat:
        found = ask(opened(chat), n=3, temperature=1.0)
    assert found.texts == texts
    assert [request.body.get("n", 1) for request in chat.requests] == asked
    assert found.usage.calls == len(asked)


def test_a_server_that_knows_no_n_is_remembered(opened: Opened) -> None:
    with Chat(["a"]) as chat:
        model = opened(chat)
        for _ in range(2):
            assert model.complete(QUESTION, n=3).texts == ("a", "a", "a")
    assert [request.body.get("n", 1) for request in chat.requests] == [3, 1, 1, 1, 1, 1]


@pytest.mark.parametrize(("refused", "n"), [("temperature", 1), ("n", 2), ("temperature", 2)])
def test_a_parameter_that_a_model_refuses_is_left_out(
    opened: Opened, ask: Any, refused: str, n: int
) -> None:
    def reply(request: Request) -> Reply:
        return status(400, "unsupported", param=refused) if refused in request.body else "fine"

    with Chat(reply) as chat:
        model = opened(chat)
        found = ask(model, n=n, temperature=1.0)
        assert found.texts == ("fine",) * n
        sent = len(chat.requests)
        assert found.usage.calls == sent == (3 if refused == "n" else 2)
        ask(model, n=n, temperature=1.0)
    assert all(refused not in request.body for request in chat.requests[sent:])


def test_replies_that_are_asked_for_one_by_one_come_at_once(opened: Opened, ask: Any) -> None:
    together = threading.Barrier(3, timeout=120)

    def reply(request: Request) -> Reply:
        if request.body.get("n", 1) > 1:
            return status(400, "one only", param="n")
        together.wait()
        return "same"

    with Chat(reply) as chat:
        assert ask(opened(chat), n=3).texts == ("same",) * 3


def test_what_is_there_is_given_where_others_failed(
    opened: Opened, ask: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with Chat(["a"], status(404, "gone")) as chat:
        found = ask(opened(chat), n=2)
    assert found.texts == ("a",)
    assert "1 of 2 replies: no such model" in caplog.text


def test_usage_is_estimated_where_a_server_tells_none(opened: Opened) -> None:
    with Chat("four words are here", usage=False) as chat:
        used = opened(chat, prices="1/10").complete(QUESTION).usage
    assert used.estimated
    assert 8 <= used.input_tokens <= 20
    assert 4 <= used.output_tokens <= 6
    assert used.cost == pytest.approx((used.input_tokens + 10 * used.output_tokens) / 1e6)


def test_usages_add_up() -> None:
    known = Usage(1, 2, 1, 0, 0.5)
    assert sum([known, known], Usage()) == Usage(2, 4, 2, 0, 1.0)
    assert (known + Usage(cost=None)).cost is None
    assert known.tokens == 3
    assert known.to_dict()["output_tokens"] == 2


def test_two_event_loops_use_one_model(opened: Opened) -> None:
    with Chat("yes") as chat:
        model = opened(chat)
        for _ in range(3):
            assert asyncio.run(asyncio.to_thread(model.complete, QUESTION)).texts == ("yes",)


def test_threads_share_a_model(opened: Opened) -> None:
    found: list[str] = []
    with Chat(lambda request: request.prompt) as chat:
        model = opened(chat)

        def work(name: str) -> None:
            found.append(model.complete([Message("user", name)]).texts[0])

        threads = [threading.Thread(target=work, args=(str(i),)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(found) == [str(i) for i in range(8)]


def test_cancelling_breaks_off_what_was_sent(opened: Opened) -> None:
    meter = Meter(Limits(max_calls=1))
    cancelled = Cancellation()
    with Chat(slow(300)) as chat, ThreadPoolExecutor(1) as pool:
        model = opened(chat)
        asking = pool.submit(
            model.complete, QUESTION, timeout=300, meter=meter, cancelled=cancelled
        )
        while not chat.requests:
            wait([asking], timeout=0.01)
        cancelled.set()
        with pytest.raises(Cancelled):
            asking.result(120)
    assert meter.used.calls == 1
    assert meter.used.cost is None


def test_a_half_of_a_surrogate_pair_can_be_asked(opened: Opened, ask: Any) -> None:
    with Chat("yes") as chat:
        assert ask(opened(chat), [Message("user", "who\udce9")]).texts == ("yes",)
    assert chat.requests[0].prompt == "who?"


@pytest.mark.parametrize(
    "reply", ["<think>Query1: a</think>\nQuery1: b", "Query1: a</think>Query1: b"]
)
def test_thoughts_are_no_part_of_a_reply(opened: Opened, reply: str) -> None:
    with Chat(reply) as chat:
        assert opened(chat).complete(QUESTION).texts[0].strip() == "Query1: b"


def test_recorded_replies_are_found_by_what_is_asked(opened: Opened) -> None:
    with Chat(recorded({"race": "Query1: race", "won the race": "Query1: won"})) as chat:
        model = opened(chat, retries=0)
        assert model.complete(QUESTION).texts == ("Query1: won",)
        with pytest.raises(ModelError, match="nothing recorded for 'what else'"):
            model.complete([Message("user", "what else")])


# Limits


def test_no_call_is_sent_that_would_pass_a_limit(opened: Opened, ask: Any) -> None:
    run = Meter(Limits(max_calls=2), of="run")
    with Chat("yes") as chat:
        model = opened(chat)
        for _ in range(2):
            ask(model, meter=Meter(Limits(max_calls=1), within=run))
        with pytest.raises(LimitReached) as caught:
            ask(model, meter=Meter(within=run))
    assert len(chat.requests) == run.used.calls == 2
    assert str(caught.value) == (
        "2 of 2 calls are used, the next call of the model needs 1, limit of this run\nhint: "
        "raise max_calls, or ask with fewer votes, retries or demonstrations"
    )
    assert caught.value.exit_code == 1


def test_tokens_of_the_prompt_and_of_replies_are_set_aside(opened: Opened) -> None:
    meter, reply = Meter(Limits(max_tokens=300)), ModelParameters(reply_tokens=200)
    with Chat("yes") as chat:
        model = opened(chat)
        with pytest.raises(LimitReached, match="needs 4"):
            model.complete(QUESTION, n=2, parameters=reply, meter=meter)
        assert not chat.requests
        assert model.complete(QUESTION, parameters=reply, meter=meter).texts == ("yes",)
    assert meter.used.tokens == 8


def test_a_limit_ends_no_answer_that_is_there(opened: Opened) -> None:
    with Chat(["a"], "b") as chat:
        found = opened(chat).complete(QUESTION, n=3, meter=Meter(Limits(max_calls=2)))
    assert found.texts == ("a",)
    assert len(chat.requests) == 1


# Models of langchain that the caller gives


class Slow(BaseChatModel):
    """A model that knows no asynchronous call, no n, and takes its time."""

    temperature: float = 0.7
    released: threading.Event | None = None
    seen: list[float] = []  # noqa: RUF012 # pydantic copies it

    @property
    def _llm_type(self) -> str:
        return "slow"

    def _generate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        assert not kwargs
        if self.released is not None:
            self.released.wait()
        self.seen.append(self.temperature)
        parts = [{"type": "text", "text": "one "}, {"type": "text", "text": "two"}]
        return ChatResult(generations=[ChatGeneration(message=AIMessage(content=parts))])


def test_any_model_of_langchain_will_do(ask: Any) -> None:
    model = Model(FakeListChatModel(responses=["a", "b", "c"]))
    assert set(ask(model, n=3).texts) == {"a", "b", "c"}
    assert repr(model) == "Model('FakeListChatModel')"
    assert model.address == ""
    model.close()


def test_its_fields_are_set_for_a_call_alone(ask: Any) -> None:
    chat = Slow(seen=[])
    found = ask(Model(chat, name="mine"), n=2, temperature=0.25)
    assert found == Completion(("one two",) * 2, found.usage, "mine")
    assert chat.seen == [0.25, 0.25]
    assert chat.temperature == 0.7


def test_nothing_hangs_where_a_model_has_no_timeout(ask: Any) -> None:
    released = threading.Event()
    try:
        with pytest.raises(ModelTimedOut, match=r"no reply within 0\.1 s, Slow"):
            ask(Model(Slow(released=released)), timeout=0.1)
    finally:
        released.set()


class Broken(Slow):
    """A model whose package fails."""

    def _generate(self, *_: Any, **__: Any) -> ChatResult:
        raise RuntimeError(f"the backend\nsaid {KEY}")


def test_a_fault_of_a_package_is_an_error_of_ours(ask: Any) -> None:
    with pytest.raises(ModelError) as caught:
        ask(Model(Broken()))
    assert str(caught.value) == (
        "RuntimeError: the backend said ***, Broken\nhint: see what its provider says"
    )


def run_code(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True
    )


def test_python_ends_while_a_reply_is_awaited() -> None:
    """What was given up must not keep a command from ending."""
    code = (
        "import threading\n"
        "from langchain_core.language_models import FakeListChatModel\n"
        "from trustuqa_neo4j.llm.messages import Message\n"
        "from trustuqa_neo4j.llm.client import Model\n"
        "class Silent(FakeListChatModel):\n"
        "    def _call(self, *args, **kwargs): threading.Event().wait()\n"
        "try: Model(Silent(responses=[''])).complete([Message('user', 'x')], timeout=0.1)\n"
        "except Exception as error: print(type(error).__name__)\n"
    )
    done = run_code(code)
    assert done.stdout == "ModelTimedOut\n", done.stderr


# Nobody else is told

TRACED = """
import os
from support.chat_server import Chat, status
with Chat("yes") as chat, Chat(status(200, "taken")) as service:
    os.environ |= chat.environment | {
        "LANGSMITH_TRACING": "true",
        "LANGCHAIN_TRACING_V2": "true",
        "LANGSMITH_API_KEY": "lsv2-only-for-tests",
        "LANGSMITH_ENDPOINT": service.url,
        # Everything would go through it.
        "LANGSMITH_GATEWAY": service.url,
        "LANGSMITH_GATEWAY_API_KEY": "lsv2-gateway",
    }
    from langchain_core.tracers.context import tracing_v2_enabled
    from langchain_core.tracers.langchain import wait_for_all_tracers
    from trustuqa_neo4j import Settings
    from trustuqa_neo4j.llm.messages import Message
    from trustuqa_neo4j.llm.client import open_model
    settings, messages = Settings.read(), [Message("user", "who")]
    silent = open_model(settings)
    silent.complete(messages)
    print(service.contacts)
    with tracing_v2_enabled():  # asks for /info by itself
        silent.complete(messages)
    wait_for_all_tracers()
    print(len(chat.requests), any("POST" in contact for contact in service.contacts))
    told = open_model(settings, tracing=True)
    told.complete(messages)
    wait_for_all_tracers()
    print(len(chat.requests), any("POST" in contact for contact in service.contacts))
    silent.close()
    told.close()
"""


def test_a_tracing_service_that_the_environment_names_is_told_nothing(tmp_path: Path) -> None:
    """In a process of its own, since langsmith keeps what it once read of the environment."""
    done = subprocess.run(
        [sys.executable, "-c", TRACED],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.stdout == "[]\n2 False\n3 True\n", done.stderr


# A name → a model; what is missing or wrong is told before anything is sent.


def settings(**given: Any) -> Settings:
    return Settings(**({"llm": "openai:test", "openai_api_key": KEY} | given))


@pytest.mark.parametrize("name", [None, "demonstrations", "gpt-5", "openai:", ":gpt", ""])
def test_a_name_that_names_no_model(name: str | None) -> None:
    with pytest.raises(BadSettings) as caught:
        open_model(settings(llm=name))
    assert str(caught.value) == (
        f"{name or 'demonstrations'!r} names no model, TUQA_LLM\n"
        "hint: write provider:NAME, as openai:gpt-5-mini, or demonstrations"
    )


def test_a_key_is_needed_at_the_provider() -> None:
    with pytest.raises(BadSettings) as caught:
        open_model(settings(openai_api_key=None))
    assert str(caught.value) == (
        "no key, OPENAI_API_KEY, for openai:test\nhint: "
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
        asked = (
            model.complete
            if called == "sync"
            else lambda m: asyncio.run(asyncio.to_thread(model.complete, m))
        )
        assert asked(QUESTION).texts == ("through the proxy",)
        model.close()
    assert proxy.contacts == ["POST http://model.invalid/v1/chat/completions"]
    assert not caplog.records


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "langchain_openai", None)
    with pytest.raises(MissingExtra) as caught:
        open_model(settings())
    assert str(caught.value) == (
        "OpenAI models need the Python package 'langchain_openai', "
        'which is not installed\nhint: pip install "trustuqa-neo4j[models]", or take demonstrations'
    )


def test_other_providers_need_langchain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr("trustuqa_neo4j.llm.chat_models.find_spec", lambda _: None)
    with pytest.raises(MissingExtra) as caught:
        open_model(settings(llm="anthropic:claude"))
    assert str(caught.value) == (
        "models of anthropic need the Python package 'langchain', "
        'which is not installed\nhint: pip install "trustuqa-neo4j[models]"'
    )
    with pytest.raises(MissingExtra) as caught:
        open_model(settings(llm="xai:grok"))
    assert caught.value.hint == "pip install langchain langchain-xai"


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
            ModuleNotFoundError("x", name="langchain_nobody"),
            MissingExtra,
            "pip install langchain-nobody",
        ),
        (RuntimeError("api_key"), BadSettings, "its key is not set"),
        (ImportError("no"), MissingExtra, "pip install langchain-nobody"),
        (
            ValueError(
                "Unsupported model_provider. Supported model providers are: nobodys, ollama"
            ),
            BadSettings,
            "it knows no such provider; did you mean nobodys:NAME?",
        ),
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
    with pytest.raises(
        UsageError, match="is not a chat model\nhint: give a BaseChatModel of langchain"
    ):
        Model(given)


def test_prices() -> None:
    assert Prices.of("0.25/2").cost(1_000_000, 500_000, 400_000) == 1.25
    assert Prices.of("0.25/2/0.05").cost(1_000_000, 500_000, 400_000) == 1.17


def test_tokens_from_the_cache_of_the_provider_cost_their_own_price(opened: Opened) -> None:
    with Chat("yes", cached=6) as chat:
        usage = opened(chat, prices="10/100/1").complete(QUESTION).usage
    assert usage.cost == pytest.approx((1 * 10 + 6 * 1 + 1 * 100) / 1e6)
    assert usage == Usage(7, 1, calls=1, cost=usage.cost, provider_cached_tokens=6)
    assert (usage + usage).provider_cached_tokens == 12


@pytest.mark.parametrize(
    "text", ["1", "1/2/3/4", "1/2/x", "1/2/-3", "a/b", "-1/2", "nan/1", "inf/1", ""]
)
def test_what_are_no_prices(text: str) -> None:
    with pytest.raises(BadSettings, match=r"write what a million tokens cost"):
        Prices.of(text)


def test_threads_that_ask_first_at_the_same_time_share_one_event_loop() -> None:
    """A client of a provider belongs to the loop of its first call."""
    code = (
        "import asyncio, threading\n"
        "from trustuqa_neo4j.llm import calls\n"
        "build, built, second = asyncio.new_event_loop, [], threading.Event()\n"
        "def build_slowly():\n"
        "    built.append(1)\n"
        "    second.wait(1)\n"
        "    return build()\n"
        "asyncio.new_event_loop = build_slowly\n"
        "def ask_second():\n"
        "    second.set()\n"
        "    calls._event_loop()\n"
        "first = threading.Thread(target=calls._event_loop)\n"
        "first.start()\n"
        "while not built: pass\n"
        "late = threading.Thread(target=ask_second)\n"
        "late.start()\n"
        "first.join(); late.join()\n"
        "print(len(built))\n"
    )
    done = run_code(code)
    assert done.stdout == "1\n", done.stderr
