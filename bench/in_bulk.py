"""One load in bulk, phase by phase, as a process of its own so that its memory is the load's alone.

    python bench/in_bulk.py HOME FORMAT DATASET FILE...

prints the facts, the seconds in all and of each phase, and the most memory it had in MB, as JSON.
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

import light  # noqa: F401 # before the driver

from trustuqa_neo4j import Settings
from trustuqa_neo4j.graph import embedded
from trustuqa_neo4j.graph.connection import Connection
from trustuqa_neo4j.loader import loader
from trustuqa_neo4j.loading import Bulk, Progress, Request, load


def main(home: str, form: str, dataset: str, *paths: str) -> None:
    settings = replace(Settings.read(), home=Path(home))

    @contextmanager
    def connecting() -> Iterator[Connection]:
        with closing(Connection.open(embedded.running(settings))) as connection:
            yield connection

    began: list[tuple[str, float]] = []

    def begin(phase: str, _total: int, _unit: str = "bytes", /) -> None:
        name = phase.partition(" ")[0]  # without the file
        if not began or began[-1][0] != name:
            began.append((name, perf_counter()))

    way = Bulk(embedded.server_of(settings))
    report = load(connecting, Request(loader(form), paths, dataset), Progress(begin), None, way)
    began.append(("", perf_counter()))
    told = {
        "facts": report.total,
        "seconds": report.seconds,
        "phases": {name: until - at for (name, at), (_, until) in pairwise(began)},
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
