"""Text → a number with its unit.

One expression finds sign, money and digits at the front; what follows is looked up, not matched, so that
units stay a table. A grammar with the units in it (the alternative) was slower and harder to extend.
"""

from __future__ import annotations

import re
from math import isinf
from typing import NamedTuple

from .units import MONEY, MONEY_SCALES, SCALES, counted, counts, known, plural

MOST_DIGITS = 15
"""A float keeps this many digits: longer whole numbers are identifiers, and two of them would be equal."""


class Amount(NamedTuple):
    """A number and its unit."""

    number: float
    unit: str | None = None


_GLYPHS = {
    "½": 1 / 2, "⅓": 1 / 3, "⅔": 2 / 3, "¼": 1 / 4, "¾": 3 / 4, "⅕": 1 / 5, "⅖": 2 / 5, "⅗": 3 / 5,
    "⅘": 4 / 5, "⅙": 1 / 6, "⅚": 5 / 6, "⅛": 1 / 8, "⅜": 3 / 8, "⅝": 5 / 8, "⅞": 7 / 8,
}  # fmt: skip
GLYPHS = "".join(_GLYPHS)
BODY = r"\d{1,3}(?:[ ]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,']\d+)*|\.\d+"
FRACTION = rf"[ ]?[{GLYPHS}]|[ -]\d\d?[/⁄]\d\d?(?![\d/⁄])"
_BY_LENGTH = sorted(MONEY, key=len, reverse=True)
_MONEY = "|".join(re.escape(s) for s in _BY_LENGTH if not s.isalpha())
_CODES = "|".join(re.escape(s) for s in _BY_LENGTH if s.isalpha())
_AMOUNT = re.compile(
    rf"""(?P<sign>[-+–][ ]?)? (?:(?P<money>{_MONEY})[ ]?(?P<inner>[-–])?|(?P<code>{_CODES})[ ]?)?
    (?:(?P<lone>\d⁄\d\d?)(?![\d/⁄]) | (?P<body>{BODY})(?P<fraction>{FRACTION})? | (?P<glyph>[{GLYPHS}]))""",
    re.VERBOSE | re.ASCII,
)
_BRACKETED = re.compile(r"\((.+)\)")
_THOUSANDS = re.compile(r"\d[, ']\d{3}(?!\d)", re.ASCII)

_POINT = re.compile(r"\d*\.\d+", re.ASCII)
_GROUPED = {
    ",": re.compile(
        r"(?!0,)\d{1,3}(?:,\d{3})+(?:\.\d+)?|[1-9]\d?(?:,\d\d)+,\d{3}(?:\.\d+)?", re.ASCII
    ),
    "'": re.compile(r"[1-9]\d{0,2}(?:'\d{3})+(?:[.,]\d+)?", re.ASCII),
    " ": re.compile(r"[1-9]\d{0,2}(?: \d{3})+(?:[.,]\d+)?", re.ASCII),
    ".": re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?", re.ASCII),
}
_DECIMAL_COMMA = re.compile(r"\d+,\d\d?|0,\d+", re.ASCII)

_POWER = re.compile(
    r"[eE](?P<e>[-+]?\d{1,3})(?!\d)|[ ]?[×x][ ]?10"
    r"(?:\^?(?P<signed>[-–]\d{1,3})|\^(?P<plain>\d{1,3})|(?P<raised>⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}))",
    re.ASCII,
)
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻–", "0123456789--")
_ORDINALS = frozenset(("st", "nd", "rd", "th", "ª", "º", ".", "="))
_PARTS_OF_INCHES = frozenset((2, 3, 4, 5, 6, 8, 10, 12, 16, 32, 64))
_MAY_BE_YEAR = re.compile(r"1\d{3}|2[01]\d\d", re.ASCII)
_WORDS = re.compile(r"([A-Za-z]+\.?)(?:\s+(\S.*))?", re.DOTALL)


def read_amount(text: str, decimal: str | None) -> Amount | None:
    """The number and unit that ``text``, trimmed and without footnote marks, is."""
    found = _AMOUNT.match(text)
    if not found:
        return _accounted(text, decimal)
    rest = text[found.end() :]
    if rest[:1] and rest[0] in "-–—:":  # a score, a range, a date, a time
        return None
    digits = _digits(found, decimal)
    if digits is None:
        return None
    if power := _POWER.match(rest):
        digits, rest = _raised(digits, power), rest[power.end() :]
        if digits is None:
            return None
    meant = _tail(rest, digits, found["money"] or found["code"], bool(found["sign"]))
    if meant is None:
        return None
    exponent, unit = meant
    part = _fraction(found)
    if exponent and power:
        return None
    if exponent and not part:  # exact where a product would not be: $1.1 million is 1,100,000
        digits, exponent = f"{digits}e{exponent}", 0
    number = to_float(digits)
    if number is None:
        return None
    number = (number + part) * 10**exponent
    negative = (found["sign"] or found["inner"] or "+")[0] != "+"
    return Amount(-number if negative and number else number, unit)


def _accounted(text: str, decimal: str | None) -> Amount | None:
    """``(1,234)`` and ``($5)`` are less than nothing; ``(5)`` may as well be a remark."""
    bracketed = _BRACKETED.fullmatch(text)
    if not bracketed or bracketed[1][0] in "(-–+":
        return None
    amount = read_amount(bracketed[1], decimal)
    if amount is None or not (_THOUSANDS.search(text) or amount.unit in MONEY.values()):
        return None
    return Amount(-amount.number if amount.number else 0.0, amount.unit)


def _digits(found: re.Match[str], decimal: str | None) -> str | None:
    """The digits as Python writes them; None where separators or a fraction stand as in no number."""
    body = found["body"]
    if body is None:
        return "0"
    digits = body if body.isdigit() else plain(body, decimal)
    if found["fraction"] and digits is not None and not (digits.isdigit() and _fraction(found)):
        return None
    return digits


def _fraction(found: re.Match[str]) -> float:
    """What stands behind the whole part (``½``, ``3/8``) as a number; 0 where it is no fraction."""
    written = (found["fraction"] or found["lone"] or found["glyph"] or "").lstrip(" -")
    return fraction(written) if written else 0.0


def fraction(written: str) -> float:
    """``½`` or ``3/8`` as a number, 0 where the numerator is not the smaller (``11⁄4`` lost a space)."""
    if written in _GLYPHS:
        return _GLYPHS[written]
    top, bottom = (int(part) for part in re.split("[/⁄]", written))
    return top / bottom if 0 < top < bottom and bottom in _PARTS_OF_INCHES else 0.0


def plain(body: str, decimal: str | None) -> str | None:
    """``body`` without separators, a point before its decimals; None where they stand as in no number.

    With ``decimal`` None a point before the last digits is the decimal mark, and so is a comma that
    cannot part thousands (``1,5``).
    """
    if decimal == ",":
        whole, comma, decimals = body.partition(",")
        if comma and not decimals.isdigit():
            return None
        grouped = whole.isdigit() or any(
            whole.count(s) and _GROUPED[s].fullmatch(whole) for s in ".' "
        )
        return _bare(whole, ".' ") + (f".{decimals}" if comma else "") if grouped else None
    if _POINT.fullmatch(body):
        return body
    for separator, form in _GROUPED.items():
        if separator in body and form.fullmatch(body):
            european = separator == "." or (separator != "," and "," in body)
            return None if european and decimal else _bare(body, separator).replace(",", ".")
    if decimal is None and _DECIMAL_COMMA.fullmatch(body):
        return body.replace(",", ".")
    return None


def _bare(body: str, separators: str) -> str:
    for separator in separators:
        body = body.replace(separator, "")
    return body


def to_float(digits: str) -> float | None:
    """The number ``digits`` say; None for identifiers and for what no float holds."""
    if len(digits) > MOST_DIGITS and digits.isdecimal() and len(digits.strip("0")) > MOST_DIGITS:
        return None
    number = float(digits)
    return None if isinf(number) else number


def _raised(digits: str, power: re.Match[str]) -> str | None:
    """``digits`` with the power of ten; None for ``2E5``, which may be a code."""
    exponent = power["e"] or power["signed"] or power["plain"] or power["raised"]
    if power["e"] and "." not in digits and exponent[0] not in "+-":
        return None
    return f"{digits}e{exponent.translate(_RAISED)}"


def _tail(rest: str, digits: str, money: str | None, signed: bool) -> tuple[int, str | None] | None:
    """Power of ten and unit that ``rest``, behind the digits, says; None where it says something else."""
    unit = MONEY[money] if money else None
    if not rest:
        return 0, unit
    if rest in _ORDINALS:
        return (0, None) if digits.isdigit() and not unit else None
    if rest[0] == "+":
        rest = rest[1:]
    if rest == "s" and (digits[-1] == "0" or len(digits) == 4):  # 1990s, 70s
        return None
    if rest == '"' and signed:  # seconds behind the winner as often as inches
        return None
    if len(rest) == len(digits) == 1 and rest.isupper():  # 6W, 2R
        return None
    tail = rest.strip()
    if money:
        return _behind_money(tail, MONEY[money])
    meant = _behind(tail, rest[:1] == tail[:1])
    if _MAY_BE_YEAR.fullmatch(digits) and meant and meant[1] and counts(tail):
        # 1998 season and 2004 Games name one; 1998 votes are that many.
        return meant if plural(tail) else None
    return meant


def _behind_money(tail: str, unit: str) -> tuple[int, str] | None:
    if tail in MONEY_SCALES:
        return MONEY_SCALES[tail], unit
    meant = _behind(tail, attached=False)
    return (meant[0], unit) if meant and meant[1] in (None, unit) else None


def _behind(tail: str, attached: bool) -> tuple[int, str | None] | None:
    if not tail:
        return 0, None
    if unit := known(tail):
        return 0, unit.name
    words = _WORDS.fullmatch(tail)
    if not words:
        return None
    scale = SCALES.get(words[1].lower())
    if scale is None:
        thing = None if attached else counted(tail)
        return (0, thing) if thing else None
    if words[2] is None:
        return scale, None
    meant = _behind(words[2].strip(), attached=False)
    return (scale, meant[1]) if meant and not meant[0] else None
