"""Batches read in a child process, while this process numbers and writes the batches before.

The child is this Python with the same ``sys.path``. It gets its job on standard input and writes batches to
standard output. It ends when nobody reads them any more, so it outlives no one; Ctrl-C does not reach it. A
process of ``multiprocessing`` (the alternative) would run the calling program again.
"""

from __future__ import annotations

import gc
import os
import pickle
import subprocess
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, Any

from ..errors import DataError, MalformedLine, TrustUQAError
from ..loading.batch import Batch
from ..loading.formats import File, Remark
from ..loading.load import make_batcher
from ..loading.request import LoadReport, LoadRequest, Progress
from ..wording import use_words_of

MIN_PROCESS_BYTES = 1 << 22
"""With less input, a process of its own costs more than it saves."""

_BATCH_FACTS = 30_000
"""Larger batches have fewer groups of facts and fewer ends to look up, and take more memory."""

_CODE = "import sys; sys.path[:] = sys.argv[1:]; from trustuqa_neo4j.bulk.reader_process import main; main()"


@contextmanager
def pause_garbage_collection() -> Iterator[None]:
    # Batches have no reference cycles, and so many objects that searches for cycles take a fifth of the time.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@dataclass(frozen=True)
class _PhaseStarted:
    phase: str
    total: int
    unit: str


@dataclass(frozen=True)
class _Finished:
    # The last message of the child.
    bad: list[MalformedLine] = field(default_factory=list)
    remarks: dict[str, Remark] = field(default_factory=dict)


def read_batches(
    request: LoadRequest, files: Sequence[File], size: int, progress: Progress, report: LoadReport
) -> Generator[Batch, None, None]:
    # Small files are read in this process.
    try:
        job = pickle.dumps((request, tuple(files)), 5) if size >= MIN_PROCESS_BYTES else b""
    except (pickle.PicklingError, AttributeError, TypeError):
        job = b""  # a loader that no other process can import
    if job:
        return _read_in_child_process(job, progress, report)
    return _read_in_this_process(request, files, progress, report)


def _read_in_this_process(
    request: LoadRequest, files: Sequence[File], progress: Progress, report: LoadReport
) -> Generator[Batch, None, None]:
    batcher = make_batcher(
        request, files, progress, report, "read", bare=True, batch_size=_BATCH_FACTS
    )
    while batch := batcher.next():
        yield batch


def _read_in_child_process(
    job: bytes, progress: Progress, report: LoadReport
) -> Generator[Batch, None, None]:
    detached: dict[str, Any] = {} if sys.platform == "win32" else {"start_new_session": True}
    process = subprocess.Popen(  # this Python, with our own program
        [sys.executable, "-c", _CODE, *sys.path],
        bufsize=1 << 20,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        **detached,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        pickle.dump(job, process.stdin)
        process.stdin.flush()
        while not isinstance(message := _read_message(process.stdout), _Finished):
            if isinstance(message, Batch):
                yield message
            elif isinstance(message, _PhaseStarted):
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
            hint="its own message is above; load without --bulk",
        ) from error
    finally:
        process.kill()
        process.stdout.close()
        process.stdin.close()
        process.wait()


def _read_message(stream: IO[bytes]) -> Batch | _PhaseStarted | _Finished | TrustUQAError | int:
    message: Batch | _PhaseStarted | _Finished | TrustUQAError | int = pickle.load(stream)  # noqa: S301 # ours
    return message


def main() -> None:
    # The child reads its job from stdin and writes messages to stdout.
    with os.fdopen(os.dup(1), "wb", 1 << 20) as out:
        os.dup2(2, 1)  # what a loader prints must not get between the messages
        job = pickle.load(sys.stdin.buffer)  # noqa: S301 # from the process that started this one
        request, files = pickle.loads(job)  # noqa: S301 # the same
        try:
            with pause_garbage_collection(), use_words_of("shell"):  # only the shell loads in bulk
                _write_messages(out, request, files)
        except BrokenPipeError:
            os._exit(1)  # nobody reads the rest of the buffer


def _write_messages(out: IO[bytes], request: LoadRequest, files: Sequence[File]) -> None:
    def send(message: object) -> None:
        pickle.dump(message, out, 5)
        out.flush()

    def begin(phase: str, total: int, unit: str = "bytes", /) -> None:
        send(_PhaseStarted(phase, total, unit))

    progress: list[int] = []
    report = LoadReport(request.dataset, 0)
    try:
        for batch in _read_in_this_process(
            request, files, Progress(begin, progress.append), report
        ):
            if progress:  # once for each batch: for each thousand lines would be too often
                send(progress[-1])
                progress.clear()
            send(batch)
    except TrustUQAError as error:
        send(error)
    else:
        send(_Finished(report.bad, report.remarks))
