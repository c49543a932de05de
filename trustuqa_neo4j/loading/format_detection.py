"""The format of inputs whose format the user did not give.

The first bytes of a file decide, then its suffix, then the shape of its lines (``fact_columns``); of a folder
the suffixes of its files. Only the beginning of a file is read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from ..errors import (
    DatasetExists,
    TrustUQAError,
    UnknownFormat,
    UnreadableFile,
    UsageError,
    format_list,
)
from ..wording import CallOption
from . import file_signatures
from .addresses import is_address, mask_secrets
from .fact_columns import DelimitedShape, detect_shape, has_condition_triples
from .file_beginning import FileBeginning
from .formats import (
    DETECT_ENCODING,
    DetectedFormat,
    File,
    Loader,
    Remark,
    add_remark,
    check_encoding,
    find_loader,
    get_loader,
    list_loaders,
    suggest_format,
)
from .inputs import STDIN, is_folder
from .rdf_forms import RDF_FORMS, RDF_IRI, detect_rdf_form, plain_suffix

MAX_FILES = 10_000
"""Files of a folder whose suffixes are looked at."""

_MAX_OPENED_FILES = 20
_MAX_NOTED_FILES = 100

_DATABASES = {"sqlite": "SQLite", "duckdb": "DuckDB"}
_UNREAD_SIGNATURES = {
    b"%PDF-": "PDF", b"\x89PNG": "a picture", b"\xff\xd8\xff": "a picture", b"GIF8": "a picture",
}  # fmt: skip
_WORKBOOKS = {
    ".xls": "Excel", ".xlsx": "Excel", ".xlsm": "Excel", ".xlsb": "Excel", ".ods": "OpenDocument",
}  # fmt: skip
_DOCUMENT_SUFFIXES = (".doc", ".docx", ".ppt", ".pptx", ".msg", ".odt", ".odp")
_DOCUMENT_MEMBERS = (b"word/", b"ppt/", b"opendocument.text", b"opendocument.presentation")

_LINE_SUFFIXES = (".jsonl", ".ndjson")
_TAB_SUFFIXES = (".tsv", ".tab")
_DEFINITIONS = "table definitions"

MIXED = "mixed"
"""The format of files of several formats."""

_DEFINITION_SUFFIXES = (".ddl", ".sql")
_R2RML_IRI = "http://www.w3.org/ns/r2rml#"
_MARKUP_START = re.compile(r"<(\?xml|!doctype|html|table)", re.IGNORECASE)
_MARKUP_SUFFIXES = (".xml", ".html", ".htm", ".xhtml")
_JSON_START = re.compile(r'\{\s*["}]|\[\s*[\[{"\]]|[{\[]\s*$')
_JSON_OBJECT = re.compile(r'(?:\[\s*)*\{\s*(?:"(?:[^"\\\n]|\\.)*"\s*:|\}\s*[,\]]*\s*$)')
_JSON_LINE = re.compile(r"\{.*\}[ \t]*\r?\n\s*\{")
_CONTROL_CHARACTERS = re.compile(r"[\x01-\x08\x0e-\x19\x1c-\x1f]")

ErrorT = TypeVar("ErrorT", bound=TrustUQAError)

_NEO4J_SCHEMES = ("bolt", "neo4j")
_OTHER_SCHEMES = ("http", "https", "ftp", "file", "s3", "gs", "az")
_DELIMITER_NAMES = {
    "\t": "tab", ",": "comma", ";": "semicolon", "|": "vertical bar", " ": "blanks",
}  # fmt: skip


# From the words of a call to a loader.


def find_format(word: str, is_last: bool) -> Loader | None:
    """The loader that the first word of a load names; None: it is a path.

    A word that is both a format and a file is the file if it is the last word.

    Raises:
        UnknownFormat: it is neither a format nor like a path.
    """
    loader = find_loader(word)
    if loader is not None:
        return None if is_last and _exists(word) else loader
    if word == STDIN or not {"/", os.sep, "."}.isdisjoint(word) or _exists(word):
        return None
    if not is_last:
        return get_loader(word)
    what = f"{word!r} is neither a file nor a format"
    raise UnknownFormat(what, hint=f"check the path; {suggest_format(word)}")


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return True  # the reader reports what is wrong with it


def detect_formats(
    sources: Sequence[str | File], encoding: str = DETECT_ENCODING
) -> list[DetectedFormat]:
    """The format of each path, address or file by itself.

    Raises:
        UnknownFormat, MissingFile, UnreadableFile, UsageError
    """
    check_encoding(encoding)
    detector = _Detector(encoding)
    return [detector.detect(source) for source in sources]


def choose_loader(
    detected: Sequence[DetectedFormat], prefers_tables: bool = False
) -> tuple[Loader, tuple[DetectedFormat, ...]]:
    """The loader that reads all of the inputs together, and each of them in its format.

    With ``prefers_tables`` an input that may be a table is one.

    Files of several formats are loaded together if each can be read by itself.

    Raises:
        UsageError: they have different formats, and cannot.
    """
    if prefers_tables:
        detected = [
            replace(
                source,
                format="table",
                description="delimited text",
                alternative=source.format,
            )
            if source.alternative == "table"
            else source
            for source in detected
        ]
    chosen = _choose_format(detected)
    if chosen == MIXED:
        return get_loader(chosen), tuple(detected)
    return get_loader(chosen), tuple(
        source if source.format == chosen else replace(source, format=chosen, alternative="")
        for source in detected
    )


def _choose_format(detected: Sequence[DetectedFormat]) -> str:
    formats = {source.format for source in detected}
    if len(formats) == 1:
        return formats.pop()
    options = [{source.format, source.alternative} for source in detected]
    is_definition = [source.description == _DEFINITIONS for source in detected]
    if "r2rml" in formats and all(
        option & {"r2rml", *get_loader("r2rml").companions} for option in options
    ):
        return "r2rml"
    if any(is_definition) and all(
        "table" in option or is_defining
        for option, is_defining in zip(options, is_definition, strict=True)
    ):
        return "sql"
    # Lines that may be facts are facts beside others that surely are.
    graphs = formats - {"table"}
    if len(graphs) == 1 and all(graphs <= option for option in options):
        return graphs.pop()
    if all(map(_is_read_alone, detected)):
        return MIXED
    raise make_mixture_error(detected)


def _is_read_alone(source: DetectedFormat) -> bool:
    # The loader of a folder, an address or a definition knows what belongs to it.
    if is_address(source.file) or is_folder(source.file) or source.description == _DEFINITIONS:
        return False
    return source.format in (get_loader(MIXED).reads or ())


def make_mixture_error(detected: Sequence[DetectedFormat]) -> UsageError:
    by_format: dict[str, list[str]] = {}
    for source in detected:
        by_format.setdefault(source.format, []).append(source.file)
    where = "; ".join(
        f"{format_name}: {format_list(files, 3)}" for format_name, files in by_format.items()
    )
    return UsageError(
        "inputs of different formats",
        where=where,
        hint=f"load the inputs of each format by themselves into one {CallOption.DATASET}, from the second "
        f"on with {CallOption.APPEND}; or give one format for all of them",
    )


# One file, folder or address.


class _Detector:
    def __init__(self, encoding: str) -> None:
        self._encoding = encoding
        self._owners = {
            suffix: loader.name
            for loader in list_loaders().values()
            if not loader.benchmark
            for suffix in loader.suffixes
        }

    def detect(self, source: str | File) -> DetectedFormat:
        if isinstance(source, File):
            return self._detect_file(source)
        if is_address(source):
            return _detect_address(source)
        return self._detect_folder(source) if is_folder(source) else self._detect_path(source)

    def _detect_path(self, path: str) -> DetectedFormat:
        return self._detect_file(File(Path(path), path))

    def _detect_file(self, file: File) -> DetectedFormat:
        if file.address is not None:
            return _detect_address(file.address)
        return self._read_beginning(file).detect()

    def detect_content(self, file: File) -> DetectedFormat | None:
        # The format that the content alone shows beyond doubt, whatever the name of the file.
        return None if file.address is not None else self._read_beginning(file).detect_content()

    def _read_beginning(self, file: File) -> _BeginningOfFile:
        return _BeginningOfFile(file.name, FileBeginning.read(file), self._encoding, self._owners)

    def _detect_folder(self, path: str) -> DetectedFormat:
        for loader in list_loaders().values():
            if loader.is_folder is not None and loader.is_folder(Path(path)):
                return DetectedFormat(path, loader.name, "folder")
        by_format: dict[str, list[str]] = {}
        has_definitions = False
        for name in _list_files(path):
            suffix = plain_suffix(name)
            owner = self._owners.get(suffix)
            if owner is not None:
                by_format.setdefault(owner, []).append(name)
                has_definitions |= suffix in _DEFINITION_SUFFIXES
        description = _describe_folder(sum(map(len, by_format.values())))
        mappings = [*by_format.get("rdf", ()), *by_format.get("r2rml", ())][:_MAX_OPENED_FILES]
        if any(self._detect_path(name).format == "r2rml" for name in mappings):
            return DetectedFormat(path, "r2rml", description)
        if has_definitions and by_format.keys() <= {"sql", "table"}:
            return DetectedFormat(path, "sql", description)
        if len(by_format) == 1 and "sql" not in by_format:
            self._check_tables(path, by_format.get("table", []))
            (format_name,) = by_format
            return DetectedFormat(path, format_name, description)
        raise _folder_error(path, by_format)

    def _check_tables(self, path: str, names: Sequence[str]) -> None:
        # Lines of facts are read from files, not from folders.
        formats = {self._detect_path(name).format for name in names[:_MAX_OPENED_FILES]}
        if formats and formats <= {"kg", "temporal-kg"}:
            format_name = min(formats)
            raise UsageError(
                f"a folder of {format_name} files",
                where=path,
                hint=f"give the files: tuqa-load {format_name} {names[0]} … --dataset NAME; "
                f"or load them as tables: tuqa-load table {path}",
            )


def _detect_address(address: str) -> DetectedFormat:
    name = mask_secrets(address)
    scheme = address.partition("://")[0].lower()
    if scheme.partition("+")[0] in _NEO4J_SCHEMES:
        return DetectedFormat(name, "neo4j", "address of a Neo4j server")
    if scheme in _OTHER_SCHEMES:
        raise UnknownFormat(
            f"{scheme}:// is not an address of a database",
            where=name,
            hint="download the file and load it; databases have bolt://, neo4j://, postgresql:// …",
        )
    return DetectedFormat(name, "sql", "address of a database")


def _list_files(folder: str) -> Iterator[str]:
    # About MAX_FILES at most, without hidden ones.
    count = 0
    for base, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__MACOSX")))
        visible = [name for name in names if not name.startswith((".", "~$"))]
        yield from (str(Path(base, name)) for name in sorted(visible))
        count += len(visible)
        if count > MAX_FILES:
            return


def _describe_folder(count: int) -> str:
    return "folder of 1 file" if count == 1 else f"folder of {count:,} files"


def _folder_error(path: str, by_format: Mapping[str, Sequence[str]]) -> TrustUQAError:
    if not by_format:
        return UnreadableFile(
            "no file of a known format in this folder",
            where=path,
            hint=f"give the files, with their format before them; {_list_formats()}",
        )
    counts = ", ".join(f"{len(names):,} {name}" for name, names in by_format.items())
    first = max(by_format, key=lambda name: len(by_format[name]))
    return UsageError(
        f"a folder whose files are of several databases or formats ({counts})",
        where=path,
        hint=f"give the files of one format, or the format: tuqa-load {first} {path}",
    )


class _BeginningOfFile:
    def __init__(
        self, name: str, beginning: FileBeginning, encoding: str, owners: Mapping[str, str]
    ) -> None:
        self.name = name
        self.content = beginning.content
        self._beginning = beginning
        self._encoding = encoding
        self._suffix = plain_suffix(name)
        self._owner = owners.get(self._suffix)

    def detect(self) -> DetectedFormat:
        return self._detect_binary() or self._detect_text(self._decode_text())

    def detect_content(self) -> DetectedFormat | None:
        binary = self._detect_binary()
        if binary is not None:
            return binary
        text = self._beginning.decode(self._encoding)
        form = detect_rdf_form(text)
        if form == ".jsonld":
            return self._is("rdf", RDF_FORMS[form], "json")
        if form is not None:
            return self._describe_rdf(text, form)
        return self._describe_json(text) if _JSON_OBJECT.match(text.lstrip()) else None

    def _is(
        self, format_name: str, description: str, alternative: str = "", is_sure: bool = True
    ) -> DetectedFormat:
        is_sure = is_sure and not alternative
        return DetectedFormat(self.name, format_name, description, alternative, is_sure)

    def _detect_binary(self) -> DetectedFormat | None:
        content = self.content
        for signature, noun in _UNREAD_SIGNATURES.items():
            if content.startswith(signature):
                raise self._no_data_error(noun)
        kind = file_signatures.detect_database(content)
        if kind is not None:
            database = _DATABASES[kind]
            if self._beginning.is_packed:
                hint = "unpack it with gunzip, and load the file in it"
                raise UnreadableFile(f"a packed {database} file", where=self.name, hint=hint)
            return self._is("sql", database)
        if content.startswith(file_signatures.PARQUET):
            return self._is("table", "Parquet")
        if content.startswith((file_signatures.OLE, *file_signatures.ZIP)):
            return self._detect_archive()
        is_packed = content.startswith((file_signatures.BZIP2, file_signatures.XZ))
        if is_packed or file_signatures.is_tar(content):
            return self._is("table", "archive of tables")
        return None

    def _detect_archive(self) -> DetectedFormat:
        is_document = self._suffix in _DOCUMENT_SUFFIXES or any(
            member in self.content for member in _DOCUMENT_MEMBERS
        )
        if is_document and self._suffix not in _WORKBOOKS:
            raise self._no_data_error("a text document")
        if b"opendocument.spreadsheet" in self.content or self._suffix == ".ods":
            return self._is("table", "OpenDocument workbook")
        if self.content.startswith(file_signatures.OLE) or self._suffix in _WORKBOOKS:
            return self._is("table", "Excel workbook")
        if b"xl/" in self.content or b"[Content_Types].xml" in self.content:
            return self._is("table", "Excel workbook")
        return self._is("table", "archive of tables")

    def _decode_text(self) -> str:
        text = self._beginning.decode(self._encoding)
        if "\0" in text or len(_CONTROL_CHARACTERS.findall(text)) > len(text) / 100:
            raise UnreadableFile(
                "neither text nor a known kind of file",
                where=self.name,
                hint=f"text needs its encoding with {CallOption.ENCODING}; {_list_formats()}",
            )
        return text

    def _detect_text(self, text: str) -> DetectedFormat:
        start = text.lstrip()
        owner = self._owner
        if owner in ("rdf", "r2rml") and (self._suffix != ".xml" or RDF_IRI in text):
            return self._describe_rdf(text, self._suffix)
        if owner == "sql":
            return self._detect_definitions()
        if owner == "json" or _JSON_START.match(start):
            return self._describe_json(text)
        if owner not in (None, "table", "rdf"):
            return self._is(str(owner), f"suffix {self._suffix}")
        form = detect_rdf_form(text)
        if form is not None:
            if _R2RML_IRI in text:
                raise UnknownFormat(
                    "an R2RML mapping in a file whose name does not say so",
                    where=self.name,
                    hint="give it the suffix .ttl or .r2rml",
                )
            return self._describe_rdf(text, form)
        if _MARKUP_START.match(start) or self._suffix in _MARKUP_SUFFIXES:
            hint = "open it in a spreadsheet program, and save it as XLSX or CSV"
            raise UnreadableFile("HTML or XML, which is not read", where=self.name, hint=hint)
        return self._detect_lines(text)

    def _describe_rdf(self, text: str, suffix: str) -> DetectedFormat:
        if _R2RML_IRI in text:
            return self._is("r2rml", "R2RML mapping")
        return self._is("rdf", RDF_FORMS.get(suffix, "RDF"))

    def _describe_json(self, text: str) -> DetectedFormat:
        has_lines = self._suffix in _LINE_SUFFIXES or _JSON_LINE.match(text.lstrip()) is not None
        return self._is("json", "JSON lines" if has_lines else "JSON")

    def _detect_definitions(self) -> DetectedFormat:
        if self._suffix in _DEFINITION_SUFFIXES:
            return self._is("sql", _DEFINITIONS)
        raise UnreadableFile(
            "the file does not begin like SQLite or DuckDB",
            where=self.name,
            hint="give a database file, or its tables as CSV files",
        )

    def _detect_lines(self, text: str) -> DetectedFormat:
        if has_condition_triples(text):
            return self._is("kg", "condition triples")
        shape = detect_shape(text, self._beginning.is_complete, self._suffix in _TAB_SUFFIXES)
        if shape is None:
            raise UnreadableFile("only blank lines", where=self.name, hint="give a file with facts")
        if self._owner != "table" and not _is_delimited(shape, text):
            raise UnknownFormat(
                "neither its name nor its lines show the format",
                where=self.name,
                hint=f"give the format: tuqa-load FORMAT {self.name}; {_list_formats()}",
            )
        delimiter = _DELIMITER_NAMES.get(shape.delimiter, "")
        if shape.format != "table":
            return self._is(shape.format, f"{shape.columns}; {delimiter}", shape.alternative)
        text_kind = "TSV" if shape.delimiter == "\t" else "CSV"
        count = f"{shape.width:,} columns" if shape.width != 1 else "1 column"
        is_sure = _is_delimited(shape, text)
        if shape.share < 1 and not is_sure:
            count = ""  # that of title lines
        description = ", ".join(filter(None, (text_kind, delimiter, count)))
        return self._is("table", description, shape.alternative, is_sure)

    def _no_data_error(self, noun: str) -> UnreadableFile:
        return UnreadableFile(f"{noun}, which is not read", where=self.name, hint=_list_formats())


def _is_delimited(shape: DelimitedShape, text: str) -> bool:
    # Prose and queries have commas too, with a blank after them.
    is_prose = shape.delimiter == "," and shape.records < 3 and ", " in text
    return shape.width > 1 and shape.share >= 0.9 and shape.records > 1 and not is_prose


def _list_formats() -> str:
    names = [loader.name for loader in list_loaders().values() if not loader.benchmark]
    return f"formats are {', '.join(names)} (`tuqa-load --list`)"


# A format that the user gave.


def check_formats(loader: Loader, files: Sequence[File], encoding: str) -> None:
    """Check that no file is of a format that ``loader`` does not read, if its content is beyond doubt.

    Raises:
        UnreadableFile: a file is of another format; the hint has the command for it. MissingFile
    """
    if loader.reads is None:
        return
    detector = _Detector(encoding)
    by_file = {file: detector.detect_content(file) for file in files}
    readable = _readable_formats(loader, list(by_file.values()))
    for file, detected in by_file.items():
        if detected is not None and not readable & {detected.format, detected.alternative}:
            raise UnreadableFile(
                f"its content is {detected.format} ({detected.description}), which "
                f"{loader.name} does not read",
                where=file.name,
                hint=detected.command(detected.format),
            )


def add_format_hint(error: ErrorT, loader: Loader, files: Sequence[File], encoding: str) -> ErrorT:
    # ``error`` of a load, with the right format in its hint if ``loader`` may be the wrong one.
    for file in files:
        # An existing dataset is not a place in a file: the first file stands for all.
        if isinstance(error, DatasetExists) or _is_place_in(error.where, file.name):
            right = _detect_other_format(loader, file, files, encoding)
            if right is None:
                return error
            looks = "looks like" if right.is_sure else "may be"
            looks = f"it {looks} {right.format} ({right.description})"
            hint = f"{looks}: {right.command(right.format)}; {error.hint}"
            return type(error)(error.what, where=error.where, hint=hint)
    return error


def note_tables(
    loader: Loader, files: Sequence[File], encoding: str, remarks: dict[str, Remark]
) -> None:
    # A table of three columns can be read as facts without an error. A benchmark has files of other forms.
    if loader.kind == "table" or loader.benchmark:
        return
    # Thousands of files are of one form, and each detection takes more than a millisecond.
    for file in files[:_MAX_NOTED_FILES]:
        right = _detect_other_format(loader, file, files, encoding)
        if right is not None and right.format == "table" and right.is_sure:
            what = f"read as facts, but it looks like a table ({right.description})"
            add_remark(remarks, what, file.name)


def _detect_other_format(
    loader: Loader, file: File, files: Sequence[File], encoding: str
) -> DetectedFormat | None:
    # The format of ``file`` if it is another one; None if ``loader`` may be right, or in doubt.
    if loader.reads is None:
        return None
    try:
        (detected,) = detect_formats([file], encoding)
        companions = detect_formats(files, encoding) if loader.companions else [detected]
    except TrustUQAError:
        return None
    readable = _readable_formats(loader, companions)
    if readable & {detected.format, detected.alternative}:
        return None
    return detected if detected.is_sure or detected.alternative else None


def _readable_formats(loader: Loader, files: Sequence[DetectedFormat | None]) -> frozenset[str]:
    # The formats of files that ``loader`` reads: companions only beside a file of its own.
    has_own = any(file is not None and file.format == loader.name for file in files)
    companions = loader.companions if has_own else frozenset()
    return companions | {loader.name} | (loader.reads or frozenset())


def _is_place_in(where: str, name: str) -> bool:
    return where == name or where.startswith((f"{name}:", f"{name},", f"{name}#"))
