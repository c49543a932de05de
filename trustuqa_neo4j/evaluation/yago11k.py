"""YAGO11k: generated questions of the five kinds of CronQuestions, by a template each.

They test execution, not language: what a question says is read by the very pattern that made it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from . import packs, temporal
from .benchmark import Asked, Benchmark, Case, Prepared, by_values

_DO = "(?:have as spouse|play for|work at)"
_DID = "(?:was married to|played for|worked at)"

_TEMPLATES: dict[str, tuple[re.Pattern[str], Callable[[str, re.Match[str]], str]]] = {
    "simple_time": (
        re.compile(rf"In which years did (.+) {_DO} (.+)\?"),
        lambda relation, said: temporal.years(said[1], relation, said[2]),
    ),
    "simple_entity": (
        re.compile(rf"Which \w+ did (.+) {_DO} in (-?\d+)\?"),
        lambda relation, said: temporal.at(said[2], relation, head=said[1]),
    ),
    "first_last": (
        re.compile(rf"Which was the (first|last) \w+ that (.+) {_DID}\?"),
        lambda relation, said: temporal.first_or_last(said[1], said[2], relation),
    ),
    "before_after": (
        re.compile(rf"Which \w+ did (.+) {_DO} before (.+)\?"),
        lambda relation, said: temporal.before(said[1], relation, said[2]),
    ),
    "time_join": (
        re.compile(rf"Who {_DID} (.+) at the same time as (.+)\?"),
        lambda relation, said: temporal.together(said[2], relation, said[1]),
    ),
}
"""Type → its wording, and the query for what it names."""


def prepare(folder: Path, file: Path | None) -> Prepared:
    """The generated questions, each with the query of its type or one that stands beside it.

    Raises:
        MissingFile, UnreadableFile, MalformedLine
    """
    cases: list[Case] = []
    left_out: Counter[str] = Counter()
    for record in packs.records(file or packs.one(folder, "questions.generated.jsonl")):
        question, kind = record.text("question"), record.text("type")
        query = record.optional("llm_output") or query_of(kind, question, record.text("relation"))
        if query is None:
            left_out["no template has this wording"] += 1
        else:
            cases.append(Case(record.place, question, query, record.texts("answers"), kind))
    return Prepared(tuple(cases), by_values(temporal.score), left_out)


def ask(folder: Path) -> Asked:
    """One half of the questions; the other half demonstrates.

    Raises:
        MissingFile, UnreadableFile, MalformedLine
    """
    return temporal.halved(prepare(folder, None))


def query_of(kind: str, question: str, relation: str) -> str | None:
    """The query for a generated question; None where no template made it."""
    if kind not in _TEMPLATES:
        return None
    wording, query = _TEMPLATES[kind]
    said = wording.fullmatch(question)
    return query(relation, said) if said else None


BENCHMARK = Benchmark(
    "yago11k", "yago11k", "temporal-kg", temporal.METRICS, prepare, ask, data=("kg.tsv",)
)
