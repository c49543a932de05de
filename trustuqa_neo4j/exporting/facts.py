"""Facts as CSV: head, relation, tail, then what these facts have beyond: times, qualifiers, file; line.

Qualifiers are JSON, a list of [name, value], in one column: a column for each of them would lose their
order, could not hold one that repeats, and there may be thousands.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any, TypeAlias

from ..graph.batch import Batcher
from ..triples import Fact, Held, Part
from ..values import DEFAULT
from .manifest import ExportedSource
from .nodes import End, Names
from .rows import Rows

Pairs: TypeAlias = tuple[tuple[str, str], ...]

_MOST = 6
"""Qualifiers of a fact of which all orders are tried."""


def write(
    facts: Iterable[list[Any]], source: ExportedSource, folder: Path, names: Names
) -> ExportedSource:
    """Write the sorted ``facts`` as the header of ``source`` says; with how many they are."""
    orders = Orders(source.name)
    cells = source.kind == "table"
    with Rows(folder / source.file, source.header) as rows:
        for found in facts:
            fact = _read(found, source.name, orders, names, cells)
            row = [fact.head, fact.relation, fact.tail]
            if source.held:
                row += _held(fact.held)
            if source.qualified:
                row.append(
                    json.dumps(fact.qualifiers, ensure_ascii=False) if fact.qualifiers else ""
                )
            if len(source.files) > 1:
                row.append(source.files[found[0]])
            row.append(str(fact.line))
            rows.write(row)
        return replace(source, rows=rows.written)


def _read(found: list[Any], source: str, orders: Orders, names: Names, cells: bool) -> Fact:
    """A fact as a loader is to give it; its nodes are noted in the order in which that meets them."""
    _, line, _, *nodes, start, end, start_text, end_text, edge, more = found
    head_end, relation, tail_end = End(*nodes[0]), nodes[1], End(*nodes[2])
    head, tail = head_end.text(source), tail_end.text(source)
    names.note(head_end, head, False)
    names.note(tail_end, tail, cells)
    held = None if start is None else Held(start, end, start_text or "", end_text or "")
    if not more:
        return Fact(head, relation, tail, line, held)
    values = [(name, End(*value)) for _, name, value in sorted(more)]
    by_text = {value.text(source): value for _, value in values}
    pairs = tuple((name, value.text(source)) for name, value in values)
    fact = Fact(head, relation, tail, line, held, pairs)
    fact = fact._replace(qualifiers=orders.find(edge, fact))
    for _, text in fact.qualifiers:
        names.note(by_text[text], text, False)
    return fact


def _held(time: Held | None) -> Sequence[str]:
    if time is None:
        return ("", "", "", "")
    return (time.start_text, time.end_text, str(time.start), str(time.end))


class Orders:
    """Finds the order in which qualifiers were given: the key of their fact's node tells it.

    They are kept as facts, which have no order among each other. In most sources all are in the order of
    some columns, so the last order that was found is tried first.
    """

    def __init__(self, source: str) -> None:
        self._part = Part(source, "", "kg")
        self._known: list[str] = []

    def find(self, edge: str | None, fact: Fact) -> Pairs:
        """The qualifiers of ``fact``, whose node has the key ``edge``, in order; as they are if none fits."""
        given = fact.qualifiers
        if edge is None or len(given) < 2:
            return given
        places = {name: place for place, name in enumerate(self._known)}
        likely = tuple(sorted(given, key=lambda pair: places.get(pair[0], len(places))))
        orders: Iterable[Pairs] = permutations(given) if len(given) <= _MOST else ()
        for order in (likely, *orders):
            if self._key(fact._replace(qualifiers=order)) == edge:
                names = [name for name, _ in order]
                self._known = [*names, *(name for name in self._known if name not in names)]
                return order
        return given

    def _key(self, fact: Fact) -> str:
        """The key that a load would give the node of ``fact``."""
        batch = Batcher(iter((self._part, fact)), DEFAULT).next()
        assert batch is not None
        return next(iter(batch.hyperedges))
