"""``tuqa serve --workers``: several processes, which look like one, and end together."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import psutil
import pytest
from support.shell import environment, shell
from support.web import find_port

from trustuqa_neo4j import Settings, TrustUQA

TOKEN = "a-token-of-the-tests"
HEADERS = {"Authorization": f"Bearer {TOKEN}"}
STARRING = "get_information(head_entity='Alien', relation='starring')"
CSV = b"name,height\nAlder,12\nBirch,15\nCedar,40\n"
ROWS = "".join(f"tree {number},{number}\n" for number in range(60_000))
LONG = {"file": ("long.csv", b"name,height\n" + ROWS.encode())}


class Served:
    """A server of two processes. Each request has a connection of its own, so that either may answer."""

    def __init__(self, process: subprocess.Popen[str], address: str, home: Path) -> None:
        self.process = process
        self.address = address
        self.uploads = home / "uploads"

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        return httpx.request(
            method, f"{self.address}{path}", headers=HEADERS, timeout=120, **options
        )

    def worker(self) -> int:
        number: int = self.request("GET", "/healthz").json()["worker"]
        return number

    @contextmanager
    def client_of(self, worker: int) -> Iterator[httpx.Client]:
        """A client whose connection stays with one process."""
        while True:
            with httpx.Client(base_url=self.address, headers=HEADERS, timeout=120) as client:
                if client.get("/healthz").json()["worker"] == worker:
                    yield client
                    return

    def children(self) -> list[psutil.Process]:
        """The processes that answer."""
        return [
            child
            for child in psutil.Process(self.process.pid).children()
            if "spawn_main" in " ".join(child.cmdline())
        ]


@contextmanager
def serving(server: Settings, home: Path, *words: str) -> Iterator[Served]:
    port = find_port()
    process = subprocess.Popen(
        [str(Path(sys.executable).with_name("tuqa")), "serve", "--port", str(port), *words],
        env=environment(server) | {"TUQA_SERVE_TOKEN": TOKEN, "TUQA_HOME": str(home)},
        text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        printed = [process.stdout.readline() for _ in range(3)]
        assert printed[0].startswith("page:"), process.communicate()
        yield Served(process, f"http://127.0.0.1:{port}", home)
    finally:
        if process.poll() is None:
            process.terminate()
        process.communicate(timeout=60)


@pytest.fixture
def served(server: Settings, films: TrustUQA, tmp_path: Path) -> Iterator[Served]:
    with serving(server, tmp_path, "--workers", "2", "--allow-load", "--allow-teach") as served:
        yield served


def wait_for(condition: Callable[[], bool]) -> None:
    pause = Event()
    while not condition():
        pause.wait(0.02)


def end(served: Served, number: int) -> str:
    """Send a signal to the server; return what it said, once nothing of it is left."""
    children = served.children()
    served.process.send_signal(number)
    _, messages = served.process.communicate(timeout=60)
    assert served.process.returncode == 0
    psutil.wait_procs(children, timeout=60)
    assert not any(child.is_running() for child in children)
    assert list(served.uploads.glob(".new-*")) == []
    return messages


def test_what_a_worker_keeps_the_others_find(served: Served) -> None:
    with served.client_of(1) as first, served.client_of(2) as second:
        health = first.get("/healthz").json()
        assert (health["status"], health["workers"]) == ("ok", 2)
        # An answer.
        form = {"query": STARRING, "dataset": "films"}
        place = first.post("/run", data=form, follow_redirects=False).headers["location"]
        assert "Tom Skerritt" in second.get(place).text
        # A preview, and its load.
        file = {"file": ("trees.csv", CSV)}
        place = first.post("/data/preview", files=file, data={"dataset": "trees"}).headers[
            "location"
        ]
        assert "Birch" in second.get(place).text
        preview = {"preview": place.rpartition("/")[2]}
        place = second.post("/data/load", data=preview).headers["location"]
        number = place.rpartition("/")[2]
        events = first.get(f"/api/v1/loads/{number}", headers={"Accept": "text/event-stream"}).text
        last = [line for line in events.splitlines() if line.startswith("data: ")][-1]
        assert json.loads(last.removeprefix("data: "))["state"] == "finished"
        assert [job["id"] for job in second.get("/api/v1/loads").json()] == [number]
        question = {"question": "what is the height of the Birch?", "dataset": "trees"}
        assert second.post("/api/v1/ask", json=question).json()["values"] == ["15"]
        # A demonstration changes the examples of all.
        assert "who plays in Alien" not in first.get("/examples?dataset=films").text
        taught = {"question": "who plays in Alien", "query": STARRING}
        assert second.post("/api/v1/datasets/films/demonstrations", json=taught).status_code == 201
        assert "who plays in Alien" in first.get("/examples?dataset=films").text
    assert end(served, signal.SIGINT) == "Ctrl-C stops it.\nstopped\n"


def test_a_load_is_cancelled_from_another_worker_and_the_next_gets_its_turn(served: Served) -> None:
    with served.client_of(1) as first, served.client_of(2) as second:
        assert first.post("/api/v1/loads", files=LONG, data={"dataset": "long"}).status_code == 202
        short = {"file": ("trees.csv", CSV)}
        assert (
            second.post("/api/v1/loads", files=short, data={"dataset": "trees"}).status_code == 202
        )
        wait_for(lambda: second.get("/api/v1/loads/l1").json()["phase"] != "wait")
        assert second.get("/api/v1/loads/l2").json()["phase"] == "wait"
        assert second.delete("/api/v1/loads/l1").status_code == 202
        wait_for(lambda: second.get("/api/v1/loads/l2").json()["state"] == "finished")
        assert second.get("/api/v1/loads/l1").json()["state"] == "cancelled"
        names = {dataset["name"] for dataset in first.get("/api/v1/datasets").json()}
        assert "trees" in names
        assert "long" not in names


def test_a_worker_that_dies_is_replaced_and_its_load_has_failed(served: Served) -> None:
    with served.client_of(1) as first, served.client_of(2) as second:
        first.post("/api/v1/loads", files=LONG, data={"dataset": "long"})
        wait_for(lambda: second.get("/api/v1/loads/l1").json()["phase"] != "wait")
        before = {child.pid for child in served.children()}
        min(served.children(), key=lambda child: child.create_time()).kill()
        wait_for(lambda: second.get("/api/v1/loads/l1").json()["state"] == "failed")
        problem = second.get("/api/v1/loads/l1").json()["problem"]
        assert problem["detail"] == "the process that ran the load ended"
    with served.client_of(1) as replaced:
        assert replaced.get("/api/v1/datasets").status_code == 200
    assert len({child.pid for child in served.children()} - before) == 1
    assert "worker 1 was ended by signal 9; another one takes its place" in end(
        served, signal.SIGTERM
    )


def test_sigterm_ends_a_load_and_leaves_nothing_of_it(served: Served, films: TrustUQA) -> None:
    with served.client_of(2) as client:
        client.post("/api/v1/loads", files=LONG, data={"dataset": "long"})
        wait_for(lambda: client.get("/api/v1/loads/l1").json()["phase"] != "wait")
    end(served, signal.SIGTERM)
    assert "long" not in {dataset.name for dataset in films.datasets()}
    assert [path.name for path in served.uploads.iterdir()] == [".lock"]


def test_a_killed_server_leaves_no_worker_and_its_folder_goes_at_the_next_start(
    server: Settings, films: TrustUQA, tmp_path: Path
) -> None:
    with serving(server, tmp_path, "--workers", "2") as served:
        wait_for(lambda: {served.worker() for _ in range(4)} == {1, 2})
        (folder,) = served.uploads.glob(".new-*")
        children = served.children()
        served.process.kill()
        served.process.wait()
        psutil.wait_procs(children, timeout=60)
        assert not any(child.is_running() for child in children)
        assert folder.is_dir()
    (served.uploads / ".new-of-an-old-version").mkdir()
    with serving(server, tmp_path) as served, serving(server, tmp_path) as another:
        own = set(served.uploads.glob(".new-*"))
        assert len(own) == 2
        assert folder not in own
        assert (served.worker(), another.worker()) == (1, 1)
    assert list(served.uploads.glob(".new-*")) == []


def test_a_worker_that_cannot_start_ends_the_server(server: Settings, tmp_path: Path) -> None:
    with serving(server, tmp_path, "--workers", "2") as served:
        wait_for(lambda: len(served.children()) == 2)
        for child in served.children():
            child.kill()
        _, messages = served.process.communicate(timeout=60)
    assert served.process.returncode == 1
    assert "before it answered" in messages
    assert list(served.uploads.glob(".new-*")) == []


@pytest.mark.parametrize("workers", ["0", "-1", "two", "1.5", "65"])
def test_bad_numbers_of_workers(server: Settings, workers: str) -> None:
    done = shell(server, "tuqa", "serve", "--workers", workers)
    assert (done.code, done.out) == (2, "")
    assert "--workers" in done.err
