"""Text written by a language model → a ``Query``, or problems with their positions.

First the steps are found in the text, whatever stands around them. Then the grammar reads the call of each
step, with the tokens of the lexer. One grammar for the whole text would need rules for the prose as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from itertools import chain
from typing import Any, TypeAlias

import lark
import lark.grammar
from lark.lexer import Lexer

from . import lexer
from .ast import (
    Argument,
    BinaryOp,
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
from .lexer import CALLED, QUOTE_SIGNS, QUOTES, REFERENCE, WORD, Scanner, Unreadable
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


ParsedPart: TypeAlias = "Value | Group | NoneValue | lark.Token"


class QueryBuilder(lark.Transformer[lark.Token, Any]):
    """Builds the value of a rule as soon as the rule is complete, so that no tree is built before."""

    def start(self, children: list[ParsedPart]) -> Value:
        return _part_value(children[0])

    def several(self, children: list[ParsedPart]) -> Value:
        """One value or several, within quotes."""
        values = tuple(map(_part_value, children))
        return values[0] if len(values) == 1 else ListValue(values, values[0].position)

    def condition(self, children: list[Any]) -> Call:
        """``if a then b else c``."""
        begin, condition, _, *cases = children
        return _if(begin.start_pos, condition, *cases[::2])

    def choice(self, children: list[Any]) -> Call:
        """``a ? b : c``."""
        condition, _, then, _, otherwise = children
        return _if(_part_value(condition).position, condition, then, otherwise)

    def suffixed(self, children: list[Any]) -> Call:
        """``b if a else c``."""
        then, _, condition, _, otherwise = children
        return _if(_part_value(then).position, condition, then, otherwise)

    def cases(self, children: list[Any]) -> Value:
        """``if(a, b, c)``, or the whole condition within the brackets."""
        begin, group = children
        position = begin.start_pos or 0
        if isinstance(group, Group):
            first, *rest = group.arguments
            if rest:
                return Call("if", group.arguments, position)
            only = first.value
            if isinstance(only, Call) and only.function == "if":
                return Call("if", only.arguments, position)
        raise Unreadable("the condition that begins here has no cases: expected then", position)

    def infix(self, children: list[Any]) -> BinaryOp:
        """``a + b``, ``a > b``, ``a and b``, ``a in b``."""
        left, sign, right = children
        return make_comparison(_part_value(left), str(sign), _part_value(right))

    def call(self, children: list[Any]) -> Call:
        name = children[0]
        arguments = tuple(children[1]) if len(children) > 1 else ()
        bounds = chain.from_iterable(map(replace_tolerance, arguments))
        return Call(str(name), tuple(bounds), name.start_pos)

    def group(self, children: list[Any]) -> Group:
        opening, arguments = children
        if not arguments:
            raise Unreadable("expected a value", opening.start_pos)
        return Group(tuple(arguments), opening.start_pos)

    def arguments(self, children: list[Argument | None]) -> list[Argument]:
        """All arguments but those that count as left out."""
        return [argument for argument in children if argument is not None]

    def named(self, children: list[Any]) -> Argument | None:
        """``relation='Nation'``."""
        name, operator, value = children
        if isinstance(value, NoneValue) and operator == "=":
            return None
        return Argument(str(name), str(operator), _part_value(value), name.start_pos)

    def positional(self, children: list[ParsedPart]) -> Argument:
        value = _part_value(children[0])
        return Argument(None, "=", value, value.position)

    def compared(self, children: list[Any]) -> Argument:
        """``> 5``: an operator and a value without a name."""
        operator, value = children
        return Argument(None, str(operator), _part_value(value), operator.start_pos)

    def reference(self, children: list[lark.Token]) -> Reference:
        """``output_of_query1``."""
        return Reference(int(children[0]), children[0].start_pos or 0)

    def literal(self, children: list[lark.Token]) -> Value | NoneValue:
        token = children[0]
        position = token.start_pos or 0
        if token.type == "NAME":
            if token.casefold() in ("none", "null"):
                return NoneValue(str(token), position)
            computed = _COMPUTED.fullmatch(token)
            if computed and find_function(computed[1]):
                reference = Reference(int(computed[2]), position)
                return Call(computed[1], (Argument(None, "=", reference, position),), position)
        return Literal(str(token), position)

    def listing(self, children: list[Any]) -> ListValue:
        return ListValue(tuple(map(_part_value, children[1:])), children[0].start_pos)


def _if(position: int | None, *operands: ParsedPart) -> Call:
    values = map(_part_value, operands)
    arguments = tuple(Argument(None, "=", value, value.position) for value in values)
    return Call("if", arguments, position or 0)


def _part_value(part: ParsedPart) -> Value:
    if isinstance(part, lark.Token):  # an expression read within quotes
        value: Value = part.value
        return value
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
    if problems:
        return tuple(problems)
    if not steps:
        return (_no_step(text),)
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


class _Tokens(Lexer):
    __future_interface__ = True

    def __init__(self, lexer_conf: Any) -> None: ...

    def lex(self, lexer_state: Any, parser_state: Any) -> Iterator[lark.Token]:  # noqa: ARG002 # lark's
        for token in lexer_state.text.tokens():
            lark_token = lark.Token(token.type, token.text, start_pos=token.position)
            if token.value is not None:
                lark_token.value = token.value
            yield lark_token


def compute_tables() -> dict[str, Any]:
    """The tables of the grammar as plain values, as ``grammar_tables.py`` holds them."""
    data, memo = _compute_parser().memo_serialize([lark.lexer.TerminalDef, lark.grammar.Rule])
    _set_lexer(data, None)  # a class is not a plain value
    return {"origin": describe_origin(), "data": data, "memo": memo}


def describe_origin() -> dict[str, str]:
    """What the tables depend on: the grammar, and the version of lark that reads them."""
    digest = sha256(_read_grammar().encode()).hexdigest()
    return {"lark": lark.__version__, "grammar": digest}


def _read_grammar() -> str:
    return files("trustuqa_neo4j.language").joinpath("grammar.lark").read_text(encoding="utf-8")


def _compute_parser(**options: Any) -> lark.Lark:
    return lark.Lark(
        _read_grammar(),
        parser="lalr",
        lexer=_Tokens,
        start=["start", "several"],
        maybe_placeholders=False,
        **options,
    )


def _set_lexer(data: dict[str, Any], lexer_class: type[Lexer] | None) -> None:
    data["options"]["lexer"] = lexer_class
    data["parser"]["lexer_conf"]["lexer_type"] = lexer_class


@cache
def _parser() -> lark.Lark:
    # To compute the tables takes 50 ms, to read the module that has them 20 ms.
    from .grammar_tables import TABLES

    if TABLES["origin"]["lark"] != lark.__version__:
        return _compute_parser(transformer=QueryBuilder())
    _set_lexer(TABLES["data"], _Tokens)
    parser: lark.Lark = lark.Lark.__new__(lark.Lark)._load(TABLES, transformer=QueryBuilder())
    return parser


def _read_region(text: str, region: StepRegion) -> Value:
    if region.start == region.end:
        raise Unreadable("nothing stands behind this step", region.start)

    def read_quoted(start: int, end: int) -> tuple[Value, int]:
        inner = Scanner(text, start, end)
        try:
            return _read(inner, "several"), inner.levels.innermost.depth() + 1
        except Unreadable as error:
            message = f"what holds a result is an expression and not a name: {error.message}"
            raise Unreadable(message, error.position) from error

    scanner = Scanner(text, region.start, region.end, region.quoted, read_quoted)
    values = [_read(scanner, "start")]
    while (at := lexer.find_call_after_comma(text, scanner.at, region.end)) is not None:
        scanner = Scanner(text, at, region.end, region.quoted, read_quoted)
        values.append(_read(scanner, "start"))
    value = values[0] if len(values) == 1 else ListValue(tuple(values), values[0].position)
    _check_end(text, scanner, region)
    if not _has_call_or_reference(value):
        raise Unreadable(_NO_CALL, region.start)
    return value


def _read(scanner: Scanner, start: str) -> Value:
    try:
        value: Any = _parser().parse(scanner, start=start)  # with Builder, no tree but a value
    except lark.UnexpectedToken as error:
        position = scanner.at if error.token.type == "$END" else error.token.start_pos
        message = _expected(error.accepts or error.expected, scanner)
        raise Unreadable(message, position or 0) from error
    assert isinstance(value, Value)
    return value


def _expected(types: set[str], scanner: Scanner) -> str:
    """Describe the allowed token ``types``; operators of expressions are left out."""
    expected = [sign for name, sign in _SIGNS.items() if name in types]
    cases = scanner.levels.innermost.expected_cases
    if cases and cases[-1] in types:
        expected.insert(0, cases[-1].lower())
    if "STRING" in types:
        expected.insert(0, "a parameter" if "_RPAR" in types else "a value")
    elif "OPERATOR" in types and scanner.levels.innermost.call and scanner.before == "NAME":
        expected.insert(0, "an operator such as =")
    *first, last = expected or ["the end"]
    return "expected " + " or ".join(filter(None, (", ".join(first), last)))


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
