"""What a dataset's vocabulary is: what its sources declare, and which of its relations meet.

The server groups nodes that are alike, in one pass over the facts of graphs; tables have rows alone, whose
columns say nothing of each other. It is done anew whenever a dataset changes, and gets a new stamp, by
which readers know that what they hold is out of date.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import starmap
from typing import Any

from ..checking.meetings import Alike, Meetings, meetings
from .connection import Connection

MOST = 3_000_000
"""Facts of a dataset up to which its relations are looked at: about a second for each 100,000."""


def note(connection: Connection, dataset: str, without: str | None = None) -> None:
    """Look at the dataset's graphs, and write down how their relations meet.

    ``without`` is a source that is being dropped: its record goes last, and what it said has gone before.
    """
    (found,) = connection.read_one("graph_sources", dataset=dataset, without=without)
    if not found["graphs"]:
        connection.write(lambda tx: tx.run("drop_vocabulary", dataset=dataset).rows)
        return
    known = _known(connection, dataset, found) if found["facts"] <= MOST else meetings(())
    connection.write(
        lambda tx: tx.run("write_vocabulary", dataset=dataset, **known.to_parameters()).rows
    )


def _known(connection: Connection, dataset: str, found: dict[str, Any]) -> Meetings:
    def take(rows: Iterable[list[Any]]) -> Meetings:
        return meetings(starmap(Alike, rows))

    return connection.stream(
        "alike_in_relations",
        take,
        dataset=dataset,
        sources=found["graphs"] if found["tables"] else None,
        types=found["types"],
    )
