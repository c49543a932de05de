"""The record of the openings of the part that nobody looks at: date and digest of the reader's code."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parents[2]
OPENINGS = ROOT / "bench" / "final_openings.jsonl"
READER = ("semantic_parser", "questions")
"""The rooms of the package that read a question."""
_SUFFIXES = frozenset((".py", ".toml", ".json"))


def digest_reader(package: Path = ROOT / "trustuqa_neo4j") -> str:
    """Return a digest of all code, words and weights of the reader."""
    digest = sha256()
    paths = (path for room in READER for path in (package / room).rglob("*"))
    for path in sorted(path for path in paths if path.suffix in _SUFFIXES):
        digest.update(f"{path.relative_to(package)}\0".encode())
        digest.update(sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def record_opening(benchmark: str = "real_files", path: Path = OPENINGS) -> None:
    """Add a line for an opening that begins now."""
    entry = {
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "benchmark": benchmark,
        "reader": digest_reader(),
    }
    with path.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(entry) + "\n")
