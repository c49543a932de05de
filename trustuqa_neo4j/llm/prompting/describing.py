"""The schema as a prompt shows it: tables with their columns and a row, graphs with their relations.

Relations are told in full, with kinds, ranges and samples, while they are few; of many those nearest to the
question are, and others by name. What is shown of them at all is decided by ``fitting``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from ...dataset import Schema, SchemaRelation, SchemaSource
from ...values.telling import tell_days, tell_numbers
from .asked import Asked, Link, Ranked, RelationKey, shown_tables
from .quoting import LONGEST, listed, named, quoted

DETAILED = 40
"""Relations of graphs that are told in full, at most."""

LINKS = 25
"""Facts near a linked name that are told, at most, of each step."""

CLASSES = 60
"""Classes that are told, at most, those with most members first."""

COMMENT = 200
"""Characters of a comment that are told."""

SAMPLES = 3
RARE = 0.05
"""A kind of which there is less is not told."""

_KINDS = {"number": "numbers", "date": "dates", "year": "years"}


@dataclass(frozen=True, slots=True)
class Fragment:
    """A piece of a prompt: the part that it belongs to, its text, and the kinds of data that it tells."""

    part: str
    text: str
    sent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """How much of everything a prompt shows: how many demonstrations and relations, and whether the rest."""

    demonstrations: int
    relations: int
    samples: bool = True
    linked: bool = True


@dataclass(frozen=True, slots=True)
class _View:
    """What is shown of one dataset."""

    asked: Asked
    schema: Schema
    ranked: Sequence[Ranked]
    kept: Set[RelationKey]
    detailed: Set[RelationKey]
    values: bool

    def own(self) -> list[SchemaRelation]:
        """The relations and columns of this dataset that could be shown, nearest first."""
        return [relation for dataset, relation in self.ranked if dataset == self.schema.dataset]

    def keeps(self, name: str) -> bool:
        """Whether a relation or column is shown."""
        return (self.schema.dataset, name) in self.kept


def described(asked: Asked, ranked: Sequence[Ranked], shown: Shown) -> Iterator[Fragment]:
    """Everything that is told of the data; ``ranked`` are all relations, of which the first are shown."""
    kept = {(dataset, relation.name) for dataset, relation in ranked[: shown.relations]}
    of_graphs = [(d, r.name) for d, r in ranked[: shown.relations] if "names" in r.leads_from]
    detailed = set(of_graphs[:DETAILED])
    for schema in asked.schemas:
        values = shown.samples and not asked.private
        view = _View(asked, schema, ranked, kept, detailed, values)
        for table in shown_tables(schema, asked.sources):
            yield from _table(view, table)
        yield from _other_tables(view)
        yield from _classes(view)
        yield from _graph(view)
    if shown.linked:
        yield from _linked(asked)


def row(cells: Sequence[tuple[str, str]]) -> str:
    """The cells of a row, each behind its column."""
    return "|".join(f"{named(column)}:{quoted(cell, LONGEST)}" for column, cell in cells)


def _table(view: _View, table: SchemaSource) -> Iterator[Fragment]:
    columns = [column for column in table.columns if view.keeps(column)]
    head = f"Table {named(_title(table.name))} of dataset {named(view.schema.dataset)}"
    sample = view.asked.sample(view.schema.dataset, table.name) if view.values else None
    if sample is not None:
        cells = [cell for cell in sample.cells if view.keeps(cell[0])]
        yield Fragment(
            "schema", f"{head}; its columns, each with its value in the first row:", _SCHEMA
        )
        yield Fragment("sample", row(cells), ("sample row",))
    else:
        yield Fragment("schema", f"{head}; its columns:\n{listed(columns)}", _SCHEMA)
    relations = {relation.name: relation for relation in view.own()}
    told = [
        f"{named(name)} {kinds}"
        for name in dict.fromkeys(columns)
        if (kinds := _column(view, relations[name])) != "text"
    ]
    if told:
        text = f"Columns that are not just text: {'; '.join(told)}"
        yield Fragment("schema", text, (*_SCHEMA, *(_VALUES * view.values)))
    yield from _left_out(len(set(table.columns)) - len(set(columns)), "columns of it")


def _column(view: _View, relation: SchemaRelation) -> str:
    """What a column holds; its range is known where no other source has a column of that name."""
    return _kinds(relation, "text", view.values and len(relation.sources) == 1)


def _other_tables(view: _View) -> Iterator[Fragment]:
    """Columns of many tables of which none is named."""
    tables = [source for source in view.schema.sources if source.kind == "table"]
    if not tables or shown_tables(view.schema, view.asked.sources):
        return
    columns = [r.name for r in view.own() if "rows" in r.leads_from]
    shown = [name for name in columns if view.keeps(name)]
    head = f"{len(tables):,} tables of dataset {named(view.schema.dataset)}; columns of theirs:"
    yield Fragment("schema", f"{head}\n{listed(shown)}", _SCHEMA)
    yield from _left_out(len(columns) - len(shown), "columns")


def _classes(view: _View) -> Iterator[Fragment]:
    """Classes with what they are kinds of, and what an ontology says of them."""
    classes = view.schema.classes
    if not classes:
        return
    lines = [f"Classes of dataset {named(view.schema.dataset)}; the relation type leads to them:"]
    for each in classes[:CLASSES]:
        kind = f" (a kind of {listed(each.kind_of)})" if each.kind_of else ""
        labels = f", also called {listed(each.labels)}" if each.labels else ""
        lines.append(f"{named(each.name)}{kind}{labels}{_comment(each.comment)}")
    yield Fragment("schema", "\n".join(lines), _SCHEMA)
    yield from _left_out(len(classes) - CLASSES, "classes")


def _comment(text: str) -> str:
    return f": {quoted(text, COMMENT)}" if text else ""


def _graph(view: _View) -> Iterator[Fragment]:
    dataset = view.schema.dataset
    graphs = [source.name for source in view.schema.sources if source.kind != "table"]
    if not graphs:
        return
    every = [relation for relation in view.own() if "names" in relation.leads_from]
    kept = [relation for relation in every if view.keeps(relation.name)]
    what = f"Graph {named(_title(graphs[0]))}" if len(graphs) == 1 else f"{len(graphs):,} graphs"
    lines = [f"{what} of dataset {named(dataset)}; its relations lead from a name to:"]
    lines += [_relation(view, r, graphs) for r in kept if (dataset, r.name) in view.detailed]
    others = [r.name for r in kept if (dataset, r.name) not in view.detailed]
    if others:
        lines.append(f"Further relations: {listed(others)}")
    yield Fragment("schema", "\n".join(lines), (*_SCHEMA, *(_VALUES * view.values)))
    yield from _left_out(len(every) - len(kept), "relations")


def _relation(view: _View, relation: SchemaRelation, graphs: Sequence[str]) -> str:
    kinds = _kinds(relation, "names", view.values)
    ends = f"from {_any(relation.starts_from)} to " if relation.starts_from else ""
    to = f"{_any(relation.leads_to)}" if relation.leads_to and kinds == "names" else kinds
    told = [f"{named(relation.name)}: {ends}{to}{_comment(relation.comment)}"]
    if relation.held:
        told.append(f"held {_held(relation) if view.values else 'for a time'}")
    if relation.qualifiers:
        told.append(f"qualifiers {listed(relation.qualifiers)}")
    if len(graphs) <= SAMPLES:
        own = [name for name in graphs if name in relation.sources]
        told += [f"in {listed(map(_title, own))}"] if 0 < len(own) < len(graphs) else []
    if (
        view.values and relation.samples and "names" in kinds
    ):  # of numbers and dates the range says more
        samples = "|".join(quoted(sample, LONGEST) for sample in relation.samples[:SAMPLES])
        told.append(f"such as {samples}")
    return "; ".join(told)


def _any(classes: Sequence[str]) -> str:
    return " or ".join(map(named, classes))


def _held(relation: SchemaRelation) -> str:
    if relation.first is None or relation.last is None:
        return "for a time"
    return tell_days(relation.first, relation.last)


def _title(source: str) -> str:
    """A source without the folders it was loaded from, which are no business of a model's."""
    return source.replace("\\", "/").rstrip("/").rpartition("/")[2] or source


def _kinds(relation: SchemaRelation, text: str, ranges: bool) -> str:
    """What a relation leads to, as ``numbers 0 to 12``; several kinds with their shares."""
    shares = {kind: share for kind, share in relation.tails.shares.items() if share >= RARE}
    told = []
    for kind, share in shares.items():
        word = _KINDS.get(kind, text)
        percent = f" {share:.0%}" if len(shares) > 1 else ""
        told.append(f"{word}{percent}{_range(relation, kind) if ranges else ''}")
    return ", ".join(told) or text


def _range(relation: SchemaRelation, kind: str) -> str:
    if kind == "number" and relation.lowest is not None and relation.highest is not None:
        return f" ({tell_numbers(relation.lowest, relation.highest)})"
    if kind in ("date", "year") and relation.earliest is not None and relation.latest is not None:
        return f" ({tell_days(relation.earliest, relation.latest)})"
    return ""


def _left_out(count: int, what: str) -> Iterator[Fragment]:
    if count > 0:
        yield Fragment("schema", f"({count:,} more {what} are not shown)", _SCHEMA)


def _linked(asked: Asked) -> Iterator[Fragment]:
    for each in asked.linked:
        lines = [f"The question means {quoted(each.name, LONGEST)}."]
        lines += _links("Facts of it", _likest(asked, each.one))
        lines += _links("Facts one step further", _likest(asked, each.two))
        yield Fragment("linked", "\n".join(lines), _VALUES)


def _likest(asked: Asked, links: Sequence[Link]) -> Sequence[Link]:
    """Facts whose relations are most like the question, or as they come."""
    return sorted(links, key=lambda link: -asked.similarity.get(link.relation, -1.0))[:LINKS]


def _links(head: str, links: Sequence[Link]) -> list[str]:
    """Facts as triples where their nodes have names; else their relations, by the end that has one."""
    triples = [
        f"[{quoted(link.head, LONGEST)}, {named(link.relation)}, {quoted(link.tail, LONGEST)}]"
        for link in links
        if link.head is not None and link.tail is not None
    ]
    told = [f"{head}: {'|'.join(triples)}"] if triples else []
    for what, out, into in _NAMELESS:
        ends = (link for link in links if (link.head is None, link.tail is None) == (out, into))
        if bare := listed(dict.fromkeys(link.relation for link in ends)):
            told.append(f"{head}, {what}: {bare}")
    return told


_NAMELESS = (
    ("to what has no name", False, True),
    ("from what has no name", True, False),
    ("between what has no names", True, True),
)

_SCHEMA = ("schema",)
_VALUES = ("cell values",)
