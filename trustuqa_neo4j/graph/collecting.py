"""Batches → files for the import tool: the other way into the database, beside ``writing``.

Nodes get the numbers here that they have in the store, so facts name their ends by number, and a node that
comes again is not written again. What is done for each fact is done for all of a batch at a time.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..values import ValueOptions
from .batched import Batch, Row
from .figures import Catalogue
from .nodes import Nodes
from .numbering import Filter, Numbers
from .sheets import ARRAY_DELIMITER, Sheets, cell, text
from .sifting import Numbered, Sieve
from .writing import HUB

if TYPE_CHECKING:
    from .numbering import Ints

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


class Collector:
    """Writes bare batches to files in ``folder``; what else is to be known is in ``catalogue``."""

    def __init__(
        self,
        folder: Path,
        dataset: str,
        values: ValueOptions,
        met: Filter | None = None,
        hub: int = HUB,
    ) -> None:
        self.catalogue = Catalogue()
        self.sheets = Sheets(folder)
        self._numbers = Numbers()
        self._dataset = text(dataset)
        self._values = values
        self._hub = hub
        self._sieve = Sieve(folder, met)
        self._nodes = Nodes()
        self._shapes = {s: self.sheets.of_nodes(*shape) for s, shape in _SHAPES.items()}
        relationships = self.sheets.of_relationships
        self._heads, self._tails = relationships("heads", "HEAD"), relationships("tails", "TAIL")
        self._of = relationships("of", "OF")
        self._plain = relationships("facts", "FACT", _FACT)
        self._held = relationships("held", "FACT", _FACT + _HELD)

    def add(self, batch: Batch) -> None:
        """Write a batch."""
        catalogue = self.catalogue
        catalogue.position = batch.position
        for relation, folded in sorted(batch.relations.items()):
            catalogue.relations.setdefault(relation, folded)
        catalogue.sources.update(batch.sources)
        catalogue.classes += batch.classes
        catalogue.properties += batch.properties
        aliases: dict[str, dict[str, str]] = {}
        for key, alias, folded in batch.aliases:
            aliases.setdefault(key, {}).setdefault(alias, folded)
        for statement, rows in batch.nodes.items():
            self._write_nodes(statement, list(rows.values()), aliases)
        numbers = self._write_ends(batch)
        known = self._numbers.find(list(aliases))
        for node, more in zip(known.tolist(), aliases.values(), strict=True):
            # Of nodes that are written already.
            catalogue.aliases += [(node, alias, folded) for alias, folded in more.items()]
        self._write_facts(self._sieve.sift(Numbered.made(batch.facts, numbers)))
        for group in batch.facts:
            figures = catalogue.of(group.source, group.relation)
            figures.note_qualifiers(batch.qualifiers.get(group, ()))

    def finish(self, name: str, kind: str, values: str) -> None:
        """Write what was set aside, and the dataset as one that is not complete; close the files."""
        for facts in self._sieve.left():
            self._write_facts(facts)
        catalogue = self.catalogue
        catalogue.hubs = self._nodes.hubs(self._hub)
        number = self._nodes.add()
        row = (name, kind, values, False, "dropping", catalogue.nodes, catalogue.facts)
        cells = [str(v).lower() if isinstance(v, bool) else cell(v) for v in row]
        self._shapes["create_dataset"].write([",".join([str(number), *cells])])
        self.close()

    def close(self) -> None:
        """Close the files."""
        self.sheets.close()
        self._sieve.close()

    # Nodes.

    def _write_ends(self, batch: Batch) -> Ints:
        """The numbers of all keys of a batch; those that have none become nodes now."""
        keys, edges = batch.keys, batch.hyperedges
        numbers = self._numbers.find(keys)
        rows: dict[str, list[Row]] = {}
        places: dict[str, list[int]] = {}
        of_edges = []
        for place in np.flatnonzero(numbers < 0).tolist():
            if keys[place] in edges:
                of_edges.append(place)
                continue
            statement, row = batch.end(place, self._values)
            rows.setdefault(statement, []).append(row)
            places.setdefault(statement, []).append(place)
        for statement, found in rows.items():
            numbers[places[statement]] = self._write_new(statement, found, {})
        for place in of_edges:  # their ends have numbers by now
            numbers[place] = self._write_hyperedge(batch, keys[place], numbers)
        new = numbers[of_edges]
        self._numbers.add([keys[place] for place in of_edges], new)
        return numbers

    def _write_nodes(
        self, statement: str, rows: list[Row], aliases: dict[str, dict[str, str]]
    ) -> None:
        known = self._numbers.find([row[0] for row in rows])
        new = [row for row, number in zip(rows, known.tolist(), strict=True) if number < 0]
        self._write_new(statement, new, aliases)

    def _write_new(
        self, statement: str, rows: list[Row], aliases: dict[str, dict[str, str]]
    ) -> Ints:
        """Write nodes that are new; their numbers."""
        numbers, lines = [], []
        written = text if statement in ("write_names", "write_texts") else cell
        for row in rows:
            number = self._number(statement, row)
            names = self._alias(number, aliases.pop(row[0])) if row[0] in aliases else ""
            numbers.append(number)
            lines.append(f"{number},{self._dataset},{','.join(map(written, row))},{names}")
        self.catalogue.nodes += len(lines)
        self._shapes[statement].write(lines)
        found = np.array(numbers, np.int64)
        self._numbers.add([row[0] for row in rows], found)
        return found

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

    def _write_hyperedge(self, batch: Batch, key: str, numbers: Ints) -> int:
        edge = batch.hyperedges[key]
        number = self._nodes.add()
        cells = ",".join(map(text, (key, edge.relation, edge.name)))
        self._shapes["write_hyperedges"].write([f"{number},{self._dataset},{cells}"])
        self._heads.write([f"{number},{numbers[edge.head]}"])
        self._tails.write([f"{number},{numbers[edge.tail]}"])
        self.catalogue.nodes += 1
        return number

    # Facts.

    def _write_facts(self, facts: Numbered) -> None:
        degrees = self._nodes.join(facts.heads, facts.tails)
        # The facts of hubs that came before are given their numbers once all are in the database.
        out, into = (degree > self._hub for degree in degrees)
        places = self._nodes.places(facts.tails)
        for group, part in facts.by_group():
            source, file, relation = group
            middle = f"{self._dataset},{text(source)},{file},{text(relation)}"
            more = facts.more[part]
            plain = slice(part.start, part.stop - sum(told is not None for told in more))
            held = range(plain.stop, part.stop)
            self._write_plain(middle, facts, plain, out[plain] + 2 * into[plain])
            self._held.write(
                [
                    f"{facts.heads[n]},{facts.tails[n]},{middle},{facts.lines[n]},"
                    f"{facts.heads[n] if out[n] else ''},{facts.tails[n] if into[n] else ''},"
                    f"{','.join(map(cell, facts.more[n] or ()))}"
                    for n in held
                ]
            )
            intervals = [(told[0], told[1]) for told in more if told and told[0] is not None]
            figures = self.catalogue.of(source, relation)
            figures.note(self._nodes, facts.tails[part], places[part], intervals)
        self.catalogue.facts += len(facts.heads)

    def _write_plain(self, middle: str, facts: Numbered, part: slice, hubs: Ints) -> None:
        """Facts without interval and qualifiers; ``hubs``: 1 where the head is one, 2 the tail, 3 both."""
        heads, tails, lines = facts.heads[part], facts.tails[part], facts.lines[part]
        middle = middle.replace("%", "%%")
        for which in set(hubs.tolist()):
            columns = [heads, tails, lines]
            columns += [heads] * (which & 1) + [tails] * (which >> 1)
            form = f"%d,%d,{middle},%d,{'%d' * (which & 1)},{'%d' * (which >> 1)}"
            chosen = np.stack(columns, 1)[hubs == which]
            self._plain.fill(form, chosen.ravel().tolist(), len(chosen))
