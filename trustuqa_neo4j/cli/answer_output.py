"""Options that say how an answer is shown: as text, JSON or CSV, with its steps and facts, as a picture."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from ..answer import SUCCESS_OUTCOMES, Answer, PictureFormat
from ..errors import format_list
from ..questions.options import OPTIONS
from ..render.evidence_graph import MAX_FACTS
from . import output
from .question_options import table_option

F = TypeVar("F", bound=Callable[..., Any])

_NO_CHART = (
    "no chart is drawn: the answer is not a table of two or more names with numbers\n"
    "hint: ask for a number for each of something"
)
_FORMATS: dict[str, PictureFormat] = {".svg": "svg", ".mmd": "mermaid", ".dot": "dot"}


def _check_suffix(_: click.Context, __: click.Parameter, value: Path | None) -> Path | None:
    if value is not None and value.suffix.lower() not in _FORMATS:
        allowed = format_list(list(_FORMATS), len(_FORMATS), conjunction="or")
        raise click.BadParameter(f"{value.name!r} does not end in {allowed}")
    return value


def _check_chart(_: click.Context, __: click.Parameter, value: Path | None) -> Path | None:
    if value is not None and value.suffix.lower() != ".svg":
        raise click.BadParameter(f"{value.name!r} does not end in .svg")
    return value


def _limit_facts(context: click.Context, _: click.Parameter, number: int | None) -> int | None:
    return MAX_FACTS if number is None and context.params["picture"] is not None else number


_OPTIONS = (
    click.option(
        "--sentence", is_flag=True, help="Show the answer as a sentence, without its facts."
    ),
    click.option("--why", is_flag=True, help="Show the steps of the query and their results."),
    click.option(
        "--explain", is_flag=True, help="Show every stage: names, Cypher statements, sizes, times."
    ),
    table_option(
        "evidence", default=None, show_default=False, callback=_limit_facts,
        help="Number of facts to show.  "
        f"[default: {OPTIONS['evidence'].default}; {MAX_FACTS} with --picture]",
    ),
    click.option(
        "--picture", type=click.Path(path_type=Path, dir_okay=False), callback=_check_suffix,
        is_eager=True, metavar="FILE",
        help="Draw steps, facts and answer into a file: .svg, .mmd (Mermaid) or .dot (Graphviz).",
    ),
    click.option(
        "--chart", type=click.Path(path_type=Path, dir_okay=False), callback=_check_chart,
        metavar="FILE.svg", help="Draw names with numbers as bars, or times with numbers as a line.",
    ),
    click.option("--tree", is_flag=True, help="Show below each value the facts it came from."),
    click.option("--json", "as_json", is_flag=True, help="Print JSON with evidence and trace."),
    click.option("--csv", "as_csv", is_flag=True, help="Print the values or the table as CSV."),
)  # fmt: skip


def output_options(command: F) -> F:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def show_answer(answer: Answer, options: Mapping[str, Any]) -> None:
    """Show an answer as the options say; the exit code is 1 for an outcome that is no success."""
    if path := options["picture"]:
        text = answer.picture(format=_FORMATS[path.suffix.lower()])
        output.write_file(path, text.encode("utf-8"))
    if path := options["chart"]:
        chart = answer.chart()
        if chart is None:
            click.echo(_NO_CHART, err=True)
        else:
            output.write_file(path, chart.encode("utf-8"))
    if options["as_json"]:
        click.echo(output.format_json(answer.to_dict(), indent=2))
    elif options["as_csv"]:
        output.print_answer_csv(answer)
    elif options.get("mermaid"):
        from .mermaid import draw_steps

        click.echo(draw_steps(answer))
    else:
        output.print_answer(
            answer, why=options["why"], explain=options["explain"], tree=options["tree"],
            is_brief=options["sentence"],
        )  # fmt: skip
    if answer.outcome not in SUCCESS_OUTCOMES:
        sys.exit(1)
