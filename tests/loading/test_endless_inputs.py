"""Inputs that grow or never end, and lines, rows and headers beyond measure: bounded time and memory."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from threading import Thread

import pytest

from trustuqa_neo4j.errors import UnreadableFile
from trustuqa_neo4j.loading import inputs
from trustuqa_neo4j.loading.formats import File, ReadOptions, get_loader
from trustuqa_neo4j.loading.inputs import copy_streams, identify_file
from trustuqa_neo4j.loading.load import LoadJob, survey_files
from trustuqa_neo4j.loading.request import LoadReport, LoadRequest, Progress
from trustuqa_neo4j.model.facts import SourceStart

TABLE = get_loader("table")
GROWING = "it changed while it was read"


class Growing(Progress):
    """Appends to a file whenever something of it has been read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def advance(self, done: int) -> None:
        with self.path.open("a") as file:
            file.write("3,4\n" * 1000)


def test_a_file_that_grows_while_it_is_hashed(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(UnreadableFile, match=GROWING) as caught:
        identify_file(File(path, "t.csv"), Growing(path))
    assert caught.value.where == "t.csv"


def test_a_file_that_grows_while_it_is_read(tmp_path: Path) -> None:
    """The reader would follow it for ever: it is looked at from time to time."""
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "1,2\n" * 30_000)
    file = File(path, "t.csv")
    identity = identify_file(file, Progress())
    request = LoadRequest(TABLE, (str(path),), "d")
    report = LoadReport("d", 0)
    identities = {file: identity}
    job = LoadJob(
        lambda: pytest.fail("nothing is written"), request, identities, Growing(path), report
    )
    with pytest.raises(UnreadableFile, match=GROWING):
        survey_files(job)
    assert path.stat().st_size < 2_000_000


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no such device")
def test_a_stream_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "MAX_STREAM_BYTES", 10_000_000)
    with (
        ExitStack() as copies,
        pytest.raises(UnreadableFile, match="not ended after 10,000,000 bytes"),
    ):
        copy_streams(["/dev/zero"], copies)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no such device")
def test_a_stream_that_would_fill_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "MIN_FREE_BYTES", 1 << 62)
    with ExitStack() as copies, pytest.raises(UnreadableFile, match="the disk is nearly full"):
        copy_streams(["/dev/zero"], copies)


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes")
def test_a_named_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "pipe.csv"
    os.mkfifo(path)
    writer = Thread(target=path.write_text, args=("a,b\n1,2\n",))
    writer.start()
    with ExitStack() as copies:
        (copied,) = copy_streams([str(path)], copies)
        assert isinstance(copied, File)
        assert copied.path.read_text() == "a,b\n1,2\n"
        assert copied.name == str(path)
    writer.join()


@pytest.mark.parametrize("name", ["", "name"])
def test_ten_thousand_columns(tmp_path: Path, name: str) -> None:
    path = tmp_path / "wide.csv"
    header = ",".join(name or f"c{number}" for number in range(10_000))
    path.write_text(f"{header}\n" + (",".join("1" * 10_000) + "\n") * 2)
    options = ReadOptions()
    items = [*TABLE.read([File(path, "wide.csv")], options)]
    start = items[0]
    assert isinstance(start, SourceStart)
    assert len(set(start.columns)) == 10_000
    assert len(items) == 1 + 2 * 10_001
    notes = [str(remark) for remark in options.remarks]
    assert len(notes) < 50
    if name:
        assert start.columns[-1] == "name_10000"
        assert any("9,979 more repeated names of columns" in note for note in notes)


LONG_LINE = "a line of more than 16,777,216 characters"
CONTENTS = {
    "one row": (b"a,b\n1,2\n", b"x,", LONG_LINE, 3),
    "one cell": (b'a,b\n1,"', b"z", LONG_LINE, 2),
    "no line end": (b"", b"a, b ", LONG_LINE, 1),
    "an open quote": (
        b'a,b\n1,"',
        b"zzzzzzzzz\n",
        "a record of more than 16,777,216 characters",
        2,
    ),
    "NUL": (b"", b"\0", "neither text nor a supported kind of table", 0),
}

READ = """
import re, sys
from pathlib import Path
from trustuqa_neo4j.cli.load import main
try:
    main(["table", sys.argv[1], "--dry-run", "--dataset", "d"])
finally:
    print(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory in kilobytes")
@pytest.mark.parametrize("kind", CONTENTS)
def test_sixty_megabytes_in_one(tmp_path: Path, kind: str) -> None:
    start, repeated, message, line = CONTENTS[kind]
    path = tmp_path / "t.csv"
    path.write_bytes(start + repeated * (60_000_000 // len(repeated)))
    done = subprocess.run(
        [sys.executable, "-c", READ, str(path)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=tmp_path,
    )
    where = f"t.csv:{line}" if line else "t.csv"
    error, hint = done.stderr.splitlines()[-2:]
    assert error.startswith(f"error: {message}")
    assert error.endswith(f", {where}")
    assert hint.startswith("hint: ")
    assert done.returncode == 1
    assert int(done.stdout.split()[-1]) < 300_000
