"""The out file: one line of JSON per question that was answered, and what was there already.

Lines are appended as answers come and never changed, so a run that was killed leaves whole lines and at
most one that is cut, which is taken away when the file is gone on with.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TextIO

from ..answer import Answer, Value
from ..errors import DataError, MissingFile, UnreadableFile
from .benchmark import Case, Given, Score, Scores

_OTHER = "give another --out, or move this file away"


@dataclass(frozen=True, slots=True)
class Line:
    """What became of one case; where it was asked in plain words, the query written for it, and how sure.

    ``rows`` are those of an answer that is a table. ``sent_back``: the kinds of problems of each query
    that went back to the model.
    """

    id: str
    group: str
    question: str
    query: str
    source: str | None
    labels: tuple[str, ...]
    outcome: str
    values: tuple[Value, ...]
    scores: Scores
    ms: Mapping[str, float]
    problems: tuple[Mapping[str, Any], ...] = field(default=())
    llm_query: str | None = None
    confidence: float | None = None
    rows: tuple[tuple[Value, ...], ...] | None = None
    sent_back: tuple[tuple[str, ...], ...] = ()

    def to_json(self) -> str:
        """As one line."""
        return json.dumps(asdict(self), ensure_ascii=False)


def line(
    case: Case, answer: Answer, scores: Scores, sent_back: tuple[tuple[str, ...], ...] = ()
) -> Line:
    """The line of an answer."""
    told = answer.to_dict(proof=False)
    return Line(
        case.id,
        case.group,
        case.question,
        case.query,
        case.source,
        case.labels,
        answer.outcome,
        tuple(told["values"]),
        dict(scores),
        told["ms"],
        tuple(told["problems"]),
        answer.llm_query,
        answer.confidence,
        answer.rows,
        sent_back,
    )


def opened(path: Path | None) -> AbstractContextManager[TextIO | None]:
    """The out file, to be written at its end; nothing where there is to be none.

    Raises:
        MissingFile, UnreadableFile
    """
    if path is None:
        return nullcontext(None)
    try:
        return path.open("a", encoding="utf-8", newline="\n")
    except FileNotFoundError as error:
        raise _no_folder(path) from error
    except OSError as error:
        raise UnreadableFile(str(error.strerror), where=str(path), hint=_OTHER) from error


def found(path: Path, cases: Sequence[Case], score: Score) -> dict[str, Line]:
    """The lines that an earlier run left, by id and scored anew; a last one that was cut is removed.

    Raises:
        MissingFile: its folder is not there.
        UnreadableFile: it is no out file.
        DataError: its queries are not those of this run.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        if not path.parent.is_dir():  # said before anything is loaded
            raise _no_folder(path) from error
        return {}
    except OSError as error:
        raise UnreadableFile(str(error.strerror), where=str(path), hint=_OTHER) from error
    whole = content.rfind(b"\n") + 1
    by_id = {case.id: case for case in cases}
    lines: dict[str, Line] = {}
    for number, text in enumerate(content[:whole].split(b"\n")[:-1], 1):
        where = f"{path}:{number}"
        told = _told(text, where)
        case = by_id.get(told["id"])
        if case is None or case.query != told["query"]:
            what = f"{told['id']!r} is answered in it by another query or another benchmark"
            raise DataError(what, where=where, hint=_OTHER)
        given = Given(told["outcome"], tuple(told["values"]), _rows(told, "rows"))
        lines[case.id] = Line(
            case.id, case.group, case.question, case.query, case.source, case.labels,
            given.outcome, given.values, dict(score(case, given)), told["ms"], tuple(told["problems"]),
            told.get("llm_query"), told.get("confidence"), given.rows, _rows(told, "sent_back") or (),
        )  # fmt: skip
    if whole < len(content):
        _cut(path, content, whole)
    return lines


def _rows(told: Mapping[str, Any], field: str) -> tuple[tuple[Any, ...], ...] | None:
    """A field that is a list of lists; a line of an earlier version has none."""
    rows = told.get(field)
    return None if rows is None else tuple(tuple(row) for row in rows)


def _no_folder(path: Path) -> MissingFile:
    return MissingFile("no such folder", where=str(path.parent), hint="make it first")


def _cut(path: Path, content: bytes, whole: int) -> None:
    """Take the line away that an interruption left unfinished; refuse what never was one."""
    if not content[whole:].startswith(b'{"id": '[: len(content) - whole]):
        raise UnreadableFile("no out file of a replay", where=str(path), hint=_OTHER)
    with path.open("r+b") as file:
        file.truncate(whole)


_FIELDS: dict[str, type | tuple[type, ...]] = {
    "id": str, "query": str, "outcome": str, "values": list, "ms": dict, "problems": list,
}  # fmt: skip


def _told(text: bytes, where: str) -> dict[str, Any]:
    """The fields of a line.

    Raises:
        UnreadableFile
    """
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict) or not all(
        isinstance(told.get(name), kind) for name, kind in _FIELDS.items()
    ):
        raise UnreadableFile("no line of a replay", where=where, hint=_OTHER)
    numbers = all(isinstance(ms, int | float) for ms in told["ms"].values())
    values = all(isinstance(value, str | int | float) for value in told["values"])
    tables = (told.get("rows") or [], told.get("sent_back") or [])
    lists = all(isinstance(t, list) and all(isinstance(row, list) for row in t) for t in tables)
    if not (numbers and values and lists and all(isinstance(p, dict) for p in told["problems"])):
        raise UnreadableFile("no line of a replay", where=where, hint=_OTHER)
    return told
