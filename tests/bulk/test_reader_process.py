"""Reading in a process of its own: the same batches, the same errors, and nobody left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from support import odd_loaders
from support.homes import wait_for

from trustuqa_neo4j.bulk import reader_process
from trustuqa_neo4j.errors import DataError, MalformedLine
from trustuqa_neo4j.loading.batch import Batch
from trustuqa_neo4j.loading.formats import File, Loader, get_loader
from trustuqa_neo4j.loading.request import LoadReport, LoadRequest, Progress
from trustuqa_neo4j.wording import use_words_of

LINES = [f"h{n % 50}\tr{n % 3}\tt{n}\n" for n in range(1500)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "f.tsv"
    found.write_text("".join([*LINES, "bad\n", *LINES, "\n", f"x\t{'r' * 2000}\ty\n"]))
    return found


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The loaders of another package, installed in the folder."""
    folder = install_odd_loaders(tmp_path / "site")
    monkeypatch.syspath_prepend(folder)
    return folder


def install_odd_loaders(folder: Path) -> Path:
    package = folder / "odd-1.0.dist-info"
    package.mkdir(parents=True)
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: odd\nVersion: 1.0\n")
    points = "".join(f"odd-{n} = support.odd_loaders:{n.upper()}\n" for n in odd_loaders.NAMES)
    (package / "entry_points.txt").write_text(f"[trustuqa_neo4j.loaders]\n{points}")
    return folder


def batches(
    path: Path,
    size: int = reader_process.MIN_PROCESS_BYTES,
    loader: Loader | None = None,
    **changes: object,
) -> tuple[Iterator[Batch], LoadReport, list[object]]:
    request = LoadRequest(
        loader or get_loader("kg"),
        (str(path),),
        "d",
        **{"batch_size": 100, "skip_bad": 2, **changes},
    )  # type: ignore[arg-type]
    report, told = LoadReport("d", 0), list[object]()
    progress = Progress(lambda *phase: told.append(phase), told.append)
    return (
        reader_process.read_batches(request, [File(path, "f.tsv")], size, progress, report),
        report,
        told,
    )


def test_read_apart_it_is_the_same(path: Path) -> None:
    with use_words_of("shell"):  # as the process does
        here, reported, told = batches(path, 0)
        there, reported_there, told_there = batches(path)
        assert list(there) == list(here)
    assert list(map(str, reported_there.bad)) == list(map(str, reported.bad))
    assert reported_there.remarks == reported.remarks
    assert [error.where for error in reported.bad] == ["f.tsv:1501", "f.tsv:3003"]
    size = path.stat().st_size
    assert told[0] == ("read f.tsv", size)
    assert told_there[0] == ("read f.tsv", size, "bytes")
    assert told_there[-1] == told[-1]
    assert 0 < told[-1] <= size  # type: ignore[operator]


def test_a_bad_line_is_told_with_its_place(path: Path) -> None:
    found, _, _ = batches(path, skip_bad=0)
    with pytest.raises(MalformedLine) as caught:
        list(found)
    assert caught.value.where == "f.tsv:1501"


@pytest.mark.usefixtures("installed")
def test_what_a_loader_prints_is_no_batch(path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (batch,) = batches(path, loader=odd_loaders.PRINTING)[0]
    assert batch.keys == ["a", "b"]
    assert capfd.readouterr() == ("", "not a batch\n")


@pytest.mark.usefixtures("installed")
def test_a_loader_at_fault(path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    found, _, _ = batches(path, loader=odd_loaders.FAILING)
    with pytest.raises(
        DataError, match=r"process that reads the files ended with 1\nhint: its own message"
    ):
        list(found)
    assert "RuntimeError: a fault of the loader's" in capfd.readouterr().err


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("is_installed", [False, True])
def test_a_loader_that_no_other_process_finds_is_read_here(path: Path, is_installed: bool) -> None:
    loader = odd_loaders.ANNOUNCING
    found, _, _ = batches(path, loader=loader if is_installed else replace(loader, summary="other"))
    (batch,) = found
    assert (path.read_text() == str(os.getpid())) == (not is_installed)
    assert batch.read == 1


def gone(path: Path) -> bool:
    return not psutil.pid_exists(int(path.read_text()))


@pytest.mark.usefixtures("installed")
def test_who_reads_ends_when_nobody_takes_it(path: Path) -> None:
    found, _, _ = batches(path, loader=odd_loaders.ENDLESS)
    next(found)
    assert not gone(path)
    found.close()  # type: ignore[attr-defined]
    assert gone(path)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_who_reads_outlives_no_one(path: Path, installed: Path, how: int) -> None:
    """Whether the loader is killed or interrupted; its terminal would tell a whole group of Ctrl-C."""
    code = (
        "import sys; sys.path[:0] = sys.argv[2:]\n"
        "from pathlib import Path; from support import odd_loaders; import test_reader_process\n"
        "for batch in test_reader_process.batches(Path(sys.argv[1]), loader=odd_loaders.ENDLESS)[0]: pass"
    )
    folders = [str(installed), *map(str, Path(__file__).parents[:2])]
    words = [sys.executable, "-c", code, str(path), *folders]
    with subprocess.Popen(words, stderr=subprocess.PIPE) as loading:
        wait_for(lambda: path.read_text().isdigit())
        loading.send_signal(how)
        _, said = loading.communicate(timeout=300)
    wait_for(lambda: gone(path))
    assert said.count(b"Traceback") == (how == signal.SIGINT)
