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
from ..questions import batch
from ..render.terminal import escape_controls
from . import output
from .connection import (
    call_within,
    connect_within,
    connection_options,
    no_inference_option,
    resolve_server,
)
from .main import allow_imports
from .model_options import ModelCommand, model_parameter_options, take_model_parameters
from .output import progress_bars
from .picture import limit_facts, picture_options, write_picture
from .run import is_encodable

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


def ask_file(tuqa: TrustUQA, file: Path, options: dict[str, Any]) -> bool:
    # True: all outcomes are good.
    questions = read_questions(file)
    outcomes: Counter[str] = Counter()
    format_answer = _format_csv_line if options["as_csv"] else _format_json_line
    if options["as_csv"]:
        click.echo(_csv_line(CSV_COLUMNS))
    with progress_bars(options["quiet"]) as progress:
        progress.begin("ask", len(questions), "questions")
        pending = deque[FileQuestion]()
        ask = partial(_ask_question, tuqa, options)
        answers = batch.answers(ask, _take_questions(questions, pending), options["at_once"])
        for count, answer in enumerate(answers, 1):
            click.echo(format_answer(pending.popleft(), answer))
            outcomes[answer.outcome] += 1
            progress.advance(count)
    counts = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in outcomes.items())
    click.echo(f"{len(questions)} questions: {counts}", err=True)
    return set(outcomes) <= SUCCESS_OUTCOMES


def _ask_question(tuqa: TrustUQA, options: dict[str, Any], question: FileQuestion) -> Answer:
    ask_options = _ask_options(options)
    ask_options["source"] = question.source or options["source"]
    try:
        return tuqa.ask(question.question, question.dataset or options["dataset"], **ask_options)
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


SCHEMA_ONLY = "schema-only"


@click.command(cls=ModelCommand)
@click.argument("question", nargs=-1)
@click.option(
    "--dataset",
    multiple=True,
    help="Dataset to query.  [default: selected by the question]",
    metavar="NAME",
)
@click.option("--source", help="Query only this source of the dataset.", metavar="NAME")
@click.option(
    "--llm",
    help="What writes the query: demonstrations, or a model (openai:NAME).  [env: TUQA_LLM]",
    metavar="MODEL",
)
@click.option(
    "--reader", type=click.Choice(["on", "off"]), default="on", show_default=True,
    help="Read a question with the words of the data: to answer it, or as hints for a model.",
)  # fmt: skip
@click.option(
    "--pick", type=click.IntRange(1), help="Run this one of the readings that were offered.",
    metavar="N",
)  # fmt: skip
@click.option(
    "--fallback", type=click.Choice(["on", "off"]), default="on", show_default=True,
    help="If the model fails, answer without it.",
)  # fmt: skip
@click.option(
    "--votes", type=click.IntRange(1, 100), default=1, show_default=True, metavar="N",
    help="Number of queries from the model; the most frequent answer wins.",
)  # fmt: skip
@click.option(
    "--retries", type=click.IntRange(0, 10), default=3, show_default=True, metavar="N",
    help="How often a wrong query is sent back to the model.",
)  # fmt: skip
@click.option(
    "--repair-prompt", type=click.Choice(["full", "paper"]), default="full", show_default=True,
    help="Send it back with question and schema (full) or without them (paper).",
)  # fmt: skip
@click.option(
    "--min-confidence", type=click.FloatRange(0, 1), default=0.0, metavar="X",
    help="Reject answers with less confidence, from 0 to 1.",
)  # fmt: skip
@click.option(
    "--max-calls",
    type=click.IntRange(1),
    help="Maximum number of requests to the model.",
    metavar="N",
)
@click.option(
    "--max-tokens",
    type=click.IntRange(1),
    help="Maximum number of tokens of the model.",
    metavar="N",
)
@model_parameter_options
@click.option(
    "--min-similarity",
    type=click.FloatRange(0, 1),
    default=0.6,
    show_default=True,
    help="A query with a name that was read as a less similar one goes back to the model once.",
    metavar="S",
)
@no_inference_option
@click.option("--no-cache", is_flag=True, help="Do not read or write the cache of model replies.")
@click.option(
    "--timeout", type=click.FloatRange(0, min_open=True), default=60.0, show_default=True,
    help="Maximum time for one question, in seconds.", metavar="S",
)  # fmt: skip
@click.option(
    "--entity", "entities", multiple=True, help="Name of an entity that the question means; repeatable.",
    metavar="NAME",
)  # fmt: skip
@click.option("--why", is_flag=True, help="Show the steps of the query and their results.")
@click.option(
    "--explain", is_flag=True, help="Show every stage: names, Cypher statements, sizes, times."
)
@picture_options
@click.option("--show-prompt", is_flag=True, help="Print the prompt for the model; send nothing.")
@click.option(
    "--private", type=click.Choice([SCHEMA_ONLY]), help="Send the model only the schema, no data."
)
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
@click.option("--json", "as_json", is_flag=True, help="Print JSON with evidence and trace.")
@click.option("--csv", "as_csv", is_flag=True, help="Print the answer as CSV.")
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
    from ..curation.acceptance import write_last_question

    timeout = options["timeout"]
    settings = resolve_server(options["uri"], options["username"], options["database"], timeout)
    with connect_within(timeout, settings) as tuqa:
        allow_imports()  # to embed questions
        if options["show_prompt"]:
            prompt = tuqa.prompt(text, options["dataset"], **_ask_options(options))
            click.echo(escape_controls(str(prompt)))
            return
        if options["file"] is not None:
            is_good = ask_file(tuqa, Path(options["file"]), options)
            sys.exit(0 if is_good else 1)
        answer = call_within(timeout, _ask_one, tuqa, text, options)
    write_last_question(settings.home, answer)
    write_picture(answer, options["picture"])
    if options["as_json"]:
        click.echo(output.format_json(answer.to_dict(), indent=2))
    elif options["as_csv"]:
        output.print_answer_csv(answer)
    else:
        output.print_answer(
            answer, why=options["why"], explain=options["explain"], tree=options["tree"]
        )
    if answer.outcome not in SUCCESS_OUTCOMES:
        sys.exit(1)


_ONE_QUESTION = {
    "show_prompt": "--show-prompt",
    "pick": "--pick",
    "entities": "--entity",
    "picture": "--picture",
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


def _ask_options(options: dict[str, Any]) -> AskOptions:
    ask_options: AskOptions = {
        "source": options["source"],
        "llm": options["llm"],
        "votes": options["votes"],
        "retries": options["retries"],
        "repair": options["repair_prompt"],
        "min_confidence": options["min_confidence"],
        "private": options["private"] == SCHEMA_ONLY,
        "entities": options["entities"],
        "max_calls": options["max_calls"],
        "max_tokens": options["max_tokens"],
        "keep": not options["no_cache"],
        "timeout": options["timeout"],
        "reader": options["reader"] == "on",
        "pick": options["pick"],
        "fallback": options["fallback"] == "on",
        "inference": not options["no_inference"],
        "min_similarity": options["min_similarity"],
    }
    ask_options.update(take_model_parameters(options))
    for number in limit_facts(options["evidence"], options["picture"]).values():
        ask_options["evidence"] = number
    return ask_options


def _ask_one(tuqa: TrustUQA, question: str, options: dict[str, Any]) -> Answer:
    ask_options = _ask_options(options)
    if options["quiet"] or not sys.stderr.isatty():
        return tuqa.ask(question, options["dataset"], **ask_options)
    from rich.console import Console

    with Console(stderr=True).status("asking") as status:
        ask_options["listen"] = lambda stage: status.update(f"asking: {stage.stage} done")
        return tuqa.ask(question, options["dataset"], **ask_options)
