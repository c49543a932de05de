"""Ranks readings by a log-linear model; probabilities of readings with equal answers add up.

``weights.json`` holds the weights, their provenance and the calibration; ``python -m bench.semantic_parser``
writes it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import exp, log
from typing import Generic, TypeVar

WEIGHTS_FILE = "weights.json"
_REFUSED_MASS = 0.3  # of a reading that cannot be meant, which doubts the others less
_MAX_SCORE, _MAX_LEAD, _LEAST_SHARE = 30.0, 4.0, 1e-6

Reading = TypeVar("Reading")


@dataclass(frozen=True, slots=True)
class RankerWeights:
    """``calibration`` has the weights of the evidence that an answer is right."""

    weights: Mapping[str, float]
    calibration: Mapping[str, float]

    def score(self, features: Mapping[str, float]) -> float:
        weigh = self.weights.get
        return sum(weight * value for name, value in features.items() if (weight := weigh(name)))

    def calibrate(self, evidence: Mapping[str, float]) -> float:
        """Return how often an answer with such evidence is right."""
        calibration = self.calibration
        score = sum(calibration.get(name, 0.0) * value for name, value in evidence.items())
        return 1 / (1 + exp(-max(min(score, _MAX_SCORE), -_MAX_SCORE)))


@dataclass(frozen=True, slots=True)
class Ranked(Generic[Reading]):
    """The best reading of those with one answer; ``share`` is the probability of the answer.

    ``lead`` is the log of the ratio to the most probable other answer.
    """

    reading: Reading
    score: float
    share: float
    lead: float

    @property
    def evidence(self) -> dict[str, float]:
        return {**share_evidence(self.share), "lead": self.lead}


def share_evidence(share: float) -> dict[str, float]:
    bounded = min(max(share, 1e-6), 1 - 1e-6)
    return {"constant": 1.0, "odds": log(bounded / (1 - bounded))}


def rank(
    scored: Sequence[tuple[Reading, Mapping[str, float], tuple[str, ...]]], weights: RankerWeights
) -> list[Ranked[Reading]]:
    """Rank readings, given with their features and answers; one for each answer, the best first.

    Of the readings with one answer, those that the gate refuses come last.
    """
    if not scored:
        return []
    scores = [weights.score(features) for _, features, _ in scored]
    highest = max(scores)
    is_explained = [not features.get("refused") for _, features, _ in scored]
    masses = [
        exp(score - highest) * (1.0 if explained else _REFUSED_MASS)
        for score, explained in zip(scores, is_explained, strict=True)
    ]
    total = sum(masses)
    best: dict[tuple[str, ...], int] = {}
    shares: dict[tuple[str, ...], float] = {}
    for place, (_, _, answer) in enumerate(scored):
        shares[answer] = shares.get(answer, 0.0) + masses[place] / total
        first = best.get(answer, place)
        if (is_explained[place], scores[place]) >= (is_explained[first], scores[first]):
            best[answer] = place
    order = sorted(shares, key=lambda answer: -shares[answer])
    highest_shares = [shares[answer] for answer in order[:2]]
    ranked = []
    for answer in order:
        others = highest_shares[1:] if answer == order[0] else highest_shares[:1]
        ratio = shares[answer] / max(others[0] if others else 0.0, _LEAST_SHARE)
        lead = max(min(log(max(ratio, _LEAST_SHARE)), _MAX_LEAD), -_MAX_LEAD)
        place = best[answer]
        ranked.append(Ranked(scored[place][0], scores[place], shares[answer], lead))
    return ranked


def answer_key(members: Iterable[object]) -> tuple[str, ...]:
    """A key that two readings share if their answers are the same: a cell ``45`` and a sum of 45 are."""
    return tuple(sorted(f"{m:.12g}" if isinstance(m, float) else str(m) for m in members))


@cache
def load_weights(kind: str) -> RankerWeights:
    """Load the weights for ``table`` or ``graph``."""
    text = (
        files("trustuqa_neo4j.semantic_parser").joinpath(WEIGHTS_FILE).read_text(encoding="utf-8")
    )
    entry = json.loads(text)[kind]
    return RankerWeights(entry["weights"], entry["calibration"])
