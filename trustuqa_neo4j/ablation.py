"""Parts of the system that an experiment leaves out while a question is asked or a query runs.

No front has an option for it: only the evaluation measures what a part is worth.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from contextvars import ContextVar
from enum import StrEnum

from .context_value import hold_value


class SystemPart(StrEnum):
    CHECK = "check"
    """The validation of a query against the data and its ontology, before it runs."""

    MAPPING = "mapping"
    """The search for the most similar names of one that the data does not have."""

    DEMONSTRATIONS = "demonstrations"
    """The demonstrations of similar questions in a prompt."""

    WORKED_EXAMPLES = "worked examples"
    """The examples of a prompt that are the same for every question of a kind of data."""


_left_out: ContextVar[frozenset[SystemPart]] = ContextVar("left_out", default=frozenset())


def leave_out(parts: Iterable[SystemPart]) -> AbstractContextManager[None]:
    """Leave ``parts`` out of what this thread asks inside ``with``."""
    return hold_value(_left_out, _left_out.get() | frozenset(parts))


def is_left_out(part: SystemPart) -> bool:
    return part in _left_out.get()
