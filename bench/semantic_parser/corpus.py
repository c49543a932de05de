"""Questions over tables with labelled answers, from the data packs and from files of this folder.

``questions.jsonl`` has questions of our own over ``tables/``: a line has the table, the question, its kind
and the answers as the table writes them. Questions that the table cannot answer have no answers. Tables
marked ``unseen`` only measure: nothing is fitted or calibrated on them.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import tarfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from trustuqa_neo4j.evaluation.metrics import matches_denotation
from trustuqa_neo4j.matching import number_repeats
from trustuqa_neo4j.semantic_parser.question import read_question
from trustuqa_neo4j.semantic_parser.ranker import RankerWeights
from trustuqa_neo4j.semantic_parser.reading import ParsedQuestion
from trustuqa_neo4j.semantic_parser.row_plans import Denoted
from trustuqa_neo4j.semantic_parser.snapshot import TableSnapshot
from trustuqa_neo4j.semantic_parser.table_parser import parse_for_table

from .snapshots import make_snapshot

FOLDER = Path(__file__).parent
QUESTIONS = FOLDER / "questions.jsonl"


@dataclass(frozen=True)
class TableQuestion:
    """``labels`` are empty if the table cannot answer; ``kind`` is empty for questions of data packs."""

    text: str
    table: TableSnapshot
    labels: tuple[str, ...]
    kind: str = ""
    is_unseen: bool = False

    @property
    def is_answerable(self) -> bool:
        return bool(self.labels)

    @property
    def headers(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.table.columns)

    def is_right(self, members: Sequence[Denoted]) -> bool:
        return self.is_answerable and matches_denotation(self.labels, members)

    def parse(self, text: str, weights: RankerWeights) -> ParsedQuestion:
        return parse_for_table(read_question(text), self.table, weights)

    @property
    def is_development(self) -> bool:
        """True for a fifth of all tables, by the hash of the name: none is fitted on."""
        return sha256(self.table.name.encode()).digest()[0] % 5 == 0


@cache
def _read_tables(pack: Path) -> dict[str, str]:
    with tarfile.open(pack / "tables.tar.gz") as archive:
        members = [member for member in archive if member.isfile()]
        return {
            member.name: file.read().decode("utf-8")
            for member in members
            if (file := archive.extractfile(member)) is not None
        }


@cache
def read_snapshot(pack: Path, name: str) -> TableSnapshot:
    text = io.StringIO(_read_tables(pack)[name], newline="")
    # Columns of one name are one relation, as the loader of this format merges them.
    return _make_snapshot(name, csv.reader(text, escapechar="\\", doublequote=False), list)


@cache
def read_own_table(name: str) -> TableSnapshot:
    with (FOLDER / "tables" / name).open(encoding="utf-8", newline="") as lines:
        return make_table(name, csv.reader(lines))


def make_table(name: str, rows: Iterator[list[str]]) -> TableSnapshot:
    """Make a table of rows of cells, the first of which are the titles."""
    return _make_snapshot(name, rows, number_repeats)


def _make_snapshot(
    name: str, rows: Iterator[list[str]], name_columns: Callable[[list[str]], list[str]]
) -> TableSnapshot:
    titles = (" ".join(title.split()) for title in next(rows))
    header = name_columns([title or f"column {n}" for n, title in enumerate(titles, 1)])
    return make_snapshot(name, header, [[cell.strip() or None for cell in row] for row in rows])


def read_questions(pack: Path, split: str, limit: int, seed: str) -> Iterator[TableQuestion]:
    """Yield ``limit`` questions of WikiTableQuestions in a random order."""
    with gzip.open(pack / f"questions.{split}.jsonl.gz", "rt", encoding="utf-8") as lines:
        entries = [json.loads(line) for line in lines]
    random.Random(seed).shuffle(entries)
    for entry in entries[:limit]:
        table = read_snapshot(pack, entry["table"])
        yield TableQuestion(entry["question"], table, tuple(entry["answers"]))


def read_own_questions() -> Iterator[TableQuestion]:
    for line in QUESTIONS.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        yield TableQuestion(
            entry["question"],
            read_own_table(entry["table"]),
            tuple(entry["answers"]),
            entry["kind"],
            entry.get("unseen", False),
        )
