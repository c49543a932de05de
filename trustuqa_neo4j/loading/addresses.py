"""Addresses of databases and services (``scheme://…``): shown without passwords, and known by what they give.

A file is known by its bytes. A database has none, so all that its loader makes of it is read once and hashed:
that costs one reading more and buys the same, that a load is gone on with only over the same content.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..errors import UnreadableDatabase, UsageError
from ..loader import File, loaders
from ..triples import Item

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_PASSWORD = re.compile(r"^([^:]+://[^:/@?]*):.*@", re.DOTALL)
"""Up to the last ``@``: who did not write one in a password as %40 wants no half of it to be seen."""
_SECRETS = re.compile(
    r"([?&;][^=&;]*(?:pass|pwd|secret|token|key|credential|odbc_connect)[^=&;]*=)[^&;]*",
    re.IGNORECASE,
)


def is_address(path: str) -> bool:
    """Whether ``path`` is the address of a database or a service."""
    return _ADDRESS.match(path) is not None


def masked(path: str) -> str:
    """``path``, without the passwords in it if it is an address."""
    if not is_address(path):
        return path
    return _SECRETS.sub(r"\1***", _PASSWORD.sub(r"\1:***@", path))


def file_of(address: str) -> File:
    """What an address is to a loader."""
    name = masked(address)
    return File(Path(name), name, address)


def dataset_of(address: str) -> str:
    """The name that a dataset has unless it is given one: that of the database, else of the host."""
    place = masked(address).partition("://")[2].partition("?")[0].rstrip("/")
    last = place.rpartition("/")[2].rpartition("@")[2]
    return re.split(r"[.:]", last)[0]


def refused(format_name: str, address: str) -> UsageError:
    """That the format reads files only."""
    able = ", ".join(loader.name for loader in loaders().values() if loader.addresses)
    return UsageError(
        f"the format {format_name} reads files, and this is an address",
        where=masked(address),
        hint=f"give a file; addresses are read by {able or 'no format'}",
    )


class Digest:
    """Size and hash of the items seen so far."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self.size = 0

    def add(self, item: Item) -> None:
        """Take in the next item."""
        told = repr(item).encode("utf-8", "surrogatepass")
        self._hash.update(told)
        self.size += len(told)

    @property
    def sha256(self) -> str:
        """The hash of all items."""
        return self._hash.hexdigest()


def unchanged(items: Iterator[Item], seen: str, files: Sequence[File]) -> Iterator[Item]:
    """``items``, whose hash has to be ``seen`` in the end.

    Raises:
        UnreadableDatabase
    """
    digest = Digest()
    for item in items:
        digest.add(item)
        yield item
    if digest.sha256 != seen:
        raise UnreadableDatabase(
            "it changed while it was read",
            where=", ".join(file.name for file in files if file.address is not None),
            hint="load it again once nobody writes to it",
        )
