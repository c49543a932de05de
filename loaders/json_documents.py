"""``json``: records and nested objects, from one document or one record a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from trustuqa_neo4j.loader import File, Loader, Reading
from trustuqa_neo4j.triples import Fact, Item, Thing

from . import folders
from .columns import no_fact
from .content import Wanted
from .json_graph import Graph, Owner, Place
from .json_walk import Walk, record
from .json_window import FITS, Window, Wrong, decoded, may_be_halved
from .text import lines

_BY_LINE = (".jsonl", ".ndjson")
_SUFFIXES = tuple(name + zipped for name in (".json", *_BY_LINE) for zipped in ("", ".gz"))
_WANTED = Wanted(
    lambda path: path.lower().endswith(_SUFFIXES),
    "document",
    f"documents in it are known by their suffix: {' '.join(_SUFFIXES)}",
)
_HINT = "each line is an object; --skip-bad N passes over up to N bad lines"


def read(files: Sequence[File], reading: Reading) -> Iterator[Item]:
    """The items of each file, in its order.

    Raises:
        MissingFile, UnreadableFile, MalformedLine
    """
    # What is bad is noted when the facts are read, and only then.
    quiet = replace(reading, skip_bad=1 << 62, bad=[], progress=lambda _file, _done: None)
    by_line = {file: _is_by_line(file, quiet) for file in files}
    survey = Graph(quiet)
    for file in files:
        for _ in _items(file, by_line[file], survey):
            pass
    graph = survey.known(reading)
    del survey
    for file in files:
        yield reading.part(file.name, file.name, "kg")
        if file is files[0]:
            yield from (Thing(told, told) for told in graph.classes)
        empty = True
        for item in _items(file, by_line[file], graph):
            empty = empty and not isinstance(item, Fact)
            yield item
        if empty:
            raise no_fact(file)


def expand(folder: Path) -> Sequence[Path]:
    """The documents below ``folder``.

    Raises:
        UnreadableFile
    """
    return folders.files(folder, _WANTED)


def _is_by_line(file: File, reading: Reading) -> bool:
    """Whether each line is a record: said by the suffix, or by a first line that is an object by itself."""
    if file.name.lower().removesuffix(".gz").endswith(_BY_LINE):
        return True
    with lines(file, reading) as found:
        first, _, further = found.block(FITS).lstrip().partition("\n")
    try:
        return bool(further.strip()) and isinstance(decoded(first), tuple)
    except Wrong:
        return False


def _items(file: File, by_line: bool, graph: Graph) -> Iterator[Item]:
    graph.file = file.name
    reading = graph.reading
    source = reading.part(file.name, file.name, "kg").source
    # Other loads into the dataset may have files of this name, and never a source of this name.
    base = file.name if source == file.name else f"{source}:{file.name}"
    with lines(file, reading) as found:
        if by_line:
            for number, line in enumerate(found, 1):
                if line.strip():
                    place = Place(f"{base}:{number}#", f"{base}#", number)
                    yield from _of_line(line, place, graph)
        else:
            yield from Walk(graph, Window(file.name, found), base).items()


def _of_line(line: str, place: Place, graph: Graph) -> list[Item]:
    out: list[Item] = []
    try:
        value = decoded(line)
    except Wrong as error:
        graph.reading.malformed(str(error), f"{graph.file}:{place.line}", _HINT)
        return out
    return record(graph, Owner("", "", place), value, may_be_halved(line))


LOADER = Loader(
    name="json",
    summary="records and nested objects: .json, or .jsonl and .ndjson with one a line; .gz too",
    kind="kg",
    read=read,
    expand=expand,
)
