"""CronQuestions by Wikidata ids: the questions of its test split that the graph of the pack can answer.

That graph is complete for ``simple_time``; of ``simple_entity`` and ``first_last`` those are taken of which
the pack says that the graph gives exactly the label. Each question comes with the template that made it,
so what it says can be read off.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from . import packs, temporal
from .benchmark import Asked, Benchmark, Case, Prepared, by_values
from .packs import Record

TAUGHT = 500
"""Demonstrations: the questions have few wordings."""

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
    return Prepared(tuple(cases), by_values(temporal.score), left_out)


def ask(folder: Path) -> Asked:
    """One half of the questions; of the other half a few hundred demonstrate.

    Raises:
        MissingFile, UnreadableFile, MalformedLine
    """
    return temporal.halved(prepare(folder, None), TAUGHT)


def _query(record: Record, kind: str) -> str:
    """The query for a question by what fills its template.

    Raises:
        MalformedLine
    """
    relation, said = record.text("relation"), _filled(record)
    head, tail, time, which = (said.get(blank) for blank in ("head", "tail", "time", "adj"))
    if kind == "simple_time" and head and tail:
        return temporal.years(head, relation, tail)
    if kind == "simple_entity" and time and (head or tail):
        return temporal.at(time, relation, head=head, tail=tail)
    if kind == "first_last" and head and which and record.text("answer_type") == "entity":
        return temporal.first_or_last(which, head, relation)
    if kind == "first_last" and head and which:
        return temporal.first_or_last_year(which, head, relation, tail)
    raise record.malformed("no query can be made of its template")


def _filled(record: Record) -> dict[str, str]:
    """Blank → what stands for it in the question.

    Raises:
        MalformedLine
    """
    # Pieces of the template: a text, a blank, a text, a blank, … a text.
    pieces = _BLANK.split(record.text("template"))
    wording = "".join(r"(\S+)" if n % 2 else re.escape(piece) for n, piece in enumerate(pieces))
    said = re.fullmatch(wording, record.text("question"))
    if said is None:
        raise record.malformed("the question does not fill its template")
    return dict(zip(pieces[1::2], said.groups(), strict=True))


BENCHMARK = Benchmark(
    "cronquestions", "cronquestions", "cronquestions", temporal.METRICS, prepare, ask,
    data=("ids/kg.tsv",),
)  # fmt: skip
