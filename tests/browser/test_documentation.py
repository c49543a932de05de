"""The site of the documentation in a browser: its search finds the page, and all can read it."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus, urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from support.browser import assert_accessible

from bench.documentation import ROOT

pytestmark = pytest.mark.browser

FIRST = 3
QUESTIONS = {
    "How do I load two files into one dataset?": "tour.html",
    "How do I forbid values to leave the machine?": "privacy.html",
    "How do I add a loader?": "CONTRIBUTING.html",
    "What happens on kill -9?": "storage.html",
    "How do I install it without a network?": "index.html",
    "How do I use my own Neo4j server?": "index.html",
    "Can I load an Excel file?": "table.html",
    "Which facts prove an answer?": "answers.html",
    "How do I delete a dataset?": "storage.html",
    "Why was my question not answered?": "questions.html",
    "Why can I trust an answer?": "trust.html",
    "How is a question read?": "reading.html",
}
"""What somebody asks who has never seen the project, with the page that answers."""

SEARCHES = QUESTIONS | {
    "files one dataset": "tour.html",
    "values leave the machine": "privacy.html",
    "add a loader": "CONTRIBUTING.html",
    "kill -9": "SECURITY.html",
    "interrupted load": "storage.html",
    "exit code": "troubleshooting.html",
    "own model server": "models.html",
    "docker compose": "containers.html",
    "disk full": "troubleshooting.html",
    "which facts prove an answer": "answers.html",
}
COLOURED = {"index", "language", "python", "table"}
"""Pages which have all colours: code of all kinds, tables, labels, and links."""

# Links of the search stand in a shadow tree, and hold the words that were searched.
FIND_HITS = """(words) => {
  const hits = [];
  const collect = (root) => root.querySelectorAll("*").forEach((node) => {
    if (node.shadowRoot) collect(node.shadowRoot);
    if (node.tagName === "A" && node.href.includes(`?h=${words}`)) hits.push(node.href);
  });
  collect(document);
  return hits.length ? hits : null;
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("documentation")
    words = [sys.executable, "-m", "bench.documentation", "--output", str(output)]
    subprocess.run(words, cwd=ROOT, check=True, capture_output=True)
    return output / "site"


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """Of the site, served on this machine."""

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *args: Any) -> None:
            """Says nothing."""

    handler = partial(Handler, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def search(page: Page, words: str) -> list[str]:
    """Names of the pages of the hits, best first."""
    page.goto("/index.html")
    page.get_by_role("button", name="Search").click()
    page.locator("input:focus").fill(words)  # at once: hits of a part of the words would be others
    hits = page.wait_for_function(FIND_HITS, arg=quote_plus(words)).json_value()
    return [urlsplit(hit).path.rpartition("/")[2] for hit in hits]


@pytest.mark.parametrize("words", SEARCHES)
def test_the_page_is_among_the_first(context: BrowserContext, words: str) -> None:
    hits = search(context.new_page(), words)
    assert SEARCHES[words] in hits[:FIRST], hits


def test_all_can_use_the_search(context: BrowserContext) -> None:
    page = context.new_page()
    search(page, "kill -9")
    assert_accessible(page)
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_role("searchbox")).not_to_be_focused()


def test_all_can_read_each_page(context: BrowserContext, site: Path) -> None:
    page = context.new_page()
    for path in sorted(site.rglob("*.html")):
        page.goto(f"/{path.relative_to(site)}")
        assert_accessible(page, contrast=path.stem in COLOURED)
