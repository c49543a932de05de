"""Points of a command at which ``kills.py`` ends it, or the server.

Points are all it does to the outside: statements and commits before and after they are sent, files that are
moved or removed, processes that are started, progress. At one of them the file ``reached`` appears; the
command then waits for the file ``on``, or goes on at once.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import import_guard  # noqa: F401 # before the driver
from neo4j._sync.work.transaction import TransactionBase

# What the commands import when they need it: each fork has it then.
import trustuqa_neo4j.bulk.bulk_load
import trustuqa_neo4j.embedded
import trustuqa_neo4j.graph.store_migration
import trustuqa_neo4j.loading.load_inputs  # noqa: F401
from trustuqa_neo4j.cli.load import main as run_load
from trustuqa_neo4j.cli.main import main as run_tuqa
from trustuqa_neo4j.loading import request

_AUDITED = frozenset(("os.rename", "os.remove", "shutil.rmtree", "subprocess.Popen"))


class Points:
    """Counts the points of this process; number ``stop_at`` is the one to report, 0 none."""

    def __init__(self, stop_at: int, folder: Path, *, waits: bool) -> None:
        self.count = 0
        self.folder = folder
        self._stop_at = stop_at
        self._waits = waits
        self._lock = threading.Lock()

    def meet(self) -> None:
        with self._lock:
            self.count += 1
            is_reached = self.count == self._stop_at
        if is_reached:
            (self.folder / "reached").touch()
            while self._waits and not (self.folder / "on").exists():
                time.sleep(0.005)

    def wrap(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def met(*arguments: Any, **options: Any) -> Any:
            self.meet()
            result = call(*arguments, **options)
            self.meet()
            return result

        return met

    def watch(self) -> None:
        # The driver has no public hook for statements.
        TransactionBase.run = self.wrap(TransactionBase.run)  # type: ignore[method-assign]
        TransactionBase._commit = self.wrap(TransactionBase._commit)  # type: ignore[method-assign]
        make_progress = request.Progress.__init__

        def make_watched(progress: request.Progress, *arguments: Any, **options: Any) -> None:
            make_progress(progress, *arguments, **options)
            for name in ("begin", "advance"):
                object.__setattr__(progress, name, self.wrap(getattr(progress, name)))

        request.Progress.__init__ = make_watched  # type: ignore[method-assign]
        sys.addaudithook(self._audit)

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        # The files of the points are not work.
        if event in _AUDITED and str(self.folder) not in str(arguments[0]):
            self.meet()


def run_command(words: tuple[str, ...], environment: dict[str, str], points: Points) -> None:
    """Run a command in this process, which was forked for it, with its errors in the file ``errors``."""
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(points.folder)
    for stream, name in ((1, "output"), (2, "errors")):
        file = os.open(points.folder / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(file, stream)
    points.watch()
    sys.argv = list(words)
    try:
        (run_load if words[0] == "tuqa-load" else run_tuqa)()
    finally:
        (points.folder / "count").write_text(str(points.count))
