"""The description of the API in OpenAPI 3.1, made from its endpoints."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from pydantic import TypeAdapter

from ..answer import Answer
from ..graph.load_journal import LOAD_MODES
from ..model.dataset import Dataset, Schema
from ..model.demonstration import Demonstration
from .access import SWITCHES
from .endpoints import Endpoint

_REFERENCE = "#/components/schemas/{model}"
_JSON = "application/json"
_EVENTS = "text/event-stream"

_PROBLEM = {
    "type": "object",
    "description": "A problem as in RFC 9457, with what to try.",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "hint": {"type": "string"},
        "error": {"type": "object", "properties": {"message": {"type": "string"}}},
    },
}
_CHECK_REPORT = {
    "type": "object",
    "description": "The problems of a query; it can be run if `outcome` is null.",
    "required": ["good", "outcome", "problems", "mapped"],
    "properties": {
        "good": {"type": "boolean"},
        "outcome": {"type": ["string", "null"]},
        "problems": {"type": "array", "items": {"type": "object"}},
        "mapped": {"type": "array", "items": {"type": "object"}},
    },
}
_LOAD = {
    "type": "object",
    "description": "A load, with its report or its problem once it has ended.",
    "required": ["id", "dataset", "state"],
    "properties": {
        "id": {"type": "string"},
        "dataset": {"type": "string"},
        "files": {"type": "array", "items": {"type": "string"}},
        "state": {"enum": ["running", "finished", "cancelled", "failed"]},
        "phase": {"type": "string"},
        "done": {"type": "integer"},
        "total": {"type": ["integer", "null"]},
        "unit": {"type": "string"},
        "messages": {"type": "array", "items": {"type": "string"}},
        "report": {"type": ["object", "null"]},
        "problem": {"anyOf": [{"$ref": _REFERENCE.format(model="Problem")}, {"type": "null"}]},
    },
}
_DROPPED = {
    "type": "object",
    "required": ["nodes", "facts", "demonstrations"],
    "properties": {
        name: {"type": "integer", "minimum": 0} for name in ("nodes", "facts", "demonstrations")
    },
}
_DELETED = {
    "type": "object",
    "required": ["deleted"],
    "properties": {"deleted": {"type": "integer", "minimum": 0}},
}
_RENAMED = {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}
_FORM = {
    "type": "object",
    "required": ["file"],
    "properties": {
        "file": {"type": "array", "items": {"type": "string", "format": "binary"}},
        "dataset": {"type": "string", "description": "Name of the dataset; not for a preview."},
        "format": {"type": "string", "description": "Without it, the content shows the format."},
        "mode": {"enum": [*LOAD_MODES]},
        "source": {"type": "string"},
        "encoding": {
            "type": "string",
            "description": "Encoding of the files, such as `cp1250`. Without it, the content shows it.",
        },
        "header": {"type": "string", "description": "Line of the header of a table, `1-2`, or `none`."},
        "delimiter": {"type": "string", "description": "Sign between the cells of a table, or its name."},
        "skip": {"type": "string", "description": "Lines above the header that are not read."},
        "dates": {"type": "string", "description": "Order of ambiguous dates, such as `dmy`."},
        "null": {"type": "string", "description": "Words of missing values: `n/a, unknown`."},
        "sheets": {"type": "string", "description": "Sheets of a workbook: `2023, 2024`."},
        "skip_end": {"type": "string", "description": "Rows at the end that are not read."},
        "types": {"type": "string", "description": "Types of columns, as `{\"Zip\": \"text\"}`."},
        "rename": {"type": "string", "description": "New names of columns, as `{\"Zip\": \"Code\"}`."},
        "split": {"type": "string", "description": "Signs between values in a cell, as `{\"Tags\": \";\"}`."},
        "preview": {
            "type": "string",
            "description": "`true`: only read the files; the response (200) is the report.",
        },
    },
}  # fmt: skip


LOAD_PARTS: tuple[str, ...] = (*_FORM["properties"],)
"""Names of the parts of a form that loads files."""


def describe_api(endpoints: Sequence[Endpoint]) -> dict[str, Any]:
    """Make the description; it has all endpoints, also those that this server does not allow."""
    schemas: dict[str, Any] = {
        "Problem": _PROBLEM, "CheckReport": _CHECK_REPORT, "Load": _LOAD, "Answer": _answer_schema(),
        "Dropped": _DROPPED, "Renamed": _RENAMED, "Deleted": _DELETED,
    }  # fmt: skip
    for name, kind in (("Dataset", Dataset), ("Schema", Schema), ("Demonstration", Demonstration)):
        _add_schema(schemas, name, TypeAdapter(kind).json_schema(ref_template=_REFERENCE))
    for endpoint in endpoints:
        if body := endpoint.body:
            _add_schema(schemas, body.__name__, body.model_json_schema(ref_template=_REFERENCE))
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in endpoints:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _describe(endpoint)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "trustuqa_neo4j",
            "version": version("trustuqa-neo4j"),
            "description": "Questions over loaded data, answered with the facts that prove them.",
        },
        "servers": [{"url": "/api/v1"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _add_schema(schemas: dict[str, Any], name: str, schema: dict[str, Any]) -> None:
    schemas |= schema.pop("$defs", {})
    schemas[name] = schema


def _answer_schema() -> dict[str, Any]:
    # References inside of the schema are relative to its own root.
    schema = Answer.json_schema()
    for key in ("$schema", "$id"):
        schema.pop(key, None)
    moved: dict[str, Any] = _move_references(schema)
    return moved


def _move_references(node: Any) -> Any:
    if isinstance(node, dict):
        return {
            key: _REFERENCE.format(model="Answer") + value[1:]
            if key == "$ref" and isinstance(value, str)
            else _move_references(value)
            for key, value in node.items()
        }
    return [*map(_move_references, node)] if isinstance(node, list) else node


def _describe(endpoint: Endpoint) -> dict[str, Any]:
    schema: dict[str, Any] = {"$ref": _REFERENCE.format(model=endpoint.returns)}
    if endpoint.is_list:
        schema = {"type": "array", "items": schema}
    content: dict[str, Any] = {_JSON: {"schema": schema}}
    if endpoint.streams:
        content[_EVENTS] = {"schema": {"type": "string"}}
    problem = {"application/problem+json": {"schema": {"$ref": _REFERENCE.format(model="Problem")}}}
    responses: dict[str, Any] = {
        str(endpoint.status): {"description": endpoint.summary, "content": content},
        "default": {"description": "What is wrong, and what to try", "content": problem},
    }
    if endpoint.takes_files:
        responses["200"] = {
            "description": "The preview of the load",
            "content": {_JSON: {"schema": {"type": "object"}}},
        }
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in re.findall(r"\{(\w+)\}", endpoint.path)
    ]
    parameters += [
        {"name": name, "in": "query", "schema": {"type": "string"}} for name in endpoint.query
    ]
    operation: dict[str, Any] = {
        "operationId": endpoint.name,
        "summary": endpoint.summary,
        "responses": responses,
    }
    if switch := SWITCHES.get(endpoint.needs):
        operation["description"] = f"Needs the right {endpoint.needs} and a server with `{switch}`."
    if parameters:
        operation["parameters"] = parameters
    if endpoint.body:
        reference = {"$ref": _REFERENCE.format(model=endpoint.body.__name__)}
        operation["requestBody"] = {"required": True, "content": {_JSON: {"schema": reference}}}
    elif endpoint.takes_files:
        operation["requestBody"] = {
            "required": True, "content": {"multipart/form-data": {"schema": _FORM}},
        }  # fmt: skip
    return operation
