"""Retrieval of question patterns near to a question, of calibrations, and of the source of a question.

The whole question is the search text: names that no pattern has do not change the result much. Ranks
combine the results, since a full-text score cannot be compared with a cosine similarity.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..matching import build_question_query, normalize_name
from ..model.dataset import Scope
from ..model.demonstration import (
    USABLE_STATES,
    Demonstration,
    DemonstrationState,
    QuestionPattern,
)
from ..reads.reader import Reader, name_for_model
from .slots import MAX_NAME_WORDS, iter_word_runs
from .words import QuestionWords

FILTER_FACTOR = 10
"""How many times more patterns are read if they are then filtered by source or fields."""
DEPTH_FACTOR = 10
"""How many times more patterns are read from an index that cannot filter by dataset."""

_RANK_OFFSET = 60
"""The usual constant of reciprocal rank fusion: one first place does not beat two second places."""


@dataclass(frozen=True, slots=True)
class DatasetCalibration:
    """The calibration of a dataset, or a group, for the offline writer; None before the first one.

    ``share`` of the questions reach the score ``threshold``, and ``precision`` of these are right.
    ``patterns`` is the number of patterns at calibration; ``has_patterns`` is about now.
    ``pattern_model`` is the model of their vectors, None without vectors.
    """

    dataset: str
    threshold: float | None = None
    share: float | None = None
    precision: float | None = None
    patterns: int | None = None
    has_patterns: bool = False
    pattern_model: str | None = None

    @property
    def is_measured(self) -> bool:
        """False if there were too few demonstrations, so that the threshold is the default."""
        return bool(self.share)


def find_near_patterns(
    reader: Reader,
    question: str,
    calibrations: Mapping[str, DatasetCalibration],
    limit: int,
    embedded: bool,
    *,
    source: str | None = None,
    fields: Mapping[str, str] | None = None,
) -> list[QuestionPattern]:
    """Find the patterns most similar to ``question`` by words and, with vectors, by meaning; best first.

    ``calibrations`` names the datasets. ``limit`` is per search, and per dataset if the index can filter.
    With ``source`` or ``fields``, a pattern must have such a demonstration, and shows it.
    """
    datasets = [name for name, calibration in calibrations.items() if calibration.has_patterns]
    if not datasets or limit < 1:
        return []
    search_limit = limit if source is None and not fields else limit * FILTER_FACTOR
    models = {calibrations[name].pattern_model for name in datasets}
    model = reader.find_model() if embedded and models != {None} else None
    with_vectors = [
        name for name in datasets if model and calibrations[name].pattern_model == model.identity
    ]
    vectors = reader.encode((question,)) if with_vectors else []
    vector = vectors[0] if vectors else None
    number = model.number if model else 0
    keys: list[list[str]] = []
    if model is not None and vector is not None and model.pattern_index is not None:
        nearest: dict[str, Any] = {
            "datasets": with_vectors,
            "vector": vector,
            "limit": search_limit,
        }
        statement = "patterns_by_vector"
        if model.pattern_index != "by dataset":
            statement = "patterns_by_vector_pre_2026"
            nearest["depth"] = search_limit * DEPTH_FACTOR
        keys = reader.run(name_for_model(statement, number), **nearest)[0]["patterns"]
    rows = reader.run(
        name_for_model("near_patterns", number), keys=keys, datasets=datasets,
        text=build_question_query(question, datasets), limit=search_limit, source=source,
        fields=encode_fields(fields or {}), vector=vector,
    )  # fmt: skip
    # Those that both searches find come twice, first without a score of words.
    unique = {(dataset, key): [dataset, *row] for dataset, key, *row in rows[0]["patterns"]}
    patterns = _fuse_ranks([*unique.values()])
    return patterns if search_limit == limit else patterns[: 2 * limit * len(datasets)]


def read_calibrations(reader: Reader, scope: Scope) -> dict[str, DatasetCalibration]:
    """Read the calibrations of the datasets, and of the groups of them; a group has no source."""
    rows = reader.run("get_calibration", datasets=list(scope.datasets))
    if len(scope.datasets) > 1 and scope.source is None:
        rows = [*rows, *reader.run("get_group_calibration", datasets=list(scope.datasets))]
    names = ("dataset", "threshold", "share", "precision", "patterns", "any", "model")
    return {row["dataset"]: DatasetCalibration(*(row[name] for name in names)) for row in rows}


def sample_demonstrations(
    reader: Reader, dataset: str, limit: int, states: Sequence[DemonstrationState] = USABLE_STATES
) -> list[Demonstration]:
    """Read at most ``limit`` demonstrations in the order of their keys: random, but reproducible."""
    parameters = {"dataset": dataset, "states": list(states), "after": "", "limit": limit}
    rows = reader.run("list_demonstrations", **parameters)
    return [read_demonstration(row) for row in rows[0]["demonstrations"]]


def read_demonstration(row: Sequence[Any]) -> Demonstration:
    question, query, answers, source, fields, state, reason = row
    return Demonstration(
        question, query, None if answers is None else tuple(answers), source,
        dict(_decode_field(encoded) for encoded in fields), state, reason,
    )  # fmt: skip


def encode_fields(fields: Mapping[str, str]) -> list[str]:
    """Encode fields as the database stores them: ``name=value``."""
    return sorted(f"{name}={value}" for name, value in fields.items())


def _decode_field(encoded: str) -> tuple[str, str]:
    name, _, value = encoded.partition("=")
    return name, value


def _fuse_ranks(rows: Sequence[Sequence[Any]]) -> list[QuestionPattern]:
    weights = dict.fromkeys(range(len(rows)), 0.0)
    for column in (-2, -1):
        scored = [index for index in weights if rows[index][column] is not None]
        scored.sort(key=lambda index: -rows[index][column])
        for rank, index in enumerate(scored, 1):
            weights[index] += 1 / (_RANK_OFFSET + rank)
    order = sorted(weights, key=lambda index: (-weights[index], rows[index][1], rows[index][3]))
    return [_read_pattern(rows[index]) for index in order]


def _read_pattern(row: Sequence[Any]) -> QuestionPattern:
    """Read a pattern; Neo4j's similarity (0 to 1) becomes a cosine."""
    dataset, template, question, query, source, count, similarity, _score = row
    cosine = None if similarity is None else 2 * similarity - 1
    return QuestionPattern(dataset, template, question, query, source, count, cosine)


# A question that fits several tables gets none of them, since a wrong table gives an answer as well.

FIRST_SOURCES = 2  # as many show whether a dataset has one source
MIN_SOURCE_LEAD = 1.5  # The best source needs this many times the weight of the next one.
_MIN_NAME_LETTERS = 3  # Shorter names occur in any table.


def find_source(
    reader: Reader, question: QuestionWords, scope: Scope, patterns: Sequence[QuestionPattern]
) -> tuple[str | None, bool]:
    """Find the source of a question; the flag is False if one is needed and none is clear."""
    if scope.source is not None:
        return scope.source, True
    sources = reader.run("list_first_sources", datasets=list(scope.datasets), limit=FIRST_SOURCES)
    if len(sources) == 1 and sources[0]["kind"] == "table":
        return str(sources[0]["name"]), True
    if not any(pattern.source for pattern in patterns):
        return None, True
    word_spans = {
        normalize_name(question.text_between(*span)): span
        for span in iter_word_runs(len(question.words), MAX_NAME_WORDS)
    }
    names = sorted(name for name in word_spans if len(name) >= _MIN_NAME_LETTERS)
    rows = reader.run("sources_of_names", datasets=list(scope.datasets), names=names)
    source = _choose_source({row["source"]: row["names"] for row in rows}, word_spans)
    return source, source is not None


def _choose_source(
    sources: Mapping[str, Sequence[str]], word_spans: Mapping[str, tuple[int, int]]
) -> str | None:
    """Choose the source with clearly the most names; a name of several sources weighs less."""
    source_counts = Counter(name for names in sources.values() for name in names)
    weights: dict[str, float] = defaultdict(float)
    for source, names in sources.items():
        counted_spans: list[tuple[int, int]] = []
        for name in sorted(names, key=lambda name: (-len(name), name)):
            first, last = word_spans[name]
            if all(last <= begin or end <= first for begin, end in counted_spans):
                counted_spans.append((first, last))
                weights[source] += (last - first) / source_counts[name]
    ranked = sorted(weights, key=lambda source: -weights[source])
    if not ranked or (
        len(ranked) > 1 and weights[ranked[0]] < MIN_SOURCE_LEAD * weights[ranked[1]]
    ):
        return None
    return ranked[0]
