"""``exported``: a folder that ``tuqa export`` wrote, back to the same dataset.

The manifest describes each file, and how numbers and dates were read: with other rules the same texts would
be other nodes. A file that does not fit the manifest was changed or cut off. The loader refuses it as a
whole, because a skipped line would shift all rows after it.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePath

from trustuqa_neo4j.errors import MalformedLine, UnreadableFile, UsageError
from trustuqa_neo4j.export.manifest import (
    FORMAT,
    LINE_COLUMNS,
    MANIFEST_FILE,
    NAME_COLUMNS,
    ExportedSource,
    Manifest,
    format_value_options,
    parse_declaration,
    parse_manifest,
)
from trustuqa_neo4j.loading.formats import File, Loader, ReadOptions
from trustuqa_neo4j.model.facts import (
    Declaration,
    Fact,
    Item,
    NodeDeclared,
    SourceStart,
    ValidTime,
    make_row_node,
)
from trustuqa_neo4j.wording import CallOption

from ._inputs import missing_file_error
from ._text import MAX_LINE_LENGTH, open_lines

_HINT = "give the folder that `tuqa export` wrote, with all its files unchanged"
_NODE_KINDS = ("named", "unnamed", "row")
_SIDE_COLUMNS = (NAME_COLUMNS, LINE_COLUMNS)


class ExportFolder:
    # No file is held in memory.
    def __init__(self, files: dict[str, File], manifest: File, options: ReadOptions) -> None:
        self._files = files
        self._manifest = manifest
        self._options = replace(options, encoding="utf-8")
        # Only files of facts report progress: the side files are read along with them.
        self._side_options = replace(self._options, progress=lambda _file, _done: None)

    def read_rows(self, name: str, header: Sequence[str]) -> Iterator[list[str]]:
        # The header must be ``header``.
        file = self.get_file(name)
        csv.field_size_limit(max(csv.field_size_limit(), MAX_LINE_LENGTH))
        options = self._side_options if header in _SIDE_COLUMNS else self._options
        with open_lines(file, options) as lines:
            reader = csv.reader(lines, strict=True)
            number = 1
            try:
                for number, fields in enumerate(reader, 1):
                    if number == 1 and fields != list(header):
                        raise self.mismatch_error(name, "the header differs from the manifest", 1)
                    if len(fields) != len(header):
                        what = f"{len(fields)} cells in this row, where {len(header)} are needed"
                        raise self.mismatch_error(name, what, reader.line_num)
                    if number > 1:
                        yield fields
            except csv.Error as error:
                raise self.mismatch_error(name, str(error), reader.line_num) from error

    def read_side_lines(self, name: str) -> Iterator[tuple[int, str]]:
        # Side files have no facts.
        with open_lines(self.get_file(name), self._side_options) as lines:
            yield from enumerate(lines, 1)

    def get_file(self, name: str) -> File:
        if name not in self._files:
            what = f"it names {name}, which is missing"
            raise UnreadableFile(what, where=self._manifest.name, hint=_HINT)
        return self._files[name]

    def mismatch_error(self, name: str, what: str, line: int) -> MalformedLine:
        return MalformedLine(what, where=f"{self.get_file(name).name}:{line}", hint=_HINT)

    def check_row_count(self, source: ExportedSource, count: int) -> None:
        if count != source.rows:
            what = f"{count:,} rows, but the manifest says {source.rows:,}"
            raise UnreadableFile(what, where=self.get_file(source.file).name, hint=_HINT)


class ExportedNodes:
    def __init__(self, manifest: Manifest, folder: ExportFolder) -> None:
        self._rows: Iterator[list[str]] = iter(())
        self._place = ""
        if manifest.names is not None:
            self._rows = folder.read_rows(manifest.names, NAME_COLUMNS)
            self._place = folder.get_file(manifest.names).name
        self._row = next(self._rows, None)
        self.source = ""
        self._pending = self._read_next()

    def first_used_by(self, fact: Fact) -> Iterator[NodeDeclared]:
        node = self._pending
        if node is None:
            return
        for key in (fact.head, fact.tail, *(value for _, value in fact.qualifiers)):
            if node is not None and node.key == key:
                if node.position is not None:
                    node = make_row_node(self.source, node.position)
                yield node
                node = self._pending = self._read_next()

    def check_end(self) -> None:
        if self._pending is not None:
            what = (
                f"no fact has {self._pending.key!r} at this point: "
                "names must be in the order in which facts first use them"
            )
            raise UnreadableFile(what, where=self._place, hint=_HINT)

    def _read_next(self) -> NodeDeclared | None:
        if self._row is None:
            return None
        key, kind, name, alias = self._row
        aliases = [alias] if alias else []
        self._row = next(self._rows, None)
        while self._row is not None and self._row[0] == key:
            aliases.append(self._row[3])
            self._row = next(self._rows, None)
        if kind not in _NODE_KINDS or (kind == "row" and not name.isdecimal()):
            what = f"{key!r} cannot have the kind {kind!r} with the name {name!r}"
            raise UnreadableFile(what, where=self._place, hint=_HINT)
        if kind == "row":
            return NodeDeclared(key, None, position=int(name))
        if kind == "unnamed":
            return NodeDeclared(key, None, tuple(aliases), label=name)
        return NodeDeclared(key, name, tuple(aliases))


class ExportedDeclarations:
    def __init__(self, manifest: Manifest, folder: ExportFolder) -> None:
        self._folder = folder
        self._file = manifest.declarations or ""
        self._lines = folder.read_side_lines(self._file) if self._file else iter(())

    def of_source(self, source: ExportedSource) -> Iterator[Declaration]:
        for count in range(source.declared):
            number, line = next(self._lines, (0, ""))
            if not number:
                what = (
                    f"{count:,} declarations of {source.name}, "
                    f"but the manifest says {source.declared:,}"
                )
                where = self._folder.get_file(self._file).name if self._file else MANIFEST_FILE
                raise UnreadableFile(what, where=where, hint=_HINT)
            try:
                source_name, declaration = parse_declaration(line)
            except (ValueError, RecursionError) as error:
                what = f"not a declaration ({error})"
                raise self._folder.mismatch_error(self._file, what, number) from error
            if source_name != source.name:
                what = f"a declaration of {source_name}, but one of {source.name} is expected"
                raise self._folder.mismatch_error(self._file, what, number)
            yield declaration

    def check_end(self) -> None:
        for number, _ in self._lines:
            what = "more declarations than the manifest says"
            raise self._folder.mismatch_error(self._file, what, number)


def read_items(files: Sequence[File], options: ReadOptions) -> Iterator[Item]:
    options = replace(options, encoding="utf-8")
    by_name = {PurePath(file.name).name: file for file in files}
    if MANIFEST_FILE not in by_name:
        what = f"no {MANIFEST_FILE} among the files"
        raise UnreadableFile(what, where=files[0].name, hint=_HINT)
    manifest = _read_manifest(by_name[MANIFEST_FILE])
    _check_options(manifest, options)
    folder = ExportFolder(by_name, by_name[MANIFEST_FILE], options)
    nodes = ExportedNodes(manifest, folder)
    declarations = ExportedDeclarations(manifest, folder)
    for source in manifest.sources:
        nodes.source = source.name
        read_source = _table_items if source.form == "table" else _fact_items
        for item in read_source(source, folder):
            if isinstance(item, Fact):
                yield from nodes.first_used_by(item)
            yield item
        yield from declarations.of_source(source)
    nodes.check_end()
    declarations.check_end()


def expand_folder(folder: Path) -> Sequence[Path]:
    path = folder / MANIFEST_FILE
    if not path.is_file():
        raise missing_file_error(folder, [MANIFEST_FILE])
    manifest = _read_manifest(File(path, str(path)))
    names = [manifest.names, manifest.declarations]
    for source in manifest.sources:
        names += [source.file, source.lines]
    return [path, *(folder / name for name in names if name is not None)]


def is_export_folder(folder: Path) -> bool:
    # The name of the format stands at the beginning of the manifest.
    try:
        with (folder / MANIFEST_FILE).open("rb") as manifest:
            return FORMAT.encode() in manifest.read(200)
    except OSError:
        return False


def _read_manifest(file: File) -> Manifest:
    try:
        return parse_manifest(file.path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UnreadableFile(str(reason), where=file.name, hint=_HINT) from error


def _check_options(manifest: Manifest, options: ReadOptions) -> None:
    if options.source is not None:
        raise UsageError(
            "an export has the names of its sources itself",
            where=manifest.dataset,
            hint=f"omit {CallOption.SOURCE}",
        )
    if options.values != manifest.values:
        actual = format_value_options(options.values)
        needed = format_value_options(manifest.values)
        raise UsageError(
            f"the values of {manifest.dataset!r} were read with other options",
            where=f"given: {actual or 'no options'}",
            hint=f"give {needed}"
            if needed
            else f"omit {CallOption.DATES}, {CallOption.DECIMAL} and {CallOption.NULL}",
        )


class _SourceStarts:
    # Each start comes before the first item of its file.
    def __init__(self, source: ExportedSource) -> None:
        self._source = source
        self._pending = list(reversed(source.files))
        self._file = ""

    def up_to(self, file: str) -> Iterator[SourceStart]:
        while file != self._file and self._pending:
            yield self._start_next()

    def rest(self) -> Iterator[SourceStart]:
        while self._pending:
            yield self._start_next()

    def _start_next(self) -> SourceStart:
        self._file = self._pending.pop()
        source = self._source
        return SourceStart(source.name, self._file, source.kind, source.columns, source.readings)


def _table_items(source: ExportedSource, folder: ExportFolder) -> Iterator[Item]:
    starts = _SourceStarts(source)
    file, line = source.files[0], 1
    line_file = source.lines or ""
    jumps = folder.read_rows(line_file, LINE_COLUMNS) if line_file else iter(())
    jump = next(jumps, None)
    position = 0
    for position, cells in enumerate(folder.read_rows(source.file, source.columns), 1):
        line += 1
        if jump is not None and jump[0] == str(position):
            if not jump[2].isdecimal():
                raise folder.mismatch_error(line_file, f"{jump[2]!r} is not a line", 1)
            file, line = jump[1], int(jump[2])
            jump = next(jumps, None)
        yield from starts.up_to(file)
        row = make_row_node(source.name, position)
        yield row
        for column, cell in zip(source.columns, cells, strict=True):
            yield Fact(row.key, column, cell, line)
    if jump is not None:
        raise folder.mismatch_error(line_file, f"there is no row {jump[0]} at this point", 1)
    folder.check_row_count(source, position)
    yield from starts.rest()


def _fact_items(source: ExportedSource, folder: ExportFolder) -> Iterator[Item]:
    starts = _SourceStarts(source)
    count = 0
    for count, cells in enumerate(folder.read_rows(source.file, source.header), 1):
        try:
            file, fact = _parse_fact(source, cells)
        except (ValueError, TypeError) as error:
            what = f"row {count} is not a fact ({error})"
            raise folder.mismatch_error(source.file, what, count) from error
        yield from starts.up_to(file)
        yield fact
    folder.check_row_count(source, count)
    yield from starts.rest()


def _parse_fact(source: ExportedSource, cells: list[str]) -> tuple[str, Fact]:
    # Consumes ``cells``.
    line = int(cells.pop())
    first_file, *further_files = source.files
    file = cells.pop() if further_files else first_file
    whole_cell = cells.pop() if source.split else ""
    json_text = cells.pop() if source.qualified else ""
    valid_time = _parse_valid_time(cells[3:]) if source.held else None
    pairs = json.loads(json_text) if json_text else ()
    qualifiers = tuple((str(name), str(value)) for name, value in pairs)
    return file, Fact(cells[0], cells[1], cells[2], line, valid_time, qualifiers, whole_cell)


def _parse_valid_time(cells: Sequence[str]) -> ValidTime | None:
    start_text, end_text, first, last = cells
    return ValidTime(int(first), int(last), start_text, end_text) if first else None


LOADER = Loader(
    name="exported",
    summary="what `tuqa export` wrote: its folder",
    kind="kg",
    read=read_items,
    expand=expand_folder,
    aliases=("export",),
    is_folder=is_export_folder,
    reads=frozenset({"table", "kg", "temporal-kg", "json"}),
)
