"""WebQSP: recorded queries over a substitute graph, those that reach a label there.

The graph calls things otherwise than queries and labels do (``English``, ``English Language``), so a value
stands for all names and aliases of what it names, folded.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias

from ..answer import Value
from ..demonstrating.demonstration import Demonstration
from ..errors import MalformedLine
from ..mapping import fold
from . import metrics, packs
from .benchmark import Asked, Benchmark, Case, Prepared, Scores, by_values

_REACHING = ("exact", "overlap")
"""What the pack says of queries that reach a label: all of it, or some right and some wrong or missing."""

Others: TypeAlias = Mapping[str, frozenset[str]]


def prepare(folder: Path, file: Path | None) -> Prepared:
    """The recorded queries of which the pack says that they reach a label.

    Raises:
        MissingFile, UnreadableFile, MalformedLine
    """
    cases: list[Case] = []
    left_out: Counter[str] = Counter()
    for record in packs.records(file or packs.one(folder, "llm_queries.jsonl")):
        query, check = record.optional("llm_output"), record.text("kb_check")
        if query is None:
            left_out["no query recorded"] += 1
        elif check not in _REACHING:
            left_out[f"reaches no label in this graph ({check})"] += 1
        else:
            question, labels = record.text("question"), record.texts("answers")
            cases.append(Case(record.place, question, query, labels, check))
    others = other_names([packs.one(folder, "names.tsv"), packs.one(folder, "aliases.tsv")])
    return Prepared(tuple(cases), by_values(partial(score, others)), left_out)


def ask(folder: Path) -> Asked:
    """The questions of the test split; recorded queries that reach a label in this graph demonstrate.

    Most labels cannot be reached in the substitute graph, so the share that is answered says little here.

    Raises:
        MissingFile, UnreadableFile, MalformedLine
    """
    prepared = prepare(folder, None)
    cases = [
        Case(record.text("id"), record.text("question"), "", record.texts("answers"), "test")
        for record in packs.records(packs.one(folder, "questions.jsonl"))
        if record.text("split") == "test"
    ]
    # Labels are called otherwise than the graph's names, so they cannot say which queries are right.
    taught = (Demonstration(case.question, case.query) for case in prepared.cases)
    return Asked(Prepared(tuple(cases), prepared.score), tuple(taught))


def score(others: Others, case: Case, values: Sequence[Value]) -> Scores:
    """By folded names, a value by any of its own."""
    labels = {fold(label) for label in case.labels}
    folded = [fold(metrics.spelled(value)) for value in values]
    given = [others.get(name, frozenset()) | {name} for name in folded]
    return {
        "reaches": metrics.reaches(labels, given),
        "hits@1": metrics.hits(labels, given),
        "exact": metrics.exact(labels, given),
        "f1": metrics.f1(labels, given),
    }


def other_names(files: Sequence[Path]) -> Others:
    """Folded name or id → all folded names of the things that are called so.

    Raises:
        MissingFile, UnreadableFile, MalformedLine
    """
    names: dict[str, set[str]] = defaultdict(set)
    for file in files:
        for number, line in packs.lines(file):
            key, tab, name = line.partition("\t")
            if not tab:
                raise MalformedLine("no id and name with a tab between", where=f"{file}:{number}")
            names[key].add(fold(name))
    others: dict[str, set[str]] = defaultdict(set)
    for key, known in names.items():
        for name in (fold(key), *known):
            others[name] |= known
    return {name: frozenset(known) for name, known in others.items()}


BENCHMARK = Benchmark(
    "webqsp", "webqsp", "webqsp", ("reaches", "hits@1", "exact", "f1"), prepare, ask
)
