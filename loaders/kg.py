"""``kg``: knowledge graphs: head, relation, tail in columns, or RDF as N-Triples or Turtle.

Columns behind the third are qualifiers of the fact, named by the header. What a file is, its name says:
``.nt`` and ``.ttl`` are RDF, anything else is columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trustuqa_neo4j.errors import UnreadableFile
from trustuqa_neo4j.loader import File, Loader, Reading
from trustuqa_neo4j.triples import Fact, Item

from .columns import THREE, Form, Records, no_fact, qualifiers, records
from .statements_rdf import is_rdf
from .times import when
from .triples_rdf import Graphs

FORM = Form((THREE,), "head, relation, tail")


def read(files: Sequence[File], reading: Reading) -> Iterator[Item]:
    """The items of each file, in its order.

    Raises:
        MissingFile, UnreadableFile, MalformedLine
        MissingExtra: it is RDF, and what reads RDF is not installed.
        NotBuilt: RDF in a form that is not read yet.
    """
    graphs = Graphs([file for file in files if is_rdf(file)], reading)
    for file in files:
        yield reading.part(file.name, file.name, "kg")
        if is_rdf(file):
            yield from graphs.items(file)
        else:
            yield from facts(file, reading, FORM)


def facts(file: File, reading: Reading, form: Form) -> Iterator[Fact]:
    """The facts of a file of columns.

    Raises:
        MissingFile, UnreadableFile, MalformedLine
    """
    with records(file, reading, form) as found:
        _refuse_times(file, found)
        number = 0
        if found.further:
            for number, fields in found.rows:
                named = qualifiers(found.further, fields[THREE:])
                yield Fact(fields[0], fields[1], fields[2], number, None, named)
        else:
            for number, (head, relation, tail) in found.rows:
                yield Fact(head, relation, tail, number)
        if not number:
            raise no_fact(file)


def _refuse_times(file: File, found: Records) -> None:
    """As qualifiers, times could be shown and never asked for."""
    times = [name for name in found.further if when(name)]
    if times:
        raise UnreadableFile(
            f"its column {times[0]!r} says when facts hold",
            where=f"{file.name}:{found.header}",
            hint="load it as temporal-kg, or give the column another name",
        )


LOADER = Loader(
    name="kg",
    summary="knowledge graph: head, relation, tail by line (tab, | or comma), .nt or .ttl; .gz too",
    kind="kg",
    read=read,
)
