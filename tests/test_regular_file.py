"""Files of bounded size are opened; what never ends or waits is refused at once."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from trustuqa_neo4j.errors import MissingFile, UnreadableFile
from trustuqa_neo4j.regular_file import open_regular_file, read_regular_file


def a_folder(path: Path) -> Path:
    path.mkdir()
    return path


def a_pipe(path: Path) -> Path:
    os.mkfifo(path)
    return path


def a_device(_path: Path) -> Path:
    return Path("/dev/zero")


def a_link_to_a_device(path: Path) -> Path:
    path.symlink_to("/dev/zero")
    return path


def a_socket(path: Path) -> Path:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
    return path


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "rivers.csv"
    path.write_bytes(b"name,length\n")
    assert read_regular_file(path, max_bytes=12) == b"name,length\n"
    link = tmp_path / "link"
    link.symlink_to(path)
    with open_regular_file(link, max_bytes=12) as file:
        assert file.read() == b"name,length\n"


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (a_folder, "a folder"),
        (a_pipe, "a pipe"),
        (a_device, "a device"),
        (a_link_to_a_device, "a device"),
        (a_socket, "a socket"),
    ],
)
def test_what_is_not_a_regular_file_is_refused_without_waiting(
    tmp_path: Path, make: Callable[[Path], Path], kind: str
) -> None:
    path = make(tmp_path / "x")
    with pytest.raises(UnreadableFile) as caught:
        open_regular_file(path, max_bytes=100)
    assert caught.value.what == f"it is {kind} and not a regular file"
    assert caught.value.where == str(path)


def test_a_link_is_refused_where_links_are_not_followed(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"x")
    link.symlink_to(target)
    with pytest.raises(UnreadableFile, match="it is a link"):
        open_regular_file(link, max_bytes=100, follow_links=False)


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.write_bytes(b"x" * 13)
    with pytest.raises(UnreadableFile, match="larger than 12 bytes"):
        read_regular_file(path, max_bytes=12)


def test_a_file_that_is_missing_or_unnameable_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingFile, match="no such file"):
        open_regular_file(tmp_path / "none", max_bytes=1)
    with pytest.raises(UnreadableFile, match="cannot be read"):
        open_regular_file(tmp_path / "a\0b", max_bytes=1)
    with pytest.raises(UnreadableFile, match="cannot be read"):
        open_regular_file(tmp_path / ("long" * 100), max_bytes=1)
