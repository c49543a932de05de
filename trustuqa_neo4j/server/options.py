"""``ServerOptions``: the address of the server, and what it allows."""

from __future__ import annotations

from dataclasses import dataclass, field

DEFAULT_PORT = 8765
MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Options of the server.

    ``token`` is what requests must show. ``agent_token`` is enough for ``/mcp``, so that an agent sees no
    more than its tools tell. ``hosts`` are the names, besides ``host``, under which the server may be called.
    ``private``: agents get no values, and models only the schema. At most ``max_waiting`` requests
    wait for those that run. ``timeout`` is in seconds, for one request.
    ``max_upload`` and ``max_body`` are in bytes, ``body_timeout`` is in seconds between two parts of a body.
    This process is number ``worker`` of ``workers``: together
    they let as many run and wait as one alone.
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
    workers: int = 1
    worker: int = 1

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
