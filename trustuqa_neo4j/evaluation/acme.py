"""Benchmark ACME insurance: questions whose answers are tables, over a mapped graph or over tables.

The pack has no recorded queries, so the package has programs for its questions. The pack has no training
questions either. So a model gets no demonstrations, as in the papers.
"""

from __future__ import annotations

from functools import partial
from importlib import resources
from pathlib import Path

from . import packs
from .benchmark import Benchmark, Case, CaseSet, QuestionSet, ScoredAnswer, Scores
from .metrics import compare_tables

METRICS = ("exact", "partial")
_PARTIAL = ("extra columns", "missing columns", "overlap")


def prepare(programs: str, folder: Path, file: Path | None) -> CaseSet:
    # ``file`` has ``id`` and ``query`` on each line; without it, the programs of the package run.
    resource = resources.files("trustuqa_neo4j.evaluation").joinpath(programs)
    with resources.as_file(resource) as packaged:
        queries = {
            record.text("id"): record.text("query")
            for record in packs.read_records(file or packaged)
        }
    all_cases = _read_cases(folder)
    cases = [
        Case(case.id, case.question, queries[case.id], case.labels, case.group, rows=case.rows)
        for case in all_cases
        if case.id in queries
    ]
    missing = len(all_cases) - len(cases)
    return CaseSet(tuple(cases), score, {"no program for it": missing} if missing else {})


def ask(folder: Path) -> QuestionSet:
    return QuestionSet(CaseSet(_read_cases(folder), score), ())


def score(case: Case, answer: ScoredAnswer) -> Scores:
    # ``exact``: the same rows; names and order of columns do not count. ``partial``: columns
    # differ.
    match = "other"
    if answer.outcome in ("answered", "empty"):
        match = compare_tables(case.rows, answer.table)
    return {"exact": match == "same", "partial": match in _PARTIAL}


def _read_cases(folder: Path) -> tuple[Case, ...]:
    gold_rows = {
        record.text("id"): _read_rows(record)
        for record in packs.read_records(packs.find_file(folder, "gold_answers.jsonl"))
    }
    cases = []
    for record in packs.read_records(packs.find_file(folder, "questions.jsonl")):
        name = record.text("id")
        if name not in gold_rows:
            raise record.malformed("no gold rows for it")
        rows = gold_rows[name]
        labels = tuple(" | ".join(map(str, row)) for row in rows)
        group = record.text("quadrant")
        cases.append(Case(name, record.text("question"), "", labels, group, rows=rows))
    return tuple(cases)


def _read_rows(record: packs.PackRecord) -> tuple[tuple[str | int | float | None, ...], ...]:
    rows = record.fields.get("rows")
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise record.malformed("no list 'rows' of lists in it")
    if not all(cell is None or isinstance(cell, str | int | float) for row in rows for cell in row):
        raise record.malformed("a cell in 'rows' is not a text or a number")
    return tuple(tuple(row) for row in rows)


BENCHMARK = Benchmark(
    "acme", "acme", "r2rml", METRICS, partial(prepare, "acme_programs.jsonl"), ask,
    data=("data", "ontology/insurance.ttl"),
    tables=Benchmark(
        "acme-tables", "acme", "sql", METRICS, partial(prepare, "acme_table_programs.jsonl"), ask,
        data=("DDL/ACME_small.ddl", "data"),
    ),
)  # fmt: skip
