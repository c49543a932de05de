"""``cronquestions``: the temporal graph of CronQuestions, as released with ids or packed with names.

The facts of the release have Wikidata ids and years, and two files beside them have the names. The key of
an entity is its id, since names repeat. The key of a relation is its name, as questions use it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

from trustuqa_neo4j.errors import UsageError
from trustuqa_neo4j.loading.formats import File, Loader, ReadOptions
from trustuqa_neo4j.model.facts import Item, NodeDeclared

from . import temporal_kg
from ._inputs import find_plain_or_gzip, missing_file_error
from ._triples import read_names

_FACT_FILE = "full.txt"
_ENTITY_FILE = "wd_id2entity_text.txt"
_RELATION_FILE = "wd_id2relation_text.txt"
_PACKED_FILE = "kg.tsv"
_FOLDERS = (".", "kg", "wikidata_big/kg", "data/wikidata_big/kg")
"""Folders of the release in which the facts may be."""


def read_items(files: Sequence[File], options: ReadOptions) -> Iterator[Item]:
    # Each named node comes before its first fact.
    names = {file: PurePath(file.name).name.removesuffix(".gz") for file in files}
    fact_files = [file for file in files if names[file] not in (_ENTITY_FILE, _RELATION_FILE)]
    if files and not fact_files:
        hint = f"give {_FACT_FILE} as well, or the folder"
        raise UsageError("names without facts", where=files[0].name, hint=hint)
    entity_names = read_names((file for file in files if names[file] == _ENTITY_FILE), options)
    relation_names = read_names((file for file in files if names[file] == _RELATION_FILE), options)
    for file in fact_files:
        yield options.part(file.name, file.name, "temporal-kg")
        for fact in temporal_kg.read_facts(file, options):
            for key in (fact.head, fact.tail):
                # Removed at its first use, so that each node is declared once.
                texts = entity_names.pop(key, None)
                if texts:
                    yield NodeDeclared(key, texts[0], tuple(texts[1:]))
            relation_texts = relation_names.get(fact.relation)
            yield fact._replace(relation=relation_texts[0]) if relation_texts else fact


def expand_folder(folder: Path) -> Sequence[Path]:
    packed = find_plain_or_gzip(folder, _PACKED_FILE)
    if packed is not None:
        return [packed]
    for subfolder in _FOLDERS:
        facts = find_plain_or_gzip(folder / subfolder, _FACT_FILE)
        if facts is not None:
            side_files = (
                find_plain_or_gzip(folder / subfolder, name)
                for name in (_ENTITY_FILE, _RELATION_FILE)
            )
            return [facts, *(path for path in side_files if path is not None)]
    raise missing_file_error(folder, [_PACKED_FILE, f"wikidata_big/kg/{_FACT_FILE}"])


LOADER = Loader(
    name="cronquestions",
    summary="CronQuestions' temporal graph: the release's folder, or files like temporal-kg",
    kind="temporal-kg",
    read=read_items,
    expand=expand_folder,
    benchmark=True,
    reads=frozenset({"temporal-kg"}),
)
