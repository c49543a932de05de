"""Addresses of databases and services (``scheme://…``): without passwords, identified by contents.

A file is identified by the hash of its bytes. A database has none, so the load hashes all items of its loader
before it writes any. It keeps them in a temporary file meanwhile: a database is read once, and what is loaded
is what was hashed.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from ..errors import MalformedLine, UnreadableDatabase, UsageError
from ..model.facts import (
    ClassDeclared,
    Fact,
    Item,
    NodeDeclared,
    RelationDeclared,
    SourceStart,
    ValidTime,
)
from .formats import File, ReadOptions, Remark, list_loaders

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
        self.size: int = 0

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


_STORED_BLOCK = 2_000
"""Items that are stored together."""


@dataclass(frozen=True)
class StoredItems:
    # ``bad`` and ``remarks`` are what the loader reported, and belong to each reading. Progress is that
    # of ``file``.
    path: Path
    file: File
    bad: list[MalformedLine] = field(default_factory=list)
    remarks: Mapping[str, Remark] = field(default_factory=dict)

    def read(self, options: ReadOptions) -> Iterator[Item]:
        options.bad.extend(self.bad)
        for what, remark in self.remarks.items():
            options.remarks[what] = replace(remark, places=[*remark.places])
        done = 0
        with self.path.open("rb") as stream:
            for line in stream:
                block = json.loads(line)
                yield from map(_read_item, block)
                done += len(block)
                options.progress(self.file, done)


def store_items(items: Iterator[Item], path: Path) -> Iterator[Item]:
    # Yield ``items``, and write them to ``path``: a line of JSON for each block.
    with _storage_errors(path):
        stream = path.open("wb")
    with stream:
        while block := list(islice(items, _STORED_BLOCK)):
            named = [(type(item).__name__, item) for item in block]
            with _storage_errors(path):
                stream.write(json.dumps(named, check_circular=False).encode() + b"\n")
            yield from block
        with _storage_errors(path):
            stream.flush()


_ITEMS: dict[str, type[Item]] = {
    kind.__name__: kind for kind in (SourceStart, NodeDeclared, ClassDeclared, RelationDeclared)
}


def _read_item(named: tuple[str, list[Any]]) -> Item:
    name, fields = named
    if name != Fact.__name__:
        return _ITEMS[name](*map(_make_tuples, fields))
    head, relation, tail, line, valid_time, qualifiers, cell = fields
    time = None if valid_time is None else ValidTime(*valid_time)
    return Fact(head, relation, tail, line, time, _make_tuples(qualifiers), cell)


def _make_tuples(value: Any) -> Any:
    # JSON has lists in the place of tuples.
    return tuple(map(_make_tuples, value)) if isinstance(value, list) else value


@contextmanager
def _storage_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UnreadableDatabase(
            f"its contents cannot be stored for the load ({error.strerror or error})",
            where=str(path.parent),
            hint="set TMPDIR to a folder with enough space",
        ) from error
