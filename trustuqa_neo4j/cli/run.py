"""``tuqa run``."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from ..answer import GOOD, Answer
from ..errors import DataError, TrustUQAError, UnreadableFile, UsageError
from ..language.query import Problem
from .connecting import connect, connecting

if TYPE_CHECKING:
    from ..client import TrustUQA


@click.command()
@click.argument("file", type=click.File("rb"), default="-")
@click.option("--dataset", multiple=True, help="Dataset to ask.", metavar="NAME")
@click.option("--source", help="One source of it.", metavar="NAME")
@click.option("--explain", is_flag=True, help="Show every stage: names, statements, sizes, times.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with evidence and trace.")
@click.option(
    "--timeout", type=float, default=60.0, show_default=True, help="Seconds for one query."
)
@connecting
def command(
    file: Any,
    dataset: tuple[str, ...],
    source: str | None,
    explain: bool,
    as_json: bool,
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
    text = _read(file)
    many = _is_jsonl(text)
    with connect(uri, username, database) as tuqa:
        if many:
            for line in _run_many(tuqa, text, dataset, source, timeout):
                click.echo(json.dumps(line, ensure_ascii=False))
            return
        answer = tuqa.run(text, dataset, source=source, timeout=timeout)
    if as_json:
        click.echo(json.dumps(answer.to_dict(), ensure_ascii=False, indent=2))
    else:
        from . import drawing

        drawing.answer(answer, text, explain)
    if answer.outcome not in GOOD:
        sys.exit(1)


def _read(file: Any) -> str:
    name = getattr(file, "name", "-")
    where = "standard input" if name in ("-", "<stdin>") else name
    try:
        content = file.read()
        text: str = content.decode("utf-8-sig")
    except IsADirectoryError as error:
        raise UnreadableFile("a folder", where=where, hint="give a file with a query") from error
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
    first = text.lstrip().split("\n", 1)[0]
    if not first.startswith("{"):
        return False
    try:
        return isinstance(json.loads(first), dict)
    except json.JSONDecodeError:
        return False


def _run_many(
    tuqa: TrustUQA, text: str, dataset: tuple[str, ...], source: str | None, timeout: float
) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        identity: Any = None
        try:
            item = _item(line, number)
            identity = item.get("id")
            scope = item.get("dataset") or dataset
            answer = tuqa.run(
                item["query"], scope, source=item.get("source") or source, timeout=timeout
            )
        except (DataError, UsageError) as error:
            answer = _failed(error)
        yield {"id": identity, **answer.to_dict(proof=False)}


def _item(line: str, number: int) -> dict[str, Any]:
    hint = 'each line is {"id": …, "dataset": …, "query": "…"}'
    try:
        item = json.loads(line)
    except (json.JSONDecodeError, RecursionError) as error:
        raise UnreadableFile(f"not JSON ({error})", where=f"line {number}", hint=hint) from error
    if not isinstance(item, dict) or not isinstance(item.get("query"), str):
        raise UnreadableFile("no query in it", where=f"line {number}", hint=hint)
    dataset = item.get("dataset")
    names = dataset if isinstance(dataset, list) else [dataset, item.get("source")]
    if not all(name is None or isinstance(name, str) for name in names):
        raise UnreadableFile("dataset or source is no name", where=f"line {number}", hint=hint)
    return item


def _failed(error: TrustUQAError) -> Answer:
    message = str(error).removeprefix(f"{error.kind}: ")
    ms = dict.fromkeys(("parse", "check", "map", "execute", "total"), 0.0)
    return Answer("failed", problems=(Problem(error.kind, message),), ms=ms)
