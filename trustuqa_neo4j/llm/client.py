"""A language model with cache, limits and deadline: messages in, replies out.

It uses any ``BaseChatModel`` of langchain. Functions import langchain when needed, since the import takes a
second.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.util import find_spec
from threading import Event, Lock
from typing import TYPE_CHECKING, Any, TypeAlias

from ..errors import (
    BadSettings,
    LimitReached,
    MissingExtra,
    ModelTimedOut,
    UsageError,
    require_extra,
)
from ..settings import Settings
from .budget import Meter, Prices, needed
from .cache import CompletionRequest, ReplyCache
from .calls import Late, ModelCall, close_client, read_limited, read_limited_async, run_calls
from .errors import Place, bare, fault, refused_parameter, secrets_of
from .messages import Completion, Message, Sampling, Usage
from .replies import Replies

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage

    ModelWish: TypeAlias = str | BaseChatModel | None


# A name → the langchain model that talks to it. Imported inside functions: it takes a second.


OFFLINE = "demonstrations"  # Needs no model; the caller handles it.

_OPENAI = "https://api.openai.com/v1"
_NO_KEY = "none-needed"  # the package wants some key, a server of one's own does not
_GIVE_A_NAME = f"write provider:NAME, as openai:gpt-5-mini, or {OFFLINE}"


def chat_model(name: str, settings: Settings, retries: int) -> BaseChatModel:
    """Create the chat model ``name`` (``provider:NAME``); nothing is sent yet.

    Raises:
        BadSettings: no such name or provider, no key, or a malformed address. MissingExtra: the package
        of the provider is not installed.
    """
    provider, _, model = name.partition(":")
    if not provider or not model or name == OFFLINE:
        raise BadSettings(f"{name!r} names no model", where="TUQA_LLM", hint=_GIVE_A_NAME)
    if provider == "openai":
        return _openai(model, settings, retries)
    return _other(provider, model, retries)


def _openai(model: str, settings: Settings, retries: int) -> BaseChatModel:
    address = settings.openai_base_url or _OPENAI
    if not address.startswith(("http://", "https://")):
        raise BadSettings(
            f"{bare('http://' + address)[7:]!r} is no address",
            where="OPENAI_BASE_URL",
            hint="it begins with http:// or https://, as http://localhost:8000/v1",
        )
    settings.check_secret("openai_api_key")
    key = settings.openai_api_key
    if key is None and bare(address) == _OPENAI:
        raise BadSettings(
            "no key",
            where=f"OPENAI_API_KEY, for openai:{model}",
            hint=f"set it, or OPENAI_BASE_URL for a server that needs none, or take {OFFLINE}",
        )
    with require_extra("openai", "OpenAI models need", f"or take {OFFLINE}"):
        import openai
        from langchain_openai import ChatOpenAI
        from pydantic import SecretStr

    class Plain(ChatOpenAI):
        # openai searches each message for files, which takes as long as everything else.
        def _get_request_payload(self, *client: Any, **named: Any) -> dict[str, Any]:
            payload: dict[str, Any] = super()._get_request_payload(*client, **named)
            if "messages" in payload:  # another of OpenAI's interfaces has none
                own = {"messages": payload["messages"]}
                payload |= {
                    "messages": [],
                    "extra_body": {**(payload.get("extra_body") or {}), **own},
                }
            return payload

    # Clients of our own, for langchain's take no notice of HTTPS_PROXY. A redirect would carry the prompt to
    # a host that nobody named.
    clients: dict[str, Any] = {
        "http_client": openai.DefaultHttpxClient(
            follow_redirects=False, event_hooks={"response": [read_limited]}
        ),
        "http_async_client": openai.DefaultAsyncHttpxClient(
            follow_redirects=False, event_hooks={"response": [read_limited_async]}
        ),
        "http_socket_options": (),  # not in all versions
        "openai_proxy": None,
    }
    # Address and key are given even where they are the default: otherwise LANGSMITH_GATEWAY, an
    # environment variable that a person may have set for something else, would have all go through there.
    return Plain(
        model=model,
        base_url=address,
        api_key=SecretStr(key or _NO_KEY),
        max_retries=retries,
        **{name: client for name, client in clients.items() if name in ChatOpenAI.model_fields},
    )


def _other(provider: str, model: str, retries: int) -> BaseChatModel:
    need = f"models of {provider} need"
    if find_spec("langchain") is None:
        raise _missing(need, "langchain", f"langchain langchain-{provider}")
    opener: Any = import_module(
        "langchain.chat_models"
    )  # no extra of ours brings it, nor its types

    try:
        chat = opener.init_chat_model(model, model_provider=provider, max_retries=retries)
    except ImportError as error:
        package = (error.name or f"langchain-{provider}").replace("_", "-")
        raise _missing(need, package, package) from error
    except ValueError as error:
        # Of pydantic's errors the text would quote what it was given.
        words = "its key is not set, or " if "api_key" in str(error).lower() else ""
        raise BadSettings(
            f"langchain cannot open {model!r} of {provider!r}",
            where="TUQA_LLM",
            hint=f"{words}it knows no such provider; {_GIVE_A_NAME}",
        ) from None
    return chat  # type: ignore[no-any-return]


def _missing(need: str, package: str, install: str) -> MissingExtra:
    return MissingExtra(
        f"{need} the Python package {package!r}",
        where="which is not installed",
        hint=f"pip install {install}",
    )


__all__ = ["OFFLINE", "Model", "Prices", "open_model"]

RETRIES = 2  # attempts of a provider's package after a temporary failure
_LENGTH = ("max_tokens", "max_output_tokens", "num_predict")  # its names among providers
_DROPPABLE = ("n", "temperature")  # parameters that some models refuse and do without

_log = logging.getLogger(__name__)


def open_model(
    settings: Settings,
    *,
    cache: ReplyCache | None = None,
    retries: int = RETRIES,
    tracing: bool = False,
) -> Model:
    # Nothing is sent yet. Raises BadSettings, MissingExtra.
    name = settings.llm or OFFLINE
    prices = Prices.of(settings.llm_prices) if settings.llm_prices else None
    chat = chat_model(name, settings, retries)
    return Model(chat, name=name, opened=True, cache=cache, prices=prices, tracing=tracing)


class Model:
    """A chat model of langchain; safe to share between threads.

    ``opened``: created here from its name, so closed here. ``tracing`` lets langchain report to the service
    in the environment.
    """

    def __init__(
        self,
        chat: BaseChatModel,
        *,
        name: str = "",
        opened: bool = False,
        cache: ReplyCache | None = None,
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
        """The address without secrets; empty if the package does not expose it."""
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
        cancelled: Event | None = None,
    ) -> Completion:
        """Request ``n`` replies in at most ``timeout`` seconds; at least one arrives.

        ``draw``: see ``Sampling``. ``meter`` counts the use and may have limits. Setting ``cancelled``
        cancels the requests.

        Raises:
            LimitReached: nothing was sent.
            PromptTooLong, Cancelled, ModelError, CacheUnusable
        """
        how = Sampling(n, temperature, max_tokens, timeout, draw)
        meter = meter or Meter()
        key = self._asked(messages, how) if self._cache and how.repeatable else None
        if self._cache and key and (cached := self._cache.get(key)):
            meter.add(cached.usage)
            return cached
        deadline = time.monotonic() + how.timeout
        usage = Usage()
        replies = Replies(self._place, messages, how.timeout, self._prices)
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
        tokens = sum(needed(messages, n, how.max_tokens) for n in counts)
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
        if refused_now := (refused & set(_DROPPABLE)) - without:
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
        parameters: dict[str, Any] = {"n": n if n > 1 else None, "temperature": how.temperature}
        length = next((name for name in _LENGTH if name in self._fields), "")
        parameters |= {length: how.max_tokens} if how.max_tokens else {}
        parameters |= dict.fromkeys(self._without)
        # Set on a copy: providers read their fields at each call, and disagree on arguments.
        changes = {
            k: v for k, v in parameters.items() if k in self._fields and v != getattr(self._chat, k)
        }
        chat = self._chat.model_copy(update=changes) if changes else self._chat
        chat_messages = [_spoken(message) for message in messages]
        options: dict[str, Any] = {"timeout": timeout} if self._openai else {}
        if self._openai and not self._opened:
            # A connection that we leave open would fail on the event loop of the caller.
            options["extra_headers"] = {"Connection": "close"}
        return ModelCall(chat, chat_messages, timeout, options, self._tracing)

    def _asked(self, messages: Sequence[Message], how: Sampling) -> CompletionRequest:
        parameters = {"n": how.n, "temperature": how.temperature, "max_tokens": how.max_tokens}
        if how.temperature > 0:
            parameters["draw"] = how.draw
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
    for holder, name in ((client, "base_url"), (chat, "openai_api_base"), (chat, "base_url")):
        if address := getattr(holder, name, None):
            return str(address)
    return ""


# The models that a client asks: each opened once, when a question is first asked of it.


@dataclass
class Models:
    """Models by name; ``wished`` is the default, or None for the default of the settings."""

    settings: Settings
    wished: ModelWish = None
    _opened: dict[tuple[object, bool], Model] = field(default_factory=dict)
    _cache: ReplyCache | None = None
    _lock: Lock = field(default_factory=Lock)

    def model(self, llm: ModelWish = None, keep: bool = True) -> Model | None:
        """Return the model for ``llm``, None for demonstrations; ``keep`` stores its replies.

        Raises:
            BadSettings, MissingExtra, CacheUnusable
        """
        chosen = llm or self.wished or self.settings.llm or OFFLINE
        if chosen == OFFLINE:
            return None
        with self._lock:
            key = (chosen if isinstance(chosen, str) else id(chosen), keep)
            if key not in self._opened:
                self._opened[key] = self._open(chosen, keep)
            return self._opened[key]

    def name(self, llm: ModelWish = None) -> str:
        """Return the name of the model, or ``demonstrations``."""
        model = self.model(llm, keep=False)
        return OFFLINE if model is None else model.name

    def _open(self, chosen: str | BaseChatModel, keep: bool) -> Model:
        from .cache import REPLY_CACHE_FILE, ReplyCache

        if keep and self._cache is None:
            self._cache = ReplyCache(self.settings.home / REPLY_CACHE_FILE)
        cache = self._cache if keep else None
        if isinstance(chosen, str):
            return open_model(replace(self.settings, llm=chosen), cache=cache)
        return Model(chosen, cache=cache)

    def close(self) -> None:
        with self._lock:
            for model in self._opened.values():
                model.close()
            self._opened.clear()
            if self._cache is not None:
                self._cache.close()
                self._cache = None
