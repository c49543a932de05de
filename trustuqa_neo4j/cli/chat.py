"""``tuqa chat``."""

from __future__ import annotations

import sys
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ..answer import SUCCESS_OUTCOMES, Answer
from ..errors import TrustUQAError
from ..option import GROUPS
from . import output
from .connection import call_within, connect_within, connection_options, resolve_server
from .main import allow_imports
from .question_options import (
    SectionedCommand,
    asked_datasets,
    question_options,
    read_question_options,
)

if TYPE_CHECKING:
    from ..client import TrustUQA
    from ..questions.options import AskOptions

_PROMPT = "? "


@click.command(cls=SectionedCommand)
@asked_datasets
@question_options(*GROUPS, but=("pick",))
@connection_options
def command(**options: Any) -> None:
    """Ask questions that may follow each other.

    After "which nation won most gold medals", ask "and silver?", "only those in Asia", "how many are they?"
    or "of these, which is the largest?". A number takes one of the readings that were offered; "why?" shows
    the steps and facts. Ctrl-D or Ctrl-C leaves.

    \b
    Example:
      tuqa chat --dataset films
    """
    ask_options = read_question_options(options)
    timeout = options["timeout"]
    settings = resolve_server(options["neo4j"], timeout)
    with connect_within(timeout, settings) as tuqa:
        allow_imports()  # to embed questions
        try:
            _talk(tuqa, options["dataset"], ask_options, timeout)
        except KeyboardInterrupt:
            click.echo(err=True)


def _talk(tuqa: TrustUQA, dataset: tuple[str, ...], options: AskOptions, timeout: float) -> None:
    """Ask each line of the input, which may follow ``past``, the last answers."""
    from ..questions.follow_up import asks_why
    from ..questions.past_question import MAX_PAST

    past: deque[Answer] = deque(maxlen=MAX_PAST)
    offered: Answer | None = None
    while (line := _read_line()) is not None:
        is_proof = asks_why(line)
        wishes: AskOptions = {**options, "follows": [*past] or ""}
        question = line
        if offered is not None and line.isdigit() and offered.question:
            wishes["pick"], question = int(line), offered.question
        try:
            answer = call_within(timeout, partial(tuqa.ask, question, dataset, **wishes))
        except TrustUQAError as error:
            click.echo(f"error: {error}", err=True)
            continue
        output.print_answer(answer, why=is_proof, is_brief=not is_proof, choose="type its number")
        click.echo()
        offered = answer if answer.readings else None
        if answer.outcome in SUCCESS_OUTCOMES:
            past.append(answer)


def _read_line() -> str | None:
    """Return the next line with a question; None at the end of the input."""
    is_terminal = sys.stdin.isatty()
    if is_terminal:
        import readline  # noqa: F401 # lines can be edited and come again
    while True:
        try:
            line = input(_PROMPT if is_terminal else "").strip()
        except EOFError:
            if is_terminal:
                click.echo(err=True)
            return None
        if line:
            return line
