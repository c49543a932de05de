"""Threads that compute batches, each with one thread of the matrix library.

The library's own threads would leave all but the products of matrices to one core, and would wait for work on
the cores that the server needs.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from .inference import embeddings_extra

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

_T = TypeVar("_T")
_R = TypeVar("_R")

_AHEAD = 2  # batches per thread that are computed before the caller asks for them


def run_in_threads(work: Callable[[_T], _R], items: Sequence[_T]) -> Iterator[_R]:
    # The results in the order of the items.
    threads = min(count_threads(), len(items))
    with _blas_limit.hold():
        if threads <= 1:
            yield from map(work, items)
            return
        executor = ThreadPoolExecutor(threads, "tuqa-encode")
        try:
            futures: deque[Future[_R]] = deque()
            for item in items:
                futures.append(executor.submit(work, item))
                if len(futures) > threads * _AHEAD:
                    yield futures.popleft().result()
            while futures:
                yield futures.popleft().result()
        finally:
            executor.shutdown(cancel_futures=True)


def count_threads() -> int:
    # The cores that this process may use, or fewer.
    limit = os.environ.get("OMP_NUM_THREADS", "")
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    return max(1, min(cores, int(limit))) if limit.isdecimal() else cores


class _BlasLimit:
    # The limit is that of the whole process: the first caller sets it, the last one takes it back.
    def __init__(self) -> None:
        self._lock = Lock()
        self._holders = 0
        self._controller: Any = None
        self._limit: AbstractContextManager[Any] | None = None

    @contextmanager
    def hold(self) -> Iterator[None]:
        with self._lock:
            if not self._holders:
                self._limit = self._new_limit()
                self._limit.__enter__()
            self._holders += 1
        try:
            yield
        finally:
            with self._lock:
                self._holders -= 1
                if not self._holders and self._limit is not None:
                    self._limit.__exit__(None, None, None)

    def _new_limit(self) -> AbstractContextManager[Any]:
        if self._controller is None:
            with embeddings_extra():
                import numpy  # noqa: F401 # loads the library that is limited
                from threadpoolctl import ThreadpoolController
            self._controller = ThreadpoolController()
        limit: AbstractContextManager[Any] = self._controller.limit(limits=1, user_api="blas")
        return limit


_blas_limit = _BlasLimit()
