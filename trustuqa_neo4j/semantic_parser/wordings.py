"""Other wordings of the same: *whats*, *since the start of 2021*, *from 12 to 16 May*.

They are replaced before a question is split into words.
"""

from __future__ import annotations

import re

from ..lexicon.words import WORDS

_REPLACEMENTS = tuple(
    (re.compile(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in WORDS.wordings.replacements
)
_MONTH = rf"(?:{'|'.join(f'{month}|{month[:3]}' for month in WORDS.times.months)})\b"
_ISO_MONTH = re.compile(r"(?<![\w-])(1[5-9]|20)(\d\d)-(0[1-9]|1[0-2])(?![\w-])")
_DAY = r"(?:the )?(?P<{0}>\d{{1,2}})(?:st|nd|rd|th)?(?: of)?"
_YEAR = r"(?:,? (?P<year>\d{4}))?"
_START, _TO = r"\b(?P<start>between |from )?", r" ?(?P<to>to|and|until|till|-|–) ?"
_DAYS_BEFORE_MONTH = re.compile(
    rf"{_START}{_DAY.format('first')}{_TO}{_DAY.format('last')} (?P<month>{_MONTH}){_YEAR}",
    re.IGNORECASE,
)
_DAYS_AFTER_MONTH = re.compile(
    rf"{_START}(?P<month>{_MONTH}) {_DAY.format('first')}{_TO}{_DAY.format('last')}\b(?! ?[a-z]){_YEAR}",
    re.IGNORECASE,
)
_DAYS_OF_MONTHS = re.compile(
    rf"{_START}{_DAY.format('first')} (?P<month>{_MONTH}){_TO}{_DAY.format('last')} "
    rf"(?P<other>{_MONTH}){_YEAR}",
    re.IGNORECASE,
)


def write_out(text: str) -> str:
    """Return the question in words that the parsers read."""
    for wording, replacement in _REPLACEMENTS:
        text = wording.sub(replacement, text)
    text = _ISO_MONTH.sub(_write_month, text)
    for days in (_DAYS_OF_MONTHS, _DAYS_BEFORE_MONTH, _DAYS_AFTER_MONTH):
        text = days.sub(_write_days, text)
    return text


def _write_month(month: re.Match[str]) -> str:
    """*2008-05* is a month, *2004-05* a season."""
    century, year, number = month.groups()
    if int(number) == (int(year) + 1) % 100:
        return month[0]
    return f"{WORDS.times.months[int(number) - 1].capitalize()} {century}{year}"


def _write_days(days: re.Match[str]) -> str:
    """*from 12 to 16 May 2025* is *between 12 May 2025 and 16 May 2025*; *12 and 16 May* are two days."""
    if days["to"].casefold() == "and" and not days["start"]:
        return days[0]
    year = f" {days['year']}" if days["year"] else ""
    last_month = days.groupdict().get("other") or days["month"]
    return f"between {days['first']} {days['month']}{year} and {days['last']} {last_month}{year}"
