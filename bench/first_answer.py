"""From an empty home to the first answer over a CSV, as users get the package; and the size of each extra.

python -m bench.first_answer    writes docs/results/installation.md, or fails if a limit is exceeded

What is downloaded is counted, and its time computed; all else is timed, with files of this machine.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

from bench.release_check import (
    EXTRAS,
    MAX_INSTALLED,
    ROOT,
    build_distributions,
    install_wheel,
    measure_size,
    serve_jars,
)

PAGE = ROOT / "docs" / "results" / "installation.md"
BANDWIDTH = 20_000_000
"""Bytes per second."""

MAX_SECONDS = 180.0
TABLE = "Nation,Gold\nFrance,16\nJapan,20\n"
QUESTION = "Which nation won the most gold?"


def measure_first_answer(wheel: Path, folder: Path) -> list[tuple[str, float, int]]:
    """Measure each step, in seconds and in bytes to download."""
    wheels, home = folder / "wheels", folder / "home"
    home.mkdir()
    requirement = f"{wheel}[embedded]"
    words = [sys.executable, "-m", "pip", "download", "--quiet", "--dest", str(wheels), requirement]
    subprocess.run(words, check=True, capture_output=True)
    steps = []

    def run(name: str, *words: str, **settings: str) -> str:
        began = time.perf_counter()
        environment = {"PATH": f"{folder / 'venv' / 'bin'}", "HOME": str(home), **settings}
        done = subprocess.run(
            words, cwd=home, env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            sys.exit(f"error: {name} ends with {done.returncode}\n{done.stdout}{done.stderr}")
        steps.append((name, time.perf_counter() - began))
        return done.stdout

    run("make an environment", sys.executable, "-m", "venv", str(folder / "venv"))
    offline = ("--no-index", "--no-cache-dir", "--find-links", str(wheels))
    pip = (str(folder / "venv" / "bin" / "python"), "-m", "pip")
    run("`pip install`", *pip, "install", "--quiet", *offline, requirement)
    (home / "medals.csv").write_text(TABLE, encoding="utf-8")
    scripts = folder / "venv" / "bin"
    with serve_jars() as address:
        run("`tuqa-load`", str(scripts / "tuqa-load"), "medals.csv", TUQA_JAR_MIRROR=address)
    answer = run("`tuqa ask`", str(scripts / "tuqa"), "ask", QUESTION, "--dataset", "medals")
    (jars,) = home.rglob("jars")
    downloaded = {
        "`pip install`": measure_size(wheels),
        "`tuqa-load`": sum(path.stat().st_size for path in jars.rglob("*.jar")),
    }
    measured = [(name, seconds, downloaded.get(name, 0)) for name, seconds in steps]
    run("stop", str(scripts / "tuqa"), "neo4j", "stop")
    assert answer.startswith("Japan\n"), answer
    return measured


def measure_extras(wheel: Path) -> dict[str, tuple[int, int]]:
    """Extra → packages and bytes of an environment that has it."""
    code = "from importlib.metadata import distributions as d; print(len([*d()]))"
    sizes = {}
    for extra in EXTRAS:
        with tempfile.TemporaryDirectory() as folder:
            python, size = install_wheel(wheel, extra, Path(folder))
            counted = subprocess.run([python, "-c", code], check=True, capture_output=True)
            sizes[extra] = int(counted.stdout), size
    return sizes


def describe(
    extras: dict[str, tuple[int, int]], steps: list[tuple[str, float, int]], version: str
) -> str:
    python = sys.version.split()[0]
    lines = [
        "# Installation",
        "",
        f"Written by `python -m bench.first_answer`: version {version}, Python {python}, Linux.",
        "",
        "| installed | packages | MB on disk | limit |",
        "|---|---|---|---|",
    ]
    for extra, (packages, size) in extras.items():
        limit = f"{MAX_INSTALLED[extra] / 1e6:.0f}" if extra in MAX_INSTALLED else ""
        name = f"`[{extra}]`" if extra else "without extras"
        lines.append(f"| {name} | {packages} | {size / 1e6:.0f} | {limit} |".replace("|  |", "| |"))
    lines += [
        "",
        "From an empty home to the first answer over a CSV, with `[embedded]`. The time of a download is",
        f"computed for {BANDWIDTH / 1e6:.0f} MB/s; the limit is {MAX_SECONDS:.0f} s in all.",
        "",
        "| step | seconds | MB to download | seconds with the download |",
        "|---|---|---|---|",
    ]
    in_all = ("in all", sum(step[1] for step in steps), sum(step[2] for step in steps))
    for name, seconds, size in [*steps, in_all]:
        total = seconds + size / BANDWIDTH
        lines.append(f"| {name} | {seconds:.0f} | {size / 1e6:.0f} | {total:.0f} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "version"
    ]
    with tempfile.TemporaryDirectory() as built, tempfile.TemporaryDirectory() as folder:
        (wheel,) = (file for file in build_distributions(Path(built)) if file.suffix == ".whl")
        steps = measure_first_answer(wheel, Path(folder))
        extras = measure_extras(wheel)
    page = describe(extras, steps, version)
    print(page)
    seconds = sum(seconds + size / BANDWIDTH for _, seconds, size in steps)
    if seconds > MAX_SECONDS:
        sys.exit(f"error: the first answer takes {seconds:.0f} s, at most {MAX_SECONDS:.0f}")
    for extra, limit in MAX_INSTALLED.items():
        if extras[extra][1] > limit:
            sys.exit(f"error: [{extra}] takes {extras[extra][1]:,} bytes, at most {limit:,}")
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
