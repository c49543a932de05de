"""Tables of the documentation that come from the code: options, endpoints of the API, fields of an answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any, cast

import click

from trustuqa_neo4j import Answer
from trustuqa_neo4j.cli.main import COMMANDS
from trustuqa_neo4j.server.access import SWITCHES
from trustuqa_neo4j.server.api import Api
from trustuqa_neo4j.server.openapi import LOAD_PARTS


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


def _render_table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    # Blank lines stand around the table.
    lines = [header, ("---",) * len(header), *rows]
    escaped = ([cell.replace("|", "\\|") for cell in cells] for cells in lines)
    table = "\n".join(f"| {' | '.join(cells)} |".replace("|  |", "| |") for cells in escaped)
    return f"\n{table}\n"
