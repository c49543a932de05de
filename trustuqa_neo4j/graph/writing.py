"""Facts into the database: loads that can be interrupted, batches that are never half there.

A dataset is made with all its loads in one transaction and is invisible until the last of them is
complete. Each batch is one transaction that locks the load, writes nodes and facts, and moves the load's
position on; so whatever kills loader or server, the next run continues at a position that is exactly what
has been written. A load has an owner from the transaction in which it begins, so that two processes never
both begin one; whoever goes on with a load that seemed abandoned makes the one before stop.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from shlex import quote
from typing import Any, Literal, TypeAlias

from ..errors import DatasetExists, IncompleteDataset, LoadRunning, LoadTakenOver
from ..mapping import fold
from ..triples import Fact
from . import owners
from .connection import Connection, Transaction

KEY_LENGTH = 1000
"""Keys longer than this many characters are cut and completed by a hash (index entries are limited)."""

RELATION_LENGTH = 1000
"""Characters that a relation's name may have, for the same reason."""


Begun: TypeAlias = Literal["new", "resumed", "unchanged", "other"]


@dataclass(frozen=True, slots=True)
class SourceFiles:
    """A source to load: its name, and name, size in bytes and sha256 of each of its files."""

    source: str
    files: tuple[str, ...]
    sizes: tuple[int, ...]
    hashes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A dataset to load: its name and kind, its sources, and the format and encoding they are read by."""

    dataset: str
    kind: str
    format: str
    encoding: str
    sources: tuple[SourceFiles, ...]


@dataclass(frozen=True, slots=True)
class Beginning:
    """How a load begins, and how many facts are there already."""

    begun: Begun
    facts: int = 0


@dataclass(frozen=True, slots=True)
class Position:
    """How far a load has come: which file, and how many facts of it have been read."""

    file: int
    facts: int


@dataclass(frozen=True, slots=True)
class Stopped:
    """Where a load stopped: the file, how many facts of it were read, how many the dataset then has."""

    file: str
    read: int
    facts: int


def key(name: str) -> str:
    """The key of a thing that has a name and no id."""
    if len(name) <= KEY_LENGTH:
        return name
    # One character longer than any name that is its own key, so that none can be mistaken for it.
    return name[: KEY_LENGTH - 64] + "#" + sha256(name.encode()).hexdigest()


def begin(connection: Connection, wanted: Wanted, owner: str) -> Beginning:
    """Make the dataset with its loads and take them over, or see what is there already.

    ``other`` means an unfinished load of other content, which is in the way and of no use any more.

    Raises:
        DatasetExists: it holds other sources or other files.
        IncompleteDataset: it is being dropped.
        LoadRunning: a process is loading it now.
    """

    def work(transaction: Transaction) -> Beginning:
        # Whether made or found, the dataset is locked from here on.
        if transaction.run("create_dataset", dataset=wanted.dataset, kind=wanted.kind).nodes:
            for source in wanted.sources:
                transaction.run(
                    "create_load",
                    dataset=wanted.dataset,
                    source=source.source,
                    format=wanted.format,
                    encoding=wanted.encoding,
                    files=list(source.files),
                    sizes=list(source.sizes),
                    hashes=list(source.hashes),
                    owner=owner,
                )
            return Beginning("new")
        state = transaction.run("dataset_state", dataset=wanted.dataset).rows[0]
        begun = _compare(wanted, state)
        if begun == "resumed":
            transaction.run("claim_loads", dataset=wanted.dataset, owner=owner)
        return Beginning(begun, state["facts"])

    return connection.write(work)


def _compare(wanted: Wanted, state: dict[str, Any]) -> Begun:
    dataset = wanted.dataset
    loads = {load["source"]: load for load in state["loads"]}
    drop = f"`tuqa drop {quote(dataset)}` removes it"
    if state["state"] == "dropping":
        raise IncompleteDataset(f"{dataset!r} is being dropped", hint=f"{drop} to the end")
    for load in state["loads"]:
        if load["state"] == "running" and owners.alive(load["owner"], load["idle"]):
            raise LoadRunning(
                f"{dataset!r} is being loaded by {owners.described(load['owner'])}",
                where=f"at {load['files'][load['file']]} after {load['position']:,} facts",
                hint="wait for it, or stop it and run this again to go on",
            )
    same_sources = loads.keys() == {source.source for source in wanted.sources} and all(
        tuple(loads[source.source]["hashes"]) == source.hashes for source in wanted.sources
    )
    read = {(load["format"], load["encoding"]) for load in state["loads"]}
    unchanged = same_sources and read == {(wanted.format, wanted.encoding)}
    if state["state"] != "complete":
        return "resumed" if unchanged else "other"
    if unchanged:
        return "unchanged"
    raise DatasetExists(
        f"{dataset!r} is there{', read in another way' if same_sources else ' with other content'}",
        where="it was loaded " + _how(state["loads"], same_sources),
        hint=f"choose another --dataset; {drop}",
    )


def _how(loads: Sequence[dict[str, Any]], same_sources: bool) -> str:
    if same_sources:
        return f"as {loads[0]['format']} in {loads[0]['encoding']}"
    names = [load["source"] for load in loads]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"from {', '.join(names[:3])}{more}"


class SourceLoad:
    """One source's load, as owned by ``owner``."""

    def __init__(self, connection: Connection, dataset: str, source: str, owner: str) -> None:
        self._connection = connection
        self._names = {"dataset": dataset, "source": source}
        self._owner = owner
        self._relations: set[str] = set()

    def claim(self) -> Position | None:
        """Make the load its owner's; how far it has come, None where it is complete.

        Raises:
            LoadTakenOver: it is there no more.
        """
        rows = self._connection.write(
            lambda tx: tx.run("claim_load", owner=self._owner, **self._names).rows
        )
        if not rows:
            raise self._taken_over()
        done = rows[0]["state"] == "complete"
        return None if done else Position(rows[0]["file"], rows[0]["position"])

    def write(self, facts: Sequence[Fact], before: Position, after: Position) -> int:
        """Write one batch of the file of ``after``; how many facts were new.

        ``before`` is where the load stood, as recorded, and ``after`` where it then stands.

        Raises:
            LoadTakenOver
        """
        distinct = {(fact.head, fact.relation, fact.tail): fact.line for fact in reversed(facts)}
        names = dict.fromkeys(name for head, _, tail in distinct for name in (head, tail))
        keys = {name: key(name) for name in names}
        nodes = [[keys[name], name, fold(name)] for name in names]
        # The order of the file, so that facts lie in the store as they are read.
        rows = [[keys[h], r, keys[t], line] for (h, r, t), line in reversed(distinct.items())]
        relations = {relation for _, relation, _ in distinct} - self._relations
        dataset = self._names["dataset"]

        def work(transaction: Transaction) -> int:
            self._lock(transaction, before)
            if relations:
                folded = [[relation, fold(relation)] for relation in sorted(relations)]
                transaction.run("write_relations", dataset=dataset, relations=folded)
            made = transaction.run("write_entities", dataset=dataset, nodes=nodes).nodes
            written = transaction.run("write_facts", facts=rows, file=after.file, **self._names)
            new = int(written.rows[0]["facts"])
            transaction.run(
                "advance_load",
                file=after.file,
                position=after.facts,
                nodes=made,
                facts=new,
                **self._names,
            )
            return new

        new = self._connection.write(work)
        self._relations |= relations
        return new

    def finish(self) -> None:
        """Record that every file has been read.

        Raises:
            LoadTakenOver
        """
        rows = self._connection.write(
            lambda tx: tx.run("finish_load", owner=self._owner, **self._names).rows
        )
        if not rows:
            raise self._taken_over()

    def _lock(self, transaction: Transaction, before: Position) -> None:
        rows = transaction.run("lock_load", owner=self._owner, **self._names).rows
        if not rows or Position(rows[0]["file"], rows[0]["position"]) != before:
            raise self._taken_over()

    def _taken_over(self) -> LoadTakenOver:
        return _taken_over(self._names["dataset"], self._names["source"])


def _taken_over(dataset: str, source: str = "") -> LoadTakenOver:
    where = f"dataset {dataset!r}" + (f", source {source!r}" if source else "")
    return LoadTakenOver(
        "another tuqa-load went on with this load, or it was dropped",
        where=where,
        hint="`tuqa datasets` tells how far it is",
    )


def finish(connection: Connection, dataset: str) -> int:
    """Make the dataset visible, all its loads being complete; how many facts it has.

    Raises:
        LoadTakenOver
    """
    rows = connection.write(lambda tx: tx.run("finish_dataset", dataset=dataset).rows)
    if not rows:
        raise _taken_over(dataset)
    return int(rows[0]["facts"])


def stop(connection: Connection, dataset: str, owner: str) -> Stopped | None:
    """Record that ``owner`` works no more on any load of the dataset; where it was."""
    rows = connection.write(lambda tx: tx.run("stop_loads", dataset=dataset, owner=owner).rows)
    return Stopped(**rows[0]) if rows else None


def batches(facts: Iterable[Fact], size: int) -> Iterable[list[Fact]]:
    """``facts`` in lists of at most ``size``."""
    batch: list[Fact] = []
    for fact in facts:
        batch.append(fact)
        if len(batch) >= size:
            yield batch
            batch = []
    if batch:
        yield batch
