"""``PastQuestion``: the question that another follows, as an answer tells it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from ..answer import SUCCESS_OUTCOMES, Answer, find_query
from ..errors import UsageError
from ..option import PAST

MAX_PAST = 4
"""Questions that a model sees before the one that is asked, at most."""
_MAX_TEXT = 2_000  # characters of an earlier question with its query


@dataclass(frozen=True, slots=True)
class PastQuestion:
    """The question that another follows, with its query; no query if it has no answer.

    ``earlier`` are those before it over the same data, oldest first.
    """

    question: str
    query: str | None
    datasets: tuple[str, ...] = ()
    source: str | None = None
    confidence: float | None = None
    earlier: tuple[PastQuestion, ...] = ()

    @classmethod
    def read(cls, value: Followed) -> PastQuestion:
        """Read an answer, what its ``to_dict()`` returned, its query alone, or a list of these.

        The question follows the last one of a list.

        Raises:
            UsageError: it is something else.
        """
        if isinstance(value, PastQuestion):
            return value
        if isinstance(value, str):
            return cls("", value)
        if isinstance(value, Sequence) and value and not any(isinstance(v, str) for v in value):
            *earlier, last = map(cls.read, value[-MAX_PAST:])
            same = (past for past in earlier if past.datasets == last.datasets)
            short = (past for past in same if len(f"{past.question}{past.query}") <= _MAX_TEXT)
            return replace(last, earlier=tuple(short))
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


Followed: TypeAlias = (
    Answer | Mapping[str, Any] | PastQuestion | str | Sequence[Answer | Mapping[str, Any]]
)
"""An answer that a question follows, what its ``to_dict()`` returned, its query, or a list of these."""
