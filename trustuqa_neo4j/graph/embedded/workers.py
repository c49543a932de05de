"""Many small jobs on a few threads, which stop at the first error or at Ctrl-C.

``concurrent.futures`` was tried first: the interpreter waits for its threads when it ends, so that
Ctrl-C during a download from a silent server lasted as long as its time-out. These are daemons: they
are told to stop, are waited for a moment, and then end with the program.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Sequence

Job = Callable[[threading.Event], None]  # looks at the event now and then, and raises Cancelled

GRACE = 1.0  # seconds that threads have to clean up behind them
TICK = 0.5  # seconds; Windows delivers Ctrl-C only between waits


class Cancelled(Exception):  # no error: the answer to being told to stop
    """Raised by a job that was told to stop."""


def run_all(jobs: Sequence[Job], threads: int, done: Callable[[int], None] | None = None) -> None:
    """Runs every job; the first error that one raises cancels the rest and is raised here.

    Args:
        jobs: each gets an event that is set when it should stop.
        threads: how many run at a time.
        done: called in this thread with the number of jobs finished.
    """
    waiting: queue.SimpleQueue[Job] = queue.SimpleQueue()
    for job in jobs:
        waiting.put(job)
    results: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()
    cancelled = threading.Event()
    arguments = (waiting, results, cancelled)
    workers = [
        threading.Thread(target=_work, args=arguments, daemon=True)
        for _ in range(min(threads, len(jobs)))
    ]
    for worker in workers:
        worker.start()
    try:
        for finished in range(1, len(jobs) + 1):
            error = _next(results)
            if error is not None:
                raise error
            if done is not None:
                done(finished)
    finally:
        cancelled.set()
        deadline = time.monotonic() + GRACE
        for worker in workers:
            worker.join(max(0.0, deadline - time.monotonic()))


def _work(
    waiting: queue.SimpleQueue[Job],
    results: queue.SimpleQueue[BaseException | None],
    cancelled: threading.Event,
) -> None:
    with contextlib.suppress(queue.Empty):
        while not cancelled.is_set():
            job = waiting.get_nowait()
            try:
                job(cancelled)
            except BaseException as error:  # noqa: BLE001  # handed to the caller's thread
                results.put(error)
            else:
                results.put(None)


def _next(results: queue.SimpleQueue[BaseException | None]) -> BaseException | None:
    while True:
        with contextlib.suppress(queue.Empty):
            return results.get(timeout=TICK)
