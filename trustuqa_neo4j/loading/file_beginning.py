"""``FileBeginning``: the first bytes of a file, unpacked, which show its format."""

from __future__ import annotations

import codecs
import zlib
from contextlib import suppress
from dataclasses import dataclass

from . import file_signatures
from .formats import DETECT_ENCODING, File
from .inputs import empty_file_error, file_errors

SAMPLE_SIZE = 1 << 16
"""Bytes of a file that are read, and bytes that are unpacked of a compressed one."""

_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True)
class FileBeginning:
    # ``content`` is unpacked; ``is_complete``: the file has no more.
    content: bytes
    is_complete: bool
    is_packed: bool

    @classmethod
    def read(cls, file: File) -> FileBeginning:
        """Read the beginning of a file.

        Raises:
            MissingFile; UnreadableFile: it is empty, or cannot be read.
        """
        with file_errors(file.name), file.path.open("rb") as stream:
            beginning = stream.read(SAMPLE_SIZE)
        if not beginning:
            raise empty_file_error(file.name)
        if beginning.startswith(file_signatures.GZIP):
            return cls(*_unpack(beginning), is_packed=True)
        return cls(beginning, len(beginning) < SAMPLE_SIZE, is_packed=False)

    def decode(self, encoding: str) -> str:
        """The content as text, without a byte-order mark.

        The loader reports a wrong encoding; the shape of the text is seen in any.
        """
        if encoding == DETECT_ENCODING:
            encoding = file_signatures.detect_unmarked_utf16(self.content) or "utf-8"
        encoding = "utf-16" if self.content.startswith(_UTF16_MARKS) else encoding
        try:
            text = codecs.getincrementaldecoder(encoding)().decode(self.content)
        except (UnicodeError, LookupError):
            text = self.content.decode("latin-1")
        return text.removeprefix("\ufeff")


def _unpack(beginning: bytes) -> tuple[bytes, bool]:
    # The beginning of the content, and whether it is all.
    unpacker = zlib.decompressobj(wbits=31)
    # The loader reports damage, with the line where it is.
    with suppress(zlib.error):
        return unpacker.decompress(beginning, SAMPLE_SIZE), unpacker.eof
    return b"", False
