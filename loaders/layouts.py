"""The files that a folder of a known layout holds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from trustuqa_neo4j.errors import UnreadableFile


def plain_or_gzip(folder: Path, name: str) -> Path | None:
    """The file ``name`` in ``folder``, or the same with ``.gz``; None where there is neither."""
    both = (folder / name, folder / f"{name}.gz")
    return next((path for path in both if path.is_file()), None)


def nothing_in(folder: Path, wanted: Sequence[str]) -> UnreadableFile:
    """The error for a folder with none of the files that are ``wanted``."""
    return UnreadableFile(
        f"a folder without {' or '.join(wanted)}",
        where=str(folder),
        hint="give the folder that holds it, or the file itself",
    )
