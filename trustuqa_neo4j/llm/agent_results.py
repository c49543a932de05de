"""Typed results of tools for agents, each small enough for the context of an agent's model.

``shown`` of ``total`` items are in a result; ``next`` is the offset of those after them, or null.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, Field

from ..answer import Answer, CheckReport, Evidence, Outcome, count_missing
from ..evidence import format_value
from ..execution.name_search import SimilarNames
from ..language.ast import Problem
from ..model.dataset import Dataset, Schema, SchemaRelation, format_ranges, format_tails
from .messages import tokens
from .tool_results import describe_fact, format_report

# A result goes out twice, as JSON text and as structured content: together at most 20,000 tokens.
MAX_TOKENS = 10_000
MAX_KEPT_FACTS = 500
"""Facts that are kept with an answer; for those after them, its query runs again."""

PAGE = 50
"""Items of a result, at most."""

# (items of a list, characters of a text): the first that fits is taken.
_SIZES = ((PAGE, 2_000), (PAGE, 500), (25, 200), (10, 100), (5, 40), (1, 20))
_MAX_COLUMNS = 40
_FACTS = 10
_MAX_RELATIONS = 10

M = TypeVar("M", bound=BaseModel)


class ResultPage(BaseModel):
    shown: int = Field(description="Number of items in this result.")
    total: int = Field(description="Number of all items.")
    next: int | None = Field(description="Offset of the next items; null after the last.")


class OfferedReading(BaseModel):
    pick: int = Field(description="Call `ask` again with the same question and this pick.")
    understood: str = Field(description="What it answers, in words.")
    values: list[str | float | int] = Field(
        description="The first values, or cells of the first rows."
    )
    total: int | None = Field(description="Number of all values or rows; null: not run.")
    query: str = Field(description="Its steps, for `run_query`.")
    dataset: str | None
    source: str | None
    probability: float


class AnswerResult(ResultPage):
    answer: str = Field(description="Id of the answer, for `evidence`.")
    outcome: Outcome
    values: list[str | float | int] = Field(description="The values; empty if there are rows.")
    columns: list[str] = Field(description="Columns of a table; empty for values.")
    rows: list[list[str | float | int]]
    facts: list[str] = Field(
        description="The first facts that prove the answer: head | relation | tail (place)."
    )
    facts_total: int
    fact_counts: list[int] = Field(
        description="Number of facts of each value or row of this result."
    )
    query: str | None = Field(description="The steps that were run.")
    understood: str | None = Field(description="The steps as a sentence.")
    sentence: str | None = Field(description="The answer as a sentence; null for tables.")
    datasets: list[str]
    source: str | None
    confidence: float | None
    grounded: bool = Field(description="False if a model computed with values.")
    problems: list[str]
    notes: list[str] = Field(description="Cells and facts that were left out, and replaced names.")
    readings: list[OfferedReading] = Field(
        description="What a question that is not askable may mean: take one that fits, or ask the person."
    )
    hints: list[str] = Field(description="Questions to try instead.")
    private: bool = Field(description="True if values are withheld.")
    view: str | None = Field(
        description="Where the person sees the whole answer: show this address; null without a page."
    )


class ProblemResult(BaseModel):
    severity: str
    kind: str
    message: str
    step: int | None


class CheckResult(ResultPage):
    can_run: bool
    outcome: str | None = Field(description="The outcome that running it would have.")
    problems: list[ProblemResult]
    text: str = Field(description="The problems with their places in the query.")


class FactResult(BaseModel):
    number: int
    head: str
    relation: str
    tail: str
    start: str | None
    end: str | None
    dataset: str
    source: str
    place: str = Field(description="File with line, or with record.")
    step: int | None
    inferred: str | None
    cell: str | None = Field(description="The whole cell of a table, if the tail is a part of it.")
    answers: list[int] = Field(description="Offsets of the first values or rows that it produced.")


class EvidenceResult(ResultPage):
    facts: list[FactResult]
    private: bool


class DatasetResult(BaseModel):
    name: str
    kind: str
    sources: int
    facts: int
    relations: int
    complete: bool


class DatasetsResult(ResultPage):
    datasets: list[DatasetResult]


class RelationResult(BaseModel):
    name: str
    facts: int
    leads_from: list[str] = Field(description="rows of tables, names of graphs, or facts.")
    leads_to: str = Field(description="Kinds or classes of the tails.")
    range: str
    qualifiers: list[str]
    samples: list[str]
    sources: int


class SchemaResult(ResultPage):
    dataset: str
    source: str | None
    kind: str
    facts: int
    sources: list[str]
    classes: list[str]
    relations: list[RelationResult]
    private: bool


class NamesResult(ResultPage):
    relations: list[str]
    exact: int = Field(description="Number of nodes' names that are the text itself.")
    names: list[str] = Field(description="Names of nodes, the most similar first.")
    scores: list[float] = Field(description="Similarity of each of `names`, from 0 to 1.")
    private: bool


class TeachResult(BaseModel):
    dataset: str
    question: str
    state: str


class LoadResult(BaseModel):
    dataset: str
    facts: int
    sources: int


def make_answer_result(
    name: str,
    answer: Answer,
    query: str | None,
    offset: int,
    *,
    private: bool,
    view: str | None = None,
) -> AnswerResult:
    columns, rows = answer.table
    is_table = len(columns) > 1
    items = len(rows) if is_table else len(answer.values)
    total = items + count_missing(answer)
    understood, sentence = answer.understood, answer.sentence

    def make(count: int, length: int) -> AnswerResult:
        shown = 0 if private else len(range(items)[offset : offset + count])
        values = [] if is_table else [_cut(v, length) for v in answer.values[offset:][:shown]]
        table = [
            [_cut(cell, length) for cell in row[:_MAX_COLUMNS]] for row in rows[offset:][:shown]
        ]
        return AnswerResult(
            answer=name,
            outcome=answer.outcome,
            values=values,
            columns=_texts(columns[:_MAX_COLUMNS], length) if is_table else [],
            rows=table if is_table else [],
            shown=shown,
            total=total,
            next=offset + shown if shown > 0 and offset + shown < items else None,
            facts=[] if private else _texts(map(describe_fact, answer.evidence[:_FACTS]), length),
            facts_total=answer.evidence_total,
            fact_counts=list(answer.evidence_counts[offset:][:shown]),
            query=None if query is None else str(_cut(query, 10 * length)),
            understood=None if private else understood and str(_cut(understood, length)),
            sentence=None if private else sentence and str(_cut(sentence, length)),
            datasets=list(answer.datasets[:count]),
            source=answer.source,
            confidence=answer.confidence,
            grounded=answer.grounded,
            problems=_texts(
                (_describe_problem(p, private) for p in answer.problems[:count]), length
            ),
            notes=_texts(_describe_notes(answer, private)[:count], length),
            readings=[] if private else _make_readings(answer, length),
            hints=[] if private else _texts(answer.hints[:count], length),
            private=private,
            view=view,
        )

    return _fit(make)


def make_evidence_result(answer: Answer, offset: int, *, private: bool) -> EvidenceResult:
    def make(count: int, length: int) -> EvidenceResult:
        facts = [] if private else answer.evidence[offset : offset + count]
        return EvidenceResult(
            facts=[
                _make_fact(number, fact, length) for number, fact in enumerate(facts, offset + 1)
            ],
            **_page(facts, answer.evidence_total, offset),
            private=private,
        )

    return _fit(make)


def make_check_result(
    query: str, report: CheckReport, offset: int, *, private: bool
) -> CheckResult:
    hidden = private and (
        any(problem.may_contain_data for problem in report.problems) or bool(report.mapped)
    )

    def make(count: int, length: int) -> CheckResult:
        shown = report.problems[offset : offset + count]
        problems = [
            ProblemResult(
                severity=problem.severity,
                kind=problem.kind,
                message=str(_cut(_message(problem, private), length)),
                step=problem.step,
            )
            for problem in shown
        ]
        text = "" if hidden else str(_cut(format_report(report, query), 10 * length))
        can_run = report.outcome is None
        return CheckResult(
            can_run=can_run,
            outcome=report.outcome,
            problems=problems,
            text=text,
            **_page(shown, len(report.problems), offset),
        )

    return _fit(make)


def make_datasets_result(datasets: tuple[Dataset, ...], offset: int) -> DatasetsResult:
    def make(count: int, length: int) -> DatasetsResult:
        shown = datasets[offset : offset + count]
        return DatasetsResult(
            datasets=[
                DatasetResult(
                    name=str(_cut(dataset.name, length)),
                    kind=dataset.kind,
                    sources=len(dataset.sources),
                    facts=dataset.facts,
                    relations=dataset.relations,
                    complete=dataset.complete,
                )
                for dataset in shown
            ],
            **_page(shown, len(datasets), offset),
        )

    return _fit(make)


def make_schema_result(schema: Schema, offset: int, *, private: bool) -> SchemaResult:
    def make(count: int, length: int) -> SchemaResult:
        shown = schema.relations[offset : offset + count]
        return SchemaResult(
            dataset=schema.dataset,
            source=schema.source,
            kind=schema.kind,
            facts=schema.facts,
            sources=_texts((source.name for source in schema.sources[:count]), length),
            classes=_texts((entry.name for entry in schema.classes[:count]), length),
            relations=[_make_relation(relation, length, private) for relation in shown],
            **_page(shown, len(schema.relations), offset),
            private=private,
        )

    return _fit(make)


def make_names_result(similar: SimilarNames, offset: int, *, private: bool) -> NamesResult:
    names = tuple(dict.fromkeys((*similar.exact, *similar.similar)))
    exact = frozenset(similar.exact)

    def make(count: int, length: int) -> NamesResult:
        shown = () if private else names[offset : offset + count]
        return NamesResult(
            relations=_texts(similar.relations[:_MAX_RELATIONS][:count], length),
            exact=len(similar.exact),
            names=_texts(shown, length),
            scores=[1.0 if name in exact else similar.scores[name] for name in shown],
            private=private,
            **_page(shown, len(names), offset),
        )

    return _fit(make)


def _page(shown: Sequence[object], total: int, offset: int) -> dict[str, Any]:
    """The fields of ``ResultPage``."""
    end = offset + len(shown)
    return {"shown": len(shown), "total": total, "next": end if shown and end < total else None}


def _fit(make: Callable[[int, int], M]) -> M:
    for count, length in _SIZES[:-1]:
        result = make(count, length)
        if tokens(result.model_dump_json(indent=2)) <= MAX_TOKENS:
            return result
    return make(*_SIZES[-1])


def _cut(value: str | float | int, length: int) -> str | float | int:
    if not isinstance(value, str) or len(value) <= length:
        return value
    return f"{value[:length]}… ({len(value):,} characters)"


def _texts(texts: Iterable[str], length: int) -> list[str]:
    return [str(_cut(text, length)) for text in texts]


def _make_fact(number: int, fact: Evidence, length: int) -> FactResult:
    return FactResult(
        number=number,
        head=str(_cut(format_value(fact.head), length)),
        relation=str(_cut(fact.relation, length)),
        tail=str(_cut(format_value(fact.tail), length)),
        start=fact.start,
        end=fact.end,
        dataset=fact.dataset,
        source=str(_cut(fact.source, length)),
        place=str(_cut(fact.place, length)),
        step=fact.step,
        inferred=None if fact.inferred is None else str(_cut(fact.inferred, length)),
        cell=None if fact.cell is None else str(_cut(fact.cell, length)),
        answers=list(fact.answers[:PAGE]),
    )


def _make_relation(relation: SchemaRelation, length: int, private: bool) -> RelationResult:
    return RelationResult(
        name=str(_cut(relation.name, length)),
        facts=relation.facts,
        leads_from=list(relation.leads_from),
        leads_to=format_tails(relation),
        range="" if private else format_ranges(relation),
        qualifiers=_texts(relation.qualifiers[:10], length),
        samples=[] if private else _texts(relation.samples[:3], min(length, 80)),
        sources=len(relation.sources),
    )


def _message(problem: Problem, private: bool) -> str:
    is_hidden = private and problem.may_contain_data
    return "withheld: it may contain values" if is_hidden else problem.message


def _describe_problem(problem: Problem, private: bool) -> str:
    step = "" if problem.step is None else f" (step {problem.step})"
    return f"{problem.kind}: {_message(problem, private)}{step}"


def _describe_notes(answer: Answer, private: bool) -> list[str]:
    if private:
        return [f"{note.kind}: {note.count:,} of {note.total:,}" for note in answer.notes]
    mapped = [f"{match.given!r} was read as {match.used!r}" for match in answer.mapped]
    return [*(note.message for note in answer.notes), *mapped]


def _make_readings(answer: Answer, length: int) -> list[OfferedReading]:
    return [
        OfferedReading(
            pick=number,
            understood=str(_cut(reading.understood, length)),
            values=[_cut(value, length) for value in reading.values],
            total=reading.total,
            query=str(_cut(reading.query, 10 * length)),
            dataset=reading.dataset,
            source=reading.source,
            probability=reading.probability,
        )
        for number, reading in enumerate(answer.readings, 1)
    ]


# What LangChain's tools return.


def format_schema(schema: Schema, offset: int = 0) -> str:
    return _to_json(make_schema_result(schema, offset, private=False))


def format_names(names: SimilarNames, offset: int = 0) -> str:
    return _to_json(make_names_result(names, offset, private=False))


def _to_json(result: BaseModel) -> str:
    return result.model_dump_json(exclude_none=True, exclude={"private"})
