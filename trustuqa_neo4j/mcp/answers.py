"""``KeptAnswers``: the last answers by id, so that their evidence can be read later."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from typing import NamedTuple, Protocol

from ..answer import Answer
from ..model.dataset_limit import covers_limit, read_dataset_limit

MAX_ANSWERS = 100


class KeptAnswer(NamedTuple):
    """An answer, with the query that its agent may see, and the datasets that it may have used."""

    answer: Answer
    query: str | None
    datasets: frozenset[str] | None


class AnswerStore(Protocol):
    """Keeps the last answers by id."""

    def add(self, answer: Answer, query: str | None) -> str: ...

    def get(self, name: str) -> KeptAnswer | None: ...


class KeptAnswers:
    def __init__(self) -> None:
        self._entries: OrderedDict[str, KeptAnswer] = OrderedDict()
        self._count = 0

    def add(self, answer: Answer, query: str | None) -> str:
        """Keep ``answer`` and return its id; the oldest answer goes."""
        self._count += 1
        name = f"a{self._count}"
        # Parameters of statements can be long lists, and no view shows them.
        trace = tuple(replace(stage, sent=()) for stage in answer.trace)
        self._entries[name] = KeptAnswer(replace(answer, trace=trace), query, read_dataset_limit())
        if len(self._entries) > MAX_ANSWERS:
            self._entries.popitem(last=False)
        return name

    def get(self, name: str) -> KeptAnswer | None:
        """Find an answer that the present request may see."""
        kept = self._entries.get(name)
        return kept if kept is not None and covers_limit(kept.datasets) else None
