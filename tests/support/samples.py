"""The folders that tests read."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "tests" / "samples"
CASES = ROOT / "tests" / "cases"
FILMS = SAMPLES / "films.tsv"
