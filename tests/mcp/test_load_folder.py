"""What a path of an agent may lead to."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from trustuqa_neo4j.errors import UsageError
from trustuqa_neo4j.mcp.load_folder import find_agent_file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder for agents with good files in it, and others around and in it."""
    folder = tmp_path / "agents"
    for place in ("data/sub", "hidden", "linked", "piped"):
        (folder / place).mkdir(parents=True)
    for name in ("trees.csv", "data/a.csv", "data/sub/b.csv", "hidden/.secret", "piped/a.csv"):
        (folder / name).write_text("name,height\nAlder,12\n")
    outside = tmp_path / "outside.csv"
    outside.write_text("x")
    (folder / "linked" / "out.csv").symlink_to(outside)
    (folder / "up").symlink_to(tmp_path)
    os.mkfifo(folder / "piped" / "pipe")
    return folder


@pytest.mark.parametrize("path", ["trees.csv", "data", "data/sub/b.csv", "./data/../trees.csv"])
def test_regular_files_and_folders_of_them_are_loaded(folder: Path, path: str) -> None:
    assert find_agent_file(folder, path) == Path(os.path.normpath(folder / path))
    assert find_agent_file(folder, str(folder / path)).exists()


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("../outside.csv", "is not in the folder"),
        ("/etc/hosts", "is not in the folder"),
        ("up/outside.csv", "a link"),
        ("linked", "a link"),
        ("linked/out.csv", "a link"),
        ("hidden", "a hidden file"),
        ("hidden/.secret", "a hidden file"),
        ("piped", "a pipe"),
        ("none.csv", "no such file"),
        ("bolt://127.0.0.1:1", "is an address"),
        ("sqlite:///x.db", "is an address"),
        ("a\0b", "cannot be read"),
        ("x" * 5_000, "cannot be read"),
    ],
)
def test_other_paths_are_refused(folder: Path, path: str, part: str) -> None:
    with pytest.raises(UsageError, match=part):
        find_agent_file(folder, path)


@pytest.mark.parametrize("path", ["data", "data/sub", "data/sub/b.csv", "."])
def test_the_home_of_the_program_is_refused(folder: Path, path: str) -> None:
    with pytest.raises(UsageError, match="the data of this program"):
        find_agent_file(folder, path, folder / "data" / "sub")
