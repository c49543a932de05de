"""Engines that run queries of SQL and SPARQL over the files of a benchmark, read-only and with a time limit.

SQL runs on DuckDB over tables that the definitions describe, SPARQL on pyoxigraph over the graph that the
mapping makes; each query in a process of its own.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeAlias

from ..errors import (
    InternalError,
    MalformedLine,
    MissingFile,
    StatementFailed,
    TimedOut,
    require_extra,
)
from ..language.ast import Problem
from ..loading.formats import File, ReadOptions, get_loader
from ..model.facts import Fact, Item, NodeDeclared
from ..ontology.schema_knowledge import TYPE, SchemaKnowledge

with require_extra("formats", "SQL and SPARQL need"):
    import duckdb
    import sqlglot
    from pyoxigraph import Literal, NamedNode, RdfFormat, Store, Triple, serialize
    from sqlglot import exp

    from . import query_process
    from .sparql_patterns import Vocabulary, check_sparql, read_sparql

MAX_ROWS = 10_000


class QueryTable(NamedTuple):
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


def _describe_failure(error: object) -> StatementFailed:
    return StatementFailed(f"the query cannot be run ({' '.join(str(error).split())[:600]})")


def _run_process(seconds: float, **request: Any) -> QueryTable:
    packages = os.pathsep.join(filter(None, sys.path))
    try:
        process = subprocess.run(  # noqa: S603 # our own file
            [sys.executable, "-P", query_process.__file__],
            env={**os.environ, "PYTHONPATH": packages},
            input=json.dumps({**request, "limit": MAX_ROWS}).encode(),
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise TimedOut(
            f"the query took longer than {seconds:.3g} seconds", hint="give it more time"
        ) from error
    if not process.stdout:
        message = process.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise InternalError(
            f"the process that runs queries did not start ({message[:300]})",
            hint=f"check that {sys.executable} can import duckdb and pyoxigraph",
        )
    if process.returncode:  # what it wrote names files of this machine
        raise _describe_failure(f"its process ended with code {process.returncode}")
    reply = json.loads(process.stdout)
    if "error" in reply:
        raise _describe_failure(reply["error"])
    if len(reply["rows"]) > MAX_ROWS:
        raise StatementFailed(
            f"the result has more than {MAX_ROWS:,} rows",
            hint="ask for fewer: a condition of the join may be missing",
        )
    return QueryTable(tuple(reply["columns"]), tuple(map(tuple, reply["rows"])))


# SQL

_STATEMENT = re.compile(r"(?=\bCREATE\s+TABLE\b)", re.IGNORECASE)
_HINT = "compare the definitions with the CSV files of the same names"
_CSV = "read_csv(?, header = true, all_varchar = true)"


@dataclass(frozen=True)
class SqlEngine:
    """Runs SQL; ``schema`` are the definitions of the tables, for a prompt."""

    database: Path
    schema: str
    dialect: str = "SQL of DuckDB"

    def check_query(self, query: str) -> tuple[Problem, ...]:
        # Tables have no ontology that speaks against a query.
        try:
            statements = duckdb.extract_statements(query)
        except duckdb.Error as error:
            raise _describe_failure(error) from error
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            what = " and ".join(str(s.type).rpartition(".")[2] for s in statements)
            raise StatementFailed(
                f"{what or 'no statement'}, not one SELECT", hint="write one query that only reads"
            )
        return ()

    def run_query(self, query: str, seconds: float) -> QueryTable:
        """Run a query that only reads.

        Raises:
            StatementFailed, TimedOut
        """
        self.check_query(query)
        return _run_process(seconds, database=str(self.database), query=query)


@contextmanager
def open_sql(definitions: Path, folder: Path) -> Iterator[SqlEngine]:
    """Load the CSV files of the tables that are defined, into a database that is deleted at the end.

    Raises:
        MissingFile, MalformedLine
    """
    files = {file.stem.casefold(): file for file in folder.glob("*.csv")}
    if not (files and definitions.is_file()):
        raise MissingFile(
            "no definitions of tables with CSV files", where=f"{definitions}, {folder}", hint=_HINT
        )
    schema = definitions.read_text(encoding="utf-8-sig").strip()
    with TemporaryDirectory(prefix="tuqa-") as temporary:
        database = Path(temporary) / "tables.duckdb"
        try:
            with closing(duckdb.connect(str(database))) as connection:
                for text in filter(str.strip, _STATEMENT.split(schema)):
                    _load_table(connection, sqlglot.parse_one(text, read="tsql"), files)
        except (sqlglot.ParseError, duckdb.Error) as error:
            raise MalformedLine(
                f"a table cannot be loaded ({' '.join(str(error).split())[:300]})",
                where=str(definitions),
                hint=_HINT,
            ) from error
        yield SqlEngine(database, schema)


def _load_table(connection: Any, definition: exp.Expr, files: Mapping[str, Path]) -> None:
    # Keys are left out: they may name tables that do not exist.
    table = str(definition.this.this.name)
    columns = ", ".join(
        f"{_quote(column.name)} {column.args['kind'].sql('duckdb')}"
        for column in definition.find_all(exp.ColumnDef)
    )
    connection.execute(f"CREATE TABLE {_quote(table)} ({columns})")
    if (file := files.get(table.casefold())) is not None:
        connection.execute(f"INSERT INTO {_quote(table)} BY NAME FROM {_CSV}", [str(file)])


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


# SPARQL

_XSD = query_process.PREFIXES["xsd"]
# Form of a text, its datatype, and what its lexical form adds.
_DATATYPES = (
    (re.compile(r"[+-]?\d+"), "integer", ""),
    (re.compile(r"[+-]?\d+\.\d+"), "decimal", ""),
    (re.compile(r"\d{4}-\d\d-\d\d"), "dateTime", "T00:00:00"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?"), "dateTime", ""),
)

# IRIs that a mapping uses or an ontology declares.
_IRIS = """
PREFIX rr: <http://www.w3.org/ns/r2rml#>
SELECT DISTINCT ?iri { { ?map ?names ?iri } UNION { ?iri a ?kind } FILTER(ISIRI(?iri))
VALUES (?names ?kind) { %s } }"""
_PROPERTY_IRIS = _IRIS % (
    "(rr:predicate owl:ObjectProperty) (rr:predicate owl:DatatypeProperty) "
    "(rr:predicate rdf:Property)"
)
_CLASS_IRIS = _IRIS % "(rr:class owl:Class) (rr:class rdfs:Class)"


@dataclass(frozen=True)
class SparqlEngine:
    """Runs SPARQL, and checks it against the ontology, whose text for a prompt is ``schema``."""

    triples: Path
    schema: str
    vocabulary: Vocabulary
    read_knowledge: Callable[[], SchemaKnowledge]
    dialect: str = "SPARQL 1.1"

    def check_query(self, query: str) -> tuple[Problem, ...]:
        return check_sparql(read_sparql(query)[1], self.vocabulary, self.read_knowledge())

    def run_query(self, query: str, seconds: float) -> QueryTable:
        return _run_process(seconds, triples=str(self.triples), query=read_sparql(query)[0])


QueryEngine: TypeAlias = SqlEngine | SparqlEngine


@contextmanager
def open_sparql(
    folder: Path, ontology: Path, *, read_knowledge: Callable[[], SchemaKnowledge] = SchemaKnowledge
) -> Iterator[SparqlEngine]:
    """Make the graph that the mapping in a folder makes of its data, in a file that is deleted at the end.

    ``read_knowledge`` reads the schema that queries are checked against, when one is.

    Raises:
        UsageError, DataError
    """
    loader = get_loader("r2rml")
    paths = [*(loader.expand(folder) if loader.expand else ()), ontology]
    items = list(loader.read([File(path, path.name) for path in paths], ReadOptions()))
    store = Store()
    for path in paths:
        if path.suffix.lower() in (".ttl", ".r2rml"):
            store.load(path=str(path), format=RdfFormat.TURTLE, base_iri="mapping:/")
    vocabulary = Vocabulary(_list_iris(store, _PROPERTY_IRIS), _list_iris(store, _CLASS_IRIS))
    with TemporaryDirectory(prefix="tuqa-") as temporary:
        path = Path(temporary) / "graph.nt"
        serialize(_make_triples(items, vocabulary), str(path), format=RdfFormat.N_TRIPLES)
        schema = ontology.read_text(encoding="utf-8-sig").strip()
        yield SparqlEngine(path, schema, vocabulary, read_knowledge)


def _list_iris(store: Store, query: str) -> dict[str, str]:
    # The last part of an IRI is its name in the schema.
    rows: Any = store.query(query, prefixes=query_process.PREFIXES)
    return {row["iri"].value: re.split("[#/]", row["iri"].value)[-1] for row in rows}


def _make_triples(items: Sequence[Item], vocabulary: Vocabulary) -> Iterator[Triple]:
    relations = {f"{query_process.PREFIXES['rdf']}type": TYPE, **vocabulary.relations}
    iris = {name: NamedNode(iri) for iri, name in relations.items()}
    nodes = {item.key for item in items if isinstance(item, NodeDeclared)}
    for item in items:
        if isinstance(item, Fact) and item.relation in iris:
            tail = NamedNode(item.tail) if item.tail in nodes else _make_literal(item.tail)
            yield Triple(NamedNode(item.head), iris[item.relation], tail)


def _make_literal(text: str) -> Literal:
    """Return the literal of a text: a number, a time or a string by its form."""
    for form, datatype, suffix in _DATATYPES:
        if form.fullmatch(text):
            return Literal(text.replace(" ", "T") + suffix, datatype=NamedNode(_XSD + datatype))
    return Literal(text)
