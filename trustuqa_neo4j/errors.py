"""Everything this package raises, under one root.

::

    TrustUQAError
    ├── UsageError                the call is wrong                       exit code 2
    │   ├── MissingFile
    │   ├── MissingExtra              an optional package is not installed
    │   ├── BadSettings               tuqa.toml or an environment variable
    │   ├── EmbedderFailed            the embedding model cannot be opened or used
    │   ├── ForbiddenByPrivacy        the data may not leave the machine
    │   └── UnknownFormat
    ├── DataError                 files, datasets or loads                exit code 1
    │   ├── UnreadableFile
    │   ├── UnreadableDatabase        a database to load from
    │   ├── MalformedLine
    │   ├── UnknownDataset
    │   ├── UnknownSource
    │   ├── IncompleteDataset         its load has not finished
    │   ├── DatasetExists
    │   ├── LoadRunning               another process is loading it
    │   ├── LoadTakenOver             another process resumed the load
    │   ├── DatasetReplaced           loaded anew too often while it was asked
    │   ├── OtherEmbedder             the database holds vectors of another model
    │   └── CacheUnusable             the file of cached replies
    ├── AskingError               the question cannot be asked            exit code 1
    │   ├── LimitReached              calls or tokens of a question or a run
    │   ├── QuestionTooLong           for the reader without a model
    │   └── PromptTooLong             for the model
    ├── ModelError                the language model cannot be used       exit code 3
    │   ├── ModelUnreachable
    │   ├── ModelTimedOut
    │   ├── ModelKeyRefused
    │   ├── UnknownModel
    │   ├── ModelBusy                 too many requests, or no quota left
    │   ├── ModelRefused              the provider rejects the request
    │   ├── ModelFailed               a fault of the provider or of its client library
    │   └── UnusableReply             not JSON, no text, or too long
    ├── Cancelled                 the caller cancelled a question         exit code 1
    ├── InternalError             a fault of this package                 exit code 1
    └── DatabaseError             the database cannot be used             exit code 3
        ├── Unreachable
        ├── AuthenticationFailed
        ├── UnknownDatabase
        ├── ServerTooOld
        ├── SchemaTooNew              written by a newer version of this package
        ├── SchemaTooOld              written by a version whose data must be loaded again
        ├── SchemaOutdated            written by an older version, or its migration has not finished
        ├── ReadOnlyServer
        ├── TimedOut
        ├── StatementFailed           the server refused a statement of this package
        └── EmbeddedError         the embedded server
            ├── JavaNotFound
            ├── DownloadFailed
            ├── ChecksumMismatch
            ├── HomeNotUsable
            ├── DiskFull
            ├── PortTaken
            ├── ServerDidNotStart
            └── ServerDidNotStop

A wrong *query* raises no exception: its ``answer.Answer`` lists the problems. Every error says what is wrong,
where, and what to try. The commands print it as two lines: ``error: what, where`` and ``hint: what to try``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, ClassVar, NewType

from .wording import render_options

if TYPE_CHECKING:
    from pydantic import ValidationError

ErrorKind = NewType("ErrorKind", str)
"""The name of an error class in words."""


class TrustUQAError(Exception):
    """Root of all errors: ``what`` is wrong, ``where``, and a ``hint`` what to try."""

    exit_code: ClassVar[int] = 1

    def __init__(self, what: str, where: str = "", hint: str = "") -> None:
        # Not by keyword alone: Python copies an exception by calling its class with ``args``.
        self.what: str = render_options(what)
        self.where: str = render_options(where)
        self.hint: str = render_options(hint)
        super().__init__(self.what, self.where, self.hint)

    @property
    def kind(self) -> ErrorKind:
        """The class name as words: ``UnknownDataset`` is ``unknown dataset``."""
        words = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]*", type(self).__name__)
        return ErrorKind(" ".join(word if word.isupper() else word.lower() for word in words))

    @property
    def summary(self) -> str:
        """Format what is wrong, where, and what to try in one line."""
        return ", ".join(filter(None, (self.what, self.where, self.hint)))

    def __str__(self) -> str:
        message = ", ".join(filter(None, (self.what, self.where)))
        return f"{message}\nhint: {self.hint}" if self.hint else message


class UsageError(TrustUQAError):
    """The call is wrong."""

    exit_code = 2


class MissingFile(UsageError):
    """A file does not exist."""


class MissingExtra(UsageError):
    """An optional package is needed and not installed."""

    @classmethod
    def of(cls, extra: str, need: str, package: str, instead: str = "") -> MissingExtra:
        """The error for a missing ``package`` of ``extra``.

        ``need`` begins the message (``RDF needs``); ``instead`` is another way to go on.
        """
        install = f'pip install "trustuqa-neo4j[{extra}]"'
        return cls(
            f"{need} the Python package {package!r}",
            where="which is not installed",
            hint=", ".join(filter(None, (install, instead))),
        )


def find_root_cause(error: BaseException) -> BaseException:
    """The error that the others were raised from, or while it was handled."""
    while (cause := error.__cause__ or error.__context__) is not None:
        error = cause
    return error


def format_count(count: int, noun: str) -> str:
    """``1 row``, ``2,000 rows``, ``3 classes``."""
    return f"{count:,} {_inflect(noun, count)}"


def _inflect(noun: str, count: int) -> str:
    plural = noun + ("es" if noun.endswith("s") else "s")
    return noun if count == 1 or not noun else plural


def format_list(
    items: Sequence[str], limit: int, *, total: int | None = None, conjunction: str = "and"
) -> str:
    """``a, b, c and 4 more``: at most ``limit`` items, and how many are left out of the ``total``.

    With the conjunction ``or``: ``a or b or c or 4 more``.
    """
    separator = ", " if conjunction == "and" else f" {conjunction} "
    shown = separator.join(items[:limit])
    omitted = (len(items) if total is None else total) - len(items[:limit])
    return f"{shown} {conjunction} {omitted:,} more" if omitted > 0 else shown


def format_rest(total: int, shown: int, noun: str = "", hint: str = "") -> str:
    """``… 4 more rows (--json prints all)``: the line after a list that is cut; empty if it is not."""
    if total <= shown:
        return ""
    count = total - shown
    return " ".join(
        filter(None, (f"… {count:,} more", _inflect(noun, count), hint and f"({hint})"))
    )


@contextmanager
def undo_on_failure(undo: Callable[[], object]) -> Iterator[None]:
    """Call ``undo`` if what stands in the block fails or is interrupted."""
    try:
        yield
    except BaseException:
        undo()
        raise


@contextmanager
def require_extra(extra: str, need: str, instead: str = "") -> Iterator[None]:
    """Wrap imports: a failing import raises the error that tells how to install ``extra``.

    Raises:
        MissingExtra
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        raise MissingExtra.of(extra, need, package, instead) from error


class BadSettings(UsageError):
    """``tuqa.toml`` or an environment variable cannot be used."""


class EmbedderFailed(UsageError):
    """The embedding model cannot be opened or used."""


class ForbiddenByPrivacy(UsageError):
    """The call would send data that may not leave the machine."""


class UnknownFormat(UsageError):
    """No loader has this name, or the content of a file shows no format."""


class DataError(TrustUQAError):
    """A file, a dataset or a load is at fault."""


class UnreadableFile(DataError):
    """A file exists and cannot be read in the expected format."""


class UnreadableDatabase(DataError):
    """A database to load from cannot be opened or read."""


class MalformedLine(DataError):
    """One line of a file has the wrong form; ``where`` is ``file:line``."""


class UnknownDataset(DataError):
    """No dataset has this name."""


class UnknownSource(DataError):
    """The dataset has no source of this name."""


class IncompleteDataset(DataError):
    """The load of the dataset has not finished, so it cannot be queried."""


class DatasetExists(DataError):
    """The dataset exists with other content."""


class LoadRunning(DataError):
    """Another process is loading this dataset."""


class LoadTakenOver(DataError):
    """Another process resumed this load."""


class DatasetReplaced(DataError):
    """A dataset was loaded anew too often while a question was answered."""


class OtherEmbedder(DataError):
    """The database holds vectors of another model."""


class Cancelled(TrustUQAError):
    """The caller cancelled the question."""


class InternalError(TrustUQAError):
    """A command ended with an exception that is none of these errors."""


class CacheUnusable(DataError):
    """The cache file is damaged, locked, or of another program."""


class AskingError(TrustUQAError):
    """A question cannot be asked in this way."""


class LimitReached(AskingError):
    """The next call of the model would exceed a limit of the question or the run."""


class QuestionTooLong(AskingError):
    """The question has too many words and conditions for these data."""


class PromptTooLong(AskingError):
    """The prompt is too long for the model."""


class ModelError(TrustUQAError):
    """The language model cannot be used."""

    exit_code = 3


class ModelUnreachable(ModelError):
    """No model answers at the address, or the connection was cut."""


class ModelTimedOut(ModelError):
    """The model did not reply in time."""


class ModelKeyRefused(ModelError):
    """The provider rejected the key."""


class UnknownModel(ModelError):
    """The provider has no model of this name, or no service at this address."""


class ModelBusy(ModelError):
    """The provider received too many requests, or the quota is used up."""


class ModelRefused(ModelError):
    """The provider rejected the request."""


class ModelFailed(ModelError):
    """The provider's server failed, or the client library for it."""


class UnusableReply(ModelError):
    """The reply of the model cannot be used."""


class DatabaseError(TrustUQAError):
    """The database cannot be used."""

    exit_code = 3


class Unreachable(DatabaseError):
    """No Neo4j answers at the address."""


class AuthenticationFailed(DatabaseError):
    """The server rejected the user name or password."""


class UnknownDatabase(DatabaseError):
    """The server has no database of this name."""


class ServerTooOld(DatabaseError):
    """The server is older than the versions that this package supports."""


class SchemaTooNew(DatabaseError):
    """A newer version of this package wrote the database."""


class SchemaTooOld(DatabaseError):
    """An older version of this package wrote the database; load the data again."""


class SchemaOutdated(DatabaseError):
    """An older version of this package wrote the database; ``tuqa neo4j migrate`` brings it up to date."""


class ReadOnlyServer(DatabaseError):
    """The server or user may only read."""


class TimedOut(DatabaseError):
    """A transaction took longer than its timeout."""


class StatementFailed(DatabaseError):
    """The server refused a statement for another reason than the errors above."""


class EmbeddedError(DatabaseError):
    """The embedded server cannot be used."""


class JavaNotFound(EmbeddedError):
    """There is no Java, or it is too old."""


class DownloadFailed(EmbeddedError):
    """A jar could not be downloaded."""


class ChecksumMismatch(EmbeddedError):
    """The checksum of a downloaded jar is not the one in the lock file."""


class HomeNotUsable(EmbeddedError):
    """The folder ``TUQA_HOME`` cannot be created or written."""


class DiskFull(EmbeddedError):
    """There is not enough disk space."""


class PortTaken(EmbeddedError):
    """The requested port is in use."""


class ServerDidNotStart(EmbeddedError):
    """The server process ended, or did not answer in time."""


class ServerDidNotStop(EmbeddedError):
    """The server process did not end in time."""


def describe_invalid(error: ValidationError) -> tuple[str, str]:
    """The first problem of fields from outside, and its place."""
    first = error.errors()[0]
    return first["msg"], ".".join(map(str, first["loc"]))
