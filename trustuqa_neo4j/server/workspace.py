"""The private folder of a running server: uploads that are not loaded yet, and copies of what is read.

It lies beside the uploaded files of datasets, since files move from there to here. A lock shows that its
server lives, also after the server was killed: then the next server removes the folder.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from ..errors import DiskFull

_PREFIX = ".new-"
_LOCK = "lock"


@contextmanager
def open_workspace(uploads: Path) -> Iterator[Path]:
    """Create the folder of a server in ``uploads``, and remove it at the end.

    Raises:
        DiskFull
    """
    try:
        uploads.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Nobody removes a folder between its creation and its lock.
        with FileLock(uploads / ".lock"):
            _remove_abandoned(uploads)
            folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=uploads))
            lock = FileLock(folder / _LOCK)
            lock.acquire()
    except OSError as error:
        raise DiskFull(
            f"no folder for uploads ({error.strerror})",
            where=str(uploads),
            hint="set TUQA_HOME to a folder that can be written",
        ) from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        lock.release()


def _remove_abandoned(uploads: Path) -> None:
    for folder in uploads.glob(f"{_PREFIX}*"):
        try:
            with FileLock(folder / _LOCK, timeout=0):
                shutil.rmtree(folder, ignore_errors=True)
        except Timeout:
            continue  # its server lives
