"""Run one query of SQL or SPARQL, as a process that its parent can end.

The libraries cannot stop each query, so an endless one needs a process of its own. The request on standard
input has ``query``, ``limit`` and the path of a ``database`` of DuckDB or of ``triples``; the reply on
standard output has ``columns`` and ``rows``, at most one more than the limit, or an ``error``.
"""

from __future__ import annotations

import json
import sys
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
}


def count_days(start: Any, end: Any, *_: Any) -> Any:
    days = date.fromisoformat(end.value[:10]) - date.fromisoformat(start.value[:10])
    return Literal(days.days)


# The one function of its authors' server that the reference queries of ACME call.
_FUNCTIONS = {NamedNode("http://data.world/function/functions#date_diff"): count_days}


def run_sql(database: str, query: str, limit: int) -> dict[str, Any]:
    result = duckdb.connect(database, read_only=True, config=_SAFE).execute(query)
    columns = [column[0] for column in result.description or ()]
    return {"columns": columns, "rows": result.fetchmany(limit + 1)}


def run_sparql(triples: str, query: str, limit: int) -> dict[str, Any]:
    store = Store()
    store.bulk_load(path=triples, format=RdfFormat.N_TRIPLES)
    result: Any = store.query(query, prefixes=PREFIXES, custom_functions=_FUNCTIONS)
    if isinstance(result, QueryBoolean):
        return {"columns": ["answer"], "rows": [["yes" if result else "no"]]}
    rows = [
        [None if cell is None else getattr(cell, "value", str(cell)) for cell in row]
        for row in islice(result, limit + 1)
    ]
    return {"columns": [variable.value for variable in result.variables], "rows": rows}


def run_query(request: dict[str, Any]) -> dict[str, Any]:
    try:
        return run_sql(**request) if "database" in request else run_sparql(**request)
    except (duckdb.Error, SyntaxError, OSError, ValueError, RuntimeError) as error:
        return {"error": str(error)}


if __name__ == "__main__":
    json.dump(run_query(json.load(sys.stdin)), sys.stdout, default=str)
