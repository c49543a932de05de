"""Addresses of databases and services (``scheme://…``): without passwords, identified by contents.

A file is identified by the hash of its bytes. A database has none, so the load reads and hashes all items
of its loader once more. So a load resumes only with the same contents.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..errors import UnreadableDatabase, UsageError
from ..model.facts import Item, NodeDeclared
from .formats import File, list_loaders

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_PASSWORD = re.compile(r"^([^:]+://[^:/@?]*):.*@", re.DOTALL)
"""Up to the last ``@``: a password with an unescaped ``@`` must not be shown in part."""
_SECRETS = re.compile(
    r"([?&;][^=&;]*(?:pass|pwd|secret|token|key|credential|odbc_connect)[^=&;]*=)[^&;]*",
    re.IGNORECASE,
)

# Databases store hashes of items that were made with these earlier names of the types.
_STORED_NAMES = (("SourceStart(", "Part("), ("NodeDeclared(", "Thing("), ("ValidTime(", "Held("))


def is_address(path: str) -> bool:
    return _ADDRESS.match(path) is not None


def mask_secrets(path: str) -> str:
    if not is_address(path):
        return path
    return _SECRETS.sub(r"\1***", _PASSWORD.sub(r"\1:***@", path))


def make_address_file(address: str) -> File:
    name = mask_secrets(address)
    return File(Path(name), name, address)


def default_dataset_name(address: str) -> str:
    # The name of the database, else of the host.
    place = mask_secrets(address).partition("://")[2].partition("?")[0].rstrip("/")
    last = place.rpartition("/")[2].rpartition("@")[2]
    return re.split(r"[.:]", last)[0]


def make_address_refused_error(format_name: str, address: str) -> UsageError:
    formats = ", ".join(loader.name for loader in list_loaders().values() if loader.addresses)
    return UsageError(
        f"the format {format_name} reads files, and this is an address",
        where=mask_secrets(address),
        hint=f"give a file; addresses are read by {formats or 'no format'}",
    )


class ItemDigest:
    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self.size = 0

    def add(self, item: Item) -> None:
        # Labels follow from keys, and earlier hashes were made without them.
        plain = item._replace(label="") if isinstance(item, NodeDeclared) else item
        text = repr(plain).replace(", label='')", ")")
        for name, stored_name in _STORED_NAMES:
            text = text.replace(name, stored_name, 1)
        encoded = text.encode("utf-8", "surrogatepass")
        self._hash.update(encoded)
        self.size += len(encoded)

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()


def verify_unchanged(
    items: Iterator[Item], expected_hash: str, files: Sequence[File]
) -> Iterator[Item]:
    # The hash of ``items`` is checked at the end.
    digest = ItemDigest()
    for item in items:
        digest.add(item)
        yield item
    if digest.sha256 != expected_hash:
        raise UnreadableDatabase(
            "it changed while it was read",
            where=", ".join(file.name for file in files if file.address is not None),
            hint="load it again once nobody writes to it",
        )
