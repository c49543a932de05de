"""The file of weights: an entry for each kind of data, with a digest of the numbers that a fit wrote."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any


def make_digest(entry: Mapping[str, Any]) -> str:
    """Return the digest of the numbers that a fit writes."""
    numbers = [entry["calibration"], entry["weights"]]
    return sha256(json.dumps(numbers, sort_keys=True).encode()).hexdigest()[:16]


def write_entry(output: Path, kind: str, entry: Mapping[str, Any]) -> None:
    """Write the weights of one kind, and leave those of the other kind as they are."""
    contents = json.loads(output.read_text(encoding="utf-8")) if output.exists() else {"version": 1}
    contents[kind] = {**entry, "digest": make_digest(entry)}
    output.write_text(json.dumps(contents, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")
