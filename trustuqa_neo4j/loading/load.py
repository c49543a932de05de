"""One load from files to a visible dataset: identify, read, write, finish.

The files are hashed before anything is written. That costs one reading of them more and buys three
things: loading the same twice is seen to change nothing, an interrupted load goes on only with the very
same content, and what a fact's line number refers to is on record.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from itertools import islice
from time import perf_counter

from ..errors import DatabaseError, MalformedLine
from ..graph import catalogue, owners, writing
from ..graph.connection import Connection
from ..graph.unbroken import unbroken
from ..graph.writing import Position, SourceFiles, SourceLoad, Wanted
from ..loader import File, Reading
from ..triples import Fact
from . import files
from .request import Progress, Report, Request


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a load; says where it stopped and how to go on."""


def load(
    connecting: Callable[[], AbstractContextManager[Connection]],
    request: Request,
    progress: Progress,
) -> Report:
    """Load what ``request`` says; ``connecting`` is called once the files have been seen to be there.

    Raises:
        UsageError, DataError, DatabaseError
    """
    begun = perf_counter()
    request.check()
    with files.opened(request) as opened:
        known = [files.identified(file, progress) for file in opened]
        sources = files.sources(request, opened, known)
        report = Report(request.dataset, len(sources), dry_run=request.dry_run)
        try:
            if request.dry_run:
                for file in opened:
                    report.facts += sum(1 for _ in _facts(request, file, progress, report))
            else:
                with connecting() as connection:
                    work = _Work(connection, request, progress, report)
                    work.run(dict(zip(sources, files.grouped(request, opened), strict=True)))
        except MalformedLine as error:
            raise _with_those_before(error, report.bad) from error
    report.seconds = perf_counter() - begun
    return report


def _with_those_before(error: MalformedLine, bad: Sequence[MalformedLine]) -> MalformedLine:
    """The line that is one too many, with those that were passed over before it."""
    if not bad:
        return error
    shown = ", ".join(before.where for before in bad[:10])
    more = f" and {len(bad) - 10:,} more" if len(bad) > 10 else ""
    hint = f"{error.hint}; passed over before it: {shown}{more}"
    return MalformedLine(error.what, where=error.where, hint=hint)


def _facts(request: Request, file: File, progress: Progress, report: Report) -> Iterator[Fact]:
    """The facts of a file, those left out that no database can hold."""
    progress.begin(f"load {file.name}", file.path.stat().st_size)
    reading = Reading(request.encoding, request.skip_bad, report.bad, progress.advance)
    for fact in request.loader.read(file, reading):
        length = len(fact.relation)
        if length <= writing.RELATION_LENGTH:
            yield fact
        else:
            allowed = f"{writing.RELATION_LENGTH:,} are allowed"
            reading.malformed(
                f"a relation of {length:,} characters, and {allowed}",
                f"{file.name}:{fact.line}",
                "see that this is a relation; --skip-bad N passes over up to N bad lines",
            )


@dataclass
class _Work:
    """One load into one database; ``let_through`` is where Ctrl-C may interrupt it."""

    connection: Connection
    request: Request
    progress: Progress
    report: Report
    owner: str = field(default_factory=owners.new)
    done: bool = False
    let_through: Callable[[], None] = lambda: None

    def run(self, sources: dict[SourceFiles, list[File]]) -> None:
        """Write what is left of ``sources``; nothing of it can be seen before the end."""
        try:
            with unbroken() as interruptions:
                self.let_through = interruptions.let_through
                self.connection.prepare()
                if self._begin(tuple(sources)):
                    for source, parts in sources.items():
                        self._write(source.source, parts)
                    self.report.total = writing.finish(self.connection, self.request.dataset)
                self.done = True
        except KeyboardInterrupt as error:
            raise Interrupted(self._stop()) from error
        except BaseException:
            self._stop()
            raise
        finally:
            owners.gone(self.owner)

    def _begin(self, sources: tuple[SourceFiles, ...]) -> bool:
        """Whether there is something to write."""
        request, report = self.request, self.report
        encoding = codecs.lookup(request.encoding).name.removesuffix("-sig")
        loader = request.loader
        wanted = Wanted(request.dataset, loader.kind, loader.name, encoding, sources)
        found = writing.begin(self.connection, wanted, self.owner)
        report.begun = found.begun
        if found.begun == "other":
            # Nothing of it can be seen or gone on with: what it was read from has changed.
            catalogue.drop(self.connection, request.dataset)
            found = writing.begin(self.connection, wanted, self.owner)
        report.resumed_at = found.facts if found.begun == "resumed" else 0
        report.total = found.facts
        return found.begun != "unchanged"

    def _write(self, source: str, parts: Sequence[File]) -> None:
        """Write what is left of one source."""
        load = SourceLoad(self.connection, self.request.dataset, source, self.owner)
        stored = load.claim()
        if stored is None:
            return
        for number in range(stored.file, len(parts)):
            stored = self._write_file(load, parts[number], number, stored)
        load.finish()

    def _write_file(self, load: SourceLoad, file: File, number: int, stored: Position) -> Position:
        """Write what is left of one file; where the load then stands."""
        report = self.report
        read = stored.facts if number == stored.file else 0
        left = islice(self._facts(file), read, None)
        for batch in writing.batches(left, self.request.batch_size):
            read += len(batch)
            after = Position(number, read)
            new = load.write(batch, stored, after)
            report.facts += new
            report.repeated += len(batch) - new
            stored = after
        return stored

    def _facts(self, file: File) -> Iterator[Fact]:
        for fact in _facts(self.request, file, self.progress, self.report):
            self.let_through()
            yield fact

    def _stop(self) -> str:
        """Let go of the load as well as that can be done; what is to be said when it was interrupted.

        Where it cannot, the next run sees by itself that this process is gone.
        """
        dataset = self.request.dataset
        again = "run the same command again to go on"
        if self.done:
            return f"interrupted: {dataset!r} had been loaded by then"
        with suppress(DatabaseError), unbroken():
            stopped = writing.stop(self.connection, dataset, self.owner)
            if stopped and stopped.facts:
                where = f"{stopped.file} after {stopped.read:,} facts"
                return f"interrupted: {stopped.facts:,} facts of {dataset!r} are stored, {where}, {again}"
            if stopped:
                # As if it had never begun: a first batch that cannot be read leaves nothing behind.
                catalogue.drop(self.connection, dataset)
                return f"interrupted: nothing of {dataset!r} is stored yet, {again}"
        return f"interrupted: {again}"
