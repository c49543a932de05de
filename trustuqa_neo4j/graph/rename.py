"""The new name of a dataset: its data keep their stored name, so that one transaction is enough."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote

from ..errors import DatasetExists, IncompleteDataset, LoadRunning
from ..model.dataset import make_incomplete_error
from ..model.demonstration import name_group, split_group
from .catalog import make_unknown_dataset_error
from .connection import Connection, Transaction
from .load_journal import check_not_running, describe_owner, is_alive
from .replacement import check_no_replacement


def rename_dataset(connection: Connection, dataset: str, name: str) -> None:
    """Give ``dataset`` the name ``name``, with all that was taught and noted of it.

    Raises:
        UnknownDataset, DatasetExists
        IncompleteDataset: a load of it, or its deletion, has not finished.
        LoadRunning: a process loads it, or embeds its names.
    """
    check_no_replacement(connection, dataset)

    def work(transaction: Transaction) -> bool:
        embedding = transaction.run("claim_embedding", dataset=dataset).rows  # locks it
        if not embedding:
            return False
        owner, idle = embedding[0]["owner"], embedding[0]["idle"]
        if owner is not None and is_alive(owner, idle):
            what = f"the names of {dataset!r} are being embedded by {describe_owner(owner)}"
            raise LoadRunning(what, hint="wait for it, then rename the dataset")
        versions = transaction.run("list_versions", dataset=dataset).rows
        _check_loaded(transaction, dataset, [row["state"] for row in versions])
        if transaction.run("get_version", dataset=name).rows:
            raise DatasetExists(
                f"there is a dataset {name!r} already", hint="take another name, or drop that one"
            )
        groups = [
            row["name"] for row in transaction.run("list_dataset_groups", dataset=dataset).rows
        ]
        transaction.run("move_demonstrations", dataset=dataset, name=name)
        for group in groups:
            members = [name if member == dataset else member for member in split_group(group)]
            renamed = name_group(members)
            transaction.run("move_demonstrations", dataset=group, name=renamed)
            transaction.run(
                "rename_dataset_group", group=group, name=renamed, datasets=sorted(members)
            )
        others = [row["name"] for row in versions]
        transaction.run("rename_dataset", dataset=dataset, name=name, versions=others)
        return True

    if not connection.write(work):
        raise make_unknown_dataset_error(connection, dataset)


def _check_loaded(transaction: Transaction, dataset: str, versions: Sequence[str]) -> None:
    """Refuse a dataset that a load changes, or would go on to change by its name.

    ``versions`` are the states of its other versions.
    """
    (state,) = transaction.run("get_load_state", dataset=dataset).rows
    check_not_running(dataset, state["loads"])
    if not state["complete"]:
        raise make_incomplete_error(
            dataset, transaction.run("unfinished_loads", dataset=dataset).rows
        )
    if state["adding"] is not None or "loading" in versions:
        raise IncompleteDataset(
            f"a load that replaces {dataset!r} or adds to it has not finished",
            hint=f"run it again to go on with it, or `tuqa drop {quote(dataset)} --unfinished`",
        )
    # What a load has added can be asked already, while it takes the marks from it.
    marked = transaction.run("settling_since", dataset=dataset).rows[0]["age"] is not None
    last = state["loads"][-1] if state["loads"] else None
    if marked and last and last["owner"] and is_alive(last["owner"], last["idle"]):
        raise LoadRunning(
            f"{dataset!r} is being loaded by {describe_owner(last['owner'])}", hint="wait for it"
        )
