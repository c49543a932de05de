"""``Access``: what the token of a request may do.

Every route names the right that it needs (``require``), and ``check_right`` is the one place where rights are
checked. ``Guard`` sets the access of a request before a route sees it; without one, nothing is allowed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from ..model.dataset_limit import limit_datasets
from .endpoints import Handler
from .options import ServerOptions
from .problems import NotAllowed
from .tokens import RIGHTS, Right, TokenFile, hash_token

_OPTIONS: dict[Right, str] = {
    "teach": "allow_teach", "load": "allow_load", "manage": "allow_load"
}  # fmt: skip
SWITCHES: dict[Right, str] = {
    right: f"--{option.replace('_', '-')}" for right, option in _OPTIONS.items()
}
"""Rights that the server itself needs: what it was not started with, no token may do."""


@dataclass(frozen=True, slots=True)
class Access:
    """The rights and datasets of ``holder``; None for all datasets of the server.

    ``switched_on`` are the rights that the server has. ``is_owner``: the printed token, which also reads the
    metrics. ``is_agent``: the printed token of agents, which opens their path alone.
    """

    holder: str
    rights: frozenset[Right] = frozenset()
    datasets: frozenset[str] | None = frozenset()
    switched_on: frozenset[Right] = frozenset()
    is_owner: bool = False
    is_agent: bool = False

    def check(self, right: Right) -> None:
        """Refuse what needs a right that the token lacks.

        Raises:
            NotAllowed
        """
        if right not in self.rights:
            raise NotAllowed(
                f"{self.holder} lacks the right {right!r}",
                hint="who runs the server makes tokens: "
                f"tuqa serve token make NAME --rights {right}",
            )

    @contextmanager
    def enter(self) -> Iterator[None]:
        """Let what is inside ``with`` do no more than this."""
        before = _ACCESS.set(self)
        try:
            with limit_datasets(self.datasets):
                yield
        finally:
            _ACCESS.reset(before)


NOBODY = Access("a request without a token")
_ACCESS: ContextVar[Access] = ContextVar("tuqa_access", default=NOBODY)


def check_token_right(right: Right) -> None:
    """Refuse a request whose token lacks ``right``.

    Raises:
        NotAllowed
    """
    _ACCESS.get().check(right)


def check_right(right: Right) -> None:
    """Refuse a request whose token lacks ``right``, or one that the server does not allow at all.

    Raises:
        NotAllowed
    """
    if right not in _ACCESS.get().switched_on and right in SWITCHES:
        raise NotAllowed(f"this server may not {right}", hint=f"start it with {SWITCHES[right]}")
    check_token_right(right)


def list_rights() -> frozenset[Right]:
    """List what the present request may do."""
    access = _ACCESS.get()
    return access.rights & access.switched_on


def require(right: Right, handler: Handler) -> Handler:
    """Wrap ``handler``: it answers requests that have ``right``."""

    async def check(request: Request) -> Response:
        check_right(right)
        return await handler(request)

    return check


def require_owner(handler: Handler) -> Handler:
    """Wrap ``handler``: it answers requests with the printed token."""

    async def check(request: Request) -> Response:
        if not _ACCESS.get().is_owner:
            holder = _ACCESS.get().holder
            raise NotAllowed(f"{holder} is not that of the owner", hint="show the printed token")
        return await handler(request)

    return check


class Accesses:
    """The access of each token, by the digest of its text: printed ones, and those of the file."""

    def __init__(self, options: ServerOptions) -> None:
        off = {right for right, option in _OPTIONS.items() if not getattr(options, option)}
        self._switched_on: frozenset[Right] = frozenset(RIGHTS) - off
        every: frozenset[Right] = frozenset(RIGHTS)
        owner = Access("the printed token", every, None, self._switched_on, is_owner=True)
        self._printed = {hash_token(options.token): owner}
        if options.agent_token is not None:
            agent = Access("the token of agents", every, None, self._switched_on, is_agent=True)
            self._printed[hash_token(options.agent_token)] = agent
        self._file = None if options.home is None else TokenFile(options.home)

    def find(self, digest: str) -> Access | None:
        """Find the access of the token with this digest; None if there is none any more.

        Raises:
            BadSettings: the file of tokens cannot be used.
        """
        printed = self._printed.get(digest)
        if printed is not None or self._file is None:
            return printed
        token = self._file.find(digest)
        if token is None:
            return None
        datasets = frozenset(token.datasets) or None
        rights = frozenset(token.rights)
        return Access(f"the token {token.name!r}", rights, datasets, self._switched_on)
