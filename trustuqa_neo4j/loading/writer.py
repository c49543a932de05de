"""Batches into the database: each is one transaction, so that none is ever half written.

The transaction locks the load, writes nodes and facts, and advances the position of the load. After a crash
of loader or server the next run continues exactly there. Nodes are written first and return their ids, by
which facts find their ends; to find them by key would search the index again for each fact.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..graph.connection import Connection, Reply, Transaction
from ..graph.load_journal import make_taken_over_error
from ..graph.statements import NEW, PENDING
from .batch import Batch, Row

HUB_DEGREE = 1000
"""With more facts at a node, a scan of them takes longer than an index look-up (bench/storage.py)."""


NODE_STATEMENTS = frozenset(
    ("write_rows", "write_names", "write_texts", "write_values", "write_nameless")
)
"""Statements that write nodes alone, by their keys."""

RelationNumbers: TypeAlias = dict[tuple[str, str], int]
"""Source and relation → the number on their facts."""


@dataclass(frozen=True, slots=True)
class BatchCounts:
    nodes: int
    facts: int


class BatchWriter:
    def __init__(
        self,
        connection: Connection,
        dataset: str,
        number: int,
        owner: str,
        position: int,
        storage: str | None = None,
        is_hidden: bool = False,
        is_new: bool = False,
    ) -> None:
        # ``storage`` is the stored name of the dataset. ``is_hidden``: readers see nothing of it yet.
        # ``is_new``: this load began the dataset, so that nodes are new unless it has written them.
        self._connection = connection
        self._dataset = dataset
        self._storage = dataset if storage is None else storage
        self._ending = PENDING if is_hidden else ""
        self._number = number
        self._owner = owner
        self._is_new = is_new
        self._position = position
        self._ids: dict[str, int] = {}
        self._numbers: dict[tuple[str, str], int] = {}

    def write(self, batch: Batch) -> BatchCounts:
        if batch.forget_keys:
            self._ids.clear()
            self._is_new = False
        counts, ids, numbers = self._connection.write(lambda tx: self._write(tx, batch))
        self._ids.update(ids)
        self._numbers |= numbers
        self._position = batch.position
        return counts

    def _write(
        self, transaction: Transaction, batch: Batch
    ) -> tuple[BatchCounts, dict[str, int], RelationNumbers]:
        self._lock(transaction)
        if batch.relations:
            relations = [list(pair) for pair in sorted(batch.relations.items())]
            self._run(transaction, "write_relations", relations=relations)
        if batch.sources:
            sources = [source.row() for source in batch.sources.values()]
            self._run(transaction, "write_sources", number=self._number, sources=sources)
        numbers = self._number_relations(transaction, batch)
        if batch.classes:
            self._run(transaction, "write_class_declarations", classes=batch.classes)
        if batch.properties:
            self._run(transaction, "write_relation_declarations", properties=batch.properties)
        new_ids: dict[str, int] = {}
        created = 0
        new_rows: Collection[str] = ()
        for statement, nodes in batch.nodes.items():
            count = self._write_nodes(transaction, statement, list(nodes.values()), new_ids)
            created += count
            if statement == "write_rows" and count == len(nodes):
                new_rows = nodes.keys()
        ids = ChainMap(new_ids, self._ids)
        _mark_new_hubs(transaction, batch, ids)
        if batch.qualified_facts:
            keys = batch.keys
            rows = [
                [fact.key, ids[keys[fact.head]], fact.relation, ids[keys[fact.tail]], fact.name]
                for fact in batch.qualified_facts.values()
            ]
            created += self._write_nodes(transaction, "write_qualified_facts", rows, new_ids)
        if batch.aliases:
            aliases = [[ids[key], alias, normalized] for key, alias, normalized in batch.aliases]
            self._run(transaction, "write_aliases", aliases=aliases)
        facts = 0
        if batch.facts:
            positions = [p for p, key in enumerate(batch.keys) if key in new_rows]
            groups = list(
                _make_group_rows(
                    batch,
                    [ids[key] for key in batch.keys],
                    ChainMap(numbers, self._numbers),
                    frozenset(positions),
                )
            )
            facts = transaction.run("write_facts", groups=groups).rows[0]["facts"]
        transaction.run(
            "advance_load",
            dataset=self._dataset,
            number=self._number,
            position=batch.position,
            at=batch.at,
            nodes=created,
            facts=facts,
        )
        return BatchCounts(created, facts), new_ids, numbers

    def _run(self, transaction: Transaction, statement: str, **parameters: Any) -> Reply:
        # What a statement creates is hidden if the load adds to a dataset.
        return transaction.run(statement + self._ending, dataset=self._storage, **parameters)

    def _number_relations(self, transaction: Transaction, batch: Batch) -> RelationNumbers:
        # The numbers of relations of sources that come with this batch.
        pairs = dict.fromkeys(batch.relation_pairs())
        new = [pair for pair in pairs if pair not in self._numbers]
        return number_relations(transaction, self._storage, new) if new else {}

    def _write_nodes(
        self, transaction: Transaction, statement: str, rows: list[Row], ids: dict[str, int]
    ) -> int:
        # Adds to ``ids``; returns the number of new nodes.
        if self._is_new and statement in NODE_STATEMENTS:
            known = ChainMap(ids, self._ids)
            if not any(row[0] in known for row in rows):
                statement += NEW
        reply = self._run(transaction, statement, nodes=rows)
        ids.update(zip((row[0] for row in rows), reply.rows[0]["ids"], strict=True))
        return reply.nodes

    def _lock(self, transaction: Transaction) -> None:
        rows = transaction.run(
            "lock_load", dataset=self._dataset, number=self._number, owner=self._owner
        ).rows
        if not rows or rows[0]["position"] != self._position:
            raise make_taken_over_error(self._dataset)


def number_relations(
    transaction: Transaction, dataset: str, pairs: Sequence[tuple[str, str]]
) -> RelationNumbers:
    # ``pairs`` of source and relation are in the catalog afterwards.
    rows = transaction.run("number_relations", dataset=dataset, pairs=[*map(list, pairs)]).rows
    return dict(zip(pairs, rows[0]["numbers"], strict=True))


def _make_group_rows(
    batch: Batch,
    ids: Sequence[int],
    numbers: Mapping[tuple[str, str], int],
    new_rows: frozenset[int],
) -> Iterable[list[Any]]:
    # Plain facts of ``new_rows``, positions among the keys, have no equal in the database, nor another in the
    # batch: each row belongs to one file. A search for them would be a tenth of the writing.
    for group, facts in batch.facts.items():
        qualifiers = sorted(batch.qualifiers.get(group, ()))
        # Facts of the first file do not say so: most sources have one, and a property takes space.
        number, file = numbers[group.source, group.relation], group.file or None
        common = [number, file, group.relation, qualifiers]
        plain = [*zip(facts.heads, facts.tails, facts.lines, strict=True)]
        certain = [] if facts.detailed else [fact for fact in plain if fact[0] in new_rows]
        if certain:
            plain = [fact for fact in plain if fact[0] not in new_rows]
        rows = [[ids[head], ids[tail], line] for head, tail, line in plain]
        rows += [[ids[head], ids[tail], *details] for head, tail, *details in facts.detailed]
        if rows:
            yield [*common, rows, False]
        if certain:
            yield [*common, [[ids[head], ids[tail], line] for head, tail, line in certain], True]


def _mark_new_hubs(transaction: Transaction, batch: Batch, ids: Mapping[str, int]) -> None:
    # Their facts get the ids of the hubs as they are written: to add them later takes a tenth of a load.
    if batch.hubs:
        transaction.run("mark_new_hubs", nodes=[ids[key] for key in batch.hubs])


def find_hubs(connection: Connection, dataset: str, degree: int = HUB_DEGREE) -> list[int]:
    # ``dataset`` is a stored name.
    # Nodes with more than ``degree`` facts that are not marked as hubs yet.
    nodes: list[int] = connection.read_one("find_hubs", dataset=dataset, degree=degree)[0]["nodes"]
    return nodes


def mark_hubs(connection: Connection, nodes: Sequence[int], facts_have_ids: bool = False) -> None:
    # The mark allows an index of facts by these nodes. It is repeated after an interruption: a node
    # counts as a hub once all its facts are indexed. An import gives the facts their ids itself.
    if nodes:
        if not facts_have_ids:
            connection.run_alone("set_hub_ids_outgoing", nodes=nodes)
            connection.run_alone("set_hub_ids_incoming", nodes=nodes)
        connection.write_one("mark_hubs", nodes=nodes)
