"""Ranks the tables of a dataset by their likeness to a question: words of titles, headers and cells, vectors.

A word counts by its inverse document frequency, once a table; more if a header has it, or if it is in a
text of the question that is a whole cell. Headers count by the share that the question has of them and by
their vectors; long tables and wide ones count less, since they have any word. The weights are those of a
softmax over the tables of 1,500 training questions of WikiTableQuestions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log, sqrt
from pathlib import PurePosixPath
from threading import Lock
from typing import TYPE_CHECKING, Any

from cachetools import LRUCache, cached

from ..deadline import watch
from ..demonstrations.slots import MAX_NAME_WORDS, iter_word_runs
from ..demonstrations.words import read_number_or_date
from ..lexicon.forms import stem
from ..lexicon.words import WORDS
from ..matching import build_words_query, split_words
from ..model.dataset import SchemaSource, join_header
from ..reads.reader import Reader

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NAMES = 50  # names with a word, the shortest first; more find no more of the right tables
MAX_WORDS = 60  # of a question
COMPARED = 64  # tables whose headers are compared by vectors in a dataset without vectors
MAX_HEADERS = 5_000  # tables whose headers are all compared in a dataset with vectors
_CAPACITY = 16  # datasets


@dataclass(frozen=True, slots=True)
class RankedTable:
    """A table, and the texts of the question that are whole cells of it, the rarest first."""

    name: str
    cells: tuple[str, ...] = ()


@dataclass(slots=True)
class TableEvidence:
    """Evidence for a table: sums of inverse document frequencies, and the share of its header.

    ``words`` are in a header, title or cell; ``numbers`` in a cell; ``covered`` words are in a text of the
    question that is a whole cell, each with the weight of the rarest such text.
    """

    words: float = 0.0
    header_words: float = 0.0
    header_share: float = 0.0
    numbers: float = 0.0
    covered: float = 0.0


@dataclass(frozen=True, slots=True)
class _Weights:
    words: float
    header_words: float
    header_share: float
    numbers: float
    covered: float
    rows: float  # of the logarithm
    columns: float
    similarity: float = 0.0

    def score(self, evidence: TableEvidence, size: tuple[int, int], similarity: float) -> float:
        columns, rows = size
        return (
            self.words * evidence.words
            + self.header_words * evidence.header_words
            + self.header_share * evidence.header_share
            + self.numbers * evidence.numbers
            + self.covered * evidence.covered
            + self.rows * log(1 + rows)
            + self.columns * log(1 + columns)
            + self.similarity * similarity
        )


_WITHOUT_VECTORS = _Weights(0.55, 0.25, 1.1, 0.26, 0.3, rows=-0.44, columns=-0.55)
_WITH_VECTORS = _Weights(0.51, 0.11, 0.2, 0.23, 0.28, rows=-0.38, columns=-0.19, similarity=8.3)


def rank_tables(
    reader: Reader,
    question: str,
    dataset: str,
    sources: tuple[SchemaSource, ...],
    *,
    by_cells: bool = True,
) -> list[RankedTable]:
    """Rank the tables of ``sources`` that have words of the question, best first.

    If the dataset has vectors, the tables without words of the question follow by the vectors of their
    headers. Without ``by_cells`` only headers count, so that the order says nothing of the values.
    """
    words = split_words(question)[:MAX_WORDS]
    headers = _index_headers(sources)
    matches = _find_cells(reader, words, dataset) if by_cells else _CellMatches({}, {})
    evidence = collect_evidence(words, headers, matches)
    scores = _score(_WITHOUT_VECTORS, evidence, headers.sizes, {})
    ranked = _sort(scores)
    similarity = _compare_headers(reader, question, dataset, ranked, headers)
    if similarity:
        for table in similarity:
            evidence.setdefault(table, TableEvidence())
        compared = {table: evidence[table] for table in similarity}
        rescored = _score(_WITH_VECTORS, compared, headers.sizes, similarity)
        ranked = [*_sort(rescored), *(table for table in ranked if table not in similarity)]
    cells: defaultdict[str, list[tuple[float, str]]] = defaultdict(list)
    for text, all_sources in matches.by_span.items():
        tables = all_sources & headers.sizes.keys()
        for table in tables:
            cells[table].append((-headers.weigh(len(tables)), text))
    texts = {
        table: tuple(text for _, text in sorted(matching)) for table, matching in cells.items()
    }
    return [RankedTable(table, texts.get(table, ())) for table in ranked]


def _score(
    weights: _Weights,
    evidence: Mapping[str, TableEvidence],
    sizes: Mapping[str, tuple[int, int]],
    similarity: Mapping[str, float],
) -> dict[str, float]:
    return {
        table: weights.score(entry, sizes[table], similarity.get(table, 0.0))
        for table, entry in watch(evidence.items())
    }


def _sort(scores: Mapping[str, float]) -> list[str]:
    return sorted(scores, key=lambda table: (-scores[table], table))


def collect_evidence(
    words: Sequence[str], headers: HeaderIndex, matches: _CellMatches
) -> dict[str, TableEvidence]:
    """Weigh the words of a question by table; tables with none of them are left out."""
    evidence: defaultdict[str, TableEvidence] = defaultdict(TableEvidence)
    nothing = frozenset[str]()
    for word in _select_words(words):
        in_headers = headers.tables.get(stem(word), nothing)
        tables = in_headers | (matches.by_word.get(word, nothing) & headers.sizes.keys())
        weight = headers.weigh(len(tables))
        if _is_number(word):
            for table in watch(tables):
                evidence[table].numbers += weight
            continue
        for table in watch(tables):
            evidence[table].words += weight
        weight = headers.weigh(len(in_headers))
        for table in in_headers:
            evidence[table].header_words += weight
            evidence[table].header_share += 1 / sqrt(1 + headers.sizes[table][0])
    for table, weights in _weigh_covered(words, headers, matches).items():
        evidence[table].covered = sum(weights.values())
    return evidence


def _weigh_covered(
    words: Sequence[str], headers: HeaderIndex, matches: _CellMatches
) -> dict[str, dict[int, float]]:
    """Return for each table the places of words in whole cells, with the weight of the rarest cell."""
    covered: defaultdict[str, dict[int, float]] = defaultdict(dict)
    for first, last in iter_word_runs(len(words), MAX_NAME_WORDS):
        sources = matches.by_span.get(" ".join(words[first:last]))
        if not sources:
            continue
        tables = sources & headers.sizes.keys()
        weight = headers.weigh(len(tables))
        places = [
            place for place in range(first, last) if words[place] not in WORDS.grammar.stop_words
        ]
        for table in tables:
            weights = covered[table]
            for place in places:
                weights[place] = max(weights.get(place, 0.0), weight)
    return covered


def _is_number(word: str) -> bool:
    return read_number_or_date(word) is not None


def _select_words(words: Sequence[str]) -> list[str]:
    """The first word of each stem that says what the question is about, and its numbers."""
    by_stem: dict[str, str] = {}
    for word in words:
        if word not in WORDS.grammar.stop_words:
            by_stem.setdefault(word if _is_number(word) else stem(word), word)
    return list(by_stem.values())


@dataclass(frozen=True, slots=True, eq=False)
class HeaderIndex:
    """The tables of each stem, and for each table the number of its stems and rows.

    ``sources`` keeps alive what the cache is keyed by. An index is equal to itself alone.
    """

    sources: tuple[SchemaSource, ...]
    tables: Mapping[str, frozenset[str]]
    sizes: Mapping[str, tuple[int, int]]
    columns: Mapping[str, tuple[str, ...]]

    def weigh(self, count: int) -> float:
        """The inverse document frequency of what ``count`` tables have."""
        return log(1 + (len(self.sizes) - count + 0.5) / (count + 0.5))


@cached(LRUCache(_CAPACITY), key=id, lock=Lock())
def _index_headers(sources: tuple[SchemaSource, ...]) -> HeaderIndex:
    tables: defaultdict[str, set[str]] = defaultdict(set)
    sizes: dict[str, tuple[int, int]] = {}
    columns = {source.name: source.columns for source in sources if source.kind == "table"}
    for source in sources:
        if source.name in columns:
            stems = [stem for column in source.columns for stem in _split_column(column)]
            for stem_of_header in (*stems, *_split_title(source.name)):
                tables[stem_of_header].add(source.name)
            sizes[source.name] = len(stems), source.facts // max(1, len(source.columns))
    return HeaderIndex(sources, {s: frozenset(t) for s, t in tables.items()}, sizes, columns)


def _split_title(source: str) -> Iterator[str]:
    """The stems of the words of a file's name, without its folders, ending and numbers."""
    name = PurePosixPath(source.replace("\\", "/"))
    for word in split_words(name.stem if name.suffix else name.name):
        if word not in WORDS.grammar.stop_words and word.isalpha():
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
    spans = dict.fromkeys(
        " ".join(run) for run in runs if not WORDS.grammar.stop_words.issuperset(run)
    )
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
    if _is_number(word):
        return [word]
    return list(dict.fromkeys((word, stem(word), f"{stem(word)}s")))


def _compare_headers(
    reader: Reader, question: str, dataset: str, ranked: Sequence[str], headers: HeaderIndex
) -> dict[str, float]:
    """Compare the headers by vectors: all if the dataset has vectors, else those of the first tables.

    A load with vectors has embedded the headers too. Empty if the database has no vectors of the model.
    """
    model = reader.find_model()
    if model is None:
        return {}
    if dataset in model.datasets and len(headers.columns) <= MAX_HEADERS:
        matrix = _embed_headers(reader, headers, model.identity)
        tables: Sequence[str] = list(headers.columns)
    else:
        tables = ranked[:COMPARED]
        matrix = _encode(reader, [join_header(headers.columns[table]) for table in tables])
    vectors = reader.encode((question,)) if tables else []
    if matrix is None or not vectors:
        return {}
    return dict(zip(tables, (matrix @ vectors[0]).tolist(), strict=True))


@cached(
    LRUCache(_CAPACITY),
    key=lambda reader, headers, identity: (headers, identity),  # noqa: ARG005
    lock=Lock(),
)
def _embed_headers(
    reader: Reader,
    headers: HeaderIndex,
    identity: str,  # noqa: ARG001 # of the key
) -> NDArray[np.float32] | None:
    return _encode(reader, list(map(join_header, headers.columns.values())))


def _encode(reader: Reader, texts: Sequence[str]) -> NDArray[Any] | None:
    vectors = reader.encode(texts) if texts else []
    if not vectors:
        return None
    import numpy as np

    return np.array(vectors, np.float32)
