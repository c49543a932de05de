"""A pattern as it is laid against questions: its words, and blanks for names and, in tables, for columns.

The demonstrations of a graph name relations that are there for the new question too. Those of a table name
columns of that table: the words of the question that named them become blanks as well, and where none did,
the column is still to be found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from ..language.functions import find
from ..language.query import Call, Infix, Listing, Literal, LLMQuery, Value
from ..language.writing import write
from ..mapping import fold
from .blanks import Blank, blanks
from .columns import naming, stems_of
from .comparisons import Comparison, compared
from .demonstration import Pattern
from .masking import Masked, mask
from .words import read_words, stem

_COLUMNS = frozenset(("relation", "key", "node1", "column", "by"))
"""Parameters that name columns."""
_ROWS = frozenset(("row number", "row index"))
"""What every table has, whatever its columns."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a demonstration: its name there, and the positions of its literals.

    ``number`` is that of the blank for the words that named it, None where none did. ``target``: the answer
    is of it.
    """

    name: str
    places: frozenset[int]
    number: int | None
    target: bool


@dataclass(frozen=True)
class Shape:
    """A pattern with its words; the blanks for names first, then for comparisons, then for columns."""

    pattern: Pattern
    masked: Masked
    read: LLMQuery
    words: tuple[str, ...]
    blanks: tuple[Blank, ...]
    comparisons: tuple[Comparison, ...] = ()
    columns: tuple[Column, ...] = ()

    @property
    def skeleton(self) -> str:
        """Its query without what is filled in: names, and columns in a table."""
        blanks = {place: "{}" for slot in self.masked.slots for place in slot.places}
        blanks |= {place: "[]" for column in self.columns for place in column.places}
        read = replace(self.read, target=()) if self.columns else self.read
        return write(read, lambda each: blanks.get(each.position) or repr(each.text))

    @property
    def stems(self) -> frozenset[str]:
        """Those of its words."""
        return frozenset(map(stem, self.words))


@lru_cache(maxsize=8192)
def shape(pattern: Pattern, of_table: bool) -> Shape | None:
    """The shape of a pattern; None where its query cannot be read."""
    masked = mask(pattern.question, pattern.query)
    if masked.read is None:
        return None
    words = [word.text for word in read_words(pattern.question).words]
    taken = {(slot.first, slot.last): number for number, slot in enumerate(masked.slots)}
    comparisons = tuple(compared(words, masked.slots, masked.read))
    for each in comparisons:
        taken[each.first, each.last] = len(taken)
    columns = _columns(words, masked.read, taken) if of_table else ()
    made = _blanked(words, taken)
    return Shape(pattern, masked, masked.read, made, blanks(masked), comparisons, columns)


def _columns(
    words: Sequence[str], read: LLMQuery, taken: dict[tuple[int, int], int]
) -> tuple[Column, ...]:
    """The columns of a query; the words that name them are entered in ``taken``."""
    places: dict[str, set[int]] = {}
    names: dict[str, str] = {}
    for literal in relations(read):
        places.setdefault(fold(literal.text), set()).add(literal.position)
        names.setdefault(fold(literal.text), literal.text)
    targets = {fold(target): target for target in read.target}
    for folded, target in targets.items():
        places.setdefault(folded, set())
        names.setdefault(folded, target)
    for rows in _ROWS:
        places.pop(rows, None)
    numbers = _numbered(words, places, taken)
    answer = _answer(read)
    if answer in places and answer not in numbers:
        # The words that named what is asked for named its column, though it is called otherwise.
        for folded in targets:
            if folded in numbers and not places.get(folded):
                numbers[answer] = numbers[folded]
    return tuple(
        Column(names[folded], frozenset(found), numbers.get(folded), folded in targets)
        for folded, found in places.items()
    )


def _numbered(
    words: Sequence[str], columns: Iterable[str], taken: dict[tuple[int, int], int]
) -> dict[str, int]:
    """Folded names of columns → the numbers of the blanks for the words that name them."""
    stems = [stem(word) for word in words]
    said = sorted(
        (-span.fit, span.first - span.last, span.first, span.last, folded)
        for folded in columns
        for span in naming(stems, stems_of(folded))
    )
    numbers: dict[str, int] = {}
    for _, _, first, last, folded in said:
        if folded not in numbers and all(last <= a or b <= first for a, b in taken):
            numbers[folded] = taken[first, last] = len(taken)
    return numbers


def _answer(read: LLMQuery) -> str:
    """The folded name of the column that the last step asks for; empty where it asks for none."""
    last = read.steps[-1].value
    named = [fold(literal.text) for literal in relations(LLMQuery(read.steps[-1:]))]
    return named[-1] if isinstance(last, Call) and named else ""


def _blanked(words: Sequence[str], taken: dict[tuple[int, int], int]) -> tuple[str, ...]:
    made: list[str] = []
    at = 0
    for (first, last), number in sorted(taken.items()):
        made += [*words[at:first], f"{{{number}}}"]
        at = last
    return (*made, *words[at:])


def relations(read: LLMQuery) -> Iterator[Literal]:
    """The literals of a query that name relations or columns."""
    waiting: list[tuple[Value, bool]] = [(step.value, False) for step in reversed(read.steps)]
    while waiting:
        value, column = waiting.pop()
        if isinstance(value, Literal):
            if column:
                yield value
        elif isinstance(value, Listing):
            waiting += [(member, column) for member in reversed(value.members)]
        elif isinstance(value, Infix):
            waiting += [(value.right, False), (value.left, False)]
        elif isinstance(value, Call):
            function = find(value.function)
            for argument in reversed(value.arguments):
                found = function.parameter(argument.name) if function and argument.name else None
                waiting.append((argument.value, found is not None and found.name in _COLUMNS))
