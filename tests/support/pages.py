"""Pages of the server in tests: their form, and what their forms send."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from html.parser import HTMLParser

from starlette.testclient import TestClient

BASE = "http://127.0.0.1:8765"
SCRIPT = {"HX-Request": "true"}
STARRING = "get_information(head_entity='Alien', relation='starring')"
NASTY = "<script>alert('1')</script> \"&"
MISSIONS = """\
mission,year,commander
Apollo 11,1969,Neil Armstrong
Apollo 12,1969,Pete Conrad
Apollo 13,1970,Jim Lovell
"""

Browse = Callable[..., TestClient]

VOID = frozenset(("meta", "link", "input", "img", "br"))


class Tree(HTMLParser):
    """Checks that tags are closed in order, and collects ids, headings and texts."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    @property
    def headings(self) -> list[int]:
        return [int(tag[1]) for tag in self.tags if re.fullmatch("h[1-6]", tag)]


def check_page(html: str) -> Tree:
    """A whole page: closed tags, one h1, headings in order, ids once, nothing inline that runs."""
    assert html.startswith("<!doctype html>")
    tree = Tree(html)
    check_part(html)
    levels = tree.headings
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    return tree


def check_part(html: str) -> Tree:
    tree = Tree(html)
    assert len(tree.ids) == len(set(tree.ids)), tree.ids
    assert "style" not in tree.attributes
    assert not [name for name in tree.attributes if name.startswith(("on", "hx-on"))]
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//", html)
    return tree


def run(browser: TestClient, query: str = STARRING, dataset: str = "films", **fields: str) -> str:
    """Run a query from its form; return the address of the answer."""
    data = {"query": query, "dataset": dataset, **fields}
    response = browser.post("/run", data=data, headers={"Origin": BASE}, follow_redirects=False)
    assert response.status_code == 303, response.text
    return response.headers["location"]


def read_messages(text: str) -> list[str]:
    """The data of the messages of a stream."""
    return [
        "\n".join(line.removeprefix("data:").removeprefix(" ") for line in message.split("\n"))
        for message in text.replace("\r\n", "\n").strip().split("\n\n")
        if message.startswith("data:")
    ]
