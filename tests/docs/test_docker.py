"""``docker/compose.yaml`` and ``docker/browser.grass``, read as Docker, the image and Browser read them.

No Docker engine is needed: what these files promise is in their text.
"""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from trustuqa_neo4j.embedded.config import (
    DEFAULT_VERSION,
    MB,
    Memory,
    ServerConfig,
    make_style_command,
)

FOLDER = Path(__file__).parents[2] / "docker"
GRASS = (FOLDER / "browser.grass").read_text(encoding="utf-8")
KINDS = ("Entity", "Value", "Row", "Hyperedge")
CATALOGUE = ("Dataset", "Source", "Relation", "Load", "Demonstration")


@pytest.fixture(scope="module")
def service() -> dict[str, Any]:
    compose = yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))
    neo4j: dict[str, Any] = compose["services"]["neo4j"]
    return neo4j


@pytest.fixture(scope="module")
def settings(service: dict[str, Any]) -> dict[str, str]:
    """What the image writes into neo4j.conf: ``NEO4J_a_b__c`` becomes ``a.b_c``."""
    return {
        name.removeprefix("NEO4J_").replace("_", ".").replace("..", "_"): value
        for name, value in service["environment"].items()
        if name != "NEO4J_AUTH"
    }


@pytest.fixture(scope="module")
def rules() -> dict[str, dict[str, str]]:
    parsed: dict[str, dict[str, str]] = json.loads(make_style_command(GRASS).removeprefix("style "))
    return parsed


# The compose file


def test_the_image_has_the_version_of_the_embedded_server(service: dict[str, Any]) -> None:
    assert service["image"] == f"neo4j:{DEFAULT_VERSION}-community"


def test_ports_are_open_to_this_machine_only(service: dict[str, Any]) -> None:
    published = [re.sub(r"\$\{\w+:-(\d+)\}", r"\1", port) for port in service["ports"]]
    assert published == ["127.0.0.1:7474:7474", "127.0.0.1:7687:7687"]


def test_the_password_must_be_given(service: dict[str, Any]) -> None:
    assert re.fullmatch(
        r"neo4j/\$\{NEO4J_PASSWORD:\?must be set, [^}]+\}", service["environment"]["NEO4J_AUTH"]
    )


def test_data_and_logs_outlive_the_container(service: dict[str, Any]) -> None:
    compose = yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))
    mounts = dict(volume.split(":") for volume in service["volumes"])
    assert mounts == {"data": "/data", "logs": "/logs"}
    assert set(compose["volumes"]) == set(mounts)


def test_docker_knows_whether_the_server_answers(service: dict[str, Any]) -> None:
    check = service["healthcheck"]
    assert check["test"][0] == "CMD-SHELL"
    assert "http://127.0.0.1:7474/" in check["test"][1]
    assert {"interval", "timeout", "retries", "start_period"} <= set(check)


@pytest.mark.parametrize(
    "name",
    [
        "server.memory.heap.initial_size",
        "server.memory.heap.max_size",
        "server.memory.pagecache.size",
    ],
)
def test_memory_can_be_changed_from_outside(settings: dict[str, str], name: str) -> None:
    assert re.fullmatch(r"\$\{TUQA_DOCKER_\w+:-\d+[mg]\}", settings[name])


def test_every_value_is_text(service: dict[str, Any]) -> None:
    # A bare false would reach the image as whatever Docker makes of a YAML boolean.
    assert all(isinstance(value, str) for value in service["environment"].values())


@pytest.mark.parametrize(
    "name",
    [
        "client.allow_telemetry",
        "dbms.fleet_manager.enabled",
        "dbms.security.allow_csv_import_from_file_urls",
        "dbms.usage_report.enabled",
        "internal.dbms.cypher_ip_blocklist",
        "server.bolt.telemetry.enabled",
        "server.fleet_discovery.enabled",
        "server.http.x_forward.enabled",
    ],
)
def test_it_is_as_closed_as_the_embedded_server(settings: dict[str, str], name: str) -> None:
    memory = Memory(heap=512 * MB, page_cache=256 * MB)
    embedded = ServerConfig(
        version=DEFAULT_VERSION, bolt_port=7687, http_port=7474, memory=memory
    ).settings()
    assert settings[name] == embedded[name]


# The style


def test_the_compose_file_gives_the_style_of_browser_grass(settings: dict[str, str]) -> None:
    assert settings["browser.post_connect_cmd"] == make_style_command(GRASS) + "; clear"


def test_browser_splits_the_setting_into_two_commands(settings: dict[str, str]) -> None:
    style, clear = settings["browser.post_connect_cmd"].split(";")
    assert json.loads(style.removeprefix("style "))
    assert clear.strip() == "clear"


def test_docker_replaces_nothing_in_the_style(settings: dict[str, str]) -> None:
    assert "$" not in settings["browser.post_connect_cmd"]
    assert "\n" not in settings["browser.post_connect_cmd"]


def test_the_file_can_be_dropped_on_browser_as_it_is(rules: dict[str, dict[str, str]]) -> None:
    # Browser's own reader has no comments: they would become part of the next selector. It also
    # splits pairs at colons and forgets those that have two.
    assert "/*" not in GRASS
    assert "//" not in GRASS
    for value in (value for rule in rules.values() for value in rule.values()):
        assert not re.search(r"[:;{}]", re.sub(r"\{\w+\}", "", value)), value


@pytest.mark.parametrize("label", [*KINDS, "Node", "Dataset", "Source", "Relation"])
def test_nodes_show_their_names(rules: dict[str, dict[str, str]], label: str) -> None:
    assert rules[f"node.{label}"]["caption"] == "{name}"


def test_edges_show_their_relations(rules: dict[str, dict[str, str]]) -> None:
    assert rules["relationship.FACT"]["caption"] == "{relation}"


@pytest.mark.parametrize("label", ["Node", *KINDS, *CATALOGUE])
def test_every_label_has_a_rule_of_its_own(rules: dict[str, dict[str, str]], label: str) -> None:
    # Where one is missing, Browser makes one up and puts it last, where it wins over ours.
    assert {"caption", "color", "border-color", "text-color-internal"} <= set(
        rules[f"node.{label}"]
    )


def test_kinds_win_over_the_label_that_all_have(rules: dict[str, dict[str, str]]) -> None:
    # Of the rules that match, Browser takes the last.
    order = list(rules)
    assert all(order.index("node.Node") < order.index(f"node.{kind}") for kind in KINDS)


def test_text_can_be_read_on_its_colour(rules: dict[str, dict[str, str]]) -> None:
    # 4.5 is level AA of the Web Content Accessibility Guidelines.
    for selector, rule in rules.items():
        whole = {**rules[selector.split(".")[0]], **rule}
        assert _contrast(whole["color"], whole["text-color-internal"]) >= 4.5, selector


def test_kinds_differ_in_lightness_alone(rules: dict[str, dict[str, str]]) -> None:
    # So they differ for every kind of colour blindness, and on grey paper.
    colours = [rules[f"node.{kind}"]["color"] for kind in KINDS]
    for one, other in itertools.combinations(colours, 2):
        assert _contrast(one, other) >= 1.4, (one, other)


def _contrast(one: str, other: str) -> float:
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    """Relative luminance of ``#rrggbb`` as the guidelines define it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
