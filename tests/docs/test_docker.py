"""``docker/``, read as Docker, the image and Browser read it; the entry point is run as a plain process.

No Docker engine is needed: what these files promise is in their text.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from support.web import find_port

from trustuqa_neo4j import Settings
from trustuqa_neo4j.embedded.config import (
    DEFAULT_VERSION,
    MB,
    Memory,
    ServerConfig,
    make_style_command,
)

FOLDER = Path(__file__).parents[2] / "docker"
SCRIPT = FOLDER / "serve.sh"
TOKEN = "a-token-of-the-tests"
GRASS = (FOLDER / "browser.grass").read_text(encoding="utf-8")
KINDS = ("Entity", "Value", "Row", "Hyperedge")
CATALOGUE = ("Dataset", "Source", "Relation", "Load", "Demonstration")


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))
    return content


@pytest.fixture(scope="module")
def service(compose: dict[str, Any]) -> dict[str, Any]:
    neo4j: dict[str, Any] = compose["services"]["neo4j"]
    return neo4j


@pytest.fixture(scope="module")
def tuqa_service(compose: dict[str, Any]) -> dict[str, Any]:
    tuqa: dict[str, Any] = compose["services"]["tuqa"]
    return tuqa


@pytest.fixture(scope="module")
def settings(service: dict[str, Any]) -> dict[str, str]:
    """What the image writes into neo4j.conf: ``NEO4J_a_b__c`` becomes ``a.b_c``."""
    return {
        name.removeprefix("NEO4J_").replace("_", ".").replace("..", "_"): value
        for name, value in service["environment"].items()
        if name != "NEO4J_AUTH_FILE"
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


def test_the_password_must_be_given(compose: dict[str, Any]) -> None:
    """As a file: Docker shows the environment of a container to all who may ask it."""
    assert compose["secrets"]["neo4j_auth"]["file"].startswith("${NEO4J_AUTH_FILE:?must name ")
    for each in compose["services"].values():
        assert each["environment"]["NEO4J_AUTH_FILE"] == "/run/secrets/neo4j_auth"
        assert "neo4j_auth" in each["secrets"]
        assert not [
            name for name in each["environment"] if re.search("(PASSWORD|TOKEN|KEY|AUTH)$", name)
        ]


def test_secrets_of_a_read_only_service_are_files(compose: dict[str, Any]) -> None:
    """Compose refuses others, since it copies them into the container."""
    assert {frozenset(secret) for secret in compose["secrets"].values()} == {frozenset({"file"})}


def test_data_and_logs_outlive_the_container(
    compose: dict[str, Any], service: dict[str, Any], tuqa_service: dict[str, Any]
) -> None:
    mounts = dict(volume.split(":") for volume in service["volumes"])
    assert mounts == {"data": "/data", "logs": "/logs"}
    assert tuqa_service["volumes"] == ["home:/data"]
    assert set(compose["volumes"]) == {*mounts, "home"}


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


# The service


def test_without_its_profile_only_the_database_starts(
    service: dict[str, Any], tuqa_service: dict[str, Any]
) -> None:
    assert tuqa_service["profiles"] == ["service"]
    assert "profiles" not in service


def test_the_service_can_write_its_home_alone(tuqa_service: dict[str, Any]) -> None:
    assert tuqa_service["read_only"] is True
    assert tuqa_service["cap_drop"] == ["ALL"]
    assert "privileged" not in tuqa_service
    dockerfile = (FOLDER / "Dockerfile").read_text(encoding="utf-8")
    (user,) = re.findall(r"^USER (\d+):\d+$", dockerfile, re.M)
    assert f"--uid {user} " in dockerfile
    assert int(user) >= 1000
    assert "TUQA_HOME=/data" in dockerfile
    assert "VOLUME /data" in dockerfile


def test_an_image_without_compose_says_whether_it_answers() -> None:
    """Of the last stage: what is said before it does not count for the image."""
    stage = (FOLDER / "Dockerfile").read_text(encoding="utf-8").rpartition("\nFROM ")[2]
    (check,) = re.findall(r"^HEALTHCHECK (?:.*\\\n)*\s+CMD (\[.*\])$", stage, re.M)
    port = re.findall(r'^CMD \["--port", "(\d+)"\]$', stage, re.M)
    command = json.loads(check)
    assert command[:2] == ["python", "-c"]
    assert [f"127.0.0.1:{number}/healthz" in command[2] for number in port] == [True]
    assert re.search(r"^USER \d+:\d+$", stage, re.M)


def test_all_have_limits(service: dict[str, Any], tuqa_service: dict[str, Any]) -> None:
    for each in (service, tuqa_service):
        assert each["security_opt"] == ["no-new-privileges:true"]
        assert re.fullmatch(r"\$\{TUQA_DOCKER_\w+:-\dg\}", each["mem_limit"])
        assert each["pids_limit"] > 0


def test_ports_of_the_service_are_open_to_this_machine_only(tuqa_service: dict[str, Any]) -> None:
    (port,) = tuqa_service["ports"]
    name = "${TUQA_DOCKER_PORT:-8765}"
    assert port == f"127.0.0.1:{name}:{name}"
    assert tuqa_service["command"][:2] == ["--port", name]
    assert f"127.0.0.1:{name}/healthz" in tuqa_service["healthcheck"]["test"][-1]


def test_secrets_of_the_service_are_files(
    compose: dict[str, Any], tuqa_service: dict[str, Any]
) -> None:
    files = {name: v for name, v in tuqa_service["environment"].items() if name.endswith("_FILE")}
    assert set(files) == {"NEO4J_AUTH_FILE", "TUQA_SERVE_TOKEN_FILE"}
    assert set(files.values()) == {f"/run/secrets/{name}" for name in compose["secrets"]}
    assert set(tuqa_service["secrets"]) == set(compose["secrets"])


def test_the_commands_of_the_page_make_the_secrets(tmp_path: Path) -> None:
    page = (FOLDER.parent / "docs" / "containers.md").read_text(encoding="utf-8")
    lines = [
        line
        for block in re.findall(r"^```sh\n(.*?)^```", page, re.M | re.S)
        for line in block.splitlines()
        if not line.startswith(("docker ", "tuqa "))
    ]
    env = subprocess.run(
        ["sh", "-euc", "\n".join([*lines, "env -0"])],
        cwd=tmp_path, env={"PATH": os.environ["PATH"]}, capture_output=True, check=True,
    ).stdout  # fmt: skip
    variables = dict(entry.split("=", 1) for entry in env.decode().split("\0") if entry)
    settings = Settings.read(variables, tmp_path)
    assert (settings.uri, settings.username) == ("bolt://127.0.0.1:7687", "neo4j")
    assert re.fullmatch(r"[0-9a-f]{32}", str(settings.password))
    assert re.fullmatch(r"[\w-]{16,}", str(settings.serve_token))
    folder = tmp_path / "secrets"
    assert folder.stat().st_mode & 0o777 == 0o700
    # The users of the containers are others.
    assert {file.stat().st_mode & 0o777 for file in folder.iterdir()} == {0o444}
    assert "/secrets/\n" in (FOLDER.parent / ".gitignore").read_text(encoding="utf-8")


def test_the_image_has_what_is_copied() -> None:
    dockerfile = (FOLDER / "Dockerfile").read_text(encoding="utf-8")
    ignored = (FOLDER / "Dockerfile.dockerignore").read_text(encoding="utf-8")
    copied = [
        name
        for line in re.findall(r"^COPY (?!--from)(.*) \S+$", dockerfile, re.M)
        for name in line.split()
        if not name.startswith("--")
    ]
    assert "trustuqa_neo4j" in copied
    for name in copied:
        assert (FOLDER.parent / name).exists()
        assert f"!{name}\n" in ignored or f"!{name.partition('/')[0]}\n" in ignored
    extras = re.search(r"^ARG EXTRAS=(.*)$", dockerfile, re.M)
    known = tomllib.loads((FOLDER.parent / "pyproject.toml").read_text(encoding="utf-8"))
    # Without the folder of a package the wheel is not built.
    assert set(known["tool"]["setuptools"]["package-dir"].values()) <= set(copied)
    assert extras is not None
    assert set(extras[1].split(",")) <= known["project"]["optional-dependencies"].keys()


def test_the_dockerfile_passes_its_linter() -> None:
    words = [str(Path(sys.executable).with_name("hadolint")), str(FOLDER / "Dockerfile")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def container_environment(folder: Path, **variables: str) -> dict[str, str]:
    """As in the container: the scripts of the package first, and a home folder that does not exist."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    fixed = {
        "PATH": path,
        "HOME": str(folder / "nobody"),
        "TMPDIR": str(folder),
        "TUQA_HOME": str(folder / "data"),
        "TUQA_EMBEDDER": "none",
        "PYTHONUNBUFFERED": "1",
    }
    return fixed | variables


def test_the_entry_point_serves_until_it_is_ended(server: Settings, tmp_path: Path) -> None:
    """As a plain process, with the environment of the container, and secrets in files."""
    (tmp_path / "data").mkdir(mode=0o700)
    (tmp_path / "auth").write_text(f"{server.username}/{server.password}\n", encoding="utf-8")
    (tmp_path / "token").write_text(f"{TOKEN}\n", encoding="utf-8")
    env = container_environment(
        tmp_path,
        NEO4J_URI=str(server.uri),
        NEO4J_AUTH_FILE=str(tmp_path / "auth"),
        TUQA_SERVE_TOKEN_FILE=str(tmp_path / "token"),
    )
    port = find_port()
    process = subprocess.Popen(
        ["sh", str(SCRIPT), "--port", str(port)],
        env=env, cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        assert [process.stdout.readline().partition(":")[0] for _ in range(3)] == [
            "page", "API", "agents",
        ]  # fmt: skip
        address = f"http://127.0.0.1:{port}"
        test = yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))["services"][
            "tuqa"
        ]["healthcheck"]["test"]
        check = test[-1].replace("${TUQA_DOCKER_PORT:-8765}", str(port))
        subprocess.run([sys.executable, "-c", check], check=True, timeout=60)
        for name, status in (("localhost", 200), ("other.example", 421)):
            headers = {"Authorization": f"Bearer {TOKEN}", "Host": f"{name}:{port}"}
            response = httpx.get(f"{address}/api/v1/datasets", headers=headers, timeout=60)
            assert response.status_code == status, name
        process.terminate()  # as `docker stop` does: the script has become the service
        _, messages = process.communicate(timeout=60)
        assert (process.returncode, "Traceback" in messages) == (0, False), messages
    finally:
        process.kill()
        process.communicate()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["auth", "data", "token"]


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({}, "error: no server, NEO4J_URI is not set\nhint: "),
        (
            {"NEO4J_URI": "bolt://neo4j:7687", "NEO4J_AUTH_FILE": "missing"},
            "error: the file of a secret is not used: there is no such file, NEO4J_AUTH_FILE=missing\nhint: ",
        ),
    ],
)
def test_the_entry_point_says_what_is_missing(
    tmp_path: Path, variables: dict[str, str], message: str
) -> None:
    done = subprocess.run(
        ["sh", str(SCRIPT)],
        env=container_environment(tmp_path, **variables),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith(message)


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
