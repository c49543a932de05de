"""Versions that readers do not see: a dataset that is being loaded anew, and data that had their time.

Each has a record of its own (``Dataset.version_of``), with its loads, so that an interrupted load goes on,
and an interrupted deletion too. See ``versions`` for what readers do.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..errors import LoadRunning
from . import ontology_store
from .catalog import delete_stored_data, list_groups, make_unknown_dataset_error
from .connection import Connection, Transaction
from .load_journal import (
    LoadSpec,
    check_not_running,
    describe_owner,
    is_alive,
    make_owner,
    make_taken_over_error,
    release_owner,
)
from .versions import GRACE

_SEPARATOR = "\x1f"
"""In the names of versions: no name of a dataset has a control character."""

_STORED_LENGTH = 60
"""Characters of a dataset's name in its stored names: full-text indexes split longer words."""

_PAUSE = 0.05

_NUMBERS_AT_ONCE = 100
"""Relations of sources whose facts one statement copies."""


@dataclass(frozen=True, slots=True)
class Version:
    """``age`` is the number of milliseconds since it had its time; ``cleaner`` is who deletes it."""

    name: str
    storage: str
    dataset: str
    state: str
    facts: int
    cleaner: str | None
    age: int | None


def list_versions(connection: Connection, dataset: str | None = None) -> list[Version]:
    return [Version(**row) for row in connection.read_one("list_versions", dataset=dataset)]


def find_replacement(connection: Connection, dataset: str) -> Version | None:
    """The version that a load, perhaps an interrupted one, writes in order to replace a dataset."""
    versions = list_versions(connection, dataset)
    return next((version for version in versions if version.state == "loading"), None)


def list_stored_names(connection: Connection, other_than: str) -> set[str]:
    """The stored names of all datasets and versions except those of one dataset."""
    rows = connection.read_one("list_stored_names")
    return {row["storage"] for row in rows if row["name"] != other_than}


def name_version(connection: Connection, dataset: str) -> tuple[str, str]:
    """The name of a new version of a dataset, and its stored name."""
    taken = {row["storage"] for row in connection.read_one("list_stored_names")}
    stem = re.sub(r"\W+", "_", dataset, flags=re.ASCII)[:_STORED_LENGTH].strip("_")
    number = 2
    # One word for full-text indexes, so that searches in one version do not find names of another.
    while (storage := f"{stem}_v{number}".lstrip("_")) in taken:
        number += 1
    return f"{dataset}{_SEPARATOR}{number}", storage


def check_no_replacement(connection: Connection, dataset: str) -> None:
    """Refuse to change a dataset that a process loads anew now.

    Raises:
        LoadRunning
    """
    version = find_replacement(connection, dataset)
    if version is not None:
        if version.cleaner is not None and is_alive(version.cleaner, 0):
            raise LoadRunning(
                f"{dataset!r} is being loaded by {describe_owner(version.cleaner)}",
                hint="wait for it, or stop it and run this again to go on",
            )
        states = connection.read_one("get_load_state", dataset=version.name)
        check_not_running(dataset, states[0]["loads"] if states else ())


def switch(
    connection: Connection, dataset: str, version: str, number: int, owner: str, kind: str
) -> int:
    """Give the name of a dataset to the version that was loaded anew; return the number of its facts.

    Demonstrations become candidates in the same transaction.

    Raises:
        LoadTakenOver
    """
    groups = [dataset, *list_groups(connection, dataset)]
    outdated = f"{version}{_SEPARATOR}before"

    def work(transaction: Transaction) -> int:
        rows = transaction.run(
            "switch_version",
            dataset=dataset,
            version=version,
            outdated=outdated,
            number=number,
            owner=owner,
            kind=kind,
        ).rows
        if not rows:
            raise make_taken_over_error(dataset)
        for group in groups:
            transaction.run("delete_patterns_at_once", dataset=group)
            transaction.run("reset_demonstrations_at_once", dataset=group)
        return int(rows[0]["facts"])

    return connection.write(work)


def drop_version(connection: Connection, version: Version, owner: str) -> None:
    """Delete the data of a version; the load that writes it is stopped. Can be repeated."""
    connection.write_one("claim_version", version=version.name, owner=owner)
    connection.write_one("mark_dataset_dropping", dataset=version.name)
    delete_stored_data(connection, version.storage)
    connection.write_one("delete_dataset_records", dataset=version.name)


def give_up(connection: Connection, dataset: str) -> bool:
    """Delete what an unfinished load has written to replace a dataset or to add to it; False without one.

    Raises:
        UnknownDataset
        LoadRunning: the load is not interrupted.
    """
    check_no_replacement(connection, dataset)
    rows = connection.read_one("get_load_state", dataset=dataset)
    if not rows:
        raise make_unknown_dataset_error(connection, dataset)
    (state,) = rows
    check_not_running(dataset, state["loads"])
    version = find_replacement(connection, dataset)
    if version is not None:
        owner = make_owner()
        drop_version(connection, version, owner)
        release_owner(owner)
    if state["adding"] is not None:
        abandon_addition(connection, dataset)
    return version is not None or state["adding"] is not None


def delete_outdated(
    connection: Connection, owner: str, check_interrupt: Callable[[], None]
) -> None:
    """Delete versions that had their time, once no reader can be on them, also those of interrupted loads."""
    for version in list_versions(connection):
        is_claimed = version.cleaner not in (None, owner) and is_alive(version.cleaner, 0)
        if version.state != "dropping" or is_claimed:
            continue
        if version.age is not None:
            wait_for_readers(version.age, check_interrupt)
        drop_version(connection, version, owner)


def wait_for_readers(age: int, check_interrupt: Callable[[], None]) -> None:
    """Wait until readers have noticed a change that was made ``age`` milliseconds ago."""
    # From the commit on; the time of the change is that of its statement.
    # The clock of the server may have been set back or forward since.
    end = time.monotonic() + min(max(2 * GRACE - age / 1000, GRACE), 2 * GRACE)
    while (left := end - time.monotonic()) > 0:
        check_interrupt()
        time.sleep(min(left, _PAUSE))


def create_version(
    connection: Connection, spec: LoadSpec, storage: str, dataset: str, owner: str
) -> Version:
    """Create the record of a version that will take the place of ``dataset``, without a load."""
    parameters = {"kind": spec.kind, "values": spec.dataset_values, "storage": storage}

    def work(transaction: Transaction) -> bool:
        created = transaction.run(
            "create_dataset", dataset=spec.dataset, version_of=dataset, **parameters
        )
        if created.nodes:
            transaction.run("claim_version", version=spec.dataset, owner=owner)
        return bool(created.nodes)

    if not connection.write(work):  # by another process, at the same time
        check_no_replacement(connection, dataset)
        raise make_taken_over_error(dataset)
    return Version(spec.dataset, storage, dataset, "loading", 0, owner, None)


def copy_sources(
    connection: Connection,
    dataset: str,
    version: Version,
    without: Sequence[str],
    check_interrupt: Callable[[], None],
) -> None:
    """Copy the sources of a dataset to a new version, except those that it will have from a load."""
    ends = {"storage": connection.find_version(dataset).storage, "target": version.storage}
    left_out = list(without)

    def copy(transaction: Transaction) -> list[list[int]]:
        (row,) = transaction.run("copy_sources", **ends, without=left_out).rows
        pairs = [pair[:2] for pair in row["pairs"]]
        rows = transaction.run("number_relations", dataset=version.storage, pairs=pairs).rows
        numbers: list[int] = rows[0]["numbers"] if pairs else []
        return [[pair[2], number] for pair, number in zip(row["pairs"], numbers, strict=True)]

    numbers = connection.write(copy)
    for start in range(0, len(numbers), _NUMBERS_AT_ONCE):
        connection.run_alone(
            "copy_facts", target=version.storage, numbers=numbers[start : start + _NUMBERS_AT_ONCE]
        )
        check_interrupt()
    for name in ("copy_lone_nodes", "copy_qualified_facts", "copy_aliases"):
        connection.run_alone(name, **ends)
        check_interrupt()
    records = {"dataset": dataset, "version": version.name, "without": left_out}
    connection.write_one("copy_declarations", **ends, without=left_out)
    connection.write_one("copy_records", **ends, **records)


# Loads that add to a dataset.


def name_pending_statistics(storage: str) -> str:
    return f"{storage}{_SEPARATOR}pending"


def settle(
    connection: Connection, dataset: str, storage: str, check_interrupt: Callable[[], None]
) -> None:
    """Take the marks from what a load has added, once no reader can need them. Can be repeated."""
    rows = connection.read_one("settling_since", dataset=dataset)
    if not rows or rows[0]["age"] is None:
        return
    wait_for_readers(rows[0]["age"], check_interrupt)
    connection.run_alone("settle_nodes", storage=storage)
    connection.write_one("finish_settling", dataset=dataset)


def list_hidden_sources(connection: Connection, dataset: str) -> list[str]:
    return [row["name"] for row in connection.read_one("hidden_sources", dataset=dataset)]


def abandon_addition(connection: Connection, dataset: str) -> None:
    """Delete what an unfinished load has added to a dataset; readers have never seen it. Can be repeated."""
    storage = connection.find_version(dataset).storage
    connection.write_one("abandon_addition", dataset=dataset)
    declaring = connection.read_one("declaring_sources", dataset=storage)[0]["sources"]
    for source in list_hidden_sources(connection, dataset):
        others = [name for name in declaring if name != source]
        parameters = {"dataset": storage, "source": source, "declaring": others}
        connection.run_alone("delete_facts_of_source", **parameters)
        connection.run_alone("delete_classes_of_source", **parameters)
        connection.run_alone("delete_relation_declarations", dataset=storage, source=source)
        connection.run_alone("delete_relations_of_source", dataset=storage, source=source)
    connection.run_alone("delete_hidden_nodes", storage=storage)
    pending = name_pending_statistics(storage)
    connection.write_one("delete_join_statistics", dataset=pending)
    connection.write_one("finish_abandoning", dataset=dataset)


def update_pending_statistics(connection: Connection, storage: str) -> None:
    ontology_store.update_join_statistics(
        connection, storage, target=name_pending_statistics(storage)
    )


def publish_addition(
    connection: Connection, dataset: str, storage: str, number: int, owner: str, kind: str
) -> int:
    """Make visible what a load has added to a dataset; return the number of facts of the dataset.

    Raises:
        LoadTakenOver
    """
    parameters = {"dataset": dataset, "number": number, "owner": owner, "kind": kind}

    def work(transaction: Transaction) -> int:
        rows = transaction.run("finish_load", **parameters).rows
        if not rows:
            raise make_taken_over_error(dataset)
        pending = name_pending_statistics(storage)
        transaction.run("publish_join_statistics", storage=storage, pending=pending)
        return int(rows[0]["facts"])

    return connection.write(work)
