"""Fingerprints of a fit: its features and weights on small samples, written beside the shipped weights.

A test makes the fingerprint again. It differs if the questions, the proposals, the lexicon or the features
have changed since the fit; the digest differs if the weights have. Sums and fitted weights are compared with
a tolerance, since optimisers and math libraries round differently.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from math import isclose
from pathlib import Path
from typing import Any

from .corpus import TableQuestion, read_questions
from .training import PAIR, FeatureMatrix, collect, fit, predict

SEED = "7"
TABLE_QUESTIONS = 300  # of WikiTableQuestions
_LARGEST = 40  # fitted weights that are written
_DIGITS = 3
_WEIGHT_TOLERANCE, _PROBABILITY_TOLERANCE, _SUM_TOLERANCE = 0.05, 0.0003, 1e-4


@dataclass(frozen=True)
class Fingerprint:
    """``features`` are sums of values; pairs of a word and an operator are added up for each operator.

    ``fitted`` are the largest weights of a fit on the sample, ``probability`` is the mean probability of the
    best answers by the shipped weights.
    """

    questions: int
    readings: int
    right: int
    probability: float
    features: Mapping[str, float]
    fitted: Mapping[str, float]

    def differences(self, shipped: Mapping[str, Any]) -> Iterator[str]:
        """Yield what differs from a fingerprint that was written."""
        for name in ("questions", "readings", "right"):
            if getattr(self, name) != shipped[name]:
                yield f"{name}: {shipped[name]} shipped, {getattr(self, name)} now"
        if abs(self.probability - shipped["probability"]) > _PROBABILITY_TOLERANCE:
            yield f"probability: {shipped['probability']} shipped, {self.probability} now"
        for name in sorted({*self.features, *shipped["features"]}):
            before, now = shipped["features"].get(name, 0.0), self.features.get(name, 0.0)
            if not isclose(before, now, rel_tol=_SUM_TOLERANCE, abs_tol=10**-_DIGITS):
                yield f"feature {name!r}: {before} shipped, {now} now"
        for name, weight in shipped["fitted"].items():
            if abs(weight - self.fitted.get(name, 0.0)) > _WEIGHT_TOLERANCE:
                yield f"weight {name!r}: {weight} shipped, {self.fitted.get(name, 0.0)} now"


def take_fingerprint(
    matrix: FeatureMatrix, weights: Mapping[str, float], fitted: Mapping[str, float]
) -> Fingerprint:
    outcomes = predict(matrix, weights)
    sums: dict[str, float] = {}
    values = matrix.matrix().sum(axis=0, dtype=float).A1
    for name, value in zip(matrix.names, values, strict=True):
        group = f"…{PAIR}{name.split(PAIR)[1]}" if PAIR in name else name
        sums[group] = sums.get(group, 0.0) + float(value)
    largest = sorted(fitted, key=lambda name: -abs(fitted[name]))
    return Fingerprint(
        len(matrix.texts),
        len(matrix.labels),
        sum(matrix.labels),
        round(sum(outcome.probability for outcome in outcomes) / len(outcomes), 4),
        {name: round(sums[name], _DIGITS) for name in sorted(sums)},
        {name: round(fitted[name], _DIGITS) for name in largest[:_LARGEST]},
    )


def fingerprint_tables(weights: Mapping[str, float], cases: Iterable[TableQuestion]) -> Fingerprint:
    """Take the fingerprint on those of the questions that a fit may read."""
    matrix = collect(c for c in cases if c.labels and not (c.is_unseen or c.is_development))
    return take_fingerprint(matrix, weights, fit(matrix))


def read_table_sample(packs: Path) -> Iterator[TableQuestion]:
    return read_questions(packs / "wtq", "train", TABLE_QUESTIONS, SEED)


def make_digest(entry: Mapping[str, Any]) -> str:
    """Return the digest of the numbers that a fit writes."""
    numbers = [entry["calibration"], entry["weights"]]
    return sha256(json.dumps(numbers, sort_keys=True).encode()).hexdigest()[:16]


def write_entry(output: Path, kind: str, entry: Mapping[str, Any]) -> None:
    """Write the weights of one kind, and leave those of the other kind as they are."""
    contents = json.loads(output.read_text(encoding="utf-8")) if output.exists() else {"version": 1}
    contents[kind] = {**entry, "digest": make_digest(entry)}
    output.write_text(json.dumps(contents, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")
