"""What a start decides before it starts anything: version and ports."""

from __future__ import annotations

import os
import socket
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from support.homes import STATE, a_home, check

from trustuqa_neo4j.embedded import EmbeddedServer
from trustuqa_neo4j.embedded.config import DEFAULT_VERSION
from trustuqa_neo4j.embedded.launch import StartOptions, choose_ports
from trustuqa_neo4j.embedded.runtime import choose_version
from trustuqa_neo4j.errors import PortTaken, ServerDidNotStart, UsageError


def test_the_version_that_wrote_the_data_stays(tmp_path: Path) -> None:
    assert choose_version(a_home(tmp_path), None) == DEFAULT_VERSION
    home = a_home(tmp_path, STATE)
    assert choose_version(home, None) == "5.26.30"
    assert choose_version(home, "2026.08.1") == "2026.08.1"


def test_an_older_version_is_not_let_at_the_data(tmp_path: Path) -> None:
    home = a_home(tmp_path, replace(STATE, version="2026.08.1"))
    with pytest.raises(ServerDidNotStart) as caught:
        choose_version(home, "5.26.30")
    check(caught.value, "server did not start", "TUQA_NEO4J_VERSION to 2026.08.1", "TUQA_HOME")
    assert "5.26.30 is older and cannot read it" in caught.value.what


def test_data_of_a_version_that_is_not_known_any_more_is_not_let_at_either(tmp_path: Path) -> None:
    home = a_home(tmp_path, replace(STATE, version="2099.01.0"))
    with pytest.raises(ServerDidNotStart, match=r"written by Neo4j 2099\.01\.0"):
        choose_version(home, None)
    home = a_home(tmp_path / "older", replace(STATE, version="5.26.1"))
    assert choose_version(home, None) == DEFAULT_VERSION


def test_ports_are_chosen_once_and_kept() -> None:
    first = choose_ports(None, StartOptions(), pytest.fail)
    assert first[0] != first[1]
    state = replace(STATE, bolt_port=first[0], http_port=first[1])
    assert choose_ports(state, StartOptions(), pytest.fail) == first
    other = choose_ports(state, StartOptions(http_port=first[0]), print)
    assert other[1] == first[0] != other[0]


def test_a_port_that_was_asked_for_and_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(PortTaken) as caught:
            choose_ports(None, StartOptions(bolt_port=port), print)
    check(caught.value, "port taken", "--bolt-port", "end that program")
    name = psutil.Process().name()
    assert caught.value.what == f"port {port} is in use by {name} (process {os.getpid()})"
    assert caught.value.where == f"127.0.0.1:{port}"


def test_a_port_that_was_used_before_and_is_taken_now() -> None:
    said: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        found = choose_ports(replace(STATE, http_port=port), StartOptions(), said.append)
    assert port not in found
    assert said[-1].startswith(f"port {port} is in use by ")
    assert said[-1].endswith(f"the embedded server takes {found[1]} for HTTP")


def test_one_port_cannot_serve_two(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="port 17100 is named twice"):
        EmbeddedServer(tmp_path).start(keep=True, bolt_port=17100, http_port=17100)
