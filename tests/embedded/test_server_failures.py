"""Embedded servers that are killed, started twice, interrupted, or cannot start."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import psutil
import pytest
from support.homes import (
    VERSION,
    MakeHome,
    check,
    homes_with_jars,
    in_a_process,
    run,
    server_in,
    servers,
    wait_for,
)

from trustuqa_neo4j import Settings, TrustUQA, embedded
from trustuqa_neo4j.embedded import EmbeddedServer, launch, process, runtime
from trustuqa_neo4j.embedded import config as server_config
from trustuqa_neo4j.embedded.config import MB
from trustuqa_neo4j.embedded.home import Home
from trustuqa_neo4j.embedded.readiness import ServerInfo
from trustuqa_neo4j.errors import DatabaseError, PortTaken, ServerDidNotStart

pytestmark = [pytest.mark.embedded, pytest.mark.long]


@pytest.fixture(scope="module")
def make_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MakeHome]:
    with homes_with_jars(tmp_path_factory) as make:
        yield make


@dataclass(frozen=True)
class Crash:
    """A server before it was killed, and what came after."""

    before: ServerInfo
    after: ServerInfo
    said: list[str]
    names: list[str]
    stopped: bool
    home: Home


@pytest.fixture(scope="module")
def crash(make_home: MakeHome) -> Crash:
    """A server is killed; its number now belongs to another program, and so does its port."""
    home, said = Home(make_home()), list[str]()
    server = server_in(home.folder)
    before = server.start(keep=True)
    run(before, "UNWIND range(1, 1000) AS i CREATE (:Test {name: 'n' + i})")
    pid = home.pid()
    assert pid is not None
    killed = psutil.Process(pid)
    killed.kill()
    killed.wait()
    home.write_pid(os.getpid())
    with socket.create_server(("127.0.0.1", before.bolt_port)):
        after = server.start(keep=True, notify=said.append)
    names = run(after, "MATCH (n:Test) RETURN n.name")
    return Crash(before, after, said, names, server.stop(), home)


def test_after_a_crash_nothing_is_lost_and_it_says_what_happened(crash: Crash) -> None:
    assert crash.after.is_new
    assert crash.after.is_recovered
    assert sorted(crash.names) == sorted(f"n{i}" for i in range(1, 1001))
    assert crash.said[-1] == (
        "the embedded server had not been stopped properly; "
        "Neo4j has recovered its data from its log"
    )


def test_a_number_that_belongs_to_another_program_by_now_is_not_the_server(crash: Crash) -> None:
    assert crash.after.is_new  # and this process, whose number it was, is still there


def test_a_port_that_was_taken_in_the_meantime_is_replaced(crash: Crash) -> None:
    assert crash.after.bolt_port != crash.before.bolt_port
    assert crash.after.http_port == crash.before.http_port
    assert crash.said[0].startswith(f"port {crash.before.bolt_port} is in use by ")
    assert crash.said[0].endswith(f"takes {crash.after.bolt_port} for Bolt")
    assert len(crash.said) == 2


def test_a_stop_leaves_nothing_behind(crash: Crash) -> None:
    assert crash.stopped
    assert servers(crash.home.folder) == []
    assert not crash.home.pid_file.exists()
    state = crash.home.state()
    assert state is not None
    assert state.stopped
    assert not state.keep
    assert server_in(crash.home.folder).stop() is False
    assert not launch.has_crashed(crash.home, state)


def test_a_stop_by_the_system_is_a_proper_stop(crash: Crash) -> None:
    """As when the machine is shut down: nobody noted it but Neo4j's own log."""
    state = crash.home.state()
    assert state is not None
    assert not launch.has_crashed(crash.home, replace(state, stopped=False))


def test_two_starts_at_once_share_one_server_and_the_last_client_stops_it(
    make_home: MakeHome,
) -> None:
    home = make_home()
    clients = [in_a_process(home, "input(); server.release()", keep=False) for _ in range(2)]
    try:
        told = [wait_for(client.stdout.readline) for client in clients if client.stdout]
        for i, client in enumerate(clients):
            if "waiting" in told[i] and client.stdout:
                assert told[i].startswith("another process is starting or stopping")
                told[i] = wait_for(client.stdout.readline)
        answers = sorted(line.split() for line in told)
        assert [answer[0] for answer in answers] == ["False", "True"]
        assert answers[0][1:] == answers[1][1:]  # the same port, the same process
        assert len(servers(home)) == 1
        users = server_in(home).status().users
        assert sorted(users) == sorted(client.pid for client in clients)

        clients[0].communicate("\n", timeout=300)
        assert len(servers(home)) == 1
        clients[1].communicate("\n", timeout=300)
        assert servers(home) == []
    finally:
        for client in clients:
            client.kill()
            client.communicate(timeout=300)
    assert [client.returncode for client in clients] == [0, 0]


def test_a_start_whose_process_is_killed_is_finished_by_the_next(make_home: MakeHome) -> None:
    home = make_home()
    starter = in_a_process(home)
    wait_for(lambda: servers(home))
    starter.kill()
    starter.communicate(timeout=300)
    server = server_in(home)
    [started] = servers(home)
    Home(home).pid_file.unlink(missing_ok=True)  # it may have died before it wrote that
    info = server.start(keep=False)
    assert not info.is_new
    assert run(info, "RETURN 1") == [1]
    assert servers(home) == [started]
    # The killed one wanted it to stay; a stop does not ask for that, nor for those who use it.
    server.release()
    assert servers(home) == [started]
    assert server.stop() is True
    assert servers(home) == []


def test_ctrl_c_during_a_start_leaves_no_process(make_home: MakeHome) -> None:
    home = make_home()
    starter = in_a_process(home)
    wait_for(lambda: servers(home))
    starter.send_signal(signal.SIGINT)
    out, said = starter.communicate(timeout=300)
    assert starter.returncode != 0
    assert out == ""
    assert "KeyboardInterrupt" in said
    assert servers(home) == []
    assert not Home(home).pid_file.exists()


def test_a_port_that_is_taken_while_the_server_starts(
    make_home: MakeHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = make_home()
    monkeypatch.setattr(process, "is_port_free", lambda _port: True)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(PortTaken) as caught:
            server_in(home).start(keep=True, bolt_port=port)
    assert f"port {port} is in use by" in caught.value.what
    check(caught.value, "port taken", "start the server at another port")
    assert servers(home) == []
    assert Home(home).state() is None


def test_a_server_that_does_not_get_its_memory(
    make_home: MakeHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = make_home()
    too_much = server_config.Memory(heap=10**15, page_cache=256 * MB)
    monkeypatch.setattr(launch, "choose_memory", lambda _total: too_much)
    with pytest.raises(ServerDidNotStart) as caught:
        server_in(home).start(keep=True)
    assert "Could not reserve enough space" in caught.value.what
    check(caught.value, "server did not start", "not enough memory")
    assert not Home(home).pid_file.exists()


def test_a_password_that_cannot_be_set(
    make_home: MakeHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = {**server_config.SETTINGS, "dbms.nonsense": "1"}
    monkeypatch.setattr(server_config, "SETTINGS", wrong)
    with pytest.raises(ServerDidNotStart, match=r"given its password: Unrecognized setting"):
        server_in(make_home()).start(keep=True)
    monkeypatch.setattr(server_config, "SETTINGS", {})
    monkeypatch.setattr(runtime, "ADMIN_TIMEOUT", 0.01)
    with pytest.raises(ServerDidNotStart, match=r"neo4j-admin was silent"):
        server_in(make_home()).start(keep=True)


def load(server: EmbeddedServer, *datasets: str, folder: Path, count: int) -> None:
    """Load ``count`` facts into each dataset."""
    path = folder / f"{count}.tsv"
    path.write_text("".join(f"h{n}\tr{n % 7}\tt{n}\n" for n in range(count)))
    settings = embedded.ensure_running(Settings(home=server.home.folder, neo4j_version=VERSION))
    with TrustUQA.connect(replace(settings, embedder="none")) as tuqa:
        for dataset in datasets:
            tuqa.load("kg", path, dataset=dataset)


def list_datasets(server: EmbeddedServer) -> dict[str, tuple[int, bool]]:
    settings = Settings(home=server.home.folder, neo4j_version=VERSION, embedder="none")
    with TrustUQA.connect(embedded.ensure_running(settings)) as tuqa:
        return {dataset.name: (dataset.facts, dataset.complete) for dataset in tuqa.datasets()}


def test_after_writes_that_failed_all_that_was_complete_is_there(
    make_home: MakeHome, tmp_path: Path
) -> None:
    """A limit for the size of files stands in for a full disk: an append to the log fails half-way."""
    server = server_in(make_home())
    load(server, "complete", folder=tmp_path, count=100)
    process_of_server = process.find_server(server.home)
    assert process_of_server is not None
    logs = server.home.data.glob("transactions/neo4j/neostore.transaction.db.*")
    unlimited = process_of_server.rlimit(psutil.RLIMIT_FSIZE)
    limit = max(log.stat().st_size for log in logs) + 100_000
    process_of_server.rlimit(psutil.RLIMIT_FSIZE, (limit, unlimited[1]))
    with pytest.raises(DatabaseError):
        load(server, "d", folder=tmp_path, count=3000)
    # Space is free again before the server is stopped, which must not write behind the damage.
    process_of_server.rlimit(psutil.RLIMIT_FSIZE, unlimited)
    assert server.stop()
    datasets = list_datasets(server)
    assert datasets.pop("complete") == (100, True)
    assert not any(is_complete for _, is_complete in datasets.values())
    load(server, "d", folder=tmp_path, count=3000)
    assert list_datasets(server) == {"complete": (100, True), "d": (3000, True)}


def test_a_damaged_end_of_the_log_is_cut_off(make_home: MakeHome, tmp_path: Path) -> None:
    server = server_in(make_home())
    load(server, "complete", folder=tmp_path, count=100)
    (running,) = servers(server.home.folder)
    running.kill()
    running.wait()
    log = max(server.home.data.glob("transactions/neo4j/neostore.transaction.db.*"))
    with log.open("ab") as end:
        end.write(bytes(range(1, 256)) * 8)
    with pytest.raises(ServerDidNotStart) as caught:
        server.start(keep=True)
    check(caught.value, "server did not start", "tuqa neo4j start --repair")
    assert server.start(keep=True, repair=True).is_new
    assert list_datasets(server) == {"complete": (100, True)}
    assert server.stop()
    assert list_datasets(server) == {"complete": (100, True)}
