"""How a question is asked, as the client's methods take it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Event
from typing import TYPE_CHECKING, TypedDict

from ..dataset import Scope
from ..errors import UsageError
from ..graph.connection import TIMEOUT
from ..llm.metering import Limits, Meter
from .dialogue import Wish
from .driving import Clock, Listener
from .world import Shown

if TYPE_CHECKING:
    from ..llm.prompting.repair import Repair
    from ..llm.wished import Wish as ModelWish


class Options(TypedDict, total=False):
    """How a question is asked; all may be left out.

    ``source`` is one table or graph of the dataset. ``llm`` writes the query instead of the client's:
    ``demonstrations``, ``openai:NAME`` or a chat model. ``votes``: so many queries are asked of it, and
    the answer is that of most; one that fewer than ``min_confidence`` of them give is kept back. A bad
    query goes back with the reasons in up to ``retries`` rounds. ``private``: only the schema is shown to
    a model, nothing that cells say. ``fields`` restricts the demonstrations to those with these.
    ``entities`` are names of what the question means: a model is shown the facts around them. ``repair``
    says whether a bad query goes back with question and schema (``full``) or without (``paper``). The
    question may use ``max_calls`` and ``max_tokens`` of the model, whose replies are taken from earlier times
    and kept unless ``keep`` is false. ``evidence`` facts are shown at most,
    and ``limit`` values or rows. ``timeout`` is in seconds, for the whole question; ``cancelled`` ends it
    once it is set. ``listen`` is called with each stage as it ends.
    """

    source: str | None
    llm: ModelWish
    votes: int
    retries: int
    min_confidence: float
    private: bool
    fields: Mapping[str, str]
    entities: Sequence[str]
    repair: Repair
    evidence: int
    limit: int | None
    max_calls: int | None
    max_tokens: int | None
    keep: bool
    timeout: float
    cancelled: Event | None
    listen: Listener | None


def wish(question: str, scope: Scope, chosen: bool, options: Options) -> Wish:
    """What is asked.

    Raises:
        UsageError: a number that makes no sense.
    """
    votes, retries = options.get("votes", 1), options.get("retries", 3)
    confidence = options.get("min_confidence", 0.0)
    if not question.strip():
        raise UsageError("there is no question", hint="ask something")
    if votes < 1 or retries < 0 or not 0 <= confidence <= 1:
        raise UsageError(
            f"votes={votes}, retries={retries}, min_confidence={confidence}",
            hint="votes are at least 1, retries at least 0, a confidence is from 0 to 1",
        )
    return Wish(
        question,
        scope,
        chosen,
        votes,
        retries,
        confidence,
        options.get("private", False),
        options.get("fields") or {},
        _entities(options.get("entities", ())),
        options.get("repair", "full"),
    )


def _entities(given: Sequence[str]) -> tuple[str, ...]:
    """Names of what is meant, each once; one may stand alone."""
    names = tuple(dict.fromkeys((given,) if isinstance(given, str) else given))
    if not all(name.strip() for name in names):
        raise UsageError("an entity without a name", hint="name what the question means")
    return names


def meter(options: Options) -> Meter:
    """What the question may use of the model."""
    return Meter(Limits(options.get("max_calls"), options.get("max_tokens")))


def clock(options: Options) -> Clock:
    """The clock of one question, started now."""
    return Clock(options.get("timeout", TIMEOUT), options.get("cancelled"))


def shown(options: Options) -> Shown:
    """How much comes with the answer."""
    default = Shown()
    return Shown(options.get("evidence", default.evidence), options.get("limit", default.limit))
