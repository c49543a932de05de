"""How questions ended: every one in one column, and which problems their queries had."""

from __future__ import annotations

import pytest

from trustuqa_neo4j.evaluation.ends import by_group, ends, fired
from trustuqa_neo4j.evaluation.lines import Line


def line(
    outcome: str, exact: int = 0, partial: int = 0, *sent_back: tuple[str, ...], group: str = "a",
    kinds: tuple[str, ...] = (),
) -> Line:  # fmt: skip
    problems = tuple({"kind": kind} for kind in kinds)
    scores = {"exact": exact, "partial": partial}
    return Line("", group, "", "", None, (), outcome, (), scores, {}, problems, sent_back=sent_back)


@pytest.mark.parametrize(
    ("given", "end"),
    [
        (line("answered", 1), "first"),
        (line("empty", 1), "first"),
        (line("answered", 1, 0, ("domain",)), "repaired"),
        (line("answered", 0, 1), "partial"),
        (line("answered", 0, 1, ("domain",)), "partial"),
        (line("answered"), "wrong"),
        (line("empty"), "wrong"),
        (line("rejected"), "unknown"),
        (line("not_askable"), "unknown"),
        (line("abstained"), "unknown"),
        (line("failed"), "error"),
    ],
)
def test_where_each_ends(given: Line, end: str) -> None:
    found = ends("a", [given])
    names = ("first", "repaired", "partial", "wrong", "unknown", "error")
    assert [name for name in names if getattr(found, name)] == [end]
    assert found.right == found.first + found.repaired


def test_groups_and_all() -> None:
    lines = [line("answered", 1), line("rejected"), line("failed", group="b")]
    assert [(row.group, row.n, row.right) for row in by_group(lines)] == [
        ("a", 2, 1), ("b", 1, 0), ("all", 3, 1),
    ]  # fmt: skip


def test_problems_are_counted_once_a_query() -> None:
    lines = [
        line("answered", 1, 0, ("domain", "domain", "range"), ("domain",)),
        line("rejected", 0, 0, ("range",), kinds=("range", "unknown relation")),
        line("answered", 1, kinds=("unknown name",)),
    ]
    assert fired(lines) == {"range": 3, "domain": 2, "unknown relation": 1}
    assert list(fired(lines)) == ["range", "domain", "unknown relation"]
