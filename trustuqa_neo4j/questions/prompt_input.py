"""Looks up the input of a prompt in one transaction, and builds the prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date

from ..ablation import SystemPart, is_left_out
from ..demonstrations.retrieval import find_near_patterns, read_calibrations
from ..errors import ForbiddenByPrivacy, QuestionTooLong
from ..graph import dataset_schema
from ..matching import normalize_name
from ..model.dataset import Schema, SchemaRelation, Scope
from ..model.demonstration import Demonstration, QuestionPattern
from ..prompts import (
    FEW_RELATIONS,
    FEW_TABLES,
    MAX_TABLES,
    Prompt,
    PromptInput,
    QuestionHints,
    RelationKey,
    SampleRow,
    TableKey,
    build_prompt,
    count_tables,
    detailed_tables,
    find_entity_neighbourhoods,
    make_hints,
    relation_similarity,
    sample_heads,
    sample_rows,
)
from ..reads.nearest import Pool, near_nodes
from ..reads.reader import Reader
from .context import QuestionContext, enter_scope
from .options import AskRequest
from .synonyms import find_synonyms
from .table_ranking import RankedTable, rank_tables
from .with_semantic_parser import parse_question

MAX_LINKED_NODES = 3  # whose facts are shown if the schema is too large to be
COMPARED = 2_000  # relations compared by meaning; more are compared by letters alone


@dataclass(frozen=True, slots=True)
class Prepared:
    """A prompt, and the scope of its query."""

    prompt: Prompt
    scope: Scope


def prepare(context: QuestionContext) -> Prepared:
    request, trace = context.request, context.trace
    if request.private and request.entities:
        raise ForbiddenByPrivacy(
            "the prompt is to show facts near the names of the question",
            where="and only the schema may leave (schema-only)",
            hint="leave one of the two out",
        )
    (shown, patterns, entities), sent = context.read(lambda reader: _look(reader, request))
    templates = ", ".join(f"{pattern.template!r}" for pattern in patterns[:3])
    retrieved = f"{len(patterns)} demonstrations: {templates}"
    trace.add("retrieve", request.question, retrieved, sent)
    if entities:
        trace.add("link", ", ".join(map(repr, request.entities)), "; ".join(map(str, entities)))
    if shown.hints.links:
        trace.add("link", request.question, "; ".join(map(str, shown.hints.links)))
    if shown.hints.readings:
        read = (f"{hint.probability:.2f} {hint.query!r}" for hint in shown.hints.readings)
        trace.add("read", request.question, "; ".join(read))
    written = build_prompt(shown)
    cut = f"; cut: {'; '.join(written.cut)}" if written.cut else ""
    trace.add("prompt", str(request.scope), f"{written.tokens} tokens{cut}")
    return Prepared(written, request.scope)


def _look(
    reader: Reader, request: AskRequest
) -> tuple[PromptInput, Sequence[QuestionPattern], Sequence[Entity]]:
    """Read the input of the prompt, with the demonstrations and entities that were looked up for it."""
    scope, last = request.scope, request.last_question
    calibrations = read_calibrations(reader, scope)
    candidates = max(request.candidates, request.examples) if request.examples else 0
    patterns: Sequence[QuestionPattern] = find_near_patterns(
        reader, request.question, calibrations, candidates, True, fields=request.fields
    )[: request.examples]
    described = [
        dataset_schema.describe_dataset(reader, dataset, scope.source) for dataset in scope.datasets
    ]
    schemas = [schema for schema in described if schema is not None]
    entities: Sequence[Entity] = ()
    if request.entities or len(schemas) < len(scope.datasets):
        # Raises the error of a dataset or source that does not exist.
        entities = find_entities(reader, request.entities, scope)
    ranked = _rank_tables(reader, request, schemas)
    sources = tuple(table.name for tables in ranked.values() for table in tables[:MAX_TABLES])
    count = sum(len(schema.relations) for schema in schemas)
    detailed = [table.name for s in schemas for table in detailed_tables(s, sources)]
    similarity = relation_similarity(reader, request.question, schemas, count <= COMPARED, detailed)
    columns = _read_shared_columns(reader, sources, schemas)
    samples: tuple[SampleRow, ...] = ()
    heads: dict[RelationKey, Sequence[str]] = {}
    if not request.private:
        samples = _samples(reader, sources, schemas, patterns)
        heads = {
            (schema.dataset, relation): names
            for schema in schemas
            for relation, names in sample_heads(reader, schema).items()
        }
    hints = _read_hints(reader, request, schemas, ranked)
    nodes = [node for entity in entities for node in entity.nodes]
    around = find_entity_neighbourhoods(reader, scope, nodes)
    if not request.entities and not request.private and count > FEW_RELATIONS:
        nodes = [node for link in hints.links for node in link.nodes[:1]]
        around = find_entity_neighbourhoods(
            reader, scope, nodes[:MAX_LINKED_NODES], is_certain=False
        )
    shown = PromptInput(
        request.question,
        tuple(schemas),
        sources=sources,
        cells={
            (dataset, table.name): table.cells
            for dataset, tables in ranked.items()
            for table in tables[:MAX_TABLES]
        },
        demonstrations=tuple(
            Demonstration(pattern.question, pattern.query, source=pattern.source)
            for pattern in patterns
            if not is_left_out(SystemPart.DEMONSTRATIONS)
        ),
        samples=samples,
        heads=heads,
        neighbourhoods=around,
        similarity=similarity,
        columns=columns,
        hints=hints,
        private=request.private,
        last_questions=tuple(
            (past.question, "" if request.private else past.query or "")
            for past in ((*last.earlier, last) if last else ())
            if past.question or past.query
        ),
        budget=request.prompt_tokens,
        examples=request.examples,
        today=date.today(),  # noqa: DTZ011 # the day of the person who asks
        structured=request.structured,
    )
    return shown, patterns, entities


def _read_shared_columns(
    reader: Reader, chosen_tables: Sequence[str], schemas: Sequence[Schema]
) -> dict[TableKey, Mapping[str, SchemaRelation]]:
    """Describe the columns of the detailed tables one by one, if several tables have one of them."""
    columns: dict[TableKey, Mapping[str, SchemaRelation]] = {}
    for schema in schemas:
        tables = detailed_tables(schema, chosen_tables)
        shown = {column for table in tables for column in table.columns}
        if any(len(entry.sources) > 1 for entry in schema.relations if entry.name in shown):
            names = [table.name for table in tables]
            described = dataset_schema.describe_tables(reader, schema.dataset, names)
            columns |= {(schema.dataset, name): entries for name, entries in described.items()}
    return columns


def _read_hints(
    reader: Reader,
    request: AskRequest,
    schemas: Sequence[Schema],
    ranked: Mapping[str, Sequence[RankedTable]],
) -> QuestionHints:
    hints = QuestionHints()
    if request.reader:
        names = {dataset: [table.name for table in tables] for dataset, tables in ranked.items()}
        with suppress(QuestionTooLong):  # the model reads it without hints
            hints = make_hints(request.question, parse_question(reader, request, names))
    synonyms = [s for schema in schemas for s in find_synonyms(request.question, schema.synonyms)]
    hints = replace(hints, synonyms=tuple(synonyms))
    return hints.without_values() if request.private else hints


def _samples(
    reader: Reader,
    chosen_tables: Sequence[str],
    schemas: Sequence[Schema],
    demonstrations: Sequence[QuestionPattern],
) -> tuple[SampleRow, ...]:
    """Read a row of each table that the prompt details or that has a demonstration."""
    samples: list[SampleRow] = []
    for schema in schemas:
        sources = [table.name for table in detailed_tables(schema, chosen_tables)]
        sources += [d.source for d in demonstrations if d.dataset == schema.dataset and d.source]
        samples += sample_rows(reader, schema.dataset, sources)
    return tuple(samples)


def _rank_tables(
    reader: Reader, request: AskRequest, schemas: Sequence[Schema]
) -> dict[str, list[RankedTable]]:
    """Rank the tables of each dataset that has more than a prompt shows in full."""
    return {
        schema.dataset: rank_tables(
            reader,
            request.question,
            schema.dataset,
            schema.sources,
            by_cells=not request.private,
        )
        for schema in schemas
        if count_tables(schema) > FEW_TABLES
    }


# Entities that the caller names for a question → nodes in the scope.


# Assumed number of facts of any relation, so that the name indexes are searched first.
_NEAREST_AMONG = 1_000_000
_MIN_SIMILARITY = 0.7  # strict, since no model read the question


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity as ``text``, with its name in the data; without ``nodes`` if no name is similar."""

    text: str
    nodes: tuple[int, ...] = ()
    called: str = ""

    def __str__(self) -> str:
        return (
            f"{self.text!r} is {self.called!r}" if self.nodes else f"nothing is near {self.text!r}"
        )


def find_entities(reader: Reader, texts: Sequence[str], scope: Scope) -> tuple[Entity, ...]:
    names = enter_scope(reader, scope, texts)
    entities: list[Entity] = []
    for text in texts:
        tiers = names.entities[text]
        if tiers:
            entities.append(Entity(text, tiers[0].nodes, tiers[0].names[0]))
        else:
            entities.append(_find_nearest_entity(reader, text, scope))
    return tuple(entities)


def _find_nearest_entity(reader: Reader, name: str, scope: Scope) -> Entity:
    near = near_nodes(
        reader, name, scope.datasets, Pool((), "any", scope.source, _NEAREST_AMONG), True
    )
    if not near or near[0].score < _MIN_SIMILARITY:
        return Entity(name)
    # Names that differ by what seldom counts are as near as each other, and come in any order.
    best = sorted(
        (candidate.name, candidate.node)
        for candidate in near
        if normalize_name(candidate.name) == normalize_name(near[0].name)
    )
    return Entity(name, tuple(node for _, node in best if node is not None), best[0][0])
