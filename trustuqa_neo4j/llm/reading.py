"""What langchain hands back → texts that can be read, what is wrong with the others, and what they used."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..errors import TrustUQAError, UnusableReply
from .faults import Place, fault
from .messages import Message, Usage
from .metering import prompt_tokens
from .prices import Prices
from .tokens import tokens

if TYPE_CHECKING:
    from langchain_core.outputs import Generation, LLMResult

    from .calling import Outcome

LONGEST = 1_000_000
"""Characters of a reply that is read; a query has some hundred."""

_THOUGHT = "</think>"
"""Where thoughts end, of local models that write them into the reply; queries in them are no queries."""

_log = logging.getLogger(__name__)


@dataclass
class Replies:
    """What has come so far to ``messages``; ``by`` is the name that the model gave itself."""

    place: Place
    messages: Sequence[Message]
    timeout: float
    prices: Prices | None = None
    texts: list[str] = field(default_factory=list)
    faults: list[TrustUQAError] = field(default_factory=list)
    by: str = ""

    def add(self, outcome: Outcome) -> Usage:
        """Take the outcome of a call; what it used."""
        if isinstance(outcome, Exception):
            self.faults.append(fault(outcome, self.place, self.timeout))
            _log.debug("%s failed: %s", self.place, type(outcome).__name__)
            return self._used(0, 0)
        given = [generation for prompt in outcome.generations for generation in prompt]
        texts = [_text(generation) for generation in given]
        for text, generation in zip(texts, given, strict=True):
            if problem := _problem(text, generation.generation_info or {}):
                self._unusable(*problem)
            else:
                self.texts.append(text)
        if not given:
            self._unusable("a reply with no choices", "ask again, or another model")
        self.by = self.by or next(filter(None, map(_named, given)), "")
        said = _tokens(outcome)
        if said is None:
            return self._used(prompt_tokens(self.messages), sum(map(tokens, texts)), told=False)
        return self._used(*said)

    def _unusable(self, what: str, hint: str) -> None:
        self.faults.append(UnusableReply(what, where=str(self.place), hint=hint))

    def _used(self, read: int, written: int, *, told: bool = True) -> Usage:
        cost = self.prices.cost(read, written) if self.prices else None
        return Usage(read, written, calls=1, cost=cost, estimated=not told)


def _text(generation: Generation) -> str:
    """A chat message may have parts, of which some are text; ``text`` of it has them all."""
    text = str(getattr(getattr(generation, "message", None), "text", generation.text))
    return text.rpartition(_THOUGHT)[2]


def _named(generation: Generation) -> str:
    """What the server says that its model is called."""
    told = getattr(getattr(generation, "message", None), "response_metadata", {})
    return str(told.get("model_name") or "")


def _tokens(result: LLMResult) -> tuple[int, int] | None:
    """Read and written; each choice of a reply tells those of the whole, so one will do."""
    for prompt in result.generations:
        for generation in prompt:
            used = getattr(getattr(generation, "message", None), "usage_metadata", None)
            if used:
                return used["input_tokens"], used["output_tokens"]
    return None


def _problem(text: str, info: Mapping[str, Any]) -> tuple[str, str] | None:
    """What is wrong with a reply, and what to try."""
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
