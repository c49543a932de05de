"""A template laid against a question: which words agree, and what each blank stands for.

Words are paired in order, as in an edit distance whose prices are how telling a word is among the patterns
at hand: a word that all of them have costs little. What is paired alike counts on both sides, so the score
is the share of all telling words that agree, 1 for the very wording. A bag of words was tried first; it
takes *who directed the films that X wrote* and *who wrote the films that X directed* for the same.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log

from .likeness import kin
from .words import stem

SLOT = re.compile(r"\{(\d+)\}")
_BLANK = 2.0
"""What a blank that is filled counts, and what one that is not costs; a telling word counts about 3."""
_ROUNDING = 1e-9
_COMMON = 0.15
"""What a word counts that every pattern has."""
_SKIP = 0.5
"""What a word without a partner costs, as a share of what it counts."""
_DECIDES, _DOUBT = 3.0, 3.0
"""What a word counts more that goes with one query alone, and how many templates it takes to believe that."""
_EXCHANGED = 0.9
"""How much words that templates exchange say the same."""


@dataclass(frozen=True, slots=True)
class Span:
    """Words of the question that a blank may stand for, how well they do (to 1), and what they are."""

    first: int
    last: int
    fit: float
    what: object = None


@dataclass(frozen=True, slots=True)
class Alignment:
    """How well a template fits (0 to 1), and the span of each of its blanks, None where it found none."""

    agreed: float
    whole: float
    spans: tuple[Span | None, ...]

    @property
    def score(self) -> float:
        """The share of all that agrees."""
        return self.agreed / self.whole if self.whole else 0.0

    @property
    def worded(self) -> bool:
        """Whether all words agree and all blanks are filled, however well."""
        lacking = sum(1 - span.fit for span in self.spans if span is not None)
        return self.agreed + _BLANK * lacking >= self.whole - _ROUNDING

    def regained(self, fit: float) -> Alignment:
        """With blanks that fit so much better."""
        return replace(self, agreed=self.agreed + _BLANK * fit)


@dataclass(frozen=True)
class Weights:
    """How telling words are among some templates, and which of them stand for each other there.

    A word is the more telling the fewer templates have it, and the fewer different queries those have
    (``after`` against ``before``). Two words are exchanged where templates of the same query differ by them
    alone.
    """

    documents: int
    weights: Mapping[str, float]
    exchanged: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, templates: Iterable[tuple[Sequence[str], str]]) -> Weights:
        """Those of templates, each with its masked query."""
        given = {(tuple(map(stem, words)), query) for words, query in templates}
        queries: dict[str, Counter[str]] = defaultdict(Counter)
        for words, query in given:
            for word in set(words):
                queries[word][query] += 1
        usual = _sameness(Counter(query for _, query in given))
        weights = {
            word: max(_COMMON, _rarity(len(given), asked.total()))
            + _DECIDES * max(0.0, _sameness(asked, usual) - usual)
            for word, asked in queries.items()
        }
        places: dict[tuple[object, ...], set[str]] = defaultdict(set)
        for words, query in given:
            for at, word in enumerate(words):
                if not SLOT.fullmatch(word):
                    places[query, words[:at], words[at + 1 :]].add(word)
        exchanged: dict[str, set[str]] = defaultdict(set)
        for alike in places.values():
            if len(alike) > 1:
                for word in alike:
                    exchanged[word] |= alike
        frozen = {word: frozenset(others) for word, others in exchanged.items()}
        return cls(len(given), weights, frozen)

    def weight(self, word: str) -> float:
        """What the stem ``word`` counts."""
        return self.weights.get(word) or _rarity(self.documents, 0)

    def likeness(self, one: str, other: str) -> float:
        """Whether two stems say the same: 1 they are, 0 nothing is known of it."""
        if one != other and other in self.exchanged.get(one, ()):
            return _EXCHANGED
        return kin(one, other)


def _rarity(documents: int, having: int) -> float:
    return log((documents + 1) / (having + 0.5))


def _sameness(asked: Counter[str], usual: float | None = None) -> float:
    """How likely two of these templates have the same query; few of them say little against the usual."""
    count = asked.total()
    if not count:
        return 0.0
    same = sum(each * each for each in asked.values()) / (count * count)
    return same if usual is None else (count * same + _DOUBT * usual) / (count + _DOUBT)


@dataclass(frozen=True, slots=True)
class _Cell:
    """The best way to a place: its worth, what agreed and what all of it would be worth, the spans taken."""

    worth: float
    agreed: float
    whole: float
    taken: tuple[tuple[int, Span], ...] = ()

    def skip(self, weight: float) -> _Cell:
        return _Cell(self.worth - _SKIP * weight, self.agreed, self.whole + weight / 2, self.taken)

    def pair(self, one: float, other: float, likeness: float) -> _Cell:
        """With two that agree so much, of these weights."""
        both = (one + other) / 2
        worth = both * likeness - _SKIP * both * (1 - likeness)
        return _Cell(
            self.worth + worth, self.agreed + both * likeness, self.whole + both, self.taken
        )


def align(
    template: Sequence[str],
    question: Sequence[str],
    spans: Sequence[Sequence[Span]],
    weights: Weights,
) -> Alignment:
    """Lay the words of ``template`` against the stems of ``question``; ``spans`` are those of each blank."""
    theirs = [weights.weight(word) for word in question]
    row = [_Cell(0.0, 0.0, 0.0)]
    for weight in theirs:
        row.append(row[-1].skip(weight))
    for token in template:
        blank = SLOT.fullmatch(token)
        if blank:
            row = _filled(int(blank[1]), row, theirs, spans)
        else:
            row = _paired(stem(token), row, question, theirs, weights)
    best = row[-1]
    taken = dict(best.taken)
    found = tuple(taken.get(number) for number in range(len(spans)))
    return Alignment(best.agreed, best.whole, found)


def _paired(
    word: str, row: list[_Cell], question: Sequence[str], theirs: list[float], weights: Weights
) -> list[_Cell]:
    own = weights.weight(word)
    new = [row[0].skip(own)]
    for at, other in enumerate(question):
        best = row[at + 1].skip(own)
        left = new[at].skip(theirs[at])
        if left.worth > best.worth:
            best = left
        likeness = weights.likeness(word, other)
        if likeness:
            both = row[at].pair(own, theirs[at], likeness)
            if both.worth > best.worth:
                best = both
        new.append(best)
    return new


def _filled(
    number: int, row: list[_Cell], theirs: list[float], spans: Sequence[Sequence[Span]]
) -> list[_Cell]:
    ending: dict[int, list[Span]] = defaultdict(list)
    for span in spans[number]:
        ending[span.last].append(span)
    new = [row[0].skip(_BLANK)]
    for at in range(1, len(row)):
        best = row[at].skip(_BLANK)
        left = new[at - 1].skip(theirs[at - 1])
        if left.worth > best.worth:
            best = left
        for span in ending[at]:
            before = row[span.first]
            both = before.pair(_BLANK, _BLANK, span.fit)
            if both.worth > best.worth:
                best = _Cell(both.worth, both.agreed, both.whole, (*before.taken, (number, span)))
        new.append(best)
    return new
