"""What is said to a model, what it replies, what that used: plain data, free of any provider's package."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

Role: TypeAlias = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Sampling:
    """How replies are to be drawn: ``n`` of them, in at most ``timeout`` seconds for all together.

    ``max_tokens`` is how long one may be, None as long as the model likes. ``draw`` numbers repeated draws
    from one prompt: replies at a temperature above 0 are kept and served again only under a number, since
    who asks again without one wants others.
    """

    n: int = 1
    temperature: float = 0.0
    max_tokens: int | None = None
    timeout: float = 60.0
    draw: int | None = None

    def __post_init__(self) -> None:
        if self.n < 1 or self.timeout <= 0 or self.temperature < 0:
            raise ValueError(f"no sampling: {self}")

    @property
    def repeatable(self) -> bool:
        """Whether replies of another time will do."""
        return self.temperature == 0 or self.draw is not None


@dataclass(frozen=True, slots=True)
class Usage:
    """What was used: add them up with ``sum(usages, Usage())``.

    ``calls`` are requests that were sent (those that the provider's package sends again by itself not
    counted), ``cached`` those that the cache spared: they use no tokens and cost nothing. ``cost`` is in
    the currency of the prices given, None where some of it is not known. ``estimated``: a server did not
    say how many tokens it used, so they were estimated.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    calls: int = 0
    cached: int = 0
    cost: float | None = 0.0
    estimated: bool = False

    @property
    def tokens(self) -> int:
        """Read and written."""
        return self.input_tokens + self.output_tokens

    def to_dict(self) -> dict[str, Any]:
        """As in the JSON of an answer."""
        return asdict(self)

    def __add__(self, other: Usage) -> Usage:
        known = self.cost is not None and other.cost is not None
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.calls + other.calls,
            self.cached + other.cached,
            (self.cost or 0.0) + (other.cost or 0.0) if known else None,
            self.estimated or other.estimated,
        )


@dataclass(frozen=True, slots=True)
class Completion:
    """The replies of a model, one or more, at most as many as asked for; and what they used.

    ``model`` is the name that the server gave itself, else the one that it was asked by.
    """

    texts: tuple[str, ...]
    usage: Usage
    model: str
