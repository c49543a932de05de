"""``tuqa feedback``."""

from __future__ import annotations

import sys
from dataclasses import asdict

import click

from ..errors import format_count
from ..render.terminal import escape_controls
from . import output
from .connection import Neo4jOptions, connect, connection_options

_dataset = click.option(
    "--dataset", "datasets", required=True, multiple=True, metavar="NAME",
    help="Dataset of the questions; repeat it for questions of several.",
)  # fmt: skip


@click.group("feedback")
def command() -> None:
    """List or delete what people marked as wrong.

    The page, the API and Python keep questions whose answers are wrong, with their queries. These are not run
    again, and no question follows them.

    \b
    Example:
      tuqa feedback list --dataset films
      tuqa feedback drop --dataset films --question "who directed Alien"
    """


@command.command("list")
@_dataset
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@connection_options
def list_(
    datasets: tuple[str, ...], as_json: bool,
    neo4j: Neo4jOptions,
) -> None:  # fmt: skip
    """List questions whose answers are wrong, with their readings and queries.

    \b
    Example:
      tuqa feedback list --dataset films
    """
    with connect(neo4j) as tuqa:
        wrong = tuqa.demonstrations.listed(datasets, ("wrong",))
    if as_json:
        records = [{**asdict(entry), "understood": entry.understood} for entry in wrong]
        click.echo(output.format_json(records, indent=2))
        return
    if not wrong:
        click.echo(f"{', '.join(datasets)}: nothing is marked as wrong", err=True)
    for entry in wrong:
        reason = f" ({entry.why})" if entry.why else ""
        click.echo(escape_controls(f"{entry.question}{reason}"))
        if entry.understood:
            click.echo(escape_controls(f"  understood as: {entry.understood}"))
        if entry.answers:
            click.echo(escape_controls(f"  answer: {', '.join(entry.answers)}"))
        for line in entry.query.splitlines():
            click.echo(escape_controls(f"  {line}"))


@command.command()
@_dataset
@click.option("--question", help="Only this question.  [default: all]", metavar="TEXT")
@connection_options
def drop(
    datasets: tuple[str, ...], question: str | None,
    neo4j: Neo4jOptions,
) -> None:  # fmt: skip
    """Delete questions that were marked as wrong.

    \b
    Example:
      tuqa feedback drop --dataset films
    """
    with connect(neo4j) as tuqa:
        dropped = tuqa.demonstrations.drop(datasets, ("wrong",), question=question)
    click.echo(f"{', '.join(datasets)}: {format_count(dropped, 'question')} deleted")
    if question is not None and not dropped:
        sys.exit(1)
