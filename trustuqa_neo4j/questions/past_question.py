"""``PastQuestion``: the question that another follows, as an answer tells it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..answer import SUCCESS_OUTCOMES, Answer, find_query
from ..errors import UsageError
from ..option import PAST


@dataclass(frozen=True, slots=True)
class PastQuestion:
    """The question that another follows, with its query; no query if it has no answer."""

    question: str
    query: str | None
    datasets: tuple[str, ...] = ()
    source: str | None = None
    confidence: float | None = None

    @classmethod
    def read(cls, value: Followed) -> PastQuestion:
        """Read an answer, what its ``to_dict()`` returned, or its query alone.

        Raises:
            UsageError: it is something else.
        """
        if isinstance(value, PastQuestion):
            return value
        if isinstance(value, str):
            return cls("", value)
        if isinstance(value, Mapping):
            value = Answer.from_dict({"outcome": "answered", **value})
        if not isinstance(value, Answer):
            raise UsageError(
                f"follows={value!r} is not {PAST.words}",
                hint="leave follows out, or give what ask() returned",
            )
        query = find_query(value) if value.outcome in SUCCESS_OUTCOMES else ""
        return cls(
            value.question or "", query or None, value.datasets, value.source, value.confidence
        )


Followed: TypeAlias = Answer | Mapping[str, Any] | PastQuestion | str
"""An answer that a question follows, what its ``to_dict()`` returned, or its query."""
