"""``compare(a, b)``: names the larger of two.

What a comparison is to name is not its value but what its steps began with: of *the goals of A* and *the
goals of B*, A or B. Where an operator and a number are given, it is whether that holds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..compiling import Program
from ..language.signs import comparison
from ..mapping import fold
from ..planning import Apply, Name, Operation, Result, Search
from ..reasoning import sets
from ..reasoning.functions import REASONING, Operands
from ..reasoning.results import Cell, Cells, Outcome, Refused, number
from ..reasoning.testing import extremes
from .world import World

ORDERS = frozenset(("<", "<=", ">", ">=", "greater_than", "less_than", "at_least", "at_most"))
"""Functions that say whether the first stands in an order to the second."""

_WORDS = re.compile(r"\w+")
_TRUTHS = frozenset(("yes", "no", "true", "false", "boolean", "bool"))
_UPPER = frozenset(
    ("more", "higher", "greater", "larger", "bigger", "above", "after", "later", "longer", "older")
)
_LOWER = frozenset(
    ("less", "fewer", "lower", "smaller", "below", "before", "earlier", "shorter", "younger")
)
_CHOICE = re.compile(r"\w\W{0,3}(?:\bor\b|/)|\b(?:comparison|relation|more|less)\b")

if TYPE_CHECKING:
    from .applying import Executor


def compared(executor: Executor, operation: Apply, outcomes: list[Outcome]) -> Program[Outcome]:
    """Names the larger of two, or the ``smaller``: as its steps call it, where that tells them apart.

    With an operator, and a number to compare with, it is whether that holds. Where the target type names two
    words to choose from, such as *more or less*, it is the one that the first is to the second.

    Raises:
        Refused: an unknown operator, numbers beside texts, nothing to compare, two that are equal.
    """
    world = executor.world
    cells = yield from world.all_cells(outcomes)
    if not all(cells):
        raise Refused("nothing given", "compare needs two values, and one of them was not found")
    given = any(option.name == "operator" for option in operation.options)
    operator = _operator(operation)
    wanted = asked(world)
    if not all(any(c.value is not None for c in each) for each in cells):
        cells = _counted(world, cells)
    literals = any(isinstance(operand, Name) for operand in operation.operands)
    choosing = wanted == "choice" and operator not in ("=", "!=")
    if not choosing and (operator in ("=", "!=") or wanted == "truth" or (given and literals)):
        return REASONING[operator](Operands(cells, operation.position))
    if wanted == "choice":
        return _chosen(world, operation, cells)
    upper = operator in (">", ">=")
    if not given and all(_numbers_rows(world, operand) for operand in operation.operands):
        upper = not upper  # of two rows, the one that stands above
    best = [each[extremes(each, upper)[0][0]] for each in cells]
    ends, warning = extremes(best, upper)
    if warning:
        raise Refused("not comparable", f"compare needs two numbers or dates: {warning}")
    if len(ends) > 1:
        told = f"{best[0].text[:40]!r} and {best[1].text[:40]!r}"
        raise Refused("not comparable", f"compare names the larger, and {told} are equal")
    found = yield from named(executor, operation, ends[0])
    if not found.members and best[ends[0]].computed is not None and world.target:
        message = "compare names the larger of two, and by no name does the query tell these apart"
        raise Refused("unknown combination", message, operation.position)
    return found if found.members else Cells((best[ends[0]],))


def deciding(executor: Executor, operation: Operation, outcome: Outcome) -> Program[Outcome]:
    """What decides a condition: ``if(compare(a, b), …)`` asks whether a is the larger, not for its name.

    Raises:
        Refused: it is a comparison of nothing.
    """
    world = executor.world
    operation = world.origin(operation)
    if not isinstance(operation, Apply):
        return outcome
    if operation.function in ("compare", "smaller"):
        cells = yield from world.all_cells((yield from executor.each(operation.operands)))
        return REASONING[_operator(operation)](Operands(cells, operation.position))
    if operation.function in ORDERS and not outcome:
        message = f"what decides, {str(operation)[:60]}, has nothing to compare"
        raise Refused("nothing given", message, operation.position)
    return outcome


def _operator(operation: Apply) -> str:
    """The operator of a comparison: as given, else that of the larger.

    Raises:
        Refused: it is none.
    """
    given = next((o.value for o in operation.options if o.name == "operator"), None)
    if not isinstance(given, Name):
        return "<" if operation.function == "smaller" else ">"
    operator = comparison(given.text)
    if operator is None:
        raise Refused("unknown operator", f"compare knows no operator {given.text[:40]!r}")
    return operator


def _counted(world: World, cells: list[tuple[Cell, ...]]) -> list[tuple[Cell, ...]]:
    """How many there are of things that are no numbers: the larger of two sets has more members.

    Raises:
        Refused: there is one text on either side, which is no set.
    """
    if all(len(each) == 1 and each[0].position is None for each in cells):
        text = next(each[0].text for each in cells if each[0].value is None)
        raise Refused("not comparable", f"{text[:60]!r} is no number and no date")
    world.remarks.append("compared by how many there are")
    return [(number(len(sets.distinct(each))),) for each in cells]


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
        told = warning or "the two are equal"
        raise Refused("not comparable", f"neither {upper} nor {lower}: {told}", operation.position)
    if upper == "above" and all(_numbers_rows(world, operand) for operand in operation.operands):
        upper, lower = lower, upper  # the first row stands above
    if upper == "older" and all(_is_date(each[0]) for each in cells):
        upper, lower = lower, upper  # born before
    return Cells((Cell(upper if ends[0] == 0 else lower),))


def _asked_column(executor: Executor, operation: Apply) -> Program[str | None]:
    """The column whose cells are compared, where the target type is that very column."""
    world = executor.world
    if len(world.target) != 1:
        return None
    column = yield from executor.near_column(world.target[0])
    for operand in operation.operands:
        search = world.origin(operand)
        if not isinstance(search, Search) or search.wanted != "tails":
            return None
        names = [name.text for name in search.relations if isinstance(name, Name)]
        found = {
            n for name in names for rung in world.names.relations[name][:1] for n in rung.names
        }
        if column not in found:
            return None
    return column


def _is_date(cell: Cell) -> bool:
    return cell.value is not None and cell.value.start is not None


def _numbers_rows(world: World, operand: Operation) -> bool:
    operation = world.origin(operand)
    return isinstance(operation, Search) and any(
        isinstance(relation, Name) and world.names.row_number(relation.text)
        for relation in operation.relations
    )


def named(executor: Executor, operation: Apply, place: int) -> Program[Cells]:
    """What tells the operand at ``place`` from the others, as the query calls it; nothing where nothing does.

    Raises:
        Refused: the target type is what was compared, and no name of it.
    """
    subjects = [_subjects(executor.world, operand) for operand in operation.operands]
    found = yield from _subject(executor, subjects, place)
    if found and (column := (yield from _asked_column(executor, operation))) is not None:
        message = (
            f"{operation.function} names one of the two, and the target type asks for what was compared, "
            f"{column!r}"
        )
        raise Refused("unknown combination", message, operation.position)
    return Cells(tuple(found))


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
                return list(cells)
    return []


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
