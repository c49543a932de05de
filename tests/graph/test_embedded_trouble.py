"""Embedded servers that are killed, started twice, interrupted, or cannot start."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from dataclasses import dataclass, replace

import psutil
import pytest
from homes import MakeHome, check, homes_with_jars, in_a_process, run, server_in, servers, wait_for

from trustuqa_neo4j.errors import ServerDidNotStart
from trustuqa_neo4j.graph.embedded import config as server_config
from trustuqa_neo4j.graph.embedded import launching, process, runtime
from trustuqa_neo4j.graph.embedded.config import MB
from trustuqa_neo4j.graph.embedded.home import Home
from trustuqa_neo4j.graph.embedded.info import ServerInfo


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


@pytest.mark.embedded
def test_after_a_crash_nothing_is_lost_and_it_says_what_happened(crash: Crash) -> None:
    assert crash.after.started_now
    assert crash.after.recovered
    assert sorted(crash.names) == sorted(f"n{i}" for i in range(1, 1001))
    assert crash.said[-1] == (
        "the embedded server had not been stopped properly; "
        "Neo4j has recovered its data from its log"
    )


@pytest.mark.embedded
def test_a_number_that_belongs_to_another_program_by_now_is_not_the_server(crash: Crash) -> None:
    assert crash.after.started_now  # and this process, whose number it was, is still there


@pytest.mark.embedded
def test_a_port_that_was_taken_in_the_meantime_is_replaced(crash: Crash) -> None:
    assert crash.after.bolt_port != crash.before.bolt_port
    assert crash.after.http_port == crash.before.http_port
    assert crash.said[0].startswith(f"port {crash.before.bolt_port} is in use by ")
    assert crash.said[0].endswith(f"takes {crash.after.bolt_port} for Bolt")
    assert len(crash.said) == 2


@pytest.mark.embedded
def test_a_stop_leaves_nothing_behind(crash: Crash) -> None:
    assert crash.stopped
    assert servers(crash.home.folder) == []
    assert not crash.home.pid_file.exists()
    state = crash.home.state()
    assert state is not None
    assert state.stopped
    assert not state.keep
    assert server_in(crash.home.folder).stop() is False
    assert not launching.was_cut_off(crash.home, state)


@pytest.mark.embedded
def test_a_stop_by_the_system_is_a_proper_stop(crash: Crash) -> None:
    """As when the machine is shut down: nobody noted it but Neo4j's own log."""
    state = crash.home.state()
    assert state is not None
    assert not launching.was_cut_off(crash.home, replace(state, stopped=False))


@pytest.mark.embedded
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

        clients[0].communicate("\n", timeout=60)
        assert len(servers(home)) == 1
        clients[1].communicate("\n", timeout=60)
        assert servers(home) == []
    finally:
        for client in clients:
            client.kill()
            client.communicate()
    assert [client.returncode for client in clients] == [0, 0]


@pytest.mark.embedded
def test_a_start_whose_process_is_killed_is_finished_by_the_next(make_home: MakeHome) -> None:
    home = make_home()
    starter = in_a_process(home)
    wait_for(lambda: servers(home))
    starter.kill()
    starter.communicate()
    server = server_in(home)
    [started] = servers(home)
    Home(home).pid_file.unlink(missing_ok=True)  # it may have died before it wrote that
    info = server.start(keep=False)
    assert not info.started_now
    assert run(info, "RETURN 1") == [1]
    assert servers(home) == [started]
    # The killed one wanted it to stay; a stop does not ask for that, nor for those who use it.
    server.release()
    assert servers(home) == [started]
    assert server.stop() is True
    assert servers(home) == []


@pytest.mark.embedded
def test_ctrl_c_during_a_start_leaves_no_process(make_home: MakeHome) -> None:
    home = make_home()
    starter = in_a_process(home)
    wait_for(lambda: servers(home))
    starter.send_signal(signal.SIGINT)
    out, said = starter.communicate(timeout=60)
    assert starter.returncode != 0
    assert out == ""
    assert "KeyboardInterrupt" in said
    assert servers(home) == []
    assert not Home(home).pid_file.exists()


@pytest.mark.embedded
def test_a_port_that_is_taken_while_the_server_starts(
    make_home: MakeHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = make_home()
    monkeypatch.setattr(process, "is_free", lambda _port: True)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ServerDidNotStart) as caught:
            server_in(home).start(keep=True, bolt_port=port)
    assert "Address already in use" in caught.value.what
    check(caught.value, "server did not start", "another program took the port", "--bolt-port")
    assert servers(home) == []
    assert Home(home).state() is None


@pytest.mark.embedded
def test_a_server_that_does_not_get_its_memory(
    make_home: MakeHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = make_home()
    too_much = server_config.Memory(heap=10**15, page_cache=256 * MB)
    monkeypatch.setattr(launching, "memory_for", lambda _total: too_much)
    with pytest.raises(ServerDidNotStart) as caught:
        server_in(home).start(keep=True)
    assert "Could not reserve enough space" in caught.value.what
    check(caught.value, "server did not start", "not enough memory")
    assert not Home(home).pid_file.exists()


@pytest.mark.embedded
def test_a_password_that_cannot_be_set(
    make_home: MakeHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = {**server_config.SETTINGS, "dbms.nonsense": "1"}
    monkeypatch.setattr(server_config, "SETTINGS", wrong)
    with pytest.raises(ServerDidNotStart, match=r"given its password: Unrecognized setting"):
        server_in(make_home()).start(keep=True)
    monkeypatch.setattr(server_config, "SETTINGS", {})
    monkeypatch.setattr(runtime, "ADMIN_PATIENCE", 0.01)
    with pytest.raises(ServerDidNotStart, match=r"neo4j-admin was silent"):
        server_in(make_home()).start(keep=True)
