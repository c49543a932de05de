"""Datasets and their sources, as they are listed and asked: plain data, no I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from shlex import quote
from typing import Any

from .errors import IncompleteDataset


@dataclass(frozen=True, slots=True)
class Source:
    """One table or graph inside a dataset, with the files it was read from."""

    name: str
    kind: str
    files: tuple[str, ...]
    facts: int


@dataclass(frozen=True, slots=True)
class Dataset:
    """A named body of data. Not ``complete`` means that its load has not finished.

    ``kind`` is that of its sources, ``mixed`` where they have several. ``embedded`` counts the names
    that have a vector.
    """

    name: str
    kind: str
    complete: bool
    nodes: int
    facts: int
    relations: int
    embedded: int
    embedding_model: str | None
    loaded: str | None
    sources: tuple[Source, ...]

    def to_dict(self) -> dict[str, Any]:
        """As JSON: field names as here, ``sources`` as objects, ``loaded`` as ISO 8601 in UTC."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Scope:
    """What a query may read: datasets, or one source of them."""

    datasets: tuple[str, ...]
    source: str | None = None

    def __str__(self) -> str:
        names = ", ".join(self.datasets)
        return names if self.source is None else f"{self.source} of {names}"


@dataclass(frozen=True, slots=True)
class Tails:
    """How many facts of a relation lead to what: a bare year (``years``) is both a number and a date."""

    text: int
    numbers: int
    dates: int
    years: int

    @property
    def shares(self) -> dict[str, float]:
        """Kind → its share of all, the greatest first; kinds of which there is none are left out."""
        counted = {
            "text": self.text,
            "number": self.numbers,
            "date": self.dates,
            "year": self.years,
        }
        whole = sum(counted.values())
        order = sorted(counted.items(), key=lambda kind: -kind[1])
        return {kind: count / whole for kind, count in order if count}


@dataclass(frozen=True, slots=True)
class SchemaRelation:
    """A relation as the catalogue knows it, over all ``sources`` that have it.

    ``leads_from``: ``rows`` of tables, ``names`` of graphs, ``facts`` whose qualifier it is. Days are
    integers, year × 10000 + month × 100 + day. ``held`` facts have an interval, from ``first`` to
    ``last``. ``qualifiers`` are those of its facts. ``starts_from`` and ``leads_to`` are classes, any of
    which its ends in graphs are, as far as that is declared or found; ``comment`` is what an ontology or
    a schema says of it.
    """

    name: str
    facts: int
    leads_from: tuple[str, ...]
    sources: tuple[str, ...]
    tails: Tails
    lowest: float | None = None
    highest: float | None = None
    earliest: int | None = None
    latest: int | None = None
    held: int = 0
    first: int | None = None
    last: int | None = None
    qualifiers: tuple[str, ...] = ()
    samples: tuple[str, ...] = ()
    starts_from: tuple[str, ...] = ()
    leads_to: tuple[str, ...] = ()
    comment: str = ""


@dataclass(frozen=True, slots=True)
class SchemaClass:
    """A class that is declared, or has ``members`` by facts of ``type``; None where they are not counted.

    ``kind_of`` are the classes that it is declared to be a kind of, ``labels`` its other names.
    """

    name: str
    kind_of: tuple[str, ...] = ()
    members: int | None = None
    labels: tuple[str, ...] = ()
    comment: str = ""


@dataclass(frozen=True, slots=True)
class SchemaSource(Source):
    """A source with the columns of its table in their order; a name that repeats is there as often."""

    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Schema:
    """What a dataset, or one ``source`` of it, is made of; relations by their facts, most first.

    ``classes`` are those of the whole dataset, most members first; none where one source is described.
    """

    dataset: str
    source: str | None
    kind: str
    nodes: int
    facts: int
    relations: tuple[SchemaRelation, ...]
    sources: tuple[SchemaSource, ...]
    classes: tuple[SchemaClass, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As JSON: field names as here; ``nodes`` are those of the whole dataset."""
        return asdict(self)


def incomplete(dataset: str, loads: Sequence[Mapping[str, Any]]) -> IncompleteDataset:
    """The error that says why a dataset cannot be asked, and what ends that; rows of unfinished_loads."""
    if gone := dropping(dataset, loads[0]["state"] if loads else ""):
        return gone
    stopped = ", ".join(load["at"] or load["file"] for load in loads if load["file"])
    return IncompleteDataset(
        f"the load of {dataset!r} has not finished",
        where=f"it has come to {stopped}",
        hint="run the same tuqa-load again to go on with it, or `tuqa drop` the dataset",
    )


def dropping(dataset: str, state: str) -> IncompleteDataset | None:
    """The error that says that a dataset, or a source of it, is being dropped, if its state says so."""
    drop = f"`tuqa drop {quote(dataset)}"
    if state == "dropping":
        return IncompleteDataset(f"{dataset!r} is being dropped", hint=f"{drop}` to the end")
    if state == "trimming":
        hint = f"run the same {drop} --source …` again, to the end"
        return IncompleteDataset(f"a source of {dataset!r} is being dropped", hint=hint)
    return None
