"""Datasets, their sources and their schemas: plain data, no I/O, and how people see them as tables.

The shell and notebooks show the same cells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from shlex import quote
from typing import Any, Literal

from ..errors import IncompleteDataset, format_count, format_list
from ..render.blocks import Block, TextBlock, lay_out_table
from ..render.html import render_html
from ..render.terminal import shorten_line
from ..values.value import format_day_range, format_number_range

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
    While others wait for theirs, ``embeddable`` is the number of names that will have one, and
    ``embedding_error`` says why a process that made vectors has ended.
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
    embeddable: int | None = None
    embedding_error: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """As JSON: field names as here, ``sources`` as objects, ``loaded`` as ISO 8601 in UTC."""
        return asdict(self)

    def __repr__(self) -> str:
        size = f"{format_count(len(self.sources), 'source')}, {self.facts:,} facts"
        state = "" if self.complete else ", not complete"
        return f"<Dataset {self.name}: {self.kind}, {size}{state}>"

    def _repr_html_(self) -> str:
        return DatasetTuple((self,))._repr_html_()


class DatasetTuple(tuple[Dataset, ...]):
    """Datasets, which a notebook shows as a table."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        rows = [*map(dataset_cells, self)]
        return render_html(lay_out_table(DATASET_COLUMNS, rows, "no datasets"), label="datasets")


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
        """Kind → its share, the greatest first, without kinds that do not occur.

        Numbers such as 1950 are years if hardly any number beside them is none: amounts are not years.
        """
        are_years = self.numbers < MAX_OTHER_NUMBERS * self.years
        counts = {
            "text": self.text,
            "number": self.numbers + (0 if are_years else self.years),
            "date": self.dates,
            "year": self.years if are_years else 0,
        }
        total = sum(counts.values())
        order = sorted(counts.items(), key=lambda item: -item[1])
        return {kind: count / total for kind, count in order if count}


MAX_OTHER_NUMBERS = 0.1
"""Share of other numbers from which numbers such as 1950 in a relation are not years."""


@dataclass(frozen=True, slots=True)
class SchemaRelation:
    """A relation in the catalog, over all ``sources`` that have it.

    ``leads_from``: ``rows`` of tables, ``names`` of graphs, or ``facts`` that it qualifies. Days are
    integers, year × 10000 + month × 100 + day. ``held`` facts have a valid time, between ``first`` and
    ``last``. ``qualifiers`` are those of its facts. ``starts_from`` and ``leads_to`` are the declared or
    observed classes of its ends in graphs; ``comment`` is that of an ontology or a schema. A relation without
    ``facts`` only has facts that follow from those of others; ``comment`` then says from which.
    ``starts_nameless``: nearly all nodes that it starts from have no name, only an id. ``leads_on``: the
    relations from the nodes that it leads to, if nearly all of these have no name.
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
    starts_nameless: bool = False
    leads_on: tuple[str, ...] = ()


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


def join_header(columns: Sequence[str]) -> str:
    """The text of a table's header that is embedded."""
    return ", ".join(columns)


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
    words of questions that a person taught, ``notes`` are sentences about the data.
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
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As JSON: field names as here; ``nodes`` are those of the whole dataset."""
        return asdict(self)

    def __repr__(self) -> str:
        return f"<Schema {describe_schema(self)}>"

    def _repr_html_(self) -> str:
        return render_html(_lay_out_schema(self), label="schema")


def list_query_relations(schemas: Iterable[Schema]) -> list[str]:
    """List what a query over the datasets may name as a relation: relations, qualifiers, rows and times."""
    names: dict[str, None] = {}
    for schema in schemas:
        names |= dict.fromkeys(relation.name for relation in schema.relations)
        names |= dict.fromkeys(q for relation in schema.relations for q in relation.qualifiers)
        if any(source.kind == "table" for source in schema.sources):
            names["row_number"] = None
        if any(relation.held for relation in schema.relations):
            names |= dict.fromkeys(("time", "start time", "end time", "duration"))
    return [*names]


def name_sources(sources: Sequence[str]) -> Mapping[str, str]:
    """Name each source by the shortest end of its path that no other one has.

    A model must not see the folders; a query may use these names.
    """
    parts = {
        name: [part for part in name.replace("\\", "/").split("/") if part] or [name]
        for name in sources
    }
    counts = Counter(
        "/".join(path[-length:]).lower()
        for path in parts.values()
        for length in range(1, len(path) + 1)
    )
    return {
        name: next(
            (
                end
                for length in range(1, len(path))
                if counts[(end := "/".join(path[-length:])).lower()] == 1
            ),
            "/".join(path),
        )
        for name, path in parts.items()
    }


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
    # Whether another process is at it now is not known here, and a second drop would delete what it replaces.
    wait = "if another process drops or replaces it now, wait for it; otherwise run"
    if state == "dropping":
        return IncompleteDataset(f"{dataset!r} is being dropped", hint=f"{wait} {drop}` to the end")
    if state == "trimming":
        hint = f"{wait} the same {drop} --source …` again, to the end"
        return IncompleteDataset(f"a source of {dataset!r} is being dropped", hint=hint)
    return None


# Schemas in words.

_SAMPLE_LENGTH = 30
_COMMENT_LENGTH = 60
_SAMPLES = 3
_CLASSES = 3
_COLUMNS = 50
_FACTS_FROM = {"rows": "rows", "names": "names", "facts": "facts (a qualifier)"}

CLASS_COLUMNS = ("class", "kind of", "members", "comment")
RELATION_COLUMNS = ("relation", "facts", "from", "to", "range", "held", "qualifiers", "samples")
DATASET_COLUMNS = ("dataset", "kind", "sources", "nodes", "facts", "embedded", "loaded")
SOURCE_COLUMNS = ("source", "kind", "facts", "columns")


def dataset_cells(dataset: Dataset) -> tuple[str, ...]:
    """Format the cells of `DATASET_COLUMNS`."""
    loaded = (dataset.loaded or "")[:16].replace("T", " ")
    return (
        dataset.name,
        dataset.kind,
        f"{len(dataset.sources):,}",
        f"{dataset.nodes:,}",
        f"{dataset.facts:,}",
        format_embedded(dataset),
        loaded if dataset.complete else "not complete",
    )


def format_embedded(dataset: Dataset) -> str:
    """The number of names with a vector, and of how many if others wait for theirs."""
    if dataset.embeddable is None:
        return f"{dataset.embedded:,}"
    failed = " (failed)" if dataset.embedding_error else ""
    return f"{dataset.embedded:,} of {dataset.embeddable:,}{failed}"


def describe_schema(schema: Schema) -> str:
    """Describe the schema in one line."""
    name = schema.dataset if schema.source is None else f"{schema.dataset}, {schema.source}"
    counts = [
        format_count(len(schema.sources), "source"),
        format_count(schema.facts, "fact"),
        format_count(len(schema.relations), "relation"),
    ]
    if schema.classes:
        counts.append(format_count(len(schema.classes), "class"))
    return ", ".join((f"{name}: {schema.kind}", *counts))


def class_cells(schema_class: SchemaClass) -> tuple[str, ...]:
    """Format the cells of `CLASS_COLUMNS`."""
    return (
        schema_class.name,
        ", ".join(schema_class.kind_of),
        "" if schema_class.members is None else f"{schema_class.members:,}",
        shorten_line(schema_class.comment, _COMMENT_LENGTH),
    )


def source_cells(source: SchemaSource, limit: int) -> tuple[str, ...]:
    """Format the cells of `SOURCE_COLUMNS`, with at most ``limit`` columns of the source."""
    columns = format_list(source.columns, limit)
    return source.name, source.kind, f"{source.facts:,}", columns


def relation_cells(relation: SchemaRelation) -> tuple[str, ...]:
    """Format the cells of `RELATION_COLUMNS`."""
    origin = ", ".join(
        format_classes(relation.starts_from)
        if kind == "names" and relation.starts_from
        else _FACTS_FROM[kind]
        for kind in relation.leads_from
    )
    if len(relation.sources) > 1:
        origin += f" of {len(relation.sources):,} sources"
    samples = [shorten_line(sample, _SAMPLE_LENGTH) for sample in relation.samples[:_SAMPLES]]
    if not relation.facts:
        samples = [relation.comment]
    return (
        relation.name,
        f"{relation.facts:,}",
        origin,
        format_tails(relation),
        format_ranges(relation),
        _format_valid_time(relation),
        ", ".join(relation.qualifiers),
        " | ".join(samples),
    )


def format_tails(relation: SchemaRelation) -> str:
    """Format the kinds of tails: ``text``, ``number 97 %, text 3 %``, or the class if it is known."""
    shares = relation.tails.shares
    if relation.leads_to and "rows" not in relation.leads_from:
        classes = format_classes(relation.leads_to)
        shares = {classes if kind == "text" else kind: share for kind, share in shares.items()}
    if len(shares) < 2:
        return "".join(shares)
    return ", ".join(f"{kind} {_format_percent(share)}" for kind, share in shares.items())


def format_classes(classes: Sequence[str]) -> str:
    """Format alternative classes."""
    return format_list(classes, _CLASSES, conjunction="or")


def _format_percent(share: float) -> str:
    if share < 0.005:
        return "<1 %"
    return ">99 %" if share > 0.995 else f"{100 * share:.0f} %"


def format_ranges(relation: SchemaRelation) -> str:
    """Format the ranges of numbers and of days."""
    texts = []
    kinds = relation.tails.shares.keys()
    years_only = "year" in kinds and "number" not in kinds
    numbers_only = "number" in kinds and kinds.isdisjoint(("date", "year"))
    if relation.lowest is not None and relation.highest is not None and not years_only:
        texts.append(format_number_range(relation.lowest, relation.highest))
    if relation.earliest is not None and relation.latest is not None and not numbers_only:
        texts.append(format_day_range(relation.earliest, relation.latest))
    return "; ".join(texts)


def _format_valid_time(relation: SchemaRelation) -> str:
    if relation.first is None or relation.last is None:
        return ""
    share = "" if relation.held == relation.facts else f" ({relation.held:,})"
    return format_day_range(relation.first, relation.last) + share


def _lay_out_schema(schema: Schema) -> Iterator[Block]:
    yield TextBlock("answer", (describe_schema(schema),))
    yield from lay_out_table(CLASS_COLUMNS, [*map(class_cells, schema.classes)])
    yield from lay_out_table(RELATION_COLUMNS, [*map(relation_cells, schema.relations)])
    sources = [source_cells(source, _COLUMNS) for source in schema.sources]
    yield from lay_out_table(SOURCE_COLUMNS, sources)
    synonyms = [(synonym.phrase, synonym.name) for synonym in schema.synonyms]
    yield from lay_out_table(("synonym", "means"), synonyms)
    notes = [(str(number), note) for number, note in enumerate(schema.notes, 1)]
    yield from lay_out_table(("note", "text"), notes)
