"""What a dataset is made of, from the catalogue: relations, sources, columns. No fact is looked at.

The catalogue counts by source and relation; here the sources of a relation are put together, since a
dataset of thousands of tables has the same few names over and over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeVar

from ..compiling import Program, Read, Row
from ..dataset import Schema, SchemaRelation, SchemaSource, Tails, incomplete
from .figures import SAMPLES

T = TypeVar("T", int, float)


def describe(dataset: str, source: str | None) -> Program[Schema | None]:
    """The schema of ``dataset``, or of one source of it; None where there is none of that name.

    Raises:
        IncompleteDataset
    """
    found = yield Read("describe_dataset", {"dataset": dataset})
    if not found:
        return None
    if not found[0]["complete"]:
        raise incomplete(dataset, (yield Read("unfinished_loads", {"dataset": dataset})))
    rows = yield Read("describe_sources", {"dataset": dataset, "source": source})
    if source is not None and not rows:
        return None
    sources = tuple(described(row) for row in rows)
    return Schema(
        dataset,
        source,
        sources[0].kind if source is not None else found[0]["kind"],
        found[0]["nodes"],
        sum(each.facts for each in sources),
        relations(rows),
        sources,
    )


def described(row: Row) -> SchemaSource:
    """A source from its row of ``describe_sources``."""
    return SchemaSource(
        row["name"], row["kind"], tuple(row["files"]), row["facts"], columns(row["relations"])
    )


def columns(having: Iterable[dict[str, Any]]) -> tuple[str, ...]:
    """The columns of a table in their order, names that repeat included; none for a graph."""
    places = {place: has["relation"] for has in having for place in has.get("places") or ()}
    return tuple(places[place] for place in sorted(places))


def relations(sources: Iterable[Row]) -> tuple[SchemaRelation, ...]:
    """The relations that ``sources`` have, each once, those with most facts first."""
    having: dict[str, list[_Having]] = {}
    for source in sources:
        said = {each for has in source["relations"] for each in has.get("qualifiers") or ()}
        for has in source["relations"]:
            name = has["relation"]
            leads_from = "rows" if has.get("places") else "facts" if name in said else "names"
            having.setdefault(name, []).append(_Having(source["name"], leads_from, has))
    found = (_relation(name, places) for name, places in having.items())
    return tuple(sorted(found, key=lambda relation: (-relation.facts, relation.name)))


class _Having(NamedTuple):
    """What one source has of a relation."""

    source: str
    leads_from: str
    figures: dict[str, Any]


def _relation(name: str, having: list[_Having]) -> SchemaRelation:
    catalogued = [has.figures for has in having]
    by_size = sorted(catalogued, key=lambda has: -has["facts"])
    samples = dict.fromkeys(sample for has in by_size for sample in has.get("samples") or ())
    qualifiers = {each for has in catalogued for each in has.get("qualifiers") or ()}
    return SchemaRelation(
        name=name,
        facts=_sum(catalogued, "facts"),
        leads_from=tuple(sorted({has.leads_from for has in having})),
        sources=tuple(has.source for has in having),
        tails=_tails(catalogued),
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


def _tails(catalogued: list[dict[str, Any]]) -> Tails:
    numbers, dates = _sum(catalogued, "numbers"), _sum(catalogued, "dates")
    values = _sum(catalogued, "values")
    years = numbers + dates - values
    return Tails(_sum(catalogued, "facts") - values, numbers - years, dates - years, years)


def _sum(catalogued: list[dict[str, Any]], figure: str) -> int:
    return sum(has.get(figure) or 0 for has in catalogued)


def _most(
    choose: Callable[[list[T]], T], catalogued: list[dict[str, Any]], figure: str
) -> T | None:
    known = [has[figure] for has in catalogued if has.get(figure) is not None]
    return choose(known) if known else None
