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
    """One bar per phase, in bytes of the file read or in names."""
    from ..loading import Progress

    if quiet or not sys.stderr.isatty():
        yield Progress()
        return
    from rich.console import Console
    from rich.filesize import decimal
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[done]}", markup=False),
        TimeElapsedColumn(),
    )
    with Bars(*columns, console=Console(stderr=True)) as shown:

        def told(count: float, unit: str) -> str:
            return decimal(int(count)) if unit == "bytes" else f"{count:,.0f} {unit}"

        def begin(phase: str, total: int, unit: str = "bytes", /) -> None:
            finish()
            shown.add_task(phase, total=total or None, done="", unit=unit)

        def finish() -> None:
            for task in shown.tasks:
                if not task.finished:
                    done = told(task.total, task.fields["unit"]) if task.total else ""
                    total = task.total or 1
                    shown.update(task.id, total=total, completed=total, done=done)

        def advance(done: int) -> None:
            task = shown.tasks[-1]
            seconds = task.elapsed or 0
            unit = task.fields["unit"]
            rate = f", {told(done / seconds, unit)}/s" if seconds > 1 else ""
            of = f" of {told(task.total, unit)}" if task.total else ""
            shown.update(task.id, completed=done, done=f"{told(done, unit)}{of}{rate}")

        yield Progress(begin, advance)
        finish()
