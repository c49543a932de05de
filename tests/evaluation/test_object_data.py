"""Objects of Python are read as plain data, or refused; nothing in the file is run."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

from trustuqa_neo4j.errors import MissingFile, UnreadableFile
from trustuqa_neo4j.evaluation.object_data import read_object_data

DATA = [
    {"a": {1, 2}, "b": frozenset(["x"]), "c": (1,), "d": (1, 2, 3, 4), "e": None, "f": True},
    {"g": 1.5, "h": {"k": ["v", "v"]}, "i": set(), "j": "é\n", "k": False, "l": 2**70, "m": ()},
]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_plain_data(protocol: int, tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(pickle.dumps(DATA * 2, protocol))
    assert read_object_data(path) == DATA * 2


class Command:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[[str], int], tuple[str]]:
        return os.system, (f"touch {self.path}",)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_code_is_refused_and_not_run(protocol: int, tmp_path: Path) -> None:
    path, target = tmp_path / "data", tmp_path / "target"
    path.write_bytes(pickle.dumps([Command(target)], protocol))
    with pytest.raises(UnreadableFile, match="more than plain data"):
        read_object_data(path)
    assert not target.exists()


@pytest.mark.parametrize(
    "content",
    [b"", b"hello", b"(.", b"0.", b"N", b"Nq\x01", pickle.dumps(DATA)[:-7], b"]]a(.",
     b"cbuiltins\nset\n(I1\ntR.", b"N(tR.", b"h\x07."],
)  # fmt: skip
def test_what_is_cut_off_or_something_else(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(content)
    with pytest.raises(UnreadableFile, match="cut off"):
        read_object_data(path)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(MissingFile, match="no such file"):
        read_object_data(tmp_path / "data")
