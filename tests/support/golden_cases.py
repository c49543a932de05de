"""Golden cases: ``cases/<stage>.json`` holds what is given and what must come of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from trustuqa_neo4j.language.ast import Argument, BinaryOp, Call, ListValue, Literal, Query, Value
from trustuqa_neo4j.language.parser import parse_query

FOLDER = Path(__file__).parents[1] / "cases"


def cases(name: str) -> Any:
    """A decorator that runs a test with the parameter ``case`` for every case of a file."""
    read = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    names = [case["case"] for case in read]
    assert len(set(names)) == len(names), f"two cases of {name} have one name"
    return pytest.mark.parametrize("case", read, ids=names)


def case_text(case: dict[str, Any]) -> str:
    """The text of a case: one string, or its lines."""
    text = case["given"]
    return text if isinstance(text, str) else "\n".join(text)


def query(text: str) -> Query:
    """What is read from ``text``, which can be read."""
    read = parse_query(text)
    assert isinstance(read, Query), read
    return read


def plain_steps(read: Query) -> list[Any]:
    """Steps as cases write them: number, function, and for each argument name, operator and value."""
    return [[step.number, *_plain_step(step.value)] for step in read.steps]


def _plain_step(value: Value) -> list[Any]:
    return _plain_call(value) if isinstance(value, Call) else [plain_value(value)]


def _plain_call(call: Call) -> list[Any]:
    return [call.function, *(_plain_argument(argument) for argument in call.arguments)]


def _plain_argument(argument: Argument) -> list[Any]:
    return [argument.name, argument.operator, plain_value(argument.value)]


def plain_value(value: Value) -> Any:
    if isinstance(value, Literal):
        return value.text
    if isinstance(value, ListValue):
        return [plain_value(member) for member in value.members]
    if isinstance(value, Call):
        return {"call": _plain_call(value)}
    if isinstance(value, BinaryOp):
        return {"infix": [plain_value(value.left), value.operator, plain_value(value.right)]}
    return {"output_of_query": value.step}
