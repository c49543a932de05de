"""What is read of files, as batches; what no database can hold is refused on the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..errors import UnreadableFile
from ..graph.batch import Batcher
from ..loader import File, Reading
from ..triples import Fact, Item, Part
from .request import NAME_LENGTH, Progress, Report, Request

RELATION_LENGTH = 1000
"""Characters that a relation's name may have: it stands in index entries, which are limited."""


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
    reading = Reading(
        source=request.source,
        encoding=request.encoding,
        values=request.values,
        skip_bad=request.skip_bad,
        bad=report.bad,
        remarks=report.remarks,
        progress=_Bars(progress, phase).advance,
    )
    items = _holdable(request.loader.read(files, reading), reading)
    return Batcher(items, request.values, request.batch_size, skip, bare)


def _holdable(items: Iterator[Item], reading: Reading) -> Iterator[Item]:
    """``items`` without facts whose relation is too long; sources are seen to have usable names."""
    file = ""
    for item in items:
        if isinstance(item, Fact) and len(item.relation) > RELATION_LENGTH:
            reading.malformed(
                f"a relation of {len(item.relation):,} characters, and {RELATION_LENGTH:,} are allowed",
                f"{file}:{item.line}",
                "see that this is a relation; --skip-bad N passes over up to N bad lines",
            )
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
        """``done`` bytes of ``file`` have been read."""
        if file is not self._file:
            self._file = file
            self._progress.begin(f"{self._phase} {file.name}", file.path.stat().st_size)
        self._progress.advance(done)
