"""``metaqa``: the knowledge graph of MetaQA, ``kb.txt``: head, relation, tail with bars between them.

As ``kg``, but a bar is the only delimiter: film titles have commas, and the first lines of a part of the
file could be taken for CSV.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from trustuqa_neo4j.loader import File, Loader, Reading
from trustuqa_neo4j.triples import Item

from .kg import FORM, facts
from .layouts import nothing_in, plain_or_gzip

_FORM = replace(FORM, delimiters="|")
_KB = "kb.txt"


def read(files: Sequence[File], reading: Reading) -> Iterator[Item]:
    """The facts of each file, in its order.

    Raises:
        MissingFile, UnreadableFile, MalformedLine
    """
    for file in files:
        yield reading.part(file.name, file.name, "kg")
        yield from facts(file, reading, _FORM)


def expand(folder: Path) -> Sequence[Path]:
    """``kb.txt`` in a folder as released, or packed.

    Raises:
        UnreadableFile: there is none.
    """
    found = plain_or_gzip(folder, _KB)
    if found is None:
        raise nothing_in(folder, [_KB, f"{_KB}.gz"])
    return [found]


LOADER = Loader(
    name="metaqa",
    summary="MetaQA's knowledge graph: kb.txt or the folder that holds it",
    kind="kg",
    read=read,
    expand=expand,
)
