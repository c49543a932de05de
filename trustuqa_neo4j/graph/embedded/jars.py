"""The jars that the embedded server runs on: fetched once, verified at every start.

A lock file in this folder lists them with their checksums (``lockfile.py`` makes it). They lie under
``TUQA_HOME/jars`` as in any Maven repository, so versions of Neo4j share what they have in common, and
the folder can itself be served as a mirror. Each jar arrives under a temporary name and is moved to its
own only when its checksum is right: whatever stops a download, it goes on jar by jar next time. The
alternative, one archive, would make this project a distributor of Neo4j, and start again from zero.
"""

from __future__ import annotations

import hashlib
import shutil
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ...errors import BadSettings, DiskFull
from .extras import OWN_SERVER, embedded_extra
from .fetching import Progress, fetch, trouble_writing
from .workers import run_all

# More threads gain nothing: 0.06 s for 185 MB on two cores, so no shortcut by time or size is taken.
VERIFYING_THREADS = 4
# The lock file knows no sizes: jars average 0.8 MB.
BYTES_PER_JAR = 1_000_000
STALE_AFTER = 3600.0  # seconds; a temporary file this old belongs to no download that still runs


@dataclass(frozen=True)
class Jar:
    """One file of the lock: where it lies in a Maven repository, and its checksum."""

    path: str
    sha256: str

    @property
    def name(self) -> str:
        """The file name alone."""
        return self.path.rpartition("/")[2]


@dataclass(frozen=True)
class JarLock:
    """What one version of Neo4j runs on."""

    version: str
    java: int  # the oldest Java that its class files allow
    jars: tuple[Jar, ...]


def locked_versions() -> tuple[str, ...]:
    """The versions of Neo4j that have a lock file, oldest first."""
    names = (p.name for p in Path(__file__).parent.glob("neo4j-*.lock.toml"))
    versions = (n.removeprefix("neo4j-").removesuffix(".lock.toml") for n in names)
    return tuple(sorted(versions, key=version_key))


def version_key(version: str) -> tuple[int, ...]:
    """A version as numbers, for comparing: ``5.26.30`` is older than ``2026.08.1``."""
    return tuple(int(part) if part.isdigit() else 0 for part in version.split("."))


def read_lock(version: str) -> JarLock:
    """The jars of Neo4j ``version``.

    Raises:
        BadSettings: there is no lock file for this version.
        MissingExtra: jgo is not installed.
    """
    known = locked_versions()
    if version not in known:
        raise BadSettings(
            f"Neo4j {version!r} cannot be run as the embedded server",
            where="TUQA_NEO4J_VERSION",
            hint=f"known are {', '.join(known)}; {OWN_SERVER}",
        )
    with embedded_extra():
        from jgo.env import LockFile

    locked = LockFile.load(Path(__file__).with_name(f"neo4j-{version}.lock.toml"))
    jars = []
    for item in locked.dependencies:
        ending = f"-{item.classifier}.{item.packaging}" if item.classifier else f".{item.packaging}"
        folder = f"{item.groupId.replace('.', '/')}/{item.artifactId}/{item.version}"
        jars.append(Jar(f"{folder}/{item.artifactId}-{item.version}{ending}", item.sha256 or ""))
    return JarLock(version, locked.min_java_version or 0, tuple(jars))


def ensure_jars(
    lock: JarLock, folder: Path, mirror: str | None = None, progress: Progress | None = None
) -> tuple[Path, ...]:
    """The jars of ``lock`` in ``folder``, every one verified; what is missing or damaged is fetched.

    Args:
        lock: what to have.
        folder: a Maven repository, made where it is not there.
        mirror: address that replaces the public repository.
        progress: called with (jars done, jars to fetch), only when there is something to fetch.

    Raises:
        DownloadFailed, ChecksumMismatch, DiskFull, HomeNotUsable: nothing half-written stays.
    """
    missing = _missing(lock.jars, folder)
    if missing:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _sweep(folder)
        except OSError as error:
            raise trouble_writing(error, folder) from error
        check_space(folder, len(missing) * BYTES_PER_JAR)
        fetch(missing, folder, mirror, progress or (lambda _done, _total: None))
    return tuple(folder / jar.path for jar in lock.jars)


def _missing(jars: Iterable[Jar], folder: Path) -> list[Jar]:
    """The jars that are not there as they should be; damaged ones are removed."""
    found: list[Jar] = []

    def look(jar: Jar, _cancelled: threading.Event) -> None:
        path = folder / jar.path
        if not path.is_file():
            found.append(jar)
        elif _sha256(path) != jar.sha256:
            path.unlink()
            found.append(jar)

    try:
        run_all([partial(look, jar) for jar in jars], VERIFYING_THREADS)
    except OSError as error:
        raise trouble_writing(error, folder) from error
    return sorted(found, key=lambda jar: jar.path)


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def _sweep(folder: Path) -> None:
    """Removes what a download that was killed outright left under a temporary name."""
    for path in folder.glob("**/tmp*"):
        if path.is_file() and not path.suffix and time.time() - path.stat().st_mtime > STALE_AFTER:
            path.unlink(missing_ok=True)


def check_space(folder: Path, need: int) -> None:
    """Sees that ``need`` bytes can be written.

    Raises:
        DiskFull
    """
    free = shutil.disk_usage(folder).free
    if free < need:
        raise DiskFull(
            f"the embedded server needs {need / 1e6:.0f} MB and {free / 1e6:.0f} MB are free",
            where=str(folder),
            hint=f"free some space, set TUQA_HOME to a folder on another disk, {OWN_SERVER}",
        )
