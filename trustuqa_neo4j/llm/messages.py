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
# and letters of other scripts take about as many tokens as two thirds of their bytes. The estimate has to be
# enough for the family that needs most: for our prompts it is 1.4 to 1.7 times the tokens of OpenAI's models
# and of Llama 3, 1.2 to 1.7 of Qwen 3, but only 1.1 to 1.3 of Mistral 7B. Rare names, codes and rows of
# numbers, alone, take up to a fifth more than they are estimated at. docs/prompts.md has the figures.


_LINE_BREAKS = re.compile(r"\n+")
_PIECES = re.compile(
    r"[A-Za-z]{1,4}|([^\S\n])[0-9]{1,2}|[0-9]{1,3}|[^\S\n]{2,}|[!-/:-@\[-`{-~]", re.ASCII
)  # of which a space before a digit is one more
_OTHER_SCRIPTS = re.compile(r"[^\x00-\x7f]+")

MESSAGE = 4  # tokens of a message besides its text

_SHORT = 400  # characters


# Instruction, schema and demonstrations are the same for most questions.
@lru_cache(maxsize=256)
def tokens(text: str) -> int:
    """Estimate the tokens of ``text``, rather too many than too few.

    No token goes over the end of a line or a ``|``, so that lines and names are counted one by one.
    """
    return len(_LINE_BREAKS.findall(text)) + sum(map(_count_line, text.split("\n")))


def _count_line(line: str) -> int:
    if len(line) <= _SHORT:
        return _count_short(line)
    parts = line.split("|")
    return len(parts) - 1 + sum(map(_count_part, parts))


def _count_part(text: str) -> int:
    return _count_short(text) if len(text) <= _SHORT else _count_pieces(text)


def _count_pieces(text: str) -> int:
    pieces = _PIECES.findall(text)
    count = 2 * len(pieces) - pieces.count("")
    if not text.isascii():
        count += sum(map(_count_other_script, _OTHER_SCRIPTS.findall(text)))
    return count


# Most lines of a prompt, and names of a long line, are those of the prompt before.
_count_short = lru_cache(maxsize=8_192)(_count_pieces)


def _count_other_script(text: str) -> int:
    size = len(text.encode("utf-8", "surrogatepass"))
    return -(-size * 2 // 3) + sum(character > "\uffff" for character in text)
