"""The questions of a folder that the generator wrote."""

from __future__ import annotations

import json
from pathlib import Path

from bench.answer_verdicts import LabelledQuestion


def read_questions(folder: Path) -> dict[str, list[LabelledQuestion]]:
    """Return the questions of each file of data."""
    by_file: dict[str, list[LabelledQuestion]] = {}
    with (folder / "questions.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            by_file.setdefault(record["data"], []).append(LabelledQuestion.from_record(record))
    return by_file
