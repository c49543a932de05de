"""What a model is shown for a question: looked up in one transaction, and written into a prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..compiling import Program
from ..dataset import Schema, Scope
from ..demonstrating.demonstration import Demonstration, Pattern
from ..demonstrating.retrieving import askable_of, near_patterns
from ..errors import ForbiddenByPrivacy
from ..graph import classing
from ..llm.prompting import (
    Asked,
    Linked,
    Prompt,
    SampleRow,
    likeness,
    linked,
    prompt,
    sample_rows,
    shown_tables,
)
from . import choosing
from .choosing import Candidate
from .dialogue import Dialogue, Wish, look
from .entities import Entity, find_entities
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
        UnknownDataset, UnknownSource, IncompleteDataset, PromptTooLong, ForbiddenByPrivacy
    """
    if wish.private and wish.entities:
        raise ForbiddenByPrivacy(
            "the prompt is to show facts near the names of the question",
            where="and only the schema may leave (schema-only)",
            hint="leave one of the two out",
        )
    seen, sent = yield from look(lambda: _look(wish))
    if seen.rivals:
        chosen = ", ".join(seen.scope.datasets)
        rivals = "; ".join(str(candidate) for candidate in seen.rivals[:5])
        yield from teller.tell("choose", wish.question, f"{chosen} of {rivals}")
    templates = ", ".join(f"{pattern.template!r}" for pattern in seen.patterns[:3])
    found = f"{len(seen.patterns)} demonstrations: {templates}"
    yield from teller.tell("retrieve", wish.question, found, sent)
    if seen.entities:
        told = "; ".join(map(str, seen.entities))
        yield from teller.tell("link", ", ".join(map(repr, wish.entities)), told)
    written = prompt(
        Asked(
            wish.question,
            seen.schemas,
            sources=_sources(seen.scope),
            demonstrations=tuple(
                Demonstration(pattern.question, pattern.query, source=pattern.source)
                for pattern in seen.patterns
            ),
            samples=seen.samples,
            linked=seen.linked,
            similarity=seen.similarity,
            private=wish.private,
        )
    )
    cut = f"; cut: {'; '.join(written.cut)}" if written.cut else ""
    yield from teller.tell("prompt", str(seen.scope), f"{written.tokens} tokens{cut}")
    return Prepared(written, seen.scope)


@dataclass(frozen=True, slots=True)
class _Seen:
    """What the prompt tells of the data, and how that came to be asked."""

    scope: Scope
    rivals: tuple[Candidate, ...]
    patterns: tuple[Pattern, ...]
    schemas: tuple[Schema, ...]
    samples: tuple[SampleRow, ...]
    similarity: Mapping[str, float]
    entities: tuple[Entity, ...]
    linked: tuple[Linked, ...]


def _look(wish: Wish) -> Program[_Seen]:
    """Everything, in one read transaction.

    Raises:
        UnknownDataset, UnknownSource, IncompleteDataset
    """
    scope = wish.scope
    rivals: tuple[Candidate, ...] = ()
    askable = yield from askable_of(scope.datasets)
    patterns: Sequence[Pattern] = yield from near_patterns(
        wish.question, askable, 2 * DEMONSTRATIONS, True, fields=wish.fields
    )
    if not wish.chosen and len(scope.datasets) > 1:
        spoken = " ".join((wish.question, *wish.entities))
        known = yield from choosing.known(spoken, scope.datasets)
        rivals = tuple(choosing.ranked(spoken, known, patterns))
        scope = Scope(choosing.chosen(rivals) or scope.datasets, scope.source)
    shown = tuple(p for p in patterns if p.dataset in scope.datasets)[:DEMONSTRATIONS]
    entities = yield from find_entities(wish.entities, scope)
    schemas: list[Schema] = []
    for dataset in scope.datasets:
        schema = yield from classing.describe(dataset, scope.source)
        if schema is not None:
            schemas.append(schema)
    count = sum(len(schema.relations) for schema in schemas)
    similarity = yield from likeness(wish.question, schemas, count <= COMPARED)
    samples: tuple[SampleRow, ...] = ()
    if not wish.private:
        samples = yield from _samples(scope, schemas, shown)
    nodes = dict.fromkeys(node for entity in entities for node in entity.nodes)
    around = yield from linked(scope, list(nodes))
    return _Seen(scope, rivals, shown, tuple(schemas), samples, similarity, entities, around)


def _samples(
    scope: Scope, schemas: Sequence[Schema], demonstrations: Sequence[Pattern]
) -> Program[tuple[SampleRow, ...]]:
    """A row of each table that is shown, or was demonstrated on."""
    samples: list[SampleRow] = []
    for schema in schemas:
        sources = [table.name for table in shown_tables(schema, _sources(scope))]
        sources += [d.source for d in demonstrations if d.dataset == schema.dataset and d.source]
        samples += yield from sample_rows(schema.dataset, sources)
    return tuple(samples)


def _sources(scope: Scope) -> tuple[str, ...]:
    return () if scope.source is None else (scope.source,)
