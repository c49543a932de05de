"""The application of ``tuqa serve`` for tests: in memory, or on a port of its own."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from starlette.testclient import TestClient

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.server import load_process
from trustuqa_neo4j.server.app import make_app
from trustuqa_neo4j.server.load_program import Teller, carry_out
from trustuqa_neo4j.server.options import ServerOptions
from trustuqa_neo4j.server.web_server import make_web_server
from trustuqa_neo4j.server.workspace import open_workspace

from .shell import environment

TOKEN = "a-token-of-the-tests"
AGENT_TOKEN = "another-for-the-agents"
BEARER = {"Authorization": f"Bearer {TOKEN}"}


def find_port() -> int:
    """A port that is free now."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


@contextmanager
def open_client(tuqa: TrustUQA, folder: Path, **options: Any) -> Iterator[TestClient]:
    """A client of the application in memory; it shows the token."""
    address = "http://127.0.0.1:8765"
    with open_workspace(folder / "uploads") as workspace:
        app = make_app(tuqa, ServerOptions(TOKEN, AGENT_TOKEN, **options), workspace)
        with TestClient(app, base_url=address, headers=BEARER, follow_redirects=False) as client:
            yield client


class _Messages:
    """What the program that reads files writes, handed on line by line; ``last`` ends it."""

    def __init__(self, tell: Callable[[Mapping[str, Any]], object]) -> None:
        self.last: dict[str, Any] | None = None
        self._tell = tell

    def write(self, line: str) -> None:
        message = json.loads(line)
        if "event" in message:
            self._tell(message)
        else:
            self.last = message

    def flush(self) -> None:
        """Nothing is kept back."""


async def _carry_out_here(
    _: None, order: Mapping[str, Any], seconds: float, tell: load_process.Tell
) -> dict[str, Any] | None:
    loop = asyncio.get_running_loop()
    messages = _Messages(lambda message: loop.call_soon_threadsafe(tell, message))
    teller = Teller(messages)  # type: ignore[arg-type]
    sent = json.loads(json.dumps(order))
    thread = loop.run_in_executor(None, carry_out, sent, teller)
    try:
        await asyncio.wait_for(asyncio.shield(thread), seconds)
    except asyncio.CancelledError:
        teller.cancelled.set()
        await thread
        raise
    return messages.last


def load_in_threads(patch: pytest.MonkeyPatch) -> None:
    """Files are read in this process, not in one of their own, whose start takes most of the time."""

    async def start_nothing(_: Path) -> None:
        pass

    patch.setattr(load_process, "_start_process", start_nothing)
    patch.setattr(load_process, "_watch", _carry_out_here)


@contextmanager
def run_server(tuqa: TrustUQA, folder: Path, **options: Any) -> Iterator[str]:
    """Serve on a free port, from a thread; yield the address."""
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        open_workspace(folder / "uploads") as workspace,
    ):
        port = listener.getsockname()[1]
        settings = ServerOptions(TOKEN, AGENT_TOKEN, port=port, **options)
        is_up = Event()
        server = make_web_server(make_app(tuqa, settings, workspace), settings, is_up.set)
        thread = Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            assert is_up.wait(60)
            yield settings.address
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def serve_process(
    server: Settings, home: Path, *words: str, files: int | None = None
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """``tuqa serve`` as a process, which may open so many ``files``, and its address."""
    command = [str(Path(sys.executable).with_name("tuqa")), "serve", "--port", str(find_port())]
    limit = () if files is None else ("sh", "-c", f'ulimit -n {files}; exec "$@"', "sh")
    process = subprocess.Popen(
        [*limit, *command, *words],
        env=environment(server) | {"TUQA_SERVE_TOKEN": TOKEN, "TUQA_HOME": str(home)},
        text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        printed = [process.stdout.readline() for _ in range(3)]
        assert printed[0].startswith("page:"), process.communicate()
        yield process, f"http://127.0.0.1:{command[3]}"
    finally:
        if process.poll() is None:
            process.terminate()
        process.communicate(timeout=120)
