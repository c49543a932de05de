"""Text written by a language model → a ``Query``, or problems with their positions.

First the steps are found in the text, whatever stands around them. Then the grammar reads the call of each
step, with the tokens of the lexer. One grammar for the whole text would need rules for the prose as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

from . import lexer
from .ast import (
    Argument,
    Call,
    ListValue,
    Literal,
    Problem,
    ProblemKind,
    Query,
    Reference,
    Step,
    Value,
    walk,
)
from .function_names import find_function
from .lexer import CALLED, QUOTE_SIGNS, QUOTES, REFERENCE, WORD, Scanner, Token, Unreadable
from .tolerance import make_comparison, replace_tolerance

_COMPUTED = re.compile(rf"({WORD})_of_query[ _]?(\d{{1,9}})", re.IGNORECASE)
"""``count_of_query1``: the name of a function in place of ``output``."""


@dataclass(frozen=True, slots=True)
class Group:
    """Brackets around an expression, a list, or the cases of a condition: the next tokens decide."""

    arguments: tuple[Argument, ...]
    position: int


@dataclass(frozen=True, slots=True)
class NoneValue:
    """``None`` without quotes: the parameter counts as left out."""

    text: str
    position: int


ParsedPart: TypeAlias = "Value | Group | NoneValue"

_OTHER_LANGUAGES = {
    "SPARQL": re.compile(r"\s*(?:prefix\s[^{]*)?(?:select|ask|construct)\b[^{]*\{", re.I),
    "SQL": re.compile(r"\s*(?:select\s.+\sfrom|with\s+\w+\s+as\s*\()\s?", re.I | re.S),
    "Cypher": re.compile(
        r"\s*(?:(?:optional\s+)?match\s*\(|call\s+\w|unwind\s|with\s.+\sreturn\s|(?:create|merge)\s*\()",
        re.I | re.S,
    ),
}

_END = "END"
_JOINTS = (("OR",), ("AND",), ("OPERATOR", "IN"), ("SUM",), ("PRODUCT",))
"""Tokens that join two values, the weakest first."""


class StepReader:
    """Reads one step by recursive descent: a method reads a rule of the grammar.

    Tokens come from the scanner, which decides where a name in quotes ends and which sign or word separates
    the cases of a condition; the grammar says only how tokens may follow each other::

        value      either | IF either [THEN value [ELSE value]]
                          | either THEN value ELSE value | either IF either ELSE value
        either     atoms joined by _JOINTS, from the left
        atom       FUNCTION "(" [arguments] ")" | "(" arguments ")" | "[" [values] [","] "]"
                          | REFERENCE | EXPRESSION | STRING | NUMBER | NAME
        arguments  argument ("," argument | NAME OPERATOR value)* [","]
        argument   NAME OPERATOR value | OPERATOR value | value
        values     value ("," value)* [","]

    A parameter with its name may stand without a comma before it.
    """

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self._tokens = scanner.tokens()
        self._token = self._next()
        self._refused: set[str] = set()  # types of tokens that could stand here

    def read_step(self) -> Value:
        value = self._value()
        self._expect(_END)
        return _part_value(value)

    def read_values(self) -> Value:
        """One value or several, within quotes."""
        values = self._values(_END)
        return values[0] if len(values) == 1 else ListValue(values, values[0].position)

    def _next(self) -> Token:
        return next(self._tokens, None) or Token(_END, "", self._scanner.at)

    def _accept(self, *types: str) -> Token | None:
        token = self._token
        if token.type not in types:
            self._refused.update(types)
            return None
        self._token = self._next()
        self._refused.clear()
        return token

    def _expect(self, *types: str) -> Token:
        if token := self._accept(*types):
            return token
        raise Unreadable(self._describe_expected(), self._token.position)

    def _describe_expected(self) -> str:
        """Describe the tokens that could stand here; operators of expressions are left out."""
        types, level = self._refused, self._scanner.levels.innermost
        expected = [sign for name, sign in _SIGNS.items() if name in types]
        cases = level.expected_cases
        if cases and cases[-1] in types:
            expected.insert(0, cases[-1].lower())
        is_after_name = self._scanner.before == "NAME" and self._scanner.last != "_RPAR"
        if "STRING" in types:
            expected.insert(0, "a parameter" if "_RPAR" in types else "a value")
        elif "OPERATOR" in types and level.call and is_after_name:
            expected.insert(0, "an operator such as =")
        *first, last = expected or ["the end"]
        return "expected " + " or ".join(filter(None, (", ".join(first), last)))

    def _value(self, first: ParsedPart | None = None) -> ParsedPart:
        if first is None and (begin := self._accept("IF")):
            condition = self._either()
            if not self._accept("THEN"):
                return _find_cases(condition, begin.position)
            then = self._value()
            otherwise = [self._value()] if self._accept("ELSE") else []
            return _if(begin.position, condition, then, *otherwise)
        first = self._either(first=first)
        position = _part_value(first).position
        if self._accept("THEN"):  # a ? b : c
            then = self._value()
            self._expect("ELSE")
            return _if(position, first, then, self._value())
        if self._accept("IF"):  # b if a else c
            condition = self._either()
            self._expect("ELSE")
            return _if(position, condition, first, self._value())
        return first

    def _either(self, weakest: int = 0, first: ParsedPart | None = None) -> ParsedPart:
        left = self._atom() if first is None else first
        for level in reversed(range(weakest, len(_JOINTS))):
            while sign := self._accept(*_JOINTS[level]):
                right = _part_value(self._either(level + 1))
                left = make_comparison(_part_value(left), sign.text, right)
        return left

    def _atom(self) -> ParsedPart:
        if name := self._accept("FUNCTION"):
            self._expect("_LPAR")
            arguments = () if self._accept("_RPAR") else self._arguments()
            bounds = chain.from_iterable(map(replace_tolerance, arguments))
            return Call(name.text, tuple(bounds), name.position)
        if opening := self._accept("LPAR"):
            if arguments := self._arguments():
                return Group(arguments, opening.position)
            raise Unreadable("expected a value", opening.position)
        if opening := self._accept("LSQB"):
            is_empty = self._accept("_RSQB") or (self._accept("_COMMA") and self._expect("_RSQB"))
            return ListValue(() if is_empty else self._values("_RSQB"), opening.position)
        if token := self._accept("REFERENCE"):
            return Reference(int(token.text), token.position)
        token = self._expect("STRING", "NUMBER", "NAME", "EXPRESSION")
        return token.value or _literal(token)

    def _values(self, closing: str) -> tuple[Value, ...]:
        values = [_part_value(self._value())]
        while not self._accept(closing):
            self._expect("_COMMA")
            if self._accept(closing):
                break
            values.append(_part_value(self._value()))
        return tuple(values)

    def _arguments(self) -> tuple[Argument, ...]:
        """All arguments but those that count as left out."""
        arguments = [self._argument()]
        while not self._accept("_RPAR"):
            if name := self._accept("NAME"):
                arguments.append(self._named(name, self._expect("OPERATOR")))
                continue
            self._expect("_COMMA")
            if self._accept("_RPAR"):
                break
            arguments.append(self._argument())
        return tuple(argument for argument in arguments if argument is not None)

    def _argument(self) -> Argument | None:
        if operator := self._accept("OPERATOR"):  # > 5
            value = _part_value(self._value())
            return Argument(None, operator.text, value, operator.position)
        name = self._accept("NAME")
        if name and (operator := self._accept("OPERATOR")):
            return self._named(name, operator)
        value = _part_value(self._value(name and _literal(name)))
        return Argument(None, "=", value, value.position)

    def _named(self, name: Token, operator: Token) -> Argument | None:
        """``relation='Nation'``."""
        value = self._value()
        if isinstance(value, NoneValue) and operator.text == "=":
            return None
        return Argument(name.text, operator.text, _part_value(value), name.position)


def _literal(token: Token) -> Value | NoneValue:
    if token.type == "NAME":
        if token.text.casefold() in ("none", "null"):
            return NoneValue(token.text, token.position)
        computed = _COMPUTED.fullmatch(token.text)
        if computed and find_function(computed[1]):
            reference = Reference(int(computed[2]), token.position)
            argument = Argument(None, "=", reference, token.position)
            return Call(computed[1], (argument,), token.position)
    return Literal(token.text, token.position)


def _find_cases(group: ParsedPart, position: int) -> Call:
    """``if(a, b, c)``, or the whole condition within the brackets."""
    if isinstance(group, Group):
        first, *rest = group.arguments
        if rest:
            return Call("if", group.arguments, position)
        only = first.value
        if isinstance(only, Call) and only.function == "if":
            return Call("if", only.arguments, position)
    raise Unreadable("the condition that begins here has no cases: expected then", position)


def _if(position: int, *operands: ParsedPart) -> Call:
    values = map(_part_value, operands)
    arguments = tuple(Argument(None, "=", value, value.position) for value in values)
    return Call("if", arguments, position)


def _part_value(part: ParsedPart) -> Value:
    if isinstance(part, NoneValue):
        return Literal(part.text, part.position)
    if not isinstance(part, Group):
        return part
    first = part.arguments[0]
    if len(part.arguments) == 1:
        if first.name is not None:
            name = Literal(first.name, first.position)
            return make_comparison(name, first.operator, first.value)
        if first.operator == "=":
            return first.value
    for argument in part.arguments:
        if argument.name is not None or argument.operator != "=":
            message = "a parameter cannot stand here: no function stands before the bracket"
            raise Unreadable(message, argument.position)
    return ListValue(tuple(argument.value for argument in part.arguments), part.position)


# Finding the steps in the text.
#
# ``QueryN:`` at the beginning of a line is a step; elsewhere only if a call follows, since prose mentions
# queries. ``StepN:`` is a step if a call follows and no ``QueryN:`` has that number. The thinking of a
# model is not part of its answer: it contains drafts of steps.

_BEFORE = r"(?<![^\W_])(?<!_of_)"
_BEHIND = r"[ \t*_`\"')#]*[:：=](?!=)(?:_{1,3}(?![\w(]))?[ \t*]*"
_QUERY = re.compile(rf"{_BEFORE}query[ \t*_#]*(\d{{1,9}}){_BEHIND}", re.IGNORECASE)
_STEP = re.compile(
    rf"{_BEFORE}step[ \t*_#]*(\d{{1,9}}){_BEHIND}(?=[{QUOTE_SIGNS}\s*]{{0,8}}{CALLED})",
    re.IGNORECASE,
)
# As the paper prints steps: output_of_query_1 = search_condition(…).
_ASSIGNED = re.compile(
    r"^[ \t>*_#`\"'.-]*output_of_query[ _]?(\d{1,9})[ \t]*(?::=|[:=](?!=))[ \t]*"
    rf"(?=[{QUOTE_SIGNS}\s*]{{0,8}}{CALLED})",
    re.IGNORECASE | re.MULTILINE,
)
_CALL_FOLLOWS = re.compile(rf"[{QUOTE_SIGNS}\s*_\\]{{0,8}}{WORD}\s*[(（]")
_UNLABELLED = re.compile(
    rf"^[{QUOTE_SIGNS} \t>*.\d-]*(?={CALLED}|if\b[^\n]*?\b{CALLED}[^\n]*\bthen\b)"
    rf"|\A\s*(?={WORD}\s*\()",
    re.IGNORECASE | re.MULTILINE,
)
_OPENING = re.compile(rf"\s*(?:```[^\n`]*\n)?[{QUOTE_SIGNS}\s*\\]*")
_BEGINS = re.compile(
    rf"[^\W\d][.\w]*+\s*[(（]|if(?:\b|_)|{REFERENCE}|[\[({{（\d]|\W|\Z", re.IGNORECASE
)
_OVER = re.compile(r"^[ \t>*_-]*(?:step[ \t]*\d+[ \t]*\W|#|```)", re.IGNORECASE | re.MULTILINE)
_THINKING = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE)
_TARGET = re.compile(
    r"^[^\w\n]*target[ \t]+type[^\w\n]*[:：]([^\n]*)", re.IGNORECASE | re.MULTILINE
)
_MARKUP = " \t\r>*_#`\"'-{(.)0123456789"
_QUOTED = re.compile(r"^(['\"])([^'\"]*)\1$")
_COLUMN = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class StepRegion:
    """The number of a step, and the part of the text from ``start`` to ``end`` that may hold its call.

    ``quoted``: there are quotes before the call. ``limit`` is where the next step begins.
    """

    number: int
    start: int
    end: int
    limit: int
    quoted: bool


def find_regions(text: str) -> tuple[StepRegion, ...]:
    queries = [m for m in _QUERY.finditer(text) if _is_step_label(text, m)]
    for pattern in (_ASSIGNED, _STEP):
        numbers = {int(m[1]) for m in queries}
        queries += [m for m in pattern.finditer(text) if int(m[1]) not in numbers]
    labels = sorted((m.start(), m.end(), int(m[1])) for m in queries)
    if not labels and (call := _UNLABELLED.search(text)):
        labels = [(call.start(), call.end(), 1)]
    limits = [start for start, _, _ in labels[1:]] + [len(text)] * bool(labels)
    return tuple(
        _region(text, number, begin, limit)
        for (_, begin, number), limit in zip(labels, limits, strict=True)
    )


def has_steps(text: str) -> bool:
    """True if ``text`` has at least one step, readable or not."""
    return bool(find_regions(blank_thinking(text)))


def _is_step_label(text: str, label: re.Match[str]) -> bool:
    """True if ``label`` begins a step; false if prose mentions a query."""
    before = text[max(0, label.start() - 16) : label.start()]
    line = before.rpartition("\n")[2]
    is_line_start = len(line) < len(before) or len(before) == label.start()
    return (is_line_start and not line.strip(_MARKUP)) or bool(
        _CALL_FOLLOWS.match(text, label.end())
    )


def _region(text: str, number: int, begin: int, limit: int) -> StepRegion:
    opening = _OPENING.match(text, begin, limit)
    assert opening is not None  # it may be empty
    start = opening.end()
    # Unless a call or an expression follows, the last quote is the beginning of a name.
    if text[start - 1 : start] in QUOTES and not _BEGINS.match(text, start, limit):
        start -= 1 + (text[start - 2 : start - 1] == "\\")
    over = _OVER.search(text, start, limit)
    end = over.start() if over else limit
    marks = ">*_#-" if over or limit < len(text) else ""  # they belong to the next label
    while end > start and (text[end - 1].isspace() or text[end - 1] in marks):
        end -= 1
    return StepRegion(number, start, end, limit, any(c in QUOTES for c in text[begin:start]))


def blank_thinking(text: str) -> str:
    """``text`` with spaces in place of the thinking, so that positions stay the same.

    If the first tag is a closing one, the opening one was in the prompt. Thinking without a closing tag goes
    to the end of the text.
    """
    parts: list[str] = []
    at = 0
    for begin, end in _find_thinking(text):
        parts += [text[at:begin], " " * (end - begin)]
        at = end
    return "".join([*parts, text[at:]])


def find_unclosed_thinking(text: str) -> int | None:
    """Find the beginning of thinking that has no end."""
    tags = list(_THINKING.finditer(text))
    return tags[-1].start() if tags and not tags[-1][1] else None


def _find_thinking(text: str) -> Iterator[tuple[int, int]]:
    tags = list(_THINKING.finditer(text))
    begin = 0 if tags and tags[0][1] else None
    for tag in tags:
        if tag[1] and begin is not None:
            yield begin, tag.end()
            begin = None
        elif not tag[1] and begin is None:
            begin = tag.start()
    if begin is not None:
        yield begin, len(text)


def read_target(text: str) -> tuple[str, ...]:
    """The columns in ``## Target type: {a, b}``; none without such a line."""
    line = _TARGET.search(text)
    if line is None:
        return ()
    names = ",".join(_COLUMN.findall(line[1])) or line[1]
    columns = (_QUOTED.sub(r"\2", name.strip(" \t\r*_`{}")) for name in names.split(","))
    return tuple(name for name in columns if name)


MAX_LENGTH = 20_000
"""Characters of a query or of a reply; queries have some hundred."""

_SIGNS = {"_COMMA": "a comma", "_LPAR": "(", "_RPAR": ")", "_RSQB": "]"}
_NO_CALL = "no function and no result such as output_of_query1 stands in this step"


def parse_query(text: str) -> Query | tuple[Problem, ...]:
    if len(text) > MAX_LENGTH:
        message = f"the text has {len(text):,} characters, and at most {MAX_LENGTH:,} are read"
        return (Problem(ProblemKind.UNREADABLE, message, position=MAX_LENGTH),)
    return parse_steps(text)


def parse_steps(text: str) -> Query | tuple[Problem, ...]:
    # Of a text of any length.
    answer = blank_thinking(text)
    steps: list[Step] = []
    problems: list[Problem] = []
    for region in find_regions(answer):
        try:
            steps.append(Step(region.number, _read_region(answer, region)))
        except Unreadable as error:
            problems.append(
                Problem(ProblemKind.UNREADABLE, error.message, region.number, error.position)
            )
    if problems or not steps:
        other = next((name for name, form in _OTHER_LANGUAGES.items() if form.match(answer)), None)
        if other is not None:
            message = f"this is {other}, and a query has steps such as get_information(…)"
            return (Problem(ProblemKind.UNREADABLE, message),)
        return tuple(problems) or (_no_step(text),)
    return Query(tuple(steps), read_target(answer))


def _no_step(text: str) -> Problem:
    position = find_unclosed_thinking(text)
    if position is not None:
        message = "no step found: the thinking that begins here does not end"
        return Problem(ProblemKind.UNREADABLE, message, position=position)
    message = 'no step found: a query has lines like Query1: "get_information(…)"'
    if not text.strip():
        message = "no step found: the text is empty"
    return Problem(ProblemKind.UNREADABLE, message)


def _read_region(text: str, region: StepRegion) -> Value:
    if region.start == region.end:
        raise Unreadable("nothing stands behind this step", region.start)

    def read_quoted(start: int, end: int) -> tuple[Value, int]:
        inner = Scanner(text, start, end)
        try:
            return StepReader(inner).read_values(), inner.levels.innermost.depth() + 1
        except Unreadable as error:
            message = f"what holds a result is an expression and not a name: {error.message}"
            raise Unreadable(message, error.position) from error

    scanner = Scanner(text, region.start, region.end, region.quoted, read_quoted)
    values = [StepReader(scanner).read_step()]
    while (at := lexer.find_call_after_comma(text, scanner.at, region.end)) is not None:
        scanner = Scanner(text, at, region.end, region.quoted, read_quoted)
        values.append(StepReader(scanner).read_step())
    value = values[0] if len(values) == 1 else ListValue(tuple(values), values[0].position)
    _check_end(text, scanner, region)
    if not _has_call_or_reference(value):
        raise Unreadable(_NO_CALL, region.start)
    return value


def _check_end(text: str, scanner: Scanner, region: StepRegion) -> None:
    at = scanner.at
    if not lexer.is_call_end(text, at, region.end, region.quoted):
        raise Unreadable("expected the end", at)
    position = lexer.find_stray_call(text, at, region.limit)
    if position is not None:
        raise Unreadable("a further call needs a step of its own, such as Query2:", position)


def _has_call_or_reference(value: Value) -> bool:
    """True if ``value`` reads anything from the data or from another step."""
    return any(
        isinstance(node, Reference) or (isinstance(node, Call) and node.function != "if")
        for node in walk(value)
    )
