"""The first bytes of files that are not plain text: they tell the format whatever the name says."""

from __future__ import annotations

import tarfile
from typing import Literal, TypeAlias

DatabaseKind: TypeAlias = Literal["sqlite", "duckdb"]

GZIP = b"\x1f\x8b"
BZIP2 = b"BZh"
XZ = b"\xfd7zXZ\0"
ZIP = (b"PK\x03\x04", b"PK\x05\x06")
PARQUET = (b"PAR1", b"PARE")
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""XLS, and XLSX with a password."""

DATABASE_SIGNATURE_SIZE = 16
_SQLITE = b"SQLite format 3\0"
_DUCKDB = b"DUCK"  # after a checksum of 8 bytes


def detect_database(beginning: bytes) -> DatabaseKind | None:
    """Detect the kind of a database file by its first bytes."""
    if beginning.startswith(_SQLITE):
        return "sqlite"
    return "duckdb" if beginning[8:12] == _DUCKDB else None


def detect_unmarked_utf16(beginning: bytes) -> str | None:
    """The encoding of text in UTF-16 without a byte-order mark, if most characters are of Western scripts.

    Then one of the two bytes of each is zero, and never the other one.
    """
    pairs = len(beginning) // 2
    low, high = beginning[0 : 2 * pairs : 2], beginning[1 : 2 * pairs : 2]
    if 2 * high.count(0) > pairs > 1 and 0 not in low:
        return "utf-16-le"
    if 2 * low.count(0) > pairs > 1 and 0 not in high:
        return "utf-16-be"
    return None


def is_tar(beginning: bytes) -> bool:
    """True for a tar archive; old ones have no signature, so the checksum of the header decides."""
    try:
        tarfile.TarInfo.frombuf(beginning[: tarfile.BLOCKSIZE], "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True
