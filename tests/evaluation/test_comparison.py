"""Two runs compared question by question."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from trustuqa_neo4j.errors import MissingFile, TrustUQAError, UnreadableFile
from trustuqa_neo4j.evaluation.comparison import compare_runs, lay_out_comparison, mcnemar


def run(path: Path, right: str, wrong: str, **changes: Any) -> Path:
    """Write an --out file: each letter is a question; small letters are of the group ``small``."""
    lines = []
    for name in right + wrong:
        line = {
            "id": name, "group": "small" if name.islower() else "large", "query": "",
            "outcome": "answered", "values": [], "ms": {}, "problems": [], "labels": ["x"],
            "scores": {"exact": int(name in right), "f1": 1}, **changes,
        }  # fmt: skip
        lines.append(json.dumps(line) + "\n")
    path.write_text("".join(lines))
    return path


@pytest.mark.parametrize(
    ("first", "second", "p"),
    # Two-sided binomial tests: 2 · P(X ≤ fewer), at most 1.
    [(0, 0, 1.0), (1, 0, 1.0), (5, 0, 0.0625), (1, 9, 0.021484375), (3, 3, 1.0), (2, 4, 0.6875)],
)
def test_the_exact_test(first: int, second: int, p: float) -> None:
    assert mcnemar(first, second) == pytest.approx(p)
    assert mcnemar(second, first) == pytest.approx(p)


def test_many_questions() -> None:
    assert mcnemar(900, 1100) == pytest.approx(8.5e-6, rel=0.1)


def test_pairs(tmp_path: Path) -> None:
    first = run(tmp_path / "a", right="abC", wrong="dE")
    second = run(tmp_path / "b", right="aE", wrong="bdCf")
    comparison = compare_runs(first, second)
    assert (comparison.first_only, comparison.second_only) == (("b", "C"), ("E",))
    assert comparison.unpaired == (0, 1)
    counts = {
        row.group: (row.n, row.both, row.first_only, row.second_only, row.neither)
        for row in comparison.groups
    }
    assert counts == {"large": (2, 0, 1, 1, 0), "small": (3, 1, 1, 0, 1), "all": (5, 1, 2, 1, 1)}
    table, *texts = lay_out_comparison(comparison)
    assert not isinstance(table, str)
    assert table.rows[-1] == ("all", "5", "60.0", "40.0", "1", "2", "1", "1", "1")
    assert "right only in the first: b, C" in texts
    assert "only in one file, not compared: 0 and 1" in texts


def test_runs_of_different_questions(tmp_path: Path) -> None:
    first = run(tmp_path / "a", "a", "b")
    with pytest.raises(TrustUQAError, match="no question in common"):
        compare_runs(first, run(tmp_path / "b", "c", "d"))
    with pytest.raises(TrustUQAError, match="other labels"):
        compare_runs(first, run(tmp_path / "b", "a", "b", labels=["y"]))


def test_files_that_are_not_runs(tmp_path: Path) -> None:
    first = run(tmp_path / "a", "a", "b")
    with pytest.raises(MissingFile):
        compare_runs(first, tmp_path / "nothing")
    (tmp_path / "b").write_text("{}\n")
    with pytest.raises(UnreadableFile):
        compare_runs(first, tmp_path / "b")
    with pytest.raises(UnreadableFile, match="no scores"):
        compare_runs(first, run(tmp_path / "c", "a", "b", scores={}))


def test_a_cut_last_line_is_left_out(tmp_path: Path) -> None:
    first, second = run(tmp_path / "a", "ab", "c"), run(tmp_path / "b", "ab", "c")
    second.write_text(second.read_text()[:-20])
    assert compare_runs(first, second).groups[-1].n == 2
