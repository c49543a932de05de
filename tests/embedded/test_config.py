"""How the embedded server is set up, without starting it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from trustuqa_neo4j.embedded import config as server_config
from trustuqa_neo4j.embedded import process
from trustuqa_neo4j.embedded.config import (
    MB,
    Memory,
    ServerConfig,
    choose_memory,
    make_style_command,
    read_browser_style,
    read_memory,
)
from trustuqa_neo4j.embedded.readiness import ServerInfo

GB = 1024 * MB


@pytest.mark.parametrize(
    ("total", "heap", "page_cache"),
    [
        (1, 512, 256),
        (4, 512, 256),
        (8, 1024, 512),
        (16, 2048, 1024),
        (24, 2048, 1024),
        (256, 2048, 1024),
    ],
)
def test_memory_follows_the_machine(total: int, heap: int, page_cache: int) -> None:
    found = choose_memory(total * GB)
    assert (found.heap // MB, found.page_cache // MB) == (heap, page_cache)


@pytest.mark.parametrize(
    ("group", "limits", "memory"),
    [
        ("", {}, None),
        ("", {"memory.max": "max"}, None),
        ("", {"memory.max": "123000000"}, 123_000_000),
        ("", {"memory/memory.limit_in_bytes": "123000000"}, 123_000_000),
        # A limit of a group that the own one is part of.
        (
            "0::/user.slice/run.scope",
            {"user.slice/memory.max": "99000000", "user.slice/run.scope/memory.max": "max"},
            99_000_000,
        ),
        ("4:cpu,memory:/a", {"memory/a/memory.limit_in_bytes": "99000000"}, 99_000_000),
        ("4:cpu:/a", {"a/memory.max": "99000000"}, None),
        ("0::/../../b", {"memory.max": "99000000"}, 99_000_000),
    ],
)
def test_a_group_of_processes_may_have_less_memory_than_the_machine(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    group: str,
    limits: dict[str, str],
    memory: int | None,
) -> None:
    for name, limit in limits.items():
        path = tmp_path / "groups" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{limit}\n")
    own = tmp_path / "own"
    if group:
        own.write_text(f"{group}\n")
    monkeypatch.setattr(process, "GROUPS", own)
    monkeypatch.setattr(process, "GROUP_FOLDER", tmp_path / "groups")
    assert process.read_machine_memory() == (memory or psutil.virtual_memory().total)


def test_the_limits_in_force_are_read_from_the_configuration(tmp_path: Path) -> None:
    conf = tmp_path / "neo4j.conf"
    assert read_memory(conf) is None
    memory = Memory(777 * MB, 55 * MB)
    conf.write_text(ServerConfig("2026.08.1", 7687, 7474, memory).text())
    assert read_memory(conf) == memory
    conf.write_text("server.memory.heap.max_size=5\n")
    assert read_memory(conf) is None


def test_the_configuration_is_written_as_neo4j_reads_it() -> None:
    config = ServerConfig(
        "2026.08.1", 7687, 7474, Memory(2048 * MB, 64 * MB), style='style {"a": "\\n"}'
    )
    lines = config.text().splitlines()
    assert "server.bolt.listen_address=127.0.0.1:7687" in lines
    assert "server.http.listen_address=127.0.0.1:7474" in lines
    assert "server.memory.heap.max_size=2048m" in lines
    assert "server.fleet_discovery.enabled=false" in lines
    assert 'browser.post_connect_cmd=style {"a": "\\\\n"}; clear' in lines
    assert config.java_options()[:2] == ["-Xms256m", "-Xmx2048m"]
    older = replace(config, version="5.26.30").text()
    assert "fleet" not in older


def test_the_style_becomes_one_command() -> None:
    grass = """
        /* nodes; { first } */
        node { diameter: 50px; }
        node.Person { caption: "{name}"; color: #68BDF6; text-color-internal:#FFF }
        relationship . KNOWS {
          caption: 'since {year}; or so';
        }
        node.Empty {}
    """
    command = make_style_command(grass)
    assert ";" not in command
    assert "\n" not in command
    word, _, rules = command.partition(" ")
    assert word == "style"
    assert json.loads(rules) == {
        "node": {"diameter": "50px"},
        "node.Person": {
            "caption": "{name}",
            "color": "#68BDF6",
            "text-color-internal": "#FFF",
        },
        "relationship.KNOWS": {"caption": "since {year}, or so"},
        "node.Empty": {},
    }


def test_the_style_of_the_package_is_readable() -> None:
    style = read_browser_style()
    assert style is not None
    assert "node" in json.loads(style.removeprefix("style "))


def test_without_a_style_file_there_is_no_style(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_config, "STYLE", "no such file")
    assert read_browser_style() is None


def test_the_address_of_browser_holds_the_query() -> None:
    info = ServerInfo("2026.08.1", 7687, 7474, "secret")
    plain = "http://127.0.0.1:7474/browser/?dbms=bolt://neo4j@127.0.0.1:7687"
    assert info.browser_url == plain
    given = info.browser_url_with("MATCH (n) RETURN n + 1")
    assert given == f"{plain}&cmd=edit&arg=MATCH%20%28n%29%20RETURN%20n%20%2B%201"
    assert "secret" not in repr(info)
