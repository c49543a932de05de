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

Reading = TypeVar("Reading")


@dataclass(frozen=True, slots=True)
class RankerWeights:
    """``calibration`` is slope and offset of the log odds."""

    weights: Mapping[str, float]
    calibration: tuple[float, float]

    def score(self, features: Mapping[str, float]) -> float:
        weights = self.weights
        return sum(weights[name] * value for name, value in features.items() if name in weights)

    def calibrate(self, probability: float) -> float:
        """Return how often an answer of this probability is right."""
        bounded = min(max(probability, 1e-6), 1 - 1e-6)
        slope, offset = self.calibration
        return 1 / (1 + exp(-(slope * log(bounded / (1 - bounded)) + offset)))


@dataclass(frozen=True, slots=True)
class Ranked(Generic[Reading]):
    """The best reading of those with one answer; ``probability`` is that of the answer, calibrated."""

    reading: Reading
    score: float
    probability: float


def rank(
    scored: Sequence[tuple[Reading, Mapping[str, float], tuple[str, ...]]], weights: RankerWeights
) -> list[Ranked[Reading]]:
    """Rank readings, given with their features and answers; one for each answer, the best first."""
    if not scored:
        return []
    scores = [weights.score(features) for _, features, _ in scored]
    highest = max(scores)
    masses = [exp(score - highest) for score in scores]
    total = sum(masses)
    best: dict[tuple[str, ...], int] = {}
    shares: dict[tuple[str, ...], float] = {}
    for place, (_, _, answer) in enumerate(scored):
        shares[answer] = shares.get(answer, 0.0) + masses[place] / total
        if answer not in best or scores[place] > scores[best[answer]]:
            best[answer] = place
    order = sorted(shares, key=lambda answer: -shares[answer])
    return [
        Ranked(scored[best[answer]][0], scores[best[answer]], weights.calibrate(shares[answer]))
        for answer in order
    ]


def answer_key(members: Iterable[object]) -> tuple[str, ...]:
    return tuple(sorted(map(str, members)))


@cache
def load_weights(kind: str) -> RankerWeights:
    """Load the weights for ``table`` or ``graph``."""
    text = files(__package__).joinpath(WEIGHTS_FILE).read_text(encoding="utf-8")
    entry = json.loads(text)[kind]
    slope, offset = entry["calibration"]
    return RankerWeights(entry["weights"], (slope, offset))
