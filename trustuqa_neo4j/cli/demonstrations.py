"""``tuqa demonstrations``."""

from __future__ import annotations

import gzip
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from ..errors import DataError
from .connecting import connect, connecting
from .failing import let_in
from .progress import bars
from .teaching import became, counted, read, store, tell

if TYPE_CHECKING:
    from ..demonstrating.demonstration import State

STATES: tuple[State, ...] = ("candidate", "verified", "failed")
SHOWN = 50
"""Demonstrations that a table shows, unless more are asked for."""

_dataset = click.option("--dataset", required=True, help="Dataset they are of.", metavar="NAME")
_verify = click.option("--no-verify", is_flag=True, help="Store only; run nothing.")
_replace = click.option("--replace", is_flag=True, help="Replace verified ones, too.")
_states = click.option(
    "--state", "states", type=click.Choice(STATES), multiple=True, help="Only those; may repeat."
)
_workers = click.option(
    "--workers", type=click.IntRange(1, 64), default=2, show_default=True, help="Queries at a time."
)
_timeout = click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    default=60.0,
    show_default=True,
    help="Seconds for one query.",
)
_quiet = click.option("--quiet", is_flag=True, help="No progress bars.")
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group("demonstrations")
def command() -> None:
    """Teach questions with their queries.

    Other questions are asked after them. A demonstration counts once its query was run and found something:
    the right answer, if that is known.

    \b
    Example:
      tuqa demonstrations import recorded.jsonl --dataset films
      tuqa demonstrations list --dataset films --state failed
    """


@command.command()
@click.argument("question")
@click.argument("query")
@_dataset
@click.option("--source", help="The source of the dataset that is asked.", metavar="NAME")
@click.option("--answer", "answers", multiple=True, help="What it must give; may repeat.")
@click.option(
    "--field", "fields", multiple=True, help="A property; may repeat.", metavar="NAME=VALUE"
)
@_verify
@_replace
@connecting
def add(question: str, query: str, dataset: str, **options: Any) -> None:
    """Add one question with its query.

    QUERY is its text, or "-" for standard input. With --answer it counts only if it gives just these.

    \b
    Example:
      tuqa demonstrations add "who directed Alien" "get_information(head_entity='Alien',
      relation='directed_by')" --dataset films --answer "Ridley Scott"
    """
    from ..demonstrating.demonstration import Demonstration

    text = _standard_input().decode("utf-8", "replace") if query == "-" else query
    answers = options["answers"] or None
    given = Demonstration(question, text, answers, options["source"], _fields(options["fields"]))
    with connect(options["uri"], options["username"], options["database"]) as tuqa:
        let_in()
        verify = not options["no_verify"]
        added = tuqa.demonstrations.add(dataset, given, overwrite=options["replace"], verify=verify)
    click.echo(f"{dataset}: {added.state}")
    if added.state == "failed":
        click.echo(f"its query does not do: {added.why}", err=True)
        sys.exit(1)


@command.command("import")
@click.argument("file", type=click.File("rb"))
@click.option("--dataset", help="Dataset they are of.  [default: as lines say]", metavar="NAME")
@_verify
@_replace
@_workers
@_timeout
@_quiet
@_json
@connecting
def import_(file: BinaryIO, dataset: str | None, **options: Any) -> None:
    """Read demonstrations from JSON lines, plain or packed with gzip.

    A line has question and query (or llm_output); answers, source and dataset if they are known. What is
    there already stays as it is; "-" is standard input.

    \b
    Example:
      tuqa demonstrations import recorded.jsonl.gz --dataset films
    """
    recorded = read(file, dataset)
    with connect(options["uri"], options["username"], options["database"]) as tuqa:
        told = store(
            tuqa.demonstrations,
            recorded,
            **{name: options[name] for name in ("quiet", "replace", "no_verify")},
            workers=options["workers"],
            timeout=options["timeout"],
        )
    tell(told, recorded, options["as_json"])


@command.command()
@click.argument("file", metavar="FILE")
@_dataset
@_states
@connecting
def export(
    file: str, dataset: str, states: tuple[State, ...],
    uri: str | None, username: str | None, database: str | None,
) -> None:  # fmt: skip
    """Write demonstrations as JSON lines that import again to the same.

    FILE is made, packed if it ends in .gz; "-" is standard output.

    \b
    Example:
      tuqa demonstrations export films.jsonl --dataset films
    """
    from ..asking.recorded import lines

    if file != "-" and Path(file).exists():
        hint = "name one that is not there yet"
        raise DataError("the file is there, and nothing is ever overwritten", where=file, hint=hint)
    with connect(uri, username, database) as tuqa:
        found = tuqa.demonstrations.listed(dataset, states or STATES)
    content = "".join(lines(found))
    if file == "-":
        click.echo(content, nl=False)
        return
    _write(Path(file), content.encode())
    click.echo(f"{dataset}: {counted(len(found))} to {file}")


@command.command("list")
@_dataset
@_states
@click.option(
    "--limit", type=click.IntRange(1), default=SHOWN, show_default=True, help="Shown at most."
)
@_json
@connecting
def list_(
    dataset: str, states: tuple[State, ...], limit: int, as_json: bool,
    uri: str | None, username: str | None, database: str | None,
) -> None:  # fmt: skip
    """Show the demonstrations of a dataset, and what is wrong with those that failed.

    \b
    Example:
      tuqa demonstrations list --dataset films
      tuqa demonstrations list --dataset films --state failed --limit 500
    """
    from .drawing import json_of
    from .listing import draw, told

    with connect(uri, username, database) as tuqa:
        counts = tuqa.demonstrations.counts(dataset)
        found = tuqa.demonstrations.listed(dataset, states or STATES)
    if as_json:
        click.echo(json_of([told(each) for each in found], indent=2))
        return
    if not found:
        hint = "; add some with `tuqa demonstrations import` or `add`"
        what = "there are none" if not states else f"none is {' or '.join(states)}"
        click.echo(f"{dataset}: {what}{'' if counts.of(STATES) else hint}", err=True)
        return
    draw(found[:limit])
    if len(found) > limit:
        click.echo(f"… {len(found) - limit:,} more (--limit shows more, --json all)")
    click.echo(
        f"{dataset}: {counts.verified:,} verified in {counted(counts.patterns, 'pattern')}, "
        f"{counts.candidate:,} not run yet, {counts.failed:,} failed"
    )


@command.command()
@_dataset
@_states
@click.option("--source", help="Only those asked of this source.", metavar="NAME")
@click.option("--question", help="Only this one.", metavar="TEXT")
@connecting
def drop(
    dataset: str, states: tuple[State, ...], source: str | None, question: str | None,
    uri: str | None, username: str | None, database: str | None,
) -> None:  # fmt: skip
    """Delete the demonstrations of a dataset; its data stay.

    \b
    Example:
      tuqa demonstrations drop --dataset films --state failed
      tuqa demonstrations drop --dataset films --question "who directed Alien"
    """
    with connect(uri, username, database) as tuqa:
        dropped = tuqa.demonstrations.drop(
            dataset, states or STATES, source=source, question=question
        )
    click.echo(f"{dataset}: {counted(dropped)} deleted")
    if question is not None and not dropped:
        sys.exit(1)


@command.command()
@_dataset
@click.option("--again", is_flag=True, help="Run all, not only those never run.")
@_workers
@_timeout
@_quiet
@_json
@connecting
def verify(dataset: str, again: bool, **options: Any) -> None:
    """Run the queries of demonstrations that were never run.

    What was run is kept when this is interrupted, and the next run goes on with the rest.

    \b
    Example:
      tuqa demonstrations verify --dataset films
      tuqa demonstrations verify --dataset films --again
    """
    with connect(options["uri"], options["username"], options["database"]) as tuqa:
        let_in()
        with bars(options["quiet"]) as progress:
            done = tuqa.demonstrations.verify(
                dataset, again=again, workers=options["workers"], timeout=options["timeout"],
                progress=progress,
            )  # fmt: skip
    tell({dataset: became(None, done)}, None, options["as_json"])


def _fields(given: Sequence[str]) -> dict[str, str]:
    fields = {}
    for each in given:
        name, sign, value = each.partition("=")
        if not sign or not name:
            raise click.UsageError(f"--field {each!r} is no NAME=VALUE")
        fields[name] = value
    return fields


def _standard_input() -> bytes:
    return sys.stdin.buffer.read()


def _write(path: Path, content: bytes) -> None:
    """Write a file that is there whole or not at all."""
    part = path.with_name(path.name + ".part")
    try:
        with part.open("xb") as file:
            file.write(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)
        os.replace(part, path)  # noqa: PTH105
    except OSError as error:
        hint = "name a file in a folder that can be written"
        raise DataError(str(error.strerror or error), where=str(path), hint=hint) from error
    finally:
        part.unlink(missing_ok=True)
