"""The --out file: a line of JSON for each answered question.

Lines are appended and never changed. A killed run leaves complete lines and at most one incomplete line,
which is removed when the next run continues.
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
from .benchmark import Case, Score, ScoredAnswer, Scores

_OTHER_FILE_HINT = "give another --out, or move this file away"


@dataclass(frozen=True, slots=True)
class ReadingResult:
    # A reading of a question that was run; ``confidence`` is None if it failed.
    query: str
    confidence: float | None
    outcome: str
    values: tuple[Value, ...]
    scores: Scores


@dataclass(frozen=True, slots=True)
class ResultLine:
    # A question that was asked has ``llm_query`` and ``confidence``. ``rows`` is the table, if the
    # answer is one. ``sent_back`` has the kinds of problems of each query that was sent back to the
    # model. ``readings`` are the best ones, if a question was asked untaught. ``grounded`` is False if the
    # model computed with values of the data. ``usage`` has tokens, calls and cost of the model,
    # ``similarity`` is that of the least similar name that was mapped; None if none was. ``datasets`` were
    # asked, and ``source_read`` is the one table or graph that the query read. ``facts`` is the number of
    # facts that the answer was found in, ``origin`` is what wrote the query; None in files of earlier
    # versions.
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
    readings: tuple[ReadingResult, ...] | None = None
    grounded: bool = True
    tags: tuple[str, ...] = ()
    usage: Mapping[str, Any] = field(default_factory=dict)
    similarity: float | None = None
    datasets: tuple[str, ...] = ()
    source_read: str | None = None
    facts: int | None = None
    origin: str | None = None

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False)


def make_line(
    case: Case,
    answer: Answer,
    scores: Scores,
    sent_back: tuple[tuple[str, ...], ...] = (),
    readings: tuple[ReadingResult, ...] | None = None,
) -> ResultLine:
    fields = answer.to_dict(proof=False)
    return _make_line(
        case,
        scores,
        outcome=answer.outcome,
        values=tuple(fields["values"]),
        ms=fields["ms"],
        problems=tuple(fields["problems"]),
        llm_query=answer.llm_query,
        confidence=answer.confidence,
        rows=answer.rows,
        sent_back=sent_back,
        readings=readings,
        grounded=answer.grounded,
        usage=dict(answer.usage),
        similarity=min((match.score for match in answer.mapped), default=None),
        datasets=answer.datasets,
        source_read=answer.source,
        facts=max(answer.evidence_total, answer.considered_total),
        origin=answer.origin,
    )


def _make_line(case: Case, scores: Scores, **fields: Any) -> ResultLine:
    """Make the line of ``case``; ``fields`` are those that its answer has."""
    return ResultLine(
        case.id, case.group, case.question, case.query, case.source, case.labels,
        scores=dict(scores), tags=case.tags, **fields,
    )  # fmt: skip


def open_results(path: Path | None) -> AbstractContextManager[TextIO | None]:
    if path is None:
        return nullcontext(None)
    try:
        return path.open("a", encoding="utf-8", newline="\n")
    except FileNotFoundError as error:
        raise _missing_folder(path) from error
    except OSError as error:
        raise UnreadableFile(str(error.strerror), where=str(path), hint=_OTHER_FILE_HINT) from error


def read_results(
    path: Path, cases: Sequence[Case], score: Score, *, untaught: bool = False
) -> dict[str, ResultLine]:
    # The results are scored again. An incomplete last line is removed. With ``untaught``, answers to
    # questions must have readings.
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        if not path.parent.is_dir():  # an error now, not after the load
            raise _missing_folder(path) from error
        return {}
    except OSError as error:
        raise UnreadableFile(str(error.strerror), where=str(path), hint=_OTHER_FILE_HINT) from error
    size = content.rfind(b"\n") + 1  # of the complete lines
    by_id = {case.id: case for case in cases}
    lines: dict[str, ResultLine] = {}
    for number, text in enumerate(content[:size].split(b"\n")[:-1], 1):
        where = f"{path}:{number}"
        fields = read_fields(text, where)
        case = by_id.get(fields["id"])
        if case is None or case.query != fields["query"]:
            problem = f"{fields['id']!r} is answered in it by another query or another benchmark"
            raise DataError(problem, where=where, hint=_OTHER_FILE_HINT)
        has_readings = fields.get("readings") is not None
        if has_readings != (untaught and not case.query):
            problem = f"{fields['id']!r} was asked {'untaught' if has_readings else 'otherwise'}"
            raise DataError(problem, where=where, hint=_OTHER_FILE_HINT)
        answer = ScoredAnswer(
            fields["outcome"],
            tuple(fields["values"]),
            _rows(fields, "rows"),
            tuple(fields.get("datasets") or ()),
            fields.get("source_read"),
        )
        own = {name: fields[name] for name in _OWN_FIELDS if fields.get(name) is not None}
        lines[case.id] = _make_line(
            case,
            score(case, answer),
            outcome=answer.outcome,
            values=answer.values,
            problems=tuple(fields["problems"]),
            rows=answer.rows,
            sent_back=_rows(fields, "sent_back") or (),
            readings=_readings(fields, case, score, where) if has_readings else None,
            grounded=fields.get("grounded", True) is True,
            datasets=answer.datasets,
            source_read=answer.source,
            **own,
        )
    if size < len(content):
        _truncate(path, content, size)
    return lines


def _readings(
    fields: Mapping[str, Any], case: Case, score: Score, where: str
) -> tuple[ReadingResult, ...]:
    readings = []
    for entry in fields["readings"]:
        try:
            outcome, values = entry["outcome"], tuple(entry["values"])
            scores = dict(score(case, ScoredAnswer(outcome, values)))
            confidence = None if entry["confidence"] is None else float(entry["confidence"])
            readings.append(ReadingResult(str(entry["query"]), confidence, outcome, values, scores))
        except (KeyError, TypeError, ValueError):
            raise UnreadableFile("no reading", where=where, hint=_OTHER_FILE_HINT) from None
    return tuple(readings)


def _rows(fields: Mapping[str, Any], field: str) -> tuple[tuple[Any, ...], ...] | None:
    # Lines of earlier versions lack the rows.
    rows = fields.get(field)
    return None if rows is None else tuple(tuple(row) for row in rows)


def _missing_folder(path: Path) -> MissingFile:
    return MissingFile("no such folder", where=str(path.parent), hint="make it first")


def _truncate(path: Path, content: bytes, size: int) -> None:
    # Text that was never a result line is refused.
    if not content[size:].startswith(b'{"id": '[: len(content) - size]):
        raise UnreadableFile("no out file of a replay", where=str(path), hint=_OTHER_FILE_HINT)
    with path.open("r+b") as file:
        file.truncate(size)


_OWN_FIELDS = ("ms", "llm_query", "confidence", "usage", "similarity", "facts", "origin")
"""Fields that are taken as they are; lines of earlier versions lack some."""

_FIELDS: dict[str, type | tuple[type, ...]] = {
    "id": str, "query": str, "outcome": str, "values": list, "ms": dict, "problems": list,
}  # fmt: skip


def read_fields(text: bytes, where: str) -> dict[str, Any]:
    error = UnreadableFile("no line of a replay", where=where, hint=_OTHER_FILE_HINT)
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        raise error from None
    if not isinstance(fields, dict) or not all(
        isinstance(fields.get(name), kind) for name, kind in _FIELDS.items()
    ):
        raise error
    tables = [fields.get("rows") or [], fields.get("sent_back") or []]
    if not (
        all(isinstance(ms, int | float) for ms in fields["ms"].values())
        and all(isinstance(value, str | int | float) for value in fields["values"])
        and all(isinstance(problem, dict) for problem in fields["problems"])
        and isinstance(fields.get("usage") or {}, dict)
        and isinstance(fields.get("similarity"), float | int | None)
        and isinstance(fields.get("facts"), int | None)
        and isinstance(fields.get("origin"), str | None)
        and isinstance(fields.get("datasets") or [], list)
        and all(isinstance(table, list) for table in tables)
        and all(isinstance(row, list) for table in tables for row in table)
    ):
        raise error
    return fields
