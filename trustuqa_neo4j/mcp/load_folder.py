"""The folder from which agents load: what a path of an agent may lead to."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from ..errors import MissingFile, UsageError
from ..loading.addresses import is_address
from ..regular_file import describe_kind


def find_agent_file(folder: Path, path: str, home: Path | None = None) -> Path:
    """The file or folder ``path`` in ``folder``; ``path`` is relative to it, or begins with it.

    Nothing in ``home``, where databases and passwords are, is loaded.

    Raises:
        UsageError: it is an address, lies elsewhere, or has links, hidden files, devices or pipes in it.
    """
    try:
        if is_address(path):
            raise _make_error("is an address", path, folder)
        place = Path(os.path.normpath(folder / path))
        if not place.is_relative_to(folder):
            raise _make_error("is not in the folder for agents", path, folder)
        if home is not None and _overlap(home.resolve(), place):
            raise _make_error("has the data of this program", path, folder)
        for part in _list_places(folder, place):
            _check_place(part, path, folder)
    except FileNotFoundError as error:
        raise MissingFile("no such file", where=path, hint=f"files are in {folder}") from error
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        raise _make_error("cannot be read", path, folder) from error
    return place


def _overlap(first: Path, second: Path) -> bool:
    return first.is_relative_to(second) or second.is_relative_to(first)


def _list_places(folder: Path, place: Path) -> Iterator[Path]:
    """``place`` with the folders that lead to it and all that is below it."""
    steps = place.relative_to(folder).parts
    yield from (folder.joinpath(*steps[:count]) for count in range(1, len(steps) + 1))
    if not place.is_dir():
        return
    for base, folders, files in os.walk(place):
        yield from (Path(base, name) for name in (*folders, *files))


def _check_place(place: Path, path: str, folder: Path) -> None:
    mode = place.lstat().st_mode
    if place.name.startswith("."):
        raise _make_error(f"has a hidden file, {place.name!r}", path, folder)
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise _make_error(f"has {describe_kind(mode)}, {place.name!r}", path, folder)


def _make_error(what: str, path: str, folder: Path) -> UsageError:
    return UsageError(
        f"the path {what}", where=repr(path[:200]), hint=f"agents load regular files in {folder}"
    )
