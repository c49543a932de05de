"""``kg``: a knowledge graph as columns of head, relation and tail, as condition triples, N-Triples or Turtle.

Columns after the third are qualifiers of the fact, named by the header. Files are RDF by their suffix
(``.nt``, ``.ttl``), or if they begin like RDF; all others are columns.
"""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from trustuqa_neo4j.loading.edge_lists import (
    EDGE_WIDTH,
    EdgeList,
    find_edge_list,
    is_comment,
    split_edge,
)
from trustuqa_neo4j.loading.fact_columns import (
    CONDITION_TRIPLE,
    TRIPLE_WIDTH,
    detect_shape,
    has_condition_triples,
    time_role,
)
from trustuqa_neo4j.loading.file_beginning import FileBeginning
from trustuqa_neo4j.loading.formats import File, Loader, ReadOptions
from trustuqa_neo4j.model.facts import Fact, Item, RelationDeclared, ValidTime
from trustuqa_neo4j.values import BadDate, make_interval, read_date

from ._rdf import is_rdf
from ._text import SKIP_BAD_LINES, count_noun, open_lines
from ._triples import (
    REVERSED,
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


# Condition triples as the TrustUQA paper prints them: ``(node1, node2, [condition])``, one a line.
#
# ``(relation, tail, [head])`` is a fact, and ``(key, value, [head, relation, tail])`` a qualifier or a
# time of one. ``(head, relation, [])`` repeats the head of a fact; without such a fact it is a common
# rule: the members of the class *head* have the relation.


_TIMES = ("start time", "end time", "time")
_TRIPLE_HINT = (
    "write (head, relation, []), (relation, tail, [head]) or (key, value, [head, relation, tail]), and a "
    f"name with a comma in double quotes; {SKIP_BAD_LINES}"
)
_SEVERAL_TIMES_HINT = (
    "triples do not say which end belongs to which start: write head, relation, tail, start and end as "
    f"columns of a temporal graph; {SKIP_BAD_LINES}"
)

_Triple: TypeAlias = tuple[str, str, str]


def is_triples(file: File, options: ReadOptions) -> bool:
    """Check whether the first line of the file that is not blank is a condition triple."""
    return has_condition_triples(FileBeginning.read(file).decode(options.encoding))


def read_triples(file: File, options: ReadOptions) -> Iterator[Item]:
    """Yield the facts and rules of the file, which is held in memory: conditions may precede their facts."""
    rules: dict[tuple[str, str], int] = {}
    facts: dict[_Triple, int] = {}
    conditions = defaultdict[_Triple, dict[tuple[str, str], int]](dict)
    with open_lines(file, options) as lines:
        for number, line in enumerate(lines, 1):
            match = CONDITION_TRIPLE.fullmatch(line.strip())
            if match is None:
                if line.strip():
                    options.malformed(
                        "not a condition triple", f"{file.name}:{number}", _TRIPLE_HINT
                    )
                continue
            node1, node2, head, relation, tail = (_unquote(name or "") for name in match.groups())
            if tail:
                conditions[head, relation, tail].setdefault((node1, node2), number)
            elif head:
                facts.setdefault((head, node1, node2), number)
            else:
                rules.setdefault((node1, node2), number)
    for fact, pairs in conditions.items():
        facts.setdefault(fact, min(pairs.values()))
    subjects = {fact[:2] for fact in facts}
    rules = {rule: number for rule, number in rules.items() if rule not in subjects}
    if not facts and not rules:
        raise no_fact_error(file)
    is_temporal = any(key in _TIMES for pairs in conditions.values() for key, _ in pairs)
    yield options.part(file.name, file.name, "temporal-kg" if is_temporal else "kg")
    for head, relation in rules:
        yield RelationDeclared(relation, domains=((head,),))
    for fact, number in facts.items():
        pairs = conditions[fact]
        qualifiers = tuple(pair for pair in pairs if pair[0] not in _TIMES)
        yield Fact(
            *fact, number, _read_time([*pairs], f"{file.name}:{number}", options), qualifiers
        )


def _unquote(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name.strip()


def _read_time(pairs: list[tuple[str, str]], where: str, options: ReadOptions) -> ValidTime | None:
    keys = [key for key, _ in pairs]
    texts = dict(pairs)
    try:
        # Each year between start and end has a triple ``time`` too.
        times = [text for key, text in pairs if key == "time"]
        times.sort(key=lambda text: read_date(text, options.values.dates) or (0, 0))
        start = texts.get("start time", times[0] if times else "")
        end = texts.get("end time", times[-1] if times and "start time" not in texts else "")
        days = [read_date(text, options.values.dates) for text in (start, end)]
    except BadDate as error:
        options.malformed(str(error), where, _TRIPLE_HINT)
        return None
    if max(map(keys.count, ("start time", "end time"))) > 1:
        options.malformed("a fact with several start or end times", where, _SEVERAL_TIMES_HINT)
        return None
    interval = make_interval(*days)
    if interval is None:
        return None
    if interval.reversed:
        options.remark(REVERSED, where)
    return ValidTime(interval.start, interval.end, start, end)
