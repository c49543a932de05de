"""Expressions over columns, and what is computed of groups: every form, every problem."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustuqa_neo4j.language.ast import Problem
from trustuqa_neo4j.language.columns import (
    Aggregate,
    AggregateExpression,
    Arithmetic,
    ColumnPath,
    ColumnReference,
    DaysBetween,
    Expression,
    FunctionCall,
    GroupValue,
    NumberLiteral,
    PathStep,
    read_aggregate,
    read_aggregates,
    read_expression,
    read_path,
    read_paths,
)

A, B, C = ColumnReference("a"), ColumnReference("b"), ColumnReference("c")


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("a", A),
        (" a ", A),
        ("'loss amount'", ColumnReference("loss amount")),
        ("`a-b`", ColumnReference("a-b")),
        ("“a (b)”", ColumnReference("a (b)")),
        ("claim.amount", ColumnReference("claim.amount")),
        ("größe", ColumnReference("größe")),
        ("12", NumberLiteral(12)),
        ("1.50", NumberLiteral(1.5)),
        ("a - b - c", Arithmetic("-", Arithmetic("-", A, B), C)),
        ("a-(b-c)", Arithmetic("-", A, Arithmetic("-", B, C))),
        ("a + b * c", Arithmetic("+", A, Arithmetic("*", B, C))),
        ("(a + b) / c", Arithmetic("/", Arithmetic("+", A, B), C)),
        ("a × b ÷ c − 1", Arithmetic("-", Arithmetic("/", Arithmetic("*", A, B), C), NumberLiteral(1))),
        ("a plus b times c", Arithmetic("+", A, Arithmetic("*", B, C))),
        ("-a", Arithmetic("-", NumberLiteral(0), A)),
        ("- -a", Arithmetic("-", NumberLiteral(0), Arithmetic("-", NumberLiteral(0), A))),
        ("+a * -b", Arithmetic("*", A, Arithmetic("-", NumberLiteral(0), B))),
        ("days_between(a, 'b')", DaysBetween(A, B)),
        ("Days_Between(a, b + 1)", DaysBetween(A, Arithmetic("+", B, NumberLiteral(1)))),
        ("days_between(a, b) / 365", Arithmetic("/", DaysBetween(A, B), NumberLiteral(365))),
        ("days_between", ColumnReference("days_between")),
        ("days_between(a, '2020-01-01')", DaysBetween(A, ColumnReference("2020-01-01"))),
        ("days_between(a, 2020-01-01)", DaysBetween(A, ColumnReference("2020-01-01"))),
        (
            "2020-01-1",
            Arithmetic("-", Arithmetic("-", NumberLiteral(2020), NumberLiteral(1)), NumberLiteral(1)),
        ),
        ("year(a)", FunctionCall("year", A)),
        ("YEAR(a) - 2000", Arithmetic("-", FunctionCall("year", A), NumberLiteral(2000))),
        ("abs(a - b)", FunctionCall("abs", Arithmetic("-", A, B))),
        ("round(a)", FunctionCall("round", A)),
        ("round(a / b, 2)", FunctionCall("round", Arithmetic("/", A, B), 2)),
        ("year", ColumnReference("year")),
    ],
)  # fmt: skip
def test_an_expression_is_read(text: str, expression: Expression) -> None:
    assert read_expression(text) == expression


@pytest.mark.parametrize(
    ("text", "said", "position"),
    [
        ("", "expected a column, a number or (", 0),
        ("a +", "expected a column, a number or (", 3),
        ("a ** b", "expected a column, a number or (", 3),
        ("''", "expected a column, a number or (", 0),
        ("5x", "expected a column, a number or (", 0),
        ("a % b", "expected + - * or /", 2),
        ("1,000", "expected + - * or /", 1),
        ("a)", "expected + - * or /", 1),
        ("loss amount", "expected + - * or /; a name of several words needs quotes", 5),
        ("a 5", "expected + - * or /; a name of several words needs quotes", 2),
        ("(a", "expected )", 2),
        ("(a b)", "expected )", 3),
        ("f(a)", "undefined function f; there is days_between(start, end)", 0),
        ("__import__('os')", "undefined function __import__", 0),
        ("days_between(a)", "expected a comma", 14),
        ("round(a, b)", "expected a whole number from 0 to 15", 9),
        ("round(a, 1.5)", "expected a whole number from 0 to 15", 9),
        ("round(a, 16)", "expected a whole number from 0 to 15", 9),
        (f"round(a, {'9' * 5_000})", "expected a number of at most 300 digits", 9),
        (f"a + {'9' * 5_000}", "expected a number of at most 300 digits", 4),
        ("year(a, b)", "expected )", 6),
        ("days_between(a, b", "expected )", 17),
        ("a - 'b", "the name that begins here never ends", 4),
        ("(" * 60 + "a" + ")" * 60, "an expression of more than 50 parts", 51),
        ("-" * 60 + "a", "an expression of more than 50 parts", 51),
        ("a" + "+a" * 60, "an expression of more than 50 parts", 101),
        ("days_between(" * 60, "an expression of more than 50 parts", 13 * 51),
    ],
)
def test_what_is_no_expression_is_said_with_its_place(text: str, said: str, position: int) -> None:
    problem = read_expression(text)
    assert isinstance(problem, Problem)
    assert problem.kind == "unreadable"
    assert problem.message.startswith(said)
    assert problem.position == position


def written(expression: Expression) -> str:
    if isinstance(expression, ColumnReference):
        return f"`{expression.name}`"
    if isinstance(expression, NumberLiteral):
        return str(expression.value)
    if isinstance(expression, DaysBetween):
        return f"days_between({written(expression.start)}, {written(expression.end)})"
    if isinstance(expression, FunctionCall):
        digits = f", {expression.digits}" if expression.digits else ""
        return f"{expression.function}({written(expression.of)}{digits})"
    return f"({written(expression.left)} {expression.operator} {written(expression.right)})"


leaves = st.builds(
    ColumnReference, st.text(min_size=1, max_size=9).filter(lambda n: n.strip() and "`" not in n)
) | (st.builds(NumberLiteral, st.integers(0, 10**9) | st.integers(0, 999).map(lambda n: n + 0.25)))
expressions: st.SearchStrategy[Expression] = st.recursive(
    leaves,
    lambda inner: (
        st.builds(Arithmetic, st.sampled_from("+-*/"), inner, inner)
        | st.builds(DaysBetween, inner, inner)
        | st.builds(FunctionCall, st.sampled_from(("year", "abs")), inner)
        | st.builds(FunctionCall, st.just("round"), inner, st.integers(0, 15))
    ),
    max_leaves=12,
)


@given(expressions)
def test_what_is_written_is_read(expression: Expression) -> None:
    assert read_expression(written(expression)) == expression


@given(st.text(st.sampled_from("ab 1.(),+-*/'`_")) | st.text())
def test_any_text_is_read_or_a_problem_with_its_place(text: str) -> None:
    for read in (read_expression(text), read_aggregate(text), read_aggregate(f"sum({text}")):
        if isinstance(read, Problem):
            assert read.position is not None
            assert 0 <= read.position <= len(text) + len("sum(")


@pytest.mark.parametrize(
    ("text", "aggregate"),
    [
        ("sum(paid) as total", Aggregate("sum", "paid", "total")),
        (" SUM ( paid ) AS total ", Aggregate("sum", "paid", "total")),
        ("sum(loss amount)", Aggregate("sum", "loss amount", "sum(loss amount)")),
        ("total('a) b') as `x y`", Aggregate("sum", "a) b", "x y")),
        ("average(a)", Aggregate("mean", "a", "mean(a)")),
        ("avg(a) as b", Aggregate("mean", "a", "b")),
        ("mean(a) as b", Aggregate("mean", "a", "b")),
        ("min(a) as b", Aggregate("min", "a", "b")),
        ("maximum(a) as b", Aggregate("max", "a", "b")),
        ("count(a) as b", Aggregate("count", "a", "b")),
        ("count()", Aggregate("count", None, "count()")),
        ("count(*) as n", Aggregate("count", None, "n")),
        ("count_distinct(a) as n", Aggregate("count_distinct", "a", "n")),
        ("count(distinct a) as n", Aggregate("count_distinct", "a", "n")),
        ("count(distinctive) as n", Aggregate("count", "distinctive", "n")),
        ("sum(a + b) as n", Aggregate("sum", "a + b", "n", Arithmetic("+", A, B))),
        ("mean( days_between(a, b) )", Aggregate("mean", "days_between(a, b)", "mean(days_between(a, b))",
                                                  DaysBetween(A, B))),
        ("count(distinct a - b) as n", Aggregate("count_distinct", "a - b", "n", Arithmetic("-", A, B))),
        ("sum(loss (gross))", Aggregate("sum", "loss (gross)", "sum(loss (gross))")),
        ("sum(men's) as women's", Aggregate("sum", "men's", "women's")),
        ("sum('a)' + ‘b(’) as n", Aggregate("sum", "'a)' + ‘b(’", "n",
                                              Arithmetic("+", ColumnReference("a)"), ColumnReference("b(")))),
        ("(sum(a)) as n", Aggregate("sum", "a", "n")),
        (
            "sum(a) / count(b) as r",
            AggregateExpression(
                Arithmetic("/", ColumnReference("sum(a)"), ColumnReference("count(b)")),
                (Aggregate("sum", "a", "sum(a)"), Aggregate("count", "b", "count(b)")),
                "r", "sum(a) / count(b)",
            ),
        ),
        (
            "round(100 * sum(a) / sum(a), 1)",
            AggregateExpression(
                FunctionCall("round", Arithmetic("/",
                    Arithmetic("*", NumberLiteral(100), ColumnReference("sum(a)")),
                                           ColumnReference("sum(a)")), 1),
                (Aggregate("sum", "a", "sum(a)"),),
                "round(100 * sum(a) / sum(a), 1)", "round(100 * sum(a) / sum(a), 1)",
            ),
        ),
    ],
)  # fmt: skip
def test_an_aggregate_is_read(text: str, aggregate: GroupValue) -> None:
    assert read_aggregate(text) == aggregate


@pytest.mark.parametrize(
    ("text", "said", "position"),
    [
        ("", "expected one of count, count_distinct, max, min, sum, mean, median", 0),
        ("paid", "expected one of count, count_distinct", 0),
        (" stdev(a)", "expected one of count, count_distinct", 1),
        ("sum(a", "expected ): sum is written sum(column) as name", 5),
        ("sum()", "expected a column: sum of what?", 4),
        ("sum(*)", "expected a column: sum of what?", 4),
        ("count_distinct()", "expected a column: count_distinct of what?", 15),
        ("count(distinct )", "expected a column: count_distinct of what?", 6),
        ("sum(a) total", "expected as and a name, or the end", 7),
        ("sum(a) as ", "expected as and a name, or the end", 7),
        ("sum(a) / b as c", "expected one of count, count_distinct", 9),
        ("sum(a) / stdev(b)", "expected one of count, count_distinct", 9),
        ("sum(a) / (count(b)", "expected )", 18),
        ("sum(a) / count(b", "expected ): count is written count(column) as name", 16),
        ("7 as a", "expected one of count, count_distinct", 0),
        ("sum(a)" + "+sum(a)" * 60, "an expression of more than 50 parts", 356),
    ],
)
def test_what_is_no_aggregate_is_said_with_its_place(text: str, said: str, position: int) -> None:
    problem = read_aggregate(text)
    assert isinstance(problem, Problem)
    assert problem.message.startswith(said)
    assert problem.position == position


@pytest.mark.parametrize(
    "piece",
    ["'", "‘", "(", ")", " ", "a ", "a+", "a>", "-", "^", "1.", "'a'", " as", "days_between("],
)
def test_a_megabyte_is_read_at_once(piece: str) -> None:
    """Not a matter of seconds but of ending at all: anything quadratic would take hours."""
    text = piece * (1_000_000 // len(piece))
    assert isinstance(read_aggregate(f"sum({text}"), Problem)
    assert isinstance(read_expression(text), Problem) or piece == "'a'"
    assert isinstance(read_aggregate(text), Problem)


# Columns as paths: every form, and what is wrong with what is none.


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
    assert read_path(text) == ColumnPath(tuple(PathStep(*step) for step in steps), name)


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
    assert isinstance(read, ColumnPath)
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
        ("a > 'b' c", "expected > or as after the name in quotes", 4),
        ("a as b > c", "expected one name after as", 5),
        ("a as b as c", "expected one name after as", 5),
        ("a as ^b", "expected one name after as", 6),
        ("a as 'b' c", "expected one name after as", 5),
        ("a as ", "expected a name after as", 4),
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
def test_a_path_is_read_as_it_is_written(steps: list[PathStep], name: str) -> None:
    parts = [
        "^" * s.backwards
        + f"`{s.relation}`"
        + (f"#{s.walk}" if s.walk > 1 else "")
        + "?" * s.optional
        for s in steps
    ]
    assert read_path(" > ".join(parts)) == ColumnPath(tuple(steps), steps[-1].relation)
    assert read_path(" > ".join(parts) + f" as `{name}`") == ColumnPath(tuple(steps), name)


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


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("mean(h) as m, count() as n", ["m", "n"]),
        ("sum(a), count()", ["sum(a)", "count()"]),
        ("round(sum(a) / count(), 2) as mean", ["mean"]),
        ("round(sum(a) / count(), 2) as mean, max(b) as top", ["mean", "top"]),
        ("sum(a) as paid, in all", ["paid, in all"]),
    ],
)
def test_several_values_in_one_text(text: str, names: list[str]) -> None:
    values = read_aggregates(text)
    assert not isinstance(values, Problem)
    assert [value.name for value in values] == names
