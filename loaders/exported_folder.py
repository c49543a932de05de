"""The files of an export beside its facts, read in step with them: names, lines, declarations.

Each is in the order in which the facts need it, so none is ever held.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import replace

from trustuqa_neo4j.errors import MalformedLine, UnreadableFile
from trustuqa_neo4j.exporting import manifest as written
from trustuqa_neo4j.exporting.declared import of_line
from trustuqa_neo4j.exporting.manifest import ExportedSource, Manifest
from trustuqa_neo4j.loader import File, Reading
from trustuqa_neo4j.triples import Declared, Fact, Thing, row

from .text import LONGEST, lines

HINT = "give the folder that `tuqa export` wrote, with all its files as they were"
_KINDS = ("named", "unnamed", "row")
_ASIDE = (written.NAMES, written.LINES)


class Folder:
    """The files of an export, as rows."""

    def __init__(self, files: dict[str, File], manifest: File, reading: Reading) -> None:
        self._files = files
        self._manifest = manifest
        self._reading = reading
        # Only the files of facts tell how far a load is: the others are read along with them.
        self._aside = replace(reading, progress=lambda _file, _done: None)

    def rows(self, name: str, header: Sequence[str]) -> Iterator[list[str]]:
        """The rows of the file ``name`` below its header, which must be ``header``.

        Raises:
            MissingFile, UnreadableFile, MalformedLine
        """
        file = self.file(name)
        csv.field_size_limit(max(csv.field_size_limit(), LONGEST))
        with lines(file, self._aside if header in _ASIDE else self._reading) as found:
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

    def lines(self, name: str) -> Iterator[tuple[int, str]]:
        """The lines of a file that lies beside those of facts, with their numbers.

        Raises:
            MissingFile, UnreadableFile
        """
        with lines(self.file(name), self._aside) as found:
            yield from enumerate(found, 1)

    def file(self, name: str) -> File:
        """The file ``name``.

        Raises:
            UnreadableFile
        """
        if name not in self._files:
            what = f"it names {name}, which is not there"
            raise UnreadableFile(what, where=self._manifest.name, hint=HINT)
        return self._files[name]

    def changed(self, name: str, what: str, line: int) -> MalformedLine:
        """The error for a file that is not what was written."""
        return MalformedLine(what, where=f"{self.file(name).name}:{line}", hint=HINT)

    def counted(self, source: ExportedSource, found: int) -> None:
        """See that all rows are there.

        Raises:
            UnreadableFile
        """
        if found != source.rows:
            what = f"{found:,} rows, where the manifest says {source.rows:,}"
            raise UnreadableFile(what, where=self.file(source.file).name, hint=HINT)


class Names:
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
            raise UnreadableFile(what, where=self._place, hint=HINT)

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
            raise UnreadableFile(what, where=self._place, hint=HINT)
        if kind == "row":
            return Thing(key, None, position=int(name))
        return Thing(key, name if kind == "named" else None, tuple(aliases))


def names_of(found: Manifest, folder: Folder) -> Names:
    """The names of an export, of which there may be none."""
    if found.names is None:
        return Names(iter(()), "")
    return Names(folder.rows(found.names, written.NAMES), folder.file(found.names).name)


class Declarations:
    """What sources declare, in their order."""

    def __init__(self, found: Manifest, folder: Folder) -> None:
        self._folder = folder
        self._file = found.declarations or ""
        self._lines = folder.lines(self._file) if self._file else iter(())

    def of(self, source: ExportedSource) -> Iterator[Declared]:
        """What ``source`` declares.

        Raises:
            UnreadableFile, MalformedLine
        """
        for place in range(source.declared):
            number, line = next(self._lines, (0, ""))
            if not number:
                what = f"{place:,} declarations of {source.name}, where the manifest says {source.declared:,}"
                raise UnreadableFile(what, where=self._where, hint=HINT)
            try:
                of, declared = of_line(line)
            except (ValueError, RecursionError) as error:
                what = f"no declaration ({error})"
                raise self._folder.changed(self._file, what, number) from error
            if of != source.name:
                what = f"what {of} declares, where {source.name} is to"
                raise self._folder.changed(self._file, what, number)
            yield declared

    def end(self) -> None:
        """See that all have come.

        Raises:
            MalformedLine
        """
        for number, _ in self._lines:
            what = "more declarations than the manifest says"
            raise self._folder.changed(self._file, what, number)

    @property
    def _where(self) -> str:
        return self._folder.file(self._file).name if self._file else written.NAME
