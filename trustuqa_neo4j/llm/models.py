"""A language model: messages in, replies out, with a cache, limits and a deadline around it.

Whatever langchain has a ``BaseChatModel`` for can be used. What to ask, and what to make of the replies, is
written once, as a generator that yields calls and is sent their outcomes; ``complete`` and ``acomplete``
differ in how they carry the calls out. Imports of langchain are inside functions: it takes a second.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Generator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any, TypeAlias

from ..errors import LimitReached, ModelTimedOut, UsageError
from ..settings import Settings
from . import calling
from .cache import Asked, Cache
from .calling import Call, Late
from .faults import Place, bare, fault, refused_parameter, secrets_of
from .messages import Completion, Message, Sampling, Usage
from .metering import Meter, needed
from .opening import OFFLINE, chat_model
from .prices import Prices
from .reading import Replies

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage

    from .calling import Outcome

    Steps: TypeAlias = Generator[list[Call], list[Outcome], Completion]

__all__ = ["OFFLINE", "Model", "Prices", "open_model"]

RETRIES = 2
"""How often a provider's package sends again what failed for now."""

_LENGTH = ("max_tokens", "max_output_tokens", "num_predict")  # its names among providers
_DROPPABLE = ("n", "temperature")  # parameters that some models refuse and do without

_log = logging.getLogger(__name__)


def open_model(
    settings: Settings, *, cache: Cache | None = None, retries: int = RETRIES, tracing: bool = False
) -> Model:
    """The model that ``settings.llm`` names; nothing is sent yet.

    Raises:
        BadSettings: no such model, or no key where one is needed.
        MissingExtra: the package that talks to it is not installed.
    """
    name = settings.llm or OFFLINE
    prices = Prices.of(settings.llm_prices) if settings.llm_prices else None
    chat = chat_model(name, settings, retries)
    return Model(chat, name=name, opened=True, cache=cache, prices=prices, tracing=tracing)


class Model:
    """A langchain chat model with what asking it needs; safe to share between threads.

    ``opened``: by its name, and ours to close; the name then says all that its replies depend on.
    ``tracing`` lets langchain report to the service that the environment names, as it does by itself.
    """

    def __init__(
        self,
        chat: BaseChatModel,
        *,
        name: str = "",
        opened: bool = False,
        cache: Cache | None = None,
        prices: Prices | None = None,
        tracing: bool = False,
    ) -> None:
        kind = type(chat)  # what bind() gives answers for the model, its class does not
        if not (hasattr(kind, "generate") and hasattr(kind, "model_fields")):
            raise UsageError(
                f"a {kind.__name__} is no chat model",
                hint="give a BaseChatModel of langchain, as it is before bind() and the like",
            )
        named = getattr(chat, "model_name", None) or getattr(chat, "model", None)
        self.name = name or str(named or kind.__name__)
        self._chat = chat
        self._opened = opened
        self._cache = cache
        self._prices = prices
        self._tracing = tracing
        self._fields = set(kind.model_fields)
        self._without: set[str] = set()  # parameters that the provider has refused
        self._one_by_one = "n" not in self._fields
        self._openai = any(base.__name__ == "BaseChatOpenAI" for base in kind.__mro__)
        self._place = Place(self.name, bare(_address(chat)), secrets_of(chat))

    def __repr__(self) -> str:
        return f"Model({str(self._place)!r})"

    @property
    def address(self) -> str:
        """Where it is asked, without secrets; empty where its package does not say."""
        return self._place.address

    def complete(
        self,
        messages: Sequence[Message],
        *,
        n: int = 1,
        temperature: float = 0.0,
        timeout: float = 60.0,
        max_tokens: int | None = None,
        draw: int | None = None,
        meter: Meter | None = None,
    ) -> Completion:
        """``n`` replies of the model, in at most ``timeout`` seconds for all; maybe fewer, but one at least.

        ``draw``: see ``Sampling``. ``meter`` counts what is used, and may have limits.

        Raises:
            LimitReached: ``meter`` does not allow the call; nothing was sent.
            PromptTooLong
            ModelError: the model cannot be used; which of its kinds says why.
            CacheUnusable
        """
        how = Sampling(n, temperature, max_tokens, timeout, draw)
        with closing(self._steps(messages, how, meter or Meter())) as steps:
            try:
                calls = next(steps)
                while True:
                    calls = steps.send(calling.all_of(calls))
            except StopIteration as done:
                completion: Completion = done.value
                return completion

    async def acomplete(
        self,
        messages: Sequence[Message],
        *,
        n: int = 1,
        temperature: float = 0.0,
        timeout: float = 60.0,
        max_tokens: int | None = None,
        draw: int | None = None,
        meter: Meter | None = None,
    ) -> Completion:
        """The same on the event loop; cancelling it breaks off what was sent."""
        how = Sampling(n, temperature, max_tokens, timeout, draw)
        with closing(self._steps(messages, how, meter or Meter())) as steps:
            try:
                calls = next(steps)
                while True:
                    calls = steps.send(await calling.all_of_async(calls))
            except StopIteration as done:
                completion: Completion = done.value
                return completion

    def close(self) -> None:
        """Close connections that are kept open for the next call; not those of a caller's model."""
        client: Any = getattr(self._chat, "root_client", None)
        if self._opened and hasattr(client, "close"):
            client.close()

    def _steps(self, messages: Sequence[Message], how: Sampling, meter: Meter) -> Steps:
        """From the cache, else from the model, in two rounds at most: the second asks for what is missing."""
        asked = self._asked(messages, how) if self._cache and how.repeatable else None
        if self._cache and asked and (kept := self._cache.get(asked)):
            meter.add(kept.usage)
            return kept
        deadline = time.monotonic() + how.timeout
        usage = Usage()
        replies = Replies(self._place, messages, how.timeout, self._prices)
        counts = [1] * how.n if self._one_by_one else [how.n]
        usage += yield from self._round(messages, how, counts, replies, meter, deadline)
        if 0 < len(replies.texts) < how.n and counts == [how.n]:
            # It was asked for n at once and gave fewer: some servers know no n and always give one.
            self._one_by_one = self._one_by_one or len(replies.texts) == 1
            missing = [1] * (how.n - len(replies.texts))
            try:
                usage += yield from self._round(messages, how, missing, replies, meter, deadline)
            except (LimitReached, ModelTimedOut) as end:
                replies.faults.append(end)
        if not replies.texts:
            raise replies.faults[0]
        for error in replies.faults:
            _log.warning("%d of %d replies: %s", len(replies.texts), how.n, error)
        completion = Completion(tuple(replies.texts[: how.n]), usage, replies.by or self.name)
        if self._cache and asked and len(completion.texts) == how.n:
            self._cache.put(asked, completion)
        return completion

    def _round(
        self,
        messages: Sequence[Message],
        how: Sampling,
        counts: Sequence[int],
        replies: Replies,
        meter: Meter,
        deadline: float,
    ) -> Generator[list[Call], list[Outcome], Usage]:
        """Send one call for each of ``counts``, add what comes to ``replies``; what it used."""
        tokens = sum(needed(messages, n, how.max_tokens) for n in counts)
        reserved = meter.reserve(len(counts), tokens)
        usage, without = Usage(), frozenset(self._without)
        try:
            calls = [self._call(messages, how, n, deadline) for n in counts]
            # Should this be broken off, the calls were sent all the same.
            usage = Usage(calls=len(calls), cost=None)
            outcomes = yield calls
            usage = sum((replies.add(outcome) for outcome in outcomes), Usage())
            refused = {refused_parameter(o) for o in outcomes if isinstance(o, Exception)}
        finally:
            meter.settle(reserved, usage)
        if again := (refused & set(_DROPPABLE)) - without:
            self._without |= {str(parameter) for parameter in again}
            self._one_by_one = self._one_by_one or "n" in again
            replies.faults.clear()
            counts = [1] * sum(counts) if "n" in again else counts
            usage += yield from self._round(messages, how, counts, replies, meter, deadline)
        return usage

    def _call(self, messages: Sequence[Message], how: Sampling, n: int, deadline: float) -> Call:
        timeout = deadline - time.monotonic()
        if timeout <= 0:
            raise fault(Late(), self._place, how.timeout)
        given: dict[str, Any] = {"n": n if n > 1 else None, "temperature": how.temperature}
        length = next((name for name in _LENGTH if name in self._fields), "")
        given |= {length: how.max_tokens} if how.max_tokens else {}
        given |= dict.fromkeys(self._without)
        # Set on a copy: providers read their fields at each call, and disagree on arguments.
        chat = self._chat
        known = {k: v for k, v in given.items() if k in self._fields and v != getattr(chat, k)}
        chat = chat.model_copy(update=known) if known else chat
        spoken = [_spoken(message) for message in messages]
        if not self._openai:
            return Call(chat, spoken, timeout, tracing=self._tracing)
        # A connection kept by one event loop fails in the next (asyncio.run twice).
        once = {"extra_headers": {"Connection": "close"}}
        return Call(chat, spoken, timeout, {"timeout": timeout}, once, self._tracing)

    def _asked(self, messages: Sequence[Message], how: Sampling) -> Asked:
        parameters = {"n": how.n, "temperature": how.temperature, "max_tokens": how.max_tokens}
        if how.temperature > 0:
            parameters["draw"] = how.draw
        if self._opened:
            # What langchain says of it changes with its versions, and what it replied was paid for.
            return Asked(self.name, self.address, parameters, messages)
        told = [type(self._chat).__qualname__, dict(self._chat._identifying_params)]
        # Objects count by their class: what they look like in text may change from run to run.
        identity = json.dumps(told, sort_keys=True, default=lambda o: type(o).__qualname__)
        return Asked(self.name, self.address, parameters, messages, identity)


def _spoken(message: Message) -> BaseMessage:
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

    kinds = {"system": SystemMessage, "user": HumanMessage, "assistant": AIMessage}
    # Half a surrogate pair, as of an undecodable byte in a terminal, cannot be sent.
    content = message.content.encode("utf-8", "replace").decode()
    spoken: BaseMessage = kinds[message.role](content=content)
    return spoken


def _address(chat: BaseChatModel) -> str:
    client = getattr(chat, "root_client", None)
    for holder, name in ((client, "base_url"), (chat, "openai_api_base"), (chat, "base_url")):
        if address := getattr(holder, name, None):
            return str(address)
    return ""
