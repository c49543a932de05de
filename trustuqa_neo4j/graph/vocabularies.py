"""The vocabulary of a dataset as the database keeps it."""

from __future__ import annotations

from collections.abc import Sequence

from ..checking.meetings import Meetings
from ..checking.ontology import Ontology
from ..checking.vocabulary import Figures, Vocabulary
from ..compiling import Read, Row
from ..triples import ClassDeclared, RelationDeclared
from .batched import UNION


def asked(dataset: str) -> Read:
    """What is to be read for ``vocabulary``."""
    return Read("read_vocabulary", {"dataset": dataset})


def vocabulary(rows: Sequence[Row]) -> Vocabulary:
    """The vocabulary that the rows tell; one that knows nothing where the dataset has none."""
    if not rows:
        return Vocabulary()
    (row,) = rows
    met = Meetings.of_parameters(
        row["sides"], row["sizes"], row["nameless"], row["pairs"], row["counts"]
    )
    ontology = Ontology.of(
        map(declared_class, row["classes"]), map(declared_relation, row["properties"])
    )
    return Vocabulary(
        ontology, met, {name: Figures(*figures) for name, *figures in row["relations"]}
    )


def declared_class(row: Row) -> ClassDeclared:
    """A class as its node tells it."""
    return ClassDeclared(
        row["name"],
        tuple(row["parents"] or ()),
        tuple(row["disjoint"] or ()),
        tuple(row["labels"] or ()),
        row["comment"] or "",
    )


def declared_relation(row: Row) -> RelationDeclared:
    """A relation as its node tells it."""
    domains, ranges = (
        tuple(tuple(union.split(UNION)) for union in row[which] or ())
        for which in ("domains", "ranges")
    )
    return RelationDeclared(
        row["name"],
        domains,
        ranges,
        row["values"],
        tuple(row["datatypes"] or ()),
        tuple(row["inverses"] or ()),
        tuple(row["parents"] or ()),
        tuple(row["labels"] or ()),
        row["comment"] or "",
    )
