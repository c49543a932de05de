"""A server that speaks the chat-completions protocol, with canned replies and every fault a real one has.

::

    with Chat("Query1: …", "Query1: …") as chat:      # replies in order, the last one again and again
        model = open_model(Settings(llm="openai:test", openai_base_url=chat.url, openai_api_key="k"))
        ...
        assert chat.requests[0].prompt == "who …"

A reply is a text (given for each of the ``n`` choices asked for), a list of texts (the choices as they
are, however many were asked for), a fault (``CUT``, ``EMPTY``, ``status(429)``, ``slow(2)``, …), or a
function of the request that gives one of these.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain, repeat
from pathlib import Path
from typing import Any, TypeAlias

from trustuqa_neo4j import Settings

KEY = "sk-only-for-tests-7f3a9c"


@dataclass(frozen=True)
class Request:
    """What was sent, without the key."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    key: str = field(repr=False)

    @property
    def messages(self) -> list[tuple[str, str]]:
        """Role and content of each message."""
        # A message that calls tools has no content.
        return [(message["role"], message["content"] or "") for message in self.body["messages"]]

    @property
    def prompt(self) -> str:
        """The last thing that the user said."""
        return next(text for role, text in reversed(self.messages) if role == "user")


@dataclass(frozen=True)
class Fault:
    """A reply that is not as it should be, sent after ``delay`` seconds."""

    code: int = 200
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    cut: bool = False
    chunked: bool = False
    drip: float = 0.0
    then: Reply = ""


Reply: TypeAlias = "str | Sequence[str] | Fault | Callable[[Request], Reply]"

CUT = Fault(cut=True)
"""The connection ends in the middle of the reply."""
HALF_STREAM = Fault(cut=True, chunked=True)
"""The connection ends after the first chunk of the reply."""
HALF_EVENTS = Fault(
    body=b'data: {"choices": [{"index": 0, "delta": {"content": "Query1: "}}]}\n\n',
    headers={"Content-Type": "text/event-stream"},
)
"""The first of the events of a reply, though none were asked for."""
EMPTY: Sequence[str] = ()
"""No choices."""
NOT_JSON = Fault(body=b"<html>Welcome</html>", headers={"Content-Type": "text/html"})
BROKEN_JSON = Fault(body=b'{"choices": [')
LONG = "x" * 2_000_000
"""A reply of 2 MB."""


def status(http: int, message: str = "no", /, **more: Any) -> Fault:
    """An error as providers send it; ``retry_after`` in seconds, ``param`` and ``code`` for the rest."""
    after = more.pop("retry_after", None)
    error = {"message": message, "type": "error", "param": None, "code": None} | more
    headers = {} if after is None else {"Retry-After": str(after)}
    return Fault(http, json.dumps({"error": error}).encode(), headers)


def slow(seconds: float, then: Reply = "late") -> Fault:
    """The reply ``then``, after a while."""
    return Fault(delay=seconds, then=then)


def dripping(interval: float) -> Fault:
    """A reply that never ends, a byte every ``interval`` seconds: no wait for a byte is long."""
    return Fault(drip=interval)


def recorded(replies: Mapping[str, Reply]) -> Callable[[Request], Reply]:
    """The reply whose key occurs in what the user said last; the longest key first."""

    def reply(request: Request) -> Reply:
        for key in sorted(replies, key=len, reverse=True):
            if key in request.prompt:
                return replies[key]
        return status(500, f"nothing recorded for {request.prompt!r}")

    return reply


class Chat:
    """The server, on a free port of the loopback interface while the context is open.

    ``requests`` are those for completions, ``contacts`` (``POST /path``) all that was asked of it. ``cached``
    are the tokens of a prompt that it says to have had in its cache.
    """

    def __init__(self, *replies: Reply, usage: bool = True, cached: int = 0) -> None:
        self.replies = list(replies) or ["Query1: nothing"]
        self.requests: list[Request] = []
        self.contacts: list[str] = []
        self.usage = usage
        self.cached = cached
        self.url = ""
        self.ended = threading.Event()
        self._lock = threading.Lock()
        self._next = chain(self.replies, repeat(self.replies[-1]))

    @property
    def environment(self) -> dict[str, str]:
        """What a command needs to ask this server."""
        return {
            "TUQA_LLM": "openai:test",
            "OPENAI_BASE_URL": self.url,
            "OPENAI_API_KEY": KEY,
            "NO_PROXY": "127.0.0.1",
        }

    def make_settings(self, server: Settings, home: Path, **options: Any) -> Settings:
        """The settings of a client of ``server`` that asks this model."""
        return replace(
            server,
            llm="openai:test",
            openai_base_url=self.url,
            openai_api_key=KEY,
            home=home,
            **options,
        )

    def __enter__(self) -> Chat:
        self._server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"chat": self}))
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self._server.shutdown()
        self._server.hang_up()
        self._server.server_close()
        self._thread.join()

    def reply(self, request: Request) -> Reply:
        """The next reply, for this request."""
        with self._lock:
            self.requests.append(request)
            found: Reply = next(self._next)
        return found(request) if callable(found) else found


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.open: set[socket.socket] = set()

    def process_request(self, request: Any, address: Any) -> None:
        self.open.add(request)
        super().process_request(request, address)

    def shutdown_request(self, request: Any) -> None:
        self.open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """End connections that clients keep open, so that the threads that wait on them end too."""
        for request in list(self.open):
            self.shutdown_request(request)

    def handle_error(self, request: Any, address: Any) -> None:
        """Clients that have gone are what is tested."""


class _Handler(BaseHTTPRequestHandler):
    chat: Chat
    protocol_version = "HTTP/1.1"  # connections are kept, as by real servers
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self.chat.contacts.append(f"{self.command} {self.path}")
        self._send(404, b"{}", {})

    def do_POST(self) -> None:
        self.chat.contacts.append(f"{self.command} {self.path}")
        given = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not self.path.endswith("/chat/completions"):
            self._send(404, b"{}", {})
            return
        body = json.loads(given)
        key = self.headers.get("Authorization", "").removeprefix("Bearer ")
        headers = {name: value.replace(key or "\0", "***") for name, value in self.headers.items()}
        reply = self.chat.reply(request := Request(self.path, headers, body, key))
        while isinstance(reply, Fault) and reply.body is None and not (reply.cut or reply.drip):
            self.chat.ended.wait(reply.delay)
            reply = reply.then(request) if callable(reply.then) else reply.then
        if isinstance(reply, Fault):
            self._fail(reply)
        else:
            assert not callable(reply), "a function gives no function"
            self._send(200, json.dumps(self._completion(request, reply)).encode(), {})

    def _completion(self, request: Request, reply: str | Sequence[str]) -> dict[str, Any]:
        texts = [reply] * request.body.get("n", 1) if isinstance(reply, str) else reply
        choices = [
            {"index": i, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
            for i, text in enumerate(texts)
        ]
        read = sum(len(text.split()) for _, text in request.messages)
        written = sum(len(text.split()) for text in texts)
        used: dict[str, Any] = {"prompt_tokens": read, "completion_tokens": written}
        used |= {"total_tokens": read + written}
        used |= {"prompt_tokens_details": {"cached_tokens": self.chat.cached}}
        completion = {"id": "1", "object": "chat.completion", "created": 0, "choices": choices}
        return completion | {"model": "served"} | ({"usage": used} if self.chat.usage else {})

    def _fail(self, fault: Fault) -> None:
        if fault.cut or fault.drip:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            if fault.chunked:
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                self.wfile.write(b'a\r\n{"choices"\r\n')
            else:
                self.send_header("Content-Length", "100000")
                self.end_headers()
                self.wfile.write(b'{"choices"')
            while fault.drip and not self.chat.ended.wait(fault.drip):
                self.wfile.write(b" ")
            self.close_connection = True
        else:
            self._send(fault.code, fault.body or b"", fault.headers)

    def _send(self, code: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(code)
        told = {"Content-Type": "application/json", "Content-Length": str(len(body))} | dict(
            headers
        )
        for name, value in told.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Silent."""
