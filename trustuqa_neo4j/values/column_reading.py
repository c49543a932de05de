"""The numbers and dates of a column, read together: one cell can say how the others are meant.

``1.234`` is 1.234 or 1234, and ``03/04/2019`` has its day first or its month. A column that holds ``0,5`` or
``25/12/2019`` decides this for all its cells, unless another cell contradicts. ``ColumnSurvey`` counts the
forms of cells, so its memory does not grow with the column.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Generic, Literal, NamedTuple, TypeVar

from ..wording import CallOption, render_options
from .dates import (
    DateOrder,
    MonthForm,
    find_day_and_month,
    find_month_form,
    is_short_named_date,
)
from .value import MAX_VALUE_LENGTH, ValueOptions, read_value

F = TypeVar("F", bound=str)

DecimalForm = Literal["point", "comma", "point groups", "comma groups", "text"]
"""The decimal sign of a number; ``1.234`` and ``1,234`` are groups of digits with either sign."""
DateForm = Literal["dmy", "mdy", "ambiguous", "two-digit year", "05-Jan-24"] | MonthForm

DecimalSign = Literal[".", ","]

# Most numbers with a sign, and most dates: they need no further reading.
_DECIMAL = re.compile(r"[-+]?\d+\.\d\d?", re.ASCII)
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_PLAIN = re.compile(r"[-+]?(?:\d+([.,])(?:\d\d?|\d{4,})|0([.,])\d+)", re.ASCII)
_CANDIDATE = re.compile(r"[.,]\d|\d[/-]\d\d?[/-]\d|\d{4}-\d\d|\d-?[A-Za-z]{3,9}-?\d\d", re.ASCII)
_POINT, _COMMA = ValueOptions(decimal="."), ValueOptions(decimal=",")


class ColumnNote(NamedTuple):
    """How a column was read, or why that is doubtful, with file and line of a cell."""

    message: str
    place: str


def classify_number(text: str) -> DecimalForm:
    # Find the decimal sign that makes ``text`` a number; ``text`` if neither does, or both alike.
    if match := _PLAIN.fullmatch(text):
        return "point" if "." in (match[1], match[2]) else "comma"
    point, comma = (read_value(text, options) for options in (_POINT, _COMMA))
    with_point = None if point is None else point.number
    with_comma = None if comma is None else comma.number
    if with_point == with_comma:
        return "text"
    if with_comma is None:
        return "point"
    if with_point is None:
        return "comma"
    return "comma groups" if "," in text else "point groups"


def classify_date(text: str) -> DateForm | None:
    # Find the order of day and month in ``text``; None if it has no such date, or no doubt.
    parts = find_day_and_month(text)
    if parts is None:
        return "05-Jan-24" if is_short_named_date(text) else find_month_form(text)
    if len(parts.year) == 2:
        return "two-digit year"
    if parts.first > 12 or (parts.mark == "." and parts.second <= 12):
        return "dmy"
    if parts.second > 12:
        return "mdy"
    return None if parts.first == parts.second else "ambiguous"


@dataclass(slots=True)
class _Counts(Generic[F]):
    """How many cells have each form, and text and place of the first of them."""

    counts: dict[F, int]
    examples: dict[F, tuple[str, str]]

    def add(self, form: F, text: str, file: str, line: int) -> None:
        count = self.counts.get(form, 0)
        if not count:
            self.examples[form] = text, f"{file}:{line}"
        self.counts[form] = count + 1

    def count(self, *forms: F) -> int:
        return sum(self.counts.get(form, 0) for form in forms)

    def example(self, *forms: F) -> tuple[str, str]:
        return next(self.examples[form] for form in forms if form in self.examples)


class ColumnSurvey:
    """The forms of numbers and dates in the column ``name``."""

    __slots__ = ("_dates", "_numbers", "name", "notes")

    def __init__(self, name: str) -> None:
        self.name: str = name
        self.notes: list[ColumnNote] = []
        self._numbers = _Counts[DecimalForm]({}, {})
        self._dates = _Counts[DateForm]({}, {})

    def add(self, text: str, file: str, line: int) -> None:
        # Count a cell for which ``may_be_ambiguous``.
        text = text.strip()
        if _DECIMAL.fullmatch(text):
            self._numbers.add("point", text, file, line)
        elif _ISO_DATE.fullmatch(text):
            self._numbers.add("text", text, file, line)
        elif (date_form := classify_date(text)) is not None:
            self._dates.add(date_form, text, file, line)
        else:
            self._numbers.add(classify_number(text), text, file, line)

    def find_decimal(self) -> DecimalSign | None:
        # The decimal sign of a column of numbers whose cells have the one alone.
        numbers = self._numbers
        points, commas = numbers.count("point"), numbers.count("comma")
        if numbers.count("text") > points + commas or bool(points) == bool(commas):
            return None
        return "." if points else ","

    def decide(
        self, defaults: ValueOptions, fixed: ValueOptions, has_commas_beside: bool = False
    ) -> ValueOptions:
        # Decide how the column is read, and add notes. ``defaults`` hold where the column decides nothing.
        # ``fixed`` are given by the user, and no cell overrules them. ``has_commas_beside``: other columns of
        # the table have decimal commas, and none has decimal points.
        decimal, dates = fixed.decimal, fixed.dates
        if decimal is None:
            decimal = self._decide_decimal(defaults.decimal, has_commas_beside)
        else:
            self._note_unread_numbers(decimal)
        if dates is None:
            dates = self._decide_dates(defaults.dates)
        return replace(defaults, decimal=decimal, dates=dates)

    def _decide_decimal(
        self, default: DecimalSign | None, has_commas_beside: bool
    ) -> DecimalSign | None:
        numbers = self._numbers
        points, commas = numbers.count("point"), numbers.count("comma")
        point_groups, comma_groups = numbers.count("point groups"), numbers.count("comma groups")
        total = points + commas + point_groups + comma_groups
        if not total or numbers.count("text") > total:
            return default
        if commas and not points:
            if default is None and point_groups + comma_groups:
                self._note_decimal_commas()
            return ","
        if points and not commas:
            return "." if default == "," else default
        if default is None and (points or point_groups) and (commas or comma_groups):
            self._note_mixed_signs(total)
        elif default is None and point_groups and has_commas_beside:
            self._note_decimal_commas_beside()
            return ","
        elif default is None and point_groups:
            text, place = numbers.example("point groups")
            self._note(
                f"{self.name!r}: the full stop of {text} may separate decimals or thousands, and is "
                f"read as a decimal point; {self._option('decimal', ',')} reads thousands",
                place,
            )
        return default

    def _note_decimal_commas(self) -> None:
        comma, _ = self._numbers.example("comma")
        text, place = self._numbers.example("point groups", "comma groups")
        self._note(
            f"{self.name!r} has decimal commas ({comma}), so {text} is read as {_read_with_comma(text):g}; "
            f"{self._option('decimal', '.')} reads decimal points",
            place,
        )

    def _note_decimal_commas_beside(self) -> None:
        text, place = self._numbers.example("point groups")
        number = _read_with_comma(text)
        self._note(
            f"{self.name!r}: {text} is read as {number:g}, since other columns have decimal commas; "
            f"{self._option('decimal', '.')} reads decimal points",
            place,
        )

    def _note_mixed_signs(self, total: int) -> None:
        numbers = self._numbers
        groups = numbers.count("point groups", "comma groups")
        with_comma, with_point = numbers.count("comma") + groups, numbers.count("point") + groups
        _, place = numbers.example("comma", "comma groups")
        self._note(
            f"{self.name!r} mixes decimal commas and full stops: "
            f"{self._option('decimal', ',')} reads {with_comma:,} of {total:,} as numbers, "
            f"{self._option('decimal', '.')} reads {with_point:,}",
            place,
        )

    def _note_unread_numbers(self, decimal: DecimalSign) -> None:
        unread: DecimalForm = "point" if decimal == "," else "comma"
        if count := self._numbers.count(unread):
            text, place = self._numbers.example(unread)
            cells, stay = ("1 cell", "stays") if count == 1 else (f"{count:,} cells", "stay")
            self._note(
                f"{self.name!r}: with the decimal sign {decimal!r}, {cells} such as {text} {stay} text",
                place,
            )

    def _decide_dates(self, default: DateOrder | None) -> DateOrder | None:
        dates = self._dates
        if default is None and dates.count("month"):
            years = dates.count("years", "dmy", "mdy", "ambiguous", "two-digit year")
            return None if years else "iso"
        ambiguous, short = dates.count("ambiguous"), dates.count("two-digit year")
        orders: list[Literal["dmy", "mdy"]] = [
            order for order in ("dmy", "mdy") if dates.count(order)
        ]
        if len(orders) == 1 and not (short and default is None):
            order = orders[0]
            if ambiguous and default is None:
                evidence, _ = dates.example(order)
                text, place = dates.example("ambiguous")
                first, reverse = ("day", "mdy") if order == "dmy" else ("month", "dmy")
                self._note(
                    f"{self.name!r} has the {first} first ({evidence}), and {text} is read so; "
                    f"{self._option('dates', reverse)} reads it the other way",
                    place,
                )
            return order if ambiguous else default
        if default not in ("dmy", "mdy") and (ambiguous or self._has_short_dates()):
            text, place = dates.example("ambiguous", "two-digit year")
            count = ambiguous + short
            cells, stay = ("1 date", "stays") if count == 1 else (f"{count:,} dates", "stay")
            self._note(
                f"{self.name!r}: {cells} such as {text} {stay} text, since the order of day and month "
                f"or the century is open; {self._option('dates', 'dmy')} or "
                f"{self._option('dates', 'mdy')} reads them",
                place,
            )
        elif default not in ("dmy", "mdy") and dates.count("05-Jan-24"):
            text, place = dates.example("05-Jan-24")
            self._note(
                f"{self.name!r}: dates such as {text} stay text, since the century is open; "
                f"{self._option('dates', 'dmy')} reads them",
                place,
            )
        return default

    def _has_short_dates(self) -> bool:
        # Check for a column of dates such as ``11/18/67``; scores and codes may look like one.
        short = self._dates.count("two-digit year")
        if not short or "-" in self._dates.example("two-digit year")[0]:
            return False
        return short > self._numbers.count("point", "comma", "point groups", "comma groups", "text")

    def _option(self, name: str, setting: str) -> str:
        option = CallOption.COLUMN_DATES if name == "dates" else CallOption.COLUMN_DECIMAL
        return render_options(option.with_value(self.name, setting))

    def _note(self, message: str, place: str) -> None:
        self.notes.append(ColumnNote(message, place))


def _read_with_comma(text: str) -> float:
    # A group of digits is a number with either sign.
    value = read_value(text, _COMMA)
    assert value is not None
    assert value.number is not None
    return value.number


def may_be_ambiguous(text: str) -> bool:
    # Check quickly whether the reading of ``text`` may depend on its column.
    return len(text) <= MAX_VALUE_LENGTH and _CANDIDATE.search(text) is not None
