"""The record of a load: how one begins, goes on, ends, and who works on it.

A dataset is made together with its first load and is invisible until that is complete; while another one
appends to it, it is invisible again. A load has an owner from the transaction in which it begins, so that
two processes never both begin one; whoever goes on with a load that seemed abandoned makes the one before
stop. How far a load has come is written in the same transaction as what it has written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from shlex import quote
from typing import Any, Literal, TypeAlias

from ..dataset import dropping
from ..errors import DatasetExists, IncompleteDataset, LoadRunning, LoadTakenOver, UsageError
from . import owners
from .connection import Connection, Transaction

Begun: TypeAlias = Literal["new", "appended", "resumed", "unchanged", "other", "replaced"]
"""``other``: an unfinished load of other content is in the way; ``replaced``: the dataset is."""

Mode: TypeAlias = Literal["new", "append", "replace"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A load: into which dataset, of which kind, from which files, and how they are read.

    ``values`` is how numbers and dates are read, as text; ``source`` None leaves it to the files to name
    their sources. Files have a name, a size in bytes and a sha256 each.
    """

    dataset: str
    kind: str
    format: str
    encoding: str
    values: str
    source: str | None
    files: tuple[str, ...]
    sizes: tuple[int, ...]
    hashes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Beginning:
    """How a load begins: its number, the items it has read, and what the dataset has already."""

    begun: Begun
    number: int = 0
    position: int = 0
    facts: int = 0
    sources: int = 0
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Stop:
    """Where a load stopped: which, at which file and line, how many facts the dataset then has."""

    number: int
    at: str | None
    facts: int


def begin(connection: Connection, wanted: Wanted, owner: str, mode: Mode = "new") -> Beginning:
    """Record the load and make it ``owner``'s, or see what is there already.

    Raises:
        DatasetExists: it holds other content, and ``mode`` is to make a new one.
        IncompleteDataset: it is being dropped, or another load of it has not finished.
        LoadRunning: a process is loading it now.
        UsageError: what is to be appended is read in another way.
    """

    def work(transaction: Transaction) -> Beginning:
        # Whether made or found, the dataset is locked from here on.
        dataset, values = wanted.dataset, wanted.values
        made = transaction.run("create_dataset", dataset=dataset, kind=wanted.kind, values=values)
        if made.nodes:
            return Beginning("new", create(transaction, wanted, owner), kind=wanted.kind)
        state = transaction.run("dataset_state", dataset=dataset).rows[0]
        found = _compare(wanted, state, mode)
        if found.begun == "appended":
            number = create(transaction, wanted, owner)
            return Beginning("appended", number, 0, state["facts"], kind=state["kind"])
        if found.begun == "resumed":
            transaction.run("claim_load", dataset=dataset, number=found.number, owner=owner)
        return found

    return connection.write(work)


def look(connection: Connection, wanted: Wanted, mode: Mode) -> Begun:
    """How a load would begin, with nothing written; raises as ``begin``."""
    rows = connection.read_one("dataset_state", dataset=wanted.dataset)
    return _compare(wanted, rows[0], mode).begun if rows else "new"


def create(transaction: Transaction, wanted: Wanted, owner: str) -> int:
    """Record a load as ``owner``'s; its number."""
    rows = transaction.run(
        "create_load",
        dataset=wanted.dataset,
        format=wanted.format,
        encoding=wanted.encoding,
        values=wanted.values,
        source=wanted.source,
        files=list(wanted.files),
        sizes=list(wanted.sizes),
        hashes=list(wanted.hashes),
        owner=owner,
    ).rows
    return int(rows[0]["number"])


def _compare(wanted: Wanted, state: dict[str, Any], mode: Mode) -> Beginning:
    dataset, loads = wanted.dataset, state["loads"]
    _free(dataset, loads)
    if gone := dropping(dataset, state["state"]):
        raise gone
    for load in loads:
        if load["state"] != "complete":
            return _unfinished(wanted, state, load, mode)
    same = any(_same_content(wanted, load) and _same_reading(wanted, load) for load in loads)
    if mode == "replace":
        return Beginning("replaced", facts=state["facts"])
    if same:
        return Beginning("unchanged", facts=state["facts"], sources=state["sources"])
    if mode == "append":
        _appendable(wanted, state)
        return Beginning("appended", facts=state["facts"])
    raise _exists(wanted, loads)


def _free(dataset: str, loads: Sequence[dict[str, Any]]) -> None:
    """See that nobody works on the dataset now."""
    if load := at_work(loads):
        raise LoadRunning(
            f"{dataset!r} is being loaded by {owners.described(load['owner'])}",
            where=f"from {load['files'][0]}, {load['position']:,} items read",
            hint="wait for it, or stop it and run this again to go on",
        )


def at_work(loads: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """The load, among a dataset's, that a process works on now."""
    running = (load for load in loads if load["state"] == "running")
    return next((load for load in running if owners.alive(load["owner"], load["idle"])), None)


def _unfinished(
    wanted: Wanted, state: dict[str, Any], load: dict[str, Any], mode: Mode
) -> Beginning:
    """What becomes of a load that was interrupted."""
    number, facts = load["number"], state["facts"]
    if _same_content(wanted, load) and _same_reading(wanted, load):
        return Beginning("resumed", number, load["position"], facts, kind=state["kind"])
    if mode == "replace":
        return Beginning("replaced", facts=facts)
    if number == 1:
        # Nothing of it can be seen or gone on with: what it was read from has changed.
        return Beginning("other", facts=facts)
    drop = f"tuqa drop {quote(wanted.dataset)}"
    raise IncompleteDataset(
        f"a load that adds to {wanted.dataset!r} has not finished",
        where=f"from {_listed(load['files'])}",
        hint=f"run it again to go on with it, or `{drop} --source NAME` for each source it added",
    )


def _same_content(wanted: Wanted, load: dict[str, Any]) -> bool:
    return (
        tuple(load["hashes"]) == wanted.hashes
        and tuple(load["files"]) == wanted.files
        and load["source"] == wanted.source
        and not load["dropped"]
    )


def _same_reading(wanted: Wanted, load: dict[str, Any]) -> bool:
    read = (load["format"], load["encoding"], load["values"])
    return read == (wanted.format, wanted.encoding, wanted.values)


def _appendable(wanted: Wanted, state: dict[str, Any]) -> None:
    """What has one name is one node, so it must be read in one way."""
    if wanted.values != state["values"]:
        raise UsageError(
            f"{wanted.dataset!r} was read in another way ({state['values'] or 'without options'})",
            where=f"now: {wanted.values or 'without options'}",
            hint="give the same --dates, --decimal and --null, or load into a dataset of its own",
        )


def _exists(wanted: Wanted, loads: Sequence[dict[str, Any]]) -> DatasetExists:
    same = next((load for load in loads if _same_content(wanted, load)), None)
    if same is not None:
        where = f"it was loaded as {same['format']} in {same['encoding']}"
        where += f" with {same['values']}" if same["values"] else ""
    else:
        where = f"it was loaded from {_listed([f for load in loads for f in load['files']])}"
    return DatasetExists(
        f"{wanted.dataset!r} is there{', read in another way' if same else ' with other content'}",
        where=where,
        hint=f"choose another --dataset, or --replace it; --append adds to it, "
        f"`tuqa drop {quote(wanted.dataset)}` removes it",
    )


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more


def finish(connection: Connection, dataset: str, number: int, owner: str, kind: str) -> int:
    """Make the dataset visible, its load being complete; how many facts it has.

    Raises:
        LoadTakenOver
    """
    rows = connection.write(
        lambda tx: (
            tx.run("finish_load", dataset=dataset, number=number, owner=owner, kind=kind).rows
        )
    )
    if not rows:
        raise taken_over(dataset)
    return int(rows[0]["facts"])


def stop(connection: Connection, dataset: str, owner: str) -> Stop | None:
    """Record that ``owner`` works no more on the dataset; where it was."""
    rows = connection.write(lambda tx: tx.run("stop_load", dataset=dataset, owner=owner).rows)
    return Stop(**rows[0]) if rows else None


def taken_over(dataset: str) -> LoadTakenOver:
    """The error of one who finds that the load is another's."""
    return LoadTakenOver(
        "another tuqa-load went on with this load, or it was dropped",
        where=f"dataset {dataset!r}",
        hint="`tuqa datasets` tells how far it is",
    )
