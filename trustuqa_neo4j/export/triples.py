"""The condition triples of the TrustUQA paper, (node1, node2, condition), of stored facts.

A fact is stored once; the paper writes it as two triples, and as more for its time and qualifiers. A row of a
table is the entity ``[line_i]``, where the first row below the header is line 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import nsmallest
from typing import Any

from ..graph.catalog import describe_complete_dataset
from ..graph.connection import Connection
from ..model.facts import ConditionTriple, format_key
from ..values import OPEN


def format_triple(triple: ConditionTriple) -> str:
    """Return the triple as the paper prints it; names with a comma or a quote are in quotes."""
    node1, node2, *condition = map(_quote, (triple.node1, triple.node2, *triple.condition))
    return f"({node1}, {node2}, [{', '.join(condition)}])"


def _quote(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"' if "," in name or doubled != name else name


def list_triples(
    connection: Connection, dataset: str, head: str | None, limit: int
) -> list[ConditionTriple]:
    """Return the triples of the first ``limit`` facts, or of those of one head.

    Raises:
        UnknownDataset, IncompleteDataset, DatabaseError
    """
    content = describe_complete_dataset(connection, dataset)
    rows = connection.read(
        lambda reader: reader.run("describe_sources", dataset=dataset, sources=None)
    )
    triples: list[ConditionTriple] = []
    for row in rows:
        source = {"dataset": content["storage"], "source": row["name"]}
        with connection.iterate("export_facts", **source) as facts:
            own = (fact for fact in facts if head is None or head in (_name(fact[3]), fact[3][1]))
            # The index returns them relation by relation; the first ones in the file are wanted.
            chosen = nsmallest(limit, own, key=lambda fact: fact[:3])
        limit -= len(chosen)
        triples += (triple for fact in chosen for triple in translate_fact(fact))
    return triples


def translate_fact(fact: list[Any]) -> Iterator[ConditionTriple]:
    """Yield the triples of a row of the statement ``export_facts``."""
    _, _, _, head_node, relation, tail_node, start, end, start_text, end_text, _, qualifiers, _ = (
        fact
    )
    head, tail = _name(head_node), _name(tail_node)
    yield ConditionTriple(head, relation)
    yield ConditionTriple(relation, tail, (head,))
    whole = (head, relation, tail)
    for key, text in (("start time", start_text), ("end time", end_text)):
        if text:
            yield ConditionTriple(key, text, whole)
    if start is not None and end < OPEN:
        for year in range(start // 10_000, end // 10_000 + 1):
            yield ConditionTriple("time", str(year), whole)
    for _, key, value in qualifiers:
        yield ConditionTriple(key, _name(value), whole)


def _name(node: list[Any]) -> str:
    _, key, kind, name, _ = node
    return f"[line_{name}]" if kind == "row" else name or format_key(key)
