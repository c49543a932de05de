"""``exported``: what ``tuqa export`` wrote, back to the same dataset.

The manifest says what each file is, and how numbers and dates were read: read in another way, the same
texts would be other nodes. Whatever does not fit the manifest has been changed or cut off, and is refused
whole: to pass over a line of it would shift all rows behind it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from trustuqa_neo4j.errors import UnreadableFile, UsageError
from trustuqa_neo4j.exporting import manifest as written
from trustuqa_neo4j.exporting.manifest import ExportedSource, Manifest
from trustuqa_neo4j.loader import File, Loader, Reading
from trustuqa_neo4j.triples import Fact, Held, Item, Part, row

from .exported_folder import HINT, Declarations, Folder, names_of
from .layouts import nothing_in


def read(files: Sequence[File], reading: Reading) -> Iterator[Item]:
    """The items of an export, in the order of its manifest.

    Raises:
        MissingFile, UnreadableFile, MalformedLine
        UsageError: options say other than the manifest.
    """
    reading = replace(reading, encoding="utf-8")
    by_name = {file.path.name: file for file in files}
    found = _manifest(files, by_name)
    _check_options(found, reading)
    folder = Folder(by_name, by_name[written.NAME], reading)
    names = names_of(found, folder)
    declarations = Declarations(found, folder)
    for source in found.sources:
        names.source = source.name
        items = _table(source, folder) if source.form == "table" else _facts(source, folder)
        for item in items:
            if isinstance(item, Fact):
                yield from names.of(item)
            yield item
        yield from declarations.of(source)
    names.end()
    declarations.end()


def expand(folder: Path) -> Sequence[Path]:
    """The manifest in ``folder``, and the files that it names.

    Raises:
        UnreadableFile
    """
    path = folder / written.NAME
    if not path.is_file():
        raise nothing_in(folder, [written.NAME])
    found = _parsed(File(path, str(path)))
    named = [found.names, found.declarations]
    for source in found.sources:
        named += [source.file, source.lines]
    return [path, *(folder / name for name in named if name is not None)]


def _manifest(files: Sequence[File], by_name: dict[str, File]) -> Manifest:
    if written.NAME not in by_name:
        raise UnreadableFile(f"no {written.NAME} among the files", where=files[0].name, hint=HINT)
    return _parsed(by_name[written.NAME])


def _parsed(file: File) -> Manifest:
    try:
        return written.from_json(file.path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UnreadableFile(str(reason), where=file.name, hint=HINT) from error


def _check_options(found: Manifest, reading: Reading) -> None:
    if reading.source is not None:
        hint = "leave --source away"
        raise UsageError("an export names its sources itself", where=found.dataset, hint=hint)
    if reading.values != found.values:
        given, wanted = written.options(reading.values), written.options(found.values)
        raise UsageError(
            f"the values of {found.dataset!r} were read in another way",
            where=f"given: {given or 'no options'}",
            hint=f"give {wanted}" if wanted else "leave --dates, --decimal and --null away",
        )


class _Parts:
    """The parts of a source as its files follow each other."""

    def __init__(self, source: ExportedSource) -> None:
        self._source = source
        self._coming = list(reversed(source.files))
        self._file = ""

    def of(self, file: str) -> Iterator[Part]:
        """What is to be said before an item of ``file``."""
        while file != self._file and self._coming:
            yield self._part()

    def rest(self) -> Iterator[Part]:
        """The files that no item is of."""
        while self._coming:
            yield self._part()

    def _part(self) -> Part:
        self._file = self._coming.pop()
        return Part(self._source.name, self._file, self._source.kind, self._source.columns)


def _table(source: ExportedSource, folder: Folder) -> Iterator[Item]:
    parts = _Parts(source)
    file, line = source.files[0], 1
    places = folder.rows(source.lines, written.LINES) if source.lines else iter(())
    place = next(places, None)
    position = 0
    for position, cells in enumerate(folder.rows(source.file, source.columns), 1):
        line += 1
        if place is not None and place[0] == str(position):
            file, line = place[1], _whole(place[2], "line", folder, source.lines or "")
            place = next(places, None)
        yield from parts.of(file)
        thing = row(source.name, position)
        yield thing
        for column, cell in zip(source.columns, cells, strict=True):
            yield Fact(thing.key, column, cell, line)
    if place is not None:
        raise folder.changed(source.lines or "", f"no row {place[0]}, or not here", 1)
    folder.counted(source, position)
    yield from parts.rest()


def _whole(text: str, what: str, folder: Folder, name: str) -> int:
    if not text.isdecimal():
        raise folder.changed(name, f"{text!r} is no {what}", 1)
    return int(text)


def _facts(source: ExportedSource, folder: Folder) -> Iterator[Item]:
    parts = _Parts(source)
    count = 0
    for count, cells in enumerate(folder.rows(source.file, source.header), 1):
        try:
            file, fact = _fact(source, cells)
        except (ValueError, TypeError) as error:
            raise folder.changed(source.file, f"no fact in row {count} ({error})", count) from error
        yield from parts.of(file)
        yield fact
    folder.counted(source, count)
    yield from parts.rest()


def _fact(source: ExportedSource, cells: list[str]) -> tuple[str, Fact]:
    """The file of a row and its fact; ``cells`` are taken away."""
    line = int(cells.pop())
    file = cells.pop() if len(source.files) > 1 else source.files[0]
    said = cells.pop() if source.qualified else ""
    held = _held(cells[3:]) if source.held else None
    pairs = tuple((str(name), str(value)) for name, value in json.loads(said)) if said else ()
    return file, Fact(cells[0], cells[1], cells[2], line, held, pairs)


def _held(cells: Sequence[str]) -> Held | None:
    start_text, end_text, first, last = cells
    return Held(int(first), int(last), start_text, end_text) if first else None


LOADER = Loader(
    name="exported",
    summary="what `tuqa export` wrote: its folder",
    kind="kg",
    read=read,
    expand=expand,
)
