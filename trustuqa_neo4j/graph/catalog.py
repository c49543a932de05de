"""The contents of the database: datasets are listed and dropped, whole or by source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import UnknownDataset, UnknownSource
from ..matching import suggest_names
from ..model.dataset import Dataset, Source, make_dropping_error, make_incomplete_error
from ..model.dataset_limit import is_within_limit
from ..model.demonstration import KEPT_STATES, DemonstrationState, split_group
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
    # ``demonstrations`` are those that need the dataset together with others.
    nodes: int
    facts: int
    demonstrations: int = 0


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


def describe_complete_dataset(connection: Connection, dataset: str) -> Row:
    """Read the description of a dataset.

    Raises:
        UnknownDataset, IncompleteDataset
    """
    rows = connection.read_one("describe_dataset", dataset=dataset)
    if not rows:
        raise make_unknown_dataset_error(connection, dataset)
    if not rows[0]["complete"]:
        loads = connection.read_one("unfinished_loads", dataset=dataset)
        raise make_incomplete_error(dataset, loads)
    return rows[0]


def drop_dataset(
    connection: Connection, dataset: str, *, keep_taught: bool = False
) -> DroppedCounts:
    # The dataset is invisible at once, and an interrupted deletion can be repeated. With
    # ``keep_taught`` synonyms and notes stay, and demonstrations become candidates, for the data that follow.
    storage = connection.find_version(dataset).storage
    rows = connection.write_one("mark_dataset_dropping", dataset=dataset)
    if not rows:
        raise make_unknown_dataset_error(connection, dataset)
    shared = 0
    if keep_taught:
        reset_demonstrations(connection, dataset)
    else:
        shared = _delete_groups(connection, dataset)
        _delete_taught(connection, dataset)
        connection.write_one("delete_synonyms", dataset=dataset, phrases=None)
        connection.write_one("delete_notes", dataset=dataset, notes=None)
    # Versions that were to take its place, or had it, first: nobody would find them without the dataset.
    for version in connection.read_one("list_versions", dataset=dataset):
        connection.write_one("mark_dataset_dropping", dataset=version["name"])
        delete_stored_data(connection, version["storage"])
        connection.write_one("delete_dataset_records", dataset=version["name"])
    delete_stored_data(connection, storage)
    connection.write_one("delete_dataset_records", dataset=dataset)
    return DroppedCounts(rows[0]["nodes"], rows[0]["facts"], shared)


def delete_stored_data(connection: Connection, storage: str) -> None:
    # All that stands under a stored name, in batches.
    for name in _DELETE_STATEMENTS:
        connection.run_alone(name, dataset=storage)
    connection.run_alone("delete_class_declarations", dataset=storage)
    connection.run_alone("delete_relation_declarations", dataset=storage, source=None)


def _delete_groups(connection: Connection, dataset: str) -> int:
    # Returns how many demonstrations they had.
    deleted = 0
    for group in list_groups(connection, dataset):
        counts = connection.read_one("count_demonstrations", dataset=group)[0]
        deleted += sum(int(counts[state]) for state in DEMONSTRATION_STATES)
        _delete_taught(connection, group)
        connection.write_one("delete_dataset_group", group=group)
    return deleted


def _delete_taught(connection: Connection, group: str) -> None:
    connection.run_alone("delete_demonstrations", dataset=group)
    connection.run_alone("delete_patterns", dataset=group)


def list_groups(connection: Connection, dataset: str) -> list[str]:
    # The groups of datasets that demonstrations need together with ``dataset``.
    return [row["name"] for row in connection.read_one("list_dataset_groups", dataset=dataset)]


def drop_source(
    connection: Connection, dataset: str, source: str, *, keep_taught: bool = False
) -> DroppedCounts:
    # Facts that other sources contain too stay. The dataset is invisible meanwhile. If demonstrations are
    # kept, all of the dataset become candidates.
    storage = connection.find_version(dataset).storage

    def mark(transaction: Transaction) -> DroppedCounts | None:
        states = transaction.run("get_load_state", dataset=dataset).rows
        if not states:
            return None
        state = states[0]
        # An interrupted deletion of a source ("trimming") may be completed.
        error = make_dropping_error(dataset, state["state"])
        if error and state["state"] != "trimming":
            raise error
        check_not_running(dataset, state["loads"])
        rows = transaction.run(
            "mark_source_dropping", dataset=dataset, storage=storage, source=source
        ).rows
        return DroppedCounts(rows[0]["nodes"], rows[0]["facts"]) if rows else None

    before = connection.write(mark)
    if before is None:
        raise make_unknown_source_error(connection, dataset, source)
    if keep_taught:
        reset_demonstrations(connection, dataset)
    else:
        states = (*DEMONSTRATION_STATES, *KEPT_STATES)
        delete_demonstrations(connection, dataset, states, source)
    declaring = connection.read_one("declaring_sources", dataset=storage)[0]["sources"]
    parameters = {
        "dataset": storage,
        "source": source,
        "declaring": [name for name in declaring if name != source],
    }
    connection.run_alone("delete_facts_of_source", **parameters)
    connection.run_alone("delete_classes_of_source", **parameters)
    connection.run_alone("delete_relation_declarations", dataset=storage, source=source)
    # Before the dataset is visible again: an interruption in between would leave the old statistics.
    ontology_store.update_join_statistics(connection, storage, without=source)
    update_class_labels(connection, dataset, without=source, storage=storage)
    connection.run_alone("delete_relations_of_source", dataset=storage, source=source)
    after = connection.write_one("delete_source", dataset=dataset, storage=storage, source=source)
    return DroppedCounts(before.nodes - after[0]["nodes"], before.facts)


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
        for name in split_group(dataset):
            transaction.run("lock_dataset", dataset=name)
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
    # Make all demonstrations of a dataset, and of its groups, candidates without a pattern.
    for group in (dataset, *list_groups(connection, dataset)):
        connection.run_alone("delete_patterns", dataset=group)
        connection.run_alone("reset_demonstrations", dataset=group)


def detach_demonstrations(transaction: Transaction, dataset: str, keys: Sequence[str]) -> None:
    if keys:
        rows = transaction.run("detach_demonstrations", dataset=dataset, keys=list(keys)).rows
        transaction.run("refresh_patterns", dataset=dataset, patterns=rows[0]["patterns"])


def make_unknown_dataset_error(connection: Connection, dataset: str) -> UnknownDataset:
    names = [entry.name for entry in list_datasets(connection) if is_within_limit(entry.name)]
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
