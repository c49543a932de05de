"""``tuqa check``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import DataError, StatementFailed, TimedOut, UsageError
from . import drawing, queries
from .connecting import connect, connecting

if TYPE_CHECKING:
    from ..answer import Checked

Check = Callable[..., "Checked"]

_ORDER = {"error": 0, "doubt": 1, "warning": 2}


@click.command()
@click.argument("file", type=click.File("rb"), default="-")
@click.option("--dataset", multiple=True, help="Dataset to check against.", metavar="NAME")
@click.option("--source", help="One source of it.", metavar="NAME")
@click.option(
    "--question", help="Warn of what it says and the query never asks for.", metavar="TEXT"
)
@click.option("--fix", is_flag=True, help="Edit the query in $EDITOR until nothing is wrong.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@connecting
def command(
    file: Any,
    dataset: tuple[str, ...],
    source: str | None,
    question: str | None,
    fix: bool,
    as_json: bool,
    uri: str | None,
    username: str | None,
    database: str | None,
) -> None:
    """Show what is wrong with queries, without running them.

    FILE holds one query as text, or many as JSON lines with id, dataset, source and query; "-" is
    standard input. Without a dataset only the form is checked, and no server is needed. Ends with 1 where
    anything but a warning was found.

    \b
    Example:
      tuqa check --dataset films query.txt
      echo "get_information(head_entity='Alien', relation='directed')" | tuqa check --dataset films
    """
    text, where = queries.read(file)
    many = queries.are_many(text)
    if fix and (many or as_json):
        raise click.UsageError("--fix is for one query, shown to a person")
    named = bool(dataset) or (
        many and any("dataset" in queries.fields(i) for _, i in queries.items(text))
    )
    if source and not named:
        raise click.UsageError("--source is one of a dataset; name that with --dataset")
    if question and (many or not named):
        raise click.UsageError("--question is that of one query, checked against a --dataset")
    with connect(uri, username, database) if named else nullcontext() as tuqa:
        check: Check = _form if tuqa is None else partial(tuqa.check, question=question)
        if many:
            good = _many(check, text, dataset, source)
        elif fix:
            good = _fixed(check, text, file, where, dataset, source)
        else:
            checked = check(text, dataset, source=source)
            good = checked.good
            if as_json:
                click.echo(drawing.json_of(checked.to_dict(text), indent=2))
            else:
                _show(checked, text, where, dataset)
    sys.exit(0 if good else 1)


def _form(query: str, _dataset: object = None, *, source: str | None = None) -> Checked:  # noqa: ARG001
    """The check of what a query says by itself, which asks no database."""
    from .. import engine

    return engine.check_alone(query)


def _many(check: Check, text: str, dataset: tuple[str, ...], source: str | None) -> bool:
    from ..answer import Checked
    from ..asking.many import failed

    good = True
    for number, item in queries.items(text):
        found = queries.fields(item)
        query = str(found.get("query", ""))
        try:
            queries.check(item, number)
            checked = check(
                query, found.get("dataset") or dataset, source=found.get("source") or source
            )
        except (DataError, UsageError, TimedOut, StatementFailed) as error:
            checked = Checked("failed", failed(error).problems)
        good = good and checked.good
        click.echo(drawing.json_of({"id": found.get("id"), **checked.to_dict(query)}))
    return good


def _show(checked: Checked, text: str, where: str, dataset: tuple[str, ...]) -> None:
    for line in _lines(checked, text, where):
        click.echo(line)
    for mapped in checked.mapped:
        click.echo(
            f"{mapped.given!r} is read as {mapped.used!r} ({mapped.how}, {mapped.score:.2f})"
        )
    click.echo(_total(checked, dataset))


def _lines(checked: Checked, text: str, where: str) -> Iterator[str]:
    """Problems, the gravest first, each with its line and a caret."""
    from ..answer import line_and_column
    from ..language.query import excerpt

    for problem in sorted(checked.problems, key=lambda problem: _ORDER[problem.severity]):
        place = where
        if problem.position is not None:
            place += ":{}:{}".format(*line_and_column(text, problem.position))
        step = "" if problem.step is None else f", step {problem.step}"
        yield f"{place}: {problem.severity}: {problem.kind}{step}: {problem.message}"
        if problem.position is not None:
            yield from (f"  {line}" for line in excerpt(text, problem.position).splitlines())


def _total(checked: Checked, dataset: tuple[str, ...]) -> str:
    against = f"checked against {', '.join(dataset)}" if dataset else "only the form was checked"
    counts = {
        severity: sum(problem.severity == severity for problem in checked.problems)
        for severity in _ORDER
    }
    told = [
        f"{count} {severity}{'s' * (count != 1)}" for severity, count in counts.items() if count
    ]
    return f"{', '.join(told) or 'nothing is wrong'}; {against}"


_MARK = "# "


def _fixed(
    check: Check, text: str, file: Any, where: str, dataset: tuple[str, ...], source: str | None
) -> bool:
    """Let a person edit the query, with its problems above it, until it is good or left as it is.

    A file is written once the query is good; what came from standard input goes to standard output.
    """
    checked = check(text, dataset, source=source)
    while not checked.good:
        told = "\n".join(_MARK + line for line in _lines(checked, text, where))
        edited = click.edit(f"{told}\n{text}", extension=".txt")
        new = None if edited is None else _unmarked(edited)
        if new is None or new.strip() in ("", text.strip()):
            _show(checked, text, where, dataset)
            click.echo("left as it was", err=True)
            return False
        text = new
        checked = check(text, dataset, source=source)
    path = getattr(file, "name", "-")
    if path in ("-", "<stdin>"):
        click.echo(text, nl=False)
    else:
        Path(path).write_text(text, encoding="utf-8")
        _show(checked, text, where, dataset)
    return True


def _unmarked(edited: str) -> str:
    return "".join(line for line in edited.splitlines(keepends=True) if not line.startswith(_MARK))
