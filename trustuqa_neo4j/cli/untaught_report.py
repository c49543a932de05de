"""The tables that ``tuqa eval --untaught`` prints below the summary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click

from ..errors import format_list
from ..render.terminal import escape_controls
from .output import make_table, print_renderable

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ..evaluation.risk_coverage import CoveragePoint, ReliabilityBin
    from ..evaluation.untaught import RecordedQueries, RefusalCount, UntaughtFigures

_SHOWN = 12


def print_untaught(figures: UntaughtFigures) -> None:
    shares = (
        f"{count} {_format_percent(right / figures.n if figures.n else None)}"
        for count, right in enumerate(figures.right_within, 1)
    )
    click.echo(f"\nright among the best readings, % (1 to {len(figures.right_within)}): ", nl=False)
    click.echo(", ".join(shares))
    times = ("–" if ms is None else f"{ms:.0f}" for ms in (figures.p50, figures.p95))
    click.echo(f"time from question to answer, ms (p50, p95): {', '.join(times)}")
    _print_coverage(figures.coverage, figures.default)
    _print_reliability(figures.reliability, figures.reliability_given)
    _print_refusals(figures.refusals)
    if figures.recorded is not None:
        _print_recorded(figures.recorded)


def _print_coverage(points: Iterable[CoveragePoint], default: CoveragePoint) -> None:
    table = make_table(("coverage %",), ("n", "right", "precision %", "threshold"))
    for point in points:
        table.add_row(_format_percent(point.coverage, 0), *_point_cells(point))
    table.add_row(f"{_format_percent(default.coverage)} (default)", *_point_cells(default))
    _print_below(table)


def _point_cells(point: CoveragePoint) -> Sequence[str]:
    threshold = "–" if point.threshold is None else f"{point.threshold:.2f}"
    return f"{point.n:,}", f"{point.right:,}", _format_percent(point.precision), threshold


def _print_reliability(
    bins: Sequence[ReliabilityBin], bins_given: Sequence[ReliabilityBin]
) -> None:
    names = ("n", "mean %", "right %", "answered", "mean %", "right %")
    table = make_table(("confidence",), names)
    for row, row_given in zip(bins, bins_given, strict=True):
        table.add_row(f"{row.low:.1f} – {row.high:.1f}", *_bin_cells(row), *_bin_cells(row_given))
    _print_below(table)


def _bin_cells(row: ReliabilityBin) -> Sequence[str]:
    return f"{row.n:,}", _format_percent(row.mean), _format_percent(row.precision)


def _print_refusals(refusals: Sequence[RefusalCount]) -> None:
    if refusals:
        table = make_table(("refused",), ("n", "best reading right"))
        for row in refusals:
            table.add_row(escape_controls(row.reason), f"{row.n:,}", f"{row.right:,}")
        _print_below(table)


def _print_recorded(recorded: RecordedQueries) -> None:
    table = make_table(
        ("recorded training queries",), ("n", "sayable %", "wrong", "empty", "refused")
    )
    for row in recorded.groups:
        sayable = _format_percent(row.right / row.n if row.n else None)
        counts = (f"{count:,}" for count in (row.wrong, row.empty, row.refused))
        table.add_row(row.group, f"{row.n:,}", sayable, *counts)
    _print_below(table)
    for title, reasons in (
        ("recorded queries refused", recorded.groups[-1].kinds),
        ("recorded queries left out", recorded.left_out),
    ):
        if reasons:
            text = format_list([f"{name} {count:,}" for name, count in reasons.items()], _SHOWN)
            click.echo(escape_controls(f"\n{title}: {text}"))


def _print_below(table: RenderableType) -> None:
    click.echo()
    print_renderable(table)


def _format_percent(share: float | None, digits: int = 1) -> str:
    return "–" if share is None else f"{100 * share:.{digits}f}"
