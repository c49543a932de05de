"""The vectors on disk: shared, damaged, full, foreign."""

from __future__ import annotations

import logging
import sqlite3
import subprocess
import sys
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from trustuqa_neo4j.embedding import VectorCache

ROWS = np.random.default_rng(1).normal(size=(4, 8)).astype(np.float32)
TEXTS = ["a", "b", "ä\ud800", ""]

SHARING = """
import logging, sys
from pathlib import Path
import numpy as np
from trustuqa_neo4j.embedding import VectorCache
logging.basicConfig()
cache = VectorCache(Path(sys.argv[1]))
for batch in range(20):
    texts = [f"{batch} {i}" for i in range(100)]
    rows = np.full((100, 8), batch, np.float32)
    cache.put_many("model", texts, rows)
    assert all((v == batch).all() for v in cache.get_many("model", texts).values())
print(cache.size())
cache.close()
"""

FULL = """
import logging, resource, sys
from pathlib import Path
import numpy as np
from trustuqa_neo4j.embedding import VectorCache
logging.basicConfig(format="%(message)s")
cache = VectorCache(Path(sys.argv[1]))
cache.put_many("model", ["first"], np.ones((1, 384), np.float32))
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
for batch in range(5):
    cache.put_many("model", [f"{batch} {i}" for i in range(256)], np.ones((256, 384), np.float32))
print(*cache.get_many("model", ["first", "4 0"]))
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "embeddings.sqlite"


def filled(path: Path) -> None:
    cache = VectorCache(path)
    cache.put_many("model", TEXTS, ROWS)
    cache.close()


def works(cache: VectorCache) -> bool:
    cache.put_many("model", TEXTS, ROWS)
    found = cache.get_many("model", TEXTS)
    return len(found) == len(TEXTS)


def test_what_comes_out_is_what_went_in(path: Path) -> None:
    filled(path)
    cache = VectorCache(path)
    found = cache.get_many("model", [*TEXTS, "not there"])
    assert list(found) == TEXTS or set(found) == set(TEXTS)
    assert all((found[text] == row).all() for text, row in zip(TEXTS, ROWS, strict=True))
    assert cache.get_many("another", TEXTS) == {}
    assert cache.get_many("model", []) == {}
    assert (cache.dimension("model"), cache.dimension("another")) == (8, None)
    cache.put_many("another", TEXTS[:1], ROWS[:1, :4])
    assert cache.size() == {"model": 4, "another": 1}
    cache.put_many("model", TEXTS[:1], ROWS[1:2])
    assert (cache.get_many("model", TEXTS)["a"] == ROWS[0]).all()
    cache.clear()
    assert cache.size() == {}
    assert works(cache)
    cache.close()
    cache.close()


def test_more_texts_than_fit_a_statement(path: Path) -> None:
    cache = VectorCache(path)
    texts = [str(i) for i in range(5_000)]
    cache.put_many("model", texts, np.arange(5_000, dtype=np.float32).reshape(-1, 1))
    assert {text: float(v[0]) for text, v in cache.get_many("model", texts).items()} == {
        text: float(text) for text in texts
    }
    cache.close()


def test_several_processes_share_it(path: Path) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", SHARING, str(path)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for _ in range(3)
    ]  # fmt: skip
    for process in processes:
        assert process.communicate(timeout=300) == ("{'model': 2000}\n", "")


def test_several_threads_share_it(path: Path) -> None:
    cache = VectorCache(path)
    done: list[bool] = []
    threads = [Thread(target=lambda: done.append(works(cache))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done == [True] * 8
    cache.close()


def foreign(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE precious (thing TEXT)")
    connection.close()


def truncated(path: Path) -> None:
    filled(path)
    path.write_bytes(path.read_bytes()[:5_000])


@pytest.mark.parametrize(
    "damage", [foreign, truncated, lambda path: path.write_bytes(b"no database" * 100)]
)
def test_a_broken_or_foreign_file_is_moved_aside(
    damage: object, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert callable(damage)
    path.parent.mkdir()
    damage(path)
    before = path.read_bytes()
    cache = VectorCache(path)
    assert works(cache)
    assert works(cache)
    cache.close()
    [record] = caplog.records
    assert record.levelno == logging.WARNING
    assert record.message.endswith("moved to embeddings.sqlite.broken")
    assert path.with_name("embeddings.sqlite.broken").read_bytes() == before

    path.write_bytes(b"broken again" * 100)
    VectorCache(path).close()
    assert path.with_name("embeddings.sqlite.broken").read_bytes() == before
    assert path.with_name("embeddings.sqlite.broken-2").exists()


def test_a_folder_that_cannot_be_made(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("")
    cache = VectorCache(tmp_path / "file" / "folder" / "embeddings.sqlite")
    assert not works(cache)
    assert (cache.size(), cache.dimension("model")) == ({}, None)
    cache.clear()
    cache.close()
    [record] = caplog.records
    assert "cannot be opened" in record.message
    assert record.message.endswith("going on without it")


def test_a_full_disk(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(path)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "first\n"
    [warning] = done.stderr.splitlines()
    assert "cannot be written" in warning
