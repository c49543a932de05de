"""The contents of the database: datasets are listed and dropped, whole or by source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import UnknownDataset, UnknownSource
from ..matching import suggest_names
from ..model.dataset import Dataset, Source, make_dropping_error
from ..model.demonstration import DemonstrationState
from ..reads.reader import Row
from . import ontology_store
from .class_labels import update_class_labels
from .connection import Connection, Transaction
from .load_journal import check_not_running

DEMONSTRATION_STATES: tuple[DemonstrationState, ...] = ("candidate", "verified", "runs", "failed")
DEMONSTRATIONS_PER_BATCH = 2_000

_DELETE_STATEMENTS = (
    "delete_facts",
    "delete_nodes",
    "delete_aliases",
    # Before sources: deleting a source deletes its statistics of all relations in one transaction.
    "delete_relations",
    "delete_sources",
    "delete_join_statistics",
)


@dataclass(frozen=True, slots=True)
class DroppedCounts:
    nodes: int
    facts: int


def list_datasets(connection: Connection) -> tuple[Dataset, ...]:
    # Incomplete datasets too.
    return tuple(_read_dataset(row) for row in connection.read_one("list_datasets"))


def _read_dataset(row: Row) -> Dataset:
    fields = {name: value for name, value in row.items() if name != "sources"}
    sources = tuple(
        Source(source["name"], source["kind"], tuple(source["files"]), source["facts"])
        for source in row["sources"]
    )
    return Dataset(**fields, sources=sources)


def drop_dataset(
    connection: Connection, dataset: str, *, keep_taught: bool = False
) -> DroppedCounts:
    # The dataset is invisible at once, and an interrupted deletion can be repeated. With
    # ``keep_taught`` synonyms stay, and demonstrations become candidates, for the data that follow.
    rows = connection.write(lambda tx: tx.run("mark_dataset_dropping", dataset=dataset).rows)
    if not rows:
        raise make_unknown_dataset_error(connection, dataset)
    if keep_taught:
        reset_demonstrations(connection, dataset)
    else:
        connection.run_alone("delete_demonstrations", dataset=dataset)
        connection.run_alone("delete_patterns", dataset=dataset)
        connection.write(lambda tx: tx.run("delete_synonyms", dataset=dataset, phrases=None).rows)
    for name in _DELETE_STATEMENTS:
        connection.run_alone(name, dataset=dataset)
    _delete_declarations(connection, dataset, None)
    connection.write(lambda tx: tx.run("delete_dataset_records", dataset=dataset).rows)
    return DroppedCounts(rows[0]["nodes"], rows[0]["facts"])


def drop_source(
    connection: Connection, dataset: str, source: str, *, keep_taught: bool = False
) -> DroppedCounts:
    # Facts that other sources contain too stay. The dataset is invisible meanwhile. If demonstrations are
    # kept, all of the dataset become candidates.
    def mark(transaction: Transaction) -> DroppedCounts | None:
        states = transaction.run("get_load_state", dataset=dataset).rows
        if not states:
            return None
        _check_droppable(dataset, states[0])
        rows = transaction.run("mark_source_dropping", dataset=dataset, source=source).rows
        return DroppedCounts(rows[0]["nodes"], rows[0]["facts"]) if rows else None

    before = connection.write(mark)
    if before is None:
        raise make_unknown_source_error(connection, dataset, source)
    if keep_taught:
        reset_demonstrations(connection, dataset)
    else:
        delete_demonstrations(connection, dataset, source=source)
    connection.run_alone("delete_facts_of_source", dataset=dataset, source=source)
    _delete_declarations(connection, dataset, source)
    # Before the dataset is visible again: an interruption in between would leave the old statistics.
    ontology_store.update_join_statistics(connection, dataset, without=source)
    update_class_labels(connection, dataset, without=source)
    connection.run_alone("delete_relations_of_source", dataset=dataset, source=source)
    after = connection.write(
        lambda tx: tx.run("delete_source", dataset=dataset, source=source).rows
    )
    return DroppedCounts(before.nodes - after[0]["nodes"], before.facts)


def _delete_declarations(connection: Connection, dataset: str, source: str | None) -> None:
    for name in ("delete_class_declarations", "delete_relation_declarations"):
        connection.run_alone(name, dataset=dataset, source=source)


def _check_droppable(dataset: str, state: Row) -> None:
    # An interrupted deletion of a source ("trimming") may be completed.
    error = make_dropping_error(dataset, state["state"])
    if error and state["state"] != "trimming":
        raise error
    check_not_running(dataset, state["loads"])


def delete_demonstrations(
    connection: Connection,
    dataset: str,
    states: Sequence[DemonstrationState] = DEMONSTRATION_STATES,
    source: str | None = None,
    question: str | None = None,
) -> int:
    parameters = {
        "dataset": dataset,
        "states": list(states),
        "source": source,
        "question": question,
        "limit": DEMONSTRATIONS_PER_BATCH,
    }

    def work(transaction: Transaction) -> int:
        transaction.run("lock_dataset", dataset=dataset)
        rows = transaction.run("list_demonstration_keys", **parameters).rows
        keys: list[str] = rows[0]["keys"]
        if keys:
            detach_demonstrations(transaction, dataset, keys)
            transaction.run("delete_demonstrations_by_key", dataset=dataset, keys=keys)
        return len(keys)

    deleted = 0
    while count := connection.write(work):
        deleted += count
    return deleted


def reset_demonstrations(connection: Connection, dataset: str) -> None:
    # Make all demonstrations of a dataset candidates without a pattern.
    connection.run_alone("delete_patterns", dataset=dataset)
    connection.run_alone("reset_demonstrations", dataset=dataset)


def detach_demonstrations(transaction: Transaction, dataset: str, keys: Sequence[str]) -> None:
    if keys:
        rows = transaction.run("detach_demonstrations", dataset=dataset, keys=list(keys)).rows
        transaction.run("refresh_patterns", dataset=dataset, patterns=rows[0]["patterns"])


def make_unknown_dataset_error(connection: Connection, dataset: str) -> UnknownDataset:
    names = [entry.name for entry in list_datasets(connection)]
    hint = _suggest(dataset, names, "`tuqa datasets` lists what is loaded")
    return UnknownDataset(f"no dataset {dataset!r}", hint=hint)


def make_unknown_source_error(
    connection: Connection, dataset: str, source: str
) -> UnknownDataset | UnknownSource:
    for entry in list_datasets(connection):
        if entry.name == dataset:
            names = [known_source.name for known_source in entry.sources]
            hint = _suggest(source, names, "`tuqa datasets --json` lists them")
            return UnknownSource(f"no source {source!r}", where=f"dataset {dataset!r}", hint=hint)
    return make_unknown_dataset_error(connection, dataset)


def _suggest(name: str, names: Sequence[str], otherwise: str) -> str:
    nearest = suggest_names(name, names, most=1)
    return f"did you mean {nearest[0]!r}?" if nearest else otherwise
