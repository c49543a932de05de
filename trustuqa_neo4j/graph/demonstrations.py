"""Demonstrations in the database: written, read, judged, and gathered into their patterns.

``(:Demonstration {dataset, key, …})-[:LIKE]->(:Pattern {dataset, key, …})``: verified ones belong to the
pattern that they have in common but for names. Whatever changes them locks their dataset first, so that
counts stay right whoever else is at it, and none outlives its dataset.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, TypeVar

from ..dataset import incomplete
from ..demonstrating.demonstration import Demonstration, State
from ..demonstrating.retrieving import demonstration, told_fields
from . import catalogue
from .connection import Connection, Transaction
from .discarding import BATCH, STATES, leave

T = TypeVar("T")

_SLOT = re.compile(r"\{\d+\}")


@dataclass(frozen=True, slots=True)
class Written:
    """How many demonstrations were new, were changed, were there just so, or were kept as they were.

    Kept are verified ones, unless they are to be replaced, where a query or answers differ.
    """

    new: int = 0
    changed: int = 0
    same: int = 0
    kept: int = 0

    def __add__(self, more: Written) -> Written:
        """Both together."""
        return Written(
            self.new + more.new,
            self.changed + more.changed,
            self.same + more.same,
            self.kept + more.kept,
        )


@dataclass(frozen=True, slots=True)
class Verdict:
    """What running a demonstration came to; a verified one has a ``template`` and a ``masked`` query."""

    demonstration: Demonstration
    state: State
    why: str = ""
    template: str = ""
    masked: str = ""

    @property
    def pattern(self) -> str:
        """The key of its pattern in its dataset."""
        return sha256(f"{self.template}\0{self.masked}".encode()).hexdigest()[:32]

    @property
    def words(self) -> str:
        """The words of the template, by which it is found: blanks left out."""
        return " ".join(_SLOT.sub(" ", self.template).split())


@dataclass(frozen=True, slots=True)
class Counts:
    """How many demonstrations of a dataset there are in each state, and how many patterns."""

    candidate: int
    verified: int
    failed: int
    patterns: int

    def of(self, states: Sequence[State]) -> int:
        """How many there are in any of ``states``."""
        return sum(getattr(self, state) for state in states)


def check(connection: Connection, dataset: str) -> None:
    """See that ``dataset`` is there and complete.

    Raises:
        UnknownDataset, IncompleteDataset
    """
    found = connection.read_one("describe_dataset", dataset=dataset)
    if not found:
        raise catalogue.unknown(connection, dataset)
    if not found[0]["complete"]:
        raise incomplete(dataset, connection.read_one("unfinished_loads", dataset=dataset))


def write(
    connection: Connection, dataset: str, given: Sequence[Demonstration], replace: bool = False
) -> Written:
    """Write demonstrations as candidates, each question of a source once; ``replace``: verified ones too.

    Raises:
        UnknownDataset, IncompleteDataset
    """
    connection.prepare()
    rows = [
        {
            "key": each.key,
            "question": each.question,
            "query": each.query,
            "answers": None if each.answers is None else list(each.answers),
            "source": each.source,
            "fields": told_fields(each.fields),
        }
        for each in given
    ]

    def work(transaction: Transaction) -> dict[str, int]:
        _lock(transaction, dataset)
        written = transaction.run(
            "write_demonstrations", dataset=dataset, rows=rows, replace=replace
        )
        became: dict[str, str] = dict(written.rows[0]["became"])
        leave(transaction, dataset, [key for key, how in became.items() if how == "changed"])
        return {how: list(became.values()).count(how) for how in set(became.values())}

    return Written(**_locked(connection, dataset, work))


def note(connection: Connection, dataset: str, verdicts: Sequence[Verdict]) -> None:
    """Record verdicts; those whose demonstration has another query by now, or is gone, are passed over.

    Raises:
        UnknownDataset, IncompleteDataset
    """
    told = [
        {"key": v.demonstration.key, "query": v.demonstration.query, "state": v.state, "why": v.why}
        for v in verdicts
    ]

    def work(transaction: Transaction) -> None:
        _lock(transaction, dataset)
        noted = transaction.run("note_verdicts_of_demonstrations", dataset=dataset, rows=told)
        keys = set(noted.rows[0]["keys"])
        rows = [
            {
                "key": v.demonstration.key,
                "pattern": v.pattern,
                "template": v.template,
                "words": v.words,
                "masked": v.masked,
            }
            for v in verdicts
            if v.state == "verified" and v.demonstration.key in keys
        ]
        left = transaction.run("unlike_demonstrations", dataset=dataset, keys=sorted(keys)).rows
        transaction.run("write_patterns", dataset=dataset, rows=rows)
        transaction.run("tidy_patterns", dataset=dataset, patterns=left[0]["patterns"])

    _locked(connection, dataset, work)


def pages(
    connection: Connection, dataset: str, states: Sequence[State]
) -> Iterator[list[Demonstration]]:
    """Demonstrations in any of ``states``, a page at a time; they may change state meanwhile."""
    given = {"dataset": dataset, "states": list(states), "limit": BATCH}
    after = ""
    while True:
        rows = connection.read_one("page_of_demonstrations", **given, after=after)
        found = [demonstration(row) for row in rows[0]["demonstrations"]]
        if found:
            yield found
            after = found[-1].key
        if len(found) < BATCH:
            return


def listed(
    connection: Connection, dataset: str, states: Sequence[State] = STATES
) -> list[Demonstration]:
    """All demonstrations in any of ``states``, by their questions."""

    def take(rows: Iterator[list[Any]]) -> list[Demonstration]:
        return [demonstration(row) for row in rows]

    return connection.stream("list_demonstrations", take, dataset=dataset, states=list(states))


def count(connection: Connection, dataset: str) -> Counts:
    """How many demonstrations and patterns a dataset has."""
    return Counts(**connection.read_one("count_demonstrations", dataset=dataset)[0])


def note_askable(
    connection: Connection, dataset: str, figures: Mapping[str, float | int | None]
) -> None:
    """Record the calibration of a dataset: ``threshold``, ``share``, ``precision`` and ``patterns``.

    Raises:
        UnknownDataset
    """
    if not connection.write(lambda tx: tx.run("note_askable", dataset=dataset, **figures).rows):
        raise catalogue.unknown(connection, dataset)


class _Gone(Exception):
    """The dataset is not there, or not complete: said in detail once the transaction is over."""


def _lock(transaction: Transaction, dataset: str) -> None:
    rows = transaction.run("lock_dataset", dataset=dataset).rows
    if not rows or not rows[0]["complete"]:
        raise _Gone


def _locked(connection: Connection, dataset: str, work: Callable[[Transaction], T]) -> T:
    while True:
        try:
            return connection.write(work)
        except _Gone:
            check(connection, dataset)  # it raises, unless a load has ended since
