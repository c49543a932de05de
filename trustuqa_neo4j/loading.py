"""One load from files to a visible dataset: identify, read, write, finish.

The files are hashed before anything is written. That costs one reading of them more and buys three
things: loading the same twice is seen to change nothing, an interrupted load goes on only with the very
same content, and what a fact's line number refers to is on record.
"""

from __future__ import annotations

import hashlib
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any

from .errors import DatabaseError, MalformedLine, MissingFile, UnreadableFile, UsageError
from .graph import catalogue, writing
from .graph.connection import Connection
from .graph.writing import Position, SourceFiles
from .loader import File, Loader, Reading

BATCH = 20_000
STDIN = "-"


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


@dataclass
class Report:
    """What a load did. ``facts`` are those made, ``repeated`` those that were there already."""

    dataset: str
    sources: int
    facts: int = 0
    repeated: int = 0
    resumed_at: int = 0
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
            told += f"; gone on with after {self.resumed_at:,} facts"
        if self.begun == "other":
            told += "; an unfinished load of other content was removed first"
        return told

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        given = asdict(self)
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
    with _files(request) as files:
        identified = [_identify(file, progress) for file in files]
        sources = _sources(request, files, identified)
        report = Report(request.dataset, len(sources), dry_run=request.dry_run)
        if request.dry_run:
            _read_only(request, files, progress, report)
        else:
            grouped = dict(zip(sources, _grouped(request, files), strict=True))
            with connecting() as connection:
                _write(connection, request, grouped, progress, report)
    report.seconds = perf_counter() - begun
    return report


@contextmanager
def _files(request: Request) -> Iterator[list[File]]:
    """The files to read; standard input is kept in a temporary one, so that it can be gone on with."""
    repeated = {path for path in request.paths if request.paths.count(path) > 1}
    if repeated:
        raise UsageError(f"{sorted(repeated)[0]} is given twice", hint="give each file once")
    if STDIN not in request.paths:
        yield [File(Path(path), path) for path in request.paths]
        return
    with tempfile.TemporaryDirectory(prefix="tuqa-") as folder:
        kept = Path(folder) / "stdin"
        with kept.open("wb") as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy)
        yield [
            File(kept, "stdin") if path == STDIN else File(Path(path), path)
            for path in request.paths
        ]


def _identify(file: File, progress: Progress) -> tuple[int, str]:
    """Size in bytes and sha256 of a file."""
    digest = hashlib.sha256()
    try:
        size = file.path.stat().st_size
        with file.path.open("rb") as content:
            progress.begin(f"look at {file.name}", size)
            while block := content.read(1 << 20):
                digest.update(block)
                progress.advance(content.tell())
    except FileNotFoundError as error:
        raise MissingFile("no such file", where=file.name, hint="check the path") from error
    except IsADirectoryError as error:
        raise UnreadableFile("a folder", where=file.name, hint="give the files in it") from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise UnreadableFile(reason, where=file.name, hint="check its permissions") from error
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


def _read_only(request: Request, files: Sequence[File], progress: Progress, report: Report) -> None:
    for file in files:
        report.facts += sum(
            1 for _ in request.loader.read(file, _reading(request, file, progress, report))
        )


def _write(
    connection: Connection,
    request: Request,
    sources: dict[SourceFiles, list[File]],
    progress: Progress,
    report: Report,
) -> None:
    connection.prepare()
    loader = request.loader
    begin = partial(
        writing.begin, connection, request.dataset, loader.kind, loader.name, list(sources)
    )
    report.begun = begin()
    if report.begun == "other":
        # Nothing of it can be seen or gone on with: what it was read from has changed.
        catalogue.drop(connection, request.dataset)
        begin()
    if report.begun == "unchanged":
        return
    for source, files in sources.items():
        load = writing.SourceLoad(connection, request.dataset, source.source)
        stored = load.claim()
        report.resumed_at += stored.facts
        try:
            for number in range(stored.file, len(files)):
                stored = _write_file(load, request, files, number, stored, progress, report)
            load.finish()
        except BaseException:
            # As well as it can be done: the next run sees by itself that this process is gone.
            with suppress(DatabaseError):
                load.stop()
            raise
    writing.finish(connection, request.dataset)


def _write_file(
    load: writing.SourceLoad,
    request: Request,
    files: Sequence[File],
    number: int,
    stored: Position,
    progress: Progress,
    report: Report,
) -> Position:
    """Write what is left of one file; where the load then stands."""
    read = stored.facts if number == stored.file else 0
    reading = _reading(request, files[number], progress, report)
    facts = islice(request.loader.read(files[number], reading), read, None)
    for batch in writing.batches(facts, request.batch_size):
        read += len(batch)
        after = Position(number, read)
        new = load.write(batch, stored, after)
        report.facts += new
        report.repeated += len(batch) - new
        stored = after
    return stored


def _reading(request: Request, file: File, progress: Progress, report: Report) -> Reading:
    progress.begin(f"load {file.name}", file.path.stat().st_size)
    return Reading(request.encoding, request.skip_bad, report.bad, progress.advance)
