"""The answer to one question or query; it can tell itself as JSON, CSV, a DataFrame, text and HTML."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from importlib import resources
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ..language.query import Problem
from ..mapping import Mapped
from .proof import Evidence, Trace, Value

if TYPE_CHECKING:
    import pandas
    from rich.console import RenderableType

Outcome: TypeAlias = Literal["answered", "empty", "not_askable", "rejected", "abstained", "failed"]

GOOD: frozenset[Outcome] = frozenset({"answered", "empty"})
"""Outcomes that end a command with exit code 0."""

SCHEMA_VERSION = 1
"""Of ``to_dict()``: it rises when a field goes or means something else, not when one is added."""

NO_NAME = "answer"
"""The name of the column of an answer that is no table."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one query, or to a question that became one.

    ``values`` are the answer's distinct names and numbers; where only a part of them is here,
    ``truncated`` is how many there are, or how many facts a step should have looked at. ``evidence``
    holds at most a limited number of the facts used; ``evidence_total`` is how many there are. ``doubts``
    say why an empty answer may come of the query rather than of the data; a model is told them once.
    ``ms`` has parse, check, map, execute and total.

    Of a question there are also: the ``llm_query`` that was run for it; ``confidence`` from 0 to 1, as a
    share of ``samples`` where there was a vote; ``usage`` (input_tokens, output_tokens, calls, cached,
    cost); ``grounded``, False where a model judged values that came from the data; ``sent``, the kinds of
    data that left the machine; ``hints``, such as the nearest questions that could be answered; and the
    ``datasets`` asked.
    """

    outcome: Outcome
    values: tuple[Value, ...] = ()
    columns: tuple[str, ...] | None = None
    rows: tuple[tuple[Value, ...], ...] | None = None
    problems: tuple[Problem, ...] = ()
    mapped: tuple[Mapped, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    evidence_total: int = 0
    trace: Trace = field(default=(), repr=False)
    truncated: int | None = None
    doubts: tuple[Problem, ...] = field(default=(), repr=False)
    ms: Mapping[str, float] = field(default_factory=dict)
    question: str | None = None
    llm_query: str | None = None
    confidence: float | None = None
    samples: int | None = None
    usage: Mapping[str, Any] = field(default_factory=dict)
    grounded: bool = True
    sent: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()

    def to_dict(self, *, proof: bool = True) -> dict[str, Any]:
        """As JSON, which ``json_schema()`` describes.

        What only a question has is left out where none was asked; without ``proof`` evidence and trace are
        too (one line of many).
        """
        given: dict[str, Any] = {
            "outcome": self.outcome,
            "values": list(self.values),
            "columns": None if self.columns is None else list(self.columns),
            "rows": None if self.rows is None else [list(row) for row in self.rows],
            "problems": [problem.to_dict() for problem in self.problems],
            "mapped": [mapped.to_dict() for mapped in self.mapped],
            "truncated": self.truncated,
            "ms": dict(self.ms),
            "version": SCHEMA_VERSION,
        }
        if self.question is not None:
            given |= {
                "question": self.question,
                "llm_query": self.llm_query,
                "confidence": self.confidence,
                "samples": self.samples,
                "usage": dict(self.usage),
                "grounded": self.grounded,
                "sent": list(self.sent),
                "hints": list(self.hints),
                "datasets": list(self.datasets),
            }
        if proof:
            given["evidence"] = [asdict(fact) for fact in self.evidence]
            given["evidence_total"] = self.evidence_total
            given["trace"] = [asdict(stage) for stage in self.trace]
        return given

    @staticmethod
    def json_schema() -> dict[str, Any]:
        """The JSON Schema (draft 2020-12) of what ``to_dict`` gives."""
        file = resources.files(__package__).joinpath("answer.schema.json")
        schema: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return schema

    @property
    def table(self) -> tuple[tuple[str, ...], tuple[tuple[Value, ...], ...]]:
        """Columns and rows, of an answer that is no table too: one column called ``answer``."""
        if self.columns is not None and self.rows is not None:
            return self.columns, self.rows
        return (NO_NAME,), tuple((value,) for value in self.values)

    def to_csv(self) -> str:
        """The table as CSV with a header, cells as they are; an answer of no values is its header."""
        from ..showing.tables import csv_text

        return csv_text(*self.table)

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a DataFrame.

        Raises:
            MissingExtra: pandas is not installed.
        """
        from ..showing.tables import frame

        return frame(*self.table)

    def to_text(self, *, why: bool = False, explain: bool = False) -> str:
        """As ``tuqa run`` prints it; ``why`` adds the steps, ``explain`` the stages and statements too."""
        from ..showing.terminal import renderable, text
        from .layout import layout

        return text(renderable(layout(self, why=why or explain, explain=explain)))

    def __str__(self) -> str:
        return self.to_text()

    def __rich__(self) -> RenderableType:
        from ..showing.terminal import renderable
        from .layout import layout

        return renderable(layout(self))

    def _repr_html_(self) -> str:
        """For notebooks, with steps and statements folded away."""
        from ..showing.html import page
        from .layout import layout

        return page(layout(self, question=True, why=True, explain=True))
