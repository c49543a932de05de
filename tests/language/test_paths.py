"""Columns as paths: every form, and what is wrong with what is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustuqa_neo4j.language.paths import Path, PathStep, read_path, read_paths
from trustuqa_neo4j.language.query import Problem


@pytest.mark.parametrize(
    ("text", "steps", "name"),
    [
        ("policyNumber", [("policyNumber", False, 1)], "policyNumber"),
        (" policy number ", [("policy number", False, 1)], "policy number"),
        (
            "against > hasPolicy > policyNumber as policy",
            [("against", False, 1), ("hasPolicy", False, 1), ("policyNumber", False, 1)],
            "policy",
        ),
        ("a>b", [("a", False, 1), ("b", False, 1)], "b"),
        (
            "a -> b → c ＞ d",
            [("a", False, 1), ("b", False, 1), ("c", False, 1), ("d", False, 1)],
            "d",
        ),
        ("^a > ^ b", [("a", True, 1), ("b", True, 1)], "b"),
        ("a#2 > ^b#10", [("a", False, 2), ("b", True, 10)], "b"),
        ("'x > y' > \"as\"#2", [("x > y", False, 1), ("as", False, 2)], "as"),
        ("^`a b`#3 as `the name`", [("a b", True, 3)], "the name"),
        ("“Team #1” AS x", [("Team #1", False, 1)], "x"),
        ("Team #1", [("Team #1", False, 1)], "Team #1"),
        ("#2", [("#2", False, 1)], "#2"),
        ("men's > women's", [("men's", False, 1), ("women's", False, 1)], "women's"),
        ("alias > has", [("alias", False, 1), ("has", False, 1)], "has"),
    ],
)
def test_a_path_is_read(text: str, steps: list[tuple[str, bool, int]], name: str) -> None:
    assert read_path(text) == Path(tuple(PathStep(*step) for step in steps), name)


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("closed?", [("closed", 1, True, "closed?")]),
        ("a > ^b? > c as x", [("a", 1, False, ""), ("b", 1, True, "b?"), ("c", 1, False, "")]),
        ("closed ? as x", [("closed", 1, True, "closed?")]),
        ("a#2?", [("a", 2, True, "a?")]),
        ("a?#2", [("a", 2, True, "a?")]),
        ("a??", [("a?", 1, True, "a??")]),
        ("'a b'?", [("a b", 1, True, "")]),
        ("'a b'#2?", [("a b", 2, True, "")]),
        ("'a?'", [("a?", 1, False, "")]),
        ("'a?'? as 'b?'", [("a?", 1, True, "")]),
        ("?", [("?", 1, False, "")]),
        ("^?", [("?", 1, False, "")]),
        ("??", [("??", 1, False, "")]),
    ],
)
def test_what_may_be_missing(text: str, steps: list[tuple[str, int, bool, str]]) -> None:
    read = read_path(text)
    assert isinstance(read, Path)
    assert [(s.relation, s.walk, s.optional, s.marked) for s in read.steps] == steps


@pytest.mark.parametrize(
    ("text", "said", "position"),
    [
        ("", "expected a relation", 0),
        ("a > ", "expected a relation", 4),
        ("a > > b", "expected a relation", 4),
        ("' '", "expected a relation", 0),
        ("^", "expected a relation", 1),
        ("a > 'b", "the name that begins here never ends", 4),
        ("a as 'b", "the name that begins here never ends", 5),
        ("a > 'b' c", "expected > or as behind the name in quotes", 4),
        ("a as b > c", "behind as stands one name", 5),
        ("a as b as c", "behind as stands one name", 5),
        ("a as ^b", "behind as stands one name", 6),
        ("a as 'b' c", "behind as stands one name", 5),
        ("a as ", "expected a name behind as", 4),
        ("a#0", "walks are counted from 1", 0),
        (" > ".join("a" * 51), "a path has at most 50 steps", 200),
    ],
)
def test_what_is_no_path_is_said_with_its_place(text: str, said: str, position: int) -> None:
    problem = read_path(text)
    assert isinstance(problem, Problem)
    assert problem.kind == "unreadable"
    assert problem.message.startswith(said)
    assert problem.message.endswith("a path is written 'relation > ^relation as name'")
    assert problem.position == position


names = st.text(min_size=1, max_size=9).filter(lambda n: n.strip() and "`" not in n)


@given(
    st.lists(
        st.builds(PathStep, names, st.booleans(), st.integers(1, 99), optional=st.booleans()),
        min_size=1,
        max_size=9,
    ),
    names,
)
def test_what_is_written_is_read(steps: list[PathStep], name: str) -> None:
    parts = [
        "^" * s.backwards
        + f"`{s.relation}`"
        + (f"#{s.walk}" if s.walk > 1 else "")
        + "?" * s.optional
        for s in steps
    ]
    assert read_path(" > ".join(parts)) == Path(tuple(steps), steps[-1].relation)
    assert read_path(" > ".join(parts) + f" as `{name}`") == Path(tuple(steps), name)


@given(st.text(st.sampled_from("ab ^#12?>'\"`as→-")) | st.text())
def test_any_text_is_a_path_or_a_problem_with_its_place(text: str) -> None:
    read = read_path(text)
    if isinstance(read, Problem):
        assert read.position is not None
        assert 0 <= read.position <= len(text)
    else:
        assert all(step.relation.strip() for step in read.steps)


@pytest.mark.parametrize(
    ("text", "names", "positions"),
    [
        ("a", ["a"], [0]),
        ("a as x, b > c as y", ["x", "y"], [0, 8]),
        ("a,b，c", ["a", "b", "c"], [0, 2, 4]),
        ("'a, b' as x, ^c", ["x", "c"], [0, 14]),
        ("men's, women's", ["men's", "women's"], [0, 7]),
        ("a as 'x, y'", ["x, y"], [0]),
        ("a as x, b as y, ", ["x", "y"], [0, 8]),
    ],
)
def test_paths_between_commas(text: str, names: list[str], positions: list[int]) -> None:
    read = read_paths(text)
    assert not isinstance(read, Problem)
    assert [path.name for path in read] == names
    assert [path.steps[0].position for path in read] == positions


@pytest.mark.parametrize("text", ["a as b, c > ", ", a as b as c", ""])
def test_what_is_not_all_paths_is_one(text: str) -> None:
    assert read_paths(text) == read_path(text)
    assert isinstance(read_paths(text), Problem)


@pytest.mark.parametrize("piece", ["a,", "'", "‘,", " ,‘"])
def test_a_megabyte_of_paths_is_read_at_once(piece: str) -> None:
    read_paths(piece * (200_000 // len(piece)))
