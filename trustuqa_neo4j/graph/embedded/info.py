"""What is known about the embedded server: how to reach it, and how it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

USERNAME = "neo4j"


@dataclass(frozen=True)
class ServerInfo:
    """A server that runs, and how to reach it."""

    version: str
    bolt_port: int
    http_port: int
    password: str = field(repr=False)
    username: str = USERNAME
    started_now: bool = False
    """This call started it; otherwise it ran already."""
    recovered: bool = False
    """It had not been stopped properly before this call started it."""

    @property
    def uri(self) -> str:
        """The address for the driver."""
        return f"bolt://127.0.0.1:{self.bolt_port}"

    @property
    def http(self) -> str:
        """The address for HTTP."""
        return f"http://127.0.0.1:{self.http_port}"

    @property
    def browser_url(self) -> str:
        """The address of Neo4j Browser, connected to this server."""
        return f"{self.http}/browser/?dbms={self.uri}"

    def browser_url_with(self, query: str) -> str:
        """The same, with ``query`` in Browser's editor, not yet run.

        Browser cuts a query off at ``&`` and ``#``, however they are encoded.
        """
        return f"{self.browser_url}&cmd=edit&arg={quote(query, safe='')}"


@dataclass(frozen=True)
class Status:
    """How the embedded server is; what only a running one has is None otherwise."""

    running: bool
    home: Path
    data_bytes: int
    jar_bytes: int
    logs: tuple[Path, ...]
    version: str | None = None
    """Also known of a server that ran before."""
    ready: bool = False
    """It listens; a running one that does not is starting or stopping."""
    keep: bool = False
    """It stays when its last Python client closes."""
    users: tuple[int, ...] = ()
    """Processes of Python clients that use it."""
    pid: int | None = None
    uri: str | None = None
    browser_url: str | None = None
    memory_bytes: int | None = None
    started: datetime | None = None

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        plain: dict[str, object] = dict(vars(self))
        plain["home"] = str(self.home)
        plain["logs"] = [str(path) for path in self.logs]
        plain["users"] = list(self.users)
        plain["started"] = None if self.started is None else self.started.isoformat()
        return plain
