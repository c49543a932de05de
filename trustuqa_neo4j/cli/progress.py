"""Progress bars on stderr, where that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..loading import Progress


@contextmanager
def bars(quiet: bool) -> Iterator[Progress]:
    """One bar per phase, in bytes of the file read."""
    from ..loading import Progress

    if quiet or not sys.stderr.isatty():
        yield Progress()
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        TextColumn,
        TimeElapsedColumn,
        TransferSpeedColumn,
    )
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeElapsedColumn(),
    )
    with Bars(*columns, console=Console(stderr=True)) as shown:

        def begin(phase: str, total: int) -> None:
            finish()
            shown.add_task(phase, total=total)

        def finish() -> None:
            for task in shown.tasks:
                shown.update(task.id, completed=task.total)

        def advance(done: int) -> None:
            shown.update(shown.tasks[-1].id, completed=done)

        yield Progress(begin, advance)
        finish()
