"""What the benchmarks have in common: rows of a table, percentiles, and commands as whole processes."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from trustuqa_neo4j import Settings
from trustuqa_neo4j.graph import embedded


def percentile(values: list[float], percent: int) -> float:
    return statistics.quantiles(values, n=100)[percent - 1]


def times(work: Callable[[int], object], runs: int, warm: int | None = None) -> list[float]:
    """Milliseconds of each of ``runs`` runs, after a warm-up."""
    for i in range(runs // 4 if warm is None else warm):
        work(i)
    taken = []
    for i in range(runs):
        begun = perf_counter()
        work(i)
        taken.append((perf_counter() - begun) * 1000)
    return taken


def row(
    what: str,
    value: float,
    unit: str,
    limit: str = "",
    ratio: tuple[list[float], list[float]] | None = None,
    note: str = "",
) -> None:
    """One figure, its limit, and what it is beside another one of the same run."""
    compared = ""
    if ratio is not None:
        compared = f"× {statistics.median(ratio[0]) / statistics.median(ratio[1]):.2f}"
    print(f"{what:<52} {value:10,.3f} {unit:<8} {limit:>12} {compared:>10}  {note}", flush=True)


@dataclass(frozen=True)
class Ran:
    """A command that ran: seconds, the most memory it had in MB, and what it printed."""

    seconds: float
    memory: float
    out: str


def command(*words: str, env: dict[str, str] | None = None) -> Ran:
    """Run a console script of this environment as a process of its own."""
    return ran(str(Path(sys.executable).with_name(words[0])), *words[1:], env=env)


def python(script: Path, *words: str, folder: Path | None = None) -> Ran:
    """Run a Python script as a process of its own, in ``folder``."""
    return ran(sys.executable, str(script.resolve()), *words, folder=folder)


def ran(*words: str, env: dict[str, str] | None = None, folder: Path | None = None) -> Ran:
    """Run a program to its end; this one ends with it if it fails."""
    begun = perf_counter()
    process = subprocess.Popen(
        words,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=os.environ | (env or {}),
    )
    assert process.stdout is not None
    assert process.stderr is not None
    out = process.stdout.read()
    err = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(words)}: {err}")
    return Ran(perf_counter() - begun, used.ru_maxrss / 1024, out)


@contextmanager
def home(folder: Path) -> Iterator[Settings]:
    """Settings of an embedded server of our own, whose jars are those of this machine."""
    given = Settings.read()
    (given.home / "jars").mkdir(parents=True, exist_ok=True)
    (folder / "jars").symlink_to(given.home / "jars")
    own = Settings(home=folder, neo4j_version=given.neo4j_version, jar_mirror=given.jar_mirror)
    try:
        yield own
    finally:
        embedded.server_of(own).stop()
