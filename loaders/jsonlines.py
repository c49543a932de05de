"""Tables as JSON lines, an object each: ``id``, ``header``, ``rows``; what else it has is passed over.

The lines of its facts are all the line of the object. Numbers are kept as the file writes them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from trustuqa_neo4j.loader import Reading

from .content import Content, lines_of
from .rows import Table

_HINT = "each line is an object with id, header and rows; --skip-bad N passes over up to N of them"
_WORDS = {None: "", True: "true", False: "false"}


def tables(content: Content, reading: Reading) -> Iterator[Table]:
    """The tables of a file, in its order, named by their ids.

    Raises:
        MissingFile, UnreadableFile, MalformedLine
    """
    with lines_of(content, reading) as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                name, header, rows = _table(line)
            except _Wrong as error:
                reading.malformed(str(error), f"{content.place}:{number}", _HINT)
                continue
            yield Table(name, content.place, header, ((number, row) for row in rows))


class _Wrong(Exception):
    """What is wrong with a line."""


def _table(line: str) -> tuple[str, list[str], list[list[str]]]:
    """Id, header and rows that a line says.

    Raises:
        _Wrong
    """
    given = _json(line)
    name, header, rows = (given.get(key) for key in ("id", "header", "rows"))
    if not isinstance(name, str) or not name.strip():
        raise _Wrong("no id that is a text")
    if not isinstance(header, list) or not header:
        raise _Wrong("no header that is a list of names")
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise _Wrong("no rows that are lists of cells")
    return name, _cells(header), [_cells(row) for row in rows]


def _json(line: str) -> dict[str, Any]:
    try:
        # Numbers stay the texts that they are: 1.0 is not 1, nor is 1e3 1000.
        given = json.loads(line, parse_int=str, parse_float=str, parse_constant=str)
        json.dumps(given, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise _Wrong(f"no JSON: {error.msg} at character {error.pos + 1}") from error
    except UnicodeEncodeError as error:
        raise _Wrong("an escape that is half a character") from error
    except RecursionError as error:
        raise _Wrong("nested too deep") from error
    if not isinstance(given, dict):
        raise _Wrong("no object")
    return given


def _cells(values: list[Any]) -> list[str]:
    return [value if isinstance(value, str) else _word(value) for value in values]


def _word(value: object) -> str:
    if isinstance(value, (list, dict)):
        raise _Wrong("a cell that is a list or an object")
    return _WORDS[value]  # type: ignore[index]  # the only others that JSON has
