"""Aligns the words of a template with the words of a question, and fills the slots of the template.

`QuestionAligner` computes a weighted edit distance. Rare words weigh more (`WordWeights`). The score is the
share of the total weight that agrees; it is 1 for the same wording. A bag of words cannot replace it: it
confuses *who directed the films that X wrote* with *who wrote the films that X directed*.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import log

from ..lexicon.forms import stem
from ..lexicon.words import WORDS
from .words import stem_similarity

SLOT_MARKER = re.compile(r"\{(\d+)\}")
# Weight of a filled slot, and penalty for an empty one. A rare word weighs about 3.
_SLOT_WEIGHT = 2.0
_MIN_WEIGHT = 0.15  # Weight of a word that all templates have.
_PRIOR_TEMPLATES = 10
"""Templates assumed besides the given ones, with all function words: a few templates do not show which
words are frequent."""
_FUNCTION_STEMS = frozenset(map(stem, WORDS.grammar.function_words))
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


# What leads to a cell: a word of the question or of the template is left out, or two words are a pair. From
# _FILL on it is a span that fills a slot: _FILL plus its place among the spans of the slot.
_SKIP_QUESTION, _SKIP_TEMPLATE, _PAIR, _FILL = range(4)


class QuestionAligner:
    """Aligns templates with the stems of one question; the similarities of words are computed once.

    A row has the best score of a beginning of the template with each beginning of the question. Its trace
    says what leads there, so that only the best path is added up.
    """

    def __init__(self, question: Sequence[str], weights: WordWeights) -> None:
        self._question = question
        self._weights = weights
        self._question_weights = [weights.weight(word) for word in question]
        self._penalties = [_GAP_PENALTY * weight for weight in self._question_weights]
        self._gains: dict[str, list[float | None]] = {}

    def align(self, template: Sequence[str], spans: Sequence[Sequence[Span]]) -> Alignment:
        """Align the stems of a template; ``spans`` has the possible spans of each slot."""
        row = [0.0]
        for penalty in self._penalties:
            row.append(row[-1] - penalty)
        traces: list[list[int]] = []
        for token in template:
            slot = _find_slot(token)
            trace = [_SKIP_TEMPLATE]
            row = (
                self._align_word(token, row, trace)
                if slot is None
                else self._align_slot(spans[slot], row, trace)
            )
            traces.append(trace)
        return self._add_up(template, traces, spans)

    def _align_word(self, word: str, row: list[float], trace: list[int]) -> list[float]:
        word_penalty = _GAP_PENALTY * self._weights.weight(word)
        score = row[0] - word_penalty
        next_row = [score]
        # This loop takes most of the time of an alignment.
        gains = self._find_gains(word)
        for diagonal, above, penalty, gain in zip(
            row, row[1:], self._penalties, gains, strict=False
        ):
            score -= penalty
            operation = _SKIP_QUESTION
            unmatched = above - word_penalty
            if unmatched >= score:
                score, operation = unmatched, _SKIP_TEMPLATE
            if gain is not None and diagonal + gain > score:
                score, operation = diagonal + gain, _PAIR
            next_row.append(score)
            trace.append(operation)
        return next_row

    def _align_slot(self, spans: Sequence[Span], row: list[float], trace: list[int]) -> list[float]:
        slot_penalty = _GAP_PENALTY * _SLOT_WEIGHT
        places_by_end: dict[int, list[int]] = defaultdict(list)
        for place, span in enumerate(spans):
            places_by_end[span.last].append(place)
        score = row[0] - slot_penalty
        next_row = [score]
        for position, penalty in enumerate(self._penalties, 1):
            score -= penalty
            operation = _SKIP_QUESTION
            unmatched = row[position] - slot_penalty
            if unmatched >= score:
                score, operation = unmatched, _SKIP_TEMPLATE
            for place in places_by_end.get(position, ()):
                filled = row[spans[place].first] + _gain(_SLOT_WEIGHT, spans[place].fit)
                if filled > score:
                    score, operation = filled, _FILL + place
            next_row.append(score)
            trace.append(operation)
        return next_row

    def _find_gains(self, word: str) -> list[float | None]:
        """The gain of a pair of ``word`` with each word of the question; None if they are not similar."""
        if word not in self._gains:
            word_weight = self._weights.weight(word)
            similarities = [self._weights.similarity(word, partner) for partner in self._question]
            self._gains[word] = [
                _gain((word_weight + weight) / 2, similarity) if similarity else None
                for weight, similarity in zip(self._question_weights, similarities, strict=True)
            ]
        return self._gains[word]

    def _add_up(
        self, template: Sequence[str], traces: list[list[int]], spans: Sequence[Sequence[Span]]
    ) -> Alignment:
        """Add up the weights along the best path, from its begin."""
        steps: list[tuple[int, int, int]] = []
        token, position = len(template), len(self._question)
        while token or position:
            operation = traces[token - 1][position] if token else _SKIP_QUESTION
            steps.append((operation, token - 1, position - 1))
            if operation != _SKIP_QUESTION:
                token -= 1
            if operation >= _FILL:
                slot = _find_slot(template[token])
                assert slot is not None
                position = spans[slot][operation - _FILL].first
            elif operation != _SKIP_TEMPLATE:
                position -= 1
        agreed = total = 0.0
        filled: dict[int, Span] = {}
        for operation, token, position in reversed(steps):
            if operation == _SKIP_QUESTION:
                total += self._question_weights[position] / 2
                continue
            slot = _find_slot(template[token])
            weight = _SLOT_WEIGHT if slot is not None else self._weights.weight(template[token])
            if operation == _SKIP_TEMPLATE:
                total += weight / 2
            elif slot is None:
                weight = (weight + self._question_weights[position]) / 2
                similarity = self._weights.similarity(template[token], self._question[position])
                agreed += weight * similarity
                total += weight
            else:
                filled[slot] = spans[slot][operation - _FILL]
                agreed += weight * filled[slot].fit
                total += weight
        return Alignment(agreed, total, tuple(filled.get(slot) for slot in range(len(spans))))


@lru_cache(maxsize=8192)
def _find_slot(token: str) -> int | None:
    marker = SLOT_MARKER.fullmatch(token)
    return int(marker[1]) if marker else None


def _gain(weight: float, similarity: float) -> float:
    return weight * similarity - _GAP_PENALTY * weight * (1 - similarity)
