"""What LLMs really write, and how it is read."""

from __future__ import annotations

from typing import Any

import pytest
from golden import cases, given, plain_steps, query

from trustuqa_neo4j.language.parse import parse

CALL = "get_information(head_entity='Alien', relation='directed_by')"
READ = ["get_information", ["head_entity", "=", "Alien"], ["relation", "=", "directed_by"]]


@cases("parse")
def test_a_text_gives_its_steps(case: dict[str, Any]) -> None:
    read = query(given(case))
    assert plain_steps(read) == case["steps"]
    assert list(read.target) == case.get("target", [])


@cases("unreadable")
def test_what_cannot_be_read_is_said_with_its_place(case: dict[str, Any]) -> None:
    problems = parse(given(case))
    assert isinstance(problems, tuple), problems
    assert [problem.to_dict() for problem in problems] == case["problems"]


@pytest.mark.parametrize(
    "label",
    [
        "Query7:", "query7:", "QUERY 7:", "Query #7:", "Query_7:", "Query7 :", "Query7：", "Query7 =",
        "**Query7:**", "**Query 7**:", "__Query7__:", "__Query7:__", "*Query7*:", "`Query7`:", "'Query7':",
        "Query7):", "- Query7:", "* Query7:", "> Query7:", "1. Query7:", "(2) Query7:", "## Query7:",
        "| Query7:",
        "So: Query7:", "Step1: x Query7:", "\n\n\tQuery7:\n\n", "Step 7:", "**Step 7:**", "And step7: ",
    ],
)  # fmt: skip
@pytest.mark.parametrize("call", ["{}", '"{}"', "*{}*", "**`{}`**", '\n  "{}"'])
def test_a_label_is_known_in_any_dress(label: str, call: str) -> None:
    text = f"{label} {call.format(CALL)}\nQuery8: {CALL}"
    assert plain_steps(query(text)) == [[7, *READ], [8, *READ]]


@pytest.mark.parametrize(
    "text",
    [
        "Query 1234567890:",
        "Subquery1:",
        "query:",
        "Query1 == ",
        "output_of_query1 = ",
        "a query1: is",
    ],
)
def test_what_is_no_label_is_prose(text: str) -> None:
    assert plain_steps(query(f"{text}\nQuery2: {CALL}")) == [[2, *READ]]


@pytest.mark.parametrize(
    "behind",
    [
        "", ".", ",", ";", ":", '"', '".', '",', "'", "”", "`", "```", '\\"', ")", '")', ")\"", "]", "}",
        '+"', "**", "__", "~", " | ", "  ", "\t", "\r", '"**', '"),', '"},', "）", "*)*",
        " # remark", " // remark", " -- remark", " — remark", " – remark", " → remark", " -> remark",
        " (remark)", "<br>", "</p>", "<p>", '" # remark', '", // remark',
    ],
)  # fmt: skip
def test_what_may_stand_behind_a_call(behind: str) -> None:
    """Alone on its line, and behind an apostrophe, where it decides whether the name is over."""
    assert plain_steps(query(f"Query1: {CALL}{behind}")) == [[1, *READ]]
    text = f"Query1: {CALL}{behind}\nIt's 'done'.\nQuery2: {CALL}"
    assert plain_steps(query(text)) == [[1, *READ], [2, *READ]]


@pytest.mark.parametrize("behind", [" finds it.", ". It is", "; it's", " the", " ok (that's all)"])
def test_prose_may_stand_behind_the_quotes_of_a_call(behind: str) -> None:
    assert plain_steps(query(f'Query1: "{CALL}"{behind}')) == [[1, *READ]]


JOINING = [
    "and", "or", "if", "then", "else", "minus", "plus", "times", "union", "intersect", "except", "where",
    "not",
]  # fmt: skip
ARITHMETIC = ["-", "+", "−", "*", "/", "×", "÷", "%", "^"]
SIGNS = [*ARITHMETIC, "=", "==", "!=", "<>", "≠", "<", ">", "<=", "=>", "≥"]


@pytest.mark.parametrize("sign", [*JOINING, *SIGNS])
@pytest.mark.parametrize("quote", ["", '"'])
def test_an_expression_around_a_call_is_not_read_as_the_call(sign: str, quote: str) -> None:
    for text in (
        f"Query2: {quote}{CALL}{quote} {sign} 1990",
        f"Query2: {quote}{CALL} {sign} {CALL}",
    ):
        problems = parse(text)
        assert isinstance(problems, tuple), problems
        assert [(p.kind, p.step, p.position) for p in problems] == [
            ("not built", 2, text.index("_by')") + len("_by')"))
        ]


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("text", ["f(output_of_query1 {} 5)", "f(g(x=1) {} 5)", "f([1] {} 5)"])
def test_an_expression_in_a_call_is_not_built(text: str, sign: str) -> None:
    problems = parse(text.format(sign))
    assert isinstance(problems, tuple), problems
    assert [(p.kind, p.position) for p in problems] == [("not built", text.index("{"))]


@pytest.mark.parametrize("sign", [*JOINING, *SIGNS])
def test_an_expression_of_results_is_not_built(sign: str) -> None:
    for text in (
        f"output_of_query1 {sign} 5",
        f"(5 {sign} output_of_query1)",
    ):
        problems = parse(f"Query2: {text}")
        assert isinstance(problems, tuple), problems
        assert [(p.kind, p.step, p.position) for p in problems] == [("not built", 2, 8)]


@pytest.mark.parametrize(
    "number",
    [
        "0", "7", "1990", "-5", "+5", "−5", "3.5", "1,000", "12,000", "-123,456,789.01", "−1,000", "50%",
        "3rd", "1990s", "2007-08", "2007–08", "2007-08-01", "1/2", "1:23.4", "5km", "٣",
    ],
)  # fmt: skip
def test_a_number_needs_no_quotes(number: str) -> None:
    expected = ["f", ["a", "=", number], ["b", "=", "x"]]
    for text in (f"f(a={number}, b='x')", f"f(a={number} b='x')", f"f(a={number}，b='x')"):
        assert plain_steps(query(text)) == [[1, *expected]]
    assert plain_steps(query(f"f(b='x', a={number})")) == [[1, "f", expected[2], expected[1]]]


@pytest.mark.parametrize(
    "members", ["'a', 5", "'a',5, 'b'", "'a', 5]", "'a'，5， 'b'", "'a', -1.5 , 'b'"]
)
def test_a_number_ends_the_name_before_it(members: str) -> None:
    read = query(f"f(x=[{members.rstrip(']')}])")
    assert plain_steps(read)[0][2][2][0] == "a"
