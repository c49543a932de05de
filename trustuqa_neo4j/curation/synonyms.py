"""Synonyms of a dataset: phrases of questions that mean one of its relations, columns or names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..errors import DataError, UsageError
from ..execution.name_resolution import resolve_names
from ..graph import catalog
from ..graph.connection import Connection
from ..graph.dataset_schema import make_synonyms
from ..matching import normalize_name, suggest_names
from ..model.dataset import Scope, Synonym
from ..reads.reader import Reader

MAX_PHRASE = 100  # characters
MAX_SYNONYMS = 1_000  # of a dataset


def add_synonyms(connection: Connection, dataset: str, meanings: Mapping[str, str]) -> None:
    """Store synonyms, phrase → name; a phrase that is known gets the new meaning. All or none is stored.

    Raises:
        UsageError: a phrase is empty or too long, or there would be too many.
        DataError: the dataset has no relation and no name like this.
        UnknownDataset, IncompleteDataset
    """
    phrases = {_normalize_phrase(phrase): name for phrase, name in meanings.items()}
    stored_phrases = _read_phrases(connection, dataset)
    synonyms = connection.read(lambda reader: _find_meanings(reader, dataset, phrases))
    count = len(phrases.keys() | {*stored_phrases})
    if count > MAX_SYNONYMS:
        raise UsageError(
            f"a dataset has at most {MAX_SYNONYMS:,} synonyms, and {dataset!r} would have {count:,}",
            hint="remove some, or rename columns in the file",
        )
    connection.prepare()
    rows = [[synonym.phrase, synonym.name, synonym.kind] for synonym in synonyms]
    connection.write_one("write_synonyms", dataset=dataset, synonyms=rows)


def remove_synonyms(connection: Connection, dataset: str, phrases: Iterable[str]) -> None:
    """Delete synonyms.

    Raises:
        DataError: the dataset has no such synonym; then none is deleted.
        UnknownDataset, IncompleteDataset
    """
    normalized_phrases = [_normalize_phrase(phrase) for phrase in phrases]
    stored_phrases = _read_phrases(connection, dataset)
    for phrase in normalized_phrases:
        if phrase not in stored_phrases:
            near = suggest_names(phrase, stored_phrases) or stored_phrases[:3]
            hint = f"it has {', '.join(map(repr, near))}" if near else "it has none"
            raise DataError(f"no synonym {phrase!r}", where=f"dataset {dataset!r}", hint=hint)
    connection.write_one("delete_synonyms", dataset=dataset, phrases=normalized_phrases)


def _read_phrases(connection: Connection, dataset: str) -> list[str]:
    description = catalog.describe_complete_dataset(connection, dataset)
    return [synonym.phrase for synonym in make_synonyms(description)]


def _normalize_phrase(phrase: str) -> str:
    normalized = normalize_name(phrase.strip())
    if not any(map(str.isalnum, normalized)):
        raise UsageError(f"{phrase!r} is not a word of a question", hint="write it as PHRASE=NAME")
    if len(phrase) > MAX_PHRASE:
        raise UsageError(
            f"a synonym has at most {MAX_PHRASE} characters, this one {len(phrase):,}",
            where=f"{phrase[:40]!r}…",
            hint="name the phrase as people write it in a question",
        )
    return normalized


def _find_meanings(reader: Reader, dataset: str, phrases: Mapping[str, str]) -> list[Synonym]:
    names = set(phrases.values())
    resolved = resolve_names(names, names, Scope((dataset,)), reader)
    synonyms: list[Synonym] = []
    for phrase, name in phrases.items():
        if tiers := resolved.relations.get(name):
            synonyms.append(Synonym(phrase, tiers[0].names[0], "relation"))
        elif tiers := resolved.entities.get(name):
            synonyms.append(Synonym(phrase, tiers[0].names[0], "name"))
        else:
            rows = reader.run("list_relations", datasets=[dataset], source=None)
            near = suggest_names(name, [row["name"] for row in rows])
            raise DataError(
                f"no relation, column or name {name!r}",
                where=f"dataset {dataset!r}",
                hint=f"did you mean {', '.join(map(repr, near))}?"
                if near
                else f"`tuqa schema {dataset}` lists its relations",
            )
    return synonyms
