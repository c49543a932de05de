"""The forms of a call that models write → the one form that its function takes.

``keep(set, set > 5)`` and ``keep(set, condition='> 5')`` become ``keep(set, value > 5)``; ``value='21' or
'33'`` becomes a list; ``calculate(operation='subtract', a, b)`` becomes ``subtract(a, b)``. A form without a
clear meaning stays as it is, and binding refuses it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from ..lexicon.words import WORDS
from .ast import Argument, BinaryOp, Call, ListValue, Literal, Reference, Value
from .function_names import find_function
from .functions import COUNT_BY, FUNCTION_OF_SIGN, FUNCTIONS, UNION
from .lexer import OPERATOR, OPERATOR_NAMES, TEXT_OPERATORS, WORD, find_comparison
from .signatures import Function, Trait

# Names of operands that every function understands.
OPERAND_NAME = re.compile(r"sets?_?\d*", re.IGNORECASE)


OPTION_NAMES = frozenset(
    name
    for function in FUNCTIONS
    for parameter in function.parameters
    if parameter.name in ("operator", "unit")
    for name in (parameter.name, *parameter.synonyms)
)
"""Names that never belong to an operand: ``operator='>'`` is no third value to compare."""

Arguments: TypeAlias = "tuple[Argument, ...]"


def normalize_call(function: Function, arguments: Arguments) -> tuple[Function, Arguments]:
    normalize = _NORMALIZERS.get(function.name)
    return normalize(function, arguments) if normalize else (function, arguments)


def _normalize_search(search: Function, arguments: Arguments) -> tuple[Function, Arguments]:
    return search, tuple(map(_split_alternatives, _join_members(search, arguments)))


# Not the head: a text after it may be its relation.
_COMPARED_ENDS = ("tail_entity", "value")


def _join_members(search: Function, arguments: Arguments) -> Arguments:
    """``value='China', 'Japan'`` is a list of both: a search has no values without a name."""
    joined: list[Argument] = []
    for argument in arguments:
        last = joined[-1] if joined else argument
        parameter = search.parameter(last.name or "")
        is_member = argument.name is None and isinstance(argument.value, Literal)
        are_equal = argument.operator == last.operator == "="
        takes_members = parameter is not None and parameter.name in _COMPARED_ENDS
        if takes_members and is_member and are_equal:
            first = last.value
            members = first.members if isinstance(first, ListValue) else (first,)
            value = ListValue((*members, argument.value), first.position)
            joined[-1] = replace(last, value=value)
        else:
            joined.append(argument)
    return tuple(joined)


def _split_alternatives(argument: Argument) -> Argument:
    """``value='21' or '33'`` is a list of both."""
    members: list[Value] = []
    pending = [argument.value]
    while pending:
        value = pending.pop()
        if isinstance(value, BinaryOp) and value.operator == "or":
            pending += [value.right, value.left]
        else:
            members.append(value)
    takes_any = argument.operator == "=" or argument.operator in TEXT_OPERATORS
    if len(members) == 1 or not takes_any:
        return argument
    return replace(argument, value=ListValue(tuple(members), argument.value.position))


def _drop_default_scope(search: Function, arguments: Arguments) -> tuple[Function, Arguments]:
    """In the paper ``scope=all`` means no scope."""
    return search, tuple(
        argument
        for argument in arguments
        if not (
            (argument.name or "").casefold() == "scope"
            and isinstance(argument.value, Literal)
            and argument.value.text.casefold() == "all"
        )
    )


_CONDITION = re.compile(rf"({WORD}(?: \w+)*)?\s*({OPERATOR})", re.IGNORECASE)
_COMPARED = frozenset(OPERATOR_NAMES.values())


def _normalize_keep(keep: Function, arguments: Arguments) -> tuple[Function, Arguments]:
    """The condition of ``keep`` as ``value op x``, and ``column`` where it is on another column."""
    normalized: list[Argument] = []
    sets = [a.value for a in arguments if _is_set(a)]
    for argument in arguments:
        condition = None if _is_set(argument) else _read_condition(argument, keep)
        if condition is None:
            normalized.append(argument)
            continue
        left, operator, right = condition
        if isinstance(left, Reference):
            if all(isinstance(value, Reference) and value.step == left.step for value in sets):
                normalized += [Argument(None, "=", left, left.position)] * (not sets)
                sets = sets or [left]
            else:
                normalized.append(argument)  # another result is one operand too many
                continue
        elif isinstance(left, Literal) and left.text.casefold() not in WORDS.functions.subjects:
            normalized.append(Argument("column", "=", left, argument.position))
        normalized.append(Argument("value", operator, right, argument.position))
    return keep, tuple(normalized)


def _is_set(argument: Argument) -> bool:
    if argument.name is not None:
        return bool(OPERAND_NAME.fullmatch(argument.name))
    return argument.operator == "=" and not isinstance(argument.value, Literal | BinaryOp)


def _read_condition(argument: Argument, keep: Function) -> tuple[Value | None, str, Value] | None:
    """The subject, the operator and the bound, if ``argument`` is a condition of ``keep``."""
    name, value = argument.name, argument.value
    if name is None or name.casefold() in WORDS.functions.conditions:
        if isinstance(value, BinaryOp) and value.operator in _COMPARED:
            return value.left, value.operator, value.right
        if isinstance(value, Literal) and (sign := _CONDITION.match(text := value.text.strip())):
            left = Literal(sign[1], value.position) if sign[1] else None
            bound = text[sign.end() :].strip().strip("\"'")
            return left, OPERATOR_NAMES[sign[2].casefold()], Literal(bound, value.position)
        return None
    if keep.parameter(name):
        return None
    return Literal(name, argument.position), argument.operator, value


_CASES = (
    re.compile(r"then|true|yes", re.IGNORECASE),
    re.compile(r"else|false|^no$", re.IGNORECASE),
)


def _case(argument: Argument) -> int:
    """The index of an operand of ``if``: the condition, the value if it is true, the value if not."""
    name = argument.name or ""
    return next((place for place, case in enumerate(_CASES, 1) if case.search(name)), 0)


def _normalize_if(condition: Function, arguments: Arguments) -> tuple[Function, Arguments]:
    """Order the named operands of ``if``, and join the parts of its condition."""
    signs = [argument for argument in arguments if _is_operator(argument)]
    rest = tuple(argument for argument in arguments if argument not in signs)
    if len(signs) == 1 and (operator := _operator(signs[0])) is not None:
        compared = tuple(argument for argument in rest if not _case(argument))
        if len(rest) == 4:
            return _make_if(operator, rest)
        if len(rest) == len(compared) == 2:
            return _get_function("compare"), (*compared, signs[0])
    if any(
        (argument.name or "").casefold() in WORDS.functions.conditions for argument in arguments
    ):
        # if(set=output_of_query1, condition='output_of_query1 > 5', …): the condition names the set.
        arguments = tuple(a for a in arguments if (a.name or "").casefold() != "set")
    if all(argument.name for argument in arguments):
        return condition, tuple(sorted(arguments, key=_case))
    return condition, arguments


def _is_operator(argument: Argument) -> bool:
    parameter = _get_function("compare").parameter(argument.name or "")
    return parameter is not None and parameter.name == "operator"


def _operator(argument: Argument) -> str | None:
    return find_comparison(argument.value.text) if isinstance(argument.value, Literal) else None


def _make_if(operator: str, arguments: Arguments) -> tuple[Function, Arguments]:
    """``if(a operator b, c, d)`` of ``a, b, c, d``."""
    first, second, *cases = sorted(arguments, key=_case)
    condition = BinaryOp(operator, first.value, second.value, first.position)
    return _get_function("if"), (
        Argument(None, "=", condition, first.position),
        *(replace(case, name=None) for case in cases),
    )


def _normalize_comparison(order: Function, arguments: Arguments) -> tuple[Function, Arguments]:
    """``if_greater(a, b, c, d)`` is ``if(a > b, c, d)``."""
    if len(arguments) == 4 and all(argument.operator == "=" for argument in arguments):
        return _make_if(order.sign, arguments)
    return order, arguments


def _get_function(name: str) -> Function:
    function = find_function(name)
    assert function is not None
    return function


_GROUPS = frozenset(("by", "group_by", "groupby", "key"))


def _normalize_count(count: Function, arguments: Arguments) -> tuple[Function, Arguments]:
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
    counted, group = members[0].value, by[0].value
    if isinstance(group, Reference):  # grouped by itself: how often each member occurs
        same = isinstance(counted, Reference) and counted.step == group.step
        return (_get_function(COUNT_BY), members) if same else (count, arguments)
    return _get_function(COUNT_BY), (*members, replace(by[0], name="column"))


def _is_count(argument: Argument) -> bool:
    is_function = (argument.name or "").casefold() in WORDS.functions.aggregates
    return is_function and isinstance(argument.value, Literal) and argument.value.text == "count"


def _normalize_row_number(row_number: Function, arguments: Arguments) -> tuple[Function, Arguments]:
    """``row_number(set)`` is a search by the relation of that name."""
    if len(arguments) != 1 or arguments[0].operator != "=":
        return row_number, arguments
    operand = arguments[0]
    relation = Literal("row_number", operand.position)
    return _get_function("get_information"), (
        replace(operand, name="head_entity"),
        Argument("relation", "=", relation, operand.position),
    )


def _normalize_calculate(calculate: Function, arguments: Arguments) -> tuple[Function, Arguments]:
    """``calculate(operation='subtract', a, b)`` is ``subtract(a, b)``; an expression of results is a set."""
    rest: list[Argument] = []
    function: Function | None = None
    for argument in arguments:
        name = (argument.name or "").casefold()
        if name in (*OPTION_NAMES, "function") and isinstance(argument.value, Literal):
            text = argument.value.text.strip()
            function = find_function(FUNCTION_OF_SIGN.get(text, text.replace(" ", "_"))) or function
            if function is None and find_comparison(text):
                function = _get_function("compare")
                rest.append(replace(argument, name="operator"))
            continue
        rest.append(argument)
    if function is not None and function.name != "calculate":
        return function, tuple(
            a if a.name and function.parameter(a.name) else replace(a, name=None) for a in rest
        )
    only = arguments[0].value if len(arguments) == 1 else None
    if isinstance(only, BinaryOp | Call):
        return _get_function(UNION), (Argument(None, "=", only, only.position),)
    return calculate, arguments


def _normalize_table(table: Function, arguments: Arguments) -> tuple[Function, Arguments]:
    """``get_table('relation as name')``: a single value is the columns."""
    if len(arguments) == 1 and arguments[0].name is None:
        arguments = (replace(arguments[0], name="columns"),)
    return table, arguments


_NORMALIZERS: dict[str, Callable[[Function, Arguments], tuple[Function, Arguments]]] = {
    "get_information": _normalize_search,
    "search_node": _drop_default_scope,
    "search_condition": _drop_default_scope,
    "keep": _normalize_keep,
    "if": _normalize_if,
    "calculate": _normalize_calculate,
    "count": _normalize_count,
    "group_by": _normalize_count,
    "row_number": _normalize_row_number,
    "get_table": _normalize_table,
    **{f.name: _normalize_comparison for f in FUNCTIONS if Trait.ORDERS in f.traits},
}
