"""Replies on disk: when they are served, readable, shared, damaged, foreign, full."""

from __future__ import annotations

import json
import logging
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from langchain_core.language_models import FakeListChatModel
from support.chat_models import QUESTION, Opened
from support.chat_server import KEY, Chat, status

from trustuqa_neo4j.errors import CacheUnusable, ModelError
from trustuqa_neo4j.llm.budget import Limits, Meter
from trustuqa_neo4j.llm.cache import CompletionRequest, ReplyCache
from trustuqa_neo4j.llm.client import Model
from trustuqa_neo4j.llm.messages import Completion, Message, Usage
from trustuqa_neo4j.llm.parameters import ModelParameters

ASKED = CompletionRequest("openai:test", "http://host/v1", {"n": 1}, QUESTION)
GIVEN = Completion(("Query1: ä\n\ud800",), Usage(7, 3, calls=1), "served")

SHARING = """
import sys
from pathlib import Path
from trustuqa_neo4j.llm.cache import CompletionRequest, ReplyCache
from trustuqa_neo4j.llm.messages import Completion, Message, Usage
from trustuqa_neo4j.llm.parameters import ModelParameters
cache = ReplyCache(Path(sys.argv[1]))
for i in range(50):
    asked = CompletionRequest("m", "", {}, [Message("user", str(i))])
    cache.put(asked, Completion((str(i),), Usage(), "m"))
    assert cache.get(asked).texts == (str(i),)
print(cache.count())
cache.close()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "replies.sqlite"


def test_what_comes_out_is_what_went_in(path: Path) -> None:
    cache = ReplyCache(path)
    assert cache.get(ASKED) is None
    cache.put(ASKED, GIVEN)
    cache.put(ASKED, replace(GIVEN, texts=("another",)))
    assert cache.get(ASKED) == Completion(GIVEN.texts, Usage(cached=1), "served")
    assert cache.count() == 1
    cache.close()
    assert cache.get(ASKED) is None
    again = ReplyCache(path)
    assert again.get(ASKED) is not None
    assert again.clear() == 1
    assert (again.count(), again.get(ASKED)) == (0, None)
    again.close()


@pytest.mark.parametrize(
    "other",
    [
        replace(ASKED, model="openai:other"),
        replace(ASKED, address="http://other/v1"),
        replace(ASKED, parameters={"n": 2}),
        replace(ASKED, identity="another seed"),
        replace(ASKED, messages=QUESTION[:1]),
        replace(ASKED, messages=(Message("user", QUESTION[0].content), QUESTION[1])),
    ],
)
def test_all_that_a_reply_depends_on_counts(other: CompletionRequest) -> None:
    assert other.key != ASKED.key


def test_anybody_can_read_it_with_sqlite(path: Path) -> None:
    cache = ReplyCache(path)
    cache.put(ASKED, GIVEN)
    cache.close()
    connection = sqlite3.connect(path)
    connection.row_factory = sqlite3.Row
    (row,) = connection.execute("SELECT * FROM replies").fetchall()
    connection.close()
    assert (row["model"], row["address"], row["replied_by"]) == (
        "openai:test", "http://host/v1", "served",
    )  # fmt: skip
    assert json.loads(row["messages"])[1] == {"role": "user", "content": "who won the race"}
    assert tuple(json.loads(row["replies"])) == GIVEN.texts
    assert "ä" in row["replies"]
    assert (row["input_tokens"], row["output_tokens"]) == (7, 3)
    assert row["made"].startswith("20")


def test_its_owner_alone_can_read_it(path: Path) -> None:
    cache = ReplyCache(path)
    cache.put(ASKED, GIVEN)
    assert {file.stat().st_mode & 0o777 for file in path.parent.iterdir()} == {0o600}
    for file in path.parent.iterdir():
        file.chmod(0o666)
    reopened = ReplyCache(path)
    assert {file.stat().st_mode & 0o777 for file in path.parent.iterdir()} == {0o600}
    reopened.close()
    cache.close()


# When replies are served


def test_a_reply_is_paid_for_once(opened: Opened, path: Path) -> None:
    cache, meter = ReplyCache(path), Meter(Limits(max_calls=1))
    with Chat("first", "second") as chat:
        model = opened(chat, cache=cache, prices="1/1")
        first = model.complete(QUESTION, meter=meter)
        again = model.complete(QUESTION, meter=meter)
        other = opened(chat, cache=cache).complete(QUESTION, meter=meter)
    assert first.texts == again.texts == other.texts == ("first",)
    assert first.usage.cost
    assert again.usage == Usage(cached=1)
    assert len(chat.requests) == 1
    assert (meter.used.calls, meter.used.cached) == (1, 2)
    cache.close()
    assert KEY.encode() not in path.read_bytes()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({}, {"parameters": ModelParameters(reply_tokens=5)}),
        ({}, {"parameters": ModelParameters(seed=5)}),
        ({}, {"parameters": ModelParameters(reasoning_effort="low")}),
        ({}, {"parameters": ModelParameters(extra_body={"top_k": 5})}),
        ({}, {"parameters": ModelParameters(temperature=0.5), "draw": 1}),
        ({}, {"n": 2}),
        ({}, {"temperature": 1.0, "draw": 0}),
        ({"temperature": 1.0, "draw": 0}, {"temperature": 1.0, "draw": 1}),
        ({"temperature": 1.0, "draw": 0}, {"temperature": 0.5, "draw": 0}),
        ({"temperature": 1.0}, {"temperature": 1.0}),
    ],
)
def test_what_is_asked_otherwise_is_asked_anew(
    opened: Opened, path: Path, one: dict[str, Any], other: dict[str, Any]
) -> None:
    cache = ReplyCache(path)
    with Chat("first", "second") as chat:
        model = opened(chat, cache=cache)
        assert model.complete(QUESTION, **one).texts[0] == "first"
        assert model.complete(QUESTION, **other).texts[0] == "second"
    cache.close()


def test_a_numbered_draw_is_served_again(opened: Opened, path: Path) -> None:
    cache = ReplyCache(path)
    with Chat(["a", "b"], ["c", "d"]) as chat:
        model = opened(chat, cache=cache)
        for _ in range(2):
            assert model.complete(QUESTION, n=2, temperature=1.0, draw=7).texts == ("a", "b")
        assert model.complete(QUESTION, n=2, temperature=1.0).texts == ("c", "d")
    assert cache.count() == 1
    cache.close()


def test_neither_faults_nor_too_few_replies_are_kept(opened: Opened, path: Path) -> None:
    cache = ReplyCache(path)
    with Chat(status(404), ["a"], status(404)) as chat:
        model = opened(chat, cache=cache)
        with pytest.raises(ModelError):
            model.complete(QUESTION)
        assert model.complete(QUESTION, n=2).texts == ("a",)
    assert cache.count() == 0
    cache.close()


def test_settings_of_the_callers_model_count(path: Path) -> None:
    cache = ReplyCache(path)
    for responses in (["a"], ["b"], ["a"]):
        found = Model(FakeListChatModel(responses=responses), cache=cache).complete(QUESTION)
        assert found.texts == tuple(responses)
    assert cache.count() == 2
    cache.close()


# When something is wrong with the file


def test_processes_and_threads_share_it(path: Path) -> None:
    cache = ReplyCache(path)
    command = [sys.executable, "-c", SHARING, str(path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def work(name: str) -> None:
        for i in range(25):
            asked = CompletionRequest(name, "", {}, [Message("user", str(i))])
            cache.put(asked, GIVEN)
            assert cache.get(asked)

    threads = [Thread(target=work, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    out, err = process.communicate(timeout=300)
    assert int(out) >= 50, err
    assert cache.count() == 100
    cache.close()


@pytest.mark.parametrize(
    "content", [b"no database at all " * 100, b"SQLite format 3\0" + b"x" * 5000]
)
def test_a_damaged_file_is_reported_and_left(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(CacheUnusable) as caught:
        ReplyCache(path)
    assert caught.value.what.startswith("the cached replies cannot be opened: ")
    assert caught.value.where == str(path)
    assert caught.value.hint == "move the file away or delete it, or go on without it: keep=False"
    assert caught.value.exit_code == 1
    assert path.read_bytes() == content


def test_a_file_of_another_application_is_left(path: Path) -> None:
    path.parent.mkdir()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE theirs (id)")
    connection.commit()
    connection.close()
    with pytest.raises(CacheUnusable, match="it is a database of another application"):
        ReplyCache(path)


def test_a_file_that_is_damaged_later_is_reported(path: Path) -> None:
    cache = ReplyCache(path)
    cache.put(ASKED, GIVEN)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE replies SET replies = 'no list'")
    connection.close()
    with pytest.raises(CacheUnusable, match="cannot be read"):
        cache.get(ASKED)
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE replies")
    connection.close()
    for asked in (lambda: cache.get(ASKED), cache.count, cache.clear):
        with pytest.raises(CacheUnusable, match="no such table"):
            asked()
    cache.close()


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CacheUnusable, match="cannot be opened"):
        ReplyCache(tmp_path / "file" / "replies.sqlite")


def test_a_reply_that_cannot_be_kept_is_given_all_the_same(
    opened: Opened, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache = ReplyCache(path)
    with sqlite3.connect(path) as connection:
        connection.execute(
            "CREATE TRIGGER full BEFORE INSERT ON replies BEGIN SELECT RAISE(ABORT, 'disk full'); END"
        )
    connection.close()
    caplog.set_level(logging.WARNING)
    with Chat("a") as chat:
        model = opened(chat, cache=cache)
        for _ in range(2):
            assert model.complete(QUESTION).texts == ("a",)
    assert [record.getMessage() for record in caplog.records] == [
        f"the reply cache {path} cannot be written: disk full"
    ]
    cache.close()
