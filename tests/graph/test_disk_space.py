"""How much space a load leaves free, and how a full disk is reported."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from support.homes import check

from trustuqa_neo4j import Settings
from trustuqa_neo4j.errors import BadSettings, DiskFull
from trustuqa_neo4j.graph.disk_space import MB, RESERVE, DiskSpace


@pytest.fixture
def disk(tmp_path: Path) -> DiskSpace:
    disk = DiskSpace.from_settings(Settings(data_folder=tmp_path))
    assert disk == DiskSpace(tmp_path, RESERVE * MB)
    return disk


def set_free_space(monkeypatch: pytest.MonkeyPatch, folder: Path, free: int) -> None:
    usage = shutil.disk_usage(folder)._replace(free=free)
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: usage)


def test_the_disk_of_a_server_elsewhere_is_not_looked_at() -> None:
    assert DiskSpace.from_settings(Settings("bolt://localhost")) is None


def test_the_reserve_the_log_and_the_growth_must_fit(
    disk: DiskSpace, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = disk.folder / "transactions" / "neo4j" / "log"
    log.parent.mkdir(parents=True)
    log.write_bytes(b"x" * MB)
    set_free_space(monkeypatch, disk.folder, 103 * MB)
    disk.check()
    disk.check(2 * MB)
    with pytest.raises(DiskFull) as caught:
        disk.check(3 * MB)
    check(caught.value, "disk full", "free some space and run the same command again")
    assert caught.value.what == "103 MB are free, and the embedded server needs 104 MB to go on"
    assert caught.value.where == str(disk.folder)


def test_the_reserve_is_a_setting(tmp_path: Path) -> None:
    settings = Settings(data_folder=tmp_path, disk_reserve="99999999")
    disk = DiskSpace.from_settings(settings)
    assert disk is not None
    with pytest.raises(DiskFull):
        disk.check()
    with pytest.raises(BadSettings, match="'1 GB' is not a number of megabytes") as caught:
        DiskSpace.from_settings(replace(settings, disk_reserve="1 GB"))
    assert caught.value.where == "TUQA_DISK_RESERVE"


def test_an_error_of_the_server_on_a_full_disk_is_explained(
    disk: DiskSpace, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = ValueError("cannot append")
    set_free_space(monkeypatch, disk.folder, 5 * MB)
    disk.check_server_error(error)
    set_free_space(monkeypatch, disk.folder, 0)
    with pytest.raises(DiskFull) as caught:
        disk.check_server_error(error)
    check(caught.value, "disk full", "first stop the server: tuqa neo4j stop; then free")
    assert caught.value.__cause__ is error
