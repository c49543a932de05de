"""``r2rml``: a relational database as a graph, as a mapping in R2RML makes it.

The mapping, an ontology and the database are told apart by what is in the files. Engines for R2RML that
could be had turn NULL into the text "None" and lose types; hence this one, which makes facts straight from
rows, so that each knows its line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from trustuqa_neo4j.errors import UsageError, importing
from trustuqa_neo4j.loader import File, Loader, Reading
from trustuqa_neo4j.triples import Item

from . import folders
from .content import Wanted
from .r2rml_mapping import Mapping
from .r2rml_parsing import is_mapping, parsed
from .statements_rdf import MAPPING, Base, Statement, is_form, statements

_NO_BASE = "mapping:/"
"""What relative IRIs of a mapping are relative to that has no base: its parts are only called by them."""

_DATA = (".csv", ".tsv", ".ddl", ".sql", ".db", ".db3", ".sqlite", ".sqlite3", ".duckdb")
_HINT = "give MAPPING.ttl, the data (an address, a database file, or CSV files) and any ontology"


@dataclass(frozen=True, slots=True)
class _Given:
    """The files by what they are; the statements of ontologies have been read."""

    mapping: Mapping
    ontologies: dict[File, list[Statement]]
    data: list[File]


def read(files: Sequence[File], reading: Reading) -> Iterator[Item]:
    """The items that the mapping makes of the database, then what the ontologies declare.

    Raises:
        UsageError: there is no mapping, several, or no data.
        MissingFile, MissingExtra, UnreadableFile, UnreadableDatabase, MalformedLine
    """
    given = _sorted(files, reading)
    with importing("sql", "databases need"):  # other formats do not
        from .r2rml_graph import items

    yield from items(given.mapping, given.ontologies, given.data, reading)


def _sorted(files: Sequence[File], reading: Reading) -> _Given:
    """Which file is what.

    Raises:
        UsageError, MissingFile, MissingExtra, UnreadableFile, MalformedLine
    """
    mappings: list[Mapping] = []
    ontologies: dict[File, list[Statement]] = {}
    data = []
    for file in files:
        if file.address is not None or not (is_form(file.name) or _is_called_mapping(file.name)):
            data.append(file)
            continue
        base = Base(_NO_BASE)
        found = list(statements(file, reading, base))
        if is_mapping(found):
            said = base.iri if base.iri and base.iri != _NO_BASE else ""
            mappings.append(parsed(file.name, found, said))
        else:
            ontologies[file] = found
    if len(mappings) != 1:
        what = "several mappings" if mappings else "none of the files is a mapping in R2RML"
        where = ", ".join([each.file for each in mappings] or [file.name for file in files][:5])
        raise UsageError(what, where=where, hint=_HINT)
    if not data:
        raise UsageError("a mapping, and no data", where=mappings[0].file, hint=_HINT)
    return _Given(mappings[0], ontologies, data)


def expand(folder: Path) -> Sequence[Path]:
    """The files below ``folder`` that may be mapping, ontology or data.

    Raises:
        UnreadableFile: there is none.
    """
    return folders.files(folder, _WANTED)


def _is_called_mapping(name: str) -> bool:
    return name.lower().removesuffix(".gz").endswith(MAPPING)


def _is_wanted(name: str) -> bool:
    bare = name.lower().removesuffix(".gz")
    return is_form(name) or bare.endswith((MAPPING, *_DATA))


_WANTED = Wanted(_is_wanted, "file of a mapping or of data", _HINT)

LOADER = Loader(
    name="r2rml",
    summary="a relational database as an R2RML mapping (.ttl, .r2rml) makes a graph of it; .csv too",
    kind="kg",
    read=read,
    expand=expand,
    addresses=True,
)
