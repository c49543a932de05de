"""Demonstrations deleted, and the patterns that then have none."""

from __future__ import annotations

from collections.abc import Sequence

from ..demonstrating.demonstration import State
from .connection import Connection, Transaction

STATES: tuple[State, ...] = ("candidate", "verified", "failed")
BATCH = 2_000
"""Demonstrations read, written or deleted at once."""


def drop(
    connection: Connection,
    dataset: str,
    states: Sequence[State] = STATES,
    source: str | None = None,
    question: str | None = None,
) -> int:
    """Delete demonstrations in any of ``states``, of one source or question where given; how many."""
    given = {
        "dataset": dataset, "states": list(states), "source": source, "question": question,
        "limit": BATCH,
    }  # fmt: skip

    def work(transaction: Transaction) -> int:
        transaction.run("lock_dataset", dataset=dataset)
        keys: list[str] = transaction.run("keys_of_demonstrations", **given).rows[0]["keys"]
        if keys:
            leave(transaction, dataset, keys)
            transaction.run("delete_demonstrations", dataset=dataset, keys=keys)
        return len(keys)

    dropped = 0
    while done := connection.write(work):
        dropped += done
    return dropped


def leave(transaction: Transaction, dataset: str, keys: Sequence[str]) -> None:
    """Take demonstrations out of their patterns."""
    if keys:
        left = transaction.run("unlike_demonstrations", dataset=dataset, keys=list(keys)).rows
        transaction.run("tidy_patterns", dataset=dataset, patterns=left[0]["patterns"])
