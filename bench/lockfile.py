"""A developer's command: writes the list of jars that one version of Neo4j runs on.

``python -m bench.lockfile VERSION`` resolves the Maven coordinates of the server and
writes ``neo4j-VERSION.lock.toml`` into the package, in jgo's own format. The same input gives the
same file, byte for byte. The alternative, to resolve on the user's machine, reads some 500 POMs in
turn (two minutes), and what it finds may differ from what was tested.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from trustuqa_neo4j.embedded.home import embedded_extra

if TYPE_CHECKING:
    from jgo.env import LockFile
    from jgo.maven import Artifact

# Neo4j Browser has versions of its own.
BROWSER = "org.neo4j.client:neo4j-browser:5.24.0"
SERVER = ("org.neo4j:neo4j", "org.neo4j.app:neo4j-server", "org.neo4j:neo4j-import-tool")

# Some POMs name these in the wrong scope, so that jgo takes them for run-time libraries: they serve
# the tests of those libraries, and nothing on the class path refers to them.
TEST_GROUPS = ("junit", "net.bytebuddy", "org.hamcrest", "org.mockito", "org.objenesis")

FOLDER = Path(__file__).parents[1] / "trustuqa_neo4j" / "embedded"
"""Where the package reads its lock files."""

HEAD = "# Made by: python -m bench.lockfile {version}\n"


def lock(version: str) -> LockFile:
    """The jars of Neo4j ``version`` with their checksums, fetched through the local Maven cache."""
    with embedded_extra():
        import jgo
        from jgo.env import LockedDependency, LockFile, jar_java_version

    endpoint = "+".join([*(f"{name}:{version}" for name in SERVER), BROWSER])
    artifacts = [a for a in jgo.resolve(endpoint) if a.groupId not in TEST_GROUPS]
    artifacts.sort(key=_coordinate)
    needed = [jar_java_version(a, round_to_lts_version=True) or 0 for a in artifacts]
    return LockFile(
        dependencies=[
            LockedDependency(
                groupId=artifact.groupId,
                artifactId=artifact.artifactId,
                version=artifact.version,
                packaging=artifact.packaging,
                classifier=artifact.classifier or None,
                sha256=_sha256(artifact.resolve()),
            )
            for artifact in artifacts
        ],
        environment_name=f"neo4j-{version}",
        min_java_version=max(needed),
        jgo_version=jgo.__version__,
    )


def write(locked: LockFile, path: Path, version: str) -> None:
    """Saves the lock without the moment it was made, which would differ each time."""
    locked.save(path)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith("generated = ")]
    path.write_text(HEAD.format(version=version) + "".join(kept), encoding="utf-8")


def _coordinate(artifact: Artifact) -> tuple[str, str, str, str]:
    return artifact.groupId, artifact.artifactId, artifact.version, artifact.classifier or ""


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main() -> None:
    """The command; its argument is the version."""
    description = "Write the lock file of a version of Neo4j."
    example = "Example: python -m bench.lockfile 2026.08.1"
    parser = argparse.ArgumentParser("lockfile", description=description, epilog=example)
    parser.add_argument("version")
    version = parser.parse_args().version
    path = FOLDER / f"neo4j-{version}.lock.toml"
    locked = lock(version)
    write(locked, path, version)
    sys.stderr.write(f"{path.name}: {len(locked.dependencies)} jars\n")


if __name__ == "__main__":
    main()
