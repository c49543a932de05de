"""``cronquestions``: the temporal graph of CronQuestions, as released with its ids or packed with names.

In the release facts are five columns of Wikidata ids and years, and the names stand in two files beside
them. Entities keep their ids as keys, since names repeat; relations are known by their names, since
questions ask for those.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

from trustuqa_neo4j.errors import UsageError
from trustuqa_neo4j.loader import File, Loader, Reading
from trustuqa_neo4j.triples import Item, Thing

from . import temporal_kg
from .layouts import nothing_in, plain_or_gzip
from .names import texts

_FULL = "full.txt"
_ENTITIES = "wd_id2entity_text.txt"
_RELATIONS = "wd_id2relation_text.txt"
_PACKED = "kg.tsv"
_PLACES = (".", "kg", "wikidata_big/kg", "data/wikidata_big/kg")
"""Where the release has its facts, seen from the folders that people give."""


def read(files: Sequence[File], reading: Reading) -> Iterator[Item]:
    """The facts of each file that is not one of names, each named thing before its first fact.

    Raises:
        MissingFile, UnreadableFile, MalformedLine
        UsageError: only files of names.
    """
    facts = [file for file in files if _name(file) not in (_ENTITIES, _RELATIONS)]
    if files and not facts:
        raise UsageError(
            "names without facts", where=files[0].name, hint=f"give {_FULL} as well, or the folder"
        )
    entities = texts((file for file in files if _name(file) == _ENTITIES), reading)
    relations = texts((file for file in files if _name(file) == _RELATIONS), reading)
    for file in facts:
        yield reading.part(file.name, file.name, "temporal-kg")
        for fact in temporal_kg.facts(file, reading):
            for key in (fact.head, fact.tail):
                # Each is taken away as it is given, so that it is given once.
                named = entities.pop(key, None)
                if named:
                    yield Thing(key, named[0], tuple(named[1:]))
            said = relations.get(fact.relation)
            yield fact._replace(relation=said[0]) if said else fact


def _name(file: File) -> str:
    return PurePath(file.name).name.removesuffix(".gz")


def expand(folder: Path) -> Sequence[Path]:
    """The pack's ``kg.tsv``, or the release's facts with the files of their names.

    Raises:
        UnreadableFile: neither is there.
    """
    packed = plain_or_gzip(folder, _PACKED)
    if packed is not None:
        return [packed]
    for place in _PLACES:
        facts = plain_or_gzip(folder / place, _FULL)
        if facts is not None:
            named = (plain_or_gzip(folder / place, name) for name in (_ENTITIES, _RELATIONS))
            return [facts, *(path for path in named if path is not None)]
    raise nothing_in(folder, [_PACKED, f"wikidata_big/kg/{_FULL}"])


LOADER = Loader(
    name="cronquestions",
    summary="CronQuestions' temporal graph: the release's folder, or files like temporal-kg",
    kind="temporal-kg",
    read=read,
    expand=expand,
)
