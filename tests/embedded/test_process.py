"""Programs that pass themselves off as the embedded server get no password; detached ones give way."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from support.homes import STATE, a_home, check, wait_for

from trustuqa_neo4j.embedded import EmbeddedServer, process
from trustuqa_neo4j.embedded.config import DEFAULT_VERSION, find_release
from trustuqa_neo4j.embedded.home import Home
from trustuqa_neo4j.errors import PortTaken


@contextmanager
def imitation(home: Home, code: str = "") -> Iterator[psutil.Process]:
    """A process with the command line of the server of ``home``; it runs ``code`` and waits."""
    words = [find_release(DEFAULT_VERSION).main_class, process.HOME_OPTION, str(home.server)]
    script = f"import socket\n{code}\nprint('ready', flush=True)\ninput()"
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", script, *words]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        yield psutil.Process(child.pid)
        child.communicate(b"\n")


class Listener:
    """Listens on a port and stores what it receives, from the first connection on."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self.connections = 0
        self.received = b""
        self._thread = threading.Thread(target=self._serve)

    def __enter__(self) -> Listener:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._socket.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection:
                self.connections += 1
                self.received += connection.recv(1000)


def home_with_port(folder: Path, port: int) -> Home:
    home = a_home(folder, replace(STATE, version=DEFAULT_VERSION, bolt_port=port))
    home.password_file.write_text("top-secret\n")
    return home


def test_a_socket_of_another_process_gets_nothing(tmp_path: Path) -> None:
    with Listener() as listener:
        home = home_with_port(tmp_path, listener.port)
        with imitation(home) as server, pytest.raises(PortTaken) as caught:
            EmbeddedServer(home.folder).start(keep=True)
        wait_for(lambda: listener.connections)
    assert listener.received == b""
    check(caught.value, "port taken", "tuqa neo4j stop")
    assert f"port {listener.port} is in use by" in caught.value.what
    assert f"not by the embedded server (process {server.pid})" in caught.value.what
    assert caught.value.where == f"127.0.0.1:{listener.port}"


def test_a_server_is_ready_once_it_listens_itself(tmp_path: Path) -> None:
    with Listener() as listener:
        home = home_with_port(tmp_path, listener.port)
        with imitation(home) as server:
            assert not EmbeddedServer(home.folder).status().ready
            assert not process.has_port(server, listener.port)
    with imitation(home, "listener = socket.create_server(('127.0.0.1', 0))") as server:
        [own] = server.net_connections("tcp")
        home.write_state(replace(STATE, bolt_port=own.laddr.port))
        assert process.has_port(server, own.laddr.port)
        assert EmbeddedServer(home.folder).status().ready


def test_a_process_of_another_account_is_not_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = home_with_port(tmp_path, 17001)
    with imitation(home) as server:
        assert process.find_server(home) == server
        home.write_pid(server.pid)
        assert process.find_server(home) == server
        ids = server.uids()
        stranger = max(ids) + 1
        with monkeypatch.context() as patch:
            patch.setattr(psutil.Process, "uids", lambda _process: ids._replace(effective=stranger))
            assert process.find_server(home) is None
            assert not EmbeddedServer(home.folder).status().running


def test_a_detached_process_gives_way_in_its_own_session(tmp_path: Path) -> None:
    child = process.spawn(
        [sys.executable, "-c", "import signal; signal.pause()"], tmp_path, tmp_path / "log", 10
    )
    try:
        assert child.nice() == 10
        # Systems without groups of sessions need nothing more.
        group = Path(f"/proc/{child.pid}/autogroup")
        assert not group.exists() or group.read_text().split()[-2:] == ["nice", "10"]
        # What was chosen before is not taken back.
        process._lower_priority(child.pid, 5)
        assert child.nice() == 10
    finally:
        child.kill()
        child.wait(10)
