"""Fits the ranker of the semantic parser on questions over tables, and writes ``weights.json``.

    TUQA_PACKS=… python -m bench.semantic_parser [--questions 9000] [--output FILE]
    python -m bench.semantic_parser --measure    the shipped weights on the project's own questions

A fifth of the tables, chosen by hash, is not fitted on: it calibrates the probabilities and gives the printed
figures. Own tables marked unseen only measure. The official test questions are read only with --test.
"""

from __future__ import annotations

import os
from itertools import chain, repeat
from pathlib import Path

import click

from trustuqa_neo4j.semantic_parser.ranker import RankerWeights, load_weights

from .corpus import TableQuestion, read_own_questions, read_questions
from .measurement import Attempt, attempt, count_failures, format_figures, summarize
from .training import (
    FeatureMatrix,
    collect,
    coverage_table,
    fit,
    fit_calibration,
    judge_readings,
    predict,
)
from .weights_file import write_entry

OUTPUT = Path(__file__).parents[2] / "trustuqa_neo4j" / "semantic_parser" / "weights.json"
PRECISION = 3
_UNANSWERABLE = 0.15  # questions without an answer for one that has an answer
_SMALLEST = 0.02  # weights of less are left out


@click.command()
@click.option(
    "--questions", default=9000, help="Questions of the training side of WikiTableQuestions."
)
@click.option("--own-count", default=5.5, help="How often each question of our own counts.")
@click.option("--seed", default="7")
@click.option("--output", type=click.Path(path_type=Path), default=OUTPUT)
@click.option("--test", is_flag=True, help="Measure on 800 official test questions.")
@click.option("--measure", is_flag=True, help="Measure the shipped weights, without a fit.")
@click.option("--failures", is_flag=True, help="List the failures of the own development tables.")
def main(
    questions: int,
    own_count: float,
    seed: str,
    output: Path,
    test: bool,
    measure: bool,
    failures: bool,
) -> None:
    """Fit the ranker."""
    if measure:
        _print_own(load_weights("table"), failures)
        return
    packs = Path(os.environ["TUQA_PACKS"])
    pack = packs / "wtq"
    fitted = FeatureMatrix()
    development, other_tables, unanswerable = (list[TableQuestion]() for _ in range(3))
    cases = zip(read_questions(pack, "train", questions, seed), repeat(1.0), strict=False)
    own = ((case, own_count) for case in read_own_questions() if not case.is_unseen)
    for case, count in chain(cases, own):
        if case.is_development:
            (development if case.kind else other_tables).append(case)
        elif case.labels:
            fitted.add(case, count)
        else:
            unanswerable.append(case)
    weights = {
        name: round(value, PRECISION)
        for name, value in fit(fitted).items()
        if abs(value) >= _SMALLEST
    }
    # Newcomers' questions and those of the benchmark count the same in the calibration.
    balance = len(other_tables) / max(1, len(development))
    # The ranker was not fitted on questions without an answer, so all of them calibrate.
    refused = unanswerable + [case for case in development if not case.labels]
    share = _UNANSWERABLE * (len(development) + len(unanswerable) - len(refused)) / len(refused)

    def weigh(case: TableQuestion) -> float:
        return (balance if case.kind else 1.0) * (1.0 if case.labels else share)

    calibrated = (*development, *other_tables, *unanswerable)
    judged = (entry for case in calibrated for entry in judge_readings(case, weights, weigh(case)))
    calibration = {name: round(w, PRECISION) for name, w in fit_calibration(judged).items()}
    ranker = RankerWeights(weights, calibration)
    _print("other tables of WikiTableQuestions", attempt(other_tables, ranker))
    _print_own(ranker, failures)
    if test:
        outcomes = predict(collect(read_questions(pack, "test", 800, seed)), weights)
        figures = coverage_table(outcomes).items()
        click.echo("official test, 800: " + ", ".join(f"{n} {100 * s:.1f}" for n, s in figures))
    own_size = sum(count != 1 for count in fitted.counts)
    entry = {
        "provenance": (
            f"{len(fitted.texts) - own_size} training questions of WikiTableQuestions (CC BY-SA 4.0) and "
            f"{own_size} of our own, {own_count:g} times each; calibrated on "
            f"{len(development) + len(other_tables)} questions of other tables"
        ),
        "options": {"questions": questions, "own_count": own_count, "seed": seed},
        "calibration": dict(sorted(calibration.items())),
        "weights": dict(sorted(weights.items())),
    }
    write_entry(output, "table", entry)


def _print_own(ranker: RankerWeights, failures: bool) -> None:
    attempts = attempt(read_own_questions(), ranker)
    sides: dict[str, list[Attempt]] = {"training": [], "development": [], "unseen": []}
    for entry in attempts:
        sides[_side(entry.case)].append(entry)
    for side, entries in sides.items():
        _print(f"own tables, {side}", entries)
    if failures:
        _print_failures(sides["development"])


def _side(case: TableQuestion) -> str:
    if case.is_unseen:
        return "unseen"
    return "development" if case.is_development else "training"


def _print(side: str, attempts: list[Attempt]) -> None:
    click.echo(f"{side}: {format_figures(summarize(attempts))}")


def _print_failures(attempts: list[Attempt]) -> None:
    for (failure, kind), count in count_failures(attempts).most_common():
        click.echo(f"{count:4}  {failure}: {kind}")
    for entry in attempts:
        if entry.failure:
            best = entry.readings[0] if entry.readings else None
            click.echo(f"{entry.failure}: {entry.case.table.name}: {entry.case.text}")
            click.echo(f"    expected {list(entry.case.labels)}")
            if best:
                click.echo(f"    {best.probability:.2f} {list(best.members)} {best.query!r}")


main()
