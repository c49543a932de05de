"""The report of a run, in all its forms."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from trustuqa_neo4j.evaluation import report
from trustuqa_neo4j.evaluation.registry import BENCHMARKS
from trustuqa_neo4j.evaluation.report import ReportTable
from trustuqa_neo4j.evaluation.results_file import ResultLine
from trustuqa_neo4j.evaluation.summary import OutcomeCounts, Summary, scores_by_group

LINE = ResultLine(
    "a", "1 hop", "?", "", None, ("x",), "answered", ("x",),
    {"contains": 1.0, "exact": 1.0, "hits@1": 1.0}, {"total": 5.0}, confidence=0.9,
)  # fmt: skip
WRONG = replace(LINE, id="b", scores=dict.fromkeys(LINE.scores, 0.0), confidence=0.6)
OTHER = replace(WRONG, id="c", group="2 hops", outcome="rejected", confidence=None)


def summarize(*lines: ResultLine) -> Summary:
    metrics = tuple(LINE.scores)
    return Summary("metaqa", metrics, scores_by_group(lines), (), {}, {"seed": 1})


def tables(summary: Summary) -> dict[str, ReportTable]:
    parts = report.lay_out_summary(summary)
    return {part.title: part for part in parts if isinstance(part, ReportTable)}


@pytest.mark.parametrize(
    ("right", "n", "low", "high"),
    # Computed with R's prop.test(correct = FALSE).
    [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1.0), (442, 1000, 0.4115, 0.4729)],
)  # fmt: skip
def test_intervals(right: int, n: int, low: float, high: float) -> None:
    assert report.wilson_interval(right, n) == pytest.approx((low, high), abs=1e-4)


def test_without_questions_everything_is_possible() -> None:
    assert report.wilson_interval(0, 0) == (0.0, 1.0)


def test_ours_stand_beside_the_published_figures() -> None:
    rows = tables(summarize(LINE, WRONG, OTHER))["published figures"].rows
    by_key = {(row[0], row[2], row[3]): row for row in rows}
    assert by_key["TrustUQA (GPT-3.5)", "1 hop", "hits@1"] == (
        "TrustUQA (GPT-3.5)", "TrustUQA table 3", "1 hop", "hits@1", "97.1", "50.00", "9.5–90.5",
    )  # fmt: skip
    assert by_key["TrustUQA (GPT-3.5)", "2 hops", "contains"][5] == "0.00"
    assert ("TrustUQA (GPT-3.5)", "3 hops", "contains") not in by_key


def test_each_published_figure_is_of_a_benchmark_and_its_metric() -> None:
    variants = [v for b in BENCHMARKS.values() for v in (b, b.release, b.tables) if v]
    metrics = {(v.name, metric) for v in variants for metric in v.metrics}
    for row in report.read_published():
        assert (row["benchmark"], row["metric"]) in metrics
        assert 0 <= float(row["percent"]) <= 100
        assert row["source"]


def test_achievable_improvement() -> None:
    counts = OutcomeCounts("all", 10, 6, 2, 4, 0, 2, 1, 1)
    assert counts.achieved == 0.5
    assert OutcomeCounts("all", 2, 2, 2, 0, 0, 0, 0, 0).achieved is None


def test_markdown() -> None:
    table = ReportTable("t", ("a", "n"), (("x|y", "1"),))
    assert report.render_markdown(["text", table]) == (
        "text\n\n| a | n |\n| --- | ---: |\n| x\\|y | 1 |"
    )


def test_csv_is_the_table_of_groups() -> None:
    first, second, *_ = report.render_csv(
        report.lay_out_summary(summarize(LINE, WRONG))
    ).splitlines()
    assert first.startswith("metaqa,n,right,95 %,contains,exact,hits@1,wrong")
    assert second.startswith("1 hop,2,1,9.5–90.5,50.00,")


def test_the_page_needs_no_other_file() -> None:
    summary = summarize(LINE, WRONG, replace(OTHER, group="<b>"))
    plots = [*report.draw_plots(summary, [LINE, WRONG, OTHER])]
    page = report.render_page("metaqa", report.lay_out_summary(summary), plots)
    assert len(plots) == 4
    assert page.count("<svg") == 4
    assert "<b>" not in page
    assert not re.search(r"(?:src|href)=|@import|url\(", page)
    for plot in plots:
        assert ElementTree.fromstring(plot).tag.endswith("svg")


def test_without_confidence_there_is_no_curve_of_it() -> None:
    lines = [replace(LINE, confidence=None)]
    titles = [
        re.findall("<title[^>]*>(.*?)</title>", p)[0]
        for p in report.draw_plots(summarize(*lines), lines)
    ]
    assert titles == ["Right answers by group, with 95 % intervals", "Time by share of questions"]
