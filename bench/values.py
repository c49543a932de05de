"""The value reader over every cell of the WTQ tables: how fast, and what the cells become.

Prints cells a second (one core, every cell read anew: nothing is remembered), the classes the cells fall
into, and the shapes of text with digits that stay text, most frequent first (9: digits, a: letters). Needs
TUQA_PACKS, the folder of the data packs.

    TUQA_PACKS=folder .venv/bin/python bench/values.py [shapes]
"""

from __future__ import annotations

import csv
import io
import os
import re
import statistics
import sys
import tarfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from trustuqa_neo4j.values import Value, read_value

RUNS = 5
WANTED = 200_000
SHAPES = 40

DIGIT = re.compile(r"\d")
DIGITS = re.compile(r"\d+")
LETTERS = re.compile(r"[^\W\d_]+")


def main() -> None:
    packs = os.environ.get("TUQA_PACKS")
    if not packs:
        sys.exit(
            "usage: TUQA_PACKS names no folder, set it to the folder of the data packs, "
            "TUQA_PACKS=folder python bench/values.py"
        )
    cells = read_cells(Path(packs) / "wtq" / "tables.tar.gz")
    print(f"{len(cells):,} cells, {len(set(cells)):,} different\n")
    ours, bare = speed(cells, read_value), speed(cells, as_float)
    print(f"{'read_value':40}{ours:>12,.0f} cells/s  wanted {WANTED:,}")
    distinct = speed(list(dict.fromkeys(cells)), read_value)
    print(f"{'  each different cell once':40}{distinct:>12,.0f} cells/s")
    print(f"{'  float() alone, failures caught':40}{bare:>12,.0f} cells/s\n")
    classes(cells)
    shapes(cells, int(sys.argv[1]) if len(sys.argv) > 1 else SHAPES)


def read_cells(path: Path) -> list[str]:
    """The cells below the headers, with repetitions."""
    found: list[str] = []
    with tarfile.open(path) as tables:
        for member in tables:
            file = tables.extractfile(member) if member.isfile() else None
            if file is None:
                continue
            text = io.StringIO(file.read().decode("utf-8"), newline="")
            rows = csv.reader(text, escapechar="\\", doublequote=False)
            next(rows)
            found += [cell for row in rows for cell in row]
    return found


def speed(cells: list[str], read: Callable[[str], object]) -> float:
    """Cells a second, the median of some runs."""
    taken = []
    for _ in range(RUNS):
        begun = perf_counter()
        for cell in cells:
            read(cell)
        taken.append(perf_counter() - begun)
    return len(cells) / statistics.median(taken)


def as_float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def kind(text: str, value: Value | None) -> str:
    if value is None:
        return "text with digits" if DIGIT.search(text) else "text or empty"
    if value.start is None:
        return "number" if value.unit is None else "number with a unit"
    return "date" if value.number is None else "year, or a number like one"


def classes(cells: list[str]) -> None:
    counted = Counter(kind(cell, read_value(cell)) for cell in cells)
    with_digits = len(cells) - counted["text or empty"]
    print(f"{'class':30}{'cells':>10}{'of all':>9}{'of those with digits':>22}")
    for name, count in counted.most_common():
        share = f"{count / with_digits:21.1%}" if name != "text or empty" else f"{'–':>21}"
        print(f"{name:30}{count:>10,}{count / len(cells):>9.1%}{share:>22}")
    units = Counter(v.unit for v in map(read_value, cells) if v and v.unit)
    print("\nunits: " + ", ".join(f"{unit} {count:,}" for unit, count in units.most_common(30)))


def shapes(cells: list[str], most: int) -> None:
    unread = [cell for cell in cells if DIGIT.search(cell) and read_value(cell) is None]
    counted = Counter(LETTERS.sub("a", DIGITS.sub("9", cell)) for cell in unread)
    print(f"\n{len(unread):,} cells with digits stay text, in {len(counted):,} shapes:")
    for shape, count in counted.most_common(most):
        print(f"{count:>8,}  {shape!r}")


if __name__ == "__main__":
    main()
