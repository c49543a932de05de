"""Each fault of a server: which error, its words, how many requests, in which time; and no key anywhere."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.chat_models import QUESTION, Opened
from support.chat_server import (  # fmt: skip
    BROKEN_JSON,
    CUT,
    EMPTY,
    KEY,
    LONG,
    NOT_JSON,
    Chat,
    Fault,
    Reply,
    dripping,
    slow,
    status,
)

from trustuqa_neo4j import errors
from trustuqa_neo4j.errors import TrustUQAError
from trustuqa_neo4j.llm.cache import ReplyCache
from trustuqa_neo4j.llm.client import Model
from trustuqa_neo4j.llm.errors import Place, bare, fault

AGAIN = 0.01  # seconds that a server asks to wait
QUOTED = f"Incorrect API key provided: {KEY}, see http://me:{KEY}@example.org"

# The fault, the error, a part of its words, and how many requests there are where one retry is allowed.
FAULTS: dict[str, tuple[Reply, str, str, int]] = {
    "no key": (status(401, QUOTED), "ModelKeyRefused", "the key is refused (401)", 1),
    "forbidden": (status(403, QUOTED), "ModelKeyRefused", "the key may not use this model (403)", 1),
    "unknown": (status(404, "no 'test'"), "UnknownModel", "at this address (404): no 'test'", 1),
    "refused": (status(400, QUOTED), "ModelRefused", "not taken (400): Incorrect API key provided", 1),
    "too long by code": (
        status(400, "reduce it", code="context_length_exceeded"), "PromptTooLong", "reduce it", 1,
    ),
    "too long by words": (
        status(400, "maximum context length is 8 tokens"), "PromptTooLong", "is 8 tokens", 1,
    ),
    "busy": (
        status(429, retry_after=AGAIN), "ModelBusy",
        "too many requests (429), to be tried again after 0.01 s", 2,
    ),
    "busy for long": (status(429, retry_after=900), "ModelBusy", "after 900 s", 1),
    "quota": (
        status(429, code="insufficient_quota", retry_after=AGAIN), "ModelBusy", "is used up", 2,
    ),
    "failed": (status(500, "oh no", retry_after=AGAIN), "ModelFailed", "failed (500): oh no", 2),
    "loading": (status(503, "loading", retry_after=AGAIN), "ModelFailed", "failed (503): loading", 2),
    "cut": (CUT, "ModelUnreachable", "peer closed connection", 2),
    "no JSON": (NOT_JSON, "UnusableReply", "'<html>Welcome</html>'", 1),
    "broken JSON": (BROKEN_JSON, "UnusableReply", "not a reply of a model", 1),
    "other JSON": (Fault(body=b'{"hello": 1}'), "UnusableReply", "not a reply of a model", 1),
    "a list": (Fault(body=b"[1, 2]"), "UnusableReply", "not a reply of a model", 1),
    "error in a reply": (
        Fault(body=b'{"error": {"message": "out of memory"}}'), "UnusableReply", "out of memory", 1,
    ),
    "null choices": (Fault(body=b'{"choices": null}'), "UnusableReply", "null", 1),
    "no choices": (EMPTY, "UnusableReply", "a reply with no choices", 1),
    "no text": ("", "UnusableReply", "a reply with no text (it ended by 'stop')", 1),
    "2 MB": (LONG, "UnusableReply", "2,000,000 characters, of which at most 20,000 are read", 1),
    "6 MB": (Fault(body=b" " * 6_000_000), "UnusableReply", "more than 5,000,000 bytes", 1),
    "redirected": (
        Fault(307, b"{}", {"Location": "http://127.0.0.2:1/v1/chat/completions"}),
        "ModelFailed", "another address (307)", 1,
    ),
    "slow": (slow(30), "ModelTimedOut", "no reply within", 1),
    "a byte now and then": (dripping(0.02), "ModelTimedOut", "no reply within", 1),
}  # fmt: skip
LATE = ("slow", "a byte now and then")

Ways = Callable[..., Any]


def way(name: str) -> Ways:
    def completed(model: Model, **how: Any) -> Any:
        if name == "sync":
            return model.complete(QUESTION, **how)
        return asyncio.run(asyncio.to_thread(model.complete, QUESTION, **how))

    return completed


@pytest.mark.parametrize("called", ["sync", "async"])
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_told(
    opened: Opened,
    caplog: pytest.LogCaptureFixture,
    tmp_path: Path,
    name: str,
    called: str,
) -> None:
    reply, kind, words, requests = FAULTS[name]
    caplog.set_level(logging.DEBUG)
    cache = ReplyCache(tmp_path / "replies.sqlite")
    with Chat(reply) as chat:
        model = opened(chat, retries=1, cache=cache)
        with pytest.raises(TrustUQAError) as caught:
            way(called)(model, timeout=0.5 if name in LATE else 120)
        error = caught.value
        assert type(error).__name__ == kind
        assert type(error) is getattr(errors, kind)
        assert words in error.what, error.what
        assert error.where == f"openai:test at {chat.url}"
        assert error.hint
        assert len(str(error)) < 500
        assert error.exit_code == (1 if kind == "PromptTooLong" else 3)
        # On a busy machine the time may be over before anything is sent.
        assert len(chat.requests) in ((0, 1) if name in LATE else (requests,))
        assert all(request.key == KEY for request in chat.requests)
    assert cache.count() == 0
    cache.close()
    shown = [str(error), repr(error), *traceback.format_exception(error), repr(model), caplog.text]
    assert all(KEY not in text for text in shown)
    assert all(KEY.encode() not in path.read_bytes() for path in tmp_path.iterdir())


@pytest.mark.parametrize("called", ["sync", "async"])
def test_what_failed_for_now_is_sent_again(opened: Opened, called: str) -> None:
    with Chat(status(429, retry_after=AGAIN), status(500, retry_after=AGAIN), "yes") as chat:
        assert way(called)(opened(chat)).texts == ("yes",)
    assert len(chat.requests) == 3


@pytest.mark.parametrize("called", ["sync", "async"])
def test_a_wait_that_a_server_asks_for_ends_with_the_time(opened: Opened, called: str) -> None:
    with Chat(status(429, retry_after=60)) as chat:
        with pytest.raises(errors.ModelTimedOut):
            way(called)(opened(chat), timeout=0.2)
        assert len(chat.requests) <= 1


def test_nothing_is_sent_again_once_the_time_is_over(opened: Opened) -> None:
    with Chat(status(500, retry_after=0.8)) as chat:
        with pytest.raises(errors.ModelTimedOut):
            opened(chat).complete(QUESTION, timeout=0.4)
        chat.ended.wait(0.6)
        assert len(chat.requests) <= 1


@pytest.mark.parametrize("called", ["sync", "async"])
def test_a_server_that_is_not_there(opened: Opened, called: str) -> None:
    with Chat() as chat:
        gone = chat
    with pytest.raises(errors.ModelUnreachable) as caught:
        way(called)(opened(gone, retries=0))
    assert "[Errno" in caught.value.what
    assert str(caught.value).endswith(
        f"openai:test at {gone.url}\nhint: is the server running, and its address right (OPENAI_BASE_URL)?"
    )


def test_prose_is_a_reply(opened: Opened) -> None:
    """Whether there is a query in it is for others to say."""
    with Chat("I am sorry, I cannot help with that.") as chat:
        assert opened(chat).complete(QUESTION).texts == ("I am sorry, I cannot help with that.",)


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://me:secret@host:8/v1/?key=secret#x", "https://host:8/v1"),
        ("https://host/v1", "https://host/v1"),
        ("http://[::1", ""),
        ("", ""),
    ],
)
def test_an_address_is_shown_without_secrets(address: str, shown: str) -> None:
    assert bare(address) == shown


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("key abcd1234 is wrong", "key *** is wrong"),
        ("sk-proj-12345678 and gsk_12345678", "*** and ***"),
        ("at http://me:pw@host/", "at http://***@host/"),
        ("two\n  lines", "two lines"),
        ("x" * 300, "x" * 200 + "…"),
    ],
)
def test_words_of_others_are_short_and_hold_no_secret(said: str, shown: str) -> None:
    assert Place("m", "", ("abcd1234",)).shown(said) == shown


def test_a_secret_is_not_shown_in_half() -> None:
    place = Place("m", "", ("abcd1234",))
    assert place.shown("x" * 197 + "abcd1234") == "x" * 197 + "***"
    assert "abcd1234" not in repr(place)


def test_old_tracing_variables_are_named() -> None:
    error = fault(
        RuntimeError("Tracing using LangChainTracerV1 is no longer supported."), Place("m"), 1
    )
    assert type(error) is errors.BadSettings
    assert error.hint == "unset it"


def test_an_error_of_ours_stays() -> None:
    error = errors.LimitReached("no")
    assert fault(error, Place("m"), 1) is error


class ModelRateLimitError(Exception):
    """As langchain calls it, of a provider whose package tells no status."""


class ContextOverflowError(Exception):
    """The same."""


class ModelTimeoutError(Exception):
    """The same."""


class ConnectError(ConnectionError):
    """As httpx calls it."""


class Coded(Exception):
    """The status under another name."""

    code = 404


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ModelRateLimitError("slow down"), errors.ModelBusy),
        (ContextOverflowError("too much"), errors.PromptTooLong),
        (ModelTimeoutError("late"), errors.ModelTimedOut),
        (ConnectError("[Errno 111]"), errors.ModelUnreachable),
        (TimeoutError(), errors.ModelTimedOut),
        (Coded("no such model"), errors.UnknownModel),
        (KeyError("choices"), errors.UnusableReply),
        (OSError("no"), errors.ModelFailed),
    ],
)
def test_errors_of_other_packages_are_told_apart(error: Exception, kind: type[Exception]) -> None:
    found = fault(error, Place("anthropic:m"), 1)
    assert type(found) is kind
    assert "OPENAI" not in found.hint
