"""Asking a model: what is sent, what comes back, what it used."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from asked_models import QUESTION, Opened
from chatting import EMPTY, KEY, LONG, Chat, Reply, Request, recorded, slow, status
from langchain_core.language_models import BaseChatModel, FakeListChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from trustuqa_neo4j.errors import LimitReached, ModelError, ModelTimedOut
from trustuqa_neo4j.llm.messages import Completion, Message, Usage
from trustuqa_neo4j.llm.metering import Limits, Meter
from trustuqa_neo4j.llm.models import Model


@pytest.fixture(params=["sync", "async"])
def ask(request: pytest.FixtureRequest) -> Any:
    """``complete``, or ``acomplete`` on an event loop of its own."""

    def completed(model: Model, messages: Any = QUESTION, **how: Any) -> Completion:
        if request.param == "sync":
            return model.complete(messages, **how)
        return asyncio.run(model.acomplete(messages, **how))

    return completed


def test_a_reply(opened: Opened, ask: Any) -> None:
    with Chat("Query1: it") as chat:
        found = ask(opened(chat), timeout=7.0, max_tokens=50)
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
    together = threading.Barrier(3, timeout=10)

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
    assert "1 of 2 replies: unknown model" in caplog.text


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
            assert asyncio.run(model.acomplete(QUESTION)).texts == ("yes",)


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
    async def cancelled(model: Model, meter: Meter) -> None:
        asking = asyncio.ensure_future(model.acomplete(QUESTION, timeout=30, meter=meter))
        while not chat.requests:
            await asyncio.wait({asking}, timeout=0.01)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking

    meter = Meter(Limits(max_calls=1))
    with Chat(slow(30)) as chat:
        asyncio.run(cancelled(opened(chat), meter))
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
        "limit reached: 2 of 2 calls are used, the next call of the model needs 1, limit of this run, "
        "raise --max-calls, or ask with fewer votes, retries or demonstrations"
    )
    assert caught.value.exit_code == 1


def test_tokens_of_the_prompt_and_of_replies_are_set_aside(opened: Opened) -> None:
    meter = Meter(Limits(max_tokens=300))
    with Chat("yes") as chat:
        model = opened(chat)
        with pytest.raises(LimitReached, match="needs 4"):
            model.complete(QUESTION, n=2, max_tokens=200, meter=meter)
        assert not chat.requests
        assert model.complete(QUESTION, max_tokens=200, meter=meter).texts == ("yes",)
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
    pause: float = 0.0
    seen: list[float] = []  # noqa: RUF012 # pydantic copies it

    @property
    def _llm_type(self) -> str:
        return "slow"

    def _generate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        assert not kwargs
        threading.Event().wait(self.pause)
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
    with pytest.raises(ModelTimedOut, match=r"no reply within 0\.1 s, Slow"):
        ask(Model(Slow(pause=0.5)), timeout=0.1)


class Broken(Slow):
    """A model whose package fails."""

    def _generate(self, *_: Any, **__: Any) -> ChatResult:
        raise RuntimeError(f"the backend\nsaid {KEY}")


def test_a_fault_of_a_package_is_an_error_of_ours(ask: Any) -> None:
    with pytest.raises(ModelError) as caught:
        ask(Model(Broken()))
    assert str(caught.value) == (
        "model failed: RuntimeError: the backend said ***, Broken, see what its provider says"
    )


def test_python_ends_while_a_reply_is_awaited() -> None:
    """What was given up must not keep a command from ending."""
    code = (
        "import threading\n"
        "from langchain_core.language_models import FakeListChatModel\n"
        "from trustuqa_neo4j.llm.messages import Message\n"
        "from trustuqa_neo4j.llm.models import Model\n"
        "class Silent(FakeListChatModel):\n"
        "    def _call(self, *args, **kwargs): threading.Event().wait()\n"
        "try: Model(Silent(responses=[''])).complete([Message('user', 'x')], timeout=0.1)\n"
        "except Exception as error: print(type(error).__name__)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "ModelTimedOut\n", done.stderr


# Nobody else is told

TRACED = """
import os
from chatting import Chat, status
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
    from trustuqa_neo4j.llm.models import open_model
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
        timeout=60,
        check=False,
    )
    assert done.stdout == "[]\n2 False\n3 True\n", done.stderr
