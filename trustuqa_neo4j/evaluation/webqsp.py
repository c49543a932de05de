"""Benchmark WebQSP: recorded queries that reach a label in a substitute graph.

The graph has other names than queries and labels (``English``, ``English Language``). So a value counts as
all names and aliases of its node, normalized.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from ..errors import MalformedLine
from ..matching import normalize_name
from ..model.demonstration import Demonstration
from . import packs
from .benchmark import Benchmark, Case, CaseSet, QuestionSet, Score, score_names

_REACHING = ("exact", "overlap")
"""Marks of the pack for queries that return all labels, or some of them."""

NAME_FILES = ("names.tsv", "aliases.tsv")
METRICS = ("reaches", "hits@1", "exact", "f1")

NameGroups: TypeAlias = Mapping[str, frozenset[str]]


def prepare(folder: Path, file: Path | None) -> CaseSet:
    records = packs.read_records(file or packs.find_file(folder, "llm_queries.jsonl"))
    return CaseSet.collect(map(_make_case, records), score_groups(_read_groups(folder)))


def _make_case(record: packs.PackRecord) -> Case | str:
    query, check = record.optional("llm_output"), record.text("kb_check")
    if query is None:
        return "no query recorded"
    if check not in _REACHING:
        return f"reaches no label in this graph ({check})"
    return Case(record.place, record.text("question"), query, record.texts("answers"), check)


def ask(folder: Path) -> QuestionSet:
    # Most labels do not exist in the substitute graph, so the share of right answers says little.
    prepared = prepare(folder, None)
    cases = [
        Case(record.text("id"), record.text("question"), "", record.texts("answers"), "test")
        for record in packs.read_records(packs.find_file(folder, "questions.jsonl"))
        if record.text("split") == "test"
    ]
    # Labels differ from the names of the graph, so they cannot verify the queries.
    demonstrations = (Demonstration(case.question, case.query) for case in prepared.cases)
    return QuestionSet(CaseSet(tuple(cases), prepared.score), tuple(demonstrations))


def ask_untaught(folder: Path) -> QuestionSet:
    # The graph can answer a question only if it has the name of a label.
    prepared = ask(folder).prepared
    names = frozenset(name for group in _read_groups(folder).values() for name in group)
    cases = (
        replace(case, group="label in graph" if _has_label(case, names) else "no label in graph")
        for case in prepared.cases
    )
    return QuestionSet(replace(prepared, cases=tuple(cases)))


def _has_label(case: Case, names: frozenset[str]) -> bool:
    return any(normalize_name(label) in names for label in case.labels)


def _read_groups(folder: Path) -> NameGroups:
    return read_name_groups([packs.find_file(folder, name) for name in NAME_FILES])


def score_groups(groups: NameGroups, names: Sequence[str] = METRICS) -> Score:
    # A value matches by any name of its node.
    return score_names(names, normalize_name, lambda text: _all_names_of(groups, text))


def _all_names_of(groups: NameGroups, text: str) -> frozenset[str]:
    name = normalize_name(text)
    return groups.get(name, frozenset()) | {name}


def read_name_groups(files: Sequence[Path]) -> NameGroups:
    # Normalized name or id → all normalized names of the nodes with that name.
    names: dict[str, set[str]] = defaultdict(set)
    for file in files:
        for number, line in packs.read_lines(file):
            key, tab, name = line.partition("\t")
            if not tab:
                raise MalformedLine("no id and name with a tab between", where=f"{file}:{number}")
            names[key].add(normalize_name(name))
    groups: dict[str, set[str]] = defaultdict(set)
    for key, key_names in names.items():
        for name in (normalize_name(key), *key_names):
            groups[name] |= key_names
    return {name: frozenset(group) for name, group in groups.items()}


BENCHMARK = Benchmark(
    "webqsp", "webqsp", "webqsp", METRICS, prepare, ask,
    untaught=Benchmark("webqsp", "webqsp", "webqsp", METRICS, prepare, ask_untaught),
)  # fmt: skip
