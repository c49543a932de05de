"""Edits of a query: another name or bound in it, a set that it chooses from, an operation on its result.

A query that is read here has one call a step, and ``get_information`` has the declared names of its
parameters.
Steps keep their numbers until ``prune`` drops those that the result does not need.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ..matching import normalize_name
from .ast import (
    Argument,
    BinaryOp,
    Call,
    ListValue,
    Literal,
    Query,
    Reference,
    Step,
    Value,
    transform,
    walk,
    walk_literals,
)
from .binder import BoundCall, bind_call
from .function_names import find_function
from .functions import ARGMAX, COUNT_BY, MODE, SEARCHES, TABLE_OF_PATHS, get_row, has_trait
from .parser import parse_query
from .printer import UnprintableName, print_query
from .selectors import find_selector
from .signatures import Trait

SEARCH = SEARCHES[0].name
HEAD, RELATION, TAIL, KEY, VALUE = (p.name for p in SEARCHES[0].parameters[:5])
OPPOSITE_OPERATORS = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
"""The operator of a condition that holds where the other does not."""


@dataclass(frozen=True, slots=True)
class Members:
    """The rows or nodes that a result is made from: those of ``step``, or all rows if it is None.

    ``relation`` is the column whose cells the query gives for the rows.
    """

    step: int | None
    relation: str | None = None


@dataclass(frozen=True, slots=True)
class ConditionalSearch:
    """A search with a condition: its step, its relation, and the arguments of the condition."""

    step: int
    relation: str
    conditions: tuple[Argument, ...]

    @property
    def time(self) -> tuple[Argument, ...]:
        """The condition on the time of facts."""
        return tuple(c for c in self.conditions if c.name in (KEY, VALUE))

    @property
    def operators(self) -> list[str]:
        return [condition.operator for condition in self.conditions]

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(
            literal.text for c in self.conditions for literal, _, _ in walk_literals(c.value)
        )


def read_query(text: str) -> Query | None:
    """Read a query with one call a step; None for a text that cannot be read."""
    query = parse_query(text)
    if not isinstance(query, Query):
        return None
    steps: list[Step] = []
    numbers: dict[int, int] = {}

    def add(value: Value, nested: bool) -> Value:
        if isinstance(value, Reference):
            return replace(value, step=numbers.get(value.step, value.step))
        if isinstance(value, ListValue):
            return replace(value, members=tuple(add(member, True) for member in value.members))
        if isinstance(value, BinaryOp):
            return replace(value, left=add(value.left, True), right=add(value.right, True))
        if not isinstance(value, Call):
            return value
        arguments = tuple(replace(a, value=add(a.value, True)) for a in value.arguments)
        call = _name_parameters(replace(value, arguments=arguments))
        if not nested:
            return call
        steps.append(Step(len(steps) + 1, call))
        return Reference(len(steps), value.position)

    for step in query.steps:
        value = add(step.value, False)
        steps.append(Step(len(steps) + 1, value))
        numbers[step.number] = len(steps)
    return Query(tuple(steps), query.target)


def _name_parameters(call: Call) -> Call:
    """Name the arguments of a search as the table of functions declares them."""
    function = find_function(call.function)
    bound = bind_call(call)
    if function is None or function not in SEARCHES or not isinstance(bound, BoundCall):
        return call
    named = dict(bound.parameters)
    if RELATION not in named and KEY in named:  # a key alone is a relation
        names = {KEY: RELATION, VALUE: TAIL}
    else:
        names = {VALUE: TAIL} if TAIL not in named and KEY not in named else {}
    arguments = (replace(a, name=names.get(name, name)) for name, a in bound.parameters)
    return Call(function.name, tuple(arguments), call.position)


def write_query(query: Query) -> str | None:
    """Write the steps that the result needs; None if a name in them cannot be written."""
    try:
        return print_query(prune(query))
    except UnprintableName:
        return None


def prune(query: Query) -> Query:
    """Drop the steps that the last one does not use, and number the others from 1."""
    by_number = {step.number: step for step in query.steps}
    needed: set[int] = set()
    pending = [query.steps[-1].number]
    while pending:
        number = pending.pop()
        if number not in needed and number in by_number:
            needed.add(number)
            values = walk(by_number[number].value)
            pending += [value.step for value in values if isinstance(value, Reference)]
    kept = [step for step in query.steps if step.number in needed]
    numbers = {step.number: place for place, step in enumerate(kept, 1)}
    return Query(
        tuple(Step(numbers[s.number], _refer(s.value, numbers.get)) for s in kept), query.target
    )


def _refer(value: Value, number: Callable[[int, int], int]) -> Value:
    def change(part: Value) -> Value:
        return (
            replace(part, step=number(part.step, part.step))
            if isinstance(part, Reference)
            else part
        )

    return transform(value, change)


def join(first: Query, second: Query) -> tuple[Query, Callable[[int], int]]:
    """Return the steps of both queries, and what numbers a step of the second in them."""
    shift = max(step.number for step in first.steps)

    def number(step: int, _: int = 0) -> int:
        return step + shift

    moved = tuple(Step(number(s.number), _refer(s.value, number)) for s in second.steps)
    return Query((*first.steps, *moved), ()), number


def append(query: Query, call: Call) -> Query:
    number = max(step.number for step in query.steps) + 1
    return replace(query, steps=(*query.steps, Step(number, call)))


def append_call(
    query: Query, function: str, *operands: Value | int, **parameters: Value | int
) -> Query:
    """Append a call of a function; a whole number is the step whose result is meant."""
    named = {name: _make_value(value) for name, value in parameters.items()}
    return append(query, make_call(function, named, *map(_make_value, operands)))


def _make_value(value: Value | int) -> Value:
    return Reference(value, 0) if isinstance(value, int) else value


def make_call(function: str, parameters: Mapping[str, Value], *operands: Value) -> Call:
    arguments = [Argument(None, "=", operand, 0) for operand in operands]
    arguments += [Argument(name, "=", value, 0) for name, value in parameters.items()]
    return Call(function, tuple(arguments), 0)


def widen(query: Query, step: int) -> Query:
    """Append the search of a step without its conditions."""
    search = next(get_search(s.value) or {} for s in query.steps if s.number == step)
    parameters = {name: search[name].value for name in (HEAD, RELATION) if name in search}
    return append_call(query, SEARCH, **parameters)


def get_search(value: Value) -> dict[str, Argument] | None:
    """Return the arguments of a search by parameter; None for another value, or a repeated parameter."""
    if not isinstance(value, Call) or value.function != SEARCH:
        return None
    return {str(argument.name): argument for argument in value.arguments}


def get_relation(search: Mapping[str, Argument] | None) -> str | None:
    """Return the relation that a search names; None for another value, or a relation that is a result."""
    relation = search.get(RELATION) if search else None
    return relation.value.text if relation and isinstance(relation.value, Literal) else None


def find_members(query: Query, columns: Collection[str]) -> Members:
    """Find what the result was made from; ``columns`` are the normalized names of columns of tables."""
    steps = {step.number: step.value for step in query.steps}
    number = query.steps[-1].number
    while True:
        value = steps[number]
        operand = get_summarized(value)
        search = get_search(value)
        if operand is not None:
            number = operand
        elif search is not None and {*search} <= {HEAD, RELATION}:
            name, head = get_relation(search) or "", search.get(HEAD)
            if normalize_name(name) not in columns:
                return Members(number)
            if head is None:
                return Members(None, name)
            is_result = isinstance(head.value, Reference)
            return Members(head.value.step, name) if is_result else Members(number)  # type: ignore[union-attr]
        else:
            return Members(number)


def get_summarized(value: Value) -> int | None:
    """Return the step that a count, a sum, or the filled ones of its cells are made from."""
    if not isinstance(value, Call):
        return None
    function = find_function(value.function)
    if function is None:
        return None
    references = [a.value for a in value.arguments if isinstance(a.value, Reference)]
    is_filled = Trait.KEEPS_ROWS in function.traits and all(
        isinstance(a.value, Reference)
        or (a.operator == "!=" and a.value == Literal("", a.value.position))
        for a in value.arguments
    )
    if len(references) == 1 and (is_summary(value) or is_filled):
        return references[0].step
    return None


def is_summary(value: Value) -> bool:
    """True for a call whose result stands for all of its operand, such as a count or a sum."""
    function = find_function(value.function) if isinstance(value, Call) else None
    return function is not None and (function.in_groups or Trait.SUMMARIZES in function.traits)


def is_truth(value: Value) -> bool:
    """True for a call that says whether there are members."""
    return is_summary(value) and isinstance(value, Call) and not get_row(value.function).in_groups


def has_groups(query: Query) -> bool:
    """True if a call in the query makes groups."""
    calls = (part for step in query.steps for part in walk(step.value) if isinstance(part, Call))
    return any(has_trait(call.function, Trait.GROUPS) for call in calls)


def list_selections(query: Query) -> Iterator[ConditionalSearch]:
    """Yield the searches with conditions in their steps."""
    for step in query.steps:
        value = step.value
        relation = get_relation(get_search(value))
        if relation is None:
            continue
        assert isinstance(value, Call)
        conditions = tuple(a for a in value.arguments if a.name in (TAIL, KEY, VALUE))
        if conditions and relation.casefold() != "row_number":
            yield ConditionalSearch(step.number, relation, conditions)


def negate_conditions(query: Query, kept: Collection[str] = ()) -> Iterator[Query]:
    """Yield the query with each of its conditions on a name or bound turned into its opposite.

    Those on ``kept`` names stay.
    """
    for selection in list_selections(query):
        texts = [text for text in selection.texts if not find_selector(text)]
        if len(selection.conditions) != 1 or len(texts) != 1 or texts[0] in kept:
            continue
        (old,) = selection.conditions
        if old.name == TAIL and old.operator in OPPOSITE_OPERATORS:
            exchange = partial(
                _exchange, old, replace(old, operator=OPPOSITE_OPERATORS[old.operator])
            )
            yield _change_arguments(query, exchange, (selection.step,))


def _exchange(old: Argument, new: Argument, argument: Argument) -> Argument:
    return new if argument == old else argument


def change_values(
    query: Query, change: Callable[[Value], Value], steps: Collection[int] | None = None
) -> Query:
    """Apply ``change`` to every value of the query, or of some of its ``steps``."""
    return replace(
        query,
        steps=tuple(
            replace(s, value=transform(s.value, change))
            if steps is None or s.number in steps
            else s
            for s in query.steps
        ),
    )


def _change_arguments(
    query: Query, change: Callable[[Argument], Argument], steps: Collection[int] | None = None
) -> Query:
    """Apply ``change`` to every argument of the query, or of some of its ``steps``."""

    def change_call(part: Value) -> Value:
        if not isinstance(part, Call):
            return part
        return replace(part, arguments=tuple(map(change, part.arguments)))

    return change_values(query, change_call, steps)


def replace_literal(query: Query, old: Literal, new: Value) -> Query:
    """Put a value in the place of one literal, which its position tells from equal ones."""

    def change(part: Value) -> Value:
        return new if part is old else part

    return change_values(query, change)


def replace_bound(query: Query, old: Literal, new: Literal, operator: str) -> Query:
    """Put another condition in the place of that with a literal, which may stand in a list of names."""

    def change(argument: Argument) -> Argument:
        names = argument.value.members if isinstance(argument.value, ListValue) else ()
        is_old = any(value is old for value in (argument.value, *names))
        return replace(argument, operator=operator, value=new) if is_old else argument

    return _change_arguments(query, change)


def turn_order(query: Query, ends: Mapping[str, str], number: str) -> Query | None:
    """Put words for the other ends of orders in the places of the keys of ``ends``.

    Let a ``number`` that is not empty say how many are selected; None if the query has none.
    """
    is_numbered = not number

    def change(part: Value) -> Value:
        if not isinstance(part, Call):
            return part
        if part.function == MODE and ARGMAX in ends:
            return make_call(ends[ARGMAX], {}, make_call(COUNT_BY, {}, part.arguments[0].value))
        arguments = tuple(map(turn, part.arguments))
        return replace(part, function=ends.get(part.function, part.function), arguments=arguments)

    def turn(argument: Argument) -> Argument:
        nonlocal is_numbered
        value = argument.value
        if isinstance(value, Reference) and argument.operator in ends:
            return replace(argument, operator=ends[argument.operator])
        if not isinstance(value, Literal) or argument.name == RELATION:
            return argument
        if argument.name in (HEAD, TAIL, VALUE) and not find_selector(value.text):
            return argument  # a cell *top* is no end of an order
        if number and argument.name == "number" and value.text != "1":
            is_numbered = True
            return replace(argument, value=replace(value, text=number))
        text = ends.get(value.text.casefold(), value.text)
        return replace(argument, value=replace(value, text=text))

    changed = change_values(query, change)
    return changed if is_numbered else None


def rename_relation(query: Query, old: str, new: str) -> Query:
    """Put the relation ``new`` in the place of ``old`` in all searches."""

    def rename(argument: Argument) -> Argument:
        value = argument.value
        is_old = isinstance(value, Literal) and argument.name == RELATION and value.text == old
        return replace(argument, value=Literal(new, argument.position)) if is_old else argument

    return _change_arguments(query, rename)


def restrict(query: Query, members: int, steps: Collection[int]) -> tuple[Query, bool]:
    """Let the searches in ``steps`` that have no head choose from the members of a step.

    Return also whether there is such a search.
    """
    head = Argument(HEAD, "=", Reference(members, 0), 0)
    is_restricted = False

    def change(part: Value) -> Value:
        nonlocal is_restricted
        if not isinstance(part, Call):
            return part
        names = {argument.name for argument in part.arguments}
        if part.function in (SEARCH, TABLE_OF_PATHS) and HEAD not in names:
            is_restricted = True
            return replace(part, arguments=(head, *part.arguments))
        function = get_row(part.function)
        universe = function.parameter("universe")
        if universe is not None and universe.name not in names:
            others = Argument(universe.name, "=", Reference(members, 0), 0)
            return replace(part, arguments=(*part.arguments, others))
        return part

    changed = change_values(query, change, steps)
    return changed, is_restricted


def redirect(query: Query, old: int, new: int, steps: Collection[int]) -> Query:
    """Let ``steps`` use the result of step ``new`` where they use that of ``old``."""
    changed = tuple(
        replace(s, value=_refer(s.value, lambda step, _: new if step == old else step))
        if s.number in steps
        else s
        for s in query.steps
    )
    return replace(query, steps=changed)


def order_steps(query: Query, last: int) -> Query:
    """Order the steps so that each stands after those that it uses, and ``last`` at the end."""
    by_number = {step.number: step for step in query.steps}
    ordered: dict[int, Step] = {}

    def visit(number: int) -> None:
        if number in ordered:
            return
        for part in walk(by_number[number].value):
            if isinstance(part, Reference):
                visit(part.step)
        ordered[number] = by_number[number]

    visit(last)
    return replace(query, steps=tuple(ordered.values()))


def list_names(query: Query) -> Iterator[tuple[Literal, str | None, Sequence[str]]]:
    """Yield the names and bounds in searches: each with its relation, and its parameter and operator."""
    for step in query.steps:
        search = get_search(step.value)
        if search is None:
            continue
        name = get_relation(search)
        assert isinstance(step.value, Call)
        for argument in step.value.arguments:
            if argument.name in (HEAD, TAIL, VALUE):
                for literal, _, _ in walk_literals(argument.value):
                    yield literal, name, (str(argument.name), argument.operator)
