"""Demonstrations in the database: stored, judged, and grouped by question pattern.

``(:Demonstration {dataset, key, …})-[:LIKE]->(:Pattern {dataset, key, …})``: usable demonstrations that
differ only in names share a pattern. Every change locks the dataset first, so that the counts of patterns
stay right and no demonstration outlives its dataset. For demonstrations that need several datasets, the name
of their group is in place of the dataset, and all of them are locked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from hashlib import sha256
from itertools import chain
from operator import add, attrgetter
from typing import TypeVar

from ..demonstrations.retrieval import encode_fields, read_demonstration
from ..model.demonstration import (
    KEPT_STATES,
    USABLE_STATES,
    Demonstration,
    DemonstrationState,
    format_group,
    split_group,
)
from . import catalog
from .catalog import DEMONSTRATION_STATES, DEMONSTRATIONS_PER_BATCH, detach_demonstrations
from .connection import Connection, Transaction

T = TypeVar("T")

_SLOT = re.compile(r"\{\d+\}")


@dataclass(frozen=True, slots=True)
class DemonstrationCounts:
    """Usable demonstrations with another query or other answers are ``kept`` unless they are replaced."""

    new: int = 0
    changed: int = 0
    same: int = 0
    kept: int = 0

    def __add__(self, counts: DemonstrationCounts) -> DemonstrationCounts:
        return DemonstrationCounts(*map(add, astuple(self), astuple(counts)))


@dataclass(frozen=True, slots=True)
class Verdict:
    # A usable demonstration has a ``template`` and a ``masked`` query.
    demonstration: Demonstration
    state: DemonstrationState
    why: str = ""
    template: str = ""
    masked: str = ""

    @property
    def pattern(self) -> str:
        return sha256(f"{self.template}\0{self.masked}".encode()).hexdigest()[:32]

    @property
    def words(self) -> str:
        # Words without slots, for the full-text index.
        return " ".join(_SLOT.sub(" ", self.template).split())


@dataclass(frozen=True, slots=True)
class StateCounts:
    candidate: int
    verified: int
    runs: int
    failed: int
    patterns: int

    @property
    def total(self) -> int:
        return self.candidate + self.verified + self.runs + self.failed

    def of(self, states: Sequence[DemonstrationState]) -> int:
        return sum(getattr(self, state) for state in states)


def check_complete(connection: Connection, dataset: str) -> None:
    for name in split_group(dataset):
        catalog.describe_complete_dataset(connection, name)


def write_demonstrations(
    connection: Connection,
    dataset: str,
    demonstrations: Sequence[Demonstration],
    replace: bool = False,
) -> DemonstrationCounts:
    # ``replace``: also in place of usable ones.
    connection.prepare()
    members = list(split_group(dataset))
    rows = [
        {
            "key": demonstration.key,
            "question": demonstration.question,
            "query": demonstration.query,
            "answers": None if demonstration.answers is None else list(demonstration.answers),
            "source": demonstration.source,
            "fields": encode_fields(demonstration.fields),
            # What a person rejects is never a candidate, also not for a moment.
            "state": demonstration.state if demonstration.state in KEPT_STATES else "candidate",
            "why": demonstration.why if demonstration.state in KEPT_STATES else "",
        }
        for demonstration in demonstrations
    ]

    def work(transaction: Transaction) -> Counter[str]:
        _lock(transaction, dataset)
        if len(members) > 1:
            transaction.run("write_dataset_group", group=dataset, datasets=members)
        reply = transaction.run("write_demonstrations", dataset=dataset, rows=rows, replace=replace)
        outcomes: dict[str, str] = dict(reply.rows[0]["became"])
        changed = [key for key, outcome in outcomes.items() if outcome == "changed"]
        detach_demonstrations(transaction, dataset, changed)
        return Counter(outcomes.values())

    return DemonstrationCounts(**_write_locked(connection, dataset, work))


def write_verdicts(connection: Connection, dataset: str, verdicts: Sequence[Verdict]) -> None:
    # A verdict is skipped if the demonstration is gone or has another query by now.
    states = [
        {
            "key": verdict.demonstration.key,
            "query": verdict.demonstration.query,
            "state": verdict.state,
            "why": verdict.why,
        }
        for verdict in verdicts
    ]

    def work(transaction: Transaction) -> None:
        _lock(transaction, dataset)
        reply = transaction.run("set_demonstration_states", dataset=dataset, rows=states)
        keys = set(reply.rows[0]["keys"])
        rows = [
            {
                "key": verdict.demonstration.key,
                "pattern": verdict.pattern,
                "template": verdict.template,
                "words": verdict.words,
                "masked": verdict.masked,
            }
            for verdict in verdicts
            if verdict.state in USABLE_STATES and verdict.demonstration.key in keys
        ]
        reply = transaction.run("detach_demonstrations", dataset=dataset, keys=sorted(keys))
        transaction.run("write_patterns", dataset=dataset, rows=rows)
        transaction.run("refresh_patterns", dataset=dataset, patterns=reply.rows[0]["patterns"])

    _write_locked(connection, dataset, work)


def read_pages(
    connection: Connection, dataset: str, states: Sequence[DemonstrationState]
) -> Iterator[list[Demonstration]]:
    # The states of the demonstrations may change between two pages.
    parameters = {"dataset": dataset, "states": list(states), "limit": DEMONSTRATIONS_PER_BATCH}
    after = ""
    while True:
        rows = connection.read_one("list_demonstrations", **parameters, after=after)
        page = [read_demonstration(row) for row in rows[0]["demonstrations"]]
        if page:
            yield page
            after = page[-1].key
        if len(page) < DEMONSTRATIONS_PER_BATCH:
            return


def list_demonstrations(
    connection: Connection,
    dataset: str,
    states: Sequence[DemonstrationState] = DEMONSTRATION_STATES,
) -> list[Demonstration]:
    demonstrations = chain.from_iterable(read_pages(connection, dataset, states))
    return sorted(demonstrations, key=attrgetter("question", "key"))


def count_demonstrations(connection: Connection, dataset: str) -> StateCounts:
    return StateCounts(**connection.read_one("count_demonstrations", dataset=dataset)[0])


def write_calibration(
    connection: Connection, dataset: str, calibration: Mapping[str, float | int | None]
) -> None:
    parameters = {"dataset": dataset, **calibration}
    if not connection.write_one("set_calibration", **parameters):
        raise catalog.make_unknown_dataset_error(connection, format_group(dataset))


class _DatasetGone(Exception):
    """Reported in detail after the transaction."""


def _lock(transaction: Transaction, dataset: str) -> None:
    for name in split_group(dataset):
        rows = transaction.run("lock_dataset", dataset=name).rows
        if not rows or not rows[0]["complete"]:
            raise _DatasetGone


def _write_locked(connection: Connection, dataset: str, work: Callable[[Transaction], T]) -> T:
    while True:
        try:
            return connection.write(work)
        except _DatasetGone:
            check_complete(connection, dataset)  # raises, unless a load has ended since
