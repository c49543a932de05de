"""Features of all readings as a sparse matrix, and a log-linear model fitted to the right answers."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from trustuqa_neo4j.evaluation.untaught import JudgedAnswer, tabulate_coverage
from trustuqa_neo4j.semantic_parser.question import read_question
from trustuqa_neo4j.semantic_parser.ranker import RankerWeights, answer_key
from trustuqa_neo4j.semantic_parser.table_links import adapt_question, link_table
from trustuqa_neo4j.semantic_parser.table_parser import rank_for_table, weigh_readings

from .corpus import TableQuestion

_CALIBRATED = 3  # readings of a question
PAIR = " | "  # in the name of a feature: a word or two of the question, and an operator


@dataclass
class FeatureMatrix:
    """One row per reading: its features, its question, its answer, and whether the answer is right."""

    names: dict[str, int] = field(default_factory=dict)
    columns: array[int] = field(default_factory=lambda: array("i"))
    values: array[float] = field(default_factory=lambda: array("f"))
    ends: array[int] = field(default_factory=lambda: array("q", [0]))
    questions: array[int] = field(default_factory=lambda: array("i"))
    answers: list[tuple[str, ...]] = field(default_factory=list)
    labels: array[int] = field(default_factory=lambda: array("b"))
    texts: list[str] = field(default_factory=list)
    counts: array[float] = field(default_factory=lambda: array("d"))

    def add(self, case: TableQuestion, count: float = 1) -> None:
        """Add the readings of a question, which counts ``count`` times in a fit."""
        question = adapt_question(read_question(case.text), case.table)
        links = link_table(question, case.table)
        number = len(self.texts)
        self.texts.append(case.text)
        self.counts.append(count)
        right: dict[tuple[str, ...], bool] = {}
        for reading, _, features in weigh_readings(question, case.table, links):
            key = answer_key(reading.members)
            if key not in right:
                right[key] = case.is_right(reading.members)
            self._add_row(features, number, key, right[key])

    def _add_row(
        self, features: Mapping[str, float], question: int, answer: tuple[str, ...], is_right: bool
    ) -> None:
        for name, value in features.items():
            self.columns.append(self.names.setdefault(name, len(self.names)))
            self.values.append(value)
        self.ends.append(len(self.columns))
        self.questions.append(question)
        self.answers.append(answer)
        self.labels.append(is_right)

    def matrix(self) -> csr_matrix:
        shape = (len(self.ends) - 1, len(self.names))
        values, columns = np.frombuffer(self.values, "f"), np.frombuffer(self.columns, "i")
        return csr_matrix((values, columns, np.frombuffer(self.ends, "q")), shape)


def collect(cases: Iterable[TableQuestion], matrix: FeatureMatrix | None = None) -> FeatureMatrix:
    matrix = matrix or FeatureMatrix()
    for case in cases:
        matrix.add(case)
    return matrix


def fit(
    matrix: FeatureMatrix, rare: int = 6, dense_penalty: float = 0.3, gram_penalty: float = 3.0
) -> dict[str, float]:
    """Maximise the probability of right answers; a feature needs ``rare`` questions or more."""
    features = matrix.matrix()
    questions, counts = np.frombuffer(matrix.questions, "i"), np.frombuffer(matrix.counts, "d")
    right = np.frombuffer(matrix.labels, "b").astype(bool)
    answerable = np.zeros(questions.max() + 1, bool)
    answerable[questions[right]] = True
    rows = answerable[questions]
    features, questions, right = features[rows], questions[rows], right[rows]
    chosen = _frequent(features, questions, rare)
    features = features[:, chosen].tocsr()
    names = [name for name, keep in zip(matrix.names, chosen, strict=True) if keep]
    penalty = np.array([gram_penalty if PAIR in name else dense_penalty for name in names])

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        scores = features @ weights
        every, share = _normalize(scores, questions)
        correct, correct_share = _normalize(np.where(right, scores, -1e30), questions)
        answered = answerable[: len(every)]
        losses = counts[: len(every)][answered] * (every[answered] - correct[answered])
        value = losses.sum() + 0.5 * (penalty * weights**2).sum()
        slopes = counts[questions] * (share - correct_share)
        return value, features.T @ slopes + penalty * weights

    result = minimize(
        loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", options={"maxiter": 200}
    )
    return dict(zip(names, map(float, result.x), strict=True))


def _frequent(features: csr_matrix, questions: np.ndarray, rare: int) -> np.ndarray:
    rows, columns = features.nonzero()
    pairs = np.unique(questions[rows].astype(np.int64) * features.shape[1] + columns)
    return np.bincount(pairs % features.shape[1], minlength=features.shape[1]) >= rare


def _normalize(scores: np.ndarray, questions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the log of the sum of each question, and the share of each row in it."""
    size = questions.max() + 1
    highest = np.full(size, -1e30)
    np.maximum.at(highest, questions, scores)
    masses = np.exp(scores - highest[questions])
    sums = np.bincount(questions, masses, size)
    with np.errstate(divide="ignore"):
        return highest + np.log(sums), masses / sums[questions]


@dataclass(frozen=True)
class Outcome:
    """The best answer of one question, with its probability and the answers after it."""

    text: str
    probability: float
    is_right: bool
    is_right_in_three: bool
    is_possible: bool
    count: float = 1


def predict(matrix: FeatureMatrix, weights: Mapping[str, float]) -> list[Outcome]:
    vector = np.array([weights.get(name, 0.0) for name in matrix.names])
    scores = matrix.matrix() @ vector
    rows: list[list[int]] = [[] for _ in matrix.texts]
    for row, question in enumerate(matrix.questions):
        rows[question].append(row)
    return [
        _predict_one(matrix, question, entries, scores[entries])
        for question, entries in enumerate(rows)
    ]


def _predict_one(
    matrix: FeatureMatrix, question: int, rows: list[int], scores: np.ndarray
) -> Outcome:
    text, count = matrix.texts[question], matrix.counts[question]
    if not rows:
        return Outcome(text, 0.0, False, False, False, count)
    masses = np.exp(scores - scores.max())
    shares: dict[tuple[str, ...], float] = {}
    right: dict[tuple[str, ...], bool] = {}
    for row, mass in zip(rows, masses / masses.sum(), strict=True):
        answer = matrix.answers[row]
        shares[answer] = shares.get(answer, 0.0) + float(mass)
        right[answer] = bool(matrix.labels[row])
    order = sorted(shares, key=lambda answer: -shares[answer])
    in_three = any(right[answer] for answer in order[:3])
    is_right, is_possible = right[order[0]], any(right.values())
    return Outcome(text, shares[order[0]], is_right, in_three, is_possible, count)


@dataclass(frozen=True)
class JudgedReading:
    """The evidence of a reading, which counts ``count`` times."""

    evidence: Mapping[str, float]
    is_right: bool
    count: float = 1


def fit_calibration(readings: Iterable[JudgedReading]) -> dict[str, float]:
    """Fit the weights of evidence to how often readings are right."""
    readings = list(readings)
    names = sorted({name for reading in readings for name in reading.evidence})
    evidence = np.array([[r.evidence.get(name, 0.0) for name in names] for r in readings])
    right = np.array([reading.is_right for reading in readings], float)
    counts = np.array([reading.count for reading in readings])

    def loss(weights: np.ndarray) -> float:
        z = evidence @ weights
        return float(np.sum(counts * (np.logaddexp(0, z) - right * z)) + 0.5 * weights @ weights)

    return dict(zip(names, map(float, minimize(loss, np.zeros(len(names))).x), strict=True))


def judge_readings(
    case: TableQuestion, weights: Mapping[str, float], count: float
) -> Iterator[JudgedReading]:
    """Yield the best readings of a question, each of which may answer it."""
    question = adapt_question(read_question(case.text), case.table)
    ranker = RankerWeights(weights, {})
    links = link_table(question, case.table)
    readings = rank_for_table(question, case.table, links, ranker)
    for entry in islice(readings, _CALIBRATED):
        is_right = case.is_right(entry.reading.members)
        yield JudgedReading(entry.features, is_right, count)


def coverage_table(outcomes: list[Outcome]) -> dict[str, float]:
    """Return the share of right answers, of all and of the most probable 30 to 60 %."""
    size = len(outcomes)
    figures = {
        "right": sum(o.is_right for o in outcomes) / size,
        "right in three": sum(o.is_right_in_three for o in outcomes) / size,
        "possible": sum(o.is_possible for o in outcomes) / size,
    }
    percentages = (30, 40, 50, 60)
    answers = [JudgedAnswer(o.probability, o.is_right) for o in outcomes]
    for percent, point in zip(percentages, tabulate_coverage(answers, percentages), strict=True):
        figures[f"precision at {percent} %"] = point.precision or 0.0
    return figures
