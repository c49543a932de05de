"""Details of a run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trustuqa_neo4j.evaluation.report import lay_out_details, lay_out_usage
from trustuqa_neo4j.evaluation.results_file import ResultLine
from trustuqa_neo4j.evaluation.summary import classify_error, measure_details, measure_runs

LINE = ResultLine(
    "a", "g", "?", "", None, ("x", "y"), "answered", ("x",), {"exact": 0.0},
    {"map": 1.0, "complete": 9.0},
    usage={"input_tokens": 100, "output_tokens": 10, "calls": 2, "cost": 0.5},
)  # fmt: skip


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (LINE, "query"),
        (replace(LINE, similarity=0.8), "mapping"),
        (replace(LINE, similarity=1.0), "query"),
        (replace(LINE, outcome="empty"), "data"),
        (replace(LINE, outcome="empty", similarity=0.8), "mapping"),
        (replace(LINE, grounded=False), "function"),
        (replace(LINE, problems=({"kind": "unknown function"},)), "function"),
        (replace(LINE, problems=({"kind": "unknown relation"},)), "mapping"),
        (replace(LINE, outcome="failed", problems=({"kind": "unreadable"},)), "query"),
    ],
)
def test_classes_of_errors(line: ResultLine, name: str) -> None:
    assert classify_error(line) == name


def test_right_answers_have_no_class() -> None:
    assert measure_details([replace(LINE, scores={"exact": 1})]).errors == {}


def test_use_and_times() -> None:
    details = measure_details([LINE, replace(LINE, ms={"map": 3.0}, usage={})])
    assert (details.usage.calls, details.usage.tokens, details.usage.cost) == (2, 110, 0.5)
    assert details.stages == {"map": 2.0, "complete": 4.5}
    (text,) = lay_out_usage(details, 2)
    assert text == (
        "model: 2 calls, 100 tokens read and 10 written, 0 replies from the cache, cost 0.5000; "
        "per question 1.00 calls, 55 tokens"
    )
    assert "mean ms by stage: complete 4.5, map 2.0" in [*lay_out_details(details)]


def test_without_a_model_nothing_is_said_of_it() -> None:
    assert [*lay_out_usage(measure_details([replace(LINE, usage={})]), 1)] == []


def test_numbers_of_answers() -> None:
    many = replace(LINE, values=tuple(range(30)), labels=())
    assert measure_details([LINE, LINE, many]).answers == (
        ("0", 0, 1),
        ("1", 2, 0),
        ("2", 0, 2),
        ("over 20", 1, 0),
    )


def test_right_runs_of_a_question() -> None:
    runs = [replace(LINE, id=f"a#{run}", scores={"exact": run < 3}) for run in range(4)]
    assert measure_runs(runs) == {"a": 0.75}
    assert measure_runs([LINE, replace(LINE, id="b#x")]) == {}
