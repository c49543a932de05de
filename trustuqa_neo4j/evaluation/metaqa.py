"""Benchmark MetaQA: recorded queries for training questions that have no published labels.

Labels are computed without the engine. A labelled question with the same wording gives the question type
(``movie_to_director_to_movie``). The type is a path from the topic through the knowledge graph that never
returns to the topic. For labelled questions this gives their labels.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

from ..errors import MalformedLine
from ..model.demonstration import Demonstration
from . import packs
from .benchmark import Benchmark, Case, CaseSet, QuestionSet, Score, score_names
from .packs import PackRecord

_FILM = "movie"
_RELATIONS = {
    "director": "directed_by",
    "writer": "written_by",
    "actor": "starred_actors",
    "year": "release_year",
    "language": "in_language",
    "genre": "has_genre",
    "tag": "has_tags",
    "tags": "has_tags",
    "imdbrating": "has_imdb_rating",
    "imdbvotes": "has_imdb_votes",
}
"""Word of a question type → the relation that leads from a film to it."""

RelationPath: TypeAlias = tuple[str, ...]

METRICS = ("contains", "exact", "hits@1")
score: Score = score_names(METRICS)
"""Exact texts: a tag and a person can differ only in upper and lower case."""


class MetaQAGraph:
    def __init__(self, path: Path) -> None:
        self.next: dict[tuple[str, str], set[str]] = defaultdict(set)
        for number, line in packs.read_lines(path):
            parts = line.split("|")
            if len(parts) != 3:
                problem = "no head, relation and tail with bars between them"
                raise MalformedLine(
                    problem, where=f"{path}:{number}", hint="is it MetaQA's kb.txt?"
                )
            head, relation, tail = parts
            self.next[relation, head].add(tail)
            self.next[f"^{relation}", tail].add(head)

    def follow(self, path: Iterable[str], topic: str) -> set[str]:
        # The topic is removed after each step.
        nodes = {topic}
        for relation in path:
            nodes = {tail for node in nodes for tail in self.next.get((relation, node), ())} - {
                topic
            }
        return nodes


def prepare(folder: Path, file: Path | None) -> CaseSet:
    recorded = [file] if file else packs.find_files(folder, "llm_queries.*.jsonl")
    types = _read_types(packs.find_files(folder, "questions.*.jsonl"))
    graph = MetaQAGraph(packs.find_file(folder, "kb.txt"))
    records = (record for path in recorded for record in packs.read_records(path))
    results = (_make_case(record, types, graph) for record in records)
    return CaseSet.collect(results, score)


def ask(folder: Path) -> QuestionSet:
    cases = [
        Case(
            record.text("id"), record.text("question"), "", record.texts("answers"), _group_of(file)
        )
        for file in packs.find_files(folder, "questions.*hop.test.jsonl")
        for record in packs.read_records(file)
    ]
    recorded = [*packs.find_files(folder, "llm_queries.*.jsonl"), folder / "demonstrations.jsonl"]
    demonstrations = (
        Demonstration(record.text("question"), query)
        for path in recorded
        for record in packs.read_records(path)
        if (query := record.optional("llm_output")) is not None
    )
    return QuestionSet(CaseSet(tuple(cases), score), tuple(demonstrations))


def ask_untaught(folder: Path) -> QuestionSet:
    # Brackets would name the topic.
    prepared = ask(folder).prepared
    return QuestionSet(replace(prepared, cases=tuple(map(remove_brackets, prepared.cases))))


def remove_brackets(case: Case) -> Case:
    wording, topic = mask_topic(case.question)
    if not topic:
        return case
    before, _, after = wording.partition("[]")
    return replace(case, question=before + topic + after)


def _group_of(file: Path) -> str:
    return group_name(int(file.name.split(".")[1].removesuffix("hop")))


def group_name(hops: int) -> str:
    return f"{hops} hop" + "s" * (hops > 1)


def mask_topic(question: str) -> tuple[str, str]:
    # The topic is the text between the first and the last bracket; it is empty without brackets.
    start, end = question.find("["), question.rfind("]")
    if not 0 <= start < end:
        return question, ""
    return question[: start + 1] + question[end:], question[start + 1 : end]


def read_question_type(qtype: str) -> RelationPath:
    # Empty if no relation fits.
    path = []
    for start, end in pairwise(qtype.split("_to_")):
        relation = _RELATIONS.get(end if start == _FILM else start)
        if relation is None or (start == _FILM) == (end == _FILM):
            return ()
        path.append(relation if start == _FILM else f"^{relation}")
    return tuple(path)


def _read_types(files: Sequence[Path]) -> Mapping[str, set[RelationPath]]:
    # Wording of a question → the paths of its question types.
    types: dict[str, set[RelationPath]] = defaultdict(set)
    for file in files:
        for record in packs.read_records(file):
            path = read_question_type(record.text("qtype"))
            if not path:
                raise record.malformed(f"no question type {record.text('qtype')!r}")
            types[mask_topic(record.text("question"))[0]].add(path)
    return types


def _make_case(
    record: PackRecord, types: Mapping[str, set[RelationPath]], graph: MetaQAGraph
) -> Case | str:
    query, question = record.optional("llm_output"), record.text("question")
    wording, topic = mask_topic(question)
    if query is None:
        return "no query recorded"
    if not topic:
        return "no topic in brackets"
    if wording not in types:
        return "no labelled question has this wording"
    # A wording has several types only by mistake; then the topic decides.
    labelled = {path: graph.follow(path, topic) for path in types[wording]}
    nonempty = {path: labels for path, labels in labelled.items() if labels}
    if not nonempty:
        return "its type leads nowhere from this topic"
    path, labels = next(iter(nonempty.items()))
    if any(alternative != labels for alternative in nonempty.values()):
        return "several types with different labels"
    group = group_name(len(path))
    return Case(record.place, question, query, tuple(sorted(labels)), group)


BENCHMARK = Benchmark(
    "metaqa", "metaqa", "metaqa", METRICS, prepare, ask,
    untaught=Benchmark("metaqa", "metaqa", "metaqa", METRICS, prepare, ask_untaught),
)  # fmt: skip
