"""Equal facts: one head, relation, tail, interval and qualifiers count once, also in several sources.

A statement groups facts by all but their qualifiers, which lie at nodes of their own. The qualifiers are
read only where facts that differ in nothing else have some.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from ..reads.reader import Reader, Row

FactColumns: TypeAlias = tuple[Sequence[int], Sequence[int], Sequence[Sequence[int]]]
"""Heads and tails of facts, and the ids of each in its sources."""

Qualifiers: TypeAlias = Mapping[int, frozenset[tuple[str, int]]]


def split_equal_facts(row: Row, reader: Reader) -> FactColumns:
    """Return the facts of a row in which a statement has grouped those of equal ends and intervals."""
    heads, tails, groups = row["heads"], row["tails"], row["facts"]
    if not row["qualified"]:
        return heads, tails, groups
    first_ids = set(row["qualified"])
    places = [place for place, ids in enumerate(groups) if ids[0] in first_ids]
    qualifiers = _read_qualifiers(reader, [fact for place in places for fact in groups[place]])
    rows: list[tuple[int, int, Sequence[int]]] = []
    for head, tail, ids in zip(heads, tails, groups, strict=True):
        parts = _split(ids, qualifiers) if ids[0] in first_ids else (ids,)
        rows += ((head, tail, part) for part in parts)
    return [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows]


def group_equal_facts(row: Row, reader: Reader) -> FactColumns:
    """Return the facts of a row in which a statement has listed those of one relation one by one."""
    heads, tails, ids = row["heads"], row["tails"], row["facts"]
    if len(set(heads)) == len(heads):
        return heads, tails, list(zip(ids, strict=True))
    intervals = {fact: (start, end) for fact, start, end in row["intervals"]}
    groups: dict[tuple[int, int, Any], list[int]] = {}
    for head, tail, fact in zip(heads, tails, ids, strict=True):
        groups.setdefault((head, tail, intervals.get(fact)), []).append(fact)
    qualified = set(row["qualified"])
    first_ids = [
        same[0] for same in groups.values() if len(same) > 1 and not qualified.isdisjoint(same)
    ]
    grouped = {
        "heads": [head for head, _, _ in groups],
        "tails": [tail for _, tail, _ in groups],
        "facts": list(groups.values()),
        "qualified": first_ids,
    }
    return split_equal_facts(grouped, reader)


def _read_qualifiers(reader: Reader, facts: Sequence[int]) -> Qualifiers:
    rows = reader.run("fact_qualifiers", facts=list(facts))
    return {fact: frozenset(map(tuple, pairs)) for fact, pairs in rows[0]["facts"]}


def _split(ids: Sequence[int], qualifiers: Qualifiers) -> list[list[int]]:
    parts: dict[frozenset[tuple[str, int]], list[int]] = {}
    for fact in ids:
        parts.setdefault(qualifiers.get(fact, frozenset()), []).append(fact)
    return list(parts.values())
