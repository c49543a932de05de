"""Rows shorter than the header, as programs write them that leave out empty cells at the end of a row.

Such a row is read with empty cells at its end only if none of its cells can stand in a wrong column: all of
them agree with their columns, the last one belongs in its column and in none of those to its right, and other
rows show that the columns that it lacks may be empty. So a row with a lost delimiter, a half of a broken line
and a line that was cut off stay malformed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice

from trustuqa_neo4j.loading.formats import ReadOptions
from trustuqa_neo4j.values import MISSING_WORDS, read_value

from ._summary_rows import RawRow

MAX_EVIDENCE_ROWS = 10_000
"""Rows that are looked at when the first short row is found."""

MAX_COMPARED_ROWS = 2000
"""Rows as wide as the header among them whose cells are compared with those of shorter rows."""

_MIN_WIDTH = 3
"""A shorter row of a narrower table has no delimiter."""

_MIN_CELLS = 3
"""So many filled cells show which kinds of values are in a column; or rows, that it is empty."""

_MIN_MARKED_CELLS = 5

_MIN_SHORT_ROWS = 3
_SHORT_SHARE = 0.05
"""So many rows, and this part of all, are short by more than an accident."""

_RARE = 0.1
_FREQUENT = 0.5
_POSSIBLE = 0.1


def pad_short_rows(
    rows: Iterator[RawRow],
    height: int,
    width: int,
    read_again: Callable[[], Iterable[RawRow]],
    options: ReadOptions,
    place: str,
) -> Iterator[RawRow]:
    # ``rows`` begin with ``height`` lines of the header. ``read_again`` gives all of them once more.
    # ``width`` is the number of columns; 0: that of the cells in the header.
    header = list(islice(rows, height))
    yield from header
    width = width or max_width(header)
    if width < _MIN_WIDTH:
        yield from rows
        return
    evidence: _Evidence | None = None
    held: RawRow | None = None
    is_fit = True
    for row in rows:
        is_short = len(row.cells) < width and not row.error
        was_fit, is_fit = is_fit or row.after_blank, True
        if is_short:
            if evidence is None:
                evidence = _Evidence(islice(read_again(), height, None), width)
            is_fit = evidence.is_complete_start(row)
        # Two short lines, of which one does not fit, may be one line with a line break in a cell.
        if held is not None:
            is_alone = is_fit or row.after_blank
            yield _pad(held, width, options, place) if is_alone else held
            held = None
        if is_short and is_fit and was_fit:
            held = row
        else:
            yield row
    if held is not None:
        yield _pad(held, width, options, place)


def max_width(rows: Iterable[RawRow]) -> int:
    return max((len(row.cells) for row in rows), default=0)


def _pad(row: RawRow, width: int, options: ReadOptions, place: str) -> RawRow:
    what = "a row shorter than the header, which is read with empty cells at its end"
    options.remark(what, f"{place}:{row.line}")
    return row._replace(cells=[*row.cells, *[""] * (width - len(row.cells))])


class _Column:
    # The filled cells of a column in rows as wide as the header, and how often each occurs.
    def __init__(self, cells: Iterable[str]) -> None:
        self.counts = Counter(filter(None, map(str.strip, cells)))
        self.has_blanks = False

    @cached_property
    def size(self) -> int:
        return self.counts.total()

    @cached_property
    def kinds(self) -> Counter[str]:
        kinds: Counter[str] = Counter()
        for cell, count in self.counts.items():
            if cell not in MISSING_WORDS:
                kinds.update(dict.fromkeys(_list_kinds(cell), count))
        return kinds

    @cached_property
    def marks(self) -> frozenset[str]:
        """The signs that each cell has."""
        if self.size < _MIN_MARKED_CELLS:
            return frozenset()
        return frozenset.intersection(*map(_list_marks, self.counts))

    @cached_property
    def is_vocabulary(self) -> bool:
        """True if most cells recur."""
        recurrent = sum(count for count in self.counts.values() if count > 1)
        return recurrent >= _FREQUENT * self.size

    @cached_property
    def endings(self) -> Counter[str]:
        endings: Counter[str] = Counter()
        for cell, count in self.counts.items():
            endings[_name_ending(cell)] += count
        return endings

    def agrees(self, cell: str) -> bool:
        text = cell.strip()
        if not text or text in MISSING_WORDS:
            return True
        # A comma of a sentence has a blank after it.
        if cell[:1] == " " and not self.has_blanks:
            return False
        return any(self.kinds[kind] > _POSSIBLE * self.size for kind in _list_kinds(text))

    def may_be_whole(self, text: str) -> bool:
        """Return False for what looks like two cells without their delimiter, such as ``Oslo12``."""
        is_known = text in self.counts
        is_unusual = self.endings[_name_ending(text)] <= _POSSIBLE * self.size
        is_text = _list_kinds(text) == ("text",)
        return is_known or not (is_text and (self.is_vocabulary or is_unusual))


class _Evidence:
    # The columns of the first rows that are as wide as the header.
    def __init__(self, rows: Iterable[RawRow], width: int) -> None:
        self._rows: list[Sequence[str]] = []
        self._lengths: Counter[int] = Counter()
        for row in islice(rows, MAX_EVIDENCE_ROWS):
            if len(row.cells) == width and len(self._rows) < MAX_COMPARED_ROWS:
                self._rows.append(row.cells)
            if len(row.cells) > 1:
                self._lengths[len(row.cells)] += 1
        self._width = width
        self._columns: dict[int, _Column] = {}

    def _column(self, number: int) -> _Column:
        if number not in self._columns:
            cells = [row[number] for row in self._rows]
            column = self._columns[number] = _Column(cells)
            column.has_blanks = any(cell[:1] == " " for cell in cells)
        return self._columns[number]

    def _may_be_empty(self, number: int) -> bool:
        if not all(row[number].strip() for row in self._rows):
            return True
        short = sum(count for length, count in self._lengths.items() if length <= number)
        return short >= max(_MIN_SHORT_ROWS, _SHORT_SHARE * self._lengths.total())

    def is_complete_start(self, row: RawRow) -> bool:
        # Whether the cells of a short row are those of the first columns, and none of them is lost.
        cells = row.cells
        filled = [n for n, cell in enumerate(cells) if cell.strip()]
        valued = [n for n in filled if cells[n].strip() not in MISSING_WORDS]
        if row.is_cut_off or len(self._rows) < _MIN_CELLS or len(filled) < 2 or not valued:
            return False
        if not all(self._column(n).agrees(cell) for n, cell in enumerate(cells)):
            return False
        last = valued[-1]
        text, own = cells[last].strip(), self._column(last)
        missing = range(len(cells), self._width)
        if not own.may_be_whole(text) or not all(map(self._may_be_empty, missing)):
            return False
        others = map(self._column, range(last + 1, last + 1 + self._width - len(cells)))
        return all(any(check(text, own, other) for check in _EXCLUSIONS) for other in others)


def _list_kinds(text: str) -> tuple[str, ...]:
    value = read_value(text)
    if value is None:
        return ("text",)
    kinds = {"number": value.number, "date": value.start}
    return tuple(kind for kind, part in kinds.items() if part is not None)


def _name_ending(text: str) -> str:
    return "digit" if text[-1].isdigit() else "letter" if text[-1].isalpha() else "sign"


def _list_marks(text: str) -> frozenset[str]:
    return frozenset(sign for sign in text if not sign.isalnum() and not sign.isspace())


# Why a cell of the column ``own`` is not one of the column ``other``.


def _has_other_kind(text: str, own: _Column, other: _Column) -> bool:
    if not other.counts:
        return own.size >= _MIN_CELLS
    is_shown = min(own.size, other.size) >= _MIN_CELLS
    return is_shown and not any(other.kinds[kind] for kind in _list_kinds(text))


def _is_in_vocabulary(text: str, own: _Column, other: _Column) -> bool:
    return own.is_vocabulary and own.counts[text] > 1 and text not in other.counts


def _has_mark(text: str, own: _Column, other: _Column) -> bool:
    if other.size < _MIN_MARKED_CELLS:
        return False
    return any(
        sum(count for cell, count in other.counts.items() if mark in cell) <= _RARE * other.size
        for mark in own.marks & _list_marks(text)
    )


_EXCLUSIONS: tuple[Callable[[str, _Column, _Column], bool], ...] = (
    _has_other_kind,
    _is_in_vocabulary,
    _has_mark,
)
"""One of them must hold for each column to the right in which the last cell of a row might belong."""
