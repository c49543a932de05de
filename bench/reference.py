"""What the documentation has from the code: options, the API, fields of an answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any, cast

import click

from trustuqa_neo4j import Answer
from trustuqa_neo4j.cli.main import COMMANDS
from trustuqa_neo4j.server.access import SWITCHES
from trustuqa_neo4j.server.api import Api
from trustuqa_neo4j.server.openapi import LOAD_PARTS, describe_api


def render_options(command: str, *names: str) -> str:
    """Make the table of the options of a command, or of those of these names."""
    module, attribute, _ = COMMANDS[command]
    found = getattr(import_module(f"trustuqa_neo4j.cli.{module}"), attribute)
    context = click.Context(found)
    rows = []
    for option in found.params:
        if not isinstance(option, click.Option) or option.hidden:
            continue
        if not names or option.opts[0] in names:
            written, meaning = option.get_help_record(context) or ("", "")
            plain = re.sub(r"\s*\[(.*?)\]", r" (\1)", meaning)  # brackets would be links
            rows.append((f"`{written}`", " ".join(plain.split())))
    return _render_table(("option", "meaning"), rows)


def render_endpoints() -> str:
    """Make the table of the endpoints of the API."""
    api = Api(cast(Any, None), cast(Any, None))  # the table of endpoints needs no service
    rows = []
    for endpoint in api.endpoints:
        fields = endpoint.body.model_json_schema()["properties"] if endpoint.body else ()
        given = (*fields, *endpoint.query, *(LOAD_PARTS if endpoint.takes_files else ()))
        needs = SWITCHES.get(endpoint.needs, "")
        rows.append(
            (
                f"`{endpoint.method} /api/v1{endpoint.path}`",
                endpoint.summary,
                ", ".join(f"`{name}`" for name in given),
                f"`{endpoint.needs}`, `{needs}`" if needs else f"`{endpoint.needs}`",
            )
        )
    return _render_table(("method and path", "what it does", "takes", "right, option"), rows)


def render_fields() -> str:
    """Make the table of the fields of an answer, with the members of each."""
    schema = Answer.json_schema()
    rows = []
    for name, field in schema["properties"].items():
        members = dict.fromkeys(_list_members(schema, field))
        listed = f" Each has {', '.join(f'`{member}`' for member in members)}." if members else ""
        rows.append((f"`{name}`", field["description"] + listed))
    return _render_table(("field", "contents"), rows)


def _list_members(schema: dict[str, Any], field: dict[str, Any]) -> Iterator[str]:
    described = field.get("items", {})
    if reference := described.get("$ref"):
        described = schema["$defs"][reference.rpartition("/")[2]]
    yield from described.get("properties", ())


def render_api() -> str:
    """Make the page of the API from its description in OpenAPI: each endpoint, and each form of JSON."""
    description = describe_api(Api(cast(Any, None), cast(Any, None)).endpoints)
    (server,) = description["servers"]
    parts = [
        f"# HTTP\n\nOpenAPI {description['openapi']}: `{server['url']}/openapi.json`.",
        "Each path also answers with a [Problem](#problem) (`application/problem+json`).",
    ]
    for path, operations in description["paths"].items():
        parts += [
            _render_operation(f"{method.upper()} {server['url']}{path}", operation)
            for method, operation in operations.items()
        ]
    forms = description["components"]["schemas"]
    inner = {
        f"{name}.{part}": below
        for name, form in forms.items()
        for part, below in form.get("$defs", {}).items()
    }
    for name, form in sorted((forms | inner).items()):
        meaning = _join_lines(form.get("description", ""))
        parts.append(f"## {name}\n\n{meaning}\n{_render_members(form) or _name_type(form)}")
    return "\n\n".join(parts) + "\n"


def _render_operation(title: str, operation: dict[str, Any]) -> str:
    lines = [f"## {title}", f"{operation['summary']}. {operation.get('description', '')}".strip()]
    rows = [
        (f"`{given['name']}`", given["in"], _name_type(given["schema"]))
        for given in operation.get("parameters", ())
    ]
    if rows:
        lines.append(_render_table(("parameter", "in", "type"), rows).strip())
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        form = content["schema"]
        lines.append(f"Body: `{kind}`{'' if 'properties' in form else ', ' + _name_type(form)}")
        lines += [_render_members(form).strip()] if "properties" in form else []
    for status, response in operation["responses"].items():
        contents = response["content"].items()
        kinds = (f"`{kind}` ({_name_type(content['schema'])})" for kind, content in contents)
        lines += [f"{status}: {', '.join(kinds)}"] if status != "default" else []
    return "\n\n".join(lines)


def _render_members(form: dict[str, Any]) -> str:
    required = form.get("required", ())
    rows = []
    for name, member in form.get("properties", {}).items():
        default = json.dumps(member["default"]) if "default" in member else ""
        needed = "required" if name in required else f"`{default}`" if default else ""
        meaning = _join_lines(member.get("description", ""))
        rows.append((f"`{name}`", _name_type(member), needed, meaning))
    return _render_table(("field", "type", "default", "meaning"), rows) if rows else ""


def _name_type(schema: dict[str, Any]) -> str:
    if reference := schema.get("$ref"):
        name = reference.removeprefix("#/components/schemas/").replace("/$defs/", ".")
        return f"[{name}](#{name.replace('.', '').lower()})"
    if several := schema.get("anyOf"):
        return " or ".join(dict.fromkeys(map(_name_type, several)))
    if values := schema.get("enum"):
        return ", ".join(f"`{value}`" for value in values)
    kind = schema.get("type", "any")
    if kind == "array":
        return f"list of {_name_type(schema.get('items', {}))}"
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def _join_lines(text: str) -> str:
    return " ".join(text.replace("``", "`").split())


def _render_table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    # Blank lines stand around the table.
    lines = [header, ("---",) * len(header), *rows]
    escaped = ([cell.replace("|", "\\|") for cell in cells] for cells in lines)
    table = "\n".join(f"| {' | '.join(cells)} |".replace("|  |", "| |") for cells in escaped)
    return f"\n{table}\n"
