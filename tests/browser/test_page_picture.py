"""The picture of the page in docs/serve.md. With TUQA_PICTURES=docs/pictures the test writes it anew."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from support.samples import ROOT

from trustuqa_neo4j import Demonstration, TrustUQA

pytestmark = pytest.mark.browser

EXAMPLE = ROOT / "docs" / "example"
QUESTION = "Where was the commander of Apollo 12 born?"


def test_picture(page: Page, tuqa: TrustUQA, tmp_path: Path) -> None:
    for file, mode in (("apollo.tsv", "new"), ("missions.csv", "append")):
        tuqa.load(EXAMPLE / file, dataset="apollo", source=file, mode=mode, embeddings=False)
    for line in (EXAMPLE / "demonstrations.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record["question"] == "Where was the commander of Apollo 8 born?":
            tuqa.demonstrations.add("apollo", Demonstration(record["question"], record["query"]))
    page.set_viewport_size({"width": 1000, "height": 1180})
    page.goto("/?dataset=apollo")
    page.get_by_label("Question", exact=True).first.fill(QUESTION)
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator("article.answer p.value")).to_have_text("Philadelphia")
    page.evaluate("document.activeElement.blur()")
    folder = Path(os.environ.get("TUQA_PICTURES", tmp_path))
    picture = folder / "page.png"
    page.screenshot(path=picture)
    assert picture.read_bytes().startswith(b"\x89PNG")
