"""The documentation as a site: built without a warning, whole, and without a request to another host."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag

import pytest

from bench.documentation import ROOT, WRITTEN, count_words, describe_commands, write_sources
from bench.reference import render_api
from trustuqa_neo4j.cli.main import COMMANDS


class Page(HTMLParser):
    """What a page links to and loads, and its anchors."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.anchors |= {value for name in ("id", "name") if (value := given.get(name))}
        if tag == "a" and given.get("href"):
            self.links.append(str(given["href"]))
        elif tag in ("script", "img", "iframe", "source") and given.get("src"):
            self.loaded.append(str(given["src"]))
        elif tag == "link" and given.get("rel") in ("stylesheet", "icon", "preconnect", "preload"):
            self.loaded.append(str(given.get("href")))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("documentation")
    words = [sys.executable, "-m", "bench.documentation", "--output", str(output)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No issues found" in done.stdout + done.stderr
    assert "griffe" not in done.stdout + done.stderr
    return output / "site"


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in site.rglob("*.html") if path.name != "404.html"}


@pytest.mark.long
def test_no_page_loads_anything_from_another_host(pages: dict[Path, Page]) -> None:
    assert len(pages) > 30
    foreign = {
        (path.name, src) for path, page in pages.items() for src in page.loaded if "//" in src
    }
    assert foreign == set()
    # The script would fetch what draws them.
    texts = {path.name: path.read_text(encoding="utf-8") for path in pages}
    assert [name for name, text in texts.items() if 'class="mermaid"' in text] == []


@pytest.mark.long
def test_links_of_the_site_lead_somewhere(site: Path, pages: dict[Path, Page]) -> None:
    broken = []
    for path, page in pages.items():
        for link in page.links:
            target, anchor = urldefrag(unquote(link))
            if "://" in target or target.startswith("mailto:"):
                continue
            found = (path.parent / target).resolve() if target else path
            found = found / "index.html" if found.is_dir() else found
            if not found.exists() or (
                anchor and found in pages and anchor not in pages[found].anchors
            ):
                broken.append((path.name, link))
    assert broken == []


@pytest.mark.long
def test_every_page_is_one_click_away(site: Path, pages: dict[Path, Page]) -> None:
    first = site / "index.html"
    linked = {(site / urldefrag(link).url).resolve() for link in pages[first].links}
    assert sorted(path.name for path in pages if path not in linked | {first}) == []


def test_the_pages_are_short() -> None:
    """What is said twice stands at one place, and the others link to it."""
    assert sum(map(count_words, WRITTEN)) <= 35_000


def test_every_command_is_described() -> None:
    text = describe_commands()
    for name in COMMANDS:
        assert f"\n## tuqa {name}\n" in text
    assert "\n## tuqa neo4j start\n" in text
    assert "\n## tuqa serve token make\n" in text


def test_pages_say_who_they_are_for(tmp_path: Path) -> None:
    write_sources(tmp_path)
    for path in (tmp_path / "pages").rglob("*.md"):
        title, line = path.read_text(encoding="utf-8").splitlines()[0:3:2]
        assert title.startswith("# ")
        assert re.fullmatch(r"\*For (all|those) who [\w ,]+\.\*", line), path.name
    text = (tmp_path / "pages" / "privacy.md").read_text(encoding="utf-8")
    assert "*For those who ask, or build what asks.*" in text


def test_pages_stand_in_four_groups(tmp_path: Path) -> None:
    write_sources(tmp_path)
    project = tomllib.loads((tmp_path / "zensical.toml").read_text(encoding="utf-8"))["project"]
    start, *groups = project["nav"]
    assert start == {"start": "index.md"}
    entries = {name: list(list_targets(pages)) for group in groups for name, pages in group.items()}
    assert list(entries) == ["Tutorial", "How-to guides", "Reference", "Explanation"]
    listed = sorted(sum(entries.values(), ["index.md"]))
    pages = tmp_path / "pages"
    assert listed == sorted(path.relative_to(pages).as_posix() for path in pages.rglob("*.md"))
    explained = {"condition-graph", "reading", "validation", "storage", "trust"}
    assert explained <= {Path(page).stem for page in entries["Explanation"]}


def list_targets(entries: list[dict[str, Any]]) -> Iterator[str]:
    """Each page of a group of the navigation, and of the groups in it."""
    for entry in entries:
        for target in entry.values():
            yield from [target] if isinstance(target, str) else list_targets(target)


def test_the_api_is_described_from_openapi() -> None:
    text = render_api()
    assert "\n## POST /api/v1/ask\n" in text
    assert "| `question` | string | required |" in text
    anchors = {re.sub(r"[^\w-]", "", name).lower() for name in re.findall(r"^## (.*)$", text, re.M)}
    assert set(re.findall(r"\(#([\w-]+)\)", text)) <= anchors


def test_links_out_of_the_site_become_text(tmp_path: Path) -> None:
    write_sources(tmp_path)
    text = (tmp_path / "pages" / "evaluation.md").read_text(encoding="utf-8")
    assert "(categories and readings)" in text
    assert "../bench" not in text
