"""Aligns the words of a template with the words of a question, and fills the slots of the template.

`align_template` computes a weighted edit distance. Rare words weigh more (`WordWeights`). The score is the
share of the total weight that agrees; it is 1 for the same wording. A bag of words cannot replace it: it
confuses *who directed the films that X wrote* with *who wrote the films that X directed*.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log

from ..language.words import FUNCTION_WORDS, stem
from .words import stem_similarity

SLOT_MARKER = re.compile(r"\{(\d+)\}")
# Weight of a filled slot, and penalty for an empty one. A rare word weighs about 3.
_SLOT_WEIGHT = 2.0
_MIN_WEIGHT = 0.15  # Weight of a word that all templates have.
_PRIOR_TEMPLATES = 10
"""Templates assumed besides the given ones, with all function words: a few templates do not show which
words are frequent."""
_FUNCTION_STEMS = frozenset(map(stem, FUNCTION_WORDS))
_GAP_PENALTY = 0.5  # Share of its weight that a word without a partner costs.
_QUERY_BONUS, _QUERY_PRIOR = 3.0, 3.0
"""Extra weight of a word that occurs with one query only; weight of the prior, in templates."""
_SUBSTITUTE_SIMILARITY = 0.9
"""Similarity of two words that replace each other in templates of one query."""


@dataclass(frozen=True, slots=True)
class Span:
    """A run of question words that can fill a slot: how well it fits (0 to 1), and its value."""

    first: int
    last: int
    fit: float
    value: object = None


@dataclass(frozen=True, slots=True)
class Alignment:
    """The best alignment of a template. ``spans`` has one span per slot, None for an empty slot."""

    agreed: float
    total: float
    spans: tuple[Span | None, ...]

    @property
    def score(self) -> float:
        return self.agreed / self.total if self.total else 0.0


@dataclass(frozen=True)
class WordWeights:
    """Weights of words among some templates, and the words that can replace each other.

    A word weighs more if fewer templates have it, and if these templates have fewer different queries
    (``after`` and ``before``). Two words are substitutes if templates of one query differ only in them.
    """

    template_count: int
    weights: Mapping[str, float]
    substitutes: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def from_templates(cls, templates: Iterable[tuple[Sequence[str], str]]) -> WordWeights:
        """``templates`` has the stems and the query of each template."""
        unique_templates = {(tuple(stems), query) for stems, query in templates}
        queries: dict[str, Counter[str]] = defaultdict(Counter)
        for words, query in unique_templates:
            for word in set(words):
                queries[word][query] += 1
        usual_agreement = _query_agreement(Counter(query for _, query in unique_templates))
        weights = {
            word: _rarity(word, len(unique_templates), query_counts.total())
            + _QUERY_BONUS
            * max(0.0, _query_agreement(query_counts, usual_agreement) - usual_agreement)
            for word, query_counts in queries.items()
        }
        contexts: dict[tuple[object, ...], set[str]] = defaultdict(set)
        for words, query in unique_templates:
            for position, word in enumerate(words):
                if not SLOT_MARKER.fullmatch(word):
                    contexts[query, words[:position], words[position + 1 :]].add(word)
        substitutes: dict[str, set[str]] = defaultdict(set)
        for interchangeable in contexts.values():
            if len(interchangeable) > 1:
                for word in interchangeable:
                    substitutes[word] |= interchangeable
        frozen = {word: frozenset(partners) for word, partners in substitutes.items()}
        return cls(len(unique_templates), weights, frozen)

    def weight(self, word: str) -> float:
        return self.weights.get(word) or _rarity(word, self.template_count, 0)

    def similarity(self, word: str, other_word: str) -> float:
        if word != other_word and other_word in self.substitutes.get(word, ()):
            return _SUBSTITUTE_SIMILARITY
        return stem_similarity(word, other_word)


def _rarity(word: str, template_count: int, containing: int) -> float:
    containing += _PRIOR_TEMPLATES * (word in _FUNCTION_STEMS)
    return max(_MIN_WEIGHT, log((template_count + _PRIOR_TEMPLATES + 1) / (containing + 0.5)))


def _query_agreement(query_counts: Counter[str], usual_agreement: float | None = None) -> float:
    total = query_counts.total()
    if not total:
        return 0.0
    agreement = sum(count * count for count in query_counts.values()) / (total * total)
    if usual_agreement is None:
        return agreement
    return (total * agreement + _QUERY_PRIOR * usual_agreement) / (total + _QUERY_PRIOR)


@dataclass(frozen=True, slots=True)
class _AlignmentCell:
    """The best partial alignment up to one position."""

    score: float
    agreed: float
    total: float
    spans: tuple[tuple[int, Span], ...] = ()

    def skip(self, weight: float) -> _AlignmentCell:
        return _AlignmentCell(
            self.score - _GAP_PENALTY * weight, self.agreed, self.total + weight / 2, self.spans
        )

    def pair(self, weight: float, other_weight: float, similarity: float) -> _AlignmentCell:
        mean_weight = (weight + other_weight) / 2
        gain = mean_weight * similarity - _GAP_PENALTY * mean_weight * (1 - similarity)
        return _AlignmentCell(
            self.score + gain,
            self.agreed + mean_weight * similarity,
            self.total + mean_weight,
            self.spans,
        )


def align_template(
    template: Sequence[str],
    question: Sequence[str],
    spans: Sequence[Sequence[Span]],
    weights: WordWeights,
) -> Alignment:
    """Align the stems of a template and a question; ``spans`` has the possible spans of each slot."""
    question_weights = [weights.weight(word) for word in question]
    row = [_AlignmentCell(0.0, 0.0, 0.0)]
    for weight in question_weights:
        row.append(row[-1].skip(weight))
    for token in template:
        slot_match = SLOT_MARKER.fullmatch(token)
        if slot_match:
            row = _align_slot(int(slot_match[1]), row, question_weights, spans)
        else:
            row = _align_word(token, row, question, question_weights, weights)
    best = row[-1]
    spans_by_slot = dict(best.spans)
    slot_spans = tuple(spans_by_slot.get(number) for number in range(len(spans)))
    return Alignment(best.agreed, best.total, slot_spans)


def _align_word(
    word: str,
    row: list[_AlignmentCell],
    question: Sequence[str],
    question_weights: list[float],
    weights: WordWeights,
) -> list[_AlignmentCell]:
    word_weight = weights.weight(word)
    next_row = [row[0].skip(word_weight)]
    for position, question_word in enumerate(question):
        question_weight = question_weights[position]
        unmatched, skipped = row[position + 1], next_row[position]
        # Only the better cell is made: this loop takes most of the time of an alignment.
        if skipped.score - _GAP_PENALTY * question_weight > (
            unmatched.score - _GAP_PENALTY * word_weight
        ):
            best = skipped.skip(question_weight)
        else:
            best = unmatched.skip(word_weight)
        similarity = weights.similarity(word, question_word)
        if similarity:
            paired = row[position].pair(word_weight, question_weight, similarity)
            if paired.score > best.score:
                best = paired
        next_row.append(best)
    return next_row


def _align_slot(
    number: int,
    row: list[_AlignmentCell],
    question_weights: list[float],
    spans: Sequence[Sequence[Span]],
) -> list[_AlignmentCell]:
    spans_by_end: dict[int, list[Span]] = defaultdict(list)
    for span in spans[number]:
        spans_by_end[span.last].append(span)
    next_row = [row[0].skip(_SLOT_WEIGHT)]
    for position in range(1, len(row)):
        best = row[position].skip(_SLOT_WEIGHT)
        skipped = next_row[position - 1].skip(question_weights[position - 1])
        if skipped.score > best.score:
            best = skipped
        for span in spans_by_end[position]:
            start_cell = row[span.first]
            paired = start_cell.pair(_SLOT_WEIGHT, _SLOT_WEIGHT, span.fit)
            if paired.score > best.score:
                best = _AlignmentCell(
                    paired.score, paired.agreed, paired.total, (*start_cell.spans, (number, span))
                )
        next_row.append(best)
    return next_row
