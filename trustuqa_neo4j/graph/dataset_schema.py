"""Schema of a dataset: its relations and columns, and the classes at their ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from math import inf
from threading import Lock
from typing import Any, NamedTuple, TypeVar

from cachetools import LRUCache, cached

from ..lexicon.forms import is_amount_name
from ..matching import split_words
from ..model.dataset import (
    SAMPLES,
    Schema,
    SchemaClass,
    SchemaRelation,
    SchemaSource,
    Synonym,
    TailCounts,
    make_incomplete_error,
)
from ..model.facts import ClassDeclared
from ..ontology.join_statistics import RelationEnd
from ..ontology.schema_knowledge import SchemaKnowledge
from ..reads.reader import Reader, Row
from .ontology_store import load_schema_knowledge

# What a dataset is made of, from the catalogue: relations, sources, columns. No fact is looked at.
#
# The catalogue counts by source and relation; here the sources of a relation are put together, since a
# dataset of thousands of tables has the same few names over and over.


T = TypeVar("T", int, float)


def describe_dataset(reader: Reader, dataset: str, source: str | None) -> Schema | None:
    # None where there is no such dataset or source.
    rows = reader.run("describe_dataset", dataset=dataset)
    if not rows:
        return None
    row = rows[0]
    if not row["complete"]:
        raise make_incomplete_error(dataset, reader.run("unfinished_loads", dataset=dataset))
    version = tuple(row[name] for name in ("stamp", "loaded", "nodes", "facts", "kind"))
    schema = _load_schema(reader, dataset, source, version)
    if schema is None:
        return None
    return replace(schema, synonyms=make_synonyms(row), notes=tuple(row["notes"]))


_CAPACITY = 16  # schemas in memory


@cached(LRUCache(_CAPACITY), key=lambda reader, *key: key, lock=Lock())  # noqa: ARG005
def _load_schema(
    reader: Reader, dataset: str, source: str | None, version: tuple[Any, ...]
) -> Schema | None:
    # That of a dataset of 2,000 tables takes half a second, which each prompt would.
    stamp, _, nodes, _, kind = version
    names = None if source is None else [source]
    rows = reader.run("describe_sources", dataset=dataset, sources=names)
    if source is not None and not rows:
        return None
    sources = tuple(described(row) for row in rows)
    facts = sum(entry.facts for entry in sources)
    kind = sources[0].kind if source is not None else kind
    schema = Schema(dataset, source, kind, nodes, facts, relations(rows), sources)
    # Classes belong to a dataset, so one source has none.
    if stamp is None or source is not None:
        return schema
    return _classed(schema, load_schema_knowledge(dataset, stamp, reader))


def describe_tables(
    reader: Reader, dataset: str, tables: Sequence[str]
) -> dict[str, dict[str, SchemaRelation]]:
    """Describe the columns of each table by its own cells: table → column → relation."""
    rows = reader.run("describe_sources", dataset=dataset, sources=list(tables))
    return {row["name"]: {entry.name: entry for entry in relations([row])} for row in rows}


def make_synonyms(dataset: Row) -> tuple[Synonym, ...]:
    """Make the synonyms of a row of ``describe_dataset``."""
    return tuple(Synonym(**synonym) for synonym in dataset["synonyms"])


def described(row: Row) -> SchemaSource:
    return SchemaSource(
        row["name"], row["kind"], tuple(row["files"]), row["facts"], columns(row["relations"])
    )


def columns(having: Iterable[dict[str, Any]]) -> tuple[str, ...]:
    # In their order, with repeated names; none for a graph.
    places = {place: has["relation"] for has in having for place in has.get("places") or ()}
    return tuple(places[place] for place in sorted(places))


def relations(sources: Iterable[Row]) -> tuple[SchemaRelation, ...]:
    # Each relation once, those with most facts first; equal ones as the columns of the first table.
    having: dict[str, list[_Having]] = {}
    for source in sources:
        qualifiers = {
            qualifier for has in source["relations"] for qualifier in has.get("qualifiers") or ()
        }
        for has in source["relations"]:
            name = has["relation"]
            leads_from = "rows" if has.get("places") else "facts" if name in qualifiers else "names"
            having.setdefault(name, []).append(_Having(source["name"], leads_from, has))
    schema_relations = (_relation(name, places) for name, places in having.items())
    # Relations that are not columns come after columns, in the order of their names.
    first_places = {
        name: min(places[0].figures.get("places") or (inf,)) for name, places in having.items()
    }
    return tuple(sorted(schema_relations, key=lambda r: (-r.facts, first_places[r.name], r.name)))


class _Having(NamedTuple):
    source: str
    leads_from: str
    figures: dict[str, Any]


def _relation(name: str, having: list[_Having]) -> SchemaRelation:
    catalogued = [has.figures for has in having]
    by_size = sorted(catalogued, key=lambda has: -has["facts"])
    samples = dict.fromkeys(sample for has in by_size for sample in has.get("samples") or ())
    qualifiers = {qualifier for has in catalogued for qualifier in has.get("qualifiers") or ()}
    return SchemaRelation(
        name=name,
        facts=_sum(catalogued, "facts"),
        leads_from=tuple(sorted({has.leads_from for has in having})),
        sources=tuple(has.source for has in having),
        tails=_tails(catalogued, is_amount_name(split_words(name))),
        lowest=_most(min, catalogued, "lowest"),
        highest=_most(max, catalogued, "highest"),
        earliest=_most(min, catalogued, "earliest"),
        latest=_most(max, catalogued, "latest"),
        held=_sum(catalogued, "held"),
        first=_most(min, catalogued, "first"),
        last=_most(max, catalogued, "last"),
        qualifiers=tuple(sorted(qualifiers)),
        samples=tuple(samples)[:SAMPLES],
    )


def _tails(catalogued: list[dict[str, Any]], is_amount: bool) -> TailCounts:
    numbers, dates = _sum(catalogued, "numbers"), _sum(catalogued, "dates")
    values = _sum(catalogued, "values")
    years = numbers + dates - values
    if is_amount:  # a salary of 1950 is not a year
        dates, years = dates - years, 0
    return TailCounts(_sum(catalogued, "facts") - values, numbers - years, dates - years, years)


def _sum(catalogued: list[dict[str, Any]], figure: str) -> int:
    return sum(has.get(figure) or 0 for has in catalogued)


def _most(
    choose: Callable[[list[T]], T], catalogued: list[dict[str, Any]], figure: str
) -> T | None:
    figures = [has[figure] for has in catalogued if has.get(figure) is not None]
    return choose(figures) if figures else None


def _classed(schema: Schema, knowledge: SchemaKnowledge) -> Schema:
    if not knowledge.classes:
        relations = tuple(_with_ends(entry, knowledge) for entry in schema.relations)
        return replace(schema, relations=relations)
    classes = [_class(name, knowledge) for name in knowledge.classes]
    inferred = _inferred_relations(schema.relations, knowledge)
    return replace(
        schema,
        relations=tuple(_with_ends(entry, knowledge) for entry in (*schema.relations, *inferred)),
        classes=tuple(sorted(classes, key=lambda entry: (-(entry.members or 0), entry.name))),
    )


def _inferred_relations(
    stored: Iterable[SchemaRelation], knowledge: SchemaKnowledge
) -> Iterator[SchemaRelation]:
    # Declared relations without a stored fact, whose facts follow from those of others.
    names, entailments = {relation.name for relation in stored}, knowledge.entailments
    for name in sorted(knowledge.ontology.relations.keys() - names):
        premises = [use for use in entailments.premises(name) if use.relation in names]
        if premises:
            axioms = "; ".join(entailments.describe(use, name) for use in premises)
            comment = f"inferred: {axioms}"
            tails = TailCounts(text=0, numbers=0, dates=0, years=0)
            yield SchemaRelation(name, 0, ("names",), (), tails, comment=comment)


def _class(name: str, knowledge: SchemaKnowledge) -> SchemaClass:
    declaration = knowledge.ontology.classes.get(name, ClassDeclared(name))
    # A dataset of very many facts is not looked through, so nobody knows.
    counted = knowledge.joins.ends or not knowledge.relations
    members = knowledge.joins.count_nodes(RelationEnd("class", name)) if counted else None
    return SchemaClass(name, declaration.parents, members, declaration.labels, declaration.comment)


def _with_ends(relation: SchemaRelation, knowledge: SchemaKnowledge) -> SchemaRelation:
    if relation.facts and relation.name not in knowledge.relations:
        return relation  # of tables
    start, end = (
        knowledge.classes_at(RelationEnd(which, relation.name)) for which in ("start", "end")
    )
    declaration = knowledge.ontology.relations.get(relation.name)
    comment = "; ".join(filter(None, (relation.comment, declaration and declaration.comment)))
    ends = RelationEnd("end", relation.name)
    leads_on = knowledge.relations_from(ends) if knowledge.is_nameless(ends) else []
    return replace(
        relation,
        starts_from=start,
        leads_to=end,
        comment=comment,
        starts_nameless=knowledge.is_nameless(RelationEnd("start", relation.name)),
        leads_on=tuple(leads_on),
    )
