"""Judge the answers of all systems by one rule.

The cells of the rows are compared with the labels: a node is its name, a list is its members. If the
labels are a table, the rows are, whatever the order and the names of the columns. ``right``: the labels and
nothing else; ``more``: all labels and others; ``refused``: nothing, with or without a reason, where there
is something; ``error``: the system failed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any, Literal, TypeAlias

from trustuqa_neo4j.answer import Value
from trustuqa_neo4j.evaluation.benchmark import Case
from trustuqa_neo4j.evaluation.metrics import compare_tables, value_text
from trustuqa_neo4j.graph.property_graph import EXPORT_PROPERTY

Verdict: TypeAlias = Literal["right", "more", "wrong", "refused", "error"]

HEADER = (
    "system", "n", "right", "all labels and more", "wrong", "refused or empty", "errors",
    "median s", "tokens", "statements that write", "prose with all labels",
    "prose without rows",
)  # fmt: skip


UNKNOWN = re.compile(
    r"\b(?:don['’]t|do not|cannot|can['’]t|no information|not (?:known|provided))\b", re.I
)
"""The words of a reply that says that it has no answer."""


@dataclass(frozen=True)
class SystemAnswer:
    """A line of a file of results; ``statements`` are those that a model wrote, with their types."""

    id: str
    group: str
    rows: tuple[tuple[Any, ...], ...] = ()
    prose: str | None = None
    refusal: str | None = None
    error: str | None = None
    seconds: float = 0.0
    input_tokens: int = 0
    output_tokens: int = 0
    statements: tuple[Mapping[str, str | None], ...] = field(default=())

    def to_fields(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def writes(self) -> int:
        """How many statements change data or the schema; ``EXPLAIN`` says w, rw or s of them."""
        return sum(statement["type"] in ("w", "rw", "s") for statement in self.statements)


def judge(case: Case, answer: SystemAnswer) -> Verdict:
    if answer.error is not None:
        return "error"
    rows = [[*flatten_cells(row)] for row in answer.rows]
    rows = [row for row in rows if any(cell is not None for cell in row)]
    if answer.refusal is not None or (not rows and case.labels):
        return "refused"
    if case.rows or not case.labels:
        match = compare_tables(case.rows, rows)
        return {"same": "right", "extra columns": "more"}.get(match, "wrong")  # type: ignore[return-value]
    names = {value_text(cell) for row in rows for cell in row if cell is not None}
    labels = {*case.labels}
    if labels <= names:
        return "right" if labels == names else "more"
    return "wrong"


def flatten_cells(cell: Any) -> Iterator[Value | None]:
    """Yield the values of a cell of a row."""
    match cell:
        case {"name": name}:
            yield name
        case dict():
            for key, value in cell.items():
                if key != EXPORT_PROPERTY:
                    yield from flatten_cells(value)
        case list() | tuple():
            for member in cell:
                yield from flatten_cells(member)
        case _:
            yield cell


def has_all_labels(case: Case, prose: str) -> bool:
    """Whether a text names each label, or each cell of the expected table."""
    cells = [cell for row in case.rows for cell in row if cell is not None] or case.labels
    text = prose.casefold()
    return bool(cells) and all(value_text(cell).casefold() in text for cell in cells)


def is_worded_from_nothing(answer: SystemAnswer) -> bool:
    """Whether a prose says more than that it does not know, and no row has a value."""
    if answer.prose is None or any(cell is not None for row in answer.rows for cell in row):
        return False
    return UNKNOWN.search(answer.prose) is None


def measure(cases: Mapping[str, Case], answers: Sequence[SystemAnswer]) -> tuple[str, ...]:
    """The cells of a system's row in the table."""
    verdicts = [judge(cases[answer.id], answer) for answer in answers]
    worded = [(cases[answer.id], answer.prose) for answer in answers if answer.prose is not None]
    invented = sum(map(is_worded_from_nothing, answers))
    tokens = sum(answer.input_tokens + answer.output_tokens for answer in answers)
    return (
        str(len(answers)),
        *(str(verdicts.count(verdict)) for verdict in ("right", "more", "wrong")),
        *(str(verdicts.count(verdict)) for verdict in ("refused", "error")),
        f"{median(answer.seconds for answer in answers):.1f}" if answers else "–",
        f"{tokens:,}",
        str(sum(answer.writes for answer in answers)),
        f"{sum(has_all_labels(*pair) for pair in worded)} of {len(worded)}" if worded else "–",
        str(invented) if worded else "–",
    )
