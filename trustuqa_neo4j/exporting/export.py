"""One dataset to a folder: look, write source by source, see that nothing changed meanwhile.

Neither side holds a source: facts are streamed, sorted on disk as they were read, and written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import Any, cast

from ..compiling import Row
from ..dataset import incomplete
from ..errors import DataError
from ..graph import catalogue
from ..graph.connection import Connection
from ..graph.describing import described
from ..graph.unbroken import unbroken
from ..graph.vocabularies import declared_class, declared_relation
from ..loading.request import Progress, values_of
from ..triples import Kind
from ..values import ValueOptions
from . import facts, tables
from .declared import to_line
from .folder import file_name, filled
from .manifest import NAME, NAMES, ExportedSource, Manifest
from .nodes import Names
from .rows import Rows
from .sorting import Sorter

NAMES_FILE = "names.csv"
DECLARATIONS_FILE = "declarations.jsonl"
_TOLD_EVERY = 1000


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export wrote, and where; ``values`` is how the dataset's values are read."""

    dataset: str
    folder: str
    sources: int
    facts: int
    values: ValueOptions
    seconds: float

    def summary(self) -> str:
        """One line for people."""
        sources = "1 source" if self.sources == 1 else f"{self.sources:,} sources"
        rate = f"{self.seconds:.1f} s ({self.facts / self.seconds:,.0f} facts/s)"
        return f"{self.dataset}: {self.facts:,} facts of {sources} to {self.folder} in {rate}"


def export(
    connection: Connection, dataset: str, folder: str | PathLike[str], progress: Progress
) -> Exported:
    """Write ``dataset`` to ``folder``, which must be empty or not there yet.

    Raises:
        UnknownDataset, IncompleteDataset, DatabaseError
        DataError: the folder cannot be used, or the dataset changed meanwhile.
        DiskFull
    """
    begun = perf_counter()
    done = False
    try:
        with unbroken() as interruptions:
            with filled(Path(folder)) as work:
                writing = _Writing(connection, dataset, work, progress, interruptions.let_through)
                manifest = writing.run()
            done = True
    except KeyboardInterrupt as error:
        where = f"{folder} had been written by then" if done else f"nothing is in {folder}"
        raise KeyboardInterrupt(f"interrupted: {where}") from error
    return Exported(
        dataset, str(folder), len(manifest.sources), manifest.facts, manifest.values,
        perf_counter() - begun,
    )  # fmt: skip


@dataclass
class _Writing:
    """One export into the folder ``work``; ``let_through`` is where Ctrl-C may interrupt it."""

    connection: Connection
    dataset: str
    work: Path
    progress: Progress
    let_through: Callable[[], None]
    steps: int = 0
    found: Row = field(default_factory=dict)

    def run(self) -> Manifest:
        """Write all files, the manifest last."""
        self.found = self._look()
        rows = self.connection.read_one("describe_sources", dataset=self.dataset, source=None)
        self.progress.begin(f"export {self.dataset}", self.found["facts"], "facts")
        values = values_of(self.found["values"] or "")
        with Rows(self.work / NAMES_FILE, NAMES) as file:
            names = Names(file, values)
            sources = tuple(
                self._source(file_name(number, len(rows), row["name"]), row, names)
                for number, row in enumerate(rows, 1)
            )
            named = file.written
        if not named:
            (self.work / NAMES_FILE).unlink()
        sources, declared = self._declared(sources)
        if self._look() != self.found:
            raise DataError(
                f"{self.dataset!r} changed while it was exported",
                where=f"dataset {self.dataset!r}",
                hint="export it again once nobody loads or drops it",
            )
        manifest = Manifest(
            self.dataset, values, self.found["nodes"], self.found["facts"],
            NAMES_FILE if named else None, sources, DECLARATIONS_FILE if declared else None,
        )  # fmt: skip
        (self.work / NAME).write_text(manifest.to_json(), encoding="utf-8", newline="\n")
        return manifest

    def _look(self) -> Row:
        """What the dataset is, as long as it is whole."""
        found = self.connection.read_one("describe_dataset", dataset=self.dataset)
        if not found:
            raise catalogue.unknown(self.connection, self.dataset)
        if not found[0]["complete"]:
            loads = self.connection.read_one("unfinished_loads", dataset=self.dataset)
            raise incomplete(self.dataset, loads)
        return found[0]

    def _declared(
        self, sources: Sequence[ExportedSource]
    ) -> tuple[tuple[ExportedSource, ...], bool]:
        """Write what sources declare, if they do; the sources with how much that is."""
        told: list[ExportedSource] = []
        path = self.work / DECLARATIONS_FILE
        with path.open("w", encoding="utf-8", newline="\n") as file:
            for source in sources:
                lines = [*self._lines(source.name)]
                file.writelines(lines)
                told.append(replace(source, declared=len(lines)))
                self.let_through()
        if not any(source.declared for source in told):
            path.unlink()
        return tuple(told), path.exists()

    def _lines(self, source: str) -> Iterator[str]:
        """What a source declares: a source has far fewer classes than facts, so they are held."""
        where = {"dataset": self.dataset, "source": source}
        for (each,) in self.connection.stream("export_classes", list, **where):
            yield to_line(source, declared_class(each))
        for (each,) in self.connection.stream("export_properties", list, **where):
            yield to_line(source, declared_relation(each))

    def _source(self, name: str, row: Row, names: Names) -> ExportedSource:
        """Write a source: as a table if it is one, else fact by fact."""
        has, known = row["relations"], described(row)
        source = ExportedSource(
            known.name, cast("Kind", known.kind), known.files, known.columns, "facts",
            file=f"{name}.csv",
            held=any(each.get("held") for each in has),
            qualified=any(each.get("qualifiers") for each in has),
        )  # fmt: skip
        with closing(Sorter(self.work)) as sorter:
            if source.kind == "table" and source.columns:
                table = self._table(source, sorter, names)
                if table is not None:
                    return table
            self._sort(source, sorter, list)
            return facts.write(self._counted(sorter), source, self.work, names)

    def _table(self, source: ExportedSource, sorter: Sorter, names: Names) -> ExportedSource | None:
        """Write a table; None, with nothing noted, if not all facts are cells of one."""
        table = replace(source, form="table", held=False, qualified=False)
        columns = frozenset(source.columns)
        names.mark()
        try:
            self._sort(source, sorter, lambda fact: tables.sortable(fact, columns))
            written = tables.write(self._counted(sorter), table, self.work, names)
        except tables.NoTable:
            names.take_back()
            for path in self.work.glob(f"{source.file.removesuffix('.csv')}.*"):
                path.unlink()
            return None
        names.keep()
        return written

    def _sort(
        self, source: ExportedSource, sorter: Sorter, sortable: Callable[[list[Any]], list[Any]]
    ) -> None:
        """Take the facts of ``source`` into ``sorter``."""

        def take(found: Iterator[list[Any]]) -> None:
            sorter.clear()
            for fact in self._counted(found):
                letters = len(fact[3][1]) + len(fact[5][1]) + len(fact[5][3] or "")
                sorter.add(sortable(fact), letters)

        self.connection.stream("export_facts", take, dataset=self.dataset, source=source.name)

    def _counted(self, found: Iterator[list[Any]] | Sorter) -> Iterator[list[Any]]:
        for each in found:
            self.steps += 1
            if not self.steps % _TOLD_EVERY:
                self.progress.advance(self.steps // 2)  # each comes, and is written
                self.let_through()
            yield each
        self.let_through()
