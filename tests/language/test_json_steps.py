"""Steps in JSON, as the text that the parser reads."""

from __future__ import annotations

import pytest

from trustuqa_neo4j.language.ast import Query
from trustuqa_neo4j.language.json_steps import find_json_problem, rewrite_json_steps
from trustuqa_neo4j.language.parser import parse_query

BOTH = "Query1: get_information(head_entity='A', relation='b')\nQuery2: count(set=output_of_query1)"


@pytest.mark.parametrize(
    "text",
    [
        """["get_information(head_entity='A', relation='b')", "count(set=output_of_query1)"]""",
        """{"queries": [{"call": "get_information(head_entity='A', relation='b')"},
                       {"call": "count(set=output_of_query1)"}]}""",
        """{"Query1": "get_information(head_entity='A', relation='b')",
            "Query2": "count(set=output_of_query1)"}""",
        """[{"function": "get_information", "arguments": {"head_entity": "A", "relation": "b"}},
            {"function": "count", "arguments": {"set": "output_of_query1"}}]""",
        """Steps:\n```json\n{"steps": [
            {"step": 1, "query": "get_information(head_entity='A',\\n relation='b')"},
            {"step": 2, "query": "count(set=output_of_query1)"}]}\n```\nDone.""",
        """<think>\n["count(set=[1])"]\n</think>
            ["get_information(head_entity='A', relation='b')", "count(set=output_of_query1)"]""",
        """["Query1: get_information(head_entity='A', relation='b')",
            {"Query2": "count(set=output_of_query1)"}]""",
    ],
)
def test_forms_of_steps(text: str) -> None:
    assert rewrite_json_steps(text) == BOTH
    assert isinstance(parse_query(BOTH), Query)


def test_names_keep_their_quotes() -> None:
    text = """[{"name": "count", "args": {"set": ["L'Age d'Or", 3, null]}}]"""
    assert rewrite_json_steps(text) == r"Query1: count(set=['L\'Age d\'Or', 3, None])"


@pytest.mark.parametrize(
    "text", ["", BOTH, '{"answer": 42}', "[1, 2]", '["no call"]', '{"steps": [{"query', "[" * 9999]
)
def test_other_text_stays(text: str) -> None:
    assert rewrite_json_steps(text) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '{"steps": [1 2]}',
            "the JSON cannot be read: Expecting ',' delimiter (line 1, column 14)",
        ),
        ("[" * 9999, "the JSON cannot be read: it is nested too deep"),
        ('{"steps": []}', "no step found: the list of steps in the JSON is empty"),
        (
            '{"steps": ["I cannot", {"query": 4}]}',
            "no step found: nothing in the JSON is a function with its arguments",
        ),
    ],
)
def test_broken_json_has_a_reason(text: str, message: str) -> None:
    problem = find_json_problem(text)
    assert problem is not None
    assert problem.message == message


@pytest.mark.parametrize("text", ["prose", "[a list]", '{"answer": 42}'])
def test_no_reason_without_broken_json(text: str) -> None:
    assert find_json_problem(text) is None
