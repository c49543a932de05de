"""``tuqa check``."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import DataError, StatementFailed, TimedOut, UsageError
from . import output, run
from .connection import Neo4jOptions, connect, connection_options
from .question_options import table_option

if TYPE_CHECKING:
    from ..answer import CheckReport

QueryCheck = Callable[..., "CheckReport"]

_SEVERITIES = ("error", "doubt", "warning")


@click.command()
@click.argument("file", type=click.File("rb"), default="-")
@click.option("--dataset", multiple=True, help="Dataset to check against.", metavar="NAME")
@table_option("source", help="Check against this source of the dataset only.")
@click.option(
    "--question", help="Warn about parts of this question that the query ignores.", metavar="TEXT"
)
@table_option("inference")
@click.option("--fix", is_flag=True, help="Edit the query in $EDITOR until it has no errors.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@connection_options
def command(
    file: Any,
    dataset: tuple[str, ...],
    source: str | None,
    question: str | None,
    inference: bool,
    fix: bool,
    as_json: bool,
    neo4j: Neo4jOptions,
) -> None:
    """Check queries for errors without running them.

    FILE contains one query, as text or as JSON with its steps, or many queries as JSON lines with id,
    dataset, source and query.
    "-" reads standard input. Without a dataset only the syntax is checked; this needs no server. The exit
    code is 1 if there is an error or a doubt.

    \b
    Example:
      tuqa check --dataset films query.txt
      echo "get_information(head_entity='Alien', relation='directed')" | tuqa check --dataset films
    """
    text, where = run.read_query_file(file)
    is_batch = run.has_many_queries(text)
    if fix and (is_batch or as_json):
        raise click.UsageError("--fix is for one query, shown to a person")
    has_dataset = bool(dataset) or (
        is_batch and any("dataset" in run.get_fields(record) for _, record in run.parse_lines(text))
    )
    if source and not has_dataset:
        raise click.UsageError("--source is one of a dataset; name that with --dataset")
    if question and (is_batch or not has_dataset):
        raise click.UsageError("--question is that of one query, checked against a --dataset")
    with connect(neo4j) if has_dataset else nullcontext() as tuqa:
        check: QueryCheck = _check_form
        if tuqa is not None:
            check = partial(tuqa.check, question=question, inference=inference)
        if is_batch:
            is_good = _check_many(check, text, dataset, source)
        elif fix:
            is_good = _edit_until_good(check, text, file, where, dataset, source)
        else:
            report, shown = _check_query(check, text, dataset, source)
            is_good = report.good
            if as_json:
                click.echo(output.format_json(report.to_dict(shown), indent=2))
            else:
                _print_report(report, shown, where, dataset, is_file=shown == text)
    sys.exit(0 if is_good else 1)


def _check_form(query: str, _dataset: object = None, *, source: str | None = None) -> CheckReport:  # noqa: ARG001
    from .. import pipeline

    return pipeline.check_form(query)


def _check_query(
    check: QueryCheck, text: str, dataset: str | Sequence[str], source: str | None
) -> tuple[CheckReport, str]:
    """Check a query, and return it as text with the report: its problems have positions in this text."""
    query = run.rewrite_json_query(text)
    report = check(query, dataset, source=source)
    # What is broken is not rewritten.
    return run.add_json_problem(report, text), query


def _check_many(check: QueryCheck, text: str, dataset: tuple[str, ...], source: str | None) -> bool:
    from ..answer import CheckReport
    from ..questions.batch import failed

    is_good = True
    for number, record in run.parse_lines(text):
        fields = run.get_fields(record)
        query = str(fields.get("query", ""))
        try:
            run.check_record(record, number)
            report, query = _check_query(
                check, query, fields.get("dataset") or dataset, fields.get("source") or source
            )
        except (DataError, UsageError, TimedOut, StatementFailed) as error:
            report = CheckReport("failed", failed(error).problems)
        is_good = is_good and report.good
        click.echo(output.format_json({"id": fields.get("id"), **report.to_dict(query)}))
    return is_good


def _print_report(
    report: CheckReport,
    text: str,
    where: str,
    dataset: tuple[str, ...],
    *,
    is_file: bool = True,
) -> None:
    for line in _format_problems(report, text, where, is_file=is_file):
        click.echo(line)
    for match in report.mapped:
        click.echo(f"{match.given!r} is read as {match.used!r} ({match.how}, {match.score:.2f})")
    scope = f"checked against {', '.join(dataset)}" if dataset else "only the form was checked"
    counts: Counter[str] = Counter(problem.severity for problem in report.problems)
    texts = [
        f"{counts[name]} {name}{'s' * (counts[name] != 1)}" for name in _SEVERITIES if counts[name]
    ]
    click.echo(f"{', '.join(texts) or 'nothing is wrong'}; {scope}")


def _format_problems(
    report: CheckReport, text: str, where: str, *, is_file: bool = True
) -> Iterator[str]:
    # Errors first; each problem has its line of the query and a caret. The lines of JSON with steps are
    # those of its file, not of the query.
    from ..answer import line_and_column
    from ..language.ast import excerpt

    for problem in sorted(report.problems, key=lambda p: _SEVERITIES.index(p.severity)):
        place = where
        if problem.position is not None and is_file:
            place += ":{}:{}".format(*line_and_column(text, problem.position))
        step = "" if problem.step is None else f", step {problem.step}"
        yield f"{place}: {problem.severity}: {problem.kind}{step}: {problem.message}"
        if problem.position is not None:
            yield from (f"  {line}" for line in excerpt(text, problem.position).splitlines())


_COMMENT = "# "


def _edit_until_good(
    check: QueryCheck,
    text: str,
    file: Any,
    where: str,
    dataset: tuple[str, ...],
    source: str | None,
) -> bool:
    # The loop ends when the query is good or unchanged. A good query goes to its file, or to stdout
    # if it came from stdin. JSON is edited as the text that it means.
    report, text = _check_query(check, text, dataset, source)
    while not report.good:
        comments = "\n".join(_COMMENT + line for line in _format_problems(report, text, where))
        edited = click.edit(f"{comments}\n{text}", extension=".txt")
        new_text = None if edited is None else _without_comments(edited)
        if new_text is None or new_text.strip() in ("", text.strip()):
            _print_report(report, text, where, dataset)
            click.echo("left as it was", err=True)
            return False
        text = new_text
        report, text = _check_query(check, text, dataset, source)
    path = getattr(file, "name", "-")
    if path in ("-", "<stdin>"):
        click.echo(text, nl=False)
    else:
        Path(path).write_text(text, encoding="utf-8")
        _print_report(report, text, where, dataset)
    return True


def _without_comments(edited: str) -> str:
    lines = edited.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(_COMMENT))
