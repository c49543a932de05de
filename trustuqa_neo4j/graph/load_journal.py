"""Load records: how a load starts, resumes and ends, and which process owns it.

A dataset is created with its first load and is invisible until that load is complete; while a later load
appends to it, it is invisible again. A load has an owner from the transaction that creates it, so that two
processes never start the same load; whoever takes over an abandoned load makes its former owner stop. The
transaction that writes a batch also records the position of the load.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import Any, Literal, TypeAlias, get_args
from uuid import uuid4

from ..errors import (
    DatasetExists,
    IncompleteDataset,
    LoadRunning,
    LoadTakenOver,
    format_list,
)
from ..model.dataset import make_dropping_error
from ..wording import CallOption
from .connection import Connection, Transaction

# Owners name host and process, so that the load of a dead process can be resumed at once. A time limit alone
# (the alternative) either makes people wait after a crash or lets two processes write. It remains for
# processes of other hosts, which cannot be inspected.

MAX_IDLE_SECONDS = 60
"""An owner on another host counts as dead after so long without a batch."""

_active_owners: set[str] = set()


def make_owner() -> str:
    # Host, process id, start of the process, and a unique part.
    process = os.getpid()
    owner = f"{socket.gethostname()} {process} {_read_start_time(process)} {uuid4().hex}"
    _active_owners.add(owner)
    return owner


def release_owner(owner: str) -> None:
    _active_owners.discard(owner)


def describe_owner(owner: str) -> str:
    host, process, _, _ = owner.split(" ")
    return f"process {process} on {host}"


def is_alive(owner: str, idle: int) -> bool:
    # ``idle`` is the number of seconds since the last batch of ``owner``.
    host, number, start, _ = owner.split(" ")
    process = int(number)
    if host != socket.gethostname() or sys.platform == "win32":
        return idle < MAX_IDLE_SECONDS
    if process == os.getpid():
        return owner in _active_owners
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    # Another process may have the same id by now, in a container or after a restart.
    return start == _read_start_time(process)


def _read_start_time(process: int) -> str:
    # Ticks since the system started; ``?`` on systems without ``/proc``.
    try:
        status = Path(f"/proc/{process}/stat").read_bytes()
    except OSError:
        return "?"
    # The name of the program comes before, in brackets, and may itself contain brackets and spaces.
    return status.rpartition(b") ")[2].split()[19].decode()


LoadOutcome: TypeAlias = Literal["new", "appended", "resumed", "unchanged", "other", "replaced"]
"""``other``: an unfinished load of other content exists; ``replaced``: sources, or all, are replaced."""

LoadMode: TypeAlias = Literal["new", "append", "replace", "replace-all"]
LOAD_MODES: tuple[LoadMode, ...] = get_args(LoadMode)
"""``replace`` replaces the sources that are loaded, ``replace-all`` the whole dataset."""


@dataclass(frozen=True, slots=True)
class LoadSpec:
    """The dataset, its kind, the files and the options of a load.

    ``values`` is the text of the value options, ``dataset_values`` that of the dataset's. With ``source``
    None the files name their sources. ``files``, ``sizes`` (bytes) and ``hashes`` (sha256) are parallel.
    """

    dataset: str
    kind: str
    format: str
    encoding: str
    values: str
    dataset_values: str
    source: str | None
    files: tuple[str, ...]
    sizes: tuple[int, ...]
    hashes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LoadStart:
    # ``facts`` counts those that the dataset already has. ``storage`` is the stored name of its data.
    # ``adds``: the dataset stays visible, without what the load writes.
    outcome: LoadOutcome
    number: int = 0
    position: int = 0
    facts: int = 0
    sources: int = 0
    kind: str = ""
    storage: str = ""
    adds: bool = False


@dataclass(frozen=True, slots=True)
class LoadStop:
    # ``total`` counts the facts that the dataset then has.
    number: int
    at: str | None
    facts: int


def start_load(
    connection: Connection,
    spec: LoadSpec,
    owner: str,
    mode: LoadMode = "new",
    *,
    storage: str | None = None,
    version_of: str | None = None,
) -> LoadStart:
    """Record the load and make it ``owner``'s, or report what already exists.

    ``storage`` is the stored name of a new dataset, if not its name; ``version_of`` is the dataset whose
    place it will take.

    Raises:
        DatasetExists: the dataset has other content, and ``mode`` is ``new``.
        IncompleteDataset: it is being dropped, or another load of it has not finished.
        LoadRunning: a process is loading it now.
    """

    def work(transaction: Transaction) -> LoadStart:
        # Whether created or found, the dataset is locked from here on.
        dataset, values = spec.dataset, spec.dataset_values
        created = transaction.run(
            "create_dataset",
            dataset=dataset,
            kind=spec.kind,
            values=values,
            storage=storage,
            version_of=version_of,
        )
        stored = created.rows[0]["storage"]
        if created.nodes:
            # A dataset that was renamed a moment ago keeps this name as its stored name.
            names = transaction.run("list_stored_names").rows
            if any(row["storage"] == stored and row["name"] != dataset for row in names):
                raise make_taken_over_error(dataset)
            number = create_load(transaction, spec, owner)
            return LoadStart("new", number, kind=spec.kind, storage=stored)
        states = transaction.run("get_load_state", dataset=dataset).rows
        if not states:  # renamed just then
            raise make_taken_over_error(dataset)
        state = states[0]
        start = replace(_compare(spec, state, mode), storage=stored)
        if start.outcome == "appended":
            adds = bool(state["complete"])
            number = create_load(transaction, spec, owner, adds=adds)
            return LoadStart("appended", number, 0, state["facts"], 0, state["kind"], stored, adds)
        if start.outcome == "resumed":
            transaction.run("take_over_load", dataset=dataset, number=start.number, owner=owner)
        return start

    return connection.write(work)


def preview_start(connection: Connection, spec: LoadSpec, mode: LoadMode) -> LoadOutcome:
    # Writes nothing; raises as ``start_load``.
    rows = connection.read_one("get_load_state", dataset=spec.dataset)
    return _compare(spec, rows[0], mode).outcome if rows else "new"


def read_dataset_options(connection: Connection, dataset: str) -> tuple[str, str] | None:
    # The texts of the value options of a dataset, and of all options of its first load; None if it does not
    # exist.
    rows = connection.read_one("get_load_state", dataset=dataset)
    if not rows:
        return None
    loads = rows[0]["loads"]
    return rows[0]["values"] or "", (loads[0]["values"] or "") if loads else ""


def read_loaded_hashes(connection: Connection, dataset: str) -> dict[str, str]:
    # The hash of each file that a dataset has, with the name of the file.
    rows = connection.read_one("get_load_state", dataset=dataset)
    return {
        file_hash: file
        for load in (rows[0]["loads"] if rows else ())
        for file, file_hash in zip(load["files"], load["hashes"], strict=True)
        if file not in load["dropped"]
    }


def create_load(transaction: Transaction, spec: LoadSpec, owner: str, *, adds: bool = False) -> int:
    rows = transaction.run(
        "create_load",
        dataset=spec.dataset,
        format=spec.format,
        encoding=spec.encoding,
        values=spec.values,
        source=spec.source,
        files=list(spec.files),
        sizes=list(spec.sizes),
        hashes=list(spec.hashes),
        owner=owner,
        adds=adds,
    ).rows
    return int(rows[0]["number"])


def _compare(spec: LoadSpec, state: dict[str, Any], mode: LoadMode) -> LoadStart:
    dataset, loads = spec.dataset, state["loads"]
    check_not_running(dataset, loads)
    error = make_dropping_error(dataset, state["state"])
    if error and mode in ("replace", "replace-all"):
        return LoadStart("replaced", facts=state["facts"])  # an interrupted replacement, perhaps
    if error:
        raise error
    for load in loads:
        if load["state"] != "complete":
            return _compare_unfinished(spec, state, load, mode)
    if mode in ("replace", "replace-all"):
        return LoadStart("replaced", facts=state["facts"])
    if any(_has_same_content(spec, load) and _has_same_options(spec, load) for load in loads):
        return LoadStart("unchanged", facts=state["facts"], sources=state["sources"])
    if mode == "append":
        return LoadStart("appended", facts=state["facts"])
    raise _make_exists_error(spec, loads)


def check_not_running(dataset: str, loads: Sequence[dict[str, Any]]) -> None:
    running = (load for load in loads if load["state"] == "running")
    load = next((load for load in running if is_alive(load["owner"], load["idle"])), None)
    if load is not None:
        raise LoadRunning(
            f"{dataset!r} is being loaded by {describe_owner(load['owner'])}",
            where=f"from {load['files'][0]}, {load['position']:,} items read",
            hint="wait for it, or stop it and run this again to go on",
        )


def _compare_unfinished(
    spec: LoadSpec, state: dict[str, Any], load: dict[str, Any], mode: LoadMode
) -> LoadStart:
    number, facts = load["number"], state["facts"]
    if _has_same_content(spec, load) and _has_same_options(spec, load):
        adds = state["adding"] is not None
        facts += load["facts"] if adds else 0
        return LoadStart("resumed", number, load["position"], facts, kind=state["kind"], adds=adds)
    if mode == "replace-all":
        return LoadStart("replaced", facts=facts)
    if state["adding"] is not None and mode in ("append", "replace"):
        # Nobody has seen what it added. It cannot be resumed, since its files have changed.
        return LoadStart("appended" if mode == "append" else "replaced", facts=facts)
    if number == 1:
        # It is invisible and cannot be resumed, since its files have changed.
        return LoadStart("other", facts=facts)
    drop = f"tuqa drop {quote(spec.dataset)}"
    raise IncompleteDataset(
        f"a load that adds to {spec.dataset!r} has not finished",
        where=f"from {format_list(load['files'], 3)}",
        hint=f"run it again to go on with it, or `{drop} --source NAME` for each source it added",
    )


def _has_same_content(spec: LoadSpec, load: dict[str, Any]) -> bool:
    return (
        tuple(load["hashes"]) == spec.hashes
        and tuple(load["files"]) == spec.files
        and load["source"] == spec.source
        and not load["dropped"]
    )


def _has_same_options(spec: LoadSpec, load: dict[str, Any]) -> bool:
    read = (load["format"], load["encoding"], load["values"])
    return read == (spec.format, spec.encoding, spec.values)


def _make_exists_error(spec: LoadSpec, loads: Sequence[dict[str, Any]]) -> DatasetExists:
    same = next((load for load in loads if _has_same_content(spec, load)), None)
    if same is not None:
        where = f"it was loaded as {same['format']} in {same['encoding']}"
        where += f" with {same['values']}" if same["values"] else ""
    else:
        where = f"it was loaded from {format_list([f for load in loads for f in load['files']], 3)}"
    return DatasetExists(
        f"{spec.dataset!r} is there{', read in another way' if same else ' with other content'}",
        where=where,
        hint=_describe_ways(spec, loads),
    )


def _describe_ways(spec: LoadSpec, loads: Sequence[dict[str, Any]]) -> str:
    # The options with which the load could start; the first fits a file that has changed.
    names = {load["source"] for load in loads}
    sources = (
        names - {None} if spec.source is not None else {f for load in loads for f in load["files"]}
    )
    has_changed = spec.source in sources or not sources.isdisjoint(spec.files)
    ways = f"{CallOption.REPLACE} replaces the sources that are loaded and keeps the others"
    if not has_changed:
        ways = f"{CallOption.APPEND} adds to it; {ways}"
    return f"{ways}; {CallOption.REPLACE_ALL} replaces the dataset; or choose another {CallOption.DATASET}"


def finish_load(connection: Connection, dataset: str, number: int, owner: str, kind: str) -> int:
    parameters = {"dataset": dataset, "number": number, "owner": owner, "kind": kind}
    rows = connection.write_one("finish_load", **parameters)
    if not rows:
        raise make_taken_over_error(dataset)
    return int(rows[0]["facts"])


def stop_load(connection: Connection, dataset: str, owner: str) -> LoadStop | None:
    rows = connection.write_one("stop_load", dataset=dataset, owner=owner)
    return LoadStop(**rows[0]) if rows else None


def make_taken_over_error(dataset: str) -> LoadTakenOver:
    return LoadTakenOver(
        "another tuqa-load went on with this load, or the dataset was dropped or renamed",
        where=f"dataset {dataset!r}",
        hint="`tuqa datasets` tells how far it is",
    )
