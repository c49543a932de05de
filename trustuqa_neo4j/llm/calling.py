"""Calls of a model that end in time, tell nobody else, and hand back what went wrong as a value.

A provider's package has a timeout for each wait on the network, which a server that sends a byte a second
never reaches, and waits between its own attempts. So there is a deadline around all of it: a synchronous
call runs in a thread that is left behind when the time is over, an asynchronous one is cancelled. What is
left behind sends nothing more (``still_wanted``) and does not keep the program from ending.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from threading import Thread
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage
    from langchain_core.outputs import LLMResult

    Outcome: TypeAlias = LLMResult | Exception


class Late(Exception):
    """The deadline is over."""


_ENDING = 1.0  # seconds for a cancelled call to close its connection

_deadline: ContextVar[float] = ContextVar("deadline", default=float("inf"))


@dataclass(frozen=True)
class Call:
    """One request: to which model, what, and how long its reply may take, in seconds."""

    chat: BaseChatModel
    messages: list[BaseMessage]
    timeout: float
    options: dict[str, Any] = field(default_factory=dict)
    asynchronous: dict[str, Any] = field(default_factory=dict)
    """Further options of an asynchronous call."""
    tracing: bool = False


def still_wanted(*_: object) -> None:
    """Called before a request is sent, for the first time or again.

    Raises:
        Late: nobody waits for its reply any more.
    """
    if time.monotonic() > _deadline.get():
        raise Late


class _Result(Future["LLMResult"]):
    """Takes what happens inside ``with``, an error included."""

    def __enter__(self) -> _Result:
        return self

    def __exit__(
        self, kind: object, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        if error is not None:
            self.set_exception(error)
        return error is not None


def all_of(calls: Sequence[Call]) -> list[Outcome]:
    """The outcomes of ``calls``, which run at the same time."""
    results = [_started(call) for call in calls]
    wait(results, timeout=max(call.timeout for call in calls))
    return [_outcome(result) for result in results]


def _started(call: Call) -> _Result:
    result = _Result()

    def work() -> None:
        with result, _bounded(call):
            result.set_result(call.chat.generate([call.messages], **call.options))

    # Of a daemon thread Python does not wait for the end, as it does for a pool's.
    Thread(target=copy_context().run, args=(work,), name="tuqa-model", daemon=True).start()
    return result


async def all_of_async(calls: Sequence[Call]) -> list[Outcome]:
    """The same, on the caller's event loop; cancelled with the caller."""
    tasks = [asyncio.ensure_future(_sent(call)) for call in calls]
    try:
        await asyncio.wait(tasks, timeout=max(call.timeout for call in calls))
    finally:
        late = [task for task in tasks if task.cancel()]
    if late:
        await asyncio.wait(late, timeout=_ENDING)
    return [_outcome(task) for task in tasks]


async def _sent(call: Call) -> LLMResult:
    with _bounded(call):
        return await call.chat.agenerate([call.messages], **call.options, **call.asynchronous)


def _outcome(done: Future[LLMResult] | asyncio.Task[LLMResult]) -> Outcome:
    if not done.done() or done.cancelled():
        return Late()
    error = done.exception()
    if error is None:
        return done.result()
    if isinstance(error, Exception):
        return error
    raise error  # Ctrl-C and its kin end more than a call


@contextmanager
def _bounded(call: Call) -> Iterator[None]:
    """Have the deadline known to ``still_wanted``, and nothing reported to a tracing service."""
    token = _deadline.set(time.monotonic() + call.timeout)
    try:
        if call.tracing:
            yield
        else:
            with _untold():
                yield
    finally:
        _deadline.reset(token)


@contextmanager
def _untold() -> Iterator[None]:
    """Whatever the environment or the program around has switched on: langchain reports nothing.

    Prompts hold data of whoever asks, and a variable in the environment is no leave to send it on.
    """
    from langchain_core.tracers.context import tracing_v2_callback_var
    from langsmith.run_helpers import tracing_context

    token = tracing_v2_callback_var.set(None)
    try:
        with tracing_context(enabled=False, parent=False):
            yield
    finally:
        tracing_v2_callback_var.reset(token)
