"""The figures of all runs of ``make bench``: one line per run in ``history.jsonl``, and the table of them.

Each benchmark calls ``record_figure`` for what is worth to follow. At the end, ``main`` adds the figures of
the run to the history and compares them with the last ones of a like machine. If one is worse by more than
15 %, it is reported, and the exit code is 1. ``cog -r docs/performance.md`` draws the table anew.

    make bench
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

FOLDER = Path(__file__).parent
HISTORY = FOLDER / "history.jsonl"
RUN = FOLDER / ".figures.jsonl"
"""The figures of the run so far; ``make bench`` begins without this file."""

TOLERANCE = 0.15
SHOWN_RUNS = 3

Figure: TypeAlias = dict[str, Any]
Entry: TypeAlias = dict[str, Any]


def record_figure(name: str, value: float, unit: str, *, lower_is_better: bool = True) -> None:
    """Keep a figure for the history; a name always has the same meaning."""
    figure = {"value": float(f"{value:.4g}"), "unit": unit, "lower_is_better": lower_is_better}
    with RUN.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps({name: figure}) + "\n")


def main() -> None:
    figures: dict[str, Figure] = {}
    for line in read_lines(RUN):
        figures |= line
    if not figures:
        sys.exit("no benchmark recorded a figure: run `make bench`")
    earlier = list(read_lines(HISTORY))
    entry = make_entry(figures)
    with HISTORY.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(entry, ensure_ascii=False) + "\n")
    RUN.unlink()
    print(
        f"{len(figures)} figures added to {HISTORY.name}; `cog -r docs/performance.md` draws them"
    )
    if regressions := list(find_regressions(entry, earlier)):
        sys.exit("\n".join(regressions))


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Read a JSON object per line; no line if there is no file."""
    if not path.exists():
        return
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            yield json.loads(line)
        except json.JSONDecodeError as error:
            sys.exit(f"{path.name}:{number}: no JSON: {error}")


def make_entry(figures: dict[str, Figure]) -> Entry:
    return {
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "version": version("trustuqa-neo4j"),
        "commit": read_commit(),
        "machine": describe_machine(),
        "software": {
            "neo4j": read_server_version(),
            "driver": version("neo4j"),
            "python": platform.python_version(),
        },
        "figures": figures,
    }


def read_commit() -> str:
    command = ["git", "describe", "--always", "--dirty", "--exclude", "*"]
    return subprocess.run(
        command, cwd=FOLDER, capture_output=True, text=True, check=True
    ).stdout.strip()


def describe_machine() -> dict[str, Any]:
    import psutil

    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text(encoding="utf-8").splitlines() if cpuinfo.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "processor": models[0] if models else platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "memory_gb": round(psutil.virtual_memory().total / 2**30),
    }


def read_server_version() -> str:
    from trustuqa_neo4j import TrustUQA

    with TrustUQA.connect(embedder="none") as tuqa:
        return tuqa.ping()


def find_regressions(entry: Entry, earlier: list[Entry]) -> Iterator[str]:
    """Describe each figure that is worse than the last one of a like machine."""
    last: dict[str, Figure] = {}
    for run in earlier:
        if run["machine"] == entry["machine"]:
            last |= run["figures"]
    for name, figure in entry["figures"].items():
        before = last.get(name, {}).get("value")
        if before is None or not is_worse(figure, before):
            continue
        change = figure["value"] / before - 1
        yield f"regression: {name}: {figure['value']:g} {figure['unit']}, {before:g} before ({change:+.0%})"


def is_worse(figure: Figure, before: float) -> bool:
    if figure["lower_is_better"]:
        return bool(figure["value"] > before * (1 + TOLERANCE))
    return bool(figure["value"] < before * (1 - TOLERANCE))


def render_table(path: Path = HISTORY) -> str:
    """Draw the last runs as a table in Markdown, a column for each, and the machines below it."""
    runs = list(read_lines(path))[-SHOWN_RUNS:]
    names = {name: figure for run in runs for name, figure in run["figures"].items()}
    heads = [f"{run['date']}, {run['commit']}" for run in runs]
    rows = [["figure", "unit", "better", *heads], ["---"] * (3 + len(heads))]
    for name in sorted(names):
        better = "lower" if names[name]["lower_is_better"] else "higher"
        values = [run["figures"].get(name, {}).get("value") for run in runs]
        cells = ["" if value is None else f"{value:,g}" for value in values]
        rows.append([name, names[name]["unit"], better, *cells])
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return "\n".join((table, "", *(describe_run(run) for run in runs)))


def describe_run(run: Entry) -> str:
    machine, software = run["machine"], run["software"]
    return (
        f"- {run['date']}, {run['commit']}: {machine['processor']}, {machine['cores']} cores, "
        f"{machine['memory_gb']} GB; Neo4j {software['neo4j']}, driver {software['driver']}, "
        f"Python {software['python']}"
    )


if __name__ == "__main__":
    main()
