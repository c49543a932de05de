"""Questions, their data, and the families of readings that they are drawn from."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

Value = str | int | float
Answers = list[Value]
Rows = list[dict[str, str]]
COUNTER = count()


@dataclass(eq=False)
class Table:
    """A table: column names and rows of text cells."""

    columns: list[str]
    rows: Rows
    name: str = "table"
    kind: str = "table"
    suffix: str = "csv"

    def text(self) -> str:
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([[row[c] for c in self.columns] for row in self.rows])
        return out.getvalue()


@dataclass(eq=False)
class Graph:
    """Facts of three fields, or of five when they hold for a time."""

    facts: list[tuple[str, ...]]
    name: str = "graph"
    kind: str = "graph"
    suffix: str = "tsv"

    def text(self) -> str:
        return "".join("\t".join(fact) + "\n" for fact in self.facts)


@dataclass(eq=False)
class Question:
    category: str
    data: Table | Graph
    text: str
    answers: Answers
    also: list[Answers] = field(default_factory=list)
    answerable: bool = True
    wrong: dict[str, Answers] = field(default_factory=dict)
    meaning: str = ""
    partner: Question | None = None
    group: str = ""


def tidy(values: Iterable[Value]) -> Answers:
    """A set in a fixed order, whole numbers without a fraction."""
    kept: set[Value] = set()
    for value in values:
        if isinstance(value, float):
            value = round(value, 2)
            if value == int(value):
                value = int(value)
        kept.add(value)
    return sorted(kept, key=lambda v: (isinstance(v, str), v))


def family(
    category: str,
    data: Table | Graph,
    readings: Mapping[str, Iterable[Value]],
    asked: Sequence[tuple[str, str]],
    also: Mapping[str, Sequence[Iterable[Value]]] | None = None,
    group: str = "",
) -> list[Question]:
    """Questions (pairs of meaning and text) about readings of one set of data.

    A question is kept if it has an answer, no other reading gives the same answer,
    and at least one other reading gives an answer at all. A reading that is fair too
    (`also`) is not a contrast. Questions of one family form a group.
    """
    group = group or f"family {next(COUNTER)}"
    sets = {name: tidy(values) for name, values in readings.items()}
    questions = []
    for meaning, text in asked:
        answers = sets[meaning]
        fair = [t for t in map(tidy, (also or {}).get(meaning, [])) if t != answers]
        wrong = {name: got for name, got in sets.items() if name != meaning and got not in fair}
        if not answers or answers in wrong.values() or not any(wrong.values()):
            continue
        if any(isinstance(a, str) and f" {a}" in text for a in answers):
            continue  # a name of the question in its own answer reads oddly
        unique_fair = [t for i, t in enumerate(fair) if t not in fair[:i]]
        text = text[0].upper() + text[1:]
        questions.append(
            Question(category, data, text, answers, unique_fair, True, wrong, meaning, group=group)
        )
    return questions
