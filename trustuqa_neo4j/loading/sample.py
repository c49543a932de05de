"""The sample data of the package: a graph, a table and a temporal graph about the same missions."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from .formats import File

DATASET = "apollo"

QUESTIONS = (
    "Who flew on Apollo 15?",
    "When was Apollo 16 launched?",
    "Which mission was the longest?",
    "Who led NASA on 7 December 1972?",
)
"""Questions that the sample answers without demonstrations."""

_FILES = (("kg", "apollo.tsv"), ("table", "missions.csv"), ("temporal-kg", "service.tsv"))


def list_sample_files() -> list[tuple[str, File]]:
    """The files of the sample with their formats, in the order in which they are loaded."""
    folder = Path(str(resources.files("trustuqa_neo4j.example")))
    return [(kind, File(folder / name, name)) for kind, name in _FILES]
