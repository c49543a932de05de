"""``ServerOptions``: the address of the server, and what it allows."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

DEFAULT_PORT = 8765
MEGABYTE = 1_000_000
GIGABYTE = 1_000_000_000
MAX_HEAD = 32_768
"""Bytes of the request line and the headers."""


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """What a process that reads uploaded files may take: bytes of memory, seconds, and bytes unpacked."""

    memory: int
    seconds: float
    unpacked: int


LOAD_LIMITS = ReadLimits(4 * GIGABYTE, 4 * 3600.0, 20 * GIGABYTE)


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Options of the server.

    ``token`` is what requests must show. ``agent_token`` is enough for ``/mcp``, so that an agent sees no
    more than its tools tell. ``hosts`` are the names, besides ``host``, under which the server may be called.
    ``private``: agents get no values, and models only the schema. At most ``max_waiting`` requests
    wait for those that run. ``timeout`` is in seconds, for one request.
    ``max_upload`` and ``max_body`` are in bytes, ``body_timeout`` is in seconds between two parts of a body,
    or until a client takes more of a response. At most ``max_connections`` are open; each must send a whole
    head within ``head_timeout`` seconds, and may be silent for ``keep_alive`` seconds after a response.
    ``preview`` and ``load`` are the limits of the processes that read uploaded files. Agents may load the
    files in ``agent_folder``. ``request_log`` gets a line for each request. ``home`` has the file of named
    tokens; None: there are none.
    """

    token: str = field(repr=False)
    agent_token: str | None = field(default=None, repr=False)
    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    hosts: tuple[str, ...] = ()
    allow_load: bool = False
    allow_teach: bool = False
    private: bool = False
    max_waiting: int = 500
    timeout: float = 120.0
    max_upload: int = 500 * MEGABYTE
    max_body: int = MEGABYTE
    body_timeout: float = 60.0
    max_connections: int = 1_000
    head_timeout: float = 10.0
    keep_alive: float = 15.0
    preview: ReadLimits = ReadLimits(2 * GIGABYTE, 120.0, 2 * GIGABYTE)
    load: ReadLimits = LOAD_LIMITS
    agent_folder: Path | None = None
    request_log: TextIO | None = field(default=None, repr=False)
    home: Path | None = None

    @property
    def address(self) -> str:
        """The address of the page, without the token."""
        return f"http://{self._host_name}:{self.port}/"

    @property
    def allowed_hosts(self) -> frozenset[str]:
        """The values of the header Host that are answered."""
        loopback = ("localhost", "127.0.0.1", "[::1]") if is_loopback(self.host) else ()
        names = (self._host_name, *loopback, *self.hosts)
        return frozenset((*names, *(f"{name}:{self.port}" for name in names)))

    @property
    def _host_name(self) -> str:
        # In addresses, IPv6 stands in brackets.
        return f"[{self.host}]" if ":" in self.host else self.host


def is_loopback(host: str) -> bool:
    """True if only this machine reaches ``host``."""
    return host == "localhost" or host.startswith("127.") or host == "::1"
