"""The value reader over every cell of the WTQ tables: speed, classes of cells, and cells that stay text.

The speed is that of one core without a cache. Texts with digits that stay text are counts by shape
(9: digits, a: letters). Needs TUQA_PACKS, the folder of the data packs.

    TUQA_PACKS=folder .venv/bin/python bench/values.py [SHAPES]
"""

from __future__ import annotations

import csv
import io
import re
import statistics
import sys
import tarfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from harness import packs_folder

from trustuqa_neo4j.values import Value, read_value

RUNS = 5
GOAL = 200_000
SHAPES = 40

DIGIT = re.compile(r"\d")
DIGITS = re.compile(r"\d+")
LETTERS = re.compile(r"[^\W\d_]+")


def main() -> None:
    cells = read_cells(packs_folder() / "wtq" / "tables.tar.gz")
    print(f"{len(cells):,} cells, {len(set(cells)):,} different\n")
    ours, bare = measure_speed(cells, read_value), measure_speed(cells, as_float)
    print(f"{'read_value':40}{ours:>12,.0f} cells/s  goal {GOAL:,}")
    distinct = measure_speed(list(dict.fromkeys(cells)), read_value)
    print(f"{'  distinct cells':40}{distinct:>12,.0f} cells/s")
    print(f"{'  float() alone, failures caught':40}{bare:>12,.0f} cells/s\n")
    print_classes(cells)
    print_shapes(cells, int(sys.argv[1]) if len(sys.argv) > 1 else SHAPES)


def read_cells(path: Path) -> list[str]:
    """All cells below the headers."""
    cells: list[str] = []
    with tarfile.open(path) as tables:
        for member in tables:
            file = tables.extractfile(member) if member.isfile() else None
            if file is None:
                continue
            text = io.StringIO(file.read().decode("utf-8"), newline="")
            rows = csv.reader(text, escapechar="\\", doublequote=False)
            next(rows)
            cells += [cell for row in rows for cell in row]
    return cells


def measure_speed(cells: list[str], read: Callable[[str], object]) -> float:
    """Cells per second, the median of the runs."""
    times = []
    for _ in range(RUNS):
        start = perf_counter()
        for cell in cells:
            read(cell)
        times.append(perf_counter() - start)
    return len(cells) / statistics.median(times)


def as_float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def classify(text: str, value: Value | None) -> str:
    if value is None:
        return "text with digits" if DIGIT.search(text) else "text or empty"
    if value.start is None:
        return "number" if value.unit is None else "number with a unit"
    return "date" if value.number is None else "year, or a number like one"


def print_classes(cells: list[str]) -> None:
    counts = Counter(classify(cell, read_value(cell)) for cell in cells)
    with_digits = len(cells) - counts["text or empty"]
    print(f"{'class':30}{'cells':>10}{'of all':>9}{'of those with digits':>22}")
    for name, count in counts.most_common():
        share = f"{count / with_digits:21.1%}" if name != "text or empty" else f"{'–':>21}"
        print(f"{name:30}{count:>10,}{count / len(cells):>9.1%}{share:>22}")
    units = Counter(v.unit for v in map(read_value, cells) if v and v.unit)
    print("\nunits: " + ", ".join(f"{unit} {count:,}" for unit, count in units.most_common(30)))


def print_shapes(cells: list[str], limit: int) -> None:
    unread = [cell for cell in cells if DIGIT.search(cell) and read_value(cell) is None]
    counts = Counter(LETTERS.sub("a", DIGITS.sub("9", cell)) for cell in unread)
    print(f"\n{len(unread):,} cells with digits stay text, in {len(counts):,} shapes:")
    for shape, count in counts.most_common(limit):
        print(f"{count:>8,}  {shape!r}")


if __name__ == "__main__":
    main()
