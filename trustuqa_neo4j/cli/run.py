"""``tuqa run``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from ..answer import GOOD, Answer
from ..errors import DataError, StatementFailed, TimedOut, UsageError
from . import answering, drawing, queries
from .connecting import connect, connecting

if TYPE_CHECKING:
    from ..client import TrustUQA


@click.command()
@click.argument("file", type=click.File("rb"), default="-")
@click.option("--dataset", multiple=True, help="Dataset to ask.", metavar="NAME")
@click.option("--source", help="One source of it.", metavar="NAME")
@click.option("--why", is_flag=True, help="Show the steps, and what each found.")
@click.option("--explain", is_flag=True, help="Show every stage: names, statements, sizes, times.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with evidence and trace.")
@click.option("--csv", "as_csv", is_flag=True, help="Print the values, or the table, as CSV.")
@click.option("--mermaid", is_flag=True, help="Print the steps as a picture, as Mermaid text.")
@click.option("--limit", type=click.IntRange(1), help="Values or rows given at most.", metavar="N")
@click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    default=60.0,
    show_default=True,
    help="Seconds for one query.",
)
@connecting
def command(
    file: Any,
    dataset: tuple[str, ...],
    source: str | None,
    why: bool,
    explain: bool,
    as_json: bool,
    as_csv: bool,
    mermaid: bool,
    limit: int | None,
    timeout: float,
    uri: str | None,
    username: str | None,
    database: str | None,
) -> None:
    """Run queries of the query language, without an LLM.

    FILE holds one query as text, or many as JSON lines with id, dataset, source and query; "-" is
    standard input. Many queries give one JSON line each, in order.

    \b
    Example:
      tuqa run --dataset films query.txt
      echo "get_information(head_entity='Alien', relation='directed_by')" | tuqa run --dataset films
    """
    forms = [
        f"--{form}"
        for form, wished in (("json", as_json), ("csv", as_csv), ("mermaid", mermaid))
        if wished
    ]
    if len(forms) > 1:
        raise click.UsageError(f"{' and '.join(forms)} contradict each other; give one of them")
    text, _ = queries.read(file)
    many = queries.are_many(text)
    if many and (as_csv or mermaid):
        raise click.UsageError(f"{forms[0]} is for one query, and these are many")
    with connect(uri, username, database) as tuqa:
        if many:
            for line in _run_many(tuqa, text, dataset, source, limit, timeout):
                click.echo(drawing.json_of(line))
            return
        answer = tuqa.run(text, dataset, source=source, limit=limit, timeout=timeout)
    _print(answer, forms[0] if forms else "", why, explain)
    if answer.outcome not in GOOD:
        sys.exit(1)


def _print(answer: Answer, form: str, why: bool, explain: bool) -> None:
    if form == "--mermaid":
        from .mermaid import steps

        click.echo(steps(answer))
    elif form == "--json":
        click.echo(drawing.json_of(answer.to_dict(), indent=2))
    elif form == "--csv":
        answering.print_csv(answer)
    else:
        answering.show(answer, why=why, explain=explain)


def _run_many(
    tuqa: TrustUQA,
    text: str,
    dataset: tuple[str, ...],
    source: str | None,
    limit: int | None,
    timeout: float,
) -> Iterator[dict[str, Any]]:
    from ..asking.many import failed

    for number, item in queries.items(text):
        try:
            queries.check(item, number)
            answer = tuqa.run(
                item["query"],
                item.get("dataset") or dataset,
                source=item.get("source") or source,
                limit=limit,
                timeout=timeout,
            )
        except (DataError, UsageError, TimedOut, StatementFailed) as error:
            answer = failed(error)
        yield {"id": queries.fields(item).get("id"), **answer.to_dict(proof=False)}
