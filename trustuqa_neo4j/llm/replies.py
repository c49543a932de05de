"""Replies of langchain → texts, the problems of unusable replies, and the usage."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..errors import TrustUQAError, UnusableReply
from .budget import Prices, prompt_tokens
from .errors import Place, fault
from .messages import Message, Usage, tokens

if TYPE_CHECKING:
    from langchain_core.outputs import Generation, LLMResult

    from .calls import Outcome

LONGEST = 20_000  # Characters of a reply that are read; a query has some hundred.
_THOUGHT = "</think>"  # Local models write thoughts into the reply; queries in them do not count.

_log = logging.getLogger(__name__)


@dataclass
class Replies:
    """The replies to ``messages`` so far; ``by`` is the name that the model reports."""

    place: Place
    messages: Sequence[Message]
    timeout: float
    prices: Prices | None = None
    texts: list[str] = field(default_factory=list)
    faults: list[TrustUQAError] = field(default_factory=list)
    by: str = ""

    def add(self, outcome: Outcome) -> Usage:
        """Add the outcome of a call; return its usage."""
        if isinstance(outcome, Exception):
            self.faults.append(fault(outcome, self.place, self.timeout))
            _log.debug("%s failed: %s", self.place, type(outcome).__name__)
            return self._used(0, 0)
        generations = [generation for prompt in outcome.generations for generation in prompt]
        texts = [_text(generation) for generation in generations]
        for text, generation in zip(texts, generations, strict=True):
            if problem := _problem(text, generation.generation_info or {}):
                self._unusable(*problem)
            else:
                self.texts.append(text)
        if not generations:
            self._unusable("a reply with no choices", "ask again, or another model")
        self.by = self.by or next(filter(None, map(_named, generations)), "")
        counts = _tokens(outcome)
        if counts is None:
            return self._used(prompt_tokens(self.messages), sum(map(tokens, texts)), metadata=False)
        return self._used(*counts)

    def _unusable(self, what: str, hint: str) -> None:
        self.faults.append(UnusableReply(what, where=str(self.place), hint=hint))

    def _used(self, read: int, written: int, cached: int = 0, *, metadata: bool = True) -> Usage:
        cost = self.prices.cost(read, written, cached) if self.prices else None
        return Usage(
            read,
            written,
            calls=1,
            cost=cost,
            estimated=not metadata,
            provider_cached_tokens=cached,
        )


def _text(generation: Generation) -> str:
    # ``text`` joins the text parts of a chat message.
    text = str(getattr(getattr(generation, "message", None), "text", generation.text))
    return text.rpartition(_THOUGHT)[2]


def _named(generation: Generation) -> str:
    metadata = getattr(getattr(generation, "message", None), "response_metadata", {})
    return str(metadata.get("model_name") or "")


def _tokens(result: LLMResult) -> tuple[int, int, int] | None:
    # Read, written, and read from the provider's cache. Each choice reports the tokens of the whole reply.
    for prompt in result.generations:
        for generation in prompt:
            usage = getattr(getattr(generation, "message", None), "usage_metadata", None)
            if usage:
                details = usage.get("input_token_details") or {}
                cached = details.get("cache_read") or 0
                return usage["input_tokens"], usage["output_tokens"], cached
    return None


def _problem(text: str, info: Mapping[str, Any]) -> tuple[str, str] | None:
    if len(text) > LONGEST:
        return (
            f"a reply of {len(text):,} characters, of which at most {LONGEST:,} are read",
            "limit the tokens of a reply, or take another model",
        )
    if not text.strip():
        ended = info.get("finish_reason") or info.get("stop_reason")
        return (
            f"a reply with no text{f' (it ended by {ended!r})' if ended else ''}",
            "allow it more tokens" if ended == "length" else "ask again, or another model",
        )
    return None
