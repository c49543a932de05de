"""What asking a question needs of the world, as requests: to look something up, run a query, ask a model.

Asking is a generator of these, as a query is one of statements (``compiling.Program``): between two
requests no transaction is open, so a model may take its time, and the synchronous and the asynchronous
client drive the very same code.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, TypeAlias, TypeVar

from ..answer import Answer, Sent, Stage
from ..compiling import Program
from ..dataset import Scope
from ..executing.naming import Names, look_up
from ..llm.messages import Completion, Message
from ..llm.prompting.repair import Repair
from ..recording import Recorder

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Look:
    """A program to run in one read transaction; the reply is what it returns, with what it sent."""

    program: Callable[[], Program[Any]]


@dataclass(frozen=True, slots=True)
class Run:
    """Query texts to run, each over a scope; the reply is their answers, in order."""

    queries: tuple[tuple[str, Scope], ...]


@dataclass(frozen=True, slots=True)
class Complete:
    """Messages for the model, ``n`` replies wished; the reply is a ``Completion``."""

    messages: tuple[Message, ...]
    n: int = 1
    temperature: float = 0.0


Request: TypeAlias = Look | Run | Complete | Stage
"""A ``Stage`` is only told: to whoever listens to how far the question has come."""

Dialogue: TypeAlias = Generator[Request, Any, T]
"""Yields requests, is sent their replies, returns a T."""


def look(program: Callable[[], Program[T]]) -> Dialogue[tuple[T, tuple[Sent, ...]]]:
    """What ``program`` finds, and the statements that it sent."""
    found: tuple[T, tuple[Sent, ...]] = yield Look(program)
    return found


def enter(scope: Scope, things: Sequence[str] = ()) -> Program[Names]:
    """See that ``scope`` is there and can be asked; what ``things`` can mean there.

    Raises:
        UnknownDataset, UnknownSource, IncompleteDataset
    """
    return (yield from look_up((), things, scope, Recorder(perf_counter())))


def run(queries: Sequence[tuple[str, Scope]]) -> Dialogue[list[Answer]]:
    """The answers of ``queries``."""
    answers: list[Answer] = yield Run(tuple(queries))
    return answers


def complete(messages: Sequence[Message], n: int, temperature: float) -> Dialogue[Completion]:
    """What the model replies."""
    completion: Completion = yield Complete(tuple(messages), n, temperature)
    return completion


@dataclass(frozen=True, slots=True)
class Wish:
    """A question, and how it is to be answered.

    ``scope`` is what may be asked, ``chosen`` whether the person named it. ``votes`` queries are asked of
    a model, and one that is bad is sent back with the reasons in up to ``retries`` rounds. Answers that
    fewer than ``min_confidence`` of them agree on are kept back. ``private``: nothing of what the data
    says leaves the machine, only the schema. ``fields`` restricts the demonstrations.
    ``entities`` are names of what the question means, as the caller knows. ``repair`` says what a model is
    shown of a bad query of its own: also the question and the schema (``full``), or neither, as in the
    ``paper`` on repair.
    """

    question: str
    scope: Scope
    chosen: bool = True
    votes: int = 1
    retries: int = 3
    min_confidence: float = 0.0
    private: bool = False
    fields: Mapping[str, str] = field(default_factory=dict)
    entities: tuple[str, ...] = ()
    repair: Repair = "full"
