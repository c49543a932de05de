"""Time limits of requests that hold if the database hangs: its own timeouts need an answer of it.

A file of its own, since the servers of agents and of people share it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from .errors import TimedOut

if TYPE_CHECKING:
    from anyio import CapacityLimiter

T = TypeVar("T")

_GRACE = 5.0
"""Seconds in which a database that answers ends a statement whose time is over."""


async def wait_for_answer(timeout: float, work: Awaitable[T], *, hint: str) -> T:
    """Wait for ``work``, which ends after ``timeout`` seconds by itself if the database answers.

    Raises:
        TimedOut
    """
    return await wait_within(timeout + _GRACE, work, hint=hint)


async def wait_within(seconds: float, work: Awaitable[T], *, hint: str) -> T:
    """Wait for ``work``, and cancel it after ``seconds``.

    Raises:
        TimedOut
    """
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            return await work
    except TimeoutError as error:
        if not limit.expired():
            raise
        raise TimedOut(f"no answer within {seconds:g} seconds", hint=hint) from error


async def run_in_own_thread(
    method: Callable[..., T],
    *arguments: Any,
    limiter: CapacityLimiter | None = None,
    **options: Any,
) -> T:
    """Call ``method`` in a thread, which is left alone if nobody waits for it any more."""
    from anyio import to_thread

    call = partial(method, *arguments, **options)
    return await to_thread.run_sync(call, abandon_on_cancel=True, limiter=limiter)
