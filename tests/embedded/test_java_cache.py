"""The cache of loaded classes: made in the background, used if it fits, and never in the way."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest
from filelock import FileLock
from support.homes import VERSION, server_in, servers, wait_for

from trustuqa_neo4j import Settings
from trustuqa_neo4j.embedded import java_cache, process
from trustuqa_neo4j.embedded.config import ServerConfig, choose_memory
from trustuqa_neo4j.embedded.download import ensure_jars, read_lock
from trustuqa_neo4j.embedded.home import Home
from trustuqa_neo4j.embedded.runtime import (
    Runtime,
    _cache_path,
    is_own_cache,
    mark_own_cache,
    prepare_runtime,
)

pytestmark = pytest.mark.embedded


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home with jars of its own, and no cache."""
    # Processes that are started read the variable.
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    settings = Settings.read()
    jars = settings.home / "jars"
    ensure_jars(read_lock(VERSION), jars, settings.jar_mirror)
    home = Home(tmp_path / "home")
    home.prepare()
    caches = shutil.ignore_patterns("java-cache")
    shutil.copytree(jars.resolve(), home.jars, ignore=caches, copy_function=os.symlink)
    return home


@pytest.fixture
def runtime(home: Home) -> Runtime:
    return prepare_runtime(home, VERSION, None, None)


def cache_options(home: Home, runtime: Runtime) -> list[str]:
    config = ServerConfig(VERSION, 17001, 17002, choose_memory(1 << 32))
    return [word for word in runtime.server_command(home, config) if "AOT" in word]


def makers(home: Home) -> list[psutil.Process]:
    jars = str(home.jars.resolve())
    return [p for p in psutil.process_iter(["cmdline"]) if jars in (p.info["cmdline"] or [])]


def write_own_cache(runtime: Runtime, content: bytes) -> None:
    """A cache as the process of this user leaves it."""
    runtime.cache.parent.mkdir(exist_ok=True)
    draft = runtime.cache.with_suffix(".draft")
    draft.write_bytes(content)
    mark_own_cache(draft, runtime.cache)
    draft.replace(runtime.cache)


def test_a_cache_that_somebody_else_put_there_is_not_used(home: Home, runtime: Runtime) -> None:
    runtime.cache.parent.mkdir()
    runtime.cache.write_bytes(b"classes of a stranger")
    assert cache_options(home, runtime) == []
    write_own_cache(runtime, b"classes")
    assert cache_options(home, runtime) != []
    runtime.cache.unlink()
    runtime.cache.write_bytes(b"klasses")
    assert cache_options(home, runtime) == []


def test_an_empty_cache_is_neither_used_nor_made_again(
    home: Home, runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cache_options(home, runtime) == []
    write_own_cache(runtime, b"classes")
    assert cache_options(home, runtime) == [f"-XX:AOTCache={runtime.cache}"]
    write_own_cache(runtime, b"")
    assert cache_options(home, runtime) == []
    monkeypatch.setattr(subprocess, "Popen", pytest.fail)
    java_cache.make_in_background(home, runtime)


@pytest.mark.parametrize("lack", ["Java", "memory", "memory of the container", "disk"])
def test_without_room_no_cache_is_made(
    home: Home, runtime: Runtime, monkeypatch: pytest.MonkeyPatch, lack: str
) -> None:
    if lack == "Java":
        monkeypatch.setattr(java_cache, "OLDEST_JAVA", 999)
    elif lack == "memory":
        memory = SimpleNamespace(total=1 << 34, available=1 << 30)
        monkeypatch.setattr(psutil, "virtual_memory", lambda: memory)
    elif lack == "memory of the container":
        monkeypatch.setattr(process, "read_machine_memory", lambda: 1 << 31)
    else:
        monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=500_000_000))
    monkeypatch.setattr(subprocess, "Popen", pytest.fail)
    java_cache.make_in_background(home, runtime)


def test_one_process_makes_it(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    training = java_cache._training_home(home.jars)
    training.folder.parent.mkdir()
    monkeypatch.setattr(java_cache, "_make", pytest.fail)
    monkeypatch.setattr(sys, "argv", ["", str(home.jars), VERSION])
    with FileLock(training.folder.with_suffix(".lock")):
        java_cache.main()


def test_other_jars_have_another_cache(home: Home, runtime: Runtime) -> None:
    assert prepare_runtime(home, VERSION, None, None).cache == runtime.cache
    jar = home.jars / read_lock(VERSION).jars[0].path
    content = jar.read_bytes()
    jar.unlink()
    jar.write_bytes(content)
    assert prepare_runtime(home, VERSION, None, None).cache != runtime.cache


def test_the_same_java_in_another_environment_shares_the_cache(
    home: Home, runtime: Runtime, tmp_path: Path
) -> None:
    lock = read_lock(VERSION)

    def cache_of(folder: str, classes: bytes, time: int) -> Path:
        java = tmp_path / folder / "bin" / "java"
        modules = tmp_path / folder / "lib" / "modules"
        for path in (java, modules):
            path.parent.mkdir(parents=True)
        java.touch()
        modules.write_bytes(classes)
        os.utime(modules, (time, time))
        return _cache_path(lock, replace(runtime.java, path=java), home)

    cache = cache_of("one environment", b"classes", 1)
    assert cache_of("another", b"classes", 1) == cache
    assert cache_of("made later", b"classes", 2) != cache
    assert cache_of("of another version", b"classes and more", 1) != cache


def test_old_caches_are_removed(tmp_path: Path) -> None:
    for number in range(5):
        path = tmp_path / f"{number}.aot"
        path.touch()
        os.utime(path, (number, number))
    java_cache._remove_old_caches(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["2.aot", "3.aot", "4.aot"]


@pytest.mark.long
def test_a_cache_is_made_used_and_removed(home: Home, runtime: Runtime) -> None:
    if runtime.java.version < java_cache.OLDEST_JAVA:
        pytest.skip(f"Java {runtime.java.version} makes no cache")
    training = java_cache._training_home(home.jars)
    java_cache.make_in_background(home, runtime)
    left_behind = wait_for(lambda: process.find_server(training))
    for maker in makers(home):  # killed: its server is left behind, and the next one ends it
        maker.kill()
    java_cache.make_in_background(home, runtime)
    wait_for(lambda: is_own_cache(runtime.cache))
    wait_for(lambda: not training.folder.exists())
    assert not left_behind.is_running()
    assert runtime.cache.stat().st_size > 50_000_000

    server = server_in(home.folder)
    server.start(keep=True)
    assert uses(home, runtime.cache)
    server.stop()
    with runtime.cache.open("r+b") as file:  # a cache that Java refuses does no harm
        file.truncate(50_000_000)
    server.start(keep=True)
    assert not uses(home, runtime.cache)
    server.stop()

    runtime.cache.unlink()
    java_cache.make_in_background(home, runtime)
    wait_for(lambda: process.find_server(training))
    assert server.clean() > 0
    assert not makers(home)
    assert process.find_server(training) is None
    assert not home.jars.exists()


def uses(home: Home, cache: Path) -> bool:
    """Whether the server of ``home`` has mapped its cache into memory."""
    (server,) = servers(home.folder)
    maps: list[Any] = server.memory_maps()
    return str(cache) in {part.path for part in maps}
