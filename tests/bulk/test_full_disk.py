"""A disk that runs full in a bulk load: nothing is left behind, and the message says what to do."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from trustuqa_neo4j.bulk import import_tool
from trustuqa_neo4j.embedded.home import Home
from trustuqa_neo4j.errors import DiskFull


def test_files_that_do_not_fit(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    with pytest.raises(DiskFull) as caught:
        fill(home)
    assert caught.value.hint
    assert not (home.server / "bulk").exists()
    # The next load can begin.
    with import_tool.import_folder(home) as folder:
        assert folder.is_dir()


def fill(home: Home) -> None:
    with import_tool.import_folder(home) as folder:
        (folder / "nodes.csv").write_text("1,2")
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize(
    "line", ["java.io.IOException: No space left on device", "Disk quota exceeded"]
)
def test_an_import_tool_without_space(tmp_path: Path, line: str) -> None:
    error = import_tool._failed(["Import starting", line, "Command Failed", line], tmp_path)
    assert isinstance(error, DiskFull)
    assert "free some space" in error.hint
