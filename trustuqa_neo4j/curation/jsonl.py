"""Demonstrations as JSON lines: recorded queries, and exports of the database.

A line is an object with ``question`` and ``query`` (or ``llm_output``), and optionally ``answers`` (a list),
``source`` (or ``table``) and ``dataset``, a text or a list. ``examples`` lists the differences of several
questions with one query. Other texts and numbers are fields.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import MalformedLine, UnreadableFile, UsageError
from ..model.demonstration import Demonstration, name_group
from ..wording import CallOption

LONGEST = 20_000  # characters of a question or a query

_OWN = frozenset(
    ("question", "query", "llm_output", "answers", "source", "table", "dataset", "examples", "state", "why")
)  # fmt: skip
_HINT = 'each line is {"question": "…", "query": "…", "answers": […], "source": "…"}, the last two if known'


@dataclass
class Recorded:
    """The demonstrations of a file by dataset or group; the first one of a question and source counts.

    ``repeated`` counts the others; ``passed`` counts skipped lines by reason.
    """

    by_dataset: dict[str, list[Demonstration]] = field(default_factory=dict)
    repeated: int = 0
    passed: Counter[str] = field(default_factory=Counter)

    @property
    def total(self) -> int:
        return sum(map(len, self.by_dataset.values()))


def read(
    content: bytes,
    name: str,
    dataset: str | Sequence[str] | None = None,
    *,
    queries: bool = True,
) -> Recorded:
    """Read JSON lines from ``content``, plain or gzip.

    ``dataset`` overrides the dataset of the lines. Without ``queries``, the lines are questions with their
    answers, and the demonstrations have an empty query.

    Raises:
        UnreadableFile, MalformedLine
    """
    recorded = Recorded()
    seen: set[tuple[str, str]] = set()
    for number, line in enumerate(_text(content, name).split("\n"), 1):
        if not line.strip():
            continue
        where = f"{name}:{number}"
        record = _object(line, where)
        for example in _examples(record, where, recorded.passed):
            group = name_group(dataset) if dataset else _group(example, where)
            if not group:
                raise _malformed(
                    f"no dataset in it, and none is given with {CallOption.DATASET}", where
                )
            demonstration = _demonstration(example, where, queries)
            if demonstration is None:
                recorded.passed["no query in it"] += 1
            elif (group, demonstration.key) in seen:
                recorded.repeated += 1
            else:
                seen.add((group, demonstration.key))
                recorded.by_dataset.setdefault(group, []).append(demonstration)
    return recorded


def lines(demonstrations: Iterable[Demonstration], datasets: Sequence[str] = ()) -> Iterator[str]:
    """Format demonstrations as lines for ``read``, which ignores state and reason.

    Several ``datasets`` are in the lines; a single one is not, so that ``read`` can be given another.
    """
    for demonstration in demonstrations:
        record: dict[str, Any] = {"question": demonstration.question, "query": demonstration.query}
        if len(datasets) > 1:
            record["dataset"] = list(datasets)
        if demonstration.answers is not None:
            record["answers"] = list(demonstration.answers)
        if demonstration.source is not None:
            record["source"] = demonstration.source
        record |= {**demonstration.fields, "state": demonstration.state}
        if demonstration.why:
            record["why"] = demonstration.why
        yield json.dumps(record, ensure_ascii=False) + "\n"


def check(demonstration: Demonstration) -> Demonstration:
    # Raises UsageError if the demonstration cannot be stored.
    wrong = _wrong(demonstration)
    if wrong:
        raise UsageError(wrong, hint="`tuqa demonstrations add --help` shows an example")
    return demonstration


def _text(content: bytes, name: str) -> str:
    try:
        plain = gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content
    except (OSError, EOFError, zlib.error) as error:
        raise UnreadableFile(str(error), where=name, hint="it was packed, or is cut off") from error
    try:
        return plain.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = plain[: error.start].count(b"\n") + 1
        hint = "save it as UTF-8"
        raise UnreadableFile("not UTF-8 text", where=f"{name}:{line}", hint=hint) from error


def _object(line: str, where: str) -> dict[str, Any]:
    try:
        # Numbers stay the texts that they are: an answer 1.0 is not 1.
        value = json.loads(line, parse_int=str, parse_float=str)
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise _malformed("an escape that is half a character", where) from error
    except (ValueError, RecursionError) as error:
        raise _malformed(f"not JSON ({error})", where) from error
    if not isinstance(value, dict):
        raise _malformed("no object", where)
    return value


def _examples(
    record: dict[str, Any], where: str, passed: Counter[str]
) -> Iterator[Mapping[str, Any]]:
    examples = record.get("examples")
    if examples is None:
        yield record
        return
    if not isinstance(examples, list) or not all(isinstance(example, dict) for example in examples):
        raise _malformed("examples that are not a list of objects", where)
    if not examples:
        passed["no example in it"] += 1
    for example in examples:
        yield {**record, **{name: example[name] for name in example if name in _OWN}}


def _demonstration(record: Mapping[str, Any], where: str, queries: bool) -> Demonstration | None:
    """Convert a record; None if it has no query, but with an empty one without ``queries``."""
    question = _word(record, "question", where)
    if question is None:
        raise _malformed("no question in it", where)
    query = _word(record, "query", where) or _word(record, "llm_output", where)
    if queries and query is None:
        return None
    source = _word(record, "source", where) or _word(record, "table", where)
    answers = record.get("answers")
    fields = {
        name: value for name, value in record.items() if name not in _OWN and isinstance(value, str)
    }
    if answers is not None and not (
        isinstance(answers, list) and all(isinstance(answer, str) for answer in answers)
    ):
        raise _malformed("answers that are not a list of texts or numbers", where)
    if answers is None and not queries:
        raise _malformed("no answers in it", where)
    labels = None if answers is None else tuple(answers)
    demonstration = Demonstration(
        question, query if queries and query else "", labels, source, fields
    )
    wrong = _wrong(demonstration, queries)
    if wrong:
        raise _malformed(wrong, where)
    return demonstration


def _wrong(demonstration: Demonstration, queries: bool = True) -> str:
    texts = {"question": demonstration.question}
    if queries:
        texts["query"] = demonstration.query
    for what, text in texts.items():
        if not text.strip():
            return f"an empty {what}"
        if len(text) > LONGEST:
            return f"a {what} of {len(text):,} characters, and {LONGEST:,} are allowed"
    for name in demonstration.fields:
        if "=" in name or name in _OWN:
            return f"a field that cannot be called {name!r}"
    return ""


def _group(record: Mapping[str, Any], where: str) -> str | None:
    value = record.get("dataset")
    if not isinstance(value, list):
        name = _word(record, "dataset", where)
        return None if name is None else name_group(name)
    if not all(isinstance(name, str) and name.strip() for name in value):
        raise _malformed("dataset is not a list of texts", where)
    return name_group(value)


def _word(record: Mapping[str, Any], name: str, where: str) -> str | None:
    value = record.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        raise _malformed(f"{name} is not a text", where)
    return value if value.strip() else None


def _malformed(what: str, where: str) -> MalformedLine:
    return MalformedLine(what, where=where, hint=_HINT)
