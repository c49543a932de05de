"""Which datasets a question is asked of, where nobody said: those that know what it speaks of.

Three things tell: spans of the question that are names there, demonstrations that read like it, and words
that it shares with the names of relations. What every dataset knows tells nothing, so each counts the less
the more datasets have it. The alternative, one vector a dataset, does not see names at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..compiling import Program, Read
from ..demonstrating.demonstration import Pattern
from ..demonstrating.mentions import LONGEST, runs
from ..mapping import fold

RELATIONS = 5_000
"""Relations of a dataset whose words are read."""
NAMED, LIKE, SPOKEN = 1.0, 1.0, 0.5
"""What it counts for a dataset to know all names, to have the same question, to have all other words."""
RIVAL = 0.75
"""A dataset that fits so much as well as the first is asked too, if it knows names that one does not."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A dataset, how well it fits, and the spans of the question that it knows as names."""

    dataset: str
    score: float
    named: tuple[str, ...]

    def __str__(self) -> str:
        named = f" ({', '.join(self.named)})" if self.named else ""
        return f"{self.dataset} {self.score:.2f}{named}"


@dataclass(frozen=True, slots=True)
class Known:
    """What a dataset knows of a question: spans that are names there, and words of its relations."""

    spans: frozenset[str]
    words: frozenset[str]


def spans(question: str) -> tuple[str, ...]:
    """All runs of up to ``LONGEST`` words, folded, the longest first."""
    words = fold(question).split()
    found = sorted(runs(len(words), LONGEST), key=lambda run: run[0] - run[1])
    return tuple(dict.fromkeys(" ".join(words[first:last]) for first, last in found))


def known(question: str, datasets: Sequence[str]) -> Program[dict[str, Known]]:
    """What each of ``datasets`` knows of the question, in one round trip; those not complete left out."""
    given = {"datasets": list(datasets), "spans": list(spans(question)), "limit": RELATIONS}
    rows = yield Read("tell_datasets", given)
    return {
        row["dataset"]: Known(
            frozenset(row["spans"]),
            frozenset(word for relation in row["relations"] for word in relation.split()),
        )
        for row in rows
    }


def ranked(
    question: str, datasets: Mapping[str, Known], patterns: Iterable[Pattern]
) -> list[Candidate]:
    """The datasets by how well they fit the question, the best first."""
    words = fold(question).split()
    having = Counter(span for each in datasets.values() for span in each.spans)
    speaking = Counter(word for each in datasets.values() for word in each.words)
    like: dict[str, float] = {}
    for pattern in patterns:
        score = _alike(words, pattern) if pattern.similarity is None else pattern.similarity
        like[pattern.dataset] = max(score, like.get(pattern.dataset, 0.0))
    found = []
    for name, each in datasets.items():
        named = _longest(words, each.spans)
        covered = sum(len(span.split()) / having[span] for span in named)
        rest = [word for word in words if all(word not in span.split() for span in named)]
        spoken = sum(1 / speaking[word] for word in rest if word in each.words)
        score = NAMED * covered / max(1, len(words)) + SPOKEN * spoken / max(1, len(rest))
        found.append(Candidate(name, score + LIKE * like.get(name, 0.0), named))
    return sorted(found, key=lambda candidate: (-candidate.score, candidate.dataset))


def chosen(candidates: Sequence[Candidate]) -> tuple[str, ...]:
    """The datasets to ask: the best one, and one close to it that knows what that one does not."""
    if not candidates:
        return ()
    best, *others = candidates
    also = (
        other.dataset
        for other in others
        if other.score >= RIVAL * best.score > 0 and not _within(other.named, best.named)
    )
    return (best.dataset, *also)


def _within(named: tuple[str, ...], others: tuple[str, ...]) -> bool:
    return all(any(span in other for other in others) for span in named)


def _longest(words: Sequence[str], known_spans: frozenset[str]) -> tuple[str, ...]:
    """Spans that are known, none within another: from the left, the longest one each time."""
    found: list[str] = []
    place = 0
    while place < len(words):
        for size in range(min(LONGEST, len(words) - place), 0, -1):
            span = " ".join(words[place : place + size])
            if span in known_spans:
                found.append(span)
                place += size
                break
        else:
            place += 1
    return tuple(found)


def _alike(words: Sequence[str], pattern: Pattern) -> float:
    """The share of words in common with a template, 0 to 1: where there are no vectors."""
    there = set(fold(pattern.template).split())
    mine = set(words)
    return len(there & mine) / max(1, len(there | mine))
