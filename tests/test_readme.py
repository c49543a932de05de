"""What README and the pages of docs show is run, and what they print is what comes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import environment

from trustuqa_neo4j import Settings, TrustUQA

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "docs" / "example"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SCRIPTS = str(Path(sys.executable).parent)


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)


def shell(words: str, server: Settings, folder: Path) -> str:
    env = environment(server)
    done = subprocess.run(
        ["sh", "-c", words],
        cwd=folder,
        env=env | {"PATH": f"{SCRIPTS}{os.pathsep}{env['PATH']}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=120,
        check=False,
    )
    return done.stdout.decode()


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "console")], ids=lambda p: p.stem)
def test_consoles(page: Path, server: Settings, tuqa: TrustUQA, tmp_path: Path) -> None:
    """Lines that begin with $ are run in turn; ``…`` in what they print stands for anything."""
    folder = tmp_path / "example"
    shutil.copytree(EXAMPLE, folder)
    for block in blocks(page, "console"):
        assert block.startswith("$ "), block
        for command in re.split(r"^\$ ", block, flags=re.M)[1:]:
            words, _, expected = command.partition("\n")
            pattern = re.escape(expected).replace("…", "[^\n]*")
            said = shell(words, server, folder)
            assert re.fullmatch(pattern, said), f"$ {words}\n{said}"


def test_the_tour_of_python(
    server: Settings, tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    shutil.copytree(EXAMPLE, tmp_path / "example")
    monkeypatch.chdir(tmp_path / "example")
    for name, value in environment(server).items():
        monkeypatch.setenv(name, value)
    (code,) = blocks(ROOT / "README.md", "python")
    exec(compile(code, "README.md", "exec"), {})
    assert (
        capsys.readouterr().out
        == "Apollo 11 – landing site – Sea of Tranquility (apollo.tsv, line 20)\n"
    )


def test_make_knows_what_readme_names() -> None:
    made = set(re.findall(r"^([\w.-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    named = set(re.findall(r"`?make ([\w.-]+)", (ROOT / "README.md").read_text(encoding="utf-8")))
    assert {"demo", "test", "lint", "bench"} <= named <= made
    assert "make test" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), f"{page}: {link}"
