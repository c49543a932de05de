"""Records of a dataset whose nodes and facts were imported: from here on it is like any other.

The import leaves it as one that is being dropped, so that whatever interrupts the work, it is invisible and
can be removed or imported again. All records are then written in one transaction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from ..errors import DataError, DatasetExists, IncompleteDataset, StatementFailed
from . import schema
from .connection import Connection, Transaction
from .figures import Catalogue
from .loads import Wanted, create

T = TypeVar("T")

_ROWS = 5_000
"""Rows that one statement is given."""


def held(connection: Connection) -> tuple[str, ...]:
    """The datasets in the database but for those that are being dropped.

    Raises:
        DataError: it also holds nodes that belong to none.
    """
    row = connection.read_one("bulk_target")[0]
    if row["foreign"]:
        raise DataError(
            f"the database holds {row['foreign']:,} nodes that belong to no dataset, and --bulk "
            "would remove them",
            where=connection.where,
            hint="load without --bulk, or set TUQA_HOME to another folder",
        )
    return tuple(row["datasets"])


def check_empty(connection: Connection) -> None:
    """See that the database holds nothing that would be lost.

    Raises:
        DatasetExists, DataError
    """
    names = held(connection)
    if names:
        more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
        raise DatasetExists(
            f"the database holds {', '.join(map(repr, names[:3]))}{more}, and --bulk fills an empty one",
            where=connection.where,
            hint="load without --bulk, drop what is there (`tuqa drop`), or set TUQA_HOME to "
            "another folder",
        )


def index(connection: Connection) -> None:
    """Begin to fill all indexes at once: one by one, each would read the whole store for itself.

    What cannot be begun is left to ``Connection.prepare``, which is to follow.
    """
    names = [
        name
        for migration in schema.MIGRATIONS
        for name in migration.statements
        if name.startswith("index_")
    ]
    with suppress(StatementFailed):
        connection.write(lambda tx: [tx.run(name) for name in names])


def adopt(connection: Connection, wanted: Wanted, owner: str, catalogue: Catalogue) -> int:
    """Write the records; the number of the load, which is ``owner``'s and has read everything.

    Raises:
        IncompleteDataset: the dataset is gone, or was adopted already.
    """
    return connection.write(lambda tx: _adopt(tx, wanted, owner, catalogue))


def _adopt(transaction: Transaction, wanted: Wanted, owner: str, catalogue: Catalogue) -> int:
    dataset = wanted.dataset
    if not transaction.run("adopt_dataset", dataset=dataset).rows:
        raise IncompleteDataset(
            f"{dataset!r} is not what was imported any more", hint="load it again"
        )
    number = create(transaction, wanted, owner)
    for relations in _parts(list(catalogue.relations.items())):
        rows = [list(pair) for pair in relations]
        transaction.run("write_relations", dataset=dataset, relations=rows)
    for sources in _parts(list(catalogue.sources.values())):
        rows = [source.row() for source in sources]
        transaction.run("write_sources", dataset=dataset, number=number, sources=rows)
    for figures in _parts(list(catalogue.figures.items())):
        told = [[*names, found.to_dict(), found.samples] for names, found in figures]
        transaction.run("write_figures", dataset=dataset, figures=told)
    for aliases in _parts(catalogue.aliases):
        rows = [list(alias) for alias in aliases]
        transaction.run("write_aliases", dataset=dataset, aliases=rows)
    for classes in _parts(catalogue.classes):
        transaction.run("declare_classes", dataset=dataset, classes=classes)
    for properties in _parts(catalogue.properties):
        transaction.run("declare_properties", dataset=dataset, properties=properties)
    _advance(transaction, dataset, number, catalogue)
    return number


def _advance(transaction: Transaction, dataset: str, number: int, catalogue: Catalogue) -> None:
    transaction.run(
        "advance_load",
        dataset=dataset,
        number=number,
        position=catalogue.position,
        at="the end",
        nodes=catalogue.nodes,
        facts=catalogue.facts,
    )


def _parts(rows: Sequence[T]) -> Iterator[list[Any]]:
    for start in range(0, len(rows), _ROWS):
        yield list(rows[start : start + _ROWS])
