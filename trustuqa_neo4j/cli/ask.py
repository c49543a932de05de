"""``tuqa ask``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..answer import GOOD, Answer
from ..showing.plain import plain
from . import answering, drawing
from .connecting import connect, connecting
from .failing import let_in

if TYPE_CHECKING:
    from ..asking.options import Options
    from ..client import TrustUQA

SCHEMA_ONLY = "schema-only"


@click.command()
@click.argument("question", nargs=-1)
@click.option(
    "--dataset", multiple=True, help="Dataset to ask; chosen where not given.", metavar="NAME"
)
@click.option("--source", help="One source of it.", metavar="NAME")
@click.option(
    "--llm",
    help="Who writes the query: demonstrations, or a model as openai:NAME.  [env: TUQA_LLM]",
    metavar="MODEL",
)
@click.option(
    "--votes", type=click.IntRange(1, 100), default=1, show_default=True, metavar="N",
    help="Queries of a model that are voted on.",
)  # fmt: skip
@click.option(
    "--retries", type=click.IntRange(0, 10), default=3, show_default=True, metavar="N",
    help="Times that a bad query is sent back to the model.",
)  # fmt: skip
@click.option(
    "--repair-prompt", type=click.Choice(["full", "paper"]), default="full", show_default=True,
    help="Send it back with question and schema, or, as in the paper, without.",
)  # fmt: skip
@click.option(
    "--min-confidence", type=click.FloatRange(0, 1), default=0.0, metavar="X",
    help="Keep back what is less certain, from 0 to 1.",
)  # fmt: skip
@click.option(
    "--max-calls", type=click.IntRange(1), help="Requests to the model at most.", metavar="N"
)
@click.option(
    "--max-tokens", type=click.IntRange(1), help="Tokens of the model at most.", metavar="N"
)
@click.option("--no-cache", is_flag=True, help="Neither take nor keep replies of the model.")
@click.option(
    "--timeout", type=click.FloatRange(0, min_open=True), default=60.0, show_default=True,
    help="Seconds for one question.", metavar="S",
)  # fmt: skip
@click.option(
    "--entity", "entities", multiple=True, help="What the question means, by name; may repeat.",
    metavar="NAME",
)  # fmt: skip
@click.option("--why", is_flag=True, help="Show the query's steps and what each found.")
@click.option("--explain", is_flag=True, help="Show every stage: names, statements, sizes, times.")
@click.option(
    "--show-prompt", is_flag=True, help="Print what a model would be sent, and send nothing."
)
@click.option(
    "--private", type=click.Choice([SCHEMA_ONLY]), help="Show a model the schema and no more."
)
@click.option(
    "--file", "file", type=click.Path(), help="Ask each line, a question or JSON.", metavar="FILE"
)
@click.option(
    "--at-once", type=click.IntRange(1, 256), default=8, show_default=True, metavar="N",
    help="Questions of a file asked at a time.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with evidence and trace.")
@click.option("--csv", "as_csv", is_flag=True, help="Print the answer as CSV.")
@click.option("--quiet", is_flag=True, help="No progress bar.")
@connecting
def command(question: tuple[str, ...], **options: Any) -> None:
    """Ask a question in plain words.

    Without a model the query is made after the nearest demonstration of the dataset: nothing leaves this
    machine. Without --dataset the data is asked that knows what the question speaks of.

    \b
    Example:
      tuqa ask "who directed Alien" --dataset films
      tuqa ask "which nation won most gold medals" --llm openai:gpt-4o-mini --why
      tuqa ask --file questions.txt --dataset films > answers.jsonl
    """
    _check(question, options)
    asked = " ".join(question)
    with connect(options["uri"], options["username"], options["database"]) as tuqa:
        let_in()  # questions are embedded
        if options["show_prompt"]:
            click.echo(plain(str(tuqa.prompt(asked, options["dataset"], **_wished(options)))))
            return
        if options["file"] is not None:
            from .asking_file import ask_file

            done = ask_file(tuqa, Path(options["file"]), options, _wished(options))
            sys.exit(0 if done else 1)
        answer = _one(tuqa, asked, options)
    if options["as_json"]:
        click.echo(drawing.json_of(answer.to_dict(), indent=2))
    elif options["as_csv"]:
        answering.print_csv(answer)
    else:
        answering.show(answer, why=options["why"], explain=options["explain"])
    if answer.outcome not in GOOD:
        sys.exit(1)


def _check(question: tuple[str, ...], options: dict[str, Any]) -> None:
    """Refuse options that contradict each other."""
    if options["as_json"] and options["as_csv"]:
        raise click.UsageError("--json and --csv contradict each other; give one of them")
    if bool(question) == (options["file"] is not None):
        what = "both a question and --file" if question else "no question"
        raise click.UsageError(f"{what}; give a question in quotes, or --file with one a line")
    if options["file"] is not None and options["show_prompt"]:
        raise click.UsageError("--show-prompt is for one question, and --file has many")
    if options["file"] is not None and options["entities"]:
        raise click.UsageError("--entity is for one question, and --file has many")


def _wished(options: dict[str, Any]) -> Options:
    wished: Options = {
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
    }
    return wished


def _one(tuqa: TrustUQA, question: str, options: dict[str, Any]) -> Answer:
    """The answer, with a word on stderr about how far it is, where that is a terminal."""
    wished = _wished(options)
    if options["quiet"] or not sys.stderr.isatty():
        return tuqa.ask(question, options["dataset"], **wished)
    from rich.console import Console

    with Console(stderr=True).status("asking") as status:
        wished["listen"] = lambda stage: status.update(f"asking: {stage.stage} done")
        return tuqa.ask(question, options["dataset"], **wished)
