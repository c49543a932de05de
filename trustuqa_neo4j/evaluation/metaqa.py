"""MetaQA: recorded queries for training questions, whose labels could not be had.

A label is made from what the pack does have: the question with its topic masked is looked up among the
labelled questions, which says its type (``movie_to_director_to_movie``), and the type is followed through
the knowledge graph from the topic on, never stepping back to it: for the labelled questions that gives
their labels. Nothing of the engine takes part in it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

from ..answer import Value
from ..demonstrating.demonstration import Demonstration
from ..errors import MalformedLine
from . import metrics, packs
from .benchmark import Asked, Benchmark, Case, Prepared, Scores, by_values
from .packs import Record

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
"""What a type calls a thing → the relation that leads to it from a film."""

Steps: TypeAlias = tuple[str, ...]
"""Relations to follow; ``^`` before one that is followed against its direction."""


class Graph:
    """The knowledge graph in two dicts."""

    def __init__(self, path: Path) -> None:
        self.next: dict[tuple[str, str], set[str]] = defaultdict(set)
        for number, line in packs.lines(path):
            parts = line.split("|")
            if len(parts) != 3:
                what = "no head, relation and tail with bars between them"
                raise MalformedLine(what, where=f"{path}:{number}", hint="is it MetaQA's kb.txt?")
            head, relation, tail = parts
            self.next[relation, head].add(tail)
            self.next[f"^{relation}", tail].add(head)

    def follow(self, path: Iterable[str], topic: str) -> set[str]:
        """What ``path`` leads to from ``topic``, the topic left out at every step."""
        reached = {topic}
        for relation in path:
            onward = (self.next.get((relation, node), ()) for node in reached)
            reached = {node for nodes in onward for node in nodes} - {topic}
        return reached


def prepare(folder: Path, file: Path | None) -> Prepared:
    """The recorded queries of each hop, or those in ``file``, with labels that are made.

    Raises:
        MissingFile, UnreadableFile, MalformedLine
    """
    recorded = [file] if file else packs.several(folder, "llm_queries.*.jsonl")
    types = _types(packs.several(folder, "questions.*.jsonl"))
    graph = Graph(packs.one(folder, "kb.txt"))
    cases: list[Case] = []
    left_out: Counter[str] = Counter()
    for path in recorded:
        for record in packs.records(path):
            made = _case(record, types, graph)
            if isinstance(made, str):
                left_out[made] += 1
            else:
                cases.append(made)
    return Prepared(tuple(cases), by_values(score), left_out)


def ask(folder: Path) -> Asked:
    """The test questions; the recorded queries of training questions demonstrate.

    Raises:
        MissingFile, UnreadableFile, MalformedLine
    """
    cases = [
        Case(record.text("id"), record.text("question"), "", record.texts("answers"), _hops(file))
        for file in packs.several(folder, "questions.*hop.test.jsonl")
        for record in packs.records(file)
    ]
    recorded = [*packs.several(folder, "llm_queries.*.jsonl"), folder / "demonstrations.jsonl"]
    taught = (
        Demonstration(record.text("question"), query)
        for path in recorded
        for record in packs.records(path)
        if (query := record.optional("llm_output")) is not None
    )
    return Asked(Prepared(tuple(cases), by_values(score)), tuple(taught))


def _hops(file: Path) -> str:
    hops = file.name.split(".")[1].removesuffix("hop")
    return f"{hops} hop" + "s" * (hops != "1")


def score(case: Case, values: Sequence[Value]) -> Scores:
    """By the texts as they are: tags differ from persons by their case alone."""
    labels = set(case.labels)
    given = [{metrics.spelled(value)} for value in values]
    return {
        "contains": metrics.contains(labels, given),
        "exact": metrics.exact(labels, given),
        "hits@1": metrics.hits(labels, given),
    }


def masked(question: str) -> tuple[str, str]:
    """A question without its topic, which questions of one wording have in common; and the topic.

    The topic stands between the first bracket and the last; empty where there is none.
    """
    start, end = question.find("["), question.rfind("]")
    if not 0 <= start < end:
        return question, ""
    return question[: start + 1] + question[end:], question[start + 1 : end]


def path_of(qtype: str) -> Steps:
    """The relations that a question type names; empty where it names what no relation leads to."""
    things = qtype.split("_to_")
    path = []
    for here, there in pairwise(things):
        relation = _RELATIONS.get(there if here == _FILM else here)
        if relation is None or (here == _FILM) == (there == _FILM):
            return ()
        path.append(relation if here == _FILM else f"^{relation}")
    return tuple(path)


def _types(files: Sequence[Path]) -> Mapping[str, set[Steps]]:
    """Masked question → the paths of the types that questions of this wording have."""
    types: dict[str, set[Steps]] = defaultdict(set)
    for file in files:
        for record in packs.records(file):
            path = path_of(record.text("qtype"))
            if not path:
                raise record.malformed(f"no question type {record.text('qtype')!r}")
            types[masked(record.text("question"))[0]].add(path)
    return types


def _case(record: Record, types: Mapping[str, set[Steps]], graph: Graph) -> Case | str:
    """The case of a record, or why there is none."""
    query, question = record.optional("llm_output"), record.text("question")
    wording, topic = masked(question)
    if query is None:
        return "no query recorded"
    if not topic:
        return "no topic in brackets"
    if wording not in types:
        return "no labelled question has this wording"
    # Several types have one wording only by mistake; the topic then tells which was meant.
    labelled = {path: graph.follow(path, topic) for path in types[wording]}
    agreeing = {path: labels for path, labels in labelled.items() if labels}
    if not agreeing:
        return "its type leads nowhere from this topic"
    path, labels = next(iter(agreeing.items()))
    if any(others != labels for others in agreeing.values()):
        return "several types with different labels"
    hops = f"{len(path)} hop" + "s" * (len(path) > 1)
    return Case(record.place, question, query, tuple(sorted(labels)), hops)


BENCHMARK = Benchmark("metaqa", "metaqa", "metaqa", ("contains", "exact", "hits@1"), prepare, ask)
