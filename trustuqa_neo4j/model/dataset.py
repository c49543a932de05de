"""Datasets, their sources and their schemas: plain data, no I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from shlex import quote
from typing import Any, Literal

from ..errors import IncompleteDataset

SAMPLES = 5
"""Samples per relation and source in the catalog; ``write_facts.cypher`` has the same number."""


@dataclass(frozen=True, slots=True)
class Source:
    """A table or graph of a dataset, with the files it was loaded from."""

    name: str
    kind: str
    files: tuple[str, ...]
    facts: int


@dataclass(frozen=True, slots=True)
class Dataset:
    """A named collection of sources; not ``complete`` while its load has not finished.

    ``kind`` is the kind of its sources, or ``mixed``. ``embedded`` is the number of names with a vector.
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
    """The data that a query may read: datasets, or one source of them."""

    datasets: tuple[str, ...]
    source: str | None = None

    def __str__(self) -> str:
        names = ", ".join(self.datasets)
        return names if self.source is None else f"{self.source} of {names}"


@dataclass(frozen=True, slots=True)
class TailCounts:
    """The tails of a relation by kind; a year alone is both a number and a date, and counts as ``years``."""

    text: int
    numbers: int
    dates: int
    years: int

    @property
    def shares(self) -> dict[str, float]:
        """Kind → its share, the greatest first, without kinds that do not occur."""
        counts = {
            "text": self.text,
            "number": self.numbers,
            "date": self.dates,
            "year": self.years,
        }
        total = sum(counts.values())
        order = sorted(counts.items(), key=lambda item: -item[1])
        return {kind: count / total for kind, count in order if count}


@dataclass(frozen=True, slots=True)
class SchemaRelation:
    """A relation in the catalog, over all ``sources`` that have it.

    ``leads_from``: ``rows`` of tables, ``names`` of graphs, or ``facts`` that it qualifies. Days are
    integers, year × 10000 + month × 100 + day. ``held`` facts have a valid time, between ``first`` and
    ``last``. ``qualifiers`` are those of its facts. ``starts_from`` and ``leads_to`` are the declared or
    observed classes of its ends in graphs; ``comment`` is that of an ontology or a schema. A relation without
    ``facts`` only has facts that follow from those of others; ``comment`` then says from which.
    """

    name: str
    facts: int
    leads_from: tuple[str, ...]
    sources: tuple[str, ...]
    tails: TailCounts
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
    """A declared class, or a tail of ``type`` facts; ``members`` is None if they are not counted.

    ``kind_of`` are its declared superclasses, ``labels`` its other names.
    """

    name: str
    kind_of: tuple[str, ...] = ()
    members: int | None = None
    labels: tuple[str, ...] = ()
    comment: str = ""


@dataclass(frozen=True, slots=True)
class SchemaSource(Source):
    """A source with the columns of its table in their order; duplicate names are repeated."""

    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Synonym:
    """A ``phrase`` of questions, normalized, that means ``name`` in a dataset."""

    phrase: str
    name: str
    kind: Literal["relation", "name"]


@dataclass(frozen=True, slots=True)
class Schema:
    """The schema of a dataset or of one ``source``; relations with most facts come first.

    ``classes`` are those of the whole dataset, with most members first; none for one source. ``synonyms`` are
    words of questions that a person taught.
    """

    dataset: str
    source: str | None
    kind: str
    nodes: int
    facts: int
    relations: tuple[SchemaRelation, ...]
    sources: tuple[SchemaSource, ...]
    classes: tuple[SchemaClass, ...] = ()
    synonyms: tuple[Synonym, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As JSON: field names as here; ``nodes`` are those of the whole dataset."""
        return asdict(self)


def make_incomplete_error(dataset: str, loads: Sequence[Mapping[str, Any]]) -> IncompleteDataset:
    """The error for a dataset that cannot be queried yet; ``loads`` are rows of ``unfinished_loads``."""
    if error := make_dropping_error(dataset, loads[0]["state"] if loads else ""):
        return error
    stopped = ", ".join(load["at"] or load["file"] for load in loads if load["file"])
    return IncompleteDataset(
        f"the load of {dataset!r} has not finished",
        where=f"it has come to {stopped}",
        hint="run the same tuqa-load again to go on with it, or `tuqa drop` the dataset",
    )


def make_dropping_error(dataset: str, state: str) -> IncompleteDataset | None:
    """The error for a dataset of which everything or a source is being dropped, or None."""
    drop = f"`tuqa drop {quote(dataset)}"
    if state == "dropping":
        return IncompleteDataset(f"{dataset!r} is being dropped", hint=f"{drop}` to the end")
    if state == "trimming":
        hint = f"run the same {drop} --source …` again, to the end"
        return IncompleteDataset(f"a source of {dataset!r} is being dropped", hint=hint)
    return None
