"""The folder of the embedded server, without one."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from support.homes import STATE, a_home, check

from trustuqa_neo4j.embedded import EmbeddedServer, launch
from trustuqa_neo4j.embedded.config import ServerConfig, choose_memory
from trustuqa_neo4j.embedded.home import Home, write_error
from trustuqa_neo4j.embedded.runtime import choose_version
from trustuqa_neo4j.errors import DiskFull, HomeNotUsable, MissingExtra


def test_the_home_belongs_to_its_owner_alone(tmp_path: Path) -> None:
    home = a_home(tmp_path)
    password = home.ensure_password()
    assert stat.S_IMODE(home.folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(home.server.stat().st_mode) == 0o700
    assert stat.S_IMODE(home.password_file.stat().st_mode) == 0o600
    assert len(password) == 40
    assert home.ensure_password() == password


def test_access_that_was_given_to_others_is_taken_away_again(tmp_path: Path) -> None:
    home = a_home(tmp_path)
    home.ensure_password()
    home.password_file.chmod(0o644)
    home.server.chmod(0o755)
    home.prepare()
    assert stat.S_IMODE(home.password_file.stat().st_mode) == 0o600
    assert stat.S_IMODE(home.server.stat().st_mode) == 0o700


def test_a_home_that_others_can_write_is_refused(tmp_path: Path) -> None:
    home = a_home(tmp_path)
    home.server.chmod(0o777)
    with pytest.raises(HomeNotUsable) as caught:
        home.prepare()
    check(caught.value, "home not usable", "chmod -R go-rwx", "TUQA_HOME")
    assert caught.value.where == str(home.server)


@pytest.mark.parametrize("name", ["conf", "logs", "run", "users"])
def test_a_link_out_of_the_home_is_refused(tmp_path: Path, name: str) -> None:
    home = a_home(tmp_path)
    shutil.rmtree(home.server / name)
    (tmp_path / "documents").mkdir()
    (home.server / name).symlink_to(tmp_path / "documents")
    with pytest.raises(HomeNotUsable, match="the folder is a link"):
        home.prepare()


def test_neo4j_gets_no_settings_and_no_code_but_ours(tmp_path: Path) -> None:
    home = a_home(tmp_path)
    for path in (home.conf.parent, home.plugins):
        path.mkdir(exist_ok=True)
        for name in ("neo4j.conf", "user-logs.xml", "x.jar"):
            (path / name).write_text("of a stranger")
        (path / "inner").mkdir()
    config = ServerConfig("2026.08.1", 17001, 17002, choose_memory(1 << 32))
    config.write(home)
    assert [path.name for path in home.conf.parent.iterdir()] == ["neo4j.conf"]
    assert home.conf.read_text() == config.text()
    assert "server.directories.plugins=run/plugins\n" in config.text()
    assert list(home.plugins.iterdir()) == []


@pytest.mark.parametrize("below", ["file", "file/below", "folder"])
def test_a_file_in_the_way_of_the_home(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").write_text("in the way")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "server").write_text("in the way")
    with pytest.raises(HomeNotUsable) as caught:
        EmbeddedServer(tmp_path / below).start(keep=True)
    check(caught.value, "home not usable", "TUQA_HOME", "NEO4J_URI")
    assert str(tmp_path / below) in caught.value.where


def test_a_home_where_nobody_can_write() -> None:
    with pytest.raises(HomeNotUsable) as caught:
        EmbeddedServer(Path("/proc/self/tuqa")).start(keep=True)
    check(caught.value, "home not usable", "TUQA_HOME")


def test_a_full_disk_under_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, usage = a_home(tmp_path), shutil.disk_usage(tmp_path)
    full = OSError(28, "No space left on device", str(home.state_file))
    check(write_error(full, home.folder), "disk full", "TUQA_HOME")
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage._replace(free=1_000_000))
    monkeypatch.setattr(launch, "prepare_runtime", lambda *_given: None)
    with pytest.raises(DiskFull) as caught:
        EmbeddedServer(home.folder).start(keep=True)
    assert caught.value.what == "the embedded server needs 50 MB and 1 MB are free"


def test_data_without_its_password(tmp_path: Path) -> None:
    home = a_home(tmp_path, STATE)
    with pytest.raises(HomeNotUsable) as caught:
        home.ensure_password()
    check(caught.value, "home not usable", "put the file back", "TUQA_HOME")
    assert caught.value.where == str(home.password_file)


def test_no_password_before_the_first_start(tmp_path: Path) -> None:
    with pytest.raises(HomeNotUsable, match="there is no password yet") as caught:
        EmbeddedServer(tmp_path).password()
    check(caught.value, "home not usable", "tuqa neo4j start")


def test_the_state_outlives_the_process_and_damage_to_it_is_no_state(tmp_path: Path) -> None:
    home = a_home(tmp_path, STATE)
    assert Home(home.folder).state() == STATE
    home.state_file.write_text('{"version": "2026')
    assert home.state() is None


@pytest.mark.parametrize(
    "change",
    [
        {"bolt_port": "x"},
        {"bolt_port": True},
        {"http_port": 70000},
        {"http_port": None},
        {"version": 5},
        {"keep": "no"},
    ],
)
def test_a_state_with_a_wrong_value_is_no_state(tmp_path: Path, change: dict[str, object]) -> None:
    home = a_home(tmp_path, STATE)
    content = json.loads(home.state_file.read_text())
    home.state_file.write_text(json.dumps(content | change))
    assert home.state() is None
    status = EmbeddedServer(home.folder).status()
    assert (status.running, status.version) == (False, None)
    with pytest.raises(HomeNotUsable) as caught:
        choose_version(home, None)
    check(caught.value, "home not usable", "TUQA_NEO4J_VERSION", "logs/neo4j.log")
    assert caught.value.where == str(home.state_file)
    assert choose_version(home, "5.26.30") == "5.26.30"


def test_a_lease_counts_as_long_as_its_process_lives(tmp_path: Path) -> None:
    home = a_home(tmp_path)
    ours = home.take_lease()
    assert ours.name.startswith(f"{os.getpid()}-")
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        pass
    dead = home.users / f"{child.pid}-1"
    dead.write_text("0.0")
    reused = home.users / f"{os.getppid()}-1"  # this number's process began at another time
    reused.write_text("1.0")
    assert home.live_users() == [os.getpid()]
    assert list(home.users.iterdir()) == [ours]


def test_where_nothing_was_started_there_is_nothing_to_stop_or_clean(tmp_path: Path) -> None:
    server = EmbeddedServer(tmp_path / "nothing")
    assert server.stop() is False
    assert server.clean() == 0
    assert server.status().running is False
    assert not (tmp_path / "nothing").exists()


def test_cleaning_leaves_what_was_not_named(tmp_path: Path) -> None:
    home = a_home(tmp_path, STATE)
    (home.data / "store").write_bytes(b"x" * 1000)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "a.jar").write_bytes(b"x" * 500)
    home.jars.symlink_to(elsewhere)
    server = EmbeddedServer(home.folder)
    assert server.clean(jars=False) > 1000
    assert not home.server.exists()
    assert home.jars.exists()
    assert server.clean(data=False) == 500
    assert not home.jars.exists()
    assert (elsewhere / "a.jar").exists()  # the link was ours, what it led to was not


@pytest.mark.parametrize("package", ["filelock", "psutil"])
def test_what_is_not_installed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    server = EmbeddedServer(a_home(tmp_path).folder)
    with pytest.raises(MissingExtra, match=f"needs the Python package '{package}'"):
        server.stop()
