"""The vocabulary of what is asked: read once, and held until the dataset changes."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from ..checking.meetings import Meetings
from ..checking.ontology import Ontology
from ..checking.vocabulary import Figures, Vocabulary
from ..compiling import Program, Read, Row
from ..recording import Recorder
from ..triples import ClassDeclared, RelationDeclared

HELD = 32
"""Datasets whose vocabularies are held."""

_UNION = "\x1f"


_held: OrderedDict[str, Vocabulary] = OrderedDict()
_lock = Lock()


def consult(dataset: str, stamp: str, recorder: Recorder) -> Program[Vocabulary]:
    """The vocabulary of a dataset as it was stamped; those used last are held for the next query.

    A stamp is given once in all databases, so one store serves every client of the process.
    """
    with _lock:
        found = _held.get(stamp)
        if found is not None:
            _held.move_to_end(stamp)
            return found
    rows = yield from recorder.read(Read("read_vocabulary", {"dataset": dataset}))
    found = _vocabulary(rows[0]) if rows else Vocabulary()
    with _lock:
        _held[stamp] = found
        while len(_held) > HELD:
            _held.popitem(last=False)
    return found


def _vocabulary(row: Row) -> Vocabulary:
    met = Meetings.of_parameters(
        row["sides"], row["sizes"], row["nameless"], row["pairs"], row["counts"]
    )
    ontology = Ontology.of(map(_class, row["classes"]), map(_relation, row["properties"]))
    return Vocabulary(
        ontology, met, {name: Figures(*figures) for name, *figures in row["relations"]}
    )


def _class(row: Row) -> ClassDeclared:
    return ClassDeclared(
        row["name"],
        tuple(row["parents"] or ()),
        tuple(row["disjoint"] or ()),
        tuple(row["labels"] or ()),
        row["comment"] or "",
    )


def _relation(row: Row) -> RelationDeclared:
    domains, ranges = (
        tuple(tuple(union.split(_UNION)) for union in row[which] or ())
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
