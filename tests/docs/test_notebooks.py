"""The notebooks of the documentation run, and give what stands in them.

With ``TUQA_NOTEBOOKS=write`` the outputs are written anew.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from support.shell import environment

from trustuqa_neo4j import Settings, TrustUQA

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_gives_what_it_shows(
    path: Path,
    server: Settings,
    tuqa: TrustUQA,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shutil.copytree(ROOT / "docs" / "example", tmp_path / "example")
    (tmp_path / "notebooks").mkdir()
    monkeypatch.chdir(tmp_path / "notebooks")
    for name, value in environment(server).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("TUQA_HOME", str(tmp_path / "home"))  # without replies of earlier runs
    notebook = json.loads(path.read_text(encoding="utf-8"))
    shown = [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    run_cells(notebook)
    if os.environ.get("TUQA_NOTEBOOKS") == "write":
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    else:
        given = [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
        assert given == shown


def run_cells(notebook: dict[str, Any]) -> None:
    """Run the cells as a kernel does, and give each what it prints; its last line must not be a value."""
    names: dict[str, Any] = {}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(cells, 1):
        code = ast.parse("".join(cell["source"]))
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, f"cell {number}", "exec"), names)
        text = printed.getvalue().splitlines(keepends=True)
        stream = {"name": "stdout", "output_type": "stream", "text": text}
        cell |= {"execution_count": number, "outputs": [stream] if text else []}


def test_notebooks_are_three_and_small() -> None:
    assert len(NOTEBOOKS) == 3
    for path in NOTEBOOKS:
        assert path.stat().st_size < 10_000
        notebook = json.loads(path.read_text(encoding="utf-8"))
        assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
        assert not notebook["metadata"].keys() - {"kernelspec", "language_info"}
        code = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]
        # What a last line gives would be shown with a form that the tests do not have.
        last = [ast.parse(text).body[-1] for text in code]
        values = [node for node in last if isinstance(node, ast.Expr)]
        assert all(isinstance(node.value, ast.Call) for node in values)
