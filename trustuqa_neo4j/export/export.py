"""``export``: one dataset to a folder of CSV files, source by source.

Neither side holds a whole source: facts are streamed, sorted on disk in the order of reading, and written. An
export is discarded if the dataset changed meanwhile.
"""

from __future__ import annotations

import errno
import heapq
import json
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from secrets import token_hex
from time import perf_counter
from typing import Any, cast

from ..errors import DataError, DiskFull
from ..graph import catalog
from ..graph.connection import Connection
from ..graph.dataset_schema import described
from ..graph.interrupts import defer_interrupts
from ..graph.ontology_store import read_class_declaration, read_relation_declaration
from ..loading.request import Progress
from ..model.facts import SourceKind
from ..reads.reader import Row
from ..values import ValueOptions, parse_value_options
from . import csv_writer
from .csv_writer import CsvWriter, NodeNameWriter
from .manifest import MANIFEST_FILE, NAME_COLUMNS, ExportedSource, Manifest, format_declaration

# The folder of an export: complete or not there at all


_DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
_MAX_NAME = 40
_UNSAFE = re.compile(r"[^A-Za-z0-9]+")


@contextmanager
def create_folder(target: Path) -> Iterator[Path]:
    # ``target`` gets the content only after success. If it does not exist, the folder is beside it
    # and is renamed at the end. An empty ``target`` may be somebody's working folder, or lie on a
    # disk of its own: then the folder is inside, and its files are moved up, the manifest last,
    # because only the manifest makes it an export.
    work: Path | None = None
    try:
        with _convert_errors(target):
            exists = _is_empty_folder(target)
            parent = target if exists else target.parent
            parent.mkdir(parents=True, exist_ok=True)
            work = parent / f".{target.name[:_MAX_NAME]}-{token_hex(4)}"
            work.mkdir()
            yield work
            if exists:
                _move_up(work)
            else:
                work.rename(target)
    finally:
        if work is not None:
            shutil.rmtree(work, ignore_errors=True)


def _is_empty_folder(target: Path) -> bool:
    # False if ``target`` does not exist; DataError if it is not an empty folder.
    if "\0" in str(target):
        raise DataError("no path", where=repr(str(target)), hint="name a folder")
    if not target.exists():
        return False
    if not target.is_dir():
        raise DataError("a file of this name is there", where=str(target), hint="name a folder")
    if any(target.iterdir()):
        raise DataError(
            "the folder is not empty, and an export never overwrites files",
            where=str(target),
            hint="name a folder that does not exist yet, or empty this one",
        )
    return True


def _move_up(work: Path) -> None:
    target = work.parent
    paths = sorted(work.iterdir(), key=lambda path: path.name == MANIFEST_FILE)
    try:
        for path in paths:
            path.rename(target / path.name)
        work.rmdir()
    except BaseException:
        for path in paths:
            (target / path.name).unlink(missing_ok=True)
        raise


@contextmanager
def _convert_errors(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in _DISK_FULL:
            raise DiskFull(
                "the disk is full", where=str(target),
                hint="make room, or export to another disk; nothing was written",
            ) from error  # fmt: skip
        reason = error.strerror or str(error)
        hint = "name a folder that can be written"
        raise DataError(f"it cannot be written ({reason})", where=str(target), hint=hint) from error


# Sorting of more rows than memory holds
#
# The index returns the facts of a source relation by relation; files are written in the order of reading. The
# database could sort only in its memory. So runs are sorted here, stored on disk, and merged.


MAX_RUN_ROWS = 50_000
MAX_RUN_LETTERS = 10_000_000
MAX_RUNS = 100  # then they are merged into one: each is an open file when they are read


class RowSorter:
    # The first members are numbers and together unique.
    def __init__(self, folder: Path, run_rows: int = MAX_RUN_ROWS) -> None:
        self._folder = folder
        self._run_rows = run_rows
        self._rows: list[list[Any]] = []
        self._letters = 0
        self._runs: list[Path] = []
        self._run_count = 0

    def add(self, row: list[Any], letters: int = 0) -> None:
        # ``letters`` is the length of the texts in ``row``.
        self._rows.append(row)
        self._letters += letters
        if len(self._rows) >= self._run_rows or self._letters >= MAX_RUN_LETTERS:
            self._write_run()

    def clear(self) -> None:
        self._rows.clear()
        self._letters = 0
        for run in self._runs:
            run.unlink(missing_ok=True)
        self._runs.clear()

    close = clear

    def __iter__(self) -> Iterator[list[Any]]:
        if self._runs:
            self._write_run()
            yield from heapq.merge(*map(_read_run, self._runs))
        else:
            self._rows.sort()
            yield from self._rows

    def _write_run(self) -> None:
        self._rows.sort()
        self._write(iter(self._rows))
        self._rows.clear()
        self._letters = 0
        if len(self._runs) >= MAX_RUNS:
            runs, self._runs = self._runs, []
            self._write(heapq.merge(*map(_read_run, runs)))
            for run in runs:
                run.unlink()

    def _write(self, rows: Iterator[list[Any]]) -> None:
        self._run_count += 1
        path = self._folder / f"run-{self._run_count}"
        with path.open("w", encoding="utf-8", newline="\n") as file:
            self._runs.append(path)
            for row in rows:
                file.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")


def _read_run(path: Path) -> Iterator[list[Any]]:
    with path.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            yield json.loads(line)


# The export itself


NAMES_FILE = "names.csv"
DECLARATIONS_FILE = "declarations.jsonl"
PROGRESS_STEP = 1000  # facts read or written between two reports


@dataclass(frozen=True, slots=True)
class ExportReport:
    """The size and the folder of an export; ``values`` are the dataset's options for reading values."""

    dataset: str
    folder: str
    sources: int
    facts: int
    values: ValueOptions
    seconds: float

    def summary(self) -> str:
        """Format as one line."""
        sources = "1 source" if self.sources == 1 else f"{self.sources:,} sources"
        rate = f"{self.seconds:.1f} s ({self.facts / self.seconds:,.0f} facts/s)"
        return f"{self.dataset}: {self.facts:,} facts of {sources} to {self.folder} in {rate}"


def export(
    connection: Connection, dataset: str, folder: str | PathLike[str], progress: Progress
) -> ExportReport:
    """Write ``dataset`` to ``folder``, which must be empty or not exist yet.

    Raises:
        UnknownDataset, IncompleteDataset, DatabaseError
        DataError: the folder cannot be used, or the dataset changed meanwhile.
        DiskFull
    """
    started = perf_counter()
    is_done = False
    try:
        with defer_interrupts() as guard:
            with create_folder(Path(folder)) as work:
                manifest = _Export(connection, dataset, work, progress, guard.raise_pending).run()
            is_done = True
    except KeyboardInterrupt as error:
        result = f"{folder} had been written by then" if is_done else f"nothing is in {folder}"
        raise KeyboardInterrupt(f"interrupted: {result}") from error
    return ExportReport(
        dataset, str(folder), len(manifest.sources), manifest.facts, manifest.values,
        perf_counter() - started,
    )  # fmt: skip


@dataclass
class _Export:
    # Ctrl-C interrupts only at ``check_interrupt``.
    connection: Connection
    dataset: str
    work: Path
    progress: Progress
    check_interrupt: Callable[[], None]
    steps: int = 0
    storage: str = ""

    def run(self) -> Manifest:
        # The manifest comes last.
        content = catalog.describe_complete_dataset(self.connection, self.dataset)
        self.storage = content["storage"]
        rows = self.connection.read(
            lambda reader: reader.run("describe_sources", dataset=self.dataset, sources=None)
        )
        self.progress.begin(f"export {self.dataset}", content["facts"], "facts")
        values = parse_value_options(content["values"] or "")
        with CsvWriter(self.work / NAMES_FILE, NAME_COLUMNS) as file:
            names = NodeNameWriter(file, values)
            sources = tuple(
                self._write_source(file_name(number, len(rows), row["name"]), row, names)
                for number, row in enumerate(rows, 1)
            )
            has_names = file.row_count > 0
        if not has_names:
            (self.work / NAMES_FILE).unlink()
        sources = self._write_declarations(sources)
        has_declarations = any(source.declared for source in sources)
        # A load that adds to the dataset may have begun: nobody sees it before its end.
        if catalog.describe_complete_dataset(self.connection, self.dataset) | {
            "adding": None
        } != content | {"adding": None}:
            raise DataError(
                f"{self.dataset!r} changed while it was exported",
                where=f"dataset {self.dataset!r}",
                hint="export it again once nobody loads or drops it",
            )
        manifest = Manifest(
            self.dataset, values, content["nodes"], content["facts"],
            NAMES_FILE if has_names else None, sources,
            DECLARATIONS_FILE if has_declarations else None,
        )  # fmt: skip
        (self.work / MANIFEST_FILE).write_text(manifest.to_json(), encoding="utf-8", newline="\n")
        return manifest

    def _write_declarations(self, sources: Sequence[ExportedSource]) -> tuple[ExportedSource, ...]:
        # Also counts the declarations in the sources.
        counted: list[ExportedSource] = []
        path = self.work / DECLARATIONS_FILE
        with path.open("w", encoding="utf-8", newline="\n") as file:
            for source in sources:
                lines = [*self._declaration_lines(source.name)]
                file.writelines(lines)
                counted.append(replace(source, declared=len(lines)))
                self.check_interrupt()
        if not any(source.declared for source in counted):
            path.unlink()
        return tuple(counted)

    def _declaration_lines(self, source: str) -> Iterator[str]:
        # A source has far fewer classes than facts, so they fit in memory.
        parameters = {"dataset": self.storage, "source": source}
        for (row,) in self.connection.stream("export_classes", list, **parameters):
            yield format_declaration(source, read_class_declaration(row))
        for (row,) in self.connection.stream("export_properties", list, **parameters):
            yield format_declaration(source, read_relation_declaration(row))

    def _write_source(self, name: str, row: Row, names: NodeNameWriter) -> ExportedSource:
        relations, schema = row["relations"], described(row)
        source = ExportedSource(
            schema.name, cast("SourceKind", schema.kind), schema.files, schema.columns, "facts",
            file=f"{name}.csv",
            held=any(relation.get("held") for relation in relations),
            qualified=any(relation.get("qualifiers") for relation in relations),
            readings=tuple(json.loads(row["readings"] or "{}").items()),
        )  # fmt: skip
        with closing(RowSorter(self.work)) as sorter:
            if source.kind == "table" and source.columns:
                table = self._write_table(source, sorter, names)
                if table is not None:
                    return table
            is_split = False

            def note_cell(fact: list[Any]) -> list[Any]:
                nonlocal is_split
                is_split |= fact[-1] is not None
                return fact

            self._sort_facts(source, sorter, note_cell)
            source = replace(source, split=is_split)
            return csv_writer.write_facts(self._count(sorter), source, self.work, names)

    def _write_table(
        self, source: ExportedSource, sorter: RowSorter, names: NodeNameWriter
    ) -> ExportedSource | None:
        # None, without any trace, unless all facts are cells of one table.
        table = replace(source, form="table", held=False, qualified=False)
        columns = frozenset(source.columns)
        names.begin()
        try:
            self._sort_facts(source, sorter, lambda fact: csv_writer.to_table_cell(fact, columns))
            table = csv_writer.write_table(self._count(sorter), table, self.work, names)
        except csv_writer.NotATable:
            names.roll_back()
            for path in self.work.glob(f"{source.file.removesuffix('.csv')}.*"):
                path.unlink()
            return None
        names.commit()
        return table

    def _sort_facts(
        self, source: ExportedSource, sorter: RowSorter, to_row: Callable[[list[Any]], list[Any]]
    ) -> None:
        def fill(facts: Iterator[list[Any]]) -> None:
            sorter.clear()
            for fact in self._count(facts):
                letters = len(fact[3][1]) + len(fact[5][1]) + len(fact[5][3] or "")
                sorter.add(to_row(fact), letters)

        self.connection.stream("export_facts", fill, dataset=self.storage, source=source.name)

    def _count(self, facts: Iterator[list[Any]] | RowSorter) -> Iterator[list[Any]]:
        for fact in facts:
            self.steps += 1
            if not self.steps % PROGRESS_STEP:
                self.progress.advance(self.steps // 2)  # each fact is read, and then written
                self.check_interrupt()
            yield fact
        self.check_interrupt()


def file_name(number: int, total: int, source: str) -> str:
    # Every system accepts the name.
    ending = _UNSAFE.sub("-", source[-_MAX_NAME:]).strip("-").lower()
    return f"{number:0{len(str(total))}}-{ending}".rstrip("-")
