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
        problems = parse(text)
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
    problems = parse(f"Query1: {text}")
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
