"""The cache of loaded classes with which Java starts Neo4j in half the time (``-XX:AOTCache``, Java 25).

Java writes it when a server ends, which takes half a minute. So a process of its own makes it, once, in the
background: it starts a server without data and stops it. Java compares itself and the jars with the cache and
starts without one that does not fit. An empty file says that this Java makes no cache.

A cache is code that Java does not check. So only one that this user's own process made is used.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from ..private_folder import make_private_folder
from . import process
from .config import MB, Memory, ServerConfig
from .home import CACHES, Home, check_free_space
from .readiness import ServerLogs, wait_until_ready
from .runtime import (
    Runtime,
    is_own_cache,
    mark_own_cache,
    own_caches,
    prepare_runtime,
    set_initial_password,
)

OLDEST_JAVA = 25

KEPT = 3
"""Caches of other versions of Java or Neo4j that stay."""

_MEMORY = Memory(512 * MB, 64 * MB)
_MACHINE_MEMORY = (
    4096 * MB
)  # of a container, its limit, of which others may use more than is seen here
_FREE_MEMORY = 2048 * MB  # Java takes up to 1.5 GB at the end of the server
_FREE_BYTES = 1_000_000_000  # for two files of 200 MB and the data folder
_TIMEOUT = 1800.0  # seconds: at the lowest priority, beside other work
_NICENESS = 19
_MODULE = "trustuqa_neo4j.embedded.java_cache"


def make_in_background(home: Home, runtime: Runtime) -> None:
    """Start the process that makes the cache, if there is none and there is room for it."""
    import psutil

    if (
        is_own_cache(runtime.cache)
        or not _can_mark()
        or runtime.java.version < OLDEST_JAVA
        or process.read_machine_memory() < _MACHINE_MEMORY
        or psutil.virtual_memory().available < _FREE_MEMORY
        or shutil.disk_usage(home.jars).free < _FREE_BYTES
    ):
        return
    # This Python, with our own module, and with nothing of the working folder.
    command = [sys.executable, "-P", "-m", _MODULE, str(home.jars.resolve()), runtime.version]
    process.spawn_detached(command, subprocess.DEVNULL, _NICENESS)


def end_making(home: Home) -> None:
    """End the process that makes the cache of ``home``, and its server."""
    import psutil

    for maker in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            words = maker.cmdline()
            if _MODULE in words and str(home.jars.resolve()) in words:
                for child in maker.children(recursive=True):
                    child.kill()
                maker.kill()
                maker.wait(10)
    _end_left_behind(_training_home(home.jars.resolve()))


def main() -> None:
    from filelock import FileLock, Timeout

    jars, version = Path(sys.argv[1]), sys.argv[2]
    training = _training_home(jars)
    training.folder.parent.mkdir(exist_ok=True)
    with contextlib.suppress(Timeout), FileLock(training.folder.with_suffix(".lock"), timeout=0):
        _end_left_behind(training)
        shutil.rmtree(training.folder, ignore_errors=True)
        try:
            _make(training, version)
        finally:
            shutil.rmtree(training.folder, ignore_errors=True)


def _training_home(jars: Path) -> Home:
    training = Home(jars / CACHES / "training")
    training.jars = jars
    return training


def _end_left_behind(training: Home) -> None:
    # The process that started it was killed.
    server = process.find_server(training)
    if server is not None:
        process.kill_process(server, 10)


def _make(training: Home, version: str) -> None:
    training.prepare()
    runtime = prepare_runtime(training, version, None, None)
    if is_own_cache(runtime.cache):
        return
    check_free_space(training.folder, _FREE_BYTES)
    password = training.ensure_password()
    set_initial_password(training, runtime)
    bolt_port = process.find_free_port([])
    config = ServerConfig(version, bolt_port, process.find_free_port([bolt_port]), _MEMORY)
    config.write(training)
    draft = training.folder / "draft.aot"
    command = runtime.server_command(training, config, f"-XX:AOTCacheOutput={draft}")
    server = process.spawn(command, training.server, training.console, _NICENESS)
    try:
        wait_until_ready(server, bolt_port, password, ServerLogs(training.logs), _TIMEOUT)
        process.stop_process(server, _TIMEOUT, training.logs)
    finally:
        process.kill_process(server, 10)
    draft.touch()
    mark_own_cache(draft, runtime.cache)
    draft.replace(runtime.cache)
    _remove_old_caches(runtime.cache.parent)


def _can_mark() -> bool:
    # A cache that cannot be told from one of somebody else would be made at each start.
    with contextlib.suppress(OSError):
        make_private_folder(own_caches().folder)
        return os.access(own_caches().folder, os.W_OK)
    return False


def _remove_old_caches(folder: Path) -> None:
    caches = sorted(folder.glob("*.aot"), key=lambda path: path.stat().st_mtime)
    for path in caches[:-KEPT]:
        path.unlink()
        own_caches().remove(path)


if __name__ == "__main__":
    main()
