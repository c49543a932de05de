"""CronQuestions by Wikidata ids: the questions of its test split that the graph of the pack can answer.

That graph is complete for ``simple_time``; of ``simple_entity`` and ``first_last`` those are taken of which
the pack says that the graph gives exactly the label. Each question comes with the ids and the time that
stand in it, so a template needs no language.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from . import packs, temporal
from .benchmark import Benchmark, Case, Prepared
from .packs import Record

_BLANK = re.compile(r"\{(\w+)\}")


def prepare(folder: Path, file: Path | None) -> Prepared:
    """The questions that can be scored, each with the query of its type or one that stands beside it.

    Raises:
        MissingFile, UnreadableFile, MalformedLine
    """
    cases: list[Case] = []
    left_out: Counter[str] = Counter()
    for record in packs.records(file or packs.one(folder / "ids", "questions.jsonl")):
        kind = record.text("type")
        if kind not in ("simple_time", "simple_entity", "first_last"):
            left_out[f"{kind}: the graph lacks facts of others"] += 1
        elif kind != "simple_time" and record.optional("kg_check") != "exact":
            left_out[f"{kind}: the graph does not give exactly the label"] += 1
        else:
            query = record.optional("llm_output") or _query(record, kind)
            labels = record.texts("answers")
            cases.append(Case(record.text("id"), record.text("question"), query, labels, kind))
    return Prepared(tuple(cases), temporal.score, left_out)


def _query(record: Record, kind: str) -> str:
    """The query for a question by what its template has blanks for.

    Raises:
        MalformedLine
    """
    relation = record.text("relation")
    blanks = _BLANK.findall(record.text("template"))
    named = [blank for blank in blanks if blank.startswith(("head", "tail"))]
    said = dict(zip(named, record.texts("entities"), strict=False))
    head, tail = said.get("head"), said.get("tail")
    times = record.texts("times")
    if kind == "simple_time" and head and tail:
        return temporal.years(head, relation, tail)
    if kind == "simple_entity" and times and (head or tail):
        return temporal.at(times[0], relation, head=head, tail=tail)
    if kind == "first_last" and head and record.text("answer_type") == "entity":
        return temporal.first_or_last(_which(record), head, relation)
    if kind == "first_last" and head:
        return temporal.first_or_last_year(_which(record), head, relation, tail)
    raise record.malformed("entities and times do not fill the template")


def _which(record: Record) -> str:
    """``first`` or ``last``: what stands in the question where its template has ``{adj}``."""
    before = record.text("template").partition("{adj}")[0]
    entities = iter(record.texts("entities"))
    filled = _BLANK.sub(lambda blank: next(entities, blank[0]), before)
    return "first" if record.text("question").startswith("first", len(filled)) else "last"


BENCHMARK = Benchmark(
    "cronquestions", "cronquestions", "cronquestions", temporal.METRICS, prepare,
    data="ids/kg.tsv",
)  # fmt: skip
