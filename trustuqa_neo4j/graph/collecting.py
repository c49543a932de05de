"""Batches → files for the import tool: the other way into the database, beside ``writing``.

Nodes get the numbers here that they have in the store, so facts name their ends by number, and a node that
comes again is not written again. A fact that may have been there before is set aside; at the end all that
was written is looked through for those, once.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from .batch import Batch, Group, Hyperedge, Row, SourceSeen
from .figures import Figures, Nodes
from .numbering import Filter, Numbers
from .sheets import ARRAY_DELIMITER, Sheets, cell, text
from .writing import HUB

ASIDE = 200_000
"""Facts set aside that are looked for at a time."""

_NAMED = "dataset:string,key:string,name:string,folded:string"
_SHAPES = {
    "write_names": ("names", "Node:Entity:Name", f"{_NAMED},aliases:string[]"),
    "write_texts": ("texts", "Node:Value:Name", f"{_NAMED},aliases:string[]"),
    "write_values": (
        *("values", "Node:Value"),
        f"{_NAMED},number:double,unit:string,date_start:long,date_end:long,aliases:string[]",
    ),
    "write_nameless": ("nameless", "Node:Entity", "dataset:string,key:string,aliases:string[]"),
    "write_rows": (
        *("rows", "Node:Row"),
        "dataset:string,key:string,name:string,source:string,position:long,aliases:string[]",
    ),
    "write_hyperedges": (
        *("hyperedges", "Node:Hyperedge"),
        "dataset:string,key:string,relation:string,name:string",
    ),
    "write_aliases": ("aliases", "Alias:Name", "dataset:string,name:string,folded:string"),
    # Until its records are written, the dataset is one that can only be dropped.
    "create_dataset": (
        *("dataset", "Dataset"),
        "name:string,kind:string,values:string,complete:boolean,state:string,nodes:long,facts:long",
    ),
}
"""Statement that writes a node → the file in which it is written here, its labels, its columns."""

_FACT = "dataset:string,source:string,file:long,relation:string,line:long,head:long,tail:long"
# Most facts have none of these:
_HELD = ",start:long,end:long,span:long,start_text:string,end_text:string,hyperedge:string"


Fact: TypeAlias = tuple[int, int, Row]
"""A fact by the numbers of its head and tail, and its row."""


@dataclass
class Catalogue:
    """What is known of a dataset beside its nodes and facts, as the records of it are written."""

    relations: dict[str, str] = field(default_factory=dict)
    sources: dict[str, SourceSeen] = field(default_factory=dict)
    figures: dict[tuple[str, str], Figures] = field(default_factory=dict)
    aliases: list[tuple[int, str, str]] = field(default_factory=list)
    """Those of nodes that are written already."""
    nodes: int = 0
    facts: int = 0
    position: int = 0

    def of(self, source: str, relation: str) -> Figures:
        """The figures of a relation in a source."""
        return self.figures.setdefault((source, relation), Figures())


class Collector:
    """Writes batches to files in ``folder``; what else is to be known is in ``catalogue``."""

    def __init__(
        self, folder: Path, dataset: str, met: Filter | None = None, hub: int = HUB
    ) -> None:
        self.catalogue = Catalogue()
        self.numbers = Numbers()
        self.sheets = Sheets(folder)
        self._dataset = text(dataset)
        self._hub = hub
        self._met = met or Filter()
        self._nodes = Nodes()
        self._groups: dict[tuple[str, str], int] = {}
        self._shapes = {s: self.sheets.of_nodes(*shape) for s, shape in _SHAPES.items()}
        relationships = self.sheets.of_relationships
        self._heads, self._tails = relationships("heads", "HEAD"), relationships("tails", "TAIL")
        self._of = relationships("of", "OF")
        self._plain = relationships("facts", "FACT", _FACT)
        self._held = relationships("held", "FACT", _FACT + _HELD)
        self._hashes = (folder / "hashes").open("w+b")
        self._aside = (folder / "aside").open("w+", encoding="utf-8")

    def add(self, batch: Batch) -> None:
        """Write a batch."""
        catalogue = self.catalogue
        catalogue.position = batch.position
        for relation, folded in sorted(batch.relations.items()):
            catalogue.relations.setdefault(relation, folded)
        catalogue.sources.update(batch.sources)
        aliases: dict[str, dict[str, str]] = {}
        for key, alias, folded in batch.aliases:
            aliases.setdefault(key, {}).setdefault(alias, folded)
        for statement, rows in batch.nodes.items():
            self._write_nodes(statement, rows.values(), aliases)
        self._write_hyperedges(batch.hyperedges.values())
        for key, more in aliases.items():  # of nodes that are written already
            node = self.numbers[key]
            catalogue.aliases += [(node, alias, folded) for alias, folded in more.items()]
        for group, rows_of_group in batch.facts.items():
            new = self._sift(group, rows_of_group)
            self._write_facts(group, new)
            self._figures(group).note_qualifiers(batch.qualifiers.get(group, ()))

    def finish(self, name: str, kind: str, values: str) -> None:
        """Write what was set aside, and the dataset as one that is not complete; close the files."""
        for group, facts in self._new_ones():
            self._write_facts(group, facts)
        catalogue = self.catalogue
        number = self._nodes.add()
        row = (name, kind, values, False, "dropping", catalogue.nodes, catalogue.facts)
        cells = [str(v).lower() if isinstance(v, bool) else cell(v) for v in row]
        self._shapes["create_dataset"].write([",".join([str(number), *cells])])
        self.close()

    def close(self) -> None:
        """Close the files."""
        self.sheets.close()
        self._hashes.close()
        self._aside.close()

    # Nodes.

    def _write_nodes(
        self, statement: str, rows: Iterable[Row], aliases: dict[str, dict[str, str]]
    ) -> None:
        lines = []
        find = self.numbers.find
        for row in rows:
            key = row[0]
            if find(key) is None:
                number = self._number(statement, row)
                self.numbers.add(key, number)
                names = self._alias(number, aliases.pop(key)) if key in aliases else ""
                lines.append(f"{number},{self._dataset},{','.join(map(cell, row))},{names}")
        self.catalogue.nodes += len(lines)
        self._shapes[statement].write(lines)

    def _number(self, statement: str, row: Row) -> int:
        if statement == "write_values":
            _key, name, _folded, number, _unit, start, end = row
            return self._nodes.add_value(name, number, start, end)
        return self._nodes.add_nameless() if statement == "write_nameless" else self._nodes.add()

    def _alias(self, node: int, aliases: dict[str, str]) -> str:
        """Aliases of a new node as its property, with a node for each."""
        if any(not alias or ARRAY_DELIMITER in alias for alias in aliases):
            # The tool could not tell them apart.
            self.catalogue.aliases += [(node, alias, folded) for alias, folded in aliases.items()]
            return ""
        lines, links = [], []
        for alias, folded in aliases.items():
            number = self._nodes.add()
            lines.append(f"{number},{self._dataset},{text(alias)},{text(folded)}")
            links.append(f"{number},{node}")
        self._shapes["write_aliases"].write(lines)
        self._of.write(links)
        return text(ARRAY_DELIMITER.join(aliases))

    def _write_hyperedges(self, edges: Iterable[Hyperedge]) -> None:
        numbers = self.numbers
        for edge in edges:
            if numbers.find(edge.key) is None:
                number = self._nodes.add()
                numbers.add(edge.key, number)
                cells = ",".join(map(text, (edge.key, edge.relation, edge.name)))
                self._shapes["write_hyperedges"].write([f"{number},{self._dataset},{cells}"])
                self._heads.write([f"{number},{numbers[edge.head]}"])
                self._tails.write([f"{number},{numbers[edge.tail]}"])
                self.catalogue.nodes += 1

    # Facts.

    def _figures(self, group: Group) -> Figures:
        return self.catalogue.of(group.source, group.relation)

    def _sift(self, group: Group, rows: Iterable[Row]) -> list[Fact]:
        """The facts that certainly were not there before; the others are set aside."""
        recent, numbers, met = self.numbers.recent, self.numbers, self._met.met
        number = self._groups.setdefault((group.source, group.relation), len(self._groups))
        new, hashes, aside = [], array("q"), []
        for row in rows:
            head, tail = recent.get(row[0]), recent.get(row[1])
            if head is None or tail is None:
                head, tail = numbers[row[0]], numbers[row[1]]
            if len(row) == 3:
                told = hash((number, head, tail))
            else:
                told = hash((number, head, tail, row[3], row[4], row[8]))
            if met(told):
                aside.append(json.dumps([told, group, head, tail, row]) + "\n")
            else:
                new.append((head, tail, row))
                hashes.append(told)
        hashes.tofile(self._hashes)
        self._aside.writelines(aside)
        return new

    def _new_ones(self) -> Iterator[tuple[Group, list[Fact]]]:
        """Of the facts set aside, those that were not there before, each once."""
        self._aside.seek(0)
        written: set[int] = set()
        while asked := list(islice(self._aside, ASIDE)):
            found: dict[int, tuple[Group, Fact]] = {}
            for line in asked:
                told, group, head, tail, row = json.loads(line)
                found.setdefault(told, (Group(*group), (head, tail, row)))
            for told in written.intersection(found):
                del found[told]
            for told in self._written(found):
                found.pop(told, None)
            written.update(found)
            for group, fact in found.values():
                yield group, [fact]

    def _written(self, asked: dict[int, Any]) -> Iterator[int]:
        """Those of the hashes that were written."""
        among: Callable[[int], bool] = asked.copy().__contains__
        self._hashes.seek(0)
        while block := self._hashes.read(1 << 20):
            yield from filter(among, array("q", block))

    def _write_facts(self, group: Group, facts: Sequence[Fact]) -> None:
        source, file, relation = group
        middle = f"{self._dataset},{text(source)},{file},{text(relation)}"
        degrees, hub = self._nodes.degrees, self._hub
        plain, held = [], []
        for head, tail, row in facts:
            degrees[head] += 1
            if tail != head:
                degrees[tail] += 1
            # The facts before are given their hub's number once all are in the database.
            out = head if degrees[head] > hub else ""
            into = tail if degrees[tail] > hub else ""
            line = f"{head},{tail},{middle},{row[2]},{out},{into}"
            if len(row) == 3:
                plain.append(line)
            else:
                held.append(f"{line},{','.join(map(cell, row[3:]))}")
        self._plain.write(plain)
        self._held.write(held)
        self.catalogue.facts += len(facts)
        intervals = [(row[3], row[4]) for _, _, row in facts if len(row) > 3 and row[3] is not None]
        self._figures(group).note(self._nodes, [tail for _, tail, _ in facts], intervals)
