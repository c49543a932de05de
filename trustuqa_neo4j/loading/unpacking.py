"""A limit for what one file may unpack, for programs that read files of strangers; none by default."""

from __future__ import annotations

import io
from typing import BinaryIO, cast

from rich.filesize import decimal

from ..errors import UnreadableFile

_limit: int | None = None


def limit_unpacked(size: int) -> None:
    """Let this process refuse files and archives that unpack to more than ``size`` bytes."""
    global _limit
    _limit = size


def check_unpacked(size: int, place: str = "") -> None:
    """Refuse ``size`` bytes if they are more than a file may unpack.

    Raises:
        UnreadableFile
    """
    if _limit is not None and size > _limit:
        raise UnreadableFile(
            f"more than {format_size(_limit)} when it is unpacked",
            where=place,
            hint="unpack it, and load it with tuqa-load",
        )


def bound_stream(stream: io.BufferedIOBase, place: str = "") -> BinaryIO:
    """``stream``, which unpacks; it refuses to go on beyond the limit.

    Raises:
        UnreadableFile: while it is read.
    """
    if _limit is None:
        return cast(BinaryIO, stream)
    return cast(BinaryIO, io.BufferedReader(_BoundedStream(stream, place), 1 << 16))


class _BoundedStream(io.RawIOBase):
    def __init__(self, stream: io.BufferedIOBase, place: str) -> None:
        self._stream = stream
        self._place = place

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # any buffer would do
        content = self._stream.read(len(buffer))
        buffer[: len(content)] = content
        check_unpacked(self._stream.tell(), self._place)
        return len(content)

    def seek(self, offset: int, whence: int = 0, /) -> int:
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        return self._stream.tell()


def format_size(size: int) -> str:
    """``2 GB``: a size for people."""
    return decimal(size).replace(".0 ", " ")
