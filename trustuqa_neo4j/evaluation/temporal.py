"""Benchmarks CronQuestions and YAGO11k, with queries for each kind of temporal question.

The data sets have no recorded queries, so these are written as an LLM would write them. ``before``,
``first`` and ``last`` use the start of facts, as the labels do; the last *year* uses the end. Starts are
compared by year: two facts that start in one year are equally early, whatever their months.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from ..language.functions import ENDS
from ..model.demonstration import Demonstration
from . import packs
from .benchmark import Benchmark, Case, CaseSet, QuestionSet, Score, score_names
from .packs import PackRecord
from .splits import choose_side

METRICS = ("exact", "contains")
NOT_HELD_OUT = "the semantic parser was fitted or calibrated on it"
# Later than every known end.
_AFTER_ALL_ENDS = "2099"


score: Score = score_names(METRICS)
"""Exact texts; years are digits."""


def split_cases(prepared: CaseSet, limit: int | None = None) -> QuestionSet:
    # One half of the cases are questions, and at most ``limit`` of the other half demonstrations. A
    # hash of the question decides, so the result is always the same.
    hashes = {case: sha256(case.question.encode()).digest() for case in prepared.cases}
    questions = tuple(
        replace(case, query="") for case in prepared.cases if hashes[case][0] % 2 == 0
    )
    examples = sorted(
        (case for case in prepared.cases if hashes[case][0] % 2), key=hashes.__getitem__
    )
    demonstrations = tuple(
        Demonstration(case.question, case.query, case.labels) for case in examples[:limit]
    )
    return QuestionSet(replace(prepared, cases=questions), demonstrations)


# Queries for the kinds of questions.


def query_years(head: str, relation: str, tail: str) -> str:
    return _number_steps(_get(head=head, relation=relation, tail=tail, key="time"))


def query_at(year: str, relation: str, *, head: str | None = None, tail: str | None = None) -> str:
    if head is not None:
        return _number_steps(_get(head=head, relation=relation, key="time", value=year))
    return _number_steps(_get(relation=relation, tail=tail, key="time", value=year))


def query_first_or_last(which: str, head: str, relation: str) -> str:
    end = ENDS[which == "last"]
    return _number_steps(
        _get(head=head, relation=relation, key="start time"),
        f"{end}(set='output_of_query1')",
        _get(head=head, relation=relation, key="start time", value="output_of_query2"),
    )


def query_first_or_last_year(which: str, head: str, relation: str, tail: str | None) -> str:
    key, end = ("start time" if which == "first" else "end time"), ENDS[which == "last"]
    return _number_steps(
        _get(head=head, relation=relation, tail=tail, key=key),
        f"{end}(set='output_of_query1')",
    )


def query_before(head: str, relation: str, tail: str) -> str:
    return _number_steps(
        _get(head=head, relation=relation, tail=tail, key="time"),
        "min(set='output_of_query1')",
        _get(head=head, relation=relation, key="start time", value="output_of_query2", op="<"),
    )


def query_same_time(head: str, relation: str, tail: str) -> str:
    # Only facts with a known end count, as in the labels.
    return _number_steps(
        _get(head=head, relation=relation, tail=tail, key="time"),
        _get(relation=relation, tail=tail, key="time", value="output_of_query1"),
        _get(relation=relation, tail=tail, key="end time", value=_AFTER_ALL_ENDS, op="<="),
        "set_intersection(set1='output_of_query2', set2='output_of_query3')",
        f"set_difference(set1='output_of_query4', set2={_quote(head)})",
    )


def _get(
    *,
    relation: str,
    key: str,
    head: str | None = None,
    tail: str | None = None,
    value: str | None = None,
    op: str = "=",
) -> str:
    names = {"head_entity": head, "relation": relation, "tail_entity": tail, "key": key}
    arguments = [f"{name}={_quote(text)}" for name, text in names.items() if text is not None]
    if value is not None:
        arguments.append(f"value{op}{_quote(value)}")
    return f"get_information({', '.join(arguments)})"


def _quote(name: str) -> str:
    quote = '"' if "'" in name else "'"
    return f"{quote}{name}{quote}"


def _number_steps(*calls: str) -> str:
    return "\n".join(f"Query{number}: {call}" for number, call in enumerate(calls, 1))


# CronQuestions by Wikidata ids: the test questions that the graph of the pack can answer.
#
# The graph is complete for ``simple_time``. For ``simple_entity`` and ``first_last`` the pack marks questions
# for which the graph gives exactly the label. Each question has its template, so its parts can be read.

DEMONSTRATIONS = 500
"""The questions have few wordings."""

_SLOT = re.compile(r"\{(\w+)\}")


def prepare_cronquestions(folder: Path, file: Path | None) -> CaseSet:
    records = packs.read_records(file or packs.find_file(folder / "ids", "questions.jsonl"))
    return CaseSet.collect(map(_make_cronquestions_case, records), score)


def _make_cronquestions_case(record: PackRecord) -> Case | str:
    kind = record.text("type")
    if kind not in ("simple_time", "simple_entity", "first_last"):
        return f"{kind}: the graph lacks facts of others"
    if kind != "simple_time" and record.optional("kg_check") != "exact":
        return f"{kind}: the graph does not give exactly the label"
    query = record.optional("llm_output") or _cronquestions_query(record, kind)
    return Case(record.text("id"), record.text("question"), query, record.texts("answers"), kind)


def ask_cronquestions(folder: Path) -> QuestionSet:
    return split_cases(prepare_cronquestions(folder, None), DEMONSTRATIONS)


def _cronquestions_query(record: PackRecord, kind: str) -> str:
    relation, slots = record.text("relation"), _read_slots(record)
    head, tail, time, which = (slots.get(name) for name in ("head", "tail", "time", "adj"))
    if kind == "simple_time" and head and tail:
        return query_years(head, relation, tail)
    if kind == "simple_entity" and time and (head or tail):
        return query_at(time, relation, head=head, tail=tail)
    if kind == "first_last" and head and which and record.text("answer_type") == "entity":
        return query_first_or_last(which, head, relation)
    if kind == "first_last" and head and which:
        return query_first_or_last_year(which, head, relation, tail)
    raise record.malformed("no query can be made of its template")


def _read_slots(record: PackRecord) -> dict[str, str]:
    # Pieces of the template: a text, a slot, a text, a slot, … a text.
    pieces = _SLOT.split(record.text("template"))
    wording = "".join(r"(\S+)" if n % 2 else re.escape(piece) for n, piece in enumerate(pieces))
    match = re.fullmatch(wording, record.text("question"))
    if match is None:
        raise record.malformed("the question does not fill its template")
    return dict(zip(pieces[1::2], match.groups(), strict=True))


# CronQuestions by names: questions of recorded runs, over the facts that these runs read.
#
# Ids of relations say nothing to a reader of plain questions. Some labels name one answer of several.

NAME_METRICS = ("hits", "hits@1", "contains", "exact")


def ask_cronquestions_names(folder: Path) -> QuestionSet:
    records = packs.read_records(packs.find_file(folder, "questions.jsonl"))
    return QuestionSet(
        CaseSet.collect(map(_make_held_out_case, records), score_names(NAME_METRICS))
    )


def _make_held_out_case(record: PackRecord) -> Case | str:
    # Questions that the weights of the semantic parser were not fitted on.
    question, labels = record.text("question"), record.texts("answers")
    if not labels:
        return "no label"
    if choose_side(question) != "test":
        return NOT_HELD_OUT
    return Case(record.text("id"), question, "", labels, record.text("type"))


CRONQUESTIONS = Benchmark(
    "cronquestions", "cronquestions", "cronquestions", METRICS, prepare_cronquestions, ask_cronquestions,
    data=("ids/kg.tsv",),
    untaught=Benchmark(
        "cronquestions-names", "cronquestions", "temporal-kg", NAME_METRICS, prepare_cronquestions,
        ask_cronquestions_names, data=("kg.tsv",),
    ),
)  # fmt: skip


# YAGO11k: generated questions of the five kinds of CronQuestions, one template each.
#
# They test execution, not language: the pattern that made a question reads it.

_DO = "(?:have as spouse|play for|work at)"
_DID = "(?:was married to|played for|worked at)"

_TEMPLATES: dict[str, tuple[re.Pattern[str], Callable[[str, re.Match[str]], str]]] = {
    "simple_time": (
        re.compile(rf"In which years did (.+) {_DO} (.+)\?"),
        lambda relation, match: query_years(match[1], relation, match[2]),
    ),
    "simple_entity": (
        re.compile(rf"Which \w+ did (.+) {_DO} in (-?\d+)\?"),
        lambda relation, match: query_at(match[2], relation, head=match[1]),
    ),
    "first_last": (
        re.compile(rf"Which was the (first|last) \w+ that (.+) {_DID}\?"),
        lambda relation, match: query_first_or_last(match[1], match[2], relation),
    ),
    "before_after": (
        re.compile(rf"Which \w+ did (.+) {_DO} before (.+)\?"),
        lambda relation, match: query_before(match[1], relation, match[2]),
    ),
    "time_join": (
        re.compile(rf"Who {_DID} (.+) at the same time as (.+)\?"),
        lambda relation, match: query_same_time(match[2], relation, match[1]),
    ),
}
"""Type → its wording, and a function that writes the query."""


def prepare_yago11k(folder: Path, file: Path | None) -> CaseSet:
    records = packs.read_records(file or packs.find_file(folder, "questions.generated.jsonl"))
    return CaseSet.collect(map(_make_yago11k_case, records), score)


def _make_yago11k_case(record: PackRecord) -> Case | str:
    question, kind = record.text("question"), record.text("type")
    query = record.optional("llm_output") or make_query(kind, question, record.text("relation"))
    if query is None:
        return "no template has this wording"
    return Case(record.place, question, query, record.texts("answers"), kind)


def ask_yago11k(folder: Path) -> QuestionSet:
    return split_cases(prepare_yago11k(folder, None))


def ask_untaught_yago11k(folder: Path) -> QuestionSet:
    # Questions that the weights of the semantic parser were not fitted on.
    prepared = prepare_yago11k(folder, None)
    cases = [
        replace(case, query="") for case in prepared.cases if choose_side(case.question) == "test"
    ]
    left_out = {**prepared.left_out, NOT_HELD_OUT: len(prepared.cases) - len(cases)}
    return QuestionSet(CaseSet(tuple(cases), prepared.score, left_out))


def make_query(kind: str, question: str, relation: str) -> str | None:
    # None if no template fits.
    if kind not in _TEMPLATES:
        return None
    wording, query = _TEMPLATES[kind]
    match = wording.fullmatch(question)
    return query(relation, match) if match else None


YAGO11K = Benchmark(
    "yago11k", "yago11k", "temporal-kg", METRICS, prepare_yago11k, ask_yago11k, data=("kg.tsv",),
    untaught=Benchmark(
        "yago11k", "yago11k", "temporal-kg", METRICS, prepare_yago11k, ask_untaught_yago11k,
        data=("kg.tsv",),
    ),
)  # fmt: skip
