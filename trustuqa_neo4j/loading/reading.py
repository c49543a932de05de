"""What is read of files, as batches; what no database can hold is refused on the way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..errors import UnreadableFile
from ..graph.batch import Batcher
from ..loader import File, Reading
from ..triples import ClassDeclared, Fact, Item, Part, RelationDeclared
from .addresses import Digest, unchanged
from .files import Identity, identified
from .request import NAME_LENGTH, Progress, Report, Request

RELATION_LENGTH = 1000
"""Characters that the name of a relation, or of a class that is declared, may have.

It stands in index entries, which are limited.
"""


def batcher_of(
    request: Request,
    files: Sequence[File],
    progress: Progress,
    report: Report,
    phase: str,
    skip: int = 0,
    bare: bool = False,
) -> Batcher:
    """Batches of all that ``files`` hold; those of the first ``skip`` items are left out.

    ``bare``: as ``Batcher`` has it.
    """
    items = _items(request, files, progress, report, phase)
    if request.seen:
        items = unchanged(items, request.seen, files)
    return Batcher(items, request.values, request.batch_size, skip, bare)


def known_by(
    request: Request, opened: Sequence[File], progress: Progress, report: Report
) -> dict[File, Identity]:
    """What ``opened`` are now, so that they are known again.

    Addresses have one identity for all that is read, as the files beside them shape what they give.

    Raises:
        UsageError, DataError
    """
    addresses = [file for file in opened if file.address is not None]
    known = {file: identified(file, progress) for file in opened if file.address is None}
    if addresses:
        digest = Digest()
        if not request.dry_run:  # after which nothing is gone on with
            for item in _items(request, opened, progress, report, "look at"):
                digest.add(item)
            report.bad.clear()
            report.remarks.clear()
        known |= dict.fromkeys(addresses, Identity(digest.size, digest.sha256, 0))
    return {file: known[file] for file in opened}


def seen_at(known: Mapping[File, Identity]) -> str:
    """The hash of what is at the addresses among ``known``; empty where there are none."""
    return next((known[file].sha256 for file in known if file.address is not None), "")


def _items(
    request: Request, files: Sequence[File], progress: Progress, report: Report, phase: str
) -> Iterator[Item]:
    reading = Reading(
        source=request.source,
        encoding=request.encoding,
        values=request.values,
        skip_bad=request.skip_bad,
        bad=report.bad,
        remarks=report.remarks,
        progress=_Bars(progress, phase).advance,
    )
    return _holdable(request.loader.read(files, reading), reading)


def _holdable(items: Iterator[Item], reading: Reading) -> Iterator[Item]:
    """``items`` without facts and declarations whose names are too long; sources have usable names."""
    file = ""
    for item in items:
        if isinstance(item, Fact) and len(item.relation) > RELATION_LENGTH:
            reading.malformed(
                f"a relation of {len(item.relation):,} characters, and {RELATION_LENGTH:,} are allowed",
                f"{file}:{item.line}",
                "see that this is a relation; --skip-bad N passes over up to N bad lines",
            )
            continue
        if isinstance(item, ClassDeclared | RelationDeclared) and len(item.name) > RELATION_LENGTH:
            what = f"is declared by a name of more than {RELATION_LENGTH:,} characters: left out"
            reading.remark(what, file)
            continue
        if isinstance(item, Part):
            _check_source(item)
            file = item.file
        yield item


def _check_source(part: Part) -> None:
    longest = NAME_LENGTH["source"]
    if len(part.source) > longest:
        raise UnreadableFile(
            f"the source's name has {len(part.source):,} characters, and {longest:,} are allowed",
            where=f"{part.file[:100]}…",
            hint="rename it",
        )


class _Bars:
    """Turns what a reader tells of its files into phases."""

    def __init__(self, progress: Progress, phase: str) -> None:
        self._progress = progress
        self._phase = phase
        self._file: File | None = None

    def advance(self, file: File, done: int) -> None:
        """``done`` bytes of ``file`` have been read, or rows of an address."""
        if file is not self._file:
            self._file = file
            phase = f"{self._phase} {file.name}"
            if file.address is None:
                self._progress.begin(phase, file.path.stat().st_size)
            else:
                self._progress.begin(phase, 0, "rows")
        self._progress.advance(done)
