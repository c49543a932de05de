"""What LLMs really write, and how it is read."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.golden_cases import case_text, cases, plain_steps, query
from support.processor import a_minute_at_most
from support.query_printer import Printer, queries

from trustuqa_neo4j.language.ast import Query, excerpt
from trustuqa_neo4j.language.parser import (
    MAX_LENGTH,
    parse_query,
    parse_steps,
)
from trustuqa_neo4j.validation.validate import check_form

CALL = "get_information(head_entity='Alien', relation='directed_by')"
READ = ["get_information", ["head_entity", "=", "Alien"], ["relation", "=", "directed_by"]]


@cases("parse")
def test_a_text_gives_its_steps(case: dict[str, Any]) -> None:
    read = query(case_text(case))
    assert plain_steps(read) == case["steps"]
    assert list(read.target) == case.get("target", [])


@cases("unreadable")
def test_what_cannot_be_read_is_said_with_its_place(case: dict[str, Any]) -> None:
    problems = parse_query(case_text(case))
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


SIGNS = {
    "-": "-", "+": "+", "−": "-", "–": "-", "*": "*", "/": "/", "×": "*", "÷": "/", "minus": "-",
    "plus": "+", "times": "*", "divided by": "/", "=": "=", "==": "=", "!=": "!=", "<>": "!=", "≠": "!=",
    "<": "<", ">": ">", "<=": "<=", "=>": ">=", "≥": ">=", "and": "and", "or": "or", "AND": "and",
    "&&": "and", "&": "and", "||": "or", "|": "or",
}  # fmt: skip


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize(
    ("left", "right"),
    [
        (CALL, CALL),
        (CALL, "1990"),
        ("output_of_query1", "output_of_query1"),
        ("'output_of_query1'", "5"),
        ("5", "output_of_query1"),
        ("'I Can't'", "output_of_query1"),
        ("(output_of_query1)", "[5, 'x']"),
    ],
)
def test_values_are_joined_by_any_sign(sign: str, left: str, right: str) -> None:
    text = f"{left} {sign} {right}"
    step = plain_steps(query(f"Query2: {text}"))
    ((_, expression),) = step
    assert expression["infix"][1] == SIGNS[sign]
    for quoted in (f'Query2: "{text}"', f"Query2: `{text}`\n", f"Query2: ({text})."):
        assert plain_steps(query(quoted)) == step
    inside = plain_steps(query(f"f({text}, a={text}, [{text}])"))[0]
    assert inside[2:] == [
        [None, "=", expression],
        ["a", "=", expression],
        [None, "=", [expression]],
    ]


@pytest.mark.parametrize("sign", ["and", "or", "-", ">"])
def test_calls_in_quotes_of_their_own_are_joined(sign: str) -> None:
    read = plain_steps(query(f'Query2: "{CALL}" {sign} "{CALL}"'))
    assert read == [[2, {"infix": [{"call": READ}, SIGNS[sign], {"call": READ}]}]]


@pytest.mark.parametrize(
    "sign", ["%", "^", "then", "else", "union", "intersect", "except", "where", "not"]
)
@pytest.mark.parametrize("quote", ["", '"'])
def test_what_is_no_sign_of_the_language_is_not_left_out(sign: str, quote: str) -> None:
    for text in (
        f"Query2: {quote}{CALL}{quote} {sign} 1990",
        f"Query2: {quote}{CALL} {sign} {CALL}",
    ):
        problems = parse_query(text)
        assert isinstance(problems, tuple), problems
        assert [(p.kind, p.message, p.step, p.position) for p in problems] == [
            ("unreadable", "expected the end", 2, text.index("_by')") + len("_by')"))
        ]


IF = {
    "call": [
        "if",
        [None, "=", {"infix": [{"output_of_query": 1}, ">", "5"]}],
        [None, "=", "a b"],
        [None, "=", "c"],
    ]
}


@pytest.mark.parametrize(
    "text",
    [
        "if output_of_query1 > 5 then 'a b' else 'c'",
        "if output_of_query1 > 5, then 'a b', else 'c'",
        "if output_of_query1 > 5, 'a b', 'c'",
        "if output_of_query1 > 5: 'a b' else: 'c'",
        "if output_of_query1 > 5: return 'a b' else: return 'c'",
        "if output_of_query1 > 5: return 'a b'; else: return 'c'",
        "if output_of_query1 > 5, return 'a b', else return 'c'",
        "if output_of_query1 > 5:\n    return 'a b'\nelse:\n    return 'c'",
        "if output_of_query1 > 5 then 'a b' otherwise 'c'",
        "if output_of_query1 > 5 then 'a b' else 'c' end",
        "IF output_of_query1 > 5 THEN 'a b' ELSE 'c' END IF",
        "if output_of_query1 > 5 then a b else c endif",
        "if output_of_query1 > 5 then: return a b else: return c.",
        "if set1=output_of_query1 > 5 then 'a b' else 'c'",
        "if 'output_of_query1' > '5' then 'a b' else 'c'",
        "if (output_of_query1 > 5) then 'a b' else 'c'",
        "if (output_of_query1 > 5): 'a b' else: 'c'",
        "if(output_of_query1 > 5): 'a b', else: 'c'",
        "if(output_of_query1 > 5: return 'a b' else: return 'c')",
        "if(output_of_query1 > 5 then 'a b' else 'c')",
        "if(output_of_query1 > 5, 'a b', 'c')",
        "if((output_of_query1 > 5), 'a b', 'c')",
        "'a b' if output_of_query1 > 5 else 'c'",
        "output_of_query1 > 5 ? 'a b' : 'c'",
        "(if output_of_query1 > 5 then 'a b' else 'c')",
        "if_output_of_query1 > 5: 'a b' else: 'c'",
    ],
)
@pytest.mark.parametrize("quote", ["", '"'])
def test_a_condition_in_any_form(text: str, quote: str) -> None:
    read = plain_steps(query(f"Query2: {quote}{text}{quote}\nStep3: That's it, then."))
    assert read == [[2, *IF["call"]]]


@pytest.mark.parametrize("place", ["f({})", "f({}, 1)", "f(a={}, b=1)", "f([{}])", "g(1, {})"])
@pytest.mark.parametrize(
    "text", ["if output_of_query1 > 5 then 'a b' else c", "if(output_of_query1 > 5, 'a b', c)"]
)
def test_a_condition_within_a_call(text: str, place: str) -> None:
    found = str(plain_steps(query(place.format(text))))
    assert str(IF) in found


@pytest.mark.parametrize(
    ("text", "said", "at"),
    [
        (
            "if output_of_query1 > 5",
            "the condition that begins here has no cases: expected then",
            "if",
        ),
        ("if output_of_query1 > 5 then", "expected a value", None),
        ("if output_of_query1 > 5 then 'a' else", "expected a value", None),
        ("output_of_query1 > 5 ? 'a'", "expected else", None),
        ("'a' if output_of_query1 > 5", "expected else", None),
        ("output_of_query1 >", "expected a value", None),
        ("output_of_query1 > > 5", "expected a value", "> 5"),
        ("(output_of_query1", "expected a comma or )", None),
        ("f(output_of_query1) in", "expected a value", None),
        ("()", "expected a value", ")"),
    ],
)
def test_what_an_expression_lacks_is_said(text: str, said: str, at: str | None) -> None:
    problems = parse_query(f"Query1: {text}")
    assert isinstance(problems, tuple), problems
    place = len(f"Query1: {text}") if at is None else len("Query1: ") + text.index(at)
    assert [(p.message, p.position) for p in problems] == [(said, place)]


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


# Whatever the text: a query or problems, the same query as was written, in time linear in the text.

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


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text())
def test_any_text_gives_a_query_or_problems(text: str) -> None:
    read = parse_query(text)
    problems = read if isinstance(read, tuple) else check_form(read)
    if isinstance(read, Query):
        assert read.steps
    else:
        assert problems
    for problem in problems:
        assert problem.kind
        assert problem.message
        assert problem.position is None or 0 <= problem.position <= len(text)
        assert excerpt(text, problem.position or 0).count("\n") == 1


@given(queries(), st.randoms(use_true_random=False))
def test_what_is_written_is_read_with_its_positions(query: Query, random: Random) -> None:
    printer = Printer(random)
    written = printer.write(query)
    assert parse_query(printer.text) == written


HOSTILE_CALL = 'Query1: "get_information(head_entity='

HOSTILE: dict[str, Callable[[int], str]] = {
    "quotes": lambda n: HOSTILE_CALL + "'" * n,
    "escaped quotes": lambda n: HOSTILE_CALL + "\\'" * (n // 2),
    "backslashes": lambda n: HOSTILE_CALL + "'" + "\\" * n,
    "quotes that may close": lambda n: HOSTILE_CALL + "'" + "' \n, a " * (n // 7),
    "quotes before brackets": lambda n: HOSTILE_CALL + "'" + ('")' + ")" * 20) * (n // 22),
    "quotes before words": lambda n: HOSTILE_CALL + "'" + "' a " * (n // 4),
    "quotes before commas": lambda n: HOSTILE_CALL + "'a" + "',  x" * (n // 5),
    "names that must be guessed": lambda n: HOSTILE_CALL + "['a', b; " * (n // 9),
    "names without end": lambda n: (HOSTILE_CALL + "'a\n") * (n // 40),
    "a long name": lambda n: HOSTILE_CALL + "'" + "I Can't " * (n // 8),
    "round brackets": lambda n: HOSTILE_CALL + "(" * n,
    "square brackets": lambda n: HOSTILE_CALL + "[" * n,
    "calls in calls": lambda n: HOSTILE_CALL + "f(" * (n // 2),
    "closed brackets": lambda n: HOSTILE_CALL + "[]" * (n // 2),
    "commas": lambda n: HOSTILE_CALL + "'a'" + "," * n,
    "full stops": lambda n: HOSTILE_CALL + "'a'" + ". " * (n // 2) + "x",
    "operators": lambda n: HOSTILE_CALL + "=" * n,
    "digits": lambda n: HOSTILE_CALL + "1-" * (n // 2) + ",000" * (n // 4),
    "blanks": lambda n: HOSTILE_CALL + " " * n + "@",
    "line ends": lambda n: "\n" * n,
    "blanks in a label": lambda n: "query" + " " * n + "1" + " " * n,
    "labels": lambda n: "query1:" * (n // 7),
    "labels on lines": lambda n: "query1:\n" * (n // 8),
    "half a target": lambda n: "target type " * (n // 12) + "target type: " + "{" * n,
    "thinking": lambda n: "<think>" * (n // 7),
    "thinking that ends": lambda n: "<think></think>" * (n // 15),
    "fences": lambda n: "```\n" * (n // 4),
    "signs": lambda n: "Query1: output_of_query1" + " + 1" * (n // 4),
    "comparisons": lambda n: HOSTILE_CALL + "'a' > " * (n // 6),
    "conditions": lambda n: "Query1: " + "if output_of_query1 then " * (n // 25),
    "conditions in brackets": lambda n: "Query1: " + "if(" * (n // 3),
    "cases": lambda n: (
        "Query1: if output_of_query1 then 'a'" + " elif output_of_query1 then 'b'" * (n // 31)
    ),
    "choices": lambda n: "Query1: " + "output_of_query1 ? " * (n // 19),
    "results in quotes": lambda n: HOSTILE_CALL + "'" + "output_of_query1 " * (n // 17) + "')",
    "results in quotes in quotes": lambda n: HOSTILE_CALL + "'\"output_of_query1 " * (n // 19),
    "names around signs": lambda n: HOSTILE_CALL + "'" + "a' or 'b' and " * (n // 14),
    "brackets behind commas": lambda n: HOSTILE_CALL + "'" + "', ((((" * (n // 7),
    "words without quotes": lambda n: HOSTILE_CALL + "a and b " * (n // 8) + "=",
    "dots": lambda n: HOSTILE_CALL + "a." * (n // 2) + "(",
    "one word": lambda n: HOSTILE_CALL + "a" * n,
    "ends": lambda n: "Query1: if output_of_query1 then a else b" + " end , ; ." * (n // 10) + "x",
    "marks of direction": lambda n: HOSTILE_CALL + "'" + "\u202e\u200f'\u2066" * (n // 4),
    "nothing but NUL": lambda n: HOSTILE_CALL + "\x00" * n,
    "a function without a bracket": lambda n: 'Query1: "get_ta' + "9" * n,
    "a fence without an end": lambda n: "Query1: ```" + "a" * n,
    "dots behind a name": lambda n: "Query1: get_information(relation='a'" + "." * n,
    "dots and commas before a bracket": lambda n: HOSTILE_CALL + "'a'" + ".," * (n // 2) + "(",
    "prose in quotes": lambda n: "'lorem' ipsum (dolor) " * (n // 22),
}


@pytest.mark.long
@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_megabyte_of_hostile_text_is_a_problem_in_linear_time(make: Callable[[int], str]) -> None:
    text = make(1_000_000)
    with a_minute_at_most():
        problems = parse_steps(text)
    assert isinstance(problems, tuple)
    assert all(p.position is not None for p in problems) or "query1:" not in text.casefold()


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
    with a_minute_at_most():
        read = parse_steps(text)
        assert isinstance(read, Query)
        check_form(read)


@pytest.mark.parametrize(
    "text",
    [
        'Query1: "get_ta' + "9" * 1_000_000,
        "Query1: get_information(relation='a'" + "." * 1_000_000 + "x",
        "Query1: get_information(relation='a'" + ".," * 500_000 + ")",
    ],
    ids=["no bracket", "dots", "dots and commas"],
)
def test_a_megabyte_is_read_at_once(text: str) -> None:
    """With a step for each pair of characters this would take hours."""
    parse_steps(text)


def test_a_text_that_is_too_long_is_a_problem() -> None:
    text = "get_information(relation='a')"
    assert isinstance(parse_query(text.ljust(MAX_LENGTH)), Query)
    (problem,) = parse_query(text.ljust(MAX_LENGTH + 1))  # type: ignore[misc]
    assert problem.message == "the text has 20,001 characters, and at most 20,000 are read"
    assert problem.position == MAX_LENGTH
