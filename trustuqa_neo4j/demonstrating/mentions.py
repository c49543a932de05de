"""What a question names: things of the data, numbers, dates, and what stands in brackets or quotes.

All runs of words are looked up at once, so that a name may be several words, in any case; that overlapping
ones are kept leaves it to the alignment which is meant. Taking the longest (the usual rule) reads *who
directed The Directors* wrongly in one of two ways.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from ..compiling import Program, Read
from ..dataset import Scope
from ..mapping import fold
from ..values import equal
from .columns import Table, cells_said
from .words import Wording, meant

LONGEST = 8
"""Words in a name that is not marked."""
_LONGEST_VALUE = 4
"""Words in a number or a date."""

Kind: TypeAlias = Literal["name", "number", "year", "date"]
"""What words of a question are; a ``year`` may be a number as well."""


@dataclass(frozen=True, slots=True)
class Mention:
    """Words of a question, from ``first`` to before ``last``, and what they are.

    ``datasets`` are those that have something of that name, ``columns`` those of the table asked that hold
    it; ``marked``: in brackets or quotes, so a name whether or not the data have it.
    """

    first: int
    last: int
    said: str
    kind: Kind
    datasets: frozenset[str] = frozenset()
    columns: frozenset[str] = frozenset()
    marked: bool = False

    @property
    def known(self) -> bool:
        """Whether the data have something of that name; a number or a date needs none."""
        return bool(self.datasets) or self.kind != "name"


@dataclass(frozen=True, slots=True)
class _Looked:
    datasets: set[str] = field(default_factory=set)
    columns: set[str] = field(default_factory=set)


def find_mentions(
    wording: Wording, scope: Scope, table: Table | None = None
) -> Program[tuple[Mention, ...]]:
    """All of them, in one round trip; in none where all cells of the table are at hand."""
    marked = tuple(_marked(wording))
    free = [
        (first, last)
        for first, last in runs(len(wording.words), LONGEST)
        if not any(m.first < last and first < m.last for m in marked)
    ]
    values = tuple(_values(wording, free))
    if table is not None and table.cells:
        return (*_cells(wording, free, marked, table), *values)
    said = {run: fold(wording.said(*run)) for run in free}
    names = sorted({*said.values(), *(fold(mention.said) for mention in marked)})
    columns = list(table.relations) if table is not None else []
    given = {"datasets": list(scope.datasets), "names": names, "source": scope.source}
    known: dict[str, _Looked] = {}
    for row in (yield Read("named_so", given | {"columns": columns})):
        held = [column for column in row["columns"] if column is not None]
        if columns and not held:
            continue
        looked = known.setdefault(row["folded"], _Looked())
        looked.datasets.add(row["dataset"])
        looked.columns.update(held)
    found = [
        Mention(*run, wording.said(*run), "name", *_frozen(known[folded]))
        for run, folded in said.items()
        if folded in known
    ]
    found += [
        Mention(m.first, m.last, m.said, m.kind, *_frozen(known.get(fold(m.said))), True)
        for m in marked
    ]
    return (*found, *values)


def _cells(
    wording: Wording, free: list[tuple[int, int]], marked: tuple[Mention, ...], table: Table
) -> Iterator[Mention]:
    """Runs that name cells of the table, whole or in part."""
    datasets = frozenset((table.dataset,))
    for run in free:
        name, held = cells_said(wording, *run, table)
        if held:
            yield Mention(*run, name, "name", datasets, held)
    for m in marked:
        name, held = cells_said(wording, m.first, m.last, table)
        known = datasets if held else frozenset()
        yield Mention(m.first, m.last, name or m.said, m.kind, known, held, True)


def _frozen(looked: _Looked | None) -> tuple[frozenset[str], frozenset[str]]:
    return (frozenset(looked.datasets), frozenset(looked.columns)) if looked else (frozenset(),) * 2


def runs(words: int, longest: int) -> Iterator[tuple[int, int]]:
    """From which word to before which, for all runs of words."""
    for first in range(words):
        for last in range(first + 1, min(first + longest, words) + 1):
            yield first, last


def _marked(wording: Wording) -> Iterator[Mention]:
    for part in wording.marked:
        inside = [
            n for n, w in enumerate(wording.words) if part.start <= w.start and w.end <= part.end
        ]
        if inside:
            kind = kind_of(part.text)
            yield Mention(inside[0], inside[-1] + 1, part.text, kind, marked=True)


def _values(wording: Wording, free: list[tuple[int, int]]) -> Iterator[Mention]:
    """Numbers and dates, each by the fewest words that say it."""
    for first, last in free:
        if last - first > _LONGEST_VALUE:
            continue
        said = wording.said(first, last)
        value = meant(said)
        if value is None:
            continue
        parts = [(first + 1, last), (first, last - 1)] if last - first > 1 else []
        fewer = [meant(wording.said(*part)) for part in parts]
        if not any(part is not None and equal(part, value) for part in fewer):
            yield Mention(first, last, said, kind_of(said))


def kind_of(said: str) -> Kind:
    """What a text is by itself."""
    value = meant(said)
    if value is None:
        return "name"
    if value.start is None:
        return "number"
    return "year" if value.number is not None else "date"
