"""``kg``: a knowledge graph as columns of head, relation and tail, or as N-Triples or Turtle.

Columns after the third are qualifiers of the fact, named by the header. Files are RDF by their suffix
(``.nt``, ``.ttl``), or if they begin like RDF; all others are columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trustuqa_neo4j.errors import UnreadableFile
from trustuqa_neo4j.loading.fact_columns import TRIPLE_WIDTH, time_role
from trustuqa_neo4j.loading.formats import File, Loader, ReadOptions
from trustuqa_neo4j.model.facts import Fact, Item

from ._rdf import is_rdf
from ._triples import (
    ColumnFormat,
    FactRecords,
    make_qualifiers,
    no_fact_error,
    open_records,
)
from .rdf import RdfGraphs

COLUMNS = ColumnFormat((TRIPLE_WIDTH,), "head, relation, tail")


def read_items(files: Sequence[File], options: ReadOptions) -> Iterator[Item]:
    rdf_files = [file for file in files if is_rdf(file, options)]
    graphs = RdfGraphs(rdf_files, options)
    for file in files:
        yield options.part(file.name, file.name, "kg")
        if file in rdf_files:
            yield from graphs.items(file)
        else:
            yield from read_facts(file, options, COLUMNS)


def read_facts(file: File, options: ReadOptions, columns: ColumnFormat) -> Iterator[Fact]:
    with open_records(file, options, columns) as records:
        _check_no_times(file, records)
        line = 0
        if records.extra_columns:
            for line, fields in records.rows:
                qualifiers = make_qualifiers(records.extra_columns, fields[TRIPLE_WIDTH:])
                yield Fact(fields[0], fields[1], fields[2], line, None, qualifiers)
        else:
            for line, (head, relation, tail) in records.rows:
                yield Fact(head, relation, tail, line)
        if not line:
            raise no_fact_error(file)


def _check_no_times(file: File, records: FactRecords) -> None:
    # As qualifiers, times could be shown but not used in questions.
    times = [name for name in records.extra_columns if time_role(name)]
    if times:
        raise UnreadableFile(
            f"its column {times[0]!r} says when facts hold",
            where=f"{file.name}:{records.header}",
            hint="load it as temporal-kg, or give the column another name",
        )


LOADER = Loader(
    name="kg",
    summary="knowledge graph: head, relation, tail by line (tab, | or comma), .nt or .ttl; .gz too",
    kind="kg",
    read=read_items,
    aliases=("triples", "knowledge-graph"),
    reads=frozenset({"rdf", "r2rml"}),
)
