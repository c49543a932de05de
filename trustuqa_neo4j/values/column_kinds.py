"""What the cells of a column are, read together: years or codes, months or days, numbers, missing values.

``1999`` is a year or a number of a room, ``Jan-24`` a month or a day, ``1e6`` a number or a code, and ``NA``
a missing value or a text. Where the column decides nothing, a text has no value, or that of a cell alone.
``KindSurvey`` counts forms of cells, so its memory does not grow with the column.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal, NamedTuple

from ..wording import CallOption, render_options
from .column_names import names_code, names_day, names_end, names_month, names_year
from .column_reading import ColumnNote
from .dates import FIRST_YEAR, LAST_YEAR, MonthAndNumber, expand_year, find_month_and_number
from .value import ValueOptions, read_value

MISSING_WORDS = frozenset(
    (
        "NULL", "null", "Null", r"\N", "None", "NaN", "nan", "NAN", "NA", "<NA>", "N/A", "n/a", "n.a.",
        "N.A.", "k.A.", "k. A.", "#N/A", "#NA", "#DIV/0!", "#REF!", "#VALUE!", "#NV", "#WERT!", "-", "--",
        "–", "—", "..", "...", "…", ":", ".", "?", "*", "missing", "unknown", "NaT", "#NULL!", "none", "nd",
        "ND", "n.d.",
    )
)  # fmt: skip
"""Words that stand for a missing value among numbers or dates."""

_ZERO_OR_MISSING = frozenset(("none", "*", "?", "unknown"))
"""Words of which a number or a remark may be meant: they are noted, and not left out."""

UNKNOWN_WORDS = frozenset(("unknown", "missing", "none", "?", "-", "–", "—", "n/a"))
"""Words that say in any column that there is no value or that it is not known, in lower case."""

_SAMPLE = 1000
"""Cells of other forms than whole numbers that are read."""

MAX_COUNTED_TEXTS, _MAX_COUNTED_LENGTH = 200, 50
"""Short texts of a column whose cells are counted. They are the first, and what recurs often comes early."""

_TRUTHS = frozenset(("true", "false"))
"""Words of a column in which ``NA`` is missing too, as R writes them."""

_SURE, _LIKELY = 0.9, 0.5
_DECIMAL = re.compile(r"[-+]?(?:\d+\.\d+|\.\d+|\d+)", re.ASCII)
_POWER = re.compile(r"[-+]?(\d+)[eE](\d{1,3})", re.ASCII)
_ROUNDED = re.compile(r"\d[.,]\d{1,5}E\+(1[1-9])", re.ASCII)
"""A number of twelve digits or more as Excel shows it in a narrow column."""

_LONGEST_NUMBER = 1 << 30
_OLDEST_PLAIN_YEAR, _LATEST_PLAIN_YEAR = 1500, 2100
"""A column whose name says nothing has years within these bounds only."""


class KindSurvey:
    """The kinds of the cells in the column ``name``."""

    __slots__ = (
        "_counts", "_decimals", "_filled", "_has_code_power", "_highest", "_lowest", "_missing",
        "_missing_place", "_months", "_others", "_outside", "_padded", "_padded_width", "_plain", "_power",
        "_powers", "_rounded", "_rounded_forms", "_truths", "_typed_others", "_unpadded_width", "_wholes",
        "_years", "name", "notes",
    )  # fmt: skip

    def __init__(self, name: str) -> None:
        self.name: str = name
        self.notes: list[ColumnNote] = []
        self._counts: dict[str, int] = {}
        self._plain: dict[str, bool] = {}
        self._filled = self._wholes = self._decimals = self._others = self._typed_others = 0
        self._years = self._outside = self._powers = self._truths = 0
        self._lowest, self._highest = LAST_YEAR, FIRST_YEAR
        self._power = ("", "")
        self._has_code_power = False
        self._missing: dict[str, int] = {}
        self._missing_place = ""
        self._padded = self._rounded = ("", "")
        self._padded_width, self._unpadded_width = 0, _LONGEST_NUMBER
        self._rounded_forms: set[int] = set()
        self._months = MonthSurvey()

    def add(self, text: str, file: str, line: int) -> None:
        """Count a cell."""
        count = self._counts.get(text, 0)
        if count or (len(self._counts) < MAX_COUNTED_TEXTS and len(text) <= _MAX_COUNTED_LENGTH):
            self._counts[text] = count + 1
            is_truth = self._plain.get(text)
            if is_truth is not None and self._others >= _SAMPLE:
                # Many cells of a large table repeat a text that is not a value: it is looked at once.
                self._filled += 1
                self._others += 1
                self._truths += is_truth
                return
        self._add_text(text.strip(), text, file, line)

    def _add_text(self, text: str, cell: str, file: str, line: int) -> None:
        if not text:
            return
        self._filled += 1
        if text.isdecimal() and text.isascii():
            self._add_whole(text)
            self._add_width(text, file, line)
        elif text in MISSING_WORDS:
            if not self._missing:
                self._missing_place = f"{file}:{line}"
            self._missing[text] = self._missing.get(text, 0) + 1
        elif _DECIMAL.fullmatch(text):
            self._decimals += 1
        elif power := _POWER.fullmatch(text):
            place = f"{file}:{line}"
            # Programs write one digit before the exponent, and no zeros at its beginning without a sign.
            if not self._powers:
                self._power = power[0], place
            self._powers += 1
            self._has_code_power |= len(power[1]) > 1 or power[2].startswith("0")
        elif not (len(text) < 20 and self._months.add(text, f"{file}:{line}")):
            self._add_other(text, file, line)
            if cell in self._counts:
                self._plain[cell] = text.casefold() in _TRUTHS

    def list_frequent(self, count: int) -> frozenset[str]:
        """List texts that more than ``count`` cells have; texts that first come late may be left out."""
        return frozenset(text for text, cells in self._counts.items() if cells > count)

    def _add_whole(self, text: str) -> None:
        self._wholes += 1
        if len(text) != 4 or not FIRST_YEAR <= int(text) <= LAST_YEAR:
            self._outside += text.strip("0") not in ("", "9999")
            return
        self._years += 1
        self._lowest, self._highest = min(self._lowest, int(text)), max(self._highest, int(text))

    def _add_width(self, text: str, file: str, line: int) -> None:
        significant = text.lstrip("0")
        if len(significant) == len(text):
            self._unpadded_width = min(self._unpadded_width, len(text))
        elif significant:
            if not self._padded_width:
                self._padded = text, f"{file}:{line}"
            self._padded_width = max(self._padded_width, len(text))

    def _add_other(self, text: str, file: str, line: int) -> None:
        self._others += 1
        if rounded := _ROUNDED.fullmatch(text):
            if not self._rounded_forms:
                self._rounded = text, f"{file}:{line}"
            self._rounded_forms.add(int(rounded[1]))
        self._truths += text.casefold() in _TRUTHS
        if self._others <= _SAMPLE:
            value = read_value(text)
            self._typed_others += value is not None
            if value is not None and value.start is not None and text[-4:].isdigit():
                days = 0 if value.end is None else value.end - value.start
                self._months.months_of_years += 26 < days < _LAST_DAY_STEP

    def count_missing(self, words: frozenset[str]) -> int:
        """Count the cells with one of ``words``."""
        return sum(count for word, count in self._missing.items() if word in words)

    @property
    def missing(self) -> int:
        """The number of cells with a word for a missing value."""
        return sum(self._missing.values())

    @property
    def _typed(self) -> float:
        # The number of numbers and dates, estimated from the first cells of other forms.
        share = self._typed_others / min(self._others, _SAMPLE) if self._others else 0.0
        powers = 0 if self._has_code_power else self._powers
        typed = self._wholes + self._decimals + powers + self._months.count
        return typed + max(share * self._others, self._truths)

    def decide(
        self,
        options: ValueOptions,
        fixed: ValueOptions,
        has_own_words: bool = False,
        only_months: bool = False,
    ) -> ValueOptions:
        """Decide how the column is read, and add notes.

        ``options`` are those so far, and ``fixed`` those of the user. ``has_own_words``: the user names the
        words for missing values of this column. ``only_months`` for benchmarks, whose queries were recorded
        with the other cells as they stand. The words that are missing are in ``null``.
        """
        if fixed.kind in ("text", "boolean"):
            return options
        if not (has_own_words or only_months) and self._missing:
            options = self._decide_missing(options)
        if self._months.count and fixed.dates is None and fixed.kind != "number":
            options = self._decide_months(options, fixed.kind == "date")
        if only_months or fixed.kind is not None:
            return options
        if self._powers:
            options = self._decide_powers(options)
        if self._rounded_forms:
            self._note_rounded()
        if self._is_unevenly_padded():
            self._note_padded()
            return replace(options, kind="text")
        if self._years and self._are_codes():
            options = replace(options, kind="number")
        return options

    def _is_unevenly_padded(self) -> bool:
        # ``00123`` beside ``123`` would be equal as numbers. Of ``01`` to ``12`` each number has one text.
        digits = self._filled - self.missing
        return (
            self._unpadded_width < self._padded_width
            and not self._decimals
            and self._wholes >= _SURE * digits
        )

    def _note_padded(self) -> None:
        text, place = self._padded
        number = CallOption.TYPE.with_value(self.name, "number")
        self._note(
            f"{self.name!r}: cells such as {text} are codes, since shorter ones have no leading zeros, and "
            f"are read as text; {number} reads them as numbers",
            place,
        )

    def _note_rounded(self) -> None:
        # Measured numbers have exponents of several sizes; codes have as many digits each.
        if len(self._rounded_forms) > 1 and not names_code(self.name):
            return
        text, place = self._rounded
        self._note(
            f"{self.name!r}: cells such as {text} are rounded, as spreadsheet programs show numbers of many "
            "digits; if they are codes, export the column as text, since the other digits are lost",
            place,
        )

    def _decide_missing(self, options: ValueOptions) -> ValueOptions:
        words = {word: count for word, count in self._missing.items() if word not in options.null}
        others = self._filled - self.missing
        if not words or not others or self._typed < _LIKELY * others:
            return options
        sure = frozenset(words) - _ZERO_OR_MISSING
        if self._typed < _SURE * others or self._typed < 2 or not sure:
            word = min(words)
            self._note(
                f"{self.name!r}: cells such as {word} look like missing values; "
                f"{CallOption.COLUMN_NULL.with_value(self.name, word)} leaves them out",
                self._missing_place,
            )
            return options
        count = sum(words[word] for word in sure)
        cells = "1 cell is" if count == 1 else f"{count:,} cells are"
        self._note(
            f"{self.name!r}: {cells} left out, since {' or '.join(sorted(sure))} among values means none; "
            f"{CallOption.COLUMN_NULL.with_value(self.name, 'WORD')} names other words",
            self._missing_place,
        )
        return replace(options, null=options.null | sure)

    def _decide_months(self, options: ValueOptions, is_date: bool) -> ValueOptions:
        if options.dates in ("my", "dm"):
            return options
        decision = self._months.decide(self.name, is_date)
        text, place = self._months.first
        if decision.order is None:
            self._note(
                f"{self.name!r}: cells such as {text} stay text, since they may be months of years or days; "
                f"{self._dates('my')} reads months, {self._dates('dm')} days",
                place,
            )
            return options
        what, other = ("months", "dm") if decision.order == "my" else ("days", "my")
        self._note(
            f"{self.name!r}: cells such as {text} are read as {what} ({decision.reason}); "
            f"{self._dates(other)} reads them as {'days' if what == 'months' else 'months'}",
            place,
        )
        return replace(options, dates=decision.order)

    def _decide_powers(self, options: ValueOptions) -> ValueOptions:
        text, place = self._power
        number = CallOption.TYPE.with_value(self.name, "number")
        others = self._filled - self.missing - self._powers
        is_sure = not self._has_code_power and not names_code(self.name)
        # Without any other number the cells may be codes.
        is_sure &= others > 0 and self._typed - self._powers >= others
        if is_sure:
            return replace(options, kind="number")
        if self._typed >= _LIKELY * (self._filled - self.missing):
            self._note(
                f"{self.name!r}: cells such as {text} may be codes or powers of ten, and stay text; "
                f"{number} reads them as numbers",
                place,
            )
        return options

    def _are_codes(self) -> bool:
        # Whether the numbers from 1000 to 2199 are not years.
        if self._wholes + self._decimals < self._filled - self.missing or names_year(self.name):
            return False
        if self._outside or self._decimals or names_code(self.name):
            return True
        if names_end(self.name):
            return False
        return self._lowest < _OLDEST_PLAIN_YEAR or self._highest > _LATEST_PLAIN_YEAR

    def _dates(self, order: str) -> str:
        return CallOption.COLUMN_DATES.with_value(self.name, order)

    def _note(self, message: str, place: str) -> None:
        self.notes.append(ColumnNote(render_options(message), place))


_LAST_DAY_STEP = 31
"""First and last day of a month differ by less, as ``Days`` are written."""


# Months with two digits, such as ``Jan-24`` and ``24-Jan``: a month of a year, or a day of a month.
#
# Spreadsheets write both. A column decides which one it has: by a number that is not a day, a day of one
# digit, other months with whole years, the order of its rows, and its name.


MonthOrder = Literal["my", "dm"]

_MAX_ROWS = 2000
"""Rows that are kept to look at their order."""

_MIN_DISTINCT = 3
_LAST_DAY = 31


class MonthDecision(NamedTuple):
    """How such cells are read, and why; ``order`` None: it is open."""

    order: MonthOrder | None
    reason: str


class MonthSurvey:
    """The cells of a column that have a month and two digits."""

    __slots__ = ("_has_short_day", "_rows", "count", "first", "months_of_years")

    def __init__(self) -> None:
        self.count: int = 0
        self.first: tuple[str, str] = ("", "")
        self.months_of_years: int = 0
        self._rows: list[MonthAndNumber] = []
        self._has_short_day = False

    def add(self, text: str, place: str) -> bool:
        """Count a cell; False if it is not a month with a number."""
        parts = find_month_and_number(text)
        if parts is None:
            return False
        if not self.count:
            self.first = text, place
        self.count += 1
        self._has_short_day |= len(parts.number) == 1
        if len(self._rows) < _MAX_ROWS:
            self._rows.append(parts)
        return True

    def decide(self, name: str, is_date: bool = False) -> MonthDecision:
        """Decide for all cells. ``is_date``: an option says that the column has dates."""
        numbers = [int(row.number) for row in self._rows]
        if any(not 0 < number <= _LAST_DAY for number in numbers):
            return MonthDecision(None if self._has_short_day else "my", "a number is not a day")
        if self._has_short_day:
            return MonthDecision("dm", "days have one digit")
        if self.months_of_years:
            return MonthDecision("my", "other cells have whole years")
        if names_month(name):
            return MonthDecision("my", "the name of the column")
        if names_day(name):
            return MonthDecision("dm", "the name of the column")
        order = self._decide_by_rows(numbers)
        if order is None and is_date:
            return MonthDecision("my", "its type")
        return MonthDecision(order, "the order of the rows" if order else "")

    def _decide_by_rows(self, numbers: Sequence[int]) -> MonthOrder | None:
        rows = list(dict.fromkeys(zip((row.month for row in self._rows), numbers, strict=True)))
        if len(rows) < _MIN_DISTINCT:
            return None
        months = [expand_year(f"{number:02}") * 12 + month for month, number in rows]
        days = [month * 100 + number for month, number in rows]
        if {later - earlier for earlier, later in pairwise(months)} in ({1}, {-1}, {3}, {-3}):
            return "my"
        if len({month for month, _ in rows}) == 1:
            # Consecutive days of one month; the same month of several years has the same steps.
            return "dm" if _is_sorted(numbers) and len(rows) > 2 * _MIN_DISTINCT else None
        if _is_sorted(days) != _is_sorted(months):
            return "dm" if _is_sorted(days) else "my"
        return None


def _is_sorted(numbers: Sequence[int]) -> bool:
    steps = [later - earlier for earlier, later in pairwise(numbers)]
    return all(step >= 0 for step in steps) or all(step <= 0 for step in steps)
