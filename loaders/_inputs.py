"""Inputs of tables and documents: single files, folders, and members of archives.

``detect_kind`` looks at the first bytes of a ``Content``, because names mislead (tab-separated text called
``.xls``) and standard input has none. A member of an archive is copied to memory or a temporary file before
it is read: its reader may seek back, and a compressed tar would be unpacked again from the start.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import shutil
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from io import BufferedIOBase, BytesIO
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Literal, NamedTuple, NoReturn, TypeAlias

from trustuqa_neo4j.errors import UnreadableFile
from trustuqa_neo4j.loading import file_signatures
from trustuqa_neo4j.loading.formats import DETECT_ENCODING, File, ReadOptions
from trustuqa_neo4j.loading.unpacking import bound_stream, check_unpacked
from trustuqa_neo4j.wording import CallOption

from ._encodings import detect_encoding
from ._text import (
    TextLines,
    decode_lines,
    open_file,
    read_beginning,
    unreadable_error,
)

ContentKind: TypeAlias = Literal["text", "workbook", "parquet", "tar", "zip"]

WORKBOOK_SUFFIXES = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
DATABASE_SUFFIXES = (".db", ".db3", ".sqlite", ".sqlite3", ".duckdb")
TABLE_DEFINITIONS = (".ddl", ".sql")

_ODS_MEMBERS = {"mimetype", "content.xml"}
_UNPACKERS: dict[bytes, Callable[[BinaryIO], BufferedIOBase]] = {
    file_signatures.GZIP: lambda raw: gzip.GzipFile(fileobj=raw),
    file_signatures.BZIP2: lambda raw: bz2.BZ2File(raw),
    file_signatures.XZ: lambda raw: lzma.LZMAFile(raw),  # noqa: SIM115 # its reader closes it
}
_MAX_SIGNATURE_SIZE = max(map(len, _UNPACKERS))
_SAMPLE_SIZE = 4096
_CONTROL_BYTES = bytes({*range(1, 9), *range(14, 27), *range(28, 32)})
_MARKUP = "HTML or XML"
_OTHER_FORMATS = {
    b"<!doctype": _MARKUP, b"<html": _MARKUP, b"<?xml": _MARKUP, b"<table": _MARKUP, b'{"': "JSON",
    b"[{": "JSON", b"%pdf-": "PDF",
}  # fmt: skip
"""First bytes of formats that are text, or look like text, and are not tables."""

BROKEN_ZIP_ERRORS = (zipfile.BadZipFile, NotImplementedError, OSError, EOFError)
"""zipfile raises these when it reads the list of a broken archive."""

_BROKEN_STREAM_ERRORS = (OSError, EOFError, zlib.error, lzma.LZMAError)
_BROKEN_ARCHIVE_ERRORS = (
    tarfile.TarError, zipfile.BadZipFile, EOFError, zlib.error, lzma.LZMAError,
)  # fmt: skip
_MAX_SIZE_IN_MEMORY = 1 << 24
_MARKUP_HINT = "open it in a spreadsheet program, and save it as XLSX or CSV"
_HINT = "supported are CSV, TSV, XLSX, XLS, ODS, Parquet, and tar and zip archives of them"


class FileFilter(NamedTuple):
    accepts: Callable[[str], bool]
    noun: str
    hint: str

    def no_match_error(self, where: str) -> UnreadableFile:
        return UnreadableFile(f"no {self.noun} in it", where=where, hint=self.hint)


@dataclass(frozen=True, slots=True)
class Content:
    """A file, or a member of an archive.

    ``name`` names the source, ``place`` is for messages and evidence. ``open`` gives the bytes, each time
    from the first; ``report_progress`` takes them.
    """

    name: str
    place: str
    open: Callable[[], AbstractContextManager[BinaryIO]]
    report_progress: Callable[[BinaryIO], None]


def file_content(file: File, options: ReadOptions) -> Content:
    def report_progress(raw: BinaryIO) -> None:
        options.progress(file, raw.tell())

    return Content(file.name, file.name, lambda: open_file(file), report_progress)


@contextmanager
def open_content_lines(
    content: Content, options: ReadOptions, *, silent: bool = False
) -> Iterator[TextLines]:
    # ``silent`` reports no progress, for a first look.
    with content.open() as raw:

        def report_progress() -> None:
            if not silent:
                content.report_progress(raw)

        with decode_lines(raw, content.place, options, report_progress) as lines:
            yield lines


def detect_kind(content: Content, options: ReadOptions, *, json: bool = False) -> ContentKind:
    with content.open() as raw:
        sample = read_beginning(raw, content.place, _SAMPLE_SIZE)
        if sample.startswith(file_signatures.ZIP):
            return "workbook" if _is_workbook(raw, content.place) else "zip"
        if sample.startswith(file_signatures.OLE):
            return "workbook"
        if sample.startswith(file_signatures.PARQUET):
            return "parquet"
        if file_signatures.is_tar(sample):
            return "tar"
        unpacked = _unpack_sample(raw)
    if unpacked is None:
        _check_text(sample, content.place, options, json)
        return "text"
    if file_signatures.is_tar(unpacked):
        return "tar"
    if sample.startswith(file_signatures.GZIP):
        _check_text(unpacked, content.place, options, json)
        return "text"
    if not unpacked:
        return "tar"  # the reader of the archive reports the damage
    raise UnreadableFile(
        "compressed, but there is no tar archive inside",
        where=content.place,
        hint="unpack it first",
    )


def _is_workbook(raw: BinaryIO, place: str) -> bool:
    try:
        with zipfile.ZipFile(raw) as archive:
            members = set(archive.namelist())
            size = sum(member.file_size for member in archive.infolist())
    except BROKEN_ZIP_ERRORS:
        return place.lower().endswith(WORKBOOK_SUFFIXES)
    is_workbook = (
        any(name.startswith("xl/workbook.") for name in members) or members >= _ODS_MEMBERS
    )
    if is_workbook:
        check_unpacked(size, place)
    return is_workbook


def _open_unpacked(raw: BinaryIO) -> BinaryIO:
    beginning = raw.read(_MAX_SIGNATURE_SIZE)
    raw.seek(0)
    for signature, unpacker in _UNPACKERS.items():
        if beginning.startswith(signature):
            return bound_stream(unpacker(raw))
    return raw


def _unpack_sample(raw: BinaryIO) -> bytes | None:
    # None: not compressed; empty: damaged.
    stream = _open_unpacked(raw)
    try:
        return None if stream is raw else stream.read(_SAMPLE_SIZE)
    except _BROKEN_STREAM_ERRORS:
        return b""


def _check_text(sample: bytes, place: str, options: ReadOptions, json: bool) -> None:
    # A wrong encoding is reported later, when lines are read.
    beginning = sample.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    for magic, name in _OTHER_FORMATS.items():
        if beginning.startswith(magic) and not (json and name == "JSON"):
            hint = _MARKUP_HINT if name == _MARKUP else _HINT
            raise UnreadableFile(f"{name}, not a table", where=place, hint=hint)
    encoding = options.encoding
    if encoding == DETECT_ENCODING:
        encoding = detect_encoding(BytesIO(sample)).name
    if _is_binary(sample, encoding):
        hint = f"{_HINT}; UTF-16 without a mark needs {CallOption.ENCODING.with_value('utf-16-le')}"
        raise UnreadableFile("neither text nor a supported kind of table", where=place, hint=hint)


def _is_binary(sample: bytes, encoding: str) -> bool:
    try:
        return "\0" in sample.decode(encoding)
    except UnicodeDecodeError as error:
        # The sample may end in the middle of a character.
        if len(sample) == _SAMPLE_SIZE and error.start >= _SAMPLE_SIZE - 4:
            return "\0" in sample[: error.start].decode(encoding, "ignore")
    except UnicodeError:
        pass
    return b"\0" in sample or len(sample.translate(None, _CONTROL_BYTES)) < len(sample)


# Archives: tar (plain, gzip, bzip2, xz) and zip, member by member in their order.

_CopyMember: TypeAlias = Callable[[BinaryIO], None]


def read_members(
    file: File, kind: ContentKind, options: ReadOptions, accepted: FileFilter
) -> Iterator[Content]:
    # Read each member before the next.
    is_empty, unpacked = True, 0
    with _open_archive(file) as raw:
        for path, size, copy_to in _list_archive(kind, file, raw):
            unpacked += size
            check_unpacked(unpacked, file.name)
            if _is_hidden(path) or not accepted.accepts(path):
                continue
            is_empty = False
            place = f"{file.name}/{path}"
            _check_member_name(path, file.name)
            with BytesIO() if size <= _MAX_SIZE_IN_MEMORY else tempfile.TemporaryFile() as copy:
                with _archive_errors(place):
                    copy_to(copy)
                yield _member_content(path, place, copy, lambda: options.progress(file, raw.tell()))
    if is_empty:
        raise accepted.no_match_error(file.name)


def list_members(file: File, kind: ContentKind, accepted: FileFilter) -> list[str]:
    with _open_archive(file) as raw:
        paths = [path for path, _, _ in _list_archive(kind, file, raw)]
    return [path for path in paths if accepted.accepts(path) and not _is_hidden(path)]


@contextmanager
def _open_archive(file: File) -> Iterator[BinaryIO]:
    with open_file(file) as raw, _archive_errors(file.name):
        yield raw


def _list_archive(
    kind: ContentKind, file: File, raw: BinaryIO
) -> Iterator[tuple[str, int, _CopyMember]]:
    # Path, size and a function that copies, for each regular file.
    return _list_tar(raw) if kind == "tar" else _list_zip(file, raw)


def _list_tar(raw: BinaryIO) -> Iterator[tuple[str, int, _CopyMember]]:
    stream = _open_unpacked(raw)  # tarfile's own unpacking misses a wrong checksum
    recorder = _BlockRecorder(stream)
    with tarfile.open(fileobj=recorder, mode="r|") as archive:  # type: ignore[call-overload]
        for member in archive:
            if member.isreg():
                yield _clean_path(member.name), member.size, _tar_copier(archive, member)
        _check_end(recorder, archive.offset)
    while stream.read(1 << 20):
        pass  # the checksum is verified at the end of the stream


def _tar_copier(archive: tarfile.TarFile, member: tarfile.TarInfo) -> _CopyMember:
    def copy_to(target: BinaryIO) -> None:
        content = archive.extractfile(member)
        assert content is not None  # it is a regular file
        shutil.copyfileobj(content, target)

    return copy_to


class _BlockRecorder:
    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.start = 0
        self.block = b""

    def read(self, size: int) -> bytes:
        self.start += len(self.block)
        self.block = self._stream.read(size)
        return self.block


def _check_end(recorder: _BlockRecorder, offset: int) -> None:
    # tarfile silently takes a damaged header for the end.
    at = offset - recorder.start
    ending = recorder.block[at : at + tarfile.BLOCKSIZE] if at >= 0 else b""
    if ending.count(0) != tarfile.BLOCKSIZE:
        raise tarfile.ReadError("a member's header is damaged, or the end is missing")


def _list_zip(file: File, raw: BinaryIO) -> Iterator[tuple[str, int, _CopyMember]]:
    with zipfile.ZipFile(raw) as archive:
        for member in archive.infolist():
            if member.filename and not member.is_dir():
                copy_to = _zip_copier(archive, member, file)
                yield _clean_path(member.filename), member.file_size, copy_to


def _zip_copier(archive: zipfile.ZipFile, member: zipfile.ZipInfo, file: File) -> _CopyMember:
    def copy_to(target: BinaryIO) -> None:
        if member.flag_bits & 1:
            raise UnreadableFile(
                "protected by a password",
                where=f"{file.name}/{member.filename}",
                hint="unpack the archive first",
            )
        with archive.open(member) as content:
            shutil.copyfileobj(content, target)

    return copy_to


def _member_content(
    path: str, place: str, copy: BinaryIO, report_progress: Callable[[], None]
) -> Content:
    @contextmanager
    def reopen() -> Iterator[BinaryIO]:
        copy.seek(0)
        yield copy

    return Content(path, place, reopen, lambda _: report_progress())


def _clean_path(path: str) -> str:
    # Some tools put ``./`` in front.
    return str(PurePosixPath(path))


def _is_hidden(path: str) -> bool:
    return any(
        part == "__MACOSX" or part.startswith("~$") or (part.startswith(".") and part != "..")
        for part in PurePosixPath(path).parts
    )


def _check_member_name(path: str, place: str) -> None:
    # A name in another encoding arrives as half surrogates.
    try:
        path.encode()
    except UnicodeEncodeError as error:
        raise UnreadableFile(
            "a member whose name is not UTF-8",
            where=f"{place}, {path!r}",
            hint="unpack the archive, and rename the file",
        ) from error


@contextmanager
def _archive_errors(place: str) -> Iterator[None]:
    try:
        yield
    except NotImplementedError as error:
        raise UnreadableFile(
            f"an unsupported compression method ({error})",
            where=place,
            hint="unpack the archive first",
        ) from error
    except (*_BROKEN_ARCHIVE_ERRORS, OSError) as error:
        # An OSError with a number is the system's; without one it is a library's.
        if isinstance(error, OSError) and error.errno is not None:
            raise unreadable_error(place, error) from error
        raise UnreadableFile(
            f"the archive is damaged ({error})", where=place, hint="download or pack it again"
        ) from error


def read_text_contents(
    files: Sequence[File], options: ReadOptions, accepted: FileFilter, hint: str, json: bool = False
) -> Iterator[tuple[Content, str]]:
    for file in files:
        content = file_content(file, options)
        kind = detect_kind(content, options, json=json)
        if kind == "tar" or kind == "zip":
            for member in read_members(file, kind, options, accepted):
                yield member, member.name
        elif kind == "text":
            yield content, file.path.absolute().as_posix()
        else:
            raise UnreadableFile(f"not a {accepted.noun}", where=file.name, hint=hint)


# Folders.


def list_files(folder: Path, accepted: FileFilter) -> Sequence[Path]:
    paths: list[Path] = []
    for base, folders, names in os.walk(folder, onerror=_raise_unreadable):
        folders[:] = [name for name in folders if not name.startswith(".") and name != "__MACOSX"]
        visible = [Path(base, name) for name in names if not name.startswith((".", "~$"))]
        paths += [path for path in visible if accepted.accepts(path.absolute().as_posix())]
    if not paths:
        raise accepted.no_match_error(str(folder))
    return sorted(paths)


def _raise_unreadable(error: OSError) -> NoReturn:
    raise unreadable_error(str(error.filename), error) from error


def find_plain_or_gzip(folder: Path, name: str) -> Path | None:
    candidates = (folder / name, folder / f"{name}.gz")
    return next((path for path in candidates if path.is_file()), None)


def missing_file_error(folder: Path, names: Sequence[str]) -> UnreadableFile:
    return UnreadableFile(
        f"a folder without {' or '.join(names)}",
        where=str(folder),
        hint="give the folder that contains it, or the file itself",
    )
