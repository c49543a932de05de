"""A run's summary and its failures in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from ..showing.plain import plain
from .drawing import draw

if TYPE_CHECKING:
    from ..answer import Value
    from ..evaluation.failures import Failure
    from ..evaluation.summary import Ends, Figures, Summary

SHOWN = 12
"""Values, labels and kinds shown of many."""


def draw_summary(summary: Summary) -> None:
    """Draw the figures by group, why queries were refused, functions, and what made the figures."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(summary.benchmark)
    names = ("n", "right", *summary.metrics, "wrong", "empty", "refused", "p50 ms", "p95 ms")
    for name in names:
        table.add_column(name, justify="right")
    for row in summary.groups:
        scores = [f"{100 * row.scores.get(name, 0):.2f}" for name in summary.metrics]
        counts = [f"{count:,}" for count in (row.wrong, row.empty, row.refused)]
        times = [_ms(row.p50), _ms(row.p95)]
        table.add_row(row.group, f"{row.n:,}", f"{row.right:,}", *scores, *counts, *times)
    draw(table)
    for row in summary.groups[-1:]:
        _counted("refused", list(row.kinds.items()))
    if summary.ends:
        _ends(summary.ends)
        _counted("problems of queries", list(summary.fired.items()))
    if summary.functions:
        _functions(summary.functions)
    _counted("left out", list(summary.left_out.items()))
    told = ", ".join(f"{name} {value}" for name, value in summary.settings.items())
    click.echo(plain(f"\n{told}"))


def draw_failures(failures: Sequence[Failure]) -> None:
    """Draw queries that are not right: question, query, trace in short, label and answer."""
    for failure in failures:
        line = failure.line
        click.echo()
        click.secho(plain(f"{line.id}  {line.question}"), bold=True)
        if line.source is not None:
            click.echo(plain(f"  of {line.source}"))
        for step in line.query.splitlines():
            click.echo(plain(f"  {step}"))
        for stage in failure.trace:
            click.echo(plain(f"    {stage}"))
        for problem in line.problems:
            click.echo(plain(f"    {problem.get('kind')}: {problem.get('message')}"))
        click.echo(plain(f"  label   {_members(line.labels)}"))
        click.echo(plain(f"  answer  {_members(line.values) or line.outcome}"))


def _ends(rows: Sequence[Ends]) -> None:
    from rich.table import Table

    click.echo()
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("ended")
    names = ("right %", "at once", "repaired", "partial", "wrong", "unknown", "error")
    for name in names:
        table.add_column(name, justify="right")
    for row in rows:
        counts = (row.first, row.repaired, row.partial, row.wrong, row.unknown, row.error)
        share = f"{100 * row.right / row.n:.2f}" if row.n else "–"
        table.add_row(row.group, share, *(f"{count:,}" for count in counts))
    draw(table)


def _functions(rows: Sequence[Figures]) -> None:
    from rich.table import Table

    click.echo()
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("not of the paper")
    for name in ("n", "right", "wrong", "empty", "refused"):
        table.add_column(name, justify="right")
    often = [row for row in rows if row.n > 1]
    for row in often:
        counts = (row.n, row.right, row.wrong, row.empty, row.refused)
        table.add_row(plain(row.group), *(f"{count:,}" for count in counts))
    once = [row for row in rows if row.n == 1]
    if once:
        sums = [sum(getattr(row, name) for row in once) for name in ("n", "right", "wrong")]
        sums += [sum(row.empty for row in once), sum(row.refused for row in once)]
        table.add_row(f"{len(once)} used once", *(f"{count:,}" for count in sums))
    draw(table)


def _counted(what: str, counts: Sequence[tuple[str, int]]) -> None:
    if counts:
        shown = ", ".join(f"{name} {count:,}" for name, count in counts[:SHOWN])
        more = f", and {len(counts) - SHOWN} more" if len(counts) > SHOWN else ""
        click.echo(plain(f"\n{what}: {shown}{more}"))


def _members(values: Sequence[Value]) -> str:
    shown = " | ".join(str(value) for value in values[:SHOWN])
    more = len(values) - SHOWN
    return f"{shown} | … {more:,} more" if more > 0 else shown


def _ms(ms: float | None) -> str:
    return "–" if ms is None else f"{ms:.1f}"
