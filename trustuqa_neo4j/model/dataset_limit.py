"""The datasets that a request may use: fewer than those of the client that answers many requests.

A limit holds for the task that sets it, for the tasks that it starts, and for threads of ``asyncio`` and
``anyio``. Threads of an executor have none: they call by ``contextvars.copy_context().run``.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from contextvars import ContextVar

from ..context_value import hold_value

_LIMIT: ContextVar[frozenset[str] | None] = ContextVar("tuqa_datasets", default=None)


def read_dataset_limit() -> frozenset[str] | None:
    """Return the datasets that the present request may use; None for all of its client."""
    return _LIMIT.get()


def limit_datasets(names: frozenset[str] | None) -> AbstractContextManager[None]:
    """Let what is inside ``with`` use no datasets but ``names``; None sets no limit."""
    return hold_value(_LIMIT, names)


def is_within_limit(dataset: str) -> bool:
    """Tell whether the present request may use ``dataset``."""
    limit = _LIMIT.get()
    return limit is None or dataset in limit


def covers_limit(other: frozenset[str] | None) -> bool:
    """Tell whether the present request may see what a request with the limit ``other`` has made."""
    limit = _LIMIT.get()
    return limit is None or (other is not None and other <= limit)
