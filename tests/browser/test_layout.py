"""The layout of each view on a phone, a tablet and a desk, compared loosely with ``layout.json``.

Boxes of what a view is made of are kept, and not pictures: another font or browser changes most pixels
and moves boxes a little. ``TUQA_LAYOUT=write`` writes them anew; with ``TUQA_SHOTS=FOLDER`` pictures of all
views in light and dark are written there, to be looked at.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from support.browser import assert_accessible, assert_fits, drop_file

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.loading.sample import DATASET, list_sample_files

pytestmark = pytest.mark.browser

GOLDEN = Path(__file__).with_name("layout.json")
WIDTHS = (390, 768, 1280)
PARTS = (
    "header", "nav", "h1", "#answer-title", "#load-heading", "#examples-title", "form", "button.main",
    "input[type=text], input:not([type])", "select", ".card", ".value", "ul.values", "table.values",
    ".reading", ".tuqa-chart", "table.facts", ".lines", ".around", ".tuqa-picture", "ol.steps", ".beside",
    "table.records", ".zone", "table.preview", ".problem",
)  # fmt: skip
MOST = 3  # boxes of a part
MEASURE = """([parts, most]) => Object.fromEntries(parts.map((part) => [part,
  [...document.querySelectorAll(part)].filter((element) => element.checkVisibility())
    .map((element) => element.getBoundingClientRect())
    .filter((box) => box.width > 1 && box.height > 1).slice(0, most)
    .map((box) => [box.x + scrollX, box.y + scrollY, box.width, box.height].map(Math.round)),
]).filter(([, boxes]) => boxes.length))"""

Layout = dict[str, list[list[int]]]


def visit(page: Page, tuqa: TrustUQA) -> Iterator[str]:
    """Lead ``page`` to each view, and name it."""

    def ask(question: str) -> None:
        page.get_by_label("Question", exact=True).first.fill(question)
        page.get_by_role("button", name="Ask", exact=True).click()
        expect(page.locator("article.answer .asked")).to_contain_text(question)

    page.goto("/")
    yield "ask without data"
    page.goto("/data")
    yield "data without data"
    for kind, file in list_sample_files():
        tuqa.load(kind, file, dataset=DATASET, mode="append", embeddings=False)
    page.goto(f"/?dataset={DATASET}")
    expect(page.locator("#examples li").first).to_be_visible()
    yield "ask"
    ask("Who commanded Apollo 12?")
    page.locator("a.place").first.click()
    expect(page.locator(".file .marked")).to_be_visible()
    page.locator(".facts a[data-around]").first.click()
    expect(page.get_by_role("heading", name="Around")).to_be_visible()
    yield "answer with lines and neighbours"
    ask("Who flew on Apollo 15?")
    ask("and on Apollo 16?")
    yield "follow-up"
    ask("What is the total hours in flight for each aim?")
    yield "chart"
    ask("What is the population of Apollo 11?")
    yield "readings"
    page.goto("/answers/none")
    yield "problem"
    page.goto("/data")
    yield "data"
    drop_file(
        page, "trees.csv", "name,height,planted\nAlder,12 m,2001-03-04\nBirch,15 m,2002-05-06\n"
    )
    page.wait_for_url("**/data/previews/*")
    yield "preview"
    page.get_by_role("button", name="Load").click()
    expect(page.get_by_role("status")).to_have_text("The data is loaded.")
    yield "load"
    page.goto(f"/data/{DATASET}")
    yield "schema"


@pytest.mark.parametrize("context", [(1280, "light"), (1280, "dark")], indirect=True, ids=str)
def test_colours_of_each_view(page: Page, tuqa: TrustUQA) -> None:
    for _ in visit(page, tuqa):
        assert_accessible(page)


def test_layout(page: Page, tuqa: TrustUQA) -> None:
    shots = os.environ.get("TUQA_SHOTS")
    layouts: dict[str, dict[str, Layout]] = {}
    for view in visit(page, tuqa):
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 844})
            page.emulate_media(color_scheme="light")
            assert_fits(page)
            layout: Layout = page.evaluate(MEASURE, [PARTS, MOST])
            layouts.setdefault(view, {})[str(width)] = layout
            page.emulate_media(color_scheme="dark")
            assert page.evaluate(MEASURE, [PARTS, MOST]) == layout, f"{view}: dark moves boxes"
            for scheme in ("light", "dark") if shots else ():
                page.emulate_media(color_scheme=scheme)
                name = f"{view.replace(' ', '-')}-{width}-{scheme}.png"
                page.screenshot(path=Path(shots or "", name), full_page=True)
    if os.environ.get("TUQA_LAYOUT") == "write":
        text = json.dumps(layouts, indent=1)
        # A part with its boxes on one line.
        text = re.sub(r"\[[\s\d\[\],-]+\]", lambda found: re.sub(r"\s+", "", found[0]), text)
        GOLDEN.write_text(text + "\n", encoding="utf-8")
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    assert list(layouts) == list(golden)
    faults = [
        f"{view} at {width}: {fault}"
        for view, widths in golden.items()
        for width, layout in widths.items()
        for fault in compare_layouts(layout, layouts[view][width], int(width))
    ]
    assert faults == []


def compare_layouts(golden: Layout, layout: Layout, width: int) -> Iterator[str]:
    """Say which parts are missing, elsewhere, of another size, or in another order."""
    if missing := golden.keys() ^ layout.keys():
        yield f"not in both: {', '.join(sorted(missing))}"
    tops = [(part, place) for part, boxes in golden.items() for place in range(len(boxes))]
    for part, place in tops:
        if part not in layout or len(layout[part]) != len(golden[part]):
            yield f"{part}: {len(golden[part])} boxes, now {len(layout.get(part, ()))}"
            continue
        old, new = golden[part][place], layout[part][place]
        side = 0.06 * width
        # What stands above may have a line more.
        allowed = (side, 48 + 0.12 * old[1], side, 32 + 0.2 * old[3])
        if any(abs(a - b) > most for a, b, most in zip(old, new, allowed, strict=True)):
            yield f"{part}: {old}, now {new}"
