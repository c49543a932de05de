"""Fits the ranker of readings of graphs, and writes the entry ``graph`` of ``weights.json``.

    TUQA_PACKS=… python -m bench.semantic_parser.graph [--questions 300] [--output FILE] [--test]

The questions are a mixture of data sets, so that no weight belongs to one of them. The development side
calibrates the probabilities; the test side is read only with --test.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import click

from trustuqa_neo4j.semantic_parser.graph_parser import (
    link_neighbourhood,
    rank_for_graph,
    weigh_graph_readings,
)
from trustuqa_neo4j.semantic_parser.question import read_question
from trustuqa_neo4j.semantic_parser.ranker import RankerWeights, answer_key

from .graph_corpus import (
    SIDES,
    UNSEEN,
    GraphQuestion,
    read_graph_questions,
    read_own_graph_questions,
    read_pack_graph_questions,
)
from .measurement import attempt, format_figures, summarize
from .training import FeatureMatrix, JudgedReading, Outcome, fit, fit_calibration, predict
from .weights_file import write_entry

OUTPUT = Path(__file__).parents[2] / "trustuqa_neo4j" / "semantic_parser" / "weights.json"
_PENALTY, _RARE = 1.0, 8
_CALIBRATED = 2  # the part of a group that calibrates: our own questions shall weigh more
_PRECISION = 3
_JUDGED = 2  # readings of a question that calibrate


@dataclass
class GraphFeatureMatrix(FeatureMatrix):
    """Features of readings of graphs, and the group of each question."""

    groups: list[str] = field(default_factory=list)

    def add_question(self, case: GraphQuestion) -> None:
        question = read_question(case.text)
        links, hood = link_neighbourhood(question, case.graph)
        number = len(self.texts)
        self.texts.append(case.text)
        self.counts.append(1)
        self.groups.append(case.kind)
        right: dict[tuple[str, ...], bool] = {}
        for reading, _, features in weigh_graph_readings(links, hood, case.graph.relations):
            key = answer_key(reading.members)
            if key not in right:
                right[key] = case.is_right(reading.members)
            self._add_row(features, number, key, right[key])


def collect_graph(cases: Iterable[GraphQuestion]) -> GraphFeatureMatrix:
    matrix = GraphFeatureMatrix()
    for case in cases:
        matrix.add_question(case)
    return matrix


def judge_graph_readings(
    cases: Iterable[GraphQuestion], weights: Mapping[str, float]
) -> Iterator[JudgedReading]:
    """Yield the best readings of each question with their evidence, and whether they are right."""
    ranker = RankerWeights(weights, {})
    for case in cases:
        links, hood = link_neighbourhood(read_question(case.text), case.graph)
        readings = rank_for_graph(links, hood, case.graph.relations, ranker)
        for reading, _, evidence in islice(readings, _JUDGED):
            is_right = case.is_answerable and case.is_right(reading.members)
            yield JudgedReading(evidence, is_right)


@click.command()
@click.option("--questions", default=300, help="Questions of each group to fit on.")
@click.option("--seed", default="7")
@click.option("--output", type=click.Path(path_type=Path), default=OUTPUT)
@click.option("--test", is_flag=True, help="Measure on the test sides.")
def main(questions: int, seed: str, output: Path, test: bool) -> None:
    """Fit the ranker of readings of graphs."""
    folder = Path(os.environ["TUQA_PACKS"])
    fitted = collect_graph(read_graph_questions(folder, "fit", questions, seed))
    size = questions // _CALIBRATED
    development = collect_graph(read_graph_questions(folder, "development", size, seed))
    weights = {
        name: round(value, _PRECISION)
        for name, value in fit(fitted, rare=_RARE, dense_penalty=_PENALTY).items()
    }
    outcomes = predict(development, weights)
    judged = judge_graph_readings(
        [*read_own_graph_questions(SIDES[:2]),
         *read_pack_graph_questions(folder, "development", size, seed)],
        weights,
    )  # fmt: skip
    calibration = {
        name: round(number, _PRECISION) for name, number in fit_calibration(judged).items()
    }
    own_size = fitted.groups.count("own")
    _print("fitted", fitted, predict(fitted, weights))
    _print("development", development, outcomes)
    if test:
        unseen = collect_graph(read_graph_questions(folder, "test", questions, seed))
        _print("test", unseen, predict(unseen, weights))
    _print_own(RankerWeights(weights, calibration))
    entry = {
        "provenance": (
            f"{len(fitted.texts) - own_size} questions of MetaQA (Creative Commons), WebQuestions "
            "(CC BY 4.0), CronQuestions (MIT) and of templates over YAGO11k, and "
            f"{own_size} of our own; calibrated on {len(development.texts)} others"
        ),
        "options": {"questions": questions, "seed": seed},
        "calibration": calibration,
        "weights": dict(sorted(weights.items())),
    }
    write_entry(output, "graph", entry)


def _print_own(weights: RankerWeights) -> None:
    sides = {"development": SIDES[1:2], "test": SIDES[2:], UNSEEN: (UNSEEN,)}
    for name, chosen in sides.items():
        attempts = attempt(read_own_graph_questions(chosen), weights)
        click.echo(f"own graphs, {name}: {format_figures(summarize(attempts))}")


def _print(side: str, matrix: GraphFeatureMatrix, outcomes: list[Outcome]) -> None:
    for group in dict.fromkeys(matrix.groups):
        part = [o for o, name in zip(outcomes, matrix.groups, strict=True) if name == group]
        right, three, possible = (
            100 * sum(flags) / len(part)
            for flags in (
                [o.is_right for o in part],
                [o.is_right_in_three for o in part],
                [o.is_possible for o in part],
            )
        )
        click.echo(
            f"{side}, {group}: {len(part)} questions, right {right:.1f}, in three {three:.1f}, "
            f"possible {possible:.1f}"
        )


if __name__ == "__main__":
    main()
