"""Demonstrations as JSON lines: files of recorded queries read, and the database's own written.

A line is an object with ``question`` and ``query`` (or ``llm_output``, as files of recorded queries call it);
with ``answers``, a list; with ``source`` (or ``table``) and ``dataset``. Where one query was recorded for
several questions of one wording, ``examples`` lists what they differ in. Other texts and numbers are fields.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..demonstrating.demonstration import Demonstration
from ..errors import MalformedLine, UnreadableFile, UsageError

LONGEST = 20_000
"""Characters of a question or a query."""

_OWN = frozenset(
    ("question", "query", "llm_output", "answers", "source", "table", "dataset", "examples", "state", "why")
)  # fmt: skip
_HINT = 'each line is {"question": "…", "query": "…", "answers": […], "source": "…"}, the last two if known'


@dataclass
class Recorded:
    """What a file holds: demonstrations by dataset, each question of a source once, the first time.

    ``repeated`` lines had the question of one before; ``passed`` are what was passed over, by the reason.
    """

    by_dataset: dict[str, list[Demonstration]] = field(default_factory=dict)
    repeated: int = 0
    passed: Counter[str] = field(default_factory=Counter)

    @property
    def total(self) -> int:
        """How many demonstrations there are."""
        return sum(map(len, self.by_dataset.values()))


def read(content: bytes, name: str, dataset: str | None = None) -> Recorded:
    """The demonstrations in ``content``, JSON lines that may be packed with gzip.

    ``dataset`` is theirs, whatever they say; None leaves it to the lines.

    Raises:
        UnreadableFile, MalformedLine
    """
    found = Recorded()
    seen: set[tuple[str, str]] = set()
    for number, line in enumerate(_text(content, name).split("\n"), 1):
        if not line.strip():
            continue
        where = f"{name}:{number}"
        record = _object(line, where)
        for one in _examples(record, where, found.passed):
            given = dataset or _word(one, "dataset", where)
            if given is None:
                raise _malformed("no dataset in it, and none is given with --dataset", where)
            demonstration = _demonstration(one, where)
            if demonstration is None:
                found.passed["no query in it"] += 1
            elif (given, demonstration.key) in seen:
                found.repeated += 1
            else:
                seen.add((given, demonstration.key))
                found.by_dataset.setdefault(given, []).append(demonstration)
    return found


def lines(demonstrations: Iterable[Demonstration]) -> Iterator[str]:
    """Each as a line that ``read`` takes; state and reason are told, and not read again."""
    for each in demonstrations:
        told: dict[str, Any] = {"question": each.question, "query": each.query}
        if each.answers is not None:
            told["answers"] = list(each.answers)
        if each.source is not None:
            told["source"] = each.source
        told |= {**each.fields, "state": each.state}
        if each.why:
            told["why"] = each.why
        yield json.dumps(told, ensure_ascii=False) + "\n"


def check(demonstration: Demonstration) -> Demonstration:
    """A demonstration, once it is seen that it can be stored.

    Raises:
        UsageError
    """
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
    """The record, or one for each of its examples."""
    examples = record.get("examples")
    if examples is None:
        yield record
        return
    if not isinstance(examples, list) or not all(isinstance(each, dict) for each in examples):
        raise _malformed("examples that are no list of objects", where)
    if not examples:
        passed["no example in it"] += 1
    for each in examples:
        yield {**record, **{name: each[name] for name in each if name in _OWN}}


def _demonstration(record: Mapping[str, Any], where: str) -> Demonstration | None:
    """What a record says; None where it has no query."""
    question = _word(record, "question", where)
    if question is None:
        raise _malformed("no question in it", where)
    query = _word(record, "query", where) or _word(record, "llm_output", where)
    if query is None:
        return None
    source = _word(record, "source", where) or _word(record, "table", where)
    answers = record.get("answers")
    fields = {
        name: value for name, value in record.items() if name not in _OWN and isinstance(value, str)
    }
    if answers is not None and not (
        isinstance(answers, list) and all(isinstance(answer, str) for answer in answers)
    ):
        raise _malformed("answers that are no list of texts or numbers", where)
    found = Demonstration(
        question, query, None if answers is None else tuple(answers), source, fields
    )
    wrong = _wrong(found)
    if wrong:
        raise _malformed(wrong, where)
    return found


def _wrong(demonstration: Demonstration) -> str:
    """Why it cannot be stored; empty if it can."""
    for what, text in (("question", demonstration.question), ("query", demonstration.query)):
        if not text.strip():
            return f"an empty {what}"
        if len(text) > LONGEST:
            return f"a {what} of {len(text):,} characters, and {LONGEST:,} are allowed"
    for name in demonstration.fields:
        if "=" in name or name in _OWN:
            return f"a field that cannot be called {name!r}"
    return ""


def _word(record: Mapping[str, Any], name: str, where: str) -> str | None:
    """A text of the record; None where it has none."""
    value = record.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        raise _malformed(f"{name} is no text", where)
    return value if value.strip() else None


def _malformed(what: str, where: str) -> MalformedLine:
    return MalformedLine(what, where=where, hint=_HINT)
