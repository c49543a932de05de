"""Batches → the files of ``neo4j-admin database import``.

Nodes get their ids in the store here: facts refer to their ends by id, and a repeated node is not written
again. Work on facts is done for a whole batch at once. Text always stands in quotes, since the tool reads
an unquoted empty text as null. Rows with a line break go to files of their own, since the tool reads all
other files in several threads. Facts of hubs carry the id of the hub. Which nodes are hubs is known at the
end, so facts wait for it in a file of their own. Statements that add the ids later (the alternative) take
seconds for what takes a fraction of one here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from ..loading.batch import Batch, QualifiedFact, Row
from ..loading.writer import HUB_DEGREE
from ..values import ValueOptions
from .dedupe import FactDeduplicator, NumberedFacts
from .frames import read_frame, write_frame
from .node_ids import BloomFilter, NodeData, NodeIds, hash_keys
from .statistics import ImportCatalog

if TYPE_CHECKING:
    from .node_ids import Ints, Truths

ARRAY_DELIMITER = "\x1f"

_LONG_LINE = 250_000
"""Characters: the tool needs a larger read buffer for longer lines."""


def quote_text(text: str) -> str:
    return f'"{text}"' if '"' not in text else '"' + text.replace('"', '""') + '"'


def format_cell(value: Any) -> str:
    if value is None:
        return ""
    return quote_text(value) if isinstance(value, str) else repr(value)


@dataclass
class ImportFile:
    name: str
    labels: str
    columns: str
    folder: Path
    exit_stack: ExitStack
    rows: int = 0
    longest_line: int = 0
    _files: dict[str, BinaryIO] = field(default_factory=dict)

    def write(self, lines: Sequence[str]) -> None:
        if not lines:
            return
        self.rows += len(lines)
        joined = "\n".join(lines)
        if joined.count("\n") == len(lines) - 1 and "\r" not in joined:
            self._open(self.name).write(joined.encode() + b"\n")
        else:
            for line in lines:
                self._open(self._file_name(line)).write(line.encode() + b"\n")
        if len(joined) > _LONG_LINE:
            self.longest_line = max(self.longest_line, *map(len, lines))

    def write_template(self, template: str, numbers: Sequence[int], rows: int) -> None:
        # ``%d`` stands for each of the ``numbers``. One operation for all rows takes a third of the
        # time. ``template`` must be short.
        if rows:
            self.rows += rows
            text = (template + "\n") * rows % tuple(numbers)
            self._open(self._file_name(template)).write(text.encode())

    def _file_name(self, line: str) -> str:
        return f"{self.name}-lines" if "\n" in line or "\r" in line else self.name

    def _open(self, name: str) -> BinaryIO:
        file = self._files.get(name)
        if file is None:
            path = self.folder / f"{name}.csv"
            file = self._files[name] = self.exit_stack.enter_context(path.open("wb"))
            file.write(self.columns.encode() + b"\n")
        return file

    @property
    def files(self) -> list[str]:
        # Relative to their folder.
        return [f"{name}.csv" for name in self._files]


@dataclass
class ImportFiles:
    folder: Path
    nodes: list[ImportFile] = field(default_factory=list)
    relationships: list[ImportFile] = field(default_factory=list)
    _exit_stack: ExitStack = field(default_factory=ExitStack)

    def add_nodes(self, name: str, labels: str, columns: str) -> ImportFile:
        file = ImportFile(name, labels, f":ID,{columns}", self.folder, self._exit_stack)
        self.nodes.append(file)
        return file

    def add_relationships(self, name: str, kind: str, columns: str = "") -> ImportFile:
        header = ":START_ID,:END_ID" + (f",{columns}" if columns else "")
        file = ImportFile(name, kind, header, self.folder, self._exit_stack)
        self.relationships.append(file)
        return file

    def close(self) -> None:
        self._exit_stack.close()

    def arguments(self) -> list[str]:
        # The tool must run in the folder.
        arguments = []
        for option, group in (("nodes", self.nodes), ("relationships", self.relationships)):
            arguments += [f"--{option}={f.labels}=./{name}" for f in group for name in f.files]
        every = (*self.nodes, *self.relationships)
        multiline = [f"./{name}" for file in every for name in file.files if "-lines" in name]
        if multiline:
            arguments.append("--multiline-fields-format=v2")
            arguments.append(f"--multiline-fields={','.join(multiline)}")
        longest_line = max(file.longest_line for file in every)
        if longest_line > _LONG_LINE:
            arguments.append(f"--read-buffer-size={8 * longest_line}")
        return arguments

    @property
    def size(self) -> int:
        return sum(path.stat().st_size for path in self.folder.glob("*.csv"))


_NAMED_COLUMNS = "dataset:string,key:string,name:string,folded:string"
_NODE_FILES = {
    "write_names": ("names", "Node:Entity:Name", f"{_NAMED_COLUMNS},aliases:string[]"),
    "write_texts": ("texts", "Node:Value:Name", f"{_NAMED_COLUMNS},aliases:string[]"),
    "write_values": (
        *("values", "Node:Value"),
        f"{_NAMED_COLUMNS},number:double,unit:string,date_start:long,date_end:long,aliases:string[]",
    ),
    "write_nameless": ("nameless", "Node:Entity", f"{_NAMED_COLUMNS},aliases:string[]"),
    "write_rows": (
        *("rows", "Node:Row"),
        "dataset:string,key:string,name:string,source:string,position:long,aliases:string[]",
    ),
    "write_qualified_facts": (
        *("hyperedges", "Node:Hyperedge"),
        "dataset:string,key:string,relation:string,name:string",
    ),
    "write_aliases": ("aliases", "Alias:Name", "dataset:string,name:string,folded:string"),
    # Until the records are written, the dataset can only be dropped.
    "create_dataset": (
        *("dataset", "Dataset"),
        "name:string,kind:string,values:string,complete:boolean,state:string,nodes:long,facts:long",
    ),
    "number_relations": ("counter", "Schema", "name:string,numbers:long"),
}
"""Statement that writes a node → the file, labels and columns of the same node here."""

_FACT_COLUMNS = "number:long,file:long,relation:string,line:long,head:long,tail:long"
# Most facts have none of these:
_FACT_DETAILS = (
    ",start:long,end:long,span:long,start_text:string,end_text:string,hyperedge:string,cell:string"
)


@dataclass(frozen=True, slots=True)
class _PendingFacts:
    # ``middle`` are the cells of all after their ends; ``details`` those of the last facts after the line.
    middle: str
    heads: Ints
    tails: Ints
    lines: Ints
    details: Sequence[Row]


class ImportFileWriter:
    # ``catalog`` has the other records of the dataset.
    def __init__(
        self,
        folder: Path,
        dataset: str,
        values: ValueOptions,
        seen: BloomFilter | None = None,
        hub_degree: int = HUB_DEGREE,
    ) -> None:
        self.catalog: ImportCatalog = ImportCatalog()
        self.files: ImportFiles = ImportFiles(folder)
        self._ids = NodeIds()
        self._dataset = quote_text(dataset)
        self._values = values
        self._hub_degree = hub_degree
        self._deduplicator = FactDeduplicator(folder, seen)
        self._pending_facts = (folder / "pending").open("w+b")
        self._nodes = NodeData()
        self._node_files = {
            statement: self.files.add_nodes(*parameters)
            for statement, parameters in _NODE_FILES.items()
        }
        relationships = self.files.add_relationships
        self._heads, self._tails = relationships("heads", "HEAD"), relationships("tails", "TAIL")
        self._alias_links = relationships("of", "OF")
        self._plain_facts = relationships("facts", "FACT", _FACT_COLUMNS)
        self._detailed_facts = relationships("held", "FACT", _FACT_COLUMNS + _FACT_DETAILS)

    def add(self, batch: Batch) -> None:
        catalog = self.catalog
        catalog.position = batch.position
        for relation, normalized in sorted(batch.relations.items()):
            catalog.relations.setdefault(relation, normalized)
        catalog.sources.update(batch.sources)
        catalog.classes += batch.classes
        catalog.properties += batch.properties
        aliases: dict[str, dict[str, str]] = {}
        for key, alias, normalized in batch.aliases:
            aliases.setdefault(key, {}).setdefault(alias, normalized)
        for statement, rows in batch.nodes.items():
            self._write_declared_nodes(statement, list(rows.values()), aliases)
        ids = self._write_ends(batch)
        # What is left are aliases of nodes that are written already.
        nodes = self._ids.find(hash_keys(list(aliases)))
        for node, names in zip(nodes.tolist(), aliases.values(), strict=True):
            catalog.aliases += [(node, alias, normalized) for alias, normalized in names.items()]
        for group in batch.facts:
            statistics = catalog.statistics_of(group.source, group.relation)
            statistics.add_qualifiers(batch.qualifiers.get(group, ()))
        facts = NumberedFacts.from_groups(batch.facts, ids)
        self._add_facts(self._deduplicator.filter(facts))

    def finish(self, name: str, kind: str, values: str) -> None:
        # The deferred facts, and the dataset as one that is being dropped.
        for facts in self._deduplicator.read_deferred():
            self._add_facts(facts)
        catalog = self.catalog
        is_hub = self._nodes.have_more_facts(self._hub_degree)
        catalog.hubs = np.flatnonzero(is_hub).tolist()
        for pending in self._read_pending_facts():
            self._write_facts(pending, is_hub)
        self._pending_facts.truncate(0)
        node = self._nodes.add()
        counts = f"{catalog.nodes},{catalog.facts}"
        texts = ",".join(map(quote_text, (name, kind, values)))
        line = f'{node},{texts},false,"dropping",{counts}'
        self._node_files["create_dataset"].write([line])
        # Until the records are written, no other load may give the same numbers.
        counter = f'{self._nodes.add()},"trustuqa",{len(catalog.statistics)}'
        self._node_files["number_relations"].write([counter])
        self.close()

    def close(self) -> None:
        self.files.close()
        self._deduplicator.close()
        self._pending_facts.close()

    # Nodes.

    def _write_ends(self, batch: Batch) -> Ints:
        # Returns the ids of all keys.
        keys, qualified_facts = batch.keys, batch.qualified_facts
        hashes = hash_keys(keys)
        ids = self._ids.find(hashes)
        new_positions = np.flatnonzero(ids < 0)
        rows: dict[str, list[Row]] = {}
        positions: dict[str, list[int]] = {}
        qualified_positions = []
        for position in new_positions.tolist():
            if keys[position] in qualified_facts:
                qualified_positions.append(position)
                continue
            statement, row = batch.make_end_node(position, self._values)
            rows.setdefault(statement, []).append(row)
            positions.setdefault(statement, []).append(position)
        for statement, new_rows in rows.items():
            ids[positions[statement]] = self._write_new_nodes(statement, new_rows, {})
        for position in qualified_positions:  # their ends have ids by now
            ids[position] = self._write_qualified_fact(qualified_facts[keys[position]], ids)
        self._ids.add(hashes.select(new_positions), ids[new_positions])
        return ids

    def _write_declared_nodes(
        self, statement: str, rows: list[Row], aliases: dict[str, dict[str, str]]
    ) -> None:
        hashes = hash_keys([row[0] for row in rows])
        new_positions = np.flatnonzero(self._ids.find(hashes) < 0)
        new_rows = [rows[position] for position in new_positions.tolist()]
        ids = self._write_new_nodes(statement, new_rows, aliases)
        self._ids.add(hashes.select(new_positions), np.array(ids, np.int64))

    def _write_new_nodes(
        self, statement: str, rows: list[Row], aliases: dict[str, dict[str, str]]
    ) -> list[int]:
        # Returns their ids.
        nodes, lines = [], []
        format_value = quote_text if statement in ("write_names", "write_texts") else format_cell
        for row in rows:
            node = self._add_node(statement, row)
            names = self._write_aliases(node, aliases.pop(row[0])) if row[0] in aliases else ""
            nodes.append(node)
            lines.append(f"{node},{self._dataset},{','.join(map(format_value, row))},{names}")
        self.catalog.nodes += len(lines)
        self._node_files[statement].write(lines)
        return nodes

    def _add_node(self, statement: str, row: Row) -> int:
        if statement == "write_values":
            _key, name, _normalized, number, _unit, start, end = row
            return self._nodes.add_value(name, number, start, end)
        return self._nodes.add_nameless() if statement == "write_nameless" else self._nodes.add()

    def _write_aliases(self, node: int, aliases: dict[str, str]) -> str:
        # A node for each alias; returns the aliases as a property of their node.
        if any(not alias or ARRAY_DELIMITER in alias for alias in aliases):
            # The tool could not separate them; they are written to the database later.
            self.catalog.aliases += [(node, name, normal) for name, normal in aliases.items()]
            return ""
        lines, links = [], []
        for alias, normalized in aliases.items():
            alias_node = self._nodes.add()
            texts = f"{quote_text(alias)},{quote_text(normalized)}"
            lines.append(f"{alias_node},{self._dataset},{texts}")
            links.append(f"{alias_node},{node}")
        self._node_files["write_aliases"].write(lines)
        self._alias_links.write(links)
        return quote_text(ARRAY_DELIMITER.join(aliases))

    def _write_qualified_fact(self, fact: QualifiedFact, ids: Ints) -> int:
        node = self._nodes.add()
        texts = ",".join(map(quote_text, (fact.key, fact.relation, fact.name)))
        self._node_files["write_qualified_facts"].write([f"{node},{self._dataset},{texts}"])
        self._heads.write([f"{node},{ids[fact.head]}"])
        self._tails.write([f"{node},{ids[fact.tail]}"])
        self.catalog.nodes += 1
        return node

    # Facts.

    def _add_facts(self, facts: NumberedFacts) -> None:
        self._nodes.count_facts(facts.heads, facts.tails)
        value_indexes = self._nodes.value_indexes(facts.tails)
        for group, part in facts.by_group():
            source, file, relation = group
            statistics = self.catalog.statistics_of(source, relation)
            middle = f"{statistics.number},{file or ''},{quote_text(relation)}"
            # The plain facts of a group come first.
            details = [cells for cells in facts.details[part] if cells is not None]
            ends = facts.heads[part], facts.tails[part]
            arrays = [column.tobytes() for column in (*ends, facts.lines[part])]
            write_frame(self._pending_facts, [middle, details], arrays)
            intervals = [(cells[0], cells[1]) for cells in details if cells[0] is not None]
            statistics.add_facts(self._nodes, facts.tails[part], value_indexes[part], intervals)
        self.catalog.facts += len(facts.heads)

    def _read_pending_facts(self) -> Iterator[_PendingFacts]:
        file = self._pending_facts
        end = file.tell()
        file.seek(0)
        while file.tell() < end:
            (middle, details), arrays = read_frame(file)
            heads, tails, lines = (np.frombuffer(column, np.int64) for column in arrays)
            yield _PendingFacts(middle, heads, tails, lines, details)

    def _write_facts(self, facts: _PendingFacts, is_hub: Truths) -> None:
        is_from_hub, is_to_hub = is_hub[facts.heads], is_hub[facts.tails]
        plain = len(facts.heads) - len(facts.details)
        self._write_plain_facts(facts, plain, is_from_hub[:plain] + 2 * is_to_hub[:plain])
        if not facts.details:
            return
        columns = (facts.heads, facts.tails, facts.lines, is_from_hub, is_to_hub)
        rows = zip(*(column[plain:].tolist() for column in columns), facts.details, strict=True)
        self._detailed_facts.write(
            [
                f"{head},{tail},{facts.middle},{line},{head if from_hub else ''},"
                f"{tail if to_hub else ''},{','.join(map(format_cell, cells))}"
                for head, tail, line, from_hub, to_hub, cells in rows
            ]
        )

    def _write_plain_facts(self, facts: _PendingFacts, count: int, hub_ends: Ints) -> None:
        # ``hub_ends``: 1 if the head is a hub, 2 the tail, 3 both.
        heads, tails, lines = facts.heads[:count], facts.tails[:count], facts.lines[:count]
        middle = facts.middle.replace("%", "%%")
        for ends in np.unique(hub_ends).tolist():
            columns = [heads, tails, lines]
            columns += [heads] * (ends & 1) + [tails] * (ends >> 1)
            template = f"%d,%d,{middle},%d,{'%d' * (ends & 1)},{'%d' * (ends >> 1)}"
            rows = np.stack(columns, 1)[hub_ends == ends]
            self._plain_facts.write_template(template, rows.ravel().tolist(), len(rows))
