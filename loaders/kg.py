"""``kg``: knowledge graphs as three columns: head, relation, tail.

Tab, vertical bar or comma between them, found from the first lines; a comma means CSV with its quotes,
the other two have none, so that a quote in a name is a quote. A first line of column names is passed over.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from itertools import chain

from trustuqa_neo4j.errors import UnreadableFile
from trustuqa_neo4j.loader import File, Loader, Reading
from trustuqa_neo4j.triples import Fact

from .text import Lines, lines

COLUMNS = 3
_DELIMITERS = {"\t": "tab", "|": "vertical bar", ",": "comma"}
_LOOKED_AT = 50
_LONGEST = 1 << 30
"""Characters that a CSV field may have; the csv module's own limit is 131,072."""
_HEADERS = frozenset({
    ("head", "relation", "tail"), ("subject", "predicate", "object"),
    ("subject", "relation", "object"), ("source", "relation", "target"), ("h", "r", "t"),
})  # fmt: skip
_SAID = {
    "unexpected end of data": "a quote in this record is never closed",
    "',' expected after '\"'": "a quote that closes stands before something other than a comma",
}
"""What the csv module says → the same for people."""
_HINT = "each line is head, relation, tail; --skip-bad N passes over up to N bad lines"


def read(file: File, reading: Reading) -> Iterator[Fact]:
    """The facts of ``file``, in its order.

    Raises:
        MissingFile, UnreadableFile, MalformedLine
    """
    # The limit is the whole process's and cannot be set for one reader; wider harms nobody.
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST))
    with lines(file, reading) as found:
        first = _first(found)
        delimiter = _delimiter(file, first)
        records = _records(file, reading, found, first, delimiter)
        facts = 0
        for place, (number, fields) in enumerate(records):
            if not place and tuple(f.strip().casefold() for f in fields) in _HEADERS:
                continue
            wrong = _wrong(fields, delimiter)
            if wrong:
                reading.malformed(wrong, f"{file.name}:{number}", _HINT)
            else:
                facts += 1
                yield Fact(fields[0], fields[1], fields[2], number)
        if not facts:
            raise UnreadableFile("no fact in it", where=file.name, hint="give a file with facts")


def _first(found: Lines) -> list[str]:
    """The first lines, as many as are needed to have ``_LOOKED_AT`` that are not blank."""
    first: list[str] = []
    filled = 0
    for line in found:
        first.append(line)
        filled += bool(line.strip())
        if filled == _LOOKED_AT:
            break
    return first


def _delimiter(file: File, first: list[str]) -> str:
    """The delimiter by which most of the first lines have three fields."""
    filled = [line for line in first if line.strip()]
    if not filled:
        raise UnreadableFile("only blank lines", where=file.name, hint="give a file with facts")

    def fits(delimiter: str) -> int:
        by_line = sum(len(_split(line, delimiter)) == COLUMNS for line in filled)
        if delimiter != ",":
            return by_line
        # Lines of a CSV file are not its records: a quoted field may hold line breaks.
        return max(by_line, sum(len(fields) == COLUMNS for fields in csv.reader(first)))

    best = max(_DELIMITERS, key=fits)
    if not fits(best):
        allowed = ", ".join(_DELIMITERS.values())
        raise UnreadableFile(
            f"no line of the first {len(filled)} has three columns",
            where=f"{file.name}:1",
            hint=f"put a {allowed} between head, relation and tail",
        )
    return best


def _split(line: str, delimiter: str) -> list[str]:
    if delimiter == ",":
        return next(csv.reader([line]), [])
    return line.rstrip("\r\n").split(delimiter)


def _records(
    file: File, reading: Reading, found: Lines, first: list[str], delimiter: str
) -> Iterator[tuple[int, list[str]]]:
    """Line number and fields of each record that is not blank."""
    everything: Iterable[str] = chain(first, found)
    if delimiter != ",":
        for number, line in enumerate(everything, 1):
            if line.strip():
                yield number, line.rstrip("\r\n").split(delimiter)
        return
    reader = csv.reader(everything, strict=True)
    while True:
        number = reader.line_num + 1
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            wrong = _SAID.get(str(error), str(error))
            reading.malformed(wrong, f"{file.name}:{number}", _HINT)
            continue
        if len(fields) > 1 or (fields and fields[0].strip()):
            yield number, fields


def _wrong(fields: list[str], delimiter: str) -> str:
    if len(fields) != COLUMNS:
        columns = "1 column" if len(fields) == 1 else f"{len(fields)} columns"
        return f"{columns} where {COLUMNS} are needed, split at {_DELIMITERS[delimiter]}"
    for name, value in zip(("head", "relation", "tail"), fields, strict=True):
        if not value.strip():
            return f"the {name} is empty"
    return ""


LOADER = Loader(
    name="kg",
    summary="knowledge graph: head, relation, tail by line (tab, | or comma; .gz too)",
    kind="kg",
    read=read,
)
