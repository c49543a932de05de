"""Text → a number with its unit.

One regular expression matches sign, money and digits; the text after them is looked up in the table of units.
A grammar that contains the units was slower and harder to extend.
"""

from __future__ import annotations

import re
from math import isinf
from typing import NamedTuple

from .units import (
    MONEY,
    MONEY_SCALES,
    SCALES,
    find_unit,
    get_conversion_factor,
    is_counted_word,
    is_plural,
    read_counted_word,
)

MAX_DIGITS = 15
"""A float keeps this many digits: longer whole numbers are identifiers, which would become equal."""


class Amount(NamedTuple):
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


_HAS_SEPARATOR = re.compile("[.,]")


def read_amount(text: str, decimal: str | None) -> Amount | None:
    # ``text`` is trimmed and has no footnote marks.
    match = _AMOUNT.match(text)
    if not match:
        return _read_accounting_negative(text, decimal)
    rest = text[match.end() :]
    if rest[:1] and rest[0] in "-–—:":  # a score, a range, a date, a time
        is_signed = bool(match["sign"]) or rest != "-"
        return None if is_signed else _read_minus_at_end(match.group(), decimal)
    digits = _get_digits(match, decimal)
    if digits is None:
        return None
    if power := _POWER.match(rest):
        digits, rest = _apply_power(digits, power), rest[power.end() :]
        if digits is None:
            return None
    scale_and_unit = _read_rest(rest, digits, match["money"] or match["code"], bool(match["sign"]))
    if scale_and_unit is None:
        return None
    exponent, unit = scale_and_unit
    part = _fraction(match)
    if exponent and power:
        return None
    if exponent and not part:  # exact, unlike a product: $1.1 million is 1,100,000
        digits, exponent = f"{digits}e{exponent}", 0
    number = to_float(digits)
    if number is None:
        return None
    number = (number + part) * 10**exponent
    negative = (match["sign"] or match["inner"] or "+")[0] != "+"
    return Amount(-number if negative and number else number, unit)


def _read_minus_at_end(text: str, decimal: str | None) -> Amount | None:
    # As SAP writes negative amounts: ``1.200,50-``; ``2007-`` is a year and all later ones.
    amount = read_amount(text.strip(), decimal) if _HAS_SEPARATOR.search(text) else None
    return amount and Amount(-amount.number if amount.number else 0.0, amount.unit)


def _read_accounting_negative(text: str, decimal: str | None) -> Amount | None:
    # ``(1,234)`` and ``($5)`` are negative; ``(5)`` may be a remark.
    bracketed = _BRACKETED.fullmatch(text)
    if not bracketed or bracketed[1][0] in "(-–+":
        return None
    amount = read_amount(bracketed[1], decimal)
    if amount is None or not (_THOUSANDS.search(text) or amount.unit in MONEY.values()):
        return None
    return Amount(-amount.number if amount.number else 0.0, amount.unit)


def _get_digits(match: re.Match[str], decimal: str | None) -> str | None:
    # None if separators or a fraction are in the wrong place.
    body = match["body"]
    if body is None:
        return "0"
    digits = body if body.isdigit() else remove_separators(body, decimal)
    if match["fraction"] and digits is not None and not (digits.isdigit() and _fraction(match)):
        return None
    return digits


def _fraction(match: re.Match[str]) -> float:
    # ``½``, ``3/8``; 0 without a fraction.
    text = (match["fraction"] or match["lone"] or match["glyph"] or "").lstrip(" -")
    return read_fraction(text) if text else 0.0


def read_fraction(text: str) -> float:
    # 0 if the numerator is not smaller (``11⁄4`` has lost a space).
    if text in _GLYPHS:
        return _GLYPHS[text]
    top, bottom = (int(part) for part in re.split("[/⁄]", text))
    return top / bottom if 0 < top < bottom and bottom in _PARTS_OF_INCHES else 0.0


def remove_separators(body: str, decimal: str | None) -> str | None:
    # None if separators are in the wrong place. With ``decimal`` None the decimal mark is a point
    # before the last digits, or a comma that cannot group thousands (``1,5``).
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
    # None for identifiers and for numbers too large for a float.
    if len(digits) > MAX_DIGITS and digits.isdecimal() and len(digits.strip("0")) > MAX_DIGITS:
        return None
    number = float(digits)
    return None if isinf(number) else number


def _apply_power(digits: str, power: re.Match[str]) -> str | None:
    # None for ``2E5``, which may be a code.
    exponent = power["e"] or power["signed"] or power["plain"] or power["raised"]
    if power["e"] and "." not in digits and exponent[0] not in "+-":
        return None
    return f"{digits}e{exponent.translate(_RAISED)}"


def _read_rest(
    rest: str, digits: str, money: str | None, signed: bool
) -> tuple[int, str | None] | None:
    # ``rest`` is the text after the digits; None if it is something else.
    unit = MONEY[money] if money else None
    if not rest:
        return 0, unit
    if rest in _ORDINALS:
        return (0, None) if digits.isdigit() and not unit else None
    if rest[0] == "+":
        rest = rest[1:]
    if rest == "s" and (digits[-1] == "0" or len(digits) == 4):  # 1990s, 70s
        return None
    if rest == '"' and signed:  # may be seconds after the winner, or inches
        return None
    if len(rest) == len(digits) == 1 and rest.isupper():  # 6W, 2R
        return None
    tail = rest.strip()
    if money:
        return _read_scale_of_money(tail, MONEY[money])
    result = _read_scale_and_unit(tail, rest[:1] == tail[:1])
    if _MAY_BE_YEAR.fullmatch(digits) and result and result[1] and is_counted_word(tail):
        # 1998 season and 2004 Games are names; 1998 votes is a number.
        return result if is_plural(tail) else None
    return result


def _read_scale_of_money(tail: str, unit: str) -> tuple[int, str] | None:
    if tail in MONEY_SCALES:
        return MONEY_SCALES[tail], unit
    result = _read_scale_and_unit(tail, attached=False)
    return (result[0], unit) if result and result[1] in (None, unit) else None


def _read_scale_and_unit(tail: str, attached: bool) -> tuple[int, str | None] | None:
    if not tail:
        return 0, None
    if unit := find_unit(tail):
        return 0, unit.name
    words = _WORDS.fullmatch(tail)
    if not words:
        return None
    scale = SCALES.get(words[1].lower())
    if scale is None:
        counted = None if attached else read_counted_word(tail)
        return (0, counted) if counted else None
    if words[2] is None:
        return scale, None
    result = _read_scale_and_unit(words[2].strip(), attached=False)
    return (scale, result[1]) if result and not result[0] else None


# Several numbers that are one amount: ``1:23.4``, ``4 ft 8½ in``, ``3 years, 20 days``, ``16 km / 10 mi``.
#
# Times with colons are seconds. Two parts are minutes and seconds: tables of results have ``59:30`` above
# ``1:07:31``. Times of day have the unit ``clock``, seconds since midnight, so that they are never compared
# with durations; ``14:00`` alone counts as a duration.

CLOCK = "clock"

_COLONS = re.compile(
    r"(?P<sign>[-+–][ ]?)?(?:(?P<days>\d{1,3}):(?=[0-2]?\d:\d\d:))?"
    r"(?P<first>\d{1,3}):(?P<second>[0-5]\d)(?::(?P<third>[0-5]\d))?(?P<rest>\.\d{1,6}|,\d\d?)?",
    re.ASCII,
)
_OF_DAY = re.compile(
    r"(?P<hour>\d\d?)(?:[:.](?P<minute>[0-5]\d))?(?::(?P<second>[0-5]\d))?"
    r"\s?(?P<half>[ap])\.?[ ]?m\b\.?(?:\s[A-Z]{2,4})?",
    re.ASCII | re.IGNORECASE,
)
_PART = re.compile(
    rf"(?P<body>\d+(?:[.,]\d+)*)?(?P<fraction>{FRACTION})?[ ]?(?P<unit>[A-Za-z]+|''|['\"])\.?"
    r"\s*(?:,\s*)?(?:and\s+)?",
    re.ASCII,
)
_MARKS = {"'": "ft", "''": "in", '"': "in"}
# Units that follow each other in one amount, from large to small.
_CHAINS = (
    ("year", "month", "week", "day", "h", "min", "s"),
    ("yd", "ft", "in"),
    ("km", "m", "cm", "mm"),
    ("st", "lb", "oz"),
    ("kg", "g"),
)
_SMALL_TIMES = frozenset(("h", "min", "s"))
_BETWEEN = re.compile(r"\s*[/\n]\s*")
_ROUNDING = 0.1
"""Two numbers are one amount in two units if they differ by less than this share: ``2 mi / 3 km``."""


def read_time(text: str) -> Amount | None:
    if match := _COLONS.fullmatch(text):
        return _read_duration(match)
    if (match := _OF_DAY.fullmatch(text)) and 1 <= int(match["hour"]) <= 12:
        hour = int(match["hour"]) % 12 + (12 if match["half"] in "pP" else 0)
        seconds = hour * 3600 + int(match["minute"] or 0) * 60 + int(match["second"] or 0)
        return Amount(float(seconds), CLOCK)
    return None


def _read_duration(match: re.Match[str]) -> Amount:
    parts = [int(p) for p in match.group("first", "second", "third") if p]
    whole = sum(p * 60**i for i, p in enumerate(reversed(parts)))
    whole += int(match["days"] or 0) * 86400
    seconds = float(f"{whole}.{match['rest'][1:]}") if match["rest"] else float(whole)
    negative = (match["sign"] or "+")[0] != "+"
    return Amount(-seconds if negative and seconds else seconds, "s")


_DURATION = re.compile(
    r"(-)?P(?=[\dT])(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?"
    r"(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?",
    re.ASCII,
)


def read_typed_duration(text: str) -> Amount | None:
    """The amount of ``text`` that is certainly a duration as in ISO 8601: ``P1Y6M`` is 1.5 years.

    It has the largest unit that it names; hours and smaller ones are in seconds.
    """
    match = _DURATION.fullmatch(text.strip())
    if not match:
        return None
    units = ("year", "month", "week", "day", "h", "min", "s")
    parts = [(float(n), unit) for n, unit in zip(match.groups()[1:], units, strict=True) if n]
    target = "s" if _SMALL_TIMES.issuperset(unit for _, unit in parts) else parts[0][1]
    total = sum(n * (get_conversion_factor(unit, target) or 0.0) for n, unit in parts)
    return Amount(-total if match[1] and total else total, target)


def read_compound(text: str, decimal: str | None) -> Amount | None:
    # From large to small units, in the first unit; hours, minutes and seconds in seconds.
    parts: list[tuple[float, str]] = []
    at = 0
    while at < len(text):
        match = _PART.match(text, at)
        number = _read_part(match, decimal) if match else None
        if not match or number is None:
            return None
        parts.append((number, match["unit"]))
        at = match.end()
    return _add_parts(parts)


def _read_part(match: re.Match[str], decimal: str | None) -> float | None:
    body = match["body"] or "0"
    digits = body if body.isdigit() else remove_separators(body, decimal)
    if digits is None or not (match["body"] or match["fraction"]):
        return None
    if not match["fraction"]:
        return float(digits)
    part = read_fraction(match["fraction"].lstrip(" -"))
    return float(digits) + part if part else None


def _add_parts(parts: list[tuple[float, str]]) -> Amount | None:
    if len(parts) < 2:
        return None
    has_short_times = any(
        spelling.lower() in ("h", "hr", "hrs", "s", "sec", "secs") for _, spelling in parts
    )
    names: list[str] = []
    for _, spelling in parts:
        unit = find_unit(spelling)
        name = _MARKS.get(spelling) or (unit.name if unit else "")
        names.append("min" if has_short_times and spelling == "m" else name)
    chain = next((c for c in _CHAINS if names[0] in c), ())
    places = [chain.index(name) if name in chain else -1 for name in names]
    if -1 in places or places != sorted(set(places)):
        return None
    target = "s" if _SMALL_TIMES.issuperset(names) else names[0]
    sizes = [get_conversion_factor(name, target) or 0.0 for name in names]
    return Amount(sum(n * size for (n, _), size in zip(parts, sizes, strict=True)), target)


def read_conversion(text: str, decimal: str | None) -> Amount | None:
    # ``16 km / 10 mi``, or on two lines: the first amount.
    halves = _BETWEEN.split(text)
    if len(halves) != 2:
        return None
    first, second = (read_amount(half, decimal) for half in halves)
    if first is None or second is None or first.unit is None or second.unit is None:
        return None
    size = get_conversion_factor(first.unit, second.unit)
    if size is None or first.unit == second.unit:
        return None
    near = abs(first.number * size - second.number) <= _ROUNDING * abs(second.number)
    return first if near else None
