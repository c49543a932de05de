"""The jars: against a mirror of our own, which serves the real ones, wrong ones, none, or nothing."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import requests
from support.ports import closed_port

from trustuqa_neo4j import Settings
from trustuqa_neo4j.embedded import download
from trustuqa_neo4j.embedded.config import DEFAULT_VERSION
from trustuqa_neo4j.embedded.download import (
    STALE_AFTER,
    JarLock,
    ensure_jars,
    locked_versions,
    read_lock,
    version_key,
)
from trustuqa_neo4j.errors import (
    BadSettings,
    ChecksumMismatch,
    DiskFull,
    DownloadFailed,
    HomeNotUsable,
    MissingExtra,
    TrustUQAError,
)


@pytest.fixture(scope="session")
def cache() -> Path:
    """The real jars, fetched once on each machine."""
    settings = Settings.read()
    folder = settings.home / "jars"
    ensure_jars(read_lock(settings.neo4j_version or DEFAULT_VERSION), folder, settings.jar_mirror)
    return folder


@pytest.fixture(scope="session")
def full(cache: Path) -> JarLock:
    return read_lock(Settings.read().neo4j_version or DEFAULT_VERSION)


@pytest.fixture(scope="session")
def few(cache: Path, full: JarLock) -> JarLock:
    """The lock of something smaller: the five smallest jars."""
    jars = sorted(full.jars, key=lambda jar: (cache / jar.path).stat().st_size)
    return JarLock(full.version, full.java, tuple(jars[:5]))


@dataclass
class Mirror:
    """A web server on this machine; ``answers`` replaces its answer to a path."""

    address: str
    asked: list[str] = field(default_factory=list)
    answer: Callable[[SimpleHTTPRequestHandler], bool] = lambda _handler: False


@pytest.fixture
def mirror(cache: Path) -> Iterator[Mirror]:
    class Handler(SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            found.asked.append(self.path.rpartition("/")[2])
            if not found.answer(self):
                super().do_GET()

        def log_message(self, *args: Any) -> None:
            """Says nothing."""

    class Server(ThreadingHTTPServer):
        request_queue_size = 64  # all threads knock at once

    with Server(("127.0.0.1", 0), partial(Handler, directory=str(cache))) as server:
        found = Mirror(f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield found
        server.shutdown()
        thread.join()


def test_a_proxy_is_asked(
    mirror: Mirror, few: JarLock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mirror plays the proxy: it gets the whole address of a host that does not exist."""
    hosts: set[str] = set()

    def note_host(handler: SimpleHTTPRequestHandler) -> bool:
        scheme, _, rest = handler.path.partition("://")
        host, _, path = rest.partition("/")
        hosts.add(f"{scheme}://{host}")
        handler.path = f"/{path}"
        return False

    mirror.answer = note_host
    monkeypatch.setenv("HTTP_PROXY", mirror.address)
    monkeypatch.setenv("http_proxy", mirror.address)
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    ensure_jars(few, tmp_path, "http://mirror.invalid")
    assert hosts == {"http://mirror.invalid"}
    assert files(tmp_path) == names(few)


def wrong_bytes(handler: SimpleHTTPRequestHandler) -> bool:
    handler.send_response(200)
    handler.send_header("Content-Length", "5")
    handler.end_headers()
    handler.wfile.write(b"wrong")
    return True


def files(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.rglob("*") if p.is_file())


def names(lock: JarLock) -> list[str]:
    return sorted(jar.name for jar in lock.jars)


def check(error: TrustUQAError, kind: str, *hints: str) -> None:
    assert error.kind == kind
    assert error.exit_code == 3
    for hint in hints:
        assert hint in error.hint


@pytest.mark.parametrize(("version", "java"), [("2026.08.1", 21), ("5.26.30", 17)])
def test_the_lock_files_hold_what_a_server_needs(version: str, java: int) -> None:
    lock = read_lock(version)
    assert lock.java == java
    assert len(lock.jars) > 200
    assert all(len(jar.sha256) == 64 for jar in lock.jars)
    assert len({jar.path for jar in lock.jars}) == len(lock.jars)
    assert f"org/neo4j/app/neo4j-server/{version}/neo4j-server-{version}.jar" in {
        jar.path for jar in lock.jars
    }
    assert "neo4j-browser-5.24.0.jar" in names(lock)
    assert any(name.endswith("-linux-x86_64.jar") for name in names(lock))
    for library in ("mockito", "junit", "hamcrest", "byte-buddy", "objenesis"):
        assert not [name for name in names(lock) if name.startswith(library)]


def test_versions_are_ordered_by_number() -> None:
    assert locked_versions() == ("5.26.30", "2026.08.1")
    assert version_key("5.26.9") < version_key("5.26.30") < version_key("2026.08.1")


def test_a_version_without_a_lock_file_is_refused() -> None:
    with pytest.raises(BadSettings) as caught:
        read_lock("4.4.0")
    assert caught.value.exit_code == 2
    assert str(caught.value) == (
        "Neo4j '4.4.0' cannot be run as the embedded server, TUQA_NEO4J_VERSION\nhint: "
        "known are 5.26.30, 2026.08.1; or set NEO4J_URI to use a server of your own"
    )


def test_jars_are_fetched_once(tmp_path: Path, few: JarLock, mirror: Mirror) -> None:
    progress: list[tuple[int, int]] = []
    found = ensure_jars(few, tmp_path, mirror.address, lambda *seen: progress.append(seen))
    assert found == tuple(tmp_path / jar.path for jar in few.jars)
    assert files(tmp_path) == names(few) == sorted(mirror.asked)
    assert progress == [(done, 5) for done in range(6)]

    assert ensure_jars(few, tmp_path, mirror.address, lambda *seen: progress.append(seen)) == found
    assert len(mirror.asked) == 5
    assert len(progress) == 6


def test_a_damaged_jar_and_a_missing_one_are_fetched_again(
    tmp_path: Path, few: JarLock, mirror: Mirror, cache: Path
) -> None:
    ensure_jars(few, tmp_path, mirror.address)
    mirror.asked.clear()
    damaged, missing = few.jars[0], few.jars[1]
    (tmp_path / damaged.path).write_bytes((tmp_path / damaged.path).read_bytes()[:-1])
    (tmp_path / missing.path).unlink()
    ensure_jars(few, tmp_path, mirror.address)
    assert sorted(mirror.asked) == sorted([damaged.name, missing.name])
    assert (tmp_path / damaged.path).read_bytes() == (cache / damaged.path).read_bytes()


def test_a_jar_that_is_not_the_locked_one_is_thrown_away(
    tmp_path: Path, few: JarLock, mirror: Mirror
) -> None:
    bad = few.jars[2].name
    mirror.answer = lambda handler: handler.path.endswith(bad) and wrong_bytes(handler)
    with pytest.raises(ChecksumMismatch) as caught:
        ensure_jars(few, tmp_path, mirror.address)
    check(caught.value, "checksum mismatch", "TUQA_JAR_MIRROR")
    assert caught.value.what.startswith(f"{bad} is not the file that was locked")
    assert caught.value.where == mirror.address
    assert bad not in files(tmp_path)
    assert set(files(tmp_path)) <= set(names(few))


def test_without_a_network_it_says_what_to_try(tmp_path: Path, few: JarLock) -> None:
    with closed_port() as port:
        address = f"http://127.0.0.1:{port}"
        with pytest.raises(DownloadFailed) as caught:
            ensure_jars(few, tmp_path, address)
    check(caught.value, "download failed", "network", "TUQA_JAR_MIRROR", "NEO4J_URI")
    assert any(name in caught.value.what for name in names(few))
    assert "Connection refused" in caught.value.what
    assert caught.value.where == address
    assert files(tmp_path) == []


def test_a_proxy_that_does_not_answer_is_named_without_its_password(
    tmp_path: Path, few: JarLock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("no_proxy", raising=False)
    with closed_port() as port:
        monkeypatch.setenv("http_proxy", f"http://ann:secret@127.0.0.1:{port}")
        with pytest.raises(DownloadFailed) as caught:
            ensure_jars(few, tmp_path, "http://mirror.example")
    assert f"check the proxy of your environment, http://127.0.0.1:{port}" in caught.value.hint
    assert "secret" not in str(caught.value)


def test_certificates_of_a_proxy_can_be_named(few: JarLock) -> None:
    refused = requests.exceptions.SSLError(
        ssl.SSLCertVerificationError("[SSL: CERTIFICATE_VERIFY_FAILED] self-signed certificate")
    )
    error = download._download_error(refused, few.jars[0], "https://example.org")
    assert "set REQUESTS_CA_BUNDLE to the certificates of your proxy" in error.hint


def test_the_first_error_ends_the_download(tmp_path: Path, full: JarLock, mirror: Mirror) -> None:
    def refuse(handler: SimpleHTTPRequestHandler) -> bool:
        handler.send_error(404, "Not Found")
        return True

    mirror.answer = refuse
    with pytest.raises(DownloadFailed, match="the answer was 404 Not Found"):
        ensure_jars(full, tmp_path, mirror.address)
    assert len(mirror.asked) < len(full.jars)
    assert files(tmp_path) == []


def test_credentials_of_a_mirror_are_not_shown(tmp_path: Path, few: JarLock) -> None:
    with closed_port() as port, pytest.raises(DownloadFailed) as caught:
        ensure_jars(few, tmp_path, f"http://me:secret@127.0.0.1:{port}/maven")
    assert caught.value.where == f"http://127.0.0.1:{port}/maven"
    assert "secret" not in str(caught.value)


def test_an_address_that_is_none_is_a_failed_download(tmp_path: Path, few: JarLock) -> None:
    with pytest.raises(DownloadFailed, match=r"Invalid URL .*No scheme supplied") as caught:
        ensure_jars(few, tmp_path, "somewhere")
    assert caught.value.where == "somewhere"


def test_space_is_looked_at_first(
    tmp_path: Path, few: JarLock, mirror: Mirror, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage._replace(free=3_000_000))
    with pytest.raises(DiskFull) as caught:
        ensure_jars(few, tmp_path, mirror.address)
    check(caught.value, "disk full", "TUQA_HOME", "NEO4J_URI")
    assert caught.value.what == "the embedded server needs 5 MB and 3 MB are free"
    assert caught.value.where == str(tmp_path)
    assert mirror.asked == []


def test_a_disk_that_fills_up_on_the_way(
    tmp_path: Path, few: JarLock, mirror: Mirror, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write_half(_self: object, _url: str, output_file: str, _pooch: object) -> None:
        Path(output_file).write_bytes(b"half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), output_file)

    monkeypatch.setattr(download._Downloader, "__call__", write_half)
    with pytest.raises(DiskFull) as caught:
        ensure_jars(few, tmp_path, mirror.address)
    check(caught.value, "disk full", "try again", "TUQA_HOME")
    assert caught.value.what == "the disk is full"
    assert files(tmp_path) == []


def test_a_folder_that_is_none(tmp_path: Path, few: JarLock) -> None:
    (tmp_path / "jars").write_text("in the way")
    with pytest.raises(HomeNotUsable) as caught:
        ensure_jars(few, tmp_path / "jars")
    check(caught.value, "home not usable", "TUQA_HOME")
    assert caught.value.where == str(tmp_path / "jars")


def test_what_a_killed_download_left_is_swept(tmp_path: Path, few: JarLock, mirror: Mirror) -> None:
    old, new = tmp_path / "a" / "tmpold", tmp_path / "a" / "tmpnew"
    old.parent.mkdir()
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (time.time() - STALE_AFTER - 1,) * 2)
    ensure_jars(few, tmp_path, mirror.address)
    assert files(tmp_path) == sorted([*names(few), "tmpnew"])


def test_without_the_extra_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jgo.env", None)
    with pytest.raises(MissingExtra) as caught:
        read_lock("2026.08.1")
    assert caught.value.exit_code == 2
    assert caught.value.what == "the embedded server needs the Python package 'jgo'"
    assert 'pip install "trustuqa-neo4j[embedded]"' in caught.value.hint


def test_ctrl_c_ends_a_download_at_once_and_leaves_whole_jars(
    tmp_path: Path, few: JarLock, mirror: Mirror
) -> None:
    """The mirror sends half of one jar and then nothing more."""
    slow, halfway, over = few.jars[0], threading.Event(), threading.Event()

    def stall(handler: SimpleHTTPRequestHandler) -> bool:
        if not handler.path.endswith(slow.name):
            return False
        handler.send_response(200)
        handler.send_header("Content-Length", "100000")
        handler.end_headers()
        handler.wfile.write(b"x" * 50_000)
        halfway.set()
        over.wait(300)
        return True

    mirror.answer = stall
    code = (
        "import sys, pathlib; from trustuqa_neo4j.embedded import download\n"
        "lock = download.read_lock(sys.argv[1])\n"
        "few = tuple(jar for jar in lock.jars if jar.name in sys.argv[4:])\n"
        "lock = download.JarLock(lock.version, lock.java, few)\n"
        "download.ensure_jars(lock, pathlib.Path(sys.argv[2]), sys.argv[3])\n"
    )
    words = [few.version, str(tmp_path), mirror.address, *names(few)]
    child = subprocess.Popen([sys.executable, "-c", code, *words], stderr=subprocess.PIPE)
    try:
        assert halfway.wait(120)
        child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=300)
    finally:
        over.set()
        child.kill()
        child.communicate(timeout=300)
    assert b"KeyboardInterrupt" in said
    assert slow.name not in files(tmp_path)
    whole = {name for name in files(tmp_path) if name.endswith(".jar")}
    assert whole <= set(
        names(few)
    )  # a part under a name of its own may stay, and is never taken for one
