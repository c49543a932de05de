"""What made a run's figures: versions, server, dataset, options; so that they can be made again."""

from __future__ import annotations

import platform
import shutil
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ..dataset import Dataset

_ROOT = Path(__file__).parents[2]


def made_with(server: str, dataset: Dataset, **options: Any) -> dict[str, Any]:
    """The settings of a run, ``options`` of the command included where they were given."""
    embedded = f"{dataset.embedded:,} by {dataset.embedding_model}" if dataset.embedded else "none"
    found = {
        "version": version("trustuqa-neo4j"),
        "commit": commit(_ROOT),
        "python": platform.python_version(),
        "server": server,
        "dataset": dataset.name,
        "facts": dataset.facts,
        "embedded names": embedded,
        **options,
    }
    return {name: value for name, value in found.items() if value is not None}


def commit(folder: Path) -> str | None:
    """The commit that ``folder`` is a checkout of, ``-dirty`` where files differ; None if it is none."""
    git = shutil.which("git")
    if git is None or not (folder / ".git").exists():
        return None
    words = [
        git,
        "-C",
        str(folder),
        "describe",
        "--always",
        "--dirty",
        "--abbrev=12",
        "--exclude=*",
    ]
    asked = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603 # fixed words
    return asked.stdout.strip() or None
