"""Which addresses, servers and databases will do, and the options of the driver."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..compiling import Row
from ..errors import SchemaTooNew, SchemaTooOld, ServerTooOld, Unreachable
from ..settings import Settings
from . import schema

OLDEST = (5, 26)

# Notifications are off in each session (they are for people who write Cypher), so that they are off
# with a caller's driver too.
DRIVER_OPTIONS: Mapping[str, Any] = {
    "telemetry_disabled": True,
    "user_agent": "trustuqa-neo4j",
    "connection_timeout": 10.0,
    "max_transaction_retry_time": 15.0,
}


def check_address(uri: str | None) -> str:
    """``uri``, if it is one of the Bolt protocol; the driver also takes HTTP, without transactions.

    Raises:
        Unreachable
    """
    if uri is None or not re.match(r"(bolt|neo4j)(\+s|\+ssc)?://", uri):
        raise Unreachable(
            "the address cannot be used",
            where=str(uri),
            hint="addresses look like bolt://localhost:7687 or neo4j+s://host",
        )
    return uri


def check_version(agent: str, where: str) -> str:
    """The version in a server's ``agent`` (``Neo4j/2026.08.1``).

    Raises:
        ServerTooOld: it is older than the oldest that this package is tested with.
    """
    product, _, version = agent.partition("/")
    found = numbers(version)
    if found and found < OLDEST:
        raise ServerTooOld(
            f"the server is {product} {version}", where=where, hint="use Neo4j 5.26 or newer"
        )
    return version


def numbers(version: str) -> tuple[int, ...]:
    """The first two numbers of a version; none where it does not begin with them."""
    found = re.match(r"(\d+)\.(\d+)", version)
    return (int(found[1]), int(found[2])) if found else ()


def check_schema(found: list[Row], where: str) -> None:
    """See that the database was not written by a newer version of this package, nor by too old a one.

    Raises:
        SchemaTooNew, SchemaTooOld
    """
    version = schema.version(found)
    if 0 < version < schema.OLDEST:
        raise SchemaTooOld(
            f"the database has schema version {version}, this package needs {schema.OLDEST}",
            where=where,
            hint="use an empty database and load the files again (`tuqa neo4j clean` empties the "
            "embedded one)",
        )
    if version > schema.VERSION:
        raise SchemaTooNew(
            f"the database has schema version {version}, this package knows {schema.VERSION}",
            where=where,
            hint="update trustuqa-neo4j, or use another database",
        )


def auth(settings: Settings) -> tuple[str, str] | None:
    """User and password, if there is one."""
    return None if settings.password is None else (settings.username, settings.password)
