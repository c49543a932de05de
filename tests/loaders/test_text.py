"""Lines of text: what all formats share. Seen through ``kg``, since nothing imports loaders by name."""

from __future__ import annotations

import gzip
import tracemalloc
from pathlib import Path

import pytest

from trustuqa_neo4j.errors import UnreadableFile
from trustuqa_neo4j.loading.formats import File, ReadOptions, get_loader

LONGEST = 1 << 24


def read(path: Path, options: ReadOptions | None = None) -> int:
    return sum(1 for _ in get_loader("kg").read([File(path, "facts")], options or ReadOptions()))


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_line_of_200_mb_is_refused_and_not_kept(tmp_path: Path, pack) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "facts"
    # gzip of several members is one text: 200 MB without ever having them.
    block = pack(b"x" * 1_000_000)
    with path.open("wb") as file:
        file.write(pack(b"a\tr\tb\n"))
        for _ in range(200):
            file.write(block)
    tracemalloc.start()
    try:
        with pytest.raises(UnreadableFile) as caught:
            read(path)
        assert tracemalloc.get_traced_memory()[1] < 100_000_000
    finally:
        tracemalloc.stop()
    assert caught.value.what == "a line of more than 16,777,216 characters"
    assert caught.value.where == "facts:2"
    assert caught.value.hint == "check that this is a file of lines, and split this line"


def test_the_longest_line_that_is_read(tmp_path: Path) -> None:
    path = tmp_path / "facts"
    path.write_bytes(b"a\tr\t" + b"x" * (LONGEST - 5) + b"\n" + b"a\tr\tb\n")
    assert read(path) == 3


def test_progress_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "facts"
    path.write_bytes(b"a\tr\tb\n" * 3000)
    positions: list[tuple[str, int]] = []
    read(path, ReadOptions(progress=lambda file, done: positions.append((file.name, done))))
    assert [name for name, _ in positions] == ["facts"] * 3
    assert positions == sorted(positions)
