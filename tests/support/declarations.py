"""Loading items as they are, and looking at what the database then keeps of declarations, for tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.graph.ontology_store import read_schema_knowledge
from trustuqa_neo4j.loading.formats import File, ReadOptions, get_loader
from trustuqa_neo4j.loading.load import load
from trustuqa_neo4j.loading.request import LoadReport, LoadRequest, Progress
from trustuqa_neo4j.model.facts import Item
from trustuqa_neo4j.ontology.join_statistics import JoinStatistics
from trustuqa_neo4j.ontology.schema_knowledge import SchemaKnowledge

KG = get_loader("kg")


def load_items(
    client: TrustUQA, path: Path, found: Iterable[Item], dataset: str = "d", **changes: Any
) -> LoadReport:
    """Load items as they are; the file they stand in is made for them."""
    items = list(found)
    path.write_text(repr(items))

    def read(files: Sequence[File], reading: ReadOptions) -> Iterator[Item]:
        yield from items

    request = LoadRequest(replace(KG, read=read), (str(path),), dataset, **changes)
    return load(lambda: nullcontext(client.connection), request, Progress())


def vocabulary_of(client: TrustUQA, dataset: str = "d") -> SchemaKnowledge:
    """The vocabulary of a dataset."""

    return client.connection.read(lambda reader: read_schema_knowledge(reader, dataset))


def shares(joins: JoinStatistics) -> list[tuple[Any, ...]]:
    """How many nodes any two sides share, and how many a side has, and of ids; whatever their order."""
    shared = [
        (one, other, joins.count_shared(one, other))
        for one in joins.ends
        for end in ("start", "end", "class")
        for other in joins.joined_ends(one, end)
    ]
    return sorted(
        [
            *shared,
            *((side, joins.count_nodes(side), joins.count_nameless(side)) for side in joins.ends),
        ],
        key=repr,
    )


def declarations(client: TrustUQA, dataset: str) -> list[str]:
    """The nodes of classes and relations that sources declare, but for the dataset's name."""
    cypher = "MATCH (n:Class|Property {dataset: $d}) RETURN labels(n), properties(n)"
    with client.connection.driver.session() as session:
        rows = [record.values() for record in session.run(cypher, d=dataset)]
    return sorted(repr((labels, sorted(_own(of).items()))) for labels, of in rows)


def _own(properties: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in properties.items() if name != "dataset"}


def stamp(client: TrustUQA, dataset: str = "d") -> str | None:
    """The stamp of a dataset's vocabulary, if it has one."""
    cypher = "MATCH (v:Vocabulary {dataset: $d}) RETURN v.stamp"
    with client.connection.driver.session() as session:
        found = [record.value() for record in session.run(cypher, d=dataset)]
    assert len(found) < 2
    return found[0] if found else None
