"""Lines of text, plain or gzip, with the errors a person can act on."""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from trustuqa_neo4j.errors import MissingFile, UnreadableFile
from trustuqa_neo4j.loader import File, Reading

LONGEST = 1 << 24
"""Characters that a line may have: one of 200 MB is no line, and would fill the memory."""

_GZIP = b"\x1f\x8b"
_LINE_END = re.compile(r"\r\n|\r|\n")
_TOLD_EVERY = 1000


class Lines:
    """The lines of an open text, counted; ``number`` is that of the last one given, from 1.

    ``place`` is what messages call the text; ``told`` is called now and then, to report the progress.
    """

    def __init__(
        self, place: str, stream: io.TextIOBase, reading: Reading, told: Callable[[], None]
    ) -> None:
        self._place = place
        self._stream = stream
        self._reading = reading
        self._told = told
        self._by_line = True
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._read(self._stream.readline, LONGEST + 1)
        if not line:
            raise StopIteration
        self.number += 1
        if self.number == 1:
            line = line.removeprefix("\ufeff")
        if not self.number % _TOLD_EVERY:
            self._told()
        if "\0" in line:
            raise self._nul(self.number)
        if len(line) > LONGEST:
            raise UnreadableFile(
                f"a line of more than {LONGEST:,} characters",
                where=f"{self._place}:{self.number}",
                hint="see that this is a file of lines, and break this one up",
            )
        return line

    def block(self, size: int) -> str:
        """The next ``size`` characters, fewer at the end and then none, for text that is not read by lines.

        ``number`` counts the line ends in what was given; lines are no longer to be asked for.
        """
        first, self._by_line = self._by_line, False
        block = self._read(self._stream.read, size)
        if first:
            block = block.removeprefix("\ufeff")
        if "\0" in block:
            raise self._nul(self.number + block.count("\n", 0, block.index("\0")) + 1)
        self.number += block.count("\n")
        self._told()
        return block

    def _nul(self, line: int) -> UnreadableFile:
        return UnreadableFile(
            "a NUL character, so this is no text in this encoding",
            where=f"{self._place}:{line}",
            hint="give a text file; UTF-16 needs --encoding utf-16",
        )

    def _read(self, read: Callable[[int], str], size: int) -> str:
        try:
            line = read(size)
            line.encode()  # half a surrogate pair is no character, though some encodings yield it
        except UnicodeError as error:
            raise self._not_text(error) from error
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise UnreadableFile(
                f"its gzip data is damaged ({error})",
                where=f"{self._place}, after line {self.number}",
                hint="fetch or compress the file again",
            ) from error
        except OSError as error:
            raise unreadable(self._place, error) from error
        return line

    def _not_text(self, error: UnicodeError) -> UnreadableFile:
        encoding = self._reading.encoding.removesuffix("-sig").upper()
        reason = getattr(error, "reason", str(error))
        line = self.number + 1
        where = (
            f"{self._place}:{line}" if self._by_line else f"{self._place}, after line {line - 1}"
        )
        if self._by_line and isinstance(error, UnicodeDecodeError):
            # What is decoded is a block of lines; those before it have been given.
            with suppress(UnicodeError):
                decoded = error.object[: error.start].decode(error.encoding, "ignore")
                where = f"{self._place}:{line + len(_LINE_END.findall(decoded))}"
        return UnreadableFile(
            f"not {encoding} text ({reason})",
            where=where,
            hint="say which encoding it is in with --encoding",
        )


@contextmanager
def lines(file: File, reading: Reading) -> Iterator[Lines]:
    """Open ``file`` for its lines, with their line ends; a byte-order mark is no part of them.

    Raises:
        MissingFile, UnreadableFile: the file is not there, a folder, forbidden, empty, or not text.
    """
    with (
        opened(file) as raw,
        text(raw, file.name, reading, lambda: reading.progress(file, raw.tell())) as found,
    ):
        yield found


@contextmanager
def opened(file: File) -> Iterator[BinaryIO]:
    """The bytes of ``file``.

    Raises:
        MissingFile, UnreadableFile
    """
    try:
        raw = file.path.open("rb")
    except FileNotFoundError as error:
        raise MissingFile("no such file", where=file.name, hint="check the path") from error
    except OSError as error:
        raise unreadable(file.name, error) from error
    with raw:
        yield raw


@contextmanager
def text(raw: BinaryIO, place: str, reading: Reading, told: Callable[[], None]) -> Iterator[Lines]:
    """The lines of the bytes ``raw``, which stay open behind them; see ``Lines``.

    Raises:
        UnreadableFile
    """
    binary = raw
    if beginning(raw, place, len(_GZIP)) == _GZIP:
        binary = gzip.GzipFile(fileobj=raw)  # type: ignore[assignment]  # reads as one
    stream = io.TextIOWrapper(binary, encoding=reading.encoding, newline="")
    try:
        yield Lines(place, stream, reading, told)
    finally:
        stream.detach()  # else it would close what it reads from when it is collected


def beginning(raw: BinaryIO, place: str, size: int) -> bytes:
    """The first ``size`` bytes of ``raw``, or all there are; they are still to be read.

    Raises:
        UnreadableFile: there are none, or they cannot be read.
    """
    try:
        found = raw.read(size)
        raw.seek(0)
    except OSError as error:
        raise unreadable(place, error) from error
    if not found:
        raise UnreadableFile("the file is empty", where=place, hint="give one with facts")
    return found


def unreadable(place: str, error: OSError) -> UnreadableFile:
    """What the system says of the file at ``place``, for people."""
    if isinstance(error, IsADirectoryError):
        return UnreadableFile("a folder", where=place, hint="give the files in it")
    reason = error.strerror or str(error)
    return UnreadableFile(reason, where=place, hint="check the path and its permissions")
