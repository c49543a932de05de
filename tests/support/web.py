"""The application of ``tuqa serve`` for tests: in memory, or on a port of its own."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import uvicorn
from starlette.testclient import TestClient

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.server.app import make_app
from trustuqa_neo4j.server.options import ServerOptions

TOKEN = "a-token-of-the-tests"
AGENT_TOKEN = "another-for-the-agents"
BEARER = {"Authorization": f"Bearer {TOKEN}"}


@contextmanager
def open_client(tuqa: TrustUQA, folder: Path, **options: Any) -> Iterator[TestClient]:
    """A client of the application in memory; it shows the token."""
    app = make_app(tuqa, ServerOptions(TOKEN, AGENT_TOKEN, **options), folder / "uploads")
    address = "http://127.0.0.1:8765"
    with TestClient(app, base_url=address, headers=BEARER, follow_redirects=False) as client:
        yield client


class _Server(uvicorn.Server):
    """Tells when it answers."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.is_up = Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.is_up.set()


@contextmanager
def run_server(tuqa: TrustUQA, folder: Path, **options: Any) -> Iterator[str]:
    """Serve on a free port, from a thread; yield the address."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        settings = ServerOptions(TOKEN, AGENT_TOKEN, port=port, **options)
        app = make_app(tuqa, settings, folder / "uploads")
        server = _Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=5))
        thread = Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            assert server.is_up.wait(60)
            yield settings.address
        finally:
            server.should_exit = True
            thread.join()
