"""One load from files to a visible dataset: identify, read, write, index, finish.

The files are hashed before anything is written. That costs one reading of them more and buys three
things: loading the same twice is seen to change nothing, an interrupted load goes on only with the very
same content, and what a fact's line number refers to is on record. Where a dataset is there that bad
input could spoil, the files are also read to the end before it is touched.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, closing, suppress
from dataclasses import dataclass, field, replace
from time import perf_counter

from ..embedding import Encoder
from ..errors import DatabaseError, DatasetExists, MalformedLine, MissingExtra
from ..graph import catalogue, loads, meeting, owners, vectors, writing
from ..graph.batch import Batcher
from ..graph.batched import Batch
from ..graph.connection import Connection
from ..graph.loads import Beginning, Wanted
from ..graph.unbroken import unbroken
from ..loader import File
from . import files
from .embedding import embed
from .files import Identity
from .reading import batcher_of, known_by, seen_at
from .request import Progress, Report, Request

_LOOK = 0.1
"""Seconds between two looks at Ctrl-C while a batch is read."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a load; says where it stopped and how to go on."""


@dataclass(frozen=True, slots=True)
class Job:
    """A load whose files have been looked at; ``connecting`` connects to the database."""

    connecting: Callable[[], AbstractContextManager[Connection]]
    request: Request
    known: dict[File, Identity]
    progress: Progress
    report: Report
    embedding: Callable[[], Encoder] | None = None

    def wanted(self) -> Wanted:
        """What is recorded of it."""
        request = self.request
        return Wanted(
            dataset=request.dataset,
            kind=request.loader.kind,
            format=request.loader.name,
            encoding=codecs.lookup(request.encoding).name.removesuffix("-sig"),
            values=request.values_text,
            source=request.source,
            files=tuple(file.name for file in self.known),
            sizes=tuple(identity.size for identity in self.known.values()),
            hashes=tuple(identity.sha256 for identity in self.known.values()),
        )

    def batches(self, phase: str, skip: int = 0) -> Batcher:
        """Batches of what its files hold; those of the first ``skip`` items are left out."""
        return batcher_of(self.request, tuple(self.known), self.progress, self.report, phase, skip)

    def check_unchanged(self) -> None:
        """See that its files are still what they were when they were looked at.

        Raises:
            UnreadableFile
        """
        for file, identity in self.known.items():
            files.check_unchanged(file, identity)


def by_batches(job: Job) -> None:
    """Write batch by batch, which any server takes."""
    with job.connecting() as connection:
        Work(connection, job).run()


def load(
    connecting: Callable[[], AbstractContextManager[Connection]],
    request: Request,
    progress: Progress,
    embedding: Callable[[], Encoder] | None = None,
    write: Callable[[Job], None] = by_batches,
) -> Report:
    """Load what ``request`` says; ``connecting`` is called once the files have been seen to be there.

    ``embedding`` opens the encoder by which names get their vectors at the end; None: they get none.
    ``write`` is the way into the database.

    Raises:
        UsageError, DataError, DatabaseError
    """
    begun = perf_counter()
    request.check()
    with files.opened(request) as opened:
        report = Report(request.dataset, 0, dry_run=request.dry_run)
        try:
            known = known_by(request, opened, progress, report)
            if not request.dry_run:
                request = replace(request, seen=seen_at(known))
            job = Job(connecting, request, known, progress, report, embedding)
            if request.dry_run:
                read = _read_all(job)
                report.facts, report.sources = read.facts, len(read.sources)
            else:
                write(job)
        except MalformedLine as error:
            raise _with_those_before(error, report.bad) from error
    report.seconds = perf_counter() - begun - report.embedding_seconds
    return report


def _with_those_before(error: MalformedLine, bad: Sequence[MalformedLine]) -> MalformedLine:
    """The line that is one too many, with those that were passed over before it."""
    if not bad:
        return error
    shown = ", ".join(before.where for before in bad[:10])
    more = f" and {len(bad) - 10:,} more" if len(bad) > 10 else ""
    hint = f"{error.hint}; passed over before it: {shown}{more}"
    return MalformedLine(error.what, where=error.where, hint=hint)


@dataclass(frozen=True, slots=True)
class _Read:
    """What files hold that were read to the end."""

    facts: int
    sources: Sequence[str]


def _read_all(job: Job, let_through: Callable[[], None] = lambda: None) -> _Read:
    """Read everything and write nothing."""
    batcher = job.batches("read")
    facts = 0
    while batch := batcher.next():
        facts += batch.read
        let_through()
    job.check_unchanged()
    return _Read(facts, batcher.sources)


@dataclass
class Work:
    """One load into one database; ``let_through`` is where Ctrl-C may interrupt it."""

    connection: Connection
    job: Job
    owner: str = field(default_factory=owners.new)
    done: bool = False
    let_through: Callable[[], None] = lambda: None

    def run(self) -> None:
        """Write what is left; nothing of it can be seen before the end."""
        try:
            with unbroken() as interruptions:
                self.let_through = interruptions.let_through
                self.connection.prepare()
                encoder = self._encoder()
                beginning = self._begin()
                if beginning.begun != "unchanged":
                    self._write(beginning)
                self.done = True
                self.let_through()
                if encoder is not None:
                    self._embed(encoder)
        except KeyboardInterrupt as error:
            raise Interrupted(self._stop()) from error
        except BaseException:
            self._stop()
            raise
        finally:
            owners.gone(self.owner)

    def _encoder(self) -> Encoder | None:
        """The encoder, seen to be that of the database; None where none is wished or installed."""
        if self.job.embedding is None:
            return None
        try:
            encoder = self.job.embedding()
        except MissingExtra as error:
            self.job.report.embedding = str(error)
            return None
        vectors.check(self.connection, encoder.identity)
        return encoder

    def _begin(self) -> Beginning:
        """Record the load, once nothing that is there can be lost by it."""
        request, report = self.job.request, self.job.report
        wanted = self.job.wanted()
        begun = loads.look(self.connection, wanted, request.mode)
        if begun in ("appended", "replaced"):
            read = _read_all(self.job, self.let_through)
            report.bad.clear()
            report.remarks.clear()
            if begun == "appended":
                self._check_new(read.sources)
        if begun in ("other", "replaced"):
            catalogue.drop(self.connection, request.dataset)
        found = loads.begin(self.connection, wanted, self.owner, request.mode)
        report.begun = begun if found.begun == "new" else found.begun
        report.sources = found.sources
        report.resumed_at = found.facts if found.begun in ("resumed", "appended") else 0
        report.total = found.facts
        return found

    def _check_new(self, sources: Sequence[str]) -> None:
        """See that the dataset has none of the sources yet."""
        dataset = self.job.request.dataset
        rows = self.connection.read_one("known_sources", dataset=dataset, names=list(sources))
        known = rows[0]["names"]
        if known:
            more = f" and {len(known) - 3:,} more" if len(known) > 3 else ""
            raise DatasetExists(
                f"{dataset!r} has a source {', '.join(map(repr, known[:3]))}{more} already",
                hint="name the new one with --source, or drop the old one (`tuqa drop … --source …`)",
            )

    def _write(self, beginning: Beginning) -> None:
        """Write what is left, index it, and make it visible."""
        request, report = self.job.request, self.job.report
        writer = writing.Writer(
            self.connection, request.dataset, beginning.number, self.owner, beginning.position
        )
        batcher = self.job.batches("load", beginning.position)
        with closing(self._ahead(batcher)) as batches:
            for batch in batches:
                written = writer.write(batch)
                report.facts += written.facts
                report.repeated += batch.read - written.facts + batch.beside
                self.let_through()
        self.job.check_unchanged()
        kinds = {*batcher.kinds} | ({beginning.kind} if beginning.number > 1 else set())
        report.sources = len(batcher.sources)
        self._complete(beginning.number, kinds)

    def _complete(self, number: int, kinds: set[str]) -> None:
        """Index what is written, and make it visible; ``kinds`` are those of the dataset's sources."""
        dataset = self.job.request.dataset
        self.job.progress.begin("index", 0)
        writing.mark_hubs(self.connection, self._hubs())
        self.let_through()
        meeting.note(self.connection, dataset)
        self.let_through()
        kind = kinds.pop() if len(kinds) == 1 else "mixed"
        self.job.report.total = loads.finish(self.connection, dataset, number, self.owner, kind)

    def _hubs(self) -> Sequence[int]:
        """Nodes with very many facts that are not marked yet."""
        return writing.hubs(self.connection, self.job.request.dataset)

    def _embed(self, encoder: Encoder) -> None:
        """Give names their vectors; the dataset can be asked by now."""
        begun = perf_counter()
        self.job.report.embedded = embed(
            self.connection, self.job.request.dataset, encoder, self.job.progress, self.let_through
        )
        self.job.report.embedding_seconds = perf_counter() - begun

    def _ahead(self, batcher: Batcher) -> Generator[Batch, None, None]:
        """The batches, each read while the one before is written."""
        with ThreadPoolExecutor(1, "tuqa-read") as reader:
            try:
                coming = reader.submit(batcher.next)
                while (batch := self._awaited(coming)) is not None:
                    coming = reader.submit(batcher.next)
                    yield batch
            finally:
                batcher.stopped = True

    def _awaited(self, coming: Future[Batch | None]) -> Batch | None:
        while not wait([coming], _LOOK).done:
            self.let_through()
        return coming.result()

    def _stop(self) -> str:
        """Let go of the load as well as that can be done; what is to be said when it was interrupted.

        Where it cannot, the next run sees by itself that this process is gone.
        """
        dataset = self.job.request.dataset
        again = "run the same command again to go on"
        if self.done:
            lacking = (
                "" if self.job.embedding is None else f", but not all its names embedded: {again}"
            )
            return f"interrupted: {dataset!r} had been loaded by then{lacking}"
        with suppress(DatabaseError), unbroken():
            stopped = loads.stop(self.connection, dataset, self.owner)
            if stopped and (stopped.facts or stopped.number > 1):
                where = f", up to {stopped.at}" if stopped.at else ""
                return f"interrupted: {stopped.facts:,} facts of {dataset!r} are stored{where}, {again}"
            if stopped:
                # As if it had never begun: a first batch that cannot be read leaves nothing behind.
                catalogue.drop(self.connection, dataset)
                return f"interrupted: nothing of {dataset!r} is stored yet, {again}"
        return f"interrupted: {again}"
