"""Whatever the text: a query or problems, the same query as was written, in time linear in the text."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from time import process_time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from printing import Printer, queries

from trustuqa_neo4j.checking.check import check
from trustuqa_neo4j.language.parse import parse
from trustuqa_neo4j.language.query import LLMQuery, excerpt

PIECES = (
    "Query1:", "Query2:", "query 3 :", "Step1:", "Step 2: ", "get_information(", "count(", "f(", ")", "(",
    "[", "]", "{", "}", "（", "）", "'", '"', "`", "‘", "’", "“", "”", "«", "\\", "\\'", '\\"', ",", ".", ";",
    ":", "=", "<=", "=>", "<>", "≥", "!", "-", "+", "*", "head_entity", "relation=", "tail_entity", "key=",
    "and ", "if ", "then", " then ", "else ", " else: ", "if(", " or ", " in ", "return ", "elif ", " end",
    "?", "count_of_query3", "set1=", "None", "/", "×", "–", "|", "keep(", "get_table(", "calculate(",
    "Alien", "I Can't", "1,000", "-5", "1990", "output_of_query1",
    "'output_of_query1'", "output_of_query99999999999", " ", "\n", "\r\n", "\t", "\u00a0", "```", "#", "##",
    "<think>", "</think>", "## Target type: {", "**", "- ", "// ", "— ", "é", "映画", "\x00", "\ud800",
)  # fmt: skip

anything = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@anything
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text())
def test_any_text_gives_a_query_or_problems(text: str) -> None:
    read = parse(text)
    problems = read if isinstance(read, tuple) else check(read)
    if isinstance(read, LLMQuery):
        assert read.steps
    else:
        assert problems
    for problem in problems:
        assert problem.kind
        assert problem.message
        assert problem.position is None or 0 <= problem.position <= len(text)
        assert excerpt(text, problem.position or 0).count("\n") == 1


@settings(anything, max_examples=300)
@given(queries(), st.randoms(use_true_random=False))
def test_what_is_written_is_read_with_its_positions(query: LLMQuery, random: Random) -> None:
    printer = Printer(random)
    written = printer.write(query)
    assert parse(printer.text) == written


CALL = 'Query1: "get_information(head_entity='

HOSTILE: dict[str, Callable[[int], str]] = {
    "quotes": lambda n: CALL + "'" * n,
    "escaped quotes": lambda n: CALL + "\\'" * (n // 2),
    "backslashes": lambda n: CALL + "'" + "\\" * n,
    "quotes that may close": lambda n: CALL + "'" + "' \n, a " * (n // 7),
    "quotes before brackets": lambda n: CALL + "'" + ('")' + ")" * 20) * (n // 22),
    "quotes before words": lambda n: CALL + "'" + "' a " * (n // 4),
    "quotes before commas": lambda n: CALL + "'a" + "',  x" * (n // 5),
    "names that must be guessed": lambda n: CALL + "['a', b; " * (n // 9),
    "names without end": lambda n: (CALL + "'a\n") * (n // 40),
    "a long name": lambda n: CALL + "'" + "I Can't " * (n // 8),
    "round brackets": lambda n: CALL + "(" * n,
    "square brackets": lambda n: CALL + "[" * n,
    "calls in calls": lambda n: CALL + "f(" * (n // 2),
    "closed brackets": lambda n: CALL + "[]" * (n // 2),
    "commas": lambda n: CALL + "'a'" + "," * n,
    "full stops": lambda n: CALL + "'a'" + ". " * (n // 2) + "x",
    "operators": lambda n: CALL + "=" * n,
    "digits": lambda n: CALL + "1-" * (n // 2) + ",000" * (n // 4),
    "blanks": lambda n: CALL + " " * n + "@",
    "line ends": lambda n: "\n" * n,
    "blanks in a label": lambda n: "query" + " " * n + "1" + " " * n,
    "labels": lambda n: "query1:" * (n // 7),
    "labels on lines": lambda n: "query1:\n" * (n // 8),
    "half a target": lambda n: "target type " * (n // 12) + "target type: " + "{" * n,
    "thinking": lambda n: "<think>" * (n // 7),
    "thinking that ends": lambda n: "<think></think>" * (n // 15),
    "fences": lambda n: "```\n" * (n // 4),
    "signs": lambda n: "Query1: output_of_query1" + " + 1" * (n // 4),
    "comparisons": lambda n: CALL + "'a' > " * (n // 6),
    "conditions": lambda n: "Query1: " + "if output_of_query1 then " * (n // 25),
    "conditions in brackets": lambda n: "Query1: " + "if(" * (n // 3),
    "cases": lambda n: (
        "Query1: if output_of_query1 then 'a'" + " elif output_of_query1 then 'b'" * (n // 31)
    ),
    "choices": lambda n: "Query1: " + "output_of_query1 ? " * (n // 19),
    "results in quotes": lambda n: CALL + "'" + "output_of_query1 " * (n // 17) + "')",
    "results in quotes in quotes": lambda n: CALL + "'\"output_of_query1 " * (n // 19),
    "names around signs": lambda n: CALL + "'" + "a' or 'b' and " * (n // 14),
    "brackets behind commas": lambda n: CALL + "'" + "', ((((" * (n // 7),
    "words without quotes": lambda n: CALL + "a and b " * (n // 8) + "=",
    "dots": lambda n: CALL + "a." * (n // 2) + "(",
    "one word": lambda n: CALL + "a" * n,
    "ends": lambda n: "Query1: if output_of_query1 then a else b" + " end , ; ." * (n // 10) + "x",
    "marks of direction": lambda n: CALL + "'" + "\u202e\u200f'\u2066" * (n // 4),
    "nothing but NUL": lambda n: CALL + "\x00" * n,
    "prose in quotes": lambda n: "'lorem' ipsum (dolor) " * (n // 22),
}


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_megabyte_of_hostile_text_is_a_problem_in_linear_time(make: Callable[[int], str]) -> None:
    few, many = make(250_000), make(1_000_000)
    ratios = []
    for _ in range(3):  # whatever else runs disturbs one of them, and hardly all
        before = process_time()
        parse(few)
        between = process_time()
        problems = parse(many)
        ratios.append((process_time() - between) / max(between - before, 0.02))
        if ratios[-1] < 12:
            break
    assert isinstance(problems, tuple)
    assert all(p.position is not None for p in problems) or "query1:" not in many.casefold()
    assert min(ratios) < 12


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"Query{n}: f(output_of_query{n + 1})\n" for n in range(10_000)),
        "get_information(" + "head_entity='a', " * 10_000 + ")",
        "get_information(head_entity=[" + "'a', 1990, " * 10_000 + "], relation='r')",
    ],
    ids=["steps", "parameters", "members"],
)
def test_much_that_can_be_read_is_checked_in_linear_time(text: str) -> None:
    before = process_time()
    read = parse(text)
    assert isinstance(read, LLMQuery)
    check(read)
    assert process_time() - before < 5
