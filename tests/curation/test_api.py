"""How far a dataset can be asked, measured on its own demonstrations."""

from __future__ import annotations

from pathlib import Path

import pytest

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.curation.api import measure
from trustuqa_neo4j.deadline import Deadline
from trustuqa_neo4j.demonstrations.selection import DEFAULT_THRESHOLD, MIN_ANSWERS, Calibration
from trustuqa_neo4j.model.demonstration import Demonstration
from trustuqa_neo4j.questions.context import QuerySession

ASTRONAUTS = 12


@pytest.fixture
def crews(tuqa: TrustUQA, tmp_path: Path) -> TrustUQA:
    path = tmp_path / "crews.tsv"
    lines = [f"Mission {n}\tcrew\tPilot {n}" for n in range(ASTRONAUTS)]
    path.write_text("head\trelation\ttail\n" + "\n".join(lines), encoding="utf-8")
    tuqa.load("kg", path, dataset="crews")
    return tuqa


def demonstration(number: int, label: str | None = None) -> Demonstration:
    return Demonstration(
        f"who flew on [Mission {number}]",
        f"get_information(head_entity='Mission {number}', relation='crew')",
        None if label is None else (label,),
    )


def measured(tuqa: TrustUQA) -> Calibration:
    return measure(QuerySession(tuqa.connection, None, Deadline(60)), "crews")


def test_a_dataset_whose_questions_are_alike_answers_them_all(crews: TrustUQA) -> None:
    given = [demonstration(n, f"Pilot {n}" if n % 2 else None) for n in range(ASTRONAUTS)]
    crews.demonstrations.store("crews", given)
    crews.demonstrations.verify("crews")
    found = measured(crews)
    assert (found.share, found.precision) == (1.0, 1.0)
    assert 0 < found.threshold <= 1


def test_those_that_failed_are_asked_too(crews: TrustUQA) -> None:
    given = [demonstration(n, f"Pilot {n}") for n in range(ASTRONAUTS - 2)]
    given += [demonstration(n, "Nobody") for n in (ASTRONAUTS - 2, ASTRONAUTS - 1)]
    crews.demonstrations.store("crews", given)
    crews.demonstrations.verify("crews")
    assert measured(crews).precision == pytest.approx((ASTRONAUTS - 2) / ASTRONAUTS)


def test_few_say_nothing(crews: TrustUQA) -> None:
    crews.demonstrations.store("crews", [demonstration(n) for n in range(MIN_ANSWERS - 1)])
    crews.demonstrations.verify("crews")
    assert measured(crews) == Calibration(DEFAULT_THRESHOLD)
