"""``Uploads``: the uploaded files, under names of ours.

A name of a user can be too long for a file, or equal to another one once it is made safe. So the folder of a
dataset and a file in it are named after the sha256 of their names.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from hashlib import sha256
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile

from ..errors import DiskFull, UsageError, undo_on_failure
from ..loading.formats import File
from ..render.terminal import escape_controls

MAX_NAME = 1_000
"""Characters in the name of an uploaded file, which can become the name of a source."""

_CHUNK = 1 << 20


class Uploads:
    """Those that are not loaded yet are in ``workspace``, the others beside it, by dataset."""

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace
        self._folder = workspace.parent

    def find(self, dataset: str, name: str) -> Path:
        """Where the uploaded file ``name`` of ``dataset`` is, if there is one."""
        return self._folder / _make_id(dataset) / _make_id(name)

    async def receive(self, uploads: list[UploadFile]) -> tuple[Path, tuple[File, ...]]:
        """Write the files to a new folder, and return it with them.

        Raises:
            UsageError, DiskFull
        """
        names = [_clean_name(upload.filename or "") for upload in uploads]
        for name in names:
            if names.count(name) > 1:
                raise UsageError(f"two files are called {name!r}", hint="rename one of them")
        folder = self.make_folder()
        with undo_on_failure(partial(shutil.rmtree, folder, ignore_errors=True)):
            files = tuple(File(folder / _make_id(name), name) for name in names)
            for upload, file in zip(uploads, files, strict=True):
                await run_in_threadpool(_write_upload, upload, file)
        return folder, files

    def make_folder(self) -> Path:
        """Create a private folder that ends with the server at the latest.

        Raises:
            DiskFull
        """
        with _disk_errors("no folder for uploads", str(self._workspace)):
            return Path(tempfile.mkdtemp(dir=self._workspace))

    def remove(self, dataset: str) -> None:
        """Delete the uploaded files of ``dataset``, if there are any."""
        shutil.rmtree(self._folder / _make_id(dataset), ignore_errors=True)

    def rename(self, dataset: str, name: str) -> None:
        """Move the uploaded files of ``dataset`` to those of ``name``, which has none of its own."""
        self.remove(name)
        with suppress(
            OSError
        ):  # the dataset has its new name; only the lines of facts are not shown
            (self._folder / _make_id(dataset)).rename(self._folder / _make_id(name))

    def keep(self, files: Sequence[File], dataset: str) -> None:
        """Move ``files`` to those of ``dataset``.

        Raises:
            DiskFull
        """
        if not files:
            return
        target = self._folder / _make_id(dataset)
        with _disk_errors("the uploaded files cannot be kept", str(target)):
            target.mkdir(mode=0o700, exist_ok=True)
            for file in files:
                file.path.replace(target / file.path.name)


def _make_id(name: str) -> str:
    return sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _clean_name(name: str) -> str:
    # Some browsers send a whole path.
    name = escape_controls(name.replace("\\", "/").rpartition("/")[2])
    if not name.strip(". "):
        raise UsageError("an upload without a file name", hint="send filename=NAME")
    if len(name) > MAX_NAME:
        raise UsageError(f"a file name of {len(name):,} characters", hint="rename the file")
    return name


def _write_upload(upload: UploadFile, file: File) -> None:
    with _disk_errors("the upload cannot be written", file.name), file.path.open("xb") as target:
        shutil.copyfileobj(upload.file, target, _CHUNK)


@contextmanager
def _disk_errors(what: str, where: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DiskFull(
            f"{what} ({error.strerror or error})",
            where=where,
            hint="free some space, or set TUQA_HOME to another disk",
        ) from error
