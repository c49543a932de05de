"""Members of archives, one after the other as they lie there: tar (plain, gzip, bzip2, xz) and zip.

A member is copied before it is read, small ones in memory and others in a temporary file: what reads it
may go back, and going back in a compressed tar would unpack it all again for each member.
"""

from __future__ import annotations

import lzma
import shutil
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BufferedIOBase, BytesIO
from pathlib import PurePosixPath
from typing import BinaryIO

from trustuqa_neo4j.errors import UnreadableFile
from trustuqa_neo4j.loader import File, Reading

from .content import Content, Kind, Wanted, unpacking
from .text import opened, unreadable

_IN_MEMORY = 1 << 24
_DAMAGED = (tarfile.TarError, zipfile.BadZipFile, EOFError, zlib.error, lzma.LZMAError)


def members(file: File, kind: Kind, reading: Reading, wanted: Wanted) -> Iterator[Content]:
    """The members that are ``wanted``, each to be read before the next is asked for; hidden ones are not.

    Raises:
        MissingFile, UnreadableFile: it is not there, or damaged, asks for a password, or has none.
    """
    found = False
    with _open(file) as raw:
        for path, size, copy in (_tar if kind == "tar" else _zip)(file, raw):
            if _is_hidden(path) or not wanted.is_one(path):
                continue
            found = True
            place = f"{file.name}/{path}"
            _check_name(path, file.name)
            with BytesIO() if size <= _IN_MEMORY else tempfile.TemporaryFile() as copied:
                with _translated(place):
                    copy(copied)
                yield _content(path, place, copied, lambda: reading.progress(file, raw.tell()))
    if not found:
        raise wanted.none(file.name)


def names(file: File, kind: Kind, wanted: Wanted) -> list[str]:
    """The paths of the members that ``members`` gives.

    Raises:
        MissingFile, UnreadableFile
    """
    with _open(file) as raw:
        found = (_tar if kind == "tar" else _zip)(file, raw)
        return [path for path, _, _ in found if wanted.is_one(path) and not _is_hidden(path)]


Copy = Callable[[BinaryIO], None]


@contextmanager
def _open(file: File) -> Iterator[BinaryIO]:
    with opened(file) as raw, _translated(file.name):
        yield raw


def _tar(_file: File, raw: BinaryIO) -> Iterator[tuple[str, int, Copy]]:
    """Path, size and a function that copies, for each regular file in a tar."""
    stream = unpacking(raw)  # tarfile's own way of unpacking does not see a wrong checksum
    kept = _Kept(stream)
    with tarfile.open(fileobj=kept, mode="r|") as archive:  # type: ignore[call-overload]
        for member in archive:
            if member.isreg():
                yield _clean(member.name), member.size, _copier(archive, member)
        _check_end(kept, archive.offset)
    while stream.read(1 << 20):
        pass  # a checksum is looked at when the end is read


def _copier(archive: tarfile.TarFile, member: tarfile.TarInfo) -> Copy:
    def copy(target: BinaryIO) -> None:
        content = archive.extractfile(member)
        assert content is not None  # it is a regular file
        shutil.copyfileobj(content, target)

    return copy


class _Kept:
    """A stream that keeps what it gave last and from which place, for ``_check_end``."""

    def __init__(self, stream: BinaryIO | BufferedIOBase) -> None:
        self._stream = stream
        self.start = 0
        self.block = b""

    def read(self, size: int) -> bytes:
        self.start += len(self.block)
        self.block = self._stream.read(size)
        return self.block


def _check_end(kept: _Kept, offset: int) -> None:
    """See that a tar ends where tarfile stops: it takes a damaged header for the end, in silence."""
    at = offset - kept.start
    found = kept.block[at : at + tarfile.BLOCKSIZE] if at >= 0 else b""
    if found.count(0) != tarfile.BLOCKSIZE:
        raise tarfile.ReadError("a member's header is damaged, or the end is missing")


def _zip(file: File, raw: BinaryIO) -> Iterator[tuple[str, int, Copy]]:
    """Path, size and a function that copies, for each file in a zip."""
    with zipfile.ZipFile(raw) as archive:
        for member in archive.infolist():
            if not member.filename or member.is_dir():
                continue
            yield _clean(member.filename), member.file_size, _unzipper(archive, member, file)


def _unzipper(archive: zipfile.ZipFile, member: zipfile.ZipInfo, file: File) -> Copy:
    def copy(target: BinaryIO) -> None:
        if member.flag_bits & 1:
            raise UnreadableFile(
                "protected by a password",
                where=f"{file.name}/{member.filename}",
                hint="unpack the archive first",
            )
        with archive.open(member) as content:
            shutil.copyfileobj(content, target)

    return copy


def _content(path: str, place: str, copied: BinaryIO, told: Callable[[], None]) -> Content:
    @contextmanager
    def again() -> Iterator[BinaryIO]:
        copied.seek(0)
        yield copied

    return Content(path, place, again, lambda _: told())


def _clean(path: str) -> str:
    """``path`` without the ``./`` that some tools put in front."""
    return str(PurePosixPath(path))


def _is_hidden(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return any(
        part == "__MACOSX" or part.startswith("~$") or (part.startswith(".") and part != "..")
        for part in parts
    )


def _check_name(path: str, place: str) -> None:
    """See that the path can be a name: in other encodings it arrives as half surrogates."""
    try:
        path.encode()
    except UnicodeEncodeError as error:
        raise UnreadableFile(
            "a member whose name is not UTF-8",
            where=f"{place}, {path!r}",
            hint="unpack the archive, and rename the file",
        ) from error


@contextmanager
def _translated(place: str) -> Iterator[None]:
    """What the libraries of archives say, for people.

    They meet damage as they read, so this also stands around what uses an archive.
    """
    try:
        yield
    except NotImplementedError as error:
        raise UnreadableFile(
            f"compressed in a way that is not known ({error})",
            where=place,
            hint="unpack the archive first",
        ) from error
    except _DAMAGED as error:
        raise UnreadableFile(
            f"the archive is damaged ({error})", where=place, hint="fetch or pack it again"
        ) from error
    except OSError as error:
        if error.errno is None:  # of a library, and none of the system's
            raise UnreadableFile(
                f"the archive is damaged ({error})", where=place, hint="fetch or pack it again"
            ) from error
        raise unreadable(place, error) from error
