"""Reading in a process of its own: the same batches, the same errors, and nobody left behind."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from support import odd_loaders
from support.homes import wait_for

from trustuqa_neo4j.bulk import reader_process
from trustuqa_neo4j.errors import DataError, MalformedLine
from trustuqa_neo4j.loading.batch import Batch
from trustuqa_neo4j.loading.formats import File, ReadOptions, get_loader
from trustuqa_neo4j.loading.request import LoadReport, LoadRequest, Progress
from trustuqa_neo4j.model.facts import Item
from trustuqa_neo4j.wording import use_words_of

Read = Callable[[Sequence[File], ReadOptions], Iterator[Item]]

LINES = [f"h{n % 50}\tr{n % 3}\tt{n}\n" for n in range(1500)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "f.tsv"
    found.write_text("".join([*LINES, "bad\n", *LINES, "\n", f"x\t{'r' * 2000}\ty\n"]))
    return found


def batches(
    path: Path,
    size: int = reader_process.MIN_PROCESS_BYTES,
    read: Read | None = None,
    **changes: object,
) -> tuple[Iterator[Batch], LoadReport, list[object]]:
    format_ = get_loader("kg") if read is None else replace(get_loader("kg"), read=read)
    request = LoadRequest(
        format_, (str(path),), "d", **{"batch_size": 100, "skip_bad": 2, **changes}
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


def test_what_a_loader_prints_is_no_batch(path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (batch,) = batches(path, read=odd_loaders.printing)[0]
    assert batch.keys == ["a", "b"]
    assert capfd.readouterr() == ("", "not a batch\n")


def test_a_loader_at_fault(path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    found, _, _ = batches(path, read=odd_loaders.failing)
    with pytest.raises(
        DataError, match=r"process that reads the files ended with 1\nhint: its own message"
    ):
        list(found)
    assert "RuntimeError: a fault of the loader's" in capfd.readouterr().err


def test_a_loader_that_cannot_be_imported_is_read_here(path: Path) -> None:
    def read(files: Sequence[File], reading: ReadOptions) -> Iterator[Item]:
        yield from odd_loaders.printing(files, reading)

    (batch,) = batches(path, read=read)[0]
    assert batch.read == 1


def gone(path: Path) -> bool:
    return not psutil.pid_exists(int(path.read_text()))


def test_who_reads_ends_when_nobody_takes_it(path: Path) -> None:
    found, _, _ = batches(path, read=odd_loaders.endless)
    next(found)
    assert not gone(path)
    found.close()  # type: ignore[attr-defined]
    assert gone(path)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_who_reads_outlives_no_one(path: Path, how: int) -> None:
    """Whether the loader is killed or interrupted; its terminal would tell a whole group of Ctrl-C."""
    code = (
        "import sys; sys.path[:0] = sys.argv[2:]\n"
        "from pathlib import Path; from support import odd_loaders; import test_reader_process\n"
        "for batch in test_reader_process.batches(Path(sys.argv[1]), read=odd_loaders.endless)[0]: pass"
    )
    words = [sys.executable, "-c", code, str(path), *map(str, Path(__file__).parents[:2])]
    with subprocess.Popen(words, stderr=subprocess.PIPE) as loading:
        wait_for(lambda: path.read_text().isdigit())
        loading.send_signal(how)
        _, said = loading.communicate(timeout=300)
    wait_for(lambda: gone(path))
    assert said.count(b"Traceback") == (how == signal.SIGINT)
