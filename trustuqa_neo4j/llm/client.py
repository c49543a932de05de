"""A language model with cache, limits and deadline: messages in, replies out.

It uses any ``BaseChatModel`` of langchain. Functions import langchain when needed, since the import takes a
second.
"""

from __future__ import annotations

import json
import logging
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Event, Lock
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

from ..errors import LimitReached, ModelTimedOut, UsageError
from ..settings import Settings
from ..wording import name_option
from .budget import Meter, Prices, needed
from .cache import CompletionRequest, ReplyCache
from .calls import Late, ModelCall, close_client, run_calls
from .chat_models import OFFLINE, chat_model
from .errors import Place, bare, fault, refused_parameter, secrets_of
from .messages import Completion, Message, Sampling, Usage
from .parameters import PARAMETER_FIELDS, ModelParameters
from .replies import Replies

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage


class LangChainChat(Protocol):
    """A ``BaseChatModel`` of langchain, for callers that have no langchain too."""

    def generate(self, messages: list[list[Any]], **options: Any) -> Any: ...


ModelWish: TypeAlias = str | LangChainChat | None


__all__ = ["OFFLINE", "Model", "Prices", "open_model"]

RETRIES = 2  # attempts of a provider's package after a temporary failure
_SCHEMA_FIELD = "format"  # of chat models of Ollama
_SCHEMA_WARNING = r".* OpenAI's structured output feature"
_DROPPABLE = ("n", "temperature")  # parameters that some models refuse and do without

_log = logging.getLogger(__name__)


def open_model(
    settings: Settings,
    *,
    cache: ReplyCache | None = None,
    retries: int = RETRIES,
    tracing: bool = False,
    base_url: str | None = None,
) -> Model:
    # Nothing is sent yet. Raises BadSettings, MissingExtra.
    name = settings.llm or OFFLINE
    prices = Prices.of(settings.llm_prices) if settings.llm_prices else None
    parameters = ModelParameters.read(settings)
    chat = chat_model(name, settings, retries, base_url)
    return Model(
        chat,
        name=name,
        opened=True,
        cache=cache,
        prices=prices,
        tracing=tracing,
        parameters=parameters,
    )


class Model:
    """A chat model of langchain; safe to share between threads.

    ``opened``: created here from its name, so closed here. ``tracing`` lets langchain report to the service
    in the environment. ``parameters`` count where a request has none of its own.
    """

    def __init__(
        self,
        chat: LangChainChat,
        *,
        name: str = "",
        opened: bool = False,
        cache: ReplyCache | None = None,
        prices: Prices | None = None,
        tracing: bool = False,
        parameters: ModelParameters | None = None,
    ) -> None:
        kind = type(chat)  # what bind() gives answers for the model, its class does not
        if not (hasattr(kind, "generate") and hasattr(kind, "model_fields")):
            raise UsageError(
                f"a {kind.__name__} is not a chat model",
                hint="give a BaseChatModel of langchain, as it is before bind() and the like",
            )
        named = getattr(chat, "model_name", None) or getattr(chat, "model", None)
        self.name: str = name or str(named or kind.__name__)
        self._chat = cast("BaseChatModel", chat)
        self._opened = opened
        self._cache = cache
        self.prices = prices
        self._tracing = tracing
        self._parameters = parameters or ModelParameters()
        self._fields = set(type(self._chat).model_fields)
        self._without: set[str] = set()  # parameters that the provider has refused
        self._one_by_one = "n" not in self._fields
        self._openai = any(base.__name__ == "BaseChatOpenAI" for base in kind.__mro__)
        self._place = Place(self.name, bare(_address(self._chat)), secrets_of(chat))
        if self._openai:
            # It warns of a refused schema, with advice for other code, before it raises the error.
            warnings.filterwarnings("ignore", _SCHEMA_WARNING, UserWarning, r"langchain_openai\.")

    def __repr__(self) -> str:
        return f"Model({str(self._place)!r})"

    @property
    def address(self) -> str:
        """The address without secrets; empty if the package does not expose it."""
        return self._place.address

    def complete(
        self,
        messages: Sequence[Message],
        *,
        n: int = 1,
        temperature: float = 0.0,
        timeout: float = 60.0,
        draw: int | None = None,
        parameters: ModelParameters | None = None,
        reply_schema: Mapping[str, Any] | None = None,
        meter: Meter | None = None,
        cancelled: Event | None = None,
    ) -> Completion:
        """Request ``n`` replies in at most ``timeout`` seconds; at least one arrives.

        ``draw``: see ``Sampling``. ``parameters`` come before those of the model, and their temperature
        before ``temperature``. ``reply_schema`` is a JSON Schema that replies keep to. ``meter`` counts the
        use and may have limits. Setting ``cancelled`` cancels
        the requests.

        Raises:
            LimitReached, UsageError: nothing was sent; the second is for a parameter that the model lacks.
            PromptTooLong, Cancelled, ModelError, CacheUnusable
        """
        how = Sampling(n, temperature, timeout, draw, reply_schema=reply_schema)
        how = self._sampling(how, parameters)
        meter = meter or Meter()
        key = self._asked(messages, how) if self._cache and how.repeatable else None
        if self._cache and key and (cached := self._cache.get(key)):
            meter.add(cached.usage)
            return cached
        deadline = time.monotonic() + how.timeout
        usage = Usage()
        replies = Replies(self._place, messages, how.timeout, self.prices)
        counts = [1] * how.n if self._one_by_one else [how.n]
        usage += self._round(messages, how, counts, replies, meter, deadline, cancelled)
        if 0 < len(replies.texts) < how.n and counts == [how.n]:
            # It was asked for n at once and gave fewer: some servers know no n and always give one.
            self._one_by_one = self._one_by_one or len(replies.texts) == 1
            missing = [1] * (how.n - len(replies.texts))
            try:
                usage += self._round(messages, how, missing, replies, meter, deadline, cancelled)
            except (LimitReached, ModelTimedOut) as end:
                replies.faults.append(end)
        if not replies.texts:
            raise replies.faults[0]
        for error in replies.faults:
            _log.warning("%d of %d replies: %s", len(replies.texts), how.n, error)
        completion = Completion(tuple(replies.texts[: how.n]), usage, replies.by or self.name)
        if self._cache and key and len(completion.texts) == how.n:
            self._cache.put(key, completion)
        return completion

    def _sampling(self, how: Sampling, parameters: ModelParameters | None) -> Sampling:
        merged = (parameters or ModelParameters()).over(self._parameters)
        for name in merged.given:
            if self._field(name) is None:
                raise UsageError(
                    f"{self.name} takes no {name.replace('_', ' ')}",
                    hint=f"leave out {name_option(name)} (TUQA_LLM_{name.upper()})",
                )
        if how.reply_schema is not None and not (self._openai or _SCHEMA_FIELD in self._fields):
            raise UsageError(
                f"{self.name} takes no JSON Schema for its replies",
                hint=f"leave out {name_option('structured')}",
            )
        temperature = how.temperature if merged.temperature is None else merged.temperature
        return replace(how, parameters=merged, temperature=temperature)

    def _field(self, parameter: str) -> str | None:
        """The field of the chat model that holds a parameter."""
        return next((name for name in PARAMETER_FIELDS[parameter] if name in self._fields), None)

    def close(self) -> None:
        if self._opened:
            for name in ("root_client", "root_async_client"):
                close_client(getattr(self._chat, name, None))

    def _round(
        self,
        messages: Sequence[Message],
        how: Sampling,
        counts: Sequence[int],
        replies: Replies,
        meter: Meter,
        deadline: float,
        cancelled: Event | None,
    ) -> Usage:
        """Send one call for each of ``counts``; add the replies to ``replies`` and return the use."""
        tokens = sum(needed(messages, n, how.parameters.reply_tokens) for n in counts)
        reserved = meter.reserve(len(counts), tokens)
        usage, without = Usage(), frozenset(self._without)
        try:
            calls = [self._call(messages, how, n, deadline) for n in counts]
            # Should this be broken off, the calls were sent all the same.
            usage = Usage(calls=len(calls), cost=None)
            outcomes = run_calls(calls, cancelled)
            usage = sum((replies.add(outcome) for outcome in outcomes), Usage())
            refused = {refused_parameter(o) for o in outcomes if isinstance(o, Exception)}
        finally:
            meter.settle(reserved, usage)
        droppable = set(_DROPPABLE) - how.parameters.given.keys()
        if refused_now := (refused & droppable) - without:
            self._without |= {str(parameter) for parameter in refused_now}
            self._one_by_one = self._one_by_one or "n" in refused_now
            replies.faults.clear()
            counts = [1] * sum(counts) if "n" in refused_now else counts
            usage += self._round(messages, how, counts, replies, meter, deadline, cancelled)
        return usage

    def _call(
        self, messages: Sequence[Message], how: Sampling, n: int, deadline: float
    ) -> ModelCall:
        timeout = deadline - time.monotonic()
        if timeout <= 0:
            raise fault(Late(), self._place, how.timeout)
        values: dict[str, Any] = {"n": n if n > 1 else None, "temperature": how.temperature}
        values |= dict.fromkeys(self._without - how.parameters.given.keys())
        values |= {str(self._field(name)): value for name, value in how.parameters.given.items()}
        if how.reply_schema is not None:
            values |= self._format_reply_schema(how.reply_schema, values)
        # Set on a copy: providers read their fields at each call, and disagree on arguments.
        changes = {
            k: v for k, v in values.items() if k in self._fields and v != getattr(self._chat, k)
        }
        chat = self._chat.model_copy(update=changes) if changes else self._chat
        chat_messages = [_spoken(message) for message in messages]
        options: dict[str, Any] = {"timeout": timeout} if self._openai else {}
        if self._openai and not self._opened:
            # A connection that we leave open would fail on the event loop of the caller.
            options["extra_headers"] = {"Connection": "close"}
        return ModelCall(chat, chat_messages, timeout, options, self._tracing)

    def _format_reply_schema(
        self, schema: Mapping[str, Any], values: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The fields of the chat model by which a server learns the schema."""
        if not self._openai:
            return {_SCHEMA_FIELD: dict(schema)}
        # In the body as it is: langchain would parse the reply, which is read here.
        body = values.get("extra_body") or getattr(self._chat, "extra_body", None) or {}
        described = {"name": "steps", "strict": True, "schema": dict(schema)}
        wish = {"response_format": {"type": "json_schema", "json_schema": described}}
        return {"extra_body": {**wish, **body}}

    def _asked(self, messages: Sequence[Message], how: Sampling) -> CompletionRequest:
        given = dict(how.parameters.given)
        parameters = {
            "n": how.n,
            "temperature": how.temperature,
            "max_tokens": given.pop("reply_tokens", None),
            **given,
        }
        if how.temperature > 0:
            parameters["draw"] = how.draw
        if how.reply_schema is not None:
            parameters["reply_schema"] = how.reply_schema
        if self._opened:
            # What langchain says of it changes with its versions, and what it replied was paid for.
            return CompletionRequest(self.name, self.address, parameters, messages)
        description = [type(self._chat).__qualname__, dict(self._chat._identifying_params)]
        # Objects count by their class: what they look like in text may change from run to run.
        identity = json.dumps(description, sort_keys=True, default=lambda o: type(o).__qualname__)
        return CompletionRequest(self.name, self.address, parameters, messages, identity)


def _spoken(message: Message) -> BaseMessage:
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

    kinds = {"system": SystemMessage, "user": HumanMessage, "assistant": AIMessage}
    # Half a surrogate pair, as of an undecodable byte in a terminal, cannot be sent.
    content = message.content.encode("utf-8", "replace").decode()
    spoken: BaseMessage = kinds[message.role](content=content)
    return spoken


def _address(chat: BaseChatModel) -> str:
    client = getattr(chat, "root_client", None)
    own = ("openai_api_base", "anthropic_api_url", "endpoint", "base_url")
    for holder, name in ((client, "base_url"), *((chat, name) for name in own)):
        if address := getattr(holder, name, None):
            return str(address)
    return ""


# The models that a client asks: each opened once, when a question is first asked of it.


@dataclass
class Models:
    """Models by name; ``wished`` is the default, or None for the default of the settings."""

    settings: Settings
    wished: ModelWish = None
    _opened: dict[tuple[object, bool, str | None], Model] = field(default_factory=dict)
    _cache: ReplyCache | None = None
    _lock: Lock = field(default_factory=Lock)

    def model(
        self, llm: ModelWish = None, keep: bool = True, base_url: str | None = None
    ) -> Model | None:
        """Return the model for ``llm``, None for demonstrations.

        ``keep`` stores its replies; ``base_url`` is the address of a model that has a name.

        Raises:
            BadSettings, UsageError, MissingExtra, CacheUnusable
        """
        chosen = llm or self.wished or self.settings.llm or OFFLINE
        if chosen == OFFLINE:
            return None
        if base_url is not None and not isinstance(chosen, str):
            raise UsageError(
                f"an address for a {type(chosen).__name__}, which has one",
                hint=f"leave out {name_option('base_url')}, or name the model, as openai:NAME",
            )
        with self._lock:
            key = (chosen if isinstance(chosen, str) else id(chosen), keep, base_url)
            if key not in self._opened:
                self._opened[key] = self._open(chosen, keep, base_url)
            return self._opened[key]

    def name(self, llm: ModelWish = None, base_url: str | None = None) -> str:
        """Return the name of the model, or ``demonstrations``."""
        model = self.model(llm, keep=False, base_url=base_url)
        return OFFLINE if model is None else model.name

    def _open(self, chosen: str | LangChainChat, keep: bool, base_url: str | None) -> Model:
        from .cache import REPLY_CACHE_FILE, ReplyCache

        if keep and self._cache is None:
            self._cache = ReplyCache(self.settings.home / REPLY_CACHE_FILE)
        cache = self._cache if keep else None
        if isinstance(chosen, str):
            settings = replace(self.settings, llm=chosen)
            return open_model(settings, cache=cache, base_url=base_url)
        return Model(chosen, cache=cache)

    def close(self) -> None:
        with self._lock:
            for model in self._opened.values():
                model.close()
            self._opened.clear()
            if self._cache is not None:
                self._cache.close()
                self._cache = None
