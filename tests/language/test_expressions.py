"""Expressions over columns, and what is computed of groups: every form, every problem."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustuqa_neo4j.language.expressions import (
    Aggregate,
    Applied,
    Column,
    Combined,
    DaysBetween,
    Expression,
    Figure,
    Number,
    Operation,
    read_aggregate,
    read_expression,
)
from trustuqa_neo4j.language.query import Problem

A, B, C = Column("a"), Column("b"), Column("c")


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("a", A),
        (" a ", A),
        ("'loss amount'", Column("loss amount")),
        ("`a-b`", Column("a-b")),
        ("“a (b)”", Column("a (b)")),
        ("claim.amount", Column("claim.amount")),
        ("größe", Column("größe")),
        ("12", Number(12)),
        ("1.50", Number(1.5)),
        ("a - b - c", Operation("-", Operation("-", A, B), C)),
        ("a-(b-c)", Operation("-", A, Operation("-", B, C))),
        ("a + b * c", Operation("+", A, Operation("*", B, C))),
        ("(a + b) / c", Operation("/", Operation("+", A, B), C)),
        ("a × b ÷ c − 1", Operation("-", Operation("/", Operation("*", A, B), C), Number(1))),
        ("a plus b times c", Operation("+", A, Operation("*", B, C))),
        ("-a", Operation("-", Number(0), A)),
        ("- -a", Operation("-", Number(0), Operation("-", Number(0), A))),
        ("+a * -b", Operation("*", A, Operation("-", Number(0), B))),
        ("days_between(a, 'b')", DaysBetween(A, B)),
        ("Days_Between(a, b + 1)", DaysBetween(A, Operation("+", B, Number(1)))),
        ("days_between(a, b) / 365", Operation("/", DaysBetween(A, B), Number(365))),
        ("days_between", Column("days_between")),
        ("days_between(a, '2020-01-01')", DaysBetween(A, Column("2020-01-01"))),
        ("days_between(a, 2020-01-01)", DaysBetween(A, Column("2020-01-01"))),
        ("2020-01-1", Operation("-", Operation("-", Number(2020), Number(1)), Number(1))),
        ("year(a)", Applied("year", A)),
        ("YEAR(a) - 2000", Operation("-", Applied("year", A), Number(2000))),
        ("abs(a - b)", Applied("abs", Operation("-", A, B))),
        ("round(a)", Applied("round", A)),
        ("round(a / b, 2)", Applied("round", Operation("/", A, B), 2)),
        ("year", Column("year")),
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
    if isinstance(expression, Column):
        return f"`{expression.name}`"
    if isinstance(expression, Number):
        return str(expression.value)
    if isinstance(expression, DaysBetween):
        return f"days_between({written(expression.start)}, {written(expression.end)})"
    if isinstance(expression, Applied):
        digits = f", {expression.digits}" if expression.digits else ""
        return f"{expression.function}({written(expression.of)}{digits})"
    return f"({written(expression.left)} {expression.operator} {written(expression.right)})"


leaves = st.builds(
    Column, st.text(min_size=1, max_size=9).filter(lambda n: n.strip() and "`" not in n)
) | (st.builds(Number, st.integers(0, 10**9) | st.integers(0, 999).map(lambda n: n + 0.25)))
expressions: st.SearchStrategy[Expression] = st.recursive(
    leaves,
    lambda inner: (
        st.builds(Operation, st.sampled_from("+-*/"), inner, inner)
        | st.builds(DaysBetween, inner, inner)
        | st.builds(Applied, st.sampled_from(("year", "abs")), inner)
        | st.builds(Applied, st.just("round"), inner, st.integers(0, 15))
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
        ("sum(a + b) as n", Aggregate("sum", "a + b", "n", Operation("+", A, B))),
        ("mean( days_between(a, b) )", Aggregate("mean", "days_between(a, b)", "mean(days_between(a, b))",
                                                  DaysBetween(A, B))),
        ("count(distinct a - b) as n", Aggregate("count_distinct", "a - b", "n", Operation("-", A, B))),
        ("sum(loss (gross))", Aggregate("sum", "loss (gross)", "sum(loss (gross))")),
        ("sum(men's) as women's", Aggregate("sum", "men's", "women's")),
        ("sum('a)' + ‘b(’) as n", Aggregate("sum", "'a)' + ‘b(’", "n",
                                              Operation("+", Column("a)"), Column("b(")))),
        ("(sum(a)) as n", Aggregate("sum", "a", "n")),
        (
            "sum(a) / count(b) as r",
            Combined(
                Operation("/", Column("sum(a)"), Column("count(b)")),
                (Aggregate("sum", "a", "sum(a)"), Aggregate("count", "b", "count(b)")),
                "r", "sum(a) / count(b)",
            ),
        ),
        (
            "round(100 * sum(a) / sum(a), 1)",
            Combined(
                Applied("round", Operation("/", Operation("*", Number(100), Column("sum(a)")),
                                           Column("sum(a)")), 1),
                (Aggregate("sum", "a", "sum(a)"),),
                "round(100 * sum(a) / sum(a), 1)", "round(100 * sum(a) / sum(a), 1)",
            ),
        ),
    ],
)  # fmt: skip
def test_an_aggregate_is_read(text: str, aggregate: Figure) -> None:
    assert read_aggregate(text) == aggregate


@pytest.mark.parametrize(
    ("text", "said", "position"),
    [
        ("", "expected one of sum, mean, min, max, count, count_distinct", 0),
        ("paid", "expected one of sum", 0),
        (" median(a)", "expected one of sum", 1),
        ("sum(a", "expected ): sum is written sum(column) as name", 5),
        ("sum()", "expected a column: sum of what?", 4),
        ("sum(*)", "expected a column: sum of what?", 4),
        ("count_distinct()", "expected a column: count_distinct of what?", 15),
        ("count(distinct )", "expected a column: count_distinct of what?", 6),
        ("sum(a) total", "expected as and a name, or the end", 7),
        ("sum(a) as ", "expected as and a name, or the end", 7),
        ("sum(a) / b as c", "expected one of sum", 9),
        ("sum(a) / median(b)", "expected one of sum", 9),
        ("sum(a) / (count(b)", "expected )", 18),
        ("sum(a) / count(b", "expected ): count is written count(column) as name", 16),
        ("7 as a", "expected one of sum", 0),
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
