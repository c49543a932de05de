"""Errors of providers → errors of this package, without secrets.

Status codes and class names identify the exceptions, since packages that are not installed cannot be
imported. The errors have no ``__cause__``, because its traceback may show the key.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from ..errors import (
    BadSettings,
    ModelBusy,
    ModelError,
    ModelFailed,
    ModelKeyRefused,
    ModelRefused,
    ModelTimedOut,
    ModelUnreachable,
    PromptTooLong,
    TrustUQAError,
    UnknownModel,
    UnusableReply,
    find_root_cause,
)
from ..wording import CallOption, name_option
from .calls import ResponseTooLong
from .parameters import PARAMETER_FIELDS

_QUOTED = 200  # characters of somebody else's message
_KEY = re.compile(r"\b(?:(?:sk|pk|rk|gsk|key|lsv2)[-_]|Bearer )[\w*.~+/=-]{6,}")
_IN_ADDRESS = re.compile(r"(?<=://)[^/@\s]+@")
_HIDDEN = "***"
_CODE = re.compile(r"^Error code: \d+ - ")  # which we say ourselves
_TEXT = re.compile(r"^Unexpected response type .* got str: ")

_LATE = {
    "Late",
    "TimeoutError",
    "APITimeoutError",
    "TimeoutException",
    "Timeout",
    "ModelTimeoutError",
}
_CUT = {"APIConnectionError", "ConnectionError", "TransportError", "ModelConnectionError"}
_TOO_LONG = re.compile(r"context[ _](?:length|window|size)|prompt is too long|too many tokens")
# What langchain calls it where a provider's package does not tell the status.
_STATUS_OF = {
    "ModelInvalidRequestError": 400,
    "ModelAuthenticationError": 401,
    "ModelPermissionDeniedError": 403,
    "ModelNotFoundError": 404,
    "ModelRateLimitError": 429,
    "ModelAPIError": 500,
}
_UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, IndexError)


@dataclass(frozen=True, slots=True)
class Place:
    """A model with its address, and the secrets that no message may contain."""

    model: str
    address: str = ""
    secrets: tuple[str, ...] = field(default=(), repr=False)

    def __str__(self) -> str:
        return f"{self.model} at {self.address}" if self.address else self.model

    def variable(self, name: str) -> str:
        # These models read their key and address from the environment.
        return f" (OPENAI_{name})" if self.model.startswith("openai:") else ""

    def shown(self, text: object) -> str:
        """Shorten ``text`` to one line without secrets."""
        line = " ".join(str(text).split())
        for secret in self.secrets:
            line = line.replace(secret, _HIDDEN)
        line = _IN_ADDRESS.sub(f"{_HIDDEN}@", _KEY.sub(_HIDDEN, line))
        return line if len(line) <= _QUOTED else f"{line[:_QUOTED]}…"


def bare(address: str) -> str:
    try:
        parts = urlsplit(address)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return ""
    return urlunsplit((parts.scheme, (parts.hostname or "") + port, parts.path.rstrip("/"), "", ""))


def secrets_of(chat: Any) -> tuple[str, ...]:
    secrets = []
    for name in type(chat).model_fields:
        value: Any = getattr(chat, name, None)
        if hasattr(value, "get_secret_value"):
            secrets.append(value.get_secret_value())
        elif name == "default_headers" and isinstance(value, dict):
            secrets += value.values()
        elif isinstance(value, str) and "://" in value:
            secrets += _passwords(value)
    return tuple(text for text in secrets if isinstance(text, str) and len(text) > 3)


def _passwords(address: str) -> Iterable[str]:
    try:
        return filter(None, (urlsplit(address).password,))
    except ValueError:
        return ()


def fault(error: Exception, place: Place, timeout: float) -> TrustUQAError:
    if isinstance(error, TrustUQAError):
        return error
    names = {kind.__name__ for kind in type(error).__mro__}
    for cause in (error, error.__cause__):  # some versions of openai wrap it
        if isinstance(cause, ResponseTooLong):
            return _unreadable(str(cause), place)
    status = _status(error) or next((_STATUS_OF[n] for n in names & _STATUS_OF.keys()), None)
    if names & _LATE:
        return ModelTimedOut(
            f"no reply within {timeout:g} s",
            where=str(place),
            hint=f"allow more time ({CallOption.TIMEOUT}), or take a faster model",
        )
    if "ContextOverflowError" in names:
        return _too_long(place.shown(error), place)
    if status is not None:
        return _of_status(status, error, place)
    if names & _CUT:
        root = find_root_cause(error)  # outer causes only repeat that there was one
        return ModelUnreachable(
            f"no reply: {place.shown(str(root) or type(root).__name__)}",
            where=str(place),
            hint=f"is the server running, and its address right{place.variable('BASE_URL')}?",
        )
    return _of_client(error, place)


_PARAMETERS = {
    "n": "n",
    "reasoning.effort": "reasoning_effort",
    **{name: parameter for parameter, names in PARAMETER_FIELDS.items() for name in names},
    "max_completion_tokens": "reply_tokens",
    "response_format": "response_format",
}
"""Name in a request → parameter."""

# Of servers that do not say which parameter they refuse; a short name must be in quotes.
_IN_MESSAGE = re.compile(
    r"(?<![\w.])(temperature|max_\w*tokens|num_predict|random_seed|reasoning_effort|response_format)(?![\w.])"
    r"|(?<=[`'\"])(n|seed|effort)(?=[`'\"])"
)


def refused_parameter(error: Exception) -> str | None:
    """The parameter that a server refuses, or None."""
    if _status(error) not in (400, 422):
        return None
    parameter = getattr(error, "param", None)
    if isinstance(parameter, str):
        return _PARAMETERS.get(parameter)
    message = str(getattr(error, "message", error))
    named = {_PARAMETERS.get(first or then) for first, then in _IN_MESSAGE.findall(message)}
    return named.pop() if len(named) == 1 else None


def _of_status(status: int, error: Exception, place: Place) -> TrustUQAError:
    detail = place.shown(_CODE.sub("", str(getattr(error, "message", error))))
    code = getattr(error, "code", None)
    if status in (401, 403):
        what = "the key is refused" if status == 401 else "the key may not use this model"
        # Some servers quote the key that they refuse, so theirs is not told.
        return ModelKeyRefused(
            f"{what} ({status})", where=str(place), hint=f"check the key{place.variable('API_KEY')}"
        )
    if status == 404:
        return UnknownModel(
            f"no such model, or nothing at this address (404): {detail}",
            where=str(place),
            hint="check the name; the address of a server of your own mostly ends in /v1",
        )
    if status == 429:
        return _busy(code, error, place)
    if status >= 500:
        return ModelFailed(
            f"the server failed ({status}): {detail}", where=str(place), hint="try again later"
        )
    if 300 <= status < 400:
        return ModelFailed(
            f"the server redirects to another address ({status})",
            where=str(place),
            hint="redirects are not followed: give the address itself",
        )
    if status < 400:
        return _unreadable(detail, place)
    if code == "context_length_exceeded" or _TOO_LONG.search(detail.lower()):
        return _too_long(detail, place)
    hint = "does this model take chat messages, and these parameters?"
    parameter = refused_parameter(error) or ""
    if parameter == "response_format":
        hint = f"leave out {name_option('structured')}: the server keeps to no JSON Schema"
    if parameter in PARAMETER_FIELDS:
        hint = f"leave out {name_option(parameter)} (TUQA_LLM_{parameter.upper()}), or give another value"
    return ModelRefused(
        f"the request is not taken ({status}): {detail}", where=str(place), hint=hint
    )


def _too_long(detail: str, place: Place) -> PromptTooLong:
    return PromptTooLong(
        f"the model cannot read a prompt of this length: {_CODE.sub('', detail)}",
        where=str(place),
        hint="give the prompt fewer tokens, or take a model that reads more",
    )


def _busy(code: object, error: Exception, place: Place) -> ModelBusy:
    if code == "insufficient_quota":
        what, hint = "the quota of the key is used up (429)", "raise it with the provider"
    else:
        what, hint = "too many requests (429)", "wait, or ask fewer questions at once"
        headers = getattr(getattr(error, "response", None), "headers", None) or {}
        if after := headers.get("retry-after"):
            what += f", to be tried again after {place.shown(after)} s"
    return ModelBusy(what, where=str(place), hint=hint)


def _of_client(error: Exception, place: Place) -> TrustUQAError:
    detail = place.shown(error)
    if "LangChainTracerV1" in detail:
        return BadSettings(
            "LANGCHAIN_TRACING or LANGCHAIN_HANDLER is set, which langchain no longer knows",
            where="environment",
            hint="unset it",
        )
    if isinstance(error, _UNREADABLE):
        text = _TEXT.sub("", detail)
        return _unreadable(text if text != detail else f"{type(error).__name__}: {detail}", place)
    return ModelFailed(
        f"{type(error).__name__}: {detail}", where=str(place), hint="see what its provider says"
    )


def _unreadable(detail: str, place: Place) -> ModelError:
    return UnusableReply(
        f"what came is not a reply of a model: {detail}",
        where=str(place),
        hint="does the address speak the chat-completions protocol?",
    )


def _status(error: Exception) -> int | None:
    response = getattr(error, "response", None)
    for holder, name in ((error, "status_code"), (response, "status_code"), (error, "code")):
        status = getattr(holder, name, None)
        if isinstance(status, int):
            return int(status)
    return None
