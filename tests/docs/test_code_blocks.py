"""Each code block of the pages is run, or checked as far as it can be without a network, a model or hours.

Consoles, and the Python of README, answers, running queries and pictures, are run by ``test_readme.py``.
Texts (layouts, prompts over invented data, lines of a log) are not commands.
"""

from __future__ import annotations

import ast
import asyncio
import json
import re
import shlex
import sqlite3
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from support.chat_server import Chat
from support.documentation import PAGES, PROJECT_PAGES, ROOT, blocks

from bench.reference import render_api
from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.cli.load import main as tuqa_load
from trustuqa_neo4j.cli.main import main as tuqa_command
from trustuqa_neo4j.llm.cache import ReplyCache

LANGUAGES = {"console", "json", "mermaid", "python", "sh", "text"}
OWN_TESTS = {"README", "answers", "pictures", "running-queries"}
NEEDS_A_PROVIDER = "run_agent(ChatOpenAI("
"""The agent of the example asks a model at its provider; ``tests/llm`` runs it with a scripted one."""


def list_blocks(page: Path) -> list[tuple[str, str]]:
    """Language and content of each block of a page."""
    text = page.read_text(encoding="utf-8")
    return re.findall(r"^ *```(\w*)\n(.*?)^ *```$", text, re.M | re.S)


def test_each_block_says_what_it_is() -> None:
    for page in [*PAGES, *PROJECT_PAGES]:
        for language, content in list_blocks(page):
            assert language in LANGUAGES, f"{page.name}: {content[:60]}"
            is_command = re.match(r"(\$ |tuqa|pip |make |python )", content)
            assert language != "text" or not is_command, f"{page.name}: {content[:60]}"


COMMANDS = [
    pytest.param(line, id=f"{page.stem}: {line[:50]}")
    for page in [*PAGES, *PROJECT_PAGES]
    for block in blocks(page, "sh")
    for line in block.replace("\\\n", " ").splitlines()
]


@pytest.mark.parametrize("line", COMMANDS)
def test_commands_can_be_called_so(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not run: they serve until they are stopped, ask a model or a stranger's server, or take hours."""
    words = shlex.split(line.partition(" < ")[0], comments=True)
    monkeypatch.chdir(tmp_path)
    for name in re.findall(r"\S+\.jsonl", line):
        (tmp_path / name).touch()
    check = {
        "tuqa": check_tuqa,
        "tuqa-load": check_tuqa,
        "python": check_module,
        "make": check_target,
        "docker": check_compose,
        "curl": check_request,
        "sqlite3": check_replies,
        "cog": lambda words: None,  # test_readme.py runs it
        "pip": lambda words: None,  # test_extras.py knows the extras
        "export": lambda words: None,
        "(umask": lambda words: None,
        "chmod": lambda words: None,
    }
    check[words[0]](words)


def check_tuqa(words: list[str]) -> None:
    command: click.Command = tuqa_load if words[0] == "tuqa-load" else tuqa_command
    context = click.Context(command)
    rest = words[1:]
    while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
        below = command.get_command(context, rest[0])
        assert below is not None, rest[0]
        command, context, rest = below, click.Context(below, parent=context), rest[1:]
    with command.make_context(words[0], rest):
        pass  # closes what it opens


def check_module(words: list[str]) -> None:
    assert words[1] == "-m"
    spec = find_spec(words[2])
    assert spec is not None
    if spec.submodule_search_locations:
        spec = find_spec(f"{words[2]}.__main__")
    assert spec is not None
    assert spec.origin is not None
    source = Path(spec.origin).read_text(encoding="utf-8")
    assert [word for word in words[3:] if word.startswith("--") and word not in source] == []


def check_target(words: list[str]) -> None:
    assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)


def check_compose(words: list[str]) -> None:
    assert words[:3] == ["docker", "compose", "-f"]
    services = yaml.safe_load((ROOT / words[3]).read_text(encoding="utf-8"))["services"]
    if "--profile" in words:
        profile = words[words.index("--profile") + 1]
        assert any(profile in service.get("profiles", ()) for service in services.values())


def check_request(words: list[str]) -> None:
    path = words[-1].partition(":8765")[2]
    described = render_api()
    assert f"\n## POST {path}\n" in described
    assert all(f"| `{name}` |" in described for name in json.loads(words[words.index("-d") + 1]))


def check_replies(words: list[str]) -> None:
    with closing(sqlite3.connect(":memory:")) as replies:
        for statement in ReplyCache.schema:
            replies.execute(statement)
        assert list(replies.execute(words[2])) == []


PYTHON = [page for page in PAGES if page.stem not in OWN_TESTS and blocks(page, "python")]


@pytest.mark.parametrize("page", PYTHON, ids=lambda page: page.stem)
def test_python_is_run(page: Path, apollo: TrustUQA, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of a page run in turn; ``tuqa`` is a client, and ``query`` a query."""
    with Chat("Yes.") as chat:
        monkeypatch.setenv("OPENAI_BASE_URL", chat.url)
        monkeypatch.setenv("OPENAI_API_KEY", "key")
        query = "get_information(head_entity='Tranquility', relation='type')"
        names: dict[str, Any] = {"tuqa": apollo, "TrustUQA": TrustUQA, "query": query}
        for block in blocks(page, "python"):
            code = compile(block, page.name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            if NEEDS_A_PROVIDER not in block:
                work = eval(code, names)
                if asyncio.iscoroutine(work):
                    asyncio.run(work)


def test_json_is_as_the_commands_write_it(example: TrustUQA, tmp_path: Path) -> None:
    (servers,) = blocks(ROOT / "docs" / "mcp.md", "json")
    for server in json.loads(servers)["mcpServers"].values():
        check_tuqa(["tuqa", *server["args"]])
    (declared,) = blocks(ROOT / "docs" / "export.md", "json")
    example.load("rdf", "sites.ttl", "apollo.owl", dataset="sites", embeddings=False)
    example.export("sites", tmp_path / "saved")
    written = (tmp_path / "saved" / "declarations.jsonl").read_text(encoding="utf-8").splitlines()
    assert set(declared.splitlines()) <= set(written)
    (logged,) = blocks(ROOT / "docs" / "serve.md", "json")
    source = (ROOT / "trustuqa_neo4j" / "server" / "request_log.py").read_text(encoding="utf-8")
    assert re.findall(r'^ +"(\w+)": ', source, re.M) == list(json.loads(logged))


def test_tools_of_agents_are_those_of_the_page() -> None:
    tools = json.loads((ROOT / "tests" / "mcp" / "tools.json").read_text(encoding="utf-8"))
    arguments = {tool["name"]: list(tool["inputSchema"]["properties"]) for tool in tools}
    page = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"^\| `(\w+)` \| ((?:`\w+`(?:, )?)*) ?\|", page, re.M))
    assert {name: re.findall(r"\w+", text) for name, text in told.items()} == arguments
