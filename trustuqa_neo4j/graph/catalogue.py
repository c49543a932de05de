"""What is in the database: datasets listed and dropped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..dataset import Dataset, Source
from ..errors import UnknownDataset
from ..mapping import suggestions
from .connection import Connection

_DROPS = ("drop_facts", "drop_nodes", "drop_relations")
"""Statements that delete in transactions of their own, in this order."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """How much a dropped dataset held."""

    nodes: int
    facts: int


def datasets(connection: Connection) -> tuple[Dataset, ...]:
    """All datasets, by name, those that are not complete included."""
    rows = connection.read_one("datasets")
    return tuple(
        Dataset(
            name=row["name"],
            kind=row["kind"],
            complete=row["complete"],
            nodes=row["nodes"],
            facts=row["facts"],
            relations=row["relations"],
            embedded=0,
            embedding_model=None,
            loaded=row["loaded"],
            sources=tuple(Source(s["name"], tuple(s["files"]), s["facts"]) for s in row["sources"]),
        )
        for row in rows
    )


def drop(
    connection: Connection, dataset: str, progress: Callable[[str], None] = lambda _: None
) -> Dropped:
    """Delete a dataset; invisible at once, and to be done again if interrupted.

    Raises:
        UnknownDataset
    """
    rows = connection.write(lambda tx: tx.run("hide_dataset", dataset=dataset).rows)
    if not rows:
        known = [d.name for d in datasets(connection)]
        near = suggestions(dataset, known, most=1)
        hint = f"did you mean {near[0]!r}?" if near else "`tuqa datasets` lists what is loaded"
        raise UnknownDataset(f"no dataset {dataset!r}", hint=hint)
    for name in _DROPS:
        progress(name.replace("drop_", ""))
        connection.run_alone(name, dataset=dataset)
    connection.write(lambda tx: tx.run("drop_records", dataset=dataset).rows)
    return Dropped(rows[0]["nodes"], rows[0]["facts"])
