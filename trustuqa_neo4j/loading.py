"""One load from files to a visible dataset: identify, read, write, finish.

The files are hashed before anything is written. That costs one reading of them more and buys three
things: loading the same twice is seen to change nothing, an interrupted load goes on only with the very
same content, and what a fact's line number refers to is on record.
"""

from __future__ import annotations

import codecs
import hashlib
import io
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any, BinaryIO

from .errors import DatabaseError, MalformedLine, MissingFile, UnreadableFile, UsageError
from .graph import catalogue, owners, writing
from .graph.connection import Connection
from .graph.unbroken import unbroken
from .graph.writing import Position, SourceFiles, SourceLoad, Wanted
from .loader import File, Loader, Reading
from .triples import Fact

BATCH = 20_000
STDIN = "-"

NAME_LENGTH = {"dataset": 200, "source": 1000}
"""Characters that a name may have, since both stand in index entries."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a load; says where it stopped and how to go on."""


@dataclass(frozen=True)
class Request:
    """What to load, and how. ``source`` None names each source after its file."""

    loader: Loader
    paths: tuple[str, ...]
    dataset: str
    source: str | None = None
    encoding: str = "utf-8-sig"
    skip_bad: int = 0
    batch_size: int = BATCH
    dry_run: bool = False

    def check(self) -> None:
        """See that this can be done at all.

        Raises:
            UsageError
        """
        if not self.paths:
            raise UsageError("no file is given", hint="give at least one")
        repeated = {path for path in self.paths if self.paths.count(path) > 1}
        if repeated:
            raise UsageError(f"{min(repeated)} is given twice", hint="give each file once")
        _check_name("dataset", self.dataset)
        if self.source is not None:
            _check_name("source", self.source)
        for path in self.paths:
            if not _is_text(path):
                raise UsageError("the path is not UTF-8", where=repr(path), hint="rename the file")
        if self.batch_size < 1:
            raise UsageError(f"batches of {self.batch_size} facts", hint="give a number from 1")
        try:
            io.TextIOWrapper(io.BytesIO(), encoding=self.encoding)
        except (LookupError, ValueError) as error:
            raise UsageError(
                f"no encoding {self.encoding!r}", hint="try utf-8 or latin-1"
            ) from error


def _check_name(what: str, name: str) -> None:
    longest = NAME_LENGTH[what]
    wrong = ""
    if not name.strip():
        wrong = "is empty"
    elif len(name) > longest:
        wrong = f"has {len(name):,} characters, and {longest:,} are allowed"
    elif not _is_text(name) or any(ord(c) < 32 or 127 <= ord(c) < 160 for c in name):
        wrong = "holds control characters, or is not UTF-8"
    if wrong:
        raise UsageError(f"the {what}'s name {wrong}", hint=f"give --{what} NAME")


def _is_text(name: str) -> bool:
    """Whether ``name`` can be written: file names in other encodings arrive as half surrogates."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


@dataclass
class Report:
    """What a load did.

    ``facts`` are those made now, ``repeated`` those that were there already, ``resumed_at`` those made
    before the load was interrupted, ``total`` all that the dataset has.
    """

    dataset: str
    sources: int
    facts: int = 0
    repeated: int = 0
    resumed_at: int = 0
    total: int | None = None
    seconds: float = 0.0
    begun: writing.Begun = "new"
    dry_run: bool = False
    bad: list[MalformedLine] = field(default_factory=list)

    def summary(self) -> str:
        """One line for people."""
        read = self.facts + self.repeated
        rate = f"{self.seconds:.1f} s ({read / self.seconds:,.0f} facts/s)"
        sources = "1 source" if self.sources == 1 else f"{self.sources:,} sources"
        if self.dry_run:
            return f"{self.dataset}: {self.facts:,} facts in {sources}, read in {rate}; nothing written"
        if self.begun == "unchanged":
            return f"{self.dataset}: loaded already from the same {sources}; nothing changed"
        told = f"{self.dataset}: {self.facts:,} facts from {sources} in {rate}"
        if self.repeated:
            told += f"; {self.repeated:,} were there already"
        if self.begun == "resumed":
            told += f"; went on after {self.resumed_at:,} facts, now {self.total:,}"
        if self.begun == "other":
            told += "; an unfinished load of other content was removed first"
        return told

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        given = asdict(replace(self, bad=[]))
        given["bad"] = [{"where": error.where, "what": error.what} for error in self.bad]
        return given


@dataclass(frozen=True)
class Progress:
    """Told as a load goes on: a phase with its total in bytes, and bytes done in it."""

    begin: Callable[[str, int], None] = lambda _phase, _total: None
    advance: Callable[[int], None] = lambda _: None


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
    with _files(request) as files:
        identified = [_identify(file, progress) for file in files]
        sources = _sources(request, files, identified)
        report = Report(request.dataset, len(sources), dry_run=request.dry_run)
        try:
            if request.dry_run:
                for file in files:
                    report.facts += sum(1 for _ in _facts(request, file, progress, report))
            else:
                with connecting() as connection:
                    work = _Work(connection, request, progress, report)
                    work.run(dict(zip(sources, _grouped(request, files), strict=True)))
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


@contextmanager
def _files(request: Request) -> Iterator[list[File]]:
    """The files to read; what can be read only once is copied, so that it can be gone on with."""
    with ExitStack() as copies:
        yield [
            _copied(path, copies) if path == STDIN or _is_stream(path) else File(Path(path), path)
            for path in request.paths
        ]


def _is_stream(path: str) -> bool:
    try:
        kind = os.stat(path).st_mode  # noqa: PTH116 # tells a pipe from a file in one call
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(kind) or stat.S_ISDIR(kind))


def _copied(path: str, copies: ExitStack) -> File:
    name = "stdin" if path == STDIN else path
    if path == STDIN and sys.stdin is None:
        raise UsageError("standard input is closed", hint="give a file")
    try:
        kept = Path(copies.enter_context(tempfile.TemporaryDirectory(prefix="tuqa-"))) / "copy"
        with ExitStack() as closing:
            if path == STDIN:
                stream: BinaryIO = sys.stdin.buffer
            else:
                stream = closing.enter_context(Path(path).open("rb"))
            shutil.copyfileobj(stream, closing.enter_context(kept.open("wb")))
    except OSError as error:
        raise UnreadableFile(
            f"it cannot be copied ({error.strerror or error})",
            where=name,
            hint="set TMPDIR to a folder with enough space",
        ) from error
    return File(kept, name)


def _identify(file: File, progress: Progress) -> tuple[int, str]:
    """Size in bytes and sha256 of a file."""
    digest = hashlib.sha256()
    size = 0
    try:
        with file.path.open("rb") as content:
            progress.begin(f"look at {file.name}", file.path.stat().st_size)
            while block := content.read(1 << 20):
                digest.update(block)
                size += len(block)
                progress.advance(size)
    except (FileNotFoundError, ValueError) as error:  # ValueError: a NUL in the path
        raise MissingFile("no such file", where=file.name, hint="check the path") from error
    except IsADirectoryError as error:
        raise UnreadableFile("a folder", where=file.name, hint="give the files in it") from error
    except OSError as error:
        reason = error.strerror or str(error)
        hint = "check the path and its permissions"
        raise UnreadableFile(reason, where=file.name, hint=hint) from error
    if not size:
        raise UnreadableFile("the file is empty", where=file.name, hint="give one with facts")
    return size, digest.hexdigest()


def _grouped(request: Request, files: Sequence[File]) -> list[list[File]]:
    """The files of each source."""
    return [list(files)] if request.source is not None else [[file] for file in files]


def _sources(
    request: Request, files: Sequence[File], identified: Sequence[tuple[int, str]]
) -> list[SourceFiles]:
    of_file = dict(zip((file.name for file in files), identified, strict=True))
    return [
        SourceFiles(
            source=group[0].name if request.source is None else request.source,
            files=tuple(file.name for file in group),
            sizes=tuple(of_file[file.name][0] for file in group),
            hashes=tuple(of_file[file.name][1] for file in group),
        )
        for group in _grouped(request, files)
    ]


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
                    for source, files in sources.items():
                        self._write(source.source, files)
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

    def _write(self, source: str, files: Sequence[File]) -> None:
        """Write what is left of one source."""
        load = SourceLoad(self.connection, self.request.dataset, source, self.owner)
        stored = load.claim()
        if stored is None:
            return
        for number in range(stored.file, len(files)):
            stored = self._write_file(load, files[number], number, stored)
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
