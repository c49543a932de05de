"""One bulk load, phase by phase, in a process of its own, so that its memory is that of the load alone.

    python bench/bulk_load.py HOME FORMAT DATASET FILE...

prints the facts, the seconds in total and of each phase, and the maximum memory in MB, as JSON.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from time import perf_counter

import import_guard  # noqa: F401 # before the driver

from trustuqa_neo4j import Settings, embedded
from trustuqa_neo4j.bulk.bulk_load import BulkLoad
from trustuqa_neo4j.graph.connection import Connection
from trustuqa_neo4j.loading.formats import get_loader
from trustuqa_neo4j.loading.load import load
from trustuqa_neo4j.loading.request import LoadRequest, Progress


def main(home: str, loader_name: str, dataset: str, *paths: str) -> None:
    settings = replace(Settings.read(), home=Path(home))

    @contextmanager
    def open_connection() -> Iterator[Connection]:
        with closing(Connection.open(embedded.ensure_running(settings))) as connection:
            yield connection

    starts: list[tuple[str, float]] = []

    def begin(phase: str, _total: int, _unit: str = "bytes", /) -> None:
        name = phase.partition(" ")[0]  # without the name of the file
        if not starts or starts[-1][0] != name:
            starts.append((name, perf_counter()))

    write = BulkLoad(embedded.EmbeddedServer.from_settings(settings))
    report = load(
        open_connection,
        LoadRequest(get_loader(loader_name), paths, dataset),
        Progress(begin),
        None,
        write,
    )
    starts.append(("", perf_counter()))
    result = {
        "facts": report.total,
        "seconds": report.seconds,
        "phases": {name: end - start for (name, start), (_, end) in pairwise(starts)},
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
