"""Data that a prompt shows: similarity of relations, facts near entities, sample rows, and names of heads.

Similarity selects relations if a schema has too many. For 107 queries over 1,108 relations of Freebase, the
first 40 contain the needed ones for 84 %, the first 100 for 94 % (vectors and letters). Letters alone give
46 and 52 %, the number of facts 15 and 28 %.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock

from cachetools import LRUCache, cached

from ..model.dataset import Schema, SchemaRelation, Scope
from ..model.facts import make_row_key
from ..reads.nearest import near_relations
from ..reads.reader import Reader, Row
from .prompt_input import EntityNeighbourhood, NeighbourFact, SampleRow, showable_relations

FEW_RELATIONS = 40  # All of so few are shown in any order.


def relation_similarity(
    reader: Reader,
    question: str,
    schemas: Sequence[Schema],
    embedded: bool,
    sources: Sequence[str] = (),
) -> dict[str, float]:
    """Score relations and columns by similarity to the question; empty if the prompt can show all.

    ``sources`` are the tables that the prompt shows in full; columns of others are not compared.
    """
    names = dict.fromkeys(
        relation.name for schema in schemas for relation, _ in showable_relations(schema, sources)
    )
    if len(names) <= FEW_RELATIONS:
        return {}
    ranked = near_relations(reader, question, list(names), embedded)
    return {relation.name: relation.score for relation in ranked}


# A neighbourhood has one fact per relation: it shows what the relation means, and no prompt can hold the
# 240,000 facts of a country. The second step continues from one node per relation.

MAX_NODE_FACTS = 2_000


def find_entity_neighbourhoods(
    reader: Reader, scope: Scope, nodes: Sequence[int], *, is_certain: bool = True
) -> tuple[EntityNeighbourhood, ...]:
    first_step = _read_neighbourhoods(reader, scope, nodes)
    next_nodes = dict.fromkeys(
        neighbour for row in first_step.values() for _, _, neighbour, _ in row["links"]
    )
    second_step = _read_neighbourhoods(
        reader, scope, [node for node in next_nodes if node not in first_step]
    )
    return tuple(
        EntityNeighbourhood(
            row["name"],
            _neighbour_facts(row),
            _second_step_facts(row, first_step | second_step),
            is_certain,
        )
        for node in dict.fromkeys(nodes)
        if (row := first_step.get(node)) is not None and row["name"]
    )


def _read_neighbourhoods(reader: Reader, scope: Scope, nodes: Sequence[int]) -> dict[int, Row]:
    if not nodes:
        return {}
    parameters = {
        "datasets": list(scope.datasets),
        "nodes": list(nodes),
        "source": scope.source,
        "limit": MAX_NODE_FACTS,
    }
    return {row["node"]: row for row in reader.run("entity_neighbourhood", **parameters)}


def _neighbour_facts(row: Row) -> tuple[NeighbourFact, ...]:
    return tuple(
        NeighbourFact(relation, *((row["name"], name) if is_outgoing else (name, row["name"])))
        for relation, is_outgoing, _, name in row["links"]
    )


def _second_step_facts(row: Row, rows: dict[int, Row]) -> tuple[NeighbourFact, ...]:
    """Facts of the neighbours of a node, without relations that the node has itself."""
    own_relations = {relation for relation, _, _, _ in row["links"]}
    facts: dict[str, NeighbourFact] = {}
    for _, _, neighbour, _ in row["links"]:
        for fact in _neighbour_facts(rows[neighbour]) if neighbour in rows else ():
            if fact.relation not in own_relations:
                facts.setdefault(fact.relation, fact)
    return tuple(facts.values())


SAMPLE_POSITIONS = 20
"""The sample is the first stored row up to this position, since a load can skip bad lines."""


def sample_rows(reader: Reader, dataset: str, sources: Iterable[str]) -> tuple[SampleRow, ...]:
    row_keys = [
        [source, [make_row_key(source, position) for position in range(1, SAMPLE_POSITIONS + 1)]]
        for source in dict.fromkeys(sources)
    ]
    if not row_keys:
        return ()
    rows = reader.run("sample_rows", dataset=dataset, sources=row_keys)
    return tuple(
        SampleRow(dataset, row["source"], _ordered_cells(row)) for row in rows if row["cells"]
    )


def _ordered_cells(row: Row) -> tuple[tuple[str, str], ...]:
    positions = {
        name: min(column_positions or [len(row["columns"])])
        for name, column_positions in row["columns"]
    }
    cells = [(column, cell) for column, cell in row["cells"]]
    return tuple(sorted(cells, key=lambda cell: (positions.get(cell[0], len(positions)), *cell)))


SAMPLE_FACTS = 20
"""Facts of a relation that are looked at for names of heads, since a head can be without a name."""
MAX_HEADS = 2  # of a relation
MAX_HEADED = 200  # relations; details of more do not fit a prompt of the default length
_CAPACITY = 32  # schemas


def sample_heads(reader: Reader, schema: Schema) -> Mapping[str, Sequence[str]]:
    """Return heads with names of each relation of graphs; none if there are too many relations."""
    return _sample_heads(reader, schema.dataset, schema.source, schema.relations).heads


@dataclass(frozen=True, slots=True)
class _SampledHeads:
    """``relations`` keeps alive what the cache is keyed by: the same until the data change."""

    relations: tuple[SchemaRelation, ...]
    heads: Mapping[str, tuple[str, ...]]


@cached(
    LRUCache(_CAPACITY),
    key=lambda reader, dataset, source, relations: id(relations),  # noqa: ARG005
    lock=Lock(),
)
def _sample_heads(
    reader: Reader, dataset: str, source: str | None, relations: tuple[SchemaRelation, ...]
) -> _SampledHeads:
    of_graphs = [relation for relation in relations if "names" in relation.leads_from]
    names = [r.name for r in of_graphs if r.facts and not r.starts_nameless]
    if not names or len(of_graphs) > MAX_HEADED:
        return _SampledHeads(relations, {})
    rows = reader.run(
        "sample_heads",
        dataset=dataset,
        relations=names,
        source=source,
        facts=SAMPLE_FACTS,
        limit=MAX_HEADS,
    )
    return _SampledHeads(
        relations, {row["relation"]: tuple(row["heads"]) for row in rows if row["heads"]}
    )
