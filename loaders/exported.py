"""``exported``: what ``tuqa export`` wrote, back to the same dataset.

The manifest says what each file is, and how numbers and dates were read: read in another way, the same
texts would be other nodes. Whatever does not fit the manifest has been changed or cut off, and is refused
whole: to pass over a line of it would shift all rows behind it.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from trustuqa_neo4j.errors import MalformedLine, UnreadableFile, UsageError
from trustuqa_neo4j.exporting import manifest as written
from trustuqa_neo4j.exporting.manifest import ExportedSource, Manifest
from trustuqa_neo4j.loader import File, Loader, Reading
from trustuqa_neo4j.triples import Fact, Held, Item, Part, Thing, row

from .layouts import nothing_in
from .text import LONGEST, lines

_KINDS = ("named", "unnamed", "row")
_ASIDE = (written.NAMES, written.LINES)
_HINT = "give the folder that `tuqa export` wrote, with all its files as they were"


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
    folder = _Folder(by_name, by_name[written.NAME], reading)
    names = _names(found, folder)
    for source in found.sources:
        names.source = source.name
        items = _table(source, folder) if source.form == "table" else _facts(source, folder)
        for item in items:
            if isinstance(item, Fact):
                yield from names.of(item)
            yield item
    names.end()


def expand(folder: Path) -> Sequence[Path]:
    """The manifest in ``folder``, and the files that it names.

    Raises:
        UnreadableFile
    """
    path = folder / written.NAME
    if not path.is_file():
        raise nothing_in(folder, [written.NAME])
    found = _parsed(File(path, str(path)))
    named = [found.names]
    for source in found.sources:
        named += [source.file, source.lines]
    return [path, *(folder / name for name in named if name is not None)]


def _manifest(files: Sequence[File], by_name: dict[str, File]) -> Manifest:
    if written.NAME not in by_name:
        raise UnreadableFile(f"no {written.NAME} among the files", where=files[0].name, hint=_HINT)
    return _parsed(by_name[written.NAME])


def _parsed(file: File) -> Manifest:
    try:
        return written.from_json(file.path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UnreadableFile(str(reason), where=file.name, hint=_HINT) from error


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


class _Folder:
    """The files of an export, as rows."""

    def __init__(self, files: dict[str, File], manifest: File, reading: Reading) -> None:
        self._files = files
        self._manifest = manifest
        self._reading = reading

    def rows(self, name: str, header: Sequence[str]) -> Iterator[list[str]]:
        """The rows of the file ``name`` below its header, which must be ``header``.

        Raises:
            MissingFile, UnreadableFile, MalformedLine
        """
        file = self.file(name)
        # Only the files of facts tell how far a load is: the others are read along with them.
        aside = replace(self._reading, progress=lambda _file, _done: None)
        csv.field_size_limit(max(csv.field_size_limit(), LONGEST))
        with lines(file, aside if header in _ASIDE else self._reading) as found:
            reader = csv.reader(found, strict=True)
            number = 1
            try:
                for number, fields in enumerate(reader, 1):
                    if number == 1 and fields != list(header):
                        raise self.changed(name, "another header than the manifest says", 1)
                    if len(fields) != len(header):
                        what = f"{len(fields)} cells in this row, where {len(header)} are needed"
                        raise self.changed(name, what, reader.line_num)
                    if number > 1:
                        yield fields
            except csv.Error as error:
                raise self.changed(name, str(error), reader.line_num) from error

    def file(self, name: str) -> File:
        """The file ``name``.

        Raises:
            UnreadableFile
        """
        if name not in self._files:
            what = f"it names {name}, which is not there"
            raise UnreadableFile(what, where=self._manifest.name, hint=_HINT)
        return self._files[name]

    def changed(self, name: str, what: str, line: int) -> MalformedLine:
        """The error for a file that is not what was written."""
        return MalformedLine(what, where=f"{self.file(name).name}:{line}", hint=_HINT)

    def counted(self, source: ExportedSource, found: int) -> None:
        """See that all rows are there.

        Raises:
            UnreadableFile
        """
        if found != source.rows:
            what = f"{found:,} rows, where the manifest says {source.rows:,}"
            raise UnreadableFile(what, where=self.file(source.file).name, hint=_HINT)


class _Names:
    """Things, each before the first fact that has it; they stand in this order."""

    def __init__(self, rows: Iterator[list[str]], place: str) -> None:
        self._rows = rows
        self._place = place
        self._row = next(rows, None)
        self.source = ""
        self.coming = self._next()

    def of(self, fact: Fact) -> Iterator[Thing]:
        """The things that ``fact`` is the first to have."""
        coming = self.coming
        if coming is None:
            return
        for name in (fact.head, fact.tail, *(value for _, value in fact.qualifiers)):
            if coming is not None and coming.key == name:
                if coming.position is not None:
                    coming = row(self.source, coming.position)
                yield coming
                coming = self.coming = self._next()

    def end(self) -> None:
        """See that all have come.

        Raises:
            UnreadableFile
        """
        if self.coming is not None:
            what = (
                f"no fact has {self.coming.key!r}, or not here: names stand as facts first use them"
            )
            raise UnreadableFile(what, where=self._place, hint=_HINT)

    def _next(self) -> Thing | None:
        if self._row is None:
            return None
        key, kind, name, alias = self._row
        aliases = [alias] if alias else []
        self._row = next(self._rows, None)
        while self._row is not None and self._row[0] == key:
            aliases.append(self._row[3])
            self._row = next(self._rows, None)
        if kind not in _KINDS or (kind == "row" and not name.isdecimal()):
            what = f"no {kind} is called {name!r}, as {key!r} is said to be"
            raise UnreadableFile(what, where=self._place, hint=_HINT)
        if kind == "row":
            return Thing(key, None, position=int(name))
        return Thing(key, name if kind == "named" else None, tuple(aliases))


def _names(found: Manifest, folder: _Folder) -> _Names:
    if found.names is None:
        return _Names(iter(()), "")
    return _Names(folder.rows(found.names, written.NAMES), folder.file(found.names).name)


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


def _table(source: ExportedSource, folder: _Folder) -> Iterator[Item]:
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


def _whole(text: str, what: str, folder: _Folder, name: str) -> int:
    if not text.isdecimal():
        raise folder.changed(name, f"{text!r} is no {what}", 1)
    return int(text)


def _facts(source: ExportedSource, folder: _Folder) -> Iterator[Item]:
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
