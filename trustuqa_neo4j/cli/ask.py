"""``tuqa ask``."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..answer import SUCCESS_OUTCOMES, Answer
from ..errors import DataError, MissingFile, UnreadableFile
from ..option import GROUPS
from ..questions import batch
from ..render.terminal import escape_controls, is_encodable
from . import output
from .answer_output import output_options, show_answer
from .connection import call_within, connect_within, connection_options, resolve_server
from .main import allow_imports
from .output import progress_bars
from .question_options import (
    SectionedCommand,
    asked_datasets,
    question_options,
    read_question_options,
)

if TYPE_CHECKING:
    from ..client import TrustUQA
    from ..questions.options import AskOptions


# Questions of a file: several are asked at a time, the answers are printed in order.

CSV_COLUMNS = ("id", "question", "outcome", "answer", "confidence")


@dataclass(frozen=True, slots=True)
class FileQuestion:
    # ``id`` is the id of the record or the number of the line. Dataset and source go before the options.
    id: Any
    question: str
    dataset: str | Sequence[str] | None = None
    source: str | None = None

    def __str__(self) -> str:
        return self.question


def ask_file(tuqa: TrustUQA, file: Path, options: dict[str, Any], ask_options: AskOptions) -> bool:
    # True: all outcomes are good.
    questions = read_questions(file)
    outcomes: Counter[str] = Counter()
    format_answer = _format_csv_line if options["as_csv"] else _format_json_line
    if options["as_csv"]:
        click.echo(_csv_line(CSV_COLUMNS))
    with progress_bars(options["quiet"]) as progress:
        progress.begin("ask", len(questions), "questions")
        pending = deque[FileQuestion]()
        ask = partial(_ask_question, tuqa, options["dataset"], ask_options)
        answers = batch.answers(ask, _take_questions(questions, pending), options["at_once"])
        for count, answer in enumerate(answers, 1):
            click.echo(format_answer(pending.popleft(), answer))
            outcomes[answer.outcome] += 1
            progress.advance(count)
    counts = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in outcomes.items())
    click.echo(f"{len(questions)} questions: {counts}", err=True)
    return set(outcomes) <= SUCCESS_OUTCOMES


def _ask_question(
    tuqa: TrustUQA, dataset: Sequence[str], options: AskOptions, question: FileQuestion
) -> Answer:
    if question.source is not None:
        options = {**options, "source": question.source}
    try:
        return tuqa.ask(question.question, question.dataset or dataset, **options)
    except DataError as error:
        if not question.dataset:
            raise  # it is the error of all questions
        return batch.failed(error, question.question)


def read_questions(file: Path) -> list[FileQuestion]:
    # One question per line, or JSON lines with ``question``, ``id``, ``dataset`` and ``source``.
    try:
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise MissingFile(
            "no such file", where=str(file), hint="give a file of questions"
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        problem = "not UTF-8 text" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise UnreadableFile(
            problem or str(error), where=str(file), hint="save the questions as UTF-8, one a line"
        ) from error
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise UnreadableFile("there is no question in it", where=str(file), hint="one a line")
    return [_read_question(file, number, line) for number, line in lines]


def _read_question(file: Path, number: int, line: str) -> FileQuestion:
    if not line.lstrip().startswith("{"):
        return FileQuestion(number, line.strip())
    where, hint = f"{file}:{number}", 'lines are {"question": "…"}'
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(f"not JSON ({error})", where=where, hint=hint) from error
    question = record.get("question")
    if not isinstance(question, str) or not question.strip():
        raise UnreadableFile("no question in it", where=where, hint=hint)
    dataset, source = record.get("dataset") or None, record.get("source") or None
    names = dataset if isinstance(dataset, list) else [dataset]
    if not all(name is None or _is_name(name) for name in (*names, source)):
        hint = 'lines are {"question": "…", "dataset": "…", "source": "…"}'
        raise UnreadableFile("dataset or source is not a name", where=where, hint=hint)
    return FileQuestion(record.get("id", number), question, dataset, source)


def _is_name(name: object) -> bool:
    return isinstance(name, str) and is_encodable(name)


def _take_questions(
    questions: Iterable[FileQuestion], pending: deque[FileQuestion]
) -> Iterator[FileQuestion]:
    # Each question waits in ``pending`` for its answer.
    for question in questions:
        pending.append(question)
        yield question


def _format_json_line(question: FileQuestion, answer: Answer) -> str:
    fields = answer.to_dict()
    del fields["trace"]
    return output.format_json({"id": question.id, **fields})


def _format_csv_line(question: FileQuestion, answer: Answer) -> str:
    values = " | ".join(str(value) for value in answer.values)
    confidence = "" if answer.confidence is None else f"{answer.confidence:.2f}"
    return _csv_line((question.id, question.question, answer.outcome, values, confidence))


def _csv_line(cells: Iterable[Any]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="").writerow(cells)
    return buffer.getvalue()


@click.command(cls=SectionedCommand)
@click.argument("question", nargs=-1)
@asked_datasets
@question_options(*GROUPS, but=("evidence",))
@click.option("--show-prompt", is_flag=True, help="Print the prompt for the model; send nothing.")
@click.option(
    "--file",
    "file",
    type=click.Path(),
    help="Ask every line of a file: a question or JSON.",
    metavar="FILE",
)
@click.option(
    "--at-once", type=click.IntRange(1, 256), default=8, show_default=True, metavar="N",
    help="Number of questions asked in parallel.",
)  # fmt: skip
@output_options
@click.option("--quiet", is_flag=True, help="Show no progress bar.")
@connection_options
def command(question: tuple[str, ...], **options: Any) -> None:
    """Ask a question in plain words.

    Without a model, the query is built from the most similar demonstration of the dataset; if none fits, the
    question is read with the words of the data. No data leaves this machine. Without --dataset, the question
    selects the datasets that contain its names.

    \b
    Example:
      tuqa ask "who directed Alien" --dataset films
      tuqa ask "which nation won most gold medals" --llm openai:gpt-4o-mini --why
      tuqa ask --file questions.txt --dataset films > answers.jsonl

    A file has one question a line, or JSON lines with question, id, dataset and source, which go before the
    options.
    """
    _check_options(question, options)
    text = " ".join(question)
    ask_options = read_question_options(options)
    from ..curation.acceptance import write_last_question

    timeout = options["timeout"]
    settings = resolve_server(options["neo4j"], timeout)
    with connect_within(timeout, settings) as tuqa:
        allow_imports()  # to embed questions
        if options["show_prompt"]:
            prompt = tuqa.prompt(text, options["dataset"], **ask_options)
            click.echo(escape_controls(str(prompt)))
            return
        if options["file"] is not None:
            is_good = ask_file(tuqa, Path(options["file"]), options, ask_options)
            sys.exit(0 if is_good else 1)
        answer = call_within(timeout, _ask_one, tuqa, text, options, ask_options)
    write_last_question(settings.home, answer)
    show_answer(answer, options)


_ONE_QUESTION = {
    "show_prompt": "--show-prompt",
    "pick": "--pick",
    "entities": "--entity",
    "picture": "--picture",
    "chart": "--chart",
    "tree": "--tree",
}


def _check_options(question: tuple[str, ...], options: dict[str, Any]) -> None:
    if options["as_json"] and options["as_csv"]:
        raise click.UsageError("--json and --csv contradict each other; give one of them")
    if bool(question) == (options["file"] is not None):
        problem = "both a question and --file" if question else "no question"
        raise click.UsageError(f"{problem}; give a question in quotes, or --file with one a line")
    for name, flag in _ONE_QUESTION.items():
        if options["file"] is not None and options[name]:
            raise click.UsageError(f"{flag} is for one question, and --file has many")


def _ask_one(
    tuqa: TrustUQA, question: str, options: dict[str, Any], ask_options: AskOptions
) -> Answer:
    if options["quiet"] or not sys.stderr.isatty():
        return tuqa.ask(question, options["dataset"], **ask_options)
    from rich.console import Console

    with Console(stderr=True).status("asking") as status:
        ask_options["listen"] = lambda stage: status.update(f"asking: {stage.stage} done")
        return tuqa.ask(question, options["dataset"], **ask_options)
