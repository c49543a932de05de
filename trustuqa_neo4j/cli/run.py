"""``tuqa run``."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from ..answer import GOOD, Answer
from ..errors import (
    DataError,
    StatementFailed,
    TimedOut,
    UnreadableFile,
    UsageError,
)
from . import answering, drawing
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
    text = _read(file)
    many = _is_jsonl(text)
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


def _read(file: Any) -> str:
    name = getattr(file, "name", "-")
    where = "standard input" if name in ("-", "<stdin>") else name
    try:
        content = file.read()
        text: str = content.decode("utf-8-sig")
    except OSError as error:
        raise UnreadableFile(
            error.strerror or str(error), where=where, hint="give a file with a query"
        ) from error
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise UnreadableFile(
            "not UTF-8 text", where=f"{where}:{line}", hint="save the queries as UTF-8"
        ) from error
    if not text.strip():
        raise UnreadableFile(
            "there is no query in it", where=where, hint="`tuqa run --help` shows an example"
        )
    return text


def _is_jsonl(text: str) -> bool:
    """Whether these are many queries: by any line that is one, since the others may be broken."""
    return text.lstrip().startswith("{") or any(
        "query" in _object(_parsed(line)) for line in text.split("\n") if line.lstrip()[:1] == "{"
    )


def _parsed(line: str) -> Any:
    """The JSON in ``line``; the error, where there is none."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:  # ValueError: numbers of very many digits, too
        return error


def _object(item: Any) -> dict[str, Any]:
    return item if isinstance(item, dict) else {}


def _run_many(
    tuqa: TrustUQA,
    text: str,
    dataset: tuple[str, ...],
    source: str | None,
    limit: int | None,
    timeout: float,
) -> Iterator[dict[str, Any]]:
    from ..asking.many import failed

    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        item = _parsed(line)
        try:
            _check(item, number)
            answer = tuqa.run(
                item["query"],
                item.get("dataset") or dataset,
                source=item.get("source") or source,
                limit=limit,
                timeout=timeout,
            )
        except (DataError, UsageError, TimedOut, StatementFailed) as error:
            answer = failed(error)
        yield {"id": _object(item).get("id"), **answer.to_dict(proof=False)}


def _check(item: Any, number: int) -> None:
    """See that an item is one that can be asked."""
    found = _object(item)
    query, source = found.get("query"), found.get("source")
    dataset = found.get("dataset") or []
    names = [*(dataset if isinstance(dataset, list) else [dataset]), source or ""]
    if isinstance(item, Exception):
        wrong = f"not JSON ({item})"
    elif not isinstance(query, str):
        wrong = "no query in it"
    elif not all(isinstance(name, str) for name in names):
        wrong = "dataset or source is no name"
    elif not _is_text(query + "".join(names)):
        wrong = "half a surrogate pair, which is no character"
    else:
        return
    hint = 'each line is {"id": …, "dataset": …, "query": "…"}'
    raise UnreadableFile(wrong, where=f"line {number}", hint=hint)


def _is_text(text: str) -> bool:
    """Whether ``text`` can be written; JSON's escapes can yield what cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
