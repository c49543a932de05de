"""Loaders of another package, which do what a good one does not."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence

from trustuqa_neo4j.loading.formats import File, Loader, ReadOptions
from trustuqa_neo4j.model.facts import Fact, Item


def printing(files: Sequence[File], reading: ReadOptions) -> Iterator[Item]:
    sys.stdout.write("not a batch\n")
    sys.stdout.flush()
    yield reading.part("s", files[0].name, "kg")
    yield Fact("a", "r", "b", 1)


def failing(files: Sequence[File], reading: ReadOptions) -> Iterator[Item]:
    yield reading.part("s", files[0].name, "kg")
    raise RuntimeError("a fault of the loader's")


def endless(files: Sequence[File], reading: ReadOptions) -> Iterator[Item]:
    """Facts without an end; the first file is told who reads."""
    files[0].path.write_text(str(os.getpid()))
    yield reading.part("s", files[0].name, "kg")
    number = 0
    while True:
        number += 1
        yield Fact(f"h{number}", "r", f"t{number}", number)


def announcing(files: Sequence[File], reading: ReadOptions) -> Iterator[Item]:
    """One fact; the first file is told who reads."""
    files[0].path.write_text(str(os.getpid()))
    yield reading.part("s", files[0].name, "kg")
    yield Fact("a", "r", "b", 1)


PRINTING = Loader("odd-printing", "prints", "kg", printing)
FAILING = Loader("odd-failing", "fails", "kg", failing)
ENDLESS = Loader("odd-endless", "does not end", "kg", endless)
ANNOUNCING = Loader("odd-announcing", "says who reads", "kg", announcing)
NAMES = ("printing", "failing", "endless", "announcing")
