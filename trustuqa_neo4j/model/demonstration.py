"""Demonstrations: questions with the queries that answer them, for prompts and the offline query writer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Literal, TypeAlias

from ..language.ast import Query
from ..language.description import describe_query
from ..language.parser import parse_query
from ..render.blocks import lay_out_table
from ..render.html import render_html

DemonstrationState: TypeAlias = Literal["candidate", "verified", "runs", "failed", "wrong", "saved"]
"""``verified``: the query gave the expected answer; ``runs``: it gave an answer, and none is expected.

``wrong``: a person says that it is not the answer, for whoever looks after the data. ``saved``: a person
wants to find the question again. Both are kept apart: their queries are not run again, and no question
follows them.
"""

KEPT_STATES: tuple[DemonstrationState, ...] = ("wrong", "saved")
"""The states of queries that are kept apart from the demonstrations."""

USABLE_STATES: tuple[DemonstrationState, ...] = ("verified", "runs")
"""Only demonstrations in these states are used."""


_SEPARATOR = "\x1f"  # the name of a dataset has no control characters


def name_group(datasets: str | Iterable[str]) -> str:
    """Name the place of demonstrations: their dataset, or the group of all datasets that they need.

    The order of ``datasets`` does not matter.
    """
    names = (datasets,) if isinstance(datasets, str) else datasets
    return _SEPARATOR.join(sorted(dict.fromkeys(names)))


def split_group(group: str) -> tuple[str, ...]:
    """Return the datasets of a group; a dataset is a group of itself."""
    return tuple(group.split(_SEPARATOR))


def format_group(group: str) -> str:
    """Format a group for people: ``jobs and uni``."""
    return " and ".join(split_group(group))


@dataclass(frozen=True, slots=True)
class Demonstration:
    """A question and its query on a dataset, on one ``source`` of it, or on a group of datasets.

    ``answers`` are the expected answers, or None if they are unknown. ``why`` is the reason of a failure.
    ``fields`` are further properties of the record (such as a question type), which can restrict retrieval.
    """

    question: str
    query: str
    answers: tuple[str, ...] | None = None
    source: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    state: DemonstrationState = "candidate"
    why: str = ""

    @property
    def key(self) -> str:
        """The key in the dataset: a hash of question and source.

        What is kept apart has keys of its own, so that it stands beside a right query.
        """
        parts = [self.question, self.source or ""]
        parts += [""] * {"wrong": 2, "saved": 3}.get(self.state, 0)
        return sha256("\0".join(parts).encode()).hexdigest()[:32]

    @property
    def understood(self) -> str:
        """The query as a sentence; empty if it cannot be read."""
        query = parse_query(self.query)
        return describe_query(query) if isinstance(query, Query) else ""

    def _repr_html_(self) -> str:
        return DemonstrationList([self])._repr_html_()


class DemonstrationList(list[Demonstration]):
    """Demonstrations, which a notebook shows as a table."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        columns = ("state", "question", "query", "answers", "source", "why")
        rows = [
            (d.state, d.question, d.query, " | ".join(d.answers or ()), d.source or "", d.why)
            for d in self
        ]
        table = lay_out_table(columns, rows, "no demonstrations")
        return render_html(table, label="demonstrations")


@dataclass(frozen=True, slots=True)
class QuestionPattern:
    """A group of demonstrations that differ in names alone: the unit of retrieval.

    ``template`` is the question with slots for the names of its query (``who directed {0}``). ``question``,
    ``query`` and ``source`` are those of one of its ``count`` demonstrations. ``dataset`` may be a group.
    ``similarity`` is the cosine to the question, or None without vectors.
    """

    dataset: str
    template: str
    question: str
    query: str
    source: str | None = None
    count: int = 1
    similarity: float | None = None
