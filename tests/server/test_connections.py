"""Connections that are many, slow, silent or long: each is bounded, and the server goes on."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Event
from urllib.parse import urlsplit

import httpx
import pytest
from support.web import TOKEN, run_server, serve_process

from trustuqa_neo4j import Settings, TrustUQA

HEAD = f"Host: {{host}}\r\nAuthorization: Bearer {TOKEN}\r\n"


@contextmanager
def connect(address: str) -> Iterator[socket.socket]:
    parts = urlsplit(address)
    assert parts.hostname is not None
    with socket.create_connection((parts.hostname, parts.port or 80), timeout=60) as connection:
        yield connection


def head(address: str) -> str:
    return HEAD.format(host=urlsplit(address).netloc)


def read_to_end(connection: socket.socket) -> bytes:
    """What the server sends until it closes the connection."""
    content = b""
    with suppress(ConnectionError):
        while block := connection.recv(65_536):
            content += block
    return content


def send_slowly(connection: socket.socket, text: str) -> int:
    """Send letter by letter; return how many until the server closed the connection."""
    pause = Event()
    for count, letter in enumerate(text):
        try:
            connection.sendall(letter.encode())
        except ConnectionError:
            return count
        pause.wait(0.01)
    return len(text)


def is_healthy(address: str) -> bool:
    response = httpx.get(f"{address.rstrip(chr(47))}/healthz", timeout=120)
    return response.status_code == 200


def test_more_connections_than_files_are_survived(server: Settings, tmp_path: Path) -> None:
    with serve_process(server, tmp_path, files=128) as (process, address), ExitStack() as stack:
        idle = [stack.enter_context(connect(address)) for _ in range(300)]
        # The places of those that wait longest are taken for those that ask.
        assert is_healthy(address)
        assert is_healthy(address)
        assert b" 503 " in read_to_end(idle[0])
        assert process.poll() is None
        stack.close()
        assert is_healthy(address)


def test_a_slow_or_silent_head_is_not_waited_for(films: TrustUQA, tmp_path: Path) -> None:
    with run_server(films, tmp_path, head_timeout=0.3) as address:
        with connect(address) as silent:
            assert read_to_end(silent).startswith(b"HTTP/1.1 408 ")
        for text in ("GET / HTTP/1.1\r\nX-Long: " + "x" * 2_000, "\r\n" * 2_000):
            with connect(address) as slow:
                # It is closed while it sends, long before the end.
                assert send_slowly(slow, text) < len(text)
        assert is_healthy(address)


def test_a_silent_connection_is_closed_after_its_response(films: TrustUQA, tmp_path: Path) -> None:
    with run_server(films, tmp_path, keep_alive=1) as address, connect(address) as connection:
        connection.sendall(f"GET /healthz HTTP/1.1\r\n{head(address)}\r\n".encode())
        assert read_to_end(connection).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("is_ended", [True, False])
def test_long_heads_are_refused(films: TrustUQA, tmp_path: Path, is_ended: bool) -> None:
    with run_server(films, tmp_path) as address:
        with connect(address) as connection:
            end = "\r\n" if is_ended else ""
            text = f"GET /{'x' * 40_000} HTTP/1.1\r\n{head(address)}{end}"
            connection.sendall(text.encode())
            connection.shutdown(socket.SHUT_WR)
            assert connection.recv(100).startswith(b"HTTP/1.1 431 ")
        many = {f"x-{number}": "" for number in range(200)}
        response = httpx.get(f"{address}healthz", headers=many, timeout=60)
        assert response.status_code == 431


def test_a_client_that_does_not_read_is_left(films: TrustUQA, tmp_path: Path) -> None:
    with run_server(films, tmp_path, body_timeout=0.5) as address, connect(address) as connection:
        # Before the connection has taken all requests, the server waits for the client to read, and ends.
        requests = f"GET /static/page.js HTTP/1.1\r\n{head(address)}\r\n".encode() * 50_000
        with pytest.raises(ConnectionError):
            connection.sendall(requests)
        assert is_healthy(address)


def test_a_body_of_single_bytes_is_not_waited_for(films: TrustUQA, tmp_path: Path) -> None:
    with run_server(films, tmp_path, body_timeout=0.5) as address, connect(address) as connection:
        start = f"POST /api/v1/run HTTP/1.1\r\n{head(address)}Content-Length: 100000\r\n\r\n"
        connection.sendall(start.encode())
        connection.settimeout(0.05)
        answer = b""
        for _ in range(600):
            with suppress(TimeoutError, ConnectionError):
                connection.sendall(b" ")
                answer = connection.recv(1_000)
            if answer:
                break
        assert answer.startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        ("Host: evil.example\r\n", 400),
        ("Origin: http://[\r\n", 403),
        ("Origin: http://]:x\r\n", 403),
        ("Sec-Fetch-Site: \x01\r\n", 400),
        ("Cookie: =;;=\r\n", 200),
    ],
)
def test_odd_headers_are_no_faults(
    films: TrustUQA, tmp_path: Path, lines: str, status: int
) -> None:
    body = '{"query": "x", "dataset": "films"}'
    with run_server(films, tmp_path) as address, connect(address) as connection:
        text = (
            f"POST /api/v1/check HTTP/1.1\r\n{head(address)}{lines}"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}"
        )
        connection.sendall(text.encode())
        assert read_to_end(connection).startswith(f"HTTP/1.1 {status} ".encode())


def test_sigterm_ends_the_server_with_open_connections(server: Settings, tmp_path: Path) -> None:
    with serve_process(server, tmp_path) as (process, address), ExitStack() as stack:
        for _ in range(20):
            stack.enter_context(connect(address)).sendall(b"GET / HTTP/1.1\r\n")
        process.terminate()
        assert process.wait(120) == 0, process.communicate()
