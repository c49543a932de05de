"""Loading items as they are, and looking at what the database then keeps of declarations, for tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.checking.meetings import Meetings
from trustuqa_neo4j.checking.vocabulary import Vocabulary
from trustuqa_neo4j.compiling import Program
from trustuqa_neo4j.graph.vocabularies import asked, vocabulary
from trustuqa_neo4j.loader import File, Reading, loader
from trustuqa_neo4j.loading import Progress, Report, Request, load
from trustuqa_neo4j.triples import Item

KG = loader("kg")


def load_items(
    client: TrustUQA, path: Path, found: Iterable[Item], dataset: str = "d", **changes: Any
) -> Report:
    """Load items as they are; the file they stand in is made for them."""
    items = list(found)
    path.write_text(repr(items))

    def read(files: Sequence[File], reading: Reading) -> Iterator[Item]:
        yield from items

    request = Request(replace(KG, read=read), (str(path),), dataset, **changes)
    return load(lambda: nullcontext(client.connection), request, Progress())


def vocabulary_of(client: TrustUQA, dataset: str = "d") -> Vocabulary:
    """The vocabulary of a dataset."""

    def program() -> Program[Vocabulary]:
        return vocabulary((yield asked(dataset)))

    return client.connection.read(program)


def shares(met: Meetings) -> list[tuple[Any, ...]]:
    """How many nodes any two sides share, and how many a side has, and of ids; whatever their order."""
    shared = [
        (one, other, met.shared(one, other))
        for one in met.places
        for end in ("start", "end", "class")
        for other in met.beside(one, end)
    ]
    return sorted(
        [*shared, *((side, met.size(side), met.ids(side)) for side in met.places)], key=repr
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
