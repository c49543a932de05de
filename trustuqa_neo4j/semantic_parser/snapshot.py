"""One table of a dataset in memory: its columns in order, and its cells with their values."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from operator import attrgetter
from pathlib import PurePath
from threading import Lock
from typing import Any, TypeAlias

from cachetools import LRUCache, cachedmethod

from ..lexicon.forms import stem
from ..lexicon.lexicon import load_graph_lexicon
from ..lexicon.words import WORDS
from ..matching import normalize_name, split_words
from ..reasoning.conditions import (
    filter_cells,
    find_equal_values,
    read_month,
    replace_number_word,
)
from ..reasoning.results import Cell
from ..values import (
    UNKNOWN_WORDS,
    Value,
    read_value,
)
from ..values.units import Unit, find_unit

RowSet: TypeAlias = tuple[int, ...]
Bounds: TypeAlias = tuple[tuple[str, str], ...]
"""Conditions of a cell: pairs of an operator and a text."""

_RANGES = 64  # of a column, whose rows are kept
_KIND_SHARE = 0.7  # of the cells of a column that has this kind
TRUE_TEXTS = WORDS.columns.true_texts
_BRACKETS = re.compile(r"\([^)]*\)|\[[^]]*\]")
_PERSON = re.compile(
    r"(?:[A-Z](?:\.|[\w'’-]+\.?) ?){1,3}(?:(?:van|de|von|del|da|la|der) )*[A-Z][\w'’-]+"
)
_AGENT_ENDINGS = WORDS.endings.professions
_CODE = re.compile(
    r"[A-Za-z]{1,4}[ -]?\d+[A-Za-z]?|(?=.*\d)(?!.*[^\W\d_]{5})[^\s,]+|(?=\S*\d)\S*_\S*"
)
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+|\S+@\S+")  # of a page, or of mail
NAME_WORDS = WORDS.columns.names
_NAME_SHARE = 0.5  # of different texts in a column of names
_SURE_NAME_SHARE = 0.8  # where two people may have one name, and a few have none
PLACE_WORDS = WORDS.columns.places
IDENTIFIER_WORDS = WORDS.columns.identifiers
_QUANTITIES = WORDS.columns.quantities
FALSE_TEXTS = WORDS.columns.false_texts
_BITS = frozenset(("0", "1"))
# As loads and pandas call a column without a title.
_UNNAMED = re.compile(r"column \d+|unnamed \d+")


_SEPARATORS = (";", "|", ", ", " / ", " + ", " & ")
_MIN_LISTS, _LIST_SHARE, _RECURRING_SHARE = 2, 1 / 3, 0.5
_MAX_PART_WORDS = 4


@dataclass(frozen=True, slots=True)
class SnapshotCell:
    text: str
    normalized: str
    value: Value | None

    @property
    def number(self) -> float | None:
        return self.value.number if self.value else None

    @property
    def is_unknown(self) -> bool:
        """True for *unknown*, ``?`` and the like."""
        return self.value is None and self.text.casefold() in UNKNOWN_WORDS


@dataclass(frozen=True)
class SnapshotColumn:
    """A column; ``cells`` has one entry per row, None for an empty cell.

    ``further`` has what a row has beside that: columns of one name are one relation, with several cells.
    """

    name: str
    position: int
    cells: tuple[SnapshotCell | None, ...]
    further: Mapping[int, tuple[SnapshotCell, ...]] = field(default_factory=dict)
    _rows_by_bounds: LRUCache[Any, RowSet] = field(
        default_factory=lambda: LRUCache(_RANGES), init=False, repr=False, compare=False
    )
    _lock: Lock = field(default_factory=Lock, init=False, repr=False, compare=False)

    def cells_at(self, row: int) -> tuple[SnapshotCell, ...]:
        cell = self.cells[row]
        return () if cell is None else (cell, *self.further.get(row, ()))

    @cached_property
    def members(self) -> tuple[tuple[int, SnapshotCell], ...]:
        """All cells that are not empty, each with its row."""
        return tuple((row, cell) for row in range(len(self.cells)) for cell in self.cells_at(row))

    @cached_property
    def operands(self) -> dict[str, Cell]:
        """Each text as the functions of the query language take it: cells of one text are one node."""
        cells = {cell.text: cell for _, cell in self.members}
        return {
            text: Cell(text, cell.value, None, node)
            for node, (text, cell) in enumerate(cells.items())
        }

    @cachedmethod(attrgetter("_rows_by_bounds"), lock=attrgetter("_lock"))
    def find_rows(self, bounds: Bounds) -> RowSet:
        """Find the rows whose cell fulfils all ``bounds``; many plans of a question have the same.

        Raises ``EvaluationError`` if no cell can be compared with a bound.
        """
        members = self.members
        for operator, text in bounds:
            places = self._find_places([cell for _, cell in members], operator, text)
            members = tuple(members[place] for place in places)
        return tuple(dict.fromkeys(row for row, _ in members))

    def _find_places(self, cells: list[SnapshotCell], operator: str, text: str) -> list[int]:
        """Find the places of cells that fulfil a condition; for ``=``, the same text goes first."""
        if operator != "=":
            bound = Cell(text, read_value(text))
            return filter_cells(self._operands_of(cells), operator, (bound,), 0).places
        normalized = normalize_name(text)
        return (
            [place for place, cell in enumerate(cells) if cell.text == text]
            or [place for place, cell in enumerate(cells) if cell.normalized == normalized]
            or self._find_values(cells, replace_number_word(text), read_month(text))
        )

    def _find_values(self, cells: list[SnapshotCell], text: str, month: int | None) -> list[int]:
        bound = Cell(text, read_value(text))
        if bound.value is None and month is None:
            return []
        return find_equal_values(self._operands_of(cells), bound, month, 0)[0]

    def _operands_of(self, cells: list[SnapshotCell]) -> list[Cell]:
        return [self.operands[cell.text] for cell in cells]

    @cached_property
    def is_ascending(self) -> bool:
        """True if the times of the rows, where they are known, never decrease."""
        starts = [cell.value.start for _, cell in self.members if cell.value is not None]
        times = [start for start in starts if start is not None]
        return all(first <= second for first, second in pairwise(times))

    @cached_property
    def has_days(self) -> bool:
        """True for dates of which one is a day, and no month or year."""
        values = (cell.value for _, cell in self.members)
        return self.kind == "date" and any(v and v.start and v.start == v.end for v in values)

    @cached_property
    def has_fractions(self) -> bool:
        """True for a column of numbers from 0 to 1, most of them between the two: shares of a whole."""
        numbers = [cell.number for _, cell in self.members if cell.number is not None]
        inner = sum(0 < number < 1 for number in numbers)
        return 2 * inner > len(numbers) and all(0 <= number <= 1 for number in numbers)

    @cached_property
    def words(self) -> tuple[str, ...]:
        return tuple(split_words(self.name))

    @cached_property
    def stems(self) -> tuple[str, ...]:
        return tuple(map(stem, self.words))

    @cached_property
    def content_stems(self) -> tuple[str, ...]:
        """The stems of the name without words of grammar."""
        return _stem_content(self.words)

    @cached_property
    def main_stems(self) -> tuple[str, ...]:
        """The content stems without a remark in brackets, which is mostly a unit; all if there is no more."""
        words = tuple(split_words(_BRACKETS.sub(" ", self.name))) or self.words
        return _stem_content(words) or tuple(map(stem, words))

    @cached_property
    def rows_by_text(self) -> dict[str, tuple[int, ...]]:
        """The rows of each normalized text."""
        rows: dict[str, dict[int, None]] = defaultdict(dict)
        for row, cell in self.members:
            rows[cell.normalized][row] = None
        return {text: tuple(numbers) for text, numbers in rows.items()}

    @cached_property
    def said_names(self) -> dict[str, str]:
        """Normalized texts of names such as ``Lee, Ann`` as people say them; empty for other columns."""
        said: dict[str, str] = {}
        for _, cell in self.members:
            surname, _, given = cell.text.partition(", ")
            if given and "," not in given and not any(map(str.isdigit, cell.text)):
                said[cell.normalized] = normalize_name(f"{given} {surname}")
        return said if len(said) >= _KIND_SHARE * len(self.rows_by_text) else {}

    @cached_property
    def texts_by_said_name(self) -> dict[str, tuple[str, ...]]:
        texts: dict[str, list[str]] = defaultdict(list)
        for text, said in self.said_names.items():
            texts[said].append(text)
        return {said: tuple(entries) for said, entries in texts.items()}

    def has_phrase(self, text: str, phrase: str) -> bool:
        """True if a normalized text has the words of ``phrase`` one after the other, as written or said."""
        forms = (text, self.said_names.get(text, text))
        return any(f" {phrase} " in f" {form} " for form in forms)

    @cached_property
    def texts_by_word(self) -> dict[str, tuple[str, ...]]:
        """The normalized texts that have a word."""
        texts: dict[str, list[str]] = defaultdict(list)
        for text in self.rows_by_text:
            for word in dict.fromkeys(text.split()):
                texts[word].append(text)
        return {word: tuple(entries) for word, entries in texts.items()}

    @cached_property
    def texts_by_part(self) -> dict[str, tuple[str, ...]]:
        """The normalized texts with a part such as *map* of ``map; lamp``; empty if cells have one value."""
        cells = {cell.normalized: cell.text for _, cell in self.members}
        for separator in _SEPARATORS:
            lists = sum(separator in text for text in cells.values())
            if lists >= _MIN_LISTS and lists >= _LIST_SHARE * len(cells):
                texts = _index_parts(cells, separator)
                recurring = sum(len(texts_of_part) > 1 for texts_of_part in texts.values())
                return texts if recurring >= _RECURRING_SHARE * len(texts) else {}
        return {}

    @cached_property
    def kind(self) -> str:
        """``number``, ``date``, ``year`` or ``text``: what most cells are."""
        counts = {"number": 0, "date": 0, "year": 0}
        total = 0
        for _, cell in self.members:
            total += not cell.is_unknown
            value = cell.value
            if value is not None and value.number is not None and value.start is not None:
                counts["year"] += 1
            elif value is not None and value.number is not None:
                counts["number"] += 1
            elif value is not None and value.start is not None:
                counts["date"] += 1
        if not total or sum(counts.values()) < _KIND_SHARE * total:
            return "text"
        if counts["number"] and counts["year"] and not counts["date"]:
            return "number" if counts["number"] > 0.2 * total else "year"
        return max(counts, key=lambda kind: counts[kind])

    @property
    def is_ordered(self) -> bool:
        return self.kind != "text"

    @cached_property
    def is_flag(self) -> bool:
        """True if all cells say yes or no."""
        texts = self.rows_by_text.keys()
        if texts & _BITS:
            return texts == _BITS
        return bool(texts & TRUE_TEXTS) and texts <= TRUE_TEXTS | FALSE_TEXTS

    @cached_property
    def is_unique(self) -> bool:
        return all(len(rows) == 1 for rows in self.rows_by_text.values())

    @cached_property
    def distinct_share(self) -> float:
        """The share of different texts among the rows."""
        return len(self.rows_by_text) / max(1, len(self.cells))

    @cached_property
    def is_identifier(self) -> bool:
        """True for numbers and codes that only tell rows apart, such as ``order_id``."""
        names_rows = self.counts_rows or bool(IDENTIFIER_WORDS & {*self.words[-1:]})
        return names_rows and self.is_unique

    @cached_property
    def has_amounts(self) -> bool:
        """True for numbers that are not codes."""
        return self.kind == "number" and not self.is_identifier

    @cached_property
    def counts_rows(self) -> bool:
        """True for a column without a title that numbers the rows: people do not know these numbers."""
        if not _UNNAMED.fullmatch(" ".join(self.words)):
            return False
        numbers = [cell.number for _, cell in self.members if cell.number is not None]
        is_numeric = len(numbers) == len(self.members)
        return is_numeric and all(first < second for first, second in pairwise(numbers))

    @cached_property
    def has_codes(self) -> bool:
        """True for codes such as ``B2``, ``E-101`` and ``50-00-0``, and for addresses."""
        texts = [cell.text for _, cell in self.members]
        codes = sum(bool(_CODE.fullmatch(text) or _ADDRESS.fullmatch(text)) for text in texts)
        return codes >= _KIND_SHARE * max(1, len(self.members))

    @cached_property
    def has_agents(self) -> bool:
        """True for persons and firms: ``R. Okafor``, or any names in a column such as ``Keeper``."""
        texts = {cell.text for _, cell in self.members}
        if self.kind != "text" or any(sign.isdigit() for text in texts for sign in text):
            return False
        head = self.main_stems[-1]
        if head.endswith(_AGENT_ENDINGS) and head not in load_graph_lexicon().persons.things:
            return all(text[:1].isupper() for text in texts)
        persons = sum(bool(_PERSON.fullmatch(text)) for text in texts)
        return persons >= _KIND_SHARE * max(1, len(texts))

    @cached_property
    def unknown_texts(self) -> tuple[str, ...]:
        """The texts such as *unknown* and *?*; none in a column of yes and no."""
        unknown = dict.fromkeys(cell.text for _, cell in self.members if cell.is_unknown)
        return () if self.is_flag else tuple(unknown)

    @cached_property
    def has_unknown_cells(self) -> bool:
        return None in self.cells or bool(self.unknown_texts)

    @cached_property
    def stated_unit(self) -> Unit | None:
        """The unit in the name of the column, such as that of ``Area (km²)`` and ``weight_kg``."""
        remark = _BRACKETS.search(self.name)
        if remark is not None:
            return find_unit(remark[0][1:-1].strip())
        *others, last = self.words or ("",)
        if "/" in self.name or "per" in others:
            return None  # *visitors/yr*
        is_word = len(last) > 1 and last not in WORDS.grammar.stop_words
        is_symbol = self.name.endswith(f"_{last}")  # *length_m*
        return find_unit(last) if others and (is_word or is_symbol) else None

    @cached_property
    def has_times(self) -> bool:
        """True for times of day, such as ``09:45``."""
        return any(":" in cell.text for _, cell in self.members[:1])

    @cached_property
    def measure(self) -> Unit | None:
        """The unit of the cells, or that in the name of the column; none for times of day."""
        if self.kind != "number" or self.has_times:
            return None
        return find_unit(self.unit) if self.unit else self.stated_unit

    @cached_property
    def quantities(self) -> frozenset[str]:
        """Words for what the unit measures, such as *price* for money, that the name does not have."""
        kind = self.measure.kind.split()[0] if self.measure else ""
        return _QUANTITIES.get(kind, frozenset()).difference(self.words)

    @cached_property
    def measured_words(self) -> frozenset[str]:
        """The words of the name, and of what the unit measures."""
        return self.quantities.union(self.words)

    @cached_property
    def unit(self) -> str | None:
        units = {cell.value.unit for _, cell in self.members if cell.value}
        return units.pop() if len(units) == 1 else None


def _index_parts(cells: Mapping[str, str], separator: str) -> dict[str, tuple[str, ...]]:
    """Map the parts of cells to normalized texts; nothing if parts are too long for names."""
    texts: dict[str, dict[str, None]] = defaultdict(dict)
    for normalized, text in cells.items():
        for part in map(normalize_name, text.split(separator)):
            if part.count(" ") >= _MAX_PART_WORDS:
                return {}
            texts[part][normalized] = None
    return {part: tuple(entries) for part, entries in texts.items() if part}


def _stem_content(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(stem(word) for word in words if word not in WORDS.grammar.stop_words)


@dataclass(frozen=True)
class TableSnapshot:
    """The cells of a table in memory, or of some rows if ``is_sample``; of several joined ``sources``."""

    name: str
    columns: tuple[SnapshotColumn, ...]
    is_sample: bool = False
    sources: tuple[str, ...] = ()
    size: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", len(self.columns[0].cells) if self.columns else 0)

    @property
    def source(self) -> str | None:
        """The source that its queries read; None for all sources."""
        return None if self.sources else self.name

    @cached_property
    def has_quantities(self) -> bool:
        """True if a column says how many of a thing a row has."""
        return any(
            column.kind == "number" and not WORDS.columns.counts.isdisjoint(column.words)
            for column in self.columns
        )

    @cached_property
    def complete_column(self) -> int | None:
        """The first column with a cell in each row."""
        return next((c.position for c in self.columns if None not in c.cells), None)

    @cached_property
    def key_column(self) -> int | None:
        """A column with another text in each row, the names of the rows if they are such.

        Of a sample none is known: the other rows may repeat its texts.
        """
        columns = () if self.is_sample else self.columns
        keys = [c.position for c in columns if c.is_unique and None not in c.cells]
        return self.name_column if self.name_column in keys else next(iter(keys), None)

    @property
    def rows(self) -> range:
        return range(self.size)

    def find_measures(self, unit: Unit) -> frozenset[int]:
        """Find the columns with amounts of the unit's kind; if there are none, those called so."""
        columns = [(c.position, c.measure, {*c.words}) for c in self.columns if c.is_ordered]
        measured = frozenset(
            c for c, own, _ in columns if own is not None and own.kind == unit.kind
        )
        words = _QUANTITIES.get(unit.kind.split()[0], frozenset())
        return measured or frozenset(c for c, own, name in columns if own is None and words & name)

    @cached_property
    def agents(self) -> int | None:
        """The only column of persons and firms."""
        columns = [column.position for column in self.columns if column.has_agents]
        return columns[0] if len(columns) == 1 else None

    @cached_property
    def row_stems(self) -> frozenset[str]:
        """The words of the table's name, which say what a row is: ``films.csv`` has films."""
        return frozenset(map(stem, self._name_words))

    @cached_property
    def has_telling_name(self) -> bool:
        """True if a plural in the table's name says what the rows are: *films*, not *export 17*."""
        return any(word != stem(word) for word in self._name_words)

    @cached_property
    def _name_words(self) -> tuple[str, ...]:
        words = split_words(PurePath(self.name).stem)
        return tuple(word for word in words if not word.isdigit())

    @cached_property
    def row_nouns(self) -> frozenset[str]:
        """Stems of nouns for a row: those of the table's name, and *store* where a column is *Store ID*."""
        identifiers = (c for c in self.columns if c.is_identifier and len(c.stems) > 1)
        named = (stem for c in identifiers for stem in c.stems[:-1])
        return self.row_stems.union(named)

    @cached_property
    def has_named_things(self) -> bool:
        """True if most rows have a name of their own, so that rows of one name are several things."""
        return self.columns[self.name_column].distinct_share >= _NAME_SHARE

    @cached_property
    def name_column(self) -> int:
        """The column that names the rows: of different texts if there is one, else of identifiers or codes.

        A *ship-to city* is where a row goes, no name of it; a *city* may be the name of a shop.
        Names may repeat: without either, the column with most different texts names the rows.
        """
        texts = [column for column in self.columns if column.kind == "text" and column.members]
        identifiers = [c for c in self.columns if c.is_identifier and not c.counts_rows]
        named = [column for column in texts if column.distinct_share >= _NAME_SHARE]
        # Half of the rows may have a remark, and each another one.
        sure = [c for c in named if self.names_most_rows(c)]
        unique = [column for column in sure if column.is_unique and column not in identifiers]
        codes = [column for column in unique if column.has_codes]
        places = [c for c in unique if len(c.words) > 1 and c.words[-1] in PLACE_WORDS]
        names = [column for column in named if NAME_WORDS & {*column.words}]
        # The full name differs more often than the last name.
        for columns in (texts, names):
            columns.sort(key=lambda column: -column.distinct_share)
        own = [c for c in (*unique, *identifiers) if self.row_stems & {*c.stems}]
        own += [c for c in self.columns if c.is_unique and {*c.stems} <= self.row_stems]
        choices = (
            *(column for column in unique if NAME_WORDS & {*column.words}),
            *(column for column in names if column in sure and self._names_rows(column)),
            *own,
            *(column for column in unique if column not in places and column not in codes),
            *names,
            *codes,
            *identifiers,
            *places,
            *texts,
            *self.columns,
        )
        return choices[0].position

    def names_most_rows(self, column: SnapshotColumn) -> bool:
        """True if nearly all rows have a text of their own in the column; one may always lack it."""
        spared = max(1, self.size - int(_SURE_NAME_SHARE * self.size))
        return len(column.rows_by_text) >= self.size - spared

    def _names_rows(self, column: SnapshotColumn) -> bool:
        """True for *name* and *pupil name*, of pupils; a booking is not its *guest name* or *item*."""
        others = {*column.stems} - WORDS.nouns.names
        return others < {*column.stems} and others <= self.row_nouns


def make_cell(text: str, value: Value | None) -> SnapshotCell:
    return SnapshotCell(text, normalize_name(text), value)


def make_column(
    name: str, position: int, size: int, members: Iterable[tuple[int, SnapshotCell]]
) -> SnapshotColumn:
    """Make a column of ``size`` rows of its cells that are not empty, each with its row."""
    cells: list[SnapshotCell | None] = [None] * size
    further: dict[int, tuple[SnapshotCell, ...]] = {}
    for row, cell in members:
        if cells[row] is None:
            cells[row] = cell
        else:
            further[row] = (*further.get(row, ()), cell)
    return SnapshotColumn(name, position, tuple(cells), further)
