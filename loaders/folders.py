"""The files of a folder that a format reads."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from .content import Wanted
from .text import unreadable


def files(folder: Path, wanted: Wanted) -> Sequence[Path]:
    """The files below ``folder`` that are ``wanted``, by their full path, sorted; hidden ones are not.

    Raises:
        UnreadableFile: there is none, or a folder cannot be looked into.
    """
    found: list[Path] = []
    for base, folders, names in os.walk(folder, onerror=_refuse):
        folders[:] = [name for name in folders if not name.startswith(".") and name != "__MACOSX"]
        shown = [Path(base, name) for name in names if not name.startswith((".", "~$"))]
        found += [path for path in shown if wanted.is_one(path.absolute().as_posix())]
    if not found:
        raise wanted.none(str(folder))
    return sorted(found)


def _refuse(error: OSError) -> NoReturn:
    raise unreadable(str(error.filename), error) from error
