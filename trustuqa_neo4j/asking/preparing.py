"""What a model is shown of the data for a question: looked up, and written into a prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..compiling import Program
from ..dataset import Schema, Scope
from ..demonstrating.demonstration import Demonstration, Pattern
from ..demonstrating.retrieving import near_patterns
from ..graph import describing
from ..llm.prompting import Asked, Prompt, SampleRow, likeness, prompt, sample_rows
from . import choosing
from .dialogue import Dialogue, Wish, enter, look
from .telling import Teller

DEMONSTRATIONS = 8
"""Demonstrations in a prompt at most."""
COMPARED = 2_000
"""So many relations are compared with the question by meaning; more by letters alone."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a model is asked, and the scope that its query is run over."""

    prompt: Prompt
    scope: Scope


def prepare(wish: Wish, teller: Teller) -> Dialogue[Prepared]:
    """Choose the data, look up what the prompt shows of it, and write the prompt.

    Raises:
        UnknownDataset, UnknownSource, IncompleteDataset, PromptTooLong
    """
    scope = wish.scope
    patterns, sent = yield from look(lambda: _patterns(wish, scope))
    if not wish.chosen and len(scope.datasets) > 1:
        scope = yield from _choose(wish, patterns, teller)
        patterns = [pattern for pattern in patterns if pattern.dataset in scope.datasets]
    found = ", ".join(f"{pattern.template!r}" for pattern in patterns[:3])
    yield from teller.tell(
        "retrieve", wish.question, f"{len(patterns)} demonstrations: {found}", sent
    )
    shown = tuple(patterns[:DEMONSTRATIONS])
    told, sent = yield from look(lambda: _world(wish, scope, shown))
    asked = Asked(
        wish.question,
        told.schemas,
        sources=_sources(scope),
        demonstrations=tuple(Demonstration(p.question, p.query, source=p.source) for p in shown),
        samples=told.samples,
        similarity=told.similarity,
        private=wish.private,
    )
    written = prompt(asked)
    cut = "; ".join(written.cut)
    yield from teller.tell(
        "prompt", str(scope), f"{written.tokens} tokens" + (f"; cut: {cut}" if cut else ""), sent
    )
    return Prepared(written, scope)


def _patterns(wish: Wish, scope: Scope) -> Program[list[Pattern]]:
    return (
        yield from near_patterns(
            wish.question, scope.datasets, 2 * DEMONSTRATIONS, True, fields=wish.fields
        )
    )


def _choose(wish: Wish, patterns: Sequence[Pattern], teller: Teller) -> Dialogue[Scope]:
    """The scope that the question is about."""
    known, sent = yield from look(lambda: choosing.known(wish.question, wish.scope.datasets))
    candidates = choosing.ranked(wish.question, known, patterns)
    chosen = choosing.chosen(candidates)
    rivals = "; ".join(str(candidate) for candidate in candidates[:5])
    yield from teller.tell("choose", wish.question, f"{', '.join(chosen)} of {rivals}", sent)
    return Scope(chosen or wish.scope.datasets, wish.scope.source)


def _sources(scope: Scope) -> tuple[str, ...]:
    return () if scope.source is None else (scope.source,)


@dataclass(frozen=True, slots=True)
class _World:
    """What the prompt tells of the data."""

    schemas: tuple[Schema, ...]
    samples: tuple[SampleRow, ...]
    similarity: Mapping[str, float] = field(default_factory=dict)


def _world(wish: Wish, scope: Scope, demonstrations: Sequence[Pattern]) -> Program[_World]:
    """Schemas of what is asked, and a row of each table that is shown or was demonstrated on.

    Raises:
        UnknownDataset, UnknownSource, IncompleteDataset
    """
    yield from enter(scope)
    schemas: list[Schema] = []
    for dataset in scope.datasets:
        schema = yield from describing.describe(dataset, scope.source)
        if schema is not None:
            schemas.append(schema)
    count = sum(len(schema.relations) for schema in schemas)
    similarity = yield from likeness(wish.question, schemas, count <= COMPARED)
    if wish.private:
        return _World(tuple(schemas), (), similarity)
    shown = Asked("", tuple(schemas), sources=_sources(scope))
    samples: list[SampleRow] = []
    for schema in schemas:
        sources = [table.name for table in shown.shown_tables(schema)]
        sources += [d.source for d in demonstrations if d.dataset == schema.dataset and d.source]
        samples += yield from sample_rows(schema.dataset, sources)
    return _World(tuple(schemas), tuple(samples), similarity)
