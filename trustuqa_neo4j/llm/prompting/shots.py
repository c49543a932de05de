"""Demonstrations as a conversation: each a question of the user and the query that answers it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from ...demonstrating.demonstration import Demonstration
from ...language.parse import parse
from ...language.query import LLMQuery
from ...language.writing import Unwritable, write
from ..messages import Message
from .asked import Asked
from .describing import Fragment, row
from .quoting import quoted

_STEPS = re.compile(
    r"^[\s*`]*(?:##\s*(?:target type|query)\b|step\s*\d+\b|query\s*\d+\b).*", re.I | re.M
)


@dataclass(frozen=True, slots=True)
class Shot:
    """A demonstration: the two messages that it makes, and the kinds of data in them."""

    asks: Message
    answers: Message
    sent: tuple[str, ...]

    @property
    def messages(self) -> tuple[Message, Message]:
        """The question, and the query."""
        return self.asks, self.answers

    @property
    def fragment(self) -> Fragment:
        """Both as a piece of the prompt."""
        text = f"{self.asks.content}\n{self.answers.content}"
        return Fragment("demonstrations", text, self.sent)


def shots(asked: Asked) -> list[Shot]:
    """The demonstrations in their order; those of a table with the row of it that is known."""
    return [_shot(asked, each) for each in asked.demonstrations]


def question(text: str) -> str:
    """A question as it is asked."""
    return f"Question: {quoted(text)}"


@lru_cache(maxsize=1024)
def bare(query: str) -> str:
    """The lines of a query that say what it is, without prose between them, where that is the same query."""
    lines = "\n".join(line.strip() for line in _STEPS.findall(query))
    return (
        lines
        if _meaning(lines) is not None and _meaning(lines) == _meaning(query)
        else query.strip()
    )


def _meaning(query: str) -> str | None:
    """What is read from a text, without where it stands; None where nothing is."""
    read = parse(query)
    try:
        return write(read) if isinstance(read, LLMQuery) else None
    except Unwritable:
        return None


def _shot(asked: Asked, demonstration: Demonstration) -> Shot:
    sample = None
    if demonstration.source is not None:
        of_source = (s for s in asked.samples if s.source == demonstration.source)
        sample = next(of_source, None)
    told = [] if sample is None else [f"Columns and a row: {row(sample.cells)}"]
    return Shot(
        Message("user", "\n".join([*told, question(demonstration.question)])),
        Message("assistant", bare(demonstration.query)),
        ("demonstrations", *(["sample row"] if told else [])),
    )
