"""The state of one running query: scope, names, results of the steps, and the facts used."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, NamedTuple, Protocol

from ..deadline import watch
from ..errors import IncompleteDataset
from ..language.ast import ProblemKind
from ..matching import normalize_name
from ..matching.normalize import MAX_NORMALIZED_LENGTH
from ..model.dataset import Scope
from ..model.facts import MAX_KEY_LENGTH
from ..planning.operations import Operation, Search, StepResult
from ..reads.reader import Reader, Row
from ..reasoning.conditions import FilteredCells, is_same_cell
from ..reasoning.notes import Note, NoteCollector, NoteKind
from ..reasoning.results import Cell, Cells, EvaluationError, Nodes, StepOutcome, Table
from ..trace import TraceBuilder
from ..values import Value, read_value
from .derivation import Derivation, Facts
from .equal_facts import FactColumns, group_equal_facts, split_equal_facts
from .inference import Inference
from .name_resolution import ResolvedNames, add_names

MIN_CUT_LENGTH = (
    MAX_NORMALIZED_LENGTH - 10
)  # A cut normalized name has at least so many characters.
LIMIT = 1_000_000  # Facts that are read at most if a search gives only a relation.
MANY_HEADS = 10_000  # From this number on, their facts may be read by a scan of the relation.

MAX_RESULT_BYTES = 300_000_000
"""Memory of the results of one query, by the measured sizes below."""

_CELL_BYTES = 280
_ROW_BYTES = 180  # in the table, in the answer and as JSON
_REFERENCE_BYTES = 24  # from a row to a cell, in the same three places
_MEMBER_BYTES = 8
_NODE_BYTES = 16


class ColumnEnd(NamedTuple):
    """The number of greatest (``is_upper``) or least members of a column; ``is_distinct``: different ones."""

    size: int
    is_upper: bool
    is_distinct: bool


class NodeCells(dict[int, Cell]):
    """The cells of nodes. Between two statements of a query a load may delete a node that the first found."""

    def __missing__(self, node: int) -> Cell:
        raise IncompleteDataset(
            "the data changed while the query ran",
            hint="run the query again when the load has ended",
        )


@dataclass
class ExecutionContext:
    """One query as it runs.

    ``looked_at`` are the facts that were read. ``derivations`` are the operations in the order in which they
    ended. ``remarks`` are for the trace alone, ``notes`` for the answer too. ``truncated``
    is the number of facts if a step read only a part. ``unknown_names`` maps names without a match to the
    nearest names. ``empty_steps`` are the steps with a search that found nothing. ``unread_facts``
    is the number of facts that the database counted or added up itself; ``scanned`` are relations of
    which it looked at all facts, with their number. ``evidence`` is the number of facts
    that the answer shows at most. ``leading_groups`` are steps of which only the greatest (True) or least
    groups are used, ``column_ends`` searches of whole columns of which only some extreme numbers are used.
    """

    scope: Scope
    names: ResolvedNames
    reader: Reader
    trace: TraceBuilder
    operations: dict[int, Operation] = field(default_factory=dict)
    results: dict[int, StepOutcome] = field(default_factory=dict)
    looked_at: set[int] = field(default_factory=set)
    derivations: list[Derivation] = field(default_factory=list)
    step_derivations: dict[int, Derivation] = field(default_factory=dict)
    pending_derivations: list[Derivation] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    target: tuple[str, ...] = ()
    step: int = 0
    truncated: int | None = None
    unknown_names: dict[str, tuple[str, ...]] = field(default_factory=dict)
    empty_steps: set[int] = field(default_factory=set)
    result_bytes: int = 0
    unread_facts: int = 0
    evidence: int = 0
    leading_groups: dict[int, bool] = field(default_factory=dict)
    column_ends: dict[Search, ColumnEnd] = field(default_factory=dict)
    scanned: dict[tuple[str | None, tuple[str, ...]], int] = field(default_factory=dict)
    inference: Inference | None = field(init=False)
    _facts_of_relations: dict[tuple[str | None, tuple[str, ...]], Facts] = field(
        default_factory=dict
    )
    _read_facts: dict[tuple[str | None, tuple[str, ...]], set[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        entailments = self.names.entailments
        self.inference = (
            None
            if entailments is None
            else Inference(entailments, self.scope.datasets, self.reader, self)
        )

    def reserve_table(self, rows: int, columns: int, cells: int, position: int) -> None:
        """Count the memory of a table with so many new ``cells`` before it is made.

        Raises:
            EvaluationError: the results of the query would be too large.
        """
        row_bytes = _ROW_BYTES + columns * _REFERENCE_BYTES
        self._reserve(rows * row_bytes + cells * _CELL_BYTES, position)

    def reserve_members(self, outcomes: Iterable[StepOutcome], position: int | None = None) -> None:
        """Count the memory of a result that has the members of ``outcomes``, before it is made.

        Raises:
            EvaluationError: the results of the query would be too large.
        """
        sizes = (
            len(o) * (_NODE_BYTES if isinstance(o, Nodes) else _MEMBER_BYTES) for o in outcomes
        )
        self._reserve(sum(sizes), position)

    def _reserve(self, size: int, position: int | None) -> None:
        self.result_bytes += size
        if self.result_bytes > MAX_RESULT_BYTES:
            message = (
                f"the results of the query would take more than {MAX_RESULT_BYTES // 10**6} MB: "
                "name fewer heads, fewer paths, fewer columns or fewer steps"
            )
            raise EvaluationError(ProblemKind.TOO_LARGE, message, position)

    @contextmanager
    def in_table(self, source: str | None) -> Iterator[None]:
        """Let searches inside ``with`` read ``source`` alone; None: what the scope says."""
        if source is None:
            yield
            return
        scope, names = self.scope, self.names
        self.scope, self.names = replace(scope, source=source), self.names.tables[source]
        try:
            yield
        finally:
            self.scope, self.names = scope, names

    def origin(self, operation: Operation) -> Operation:
        while isinstance(operation, StepResult):
            operation = self.operations[operation.step]
        return operation

    def facts_from(self, heads: Sequence[int], relations: Sequence[str]) -> Facts:
        if self.inference is None:
            return self.stored_from(heads, relations)
        return self.inference.facts_from(heads, relations)

    def facts_to(self, tails: Sequence[int], relations: Sequence[str]) -> Facts:
        if self.inference is None:
            return self.stored_to(tails, relations)
        return self.inference.facts_to(tails, relations)

    def all_facts(self, relations: Sequence[str]) -> Facts:
        """Read all facts of ``relations``, or the first ``LIMIT``."""
        if self.inference is None:
            return self.all_stored(relations)
        return self.inference.all_facts(relations)

    def facts_valid_between(self, relations: Sequence[str], first: int, last: int) -> Facts:
        """Find facts that were valid at some time from the day ``first`` to the day ``last``."""

        def read(names: Sequence[str]) -> Facts:
            return self._facts("facts_valid_between", relations=list(names), first=first, last=last)

        facts = read(relations)
        if self.inference is None:
            return facts
        return self.inference.add_premises(facts, relations, read)

    def entails(self, relations: Sequence[str]) -> bool:
        """Return whether facts of ``relations`` can follow from others."""
        return self.inference is not None and self.inference.entails(relations)

    def stored_from(self, heads: Sequence[int], relations: Sequence[str]) -> Facts:
        if self._need_most_facts(heads, relations):
            # A scan of the relation is faster than a look-up of each head.
            facts, starts = self.all_stored(relations), set(heads)
            places = [place for place, head in enumerate(facts.heads) if head in starts]
            return facts if len(places) == len(facts) else facts.keep(places)
        return self._facts("facts_from_heads", nodes=list(heads), relations=list(relations))

    def stored_to(self, tails: Sequence[int], relations: Sequence[str]) -> Facts:
        return self._facts("facts_to_tails", nodes=list(tails), relations=list(relations))

    def _need_most_facts(self, heads: Sequence[int], relations: Sequence[str]) -> bool:
        is_single = len(relations) == len(self.datasets) == 1
        largest = min(2 * len(heads), LIMIT)
        return is_single and len(heads) > MANY_HEADS and self.size(relations) <= largest

    def all_stored(self, relations: Sequence[str]) -> Facts:
        """Read all stored facts of ``relations``, once in a query, or the first ``LIMIT``."""
        key = (self.scope.source, tuple(relations))
        if key not in self._facts_of_relations:
            self._facts_of_relations[key] = self._read_all(tuple(relations))
        return self._facts_of_relations[key]

    def _read_all(self, relations: tuple[str, ...]) -> Facts:
        rows = self.reader.run(
            "facts_of_relations",
            datasets=self.datasets,
            relations=list(relations),
            source=self.scope.source,
            limit=LIMIT,
        )
        facts = self._join_relations(rows, relations)
        self.looked_at.update(chain.from_iterable(facts.ids))
        total = self.size(relations)
        if total > LIMIT:
            self._note_unread(f"only {LIMIT:,} of {total:,} facts were read", total)
        return facts

    def _join_relations(self, rows: Iterable[Row], relations: tuple[str, ...]) -> Facts:
        """Join the facts that a statement has listed for each relation."""
        heads, tails, ids = array("q"), array("q"), list[Sequence[int]]()
        for row in rows:
            row_heads, row_tails, row_ids = group_equal_facts(row, self.reader)
            heads.extend(row_heads)
            tails.extend(row_tails)
            ids += row_ids
        return Facts(heads, tails, ids, relations)

    def facts_with_text(
        self, relations: Sequence[str], operator: str, texts: Sequence[str]
    ) -> Facts:
        """Find facts with tails whose normalized names may fulfil a condition on texts, at most ``LIMIT``.

        The database keeps the beginnings of long names, so that the caller compares again.
        """
        facts = self._facts(
            "facts_with_text",
            relations=list(relations),
            operator=operator,
            texts=[normalize_name(text, MIN_CUT_LENGTH) for text in texts],
            cut=MIN_CUT_LENGTH,
            limit=LIMIT,
        )
        if len(facts) == LIMIT:
            message = f"only {LIMIT:,} facts with such a text were read"
            self._note_unread(message, self.size(relations))
        return facts

    def facts_with_number(
        self,
        relations: Sequence[str],
        low: float | None = None,
        high: float | None = None,
        extreme: str | None = None,
    ) -> Facts:
        """Find facts with tails from ``low`` to ``high``, or with the highest or lowest, or with a unit."""
        rows = self.reader.run(
            "facts_with_number",
            datasets=self.datasets,
            relations=list(relations),
            source=self.scope.source,
            low=low,
            high=high,
            extreme=extreme,
        )
        facts = self._join_relations(rows, tuple(relations))
        self._note_read(facts)
        return facts

    def leave_unread(self, relations: tuple[str, ...]) -> None:
        """Note that the database looked at all facts of ``relations``, whichever are read."""
        self.scanned[self.scope.source, relations] = self.size(relations)

    def count_considered(self) -> int:
        """Count the facts that were read, counted or added up, each once."""
        unread = (
            size - len(self._read_facts.get(key, ()))
            for key, size in self.scanned.items()
            if key not in self._facts_of_relations
        )
        return len(self.looked_at) + self.unread_facts + sum(unread)

    def has_numbers_only(self, relations: Sequence[str]) -> bool:
        """Return whether the one relation leads to numbers alone, not to dates or texts."""
        names = set(relations)
        statistics = (*self.names.statistics.values(), *self.names.columns.values())
        of_relations = [entry for entry in statistics if names & set(entry.names)]
        return len(names) == 1 and all(
            entry.numbers == entry.facts and not entry.dates for entry in of_relations
        )

    def _note_unread(self, message: str, total: int) -> None:
        self.truncated = total
        self.notes.append(Note(NoteKind.NOT_READ, message, LIMIT, total, (), self.step))

    def nodes_with_names(self, names: Iterable[str]) -> list[int]:
        """List nodes whose normalized names are one of ``names``."""
        rows = self.reader.run(
            "resolve_names",
            datasets=self.datasets,
            source=self.scope.source,
            relations=[],
            names=list(names),
            keys=[],
            steps=[],
        )
        return [row["id"] for row in rows if row["what"] == "node"]

    def nodes_with_prefix(self, texts: Sequence[str], limit: int) -> list[int]:
        """List nodes whose normalized names start with one of ``texts``, at most ``limit``."""
        prefixes = [normalize_name(text, MIN_CUT_LENGTH) for text in texts]
        row = self.reader.run(
            "nodes_with_prefix", datasets=self.datasets, texts=prefixes, limit=limit
        )[0]
        nodes: list[int] = row["nodes"]
        return nodes

    def _facts(self, statement: str, **parameters: Any) -> Facts:
        scope = self.scope
        row = self._first_facts(statement, parameters)
        if row is None:
            (row,) = self.reader.run(
                statement, source=scope.source, **parameters, datasets=self.datasets
            )
        columns = split_equal_facts(row, self.reader)
        facts = _make_facts(columns, tuple(parameters["relations"]))
        self._note_read(facts)
        return facts

    def _note_read(self, facts: Facts) -> None:
        self.looked_at.update(chain.from_iterable(facts.ids))
        read = self._read_facts.setdefault((self.scope.source, facts.relations), set())
        read.update(chain.from_iterable(facts.ids))

    def _first_facts(self, statement: str, parameters: Mapping[str, Any]) -> Row | None:
        """The facts that were read with the names of the query; None if they are others."""
        nodes, relations = parameters.get("nodes", ()), parameters["relations"]
        if len(nodes) != 1 or len(relations) != 1:
            return None
        key = (statement, nodes[0], relations[0], self.scope.source)
        return self.names.first_facts.get(key)

    def relations_of(
        self, heads: Sequence[int] | None, tails: Sequence[int] | None
    ) -> list[tuple[str, list[int]]]:
        """List the relations between heads and tails (None: any node), each with its facts."""
        relations = self._stored_relations(heads, tails)
        if self.inference is not None:
            relations = self.inference.relations_of(
                relations, lambda: self._stored_relations(tails, heads)
            )
        self.looked_at.update(chain.from_iterable(relations.values()))
        return sorted(relations.items())

    def _stored_relations(
        self, heads: Sequence[int] | None, tails: Sequence[int] | None
    ) -> dict[str, list[int]]:
        scope = {"datasets": self.datasets, "source": self.scope.source}
        if tails is None:
            rows = self.reader.run(
                "relations_from", heads=list(heads or ()), with_facts=True, **scope
            )
        elif heads is None:
            rows = self.reader.run("relations_to", tails=list(tails), with_facts=True, **scope)
        else:
            rows = self.reader.run(
                "relations_between", heads=list(heads), tails=list(tails), **scope
            )
        return dict(rows[0]["relations"])

    @property
    def datasets(self) -> list[str]:
        return list(self.scope.datasets)

    def size(self, relations: Sequence[str]) -> int:
        names = set(relations)
        all_statistics = (*self.names.statistics.values(), *self.names.columns.values())
        return max(
            (statistics.facts for statistics in all_statistics if names & set(statistics.names)),
            default=0,
        )

    @contextmanager
    def derive(self, operation: Operation | None) -> Iterator[Derivation]:
        """Collect the facts and inputs of one operation."""
        derivation = Derivation(operation, self.step)
        self.pending_derivations.append(derivation)
        try:
            yield derivation
        finally:
            self.pending_derivations.pop()
        self.derivations.append(derivation)
        if self.pending_derivations:
            self.pending_derivations[-1].inputs.append((operation, derivation))

    @contextmanager
    def resume(self, derivation: Derivation) -> Iterator[None]:
        """Collect further facts of an operation that ended."""
        self.pending_derivations.append(derivation)
        try:
            yield
        finally:
            self.pending_derivations.pop()

    def use_step(self, operation: StepResult) -> StepOutcome:
        if self.pending_derivations and operation.step in self.step_derivations:
            derivation = self.step_derivations[operation.step]
            self.pending_derivations[-1].inputs.append((operation, derivation))
        return self.results[operation.step]

    def record_facts(self, facts: Facts) -> None:
        """Record facts that lead to the outcome of the operation that runs."""
        self.looked_at.update(chain.from_iterable(facts.ids))
        self.pending_derivations[-1].facts.append(facts)

    def add_notes(self, collector: NoteCollector) -> None:
        self.notes += collector.of_step(self.step)
        self.pending_derivations[-1].excluded |= collector.excluded

    def record_equal(
        self, cells: Iterable[Cell], conditions: Iterable[tuple[str, Sequence[Cell]]]
    ) -> None:
        """Record which of the kept ``cells`` equal the bounds of ``=``: as nodes, or by number or date."""
        kept = {cell.node: cell for cell in cells if cell.node is not None}
        values = [(node, cell) for node, cell in kept.items() if cell.value is not None]
        equal = self.pending_derivations[-1].equal
        for operator, bounds in conditions:
            for bound in bounds if operator == "=" else ():
                if bound.node is None:
                    continue
                nodes = equal.setdefault(bound.node, set())
                nodes.update(kept.keys() & {bound.node})
                if bound.value is not None:
                    nodes.update(node for node, cell in watch(values) if is_same_cell(cell, bound))

    def note_selection(self, selection: FilteredCells, cells: Sequence[Cell]) -> None:
        notes = NoteCollector()
        selection.add_notes(notes, cells)
        self.add_notes(notes)

    def cells(self, outcome: StepOutcome) -> tuple[Cell, ...]:
        if isinstance(outcome, Cells):
            return outcome.members
        if isinstance(outcome, Table):
            if len(outcome.columns) != 1:
                columns = ", ".join(outcome.columns)
                message = (
                    f"a table of several columns ({columns}) cannot stand here: name one of them"
                )
                raise EvaluationError(ProblemKind.TABLE, message)
            return outcome.bag(0)
        self._reserve(len(outcome) * _CELL_BYTES, None)
        cells = self.values(outcome.distinct)
        origins: Sequence[int | None] = outcome.origins or [None] * len(outcome.ids)
        return tuple(
            _with_origin(cells[node], origin)
            for node, origin in watch(zip(outcome.ids, origins, strict=True))
            if node in cells
        )

    def all_cells(self, outcomes: Iterable[StepOutcome]) -> list[tuple[Cell, ...]]:
        return [self.cells(outcome) for outcome in outcomes]

    def values(self, nodes: Sequence[int]) -> NodeCells:
        if not nodes:
            return NodeCells()
        row = self.reader.run("node_values", nodes=list(nodes))[0]
        columns = ("numbers", "units", "starts", "ends")
        values = map(_make_value, *(row[column] for column in columns))
        positions = (None if position is False else position for position in row["positions"])
        nodes_with_values = zip(row["ids"], row["names"], values, positions, strict=True)
        return NodeCells(
            (node, Cell(name, value, None, node, None, position))
            for node, name, value, position in watch(nodes_with_values)
        )

    def tail_cells(self, facts: Facts) -> list[Cell]:
        cells_by_node = self.values(tuple(dict.fromkeys(facts.tails)))
        return [cells_by_node[tail] for tail in facts.tails]

    def resolve_computed_name(self, text: str) -> None:
        """Look up a computed name, which the query itself does not contain."""
        if text in self.names.entities:
            return
        rows = self.reader.run(
            "resolve_names",
            datasets=self.datasets,
            source=self.scope.source,
            relations=[],
            names=[normalize_name(text)],
            keys=[text] if len(text) <= MAX_KEY_LENGTH else [],
            steps=[],
        )
        add_names(self.names, rows, (), (text,))


def _make_facts(columns: FactColumns, relations: tuple[str, ...]) -> Facts:
    # Arrays, since lists of a million numbers that stay take five times the memory.
    heads, tails, ids = columns
    return Facts(array("q", heads), array("q", tails), ids, relations)


def _make_value(number: Any, unit: Any, start: Any, end: Any) -> Value | None:
    # False stands for nothing.
    if number is False and start is False:
        return None
    return Value(
        None if number is False else number,
        None if unit is False else unit,
        None if start is False else start,
        None if end is False else end,
    )


class Evaluator(Protocol):
    context: ExecutionContext

    def evaluate(self, operation: Operation) -> StepOutcome: ...

    def evaluate_all(self, operations: Iterable[Operation]) -> list[StepOutcome]: ...

    def near_column(self, name: str) -> str | None: ...


def _with_origin(cell: Cell, row: int | None) -> Cell:
    if row is None:
        return cell
    return Cell(cell.text, cell.value, cell.computed, cell.node, row, cell.position)


def literal_cell(text: str) -> Cell:
    return Cell(text, read_value(text))


def nodes_of(outcome: StepOutcome) -> Nodes:
    """Return the nodes of an outcome or of its cells; computed cells have none."""
    if isinstance(outcome, Nodes):
        return outcome
    cells: Iterable[Cell] = (
        outcome.members if isinstance(outcome, Cells) else (c for row in outcome.rows for c in row)
    )
    with_nodes = [cell for cell in cells if cell.node is not None]
    rows = [cell.row for cell in with_nodes if cell.row is not None]
    ids = [cell.node for cell in with_nodes if cell.node is not None]
    return Nodes(ids, rows if len(rows) == len(ids) else ())
