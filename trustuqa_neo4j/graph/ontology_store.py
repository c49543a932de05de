"""The ontology and the join statistics of a dataset, read and written.

The server groups nodes by their relations and classes, in one pass over the facts of graph sources; tables
are left out, since all their rows are alike. The statistics are computed again whenever a dataset changes,
and get a new stamp, so that readers know that their copy is out of date.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import starmap
from threading import Lock
from typing import Any

from cachetools import LRUCache, cached

from ..model.facts import UNION_SEPARATOR, ClassDeclared, RelationDeclared
from ..ontology.entailment import Entailments
from ..ontology.join_statistics import CharacteristicSet, JoinStatistics, count_joins
from ..ontology.ontology import Ontology
from ..ontology.schema_knowledge import SchemaKnowledge, TailStatistics
from ..reads.reader import Reader, Row
from .connection import Connection

MAX_ANALYZED_FACTS = 3_000_000
"""Datasets with more facts get no join statistics: they take about a second for each 100,000 facts."""


def update_join_statistics(
    connection: Connection, dataset: str, without: str | None = None, *, target: str | None = None
) -> None:
    # ``dataset`` is a stored name. ``target``: another name to write them under, until they are published.
    # ``without`` is a source that is being dropped: its facts are gone, but its record is still
    # stored.
    target = dataset if target is None else target
    (row,) = connection.read_one("graph_sources", dataset=dataset, without=without)
    if not row["graphs"]:
        connection.write_one("delete_join_statistics", dataset=target)
        return
    if row["facts"] <= MAX_ANALYZED_FACTS:
        statistics = _compute_join_statistics(connection, dataset, row)
    else:
        statistics = count_joins(())
    parameters = statistics.to_parameters()
    connection.write_one("write_join_statistics", dataset=target, **parameters)


def _compute_join_statistics(connection: Connection, dataset: str, row: Row) -> JoinStatistics:
    # With the facts that follow from the stored ones.
    entailments = Entailments(
        _read_ontology(connection.read_one("get_ontology", dataset=dataset)[0])
    )

    def count(rows: Iterable[list[Any]]) -> JoinStatistics:
        return count_joins(map(entailments.entail, starmap(CharacteristicSet, rows)))

    return connection.stream(
        "characteristic_sets",
        count,
        dataset=dataset,
        sources=row["graphs"] if row["tables"] else None,
        types=row["types"],
    )


def read_schema_knowledge(reader: Reader, dataset: str) -> SchemaKnowledge:
    # Empty where nothing is stored of them.
    (row,) = reader.run("get_ontology", dataset=dataset)
    if row["sides"] is None:
        return SchemaKnowledge()
    joins = JoinStatistics.from_parameters(
        row["sides"], row["sizes"], row["nameless"], row["pairs"], row["counts"]
    )
    return SchemaKnowledge(
        _read_ontology(row),
        joins,
        {name: TailStatistics(*counts) for name, *counts in row["relations"]},
    )


def _read_ontology(row: Row) -> Ontology:
    return Ontology.from_declarations(
        map(read_class_declaration, row["classes"]),
        map(read_relation_declaration, row["properties"]),
    )


def read_class_declaration(row: Row) -> ClassDeclared:
    return ClassDeclared(
        row["name"],
        tuple(row["parents"] or ()),
        tuple(row["disjoint"] or ()),
        tuple(row["labels"] or ()),
        row["comment"] or "",
    )


def read_relation_declaration(row: Row) -> RelationDeclared:
    domains, ranges = (
        tuple(tuple(union.split(UNION_SEPARATOR)) for union in row[column] or ())
        for column in ("domains", "ranges")
    )
    return RelationDeclared(
        row["name"],
        domains,
        ranges,
        row["values"],
        tuple(row["datatypes"] or ()),
        tuple(row["inverses"] or ()),
        tuple(row["parents"] or ()),
        tuple(row["labels"] or ()),
        row["comment"] or "",
        row["transitive"] or False,
    )


# Schema knowledge of the datasets used last.
#
# A stamp is unique in all databases and changes with the dataset, so one cache serves all clients.


MAX_ONTOLOGIES = 32


@cached(LRUCache(MAX_ONTOLOGIES), key=lambda dataset, stamp, reader: stamp, lock=Lock())  # noqa: ARG005
def load_schema_knowledge(
    dataset: str,
    stamp: str,  # noqa: ARG001 # of the key
    reader: Reader,
) -> SchemaKnowledge:
    return read_schema_knowledge(reader, dataset)
