"""Queries as commands are given them: one as text, or many as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ..errors import UnreadableFile


def read(file: Any) -> tuple[str, str]:
    """The text in ``file``, and what to call the file.

    Raises:
        UnreadableFile
    """
    name = getattr(file, "name", "-")
    where = "standard input" if name in ("-", "<stdin>") else name
    try:
        content = file.read()
        text: str = content.decode("utf-8-sig")
    except OSError as error:
        raise UnreadableFile(
            error.strerror or str(error), where=where, hint="give a file with a query"
        ) from error
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise UnreadableFile(
            "not UTF-8 text", where=f"{where}:{line}", hint="save the queries as UTF-8"
        ) from error
    if not text.strip():
        raise UnreadableFile(
            "there is no query in it", where=where, hint="`tuqa run --help` shows an example"
        )
    return text, where


def are_many(text: str) -> bool:
    """Whether these are JSON lines: by any line that is one, since the others may be broken."""
    return text.lstrip().startswith("{") or any(
        "query" in fields(_parsed(line)) for line in text.split("\n") if line.lstrip()[:1] == "{"
    )


def items(text: str) -> Iterator[tuple[int, Any]]:
    """What each line that is not blank holds, with its number; the error, where that is no JSON."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, _parsed(line)


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:  # ValueError: numbers of very many digits, too
        return error


def fields(item: Any) -> dict[str, Any]:
    """An item's fields; none where it is no object."""
    return item if isinstance(item, dict) else {}


def check(item: Any, number: int) -> None:
    """See that an item is one that can be asked.

    Raises:
        UnreadableFile
    """
    found = fields(item)
    query, source = found.get("query"), found.get("source")
    dataset = found.get("dataset") or []
    names = [*(dataset if isinstance(dataset, list) else [dataset]), source or ""]
    if isinstance(item, Exception):
        wrong = f"not JSON ({item})"
    elif not isinstance(query, str):
        wrong = "no query in it"
    elif not all(isinstance(name, str) for name in names):
        wrong = "dataset or source is no name"
    elif not _is_text(query + "".join(names)):
        wrong = "half a surrogate pair, which is no character"
    else:
        return
    hint = 'each line is {"id": …, "dataset": …, "query": "…"}'
    raise UnreadableFile(wrong, where=f"line {number}", hint=hint)


def _is_text(text: str) -> bool:
    """Whether ``text`` can be written; JSON's escapes can yield what cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
