"""A small store as Cypher statements: written from a database, and read into an empty one.

Each schema version that a release had is kept so, since later code cannot write it any more. With
``NEO4J_URI`` of a server that has nothing but the store, this writes it anew:

    python -m support.stores tests/store/stores/schema_v8.cypher
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import neo4j
import neo4j.time

from trustuqa_neo4j import Settings

_SCHEMA = (
    "SHOW CONSTRAINTS YIELD name, createStatement RETURN name, createStatement ORDER BY name",
    (
        "SHOW INDEXES YIELD name, createStatement, owningConstraint WHERE name STARTS WITH 'tuqa' "
        "AND owningConstraint IS NULL RETURN name, createStatement ORDER BY name"
    ),
)
_NODES = "MATCH (n) RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS properties"
_RELATIONSHIPS = (
    "MATCH (a)-[r]->(b) RETURN elementId(a) AS start, type(r) AS type, elementId(b) AS end, "
    "properties(r) AS properties"
)
_BYTES = re.compile(r"\$x([0-9a-f]+)")


def write_store(session: neo4j.Session) -> str:
    """Write all that the database has as statements, one a paragraph, sorted by what they say."""
    nodes = {
        row["id"]: f":{':'.join(sorted(row['labels']))} {_write_map(row['properties'])}"
        for row in session.run(_NODES)
    }
    names = {id_: f"n{k}" for k, id_ in enumerate(sorted(nodes, key=lambda id_: nodes[id_]))}
    parts = [f"({names[id_]}{nodes[id_]})" for id_ in sorted(nodes, key=lambda id_: nodes[id_])]
    parts += sorted(
        f"({names[row['start']]})-[:{row['type']} {_write_map(row['properties'])}]->"
        f"({names[row['end']]})"
        for row in session.run(_RELATIONSHIPS)
    )
    schema = [row["createStatement"] for query in _SCHEMA for row in session.run(query)]  # type: ignore[arg-type]
    return ";\n\n".join([*schema, "CREATE\n" + ",\n".join(parts)]) + ";\n"


def _write_map(properties: Mapping[str, Any]) -> str:
    members = (f"{name}: {_write_value(properties[name])}" for name in sorted(properties))
    return f"{{{', '.join(members)}}}"


def _write_value(value: object) -> str:
    if isinstance(value, str | bool | int | float | list):
        return json.dumps(value)  # a literal of JSON is one of Cypher
    if isinstance(value, neo4j.time.DateTime):
        return f"datetime({json.dumps(value.iso_format())})"
    if isinstance(value, bytes):
        return f"$x{value.hex()}"  # Cypher has no literal: a parameter whose name is the value
    raise TypeError(f"no literal for {value!r}")


def read_store(session: neo4j.Session, text: str) -> None:
    """Run the statements of a store in an empty database."""
    for statement in filter(None, text.split(";\n")):
        values = {f"x{value}": bytes.fromhex(value) for value in _BYTES.findall(statement)}
        session.run(statement, values).consume()  # type: ignore[arg-type]
    session.run("CALL db.awaitIndexes(60)").consume()


def empty(session: neo4j.Session) -> None:
    """Delete all nodes, constraints and indexes of the database."""
    session.run("MATCH (n) DETACH DELETE n").consume()
    for query, kind in zip(_SCHEMA, ("CONSTRAINT", "INDEX"), strict=True):
        for name in [row["name"] for row in session.run(query)]:  # type: ignore[arg-type]
            session.run(f"DROP {kind} {name}").consume()  # type: ignore[arg-type]


def main() -> None:
    """Write the store of the database into the file of the first argument."""
    settings = Settings.read()
    auth = (settings.username, settings.password or "")
    with (
        neo4j.GraphDatabase.driver(settings.uri or "", auth=auth) as driver,
        driver.session() as session,
    ):
        Path(sys.argv[1]).write_text(write_store(session), encoding="utf-8")


if __name__ == "__main__":
    main()
