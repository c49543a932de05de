"""Tokens of one step, up to where its call or expression is over.

The scanner knows what is open and what stood before: that decides where a name in quotes ends
(``closing``), whether ``1,000`` is one number, whether a comma separates arguments or the cases of a
condition, and where the step is over. Regular expressions per token without that context, as lark would
have them, cannot tell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from . import closing
from .kinds import CLOSING, GIVEN, JOINED, VALUES, Token
from .levels import Levels, Unreadable
from .query import Reference, Value
from .signs import (
    AND,
    ARITHMETIC,
    BRACKETS,
    COMMAS,
    IN,
    OPERATOR,
    OPERATORS,
    OR,
    PRODUCT,
    QUOTE,
    QUOTES,
    REFERENCE,
    SUM,
    WORD,
)  # fmt: skip

_SPACE = re.compile(r"\s+")
_STOP = re.compile(r"\.(?=[\s,.]*[)\]}）])")
_OPERATOR = re.compile(OPERATOR)
_REFERENCE = re.compile(
    rf"{REFERENCE}(?!\w)|\\?{QUOTE}\s*{REFERENCE}\s*\\?{QUOTE}(?![\w'’])", re.IGNORECASE
)
_HOLDS_RESULT = re.compile(rf"(?<!\w){REFERENCE}(?!\w)", re.IGNORECASE)
_THOUSANDS = re.compile(r"[-+−]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?(?!\w|,\d)")
_NUMBER = re.compile(r"[-+−]?\d+(?:[.:/–-]\d+)*\w*%?")
_FUNCTION = re.compile(rf"(?:{WORD}\.)*({WORD})\s*(?=[(（])")
_PARAMETER = re.compile(rf"(?!{REFERENCE}){WORD}(?=\s*{OPERATOR})", re.IGNORECASE)

_RESERVED = r"(?:then|else|elif|end|endif|if|return|and|or|in)\b"
_PART = r"\w+(?:[.:&/-]\w+)*(?:\.(?=[ \t]+\w))?"
_PLAIN = rf"(?!{_RESERVED}|{REFERENCE}|{WORD}\s*(?:{OPERATOR}|[(（])){_PART}"
_WORD = re.compile(WORD)
_UNQUOTED = re.compile(
    rf"(?=[^\W\d]){_PART}(?:[ \t]+(?:(?:and|or|in)[ \t]+(?={_PLAIN}))?{_PLAIN})*"
    rf"(?:[ \t]+(?:and|or|in)(?=\s*[{COMMAS})\]}}）]))?",
    re.IGNORECASE,
)
"""A name without quotes: words up to a sign, a parameter or a word of the language."""

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
_CASES = {
    "THEN": re.compile(rf"[,;]?\s*(?:then{_NAMED},?|return\b|:){_RETURN}", re.IGNORECASE),
    "ELSE": re.compile(
        rf"[,;.]?\s*(?:(?:else|otherwise){_NAMED},?{_RETURN}|el(?=if\b))|[;:]\s*(?:return\b)?\s*",
        re.IGNORECASE,
    ),
}
"""What stands between a condition and its cases, and between these."""

_END = re.compile(r"[\s,;.]*end[ _]?(?:if)?\b(?![ \t]*[\w=(])", re.IGNORECASE)
_REOPENED = re.compile(rf"\\?{QUOTE}+(?={closing.CALLED}|if\b)", re.IGNORECASE)
_CLOSED = re.compile(rf"\\?{QUOTE}?\s*")
_SPACES = re.compile(r"\s*")


@dataclass
class Scanner:
    """Reads the step that begins at ``at`` of ``text``, at most up to ``end``.

    ``quoted`` says whether it stands in quotes. ``within`` reads an expression that stands in quotes
    itself. Positions count in the whole text. After the last token ``at`` is where the step ended.
    """

    text: str
    at: int
    end: int
    quoted: bool = False
    within: Callable[[int, int], tuple[Value, int]] | None = None
    levels: Levels = field(default_factory=Levels)
    before: str = ""
    last: str = ""
    guessed: bool = False

    def tokens(self) -> Iterator[Token]:
        """The tokens, until the step is over or nothing more stands there.

        Raises:
            Unreadable: a character that begins no token, a name that never ends, too deep nesting.
        """
        while self._more():
            token = self._joint() if self.last in VALUES else self._operand()
            if token.type == self.last == "_COMMA":
                continue
            self.before, self.last = self.last, token.type
            yield token

    def _more(self) -> bool:
        """Go to the next sign; whether there is one that belongs to the step."""
        given = self.last in VALUES
        if (
            given
            and self.levels.conditional
            and (found := _END.match(self.text, self.at, self.end))
        ):
            self.at = found.end()
        if given and not self.levels.depth and self.within is not None:
            return self._goes_on()
        while found := _SPACE.match(self.text, self.at, self.end) or (
            _STOP.match(self.text, self.at, self.end)
        ):
            self.at = found.end()
        return self.at < self.end and not (
            given and self.quoted and closing.cut(self.text, self.at, self.end)
        )

    def _goes_on(self) -> bool:
        """Whether an expression goes on behind a value outside all brackets; if so, go there."""
        text, end, waiting = self.text, self.end, self.levels.here.waiting
        found = (_CLOSED if self.quoted else _SPACES).match(text, self.at, end)
        assert found is not None  # it may be empty
        at = found.end()
        goes_on = bool(waiting and _CASES[waiting[-1]].match(text, at, end))
        if not goes_on and not closing.ends(text, self.at, end, self.quoted):
            comma = waiting and text[at : at + 1] in COMMAS
            goes_on = bool(comma or _JOINT.match(text, at, end))
        self.at = at if goes_on else self.at
        return goes_on and at < end

    def _joint(self) -> Token:
        """What joins a value to the next one, or closes a bracket."""
        text, at, end = self.text, self.at, self.end
        here = self.levels.here
        if text[at] in CLOSING:
            return self._close()
        if here.waiting and (case := self._case()):
            return case
        if text[at] in COMMAS:
            return self._comma(at + 1)
        if here.call and not here.waiting and (found := _AND.match(text, at, end)):
            return self._comma(found.end())
        if here.call and (found := _PARAMETER.match(text, at, end)):
            self.levels.next_part()
            return self._parameter(found)
        if found := _JOINT.match(text, at, end):
            return self._join(found)
        return self._operand()

    def _join(self, found: re.Match[str]) -> Token:
        kind = found.lastgroup
        assert kind is not None  # each alternative is a group
        here, sign = self.levels.here, found[0].casefold()
        if here.named:  # the operator of a parameter joins nothing
            here.named = False
        else:
            self.levels.add_sign(self.at)
        if kind in ("IF", "THEN"):
            self.levels.wait_for("ELSE")
        sign = OPERATORS[sign] if kind == "OPERATOR" else ARITHMETIC.get(sign, kind.casefold())
        token = self._take(kind, sign, found.end())
        if kind == "OR" and here.call and (again := _AGAIN.match(self.text, self.at, self.end)):
            self._same_parameter(again, token.position)
        return token

    def _same_parameter(self, again: re.Match[str], position: int) -> None:
        """``tail_entity='a' or tail_entity='b'``: the second name may be left out, another may not."""
        if again[2] != self.levels.here.parameter:
            message = "or cannot stand between parameters; give each alternative a step of its own"
            raise Unreadable(message, position)
        self.at = again.end()

    def _case(self) -> Token | None:
        """The sign between a condition and its cases, where one is waited for."""
        here = self.levels.here
        wanted = here.waiting[-1]
        found = _CASES[wanted].match(self.text, self.at, self.end)
        # Behind "if(" a comma first of all separates arguments.
        comma = self.text[self.at] in COMMAS and not (here.cases and wanted == "THEN")
        if found is None and not comma:
            return None
        self.levels.case()
        return self._take(wanted, wanted, found.end() if found else self.at + 1)

    def _comma(self, end: int) -> Token:
        self.levels.next_part()
        return self._take("_COMMA", ",", end)

    def _operand(self) -> Token:
        """A value, or what opens one."""
        text, end = self.text, self.end
        self._skip_labels()
        at = self.at
        character = text[at]
        if found := _REFERENCE.match(text, at, end):
            return self._take("REFERENCE", found[1] or found[2], found.end())
        if character in QUOTES or (character == "\\" and text[at + 1 : at + 2] in QUOTES):
            return self._name()
        if character in BRACKETS:
            opened = self.levels.open(character, self.last, at)
            return self._take(opened, character, at + 1)
        if character in CLOSING:
            return self._close()
        if character in COMMAS:
            return self._comma(at + 1)
        if found := _OPERATOR.match(text, at, end):
            return self._take("OPERATOR", OPERATORS[found[0]], found.end())
        return self._bare()

    def _skip_labels(self) -> None:
        """Skip quotes around a further call, names of operands (``if set1=… > set2=…``), ``, and``."""
        if not self.levels.depth and (found := _REOPENED.match(self.text, self.at, self.end)):
            self.at = found.end()
        if self.last in JOINED and (found := _LABEL.match(self.text, self.at, self.end)):
            self.at = found.end()
        if self.last == "_COMMA" and (found := _AND.match(self.text, self.at, self.end)):
            self.at = found.end()

    def _bare(self) -> Token:
        """A number, or words without quotes."""
        text, at, end = self.text, self.at, self.end
        # Between arguments a comma separates them; elsewhere it can be one of thousands.
        given = self.last in GIVEN or not self.levels.depth
        if found := (given and _THOUSANDS.match(text, at, end)) or _NUMBER.match(text, at, end):
            return self._take("NUMBER", found[0], found.end())
        if found := _IF.match(text, at, end):
            self.levels.add_sign(at)
            self.levels.wait_for("THEN")
            return self._take("IF", found[0], found.end())
        if found := _FUNCTION.match(text, at, end):
            return self._take("FUNCTION", found[1], found.end())
        parameter = _PARAMETER.match(text, at, end)
        if parameter and self.last in ("_LPAR", "LPAR", "_COMMA"):
            return self._parameter(parameter)
        several = self.last in ("OPERATOR", "THEN", "ELSE", "LSQB") or self.levels.here.listing
        if found := (_UNQUOTED if several else _WORD).match(text, at, end):
            return self._take("NAME", found[0], found.end())
        raise Unreadable(f"{text[at]!r} cannot stand here", at)

    def _parameter(self, found: re.Match[str]) -> Token:
        self.levels.here.parameter = found[0]
        self.levels.here.named = True
        return self._take("NAME", found[0], found.end())

    def _take(self, kind: str, text: str, end: int, value: Value | None = None) -> Token:
        token = Token(kind, text, self.at, value)
        self.at = end
        return token

    def _close(self) -> Token:
        character = self.text[self.at]
        self.levels.close(character, self.at)
        return self._take(CLOSING[character], character, self.at + 1)

    def _name(self) -> Token:
        at = self.at
        around = closing.Around(self.levels.brackets, self.quoted, self.levels.conditional)
        found = closing.read_name(self.text, at, self.end, around)
        # A second guess would have to look through the rest of the text again.
        if found is None or (self.guessed and not found.certain):
            quote = self.text[at].replace("\\", '\\"')
            raise Unreadable(f"the name that begins here never ends: no {quote} closes it", at)
        self.guessed |= not found.certain
        if (
            self.within is not None
            and found.certain
            and (_HOLDS_RESULT.search(self.text, found.start, found.stop))
        ):
            value, depth = self.within(found.start, found.stop)
            if isinstance(value, Reference):
                return self._take("REFERENCE", str(value.step), found.end)
            self.levels.nest(depth, at)
            return self._take("EXPRESSION", self.text[at], found.end, value)
        return self._take("STRING", found.text, found.end)
