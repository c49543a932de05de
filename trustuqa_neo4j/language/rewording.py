"""What models write in several forms, as the one form that its function takes.

``keep(set, set > 5)`` and ``keep(set, condition='> 5')`` are ``keep(set, value > 5)``; ``value='21' or '33'``
is a list of both; ``calculate(operation='subtract', a, b)`` is ``subtract(a, b)``. Only where the meaning
is plain: the rest is left as it stands, for binding to refuse.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from .functions import FUNCTIONS, Function, find
from .query import Argument, Call, Infix, Listing, Literal, Reference, Value
from .signs import OPERATOR, OPERATORS, WORD, comparison

OPERAND = re.compile(r"sets?_?\d*", re.IGNORECASE)
"""Names under which any function takes its operands."""


OPTIONS = frozenset(
    name
    for function in FUNCTIONS
    for parameter in function.parameters
    if parameter.name in ("operator", "unit")
    for name in (parameter.name, *parameter.synonyms)
)
"""Names that are never those of an operand: ``operator='>'`` is no third value to compare."""

Arguments: TypeAlias = "tuple[Argument, ...]"


def reword(function: Function, arguments: Arguments) -> tuple[Function, Arguments]:
    """The function that is meant, and its arguments in the form that it takes."""
    rewording = _REWORDINGS.get(function.name)
    return rewording(function, arguments) if rewording else (function, arguments)


def _searched(search: Function, arguments: Arguments) -> tuple[Function, Arguments]:
    return search, tuple(map(_alternatives, arguments))


def _alternatives(argument: Argument) -> Argument:
    """``value='21' or '33'`` is a list of both."""
    members: list[Value] = []
    waiting = [argument.value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Infix) and value.operator == "or":
            waiting += [value.right, value.left]
        else:
            members.append(value)
    if len(members) == 1 or argument.operator != "=":
        return argument
    return replace(argument, value=Listing(tuple(members), argument.value.position))


def _scoped(search: Function, arguments: Arguments) -> tuple[Function, Arguments]:
    """``scope=all`` is the paper's way to write that no scope is given."""
    return search, tuple(
        argument
        for argument in arguments
        if not (
            (argument.name or "").casefold() == "scope"
            and isinstance(argument.value, Literal)
            and argument.value.text.casefold() == "all"
        )
    )


_CONDITION = re.compile(rf"({WORD}(?: \w+)*)?\s*({OPERATOR})")
_CONDITIONS = frozenset({"condition", "conditions", "expression", "where"})
_SUBJECTS = frozenset(
    {"value", "values", "x", "it", "set", "member", "element", "tail", "tail_entity"}
)
_COMPARED = frozenset(OPERATORS.values())


def _kept(keep: Function, arguments: Arguments) -> tuple[Function, Arguments]:
    """What ``keep`` tests, as ``value op x`` and, where it is of another column, ``column``."""
    found: list[Argument] = []
    over = [a.value for a in arguments if _is_set(a)]
    for argument in arguments:
        test = None if _is_set(argument) else _test(argument, keep)
        if test is None:
            found.append(argument)
            continue
        left, operator, right = test
        if isinstance(left, Reference):
            if all(isinstance(one, Reference) and one.step == left.step for one in over):
                found += [Argument(None, "=", left, left.position)] * (not over)
                over = over or [left]
            else:
                found.append(argument)  # of another result: one operand too many
                continue
        elif isinstance(left, Literal) and left.text.casefold() not in _SUBJECTS:
            found.append(Argument("column", "=", left, argument.position))
        found.append(Argument("value", operator, right, argument.position))
    return keep, tuple(found)


def _is_set(argument: Argument) -> bool:
    """Whether ``argument`` is what ``keep`` chooses from."""
    if argument.name is not None:
        return bool(OPERAND.fullmatch(argument.name))
    return argument.operator == "=" and not isinstance(argument.value, Literal | Infix)


def _test(argument: Argument, keep: Function) -> tuple[Value | None, str, Value] | None:
    """The subject, operator and bound of a condition that ``keep`` is given, if it is one."""
    name, value = argument.name, argument.value
    if name is None or name.casefold() in _CONDITIONS:
        if isinstance(value, Infix) and value.operator in _COMPARED:
            return value.left, value.operator, value.right
        if isinstance(value, Literal) and (sign := _CONDITION.match(text := value.text.strip())):
            left = Literal(sign[1], value.position) if sign[1] else None
            bound = text[sign.end() :].strip().strip("\"'")
            return left, OPERATORS[sign[2]], Literal(bound, value.position)
        return None
    if keep.parameter(name):
        return None
    return Literal(name, argument.position), argument.operator, value


_CASES = (
    re.compile(r"then|true|yes", re.IGNORECASE),
    re.compile(r"else|false|^no$", re.IGNORECASE),
)


def _case(argument: Argument) -> int:
    """Where an operand of ``if`` stands: the condition, what holds then, what else."""
    name = argument.name or ""
    return next((place for place, case in enumerate(_CASES, 1) if case.search(name)), 0)


def _cases(condition: Function, arguments: Arguments) -> tuple[Function, Arguments]:
    """The operands of ``if`` in their order, where all have names; the condition where it is in parts."""
    signs = [argument for argument in arguments if _is_operator(argument)]
    rest = tuple(argument for argument in arguments if argument not in signs)
    if len(signs) == 1 and (operator := _operator(signs[0])) is not None:
        compared = tuple(argument for argument in rest if not _case(argument))
        if len(rest) == 4:
            return _decided(operator, rest)
        if len(rest) == len(compared) == 2:
            return _named("compare"), (*compared, signs[0])
    if any((argument.name or "").casefold() in _CONDITIONS for argument in arguments):
        # if(set=output_of_query1, condition='output_of_query1 > 5', …): the condition says it all.
        arguments = tuple(a for a in arguments if (a.name or "").casefold() != "set")
    if all(argument.name for argument in arguments):
        return condition, tuple(sorted(arguments, key=_case))
    return condition, arguments


def _is_operator(argument: Argument) -> bool:
    parameter = _named("compare").parameter(argument.name or "")
    return parameter is not None and parameter.name == "operator"


def _operator(argument: Argument) -> str | None:
    return comparison(argument.value.text) if isinstance(argument.value, Literal) else None


def _decided(operator: str, arguments: Arguments) -> tuple[Function, Arguments]:
    """``if(a operator b, c, d)`` of ``a, b, c, d``."""
    first, second, *cases = sorted(arguments, key=_case)
    condition = Infix(operator, first.value, second.value, first.position)
    return _named("if"), (Argument(None, "=", condition, first.position), *map(_unnamed, cases))


_ORDERS = {"greater_than": ">", "less_than": "<", "at_least": ">=", "at_most": "<="}


def _ordered(order: Function, arguments: Arguments) -> tuple[Function, Arguments]:
    """``if_greater(a, b, c, d)`` is ``if(a > b, c, d)``."""
    if len(arguments) == 4 and all(argument.operator == "=" for argument in arguments):
        return _decided(_ORDERS[order.name], arguments)
    return order, arguments


def _named(name: str) -> Function:
    """The function of that name, which there is."""
    function = find(name)
    assert function is not None
    return function


def _unnamed(argument: Argument) -> Argument:
    return replace(argument, name=None)


_GROUPS = frozenset(("by", "group_by", "groupby", "key"))


def _counted(count: Function, arguments: Arguments) -> tuple[Function, Arguments]:
    """``count(set, group_by='Country')`` and ``group_by(set, key='Country', function='count')``."""
    rest = tuple(argument for argument in arguments if not _is_count(argument))
    by = [argument for argument in rest if (argument.name or "").casefold() in _GROUPS]
    if len(by) != 1 or len(rest) != 2:
        return count, arguments
    if count.name == "count" and (by[0].name or "").casefold() == "key":
        return count, arguments
    if count.name == "group_by" and len(rest) == len(arguments):
        return count, arguments
    members = tuple(argument for argument in rest if argument is not by[0])
    of, itself = members[0].value, by[0].value
    if isinstance(itself, Reference):  # by itself: how often each member occurs
        same = isinstance(of, Reference) and of.step == itself.step
        return (_named("count_by"), members) if same else (count, arguments)
    return _named("count_by"), (*members, replace(by[0], name="column"))


def _is_count(argument: Argument) -> bool:
    """``function='count'``."""
    named = (argument.name or "").casefold() in ("function", "aggregate", "operation")
    return named and isinstance(argument.value, Literal) and argument.value.text == "count"


def _numbered(row_number: Function, arguments: Arguments) -> tuple[Function, Arguments]:
    """``row_number(set)`` is what the relation of that name leads to."""
    if len(arguments) != 1 or arguments[0].operator != "=":
        return row_number, arguments
    given = arguments[0]
    relation = Literal("row_number", given.position)
    return _named("get_information"), (
        replace(given, name="head_entity"),
        Argument("relation", "=", relation, given.position),
    )


_ARITHMETIC = {"+": "sum", "-": "difference", "*": "product", "/": "ratio"}


def _calculated(calculate: Function, arguments: Arguments) -> tuple[Function, Arguments]:
    """``calculate(operation='subtract', a, b)`` and expressions of results: the function meant."""
    rest: list[Argument] = []
    meant: Function | None = None
    for argument in arguments:
        name = (argument.name or "").casefold()
        if name in (*OPTIONS, "function") and isinstance(argument.value, Literal):
            text = argument.value.text.strip()
            meant = find(_ARITHMETIC.get(text, text.replace(" ", "_"))) or meant
            if meant is None and comparison(text):
                meant = _named("compare")
                rest.append(replace(argument, name="operator"))
            continue
        rest.append(argument)
    if meant is not None and meant.name != "calculate":
        named = (a.name is not None and meant.parameter(a.name) for a in rest)
        return meant, tuple(
            argument if known else replace(argument, name=None)
            for argument, known in zip(rest, named, strict=True)
        )
    only = arguments[0].value if len(arguments) == 1 else None
    if isinstance(only, Infix | Call):
        # Of one set: that set, as it is.
        return _named("set_union"), (Argument(None, "=", only, only.position),)
    return calculate, arguments


def _walked(walk: Function, arguments: Arguments) -> tuple[Function, Arguments]:
    """``get_table('relation as name')``: one value alone is the columns."""
    if len(arguments) == 1 and arguments[0].name is None:
        arguments = (replace(arguments[0], name="columns"),)
    return walk, arguments


_REWORDINGS: dict[str, Callable[[Function, Arguments], tuple[Function, Arguments]]] = {
    "get_information": _searched,
    "search_node": _scoped,
    "search_condition": _scoped,
    "keep": _kept,
    "if": _cases,
    "greater_than": _ordered,
    "less_than": _ordered,
    "at_least": _ordered,
    "at_most": _ordered,
    "calculate": _calculated,
    "count": _counted,
    "group_by": _counted,
    "row_number": _numbered,
    "get_table": _walked,
}
