"""Conditions on cells: equality, order, extremes, and parts of a text.

An order never falls back to the alphabet. A cell that is not a number or date is skipped and counted. If all
are skipped, the column is text: that is a problem, not an empty answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from operator import ge, gt, le, lt
from typing import Literal

from ..deadline import watch
from ..language.ast import ProblemKind
from ..language.lexer import TEXT_OPERATORS
from ..language.selectors import EXTREMES, MOST, find_selector
from ..lexicon.words import WORDS
from ..matching import normalize_name
from ..values import (
    Value,
    compare_values,
    convert_to_base_unit,
    find_comparison_kind,
    is_on_yearly_days,
    read_truths,
)
from .judgments import judge_extreme, judge_order
from .notes import NoteCollector, NoteKind
from .results import Cell, EvaluationError
from .time_forms import read_time_bounds


@dataclass(frozen=True, slots=True)
class FilteredCells:
    """Places of the cells that fulfil a condition, and the cells that it cannot compare.

    ``by_alphabet``: no cell is a number or date. ``undecided``: cells without a time of day, which decides
    here. ``readings`` are remarks on bounds that can be read in two ways.
    """

    places: list[int]
    skipped: Sequence[Cell] = ()
    by_alphabet: bool = False
    undecided: Sequence[Cell] = ()
    readings: Sequence[str] = ()

    def add_notes(self, notes: NoteCollector, cells: Sequence[Cell]) -> None:
        kind = NoteKind.ALPHABET if self.by_alphabet else NoteKind.NOT_COMPARABLE
        notes.add_cells(kind, cells if self.by_alphabet else self.skipped, len(cells))
        notes.add_cells(NoteKind.TIME_OF_DAY, self.undecided, len(cells))
        notes.add_readings(self.readings)


def is_same_cell(first: Cell, second: Cell) -> bool:
    """Compare by node, else by number or date, else by normalized text."""
    if first.node is not None and first.node == second.node:
        return True
    if first.value is None or second.value is None:
        is_same_text = normalize_name(first.text) == normalize_name(second.text)
        return first.text == second.text or is_same_text
    is_equal = compare_values(first.value, "=", second.value)
    if is_equal is None:
        # 5 March equals 5 March of any year. Dollars and euros are equal only if written the same.
        return (
            is_on_yearly_days(first.value, second.value)
            or is_on_yearly_days(second.value, first.value)
            or first.text == second.text
        )
    return is_equal and (second.value.start is None or _is_at_time(first, second))


def _is_at_time(cell: Cell, bound: Cell) -> bool:
    """False if ``bound`` has a time of day, and the cell another one or none."""
    time = read_time_of_day(bound)
    return time is None or read_time_of_day(cell) == time


def filter_cells(
    cells: Sequence[Cell],
    operator: str,
    bounds: Sequence[Cell],
    position: int,
    *,
    by_name: bool = True,
) -> FilteredCells:
    """Find the cells that are in the relation ``operator`` to one of ``bounds``; for ``!=`` to all.

    Without ``by_name``, two nodes are not the same because they have one name.
    """
    if operator in TEXT_OPERATORS:
        return FilteredCells(find_texts(cells, operator, bounds))
    bounds, readings = read_time_bounds(cells, bounds)
    if operator in ("=", "!="):
        is_wanted = operator == "="
        places = [
            place
            for place, cell in enumerate(watch(cells))
            if any(_is_equal(cell, bound, by_name) for bound in watch(bounds)) == is_wanted
        ]
        return FilteredCells(places, readings=readings)
    try:
        return replace(_filter_by_order(cells, operator, bounds, position), readings=readings)
    except EvaluationError:
        judged = judge_order(cells, operator, bounds)
        if judged is None:
            raise
        return FilteredCells(judged)


def _is_equal(cell: Cell, bound: Cell, by_name: bool) -> bool:
    are_nodes = cell.node is not None and bound.node is not None and cell.node != bound.node
    if are_nodes and not by_name and (cell.value is None or bound.value is None):
        return False
    return is_same_cell(cell, bound)


def _filter_by_order(
    cells: Sequence[Cell], operator: str, bounds: Sequence[Cell], position: int
) -> FilteredCells:
    decisive = _find_decisive(operator, bounds, position) if cells else None
    if decisive is None or decisive.value is None:
        return FilteredCells([])
    bound = add_year(decisive.value, (cell.value for cell in cells))
    units = {b.value.unit for b in bounds if b.value is not None and b.value.unit}
    # Beside 9 km and 9000 m, 5,000 is larger as kilometres and smaller as metres.
    needs_unit = bound.number is not None and len(units) > 1
    time = read_time_of_day(decisive)
    places: list[int] = []
    skipped: list[Cell] = []
    undecided: list[Cell] = []
    for place, cell in enumerate(watch(cells)):
        value = None if cell.value and needs_unit and not cell.value.unit else cell.value
        holds = None if value is None else compare_values(value, operator, bound)
        if time is not None and cell.value and cell.value.start == cell.value.end == bound.start:
            own_time = read_time_of_day(cell)
            if own_time is None:
                undecided.append(cell)
            holds = own_time is not None and _ORDERS[operator](own_time, time)
        if holds is None:
            skipped.append(cell)
        elif holds:
            places.append(place)
    if cells and len(skipped) == len(cells):
        message = (
            f"none of {len(cells)} values, such as {_quote_first(cells)}, can be compared with "
            f"{bounds[0].text[:60]!r} by {operator}"
        )
        raise EvaluationError(ProblemKind.NOT_COMPARABLE, message, position)
    return FilteredCells(places, skipped, undecided=undecided)


_ORDERS: dict[str, Callable[[float, float], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}


_TEXT_TESTS: dict[str, Callable[[str, str], bool]] = {
    "contains": lambda text, part: part in text,
    "starts with": str.startswith,
    "ends with": str.endswith,
}


def find_texts(cells: Sequence[Cell], operator: str, bounds: Sequence[Cell]) -> list[int]:
    """Find the places of texts that contain, start with or end with one of ``bounds``.

    Texts are normalized as names are. A bound without letters and digits (``%``) is compared as written.
    """
    is_fitting = _TEXT_TESTS[operator]
    words = [normalize_name(bound.text, None) for bound in bounds if has_words(bound.text)]
    signs = [bound.text.strip() for bound in bounds if not has_words(bound.text)]
    verdicts: dict[str, bool] = {}
    for text in watch(dict.fromkeys(cell.text for cell in cells)):
        normalized = normalize_name(text, None) if words else ""
        verdicts[text] = any(is_fitting(normalized, word) for word in words) or any(
            is_fitting(text.strip(), sign) for sign in signs if sign
        )
    return [place for place, cell in enumerate(cells) if verdicts[cell.text]]


def has_words(text: str) -> bool:
    return any(map(str.isalnum, text))


_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def rank_texts(first: Cell, second: Cell) -> tuple[Cell, Cell]:
    """Number two texts that differ only in numbers, so that they can be compared: ``6–8``, ``6–10``.

    A text is larger if none of its numbers is smaller. Other cells, and ``1–7`` beside ``3–2``, stay as
    they are.
    """
    is_row = first.position is not None or second.position is not None
    if is_row or first.value is not None or second.value is not None:
        return first, second
    if _NUMBER.split(first.text) != _NUMBER.split(second.text):
        return first, second
    pairs = zip(_read_numbers(first.text), _read_numbers(second.text), strict=True)
    signs = {(number > rival) - (number < rival) for number, rival in pairs}
    if not signs or signs >= {-1, 1}:
        return first, second
    return replace(first, value=Value(float(sum(signs)))), replace(second, value=Value(0.0))


def _read_numbers(text: str) -> list[float]:
    return [float(number.replace(",", "")) for number in _NUMBER.findall(text)]


_TIME_OF_DAY = re.compile(
    r"\d[T\s]+(\d{1,2}):(\d\d)(?::(\d\d(?:\.\d+)?))?(?:\s*([ap])\.?m\b)?", re.IGNORECASE
)


def read_time_of_day(cell: Cell) -> float | None:
    """Return the seconds since midnight of a cell whose text has a day and a time of that day."""
    if ":" not in cell.text or cell.value is None or cell.value.start is None:
        return None
    match = _TIME_OF_DAY.search(cell.text)
    if match is None:
        return None
    hours, minutes, seconds, half = match.groups()
    hour = int(hours)
    if half:
        hour = hour % 12 + 12 * (half.casefold() == "p")
    return hour * 3600 + int(minutes) * 60 + float(seconds or 0)


def find_undecided_times(cells: Iterable[Cell]) -> list[Cell]:
    """Find cells of a day without a time, of which other cells have one."""
    by_day: dict[int | None, list[Cell]] = {}
    for cell in cells:
        if cell.value is not None and cell.value.start is not None:
            by_day.setdefault(cell.value.start, []).append(cell)
    return [
        cell
        for same_day in by_day.values()
        if len(same_day) > 1 and any(read_time_of_day(cell) is not None for cell in same_day)
        for cell in same_day
        if read_time_of_day(cell) is None
    ]


def select_cells(
    cells: Sequence[Cell],
    operator: str,
    bounds: Sequence[Cell],
    position: int,
    *,
    by_name: bool = True,
) -> FilteredCells:
    """Filter cells; a word such as ``highest`` or ``most`` selects, unless a cell has that text."""
    is_single = len(bounds) == 1 and bounds[0].node is None and operator not in TEXT_OPERATORS
    word = find_selector(bounds[0].text) if is_single else None
    if word is None or any(normalize_name(cell.text) == word for cell in watch(cells)):
        return filter_cells(cells, operator, bounds, position, by_name=by_name)
    if word in MOST:
        present = [place for place, cell in enumerate(cells) if not cell.is_missing]
        places = find_frequent([cells[place].identity for place in watch(present)], MOST[word])
        return FilteredCells([present[place] for place in places])
    return find_selected(cells, word, position)


def find_selected(cells: Sequence[Cell], word: str, position: int) -> FilteredCells:
    """Find the extremes that ``word`` means, such as ``highest``; texts have none."""
    if not cells or any(cell.value is not None for cell in cells):
        return find_extremes(cells, EXTREMES[word])
    judged = judge_extreme(cells, word)
    if judged is None:
        message = f"{word} needs numbers or dates, and {_quote_first(cells)} is none"
        raise EvaluationError(ProblemKind.NOT_COMPARABLE, message, position)
    return FilteredCells(judged)


def _quote_first(cells: Sequence[Cell]) -> str:
    return repr(next((cell.text for cell in cells if cell.text), "")[:60])


_YEAR = 10_000  # the days of values are written as yyyymmdd


def add_year(bound: Value, values: Iterable[Value | None]) -> Value:
    """Give a day without a year the year of the values, if these are of one season."""
    if bound.start is None or bound.end is None or not 0 < bound.start < _YEAR:
        return bound
    days = [v.start for v in values if v is not None and v.start is not None]
    if not days or min(days) < _YEAR or max(days) - min(days) >= _YEAR:
        return bound
    first, last = min(days), max(days)
    starts = [year * _YEAR + bound.start for year in {first // _YEAR, last // _YEAR}]
    start = min(starts, key=lambda day: max(first - day, day - last, 0))
    return Value(None, None, start, start + bound.end - bound.start)


def decisive_bound(operator: str, bounds: Sequence[Cell], position: int) -> Value | None:
    """Return the value of the least bound for ``<`` and ``<=``, of the greatest for ``>`` and ``>=``."""
    bound = _find_decisive(operator, bounds, position)
    return bound.value if bound else None


def _find_decisive(operator: str, bounds: Sequence[Cell], position: int) -> Cell | None:
    readable = [bound for bound in bounds if bound.value is not None]
    if not bounds:
        return None
    if not readable:
        message = f"{operator} needs a number or a date, and {bounds[0].text[:60]!r} is text"
        raise EvaluationError(ProblemKind.NOT_COMPARABLE, message, position)
    ordered = sorted(readable, key=sort_key(readable))
    return ordered[0] if operator in ("<", "<=") else ordered[-1]


def sort_key(cells: Sequence[Cell]) -> Callable[[Cell], tuple[float, ...]]:
    """Return the sort key for cells with a value: by number, or by date if most of them are dates.

    On one day, cells without a time come first.
    """
    by_number = _are_mostly_numbers([cell.value for cell in cells if cell.value is not None])
    read_key = _sort_key(by_number=by_number)

    def key(cell: Cell) -> tuple[float, ...]:
        assert cell.value is not None
        time = None if by_number else read_time_of_day(cell)
        return (*read_key(cell.value), -1.0 if time is None else time)

    return key


def rank_cells(cells: Sequence[Cell]) -> list[tuple[object, ...]]:
    """Return keys that order cells by value if most have one, else by text; missing ones come last."""
    readable = [cell for cell in cells if cell.value is not None]
    key = sort_key(readable) if 2 * len(readable) > len(cells) else None
    return [
        (
            cell.is_missing,
            key is None or cell.value is None,
            () if key is None or cell.value is None else key(cell),
            cell.text.casefold(),
        )
        for cell in cells
    ]


def _sort_key(*, by_number: bool) -> Callable[[Value], tuple[float, float]]:
    if by_number:
        return lambda v: (
            (-1, 0) if v.number is None else (0, convert_to_base_unit(v.number, v.unit)[1])
        )
    return lambda v: (float("-inf"), 0) if v.start is None else (v.start, v.end or v.start)


def _are_mostly_numbers(values: Sequence[Value]) -> bool:
    numbers = sum(value.number is not None for value in values)  # a bare year is also a date
    return numbers >= sum(value.start is not None for value in values)


def find_extremes(cells: Sequence[Cell], upper: bool) -> FilteredCells:
    """Find the places of the greatest (``upper``) or least cells, ties included.

    Texts are compared by the alphabet if no cell is a number or date, and nobody judges them.
    """
    values = [cell.value for cell in watch(cells)]
    filled = [value for value in values if value is not None]
    if not filled:
        judged = judge_extreme(cells, "greatest" if upper else "least")
        if judged is not None:
            return FilteredCells(judged)
        texts = [(place, cell.text) for place, cell in enumerate(cells) if cell.text]
        return FilteredCells(_find_extreme_texts(texts, upper), by_alphabet=bool(texts))
    by_number = _are_mostly_numbers(filled)
    readable = [
        place
        for place, value in enumerate(values)
        if value and (value.number if by_number else value.start) is not None
    ]
    read_key = _sort_key(by_number=by_number)
    keys = [read_key(value) for place in watch(readable) if (value := values[place])]
    best = (max if upper else min)(keys)
    places = [place for place, key in zip(readable, keys, strict=True) if key == best]
    compared = set(readable) if len(readable) < len(cells) else None
    skipped = [] if compared is None else [c for p, c in enumerate(cells) if p not in compared]
    if by_number:
        return FilteredCells(places, skipped)
    # Of the last or first day, the last or first moment; a cell without a time may be of any moment.
    undecided = find_undecided_times(cells[place] for place in places)
    times = {place: read_time_of_day(cells[place]) for place in places}
    known = [time for time in times.values() if time is not None]
    moment = (max if upper else min)(known, default=None)
    places = [place for place in places if times[place] in (None, moment)]
    return FilteredCells(places, skipped, undecided=undecided)


_DIGITS = re.compile(r"(\d+(?:\.\d+)?)")


def _find_extreme_texts(texts: Sequence[tuple[int, str]], upper: bool) -> list[int]:
    """Find the last (``upper``) or first text; numbers in texts count by value: ``9-1``, ``10-2``.

    If a third of the texts have numbers, those without are ignored.
    """
    with_number = [(place, text) for place, text in watch(texts) if _DIGITS.search(text)]
    if len(with_number) * 3 >= len(texts):
        texts = with_number
    keys = {place: _alphabet_key(text) for place, text in texts}
    best = (max if upper else min)(keys.values(), default=())
    return [place for place in keys if keys[place] == best]


def _alphabet_key(text: str) -> tuple[tuple[float, str], ...]:
    parts = _DIGITS.split(normalize_name(text))
    # Every second part is a number. Words come after numbers.
    return tuple(
        (float(part), "") if place % 2 else (float("inf"), part)
        for place, part in enumerate(parts)
        if part
    )


def find_frequent(identities: Sequence[object], most: bool) -> list[int]:
    counts = Counter(identities)
    best = (max if most else min)(counts.values(), default=0)
    return [place for place, identity in enumerate(identities) if counts[identity] == best]


def find_containing(cells: Sequence[Cell], bound: Cell) -> list[int]:
    """Find the places of texts with a number or date as a separate word: ``2007`` in ``2007–08``.

    A range also contains the date at which it begins or ends. A cell that is itself a number contains none:
    ``(1,250)`` is not 1,250.
    """
    if bound.value is None:
        return []
    pattern = re.compile(
        rf"(?<![\w.,]){re.escape(bound.text.strip())}(?![\w]|[.,]\d)", re.IGNORECASE
    )
    return [
        place
        for place, cell in enumerate(watch(cells))
        if (cell.value is None or find_comparison_kind(cell.value, bound.value) != "number")
        and (pattern.search(cell.text) or _begins_or_ends_at(cell.value, bound.value))
    ]


def _begins_or_ends_at(value: Value | None, day: Value) -> bool:
    if value is None or value.start is None or value.end is None:
        return False
    return day.start is not None and day.start == day.end in (value.start, value.end)


def read_month(text: str) -> int | None:
    word = text.strip().casefold().rstrip(".")
    return next(
        (n for n, month in enumerate(WORDS.times.months, 1) if word in (month, month[:3])), None
    )


def find_in_month(cells: Sequence[Cell], month: int) -> list[int]:
    """Find the places of days in a month of any year, and of texts with its name."""
    name = WORDS.times.months[month - 1]
    pattern = re.compile(rf"\b(?:{name}|{name[:3]})\b", re.IGNORECASE)
    return [
        place
        for place, cell in enumerate(watch(cells))
        if (pattern.search(cell.text) if cell.value is None else _only_month(cell.value) == month)
    ]


def _only_month(value: Value) -> int | None:
    if value.start is None or value.end is None or value.start // 100 != value.end // 100:
        return None
    return value.start // 100 % 100


def find_truths(cells: Sequence[Cell], truth: bool) -> list[int]:
    """Find the places of cells that say ``truth``; none unless all cells say yes or no.

    Numbers are not truths, unless they are 0 and 1 alone; the type boolean takes the values of a column away.
    """
    texts = {cell.text.strip() for cell in cells}
    if any(cell.value is not None for cell in watch(cells)) and texts - {""} != {"0", "1"}:
        return []
    truths = read_truths({cell.text for cell in cells}) or {}
    return [place for place, cell in enumerate(cells) if truths.get(cell.text) is truth]


def find_equal_values(
    cells: Sequence[Cell], bound: Cell, month: int | None, position: int
) -> tuple[list[int], Literal["value", "part"]]:
    """Find the places of cells in ``month``, else with the value of ``bound``, and say how they match.

    Without an equal value, texts that contain it as a word are found.
    """
    if month is not None:
        return find_in_month(cells, month), "part"
    places = filter_cells(cells, "=", (bound,), position).places
    return (places, "value") if places else (find_containing(cells, bound), "part")


_RANK = re.compile(r"(.*?)\s+(?:place|position|rank)", re.IGNORECASE)


def replace_number_word(text: str) -> str:
    """Replace ``first`` and ``1st place`` by 1, ``none`` by 0; return any other text unchanged."""
    rank = _RANK.fullmatch(text.strip())
    word = (rank[1] if rank else text).strip().casefold()
    for table in (WORDS.numbers.ordinals, WORDS.numbers.cardinals, {"none": 0}):
        if word in table:
            return str(table[word])
    return word if rank and word[:1].isdigit() else text
