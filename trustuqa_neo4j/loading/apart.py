"""Batches read in a process of its own: while they are numbered and written here, the next are read there.

It is this Python with the same ``sys.path``. It is told on its standard input what to read and answers with
batches on its standard output. When nobody takes them any more it ends, so it outlives no one; Ctrl-C does
not reach it. A process of ``multiprocessing`` (the alternative) would run the calling program once more.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

from ..errors import DataError, MalformedLine, TrustUQAError
from ..graph.batched import Batch
from ..loader import File, Remark
from .reading import batcher_of
from .request import Progress, Report, Request

SIZE = 1 << 22
"""Bytes of input from which it pays to start a process."""

_CODE = (
    "import sys; sys.path[:] = sys.argv[1:]; from trustuqa_neo4j.loading.apart import main; main()"
)


@dataclass(frozen=True)
class _Begun:
    """A phase has begun."""

    phase: str
    total: int
    unit: str


@dataclass(frozen=True)
class _Done:
    """All is read, with what was odd."""

    bad: list[MalformedLine] = field(default_factory=list)
    remarks: dict[str, Remark] = field(default_factory=dict)


def batches(
    request: Request, files: Sequence[File], size: int, progress: Progress, report: Report
) -> Generator[Batch, None, None]:
    """Bare batches of what ``files`` of ``size`` bytes hold; read here if they are small.

    Raises:
        UsageError, DataError
    """
    try:
        given = pickle.dumps((request, tuple(files)), 5) if size >= SIZE else b""
    except (pickle.PicklingError, AttributeError, TypeError):
        given = b""  # a loader that no other process can import
    if given:
        return _apart(given, progress, report)
    return _here(request, files, progress, report)


def _here(
    request: Request, files: Sequence[File], progress: Progress, report: Report
) -> Generator[Batch, None, None]:
    batcher = batcher_of(request, files, progress, report, "read", bare=True)
    while batch := batcher.next():
        yield batch


def _apart(given: bytes, progress: Progress, report: Report) -> Generator[Batch, None, None]:
    detached: dict[str, Any] = {} if sys.platform == "win32" else {"start_new_session": True}
    process = subprocess.Popen(  # noqa: S603 # this Python, with a program of ours
        [sys.executable, "-c", _CODE, *sys.path],
        bufsize=1 << 20,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        **detached,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        pickle.dump(given, process.stdin)
        process.stdin.flush()
        while not isinstance(message := _next(process.stdout), _Done):
            if isinstance(message, Batch):
                yield message
            elif isinstance(message, _Begun):
                progress.begin(message.phase, message.total, message.unit)
            elif isinstance(message, int):
                progress.advance(message)
            else:
                raise message
        report.bad[:] = message.bad
        report.remarks.update(message.remarks)
    except (EOFError, BrokenPipeError, pickle.UnpicklingError) as error:
        raise DataError(
            f"the process that reads the files ended with {process.wait()}",
            hint="what it said stands above; load without --bulk",
        ) from error
    finally:
        process.kill()
        process.stdout.close()
        process.stdin.close()
        process.wait()


def _next(stream: IO[bytes]) -> Batch | _Begun | _Done | TrustUQAError | int:
    found: Batch | _Begun | _Done | TrustUQAError | int = pickle.load(stream)  # noqa: S301 # ours
    return found


def main() -> None:
    """Read what standard input says, and write what becomes of it to standard output."""
    with os.fdopen(os.dup(1), "wb", 1 << 20) as out:
        os.dup2(2, 1)  # whatever a loader prints is no batch
        given = pickle.load(sys.stdin.buffer)  # noqa: S301 # from the process that started this one
        request, files = pickle.loads(given)  # noqa: S301 # the same
        try:
            _answer(out, request, files)
        except BrokenPipeError:
            os._exit(1)  # nobody is there any more; what is left in the buffer is for nobody


def _answer(out: IO[bytes], request: Request, files: Sequence[File]) -> None:
    def say(message: object) -> None:
        pickle.dump(message, out, 5)
        out.flush()

    def begin(phase: str, total: int, unit: str = "bytes", /) -> None:
        say(_Begun(phase, total, unit))

    done: list[int] = []

    report = Report(request.dataset, 0)
    try:
        for batch in _here(request, files, Progress(begin, done.append), report):
            if done:  # each thousand lines it would be too often
                say(done[-1])
                done.clear()
            say(batch)
    except TrustUQAError as error:
        say(error)
    else:
        say(_Done(report.bad, report.remarks))
