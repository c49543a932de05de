"""The documentation as a site: the pages as they are, README as the first one, and references from the code.

make docs          builds it in build/documentation/site, and counts the words that people wrote
make docs-serve    shows it on this machine
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from pathlib import Path

import click

from bench.reference import render_api
from trustuqa_neo4j.cli.main import COMMANDS
from trustuqa_neo4j.cli.main import main as tuqa

ROOT = Path(__file__).parents[1]
OUTPUT = ROOT / "build" / "documentation"
PROJECT_PAGES = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
PYTHON = (
    "trustuqa_neo4j.TrustUQA",
    "trustuqa_neo4j.Answer",
    "trustuqa_neo4j.Evidence",
    "trustuqa_neo4j.Trace",
    "trustuqa_neo4j.Settings",
    "trustuqa_neo4j.Demonstration",
    "trustuqa_neo4j.errors",
)
WRITTEN = sorted(path for path in (ROOT / "docs").rglob("*.md") if path.parent.name != "results")
"""Pages that people wrote; those in ``results`` are written by benchmarks."""
_READERS = {
    "formats": "those who load data in this format",
    "reference": "those who look up a name",
    "results": "those who compare and measure",
}
"""Folders of pages that the table of README does not list → their readers."""

_GENERATED = re.compile(r"<!-- \[\[\[cog.*?\[\[\[end\]\]\] -->", re.S)
_CODE = re.compile(r"^ *```.*?^ *```", re.S | re.M)
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)]+)\)")
_GRAMMAR = (
    "a|about|an|and|are|at|be|by|can|do|does|for|from|have|how|i|if|in|into|is|it|its|my|of|on|or|"
    "should|so|that|the|there|this|to|use|was|what|when|where|which|who|whom|why|will|with|you|your"
)
_UNSEARCHED = re.sub(r"\b([a-z])", lambda first: f"[{first[1]}{first[1].upper()}]", _GRAMMAR)
SEPARATOR = rf"""(?:[\s\-_,;:!?=\[\]()\\"'`/]|\.(?!\d)|\b(?:{_UNSEARCHED})\b)+"""
"""What stands between the words that the search of the site looks for, all of which a hit must have: also
words of grammar, so that a whole question finds what its other words find."""


def write_sources(folder: Path) -> None:
    """Write the pages and the configuration of the site into an empty folder."""
    pages = folder / "pages"
    shutil.copytree(ROOT / "docs", pages, ignore=shutil.ignore_patterns("example"))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (pages / "index.md").write_text(readme.replace("](docs/", "]("), encoding="utf-8")
    for name in PROJECT_PAGES:
        text = (ROOT / name).read_text(encoding="utf-8").replace("](docs/", "](")
        (pages / name).write_text(text, encoding="utf-8")
    (pages / "reference").mkdir()
    (pages / "reference" / "commands.md").write_text(describe_commands(), encoding="utf-8")
    (pages / "reference" / "http.md").write_text(render_api(), encoding="utf-8")
    python = "\n\n".join(f"::: {name}" for name in PYTHON)
    (pages / "reference" / "python.md").write_text(f"# Python\n\n{python}\n", encoding="utf-8")
    readers = {pages / target: who for _, who, links in list_groups(readme) for _, target in links}
    for path in pages.rglob("*.md"):
        who = readers.get(path) or _READERS.get(path.parent.name, "all who begin")
        title, _, rest = path.read_text(encoding="utf-8").partition("\n")
        text = f"{title}\n\n*For {who}.*\n{rest}"
        kept = _LINK.sub(partial(_keep_link, page=path, pages=pages), text)
        path.write_text(kept, encoding="utf-8")
    (folder / "zensical.toml").write_text(_configure(readme, pages), encoding="utf-8")


def _keep_link(link: re.Match[str], page: Path, pages: Path) -> str:
    # A link to a file that the site does not have becomes its text.
    target = (page.parent / link[2].partition("#")[0]).resolve()
    is_elsewhere = "://" in link[2]
    return link[0] if is_elsewhere or (target.is_file() and pages in target.parents) else link[1]


def count_words(page: Path) -> int:
    """Count the words of a page without code, outputs and what is made from the code."""
    text = _GENERATED.sub("", page.read_text(encoding="utf-8"))
    text = _CODE.sub("", text)
    return sum(any(sign.isalnum() for sign in word) for word in text.split())


def describe_commands() -> str:
    """Describe all commands with their help."""
    parts = ["# Commands"]
    for name, command in _list_commands():
        context = click.Context(command, info_name=name, max_content_width=100)
        parts.append(f"## {name}\n\n```text\n{command.get_help(context)}\n```")
    return "\n\n".join(parts) + "\n"


def _list_commands() -> Iterator[tuple[str, click.Command]]:
    yield "tuqa-load", import_module("trustuqa_neo4j.cli.load").main
    yield "tuqa", tuqa
    for name in sorted(COMMANDS):
        module, attribute, _ = COMMANDS[name]
        command = getattr(import_module(f"trustuqa_neo4j.cli.{module}"), attribute)
        yield from list_below(f"tuqa {name}", command)


def list_below(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    """Yield a command and all commands of its groups, by name."""
    yield name, command
    if isinstance(command, click.Group):
        for below in sorted(command.commands):
            yield from list_below(f"{name} {below}", command.commands[below])


def list_groups(readme: str) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """List the rows of the table of README: group, readers, and its pages as title and path."""
    table = readme.partition("## Documentation")[2]
    return [
        (
            group,
            readers,
            [
                (text, target.removeprefix("docs/"))
                for text, target in _LINK.findall(links)
                if target.endswith(".md")
            ],
        )
        for group, readers, links in re.findall(
            r"^\| ([\w -]+) \| ([\w ,]+) \| (\[.*) \|$", table, re.M
        )
    ]


def _configure(readme: str, pages: Path) -> str:
    formats = sorted(path.relative_to(pages).as_posix() for path in pages.glob("formats/*.md"))
    groups: dict[str, list[dict[str, object]]] = {}
    for group, _, links in list_groups(readme):
        groups.setdefault(group, []).extend({text: target} for text, target in links)
    groups["Reference"] += [
        {"commands": "reference/commands.md"},
        {"Python": "reference/python.md"},
        {"HTTP": "reference/http.md"},
        {"formats": [{Path(path).stem: path} for path in formats]},
    ]
    sections = [{"start": "index.md"}, *({group: entries} for group, entries in groups.items())]
    nav = json.dumps(sections, ensure_ascii=False)
    nav = re.sub(r'("[^"]*"): ', r"\1 = ", nav)  # objects of JSON as tables of TOML
    return f"""[project]
site_name = "trustuqa_neo4j"
docs_dir = "pages"
use_directory_urls = false
extra_css = ["site/contrast.css"]
extra_javascript = ["site/accessible.js"]
nav = {nav}

[project.theme]
font = false
features = ["navigation.sections", "navigation.top", "search.highlight", "content.code.copy"]

[project.plugins.search]
separator = {json.dumps(SEPARATOR)}

[project.plugins.mkdocstrings.handlers.python.options]
show_source = false
heading_level = 2
show_root_heading = true
show_if_no_docstring = false
docstring_style = "google"
docstring_options = {{warnings = false}}

[project.markdown_extensions]
tables = {{}}
admonition = {{}}
toc.permalink = true
pymdownx.superfences = {{}}
pymdownx.highlight.pygments_lang_class = true
"""


@click.command()
@click.option("--serve", is_flag=True, help="Show the site on this machine.")
@click.option("--output", type=click.Path(path_type=Path), default=OUTPUT)
def main(serve: bool, output: Path) -> None:
    """Build the documentation as a site."""
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    write_sources(output)
    words = ["serve"] if serve else ["build", "--strict"]
    done = subprocess.run(
        [str(Path(sys.executable).with_name("zensical")), *words], cwd=output, check=False
    )
    if not done.returncode and not serve:
        counts = {path.relative_to(ROOT): count_words(path) for path in WRITTEN}
        longest_first = sorted(counts, key=lambda path: -counts[path])
        click.echo(f"{sum(counts.values()):,} words in {len(counts)} pages:")
        click.echo(", ".join(f"{path.name} {counts[path]:,}" for path in longest_first))
        click.echo(f"{output / 'site'}")
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
