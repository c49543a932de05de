"""``tuqa run``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import click

from ..answer import Answer, CheckReport
from ..errors import DataError, StatementFailed, TimedOut, UnreadableFile, UsageError
from ..language.json_steps import begins_json_steps, find_json_problem, rewrite_json_steps
from ..render.terminal import is_encodable
from . import output
from .answer_output import output_options, show_answer
from .connection import call_within, connect, connection_options
from .question_options import read_question_options, table_option

Result = TypeVar("Result", Answer, CheckReport)

# Queries of a file: one as text, or many as JSON lines. ``tuqa check`` reads them too.


def read_query_file(file: Any) -> tuple[str, str]:
    name = getattr(file, "name", "-")
    where = "standard input" if name in ("-", "<stdin>") else name
    try:
        text: str = file.read().decode("utf-8-sig")
    except OSError as error:
        raise UnreadableFile(
            error.strerror or str(error), where=where, hint="give a file with a query"
        ) from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise UnreadableFile(
            "not UTF-8 text", where=f"{where}:{line}", hint="save the queries as UTF-8"
        ) from error
    if not text.strip():
        raise UnreadableFile(
            "there is no query in it", where=where, hint="`tuqa run --help` shows an example"
        )
    return text, where


def has_many_queries(text: str) -> bool:
    # One valid line is enough, since others may be broken.
    if begins_json_steps(text):
        return False
    return text.lstrip().startswith("{") or any(
        "query" in get_fields(_parse_json(line))
        for line in text.split("\n")
        if line.lstrip()[:1] == "{"
    )


def rewrite_json_query(text: str) -> str:
    # An object with a text as its query is a line of many queries, not the steps of one.
    content = _parse_json(text)
    if isinstance(get_fields(content).get("query"), str):
        return text
    is_json = isinstance(content, (dict, list))
    return rewrite_json_steps(text) if is_json or not has_many_queries(text) else text


def add_json_problem(result: Result, text: str) -> Result:
    """Replace the problems of a query that could not be read by that of its JSON, if it is broken."""
    problem = find_json_problem(text) if result.outcome == "failed" else None
    return result if problem is None else replace(result, problems=(problem,))


def parse_lines(text: str) -> Iterator[tuple[int, Any]]:
    # The value is an error if a line is not JSON.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, _parse_json(line)


def _parse_json(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:  # ValueError: also numbers with too many digits
        return error


def get_fields(record: Any) -> dict[str, Any]:
    # None for any value that is not an object.
    return record if isinstance(record, dict) else {}


def check_record(record: Any, number: int) -> None:
    fields = get_fields(record)
    query, source = fields.get("query"), fields.get("source")
    dataset = fields.get("dataset") or []
    names = [*(dataset if isinstance(dataset, list) else [dataset]), source or ""]
    if isinstance(record, Exception):
        problem = f"not JSON ({record})"
    elif not isinstance(query, str):
        problem = "no query in it"
    elif not all(isinstance(name, str) for name in names):
        problem = "dataset or source is not a name"
    elif not is_encodable(query + "".join(names)):
        problem = "half a surrogate pair, which is not a character"
    else:
        return
    hint = 'each line is {"id": …, "dataset": …, "query": "…"}'
    raise UnreadableFile(problem, where=f"line {number}", hint=hint)


@click.command()
@click.argument("file", type=click.File("rb"), default="-")
@click.option("--dataset", multiple=True, help="Dataset to query.", metavar="NAME")
@table_option("source")
@output_options
@click.option("--mermaid", is_flag=True, help="Print the steps as a Mermaid diagram.")
@table_option("limit")
@table_option("inference")
@table_option("timeout", help="Maximum time for one query, in seconds.")
@connection_options
def command(file: Any, **options: Any) -> None:
    """Run queries of the query language, without an LLM.

    FILE contains one query, as text or as JSON with its steps, or many queries as JSON lines with id,
    dataset, source and query. "-" reads standard input. For many queries, the output is one JSON line
    for each, in order.

    \b
    Example:
      tuqa run --dataset films query.txt
      echo "get_information(head_entity='Alien', relation='directed_by')" | tuqa run --dataset films
    """
    flags = {"--json": "as_json", "--csv": "as_csv", "--mermaid": "mermaid"}
    formats = [flag for flag, name in flags.items() if options[name]]
    if len(formats) > 1:
        raise click.UsageError(f"{' and '.join(formats)} contradict each other; give one of them")
    written = read_query_file(file)[0]
    text = rewrite_json_query(written)
    is_batch = has_many_queries(text)
    if is_batch and formats and not options["as_json"]:
        raise click.UsageError(f"{formats[0]} is for one query, and these are many")
    if is_batch and options["picture"] is not None:
        raise click.UsageError("--picture is for one query, and these are many")
    if is_batch and options["chart"] is not None:
        raise click.UsageError("--chart is for one query, and these are many")
    dataset, timeout = options["dataset"], options["timeout"]
    with connect(options["neo4j"], timeout) as tuqa:
        run_query = partial(call_within, timeout, tuqa.run, **read_question_options(options))
        if is_batch:
            for line in _run_many(run_query, text, dataset, options["source"]):
                click.echo(output.format_json(line))
            return
        answer = add_json_problem(run_query(text, dataset), written)
    show_answer(answer, options)


def _run_many(
    run_query: Callable[..., Answer], text: str, dataset: tuple[str, ...], source: str | None
) -> Iterator[dict[str, Any]]:
    from ..questions.batch import failed

    for number, record in parse_lines(text):
        try:
            check_record(record, number)
            query = record["query"]
            answer = run_query(
                rewrite_json_steps(query),
                record.get("dataset") or dataset,
                source=record.get("source") or source,
            )
            answer = add_json_problem(answer, query)
        except (DataError, UsageError, TimedOut, StatementFailed) as error:
            answer = failed(error)
        yield {"id": get_fields(record).get("id"), **answer.to_dict(proof=False)}
