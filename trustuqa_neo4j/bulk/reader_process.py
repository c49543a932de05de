"""Batches read in a child process, while this process numbers and writes the batches before.

The child is this Python with the same ``sys.path``. It gets its job on standard input and writes batches to
standard output. It ends when nobody reads them any more, so it outlives no one; Ctrl-C does not reach it. A
process of ``multiprocessing`` (the alternative) would run the calling program again.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from typing import IO, Any

from ..errors import DataError, TrustUQAError
from ..loading.batch import Batch
from ..loading.formats import File, find_entry_point, load_entry_point
from ..loading.load import make_batcher
from ..loading.request import LoadReport, LoadRequest, Progress
from ..wording import use_words_of
from .frames import read_frame, write_frame
from .messages import decode_batch, encode_batch, from_data, to_data

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


def read_batches(
    request: LoadRequest, files: Sequence[File], size: int, progress: Progress, report: LoadReport
) -> Generator[Batch, None, None]:
    # Small files are read in this process, and so are those of a loader that no other process can find.
    loader = find_entry_point(request.loader) if size >= MIN_PROCESS_BYTES else None
    if loader is None:
        return _read_in_this_process(request, files, progress, report)
    options = {f.name: getattr(request, f.name) for f in fields(request) if f.name != "loader"}
    return _read_in_child_process([loader, to_data(options), to_data(files)], progress, report)


def _read_in_this_process(
    request: LoadRequest, files: Sequence[File], progress: Progress, report: LoadReport
) -> Generator[Batch, None, None]:
    batcher = make_batcher(
        request, files, progress, report, "read", bare=True, batch_size=_BATCH_FACTS
    )
    while batch := batcher.next():
        yield batch


def _read_in_child_process(
    job: object, progress: Progress, report: LoadReport
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
        write_frame(process.stdin, job)
        process.stdin.flush()
        yield from _read_messages(process.stdout, progress, report)
    except (EOFError, BrokenPipeError) as error:
        raise DataError(
            f"the process that reads the files ended with {process.wait()}",
            hint="its own message is above; load without --bulk",
        ) from error
    finally:
        process.kill()
        process.stdout.close()
        process.stdin.close()
        process.wait()


def _read_messages(
    stream: IO[bytes], progress: Progress, report: LoadReport
) -> Generator[Batch, None, None]:
    while True:
        (kind, data), arrays = read_frame(stream)
        match kind:
            case "batch":
                yield decode_batch(data, arrays)
            case "phase":
                progress.begin(*data)
            case "advance":
                progress.advance(data)
            case "error":
                error: TrustUQAError = from_data(data)
                raise error
            case "finished":
                bad, remarks = data
                report.bad[:] = from_data(bad)
                report.remarks.update(from_data(remarks))
                return


def main() -> None:
    # The child reads its job from stdin and writes messages to stdout.
    with os.fdopen(os.dup(1), "wb", 1 << 20) as out:
        os.dup2(2, 1)  # what a loader prints must not get between the messages
        (loader, options, files), _ = read_frame(sys.stdin.buffer)
        request = LoadRequest(load_entry_point(loader), **from_data(options))
        try:
            with pause_garbage_collection(), use_words_of("shell"):  # only the shell loads in bulk
                _write_messages(out, request, from_data(files))
        except BrokenPipeError:
            os._exit(1)  # nobody reads the rest of the buffer


def _write_messages(out: IO[bytes], request: LoadRequest, files: Sequence[File]) -> None:
    def send(kind: str, data: object, arrays: Sequence[bytes] = ()) -> None:
        write_frame(out, [kind, data], arrays)
        out.flush()

    def begin(phase: str, total: int, unit: str = "bytes", /) -> None:
        send("phase", [phase, total, unit])

    progress: list[int] = []
    report = LoadReport(request.dataset, 0)
    try:
        for batch in _read_in_this_process(
            request, files, Progress(begin, progress.append), report
        ):
            if progress:  # once for each batch: for each thousand lines would be too often
                send("advance", progress[-1])
                progress.clear()
            send("batch", *encode_batch(batch))
    except TrustUQAError as error:
        send("error", to_data(error))
    else:
        send("finished", [to_data(report.bad), to_data(report.remarks)])
