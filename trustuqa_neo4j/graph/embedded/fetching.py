"""Downloads jars, each verified before it counts.

pooch writes a file under a temporary name and moves it to its own when its checksum is right. Here is
what it leaves to others: sixteen at a time, stopping at once, and errors that say what to try.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ...errors import (
    ChecksumMismatch,
    DiskFull,
    DownloadFailed,
    EmbeddedError,
    HomeNotUsable,
    TrustUQAError,
)
from .extras import OWN_SERVER, embedded_extra
from .workers import Cancelled, run_all

if TYPE_CHECKING:
    import requests

    from .jars import Jar

Progress = Callable[[int, int], None]
"""Is told (jars done, jars to do)."""

THREADS = 16
CHUNK = 1 << 16
TIMEOUTS = (10.0, 20.0)  # seconds to connect, seconds of silence
RETRIES = 3  # of a jar, when the server is too busy or the connection breaks
# Windows knows no quotas.
DISK_FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))


def fetch(jars: Sequence[Jar], folder: Path, mirror: str | None, progress: Progress) -> None:
    """Fetches every one of ``jars`` into ``folder``; the first that cannot be had stops the rest.

    Raises:
        DownloadFailed, ChecksumMismatch, DiskFull, HomeNotUsable
    """
    with embedded_extra():
        import pooch
        from jgo.constants import MAVEN_CENTRAL_URL

    # pooch announces each file as news; the progress callback tells enough.
    pooch.get_logger().setLevel(logging.ERROR)
    base = (mirror or MAVEN_CENTRAL_URL).rstrip("/")

    drafts: set[str] = set()

    def one(jar: Jar, cancelled: threading.Event) -> None:
        target = folder / jar.path
        try:
            pooch.retrieve(
                f"{base}/{jar.path}",
                known_hash=f"sha256:{jar.sha256}",
                fname=target.name,
                path=target.parent,
                downloader=_Downloader(cancelled, drafts),
            )
        except Exception as error:
            raise _explained(error, jar, folder, base) from error

    progress(0, len(jars))
    work = [partial(one, jar) for jar in jars]
    try:
        run_all(work, THREADS, lambda done: progress(done, len(jars)))
    except BaseException:
        for draft in drafts:  # of threads that wait for a silent server and may not come to it
            with contextlib.suppress(OSError):
                Path(draft).unlink()
        raise


class _Downloader:
    """Fetches one address into one file for pooch, and gives up when told to.

    pooch's own would go on until the end of the file, flushing every kilobyte.
    """

    _local = threading.local()

    def __init__(self, cancelled: threading.Event, drafts: set[str]) -> None:
        self._cancelled = cancelled
        self._drafts = drafts

    def __call__(self, url: str, output_file: str, _pooch: object) -> None:
        self._drafts.add(output_file)
        with (
            self._session().get(url, stream=True, timeout=TIMEOUTS) as response,
            Path(output_file).open("wb") as file,
        ):
            response.raise_for_status()
            for chunk in response.iter_content(CHUNK):
                if self._cancelled.is_set():
                    raise Cancelled
                file.write(chunk)

    def _session(self) -> requests.Session:
        """One for each thread, which keeps its connection for the next jar."""
        with embedded_extra():
            import requests
            from requests.adapters import HTTPAdapter
            from urllib3.util import Retry
        session: requests.Session | None = getattr(self._local, "session", None)
        if session is None:
            session = self._local.session = requests.Session()
            retry = Retry(
                RETRIES, connect=1, backoff_factor=0.2, status_forcelist=[429, 502, 503, 504]
            )
            for scheme in ("http://", "https://"):
                session.mount(scheme, HTTPAdapter(max_retries=retry))
        return session


def _explained(error: Exception, jar: Jar, folder: Path, base: str) -> Exception:
    """The error that says what to try, for whatever fetching ``jar`` ended in."""
    if isinstance(error, (Cancelled, TrustUQAError)):
        return error
    import requests

    if isinstance(error, requests.RequestException):
        response = getattr(error, "response", None)
        why = (
            f"the answer was {response.status_code} {response.reason}"
            if response is not None
            else _root(error)
        )
        return DownloadFailed(
            f"{jar.name} could not be fetched ({why})",
            where=_shown(base),
            hint="check the network connection and try again (jars that have arrived are kept), set "
            f"TUQA_JAR_MIRROR to a mirror that you can reach, {OWN_SERVER}",
        )
    if isinstance(error, OSError):
        return trouble_writing(error, folder)
    if isinstance(error, ValueError):  # pooch's word for a wrong checksum
        return ChecksumMismatch(
            f"{jar.name} is not the file that was locked (its SHA-256 differs) and was thrown away",
            where=_shown(base),
            hint="try again; if it stays so, the mirror or something on the way to it is at fault: "
            "set TUQA_JAR_MIRROR to another one",
        )
    return error


def trouble_writing(error: OSError, folder: Path) -> EmbeddedError:
    """The error that says what to try when jars cannot be kept in ``folder``."""
    if error.errno in DISK_FULL:
        return DiskFull(
            "the disk filled up while jars were written",
            where=str(folder),
            hint=f"free some space and try again, or set TUQA_HOME to a folder on another disk, "
            f"{OWN_SERVER}",
        )
    return HomeNotUsable(
        f"jars cannot be kept there ({error.strerror or error})",
        where=str(error.filename or folder),
        hint="set TUQA_HOME to a folder that you can write",
    )


def _root(error: BaseException) -> str:
    """The innermost reason: the outer ones repeat addresses and the names of libraries."""
    while (inner := error.__cause__ or error.__context__) is not None:
        error = inner
    text = error.strerror if isinstance(error, OSError) else None
    return (text or str(error) or type(error).__name__).strip()


def _shown(base: str) -> str:
    """An address without the user name and password it may hold."""
    parts = urlsplit(base)
    return base.replace(parts.netloc, parts.netloc.rpartition("@")[2], 1)
