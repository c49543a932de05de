"""The report of a run: texts and tables of text, for a terminal, Markdown or one page of HTML.

Published figures are rows of ``published.csv``, each with its source. They were measured with other models,
on all test questions; the table puts them beside ours and does not rank them.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib import resources
from math import sqrt
from typing import TypeAlias

from ..errors import format_list
from ..evidence import format_value
from ..render.blocks import TableBlock, TextBlock
from ..render.chart import ChartContent, ChartPoint, draw_chart
from ..render.html import render_html
from ..render.tabular import rows_to_csv
from .results_file import ResultLine
from .summary import Details, GroupScores, OutcomeCounts, Summary, is_right
from .untaught import (
    CoveragePoint,
    JudgedAnswer,
    RecordedQueries,
    RefusalCount,
    ReliabilityBin,
    UntaughtFigures,
    tabulate_coverage,
    tabulate_reliability,
)

SHOWN = 12
_COUNTS = ("n", "right", "wrong", "empty", "refused")
_Z = 1.959964
"""A normal variable is so far from its mean in 5 % of the cases."""


@dataclass(frozen=True)
class ReportTable:
    """The first ``texts`` columns are texts, the others numbers."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    texts: int = 1


Part: TypeAlias = ReportTable | str


def wilson_interval(right: int, n: int) -> tuple[float, float]:
    """Return the bounds of the 95 % interval of a share."""
    if not n:
        return 0.0, 1.0
    share, z2 = right / n, _Z * _Z
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = _Z * sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    return max(0.0, middle - half), min(1.0, middle + half)


def lay_out_summary(summary: Summary) -> Iterator[Part]:
    yield _lay_out_groups(summary)
    yield from _lay_out_counts("refused", summary.groups[-1].kinds if summary.groups else {})
    if rows := tuple(_published_rows(summary)):
        yield ReportTable("published figures", _PUBLISHED_COLUMNS, rows, 4)
    if summary.ends:
        yield _lay_out_outcomes(summary.ends)
        yield from _lay_out_counts("problems of queries", summary.fired)
    yield from _lay_out_counts("right by retries", summary.retries)
    if summary.functions:
        yield _lay_out_functions(summary.functions)
    if summary.computed is not None:
        yield _describe_computed(summary.computed, summary.groups[-1].n)
    yield from _lay_out_counts("left out", summary.left_out)
    yield ", ".join(f"{name} {value}" for name, value in summary.settings.items())


def _lay_out_groups(summary: Summary) -> ReportTable:
    counts = ("wrong", "empty", "refused")
    columns = (
        summary.benchmark,
        "n",
        "right",
        "95 %",
        *summary.metrics,
        *counts,
        "p50 ms",
        "p95 ms",
    )
    rows = tuple(
        (
            row.group,
            *_count_cells(row, ("n", "right")),
            _format_interval(row.right, row.n),
            *(f"{100 * row.scores.get(name, 0):.2f}" for name in summary.metrics),
            *_count_cells(row, counts),
            _format_ms(row.p50),
            _format_ms(row.p95),
        )
        for row in summary.groups
    )
    return ReportTable(summary.benchmark, columns, rows)


def _format_interval(right: int, n: int) -> str:
    low, high = wilson_interval(right, n)
    return f"{100 * low:.1f}–{100 * high:.1f}" if n else "–"


@cache
def read_published() -> tuple[Mapping[str, str], ...]:
    text = (
        resources.files("trustuqa_neo4j.evaluation")
        .joinpath("published.csv")
        .read_text(encoding="utf-8")
    )
    return tuple(csv.DictReader(text.splitlines()))


_PUBLISHED_COLUMNS = ("system", "source", "group", "metric", "published %", "ours %", "95 %")


def _published_rows(summary: Summary) -> Iterator[tuple[str, ...]]:
    if not summary.groups:
        return
    groups = {group.group: group for group in summary.groups} | {"all": summary.groups[-1]}
    for row in read_published():
        group = groups.get(row["group"])
        if row["benchmark"] == summary.benchmark and group and row["metric"] in summary.metrics:
            ours = group.scores.get(row["metric"], 0.0)
            figures = (row["percent"], f"{100 * ours:.2f}")
            interval = _format_interval(round(ours * group.n), group.n)
            yield row["system"], row["source"], row["group"], row["metric"], *figures, interval


def _lay_out_outcomes(rows: Sequence[OutcomeCounts]) -> ReportTable:
    names = (
        "right %", "at once", "repaired", "partial", "wrong", "unknown", "error", "achieved %",
    )  # fmt: skip
    fields = ("first", "repaired", "partial", "wrong", "unknown", "error")
    cells = tuple(
        (
            row.group,
            _format_percent(row.right / row.n if row.n else None, 2),
            *_count_cells(row, fields),
            _format_percent(row.achieved),
        )
        for row in rows
    )
    return ReportTable("how questions ended", ("ended", *names), cells)


def _lay_out_functions(rows: Sequence[GroupScores]) -> ReportTable:
    cells = [(row.group, *_count_cells(row, _COUNTS)) for row in rows if row.n > 1]
    used_once = [row for row in rows if row.n == 1]
    if used_once:
        sums = (sum(getattr(row, name) for row in used_once) for name in _COUNTS)
        cells.append((f"{len(used_once)} used once", *(f"{count:,}" for count in sums)))
    return ReportTable("functions not of the paper", ("not of the paper", *_COUNTS), tuple(cells))


def _describe_computed(computed: GroupScores, total: int) -> str:
    right = f"; right are {100 * computed.right / computed.n:.1f} % of them" if computed.n else ""
    rate = 100 * computed.n / max(1, total)
    return f"computed by the model: {computed.n:,} of {total:,} ({rate:.1f} %){right}"


def _lay_out_counts(title: str, counts: Mapping[str, int]) -> Iterator[str]:
    if counts:
        text = format_list([f"{name} {count:,}" for name, count in counts.items()], SHOWN)
        yield f"{title}: {text}"


# Details: in every form but the terminal's, which shows them if asked to.


def lay_out_usage(details: Details, n: int) -> Iterator[str]:
    usage = details.usage
    if usage.calls or usage.cached:
        cost = "unknown" if usage.cost is None else f"{usage.cost:.4f}"
        yield (
            f"model: {usage.calls:,} calls, {usage.input_tokens:,} tokens read and "
            f"{usage.output_tokens:,} written, {usage.cached:,} replies from the cache, cost {cost}; "
            f"per question {usage.calls / n:.2f} calls, {usage.tokens / n:,.0f} tokens"
        )


def lay_out_details(details: Details) -> Iterator[Part]:
    stages = sorted(details.stages.items(), key=lambda stage: -stage[1])
    yield "mean ms by stage: " + ", ".join(f"{name} {ms:.1f}" for name, ms in stages)
    rows = tuple((name, f"{values:,}", f"{labels:,}") for name, values, labels in details.answers)
    yield ReportTable("numbers of answers", ("answers", "questions", "labelled so"), rows)
    yield from _lay_out_counts("not right, by class", details.errors)
    if details.runs:
        ordered = sorted(details.runs.items(), key=lambda run: (run[1], run[0]))
        cells = tuple((question, _format_percent(share)) for question, share in ordered)
        yield ReportTable("right runs by question", ("question", "right runs %"), cells)


# Questions that were asked untaught.


def lay_out_untaught(figures: UntaughtFigures) -> Iterator[Part]:
    shares = (
        f"{count} {_format_percent(right / figures.n if figures.n else None)}"
        for count, right in enumerate(figures.right_within, 1)
    )
    title = f"right among the best readings, % (1 to {len(figures.right_within)})"
    times = ("–" if ms is None else f"{ms:.0f}" for ms in (figures.p50, figures.p95))
    yield f"{title}: {', '.join(shares)}"
    yield f"time from question to answer, ms (p50, p95): {', '.join(times)}"
    yield _lay_out_coverage(figures.coverage, figures.default)
    yield _lay_out_reliability(figures.reliability, figures.reliability_given)
    if figures.refusals:
        yield _lay_out_refusals(figures.refusals)
    if figures.recorded is not None:
        yield from _lay_out_recorded(figures.recorded)


def _lay_out_coverage(points: Iterable[CoveragePoint], default: CoveragePoint) -> ReportTable:
    rows = [(_format_percent(point.coverage, 0), *_point_cells(point)) for point in points]
    rows.append((f"{_format_percent(default.coverage)} (default)", *_point_cells(default)))
    names = ("coverage %", "n", "right", "precision %", "threshold")
    return ReportTable("coverage", names, tuple(rows))


def _point_cells(point: CoveragePoint) -> tuple[str, ...]:
    threshold = "–" if point.threshold is None else f"{point.threshold:.2f}"
    return f"{point.n:,}", f"{point.right:,}", _format_percent(point.precision), threshold


def _lay_out_reliability(
    bins: Sequence[ReliabilityBin], bins_given: Sequence[ReliabilityBin]
) -> ReportTable:
    names = ("confidence", "n", "mean %", "right %", "answered", "mean %", "right %")
    rows = tuple(
        (f"{row.low:.1f} – {row.high:.1f}", *_bin_cells(row), *_bin_cells(row_given))
        for row, row_given in zip(bins, bins_given, strict=True)
    )
    return ReportTable("confidence", names, rows)


def _bin_cells(row: ReliabilityBin) -> tuple[str, ...]:
    return f"{row.n:,}", _format_percent(row.mean), _format_percent(row.precision)


def _lay_out_refusals(refusals: Sequence[RefusalCount]) -> ReportTable:
    rows = tuple((row.reason, f"{row.n:,}", f"{row.right:,}") for row in refusals)
    return ReportTable("refused questions", ("refused", "n", "best reading right"), rows)


def _lay_out_recorded(recorded: RecordedQueries) -> Iterator[Part]:
    rows = tuple(
        (
            row.group,
            f"{row.n:,}",
            _format_percent(row.right / row.n if row.n else None),
            *_count_cells(row, ("wrong", "empty", "refused")),
        )
        for row in recorded.groups
    )
    names = ("recorded training queries", "n", "sayable %", "wrong", "empty", "refused")
    yield ReportTable("recorded training queries", names, rows)
    yield from _lay_out_counts("recorded queries refused", recorded.groups[-1].kinds)
    yield from _lay_out_counts("recorded queries left out", recorded.left_out)


def _count_cells(row: GroupScores | OutcomeCounts, fields: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{getattr(row, field):,}" for field in fields)


def _format_percent(share: float | None, digits: int = 1) -> str:
    return "–" if share is None else f"{100 * share:.{digits}f}"


def _format_ms(ms: float | None) -> str:
    return "–" if ms is None else f"{ms:.1f}"


def format_values(values: Sequence[str | int | float]) -> str:
    return format_list(list(map(format_value, values)), SHOWN)


# Forms of a report.


def render_markdown(parts: Iterable[Part]) -> str:
    texts = (part if isinstance(part, str) else _markdown_table(part) for part in parts)
    return "\n\n".join(texts)


def _markdown_table(table: ReportTable) -> str:
    count = len(table.columns)
    marks = ["---"] * table.texts + ["---:"] * (count - table.texts)
    rows = (table.columns, marks, *table.rows)
    return "\n".join(f"| {' | '.join(map(_escape_bar, row))} |" for row in rows)


def _escape_bar(cell: str) -> str:
    return " ".join(cell.replace("|", "\\|").split())


def render_csv(parts: Iterable[Part]) -> str:
    """Return the first table as CSV."""
    table = next(part for part in parts if isinstance(part, ReportTable))
    return rows_to_csv(table.columns, table.rows, escape_formulas=True).removesuffix("\n")


_PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>body{{font-family:sans-serif;margin:2em}}svg{{max-width:100%}}</style></head>
<body><h1>{title}</h1>
{plots}
{tables}
</body></html>
"""


def render_page(title: str, parts: Iterable[Part], plots: Iterable[str] = ()) -> str:
    """Return a page that needs no other file."""
    blocks = [
        TextBlock("note", (part,))
        if isinstance(part, str)
        else TableBlock(part.columns, part.rows, part.title)
        for part in parts
    ]
    tables = render_html(blocks, "report")
    return _PAGE.format(title=escape(title), plots="\n".join(plots), tables=tables)


def draw_plots(summary: Summary, lines: Sequence[ResultLine]) -> Iterator[str]:
    """Yield SVG: accuracy by group, precision by coverage, reliability of the confidence, times."""
    groups = [
        (row.group, row.right / row.n, _format_interval(row.right, row.n))
        for row in summary.groups
        if row.n
    ]
    yield from _draw_shares("Right answers by group, with 95 % intervals", groups)
    answers = [
        JudgedAnswer(line.confidence if line.outcome == "answered" else None, is_right(line))
        for line in lines
    ]
    if any(answer.probability is not None for answer in answers):
        coverage = [
            (f"{point.coverage:.0%}", point.precision, f"{point.n:,}")
            for point in tabulate_coverage(answers)
            if point.precision is not None
        ]
        yield from _draw_shares("Precision by coverage", coverage, is_series=True)
        reliability = [
            (f"{row.low:.1f} – {row.high:.1f}", row.precision, f"mean {row.mean:.2f}, {row.n:,}")
            for row in tabulate_reliability(answers)
            if row.mean is not None and row.precision is not None
        ]
        yield from _draw_shares("Right answers by confidence", reliability)
    times = sorted(line.ms.get("total", 0.0) for line in lines)
    if times and times[-1]:
        size = len(times)
        points = tuple(
            ChartPoint(f"{number / size:.0%}", times[number - 1], f"{times[number - 1]:,.0f} ms")
            for number in range(1, size + 1)
        )
        yield draw_chart(ChartContent("Time by share of questions", points, is_series=True))


def _draw_shares(
    title: str, shares: Sequence[tuple[str, float, str]], *, is_series: bool = False
) -> Iterator[str]:
    """Draw named shares, each with a note; nothing without any."""
    points = [ChartPoint(name, share, f"{share:.1%} ({note})") for name, share, note in shares]
    if points:
        yield draw_chart(ChartContent(title, tuple(points), is_series))
