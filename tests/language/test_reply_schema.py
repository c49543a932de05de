"""The JSON Schema of replies: replies that keep to it are read as the queries that they mean."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

from trustuqa_neo4j.language.ast import Argument, Call, ListValue, Literal, Query, Reference, Value
from trustuqa_neo4j.language.functions import FUNCTIONS
from trustuqa_neo4j.language.json_steps import rewrite_json_steps
from trustuqa_neo4j.language.parser import parse_query
from trustuqa_neo4j.language.printer import print_query
from trustuqa_neo4j.language.reply_schema import MAX_RELATIONS, make_reply_schema
from trustuqa_neo4j.prompts.worked_examples import load_worked_examples

EXAMPLES = [example.query for data in load_worked_examples() for example in data.examples]


def parse(text: str) -> Query:
    query = parse_query(text)
    assert isinstance(query, Query)
    return query


def is_flat(query: Query) -> bool:
    """True if each step is one call, as the schema has it."""
    return all(
        isinstance(step.value, Call)
        and all(isinstance(a.value, Literal | Reference | ListValue) for a in step.value.arguments)
        for step in query.steps
    )


def write_reply(query: Query) -> str:
    """The reply of a model that keeps to the schema."""
    steps = [
        {"comment": f"step {step.number}", **write_call(step.value)}
        for step in query.steps
        if isinstance(step.value, Call)
    ]
    return json.dumps({"steps": steps})


def write_call(call: Call) -> dict[str, Any]:
    return {"function": call.function, "arguments": [*map(write_argument, call.arguments)]}


def write_argument(argument: Argument) -> dict[str, Any]:
    name = argument.name or "set"
    return {"name": name, "operator": argument.operator, "value": write_value(argument.value)}


def write_value(value: Value) -> Any:
    if isinstance(value, Reference):
        return f"output_of_query{value.step}"
    if isinstance(value, ListValue):
        return [write_value(member) for member in value.members]
    assert isinstance(value, Literal)
    return value.text


def print_steps(query: Query) -> str:
    """The steps without the names of operands."""
    return re.sub(r"\bset\d?=", "", print_query(replace(query, target=())))


def test_most_worked_examples_are_flat() -> None:
    assert sum(is_flat(parse(text)) for text in EXAMPLES) > 0.7 * len(EXAMPLES)


@pytest.mark.parametrize("text", [text for text in EXAMPLES if is_flat(parse(text))])
def test_a_reply_is_read_as_the_query_that_it_means(text: str) -> None:
    query = parse(text)
    reply = write_reply(query)
    Draft202012Validator(make_reply_schema([])).validate(json.loads(reply))
    rewritten = rewrite_json_steps(reply)
    assert rewritten.startswith("Step1: step 1\nQuery1: ")
    assert print_steps(parse(rewritten)) == print_steps(query)


def test_relations_are_enumerated_if_they_are_few() -> None:
    schema = Draft202012Validator(make_reply_schema(["directed by", "starring"]))

    def reply(relation: str) -> dict[str, Any]:
        argument = {"name": "relation", "operator": "=", "value": relation}
        step = {"comment": "", "function": "get_information", "arguments": [argument]}
        return {"steps": [step]}

    schema.validate(reply("starring"))
    with pytest.raises(ValidationError):
        schema.validate(reply("budget"))
    many = [f"relation {number}" for number in range(MAX_RELATIONS + 1)]
    Draft202012Validator(make_reply_schema(many)).validate(reply("budget"))
    long = ["x" * 5_000, "y" * 5_000]
    Draft202012Validator(make_reply_schema(long)).validate(reply("budget"))


def test_objects_are_closed_and_name_all_fields() -> None:
    def walk(node: Any) -> None:
        if isinstance(node, dict):
            if node.get("type") == "object":
                assert node["additionalProperties"] is False
                assert node["required"] == list(node["properties"])
            for child in node.values():
                walk(child)
        elif isinstance(node, list):
            for child in node:
                walk(child)

    schema = make_reply_schema(["starring"])
    Draft202012Validator.check_schema(schema)
    walk(schema)
    functions = schema["properties"]["steps"]["items"]["properties"]["function"]["enum"]
    assert functions == [function.name for function in FUNCTIONS]


@pytest.mark.parametrize(
    ("argument", "text"),
    [
        ({"name": "tail_entity", "operator": ">=", "value": 250}, "f(tail_entity>=250)"),
        ({"name": "value", "operator": "contains", "value": "it's"}, r"f(value contains 'it\'s')"),
        ({"name": "set", "operator": "=", "value": "output_of_query1"}, "f(output_of_query1)"),
        ({"name": "head_entity", "operator": "=", "value": ["A", "B"]}, "f(head_entity=['A', 'B'])"),
        ({"name": "key", "value": "K"}, "f(key='K')"),
    ],
)  # fmt: skip
def test_arguments(argument: dict[str, Any], text: str) -> None:
    reply = {"steps": [{"function": "f", "arguments": [argument]}]}
    assert rewrite_json_steps(json.dumps(reply)) in (f"Query1: {text}", json.dumps(reply))
    reply["steps"][0]["function"] = "get_information"
    assert rewrite_json_steps(json.dumps(reply)) == f"Query1: get_information{text[1:]}"
