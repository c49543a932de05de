"""Bytes that may be tables, wherever they lie, and what kind of tables they are.

The kind is found from the first bytes, not from the name: names lie (tab-separated text called ``.xls``)
and standard input has none.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from io import BufferedIOBase
from typing import BinaryIO, Literal, NamedTuple, TypeAlias

from trustuqa_neo4j.errors import UnreadableFile
from trustuqa_neo4j.loader import File, Reading

from .text import Lines, beginning, opened, text

Kind: TypeAlias = Literal["text", "workbook", "parquet", "tar", "zip"]

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""How XLS begins, and also XLSX with a password."""

WORKBOOKS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")

_OF_ODS = {"mimetype", "content.xml"}
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_PARQUET = (b"PAR1", b"PARE")
_GZIP = b"\x1f\x8b"
_UNPACKERS: dict[bytes, Callable[[BinaryIO], BufferedIOBase]] = {
    _GZIP: lambda raw: gzip.GzipFile(fileobj=raw),
    b"BZh": lambda raw: bz2.BZ2File(raw),
    b"\xfd7zXZ\0": lambda raw: lzma.LZMAFile(raw),  # noqa: SIM115 # who reads it closes it
}
"""How what is compressed begins → what unpacks it."""
_LONGEST_MAGIC = max(map(len, _UNPACKERS))
_LOOKED_AT = 4096
_CONTROL = bytes({*range(1, 9), *range(14, 27), *range(28, 32)})
_OTHER = {
    b"<!doctype": "HTML or XML", b"<html": "HTML or XML", b"<?xml": "HTML or XML",
    b"<table": "HTML or XML", b'{"': "JSON", b"[{": "JSON", b"%pdf-": "PDF",
}  # fmt: skip
"""How other things begin that are text or look like it."""

BROKEN_ZIP = (zipfile.BadZipFile, NotImplementedError, OSError, EOFError)
"""What zipfile raises when it looks at the list of a broken archive."""

_DAMAGED = (OSError, EOFError, zlib.error, lzma.LZMAError)
_HINT = "read are CSV, TSV, XLSX, XLS, ODS, Parquet, and tar and zip archives of them"


class Wanted(NamedTuple):
    """Which files of a folder or members of an archive to read, what one is called, and a hint at both."""

    is_one: Callable[[str], bool]
    what: str
    hint: str

    def none(self, where: str) -> UnreadableFile:
        """That there is none."""
        return UnreadableFile(f"no {self.what} in it", where=where, hint=self.hint)


@dataclass(frozen=True, slots=True)
class Content:
    """A file, or a member of an archive.

    ``name`` is the name for the source, ``place`` what messages and evidence call it. ``opened`` gives
    the bytes, each time from the first; ``told`` reports the progress with them.
    """

    name: str
    place: str
    opened: Callable[[], AbstractContextManager[BinaryIO]]
    told: Callable[[BinaryIO], None]


def of_file(file: File, reading: Reading) -> Content:
    """The content of a file that lies on its own."""

    def told(raw: BinaryIO) -> None:
        reading.progress(file, raw.tell())

    return Content(file.name, file.name, lambda: opened(file), told)


@contextmanager
def lines_of(content: Content, reading: Reading, *, silent: bool = False) -> Iterator[Lines]:
    """The lines of ``content``; ``silent``: without telling the progress, as it is read again later.

    Raises:
        MissingFile, UnreadableFile
    """
    with content.opened() as raw:

        def told() -> None:
            if not silent:
                content.told(raw)

        with text(raw, content.place, reading, told) as found:
            yield found


def kind(content: Content, reading: Reading, *, json: bool = False) -> Kind:
    """What ``content`` is; ``json``: text may also be JSON.

    Raises:
        MissingFile, UnreadableFile: also when it is nothing that can hold a table.
    """
    with content.opened() as raw:
        first = beginning(raw, content.place, _LOOKED_AT)
        if first.startswith(_ZIP):
            return "workbook" if _is_workbook(raw, content.place) else "zip"
        if first.startswith(OLE):
            return "workbook"
        if first.startswith(_PARQUET):
            return "parquet"
        if _is_tar(first):
            return "tar"
        unpacked = _unpacked(raw)
    if unpacked is None:
        _check_text(first, content.place, reading, json)
        return "text"
    if _is_tar(unpacked):
        return "tar"
    if first.startswith(_GZIP):
        _check_text(unpacked, content.place, reading, json)
        return "text"
    if not unpacked:
        return "tar"  # what is damaged is told of when it is read
    raise _no_table("compressed, and no tar archive inside", content.place, "unpack it first")


def _is_workbook(raw: BinaryIO, place: str) -> bool:
    """Whether a zip archive is a workbook; of a broken one only the name tells."""
    try:
        with zipfile.ZipFile(raw) as archive:
            names = set(archive.namelist())
    except BROKEN_ZIP:
        return place.lower().endswith(WORKBOOKS)
    return any(name.startswith("xl/workbook.") for name in names) or names >= _OF_ODS


def _is_tar(first: bytes) -> bool:
    """Whether ``first`` begins with a tar header, whose checksum is right; old ones bear no mark."""
    try:
        tarfile.TarInfo.frombuf(first[: tarfile.BLOCKSIZE], "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True


def unpacking(raw: BinaryIO) -> BinaryIO | BufferedIOBase:
    """What unpacks ``raw`` where it is compressed; ``raw`` itself where it is not."""
    magic = raw.read(_LONGEST_MAGIC)
    raw.seek(0)
    for begun, unpacker in _UNPACKERS.items():
        if magic.startswith(begun):
            return unpacker(raw)
    return raw


def _unpacked(raw: BinaryIO) -> bytes | None:
    """The first bytes of what is compressed in ``raw``, as far as they can be had; None: nothing is."""
    stream = unpacking(raw)
    try:
        return None if stream is raw else stream.read(_LOOKED_AT)
    except _DAMAGED:
        return b""  # who reads it on says what is damaged


def _check_text(first: bytes, place: str, reading: Reading, json: bool) -> None:
    """See that this is not something else for sure; text in another encoding is told of when read."""
    begun = first.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    for mark, name in _OTHER.items():
        if begun.startswith(mark) and not (json and name == "JSON"):
            raise _no_table(f"{name}, and no table", place, _HINT)
    if _is_binary(first, reading.encoding):
        hint = f"{_HINT}; text in UTF-16 needs --encoding utf-16"
        raise _no_table("neither text nor a kind of table that is known", place, hint)


def _is_binary(first: bytes, encoding: str) -> bool:
    try:
        return "\0" in first.decode(encoding)
    except UnicodeDecodeError as error:
        if (
            len(first) == _LOOKED_AT and error.start >= _LOOKED_AT - 4
        ):  # the last character may have been cut
            return "\0" in first[: error.start].decode(encoding, "ignore")
    except UnicodeError:
        pass
    return b"\0" in first or len(first.translate(None, _CONTROL)) < len(first)


def _no_table(what: str, where: str, hint: str) -> UnreadableFile:
    return UnreadableFile(what, where=where, hint=hint)
