"""The tables of a dataset and the relations of its graphs, as the semantic parser needs them.

The contents read last are kept in memory. Their version has the time of the last load, so a dataset that was
loaded again is read again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

from cachetools import LRUCache, cached

from ..graph.dataset_schema import described, make_synonyms
from ..graph.ontology_store import load_schema_knowledge
from ..matching import normalize_name
from ..model.dataset import SchemaSource, Synonym
from ..ontology.entailment import Entailments
from ..ontology.schema_knowledge import SchemaKnowledge
from ..reads.reader import Reader, Row
from ..semantic_parser.graph_view import RelationProfile

CAPACITY = 16  # datasets


@dataclass(frozen=True, slots=True)
class DatasetContents:
    """A dataset, or its one ``source``; ``latest`` is the last day in its graphs.

    ``relations`` include those that only have inferred facts. ``entailments`` are None without axioms.
    """

    dataset: str
    source: str | None
    version: tuple[Any, ...]
    tables: tuple[SchemaSource, ...]
    relations: Mapping[str, RelationProfile]
    latest: int
    synonyms: tuple[Synonym, ...] = ()
    entailments: Entailments | None = None


def read_contents(
    reader: Reader, dataset: str, source: str | None, *, inference: bool = True
) -> DatasetContents:
    """Read the contents, or return those in memory; a dataset that was dropped meanwhile has none.

    Without ``inference`` they have no axioms.
    """
    rows = reader.run("describe_dataset", dataset=dataset)
    if not rows:
        return DatasetContents(dataset, source, (), (), {}, 0)
    version = (rows[0]["loaded"], rows[0]["nodes"], rows[0]["facts"])
    contents = _load_contents(reader, dataset, source, version)
    if inference and contents.relations and rows[0]["stamp"]:
        knowledge = load_schema_knowledge(dataset, rows[0]["stamp"], reader)
        if knowledge.entailments.has_axioms:
            contents = _add_inferred_relations(contents, knowledge)
    synonyms = make_synonyms(rows[0])
    return replace(contents, synonyms=synonyms) if synonyms else contents


@cached(LRUCache(CAPACITY), key=lambda reader, *key: key, lock=Lock())  # noqa: ARG005
def _load_contents(
    reader: Reader, dataset: str, source: str | None, version: tuple[Any, ...]
) -> DatasetContents:
    sources = None if source is None else [source]
    rows = reader.run("describe_sources", dataset=dataset, sources=sources)
    tables = tuple(described(row) for row in rows if row["kind"] == "table")
    figures = [has for row in rows if row["kind"] != "table" for has in row["relations"]]
    latest = max((has.get("last") or 0 for has in figures), default=0)
    columns = {normalize_name(column) for table in tables for column in table.columns}
    profiles = {
        name: replace(profile, is_column=normalize_name(name) in columns)
        for name, profile in _profile_relations(figures).items()
    }
    return DatasetContents(dataset, source, version, tables, profiles, latest)


def _add_inferred_relations(
    contents: DatasetContents, knowledge: SchemaKnowledge
) -> DatasetContents:
    entailments, relations = knowledge.entailments, dict(contents.relations)
    for name in sorted(knowledge.ontology.relations.keys() - relations):
        uses = entailments.premises(name)
        premises = [
            contents.relations[u.relation] for u in uses if u.relation in contents.relations
        ]
        if premises:
            facts, held = (sum(getattr(p, field) for p in premises) for field in ("facts", "held"))
            relations[name] = RelationProfile(name, facts, held=held)
    return replace(contents, relations=relations, entailments=entailments)


def _profile_relations(figures: Iterable[Row]) -> dict[str, RelationProfile]:
    profiles: dict[str, RelationProfile] = {}
    for has in figures:
        name = has["relation"]
        profile = profiles.get(name, RelationProfile(name, 0))
        profiles[name] = RelationProfile(
            name,
            profile.facts + has["facts"],
            profile.numbers + (has.get("numbers") or 0),
            profile.dates + (has.get("dates") or 0),
            profile.held + (has.get("held") or 0),
        )
    return profiles
