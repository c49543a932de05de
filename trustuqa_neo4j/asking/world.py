"""The world that a dialogue asks: a database, and a model if there is one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from .. import engine
from ..answer import Answer
from ..compiling import Program
from ..dataset import Scope
from ..graph.asynchronous import AsyncConnection
from ..graph.connection import Connection, Encoding
from ..llm.messages import Completion
from ..llm.metering import Meter
from .dialogue import Complete

if TYPE_CHECKING:
    from ..llm.models import Model

T = TypeVar("T")


DRAW = 1
"""Votes are drawn once and kept, as all replies are: a question gives the same answer again."""


@dataclass(frozen=True)
class Shown:
    """How much comes with an answer: facts, and values or rows at most."""

    evidence: int = engine.EVIDENCE
    limit: int | None = None


@dataclass(frozen=True)
class Here:
    """A synchronous world (``driving.World``)."""

    connection: Connection
    encode: Encoding | None
    model: Model | None
    shown: Shown
    meter: Meter = field(default_factory=Meter)

    def look(self, program: Callable[[], Program[T]], seconds: float) -> T:
        """What the program returns, run in one read transaction."""
        return self.connection.read(program, seconds, self.encode)

    def run(self, query: str, scope: Scope, seconds: float) -> Answer:
        """The answer of a query."""
        shown = self.shown
        return self.look(lambda: engine.run(query, scope, shown.evidence, shown.limit), seconds)

    def complete(self, request: Complete, seconds: float) -> Completion:
        """What the model replies."""
        assert self.model is not None, "only a dialogue with a model asks one"
        return self.model.complete(
            request.messages,
            n=request.n,
            temperature=request.temperature,
            timeout=seconds,
            draw=DRAW,
            meter=self.meter,
        )


@dataclass(frozen=True)
class There:
    """An asynchronous world (``driving.AsyncWorld``)."""

    connection: AsyncConnection
    encode: Encoding | None
    model: Model | None
    shown: Shown
    meter: Meter = field(default_factory=Meter)

    async def look(self, program: Callable[[], Program[T]], seconds: float) -> T:
        """What the program returns, run in one read transaction."""
        return await self.connection.read(program, seconds, self.encode)

    async def run(self, query: str, scope: Scope, seconds: float) -> Answer:
        """The answer of a query."""
        shown = self.shown
        return await self.look(
            lambda: engine.run(query, scope, shown.evidence, shown.limit), seconds
        )

    async def complete(self, request: Complete, seconds: float) -> Completion:
        """What the model replies."""
        assert self.model is not None, "only a dialogue with a model asks one"
        return await self.model.acomplete(
            request.messages,
            n=request.n,
            temperature=request.temperature,
            timeout=seconds,
            draw=DRAW,
            meter=self.meter,
        )
