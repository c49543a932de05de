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
from ..reasoning import sets
from ..reasoning.functions import REASONING, Operands
from ..reasoning.results import Cell, Cells, Outcome, Refused, number
from ..reasoning.testing import extremes
from .world import World

_WORDS = re.compile(r"\w+")
_TRUTHS = frozenset(("yes", "no", "true", "false", "boolean", "bool"))
_UPPER = frozenset(
    ("more", "higher", "greater", "larger", "bigger", "above", "after", "later", "longer")
)
_LOWER = frozenset(("less", "fewer", "lower", "smaller", "below", "before", "earlier", "shorter"))
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

    With an operator, and a number to compare with, it is whether that holds. Where the target type names two
    words to choose from, such as *more or less*, it is the one that the first is to the second.

    Raises:
        Refused: an unknown operator, numbers beside texts.
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
    if not all(any(c.value is not None for c in each) for each in cells):
        # Two sets of things that are no numbers: the larger is the one of more members.
        world.remarks.append("compared by how many there are")
        cells = [(number(len(sets.distinct(each))),) for each in cells]
    literals = any(isinstance(operand, Name) for operand in operation.operands)
    choosing = wanted == "choice" and operator not in ("=", "!=")
    if not choosing and (operator in ("=", "!=") or wanted == "truth" or (given and literals)):
        return REASONING[operator](Operands(cells, operation.position))
    if wanted == "choice":
        return _chosen(world, operation, cells)
    upper = operator in (">", ">=")
    best = [[c[p] for p in extremes(c, upper)[0][:1]] for c in cells]
    ends, warning = extremes([b[0] for b in best if b], upper)
    if warning:
        raise Refused("not comparable", f"compare needs two numbers or dates: {warning}")
    if len(ends) > 1:
        world.remarks.append("both are equal")
        return Cells()
    return (yield from named(executor, operation, ends[0], best[ends[0]]))


def _chosen(world: World, operation: Apply, cells: Sequence[Sequence[Cell]]) -> Cells:
    """The word of the target type, such as *more or less*, that the first operand is to the second.

    Raises:
        Refused: the target names no two such words, or the two are equal.
    """
    target = ", ".join(world.target)
    words = _WORDS.findall(target.casefold())
    upper = next((word for word in words if word in _UPPER), None)
    lower = next((word for word in words if word in _LOWER), None)
    if upper is None or lower is None:
        message = f"compare names the larger, and the target type asks for {target[:60]!r}"
        raise Refused("unknown combination", message, operation.position)
    ends, warning = extremes([each[0] for each in cells], True)
    if warning or len(ends) > 1:
        return Cells()
    if upper == "above" and all(_numbers_rows(world, operand) for operand in operation.operands):
        upper, lower = lower, upper  # the first row stands above
    return Cells((Cell(upper if ends[0] == 0 else lower),))


def _numbers_rows(world: World, operand: Operation) -> bool:
    operation = world.operations.get(operand.step) if isinstance(operand, Result) else operand
    return isinstance(operation, Search) and any(
        isinstance(relation, Name) and world.names.row_number(relation.text)
        for relation in operation.relations
    )


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
