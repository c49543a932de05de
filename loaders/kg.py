"""``kg``: a knowledge graph as columns of head, relation and tail, as condition triples, N-Triples or Turtle.

Columns after the third are qualifiers of the fact, named by the header. Files are RDF by their suffix
(``.nt``, ``.ttl``), or if they begin like RDF; all others are columns.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence

from trustuqa_neo4j.loading.edge_lists import (
    EDGE_WIDTH,
    EdgeList,
    find_edge_list,
    is_comment,
    split_edge,
)
from trustuqa_neo4j.loading.fact_columns import TRIPLE_WIDTH, detect_shape, time_role
from trustuqa_neo4j.loading.file_beginning import FileBeginning
from trustuqa_neo4j.loading.formats import File, Loader, ReadOptions
from trustuqa_neo4j.model.facts import Fact, Item

from ._condition_triples import is_triples, read_triples
from ._rdf import is_rdf
from ._text import SKIP_BAD_LINES, count_noun, open_lines
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
        if file in rdf_files:
            yield graphs.start(file)
            yield from graphs.items(file)
        elif is_triples(file, options):
            yield from read_triples(file, options)
        else:
            yield options.part(file.name, file.name, "kg")
            yield from read_facts(file, options, COLUMNS)


def read_facts(file: File, options: ReadOptions, columns: ColumnFormat) -> Iterator[Fact]:
    edges = _find_edges(file, options)
    if edges is not None:
        yield from _read_edges(file, options, edges)
        return
    with open_records(file, options, columns) as records:
        _remark_times(file, records, options)
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


def _remark_times(file: File, records: FactRecords, options: ReadOptions) -> None:
    times = [name for name in records.extra_columns if time_role(name)]
    if times:
        options.remark(
            f"the column {times[0]!r} is a qualifier of its facts; if it says when they hold, load the "
            "file as temporal-kg",
            f"{file.name}:{records.header}",
        )


def _find_edges(file: File, options: ReadOptions) -> EdgeList | None:
    # Two columns that the user calls facts are edges, whatever is in them.
    beginning = FileBeginning.read(file)
    text = beginning.decode(options.encoding)
    shape = detect_shape(text, beginning.is_complete)
    if shape is None or (shape.format != "table" and shape.columns.startswith(COLUMNS.columns)):
        return None
    lines = [*io.StringIO(text, newline="")]
    return find_edge_list(lines if beginning.is_complete else lines[:-1], is_given=True)


def _read_edges(file: File, options: ReadOptions, edges: EdgeList) -> Iterator[Fact]:
    has_header, is_empty = edges.has_header, True
    hint = f"each line is {edges.columns}; {SKIP_BAD_LINES}"
    with open_lines(file, options) as lines:
        for number, line in enumerate(lines, 1):
            if is_comment(line) or not line.strip():
                continue
            if has_header:
                has_header = False
                continue
            cells = split_edge(line, edges.delimiter)
            where = f"{file.name}:{number}"
            if len(cells) != edges.width or not all(cells[:EDGE_WIDTH]):
                what = (
                    f"not an edge: {count_noun(len(cells), 'cell')} where {edges.width} are needed"
                )
                options.malformed(what, where, hint)
                continue
            if is_empty:
                is_empty = False
                options.remark(_describe_edges(edges), where)
            source, target = cells[:EDGE_WIDTH]
            qualifiers = make_qualifiers(edges.names, cells[EDGE_WIDTH:])
            yield Fact(source, edges.relation, target, number, None, qualifiers)
    if is_empty:
        raise no_fact_error(file)


def _describe_edges(edges: EdgeList) -> str:
    first, second = edges.ends if edges.has_header else ("the first column", "the second")
    return (
        f"an edge list: each line is a fact {edges.relation!r} that leads from {first} to {second}"
    )


LOADER = Loader(
    name="kg",
    summary="knowledge graph: head, relation, tail by line, edge lists, .nt or .ttl; .gz too",
    kind="kg",
    read=read_items,
    aliases=("triples", "knowledge-graph"),
    reads=frozenset({"rdf", "r2rml"}),
)
