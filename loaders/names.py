"""Files of ids and their names: two columns with a tab between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trustuqa_neo4j.loader import File, Reading

from .text import lines

_HEADERS = frozenset({("id", "name"), ("id", "alias"), ("id", "text"), ("id", "label")})
_HINT = "each line is id, tab, name; --skip-bad N passes over up to N bad lines"


def texts(files: Iterable[File], reading: Reading) -> dict[str, list[str]]:
    """Id → what it is called, in the order of the files; an id without a text is not in it.

    Raises:
        MissingFile, UnreadableFile, MalformedLine
    """
    found: dict[str, list[str]] = {}
    for file in files:
        for key, text in _pairs(file, reading):
            if text.strip() and text not in (known := found.setdefault(key, [])):
                known.append(text)
    return found


def _pairs(file: File, reading: Reading) -> Iterator[tuple[str, str]]:
    with lines(file, reading) as found:
        for line in found:
            fields = line.rstrip("\r\n").split("\t")
            if not line.strip() or (found.number == 1 and _is_header(fields)):
                continue
            if len(fields) == 2 and fields[0].strip():
                yield fields[0], fields[1]
                continue
            columns = "1 column" if len(fields) == 1 else f"{len(fields)} columns"
            wrong = f"{columns} where 2 are needed, split at tab"
            wrong = "the id is empty" if len(fields) == 2 else wrong
            reading.malformed(wrong, f"{file.name}:{found.number}", _HINT)


def _is_header(fields: list[str]) -> bool:
    return tuple(field.strip().casefold() for field in fields) in _HEADERS
