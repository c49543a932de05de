"""DataFrames as files that can be loaded: what pandas and polars write as CSV is what people expect to see.

So neither is imported, and whatever has one of their methods will do.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from ..errors import UsageError
from ..loader import File


class Frame(Protocol):
    """A DataFrame of pandas; one of polars has ``write_csv`` instead."""

    def to_csv(self, path: str, *, index: bool) -> object:
        """Write it as CSV."""


def written(frame: Frame, number: int, folder: Path) -> File:
    """The DataFrame as a file in ``folder``, under the name by which its facts are told.

    Raises:
        UsageError: it is none.
    """
    path = folder / f"{number}.csv"
    if hasattr(frame, "to_csv"):
        frame.to_csv(str(path), index=False)
    elif hasattr(frame, "write_csv"):
        frame.write_csv(str(path))
    else:
        raise UsageError(
            f"a {type(frame).__name__} is neither a path nor a DataFrame",
            hint="give paths, or DataFrames of pandas or polars",
        )
    return File(path, f"DataFrame {number + 1}" if number else "DataFrame")
