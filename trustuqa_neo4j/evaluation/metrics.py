"""Scores of one answer against its labels: set metrics, denotation accuracy, table comparison.

Labels are distinct expected names. A value is a set of names, since some benchmarks accept aliases. So
each metric is a lookup and never compares every value with every label.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal
from math import ceil
from typing import Literal, TypeAlias

from ..answer import Value

Names: TypeAlias = Set[str]


def value_text(value: Value) -> str:
    # The computed number ``3.0`` is ``3``.
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def contains_all_labels(labels: Names, values: Sequence[Names]) -> bool:
    # False without labels.
    return bool(labels) and labels <= {name for names in values for name in names}


def matches_exactly(labels: Names, values: Sequence[Names]) -> bool:
    return contains_all_labels(labels, values) and all(names & labels for names in values)


def is_first_value_right(labels: Names, values: Sequence[Names]) -> bool:
    # Hits@1.
    return bool(values and values[0] & labels)


def contains_any_label(labels: Names, values: Sequence[Names]) -> bool:
    return any(names & labels for names in values)


_FEW = 3


def contains_label_among_few(labels: Names, values: Sequence[Names]) -> bool:
    # For labels that name one right answer of several: a few more values are not a mistake.
    is_precise = len(values) <= _FEW or all(names & labels for names in values)
    return is_precise and contains_any_label(labels, values)


def f1_score(labels: Names, values: Sequence[Names]) -> float:
    # Harmonic mean of precision (over values) and recall (over labels); 0 without a match.
    correct = sum(bool(names & labels) for names in values)
    if not correct:
        return 0.0
    covered = len(labels & {name for names in values for name in names})
    precision, recall = correct / len(values), covered / len(labels)
    return 2 * precision * recall / (precision + recall)


NAME_METRICS: Mapping[str, Callable[[Names, Sequence[Names]], float]] = {
    "contains": contains_all_labels,
    "exact": matches_exactly,
    "hits@1": is_first_value_right,
    "reaches": contains_any_label,
    "hits": contains_label_among_few,
    "f1": f1_score,
}


def percentile(numbers: Sequence[float], share: float) -> float | None:
    # The smallest number that at least ``share`` of the numbers do not exceed.
    if not numbers:
        return None
    return sorted(numbers)[max(0, ceil(share * len(numbers)) - 1)]


# Denotation accuracy as the evaluator of WikiTableQuestions documents it.
#
# An answer is right if it has as many distinct values as the label and each value of the label has a match.
# Two values match if their normalized texts are equal, or both are numbers and nearly equal, or both are the
# same date. Values are read strictly, as by that evaluator (``1,234`` is a text). Labels may have separators
# of thousands, since the data has them as written.

_TOLERANCE = 1e-6
_QUOTES = str.maketrans({**dict.fromkeys("‘’´`", "'"), **dict.fromkeys("“”", '"')})
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—−", "-"))
_FOOTNOTE_MARKS = "•♦†‡*#+"

_DENOTED_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?", re.IGNORECASE | re.ASCII)
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?", re.ASCII)
_DATE = re.compile(r"(xx|xxxx|\d{1,9})-(xx|\d{1,2})-(xx|\d{1,2})", re.IGNORECASE | re.ASCII)
_UNKNOWN = -1


@dataclass(frozen=True, slots=True)
class Denotation:
    # ``text`` is normalized; a date is year, month and day.
    text: str
    number: float | None = None
    date: tuple[int, int, int] | None = None

    def matches(self, other: Denotation) -> bool:
        if self.text == other.text:
            return True
        if self.number is not None and other.number is not None:
            return abs(self.number - other.number) < _TOLERANCE
        return self.date is not None and self.date == other.date


def matches_denotation(labels: Sequence[str], values: Sequence[Value]) -> bool:
    # The order does not count.
    expected = _distinct([read_denotation(label, separators=True) for label in labels])
    actual = _distinct([read_denotation(value_text(value)) for value in values])
    return len(expected) == len(actual) and all(
        any(label.matches(value) for value in actual) for label in expected
    )


def read_denotation(text: str, *, separators: bool = False) -> Denotation:
    # With ``separators`` ``1,234`` is a number too.
    plain = text.strip()
    if separators and _THOUSANDS.fullmatch(plain):
        plain = plain.replace(",", "")
    if _DENOTED_NUMBER.fullmatch(plain):
        number = float(plain)
        # A number that overflows a float is a text, as inf and nan are.
        return Denotation(normalize_text(text), number if abs(number) != float("inf") else None)
    year, month, day = _read_date(plain)
    if month != _UNKNOWN or day != _UNKNOWN:
        return Denotation(normalize_text(text), date=(year, month, day))
    return Denotation(normalize_text(text), None if year == _UNKNOWN else float(year))


def normalize_text(text: str) -> str:
    # Lower case, without accents, typographic signs and remarks at the end. Remarks are footnote
    # marks, ``[…]`` after a text, ``[7]``, parentheses after a space, and quotes around the whole
    # text. They are removed repeatedly; then one full stop is removed.
    decomposed = unicodedata.normalize("NFKD", text)
    plain = "".join(c for c in decomposed if unicodedata.category(c) != "Mn")
    stripped = _without_remarks(plain.translate(_QUOTES).translate(_DASHES))
    return " ".join(stripped.removesuffix(".").split()).lower()


def _without_remarks(text: str) -> str:
    # Work with positions from the end: slicing the text for each remark would be quadratic.
    start, end = 0, len(text)
    second_quote = text.find('"', text.find('"') + 1)
    while True:
        while start < end and text[start].isspace():
            start += 1
        while start < end and text[end - 1].isspace():
            end -= 1
        if start == end:
            return ""
        last = text[end - 1]
        cut = end
        if last in _FOOTNOTE_MARKS:
            cut = end - 1
        elif last == "]":
            cut = _citation_start(text, start, end)
        elif last == ")":
            # The start of the parentheses with the space before them; ``end`` without a space.
            opening = text.find(" (", text.rfind(")", start, end - 1) + 1 or start, end)
            cut = end if opening < 0 else opening
        elif last == '"' and text[start] == '"' and start < end - 1 == second_quote:
            start, cut = start + 1, end - 1
        if cut == end:
            return text[start:end]
        end = cut


def _citation_start(text: str, start: int, end: int) -> int:
    # ``end`` if the brackets are the whole text and not a number.
    opening = text.find("[", text.rfind("]", start, end - 1) + 1 or start, end)
    if opening == start and not text[opening + 1 : end - 1].isdecimal():
        opening = text.find("[", start + 1, end)
    return end if opening < 0 else opening


def _read_date(text: str) -> tuple[int, int, int]:
    # Year, month and day of ``yyyy-mm-dd``, with -1 for ``xx``; all -1 if it is not a date.
    match = _DATE.fullmatch(text)
    if match is None:
        return _UNKNOWN, _UNKNOWN, _UNKNOWN
    year, month, day = (_UNKNOWN if "x" in part.lower() else int(part) for part in match.groups())
    if month in (_UNKNOWN, *range(1, 13)) and day in (_UNKNOWN, *range(1, 32)):
        return year, month, day
    return _UNKNOWN, _UNKNOWN, _UNKNOWN


def _distinct(denotations: Sequence[Denotation]) -> list[Denotation]:
    by_key = {
        (d.date, d.number) if d.date or d.number is not None else d.text: d for d in denotations
    }
    return list(by_key.values())


# Comparison of tables: names and order of columns and order of rows do not count.
#
# Rows are compared as multisets for each assignment of columns to columns. Ten columns have 3.6 million
# permutations; but columns with different values, and first columns whose rows disagree, exclude nearly all.

Cell: TypeAlias = Value | None
TableRows: TypeAlias = Sequence[Sequence[Cell]]
TableMatch: TypeAlias = Literal["same", "extra columns", "missing columns", "overlap", "other"]
"""``extra columns``: all expected columns, and more; ``missing columns``: only expected columns, but not all;
``overlap``: at least half of the expected columns, and others."""

_CELL_NUMBER = re.compile(r"[+-]?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?")
_MIDNIGHT = re.compile(r"(\d{4}-\d\d-\d\d)[T ]00:00(?::00(?:\.0+)?)?(?:Z|\+00:00)?")
_RELATIVE_TOLERANCE = Decimal("1e-9")
"""For quotients, which have 12 or 17 digits. Whole numbers are compared exactly, since they can be ids."""

_Columns: TypeAlias = list[tuple[Hashable, ...]]


def compare_tables(expected: TableRows, actual: TableRows) -> TableMatch:
    # A table without rows matches only one without rows.
    if not expected or not actual:
        return "other" if expected or actual else "same"
    if len(expected) != len(actual):
        return "other"
    left, right = _comparable_columns(expected, actual)
    if len(left) <= len(right) and _has_assignment(left, right, 0):
        return "same" if len(left) == len(right) else "extra columns"
    if len(right) < len(left) and _has_assignment(right, left, 0):
        return "missing columns"
    return "overlap" if _has_assignment(left, right, len(left) // 2) else "other"


def _has_assignment(left: _Columns, right: _Columns, spare: int) -> bool:
    # Whether all columns of ``left`` but ``spare`` have a column in ``right`` so that rows agree.
    counts = [Counter(column) for column in right]
    options = [
        [index for index, values in enumerate(counts) if values == Counter(column)]
        for column in left
    ]
    # Columns with the fewest options first; a column without options is spared at once.
    order = sorted(range(len(left)), key=lambda index: len(options[index]))

    def assign(number: int, spare: int, pairs: tuple[tuple[int, int], ...]) -> bool:
        if number == len(order):
            return True
        for target in options[order[number]]:
            extended = (*pairs, (order[number], target))
            is_free = all(target != assigned for _, assigned in pairs)
            if (
                is_free
                and _rows_agree(left, right, extended)
                and assign(number + 1, spare, extended)
            ):
                return True
        return spare > 0 and assign(number + 1, spare - 1, pairs)

    return assign(0, spare, ())


def _rows_agree(left: _Columns, right: _Columns, pairs: Sequence[tuple[int, int]]) -> bool:
    left_rows = zip(*(left[index] for index, _ in pairs), strict=True)
    right_rows = zip(*(right[index] for _, index in pairs), strict=True)
    return Counter(left_rows) == Counter(right_rows)


def _comparable_columns(expected: TableRows, actual: TableRows) -> tuple[_Columns, _Columns]:
    tables = [[[_read_cell(cell) for cell in row] for row in rows] for rows in (expected, actual)]
    rounded = _round_numbers({cell for rows in tables for row in rows for cell in row})
    left, right = (
        list(zip(*([rounded.get(cell, cell) for cell in row] for row in rows), strict=True))
        for rows in tables
    )
    return left, right


def _round_numbers(cells: Set[Hashable]) -> Mapping[Hashable, Decimal]:
    # Nearly equal numbers that are not whole map to one of them.
    rounded: dict[Hashable, Decimal] = {}
    last: Decimal | None = None
    for number in sorted(cell for cell in cells if isinstance(cell, Decimal)):
        whole = number.to_integral_value()
        if number == whole:
            continue
        tolerance = _RELATIVE_TOLERANCE * max(abs(number), Decimal(1))
        if abs(number - whole) <= tolerance:
            rounded[number] = whole
        else:
            last = last if last is not None and number - last <= tolerance else number
            rounded[number] = last
    return rounded


def _read_cell(cell: Cell) -> Hashable:
    # A number or a day may be text; an id with leading zeros stays text.
    if cell is None:
        return None
    if not isinstance(cell, str):
        return Decimal(str(cell))
    text = cell.strip()
    if _CELL_NUMBER.fullmatch(text):
        return Decimal(text)
    midnight = _MIDNIGHT.fullmatch(text)
    return midnight[1] if midnight else text
