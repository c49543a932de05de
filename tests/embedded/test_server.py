"""One embedded server, which all tests here share."""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, replace

import neo4j
import psutil
import pytest
from support.homes import VERSION, MakeHome, check, homes_with_jars, run, server_in, servers

from trustuqa_neo4j import Settings, embedded
from trustuqa_neo4j.embedded import EmbeddedServer, process
from trustuqa_neo4j.embedded.config import MB, ServerConfig, choose_memory, read_browser_style
from trustuqa_neo4j.embedded.home import Home
from trustuqa_neo4j.embedded.readiness import ServerInfo
from trustuqa_neo4j.errors import AuthenticationFailed, EmbeddedError, ServerDidNotStop, UsageError

GB = 1024 * MB

LOGS_OF_A_STRANGER = """<?xml version="1.0"?>
<Configuration>
  <Appenders><File name="f" fileName="{target}"><PatternLayout pattern="%m%n"/></File></Appenders>
  <Loggers><Root level="INFO"><AppenderRef ref="f"/></Root></Loggers>
</Configuration>
"""


@pytest.fixture(scope="module")
def make_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MakeHome]:
    with homes_with_jars(tmp_path_factory) as make:
        yield make


@dataclass(frozen=True)
class Running:
    home: Home
    server: EmbeddedServer
    info: ServerInfo
    said: list[str]

    @property
    def process(self) -> psutil.Process:
        found = process.find_server(self.home)
        assert found is not None
        return found


@pytest.fixture(scope="module")
def running(make_home: MakeHome) -> Iterator[Running]:
    home, said = make_home(), list[str]()
    server = server_in(home)
    conf = Home(home).conf.parent
    conf.mkdir(parents=True)
    (conf / "user-logs.xml").write_text(LOGS_OF_A_STRANGER.format(target=home / "appended"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", "not for the server")
        patch.setenv("JAVA_TOOL_OPTIONS", "-Xmx100m")
        patch.setenv("LC_ALL", "C")  # in which no file name has an accent
        info = server.start(keep=True, notify=said.append)
    yield Running(Home(home), server, info, said)
    server.stop()


@pytest.mark.embedded
def test_the_first_start(running: Running) -> None:
    assert running.info.is_new
    assert not running.info.is_recovered
    assert running.said == []
    assert running.info.version == VERSION
    assert run(running.info, "RETURN 1") == [1]
    versions = "CALL dbms.components() YIELD versions RETURN versions[0]"
    assert run(running.info, versions)[0] == VERSION
    assert running.home.pid() == running.process.pid


@pytest.mark.embedded
def test_settings_that_lie_in_the_home_do_nothing(running: Running) -> None:
    assert not (running.home.folder / "appended").exists()
    assert (running.home.logs / "neo4j.log").stat().st_size > 0
    assert [path.name for path in running.home.conf.parent.iterdir()] == ["neo4j.conf"]


@pytest.mark.embedded
def test_all_files_of_the_server_are_for_its_owner_alone(running: Running) -> None:
    paths = [running.home.folder, running.home.server, *running.home.server.rglob("*")]
    assert len(paths) > 50
    assert [path for path in paths if not path.is_symlink() and path.stat().st_mode & 0o077] == []


@pytest.mark.embedded
def test_a_second_start_shares(running: Running) -> None:
    said: list[str] = []
    info = running.server.start(keep=True, notify=said.append)
    assert info == replace(running.info, is_new=False)
    assert said == []
    assert servers(running.home.folder) == [running.process]


@pytest.mark.embedded
def test_a_server_that_runs_keeps_its_ports_and_says_so(running: Running) -> None:
    said: list[str] = []
    info = running.server.start(keep=True, bolt_port=17077, notify=said.append)
    assert info.bolt_port == running.info.bolt_port
    [line] = said
    assert line == (
        f"the embedded server runs already, with Bolt port {info.bolt_port} and not 17077: "
        "to change that, first tuqa neo4j stop"
    )


@pytest.mark.embedded
def test_it_listens_on_this_machine_only(running: Running) -> None:
    found = running.process.net_connections("inet")
    listening = {c.laddr for c in found if c.status == psutil.CONN_LISTEN}
    assert {port for _, port in listening} == {running.info.bolt_port, running.info.http_port}
    assert {ip.removeprefix("::ffff:") for ip, _ in listening} == {"127.0.0.1"}
    assert [c for c in found if c.type == socket.SOCK_DGRAM] == []


@pytest.mark.embedded
def test_the_password_is_seen_by_its_owner_alone(running: Running) -> None:
    home, password = running.home, running.info.password
    assert running.server.password() == password
    assert stat.S_IMODE(home.password_file.stat().st_mode) == 0o600
    assert stat.S_IMODE(home.server.stat().st_mode) == 0o700
    assert not any(password in word for word in running.process.cmdline())
    for path in home.folder.rglob("*"):
        holds = path.is_file() and password.encode() in path.read_bytes()
        assert not holds or path == home.password_file


@pytest.mark.embedded
def test_it_gets_nothing_of_the_environment_that_it_does_not_need(running: Running) -> None:
    environment = running.process.environ()
    assert "OPENAI_API_KEY" not in environment
    assert "JAVA_TOOL_OPTIONS" not in environment
    assert environment["NEO4J_HOME"] == str(running.home.server)


@pytest.mark.embedded
@pytest.mark.parametrize(
    ("address", "refusal"),
    [
        ("file:///password", "allow_csv_import_from_file_urls"),
        ("http://127.0.0.1:{http}/", "is blocked via"),
        ("http://localhost:{http}/", "is blocked via"),
        ("http://[::1]:{http}/", "is blocked via"),
        ("ftp://127.0.0.1:{http}/", "is blocked via"),
    ],
)
def test_csv_is_read_from_nowhere(running: Running, address: str, refusal: str) -> None:
    given = address.format(http=running.info.http_port)
    with pytest.raises(neo4j.exceptions.ClientError, match=refusal):
        run(running.info, "LOAD CSV FROM $address AS row RETURN row", address=given)


@pytest.mark.embedded
def test_its_settings_are_in_force(running: Running) -> None:
    config = ServerConfig(
        VERSION,
        running.info.bolt_port,
        running.info.http_port,
        choose_memory(process.read_machine_memory()),
        read_browser_style(),
    )
    given = config.settings()
    asked = "SHOW SETTINGS YIELD name, value WHERE name IN $names RETURN name + '=' + value"
    names = [name for name in given if not name.startswith("server.memory")]
    names = [name for name in names if not name.startswith("internal.")]  # shown to nobody
    found = dict(line.split("=", 1) for line in run(running.info, asked, names=names))
    retention = found.pop("db.tx_log.rotation.retention_policy")
    assert retention.casefold() == "256m size"
    assert found.pop("server.directories.plugins") == str(running.home.plugins)
    assert found == {name: given[name] for name in found}
    assert len(found) >= len(names) - 3
    limit = "SHOW SETTINGS YIELD name, value WHERE name ENDS WITH 'pagecache.size' RETURN value"
    assert run(running.info, limit) == [f"{config.memory.page_cache / GB:.2f}GiB"]
    assert f"-Xmx{config.memory.heap // MB}m" in running.process.cmdline()


@pytest.mark.embedded
def test_browser_is_served(running: Running) -> None:
    with urllib.request.urlopen(running.info.browser_url, timeout=30) as answer:
        assert b"<html" in answer.read().lower()


@pytest.mark.embedded
def test_pages_of_other_origins_read_nothing_over_http(running: Running) -> None:
    request = urllib.request.Request(running.info.http, headers={"Origin": "http://example.org"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        assert answer.headers["Access-Control-Allow-Origin"] in (None, running.info.http)
    for path in ("/db/neo4j/tx/commit", "/db/neo4j/query/v2"):
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(running.info.http + path, b"{}", timeout=30)
        caught.value.close()
        assert caught.value.code == 404


@pytest.mark.embedded
def test_the_status_of_a_server_that_runs(running: Running) -> None:
    found = running.server.status()
    assert found.running
    assert found.ready
    assert found.keep
    assert (found.version, found.pid) == (VERSION, running.process.pid)
    assert (found.uri, found.browser_url) == (running.info.uri, running.info.browser_url)
    assert found.memory_bytes is not None
    assert found.memory_bytes > 100 * MB
    assert found.data_bytes > 100_000
    assert found.jar_bytes > 100 * MB
    assert found.started is not None
    assert running.home.logs / "neo4j.log" in found.logs
    assert json.loads(json.dumps(found.to_dict()))["home"] == str(running.home.folder)


@pytest.mark.embedded
def test_it_is_not_cleaned_away_under_its_feet(running: Running) -> None:
    with pytest.raises(UsageError, match="the embedded server is running") as caught:
        running.server.clean()
    check(caught.value, "usage error", "tuqa neo4j stop", code=2)
    assert running.home.jars.exists()


@pytest.mark.embedded
def test_clients_leave_a_server_that_is_to_stay(running: Running) -> None:
    settings = Settings(home=running.home.folder, neo4j_version=VERSION)
    with embedded.lease_server(settings) as one, embedded.lease_server(settings):
        assert one.settings.uri == running.info.uri
        assert one.settings.password == running.info.password
        assert running.server.status().users == (os.getpid(), os.getpid())
    assert running.server.status().users == ()
    assert running.process.is_running()


@pytest.mark.embedded
def test_neo4j_admin_runs_on_the_same_jars(running: Running) -> None:
    command = running.server.admin_command("--version")
    said = subprocess.run(
        command.words, env=command.environment, capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() == VERSION


@pytest.mark.embedded
def test_a_password_that_the_server_does_not_take(running: Running) -> None:
    running.home.password_file.write_text("another\n")
    try:
        with pytest.raises(AuthenticationFailed) as caught:
            running.server.start(keep=True)
    finally:
        running.home.password_file.write_text(running.info.password + "\n")
    check(caught.value, "authentication failed", "TUQA_HOME", "'password'")
    assert running.process.is_running()


@pytest.mark.embedded
def test_a_server_whose_notes_are_lost(running: Running) -> None:
    kept = running.home.state_file.read_bytes()
    running.home.state_file.unlink()
    try:
        with pytest.raises(EmbeddedError) as caught:
            running.server.start(keep=True)
        assert running.server.status().running
    finally:
        running.home.state_file.write_bytes(kept)
    check(caught.value, "embedded error", "tuqa neo4j stop, then tuqa neo4j start")


@pytest.mark.embedded
def test_a_server_that_will_not_end(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded.server, "STOP_TIMEOUT", 0.2)
    monkeypatch.setattr(psutil.Process, "terminate", lambda _process: None)
    with pytest.raises(ServerDidNotStop) as caught:
        running.server.stop()
    check(caught.value, "server did not stop", f"kill -9 {running.process.pid}")
    assert caught.value.where == str(running.home.logs)
