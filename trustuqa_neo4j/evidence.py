"""``Evidence``, a fact of an answer, and ``ShownProof``: what the facts prove, and what selected them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from .errors import format_count, format_rest
from .render.blocks import Block, TableBlock, TextBlock
from .render.evidence_graph import GraphStep
from .render.number_style import PLAIN, NumberStyle
from .render.terminal import shorten_line
from .wording import CallOption, render_options

Value: TypeAlias = str | float | int
"""Values from the data are text as it was loaded; only computed values are numbers."""

NodeKind: TypeAlias = Literal["entity", "value", "row", "hyperedge"]
"""Kinds of nodes in the graph; a hyperedge is a fact with qualifiers."""

EVIDENCE = 20
"""Facts in an answer by default."""

_MAX_TEXT = 400  # characters of a cell or operation
_MAX_NAME = 40
_MAX_NAMES = 3  # answers of one fact
_MAX_RECORD = 8  # relations in a table of rows


@dataclass(frozen=True, slots=True)
class Evidence:
    """A fact that leads to the answer, with its place: dataset, source, file and line (from 1).

    ``start`` and ``end`` are its time as written; None if open or unknown. ``record`` finds the head in a
    database without lines (``Person email=ann@x.org``); elsewhere it is empty. ``inferred`` is the fact that
    the answer uses and that follows from this one, with the axiom; None if the answer uses this one. ``cell``
    is the whole cell of a table if ``tail`` is one of several values in it. ``step`` is the step of the query
    that used the fact first. Both nodes have their kind and their key in the dataset, with blanks between its
    parts. ``answers`` are the places, from 0, of the rows or values that the fact produced.
    """

    head: str
    relation: str
    tail: str
    dataset: str
    source: str
    file: str
    line: int
    start: str | None = None
    end: str | None = None
    record: str = ""
    inferred: str | None = None
    cell: str | None = None
    step: int | None = None
    head_kind: NodeKind = "entity"
    head_key: str = ""
    tail_kind: NodeKind = "entity"
    tail_key: str = ""
    answers: tuple[int, ...] = ()

    @property
    def place(self) -> str:
        """The place in the source: the file with the line, or with the record."""
        return f"{self.file}, {self.record}" if self.record else f"{self.file}:{self.line}"


def format_value(value: Value, style: NumberStyle = PLAIN) -> str:
    """The text of a value in a list; ``(empty)`` for a name or cell without text."""
    if not isinstance(value, str):
        return style.format(value)
    return value if value.strip() else "(empty)"


def format_interval(fact: Evidence) -> str:
    """The time of a fact, ``…`` where it is open or unknown; empty if the fact has none."""
    if fact.start is None and fact.end is None:
        return ""
    return f"{fact.start or '…'} – {fact.end or '…'}"


@dataclass(frozen=True, slots=True)
class ShownProof:
    """The first facts of an answer, of ``total``, and their number by answer (if known) and by step."""

    facts: Sequence[Evidence]
    total: int
    answers: Sequence[Sequence[str]]
    counts: Sequence[int]
    by_step: Mapping[int, int]
    steps: Sequence[GraphStep]

    def name_answers(self, fact: Evidence) -> str:
        """Name the rows or values that a fact produced, if there are several; ``all`` if it is each."""
        if len(self.answers) < 2:
            return ""
        if len(fact.answers) == len(self.counts) > 1:
            return "all"
        known = [self.answers[place] for place in fact.answers if place < len(self.answers)]
        texts = (", ".join(answer) for answer in known[:_MAX_NAMES])
        names = [shorten_line(text, _MAX_NAME) for text in texts]
        return "; ".join(filter(None, (*names, format_rest(len(known), _MAX_NAMES))))

    def describe_selection(self) -> tuple[str, ...]:
        """Tell by what each step selected how many facts, if not all are shown."""
        if len(self.facts) >= self.total:
            return ()
        operations = {step.number: step.operation for step in self.steps}
        return tuple(
            f"step {number}, {format_count(count, 'fact')}: "
            + shorten_line(operations.get(number, ""), _MAX_TEXT)
            for number, count in self.by_step.items()
        )

    @property
    def records(self) -> tuple[tuple[Evidence, ...], ...]:
        """The facts of each row of a table together, where they prove groups of rows; else empty."""
        relations = {fact.relation for fact in self.facts}
        if not (self.answers and len(self.answers[0]) > 1 and 1 < len(relations) <= _MAX_RECORD):
            return ()
        rows: dict[tuple[str, str, str], dict[str, Evidence]] = {}
        for fact in self.facts:
            row = rows.setdefault((fact.dataset, fact.source, fact.head_key or fact.head), {})
            is_cell = fact.head_kind == "row" and not (fact.inferred or fact.cell)
            if not is_cell or fact.relation in row or format_interval(fact):
                return ()
            row[fact.relation] = fact
        return tuple(tuple(row.values()) for row in rows.values())

    def layout_facts(self) -> Iterator[Block]:
        """Lay out the facts as a table, and below it what was inferred."""
        if not self.facts:
            return
        count = len(self.facts)
        title = "fact" if self.total == 1 else "facts"
        title += f" ({count} of {self.total:,})" if count < self.total else ""
        columns: tuple[str, ...] = ("from", "relation", "to", "where", "proves")
        lines = [(*_list_cells(fact), self.name_answers(fact)) for fact in self.facts]
        if records := self.records:
            relations = tuple(dict.fromkeys(fact.relation for fact in self.facts))
            columns = (*relations, "where", "proves")
            lines = [
                (
                    *_read_cells(record, relations),
                    f"{record[0].dataset}, {record[0].place}",
                    self.name_answers(record[0]),
                )
                for record in records
            ]
        has_names = any(line[-1] for line in lines)
        width = len(columns) if has_names else len(columns) - 1
        rows = tuple(line[:width] for line in lines)
        table = TableBlock(columns[:width], rows, title=title, has_header=has_names)
        yield replace(table, narrow=self._shorten_places(table))
        inferred = dict.fromkeys(fact.inferred for fact in self.facts if fact.inferred)
        if inferred:
            yield TextBlock("note", tuple(inferred), title="inferred:")

    def _shorten_places(self, table: TableBlock) -> TableBlock | None:
        """The table of facts of one file, which its title names once; None for several files."""
        shared = {f"{fact.dataset}, {fact.file}" for fact in self.facts}
        if len(shared) > 1 or any(fact.record for fact in self.facts):
            return None
        (file,) = shared
        where = table.columns.index("where")
        rows = tuple(
            (*row[:where], f"line {row[where].removeprefix(file)[1:]}", *row[where + 1 :])
            for row in table.rows
        )
        return replace(table, rows=rows, title=f"{table.title}: {file}")

    def layout_selection(self) -> Iterator[Block]:
        """Lay out what selected the facts and how to see all, if not all are shown."""
        if lines := self.describe_selection():
            option = CallOption.EVIDENCE.with_value(str(self.total))
            rest = format_rest(self.total, len(self.facts), "fact", f"{option} shows all")
            yield TextBlock("note", lines, title="selected by:", footer=render_options(rest))


def _read_cells(record: Sequence[Evidence], relations: Sequence[str]) -> tuple[str, ...]:
    cells = {fact.relation: format_value(fact.tail) for fact in record}
    return tuple(cells.get(relation, "") for relation in relations)


def _list_cells(fact: Evidence) -> tuple[str, ...]:
    tail, interval = format_value(fact.tail), format_interval(fact)
    tail += f" [{interval}]" if interval else ""
    tail += f" (cell: {shorten_line(fact.cell, _MAX_TEXT)})" if fact.cell else ""
    return format_value(fact.head), fact.relation, tail, f"{fact.dataset}, {fact.place}"
