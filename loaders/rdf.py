"""``rdf``: RDF in any form that is written down, ontologies among it.

Unlike ``kg``, axioms are kept as what they are: declarations of classes and relations, by which queries
are checked, and no facts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from trustuqa_neo4j.errors import UnreadableFile
from trustuqa_neo4j.loader import File, Loader, Reading
from trustuqa_neo4j.triples import Item

from . import folders
from .content import Wanted
from .statements_rdf import FORMS, is_form
from .triples_rdf import Graphs

_READ = f"these are read: {', '.join(FORMS)}, each also with .gz"
_WANTED = Wanted(is_form, "file of RDF", _READ)


def read(files: Sequence[File], reading: Reading) -> Iterator[Item]:
    """The items of each file, in its order.

    Raises:
        MissingFile, UnreadableFile, MalformedLine
        MissingExtra: what reads RDF is not installed.
    """
    for file in files:
        if not is_form(file.name):
            raise UnreadableFile(
                "its name does not say which form of RDF it is",
                where=file.name,
                hint=_READ,
            )
    graphs = Graphs(files, reading, declaring=True)
    for file in files:
        yield reading.part(file.name, file.name, "kg")
        yield from graphs.items(file)


def expand(folder: Path) -> Sequence[Path]:
    """The files of RDF below ``folder``.

    Raises:
        UnreadableFile: there is none.
    """
    return folders.files(folder, _WANTED)


LOADER = Loader(
    name="rdf",
    summary="RDF and ontologies: N-Triples, N-Quads, Turtle, TriG, RDF/XML (.owl), JSON-LD; .gz too",
    kind="kg",
    read=read,
    expand=expand,
)
