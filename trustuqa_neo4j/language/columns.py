"""Columns of a table: expressions over them, aggregates of groups of rows, and the paths that fill them.

``paid - reserve * 2``, ``days_between(opened, closed)``; ``sum(paid + reserve) / count() as mean``; and
``against > hasPolicy > policyNumber as policy``. A small parser of its own reads them into plain data;
nothing is ever evaluated as Python.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias

from .ast import Problem, ProblemKind
from .functions import FUNCTIONS
from .lexer import ARITHMETIC, COMMAS, PRODUCT, QUOTE, QUOTES, SUM, WORD
from .signatures import Trait


@dataclass(frozen=True, slots=True)
class ColumnReference:
    """The value in a column; without such a column, the number or date that the name is."""

    name: str


@dataclass(frozen=True, slots=True)
class NumberLiteral:
    value: int | float


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """``left operator right``, one of ``+ - * /``; ``-a`` is ``0 - a``."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class DaysBetween:
    start: Expression
    end: Expression


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """``function`` of one value, such as ``year`` or ``abs``, or ``round`` to ``digits`` decimals."""

    function: str
    of: Expression
    digits: int = 0


Expression: TypeAlias = ColumnReference | NumberLiteral | Arithmetic | DaysBetween | FunctionCall


@dataclass(frozen=True, slots=True)
class Aggregate:
    """``function`` of the values of ``column`` in a group, or of its rows if ``column`` is None.

    ``expression`` is computed in each row if no column has the name ``column``.
    """

    function: str
    column: str | None
    name: str
    expression: Expression | None = None

    def __str__(self) -> str:
        return f"{self.function}({self.column or ''}) as {self.name}"


@dataclass(frozen=True, slots=True)
class AggregateExpression:
    """An expression of aggregates, each of which is a column of its name in it; ``text`` is its source."""

    expression: Expression
    parts: tuple[Aggregate, ...]
    name: str
    text: str

    def __str__(self) -> str:
        return f"{self.text} as {self.name}"


GroupValue: TypeAlias = Aggregate | AggregateExpression


def find_columns(expression: Expression) -> Iterator[str]:
    if isinstance(expression, ColumnReference):
        yield expression.name
    elif isinstance(expression, DaysBetween):
        yield from find_columns(expression.start)
        yield from find_columns(expression.end)
    elif isinstance(expression, Arithmetic):
        yield from find_columns(expression.left)
        yield from find_columns(expression.right)
    elif isinstance(expression, FunctionCall):
        yield from find_columns(expression.of)


def find_aggregates(values: Iterable[GroupValue]) -> Iterator[Aggregate]:
    for value in values:
        yield from value.parts if isinstance(value, AggregateExpression) else (value,)


COUNT_DISTINCT = "count_distinct"

AGGREGATES = {
    name: function.name for function in FUNCTIONS if function.in_groups for name in function.names
} | dict.fromkeys((COUNT_DISTINCT, "count_unique", "distinct_count"), COUNT_DISTINCT)
"""Names of functions that ``group_by`` has; it counts all cells unless it counts distinct ones."""


MAX_EXPRESSION_DEPTH = 50  # Deeper expressions are refused, since later stages recurse.

_DIGITS = 15
_NUMBER_LENGTH = 300

_TOKEN = re.compile(
    rf"\s*(?:(?P<date>\d{{4}}-\d\d-\d\d(?![\w.-]))|(?P<number>\d+(?:\.\d+)?(?![\w.]))|(?P<quoted>{QUOTE})"
    rf"|(?P<open>\()|(?P<close>\))|(?P<comma>,)|(?P<sum>{SUM})|(?P<product>{PRODUCT})|(?P<word>{WORD}(?:\.\w+)*)|(?P<end>\Z)|(?P<other>.))",
    re.IGNORECASE | re.DOTALL,
)
_NAMES = ("word", "quoted")  # tokens that name a column
_DISTINCT = re.compile(r"distinct\b\s*", re.IGNORECASE)
_BRACKET = re.compile(rf"[()]|(?<!\w){QUOTE}")


_WRITTEN = {
    "days_between": "days_between(start, end)",
    "round": "round(number, decimals)",
    **{f.name: f.signature for f in FUNCTIONS if Trait.OF_EACH in f.traits},
}


class _Token(NamedTuple):
    kind: str
    text: str
    position: int


class _ParseError(Exception):
    # Raised and caught inside this module.
    def __init__(self, message: str, position: int) -> None:
        self.problem = Problem(ProblemKind.UNREADABLE, message, None, position)
        super().__init__(message)


def read_expression(text: str) -> Expression | Problem:
    """The expression in ``text``, or its problem with the position in ``text``."""
    try:
        return _ExpressionReader(text).read()
    except _ParseError as error:
        return error.problem


class _ExpressionReader:
    """Recursive descent; each method returns an expression and its depth."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.next = self._scan()

    def _scan(self) -> _Token:
        """The token at ``at``; moves ``at`` behind it."""
        match = _TOKEN.match(self.text, self.at)
        assert match is not None  # any character is a token
        kind = match.lastgroup or ""
        begin = match.start(kind)
        self.at = match.end()
        if kind != "quoted":
            return _Token(kind, match[kind], begin)
        end = re.compile(f"[{QUOTES[match[kind]]}]").search(self.text, self.at)
        if end is None:
            raise _ParseError("the name that begins here never ends", begin)
        name = self.text[self.at : end.start()]
        self.at = end.end()
        return _Token("quoted", name, begin)

    def take(self) -> _Token:
        token, self.next = self.next, self._scan()
        return token

    def expect(self, kind: str, sign: str) -> None:
        if self.next.kind != kind:
            raise _ParseError(f"expected {sign}", self.next.position)
        self.take()

    def read(self) -> Expression:
        expression, _ = self.sum(0)
        if self.next.kind in (*_NAMES, "number"):
            message = "expected + - * or /; a name of several words needs quotes"
            raise _ParseError(message, self.next.position)
        if self.next.kind != "end":
            raise _ParseError("expected + - * or /", self.next.position)
        return expression

    def sum(self, level: int) -> tuple[Expression, int]:
        return self.chain("sum", self.product, level)

    def product(self, level: int) -> tuple[Expression, int]:
        return self.chain("product", self.operand, level)

    def chain(
        self, kind: str, part: Callable[[int], tuple[Expression, int]], level: int
    ) -> tuple[Expression, int]:
        left, depth = part(level)
        while self.next.kind == kind:
            sign = self.take()
            right, right_depth = part(level)
            left, depth = self.join(sign, left, right, max(depth, right_depth))
        return left, depth

    def join(
        self, sign: _Token, left: Expression, right: Expression, depth: int
    ) -> tuple[Expression, int]:
        if depth >= MAX_EXPRESSION_DEPTH:
            raise _ParseError(
                f"an expression of more than {MAX_EXPRESSION_DEPTH} parts", sign.position
            )
        return Arithmetic(ARITHMETIC[sign.text.casefold()], left, right), depth + 1

    def operand(self, level: int) -> tuple[Expression, int]:
        if level > MAX_EXPRESSION_DEPTH:
            raise _ParseError(
                f"an expression of more than {MAX_EXPRESSION_DEPTH} parts", self.next.position
            )
        token = self.take()
        if token.kind == "sum":
            inner, depth = self.operand(level + 1)
            if ARITHMETIC[token.text.casefold()] == "+":
                return inner, depth
            return self.join(token, NumberLiteral(0), inner, depth)
        if token.kind == "open":
            result = self.sum(level + 1)
            self.expect("close", ")")
            return result
        if token.kind == "number":
            return self.number(token), 0
        if token.kind == "word" and self.next.kind == "open":
            return self.call(token, level)
        return self.leaf(token), 0

    def number(self, token: _Token) -> NumberLiteral:
        # Larger numbers are infinite, and Python refuses to read thousands of digits.
        if len(token.text) > _NUMBER_LENGTH:
            raise _ParseError(
                f"expected a number of at most {_NUMBER_LENGTH} digits", token.position
            )
        return NumberLiteral(float(token.text) if "." in token.text else int(token.text))

    def leaf(self, token: _Token) -> Expression:
        if token.kind in (*_NAMES, "date") and token.text.strip():
            return ColumnReference(token.text)
        raise _ParseError("expected a column, a number or (", token.position)

    def call(self, name: _Token, level: int) -> tuple[Expression, int]:
        function = name.text.casefold()
        if function not in _WRITTEN:
            message = f"undefined function {name.text}; there is {', '.join(_WRITTEN.values())}"
            raise _ParseError(message, name.position)
        self.take()
        first, depth = self.sum(level + 1)
        if function == "days_between":
            self.expect("comma", "a comma")
            end, end_depth = self.sum(level + 1)
            self.expect("close", ")")
            return DaysBetween(first, end), max(depth, end_depth) + 1
        digits = self.digits() if function == "round" and self.next.kind == "comma" else 0
        self.expect("close", ")")
        return FunctionCall(function, first, digits), depth + 1

    def digits(self) -> int:
        self.take()
        token = self.take()
        digits = self.number(token).value if token.kind == "number" else None
        if not isinstance(digits, int) or digits > _DIGITS:
            raise _ParseError(f"expected a whole number from 0 to {_DIGITS}", token.position)
        return digits


def read_aggregate(text: str) -> GroupValue | Problem:
    """The value that ``sum(paid) as total`` computes, or its problem with the position in ``text``."""
    try:
        return _GroupValueReader(text).read_group_value()
    except _ParseError as error:
        return error.problem


def read_aggregates(text: str) -> tuple[GroupValue, ...] | Problem:
    """The values between the commas of ``text``; one value if a part between commas is none."""
    whole = read_aggregate(text)
    values: list[GroupValue] = []
    begin = 0
    for _, end in _split_at_commas(text):
        part = text[begin:end]
        if part.count("(") > part.count(")"):
            continue  # a comma in brackets, as of round(a, 2)
        value = read_aggregate(part)
        if isinstance(value, Problem):
            return whole if isinstance(whole, Problem) else (whole,)
        values.append(value)
        begin = end + 1
    return tuple(values) or (whole if isinstance(whole, Problem) else (whole,))


class _GroupValueReader(_ExpressionReader):
    """Reads expressions of aggregates; the brackets of an aggregate hold an expression over one row."""

    def __init__(self, text: str) -> None:
        self.parts: dict[str, Aggregate] = {}
        super().__init__(text)

    def read_group_value(self) -> GroupValue:
        if self.next.kind == "end":
            raise self.expected(0)
        expression, _ = self.sum(0)
        end = self.next.position
        text, name = self.text[:end].strip(), ""
        if self.next.kind == "word" and self.next.text.casefold() == "as":
            name = _remove_quotes(self.text[end + len("as") :].strip())
        if self.next.kind != "end" and not name:
            raise _ParseError("expected as and a name, or the end", end)
        if not self.parts:
            raise self.expected(0)
        if isinstance(expression, ColumnReference):
            only = self.parts[expression.name]
            return replace(only, name=name) if name else only
        return AggregateExpression(expression, tuple(self.parts.values()), name or text, text)

    def expected(self, position: int) -> _ParseError:
        names = ", ".join(dict.fromkeys(AGGREGATES.values()))
        return _ParseError(f"expected one of {names}, such as sum(column) as name", position)

    def leaf(self, token: _Token) -> Expression:
        raise self.expected(token.position)

    def call(self, name: _Token, level: int) -> tuple[Expression, int]:
        function = AGGREGATES.get(name.text.casefold())
        if function is None and name.text.casefold() in _WRITTEN:
            return super().call(name, level)
        if function is None:
            raise self.expected(name.position)
        begin, close = self.at, _find_closing_bracket(self.text, self.at)
        if close < 0:
            message = f"expected ): {function} is written {function}(column) as name"
            raise _ParseError(message, len(self.text))
        self.at = close + 1
        self.next = self._scan()
        aggregate = _make_aggregate(function, self.text[begin:close].strip(), begin)
        self.parts[aggregate.name] = aggregate
        return ColumnReference(aggregate.name), 0


def _make_aggregate(function: str, inner: str, position: int) -> Aggregate:
    """``function`` of the text ``inner`` of its brackets: a column, nothing, or an expression."""
    if function == "count" and (distinct := _DISTINCT.match(inner)):
        function, inner = "count_distinct", inner[distinct.end() :]
    column = None if inner in ("", "*") else _remove_quotes(inner)
    if column is None and function != "count":
        raise _ParseError(f"expected a column: {function} of what?", position)
    name = f"{function}({column or ''})"
    expression = read_expression(inner)
    if column is None or isinstance(expression, Problem | ColumnReference):
        # Other text may be the name of a column: loss amount (gross).
        return Aggregate(function, column, name)
    return Aggregate(function, column, name, expression)


def _find_closing_bracket(text: str, at: int) -> int:
    depth, unclosed = 1, set[str]()
    while match := _BRACKET.search(text, at):
        sign, at = match[0], match.end()
        if sign == "(":
            depth += 1
        elif sign == ")":
            depth -= 1
            if not depth:
                return match.start()
        else:
            at = _skip_quotes(text, at, sign, unclosed)
    return text.rfind(")", at)


def _skip_quotes(text: str, at: int, sign: str, unclosed: set[str]) -> int:
    """The end of what ``sign`` opens before ``at``; a sign that nothing closes is noted in ``unclosed``."""
    end = None if sign in unclosed else re.compile(f"[{QUOTES[sign]}]").search(text, at)
    unclosed |= set() if end else {sign}
    return end.end() if end else at


def _remove_quotes(name: str) -> str:
    whole = len(name) > 1 and name[0] in QUOTES and name[-1] in QUOTES[name[0]]
    return name[1:-1] if whole else name


# Paths: ``against > hasPolicy > policyNumber as policy``.
#
# Each step is a relation. ``^relation`` follows it backwards, ``relation#2`` follows it a second time,
# independent of the first, and ``relation?`` is optional. The name of a relation may be in quotes.

MAX_PATH_STEPS = 50

_BEGIN = re.compile(r"\s*(\^?)\s*")
_SIGN = re.compile(r"-?[>＞]|→|(?<=\s)as(?=\s|$)", re.IGNORECASE)
_STOP = re.compile(rf"[{COMMAS}]|(?<!\w){QUOTE}")
_WALK = re.compile(r"#(\d{1,3})$")


@dataclass(frozen=True, slots=True)
class PathStep:
    """One relation of a path; ``walk`` tells apart several uses of the relation, from 1.

    ``optional``: the column is empty where the relation leads nowhere. ``marked`` is then the name with its
    question mark, which may be part of the name, unless the name was in quotes.
    """

    relation: str
    backwards: bool = False
    walk: int = 1
    position: int = field(default=0, compare=False)
    optional: bool = False
    marked: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class ColumnPath:
    """The steps from the head to the values of a column, and its name (by default the last relation)."""

    steps: tuple[PathStep, ...]
    name: str


@dataclass(eq=False)
class PathNode:
    """A node of the tree of paths: the columns that end here (as indexes of paths), and the next steps."""

    optional: bool = False
    columns: list[int] = field(default_factory=list)
    children: dict[PathStep, PathNode] = field(default_factory=dict)


def build_path_tree(paths: Sequence[ColumnPath]) -> PathNode:
    """The paths as a tree, in which paths share their common first steps."""
    root = PathNode()
    for number, path in enumerate(paths):
        at = root
        for step in path.steps:
            at = at.children.setdefault(step, PathNode(at.optional or step.optional))
        at.columns.append(number)
    return root


@dataclass(frozen=True, slots=True)
class _PathPart:
    """The text before a sign: ``quoted`` is the name in quotes, ``plain`` the text without quotes."""

    begin: int
    backwards: bool
    quoted: str | None
    plain: str
    sign: str


def read_path(text: str) -> ColumnPath | Problem:
    """The path in ``text``, or its problem with the position in ``text``."""
    steps: list[PathStep] = []
    at = 0
    while True:
        result = _read_part(text, at)
        if isinstance(result, Problem):
            return result
        part, at = result
        step = _make_step(part)
        if isinstance(step, Problem):
            return step
        if len(steps) == MAX_PATH_STEPS:
            return _problem(f"a path has at most {MAX_PATH_STEPS} steps", part.begin)
        steps.append(step)
        if not part.sign:
            return ColumnPath(tuple(steps), step.marked or step.relation)
        if part.sign == "as":
            return _read_alias(text, at, steps)


def read_paths(text: str) -> tuple[ColumnPath, ...] | Problem:
    """The paths between the commas of ``text``; one path if a part between commas is none.

    The name of a relation may contain a comma: use ``read_path`` first if the relations are known.
    """
    whole = read_path(text)
    paths: list[ColumnPath] = []
    for begin, end in _split_at_commas(text):
        path = read_path(text[begin:end])
        if isinstance(path, Problem):
            return whole if isinstance(whole, Problem) else (whole,)
        steps = (replace(step, position=begin + step.position) for step in path.steps)
        paths.append(replace(path, steps=tuple(steps)))
    return tuple(paths)


def _split_at_commas(text: str) -> list[tuple[int, int]]:
    """Begin and end of the parts between commas outside of quotes."""
    parts: list[tuple[int, int]] = []
    unclosed: set[str] = set()
    begin = at = 0
    while stop := _STOP.search(text, at):
        at = stop.end()
        if stop[0] in COMMAS:
            parts.append((begin, stop.start()))
            begin = at
        else:
            at = _skip_quotes(text, at, stop[0], unclosed)
    # A comma at the end begins no part.
    return [*parts, (begin, len(text))] if text[begin:].strip() or not parts else parts


def _read_part(text: str, at: int) -> tuple[_PathPart, int] | Problem:
    """The part from ``at`` up to the next sign, and where the next part begins."""
    begin = _BEGIN.match(text, at)
    assert begin is not None  # it may be empty
    quoted = None
    after = begin.end()
    if text[after : after + 1] in QUOTES:
        end = re.compile(f"[{QUOTES[text[after]]}]").search(text, after + 1)
        if end is None:
            return _problem("the name that begins here never ends", after)
        quoted = text[after + 1 : end.start()]
        after = end.end()
    sign = _SIGN.search(text, after)
    plain = text[after : sign.start() if sign else len(text)].strip()
    name = sign[0].casefold() if sign else ""
    part = _PathPart(begin.end(), bool(begin[1]), quoted, plain, name)
    return part, sign.end() if sign else len(text)


def _read_alias(text: str, at: int, steps: list[PathStep]) -> ColumnPath | Problem:
    """The path with the name after ``as``."""
    result = _read_part(text, at)
    if isinstance(result, Problem):
        return result
    part, _ = result
    if part.sign or part.backwards or (part.quoted and part.plain):
        return _problem("expected one name after as and nothing else", part.begin)
    name = part.quoted or part.plain
    return ColumnPath(tuple(steps), name) if name else _problem("expected a name after as", at)


def _make_step(part: _PathPart) -> PathStep | Problem:
    name, optional = _split_optional_mark(part.plain, part)
    walk = _WALK.search(name)
    # "Team #1" is a name, "against#2" a second walk: there is no space before the sign.
    if walk and (name[: walk.start()][-1:].isspace() or not (walk.start() or part.quoted)):
        walk = None
    if walk:
        name, is_marked = _split_optional_mark(name[: walk.start()], part)
        optional = optional or is_marked
    if part.quoted is not None and name:
        return _problem("expected > or as after the name in quotes", part.begin)
    relation = part.quoted if part.quoted is not None else name
    if not relation.strip():
        return _problem("expected a relation", part.begin)
    number = int(walk[1]) if walk else 1
    if not number:
        return _problem("walks are counted from 1", part.begin)
    marked = f"{name}?" if optional and part.quoted is None else ""
    return PathStep(relation, part.backwards, number, part.begin, optional, marked)


def _split_optional_mark(name: str, part: _PathPart) -> tuple[str, bool]:
    """A name without its question mark, and whether it had one; a mark alone is a name."""
    marked = name.endswith("?") and (part.quoted is not None or name.strip("?^# ") != "")
    return (name[:-1].rstrip(), True) if marked else (name, False)


def _problem(message: str, position: int) -> Problem:
    return Problem(
        ProblemKind.UNREADABLE,
        f"{message}; a path is written 'relation > ^relation as name'",
        None,
        position,
    )
