"""Facts of a bulk load, each once, however often its source repeats it.

A fact that is certainly new passes at once. A fact that may be repeated is deferred to a file; at the end,
the hashes of all passed facts are scanned for the deferred ones, once. To keep all hashes in memory (the
alternative) would take eight bytes a fact and more.
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

from ..loading.batch import FactGroup, GroupFacts, Row
from .node_ids import BloomFilter, hash_facts

if TYPE_CHECKING:
    from .node_ids import Ints, Truths

CANDIDATES_PER_PASS = 200_000


@dataclass(frozen=True, slots=True)
class NumberedFacts:
    # ``group_indexes`` are the indexes of the facts' groups; ``details`` are the cells after the
    # line of a fact with an interval, qualifiers or a whole cell (``GroupFacts``), else None.
    groups: Sequence[FactGroup]
    group_indexes: Ints
    heads: Ints
    tails: Ints
    lines: Ints
    details: Sequence[Row | None]

    @classmethod
    def from_groups(cls, facts: dict[FactGroup, GroupFacts], nodes: Ints) -> NumberedFacts:
        # ``nodes`` are the ids of the batch's keys.
        heads, tails, lines = array("I"), array("I"), array("Q")
        details: list[Row | None] = []
        sizes = []
        for group in facts.values():
            heads.extend(group.heads)
            tails.extend(group.tails)
            lines.extend(group.lines)
            heads.extend(row[0] for row in group.detailed)
            tails.extend(row[1] for row in group.detailed)
            lines.extend(row[2] for row in group.detailed)
            details += [None] * len(group.heads)
            details += [row[3:] for row in group.detailed]
            sizes.append(len(group.heads) + len(group.detailed))
        return cls(
            list(facts),
            np.repeat(np.arange(len(facts)), sizes),
            nodes[np.array(heads, np.int64)],
            nodes[np.array(tails, np.int64)],
            np.array(lines, np.int64),
            details,
        )

    def select(self, mask: Truths) -> NumberedFacts:
        if mask.all():
            return self
        details = [self.details[index] for index in np.flatnonzero(mask).tolist()]
        indexes, heads, tails, lines = self.group_indexes, self.heads, self.tails, self.lines
        return NumberedFacts(
            self.groups, indexes[mask], heads[mask], tails[mask], lines[mask], details
        )

    def by_group(self) -> Iterator[tuple[FactGroup, slice]]:
        bounds = np.searchsorted(self.group_indexes, np.arange(len(self.groups) + 1)).tolist()
        for group, first, last in zip(self.groups, bounds[:-1], bounds[1:], strict=True):
            if first < last:
                yield group, slice(first, last)


class FactDeduplicator:
    def __init__(self, folder: Path, seen: BloomFilter | None = None) -> None:
        self._seen = seen or BloomFilter()
        self._relations: dict[tuple[str, str], int] = {}
        self._hashes = (folder / "hashes").open("w+b")
        self._deferred = (folder / "deferred").open("w+", encoding="utf-8")

    def close(self) -> None:
        self._hashes.close()
        self._deferred.close()

    def filter(self, facts: NumberedFacts) -> NumberedFacts:
        # Facts that are certainly new; the others are deferred.
        hashes = self._hash(facts)
        is_new = np.zeros(len(hashes), np.bool_)
        is_new[np.unique(hashes, return_index=True)[1]] = True
        first = np.flatnonzero(is_new)
        doubtful = first[self._seen.check_and_add(hashes[first])]
        is_new[doubtful] = False
        hashes[is_new].tofile(self._hashes)
        indexes: list[int] = doubtful.tolist()
        for index in indexes:
            group = facts.groups[facts.group_indexes[index]]
            ends = facts.heads[index], facts.tails[index], facts.lines[index]
            row = [*map(int, (hashes[index], *ends)), facts.details[index]]
            self._deferred.write(json.dumps([group, row]) + "\n")
        return facts.select(is_new)

    def _hash(self, facts: NumberedFacts) -> Ints:
        # Equal facts of a source have the same hash, whatever their file and line.
        pairs = [(group.source, group.relation) for group in facts.groups]
        numbers = [self._relations.setdefault(pair, len(self._relations)) for pair in pairs]
        relations = np.array(numbers, np.int64)[facts.group_indexes]
        hashes = hash_facts(relations, facts.heads, facts.tails)
        for index, details in enumerate(facts.details):
            if details is not None:
                hashes[index] = hash((int(hashes[index]), details[0], details[1], details[5]))
        return hashes

    def read_deferred(self) -> Iterator[NumberedFacts]:
        # The new facts among the deferred ones, each once.
        self._deferred.seek(0)
        written: set[int] = set()
        while lines := list(islice(self._deferred, CANDIDATES_PER_PASS)):
            candidates: dict[int, tuple[FactGroup, Row]] = {}
            for line in lines:
                group, (fact_hash, *row) = json.loads(line)
                candidates.setdefault(fact_hash, (FactGroup(*group), row))
            for fact_hash in written.intersection(candidates):
                del candidates[fact_hash]
            for fact_hash in list(self._find_passed(candidates)):
                candidates.pop(fact_hash, None)
            written.update(candidates)
            for group, (*numbers, details) in candidates.values():
                heads, tails, fact_lines = np.array(numbers, np.int64).reshape(3, 1)
                indexes = np.zeros(1, np.int64)
                yield NumberedFacts([group], indexes, heads, tails, fact_lines, [details])

    def _find_passed(self, hashes: Iterable[int]) -> Iterator[int]:
        candidates = np.array(list(hashes), np.int64)
        self._hashes.seek(0)
        while block := self._hashes.read(1 << 20):
            passed = np.frombuffer(block, np.int64)
            yield from passed[np.isin(passed, candidates)].tolist()
