"""How many calls and tokens a question, or a whole run, may use: refused before they are spent.

A call is reserved before it is sent, with the tokens of its prompt (estimated) and those that it may
write; afterwards what it really used takes the place of that. So of several threads none can pass a limit
that another has just used up, which adding up afterwards would let them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

from ..errors import LimitReached
from .messages import Message, Usage
from .tokens import MESSAGE, tokens


@dataclass(frozen=True, slots=True)
class Limits:
    """What may be used at most; None is no limit. Cached replies use nothing."""

    max_calls: int | None = None
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Reserved:
    """What calls that are under way may use; handed back when they have ended."""

    calls: int
    tokens: int


class Meter:
    """Counts what a question uses against ``limits``, and what is ``within`` it, as a run of questions.

    Safe to share between threads. ``of`` is the word for what is counted, for messages.
    """

    def __init__(
        self, limits: Limits | None = None, *, of: str = "question", within: Meter | None = None
    ) -> None:
        self.limits = limits or Limits()
        self.of = of
        self.within = within
        self._used = Usage()
        self._calls = 0  # under way
        self._tokens = 0
        self._lock = Lock()

    @property
    def used(self) -> Usage:
        """What has been used so far."""
        with self._lock:
            return self._used

    def reserve(self, calls: int, tokens: int) -> Reserved:
        """Set ``calls`` and ``tokens`` aside, here and in what this is within.

        Raises:
            LimitReached: they would pass a limit; nothing is set aside then.
        """
        with self._lock:
            self._check("calls", self._used.calls + self._calls, calls, self.limits.max_calls)
            self._check("tokens", self._used.tokens + self._tokens, tokens, self.limits.max_tokens)
            if self.within is not None:
                self.within.reserve(calls, tokens)
            self._calls += calls
            self._tokens += tokens
        return Reserved(calls, tokens)

    def settle(self, reserved: Reserved, used: Usage) -> None:
        """Put what was ``used`` in the place of what was ``reserved``."""
        with self._lock:
            self._calls -= reserved.calls
            self._tokens -= reserved.tokens
            self._used += used
        if self.within is not None:
            self.within.settle(reserved, used)

    def add(self, used: Usage) -> None:
        """Count what needed no leave: replies from the cache."""
        self.settle(Reserved(0, 0), used)

    def _check(self, what: str, so_far: int, more: int, limit: int | None) -> None:
        if limit is not None and so_far + more > limit:
            raise LimitReached(
                f"{so_far:,} of {limit:,} {what} are used, the next call of the model needs {more:,}",
                where=f"limit of this {self.of}",
                hint=f"raise --max-{what}, or ask with fewer votes, retries or demonstrations",
            )


def needed(messages: Sequence[Message], n: int, max_tokens: int | None) -> int:
    """Tokens to reserve for one call: its prompt, and what its ``n`` replies may be at most.

    Without ``max_tokens`` nobody knows how long replies will be, so they are counted once they are there.
    """
    return prompt_tokens(messages) + n * (max_tokens or 0)


def prompt_tokens(messages: Sequence[Message]) -> int:
    """Tokens of a prompt, estimated."""
    return sum(tokens(message.content) + MESSAGE for message in messages)
