"""The last step's result → the answer: values or a table, and the facts that prove it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from ..answer import Evidence, Value
from ..deadline import watch
from ..language.ast import ProblemKind
from ..language.functions import get_row, has_trait
from ..language.signatures import Trait
from ..lexicon.words import WORDS
from ..matching import MatchTier, NameCandidate
from ..matching.similarity import TARGET_THRESHOLD_OF_NAMES
from ..model.facts import describe_record, flatten_key
from ..planning.operations import (
    Apply,
    Calculate,
    Constant,
    GroupBy,
    Search,
    StepResult,
    Union,
)
from ..reads.reader import Row
from ..reasoning import tables
from ..reasoning.conditions import rank_cells
from ..reasoning.results import Cell, Cells, EvaluationError, Nodes, StepOutcome, Table
from .attribution import MAX_ANSWERS, Links
from .compare import name_of_operand, target_column
from .context import ExecutionContext, NodeCells
from .derivation import Derivation
from .executor import Executor
from .proof import Proof, ProofEntry, find_proof, has_groups

_NUMBERS = re.compile(rf"\b(?:{'|'.join(WORDS.targets.amounts)})\b", re.IGNORECASE)

SHOWN = 3  # Members of each step that the trace names.


@dataclass(frozen=True, slots=True)
class Final:
    """The answer, and which of its values or rows come from which members of the last result."""

    values: tuple[Value, ...]
    columns: tuple[str, ...] | None = None
    rows: tuple[tuple[Value, ...], ...] | None = None
    links: Links = field(default_factory=Links)

    @property
    def size(self) -> int:
        return len(self.values if self.rows is None else self.rows)


@dataclass(frozen=True, slots=True)
class Proven:
    final: Final
    facts: list[Evidence]
    total: int
    considered: int  # facts that were looked at, with those of the proof
    counts: tuple[int, ...] = ()  # facts of each value or row
    by_step: Mapping[int, int] = field(default_factory=dict)


def make_answer(executor: Executor, number: int, limit: int) -> Proven:
    """Answer with the result of a step and at most ``limit`` facts; rows become the target's columns.

    Names and facts are read at once, but for rows, whose columns are facts that are read between them, and
    for more names than facts, of which the first are to be proven first.
    """
    context = executor.context
    with context.derive(None) as derivation:
        outcome = context.use_step(StepResult(number, 0))
        last = derivation.outcome = _of_target(executor, outcome)
    named = last.distinct if isinstance(last, Nodes) else ()
    is_read_first = bool(named) and (context.names.has_columns or 0 < limit < len(named))
    if isinstance(last, Nodes):
        final, links = None, _link_nodes(last, {node: place for place, node in enumerate(named)})
    else:
        order = _order_groups(context, last) if isinstance(last, Table) else ()
        final = _computed(_chosen(last, context.target), order)
        links = final.links
    size = len(named) if final is None else final.size
    proof = Proof() if is_read_first else _find_proof(context, size, links)
    shown = {step: _first(result) for step, result in context.results.items()}
    members = [node for entries in shown.values() for node in entries if isinstance(node, int)]
    nodes = tuple(dict.fromkeys((*named, *members)))
    cells, facts = _read_evidence(context, nodes, proof.entries, limit)
    context.trace.name(
        {
            step: tuple(cells[m].text if isinstance(m, int) else m for m in entries)
            for step, entries in shown.items()
        }
    )
    if final is None:
        assert isinstance(last, Nodes)
        final = _make_final(executor, last, cells, derivation)
    if is_read_first:
        proof = _find_proof(context, final.size, final.links)
        ends, facts = _read_evidence(context, (), proof.entries, limit)
        cells |= ends
    elif named and proof.attribution is not None:
        proof.attribution.renumber([final.links.nodes.get(node, 0) for node in named])
    return Proven(
        final,
        [_make_evidence(context, fact, proof, final.size, cells) for fact in facts],
        proof.total,
        context.count_considered(),
        proof.count_answers(final.size),
        proof.count_steps(),
    )


def _find_proof(context: ExecutionContext, size: int, links: Links) -> Proof:
    """Find the facts of the answer, and which of several values or rows each of them produced."""
    answers = links if size > 1 or has_groups(context.derivations) else None
    return find_proof(context.derivations, has_rows=context.names.has_columns, answers=answers)


def _link_nodes(last: Nodes, places: Mapping[int, int]) -> Links:
    """Link nodes with the values at their places."""
    nodes = {node: 1 << place for node, place in places.items() if place < MAX_ANSWERS}
    return Links([nodes.get(node, 0) for node in last.ids], Nodes(last.ids))


def _make_final(executor: Executor, last: Nodes, cells: NodeCells, derivation: Derivation) -> Final:
    nodes = [node for node in last.distinct if node in cells]
    if any(cells[node].position is not None for node in nodes):
        with executor.context.resume(derivation):
            final = _columns(executor, last, cells)
        if final is not None:
            return final
    if all(cells[node].position is not None for node in nodes):
        nodes.sort(key=lambda node: cells[node].position or 0)
        values = _distinct(cells[node].text for node in nodes)
    else:
        values = tuple(sorted({cells[node].text for node in nodes}))
    places = {value: place for place, value in enumerate(values)}
    return Final(values, links=_link_nodes(last, {n: places[cells[n].text] for n in nodes}))


def _of_target(executor: Executor, last: StepOutcome) -> StepOutcome:
    """Convert the result to what the target type asks for: rows of chosen cells, or a name for a truth."""
    context = executor.context
    if not isinstance(last, Cells) or not last.members:
        return last
    if all(cell.position is not None for cell in last.members):
        return Nodes(tuple(cell.node for cell in last.members if cell.node is not None))
    operation = context.operations[context.step]
    if not (isinstance(operation, Apply) and context.target):
        return last
    if isinstance(last.members[0].computed, bool):
        return _of_truth(executor, operation, last)
    is_part = has_trait(operation.function, Trait.DATE_PART)
    if is_part and len({cell.text for cell in last.members}) > 1:
        message = (
            f"the last step is the {operation.function} of each of {len(last)} dates, "
            "and nothing says which is asked for"
        )
        raise EvaluationError(ProblemKind.NOT_ONE_VALUE, message, operation.position)
    rows = tuple(dict.fromkeys(cell.row for cell in last.members if cell.row is not None))
    if not rows or (operation.function != "if" and get_row(operation.function).upper is None):
        return last
    several = isinstance(operation.operands[0], Union) or len(operation.operands) > 1
    if operation.function == "if":
        is_column = executor.known_column(context.target[0])
    elif several:
        column = executor.near_column(context.target[0])
        is_column = column not in _columns_of(executor, operation)
    else:
        is_column = False
    return Nodes(rows) if is_column else last


def _of_truth(executor: Executor, operation: Apply, last: Cells) -> StepOutcome:
    """Read ``a > b`` as the one of the two that comes first, if the target type asks for a name."""
    context = executor.context
    target = ", ".join(context.target)[:60]
    source = context.origin(operation.operands[0]) if operation.function == "holds" else operation
    message = _UNTOLD.get(source.function) if isinstance(source, Apply) else None
    kind = target_column(context)
    if message is None and kind == "truth":
        return last
    if message is None and kind is None and has_trait(operation.function, Trait.ORDERS):
        names = name_of_operand(executor, operation, 0 if last.members[0].computed else 1)
        if names.members:
            return names
    message = (
        message or f"the last step is whether something holds, and the target type is {target!r}"
    )
    raise EvaluationError(ProblemKind.UNKNOWN_COMBINATION, message, operation.position)


# In recorded queries these truths never answered the question.
_UNTOLD = {
    "is_empty": "is_empty says whether there is nothing, and as often the opposite is meant: "
    "exists(set) is yes where there is something",
    "or": "or says that one of the two holds, and not which: ask each in a step of its own",
}


def _columns_of(executor: Executor, operation: Apply) -> set[str]:
    columns: set[str] = set()
    for operand in operation.operands:
        search = executor.context.origin(operand)
        for relation in search.relations if isinstance(search, Search) else ():
            if isinstance(relation, Constant) and executor.known_column(relation.text):
                columns.update(executor.context.names.relations[relation.text][0].names)
    return columns


def _read_evidence(
    context: ExecutionContext, nodes: Sequence[int], proof: Mapping[int, ProofEntry], limit: int
) -> tuple[NodeCells, list[Row]]:
    """Read the names of ``nodes``, and the first ``limit`` facts of the proof."""
    shown = {fact: proof[fact] for fact in islice(proof, limit)}
    if not nodes and not shown:
        return NodeCells(), []
    ends = {end for e in shown.values() if e.inferred for end in (e.inferred.head, e.inferred.tail)}
    parameters = {"nodes": list({*nodes, *ends}), "facts": list(shown)}
    row = context.reader.run("get_evidence", **parameters)[0]
    positions = dict(row["rows"])
    cells = NodeCells(
        (node, Cell(name, None, None, node, None, positions.get(node)))
        for node, name in zip(row["ids"], row["names"], strict=True)
    )
    places = {fact: place for place, fact in enumerate(shown)}
    facts = sorted(
        row["facts"],
        key=lambda fact: (
            shown[fact["id"]].rank, fact["source"], fact["file"], fact["line"], places[fact["id"]]
        )
    )  # fmt: skip
    return cells, facts


def _make_evidence(
    context: ExecutionContext, fact: Row, proof: Proof, size: int, cells: NodeCells
) -> Evidence:
    entry = proof.entries[fact["id"]]
    fields = {name: value for name, value in fact.items() if name not in ("id", "key")}
    fields |= {
        "record": describe_record(fact["key"]),
        "step": entry.step,
        "head_key": flatten_key(fact["head_key"]),
        "tail_key": flatten_key(fact["tail_key"]),
        "answers": proof.list_answers(fact["id"], size),
    }
    inferred, entailments = entry.inferred, context.names.entailments
    if inferred is None or entailments is None:
        return Evidence(**fields)
    head, tail = cells[inferred.head].text, cells[inferred.tail].text
    relation, axiom = entailments.explain(fact["relation"], fact["tail"], inferred.relations, tail)
    return Evidence(**fields, inferred=f"{head} {relation} {tail}, since {axiom}")


def _chosen(last: Cells | Table, target: Sequence[str]) -> Cells | Table:
    """Select the columns that the target type names, if the table has all of them."""
    if isinstance(last, Cells) or len(last.columns) == 1 or not target:
        return last
    places = [tables.find_column(last, name) for name in target]
    existing = [place for place in places if place is not None]
    return tables.select_columns(last, existing) if len(existing) == len(places) else last


def _order_groups(context: ExecutionContext, table: Table) -> Sequence[int]:
    """Order the rows of groups by what they are groups of; rows that a step has sorted stay."""
    operation = context.operations[context.step]
    while not isinstance(operation := context.origin(operation), GroupBy):
        if isinstance(operation, Calculate):
            operation = operation.of
        elif isinstance(operation, Apply) and any(o.name == "value" for o in operation.options):
            operation = operation.operands[0]
        else:
            return range(len(table))
    places = (tables.find_column(table, name) for name in operation.by)
    columns = [[row[place] for row in table.rows] for place in places if place is not None]
    keys = [*zip(*map(rank_cells, columns), strict=True)] or [()] * len(table)
    return sorted(range(len(table)), key=keys.__getitem__)


def _computed(last: Cells | Table, order: Sequence[int]) -> Final:
    if isinstance(last, Cells):
        values = _distinct(_shown(cell) for cell in watch(last.members))
        places = {value: place for place, value in enumerate(values)}
        bits = [_bit(places[_shown(cell)]) for cell in last.members]
        return Final(values, links=Links(bits, last))
    ordered = [last.rows[place] for place in order]
    rows = tuple(tuple(map(_shown, row)) for row in watch(ordered))
    values = _distinct(_shown(cell) for row in ordered for cell in row if not cell.is_missing)
    numbers = {place: row for row, place in enumerate(order)}
    links = Links([_bit(numbers[place]) for place in range(len(rows))], last)
    return Final(values, last.columns, rows, links)


def _bit(place: int) -> int:
    return 1 << place if place < MAX_ANSWERS else 0


def _columns(executor: Executor, rows: Nodes, row_cells: NodeCells) -> Final | None:
    columns: list[tuple[str, dict[int, list[Cell]]]] = []
    for target in _targets(executor):
        by_row: dict[int, list[Cell]] = {}
        for cell in executor.context.cells(executor.column(rows, target, None)):
            if cell.row is not None:
                by_row.setdefault(cell.row, []).append(cell)
        name = executor.context.names.relations[target][0].names[0]
        columns.append((name, by_row))
    if not columns:
        return None
    order = sorted(dict.fromkeys(rows.ids), key=lambda node: row_cells[node].position or 0)
    if len(columns) == 1:
        return _column(rows, order, columns[0][1])
    table = tuple(
        tuple(", ".join(c.text for c in by_row.get(node, ())) for _, by_row in columns)
        for node in order
    )
    names = tuple(name for name, _ in columns)
    links = _link_nodes(rows, {node: place for place, node in enumerate(order)})
    return Final(_distinct(value for row in table for value in row), names, table, links)


def _column(rows: Nodes, order: Sequence[int], by_row: Mapping[int, Sequence[Cell]]) -> Final:
    """Answer with the cells of one column: each row leads to its own ones."""
    values = _distinct(c.text for node in order for c in by_row.get(node, ()))
    places = {value: place for place, value in enumerate(values)}
    pairs = {
        (cell.node, row): _bit(places[cell.text])
        for row in order
        for cell in by_row.get(row, ())
        if cell.node is not None
    }
    of_rows: dict[int, int] = dict.fromkeys(order, 0)
    for (_, row), answers in pairs.items():
        of_rows[row] |= answers
    links = Links([of_rows[row] for row in rows.ids], Nodes(rows.ids))
    links.pairs = pairs
    return Final(values, links=links)


def _targets(executor: Executor) -> list[str]:
    names = executor.context.names
    columns = [
        target
        for target in executor.context.target
        if executor.known_column(target) and _meant(executor, target)
    ]
    if not columns and names.subject is not None:
        names.relations[names.subject] = (MatchTier("exact", (NameCandidate(names.subject),)),)
        columns.append(names.subject)
    return columns


def _meant(executor: Executor, target: str) -> bool:
    rung = executor.context.names.relations[target][0]
    return rung.score >= TARGET_THRESHOLD_OF_NAMES or _NUMBERS.search(target) is not None


def _shown(cell: Cell) -> Value:
    if cell.computed is None or isinstance(cell.computed, bool):
        return cell.text
    return cell.computed


def _distinct(values: object) -> tuple[Value, ...]:
    return tuple(dict.fromkeys(values))  # type: ignore[call-overload]


def _first(outcome: StepOutcome) -> tuple[int | str, ...]:
    if isinstance(outcome, Nodes):
        return tuple(islice(dict.fromkeys(outcome.ids), SHOWN))
    if isinstance(outcome, Cells):
        return tuple(cell.text[:100] for cell in outcome.members[:SHOWN])
    return tuple(", ".join(cell.text[:100] for cell in row) for row in outcome.rows[:SHOWN])


def is_computed(outcome: StepOutcome) -> bool:
    """Return whether nothing of the outcome is in the data: numbers, truths and constants of the query."""
    return isinstance(outcome, Cells) and all(
        cell.node is None and cell.row is None for cell in outcome.members
    )


def summarize(outcome: StepOutcome) -> str:
    if isinstance(outcome, Table):
        return f"a table of {len(outcome)} rows: {', '.join(outcome.columns)}"
    if isinstance(outcome, Cells):
        return f"{len(outcome)} {'value' if len(outcome) == 1 else 'values'}"
    distinct = len(set(outcome.ids))
    return (
        f"{distinct} {'node' if distinct == 1 else 'nodes'} by {len(outcome.ids)} "
        f"{'fact' if len(outcome.ids) == 1 else 'facts'}"
    )
