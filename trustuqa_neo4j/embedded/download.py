"""The jars that the embedded server runs on: downloaded once, verified at every start.

A lock file in this folder (``bench/lockfile.py`` writes it) lists them with their checksums. They lie under
``TUQA_HOME/jars`` as in a Maven repository, so versions of Neo4j share jars, and the folder can serve as a
mirror. pooch renames a jar to its own name once its checksum is right, so an interrupted download continues
jar by jar. One archive would make this project a distributor of Neo4j, and start again from zero.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import queue
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from ..errors import BadSettings, ChecksumMismatch, DownloadFailed, find_root_cause
from .config import version_key
from .home import OWN_SERVER, check_free_space, embedded_extra, write_error

if TYPE_CHECKING:
    import requests

JarProgress = Callable[[int, int], None]  # called with (jars done, jars to do)

# More threads gain nothing: 0.06 s for 185 MB on two cores, so no shortcut by time or size is taken.
_VERIFY_THREADS = 4
_DOWNLOAD_THREADS = 16
_BYTES_PER_JAR = 1_000_000  # the lock file has no sizes: jars average 0.8 MB
STALE_AFTER = 3600.0  # seconds; a temporary file this old belongs to no download that still runs

_CHUNK = 1 << 16
_TIMEOUTS = (10.0, 20.0)  # seconds to connect, seconds of silence
_RETRIES = 3  # of a jar, when the server is too busy or the connection breaks


@dataclass(frozen=True)
class Jar:
    path: str  # in a Maven repository
    sha256: str

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


@dataclass(frozen=True)
class JarLock:
    version: str
    java: int  # the oldest Java that its class files allow
    jars: tuple[Jar, ...]


def locked_versions() -> tuple[str, ...]:
    # Oldest first.
    names = (path.name for path in Path(__file__).parent.glob("neo4j-*.lock.toml"))
    versions = (name.removeprefix("neo4j-").removesuffix(".lock.toml") for name in names)
    return tuple(sorted(versions, key=version_key))


def read_lock(version: str) -> JarLock:
    versions = locked_versions()
    if version not in versions:
        raise BadSettings(
            f"Neo4j {version!r} cannot be run as the embedded server",
            where="TUQA_NEO4J_VERSION",
            hint=f"known are {', '.join(versions)}; {OWN_SERVER}",
        )
    with embedded_extra():
        from jgo.env import LockFile

    lock = LockFile.load(Path(__file__).with_name(f"neo4j-{version}.lock.toml"))
    jars = []
    for item in lock.dependencies:
        ending = f"-{item.classifier}.{item.packaging}" if item.classifier else f".{item.packaging}"
        folder = f"{item.groupId.replace('.', '/')}/{item.artifactId}/{item.version}"
        jars.append(Jar(f"{folder}/{item.artifactId}-{item.version}{ending}", item.sha256 or ""))
    return JarLock(version, lock.min_java_version or 0, tuple(jars))


def has_jars(lock: JarLock, folder: Path) -> bool:
    return not count_download_bytes(lock, folder)


def count_download_bytes(lock: JarLock, folder: Path) -> int:
    # Free bytes that a download needs. Without a look into the jars that are there.
    return sum(not (folder / jar.path).is_file() for jar in lock.jars) * _BYTES_PER_JAR


def ensure_jars(
    lock: JarLock, folder: Path, mirror: str | None = None, progress: JarProgress | None = None
) -> tuple[Path, ...]:
    # ``mirror`` replaces the address of the public repository. ``progress`` is called only if there
    # is something to download. After an error no half-written jar remains.
    missing = _find_missing(lock.jars, folder)
    if missing:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _remove_stale_files(folder)
        except OSError as error:
            raise write_error(error, folder) from error
        check_free_space(folder, len(missing) * _BYTES_PER_JAR)
        _download(missing, folder, mirror, progress or (lambda _done, _total: None))
    return tuple(folder / jar.path for jar in lock.jars)


def _find_missing(jars: Iterable[Jar], folder: Path) -> list[Jar]:
    # Damaged files are removed.
    missing: list[Jar] = []

    def verify(jar: Jar, _cancelled: threading.Event) -> None:
        path = folder / jar.path
        if path.is_file():
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            if digest == jar.sha256:
                return
            path.unlink()
        missing.append(jar)

    try:
        run_jobs([partial(verify, jar) for jar in jars], _VERIFY_THREADS)
    except OSError as error:
        raise write_error(error, folder) from error
    return sorted(missing, key=lambda jar: jar.path)


def _remove_stale_files(folder: Path) -> None:
    # A killed download leaves temporary files.
    for path in folder.glob("**/tmp*"):
        if path.is_file() and not path.suffix and time.time() - path.stat().st_mtime > STALE_AFTER:
            path.unlink(missing_ok=True)


def _download(jars: Sequence[Jar], folder: Path, mirror: str | None, progress: JarProgress) -> None:
    # The first failure stops the others.
    with embedded_extra():
        import pooch
        import requests
        from jgo.constants import MAVEN_CENTRAL_URL

    # pooch logs every file; the progress callback is enough.
    pooch.get_logger().setLevel(logging.ERROR)
    base = (mirror or MAVEN_CENTRAL_URL).rstrip("/")
    drafts: set[str] = set()

    def download(jar: Jar, cancelled: threading.Event) -> None:
        target = folder / jar.path
        try:
            pooch.retrieve(
                f"{base}/{jar.path}",
                known_hash=f"sha256:{jar.sha256}",
                fname=target.name,
                path=target.parent,
                # pooch calls it with other arguments than its type says.
                downloader=cast("Any", _Downloader(cancelled, drafts)),
            )
        except requests.RequestException as error:
            raise _download_error(error, jar, base) from error
        except OSError as error:
            raise write_error(error, folder) from error
        except ValueError as error:  # a wrong checksum
            raise ChecksumMismatch(
                f"{jar.name} is not the file that was locked (its SHA-256 differs) and was removed",
                where=_without_credentials(base),
                hint="try again; if this error stays, the mirror or a proxy changes the file: "
                "set TUQA_JAR_MIRROR to another mirror",
            ) from error

    progress(0, len(jars))
    jobs = [partial(download, jar) for jar in jars]
    try:
        run_jobs(jobs, _DOWNLOAD_THREADS, lambda done: progress(done, len(jars)))
    except BaseException:
        for draft in drafts:  # of threads that wait for a silent server and may not come to it
            with contextlib.suppress(OSError):
                Path(draft).unlink()
        raise


class _Downloader:
    # pooch's own would read to the end of the file after a cancellation, and flush every kilobyte.
    _local = threading.local()

    def __init__(self, cancelled: threading.Event, drafts: set[str]) -> None:
        self._cancelled = cancelled
        self._drafts = drafts

    def __call__(self, url: str, output_file: str, _pooch: object) -> None:
        self._drafts.add(output_file)
        with (
            self._session().get(url, stream=True, timeout=_TIMEOUTS) as response,
            Path(output_file).open("wb") as file,
        ):
            response.raise_for_status()
            for chunk in response.iter_content(_CHUNK):
                if self._cancelled.is_set():
                    raise JobCancelled
                file.write(chunk)

    def _session(self) -> requests.Session:
        # One per thread; it keeps its connection for the next jar.
        with embedded_extra():
            import requests
            from requests.adapters import HTTPAdapter
            from urllib3.util import Retry
        session: requests.Session | None = getattr(self._local, "session", None)
        if session is None:
            session = self._local.session = requests.Session()
            retry = Retry(
                _RETRIES, connect=1, backoff_factor=0.2, status_forcelist=[429, 502, 503, 504]
            )
            for scheme in ("http://", "https://"):
                session.mount(scheme, HTTPAdapter(max_retries=retry))
        return session


def _download_error(error: requests.RequestException, jar: Jar, base: str) -> DownloadFailed:
    response = getattr(error, "response", None)
    reason = (
        f"the answer was {response.status_code} {response.reason}"
        if response is not None
        else _innermost_reason(error)
    )
    return DownloadFailed(
        f"{jar.name} could not be fetched ({reason})",
        where=_without_credentials(base),
        hint=f"{_find_remedy(error, reason, base)} and try again (jars that have arrived are kept), set "
        f"TUQA_JAR_MIRROR to a mirror that you can reach, {OWN_SERVER}",
    )


def _find_remedy(error: requests.RequestException, reason: str, base: str) -> str:
    from requests.exceptions import ProxyError
    from requests.utils import get_environ_proxies, select_proxy

    if "CERTIFICATE_VERIFY_FAILED" in reason:
        return "set REQUESTS_CA_BUNDLE to the certificates of your proxy"
    proxy = select_proxy(base, get_environ_proxies(base))
    if isinstance(error, ProxyError) and proxy:
        return f"check the proxy of your environment, {_without_credentials(proxy)}"
    return "check the network connection"


def _innermost_reason(error: BaseException) -> str:
    # The outer errors repeat addresses and the names of libraries.
    error = find_root_cause(error)
    text = error.strerror if isinstance(error, OSError) else None
    return (text or str(error) or type(error).__name__).strip()


def _without_credentials(address: str) -> str:
    parts = urlsplit(address)
    return address.replace(parts.netloc, parts.netloc.rpartition("@")[2], 1)


# Many small jobs on a few threads, which stop at the first error or at Ctrl-C.
#
# With ``concurrent.futures`` the interpreter waits for its threads when it ends, so that Ctrl-C during a
# download from a silent server lasts as long as its timeout. These threads are daemons: they get a moment
# to stop, and then end with the program.


Job = Callable[[threading.Event], None]  # checks the event now and then, and raises JobCancelled

_STOP_TIMEOUT = 1.0  # seconds that threads have to clean up
_POLL_INTERVAL = 0.5  # seconds; Windows delivers Ctrl-C only between waits


class JobCancelled(Exception):  # no error: a job raises it when it has to stop
    pass


def run_jobs(
    jobs: Sequence[Job], threads: int, notify: Callable[[int], None] | None = None
) -> None:
    # The first error cancels the other jobs and is raised. ``notify`` is called in this thread with
    # the number of finished jobs.
    waiting: queue.SimpleQueue[Job] = queue.SimpleQueue()
    for job in jobs:
        waiting.put(job)
    results: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()
    cancelled = threading.Event()
    workers = [
        threading.Thread(target=_run_worker, args=(waiting, results, cancelled), daemon=True)
        for _ in range(min(threads, len(jobs)))
    ]
    for worker in workers:
        worker.start()
    try:
        for finished in range(1, len(jobs) + 1):
            error = _next_result(results)
            if error is not None:
                raise error
            if notify is not None:
                notify(finished)
    finally:
        cancelled.set()
        deadline = time.monotonic() + _STOP_TIMEOUT
        for worker in workers:
            worker.join(max(0.0, deadline - time.monotonic()))


def _run_worker(
    waiting: queue.SimpleQueue[Job],
    results: queue.SimpleQueue[BaseException | None],
    cancelled: threading.Event,
) -> None:
    with contextlib.suppress(queue.Empty):
        while not cancelled.is_set():
            job = waiting.get_nowait()
            try:
                job(cancelled)
            except BaseException as error:  # noqa: BLE001  # handed to the caller's thread
                results.put(error)
            else:
                results.put(None)


def _next_result(results: queue.SimpleQueue[BaseException | None]) -> BaseException | None:
    while True:
        with contextlib.suppress(queue.Empty):
            return results.get(timeout=_POLL_INTERVAL)
