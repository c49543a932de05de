"""Tokens of one step, up to the end of its call or expression.

Models write names such as ``'I Can't Sleep'`` without escapes. So a quote ends a name only where the grammar
can continue: before a closing bracket, a comma or a parameter, or at the end of the call. Each look ahead
stops at the next sign or run of spaces, so that reading takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from ..lexicon.words import WORDS
from .ast import Reference, Value
from .function_names import FUNCTION_NAMES, PARAMETER_NAMES
from .selectors import EXTREMES

# The signs of the language in all forms that people and models type: ASCII, typographic and full-width. The
# rest of the package sees the first form only.

OPERATORS: dict[str, str] = {
    form: operator
    for operator, forms in {
        "=": ("=", "==", "＝"),
        "!=": ("!=", "<>", "≠"),
        "<": ("<", "＜"),
        ">": (">", "＞"),
        "<=": ("<=", "=<", "≤", "≦", "⩽"),
        ">=": (">=", "=>", "≥", "≧", "⩾"),
    }.items()
    for form in forms
}

# Operators on texts. They stand before a name, a list, a number or a result: prose, unquoted columns and the
# function ``contains(set, member)`` have these words too.
TEXT_OPERATORS: dict[str, str] = {
    form: operator
    for operator, forms in {
        "contains": ("contains", "contains="),
        "starts with": ("starts with", "starts_with", "startswith", "begins with", "begins_with"),
        "ends with": ("ends with", "ends_with", "endswith"),
    }.items()
    for form in forms
}
OPERATOR_NAMES: dict[str, str] = {**OPERATORS, **TEXT_OPERATORS}

APPROXIMATE = "≈"
"""The operator before a number with its tolerance. Two bounds replace it before a call is bound."""

_SIGNS: dict[str, str] = {**OPERATOR_NAMES, **dict.fromkeys(("≈", "≅", "~="), APPROXIMATE)}

# Words for the operators of a comparison.
COMPARISONS: dict[str, str] = {
    form: operator
    for operator, forms in WORDS.comparisons.operators.items()
    for form in (operator, *forms)
}

BRACKETS: dict[str, str] = {"(": ")）", "（": ")）", "[": "]", "{": "}"}
"""Opening bracket → its closing brackets. Braces are brackets of a list."""

COMMAS = ",，"

# Opening quote → its closing quotes.
QUOTES: dict[str, str] = {
    "'": "'",
    '"': '"',
    "`": "`",
    "‘": "’'",
    "’": "’'",
    "‚": "‘’",
    "“": '”“"',
    "”": '”"',
    "„": "“”",
    "«": "»",
    "»": "«",
    "＇": "＇",
    "＂": "＂",
}

ARITHMETIC: dict[str, str] = {
    form: sign
    for sign, forms in {
        "+": ("+", "＋", "plus"),
        "-": ("-", "−", "–", "－", "minus"),
        "*": ("*", "×", "times", "multiplied by"),
        "/": ("/", "÷", "divided by"),
    }.items()
    for form in forms
}


def find_comparison(text: str) -> str | None:
    word = text.strip().casefold().replace("_", " ")
    if word in EXTREMES:
        return ">" if EXTREMES[word] else "<"
    return COMPARISONS.get(word)


def _any_of(forms: Iterable[str]) -> str:
    longest = sorted(forms, key=len, reverse=True)
    return (
        "(?:" + "|".join(re.escape(f) + (r"\b" if f[-1].isalpha() else "") for f in longest) + ")"
    )


# Fragments of regular expressions.
QUOTE_SIGNS = "".join(QUOTES)  # for use within a class
QUOTE = f"[{QUOTE_SIGNS}]"
_RESULT_NAME = r"(?:output|result|answer|value)_of_query"
_TEXT_OPERATOR = rf"(?<!\w){_any_of(TEXT_OPERATORS)}(?=\s*(?:\\?{QUOTE}|[\[{{\d]|{_RESULT_NAME}))"
OPERATOR = f"(?:{_any_of(_SIGNS.keys() - TEXT_OPERATORS.keys())}|{_TEXT_OPERATOR})"
SUM = _any_of(form for form, sign in ARITHMETIC.items() if sign in "+-")
PRODUCT = _any_of(form for form, sign in ARITHMETIC.items() if sign in "*/")
AND = r"(?:and\b|&&?)"
OR = r"(?:or\b|\|\|?)"
IN = r"(?:in\b|∈)"
WORD = r"[^\W\d]\w*"
REFERENCE = rf"{_RESULT_NAME}[ _]?(\d{{1,9}})"
JOINING_WORDS = (
    r"(?:and|or|if|then|else|minus|plus|times|divided|multiplied|union|intersect|except"
    r"|where|not)\b"
)
"""Words that continue an expression; other words begin prose."""


# The look ahead is for speed: it skips text that is no call before comparing it with all names.
CALLED = r"(?=[a-zA-Z]\w*[(（])(?:" + "|".join(map(re.escape, FUNCTION_NAMES)) + ")[(（]"
_CLOSERS = frozenset("".join(BRACKETS.values()))
_ALTERNATIVES = re.IGNORECASE | re.VERBOSE
_GAP = re.compile(rf"[\s.{COMMAS}]*")
_OPENING = rf"(?: \\?{QUOTE} | [\[{{] | {REFERENCE} )"
_CLOSING_NUMBER = r"[-+−]?\d[\d.]*\s*"
_SIGN = rf"(?: {OPERATOR} | {SUM} | {PRODUCT} | \? | {AND} | {OR} | {IN} | if\b )"
_ARGUMENT = re.compile(
    rf"""\s* (?:
        [{COMMAS}]\s* (?:
            (?:and\s+)? {WORD}\s*{OPERATOR}
          | {WORD}[(（]
          | {_CLOSING_NUMBER}(?:[{COMMAS})\]}}]|\Z)
          | \({{0,50}} (?: {_OPENING} | {_CLOSING_NUMBER}{_SIGN} | if\b\s | (?<=\() {WORD}[(（] )
        )
      | (?:and\s+)? {WORD}\s*{OPERATOR}\s*(?:{_OPENING} | \d)
    )""",
    _ALTERNATIVES,
)
"""A further argument or member after a comma; without a comma only a parameter with its value."""

# A word is separate from the name before it, unlike in 'L'Age d'Or'.
_APART = r"(?:(?=\W)|(?<=\s))"
# A sign or word that joins two values of an expression.
_CLOSING_JOINT = re.compile(
    rf"""\s* {_APART} (?:
        {_SIGN} \s* (?: {_OPENING} | [-+−]?\d | \( | {WORD}[(（] )
      | {OR} \s* {WORD}\s*=\s* {_OPENING}
    )""",
    _ALTERNATIVES,
)

# Separates the cases of a condition.
_CASE = re.compile(
    r"\s*(?:[,;:.]?\s*(?:then|else|elif|otherwise|return|end|endif)\b|:)", re.IGNORECASE
)

# The closing quotes around a call, at the end of a line.
_CUT = re.compile(rf"[^\S\n]*{QUOTE}{{1,3}}[.,;]?[^\S\n]*(?:\Z|\n)")

_TRAILING = rf"[{QUOTE_SIGNS}\s.,;:+*_~|\\)\]}}（）]{{0,16}}"
_IDLE = re.compile(rf"(?:{QUOTE}|[ \t\r.,;:+*_~|\\)\]}}）]){{0,16}}[^\S\n]*(?:\Z|\n)")
_REMARK = re.compile(
    rf"""[{QUOTE_SIGNS}.,;*_]{{0,8}} [^\S\n]*
    (?: [#—→] | -> | (?://|--)\s*[^\W\d] | <(?:/|br|p)\b
      | (?<=\s)(?:\(|–\s*(?!{REFERENCE}|{WORD}[(（])[^\W\d]) )""",
    _ALTERNATIVES,
)
_NEXT_STEP = re.compile(rf"{_TRAILING}(?:step|query)\s*\d", re.IGNORECASE)
_PROSE = re.compile(
    rf"[^\S\n]*{QUOTE}[.;:*)_]{{0,4}}[^\S\n]+(?!{JOINING_WORDS})[^\W\d]", re.IGNORECASE
)
_CALL = re.compile(rf"(?<!\w){CALLED}", re.IGNORECASE)
_CALL_OF_ITS_OWN = re.compile(
    rf"^[{QUOTE_SIGNS} \t>*.\d-]*{CALLED}[^\n]*(?:{OPERATOR}|output_of)",
    re.IGNORECASE | re.MULTILINE,
)

_CLOSING_PARAMETER = re.compile(
    rf"""[;{COMMAS}]\s* (?:{"|".join(PARAMETER_NAMES)})\d*\s* {OPERATOR}\s* {QUOTE}""",
    _ALTERNATIVES,
)
_UNKNOWN_OPERATOR = re.compile(
    rf"""(?:{"|".join(PARAMETER_NAMES)})\d* (?:\s+(?!{OPERATOR}) | (?=[!~%^]))
    (?P<operator> [!~%^]{{0,2}}(?:{WORD}(?:\s{{1,5}}{WORD}){{0,3}})?(?:\s*[=<>]{{1,2}})? )
    (?<![,\s]) \s*(?:\\?{QUOTE} | [\[{{(\d])""",
    _ALTERNATIVES,
)
"""A parameter with a word that is no operator before its value, as in ``value like 'a'``."""
_UNKNOWN_OPERATOR_WITHIN = re.compile(
    rf"{QUOTE}\s*[;{COMMAS}]\s*{_UNKNOWN_OPERATOR.pattern}", _ALTERNATIVES
)

_CALL_END = re.compile(rf"(?<!\\){QUOTE}\s*[)）]")

_SURROGATES = r"u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})"
_ESCAPED = re.compile(rf"\\(?:(\\|{QUOTE})|{_SURROGATES}|u([0-9a-fA-F]{{4}}))")


class QuotedName(NamedTuple):
    """A name: its text, its place between the quotes, the end of the quotes, and whether that is certain."""

    text: str
    start: int
    stop: int
    end: int
    certain: bool


@dataclass(frozen=True, slots=True)
class NameContext:
    """The open brackets around a name, quotes around the whole step, and whether a condition is open."""

    brackets: Sequence[str]
    quoted: bool
    cases: bool


def read_name(text: str, at: int, end: int, context: NameContext) -> QuotedName | None:
    """The name whose quote is at ``at``, or None if it never ends.

    If the grammar can continue after none of the quotes, the first one at the end of a word is taken, so
    that the message can point at the text after it.
    """
    escaped = text[at] == "\\"
    start = at + 1 + escaped
    guess: QuotedName | None = None
    for stop in _stops(text[start - 1], escaped).finditer(text, start, end):
        if stop[0][0] == "\\" and not escaped:
            continue
        after = stop.end()
        certain = _can_continue(text, after, end, context)
        if not certain and (guess or text[after].isalnum() or text[after] == "_"):
            continue
        name = text[start : stop.start()]
        if certain and _contains_call_end(name):
            break
        quoted = QuotedName(_ESCAPED.sub(_unescape, name), start, stop.start(), after, certain)
        if certain:
            return quoted
        guess = None if _contains_call_end(name) else quoted
    return guess


def _unescape(match: re.Match[str]) -> str:
    # Models escape what is not ASCII. Other escapes, and signs that nobody sees, stay as they are.
    escaped, high, low, code = match.groups()
    if escaped:
        return str(escaped)
    code_units = bytes.fromhex(high + low if high else code)
    character = code_units.decode("utf-16-be", errors="surrogatepass")
    is_letter = character.isprintable() and not character.isascii()
    return character if is_letter else match[0]


def _contains_call_end(name: str) -> bool:
    call_end = _CALL_END.search(name)
    next_call = call_end and _CALL.search(name, call_end.end())
    return next_call is not None or _CLOSING_PARAMETER.search(name) is not None


@cache
def _stops(quote: str, escaped: bool) -> re.Pattern[str]:
    """Matches the possible ends of a name that ``quote`` opens, and escaped characters before them."""
    if escaped:
        return re.compile(rf"\\{quote}")
    return re.compile(rf"\\.|[{QUOTES[quote]}]", re.DOTALL)


def _can_continue(text: str, at: int, end: int, context: NameContext) -> bool:
    brackets, quoted = context.brackets, context.quoted
    level = len(brackets)
    if not level and is_call_end(text, at, end, quoted):
        return True
    gap = _skip_gap(text, at, end)
    while gap < end and text[gap] in _CLOSERS:
        if not level or text[gap] not in BRACKETS[brackets[level - 1]]:
            return False
        level -= 1
        at = gap + 1
        if level == 0:
            return is_call_end(text, at, end, quoted) or _expression_continues(
                text, at, end, context
            )
        gap = _skip_gap(text, at, end)
    cut = quoted and _CUT.match(text, at, end)
    argument = (level or context.cases) and _ARGUMENT.match(text, at, end)
    return gap >= end or bool(cut or argument) or _expression_continues(text, at, end, context)


def _expression_continues(text: str, at: int, end: int, context: NameContext) -> bool:
    case = context.cases and _CASE.match(text, at, end)
    return bool(case) or _CLOSING_JOINT.match(text, at, end) is not None


def _skip_gap(text: str, at: int, end: int) -> int:
    gap = _GAP.match(text, at, end)
    assert gap is not None  # it may be empty
    return gap.end()


def is_call_end(text: str, at: int, end: int, quoted: bool) -> bool:
    patterns = (_IDLE, _NEXT_STEP, _REMARK, *((_PROSE,) if quoted else ()))
    return any(pattern.match(text, at, end) for pattern in patterns)


_FURTHER = re.compile(rf"{QUOTE}{{0,3}}[^\S\n]*,[^\S\n]*{QUOTE}{{0,3}}(?={CALLED})", re.IGNORECASE)


def find_call_after_comma(text: str, at: int, end: int) -> int | None:
    """Find another call behind the one that ended at ``at``, after a comma in the same line."""
    match = _FURTHER.match(text, at, end)
    return match.end() if match else None


def find_stray_call(text: str, at: int, end: int) -> int | None:
    """Find a call without a step of its own behind the one that ended at ``at``.

    On further lines only a call at the beginning of the line counts: prose may mention functions.
    """
    line_end = text.find("\n", at, end)
    line_end = end if line_end < 0 else line_end
    match = None
    if not _IDLE.match(text, at, end):
        match = _CALL.search(text, at, line_end)
    match = match or _CALL_OF_ITS_OWN.search(text, line_end, end)
    return match.start() if match else None


# Types of tokens: those with a _ before their names are signs only.
CLOSING_TOKENS = {")": "_RPAR", "）": "_RPAR", "]": "_RSQB", "}": "_RSQB"}
VALUE_TOKENS = frozenset({"REFERENCE", "NUMBER", "STRING", "NAME", "EXPRESSION", "_RPAR", "_RSQB"})
OPERATOR_TOKENS = frozenset({"OPERATOR", "SUM", "PRODUCT"})
JOINING_TOKENS = OPERATOR_TOKENS | {"AND", "OR", "IN", "IF", "THEN", "ELSE"}


class Token(NamedTuple):
    """Its type in the grammar, its text and offset, and an expression that was read within quotes."""

    type: str
    text: str
    position: int
    value: Value | None = None


# What is open at a place of a step: brackets, and conditions whose cases are still to come.

MAX_DEPTH = 50  # Deeper nesting is refused, since later stages recurse.


class Unreadable(Exception):
    def __init__(self, message: str, position: int) -> None:
        self.message = message
        self.position = position
        super().__init__(message, position)


@dataclass
class Level:
    """The inside of one bracket, or the text outside all: of a call, of ``if(…)``, of a list or none.

    ``expected_cases`` are the cases that the open conditions need, innermost last. ``signs`` and ``within``
    bound the depth of the argument that is being read, ``deepest`` that of the arguments before it.
    """

    bracket: str = ""
    call: bool = False
    cases: bool = False
    listing: bool = False
    expected_cases: list[str] = field(default_factory=list)
    parameter: str = ""
    named: bool = False
    parts: int = 1
    decided: bool = False
    signs: int = 0
    within: int = 0
    deepest: int = 0

    def depth(self) -> int:
        return max(self.deepest, self.signs + self.within)


@dataclass
class Levels:
    """All open levels, the outermost first; ``conditional``: the step has a condition."""

    stack: list[Level] = field(default_factory=lambda: [Level()])
    conditional: bool = False

    @property
    def innermost(self) -> Level:
        return self.stack[-1]

    @property
    def depth(self) -> int:
        return len(self.stack) - 1

    @property
    def brackets(self) -> list[str]:
        return [level.bracket for level in self.stack[1:]]

    def open(self, bracket: str, before: str, position: int) -> str:
        if self.depth == MAX_DEPTH:
            raise Unreadable(f"brackets are nested deeper than {MAX_DEPTH}", position)
        listing = bracket in "[{"
        call, cases = before == "FUNCTION" and not listing, before == "IF" and not listing
        self.stack.append(Level(bracket, call or cases, cases, listing, ["THEN"] if cases else []))
        if listing:
            return "LSQB"
        return "_LPAR" if call else "LPAR"

    def close(self, bracket: str, position: int) -> None:
        if not self.depth:
            return
        closers = BRACKETS[self.innermost.bracket]
        if bracket not in closers:
            raise Unreadable(f"expected {closers[0]}", position)
        closed = self.stack.pop()
        # "if(a, b, c)" is complete; after "if (a)" the cases are still to come.
        if closed.cases and (closed.parts > 1 or closed.decided) and self.innermost.expected_cases:
            self.innermost.expected_cases.pop()
        self.nest(closed.depth() + 1, position)

    def nest(self, depth: int, position: int) -> None:
        self.innermost.within = max(self.innermost.within, depth)
        self._check_depth(position)

    def add_sign(self, position: int) -> None:
        self.innermost.signs += 1
        self._check_depth(position)

    def _check_depth(self, position: int) -> None:
        if self.innermost.depth() > MAX_DEPTH:
            message = f"an expression of more than {MAX_DEPTH} parts; give some a step of their own"
            raise Unreadable(message, position)

    def next_part(self) -> None:
        level = self.innermost
        level.deepest = level.depth()
        level.signs = level.within = 0
        level.parts += 1
        level.parameter = ""
        if level.cases and level.expected_cases:
            level.expected_cases.clear()

    def expect_case(self, case: str) -> None:
        self.conditional = True
        self.innermost.expected_cases.append(case)

    def begin_case(self) -> None:
        level = self.innermost
        # Only a case of the bracket's own condition decides, not one of a condition within.
        level.decided |= level.cases and len(level.expected_cases) == 1
        if level.expected_cases.pop() == "THEN":
            level.expected_cases.append("ELSE")


# The scanner.

_SPACE = re.compile(r"\s+")
_STOP = re.compile(r"\.[\s,.]*(?=[)\]}）])")
_OPERATOR = re.compile(OPERATOR, re.IGNORECASE)
_REFERENCE = re.compile(
    rf"{REFERENCE}(?!\w)|\\?{QUOTE}\s*{REFERENCE}\s*\\?{QUOTE}(?![\w'’])", re.IGNORECASE
)
_HOLDS_RESULT = re.compile(rf"(?<!\w){REFERENCE}(?!\w)", re.IGNORECASE)
_THOUSANDS = re.compile(r"[-+−]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?(?!\w|,\d)")
_NUMBER = re.compile(r"[-+−]?\d+(?:[.:/–-]\d+)*\w*%?")
_FUNCTION = re.compile(rf"(?:{WORD}\.)*({WORD})\s*(?=[(（])")
_PARAMETER = re.compile(rf"(?!{REFERENCE}|{_TEXT_OPERATOR}){WORD}(?=\s*{OPERATOR})", re.IGNORECASE)

_RESERVED = r"(?:then|else|elif|end|endif|if|return|and|or|in)\b"
_PART = r"\w+(?:[.:&/-]\w+)*(?:\.(?=[ \t]+\w))?"
_PLAIN = rf"(?!{_RESERVED}|{REFERENCE}|{WORD}\s*(?:{OPERATOR}|[(（])){_PART}"
_WORD = re.compile(WORD)
_UNQUOTED = re.compile(
    rf"(?=[^\W\d]){_PART}(?:[ \t]+(?:(?:and|or|in)[ \t]+(?={_PLAIN}))?{_PLAIN})*"
    rf"(?:[ \t]+(?:and|or|in)(?=\s*[{COMMAS})\]}}）]))?",
    re.IGNORECASE,
)
"""A name without quotes: words up to a sign, a parameter or a reserved word."""

_JOINT = re.compile(
    rf"(?P<OPERATOR>{OPERATOR})|(?P<SUM>{SUM})|(?P<PRODUCT>{PRODUCT})"
    rf"|(?P<AND>{AND})|(?P<OR>{OR})|(?P<IN>{IN})|(?P<IF>if\b)|(?P<THEN>\?)",
    re.IGNORECASE,
)
_AND = re.compile(rf"and\s+(?!{REFERENCE})(?={WORD}\s*{OPERATOR})", re.IGNORECASE)
_IF = re.compile(rf"if(?:\b(?!\s*{OPERATOR})|_(?={REFERENCE}))", re.IGNORECASE)
_LABEL = re.compile(rf"(?!{REFERENCE}){WORD}\s*=\s*(?=\\?{QUOTE}?\s*{REFERENCE})", re.IGNORECASE)
_AGAIN = re.compile(rf"\s*(?!{REFERENCE})({WORD})\s*=(?!=)\s*", re.IGNORECASE)
_RETURN = r"(?:\s*:)?(?:\s*return\b)?\s*"
_NAMED = rf"\b(?!\s*{OPERATOR})"
# The signs before the cases of a condition.
_CASES = {
    "THEN": re.compile(rf"[,;]?\s*(?:then{_NAMED},?|return\b|:){_RETURN}", re.IGNORECASE),
    "ELSE": re.compile(
        rf"[,;.]?\s*(?:(?:else|otherwise){_NAMED},?{_RETURN}|el(?=if\b))|[;:]\s*(?:return\b)?\s*",
        re.IGNORECASE,
    ),
}

_END = re.compile(r"[\s,;.]*end[ _]?(?:if)?\b(?![ \t]*[\w=(])", re.IGNORECASE)
_REOPENED = re.compile(rf"\\?{QUOTE}+(?={CALLED}|if\b)", re.IGNORECASE)
_CLOSED = re.compile(rf"\\?{QUOTE}?\s*")
_SPACES = re.compile(r"\s*")


@dataclass
class Scanner:
    """Reads the step at ``at`` of ``text``, at most up to ``end``.

    ``quoted``: the step is in quotes. ``read_quoted`` reads an expression that is in quotes itself.
    Positions are those in the whole text. After the last token ``at`` is the end of the step.
    """

    text: str
    at: int
    end: int
    quoted: bool = False
    read_quoted: Callable[[int, int], tuple[Value, int]] | None = None
    levels: Levels = field(default_factory=Levels)
    before: str = ""
    last: str = ""
    guessed: bool = False

    def tokens(self) -> Iterator[Token]:
        """The tokens up to the end of the step or of the text.

        Raises:
            Unreadable: a character begins no token, a name never ends, or the nesting is too deep.
        """
        while self._advance():
            token = self._joint() if self.last in VALUE_TOKENS else self._operand()
            if token.type == self.last == "_COMMA":
                continue
            self.before, self.last = self.last, token.type
            yield token

    def _advance(self) -> bool:
        after_value = self.last in VALUE_TOKENS
        if (
            after_value
            and self.levels.conditional
            and (match := _END.match(self.text, self.at, self.end))
        ):
            self.at = match.end()
        if after_value and not self.levels.depth and self.read_quoted is not None:
            return self._continue_expression()
        while match := _SPACE.match(self.text, self.at, self.end) or (
            _STOP.match(self.text, self.at, self.end)
        ):
            self.at = match.end()
        return self.at < self.end and not (
            after_value and self.quoted and _CUT.match(self.text, self.at, self.end)
        )

    def _continue_expression(self) -> bool:
        """Go to the next part of an expression outside all brackets; False if there is none."""
        text, end, expected_cases = self.text, self.end, self.levels.innermost.expected_cases
        match = (_CLOSED if self.quoted else _SPACES).match(text, self.at, end)
        assert match is not None  # it may be empty
        at = match.end()
        continues = bool(expected_cases and _CASES[expected_cases[-1]].match(text, at, end))
        if not continues and not is_call_end(text, self.at, end, self.quoted):
            comma = expected_cases and text[at : at + 1] in COMMAS
            continues = bool(comma or _JOINT.match(text, at, end))
        self.at = at if continues else self.at
        return continues and at < end

    def _joint(self) -> Token:
        """The token after a value: it joins two values, or closes a bracket."""
        text, at, end = self.text, self.at, self.end
        level = self.levels.innermost
        if text[at] in CLOSING_TOKENS:
            return self._close()
        if level.expected_cases and (case := self._case()):
            return case
        if text[at] in COMMAS:
            return self._comma(at + 1)
        if level.call and not level.expected_cases and (match := _AND.match(text, at, end)):
            return self._comma(match.end())
        if level.call and (match := _PARAMETER.match(text, at, end)):
            self.levels.next_part()
            return self._parameter(match)
        if match := _JOINT.match(text, at, end):
            return self._join(match)
        return self._operand()

    def _join(self, match: re.Match[str]) -> Token:
        kind = match.lastgroup
        assert kind is not None  # each alternative is a group
        level, sign = self.levels.innermost, match[0].casefold()
        if level.named:  # the operator of a parameter joins nothing
            level.named = False
        else:
            self.levels.add_sign(self.at)
        if kind in ("IF", "THEN"):
            self.levels.expect_case("ELSE")
        sign = _SIGNS[sign] if kind == "OPERATOR" else ARITHMETIC.get(sign, kind.casefold())
        token = self._take(kind, sign, match.end())
        if kind == "OR" and level.call and (repeated := _AGAIN.match(self.text, self.at, self.end)):
            self._same_parameter(repeated, token.position)
        return token

    def _same_parameter(self, repeated: re.Match[str], position: int) -> None:
        """``tail_entity='a' or tail_entity='b'``: only the same name may be repeated."""
        if repeated[2] != self.levels.innermost.parameter:
            message = "or cannot stand between parameters; give each alternative a step of its own"
            raise Unreadable(message, position)
        self.at = repeated.end()

    def _case(self) -> Token | None:
        level = self.levels.innermost
        case = level.expected_cases[-1]
        match = _CASES[case].match(self.text, self.at, self.end)
        # After "if(" the first comma separates arguments.
        comma = self.text[self.at] in COMMAS and not (level.cases and case == "THEN")
        if match is None and not comma:
            return None
        self.levels.begin_case()
        return self._take(case, case, match.end() if match else self.at + 1)

    def _comma(self, end: int) -> Token:
        self.levels.next_part()
        return self._take("_COMMA", ",", end)

    def _operand(self) -> Token:
        text, end = self.text, self.end
        self._skip_labels()
        at = self.at
        character = text[at]
        if match := _REFERENCE.match(text, at, end):
            return self._take("REFERENCE", match[1] or match[2], match.end())
        if character in QUOTES or (character == "\\" and text[at + 1 : at + 2] in QUOTES):
            return self._quoted()
        if character in BRACKETS:
            opened = self.levels.open(character, self.last, at)
            return self._take(opened, character, at + 1)
        if character in CLOSING_TOKENS:
            return self._close()
        if character in COMMAS:
            return self._comma(at + 1)
        if match := _OPERATOR.match(text, at, end):
            return self._take("OPERATOR", _SIGNS[match[0].casefold()], match.end())
        return self._unquoted()

    def _skip_labels(self) -> None:
        """Skip quotes around a further call, operand names (``if set1=… > set2=…``) and ``, and``."""
        if not self.levels.depth and (match := _REOPENED.match(self.text, self.at, self.end)):
            self.at = match.end()
        if self.last in JOINING_TOKENS and (match := _LABEL.match(self.text, self.at, self.end)):
            self.at = match.end()
        if self.last == "_COMMA" and (match := _AND.match(self.text, self.at, self.end)):
            self.at = match.end()

    def _unquoted(self) -> Token:
        text, at, end = self.text, self.at, self.end
        # A comma between arguments separates them; elsewhere it may group digits.
        may_be_thousands = self.last in OPERATOR_TOKENS or not self.levels.depth
        if match := (may_be_thousands and _THOUSANDS.match(text, at, end)) or _NUMBER.match(
            text, at, end
        ):
            return self._take("NUMBER", match[0], match.end())
        if match := _IF.match(text, at, end):
            self.levels.add_sign(at)
            self.levels.expect_case("THEN")
            return self._take("IF", match[0], match.end())
        if match := _FUNCTION.match(text, at, end):
            return self._take("FUNCTION", match[1], match.end())
        parameter = _PARAMETER.match(text, at, end)
        if parameter and self.last in ("_LPAR", "LPAR", "_COMMA"):
            return self._parameter(parameter)
        if self.levels.innermost.call and self.last in ("_LPAR", "_COMMA"):
            self._refuse_operator(_UNKNOWN_OPERATOR.match(text, at, end))
        several = self.last in ("OPERATOR", "THEN", "ELSE", "LSQB") or self.levels.innermost.listing
        if match := (_UNQUOTED if several else _WORD).match(text, at, end):
            return self._take("NAME", match[0], match.end())
        raise Unreadable(f"{text[at]!r} cannot stand here", at)

    def _refuse_operator(self, match: re.Match[str] | None) -> None:
        if match is not None:
            operators = ", ".join(dict.fromkeys(OPERATOR_NAMES.values()))
            operator = match["operator"]
            message = f"no operator {operator!r}; operators are {operators}"
            if operator.startswith("!") or "not" in operator.casefold().split():
                message += ", and set_negation gives the others"
            raise Unreadable(message, match.start("operator"))

    def _parameter(self, match: re.Match[str]) -> Token:
        self.levels.innermost.parameter = match[0]
        self.levels.innermost.named = True
        return self._take("NAME", match[0], match.end())

    def _take(self, kind: str, text: str, end: int, value: Value | None = None) -> Token:
        token = Token(kind, text, self.at, value)
        self.at = end
        return token

    def _close(self) -> Token:
        character = self.text[self.at]
        self.levels.close(character, self.at)
        return self._take(CLOSING_TOKENS[character], character, self.at + 1)

    def _quoted(self) -> Token:
        at = self.at
        context = NameContext(self.levels.brackets, self.quoted, self.levels.conditional)
        name = read_name(self.text, at, self.end, context)
        # Only one guess per step: each one searches the rest of the text.
        if name is None or (self.guessed and not name.certain):
            quote = self.text[at].replace("\\", '\\"')
            raise Unreadable(f"the name that begins here never ends: no {quote} closes it", at)
        self.guessed |= not name.certain
        if self.levels.innermost.call:
            self._refuse_operator(
                _UNKNOWN_OPERATOR_WITHIN.search(self.text, name.start - 1, name.end)
            )
        if (
            self.read_quoted is not None
            and name.certain
            and (_HOLDS_RESULT.search(self.text, name.start, name.stop))
        ):
            value, depth = self.read_quoted(name.start, name.stop)
            if isinstance(value, Reference):
                return self._take("REFERENCE", str(value.step), name.end)
            self.levels.nest(depth, at)
            return self._take("EXPRESSION", self.text[at], name.end, value)
        return self._take("STRING", name.text, name.end)
