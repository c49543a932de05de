"""Rules on the query alone, without the data: each yields the problems of one step."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass, replace

from ..language.ast import (
    Argument,
    BinaryOp,
    Call,
    ListValue,
    Literal,
    Problem,
    ProblemKind,
    Reference,
    Step,
    Value,
    walk,
    walk_with_depth,
)
from ..language.binder import BoundCall, bind_call, find_bound_calls, find_calls
from ..language.columns import read_aggregates, read_expression, read_paths
from ..language.function_names import find_function, suggest_function
from ..language.functions import TIMES
from ..language.lexer import TEXT_OPERATORS
from ..matching import normalize_name

MAX_DEPTH = 60  # deeper than the parser allows; a query built in Python must not exhaust the stack
_MAX_LISTED_STEPS = 20


@dataclass(frozen=True, slots=True)
class StepContext:
    step: Step
    earlier: Set[int]
    numbers: Set[int]

    def problem(self, kind: ProblemKind, message: str, position: int) -> Problem:
        return Problem(kind, message, self.step.number, position)


def check_depth(context: StepContext) -> Iterator[Problem]:
    """Calls, lists and expressions must not be nested too deep."""
    for value, depth in walk_with_depth(context.step.value):
        if depth > MAX_DEPTH:
            message = f"nested deeper than {MAX_DEPTH}; move a part into its own step"
            yield context.problem(ProblemKind.NESTED_TOO_DEEP, message, value.position)
            return


def check_functions(context: StepContext) -> Iterator[Problem]:
    """Each function must exist."""
    for call in find_calls(context.step.value):
        if find_function(call.function) is None:
            near = suggest_function(call.function)
            hint = f"; did you mean {near}?" if near else ""
            message = f"undefined function {call.function}{hint}"
            yield context.problem(ProblemKind.UNKNOWN_FUNCTION, message, call.position)


def check_arguments(context: StepContext) -> Iterator[Problem]:
    """Each argument must belong to a parameter of its function."""
    for call in find_calls(context.step.value):
        bound = () if find_function(call.function) is None else bind_call(call)
        if not isinstance(bound, BoundCall):
            yield from (replace(problem, step=context.step.number) for problem in bound)


def check_searches(context: StepContext) -> Iterator[Problem]:
    """A search needs a parameter, and in ``get_information`` each value needs its own relation."""
    for call in find_bound_calls(context.step.value, "get_information", "search_node"):
        if not call.parameters:
            names = ", ".join(parameter.name for parameter in call.function.parameters)
            message = f"{call.function.name} needs a parameter: any of {names}"
            yield context.problem(ProblemKind.MISSING_PARAMETER, message, call.position)
        tail, value = call.get_argument("tail_entity"), call.get_argument("value")
        relations = call.get_arguments("relation") + call.get_arguments("key")
        if tail and value and len(relations) < 2 and not any(map(_is_time, relations)):
            message = (
                "tail_entity and value clash: two values need two relations, "
                "given as relation (for tail_entity) and key (for value)"
            )
            position = max(tail.position, value.position)
            yield context.problem(ProblemKind.UNKNOWN_COMBINATION, message, position)


def _is_time(relation: Argument) -> bool:
    """Return whether the argument may be a time of facts: the data decides whether it is a relation."""
    return isinstance(relation.value, Literal) and normalize_name(relation.value.text) in TIMES


def check_text_conditions(context: StepContext) -> Iterator[Problem]:
    """The text after ``contains``, ``starts with`` and ``ends with`` must not be empty."""
    for value in walk(context.step.value):
        compared: list[tuple[str, Value]] = []
        if isinstance(value, BinaryOp):
            compared = [(value.operator, value.right)]
        elif isinstance(value, Call):
            compared = [(argument.operator, argument.value) for argument in value.arguments]
        for operator, bound in compared:
            texts = bound.members if isinstance(bound, ListValue) else (bound,)
            if operator in TEXT_OPERATORS and any(
                isinstance(text, Literal) and not text.text.strip() for text in texts
            ):
                message = f"{operator} needs a text, and '' is empty: every text would fit"
                yield context.problem(ProblemKind.NOT_COMPARABLE, message, bound.position)


_READERS: dict[str, tuple[str, Callable[[str], object]]] = {
    "get_table": ("columns", read_paths),
    "calculate": ("expression", read_expression),
    "group_by": ("values", read_aggregates),
}
"""Function → the parameter whose texts have a grammar, and the reader of that grammar."""


def check_tables(context: StepContext) -> Iterator[Problem]:
    """Paths, expressions and aggregates must be readable."""
    for call in find_bound_calls(context.step.value, *_READERS):
        parameter, read = _READERS[call.function.name]
        for argument in call.get_arguments(parameter):
            value = argument.value
            for text in value.members if isinstance(value, ListValue) else (value,):
                if not isinstance(text, Literal):
                    message = f"{parameter} of {call.function.name} must be written in quotes"
                    yield context.problem(ProblemKind.UNREADABLE, message, text.position)
                elif isinstance(result := read(text.text), Problem):
                    message = f"{parameter} {text.text[:60]!r}: {result.message}"
                    yield context.problem(ProblemKind.UNREADABLE, message, text.position)


_PLACEHOLDER = re.compile(r"(?:set|value|count|result|output)_?\d+", re.IGNORECASE)
"""Names that stand for results in the descriptions of the functions."""


def check_references(context: StepContext) -> Iterator[Problem]:
    """``output_of_queryN`` must name an earlier step, and results must be written so."""
    for value in walk(context.step.value):
        if isinstance(value, Reference) and value.step not in context.earlier:
            message = (
                f"output_of_query{value.step} {_describe_target(value.step, context)}; "
                f"{_list_steps(context.earlier)}"
            )
            yield context.problem(ProblemKind.UNKNOWN_REFERENCE, message, value.position)
        elif isinstance(value, BinaryOp | Call):
            for name in _placeholders(value):
                message = f"{name.text} is not a result; results are written output_of_query1"
                yield context.problem(ProblemKind.UNKNOWN_REFERENCE, message, name.position)


def _describe_target(number: int, context: StepContext) -> str:
    if number == context.step.number:
        return "is this step itself"
    return "names a later step" if number in context.numbers else "names no earlier step"


def _list_steps(earlier: Set[int]) -> str:
    if not earlier:
        return "this is the first"
    if len(earlier) > _MAX_LISTED_STEPS:
        return f"there are {len(earlier)} others"
    return "there are: " + ", ".join(map(str, sorted(earlier)))


def _placeholders(value: BinaryOp | Call) -> list[Literal]:
    """Return operands that only stand for a result, as in ``set1 > set2``."""
    operands: list[Value] = [value.left, value.right] if isinstance(value, BinaryOp) else []
    if isinstance(value, Call) and value.function == "if":
        operands = [argument.value for argument in value.arguments]
    return [o for o in operands if isinstance(o, Literal) and _PLACEHOLDER.fullmatch(o.text)]
