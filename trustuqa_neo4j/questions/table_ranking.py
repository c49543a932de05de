"""Ranks the tables of a dataset by their likeness to a question: words of titles, headers and cells, vectors.

A word counts by its inverse document frequency, once a table, in a title, header or cell; whole cells count
too, headers by the share that the question has of them, and long tables less, since they have any word. The
weights are those of a softmax over the tables of 1,500 training questions of WikiTableQuestions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log, sqrt
from operator import mul
from pathlib import PurePosixPath
from threading import Lock

from cachetools import LRUCache, cached

from ..demonstrations.slots import MAX_NAME_WORDS, iter_word_runs
from ..demonstrations.words import read_number_or_date
from ..language.words import STOP_WORDS, stem
from ..matching import build_words_query, split_words
from ..model.dataset import SchemaSource
from ..reads.reader import Reader

WORD_WEIGHT, CELL_WEIGHT, HEADER_WEIGHT, LENGTH_WEIGHT = 0.55, 0.33, 3.5, 0.6
VECTOR_WEIGHT = 10.0
COMPARED = 64  # tables whose headers are compared by vectors
NAMES = 50  # names with a word, the shortest first; more find no more of the right tables
MAX_WORDS = 60  # of a question
_CAPACITY = 16  # datasets

_Weights = defaultdict[str, float]


@dataclass(frozen=True, slots=True)
class RankedTable:
    """A table, and the texts of the question that are whole cells of it, the rarest first."""

    name: str
    cells: tuple[str, ...] = ()


def rank_tables(
    reader: Reader,
    question: str,
    dataset: str,
    sources: tuple[SchemaSource, ...],
    *,
    by_cells: bool = True,
) -> list[RankedTable]:
    """Rank the tables of ``sources`` that have words of the question, best first.

    Without ``by_cells`` only headers count, so that the order says nothing of the values.
    """
    words = split_words(question)[:MAX_WORDS]
    headers = _index_headers(sources)
    by_text = _find_cells(reader, words, dataset) if by_cells else _CellMatches({}, {})
    scores: _Weights = defaultdict(float)
    shared: defaultdict[str, int] = defaultdict(int)
    for word in _select_words(words):
        in_headers = headers.tables.get(stem(word), frozenset())
        tables = in_headers | (by_text.by_word.get(word, frozenset()) & headers.sizes.keys())
        _add(scores, tables, WORD_WEIGHT * headers.weigh(len(tables)))
        for table in in_headers:
            shared[table] += 1
    cells: defaultdict[str, list[tuple[float, str]]] = defaultdict(list)
    for text, all_sources in by_text.by_span.items():
        tables = all_sources & headers.sizes.keys()
        weight = headers.weigh(len(tables))
        _add(scores, tables, CELL_WEIGHT * weight)
        for table in tables:
            cells[table].append((-weight, text))
    for table in scores:
        columns, rows = headers.sizes[table]
        scores[table] += HEADER_WEIGHT * shared[table] / sqrt(1 + columns)
        scores[table] -= LENGTH_WEIGHT * log(1 + rows)
    ranked = sorted(scores, key=lambda table: (-scores[table], table))
    ranked = _compare_headers(reader, question, ranked, scores, headers)
    return [RankedTable(table, tuple(text for _, text in sorted(cells[table]))) for table in ranked]


def _add(scores: _Weights, tables: Iterable[str], weight: float) -> None:
    for table in tables:
        scores[table] += weight


def _select_words(words: Sequence[str]) -> list[str]:
    """The first word of each stem that says what the question is about."""
    content = (w for w in words if w not in STOP_WORDS and read_number_or_date(w) is None)
    by_stem: dict[str, str] = {}
    for word in content:
        by_stem.setdefault(stem(word), word)
    return list(by_stem.values())


@dataclass(frozen=True, slots=True)
class _HeaderIndex:
    """The tables of each stem, and for each table the number of its stems and rows.

    ``sources`` keeps alive what the cache is keyed by.
    """

    sources: tuple[SchemaSource, ...]
    tables: Mapping[str, frozenset[str]]
    sizes: Mapping[str, tuple[int, int]]
    columns: Mapping[str, tuple[str, ...]]

    def weigh(self, count: int) -> float:
        """The inverse document frequency of what ``count`` tables have."""
        return log(1 + (len(self.sizes) - count + 0.5) / (count + 0.5))


@cached(LRUCache(_CAPACITY), key=id, lock=Lock())
def _index_headers(sources: tuple[SchemaSource, ...]) -> _HeaderIndex:
    tables: defaultdict[str, set[str]] = defaultdict(set)
    sizes: dict[str, tuple[int, int]] = {}
    columns = {source.name: source.columns for source in sources if source.kind == "table"}
    for source in sources:
        if source.name in columns:
            stems = [stem for column in source.columns for stem in _split_column(column)]
            for stem_of_header in (*stems, *_split_title(source.name)):
                tables[stem_of_header].add(source.name)
            sizes[source.name] = len(stems), source.facts // max(1, len(source.columns))
    return _HeaderIndex(sources, {s: frozenset(t) for s, t in tables.items()}, sizes, columns)


def _split_title(source: str) -> Iterator[str]:
    """The stems of the words of a file's name, without its folders, ending and numbers."""
    name = PurePosixPath(source.replace("\\", "/"))
    for word in split_words(name.stem if name.suffix else name.name):
        if word not in STOP_WORDS and word.isalpha():
            yield stem(word)


@lru_cache(maxsize=10_000)
def _split_column(column: str) -> tuple[str, ...]:
    return tuple(map(stem, split_words(column)))


@dataclass(frozen=True, slots=True)
class _CellMatches:
    by_span: Mapping[str, frozenset[str]]
    by_word: Mapping[str, frozenset[str]]


def _find_cells(reader: Reader, words: Sequence[str], dataset: str) -> _CellMatches:
    """Find the sources with cells that are texts of the question or have words of it."""
    searched = _select_words(words)
    runs = (words[first:last] for first, last in iter_word_runs(len(words), MAX_NAME_WORDS))
    spans = dict.fromkeys(" ".join(run) for run in runs if not STOP_WORDS.issuperset(run))
    rows = reader.run(
        "find_table_words",
        dataset=dataset,
        spans=list(spans),
        texts=[build_words_query(_vary(word), dataset) for word in searched],
        limit=NAMES,
    )
    return _CellMatches(
        {row["span"]: frozenset(row["sources"]) for row in rows if row["span"] is not None},
        {
            searched[row["place"]]: frozenset(row["sources"])
            for row in rows
            if row["place"] is not None
        },
    )


def _vary(word: str) -> list[str]:
    """The word, its stem and the plural of that: the index has whole words."""
    return list(dict.fromkeys((word, stem(word), f"{stem(word)}s")))


def _compare_headers(
    reader: Reader, question: str, ranked: list[str], scores: _Weights, headers: _HeaderIndex
) -> list[str]:
    """Rank the first tables again, by the vectors of their headers too if the database has vectors."""
    texts = [", ".join(headers.columns[table]) for table in ranked[:COMPARED]]
    vectors = reader.encode((question, *texts)) if texts else []
    for table, vector in zip(ranked, vectors[1:], strict=False):
        scores[table] += VECTOR_WEIGHT * sum(map(mul, vectors[0], vector))
    compared = sorted(ranked[:COMPARED], key=lambda table: (-scores[table], table))
    return compared + ranked[COMPARED:]
