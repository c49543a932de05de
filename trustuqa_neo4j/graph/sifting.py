"""Which facts of a bulk load are new: each is written once, however often its source says it.

What certainly was not there before is passed on at once. A fact that may have been is set aside in a file;
at the end the hashes of all that was passed on are looked through for those, once. To keep all hashes in
memory (the alternative) would take eight bytes a fact and more.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .batched import Facts, Group, Row
from .numbering import Filter, hashes_of

if TYPE_CHECKING:
    from .numbering import Ints, Truths

ASIDE = 200_000
"""Facts set aside that are looked for at a time."""


@dataclass(frozen=True, slots=True)
class Numbered:
    """Facts of several groups by the numbers of their ends, group after group.

    ``of`` says which group each is of; ``more`` is what follows the line where a fact has an interval or
    qualifiers (``Facts``), else None.
    """

    groups: Sequence[Group]
    of: Ints
    heads: Ints
    tails: Ints
    lines: Ints
    more: Sequence[Row | None]

    @classmethod
    def made(cls, facts: dict[Group, Facts], numbers: Ints) -> Numbered:
        """Of facts that name their ends by places in ``numbers``."""
        heads, tails, lines = array("I"), array("I"), array("Q")
        more: list[Row | None] = []
        sizes = []
        for found in facts.values():
            for whole, part in ((heads, found.heads), (tails, found.tails), (lines, found.lines)):
                whole.extend(part)
            heads.extend(row[0] for row in found.held)
            tails.extend(row[1] for row in found.held)
            lines.extend(row[2] for row in found.held)
            more += [None] * len(found.heads)
            more += [row[3:] for row in found.held]
            sizes.append(len(found.heads) + len(found.held))
        return cls(
            list(facts),
            np.repeat(np.arange(len(facts)), sizes),
            numbers[np.array(heads, np.int64)],
            numbers[np.array(tails, np.int64)],
            np.array(lines, np.int64),
            more,
        )

    def kept(self, which: Truths) -> Numbered:
        """Some of them."""
        if which.all():
            return self
        more = [self.more[place] for place in np.flatnonzero(which).tolist()]
        of, heads, tails, lines = self.of, self.heads, self.tails, self.lines
        return Numbered(self.groups, of[which], heads[which], tails[which], lines[which], more)

    def by_group(self) -> Iterator[tuple[Group, slice]]:
        """Each group that has facts, and where they are."""
        bounds = np.searchsorted(self.of, np.arange(len(self.groups) + 1)).tolist()
        for group, first, last in zip(self.groups, bounds[:-1], bounds[1:], strict=True):
            if first < last:
                yield group, slice(first, last)


class Sieve:
    """Passes each fact on once; it keeps its notes in ``folder``."""

    def __init__(self, folder: Path, met: Filter | None = None) -> None:
        self._met = met or Filter()
        self._groups: dict[tuple[str, str], int] = {}
        self._hashes = (folder / "hashes").open("w+b")
        self._aside = (folder / "aside").open("w+", encoding="utf-8")

    def close(self) -> None:
        """Close its files."""
        self._hashes.close()
        self._aside.close()

    def sift(self, facts: Numbered) -> Numbered:
        """Those that certainly were not there before; the others are set aside."""
        told = self._told(facts)
        new = np.zeros(len(told), np.bool_)
        new[np.unique(told, return_index=True)[1]] = True
        first = np.flatnonzero(new)
        met = first[self._met.met(told[first])]
        new[met] = False
        told[new].tofile(self._hashes)
        for place in met.tolist():
            group = facts.groups[facts.of[place]]
            ends = facts.heads[place], facts.tails[place], facts.lines[place]
            row = [*map(int, (told[place], *ends)), facts.more[place]]
            self._aside.write(json.dumps([group, row]) + "\n")
        return facts.kept(new)

    def _told(self, facts: Numbered) -> Ints:
        """A hash of each fact: the same for the same facts of a source, whatever their file and line."""
        pairs = [(group.source, group.relation) for group in facts.groups]
        numbers = [self._groups.setdefault(pair, len(self._groups)) for pair in pairs]
        groups = np.array(numbers, np.int64)[facts.of]
        told = hashes_of(groups, facts.heads, facts.tails)
        for place, more in enumerate(facts.more):
            if more is not None:
                told[place] = hash((int(told[place]), more[0], more[1], more[5]))
        return told

    def left(self) -> Iterator[Numbered]:
        """Of the facts set aside, those that were not there before, each once."""
        self._aside.seek(0)
        written: set[int] = set()
        while asked := list(islice(self._aside, ASIDE)):
            found: dict[int, tuple[Group, Row]] = {}
            for line in asked:
                group, (told, *row) = json.loads(line)
                found.setdefault(told, (Group(*group), row))
            for told in written.intersection(found):
                del found[told]
            for told in list(self._written(found)):
                found.pop(told, None)
            written.update(found)
            for group, (*numbers, more) in found.values():
                heads, tails, lines = np.array(numbers, np.int64).reshape(3, 1)
                yield Numbered([group], np.zeros(1, np.int64), heads, tails, lines, [more])

    def _written(self, asked: Iterable[int]) -> Iterator[int]:
        """Those of the hashes that were passed on."""
        among = np.array(list(asked), np.int64)
        self._hashes.seek(0)
        while block := self._hashes.read(1 << 20):
            hashes = np.frombuffer(block, np.int64)
            yield from hashes[np.isin(hashes, among)].tolist()
