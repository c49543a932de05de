"""The site of the documentation in a browser: its search finds the page, without another host."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import quote_plus, urlsplit

import pytest
from playwright.sync_api import BrowserContext

from bench.documentation import ROOT

pytestmark = pytest.mark.browser

FIRST = 3
SEARCHES = {
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
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of the site, built and served on this machine."""
    output = tmp_path_factory.mktemp("documentation")
    words = [sys.executable, "-m", "bench.documentation", "--output", str(output)]
    subprocess.run(words, cwd=ROOT, check=True, capture_output=True)

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *args: Any) -> None:
            """Says nothing."""

    handler = partial(Handler, directory=str(output / "site"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("words", SEARCHES)
def test_the_page_is_among_the_first(context: BrowserContext, words: str) -> None:
    page = context.new_page()
    page.goto("/index.html")
    page.get_by_role("button", name="Search").click()
    page.locator("input:focus").fill(words)  # at once: hits of a part of the words would be others
    hits = page.wait_for_function(FIND_HITS, arg=quote_plus(words)).json_value()
    assert SEARCHES[words] in [urlsplit(hit).path.rpartition("/")[2] for hit in hits[:FIRST]], hits
