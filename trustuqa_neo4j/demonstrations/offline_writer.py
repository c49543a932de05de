"""The offline writer: queries for a question from similar demonstrations, without a language model.

`suggest_queries` aligns the nearest patterns with the question, fills their slots and ranks the queries.
The caller runs the queries; `selection.py` then selects the answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import islice

from ..lexicon.forms import stem
from ..matching import normalize_name
from ..model.dataset import Scope
from ..model.demonstration import (
    Demonstration,
    QuestionPattern,
    name_group,
    split_group,
)
from ..reads.reader import Reader
from .alignment import Alignment, QuestionAligner, Span, WordWeights
from .pattern_model import PatternModel, build_pattern_model
from .retrieval import DatasetCalibration, find_near_patterns, find_source, read_calibrations
from .slots import Mention, MentionKind, find_mentions, match_slot
from .templates import fill_query, is_same_query, mask_literals, remove_demonstration
from .word_coverage import WordDifference, compare_words
from .words import read_number_or_date, split_question


@dataclass(frozen=True, slots=True)
class QueryCandidate:
    """A suggested query with the fit of its pattern (0 to 1).

    ``dataset`` is that of the demonstration, or its group of datasets; the query runs over its ``scope``.
    ``bindings`` are pairs of an old and a new text. ``is_own``: the demonstration is of this very question.
    """

    query: str
    score: float
    pattern: QuestionPattern
    bindings: tuple[tuple[str, str], ...]
    dataset: str
    source: str | None
    is_own: bool = False

    @property
    def scope(self) -> Scope:
        return Scope(split_group(self.dataset), self.source)


@dataclass(frozen=True, slots=True)
class AlignedPattern:
    model: PatternModel
    alignment: Alignment

    @property
    def score(self) -> float:
        return self.alignment.score


def rank_candidates(
    aligned_patterns: Sequence[AlignedPattern], scope: Scope
) -> Iterator[QueryCandidate]:
    """Yield each safe query once, best first.

    Of queries that fit equally, the one with more demonstrations comes first.
    """
    filled = (_fill_pattern(aligned, scope) for aligned in aligned_patterns if aligned.score > 0)
    candidates = [candidate for candidate in filled if candidate is not None]
    candidates.sort(key=lambda candidate: (-candidate.score, -candidate.pattern.count))
    # Parsing takes longer than all else here, and the caller needs only the first.
    seen: set[tuple[str, str]] = set()
    for candidate in candidates:
        key = (candidate.dataset, candidate.query)
        if key not in seen and is_same_query(candidate.query):
            yield candidate
        seen.add(key)


def _fill_pattern(aligned: AlignedPattern, scope: Scope) -> QueryCandidate | None:
    model = aligned.model
    texts: dict[int, str] = {}
    bindings: list[tuple[str, str]] = []
    for literal, span in zip(model.masked.literals, aligned.alignment.spans, strict=True):
        if span is None:
            return None
        replacement = _literal_text(span.value)
        texts |= dict.fromkeys(literal.positions, replacement)
        bindings.append((literal.query_text, replacement))
    query = fill_query(model.parsed, texts)
    if query is None:
        return None
    return QueryCandidate(
        query,
        aligned.score,
        model.pattern,
        tuple(bindings),
        model.pattern.dataset,
        # A group has no source: the question of one need not be about a table.
        scope.source if model.pattern.dataset in scope.datasets else None,
    )


def _literal_text(value: object) -> str:
    assert isinstance(value, Mention)
    if value.kind == "name" or any(sign.isdigit() for sign in value.text):
        return value.text
    parsed = read_number_or_date(value.text)
    return value.text if parsed is None or parsed.number is None else f"{parsed.number:g}"


MAX_CANDIDATES = 5
MAX_RETRIEVED = 60
_MAX_ALIGNED = 25
"""Patterns that are aligned: those with the largest overlap of words, in any order."""
_MAX_NEAREST = 3  # Patterns that are shown if there is no answer.


@dataclass(frozen=True, slots=True)
class CandidateQueries:
    """Suggested queries, best first, and the nearest patterns.

    ``difference``: words that keep the query of the nearest pattern from being suggested. ``calibrations``
    has one entry per dataset; it is empty if no dataset has patterns, or if the caller gave them.
    """

    queries: tuple[QueryCandidate, ...]
    nearest: tuple[QuestionPattern, ...]
    difference: WordDifference = field(default_factory=WordDifference)
    calibrations: Mapping[str, DatasetCalibration] = field(default_factory=dict)


@dataclass(frozen=True)
class _QuestionFeatures:
    stems: tuple[str, ...]
    mentions: tuple[Mention, ...]
    weights: WordWeights
    aligner: QuestionAligner
    spans: dict[tuple[str, MentionKind], tuple[Span, ...]] = field(default_factory=dict)


def suggest_queries(
    reader: Reader,
    question: str,
    scope: Scope,
    embedded: bool,
    patterns: Sequence[QuestionPattern] | None = None,
    excluded: Demonstration | None = None,
) -> CandidateQueries:
    """Suggest queries for ``question`` from ``patterns``, by default the nearest in the scope's datasets.

    ``excluded`` is a demonstration that is ignored (leave-one-out).
    """
    calibrations: Mapping[str, DatasetCalibration] = {}

    def retrieve(text: str) -> list[QuestionPattern]:
        nearest = find_near_patterns(reader, text, calibrations, MAX_RETRIEVED, embedded)
        return nearest if excluded is None else remove_demonstration(nearest, excluded)

    is_retrieved = patterns is None
    if patterns is None:
        calibrations = read_calibrations(reader, scope)
        if not any(calibration.has_patterns for calibration in calibrations.values()):
            return CandidateQueries((), ())  # the words of a table need not be read
        patterns = retrieve(question)
    words = split_question(question)
    source, is_clear = find_source(reader, words, scope, patterns)
    if is_retrieved and excluded is None:
        sources = {None, scope.source, source, *(pattern.source for pattern in patterns)}
        own = _find_own_query(reader, question, scope, list(calibrations), sources)
        if own is not None:
            return CandidateQueries((own,), (own.pattern,), calibrations=calibrations)
    if not is_clear:
        patterns = [pattern for pattern in patterns if pattern.source is None]
    scope = Scope(scope.datasets, source)
    columns = _read_columns(reader, scope)
    mentions = find_mentions(reader, words, scope, columns)
    stems = tuple(stem(word.text) for word in words.words)
    # Models are remembered, and the similarity is another one for each question.
    built = (build_pattern_model(replace(pattern, similarity=None)) for pattern in patterns)
    names = frozenset(map(normalize_name, columns))
    models = [model for model in built if model is not None and _has_columns(model, scope, names)]
    weights = WordWeights.from_templates((model.stems, model.query_form) for model in models)
    features = _QuestionFeatures(stems, mentions, weights, QuestionAligner(stems, weights))
    aligned = [_align_model(model, features) for model in _select_models(models, features)]
    aligned.sort(key=lambda pattern: -pattern.score)
    nearest = tuple(dict.fromkeys(pattern.model.pattern for pattern in aligned))[:_MAX_NEAREST]
    # Calibration asks as if the dataset were calibrated already.
    uncalibrated = {
        name
        for name, calibration in calibrations.items()
        if excluded is None and not calibration.is_measured
    }
    differences = [
        compare_words(
            pattern.model,
            pattern.alignment,
            words,
            weights,
            is_strict=pattern.model.pattern.dataset in uncalibrated,
        )
        for pattern in aligned
    ]
    matching = [p for p, difference in zip(aligned, differences, strict=True) if not difference]
    candidates = tuple(islice(rank_candidates(matching, scope), MAX_CANDIDATES))
    return CandidateQueries(
        candidates,
        nearest,
        differences[0] if differences else WordDifference(),
        calibrations,
    )


def _read_columns(reader: Reader, scope: Scope) -> tuple[str, ...]:
    """Read the columns of the table of the scope; none for a graph or several sources."""
    if scope.source is None:
        return ()
    for dataset in scope.datasets:
        for row in reader.run("describe_sources", dataset=dataset, sources=[scope.source]):
            if row["kind"] == "table":
                return tuple(relation["relation"] for relation in row["relations"])
    return ()


def _has_columns(model: PatternModel, scope: Scope, columns: Set[str]) -> bool:
    """True unless the demonstration is of another table, and this one lacks a column of its query."""
    pattern = model.pattern
    if not columns or (
        pattern.dataset in scope.datasets and pattern.source in (None, scope.source)
    ):
        return True
    return model.columns <= columns


def _find_own_query(
    reader: Reader, question: str, scope: Scope, groups: Sequence[str], sources: Set[str | None]
) -> QueryCandidate | None:
    """The query of the demonstration with this very question; None if there are none or several."""
    keys = {Demonstration(question, "", source=source).key for source in sources}
    rows = reader.run("find_demonstrations", datasets=list(groups), keys=sorted(keys))
    if scope.source is not None:
        rows = [row for row in rows if row["source"] in (None, scope.source)]
    if len(rows) > 1:  # that of all datasets of the question goes before those of a part
        rows = [row for row in rows if row["dataset"] == name_group(scope.datasets)]
    if len(rows) != 1:
        return None
    (row,) = rows
    pattern = QuestionPattern(
        row["dataset"],
        mask_literals(row["question"], row["query"]).template,
        row["question"],
        row["query"],
        row["source"],
    )
    source = row["source"] if scope.source is None else scope.source
    return QueryCandidate(row["query"], 1.0, pattern, (), row["dataset"], source, is_own=True)


def _select_models(
    models: Sequence[PatternModel], question: _QuestionFeatures
) -> list[PatternModel]:
    question_stems = set(question.stems)

    def overlap(model: PatternModel) -> float:
        return sum(
            question.weights.weight(word) * (1.0 if word in question_stems else -0.5)
            for word in model.unique_stems
        )

    return sorted(models, key=overlap, reverse=True)[:_MAX_ALIGNED]


def _align_model(model: PatternModel, question: _QuestionFeatures) -> AlignedPattern:
    spans = [_find_spans(model.pattern.dataset, slot, question) for slot in model.slots]
    return AlignedPattern(model, question.aligner.align(model.stems, spans))


def _find_spans(group: str, slot: MentionKind, question: _QuestionFeatures) -> tuple[Span, ...]:
    """The spans of mentions that the datasets of a demonstration have; the same for many patterns."""
    if (group, slot) not in question.spans:
        datasets = {*split_group(group)}
        mentions = [
            mention
            for mention in question.mentions
            if not mention.datasets or datasets & mention.datasets
        ]
        question.spans[group, slot] = match_slot(slot, mentions)
    return question.spans[group, slot]
