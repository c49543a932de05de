"""What lies around the names that a question means: one fact of each relation, one and two steps away.

One fact of a relation shows what the relation is for, and no prompt holds the 240,000 facts of a country. So
the second step goes on from one node of each relation; what others have besides is not seen.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...compiling import Program, Read, Row
from ...dataset import Scope
from .asked import Link, Linked

LOOKED_AT = 2_000
"""Facts of a node that are looked at: more than any that is no hub has."""


def linked(scope: Scope, nodes: Sequence[int]) -> Program[tuple[Linked, ...]]:
    """The nodes that a question means, those with names, each with what is around it."""
    first = yield from _around(scope, nodes)
    beyond = dict.fromkeys(other for row in first.values() for _, _, other, _ in row["links"])
    second = yield from _around(scope, [node for node in beyond if node not in first])
    return tuple(
        Linked(row["name"], _links(row), _further(row, first | second))
        for node in dict.fromkeys(nodes)
        if (row := first.get(node)) is not None and row["name"]
    )


def _around(scope: Scope, nodes: Sequence[int]) -> Program[dict[int, Row]]:
    if not nodes:
        return {}
    given = {"nodes": list(nodes), "source": scope.source, "limit": LOOKED_AT}
    return {row["node"]: row for row in (yield Read("facts_around", given))}


def _links(row: Row) -> tuple[Link, ...]:
    return tuple(
        Link(relation, *((row["name"], name) if out else (name, row["name"])))
        for relation, out, _, name in row["links"]
    )


def _further(row: Row, around: dict[int, Row]) -> tuple[Link, ...]:
    """Facts of the nodes beside one, those relations left out that it has itself."""
    known = {relation for relation, _, _, _ in row["links"]}
    found: dict[str, Link] = {}
    for _, _, other, _ in row["links"]:
        for link in _links(around[other]) if other in around else ():
            if link.relation not in known:
                found.setdefault(link.relation, link)
    return tuple(found.values())
