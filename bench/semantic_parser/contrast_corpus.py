"""Contrast questions read in memory, with the seen words: what the ablation prints of them."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.answer_verdicts import Judgement, LabelledQuestion, is_right, judge
from bench.contrast.collection import collection, write
from bench.contrast.files import read_questions
from trustuqa_neo4j import Answer
from trustuqa_neo4j.answer import QueryReading
from trustuqa_neo4j.questions.with_semantic_parser import OFFERED
from trustuqa_neo4j.semantic_parser.graph_parser import parse_for_graph
from trustuqa_neo4j.semantic_parser.question import read_question
from trustuqa_neo4j.semantic_parser.ranker import RankerWeights
from trustuqa_neo4j.semantic_parser.reading import ParsedQuestion
from trustuqa_neo4j.semantic_parser.row_plans import Denoted
from trustuqa_neo4j.semantic_parser.snapshot import TableSnapshot
from trustuqa_neo4j.semantic_parser.table_parser import parse_for_table

from .corpus import make_table
from .measurement import attempt
from .memory_graph import MemoryGraph, load_graph

LIMIT, SEED = 600, 1
_FIELDS_WITH_TIME = 5  # of a fact


@dataclass(frozen=True)
class ContrastQuestion:
    """A contrast question over its table or graph in memory."""

    labelled: LabelledQuestion
    data: TableSnapshot | MemoryGraph

    @property
    def text(self) -> str:
        return self.labelled.text

    @property
    def kind(self) -> str:
        return self.labelled.category

    @property
    def is_answerable(self) -> bool:
        return self.labelled.is_answerable

    @property
    def headers(self) -> tuple[str, ...]:
        if isinstance(self.data, MemoryGraph):
            return tuple(self.data.relations)
        return tuple(column.name for column in self.data.columns)

    def is_right(self, members: Sequence[Denoted]) -> bool:
        return self.is_answerable and is_right(self.labelled, make_answer(members))

    def parse(self, text: str, weights: RankerWeights) -> ParsedQuestion:
        question = read_question(text)
        if isinstance(self.data, MemoryGraph):
            return parse_for_graph(question, self.data, weights=weights)
        return parse_for_table(question, self.data, weights)


def make_answer(members: Sequence[Denoted]) -> Answer:
    """Make an answer of members; groups with their values come one after the other."""
    groups, values = members[::2], members[1::2]
    is_grouped = all(isinstance(group, str) for group in groups) and all(
        isinstance(value, float) for value in values
    )
    if not members or len(groups) != len(values) or not is_grouped:
        return Answer("answered", tuple(members))
    rows = tuple(zip(groups, values, strict=True))
    return Answer("answered", tuple(members), ("group", "value"), rows)


def read_contrast_questions(
    kind: str, split: str = "seen", limit: int = LIMIT, seed: int = SEED
) -> Iterator[ContrastQuestion]:
    """Yield the questions over tables or over graphs, of ``limit`` for both."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        write(collection(split, seed, limit), folder)
        paths = {path.stem: path for path in (folder / "data").iterdir()}
        for data, questions in read_questions(folder).items():
            path = paths[data]
            if (path.suffix == ".csv") == (kind == "table"):
                content = read_data(path)
                yield from (ContrastQuestion(question, content) for question in questions)


def read_data(path: Path) -> TableSnapshot | MemoryGraph:
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as lines:
            return make_table(path.name, csv.reader(lines))
    first, _, _ = path.read_text(encoding="utf-8").partition("\n")
    has_time = len(first.split("\t")) == _FIELDS_WITH_TIME
    return load_graph("temporal-kg" if has_time else "kg", [path])


def judge_in_memory(case: ContrastQuestion, weights: RankerWeights) -> Judgement:
    """Judge what the semantic parser answers or offers."""
    (entry,) = attempt([case], weights)
    if entry.is_answered:
        members = tuple(entry.readings[0].members)
        answer = make_answer(members) if members else Answer("empty")
        return Judgement(case.labelled, judge(case.labelled, answer), answer)
    offered = tuple(QueryReading(r.query, r.probability) for r in entry.readings[:OFFERED])
    answer = Answer("not_askable", readings=offered)
    is_offered_right = entry.rank is not None and entry.rank < OFFERED
    return Judgement(case.labelled, judge(case.labelled, answer), answer, is_offered_right)
