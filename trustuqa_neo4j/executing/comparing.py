"""``compare(a, b)``: names the larger of two.

What a comparison is to name is not its value but what its steps began with: of *the goals of A* and *the
goals of B*, A or B. Where an operator and a number are given, it is whether that holds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..compiling import Program
from ..mapping import fold
from ..planning import Apply, Name, Operation, Result, Search
from ..reasoning.functions import REASONING, Operands
from ..reasoning.results import Cell, Cells, Outcome, Refused
from ..reasoning.testing import extremes
from .world import World

_WORDS = re.compile(r"\w+")
_TRUTHS = frozenset(("yes", "no", "true", "false", "boolean", "bool"))
_CHOICE = re.compile(r"\w\W{0,3}(?:\bor\b|/)|\b(?:comparison|relation|more|less)\b")

if TYPE_CHECKING:
    from .applying import Executor

COMPARISONS = {
    form: operator
    for operator, forms in {
        ">": (">", "greater", "greater than", "more", "more than", "larger", "larger than", "higher",
              "higher than", "max", "later", "after", "longer", "gt", "bigger"),
        "<": ("<", "less", "less than", "smaller", "smaller than", "lower", "lower than", "fewer", "min",
              "earlier", "before", "shorter", "lt"),
        ">=": (">=", "greater than or equal to", "at least", "ge", "gte"),
        "<=": ("<=", "less than or equal to", "at most", "le", "lte"),
        "=": ("=", "==", "equal", "equals", "equal to", "same", "eq"),
        "!=": ("!=", "<>", "not equal", "different", "ne"),
    }.items()
    for form in forms
}  # fmt: skip
"""What models write as the operator of a comparison."""


def compared(executor: Executor, operation: Apply, outcomes: list[Outcome]) -> Program[Outcome]:
    """Names the larger of two: by what its steps began with, where that tells them apart.

    With an operator, and a number to compare with, it is whether that holds.
    """
    world = executor.world
    cells = yield from world.all_cells(outcomes)
    if not all(cells):
        return Cells()
    given = [
        option.value.text
        for option in operation.options
        if option.name == "operator" and isinstance(option.value, Name)
    ]
    operator = COMPARISONS.get(given[0].strip().casefold().replace("_", " ")) if given else ">"
    if operator is None:
        raise Refused("unknown operator", f"compare knows no operator {given[0][:40]!r}")
    wanted = asked(world)
    if wanted == "choice":
        told = ", ".join(world.target)
        message = f"compare names the larger, and the target type asks for {told[:60]!r}"
        raise Refused("unknown combination", message)
    literals = any(isinstance(operand, Name) for operand in operation.operands)
    if operator in ("=", "!=") or wanted == "truth" or (given and literals):
        return REASONING[operator](Operands(cells, operation.position))
    upper = operator in (">", ">=")
    best = [[c[p] for p in extremes(c, upper)[0][:1]] for c in cells]
    ends, warning = extremes([b[0] for b in best if b], upper)
    if warning:
        raise Refused("not comparable", f"compare needs two numbers or dates: {warning}")
    if len(ends) > 1:
        world.remarks.append("both are equal")
        return Cells()
    return (yield from named(executor, operation, ends[0], best[ends[0]]))


def named(
    executor: Executor, operation: Apply, place: int, otherwise: Sequence[Cell]
) -> Program[Cells]:
    """What tells the operand at ``place`` from the others; ``otherwise`` where nothing does."""
    subjects = [_subjects(executor.world, operand) for operand in operation.operands]
    found = yield from _subject(executor, subjects, place)
    return Cells(tuple(found) or tuple(otherwise))


def asked(world: World) -> str | None:
    """What the target type asks for, where it is no thing: a ``truth``, or a ``choice`` of words."""
    target = ", ".join(world.target).casefold()
    if set(_WORDS.findall(target)) & _TRUTHS:
        return "truth"
    if fold(target) in {fold(name) for name in world.names.columns}:
        return None
    return "choice" if _CHOICE.search(target) else None


def _subject(
    executor: Executor, subjects: list[list[Operation]], place: int
) -> Program[list[Cell]]:
    """What tells one operand of a comparison from the others: a name its steps hold."""
    rivals = [each for at, each in enumerate(subjects) if at != place]
    for at, subject in enumerate(subjects[place]):
        told = {str(each[at]) for each in rivals if at < len(each)}
        if str(subject) not in told and told:
            outcome = yield from executor.evaluate(subject)
            cells = yield from executor.world.cells(outcome)
            if cells:
                return [_as_mapped(executor.world, one) for one in cells]
    return []


def _as_mapped(world: World, cell: Cell) -> Cell:
    """A name as the graph has it, where it was mapped."""
    for mapped in world.names.mapped:
        if mapped.given == cell.text:
            return Cell(mapped.used, cell.value)
    return cell


def _subjects(world: World, operation: Operation) -> list[Operation]:
    """Names that an operand's steps began with, the first first; then its relations."""
    found: list[Operation] = []
    relations: list[Operation] = []
    waiting: list[Operation] = [operation]
    seen: set[int] = set()
    while waiting:
        each = waiting.pop(0)
        if isinstance(each, Result):
            if each.step not in seen:
                seen.add(each.step)
                waiting.append(world.operations[each.step])
        elif isinstance(each, Search):
            relations += each.relations
            names = [t for test in each.tests if test.operator == "=" for t in test.terms]
            for term in [*names, *(each.heads or ())]:
                (found if isinstance(term, Name) else waiting).append(term)
        elif isinstance(each, Apply):
            waiting += each.operands
            found += [o.value for o in each.options if isinstance(o.value, Name)]
    return [*found, *relations]
