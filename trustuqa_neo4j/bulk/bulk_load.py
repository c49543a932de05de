"""``--bulk``: a whole embedded database made by the import tool, from the same items in the same batches.

Four steps: read into files, import them beside the server's data, swap the two while the server is stopped,
and index. Before the swap nothing has changed. After it the dataset is marked as being dropped, so that an
interrupted load leaves it invisible, until one transaction writes all its records. From then on the load is
like any other, and the same command resumes it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ..embedded import EmbeddedServer
from ..embedded.home import check_free_space, embedded_extra
from ..errors import (
    DatabaseError,
    DataError,
    DatasetExists,
    EmbeddedError,
    IncompleteDataset,
    StatementFailed,
    UsageError,
    format_list,
)
from ..graph import load_journal, migrations
from ..graph.connection import Connection, Transaction
from ..graph.interrupts import InterruptGuard, defer_interrupts
from ..graph.load_journal import LoadSpec, LoadStart, create_load
from ..loading import writer
from ..loading.load import (
    LoadInterrupted,
    LoadJob,
    LoadRun,
    needs_survey,
    note_same_content,
    survey_columns,
    write_by_batches,
)
from ..values import ValueOptions
from . import import_tool, reader_process
from .statistics import ImportCatalog

if TYPE_CHECKING:
    from .csv_files import ImportFileWriter


T = TypeVar("T")

_ROWS_PER_STATEMENT = 5_000

# At least so many bytes for files, store and indexes together.
BYTES_PER_INPUT_BYTE = 8

MIN_BYTES = 4_000_000
"""Of the files: less is loaded as fast in transactions, since the import stops and starts the server."""

MIN_BYTES_OF_NEW = 1_000_000
"""The same in a home without data, where the import comes before the first start of the server."""

_POLL_SECONDS = 0.5


def list_datasets(connection: Connection) -> tuple[str, ...]:
    # Without datasets that are being dropped. Nodes that belong to no dataset are an error.
    row = connection.read_one("list_database_contents")[0]
    if row["foreign"]:
        raise DataError(
            f"the database holds {row['foreign']:,} nodes that belong to no dataset, and --bulk "
            "would remove them",
            where=connection.where,
            hint="load without --bulk, or set TUQA_HOME to another folder",
        )
    return tuple(row["datasets"])


def check_empty(connection: Connection) -> None:
    # Contents would be lost.
    names = list_datasets(connection)
    if names:
        raise DatasetExists(
            f"the database holds {format_list([*map(repr, names)], 3)}, and --bulk fills an empty one",
            where=connection.where,
            hint="load without --bulk, drop what is there (`tuqa drop`), or set TUQA_HOME to "
            "another folder",
        )


def register_import(
    connection: Connection, spec: LoadSpec, owner: str, catalog: ImportCatalog
) -> int:
    # Returns the number of the load, owned by ``owner``.
    return connection.write(lambda tx: _register_import(tx, spec, owner, catalog))


def _register_import(
    transaction: Transaction, spec: LoadSpec, owner: str, catalog: ImportCatalog
) -> int:
    dataset = spec.dataset
    if not transaction.run("register_imported_dataset", dataset=dataset).rows:
        raise IncompleteDataset(
            f"{dataset!r} is not what was imported any more", hint="load it again"
        )
    number = create_load(transaction, spec, owner)
    for relations in _chunks([list(pair) for pair in catalog.relations.items()]):
        transaction.run("write_relations", dataset=dataset, relations=relations)
    for sources in _chunks([source.row() for source in catalog.sources.values()]):
        transaction.run("write_sources", dataset=dataset, number=number, sources=sources)
    for figures in _chunks(
        [
            [source, relation, statistics.to_dict(), statistics.samples]
            for (source, relation), statistics in catalog.statistics.items()
        ]
    ):
        transaction.run("write_relation_statistics", dataset=dataset, figures=figures)
    columns = [
        (source.name, name) for source in catalog.sources.values() for name in source.columns
    ]
    for pairs in _chunks(list(dict.fromkeys(columns))):
        writer.number_relations(transaction, dataset, pairs)
    for aliases in _chunks([list(alias) for alias in catalog.aliases]):
        transaction.run("write_aliases", dataset=dataset, aliases=aliases)
    for classes in _chunks(catalog.classes):
        transaction.run("write_class_declarations", dataset=dataset, classes=classes)
    for properties in _chunks(catalog.properties):
        transaction.run("write_relation_declarations", dataset=dataset, properties=properties)
    transaction.run(
        "advance_load",
        dataset=dataset,
        number=number,
        position=catalog.position,
        at="the end",
        nodes=catalog.nodes,
        facts=catalog.facts,
    )
    return number


def _chunks(rows: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(rows), _ROWS_PER_STATEMENT):
        yield rows[start : start + _ROWS_PER_STATEMENT]


@dataclass(frozen=True, slots=True)
class BulkLoad:
    # ``make_writer`` makes the writer of the import files. Unless it ``is_required``, the import tool is used
    # for large files where it can be, and a load in transactions otherwise.
    server: EmbeddedServer
    make_writer: Callable[[Path, str, ValueOptions], ImportFileWriter] | None = None
    is_required: bool = True

    def __call__(self, job: LoadJob) -> None:
        if not (self.is_required or self._is_better(job)) or self._is_started(job):
            write_by_batches(job)
            return
        if needs_survey(job.request):
            job, _ = survey_columns(job)
        note_same_content(job, {})
        try:
            with import_tool.import_folder(self.server.home) as folder:
                imported = self._read(job, folder)
                self._import(job, imported)
                self._swap_store(job, folder)
        except LoadInterrupted:
            raise
        except KeyboardInterrupt as error:
            raise LoadInterrupted(
                f"interrupted: nothing of {job.request.dataset!r} is stored yet, run the same "
                "command again"
            ) from error
        with job.connect() as connection:
            # All at once: one by one, each would read the whole store again. ``Connection.prepare`` follows
            # and creates the indexes that could not be created here.
            with suppress(StatementFailed):
                connection.write(lambda tx: [tx.run(name) for name in migrations.index_names()])
            _ImportedLoadRun(connection, job, imported=imported.catalog).run()

    def _is_better(self, job: LoadJob) -> bool:
        # Whether the import tool can load the files, and is faster.
        if job.request.mode != "new" or import_tool.list_other_users(self.server.home):
            return False
        if not self.server.can_have_data():
            return job.size >= MIN_BYTES_OF_NEW
        if job.size < MIN_BYTES:
            return False
        with job.connect() as connection:
            contents = connection.read_one("list_database_contents")[0]
        return not (contents["datasets"] or contents["foreign"])

    def _is_started(self, job: LoadJob) -> bool:
        # A dataset that is not started needs an empty database.
        request = job.request
        if not self.server.can_have_data():
            self._check_no_other_users()
            return False
        with job.connect() as connection:
            if request.dataset not in list_datasets(connection):
                check_empty(connection)
                self._check_no_other_users()
                return False
            if request.mode != "new":
                raise UsageError(
                    f"--bulk fills an empty database, and {request.dataset!r} is there",
                    where=connection.where,
                    hint=f"give --{request.mode} without --bulk",
                )
            if load_journal.preview_start(connection, job.make_spec(), "new") == "other":
                raise IncompleteDataset(
                    f"an unfinished load of {request.dataset!r} from other content is in the way",
                    where=connection.where,
                    hint="drop it (`tuqa drop`), or load without --bulk",
                )
        return True

    def _check_no_other_users(self) -> None:
        users = import_tool.list_other_users(self.server.home)
        if users:
            raise EmbeddedError(
                "the embedded server is used by another Python client, and --bulk has to stop it",
                where=f"process {', '.join(map(str, users))}",
                hint="close that client, or load without --bulk",
            )

    def _read(self, job: LoadJob, folder: Path) -> ImportFileWriter:
        with embedded_extra():
            from .csv_files import ImportFileWriter
        request, report = job.request, job.report
        check_free_space(folder, BYTES_PER_INPUT_BYTE * job.size)
        file_writer = (self.make_writer or ImportFileWriter)(
            folder, request.dataset, request.dataset_values
        )
        read = 0
        batches = reader_process.read_batches(
            request, tuple(job.identities), job.size, job.progress, report
        )
        with closing(file_writer), closing(batches), reader_process.pause_garbage_collection():
            for batch in batches:
                file_writer.add(batch)
                read += batch.read + batch.qualifier_facts
            file_writer.finish(request.dataset, request.loader.kind, request.dataset_values.text)
        job.check_unchanged()
        report.facts = file_writer.catalog.facts
        report.repeated = read - report.facts
        return file_writer

    def _import(self, job: LoadJob, imported: ImportFileWriter) -> None:
        size = imported.files.size
        job.progress.begin("import", size)
        import_tool.make_store(
            self.server, imported.files, lambda share: job.progress.advance(int(share * size))
        )

    def _swap_store(self, job: LoadJob, folder: Path) -> None:
        # Nobody else may use the server.
        with defer_interrupts() as guard:
            self._wait_for_other_users(job, guard)
            if self.server.can_have_data():
                with job.connect() as connection:
                    check_empty(connection)
            guard.raise_pending()
            job.progress.begin("index", 0)
            try:
                import_tool.swap_store(self.server, folder)
            except (DatabaseError, OSError):
                with suppress(DatabaseError), job.connect():
                    pass  # the server runs as before
                raise

    def _wait_for_other_users(self, job: LoadJob, guard: InterruptGuard) -> None:
        reported: list[int] = []
        while users := import_tool.list_other_users(self.server.home):
            if users != reported:
                names = ", ".join(map(str, users))
                job.progress.begin(f"wait for process {names} to close its client", 0)
                reported = users
            time.sleep(_POLL_SECONDS)
            guard.raise_pending()


@dataclass
class _ImportedLoadRun(LoadRun):
    # Nodes and facts are imported, records are not.
    imported: ImportCatalog = field(kw_only=True)

    def _start(self) -> LoadStart:
        imported = self.imported
        number = register_import(self.connection, self.job.make_spec(), self.owner, imported)
        return LoadStart("new", number, imported.position, imported.facts)

    def _mark_hubs(self) -> None:
        # Counted while reading: to check all nodes takes a second for a million facts.
        writer.mark_hubs(self.connection, self.imported.hubs, facts_have_ids=True)

    def _write(self, start: LoadStart) -> None:
        sources = self.imported.sources
        self.job.report.sources = len(sources)
        self._complete(start.number, {source.kind for source in sources.values()})
