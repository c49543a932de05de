"""``ConfirmedQuestion``: a question with the query that a person confirms, and the file with the last one.

``tuqa ask`` writes the file, so that ``tuqa demonstrations accept`` needs no arguments. It has the question
and its query, but no answer.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from ..answer import Answer
from ..errors import DataError, UnreadableFile, UsageError
from ..model.demonstration import Demonstration
from ..private_folder import make_private_folder, write_private_file
from ..wording import CallOption

LAST_QUESTION_FILE = "last-question.json"  # under TUQA_HOME


@dataclass(frozen=True, slots=True)
class ConfirmedQuestion:
    """A question, its query, and the data that answer it."""

    question: str
    query: str
    datasets: tuple[str, ...]
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Acceptance:
    """The demonstration of a confirmed question; ``is_new`` is False if it was stored before."""

    datasets: tuple[str, ...]
    demonstration: Demonstration
    is_new: bool


def confirm_question(answer: Answer, pick: int | None = None) -> ConfirmedQuestion:
    """Take the query of ``answer``, or of its reading ``pick`` (from 1).

    Raises:
        UsageError: the answer has no question, or no such reading.
        DataError: the question was not answered.
    """
    if answer.question is None:
        raise UsageError("the answer has no question", hint="accept an answer of `ask`")
    if pick is not None:
        if not 1 <= pick <= len(answer.readings):
            raise UsageError(
                f"there is no reading {pick}",
                where=f"the answer has {len(answer.readings)}",
                hint="readings are counted from 1; an answered question is accepted without `pick`",
            )
        reading = answer.readings[pick - 1]
        datasets = answer.datasets if reading.dataset is None else (reading.dataset,)
        return ConfirmedQuestion(answer.question, reading.query, datasets, reading.source)
    if answer.outcome != "answered" or answer.llm_query is None:
        hint = "ask it in other words"
        if answer.readings:
            hint = f"accept one of its readings ({CallOption.PICK.with_value('N')})"
        raise DataError(
            f"only an answer can be accepted, and the question is {answer.outcome.replace('_', ' ')}",
            where=f"question {answer.question!r}",
            hint=hint,
        )
    return ConfirmedQuestion(
        answer.question, answer.llm_query, list_answering_datasets(answer), answer.source
    )


def write_last_question(home: Path, answer: Answer) -> None:
    """Remember an answered question; nothing happens if it has no answer, or the folder cannot be written."""
    if answer.outcome != "answered":
        return
    content = json.dumps(asdict(confirm_question(answer)), ensure_ascii=False) + "\n"
    with suppress(OSError, UnicodeEncodeError):
        make_private_folder(home)
        write_private_file(home / LAST_QUESTION_FILE, content.encode())


def read_last_question(home: Path) -> ConfirmedQuestion:
    """Read the last question that was answered.

    Raises:
        UsageError: there is none.
        UnreadableFile
    """
    path = home / LAST_QUESTION_FILE
    hint = "ask a question with `tuqa ask`, or name it: tuqa demonstrations accept QUESTION"
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        return ConfirmedQuestion(
            str(record["question"]),
            str(record["query"]),
            tuple(map(str, record["datasets"])),
            None if record["source"] is None else str(record["source"]),
        )
    except FileNotFoundError as error:
        raise UsageError("no question was answered yet", where=str(home), hint=hint) from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UnreadableFile("the last question", where=str(path), hint=hint) from error


def list_answering_datasets(answer: Answer) -> tuple[str, ...]:
    """The datasets of the answer; without ``--dataset`` several may have been asked in turn."""
    proving = {fact.dataset for fact in answer.evidence}
    return tuple(name for name in answer.datasets if name in proving) or answer.datasets
