"""A printer of queries and a strategy that makes them, so that reading can be tested against writing.

It writes as carefully as the language allows (quotes and backslashes in names escaped), in any of the
forms that mean the same, and notes the position of everything it writes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TypeVar

from hypothesis import strategies as st

from trustuqa_neo4j.language.ast import (
    Argument,
    BinaryOp,
    Call,
    ListValue,
    Literal,
    Query,
    Reference,
    Step,
    Value,
)
from trustuqa_neo4j.language.lexer import ARITHMETIC, OPERATORS, QUOTES

T = TypeVar("T")

LABELS = ("Query{}:", "Query {}: ", "**Query{}:** ", "Query{}：", "- Query{} = ")

RESERVED = (
    "and",
    "or",
    "in",
    "if",
    "then",
    "else",
    "elif",
    "end",
    "endif",
    "return",
    "query",
    "step",
)

_SPECIAL = re.compile(rf"[\\{''.join(QUOTES)}]")
_NOT_A_NAME = re.compile(
    r"\s*output_of_query[ _]?\d+\s*|.*</?think|.*\b(?:query|step)\b", re.I | re.S
)


BINDS = {"or": 1, "and": 2, "in": 3, "+": 4, "-": 4, "*": 5, "/": 5} | dict.fromkeys(
    OPERATORS.values(), 3
)
"""How tightly each sign binds."""

FORMS = {
    sign: [form for form, other in (OPERATORS | ARITHMETIC).items() if other == sign]
    for sign in (*OPERATORS.values(), *ARITHMETIC.values())
} | {"and": ["and", "AND", "&", "&&"], "or": ["or", "Or", "|", "||"], "in": ["in", "IN", "∈"]}

SUFFIXED = ("", " if ", " else ", "")
CONDITIONS = (
    ("if ", " then ", " else ", ""), ("if ", ": ", " else: ", ""), ("if ", ", then ", ", else ", " end"),
    ("if ", " then return ", "; else return ", ""), ("IF (", ") THEN ", " ELSE ", " ENDIF"),
    ("if(", ", ", ", ", ")"), ("if(", ": return ", " else: return ", ")"), ("", " ? ", " : ", ""), SUFFIXED,
)  # fmt: skip


def is_condition(value: Value) -> bool:
    return isinstance(value, Call) and value.function == "if"


def begins_with_a_name(value: Value) -> bool:
    """Whether a name in quotes may be what is written first."""
    if isinstance(value, BinaryOp):
        return begins_with_a_name(value.left)
    if is_condition(value):
        assert isinstance(value, Call)
        return any(begins_with_a_name(argument.value) for argument in value.arguments)
    return isinstance(value, Literal)


@dataclass
class Printer:
    """Writes a query as text; ``random`` chooses among forms that mean the same."""

    random: Random
    text: str = ""
    first: bool = False

    def write(self, query: Query) -> Query:
        """Write ``query``; the same query with the positions at which its parts were written."""
        if query.target:
            self.put("## Target type: {" + ", ".join(query.target) + "}\n")
        steps = tuple(self.step(step) for step in query.steps)
        return replace(query, steps=steps)

    def put(self, text: str) -> int:
        """Where ``text`` begins that is written now."""
        begun = len(self.text)
        self.text += text
        return begun

    def one_of(self, *forms: str) -> int:
        return self.put(self.random.choice(forms))

    def gap(self) -> None:
        self.one_of("", "", " ", "\t", "\n  ", "\r\n", "\u00a0")

    def step(self, step: Step) -> Step:
        self.one_of("", f"Step{step.number}: Find what it's about\n", "Let's see (1).\n\n")
        self.put(self.random.choice(LABELS).format(step.number))
        quote = self.random.choice(["", '"', "'", "`", "```\n"])
        self.put(quote)
        value = self.outermost(step.value)
        self.put("\n```" if quote.startswith("```") else quote)
        self.one_of("\n", ".\n", ",\n\n", "\r\n", "\nNote: that's 'it'.\n")
        return Step(step.number, value)

    def outermost(self, value: Value) -> Value:
        """A whole step; in brackets where it begins with a name, whose quote could be the step's."""
        self.first = True
        if isinstance(value, BinaryOp) or is_condition(value):
            if begins_with_a_name(value) or self.random.random() < 0.3:
                return self.bracketed(value)
            return self.infix(value) if isinstance(value, BinaryOp) else self.condition(value)
        return self.value(value)

    def bracketed(self, value: Value) -> Value:
        """An expression or condition in brackets, as it may stand anywhere."""
        self.put("(")
        written = self.infix(value) if isinstance(value, BinaryOp) else self.condition(value)
        self.put(")")
        return written

    def infix(self, infix: BinaryOp) -> BinaryOp:
        left = infix.left
        loose = isinstance(left, BinaryOp) and BINDS[left.operator] >= BINDS[infix.operator]
        if isinstance(left, BinaryOp) and loose and self.random.random() < 0.5:
            left = self.infix(left)
        else:
            left = self.value(left)
        self.put(" ")
        self.one_of(*FORMS[infix.operator])
        self.put(" ")
        right = self.value(infix.right)
        return BinaryOp(infix.operator, left, right, left.position)

    def condition(self, value: Value) -> Call:
        """``if`` in one of its forms; what stands between its parts, and their order."""
        assert isinstance(value, Call)
        condition, *cases = (argument.value for argument in value.arguments)
        form = self.random.choice(CONDITIONS)
        begun = len(self.text)
        self.put(form[0])
        if form is SUFFIXED:
            then = self.value(cases[0])
            self.put(form[1])
            parts = [self.either(condition), then]
            begun = then.position
        else:
            parts = [self.either(condition)]
            begun = begun if form[0] else parts[0].position
            self.put(form[1])
            parts.append(self.value(cases[0]))
        self.put(form[2])
        parts.append(self.value(cases[1]))
        self.put(form[3])
        return Call("if", tuple(Argument(None, "=", v, v.position) for v in parts), begun)

    def either(self, value: Value) -> Value:
        return self.infix(value) if isinstance(value, BinaryOp) else self.value(value)

    def call(self, call: Call) -> Call:
        position = self.put(call.function)
        self.put("(")
        arguments = self.separated(call.arguments, self.argument)
        self.put(")")
        return Call(call.function, arguments, position)

    def separated(self, parts: Sequence[T], write: Callable[[T], T]) -> tuple[T, ...]:
        written: list[T] = []
        for part in parts:
            if written:
                self.one_of(",", ", ", ",\n", "，")
            self.gap()
            written.append(write(part))
            self.gap()
        if written:
            self.one_of("", "", ",", ", ")
        return tuple(written)

    def argument(self, argument: Argument) -> Argument:
        if argument.name is None:
            value = self.value(argument.value)
            return Argument(None, "=", value, value.position)
        position = self.put(argument.name)
        self.gap()
        self.one_of(*(form for form, sign in OPERATORS.items() if sign == argument.operator))
        self.gap()
        return Argument(argument.name, argument.operator, self.value(argument.value), position)

    def value(self, value: Value) -> Value:
        first, self.first = self.first, False
        if isinstance(value, BinaryOp) or is_condition(value):
            return self.bracketed(value)
        if isinstance(value, Call):
            return self.call(value)
        if isinstance(value, Reference):
            form = "{}" if first else self.random.choice(["{}", "'{}'", '"{}"', "‘{}’"])
            return Reference(value.step, self.put(form.format(f"output_of_query{value.step}")))
        if isinstance(value, ListValue):
            opening, closing = self.random.choice(["[]", "{}"])
            position = self.put(opening)
            members = self.separated(value.members, self.value)
            self.put(closing)
            return ListValue(members, position)
        return self.literal(value)

    def literal(self, literal: Literal) -> Literal:
        number = re.fullmatch(r"\d+", literal.text, re.ASCII)
        # Behind a number and a comma, three digits would be its thousands.
        if number and len(literal.text) != 3 and self.random.random() < 0.5:
            return Literal(literal.text, self.put(literal.text))
        opening = self.random.choice(list(QUOTES))
        written = _SPECIAL.sub(r"\\\g<0>", literal.text)
        return Literal(literal.text, self.put(opening + written + QUOTES[opening][0]))


def names() -> st.SearchStrategy[str]:
    """Names of any signs, some of them full of what makes names hard to read."""
    hard = st.lists(
        st.sampled_from(
            ["'", '"', "’", "\\", ",", ", ", ")", "(", "]", "[", "=", " ", "relation='x'"]
        )
        | st.sampled_from(
            ["I Can't", "and a=", "get_information(", "')", "',", "1,000", "a", "é", "映"]
        ),
        max_size=6,
    ).map("".join)
    anything = st.text(
        st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=12
    )
    return (hard | anything | st.from_regex(r"[0-9]{1,4}", fullmatch=True)).filter(
        lambda name: not _NOT_A_NAME.match(name)
    )


def identifiers() -> st.SearchStrategy[str]:
    return st.sampled_from(["get_information", "count", "relation", "tail_entity", "set1"]) | (
        st.from_regex(r"[a-zé_][a-z0-9_]{0,7}", fullmatch=True).filter(
            lambda name: not name.startswith("output_of") and name not in RESERVED
        )
    )


def queries() -> st.SearchStrategy[Query]:
    """Queries that can be written, all positions 0."""
    plain = st.builds(Literal, names(), st.just(0)) | st.builds(
        Reference, st.integers(0, 999_999_999), st.just(0)
    )
    values: st.SearchStrategy[Value] = st.recursive(
        plain,
        lambda inner: _listings(inner) | _calls(inner) | _infix(inner) | _ifs(inner),
        max_leaves=6,
    )
    columns = st.from_regex(r"[A-Za-z][a-z #']{0,8}[a-z]", fullmatch=True)
    return st.builds(
        Query,
        st.lists(st.builds(Step, st.integers(0, 99), _steps(values)), min_size=1, max_size=4).map(
            tuple
        ),
        st.lists(columns, max_size=3).map(tuple),
    )


def _steps(values: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    """What a whole step may be: a literal asks for nothing."""
    results: st.SearchStrategy[Value] = st.builds(Reference, st.integers(0, 99), st.just(0))
    asking = results | _calls(values)
    return asking | _infix(values, asking) | _ifs(values, asking)


def _infix(
    inner: st.SearchStrategy[Value], right: st.SearchStrategy[Value] | None = None
) -> st.SearchStrategy[Value]:
    return st.builds(
        BinaryOp,
        st.sampled_from(sorted(BINDS)),
        inner,
        inner if right is None else right,
        st.just(0),
    )


def _ifs(
    inner: st.SearchStrategy[Value], last: st.SearchStrategy[Value] | None = None
) -> st.SearchStrategy[Value]:
    def call(values: tuple[Value, ...]) -> Value:
        return Call("if", tuple(Argument(None, "=", value, 0) for value in values), 0)

    return st.tuples(inner, inner, inner if last is None else last).map(call)


def _listings(inner: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    return st.builds(ListValue, st.lists(inner, max_size=3).map(tuple), st.just(0))


def _calls(inner: st.SearchStrategy[Value]) -> st.SearchStrategy[Call]:
    operators = st.sampled_from(sorted(set(OPERATORS.values())))
    named = st.builds(Argument, identifiers(), operators, inner, st.just(0))
    placed = st.builds(Argument, st.none(), st.just("="), inner, st.just(0))
    arguments = st.lists(named | placed, max_size=4).map(tuple)
    return st.builds(Call, identifiers(), arguments, st.just(0))
