"""Limits for the calls and tokens of a question or a run.

A call reserves its estimated tokens before it is sent, and replaces them by those used afterwards. So no two
threads can pass a limit together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

from ..errors import BadSettings, LimitReached
from ..wording import name_option
from .messages import MESSAGE, Message, Usage, tokens

PROMPT_BUDGET = 12_000
"""Tokens of a prompt by default, without the reply."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Maximal use; None is no limit. Cached replies use nothing."""

    max_calls: int | None = None
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Reserved:
    """Calls and tokens of open calls, released at their end."""

    calls: int
    tokens: int


class Meter:
    """Counts use against ``limits`` and those of the outer meter ``within``; threads may share it.

    ``of`` names the counted unit in messages.
    """

    def __init__(
        self, limits: Limits | None = None, *, of: str = "question", within: Meter | None = None
    ) -> None:
        self.limits: Limits = limits or Limits()
        self.of = of
        self.within = within
        self._used = Usage()
        self._calls = 0  # under way
        self._tokens = 0
        self._lock = Lock()

    @property
    def used(self) -> Usage:
        with self._lock:
            return self._used

    def reserve(self, calls: int, tokens: int) -> Reserved:
        """Reserve ``calls`` and ``tokens`` here and in the outer meter.

        Raises:
            LimitReached: nothing is reserved then.
        """
        with self._lock:
            self._check("calls", self._used.calls + self._calls, calls, self.limits.max_calls)
            self._check("tokens", self._used.tokens + self._tokens, tokens, self.limits.max_tokens)
            if self.within is not None:
                self.within.reserve(calls, tokens)
            self._calls += calls
            self._tokens += tokens
        return Reserved(calls, tokens)

    def settle(self, reserved: Reserved, usage: Usage) -> None:
        """Replace ``reserved`` by the real use."""
        with self._lock:
            self._calls -= reserved.calls
            self._tokens -= reserved.tokens
            self._used += usage
        if self.within is not None:
            self.within.settle(reserved, usage)

    def add(self, usage: Usage) -> None:
        self.settle(Reserved(0, 0), usage)

    def _check(self, what: str, so_far: int, more: int, limit: int | None) -> None:
        if limit is not None and so_far + more > limit:
            raise LimitReached(
                f"{so_far:,} of {limit:,} {what} are used, the next call of the model needs {more:,}",
                where=f"limit of this {self.of}",
                hint=f"raise {name_option(f'max_{what}')}, or ask with fewer votes, retries or "
                "demonstrations",
            )


def needed(messages: Sequence[Message], n: int, reply_tokens: int | None) -> int:
    """Estimate the tokens of one call: its prompt and ``n`` replies.

    Replies of unlimited length count only afterwards.
    """
    return prompt_tokens(messages) + n * (reply_tokens or 0)


def prompt_tokens(messages: Sequence[Message]) -> int:
    return sum(tokens(message.content) + MESSAGE for message in messages)


# What tokens cost, as the user says: lists of prices are out of date before they are published.


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices of a million tokens in any currency: read, written, and read from the provider's cache.

    ``cached`` None is the price of ``read``.
    """

    read: float
    written: float
    cached: float | None = None

    @classmethod
    def of(cls, text: str) -> Prices:
        """Read prices such as ``0.25/2`` or ``0.25/2/0.025``.

        Raises:
            BadSettings: the text is not two or three numbers.
        """
        try:
            read, written, *cached = (float(part) for part in text.split("/"))
            numbers = (read, written, *cached)
            if len(cached) > 1 or min(numbers) < 0 or not math.isfinite(sum(numbers)):
                raise ValueError(text)
        except ValueError as error:
            raise BadSettings(
                f"{text!r} are not prices",
                where="TUQA_LLM_PRICES",
                hint="write what a million tokens cost, read and written, as 0.25/2, or also read from "
                "the provider's cache, as 0.25/2/0.025",
            ) from error
        return cls(read, written, *cached)

    def cost(self, read: int, written: int, cached: int = 0) -> float:
        """The cost of tokens; ``cached`` are among ``read``."""
        price = self.read if self.cached is None else self.cached
        return ((read - cached) * self.read + cached * price + written * self.written) / 1_000_000
