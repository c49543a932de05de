"""Messages, replies and their usage: plain data without any provider's package."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any, Literal, TypeAlias

from .parameters import ModelParameters

Role: TypeAlias = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Sampling:
    """Sampling parameters: ``n`` replies in at most ``timeout`` seconds together.

    ``parameters`` are those that the user sets; ``temperature`` counts if they have none. ``draw`` numbers
    repeated draws for one prompt: at a temperature above 0 only numbered replies are cached. Replies keep to
    the JSON Schema ``reply_schema``, if there is one.
    """

    n: int = 1
    temperature: float = 0.0
    timeout: float = 60.0
    draw: int | None = None
    parameters: ModelParameters = field(default_factory=ModelParameters)
    reply_schema: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.n < 1 or self.timeout <= 0 or self.temperature < 0:
            raise ValueError(f"no sampling: {self}")

    @property
    def repeatable(self) -> bool:
        return self.temperature == 0 or self.draw is not None


@dataclass(frozen=True, slots=True)
class Usage:
    """Usage of a model; add with ``sum(usages, Usage())``.

    ``calls`` counts requests, without retries of the provider's package, and ``cached`` the replies from the
    cache, which cost nothing. ``cost`` is in the currency of the prices, or None if unknown. ``estimated``:
    the server did not report its tokens. ``provider_cached_tokens`` are those of ``input_tokens`` that the
    provider read from its own cache of prompts.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    calls: int = 0
    cached: int = 0
    cost: float | None = 0.0
    estimated: bool = False
    provider_cached_tokens: int = 0

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __add__(self, added: Usage) -> Usage:
        has_cost = self.cost is not None and added.cost is not None
        return Usage(
            self.input_tokens + added.input_tokens,
            self.output_tokens + added.output_tokens,
            self.calls + added.calls,
            self.cached + added.cached,
            (self.cost or 0.0) + (added.cost or 0.0) if has_cost else None,
            self.estimated or added.estimated,
            self.provider_cached_tokens + added.provider_cached_tokens,
        )


@dataclass(frozen=True, slots=True)
class Completion:
    """Replies of a model with their usage.

    ``model`` is the name that the server reports, else the requested name.
    """

    texts: tuple[str, ...]
    usage: Usage
    model: str


# How many tokens a text takes, by an estimate that errs on the high side.
#
# Every family of models cuts text in its own way, and the tables that say how are fetched from the net when
# they are first used, which a machine without it, or a model served next door, cannot do. What all of them
# do alike is counted instead: common words are one or two tokens, digits go in threes, signs mostly alone,
# and letters of other scripts take about as many tokens as two thirds of their bytes. Against the two tables
# of OpenAI's models this gives 1.2 to 1.7 times the tokens of our prompts, and more of other scripts; rare
# names and codes, alone, take up to a tenth more than they are estimated at.


_PIECES = re.compile(r"[A-Za-z]+|\s?[0-9]+|[^\S\n]{2,}|\n+|[!-/:-@\[-`{-~]|[^\x00-\x7f]+")

MESSAGE = 4  # tokens of a message besides its text


# Instruction, schema and demonstrations are the same for most questions.
@lru_cache(maxsize=256)
def tokens(text: str) -> int:
    """Estimate the tokens of ``text``, rather too many than too few."""
    return sum(map(_taken, _PIECES.findall(text)))


def _taken(piece: str) -> int:
    last = piece[-1]
    if not last.isascii():
        return -(-len(piece.encode("utf-8", "surrogatepass")) * 2 // 3) + sum(
            c > "\uffff" for c in piece
        )
    if last.isdigit():
        return -(-len(piece) // 3) + piece[0].isspace()
    return -(-len(piece) // 4) if last.isalpha() else 1
