"""The steps of the tutorial on the page: what it says to type and press, and what it says is seen."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from support.samples import ROOT

from trustuqa_neo4j import TrustUQA

pytestmark = pytest.mark.browser

EXAMPLE = ROOT / "docs" / "example"
TEXT = " ".join((ROOT / "docs" / "tour.md").read_text(encoding="utf-8").split())
STEPS = dict(re.findall(r"## (\d+)\. (.*?)(?= ## )", TEXT))


def test_the_steps_on_the_page(page: Page, tuqa: TrustUQA) -> None:
    tuqa.load(EXAMPLE / "missions.csv", dataset="apollo", embeddings=False)
    tuqa.load(EXAMPLE / "apollo.tsv", dataset="apollo", mode="append", embeddings=False)
    page.goto("/?dataset=apollo")

    ask(page, "7")
    expect_told(page, "7", page.locator("ul.values li").all_inner_texts())
    assert "a picture of the proof" in STEPS["7"]
    expect(page.get_by_role("group", name="Picture of the proof")).to_be_visible()

    ask(page, "8")
    expect(page.locator("article.answer .asked")).to_contain_text("after Who flew on Apollo 15?")
    expect_told(page, "8", page.locator("ul.values li").all_inner_texts())

    ask(page, "9")
    bars = page.locator("svg.tuqa-chart rect")
    expect(bars).to_have_count(3)
    rows = page.locator("table.values tbody tr").all_inner_texts()
    expect_told(page, "9", [" ".join(row.split()) for row in rows])

    page.get_by_role("button", name=pressed("10")).click()
    expect(page.get_by_text("★ Saved")).to_be_visible()
    page.get_by_role("link", name="Data", exact=True).click()
    page.get_by_role("rowheader", name="apollo").get_by_role("link").click()
    page.get_by_role("link", name=question("9")).click()
    expect(bars).to_have_count(3)


def question(step: str) -> str:
    return re.findall(r"\*([^*]+\?)\*", STEPS[step])[0]


def pressed(step: str) -> str:
    return re.findall(r"\*\*(.+?)\*\*", STEPS[step])[0]


def ask(page: Page, step: str) -> None:
    page.get_by_label("Question", exact=True).first.fill(question(step))
    page.get_by_role("button", name=pressed("7"), exact=True).click()
    expect(page.locator("article.answer .asked")).to_contain_text(question(step))


def expect_told(page: Page, step: str, seen: list[str]) -> None:
    """All that the page shows stands in the text of the step."""
    assert seen
    assert [text for text in seen if text not in STEPS[step]] == []
