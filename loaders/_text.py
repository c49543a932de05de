"""Lines of text, plain or gzip, and the errors of opening and reading a file.

``TextLines`` counts the lines, so that every message can name file and line.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import BinaryIO

from trustuqa_neo4j.errors import MissingFile, UnreadableFile
from trustuqa_neo4j.loading import file_signatures
from trustuqa_neo4j.loading.formats import DETECT_ENCODING, File, ReadOptions
from trustuqa_neo4j.loading.unpacking import bound_stream
from trustuqa_neo4j.wording import CallOption

from ._encodings import WESTERN, detect_encoding

MAX_LINE_LENGTH = 1 << 24
"""Characters that a line may have. A line of 200 MB would fill the memory."""

PROGRESS_INTERVAL = 1000

SKIP_BAD_LINES = f"{CallOption.SKIP_BAD.with_value('N')} skips up to N bad lines"
_LINE_END = re.compile(r"\r\n|\r|\n")


class TextLines:
    """``number`` is the number of the last line, from 1; ``place`` names the text in messages."""

    def __init__(
        self, place: str, stream: io.TextIOBase, encoding: str, report_progress: Callable[[], None]
    ) -> None:
        self._place = place
        self._stream = stream
        self._encoding = encoding
        self._report_progress = report_progress
        self._by_line = True
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._read(self._stream.readline, MAX_LINE_LENGTH + 1)
        if not line:
            raise StopIteration
        self.number += 1
        if self.number == 1:
            line = line.removeprefix("\ufeff")
        if not self.number % PROGRESS_INTERVAL:
            self._report_progress()
        if "\0" in line:
            raise self._nul_error(self.number)
        if len(line) > MAX_LINE_LENGTH:
            raise UnreadableFile(
                f"a line of more than {MAX_LINE_LENGTH:,} characters",
                where=f"{self._place}:{self.number}",
                hint="check that this is a file of lines, and split this line",
            )
        return line

    def read_block(self, size: int) -> str:
        # For text that is not read by lines: ``number`` counts the line ends. Do not mix with
        # iteration.
        is_first, self._by_line = self._by_line, False
        block = self._read(self._stream.read, size)
        if is_first:
            block = block.removeprefix("\ufeff")
        if "\0" in block:
            raise self._nul_error(self.number + block.count("\n", 0, block.index("\0")) + 1)
        self.number += block.count("\n")
        self._report_progress()
        return block

    def _nul_error(self, line: int) -> UnreadableFile:
        return UnreadableFile(
            "a NUL character: this is not text in this encoding",
            where=f"{self._place}:{line}",
            hint=f"give a text file; UTF-16 needs {CallOption.ENCODING.with_value('utf-16')}",
        )

    def _read(self, read: Callable[[int], str], size: int) -> str:
        try:
            text = read(size)
            if not text.isascii():
                text.encode()  # some encodings yield half a surrogate pair, which is not a character
        except UnicodeError as error:
            raise self._encoding_error(error) from error
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise UnreadableFile(
                f"its gzip data is damaged ({error})",
                where=f"{self._place}, after line {self.number}",
                hint="download or compress the file again",
            ) from error
        except OSError as error:
            raise unreadable_error(self._place, error) from error
        return text

    def _encoding_error(self, error: UnicodeError) -> UnreadableFile:
        encoding = self._encoding.removesuffix("-sig").upper()
        reason = getattr(error, "reason", str(error))
        line = self.number + 1
        where = f"{self._place}:{line}"
        if not self._by_line:
            where = f"{self._place}, after line {line - 1}"
        elif isinstance(error, UnicodeDecodeError):
            # The decoder works on a block of lines; the lines before the bad byte are counted here.
            with suppress(UnicodeError):
                decoded = error.object[: error.start].decode(error.encoding, "ignore")
                where = f"{self._place}:{line + len(_LINE_END.findall(decoded))}"
        likely = _name_likely_encodings(error)
        return UnreadableFile(
            f"not {encoding} text ({reason})",
            where=where,
            hint=f"name the encoding of the file with {CallOption.ENCODING}, such as {likely}",
        )


def _name_likely_encodings(error: UnicodeError) -> str:
    # Zeros are of UTF-16; bytes that Windows-1252 does not have are of another country.
    data = error.object if isinstance(error, UnicodeDecodeError) else b""
    if b"\0" in data:
        return "utf-16"
    try:
        data.decode(WESTERN)
    except UnicodeDecodeError:
        return "cp1250 (Central Europe) or cp1251 (Cyrillic)"
    return f"{WESTERN} (Western Europe) or cp1250 (Central Europe)"


@contextmanager
def open_lines(file: File, options: ReadOptions) -> Iterator[TextLines]:
    # Lines keep their line ends and lose a byte-order mark.
    with (
        open_file(file) as raw,
        decode_lines(raw, file.name, options, lambda: options.progress(file, raw.tell())) as lines,
    ):
        yield lines


@contextmanager
def open_file(file: File) -> Iterator[BinaryIO]:
    try:
        raw = file.path.open("rb")
    except FileNotFoundError as error:
        raise MissingFile("no such file", where=file.name, hint="check the path") from error
    except OSError as error:
        raise unreadable_error(file.name, error) from error
    with raw:
        yield raw


@contextmanager
def decode_lines(
    raw: BinaryIO, place: str, options: ReadOptions, report_progress: Callable[[], None]
) -> Iterator[TextLines]:
    # ``raw`` stays open afterwards.
    is_packed = read_beginning(raw, place, len(file_signatures.GZIP)) == file_signatures.GZIP

    def open_binary() -> BinaryIO:
        raw.seek(0)
        return bound_stream(gzip.GzipFile(fileobj=raw), place) if is_packed else raw

    encoding = _find_encoding(open_binary(), place, options)
    binary = open_binary()
    stream = io.TextIOWrapper(binary, encoding=encoding, newline="")
    try:
        yield TextLines(place, stream, encoding, report_progress)
    finally:
        stream.detach()  # else its finalizer would close what it reads from


def _find_encoding(binary: BinaryIO, place: str, options: ReadOptions) -> str:
    if options.encoding != DETECT_ENCODING:
        return options.encoding
    if place not in options.encodings:
        try:
            detected = detect_encoding(binary)
        except OSError as error:
            raise unreadable_error(place, error) from error
        options.encodings[place] = detected.name
        if detected.name == WESTERN:
            what = f"not UTF-8, read as Windows-1252 ({detected.example})"
            what += f"; {CallOption.ENCODING} names another one"
            options.remark(what, f"{place}:{detected.line}")
    return options.encodings[place]


def read_beginning(raw: BinaryIO, place: str, size: int) -> bytes:
    # Goes back to the start.
    try:
        beginning = raw.read(size)
        raw.seek(0)
    except OSError as error:
        raise unreadable_error(place, error) from error
    if not beginning:
        raise UnreadableFile("the file is empty", where=place, hint="give one with facts")
    return beginning


def unreadable_error(place: str, error: OSError) -> UnreadableFile:
    if isinstance(error, IsADirectoryError):
        return UnreadableFile("a folder", where=place, hint="give the files in it")
    reason = error.strerror or str(error)
    return UnreadableFile(reason, where=place, hint="check the path and its permissions")


def without_reports(options: ReadOptions) -> ReadOptions:
    # A first pass reports nothing, since the second pass does.
    return replace(
        options, skip_bad=1 << 62, bad=[], remarks={}, progress=lambda _file, _done: None
    )


def count_noun(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
