"""ACME insurance: questions whose answers are tables, over a graph made by a mapping or the tables.

Nobody recorded queries, so the programs are ours; they are run again as an LLM's would be. Nothing is
demonstrated where a model is asked: the pack has no training side, and the papers ask without examples.
"""

from __future__ import annotations

from functools import partial
from importlib import resources
from pathlib import Path

from . import packs
from .benchmark import Asked, Benchmark, Case, Given, Prepared, Scores
from .rows import likeness

METRICS = ("exact", "partial")
_PARTLY = ("extra columns", "missing columns", "overlap")


def prepare(programs: str, folder: Path, file: Path | None) -> Prepared:
    """Our programs, or those of a file with an ``id`` and a ``query`` on each line.

    Raises:
        MissingFile, UnreadableFile, MalformedLine
    """
    own = resources.files(__package__).joinpath(programs)
    with resources.as_file(own) as packaged:
        queries = {
            record.text("id"): record.text("query") for record in packs.records(file or packaged)
        }
    asked = _cases(folder)
    cases = [
        Case(case.id, case.question, queries[case.id], case.labels, case.group, rows=case.rows)
        for case in asked
        if case.id in queries
    ]
    missing = len(asked) - len(cases)
    return Prepared(tuple(cases), score, {"no program for it": missing} if missing else {})


def ask(folder: Path) -> Asked:
    """All questions, none demonstrated.

    Raises:
        MissingFile, UnreadableFile, MalformedLine
    """
    return Asked(Prepared(_cases(folder), score), ())


def score(case: Case, given: Given) -> Scores:
    """``exact``: the very rows, however columns are called and ordered. ``partial``: some columns differ."""
    found = likeness(case.rows, given.table) if given.outcome in ("answered", "empty") else "other"
    return {"exact": found == "same", "partial": found in _PARTLY}


def _cases(folder: Path) -> tuple[Case, ...]:
    """Each question with the rows that are wanted."""
    wanted = {
        record.text("id"): _rows(record)
        for record in packs.records(packs.one(folder, "gold_answers.jsonl"))
    }
    cases = []
    for record in packs.records(packs.one(folder, "questions.jsonl")):
        name = record.text("id")
        if name not in wanted:
            raise record.malformed("no gold rows for it")
        labels = tuple(" | ".join(map(str, row)) for row in wanted[name])
        group = record.text("quadrant")
        cases.append(Case(name, record.text("question"), "", labels, group, rows=wanted[name]))
    return tuple(cases)


def _rows(record: packs.Record) -> tuple[tuple[str | int | float | None, ...], ...]:
    rows = record.fields.get("rows")
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise record.malformed("no list 'rows' of lists in it")
    if not all(cell is None or isinstance(cell, str | int | float) for row in rows for cell in row):
        raise record.malformed("a cell in 'rows' is no text and no number")
    return tuple(tuple(row) for row in rows)


BENCHMARK = Benchmark(
    "acme", "acme", "r2rml", METRICS, partial(prepare, "acme_programs.jsonl"), ask,
    data=("data", "ontology/insurance.ttl"),
    tables=Benchmark(
        "acme-tables", "acme", "sql", METRICS, partial(prepare, "acme_table_programs.jsonl"), ask,
        data=("DDL/ACME_small.ddl", "data"),
    ),
)  # fmt: skip
