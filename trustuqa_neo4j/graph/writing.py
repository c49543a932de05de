"""Batches into the database: each is one transaction, so that none is ever half there.

It locks the load, writes nodes and facts, and moves the load's position on; whatever kills loader or
server, the next run continues at a position that is exactly what has been written. Nodes are written
first and give their ids, by which facts find their ends: by their keys they would be sought in the index
once more for each fact.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from .batched import Batch, Row
from .connection import Connection, Transaction
from .loads import taken_over

HUB = 1000
"""Facts of a node from which looking at all of them takes longer than an index look-up (bench/storage.py)."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a batch made."""

    nodes: int
    facts: int


class Writer:
    """Writes the batches of one load, as ``owner``."""

    def __init__(
        self, connection: Connection, dataset: str, number: int, owner: str, position: int
    ) -> None:
        self._connection = connection
        self._dataset = dataset
        self._number = number
        self._owner = owner
        self._position = position
        self._ids: dict[str, int] = {}

    def write(self, batch: Batch) -> Written:
        """Write one batch.

        Raises:
            LoadTakenOver: the load is another's by now.
        """
        if batch.forget:
            self._ids.clear()
        written, ids = self._connection.write(lambda tx: self._write(tx, batch))
        self._ids.update(ids)
        self._position = batch.position
        return written

    def _write(self, transaction: Transaction, batch: Batch) -> tuple[Written, dict[str, int]]:
        self._lock(transaction)
        dataset = self._dataset
        if batch.relations:
            relations = [list(pair) for pair in sorted(batch.relations.items())]
            transaction.run("write_relations", dataset=dataset, relations=relations)
        if batch.sources:
            sources = [source.row() for source in batch.sources.values()]
            transaction.run("write_sources", dataset=dataset, number=self._number, sources=sources)
        if batch.classes:
            transaction.run("declare_classes", dataset=dataset, classes=batch.classes)
        if batch.properties:
            transaction.run("declare_properties", dataset=dataset, properties=batch.properties)
        new: dict[str, int] = {}
        made = 0
        for statement, nodes in batch.nodes.items():
            made += self._nodes(transaction, statement, list(nodes.values()), new)
        ids = _Ids(new, self._ids)
        if batch.hyperedges:
            keys = batch.keys
            edges = [
                [e.key, ids[keys[e.head]], e.relation, ids[keys[e.tail]], e.name]
                for e in batch.hyperedges.values()
            ]
            made += self._nodes(transaction, "write_hyperedges", edges, new)
        if batch.aliases:
            aliases = [[ids[key], alias, folded] for key, alias, folded in batch.aliases]
            transaction.run("write_aliases", dataset=dataset, aliases=aliases)
        facts = 0
        if batch.facts:
            groups = list(_groups(batch, [ids[key] for key in batch.keys]))
            facts = transaction.run("write_facts", dataset=dataset, groups=groups).rows[0]["facts"]
        transaction.run(
            "advance_load",
            dataset=dataset,
            number=self._number,
            position=batch.position,
            at=batch.at,
            nodes=made,
            facts=facts,
        )
        return Written(made, facts), new

    def _nodes(
        self, transaction: Transaction, statement: str, rows: list[Row], ids: dict[str, int]
    ) -> int:
        """Write nodes and note their ids; how many were new."""
        reply = transaction.run(statement, dataset=self._dataset, nodes=rows)
        ids.update(zip((row[0] for row in rows), reply.rows[0]["ids"], strict=True))
        # Hyperedges come with two relationships each, nodes with none, and nothing else is made here.
        return reply.nodes

    def _lock(self, transaction: Transaction) -> None:
        rows = transaction.run(
            "lock_load", dataset=self._dataset, number=self._number, owner=self._owner
        ).rows
        if not rows or rows[0]["position"] != self._position:
            raise taken_over(self._dataset)


class _Ids:
    """Ids of nodes by key: those of this batch, else those remembered from earlier ones."""

    def __init__(self, new: dict[str, int], known: dict[str, int]) -> None:
        self._new = new
        self._known = known

    def __getitem__(self, key: str) -> int:
        found = self._new.get(key)
        return self._known[key] if found is None else found


def _groups(batch: Batch, ids: Sequence[int]) -> Iterable[list[Any]]:
    for group, facts in batch.facts.items():
        qualifiers = sorted(batch.qualifiers.get(group, ()))
        plain = zip(facts.heads, facts.tails, facts.lines, strict=True)
        rows = [[ids[head], ids[tail], line] for head, tail, line in plain]
        rows += [[ids[head], ids[tail], *more] for head, tail, *more in facts.held]
        yield [*group, qualifiers, rows]


def hubs(connection: Connection, dataset: str, degree: int = HUB) -> list[int]:
    """The nodes of a dataset that have very many facts and are not marked as hubs yet."""
    found: list[int] = connection.read_one("find_hubs", dataset=dataset, degree=degree)[0]["nodes"]
    return found


def mark_hubs(connection: Connection, nodes: Sequence[int]) -> None:
    """Index the facts of ``nodes`` by them.

    Interrupted, it is done again: a node counts as a hub only when all its facts are indexed.
    """
    if nodes:
        connection.run_alone("index_facts_out_of_hubs", nodes=nodes)
        connection.run_alone("index_facts_into_hubs", nodes=nodes)
        connection.write(lambda tx: tx.run("mark_hubs", nodes=nodes).rows)
