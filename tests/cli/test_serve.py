"""``tuqa serve`` as a process: what it prints, what it answers, and how it ends."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from support.shell import environment, shell
from support.web import find_port

from trustuqa_neo4j import Settings, TrustUQA

TOKEN = "a-token-of-the-tests"


@contextmanager
def serving(
    server: Settings, *words: str, token: str | None = TOKEN
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process and what it printed before it answers."""
    tokens = {} if token is None else {"TUQA_SERVE_TOKEN": token}
    process = subprocess.Popen(
        [str(Path(sys.executable).with_name("tuqa")), "serve", *words],
        env=environment(server) | tokens, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        yield process, "".join(process.stdout.readline() for _ in range(3))
    finally:
        process.kill()
        process.communicate()


def test_it_answers_until_ctrl_c(server: Settings, films: TrustUQA) -> None:
    port = find_port()
    with serving(server, "--port", str(port), token=None) as (process, printed):
        page, token = re.search(r"page:   (\S+)\?token=(\S+)", printed).groups()  # type: ignore[union-attr]
        assert page == f"http://127.0.0.1:{port}/"
        (agent_token,) = re.findall(r"mcp  \(Authorization: Bearer (\S+)\)", printed)
        assert token != agent_token
        response = httpx.get(f"{page}?token={token}", follow_redirects=True, timeout=60)
        assert response.status_code == 200
        body = {"question": "who directed Alien", "dataset": "films"}
        headers = {"Authorization": f"Bearer {token}"}
        answer = httpx.post(f"{page}api/v1/ask", json=body, headers=headers, timeout=60).json()
        assert answer["values"] == ["Ridley Scott"]
        process.send_signal(signal.SIGINT)
        _, messages = process.communicate(timeout=60)
        assert (process.returncode, messages) == (0, "Ctrl-C stops it.\nstopped\n")


def test_a_scope_holds_for_the_server(server: Settings, films: TrustUQA) -> None:
    port = str(find_port())
    # A dataset that may be loaded later need not exist.
    words = ("--port", port, "--dataset", "other", "--allow-load")
    with serving(server, *words) as (_, printed):
        assert f"/?token={TOKEN}" in printed
        headers = {"Authorization": f"Bearer {TOKEN}"}
        address = f"http://127.0.0.1:{port}/api/v1/datasets"
        assert httpx.get(address, headers=headers, timeout=60).json() == []
        problem = httpx.get(f"{address}/films/schema", headers=headers, timeout=60).json()
        assert "scope" in problem["detail"]


def test_a_port_in_use_is_said(server: Settings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = str(listener.getsockname()[1])
        done = shell(server, "tuqa", "serve", "--port", port)
    assert (done.code, done.out) == (2, "")
    assert f"127.0.0.1:{port}" in done.err
    assert "take another one with --port" in done.err


def test_an_option_of_earlier_versions_has_one_note(server: Settings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = str(listener.getsockname()[1])
        done = shell(server, "tuqa", "serve", "--port", port, "--workers", "2")
        without = shell(server, "tuqa", "serve", "--port", port)
    assert (
        done.err
        == f"note: --workers has no effect: one process answers, with threads\n{without.err}"
    )


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--llm", "foo"), 2, "'foo' names no model"),
        (("--llm", "openai:gpt"), 2, "no key, OPENAI_API_KEY"),
        (("--dataset", "flims"), 1, "no dataset 'flims'"),
        (("--host", "nowhere.invalid"), 2, "give an address of this machine with --host"),
    ],
)
def test_wrong_options_are_refused_at_the_start(
    server: Settings, films: TrustUQA, options: tuple[str, ...], code: int, message: str
) -> None:
    done = shell(server, "tuqa", "serve", "--port", str(find_port()), *options)
    assert (done.code, done.out) == (code, "")
    assert message in done.err


@pytest.mark.parametrize("token", ["short", "a token with blanks", "x" * 201, "ä" * 20])
def test_bad_tokens_are_refused(server: Settings, token: str) -> None:
    done = shell(server, "tuqa", "serve", env={"TUQA_SERVE_AGENT_TOKEN": token})
    assert done.code == 2
    assert "TUQA_SERVE_AGENT_TOKEN" in done.err


def test_agents_do_not_share_the_token_of_the_page(server: Settings) -> None:
    token = "b" * 20
    done = shell(
        server, "tuqa", "serve", env={"TUQA_SERVE_TOKEN": token, "TUQA_SERVE_AGENT_TOKEN": token}
    )
    assert done.code == 2
    assert "an agent could open the page, TUQA_SERVE_AGENT_TOKEN" in done.err
    assert token not in done.err


def test_tokens_are_made_listed_and_revoked(server: Settings, tmp_path: Path) -> None:
    home = {"TUQA_HOME": str(tmp_path / "home")}
    words = ("tuqa", "serve", "token")
    made = shell(
        server, *words, "make", "anna", "--rights", "ask, teach", "--dataset", "films", env=home
    )
    assert (made.code, made.err.startswith("It is shown this once")) == (0, True)
    token = made.out.strip()
    assert token.startswith("tuqa_")
    for more in ((), ("--json",)):
        listed = shell(server, *words, "list", *more, env=home).out
        assert "anna" in listed
        assert "teach" in listed
        assert "films" in listed
        assert token not in listed
        assert "digest" not in listed
    again = shell(server, *words, "make", "anna", env=home)
    assert (again.code, "already" in again.err) == (2, True)
    wrong = shell(server, *words, "make", "bert", "--rights", "ask,fly", env=home)
    assert wrong.err == (
        "error: there is no right 'fly'\nhint: the rights are ask, teach, load, manage\n"
    )
    assert shell(server, *words, "revoke", "anna", env=home).err == "anna: revoked\n"
    none = shell(server, *words, "list", env=home)
    assert (none.out, none.err.startswith("there are no tokens")) == ("", True)
    (tmp_path / "home" / "serve-tokens.json").write_text("{")
    refused = shell(server, "tuqa", "serve", env=home)
    assert (refused.code, "damaged" in refused.err) == (2, True)
