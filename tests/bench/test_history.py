"""The history of figures: entries, regressions, and the table in the docs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench import history
from bench.history import HISTORY, Entry, find_regressions, read_lines, render_table

FASTER = {"value": 10.0, "unit": "ms", "lower_is_better": True}
RATE = {"value": 100.0, "unit": "queries/s", "lower_is_better": False}
MACHINE = {"processor": "P", "cores": 2, "memory_gb": 8}


def entry(machine: dict[str, Any] = MACHINE, **figures: Any) -> Entry:
    software = {"neo4j": "2026.08.1", "driver": "6.0", "python": "3.12"}
    return {
        "date": "2026-01-02", "version": "1.0", "commit": "abc", "machine": machine,
        "software": software, "figures": figures,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("figure", "value", "is_reported"),
    [(FASTER, 11.4, False), (FASTER, 11.6, True), (FASTER, 5, False), (RATE, 86, False),
     (RATE, 84, True), (RATE, 200, False)],
)  # fmt: skip
def test_what_is_worse_by_more_than_the_tolerance_is_reported(
    figure: dict[str, Any], value: float, is_reported: bool
) -> None:
    run = entry(speed={**figure, "value": value})
    assert bool(list(find_regressions(run, [entry(speed=figure)]))) == is_reported


def test_a_regression_says_the_figures() -> None:
    run = entry(speed={**FASTER, "value": 20.0})
    assert list(find_regressions(run, [entry(speed=FASTER)])) == [
        "regression: speed: 20 ms, 10 before (+100%)"
    ]


def test_the_last_figure_of_a_like_machine_counts() -> None:
    run = entry(speed=FASTER)
    faster = {**FASTER, "value": 1.0}
    other_machine = entry({**MACHINE, "cores": 4}, speed=faster)
    assert list(find_regressions(run, [])) == []
    assert list(find_regressions(run, [other_machine])) == []
    assert list(find_regressions(run, [entry(speed=faster), entry(speed=FASTER)])) == []
    assert len(list(find_regressions(run, [entry(speed=faster), entry(rate=RATE)]))) == 1


def test_a_run_is_added_and_a_regression_ends_with_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "HISTORY", tmp_path / "history.jsonl")
    monkeypatch.setattr(history, "RUN", tmp_path / "figures.jsonl")
    monkeypatch.setattr(history, "read_server_version", lambda: "2026.08.1")
    with pytest.raises(SystemExit, match="no benchmark recorded"):
        history.main()
    history.record_figure("speed", 10.00004, "ms")
    history.record_figure("rate", 100, "queries/s", lower_is_better=False)
    history.main()
    assert not history.RUN.exists()
    (run,) = read_lines(history.HISTORY)
    assert run["figures"] == {"speed": FASTER, "rate": RATE}
    assert run["machine"] == history.describe_machine()
    history.record_figure("speed", 12, "ms")
    with pytest.raises(SystemExit, match="regression: speed: 12 ms, 10 before"):
        history.main()
    assert len(list(read_lines(history.HISTORY))) == 2


def test_a_line_that_is_no_json_is_named(tmp_path: Path) -> None:
    (tmp_path / "h.jsonl").write_text('{"a": 1}\n{\n', encoding="utf-8")
    with pytest.raises(SystemExit, match=r"h.jsonl:2: no JSON"):
        list(read_lines(tmp_path / "h.jsonl"))


def test_the_table_has_a_column_per_run(tmp_path: Path) -> None:
    path = tmp_path / "h.jsonl"
    runs = [entry(speed=FASTER), entry(speed=FASTER, rate=RATE)]
    path.write_text("".join(json.dumps(run) + "\n" for run in runs), encoding="utf-8")
    lines = render_table(path).splitlines()
    assert lines[0] == "| figure | unit | better | 2026-01-02, abc | 2026-01-02, abc |"
    assert lines[2:4] == [
        "| rate | queries/s | higher |  | 100 |",
        "| speed | ms | lower | 10 | 10 |",
    ]
    assert "P, 2 cores, 8 GB; Neo4j 2026.08.1" in lines[-1]


def test_the_history_names_no_host_and_no_folder() -> None:
    for run in read_lines(HISTORY):
        assert run.keys() == entry().keys()
        assert run["machine"].keys() == MACHINE.keys()
        assert "/" not in json.dumps(run["machine"])
