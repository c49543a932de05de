"""The figures of ``bench.with_model``: each column from the lines of a setting."""

from __future__ import annotations

import pytest

from bench.with_model import list_settings, measure, print_table
from trustuqa_neo4j.evaluation.results_file import ResultLine


def make_line(
    outcome: str, right: int, confidence: float, facts: int = 3, *sent_back: tuple[str, ...]
) -> ResultLine:
    return ResultLine(
        "", "", "", "", None, (), outcome, (), {"same": right}, {"total": 1500.0},
        confidence=confidence, facts=facts, sent_back=sent_back,
        origin="model" if facts else "read",
        usage={"calls": 1, "cached": 1, "input_tokens": 1000, "output_tokens": 10},
    )  # fmt: skip


LINES = [
    make_line("answered", 1, 0.9),
    make_line("answered", 0, 0.6, 0),
    make_line("answered", 1, 0.7, 3, ("domain",)),
    make_line("rejected", 0, 0.0),
]


def test_each_column_is_computed_from_the_lines() -> None:
    assert measure(LINES, 2) == (
        "4", "3", "2", "2 of 3, 67 %", "2 of 2, 100 %", "2 of 2, 100 %", "1", "8", "4,040", "6", "1",
    )  # fmt: skip
    assert measure([], 0) == ("0", "0", "0", "0 of 0", "0 of 0", "0 of 0", "0", "0", "0", "0", "0")


def test_the_coverage_is_that_of_the_reader(capsys: pytest.CaptureFixture[str]) -> None:
    print_table({"reader": LINES[:1], "together": LINES})
    rows = capsys.readouterr().out.splitlines()
    assert rows[3].startswith("| together | 4 | 3 | 2 | 2 of 3, 67 % | 1 of 1, 100 % |")


def test_the_settings_differ_in_the_reader() -> None:
    settings = list_settings("openai:x", 0.5, 1)
    assert settings["reader"] == {"llm": "demonstrations"}
    assert settings["model"]["reader"] is False
    assert settings["together"]["model_precision"] == 0.5
    assert "reader" not in settings["together"]
