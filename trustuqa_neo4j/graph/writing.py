"""Facts into the database: loads that can be interrupted, batches that are never half there.

A dataset is made with all its loads in one transaction and is invisible until the last of them is
complete. Each batch is one transaction that locks the load, writes nodes and facts, and moves the load's
position on; so whatever kills loader or server, the next run continues at a position that is exactly what
has been written. A load has an owner: a second process that goes on with it makes the first one stop.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal, TypeAlias

from ..errors import DatasetExists, IncompleteDataset, LoadRunning, LoadTakenOver
from ..mapping import fold
from ..triples import Fact
from . import owners
from .connection import Connection, Transaction

KEY_LENGTH = 1000
"""Keys longer than this many characters are cut and completed by a hash (index entries are limited)."""


Begun: TypeAlias = Literal["new", "resumed", "unchanged", "other"]


@dataclass(frozen=True, slots=True)
class SourceFiles:
    """A source to load: its name, and name, size in bytes and sha256 of each of its files."""

    source: str
    files: tuple[str, ...]
    sizes: tuple[int, ...]
    hashes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Position:
    """How far a load has come: which file, and how many facts of it have been read."""

    file: int
    facts: int


def key(name: str) -> str:
    """The key of a thing that has a name and no id."""
    if len(name) <= KEY_LENGTH:
        return name
    return name[: KEY_LENGTH - 65] + "#" + sha256(name.encode()).hexdigest()


def begin(
    connection: Connection,
    dataset: str,
    kind: str,
    format_name: str,
    sources: Sequence[SourceFiles],
) -> Begun:
    """Make the dataset with its loads, or see what is there already.

    ``other`` means an unfinished load of other content, which is in the way and of no use any more.

    Raises:
        DatasetExists: it holds other sources or other files.
        IncompleteDataset: it is being dropped.
        LoadRunning: a process is loading it now.
    """

    def work(transaction: Transaction) -> Begun:
        rows = transaction.run("dataset_state", dataset=dataset).rows
        if rows:
            return _compare(dataset, rows[0], sources)
        transaction.run("create_dataset", dataset=dataset, kind=kind)
        for source in sources:
            transaction.run(
                "create_load",
                dataset=dataset,
                source=source.source,
                format=format_name,
                files=list(source.files),
                sizes=list(source.sizes),
                hashes=list(source.hashes),
            )
        return "new"

    return connection.write(work)


def _compare(dataset: str, state: dict[str, Any], sources: Sequence[SourceFiles]) -> Begun:
    loads = {load["source"]: load for load in state["loads"]}
    wanted = {source.source: source for source in sources}
    held = ", ".join(sorted(loads))
    drop = f"`tuqa drop {dataset}` removes it"
    if state["state"] == "dropping":
        raise IncompleteDataset(f"{dataset!r} is being dropped", hint=f"{drop} to the end")
    for load in state["loads"]:
        if load["state"] == "running" and owners.alive(load["owner"], load["idle"]):
            raise LoadRunning(
                f"{dataset!r} is being loaded by {owners.described(load['owner'])}",
                where=f"at {load['files'][load['file']]} after {load['position']:,} facts",
                hint="wait for it, or stop it and run this again to go on",
            )
    unchanged = loads.keys() == wanted.keys() and all(
        tuple(loads[name]["hashes"]) == wanted[name].hashes for name in wanted
    )
    if state["state"] != "complete":
        return "resumed" if unchanged else "other"
    if unchanged:
        return "unchanged"
    raise DatasetExists(
        f"{dataset!r} is there with other content",
        where=f"it was loaded from {held}",
        hint=f"choose another --dataset; {drop}",
    )


class SourceLoad:
    """One source's load, as owned by this process."""

    def __init__(self, connection: Connection, dataset: str, source: str) -> None:
        self._connection = connection
        self._names = {"dataset": dataset, "source": source}
        self._owner = owners.new()
        self._relations: set[str] = set()

    def claim(self) -> Position:
        """Make the load this process's own; how far it has come."""
        row = self._connection.write(
            lambda tx: tx.run("claim_load", owner=self._owner, **self._names).rows
        )[0]
        return Position(row["file"], row["position"])

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

    def stop(self) -> None:
        """Record that this process no longer works on the load."""
        self._connection.write(
            lambda tx: tx.run("stop_load", owner=self._owner, **self._names).rows
        )

    def _lock(self, transaction: Transaction, before: Position) -> None:
        rows = transaction.run("lock_load", owner=self._owner, **self._names).rows
        if not rows or Position(rows[0]["file"], rows[0]["position"]) != before:
            raise self._taken_over()

    def _taken_over(self) -> LoadTakenOver:
        return LoadTakenOver(
            "another tuqa-load went on with this load, or it was dropped",
            where=f"dataset {self._names['dataset']!r}, source {self._names['source']!r}",
            hint="`tuqa datasets` tells how far it is",
        )


def finish(connection: Connection, dataset: str) -> None:
    """Make the dataset visible if all its loads are complete."""
    connection.write(lambda tx: tx.run("finish_dataset", dataset=dataset).rows)


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
