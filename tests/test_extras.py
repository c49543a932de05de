"""The extras: those that messages and pages name exist, and their earlier names bring them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXTRAS: dict[str, list[str]] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]["optional-dependencies"]
NAMES = {"embedded", "embeddings", "formats", "models", "parquet", "sentence-transformers", "serve"}
FORMER = {
    **dict.fromkeys(("rdf", "sql"), "formats"), "mcp": "serve",
    **dict.fromkeys(
        ("anthropic", "google-genai", "groq", "langchain", "mistralai", "ollama", "openai"), "models"
    ),
}  # fmt: skip


def test_extras_are_few() -> None:
    assert EXTRAS.keys() == NAMES | FORMER.keys() | {"all", "dev"}


@pytest.mark.parametrize(("former", "name"), FORMER.items())
def test_a_former_name_brings_the_extra(former: str, name: str) -> None:
    assert f"trustuqa-neo4j[{name}]" in EXTRAS[former]


def test_readme_lists_the_extras() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w-]+)`( \(not in `all`\))? \| .+ \|$", readme, re.M)
    apart = {name for name, remark in rows if remark}
    assert [name for name, _ in rows] == sorted({name for name, _ in rows} - apart) + sorted(apart)
    (brought,) = EXTRAS["all"]
    in_all = set(brought.partition("[")[2].rstrip("]").split(","))
    assert ({name for name, _ in rows}, apart) == (NAMES, NAMES - in_all)


def test_pages_and_messages_name_extras_that_exist() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    modules = [*(ROOT / "trustuqa_neo4j").rglob("*.py"), *(ROOT / "loaders").rglob("*.py")]
    texts = [path.read_text(encoding="utf-8") for path in (*pages, *modules)]
    pattern = re.compile(
        r'trustuqa-neo4j\[([a-z,-]+)\]|(?:require_extra|MissingExtra\.of)\("([a-z-]+)"'
    )
    named = {
        name
        for text in texts
        for found in pattern.findall(text)
        for name in "".join(found).split(",")
    }
    assert named <= NAMES | {"all"}
    assert named >= {"embedded", "formats", "models", "serve"}
