"""Lines around a fact: of regular files alone, whatever a dataset names as its file."""

from __future__ import annotations

import os
import socket
from hashlib import sha256
from pathlib import Path

import pytest

from trustuqa_neo4j.answer import Evidence
from trustuqa_neo4j.server import file_lines
from trustuqa_neo4j.server.file_lines import read_excerpt

CONTENT = b"name,height\nAlder,12\nBirch,15\n"
HASHES = [sha256(CONTENT).hexdigest()]
FACT = Evidence("Birch", "height", "15", "trees", "trees.csv", "trees.csv", 3)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "trees.csv").write_bytes(CONTENT)
    (tmp_path / "empty").touch()
    (tmp_path / "link").symlink_to(tmp_path / "trees.csv")
    (tmp_path / "zero").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe")
    return tmp_path


def test_lines_of_a_regular_file_are_shown(folder: Path) -> None:
    excerpt = read_excerpt(FACT, [folder / "none", folder / "trees.csv"], HASHES)
    assert [line.text for line in excerpt.lines] == CONTENT.decode().splitlines()
    assert excerpt.lines[2].is_of_fact


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("/dev/zero", "a device"),
        ("/dev/stdin", "not"),
        ("pipe", "a pipe"),
        ("link", "a link"),
        ("zero", "a link"),
        (".", "a folder"),
        ("/proc/self/mem", "not"),
        ("/proc/kmsg", "not"),
        ("x" * 5_000, "cannot be read"),
        ("a\0b", "cannot be read"),
    ],
)
def test_others_are_refused_at_once(folder: Path, name: str, part: str) -> None:
    excerpt = read_excerpt(FACT, [folder / name], HASHES)
    assert excerpt.lines == ()
    assert part in excerpt.warning


def test_a_socket_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")  # its path is short, however long that of the folder is
        assert "a socket" in read_excerpt(FACT, [folder / "socket"], HASHES).warning


def test_long_files_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_lines, "MAX_FILE", 10)
    excerpt = read_excerpt(FACT, [folder / "trees.csv"], HASHES)
    assert (excerpt.lines, "larger than 10 bytes" in excerpt.warning) == ((), True)


def test_an_empty_file_and_a_line_far_away_have_no_lines(folder: Path) -> None:
    assert read_excerpt(FACT, [folder / "empty"], HASHES).lines == ()
    far = Evidence("Birch", "height", "15", "trees", "trees.csv", "trees.csv", 10**18)
    assert read_excerpt(far, [folder / "trees.csv"], HASHES).lines == ()
