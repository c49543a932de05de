"""What a prompt is made of: the question, and what is known that may help with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from ...dataset import Schema, SchemaRelation, SchemaSource
from ...demonstrating.demonstration import Demonstration
from ...errors import ForbiddenByPrivacy
from .sampling import SampleRow

BUDGET = 12_000
"""Tokens of a prompt unless its model takes another number; the reply's are apart from them."""

TABLES = 3
"""Tables of a dataset that are shown without being named as sources."""

RelationKey: TypeAlias = "tuple[str, str]"
"""Dataset and name: relations of one name in two datasets are told apart."""

Ranked: TypeAlias = "tuple[str, SchemaRelation]"
"""A relation with its dataset."""


@dataclass(frozen=True, slots=True)
class Link:
    """A fact near a linked name; head and tail are None where its nodes have no names."""

    relation: str
    head: str | None = None
    tail: str | None = None


@dataclass(frozen=True, slots=True)
class Linked:
    """A name that the question means, with the facts one and two steps away from it."""

    name: str
    one: tuple[Link, ...] = ()
    two: tuple[Link, ...] = ()


def shown_tables(schema: Schema, sources: Sequence[str]) -> Sequence[SchemaSource]:
    """The tables of a dataset whose columns are shown as tables: those named as sources, or all of a few."""
    tables = [source for source in schema.sources if source.kind == "table"]
    if len(tables) <= TABLES and not sources:
        return tables
    named = {table.name: table for table in tables}
    return [named[name] for name in sources if name in named][:TABLES]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with what is known about it.

    ``demonstrations`` come most similar first. ``sources`` are the tables to show where a dataset has
    many; ``samples`` are rows of them, and of the sources of demonstrations. ``similarity`` is how near
    a relation or column is to the question. ``private`` is schema only: nothing that cells hold is told.
    ``budget`` is in tokens.

    Raises:
        ForbiddenByPrivacy: ``private``, and a row or facts are to be told.
    """

    question: str
    schemas: tuple[Schema, ...]
    sources: tuple[str, ...] = ()
    demonstrations: tuple[Demonstration, ...] = ()
    samples: tuple[SampleRow, ...] = ()
    linked: tuple[Linked, ...] = ()
    similarity: Mapping[str, float] = field(default_factory=dict)
    private: bool = False
    budget: int = BUDGET

    def __post_init__(self) -> None:
        if self.private and (self.samples or self.linked):
            what = "a sample row" if self.samples else "facts near the names of the question"
            raise ForbiddenByPrivacy(
                f"the prompt is to show {what}",
                where="and only the schema may leave (schema-only)",
                hint="leave one of the two out",
            )

    @property
    def tables(self) -> bool:
        """Whether any source is a table."""
        return any(source.kind == "table" for source in self._sources())

    @property
    def graphs(self) -> bool:
        """Whether any source is a graph."""
        return any(source.kind != "table" for source in self._sources())

    @property
    def times(self) -> bool:
        """Whether any facts held for a time."""
        return any(relation.held for relation in self._relations())

    @property
    def qualifiers(self) -> bool:
        """Whether any facts have qualifiers."""
        return any(relation.qualifiers for relation in self._relations())

    @property
    def several(self) -> bool:
        """Whether there is more than one source."""
        return len(self._sources()) > 1

    def ranked(self) -> list[Ranked]:
        """What can be shown of relations and columns with their datasets, nearest to the question first.

        Before all others come those that a linked name has or a demonstration names; where nothing is
        known of similarity columns of the tables shown come next, then what has most facts.
        """
        near = {link.relation for each in self.linked for link in (*each.one, *each.two)}
        queries = "\n".join(each.query for each in self.demonstrations)
        found = [each for schema in self.schemas for each in self._tellable(schema)]
        found.sort(
            key=lambda each: (
                each[1].name not in near and f"'{each[1].name}'" not in queries,
                -self.similarity.get(each[1].name, -1.0),
                not each[2],
                -each[1].facts,
                each[0],
                each[1].name,
            )
        )
        return [(dataset, relation) for dataset, relation, _ in found]

    def _tellable(self, schema: Schema) -> Iterator[tuple[str, SchemaRelation, bool]]:
        """Relations of graphs, and columns of the tables shown, or of all where none is."""
        tables = shown_tables(schema, self.sources)
        columns = {column for table in tables for column in table.columns}
        for relation in schema.relations:
            shown = relation.name in columns
            unnamed = not tables and "rows" in relation.leads_from
            if shown or unnamed or "names" in relation.leads_from:
                yield schema.dataset, relation, shown

    def sample(self, dataset: str, source: str | None) -> SampleRow | None:
        """The row of a source, if there is one."""
        found = (s for s in self.samples if (s.dataset, s.source) == (dataset, source))
        return next(found, None)

    def _sources(self) -> list[SchemaSource]:
        return [source for schema in self.schemas for source in schema.sources]

    def _relations(self) -> list[SchemaRelation]:
        return [relation for schema in self.schemas for relation in schema.relations]
