"""A question with the query that answers it: what a prompt shows, and what the offline writer asks after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Literal, TypeAlias

State: TypeAlias = Literal["candidate", "verified", "failed"]
"""Whether the query was run, and gave what it had to; only verified ones are shown or asked after."""


@dataclass(frozen=True, slots=True)
class Demonstration:
    """A question and its query, asked of a dataset, or of one ``source`` of it.

    ``answers`` are the labels, None where nobody knows them: it then counts as verified once its query
    finds something. ``why`` says what was wrong with one that failed. ``fields`` are further properties
    of the record (a question type), by which retrieval can be restricted.
    """

    question: str
    query: str
    answers: tuple[str, ...] | None = None
    source: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    state: State = "candidate"
    why: str = ""

    @property
    def key(self) -> str:
        """What tells it from others of its dataset: its question, asked of its source."""
        return sha256(f"{self.question}\0{self.source or ''}".encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Pattern:
    """What demonstrations that differ by names alone have in common: the unit of retrieval.

    ``template`` is the question with the names of its query masked (``who directed {0}``); ``count``
    demonstrations are like the one that ``question``, ``query`` and ``source`` show. ``similarity`` is
    the cosine to what was asked, None where there are no vectors.
    """

    dataset: str
    template: str
    question: str
    query: str
    source: str | None = None
    count: int = 1
    similarity: float | None = None
