"""Run one query of SQL or SPARQL, as a process that its parent can end.

The libraries cannot stop each query, so an endless one needs a process of its own. The request on standard
input has ``query``, ``limit`` and the path of a ``database`` of DuckDB or of ``triples``; the reply on
standard output has ``columns`` and ``rows``, at most one more than the limit, or an ``error``, after an
empty line that says that the request was read.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from contextlib import suppress
from datetime import date
from itertools import islice
from typing import Any

import duckdb
from pyoxigraph import Literal, NamedNode, QueryBoolean, RdfFormat, Store

# Prefixes that a query need not declare.
PREFIXES = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}

# No access to files and network.
_SAFE: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "lock_configuration": "true",
    "memory_limit": "1GB",
    "temp_directory": "",  # no disk space either
}
MAX_MEMORY = 2 << 30
"""Bytes of the process, where the system can limit them."""

MAX_CHARACTERS = 50_000_000


def count_days(start: Any, end: Any, *_: Any) -> Any:
    days = date.fromisoformat(end.value[:10]) - date.fromisoformat(start.value[:10])
    return Literal(days.days)


# The one function of its authors' server that the reference queries of ACME call.
_FUNCTIONS = {NamedNode("http://data.world/function/functions#date_diff"): count_days}


def run_sql(database: str, query: str, limit: int) -> dict[str, Any]:
    result = duckdb.connect(database, read_only=True, config=_SAFE).execute(query)
    columns = [column[0] for column in result.description or ()]
    return {"columns": columns, "rows": read_rows(iter(result.fetchone, None), limit)}


def run_sparql(triples: str, query: str, limit: int) -> dict[str, Any]:
    store = Store()
    store.bulk_load(path=triples, format=RdfFormat.N_TRIPLES)
    forbid_connections()
    result: Any = store.query(query, prefixes=PREFIXES, custom_functions=_FUNCTIONS)
    if isinstance(result, QueryBoolean):
        return {"columns": ["answer"], "rows": [["yes" if result else "no"]]}
    rows = (
        [None if cell is None else getattr(cell, "value", str(cell)) for cell in row]
        for row in result
    )
    columns = [variable.value for variable in result.variables]
    return {"columns": columns, "rows": read_rows(rows, limit)}


def read_rows(rows: Iterable[Any], limit: int) -> list[Any]:
    """Read one row more than the limit at most.

    Raises:
        ValueError: they are longer than ``MAX_CHARACTERS``.
    """
    kept, characters = [], 0
    for row in islice(rows, limit + 1):
        characters += sum(len(str(cell)) for cell in row)
        if characters > MAX_CHARACTERS:
            raise ValueError(f"the result has more than {MAX_CHARACTERS:,} characters")
        kept.append(row)
    return kept


def limit_memory() -> None:
    """Limit the memory of this process; macOS and Windows cannot."""
    if sys.platform != "win32":
        import resource

        with suppress(ValueError, OSError):
            hard = resource.getrlimit(resource.RLIMIT_AS)[1]
            resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, hard))


def forbid_connections() -> None:
    """Let this process open nothing any more: pyoxigraph would call the server of a SERVICE."""
    if sys.platform != "win32":
        import resource

        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))


def run_query(request: dict[str, Any]) -> dict[str, Any]:
    try:
        return run_sql(**request) if "database" in request else run_sparql(**request)
    except MemoryError:
        return {"error": "it needs too much memory"}
    except (duckdb.Error, SyntaxError, OSError, ValueError, RuntimeError) as error:
        return {"error": str(error)}


def main() -> None:
    limit_memory()
    request = json.load(sys.stdin)
    sys.stdout.write("\n")
    sys.stdout.flush()
    json.dump(run_query(request), sys.stdout, default=str)


if __name__ == "__main__":
    main()
