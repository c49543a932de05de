"""The wheel, built and used where no checkout is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from functools import partial
from pathlib import Path

import pytest

from bench.release_check import ROOT, build_distributions, find_large_files


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files = build_distributions(tmp_path_factory.mktemp("wheel"))
    assert [path.suffix for path in files] == [".whl", ".gz"]
    assert find_large_files(files) == []
    return files[0]


def test_it_holds_what_the_package_reads(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for needed in (
        "trustuqa_neo4j/answer.schema.json",
        "trustuqa_neo4j/py.typed",
        "trustuqa_neo4j/cypher/facts_from_heads.cypher",
        "trustuqa_neo4j/docker/browser.grass",
        "trustuqa_neo4j/docker/compose.yaml",
        "trustuqa_neo4j/example/apollo.tsv",
        "trustuqa_neo4j/example/missions.csv",
        "trustuqa_neo4j/example/service.tsv",
        "trustuqa_neo4j/loaders/kg.py",
    ):
        assert needed in names
    assert any(name.endswith(".lock.toml") for name in names)
    assert not any(name.startswith(("tests/", "bench/", "cypher/", "loaders/")) for name in names)
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_it_serves_every_system(wheel: Path) -> None:
    assert wheel.name.endswith("-py3-none-any.whl")
    archive = zipfile.ZipFile(wheel)
    (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/WHEEL"))
    lines = archive.read(name).decode().splitlines()
    assert {"Root-Is-Purelib: true", "Tag: py3-none-any"} <= {*lines}


def test_other_versions_of_python_are_refused(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
    assert "\nRequires-Python: <3.15,>=3.11\n" in archive.read(name).decode()
    for version in ("3.10", "3.15"):
        words = ["--no-deps", "--only-binary=:all:", "--python-version", version]
        done = subprocess.run(
            [sys.executable, "-m", "pip", "download", *words, "--dest", wheel.parent, wheel],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode != 0
        assert f"requires a different Python: {version}" in done.stderr


@pytest.mark.long
def test_it_is_installed_without_a_network(wheel: Path, tmp_path: Path) -> None:
    """From a folder of wheels that another machine has filled; pip has no index, and no cache."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    run = partial(subprocess.run, check=True, capture_output=True, text=True)
    run([sys.executable, "-m", "pip", "download", "--quiet", "--dest", wheels, wheel])
    run([sys.executable, "-m", "venv", tmp_path / "venv"])
    python = tmp_path / "venv" / "bin" / "python"
    words = ["--no-index", "--no-cache-dir", "--find-links", wheels, "trustuqa-neo4j"]
    run([python, "-m", "pip", "install", "--quiet", *words])
    done = run([python.with_name("tuqa-load"), "--list"], cwd=tmp_path)
    assert "table" in done.stdout


@pytest.mark.parametrize(
    ("refused", "message"),
    [
        ("-c", "Python 3.11 to 3.14 is needed: make PYTHON=python3.12\n"),
        ("-m", "python3 has no venv module: on Debian and Ubuntu, apt install python3-venv\n"),
    ],
)
def test_make_names_what_python_lacks(tmp_path: Path, refused: str, message: str) -> None:
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\n[ "$1" != {refused} ]\n', encoding="utf-8")
    python.chmod(0o700)
    for name in ("Makefile", "pyproject.toml"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    words = ["make", "--silent", "install", f"PYTHON={python}"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert done.stderr.startswith(message)


@pytest.mark.long
def test_everything_public_has_a_type(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    words = ["basedpyright", "--verifytypes", "trustuqa_neo4j", "--ignoreexternal", "--outputjson"]
    bin_folder = Path(
        sys.executable
    ).parent  # its python is the first one, which knows the packages
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=tmp_path,
        env={"PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )
    report = json.loads(done.stdout)["typeCompleteness"]
    assert report["packageRootDirectory"].startswith(str(site))
    assert report["exportedSymbolCounts"]["withKnownType"] > 5_000
    without = [entry["name"] for entry in report["symbols"] if not entry["isTypeKnown"]]
    assert [name for name in without if name.startswith("trustuqa_neo4j")] == []


def test_it_works_outside_the_checkout(wheel: Path, tmp_path: Path) -> None:
    """Unpacked before the editable install on the path, with the dependencies of this environment."""
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    code = """
import trustuqa_neo4j
from importlib.metadata import version
from trustuqa_neo4j.graph import statements
from trustuqa_neo4j.language.parser import parse_query
from trustuqa_neo4j.loading.formats import list_loaders
print(trustuqa_neo4j.__file__)
assert trustuqa_neo4j.__version__ == version("trustuqa-neo4j")
assert [statements.get_statement(name) for name in statements.list_statements()]
assert parse_query("get_information(head_entity='a', relation='b')").steps
print(list_loaders()["kg"].read.__globals__["__file__"])
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert all(line.startswith(str(site)) for line in done.stdout.splitlines()), done.stdout
