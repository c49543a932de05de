"""Calls of a model with a deadline, without tracing, and with errors as values.

The timeout of a provider's package covers one wait on the network, so a slow server never reaches it. Here a
deadline covers all attempts. Calls run on one event loop in a thread; late requests are cancelled. A model
with only a synchronous call runs in a thread that is abandoned at the deadline.
"""

from __future__ import annotations

import asyncio
import atexit
import inspect
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from ..deadline import check_cancelled, on_cancel

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage
    from langchain_core.outputs import LLMResult

    Outcome: TypeAlias = LLMResult | Exception


T = TypeVar("T")


class Late(Exception):
    """The deadline is over."""


_starting_loop = Lock()
_ENDING = 1.0  # seconds for a cancelled call to close its connection


@dataclass(frozen=True)
class ModelCall:
    """One request to a model; ``timeout`` is in seconds."""

    chat: BaseChatModel
    messages: list[BaseMessage]
    timeout: float
    options: dict[str, Any] = field(default_factory=dict)
    tracing: bool = False


class _DaemonThreads(ThreadPoolExecutor):
    """Runs each synchronous call in a daemon thread, which does not keep the process alive."""

    def submit(self, call: Callable[..., T], /, *arguments: Any, **options: Any) -> Future[T]:
        result: Future[T] = Future()

        def work() -> None:
            # A future that runs cannot be cancelled; one that was cancelled before takes no result.
            if not result.set_running_or_notify_cancel():
                return
            try:
                result.set_result(call(*arguments, **options))
            except BaseException as error:  # noqa: BLE001 # handed on to who awaits the result
                result.set_exception(error)

        Thread(target=work, name="tuqa-model", daemon=True).start()
        return result


MAX_BYTES = 5_000_000
"""Bytes of one response, unpacked; with many votes and long thoughts it has some hundred thousand."""


class ResponseTooLong(ValueError):
    """A response of more than ``MAX_BYTES``."""

    def __init__(self) -> None:
        super().__init__(f"more than {MAX_BYTES:,} bytes")


def read_limited(response: Any) -> None:
    """Read the body of a response, of openai's HTTP client, as far as it is not too long.

    Raises:
        ResponseTooLong
    """
    body = bytearray()
    for block in response.iter_bytes():
        _append(body, block)
    response._content = bytes(body)  # as response.read() does, which has no limit


async def read_limited_async(response: Any) -> None:
    """Do what ``read_limited`` does."""
    body = bytearray()
    async for block in response.aiter_bytes():
        _append(body, block)
    response._content = bytes(body)


def _append(body: bytearray, block: bytes) -> None:
    body += block
    if len(body) > MAX_BYTES:
        raise ResponseTooLong


def run_calls(calls: Sequence[ModelCall], cancelled: Event | None = None) -> list[Outcome]:
    """Run ``calls`` concurrently; return their outcomes.

    Raises:
        Cancelled: the requests are cancelled too.
    """
    running = asyncio.run_coroutine_threadsafe(_run_calls(calls), _event_loop())
    with on_cancel(cancelled, running.cancel):
        try:
            return running.result()
        except CancelledError:
            check_cancelled(cancelled)
            raise
        except KeyboardInterrupt:
            running.cancel()
            raise


def _event_loop() -> asyncio.AbstractEventLoop:
    # A client of a provider belongs to the loop of its first call, so two threads must not start two.
    with _starting_loop:
        return _start_event_loop()


@cache
def _start_event_loop() -> asyncio.AbstractEventLoop:
    # One loop for all calls of the process, in a daemon thread.
    loop = asyncio.new_event_loop()
    loop.set_default_executor(_DaemonThreads())
    thread = Thread(target=loop.run_forever, name="tuqa-model", daemon=True)
    thread.start()

    def stop() -> None:
        # A loop that still runs while Python takes itself apart can keep it from ending, and a task that
        # still waits then is reported on stderr.
        wait([asyncio.run_coroutine_threadsafe(_cancel_calls(), loop)], timeout=_ENDING)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_ENDING)

    atexit.register(stop)
    return loop


async def _cancel_calls() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks, timeout=_ENDING)


def close_client(client: Any) -> None:
    close = getattr(client, "close", None)
    if close is None:
        return
    if not inspect.iscoroutinefunction(close):
        close()
        return
    closing = asyncio.run_coroutine_threadsafe(close(), _event_loop())
    wait([closing], timeout=_ENDING)


async def _run_calls(calls: Sequence[ModelCall]) -> list[Outcome]:
    tasks = [asyncio.ensure_future(_send(call)) for call in calls]
    try:
        await asyncio.wait(tasks, timeout=max(call.timeout for call in calls))
    finally:
        late = [task for task in tasks if task.cancel()]
    if late:
        await asyncio.wait(late, timeout=_ENDING)
    return [_outcome(task) for task in tasks]


async def _send(call: ModelCall) -> LLMResult:
    with _untraced(call):
        return await call.chat.agenerate([call.messages], **call.options)


def _outcome(done: asyncio.Task[LLMResult]) -> Outcome:
    if not done.done() or done.cancelled():
        return Late()
    error = done.exception()
    if error is None:
        return done.result()
    if isinstance(error, Exception):
        return error
    raise error  # Ctrl-C and its kin end more than a call


@contextmanager
def _untraced(call: ModelCall) -> Iterator[None]:
    # Prompts contain data, and an environment variable is not permission to send them to a tracing
    # service.
    if call.tracing:
        yield
        return
    from langchain_core.tracers.context import tracing_v2_callback_var
    from langsmith.run_helpers import tracing_context

    token = tracing_v2_callback_var.set(None)
    try:
        with tracing_context(enabled=False, parent=False):
            yield
    finally:
        tracing_v2_callback_var.reset(token)
