"""A JSON Schema for replies with the steps of a query, for models that keep to one.

It stays within what the strictest servers take: each object names all of its fields, and no object is free.
``json_steps`` reads such replies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .functions import FUNCTIONS
from .lexer import OPERATORS, TEXT_OPERATORS

MAX_RELATIONS = 250
"""Relations that are enumerated; servers limit how much an enumeration has."""
MAX_CHARACTERS = 7_500

RELATION_ARGUMENTS = ("relation", "key")
OPERANDS = ("set", "set1", "set2")


def make_reply_schema(relations: Sequence[str]) -> dict[str, Any]:
    """Make the schema; ``relations`` are enumerated if they are few enough, else any name is allowed."""
    names = sorted({parameter.name for function in FUNCTIONS for parameter in function.parameters})
    others = [*OPERANDS, *(name for name in names if name not in RELATION_ARGUMENTS)]
    value = {"type": "string"}
    if relations and fits_enumeration(relations):
        value = {"type": "string", "enum": [*dict.fromkeys(relations)]}  # type: ignore[dict-item]
    signs = [*dict.fromkeys((*OPERATORS.values(), *TEXT_OPERATORS.values()))]
    single = ["string", "number"]
    free = {"type": [*single, "array"], "items": {"type": single}}
    step = _make_object({
        "comment": {"type": "string", "description": "What the step finds."},
        "function": {"type": "string", "enum": [function.name for function in FUNCTIONS]},
        "arguments": {
            "type": "array",
            "items": {
                "anyOf": [
                    _make_argument(RELATION_ARGUMENTS, ["="], value),
                    _make_argument(others, signs, free),
                ]
            },
        },
    })  # fmt: skip
    return _make_object({"steps": {"type": "array", "items": step}})


def fits_enumeration(relations: Sequence[str]) -> bool:
    """True if servers take the enumeration of ``relations``."""
    return len(relations) <= MAX_RELATIONS and sum(map(len, relations)) <= MAX_CHARACTERS


def _make_argument(names: Sequence[str], signs: Sequence[str], value: object) -> dict[str, Any]:
    return _make_object({
        "name": {"type": "string", "enum": [*names]},
        "operator": {"type": "string", "enum": [*signs]},
        "value": value,
    })  # fmt: skip


def _make_object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }
