"""What the grammar found → nodes of the query.

Called for each rule as soon as it is complete, so no tree is built and nothing recurses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, TypeAlias

import lark

from .functions import find
from .levels import Unreadable
from .query import Argument, Call, Infix, Listing, Literal, Reference, Value
from .signs import WORD

_COMPUTED = re.compile(rf"({WORD})_of_query[ _]?(\d{{1,9}})", re.IGNORECASE)
"""``count_of_query1``: a function's name where ``output`` should stand."""


@dataclass(frozen=True, slots=True)
class Group:
    """Brackets around what may turn out to be an expression, a list, or the cases of a condition."""

    arguments: tuple[Argument, ...]
    position: int


@dataclass(frozen=True, slots=True)
class Nothing:
    """``None`` without quotes: a parameter that has it is not given."""

    text: str
    position: int


Part: TypeAlias = "Value | Group | Nothing | lark.Token"


class Builder(lark.Transformer[lark.Token, Any]):
    """Makes a node of each rule."""

    def start(self, children: list[Part]) -> Value:
        """The whole step."""
        return _value(children[0])

    def several(self, children: list[Part]) -> Value:
        """What stands in quotes: one value or several."""
        values = tuple(map(_value, children))
        return values[0] if len(values) == 1 else Listing(values, values[0].position)

    def condition(self, children: list[Any]) -> Call:
        """``if a then b else c``."""
        begin, condition, _, *cases = children
        return _if(begin.start_pos, condition, *cases[::2])

    def choice(self, children: list[Any]) -> Call:
        """``a ? b : c``."""
        condition, _, then, _, other = children
        return _if(_value(condition).position, condition, then, other)

    def suffixed(self, children: list[Any]) -> Call:
        """``b if a else c``."""
        then, _, condition, _, other = children
        return _if(_value(then).position, condition, then, other)

    def cases(self, children: list[Any]) -> Value:
        """``if(a, b, c)``, or the whole condition within the brackets."""
        begin, group = children
        position = begin.start_pos or 0
        if isinstance(group, Group):
            if len(group.arguments) > 1:
                return Call("if", group.arguments, position)
            only = group.arguments[0].value
            if isinstance(only, Call) and only.function == "if":
                return Call("if", only.arguments, position)
        raise Unreadable("the condition that begins here has no cases: expected then", position)

    def infix(self, children: list[Any]) -> Infix:
        """``a + b``, ``a > b``, ``a and b``, ``a in b``."""
        left, sign, right = children
        first = _value(left)
        return Infix(str(sign), first, _value(right), first.position)

    def call(self, children: list[Any]) -> Call:
        """A function with its arguments."""
        name = children[0]
        arguments = tuple(children[1]) if len(children) > 1 else ()
        return Call(str(name), arguments, name.start_pos)

    def group(self, children: list[Any]) -> Group:
        """Brackets that no function stands before."""
        opening, arguments = children
        if not arguments:
            raise Unreadable("expected a value", opening.start_pos)
        return Group(tuple(arguments), opening.start_pos)

    def arguments(self, children: list[Argument | None]) -> list[Argument]:
        """Those that are given."""
        return [argument for argument in children if argument is not None]

    def named(self, children: list[Any]) -> Argument | None:
        """``relation='Nation'``."""
        name, operator, value = children
        if isinstance(value, Nothing) and operator == "=":
            return None
        return Argument(str(name), str(operator), _value(value), name.start_pos)

    def positional(self, children: list[Part]) -> Argument:
        """A value alone."""
        value = _value(children[0])
        return Argument(None, "=", value, value.position)

    def compared(self, children: list[Any]) -> Argument:
        """``> 5`` alone: what it is compared with stands elsewhere."""
        operator, value = children
        return Argument(None, str(operator), _value(value), operator.start_pos)

    def reference(self, children: list[lark.Token]) -> Reference:
        """``output_of_query1``."""
        return Reference(int(children[0]), children[0].start_pos or 0)

    def literal(self, children: list[lark.Token]) -> Value | Nothing:
        """A name or number."""
        token = children[0]
        position = token.start_pos or 0
        if token.type == "NAME":
            if token.casefold() in ("none", "null"):
                return Nothing(str(token), position)
            computed = _COMPUTED.fullmatch(token)
            if computed and find(computed[1]):
                reference = Reference(int(computed[2]), position)
                return Call(computed[1], (Argument(None, "=", reference, position),), position)
        return Literal(str(token), position)

    def listing(self, children: list[Any]) -> Listing:
        """``[a, b]``."""
        return Listing(tuple(map(_value, children[1:])), children[0].start_pos)


def _if(position: int | None, *operands: Part) -> Call:
    values = map(_value, operands)
    arguments = tuple(Argument(None, "=", value, value.position) for value in values)
    return Call("if", arguments, position or 0)


def _value(part: Part) -> Value:
    """``part`` where a value is needed."""
    if isinstance(part, lark.Token):  # read within quotes
        value: Value = part.value
        return value
    if isinstance(part, Nothing):
        return Literal(part.text, part.position)
    if not isinstance(part, Group):
        return part
    first = part.arguments[0]
    if len(part.arguments) == 1:
        if first.name is not None:
            name = Literal(first.name, first.position)
            return Infix(first.operator, name, first.value, first.position)
        if first.operator == "=":
            return first.value
    for argument in part.arguments:
        if argument.name is not None or argument.operator != "=":
            message = "a parameter cannot stand here: no function stands before the bracket"
            raise Unreadable(message, argument.position)
    return Listing(tuple(argument.value for argument in part.arguments), part.position)
