"""Helpers of the benchmarks: result rows, percentiles, processes, and an embedded server of their own."""

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

from trustuqa_neo4j import Settings, embedded


def packs_folder() -> Path:
    """The folder of the data packs; ends the program if TUQA_PACKS is not set."""
    folder = os.environ.get("TUQA_PACKS")
    if not folder:
        sys.exit("TUQA_PACKS is not set: set it to the folder of the data packs")
    return Path(folder)


def percentile(values: list[float], percent: int) -> float:
    return statistics.quantiles(values, n=100)[percent - 1]


def measure_runs(
    work: Callable[[int], object], runs: int, warm_up: int | None = None
) -> list[float]:
    """Milliseconds of each of ``runs`` calls, after a warm-up."""
    for i in range(runs // 4 if warm_up is None else warm_up):
        work(i)
    times = []
    for i in range(runs):
        start = perf_counter()
        work(i)
        times.append((perf_counter() - start) * 1000)
    return times


def print_row(
    label: str,
    value: float,
    unit: str,
    limit: str = "",
    ratio: tuple[list[float], list[float]] | None = None,
    note: str = "",
) -> None:
    """Print a result, its limit, and the ratio of two medians of the same run."""
    factor = ""
    if ratio is not None:
        factor = f"× {statistics.median(ratio[0]) / statistics.median(ratio[1]):.2f}"
    print(f"{label:<52} {value:10,.3f} {unit:<9} {limit:>12} {factor:>10}  {note}", flush=True)


@dataclass(frozen=True)
class ProcessResult:
    """Seconds, maximum memory in MB, and the output of a process."""

    seconds: float
    memory: float
    out: str


def run_command(*words: str, env: dict[str, str] | None = None) -> ProcessResult:
    """Run a console script of this environment."""
    return run_process(str(Path(sys.executable).with_name(words[0])), *words[1:], env=env)


def run_script(script: Path, *words: str, folder: Path | None = None) -> ProcessResult:
    """Run a Python script in ``folder``."""
    return run_process(sys.executable, str(script.resolve()), *words, folder=folder)


def run_process(
    *words: str, env: dict[str, str] | None = None, folder: Path | None = None
) -> ProcessResult:
    """Run a program to its end; if it fails, this program ends too."""
    start = perf_counter()
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
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(words)}: {err}")
    return ProcessResult(perf_counter() - start, usage.ru_maxrss / 1024, out)


@contextmanager
def isolated_home(folder: Path) -> Iterator[Settings]:
    """Settings of an embedded server with data of its own and the jars of this machine."""
    default = Settings.read()
    (default.home / "jars").mkdir(parents=True, exist_ok=True)
    (folder / "jars").symlink_to(default.home / "jars")
    settings = Settings(
        home=folder, neo4j_version=default.neo4j_version, jar_mirror=default.jar_mirror
    )
    try:
        yield settings
    finally:
        embedded.EmbeddedServer.from_settings(settings).stop()
