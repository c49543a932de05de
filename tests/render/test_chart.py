"""Charts: which answers have one, what is drawn, and that odd numbers and names stay inside."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from trustuqa_neo4j.answer import Answer, Evidence
from trustuqa_neo4j.render.chart import MAX_BARS, MAX_POINTS, ChartContent, ChartPoint, draw_chart

SVG = "{http://www.w3.org/2000/svg}"


def table(*rows: tuple[str | float | int, ...], columns: tuple[str, ...] = ("team", "n")) -> Answer:
    return Answer("answered", columns=columns, rows=rows)


def parse(svg: str | None) -> ElementTree.Element:
    assert svg is not None
    return ElementTree.fromstring(svg)


def texts(svg: str | None) -> list[str]:
    return ["".join(node.itertext()) for node in parse(svg).iter(f"{SVG}text")]


def test_groups_are_bars_with_names_and_numbers_the_largest_first() -> None:
    chart = table(("Asia", 2), ("Europe", "7 kg"), ("Africa", 2.5)).chart()
    assert texts(chart) == ["n, team", "Europe", "7 kg", "Africa", "2.5", "Asia", "2"]
    assert len([*parse(chart).iter(f"{SVG}rect")]) == 3
    assert "prefers-color-scheme:dark" in str(chart)


def test_times_are_a_line_the_earliest_first() -> None:
    chart = table(("2012", 3), ("1999", 1), ("2004", 2), columns=("year", "n")).chart()
    (line,) = parse(chart).iter(f"{SVG}polyline")
    heights = [float(point.split(",")[1]) for point in line.attrib["points"].split()]
    assert heights == sorted(heights, reverse=True)
    assert [text for text in texts(chart) if len(text) == 4] == ["1999", "2004", "2012"]


@pytest.mark.parametrize(
    "answer",
    [
        Answer("answered", values=("a", "b")),
        table(("a", 1)),
        table(("a", "x"), ("b", "y")),
        table(("a", 1), ("b", "")),
        table(("a", float("inf")), ("b", 1)),
        Answer("empty", columns=("a", "n"), rows=()),
    ],
)
def test_other_answers_have_no_chart(answer: Answer) -> None:
    assert answer.chart() is None
    assert "<svg" not in answer._repr_html_()


def test_bars_below_zero_go_to_the_other_side_and_stay_inside() -> None:
    root = parse(table(("a", 5), ("b", -10), ("c", 0)).chart())
    (axis,) = root.iter(f"{SVG}line")
    zero = float(axis.attrib["x1"])
    first, second, third = root.iter(f"{SVG}rect")
    assert float(first.attrib["x"]) == zero
    assert float(second.attrib["x"]) == zero
    end = float(third.attrib["x"]) + float(third.attrib["width"])
    assert end == pytest.approx(zero, abs=0.2)
    assert float(third.attrib["x"]) > 0


def test_the_largest_numbers_are_drawn() -> None:
    root = parse(table(("a", 1.7e308), ("b", -1.7e308)).chart())
    for bar in root.iter(f"{SVG}rect"):
        assert 0 < float(bar.attrib["x"]) < 440
        assert 0 < float(bar.attrib["width"]) < 440


@pytest.mark.parametrize(("is_series", "most"), [(False, MAX_BARS), (True, MAX_POINTS)])
def test_ten_thousand_groups_are_bounded(is_series: bool, most: int) -> None:
    points = tuple(ChartPoint(f"name {n}", float(n), str(n)) for n in range(10_000))
    chart = draw_chart(ChartContent("many", points, is_series))
    marks = [*parse(chart).iter(f"{SVG}rect"), *parse(chart).iter(f"{SVG}circle")]
    assert len(marks) <= most
    assert f"{10_000 - len(marks):,} more are not drawn" in texts(chart)
    assert len(chart) < 60_000


def test_the_peaks_of_a_long_series_are_drawn() -> None:
    numbers = [5.0] * 10_000
    numbers[7_777], numbers[3_333] = 99.0, -99.0
    points = tuple(
        ChartPoint(f"day {n}", number, f"{number:g}") for n, number in enumerate(numbers)
    )
    titles = {
        title.text
        for title in parse(draw_chart(ChartContent("t", points, True))).iter(f"{SVG}title")
    }
    assert {"day 7777: 99", "day 3333: -99"} <= titles


def test_names_are_only_text() -> None:
    chart = table(("<b>&\u202ex", 1), ("עברית", 2)).chart()
    assert "עברית" in texts(chart)
    assert "<b>" not in str(chart)
    assert "\u202e" not in str(chart)


def test_bars_lead_to_their_facts() -> None:
    fact = Evidence("a", "n", "1", "d", "s", "f", 1, answers=(1,))
    answer = Answer("answered", columns=("a", "n"), rows=(("x", 3), ("y", 2)), evidence=(fact,))
    (link,) = re.findall('href="(.*?)"', str(answer.chart(link_facts=True)))
    assert link == "#fact-1"
    assert "href" not in str(answer.chart())


def test_a_notebook_shows_the_chart() -> None:
    assert '<svg class="tuqa-chart"' in table(("a", 1), ("b", 2))._repr_html_()
