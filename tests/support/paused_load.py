"""``tuqa-load`` in a process that reads no further than it may: who ends it never comes too late."""

from __future__ import annotations

import sys
from pathlib import Path

_CODE = """
import pathlib, sys, time
from trustuqa_neo4j.cli.load import main
from trustuqa_neo4j.loading.batch import Batcher

limit, go_on = int(sys.argv.pop(1)), pathlib.Path(sys.argv.pop(1))
read_batch = Batcher.next

def read_allowed_batch(batcher):
    while batcher._position >= limit and not batcher.is_stopped and not go_on.exists():
        time.sleep(0.01)
    return read_batch(batcher)

Batcher.next = read_allowed_batch
main()
"""


def paused_load(limit: int, go_on: Path) -> list[str]:
    """The words of a load that waits after ``limit`` items until the file ``go_on`` exists."""
    return [sys.executable, "-c", _CODE, str(limit), str(go_on)]
