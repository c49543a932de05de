"""Questions of a file, asked several at a time: one line of output for each, in order."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..answer import GOOD, Answer
from ..errors import MissingFile, UnreadableFile
from . import drawing
from .progress import bars

if TYPE_CHECKING:
    from ..asking.options import Options
    from ..client import TrustUQA

COLUMNS = ("id", "question", "outcome", "answer", "confidence")


@dataclass(frozen=True, slots=True)
class Item:
    """One question of a file, with the id that its record has."""

    id: Any
    question: str


def ask_file(tuqa: TrustUQA, file: Path, options: dict[str, Any], wished: Options) -> bool:
    """Ask every question of ``file`` and print the answers; whether all could be asked.

    Raises:
        MissingFile, UnreadableFile, UsageError, DataError, DatabaseError, ModelError
    """
    items = read(file)
    outcomes: Counter[str] = Counter()
    print_one = _csv if options["as_csv"] else _json
    if options["as_csv"]:
        click.echo(_line(COLUMNS))
    with bars(options["quiet"]) as progress:
        progress.begin("ask", len(items), "questions")
        questions = _noted(items, waiting := deque[Item]())
        answers = tuqa.ask_many(questions, options["dataset"], at_once=options["at_once"], **wished)
        for count, answer in enumerate(answers, 1):
            click.echo(print_one(waiting.popleft(), answer))
            outcomes[answer.outcome] += 1
            progress.advance(count)
    told = ", ".join(f"{count} {outcome.replace('_', ' ')}" for outcome, count in outcomes.items())
    click.echo(f"{len(items)} questions: {told}", err=True)
    return set(outcomes) <= GOOD


def read(file: Path) -> list[Item]:
    """The questions of a file: a line each, or JSON lines with ``question`` and ``id``.

    Raises:
        MissingFile, UnreadableFile
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise MissingFile(
            "no such file", where=str(file), hint="give a file of questions"
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        what = "not UTF-8 text" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise UnreadableFile(
            what or str(error), where=str(file), hint="save the questions as UTF-8, one a line"
        ) from error
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise UnreadableFile("there is no question in it", where=str(file), hint="one a line")
    return [_item(file, number, line) for number, line in lines]


def _item(file: Path, number: int, line: str) -> Item:
    if not line.lstrip().startswith("{"):
        return Item(number, line.strip())
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(
            f"not JSON ({error})", where=f"{file}:{number}", hint='lines are {"question": "…"}'
        ) from error
    question = record.get("question")
    if not isinstance(question, str) or not question.strip():
        raise UnreadableFile(
            "no question in it", where=f"{file}:{number}", hint='lines are {"question": "…"}'
        )
    return Item(record.get("id", number), question)


def _noted(items: Iterable[Item], waiting: deque[Item]) -> Iterator[str]:
    """The questions; each is noted as waiting for its answer when it is taken."""
    for item in items:
        waiting.append(item)
        yield item.question


def _json(item: Item, answer: Answer) -> str:
    told = answer.to_dict()
    del told["trace"]
    return drawing.json_of({"id": item.id, **told})


def _csv(item: Item, answer: Answer) -> str:
    values = " | ".join(str(value) for value in answer.values)
    confidence = "" if answer.confidence is None else f"{answer.confidence:.2f}"
    return _line((item.id, item.question, answer.outcome, values, confidence))


def _line(cells: Iterable[Any]) -> str:
    written = io.StringIO()
    csv.writer(written, lineterminator="").writerow(cells)
    return written.getvalue()
