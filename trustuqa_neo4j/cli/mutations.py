"""``tuqa eval mutations``."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from ..showing.plain import plain
from .connecting import connect
from .drawing import draw, json_of
from .progress import bars

if TYPE_CHECKING:
    from ..client import TrustUQA
    from ..evaluation.mutating.outline import Outline
    from ..evaluation.mutation_figures import Report, Row
    from ..evaluation.mutations import Ground
    from ..loading import Progress

    Grounds = list[AbstractContextManager[tuple[Ground, Outline]]]


def measured(packs: Path | None, options: dict[str, Any]) -> None:
    """Measure what the check catches, and tell it."""
    from ..evaluation.mutation_figures import report
    from ..evaluation.mutations import Plan, measure

    reports = []
    where = (options["uri"], options["username"], options["database"])
    with connect(*where) as tuqa, bars(options["quiet"]) as progress:
        plan = Plan(options["sample"] or 0, options["limit"], options["workers"], progress)
        for opening in _grounds(tuqa, packs, options, progress):
            with opening as (ground, outline):
                found = measure(tuqa, ground, outline, plan)
                reports.append(report(found, options["failures"] or 0))
    if options["as_json"]:
        click.echo(json_of([each.to_dict() for each in reports], indent=2))
        return
    for each in reports:
        _tell(each)


def _grounds(
    tuqa: TrustUQA, packs: Path | None, options: dict[str, Any], progress: Progress
) -> Grounds:
    from ..evaluation import mutation_grounds

    dataset, programs = options["dataset"], options["programs"]
    if (dataset is None) != (programs is None):
        what = "--dataset and --programs go together: right queries, and what they are asked of"
        raise UsageError(what, hint="give both, or neither")
    if programs is not None:
        return [mutation_grounds.own(tuqa, dataset, Path(programs), progress)]
    if packs is None:
        what = "nothing says where the data packs are"
        raise UsageError(what, hint="give --packs DIR, or set TUQA_PACKS")
    seed = options["sample"] or 0
    return [
        mutation_grounds.acme(tuqa, packs, progress),
        mutation_grounds.metaqa(tuqa, packs, seed, progress),
    ]


def _tell(report: Report) -> None:
    """Draw the figures of a ground: mutants by operator, then right queries by kind."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(report.ground)
    headers = ["n", "dropped", "baseline"]
    for check in report.checks:
        headers += [check, "warned", "passed", "missed"]
    for header in headers:
        table.add_column(header, justify="right")
    for row in (*report.rows, report.total(structural=True), report.total()):
        table.add_row(row.operator, *_cells(row, report))
    macro = ["", "", _percent(report.macro())]
    for check in report.checks:
        macro += [_percent(report.macro(check)), "", "", ""]
    table.add_row("mean of the operators", *macro)
    draw(table)
    click.echo()
    _tell_right(report)
    for example in report.examples:
        click.echo(plain(f"\nmissed, {example['operator']}, of {example['origin']}"))
        for line in example["query"].splitlines():
            click.echo(plain(f"  {line}"))
    click.echo()


def _cells(row: Row, report: Report) -> list[str]:
    cells = [f"{row.n:,}", f"{row.dropped:,}", _percent(row.share())]
    for check in report.checks:
        caught = row.by_check[check]
        counts = (caught.warned, caught.passed, caught.missed)
        cells += [_percent(row.share(check)), *(f"{count:,}" for count in counts)]
    return cells


def _tell_right(report: Report) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("right queries")
    table.add_column("n", justify="right")
    for check in report.checks:
        for header in (f"{check}: refused", "doubted", "warned"):
            table.add_column(header, justify="right")
    for each in report.right:
        counts = [f"{count:,}" for check in report.checks for count in each.by_check[check]]
        table.add_row(each.kind, f"{each.n:,}", *counts)
    draw(table)
    if report.left_out:
        told = ", ".join(f"{what} {count:,}" for what, count in report.left_out.items())
        click.echo(plain(f"\nleft out: {told}"))


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
