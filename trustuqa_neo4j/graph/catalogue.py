"""What is in the database: datasets listed and dropped, whole or by source."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..compiling import Row
from ..dataset import Dataset, Source, dropping
from ..errors import LoadRunning, UnknownDataset, UnknownSource
from ..mapping import suggestions
from . import discarding, meeting, owners
from .connection import Connection, Transaction
from .loads import at_work

_DROPS = (
    "drop_demonstrations", "drop_patterns",
    "drop_facts", "drop_nodes", "drop_aliases", "drop_relations", "drop_sources", "drop_vocabulary",
)  # fmt: skip
"""Statements that delete in transactions of their own, in this order.

Relations before sources: with its sources, all that a source says of a million of them would go at once.
"""


@dataclass(frozen=True, slots=True)
class Dropped:
    """How much was deleted."""

    nodes: int
    facts: int


def datasets(connection: Connection) -> tuple[Dataset, ...]:
    """All datasets, by name, those that are not complete included."""
    rows = connection.read_one("datasets")
    return tuple(
        Dataset(
            **{k: v for k, v in row.items() if k != "sources"},
            sources=tuple(
                Source(s["name"], s["kind"], tuple(s["files"]), s["facts"]) for s in row["sources"]
            ),
        )
        for row in rows
    )


def unknown(connection: Connection, dataset: str) -> UnknownDataset:
    """The error that says that there is no such dataset, with the nearest that is there."""
    known = [d.name for d in datasets(connection)]
    return UnknownDataset(
        f"no dataset {dataset!r}",
        hint=_nearest(dataset, known, "`tuqa datasets` lists what is loaded"),
    )


def _nearest(name: str, known: Sequence[str], otherwise: str) -> str:
    near = suggestions(name, known, most=1)
    return f"did you mean {near[0]!r}?" if near else otherwise


def drop(
    connection: Connection, dataset: str, progress: Callable[[str], None] = lambda _: None
) -> Dropped:
    """Delete a dataset; invisible at once, and to be done again if interrupted.

    Raises:
        UnknownDataset
    """
    rows = connection.write(lambda tx: tx.run("hide_dataset", dataset=dataset).rows)
    if not rows:
        raise unknown(connection, dataset)
    for name in _DROPS:
        progress(name.replace("drop_", ""))
        connection.run_alone(name, dataset=dataset)
    _forget(connection, dataset, None)
    connection.write(lambda tx: tx.run("drop_records", dataset=dataset).rows)
    return Dropped(rows[0]["nodes"], rows[0]["facts"])


def drop_source(connection: Connection, dataset: str, source: str) -> Dropped:
    """Delete a source with exactly what only it contributed; the dataset cannot be asked meanwhile.

    Raises:
        UnknownDataset, UnknownSource, LoadRunning, IncompleteDataset
    """

    def hide(transaction: Transaction) -> Dropped | None:
        states = transaction.run("dataset_state", dataset=dataset).rows
        if not states:
            return None
        _idle(dataset, states[0])
        rows = transaction.run("hide_source", dataset=dataset, source=source).rows
        return Dropped(rows[0]["nodes"], rows[0]["facts"]) if rows else None

    before = connection.write(hide)
    if before is None:
        raise unknown_source(connection, dataset, source)
    discarding.drop(connection, dataset, source=source)
    connection.run_alone("drop_facts_of_source", dataset=dataset, source=source)
    _forget(connection, dataset, source)
    # Before the dataset can be asked again: interrupted in between, it would keep the old vocabulary.
    meeting.note(connection, dataset, without=source)
    connection.run_alone("drop_relations_of_source", dataset=dataset, source=source)
    after = connection.write(lambda tx: tx.run("drop_source", dataset=dataset, source=source).rows)
    return Dropped(before.nodes - after[0]["nodes"], before.facts)


def _forget(connection: Connection, dataset: str, source: str | None) -> None:
    """Delete what sources declare."""
    for name in ("drop_classes", "drop_properties"):
        connection.run_alone(name, dataset=dataset, source=source)


def _idle(dataset: str, state: Row) -> None:
    """See that nobody else works on the dataset; a source that is being dropped is dropped to the end."""
    gone = dropping(dataset, state["state"])
    if gone and state["state"] != "trimming":
        raise gone
    if load := at_work(state["loads"]):
        raise LoadRunning(
            f"{dataset!r} is being loaded by {owners.described(load['owner'])}",
            hint="wait for it, or stop it",
        )


def unknown_source(
    connection: Connection, dataset: str, source: str
) -> UnknownDataset | UnknownSource:
    """The error that says that the dataset, or its source, is not there, with the nearest that is."""
    found = next((d for d in datasets(connection) if d.name == dataset), None)
    if found is None:
        return unknown(connection, dataset)
    hint = _nearest(source, [s.name for s in found.sources], "`tuqa datasets --json` lists them")
    return UnknownSource(f"no source {source!r}", where=f"dataset {dataset!r}", hint=hint)
