"""Whether an answer rests on facts.

A query without any search answers with texts of its own: ``mode('Gold')`` would be *Gold* for any data. Only
what is computed from numbers and dates of the query is an answer without facts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..language.ast import Problem, ProblemKind
from ..language.function_names import find_function
from ..language.functions import NEGATION, get_row
from ..values import read_value
from .operations import (
    Apply,
    Constant,
    Operation,
    Plan,
    Search,
    StepResult,
    Traverse,
    Union,
    walk_operations,
)

Steps = Mapping[int, Operation]


def rests_on_facts(operation: Operation, steps: Steps) -> bool:
    """Return whether an operation, or a step that it uses, reads facts."""
    return any(map(_reads_facts, _walk_steps(operation, steps)))


def _reads_facts(operation: Operation) -> bool:
    if isinstance(operation, Apply):
        # Whoever judges an undefined function answers for it.
        return operation.is_undefined or operation.function == NEGATION
    return isinstance(operation, Search | Traverse)


def _walk_steps(operation: Operation, steps: Steps) -> Iterator[Operation]:
    pending, visited = [operation], set[int]()
    while pending:
        for part in walk_operations(pending.pop()):
            yield part
            if isinstance(part, StepResult) and part.step not in visited:
                visited.add(part.step)
                pending.append(steps[part.step])


def find_text_without_facts(plan: Plan) -> Constant | None:
    """Return a text of the query that the last step would answer with, or compute from, without facts."""
    steps = {step.number: step.operation for step in plan.steps}
    last = plan.steps[-1].operation
    if rests_on_facts(last, steps) or _is_computation(last, steps):
        return None
    texts = (part for part in _walk_steps(last, steps) if isinstance(part, Constant))
    return next(texts, None)


def _is_computation(operation: Operation, steps: Steps) -> bool:
    """Return whether an operation computes with numbers and dates of the query alone."""
    while isinstance(operation, StepResult):
        operation = steps[operation.step]
    if not isinstance(operation, Apply) or operation.is_undefined:
        return False
    if not get_row(operation.function).computes:
        return False
    operands = list(_list_members(operation.operands, steps))
    if not all(_is_value(operand) or _is_computation(operand, steps) for operand in operands):
        return False
    # The sum of one number is that number.
    only = operands[0] if len(operands) == 1 else None
    return not isinstance(only, Constant) or not only.text.strip().isdecimal()


def _list_members(operands: tuple[Operation, ...], steps: Steps) -> Iterator[Operation]:
    for operand in operands:
        while isinstance(operand, StepResult):
            operand = steps[operand.step]
        if isinstance(operand, Union):
            yield from _list_members(operand.members, steps)
        else:
            yield operand


def _is_value(operand: Operation) -> bool:
    return isinstance(operand, Constant) and (
        read_value(operand.text) is not None
        or any(word.isdecimal() and len(word) == 4 for word in operand.text.split())  # a year
    )


def make_problem(text: Constant, relation: str | None, step: int) -> Problem:
    """Describe an answer without facts; ``relation`` is one of the data that ``text`` means."""
    shown = text.text[:60]
    if relation is not None:
        hint = f"to ask for what it leads to, write get_information(relation={relation!r})"
    elif find_function(text.text.strip()) is not None:
        hint = f"{shown} is a function, called as {shown}(set=output_of_query1)"
    else:
        hint = "search the data by get_information first, and use its result as output_of_query1"
    message = f"no fact stands behind the answer: {shown!r} is a text of the query; {hint}"
    return Problem(ProblemKind.NO_FACTS, message, step, text.position)
