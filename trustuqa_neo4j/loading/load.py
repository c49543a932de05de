"""One load from files to a visible dataset: identify, read, write, index, finish.

The files are hashed before anything is written. So a repeated load changes nothing, an interrupted load
resumes only with the same content, and the record has the content that a line number refers to. Before a
change of an existing dataset the files are also read to the end, so that bad input cannot spoil it.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from shlex import quote
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TypeVar

from ..embedding import Encoder
from ..errors import (
    DatabaseError,
    DatasetExists,
    MalformedLine,
    MissingExtra,
    TrustUQAError,
    UnreadableDatabase,
    UnreadableFile,
    UsageError,
    format_list,
)
from ..graph import catalog, load_journal, ontology_store, replacement, vectors
from ..graph.class_labels import update_class_labels
from ..graph.connection import Connection
from ..graph.dataset_schema import describe_dataset
from ..graph.demonstrations import count_demonstrations
from ..graph.interrupts import defer_interrupts
from ..graph.load_journal import LoadMode, LoadSpec, LoadStart
from ..model.dataset import join_header
from ..model.facts import Item
from ..values import parse_value_options
from ..wording import CallOption
from . import inputs, writer
from .addresses import ItemDigest, StoredItems, store_items
from .batch import BATCH_FACTS, Batch, Batcher
from .embed_names import embed_names
from .format_detection import add_format_hint, check_formats, note_tables
from .formats import File, ReadOptions, add_remark
from .inputs import FileIdentity, identify_file
from .item_filters import filter_items
from .preview import preview_tables
from .request import LoadReport, LoadRequest, Progress, Replacement
from .survey import Survey, attach_readings, limit_notes
from .table_options import parse_options

EMBEDDED_LATER = 20_000
"""Facts of a dataset whose names a command embeds after its end; fewer take seconds."""

BYTES_PER_INPUT_BYTE = 8
"""Bytes that log, store and indexes take together for each byte of input, at least."""

BYTES_PER_FACT = 300
"""Of a copy, in log, store and indexes together."""

LoadError = TypeVar("LoadError", bound=TrustUQAError)

_INTERRUPT_INTERVAL = 0.1
"""Seconds between two checks for Ctrl-C while a batch is read."""


class LoadInterrupted(KeyboardInterrupt):
    """The message names the place of the stop and the way to resume."""


# From files to batches.


def make_batcher(
    request: LoadRequest,
    files: Sequence[File],
    progress: Progress,
    report: LoadReport,
    phase: str,
    skip: int = 0,
    bare: bool = False,
    batch_size: int = BATCH_FACTS,
) -> Batcher:
    # ``bare`` as in ``Batcher``; ``batch_size`` unless the request has one.
    items = attach_readings(_read_items(request, files, progress, report, phase), request)
    size = request.batch_size or batch_size
    return Batcher(items, request.dataset_values, size, skip, bare, request.frequent)


def identify_files(
    request: LoadRequest, files: Sequence[File], progress: Progress, folder: Path
) -> tuple[dict[File, FileIdentity], StoredItems | None]:
    # All addresses share one identity, of everything that is read, since it also depends on the
    # files beside them. Their items are stored in ``folder``.
    addresses = [file for file in files if file.address is not None]
    identities = {file: identify_file(file, progress) for file in files if file.address is None}
    stored = None
    if addresses:
        digest = ItemDigest()
        if not request.dry_run:  # a dry run is never resumed
            options = _make_read_options(request, progress, LoadReport(request.dataset, 0), "read")
            stored = StoredItems(folder / "items", addresses[0], options.bad, options.remarks)
            items = store_items(request.loader.read(files, options), stored.path)
            for item in filter_items(items, request, replace(options, bad=[], remarks={})):
                digest.add(item)
        identities |= dict.fromkeys(addresses, FileIdentity(digest.size, digest.sha256, 0))
    return {file: identities[file] for file in files}, stored


def _make_read_options(
    request: LoadRequest, progress: Progress, report: LoadReport, phase: str
) -> ReadOptions:
    return ReadOptions(
        source=request.source,
        encoding=request.encoding,
        values=request.default_values,
        table=request.table_options,
        skip_bad=request.skip_bad,
        bad=report.bad,
        remarks=report.remarks,
        progress=_FileProgress(progress, phase).advance,
    )


def _read_items(
    request: LoadRequest, files: Sequence[File], progress: Progress, report: LoadReport, phase: str
) -> Iterator[Item]:
    options = _make_read_options(request, progress, report, phase)
    stored = request.stored
    items = request.loader.read(files, options) if stored is None else stored.read(options)
    return filter_items(items, request, options)


class _FileProgress:
    def __init__(self, progress: Progress, phase: str) -> None:
        self._progress = progress
        self._phase = phase
        self._file: File | None = None

    def advance(self, file: File, done: int) -> None:
        # ``done`` is in bytes of ``file``, or rows of an address.
        if file is not self._file:
            self._file = file
            phase = f"{self._phase} {file.name}"
            if file.address is None:
                self._progress.begin(phase, file.path.stat().st_size)
            else:
                self._progress.begin(phase, 0, "rows")
        self._progress.advance(done)


# From batches to the database.


@dataclass(frozen=True, slots=True)
class LoadJob:
    # The files are identified.
    connect: Callable[[], AbstractContextManager[Connection]]
    request: LoadRequest
    identities: dict[File, FileIdentity]
    progress: Progress
    report: LoadReport
    open_encoder: Callable[[], Encoder] | None = None
    confirm: Callable[[Replacement], None] = lambda _: None
    embed_later: Callable[[], None] | None = None

    @property
    def size(self) -> int:
        # Bytes of all files.
        return sum(identity.size for identity in self.identities.values())

    def make_spec(self) -> LoadSpec:
        request = self.request
        return LoadSpec(
            dataset=request.dataset,
            kind=request.loader.kind,
            format=request.loader.name,
            encoding=codecs.lookup(request.known_encoding).name.removesuffix("-sig"),
            values=request.options_text,
            dataset_values=request.dataset_values.text,
            source=request.source,
            files=tuple(file.name for file in self.identities),
            sizes=tuple(identity.size for identity in self.identities.values()),
            hashes=tuple(identity.sha256 for identity in self.identities.values()),
        )

    def make_batcher(self, phase: str, skip: int = 0) -> Batcher:
        files = tuple(self.identities)
        return make_batcher(self.request, files, self.progress, self.report, phase, skip)

    def check_unchanged(self) -> None:
        for file, identity in self.identities.items():
            inputs.check_unchanged(file, identity)


def write_by_batches(job: LoadJob) -> None:
    # Works with any server.
    with job.connect() as connection:
        LoadRun(connection, job).run()


def load(
    connect: Callable[[], AbstractContextManager[Connection]],
    request: LoadRequest,
    progress: Progress,
    open_encoder: Callable[[], Encoder] | None = None,
    write: Callable[[LoadJob], None] = write_by_batches,
    confirm: Callable[[Replacement], None] = lambda _: None,
    embed_later: Callable[[], None] | None = None,
) -> LoadReport:
    """Load files into a dataset; ``connect`` is called after the files have been identified.

    ``open_encoder`` opens the encoder for the names; None: they get no vectors. ``embed_later`` starts a
    process that embeds the names of a large dataset. ``write`` writes to the
    database. ``confirm`` is called before sources are deleted, and may raise to keep them.

    Raises:
        UsageError, DataError, DatabaseError
    """
    started = perf_counter()
    connecting: list[float] = []

    @contextmanager
    def connect_timed() -> Iterator[Connection]:
        # A server that has to start first says nothing of the speed of a load.
        began = perf_counter()
        with connect() as connection:
            connecting.append(perf_counter() - began)
            yield connection

    request.check()
    with (
        inputs.open_inputs(request) as files,
        TemporaryDirectory(prefix="tuqa-") as folder,
    ):
        report = LoadReport(
            request.dataset, 0, dry_run=request.dry_run, detected=[*request.detected]
        )
        if not request.detected:
            check_formats(request.loader, files, request.encoding)
        try:
            identities, stored = identify_files(request, files, progress, Path(folder))
            request = replace(request, stored=stored)
            job = LoadJob(
                connect_timed,
                request,
                identities,
                progress,
                report,
                open_encoder,
                confirm,
                embed_later,
            )
            if request.dry_run:
                _run_dry(job)
            else:
                write(job)
            if not request.detected:
                note_tables(request.loader, files, request.encoding, report.remarks)
        except MalformedLine as error:
            hinted = _hint_format(error, request, files)
            raise _add_earlier_lines(hinted, report.bad) from error
        except (DatasetExists, UnreadableFile, UnreadableDatabase, UsageError) as error:
            raise _hint_format(error, request, files) from error
    report.seconds = perf_counter() - started - sum(connecting) - report.embedding_seconds
    return report


def _hint_format(error: LoadError, request: LoadRequest, files: Sequence[File]) -> LoadError:
    # A format that was detected is not doubted.
    if request.detected:
        return error
    return add_format_hint(error, request.loader, files, request.encoding)


def _add_earlier_lines(error: MalformedLine, bad: Sequence[MalformedLine]) -> MalformedLine:
    # The lines that were skipped before the line above the limit.
    if not bad:
        return error
    skipped = format_list([line.where for line in bad], 10)
    hint = f"{error.hint}; skipped before it: {skipped}"
    return MalformedLine(error.what, where=error.where, hint=hint)


def _run_dry(job: LoadJob) -> None:
    # An existing dataset is looked up only where its options count.
    if job.request.mode in ("append", "replace"):
        with job.connect() as connection:
            job = replace(job, request=_add_dataset_options(connection, job.request))
            note_same_content(job, load_journal.read_loaded_hashes(connection, job.request.dataset))
    else:
        note_same_content(job, {})
    survey = survey_files(job)
    job = _decide_readings(job, survey)
    report = job.report
    report.facts, report.repeated = survey.facts, survey.repeated
    report.sources = len(survey.sources)
    if not survey.has_tables:
        return
    silent = LoadReport(report.dataset, 0)
    request, files = job.request, tuple(job.identities)
    items = _read_items(request, files, job.progress, silent, "preview")
    report.tables = preview_tables(attach_readings(items, request), request.default_values)


def note_same_content(job: LoadJob, loaded: Mapping[str, str]) -> None:
    # ``loaded`` are hash and name of the files that the dataset has.
    names = dict(loaded)
    for file, identity in job.identities.items():
        same = names.setdefault(identity.sha256, file.name)
        if file.address is None and same != file.name:
            drop = f"tuqa drop {quote(job.request.dataset)} --source {quote(same)}"
            is_droppable = same in loaded.values() and job.request.source is None
            remedy = f"`{drop}` removes the older one" if is_droppable else "load one of them"
            what = f"the same content as {same}, so that its facts count twice; {remedy}"
            add_remark(job.report.remarks, what, file.name)


def _add_dataset_options(connection: Connection, request: LoadRequest) -> LoadRequest:
    # The request with the options of the dataset that it adds to.
    texts = load_journal.read_dataset_options(connection, request.dataset)
    if texts is None:
        return request
    values, options = texts
    table, columns = parse_options(options)
    base = replace(parse_value_options(values), columns=columns)
    return replace(request, base=base, base_table=table)


def survey_files(job: LoadJob, check_interrupt: Callable[[], None] = lambda: None) -> Survey:
    # Read the files to the end and write nothing.
    request = job.request
    survey = Survey(counts_repeated=request.dry_run)
    items = _read_items(request, tuple(job.identities), job.progress, job.report, "read")
    for count, _ in enumerate(survey.watch(items)):
        if not count % BATCH_FACTS:
            check_interrupt()
            job.check_unchanged()  # a file that grows might never end
    job.check_unchanged()
    survey.check_columns(request.values)
    return survey


def survey_columns(
    job: LoadJob, check_interrupt: Callable[[], None] = lambda: None
) -> tuple[LoadJob, Survey]:
    # The job with the readings of its columns, before its files are read again to be written.
    survey = survey_files(job, check_interrupt)
    job.report.bad.clear()
    job.report.remarks.clear()
    return _decide_readings(job, survey), survey


def _decide_readings(job: LoadJob, survey: Survey) -> LoadJob:
    # The job with the readings of its columns; notes on them are in its report.
    decision = survey.decide(job.request)
    survey.facts -= decision.left_out
    for note in limit_notes(decision.notes):
        add_remark(job.report.remarks, note.message, note.place)
    request = replace(
        job.request,
        readings=decision.readings,
        missing=decision.missing,
        frequent=decision.frequent,
    )
    return replace(job, request=request)


def needs_survey(request: LoadRequest) -> bool:
    # Whether the reading of a column can depend on its cells, or on an option that may be misspelled.
    # An export has the readings of its columns.
    loader = request.loader
    reads_tables = loader.has_table_options and "table" in (loader.reads or ())
    return loader.kind == "table" or reads_tables or bool(request.column_values)


@dataclass
class LoadRun:
    # Ctrl-C interrupts only at ``check_interrupt``.
    connection: Connection
    job: LoadJob
    # It writes into the record ``record``, that of the dataset or of the version that will take its place,
    # and its facts stand under the stored name ``storage``.
    owner: str = field(default_factory=load_journal.make_owner)
    is_done: bool = False
    check_interrupt: Callable[[], None] = lambda: None
    record: str = field(init=False)
    storage: str = field(init=False)
    adds: bool = False
    copied: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.record = self.storage = self.job.request.dataset

    @property
    def is_replacement(self) -> bool:
        """Whether the dataset stays as it is until a version that is loaded beside it takes its place."""
        return self.record != self.job.request.dataset

    def run(self) -> None:
        try:
            with defer_interrupts() as guard:
                self.check_interrupt = guard.raise_pending
                self._check_disk()
                self.connection.prepare()
                encoder = self._open_encoder()
                start = self._start()
                if start.outcome != "unchanged":
                    self._write(start)
                self.is_done = True
                self.check_interrupt()
                if start.outcome != "unchanged":
                    self._tidy()
                if encoder is not None:
                    self._embed(encoder)
        except KeyboardInterrupt as error:
            raise LoadInterrupted(self._stop()) from error
        except DatabaseError as error:
            self._stop()
            if self.connection.disk is not None:
                self.connection.disk.check_server_error(error)
            raise
        except BaseException:
            self._stop()
            raise
        finally:
            load_journal.release_owner(self.owner)

    def _check_disk(self, growth: int = 0) -> None:
        if self.connection.disk is not None:
            self.connection.disk.check(growth)

    def _check_step(self) -> None:
        """Between two batches: end the load for Ctrl-C, or before the disk is full."""
        self.check_interrupt()
        self._check_disk()

    def _open_encoder(self) -> Encoder | None:
        # None if it is not wanted, not installed, or not the encoder of the dataset.
        if self.job.open_encoder is None:
            return None
        try:
            encoder = self.job.open_encoder()
        except MissingExtra as error:
            self.job.report.embedding = str(error)
            self.job.report.embedding_error = error
            return None
        vectors.check(self.connection, self.job.request.dataset, encoder.identity)
        return encoder

    def _start(self) -> LoadStart:
        # After all checks that protect existing data.
        request, report = self.job.request, self.job.report
        if request.mode in ("append", "replace"):
            request = _add_dataset_options(self.connection, request)
            self.job = replace(self.job, request=request)
        spec = self.job.make_spec()
        loaded = load_journal.read_loaded_hashes(self.connection, spec.dataset)
        replacement.check_no_replacement(self.connection, request.dataset)
        outcome = load_journal.preview_start(self.connection, spec, request.mode)
        if outcome in ("new", "other", "appended", "replaced"):
            self._check_disk(BYTES_PER_INPUT_BYTE * self.job.size)
        sources: list[str] = []
        if outcome in ("appended", "replaced") or (
            outcome != "unchanged" and needs_survey(request)
        ):
            self.job, survey = survey_columns(self.job, self.check_interrupt)
            sources = [*survey.sources]
            if outcome == "appended":
                self._check_sources_are_new(sources)
        if outcome in ("new", "other", "appended"):
            note_same_content(self.job, loaded if outcome == "appended" else {})
        # Nothing stands there that could stay askable meanwhile, unless it is replaced.
        mode: LoadMode = "replace" if request.mode == "replace-all" else request.mode
        if outcome == "replaced":
            mode = self._prepare_replacement(sources)
            outcome = "replaced" if report.replaced else "appended"
            spec = self.job.make_spec()
        elif outcome == "other":
            catalog.drop_dataset(self.connection, request.dataset, keep_taught=True)
        start = self._start_load(spec, mode)
        self.storage, self.adds = start.storage, start.adds
        is_new = start.outcome == "new" or (outcome == "replaced" and start.outcome != "resumed")
        report.begun = outcome if is_new else start.outcome
        report.sources = start.sources
        report.resumed_at = start.facts if start.outcome in ("resumed", "appended") else 0
        report.total = start.facts
        return start

    def _start_load(self, spec: LoadSpec, mode: LoadMode) -> LoadStart:
        dataset = spec.dataset
        if mode == "replace-all":
            return self._start_version(spec)
        storage = None
        if mode == "append":
            self._finish_additions()
        if dataset in replacement.list_stored_names(self.connection, other_than=dataset):
            _, storage = replacement.name_version(self.connection, dataset)
        return load_journal.start_load(self.connection, spec, self.owner, mode, storage=storage)

    def _start_version(self, spec: LoadSpec) -> LoadStart:
        # Beside the dataset; goes on with an interrupted version of the same content. Sources that stay are
        # copied into it first.
        connection, dataset = self.connection, spec.dataset
        version = replacement.find_replacement(connection, dataset)
        if version is not None:
            self.record = version.name
            spec = replace(spec, dataset=version.name)
            if self._can_resume(spec):
                return load_journal.start_load(connection, spec, self.owner)
            replacement.drop_version(connection, version, self.owner)
        self.record, storage = replacement.name_version(connection, dataset)
        spec = replace(spec, dataset=self.record)
        begin = partial(load_journal.start_load, connection, spec, self.owner)
        if not self.copied:
            return begin(storage=storage, version_of=dataset)
        version = replacement.create_version(connection, spec, storage, dataset, self.owner)
        without = self.job.report.replaced
        replacement.copy_sources(connection, dataset, version, without, self.check_interrupt)
        return begin("append", storage=storage, version_of=dataset)

    def _can_resume(self, spec: LoadSpec) -> bool:
        # A version whose sources were not all copied has no load yet.
        (state,) = self.connection.read_one("get_load_state", dataset=spec.dataset)
        is_begun = any(load["state"] != "complete" for load in state["loads"])
        outcome = is_begun and load_journal.preview_start(self.connection, spec, "replace-all")
        return outcome == "resumed"

    def _finish_additions(self) -> None:
        # Of earlier loads: what they added is visible for good, or goes since they cannot be resumed.
        connection, dataset = self.connection, self.job.request.dataset
        rows = connection.read_one("get_load_state", dataset=dataset)
        if not rows:
            return
        (state,) = rows
        spec = self.job.make_spec()
        if state["adding"] is None:
            storage = connection.find_version(dataset).storage
            replacement.settle(connection, dataset, storage, self.check_interrupt)
        elif load_journal.preview_start(connection, spec, "append") != "resumed":
            replacement.abandon_addition(connection, dataset)

    def _prepare_replacement(self, sources: Sequence[str]) -> LoadMode:
        # Returns the mode of the load: "replace-all" loads beside the dataset, which stays as it is until
        # then. What cannot be asked, and a source among others, is deleted before. Demonstrations stay.
        request = self.job.request
        datasets = catalog.list_datasets(self.connection)
        stored = [source for d in datasets if d.name == request.dataset for source in d.sources]
        (state,) = self.connection.read_one("get_load_state", dataset=request.dataset)
        again = [source for source in stored if source.name in sources]
        is_dropping = state["state"] == "dropping"
        is_whole = request.mode == "replace-all" or is_dropping or again == stored
        replaced = stored if is_whole else again
        if replaced:
            counts = count_demonstrations(self.connection, request.dataset)
            self.job.confirm(Replacement(request.dataset, tuple(replaced), counts.total))
        self.job.report.replaced = [source.name for source in replaced]
        if is_whole:
            if request.values.text:  # else the dataset keeps its options
                self.job = replace(self.job, request=replace(request, base=None))
            if state["complete"]:
                return "replace-all"
            catalog.drop_dataset(self.connection, request.dataset, keep_taught=True)
            return "new"
        if state["adding"] is not None:
            replacement.abandon_addition(self.connection, request.dataset)
        if state["complete"] and replaced:
            self.copied = [source.name for source in stored if source not in replaced]
            facts = sum(source.facts for source in stored if source not in replaced)
            self._check_disk(BYTES_PER_INPUT_BYTE * self.job.size + BYTES_PER_FACT * facts)
            return "replace-all"
        for name in self.job.report.replaced:
            catalog.drop_source(self.connection, request.dataset, name, keep_taught=True)
        return "append"

    def _check_sources_are_new(self, sources: Sequence[str]) -> None:
        dataset = self.job.request.dataset
        rows = self.connection.read(
            lambda reader: reader.run("existing_sources", dataset=dataset, names=list(sources))
        )
        existing = [*map(repr, rows[0]["names"])]
        if existing:
            raise DatasetExists(
                f"{dataset!r} has a source {format_list(existing, 3)} already",
                hint=f"{CallOption.REPLACE} replaces it and keeps the other sources; "
                f"{CallOption.SOURCE} names the new one",
            )

    def _write(self, start: LoadStart) -> None:
        report = self.job.report
        batch_writer = writer.BatchWriter(
            self.connection,
            self.record,
            start.number,
            self.owner,
            start.position,
            self.storage,
            is_hidden=self.adds,
            is_new=start.outcome == "new",
        )
        batcher = self.job.make_batcher("load", start.position)
        if self.adds:  # readers have to notice first that there will be something to hide
            replacement.wait_for_readers(0, self.check_interrupt)
        with closing(self._read_ahead(batcher)) as batches:
            for batch in batches:
                counts = batch_writer.write(batch)
                report.facts += counts.facts
                report.repeated += batch.read - counts.facts + batch.qualifier_facts
                self._check_step()
                self.job.check_unchanged()
        self.job.check_unchanged()
        kinds = {*batcher.kinds} | ({start.kind} if start.number > 1 else set())
        report.sources = len(batcher.sources)
        self._complete(start.number, kinds)

    def _complete(self, number: int, kinds: set[str]) -> None:
        # ``kinds`` are those of the sources.
        connection, dataset = self.connection, self.job.request.dataset
        kind = kinds.pop() if len(kinds) == 1 else "mixed"
        self.job.progress.begin("index", 0)
        if self.adds:
            replacement.update_pending_statistics(connection, self.storage)
            self.check_interrupt()
            self.job.report.total = replacement.publish_addition(
                connection, dataset, self.storage, number, self.owner, kind
            )
            return
        self._mark_hubs()
        self.check_interrupt()
        ontology_store.update_join_statistics(connection, self.storage)
        self.check_interrupt()
        self._update_class_labels()
        self.check_interrupt()
        finish = (
            partial(replacement.switch, connection, dataset)
            if self.is_replacement
            else partial(load_journal.finish_load, connection)
        )
        self.job.report.total = finish(self.record, number, self.owner, kind)

    def _tidy(self) -> None:
        # The dataset can be asked already.
        dataset = self.job.request.dataset
        if self.adds:
            self._mark_hubs()
            self._update_class_labels()
            replacement.settle(self.connection, dataset, self.storage, self.check_interrupt)
        replacement.delete_outdated(self.connection, self.owner, self.check_interrupt)

    def _mark_hubs(self) -> None:
        hubs = writer.find_hubs(self.connection, self.storage)
        writer.mark_hubs(self.connection, hubs)

    def _update_class_labels(self) -> None:
        update_class_labels(
            self.connection,
            self.record if not self.is_done else self.job.request.dataset,
            storage=self.storage,
            is_new=self.job.request.class_labels,
        )

    def _embed(self, encoder: Encoder) -> None:
        # The dataset is visible already.
        request, report = self.job.request, self.job.report
        started = perf_counter()
        dataset = request.dataset
        is_large = report.begun != "unchanged" and (report.total or 0) >= EMBEDDED_LATER
        if self.job.embed_later is not None and is_large:
            report.is_embedded_later = True
            self.job.embed_later()
            return
        counts = embed_names(
            self.connection, dataset, encoder, self.job.progress, self._check_step, self.owner
        )
        report.is_embedded_later = counts.is_elsewhere
        report.embedded, report.unembedded = counts.embedded, counts.unembedded
        if counts.embedded and encoder.has_cache:
            self._embed_headers(encoder)
        report.embedding_seconds = perf_counter() - started

    def _embed_headers(self, encoder: Encoder) -> None:
        # For the ranking of tables; without this the first question would wait for them.
        dataset = self.job.request.dataset
        schema = self.connection.read(lambda reader: describe_dataset(reader, dataset, None))
        sources = schema.sources if schema is not None else ()
        headers = [join_header(source.columns) for source in sources if source.kind == "table"]
        for _ in encoder.encode(headers):
            self._check_step()

    def _read_ahead(self, batcher: Batcher) -> Generator[Batch, None, None]:
        # Each batch is read while the one before is written.
        with ThreadPoolExecutor(1, "tuqa-read") as reader:
            try:
                future = reader.submit(batcher.next)
                while (batch := self._wait_for(future)) is not None:
                    future = reader.submit(batcher.next)
                    yield batch
            finally:
                batcher.is_stopped = True

    def _wait_for(self, future: Future[Batch | None]) -> Batch | None:
        while not wait([future], _INTERRUPT_INTERVAL).done:
            self.check_interrupt()
        return future.result()

    def _stop(self) -> str:
        # Without a release the next run sees that this process is dead. Returns the message for an
        # interrupted load.
        dataset = self.job.request.dataset
        hint = "run the same command again to go on"
        if self.is_done:
            missing = f", but not all its names embedded: {hint}" if self.job.open_encoder else ""
            return f"interrupted: {dataset!r} had been loaded by then{missing}"
        with suppress(DatabaseError), defer_interrupts():
            stop = load_journal.stop_load(self.connection, self.record, self.owner)
            is_begun = stop and (stop.facts or stop.number > 1)
            if stop and (is_begun or (self.job.report.replaced and not self.is_replacement)):
                where = f", up to {stop.at}" if stop.at else ""
                stored = f"{stop.facts:,} facts of {dataset!r} are stored{where}"
                if self.is_replacement or self.adds:
                    stored += " (what was there before can be asked)"
                return f"interrupted: {stored}, {hint}"
            if stop and self.is_replacement:
                version = replacement.find_replacement(self.connection, dataset)
                if version is not None:
                    replacement.drop_version(self.connection, version, self.owner)
                return f"interrupted: {dataset!r} is as it was, {hint}"
            if stop:
                # A first batch that cannot be read must leave nothing behind.
                catalog.drop_dataset(self.connection, dataset)
                return f"interrupted: nothing of {dataset!r} is stored yet, {hint}"
        return f"interrupted: {hint}"
