"""``compare(a, b)`` names the larger of two.

A comparison answers with what its steps began with, not with its value: of *the goals of A* and *the goals of
B* it names A or B. With an operator and a number it is a truth.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ..language.ast import ProblemKind
from ..language.functions import has_trait
from ..language.lexer import find_comparison
from ..language.signatures import Trait
from ..lexicon.words import WORDS
from ..matching import normalize_name
from ..planning.operations import Apply, Constant, Operation, Search, StepResult
from ..reasoning import sets
from ..reasoning.conditions import FilteredCells, find_extremes, rank_texts
from ..reasoning.functions import IMPLEMENTATIONS, Operands
from ..reasoning.judgments import allows_judgments
from ..reasoning.results import Cell, Cells, EvaluationError, StepOutcome, make_number
from .context import Evaluator, ExecutionContext

# Functions that compare the order of two operands.

_WORDS = re.compile(r"\w+")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)\b", re.IGNORECASE)
_CHOICE = re.compile(rf"\w\W{{0,3}}(?:\bor\b|/)|\b(?:{'|'.join(WORDS.targets.choices)})\b")


def compare_outcomes(
    executor: Evaluator, operation: Apply, outcomes: list[StepOutcome]
) -> StepOutcome:
    """Name the larger of two, or the ``smaller``, by what tells their steps apart.

    With an operator and a number the result is a truth. If the target type offers two words (*more or less*),
    the result is the word that holds for the first operand.
    """
    context = executor.context
    cells = context.all_cells(outcomes)
    if not all(cells):
        raise EvaluationError(
            ProblemKind.NOTHING_GIVEN, "compare needs two values, and one of them was not found"
        )
    if len(cells[0]) == len(cells[1]) == 1:
        cells = [(cell,) for cell in rank_texts(cells[0][0], cells[1][0])]
    has_operator = any(option.name == "operator" for option in operation.options)
    operator = _operator(operation)
    kind = target_column(context)
    if not all(any(c.value is not None for c in operand_cells) for operand_cells in cells):
        cells = _counted(context, cells)
    literals = any(isinstance(operand, Constant) for operand in operation.operands)
    choosing = kind == "choice" and operator not in ("=", "!=")
    if not choosing and (operator in ("=", "!=") or kind == "truth" or (has_operator and literals)):
        return IMPLEMENTATIONS[operator](Operands(cells, operation.position))
    if kind == "choice":
        return _chosen(context, operation, cells)
    upper = operator in (">", ">=")
    if not has_operator and all(_numbers_rows(context, operand) for operand in operation.operands):
        upper = not upper  # of two rows, the one that stands above
    best = [operand_cells[find_extremes(operand_cells, upper).places[0]] for operand_cells in cells]
    if not has_operator and all(_ORDINAL.match(cell.text.strip()) for cell in best):
        message = f"of ranks such as {best[0].text[:40]!r}, the smaller is the better one"
        raise EvaluationError(ProblemKind.NOT_COMPARABLE, message, operation.position)
    place = _find_winner(best, upper)
    winner = name_of_operand(executor, operation, place)
    if not winner.members and best[place].computed is not None and context.target:
        message = "compare names the larger of two, and by no name does the query tell these apart"
        raise EvaluationError(ProblemKind.UNKNOWN_COMBINATION, message, operation.position)
    return winner if winner.members else Cells((best[place],))


def _find_winner(best: Sequence[Cell], upper: bool) -> int:
    selection = find_extremes(best, upper)
    if reason := _describe_fault(selection, best):
        raise EvaluationError(
            ProblemKind.NOT_COMPARABLE, f"compare needs two numbers or dates: {reason}"
        )
    if len(selection.places) > 1:
        pair = f"{best[0].text[:40]!r} and {best[1].text[:40]!r}"
        raise EvaluationError(
            ProblemKind.NOT_COMPARABLE, f"compare names the larger, and {pair} are equal"
        )
    return selection.places[0]


def deciding(executor: Evaluator, operation: Operation, outcome: StepOutcome) -> StepOutcome:
    """Return the truth for a condition: ``if(compare(a, b), …)`` asks whether a is larger."""
    context = executor.context
    operation = context.origin(operation)
    if not isinstance(operation, Apply):
        return outcome
    if has_trait(operation.function, Trait.COMPARES):
        cells = context.all_cells(executor.evaluate_all(operation.operands))
        return IMPLEMENTATIONS[_operator(operation)](Operands(cells, operation.position))
    if has_trait(operation.function, Trait.ORDERS) and not outcome:
        message = f"what decides, {str(operation)[:60]}, has nothing to compare"
        raise EvaluationError(ProblemKind.NOTHING_GIVEN, message, operation.position)
    return outcome


def _describe_fault(selection: FilteredCells, cells: Sequence[Cell]) -> str:
    texts = cells if selection.by_alphabet else selection.skipped
    return ", ".join(repr(cell.text[:40]) for cell in texts) + " is none" if texts else ""


def _operator(operation: Apply) -> str:
    value = next((o.value for o in operation.options if o.name == "operator"), None)
    if not isinstance(value, Constant):
        return "<" if operation.function == "smaller" else ">"
    operator = find_comparison(value.text)
    if operator is None:
        raise EvaluationError(
            ProblemKind.UNKNOWN_OPERATOR, f"compare knows no operator {value.text[:40]!r}"
        )
    return operator


def _counted(context: ExecutionContext, cells: list[tuple[Cell, ...]]) -> list[tuple[Cell, ...]]:
    """Replace texts by their count: the larger of two sets has more members."""
    if all(
        len(operand_cells) == 1 and operand_cells[0].position is None for operand_cells in cells
    ):
        if allows_judgments():
            return cells
        text = next(
            operand_cells[0].text for operand_cells in cells if operand_cells[0].value is None
        )
        raise EvaluationError(
            ProblemKind.NOT_COMPARABLE, f"{text[:60]!r} is not a number or a date"
        )
    context.remarks.append("compared by how many there are")
    return [(make_number(len(sets.distinct_cells(operand_cells))),) for operand_cells in cells]


def _chosen(context: ExecutionContext, operation: Apply, cells: Sequence[Sequence[Cell]]) -> Cells:
    """Choose a word of the target type, such as *more or less*, for the first operand."""
    target = ", ".join(context.target)
    words = _WORDS.findall(target.casefold())
    upper = next((word for word in words if word in WORDS.comparisons.greater), None)
    lower = next((word for word in words if word in WORDS.comparisons.less), None)
    if upper is None or lower is None:
        message = f"compare names the larger, and the target type asks for {target[:60]!r}"
        raise EvaluationError(ProblemKind.UNKNOWN_COMBINATION, message, operation.position)
    first_cells = [operand_cells[0] for operand_cells in cells]
    selection = find_extremes(first_cells, True)
    ends = selection.places
    reason = _describe_fault(selection, first_cells)
    if reason or len(ends) > 1:
        reason = reason or "the two are equal"
        raise EvaluationError(
            ProblemKind.NOT_COMPARABLE, f"neither {upper} nor {lower}: {reason}", operation.position
        )
    if upper == "above" and all(_numbers_rows(context, operand) for operand in operation.operands):
        upper, lower = lower, upper  # the first row stands above
    if upper == "older" and all(operand_cells[0].is_date for operand_cells in cells):
        upper, lower = lower, upper  # born before
    return Cells((Cell(upper if ends[0] == 0 else lower),))


def _target_column(executor: Evaluator, operation: Apply) -> str | None:
    context = executor.context
    if len(context.target) != 1:
        return None
    column = executor.near_column(context.target[0])
    for operand in operation.operands:
        search = context.origin(operand)
        if not isinstance(search, Search) or search.output != "tails":
            return None
        names = [name.text for name in search.relations if isinstance(name, Constant)]
        columns = {
            n for name in names for rung in context.names.relations[name][:1] for n in rung.names
        }
        if column not in columns:
            return None
    return column


def _numbers_rows(context: ExecutionContext, operand: Operation) -> bool:
    operation = context.origin(operand)
    return isinstance(operation, Search) and any(
        isinstance(relation, Constant) and context.names.is_row_number(relation.text)
        for relation in operation.relations
    )


def name_of_operand(executor: Evaluator, operation: Apply, place: int) -> Cells:
    """Find the name that tells the operand at ``place`` from the others; empty if there is none."""
    subjects = [_subjects(executor.context, operand) for operand in operation.operands]
    cells = _subject(executor, subjects, place)
    if cells and (column := _target_column(executor, operation)) is not None:
        message = (
            f"{operation.function} names one of the two, and the target type asks for what was compared, "
            f"{column!r}"
        )
        raise EvaluationError(ProblemKind.UNKNOWN_COMBINATION, message, operation.position)
    return Cells(tuple(replace(cell, is_literal=False) for cell in cells))


def target_column(context: ExecutionContext) -> str | None:
    """Return ``truth`` or ``choice`` (of words) if the target type asks for no name."""
    target = ", ".join(context.target).casefold()
    if set(_WORDS.findall(target)) & WORDS.targets.truths:
        return "truth"
    if normalize_name(target) in {normalize_name(name) for name in context.names.columns}:
        return None
    return "choice" if _CHOICE.search(target) else None


def _subject(executor: Evaluator, subjects: list[list[Operation]], place: int) -> list[Cell]:
    rivals = [rival for at, rival in enumerate(subjects) if at != place]
    for at, subject in enumerate(subjects[place]):
        rival_texts = {str(rival[at]) for rival in rivals if at < len(rival)}
        if not rival_texts or str(subject) in rival_texts:
            continue
        if cells := executor.context.cells(executor.evaluate(subject)):
            return list(cells)
    return []


def _subjects(context: ExecutionContext, operation: Operation) -> list[Operation]:
    """List the names with which the steps of an operand begin, then its relations."""
    names: list[Operation] = []
    relations: list[Operation] = []
    waiting: list[Operation] = [operation]
    visited: set[int] = set()
    while waiting:
        current = waiting.pop(0)
        if isinstance(current, StepResult):
            if current.step not in visited:
                visited.add(current.step)
                waiting.append(context.operations[current.step])
        elif isinstance(current, Search):
            relations += current.relations
            terms = [t for test in current.conditions if test.operator == "=" for t in test.terms]
            for term in [*terms, *(current.heads or ())]:
                (names if isinstance(term, Constant) else waiting).append(term)
        elif isinstance(current, Apply):
            waiting += current.operands
            names += [o.value for o in current.options if isinstance(o.value, Constant)]
    return [*names, *relations]
