"""The input of a prompt: the question, schemas, demonstrations, samples and facts near entities."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from threading import Lock
from typing import TypeAlias

from cachetools import LRUCache, cached

from ..errors import ForbiddenByPrivacy
from ..llm.budget import PROMPT_BUDGET
from ..model.dataset import Schema, SchemaRelation, SchemaSource, name_sources
from ..model.demonstration import Demonstration
from .question_hints import QuestionHints

FEW_TABLES = 8  # tables of a dataset that are all shown in full
MAX_TABLES = 64  # tables that are shown of more,
FULL_TABLES = (
    3  # of these in full, as many as the reader reads; the others by their header and cells,
)
WHOLE_HEADERS = 12  # and after so many by a part of the header

_RELATIVE_TIME = re.compile(
    r"\b(today|now|current(ly)?|recent(ly)?|ago|yesterday|tomorrow|"
    r"(this|last|next|past|previous) (\w+ )?(day|week|month|quarter|year|decade|century)s?)\b",
    re.IGNORECASE,
)

RelationKey: TypeAlias = "tuple[str, str]"
TableKey: TypeAlias = "tuple[str, str]"  # dataset and source

RankedRelation: TypeAlias = "tuple[str, SchemaRelation]"


@dataclass(frozen=True, slots=True)
class SampleRow:
    dataset: str
    source: str
    cells: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class NeighbourFact:
    relation: str
    head: str | None = None
    tail: str | None = None


@dataclass(frozen=True, slots=True)
class EntityNeighbourhood:
    """Facts near an entity; ``is_certain`` if the caller named it, else a program linked it."""

    name: str
    first_step: tuple[NeighbourFact, ...] = ()
    second_step: tuple[NeighbourFact, ...] = ()
    is_certain: bool = True


def shown_tables(schema: Schema, sources: Sequence[str]) -> Sequence[SchemaSource]:
    """The tables that a prompt shows with their columns: those of ``sources``, else all if they are few."""
    tables = _index_sources(schema.sources).tables
    chosen = [tables[name] for name in sources if name in tables]
    if not chosen and len(tables) <= FEW_TABLES:
        return list(tables.values())
    return chosen[:MAX_TABLES]


def detailed_tables(schema: Schema, sources: Sequence[str]) -> Sequence[SchemaSource]:
    """The shown tables with a row and the kinds of columns: the best of those chosen from many."""
    tables = shown_tables(schema, sources)
    return tables if len(tables) <= FEW_TABLES else tables[:FULL_TABLES]


def showable_relations(
    schema: Schema, sources: Sequence[str]
) -> Iterator[tuple[SchemaRelation, bool]]:
    """Yield relations of graphs, and columns of shown tables, or of all tables if none is shown.

    The second item of a pair is True for columns of shown tables.
    """
    tables = shown_tables(schema, sources)
    index = _index_relations(schema.relations)
    columns = {column for table in tables for column in table.columns} & index.places.keys()
    places = {*index.of_graphs, *(index.places[column] for column in columns)}
    if not tables:
        places.update(index.of_tables)
    for place in sorted(places):
        relation = schema.relations[place]
        yield relation, relation.name in columns


def remembered_lines(schema: Schema) -> dict[tuple[object, ...], str]:
    """Descriptions of relations of ``schema``, for all prompts."""
    return _index_relations(schema.relations).lines


def count_tables(schema: Schema) -> int:
    return len(_index_sources(schema.sources).tables)


def list_graphs(schema: Schema) -> Sequence[str]:
    return _index_sources(schema.sources).graphs


def name_tables(schema: Schema) -> Mapping[str, str]:
    """Name each source as ``name_sources`` does."""
    return _index_sources(schema.sources).names


# Schemas of thousands of tables stay in memory, and each part of a prompt would look through them.
_CAPACITY = 32  # schemas


@dataclass(frozen=True, slots=True)
class _SourceIndex:
    """Tables by name, graphs, and names for all; ``sources`` keeps alive what the cache is keyed by."""

    sources: tuple[SchemaSource, ...]
    tables: Mapping[str, SchemaSource]
    graphs: tuple[str, ...]
    names: Mapping[str, str]


@cached(LRUCache(_CAPACITY), key=id, lock=Lock())
def _index_sources(sources: tuple[SchemaSource, ...]) -> _SourceIndex:
    tables = {source.name: source for source in sources if source.kind == "table"}
    graphs = tuple(source.name for source in sources if source.kind != "table")
    return _SourceIndex(sources, tables, graphs, name_sources([source.name for source in sources]))


@dataclass(frozen=True, slots=True)
class _RelationIndex:
    """The places of relations; ``relations`` keeps alive what the cache is keyed by.

    ``lines`` are their descriptions as prompts show them, by what else these depend on.
    """

    relations: tuple[SchemaRelation, ...]
    places: Mapping[str, int]
    of_graphs: tuple[int, ...]
    of_tables: tuple[int, ...]
    has_valid_times: bool
    has_qualifiers: bool
    lines: dict[tuple[object, ...], str] = field(default_factory=dict)


@cached(LRUCache(_CAPACITY), key=id, lock=Lock())
def _index_relations(relations: tuple[SchemaRelation, ...]) -> _RelationIndex:
    return _RelationIndex(
        relations,
        {relation.name: place for place, relation in enumerate(relations)},
        tuple(place for place, r in enumerate(relations) if "names" in r.leads_from),
        tuple(place for place, r in enumerate(relations) if "rows" in r.leads_from),
        any(relation.held for relation in relations),
        any(relation.qualifiers for relation in relations),
    )


@dataclass(frozen=True, slots=True)
class PromptInput:
    """A question with the data for its prompt.

    ``demonstrations``: most similar first. ``sources``: the tables to show if a dataset has many, best first.
    ``cells``: texts of the question that are whole cells of a table. ``samples``: rows of tables shown in
    full, and of the sources of demonstrations. ``heads``: names that relations of graphs lead from.
    ``similarity``: relations and columns, compared with the question. ``columns``: those of a table by its
    own cells, where tables share names. ``hints``: readings and links of the question. ``private``: the
    prompt shows the schema only. ``budget``: in tokens. ``examples``: with fewer demonstrations, worked
    examples over other data are shown too. ``today``: shown if the question needs it, as in *last year*.
    ``structured``: the reply keeps to a JSON Schema. ``last_questions``, with their queries: what the
    question may follow, the last one last; without a query that may have values.

    Raises:
        ForbiddenByPrivacy: ``private`` together with samples, heads, neighbourhoods or hints with values.
    """

    question: str
    schemas: tuple[Schema, ...]
    sources: tuple[str, ...] = ()
    cells: Mapping[TableKey, Sequence[str]] = field(default_factory=dict)
    demonstrations: tuple[Demonstration, ...] = ()
    samples: tuple[SampleRow, ...] = ()
    heads: Mapping[RelationKey, Sequence[str]] = field(default_factory=dict)
    neighbourhoods: tuple[EntityNeighbourhood, ...] = ()
    similarity: Mapping[str, float] = field(default_factory=dict)
    columns: Mapping[TableKey, Mapping[str, SchemaRelation]] = field(default_factory=dict)
    hints: QuestionHints = field(default_factory=QuestionHints)
    private: bool = False
    budget: int = PROMPT_BUDGET
    examples: int = 0
    today: date | None = None
    structured: bool = False
    last_questions: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        values = {
            "a sample row": self.samples,
            "heads of relations": self.heads,
            "facts near the names of the question": self.neighbourhoods,
            "names of the data": self.hints.has_values,
            "cells of tables": any(self.cells.values()),
        }
        what = next((name for name, is_shown in values.items() if is_shown), None)
        if self.private and what is not None:
            raise ForbiddenByPrivacy(
                f"the prompt is to show {what}",
                where="and only the schema may leave (schema-only)",
                hint="leave one of the two out",
            )

    @property
    def needs_today(self) -> bool:
        # Without need it would make every prompt new each day, and no cached reply would fit.
        return self.today is not None and _RELATIVE_TIME.search(self.question) is not None

    @property
    def has_tables(self) -> bool:
        return any(map(count_tables, self.schemas))

    @property
    def has_graphs(self) -> bool:
        return any(map(list_graphs, self.schemas))

    @property
    def has_valid_times(self) -> bool:
        return any(_index_relations(schema.relations).has_valid_times for schema in self.schemas)

    @property
    def has_qualifiers(self) -> bool:
        return any(_index_relations(schema.relations).has_qualifiers for schema in self.schemas)

    @property
    def has_classes(self) -> bool:
        return any(schema.classes for schema in self.schemas)

    @property
    def has_several_tables(self) -> bool:
        return any(len(shown_tables(schema, self.sources)) > 1 for schema in self.schemas)

    def count_further_tables(self) -> int:
        """The number of tables that are shown by their header, in the dataset with the most of them."""
        counts = (
            len(shown_tables(schema, self.sources)) - len(detailed_tables(schema, self.sources))
            for schema in self.schemas
        )
        return max(counts, default=0)

    @property
    def has_several_sources(self) -> bool:
        return sum(len(schema.sources) for schema in self.schemas) > 1

    def rank_relations(self) -> list[RankedRelation]:
        """Rank the relations and columns that can be shown.

        First come those of neighbourhoods, demonstrations and hints, then the most similar, then columns of
        shown tables, then those with the most facts.
        """
        linked = {
            fact.relation
            for neighbourhood in self.neighbourhoods
            for fact in (*neighbourhood.first_step, *neighbourhood.second_step)
        }
        linked.update(relation for link in self.hints.links for relation in link.relations)
        examples = [demonstration.query for demonstration in self.demonstrations]
        queries = "\n".join((*examples, *(hint.query for hint in self.hints.readings)))

        def rank(candidate: tuple[str, SchemaRelation, bool]) -> tuple[object, ...]:
            dataset, relation, is_in_shown_table = candidate
            return (
                relation.name not in linked and f"'{relation.name}'" not in queries,
                -self.similarity.get(relation.name, -1.0),
                not is_in_shown_table,
                -relation.facts,
                dataset,
                relation.name,
            )

        candidates = [
            (schema.dataset, relation, is_in_shown_table)
            for schema in self.schemas
            for relation, is_in_shown_table in showable_relations(schema, self.sources)
        ]
        return [(dataset, relation) for dataset, relation, _ in sorted(candidates, key=rank)]

    def find_sample(self, dataset: str, source: str | None) -> SampleRow | None:
        samples = (
            sample
            for sample in self.samples
            if (sample.dataset, sample.source) == (dataset, source)
        )
        return next(samples, None)
