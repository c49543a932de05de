"""Benchmark ACME insurance: questions whose answers are tables, over a mapped graph or over tables.

The pack has no recorded queries, so the package has programs for its questions. The pack has no training
questions either. So a model gets no demonstrations, as in the papers. The files as released have reference
queries instead of rows: the rows are what the SQL of a question finds or, if that is of another dialect, its
SPARQL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, suppress
from functools import partial
from importlib import resources
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ..errors import StatementFailed, TimedOut, UnreadableFile, require_extra
from . import packs
from .benchmark import Benchmark, Case, CaseSet, QuestionSet, ScoredAnswer, Scores
from .metrics import TableRows, compare_tables
from .releases import add_queries, list_data, list_files

if TYPE_CHECKING:
    from .query_engines import QueryEngine

METRICS = ("exact", "partial")
_PARTIAL = ("extra columns", "missing columns", "overlap")


ReadCases: TypeAlias = Callable[[Path], Iterable[Case | str]]


def prepare(programs: str, read: ReadCases, folder: Path, file: Path | None) -> CaseSet:
    # ``file`` has ``id`` and ``query`` on each line; without it, the programs of the package run.
    resource = resources.files("trustuqa_neo4j.evaluation").joinpath(programs)
    with resources.as_file(resource) as packaged:
        return add_queries(CaseSet.collect(read(folder), score), file or packaged)


def ask(read: ReadCases, folder: Path) -> QuestionSet:
    return QuestionSet(CaseSet.collect(read(folder), score))


def score(case: Case, answer: ScoredAnswer) -> Scores:
    # ``exact``: the same rows; names and order of columns do not count. ``partial``: columns
    # differ.
    match = "other"
    if answer.outcome in ("answered", "empty"):
        match = compare_tables(case.rows, answer.table)
    return {"exact": match == "same", "partial": match in _PARTIAL}


def _make_case(
    name: str, question: str, quadrant: str, rows: TableRows, references: Mapping[str, str]
) -> Case:
    labels = tuple(" | ".join(map(str, row)) for row in rows)
    table = tuple(map(tuple, rows))
    return Case(name, question, "", labels, quadrant, rows=table, references=references)


# The data pack.


def read_pack(folder: Path) -> Iterator[Case]:
    gold_rows = {
        record.text("id"): _read_rows(record)
        for record in packs.read_records(packs.find_file(folder, "gold_answers.jsonl"))
    }
    for record in packs.read_records(packs.find_file(folder, "questions.jsonl")):
        name = record.text("id")
        if name not in gold_rows:
            raise record.malformed("no gold rows for it")
        references = {
            language: record.texts(language)[0]
            for language in record.fields
            if language in ("sql", "sparql")
        }
        yield _make_case(
            name, record.text("question"), record.text("quadrant"), gold_rows[name], references
        )


def _read_rows(record: packs.PackRecord) -> TableRows:
    rows = record.fields.get("rows")
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise record.malformed("no list 'rows' of lists in it")
    if not all(cell is None or isinstance(cell, str | int | float) for row in rows for cell in row):
        raise record.malformed("a cell in 'rows' is not a text or a number")
    return tuple(tuple(row) for row in rows)


# The files as released: one Turtle file with questions, each of which expects queries in two languages. The
# title of a query begins with the quadrant.

_INVESTIGATION = "**/investigation/*.ttl"
_INQUIRIES = """
PREFIX q: <http://models.data.world/benchmarks/QandA#>
SELECT ?inquiry ?language ?text (MIN(?prompt) AS ?question) (MAX(?title) AS ?quadrant) {
  ?inquiry q:prompt ?prompt ; q:expects ?query . ?query q:inLanguage ?language ; q:queryText ?text
  OPTIONAL { ?query <http://purl.org/dc/terms/title> ?title }
} GROUP BY ?inquiry ?language ?text ORDER BY ?inquiry ?language DESC(?quadrant) ?text"""
_REFERENCE_SECONDS = 60.0
_HINT = "give the folder as released; the page on files of benchmarks lists what it has"


def read_release(folder: Path) -> Iterator[Case | str]:
    """Yield the questions whose reference query runs.

    Raises:
        MissingFile, MissingExtra, UnreadableFile, MalformedLine
    """
    (path, *_) = list_files(folder, (_INVESTIGATION,))
    with require_extra("formats", "reference queries need"):
        from pyoxigraph import RdfFormat, Store

        from .query_engines import open_sparql, open_sql
    store = Store()
    try:
        store.load(path=str(path), format=RdfFormat.TURTLE)
    except (SyntaxError, OSError) as error:
        raise UnreadableFile(f"not Turtle ({error})", where=str(path), hint=_HINT) from error
    solutions: Any = store.query(_INQUIRIES)
    rows = [[getattr(cell, "value", "") for cell in row] for row in solutions]
    del solutions  # it must not end in another thread
    if not rows:
        raise UnreadableFile("no questions in it", where=str(path), hint=_HINT)
    with ExitStack() as stack:
        tables = stack.enter_context(open_sql(*list_data(folder, _RELEASED_TABLES)))
        graph = stack.enter_context(open_sparql(*list_data(folder, _RELEASED_GRAPH)))
        for iri, group in groupby(rows, lambda row: row[0]):
            queries = list(group)
            # Of two queries in one language, the last counts.
            references = {
                language.rpartition("#")[2].lower(): text for _, language, text, *_ in queries
            }
            found = _run_references(references, {"sql": tables, "sparql": graph})
            name, question = iri.rpartition("/")[2], " ".join(queries[0][3].split())
            quadrant = next((title[:4] for *_, title in queries if title), "no quadrant")
            yield (
                "no reference query of it runs"
                if found is None
                else _make_case(name, question, quadrant, found, references)
            )


def _run_references(
    references: Mapping[str, str], engines: Mapping[str, QueryEngine]
) -> TableRows | None:
    for language in filter(references.__contains__, engines):
        with suppress(StatementFailed, TimedOut):
            return engines[language].run_query(references[language], _REFERENCE_SECONDS).rows
    return None


_RELEASED_GRAPH = ("**/data", "**/ontology/*.ttl")
_RELEASED_TABLES = ("**/DDL/*.ddl", "**/data")
_GRAPH_PROGRAMS, _TABLE_PROGRAMS = "acme_programs.jsonl", "acme_table_programs.jsonl"
RELEASE = Benchmark(
    "acme", "", "r2rml", METRICS, partial(prepare, _GRAPH_PROGRAMS, read_release),
    partial(ask, read_release), data=_RELEASED_GRAPH, marks=(_INVESTIGATION,),
    tables=Benchmark(
        "acme-tables", "", "sql", METRICS, partial(prepare, _TABLE_PROGRAMS, read_release),
        partial(ask, read_release), data=_RELEASED_TABLES,
    ),
)  # fmt: skip
BENCHMARK = Benchmark(
    "acme", "acme", "r2rml", METRICS, partial(prepare, _GRAPH_PROGRAMS, read_pack),
    partial(ask, read_pack), data=("data", "ontology/insurance.ttl"), release=RELEASE,
    tables=Benchmark(
        "acme-tables", "acme", "sql", METRICS, partial(prepare, _TABLE_PROGRAMS, read_pack),
        partial(ask, read_pack), data=("DDL/ACME_small.ddl", "data"),
    ),
)  # fmt: skip
