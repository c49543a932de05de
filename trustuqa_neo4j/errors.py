"""Everything this package raises, under one root.

::

    TrustUQAError
    ├── UsageError                the call itself is wrong                exit code 2
    │   ├── NotBuilt                  foreseen, not in this version
    │   ├── MissingFile
    │   ├── MissingExtra              an optional package is not installed
    │   ├── BadSettings               tuqa.toml or an environment variable
    │   ├── EmbedderFailed            the embedding model cannot be opened or used
    │   ├── ForbiddenByPrivacy        what was asked for may not leave the machine
    │   └── UnknownFormat
    ├── DataError                 files, datasets or loads                exit code 1
    │   ├── UnreadableFile
    │   ├── UnreadableDatabase        one to be read from, not Neo4j itself
    │   ├── MalformedLine
    │   ├── UnknownDataset
    │   ├── UnknownSource
    │   ├── IncompleteDataset         its load has not finished
    │   ├── DatasetExists
    │   ├── LoadRunning               another process is loading it
    │   ├── LoadTakenOver             another load of the same dataset went on
    │   ├── OtherEmbedder             the database holds vectors of another model
    │   └── CacheUnusable             the file of cached replies
    ├── AskingError               a question cannot be asked so           exit code 1
    │   ├── LimitReached              calls or tokens, of a question or a run
    │   └── PromptTooLong             for the model
    ├── ModelError                the language model cannot be used       exit code 3
    │   ├── ModelUnreachable
    │   ├── ModelTimedOut
    │   ├── ModelKeyRefused
    │   ├── UnknownModel
    │   ├── ModelBusy                 too many requests, or the quota is used up
    │   ├── ModelRefused              it does not take the request
    │   ├── ModelFailed               a fault of the server, or of the model's client
    │   └── UnusableReply             no JSON, no text, too long
    ├── Cancelled                 the caller ended a question             exit code 1
    └── DatabaseError             the database cannot be used             exit code 3
        ├── Unreachable
        ├── AuthenticationFailed
        ├── UnknownDatabase
        ├── ServerTooOld
        ├── SchemaTooNew              written by a newer version of this package
        ├── SchemaTooOld              written by a version whose data must be loaded again
        ├── ReadOnlyServer
        ├── TimedOut
        ├── StatementFailed           the server refused a statement: a fault of ours
        └── EmbeddedError         the embedded server
            ├── JavaNotFound
            ├── DownloadFailed
            ├── ChecksumMismatch
            ├── HomeNotUsable
            ├── DiskFull
            ├── PortTaken
            ├── ServerDidNotStart
            └── ServerDidNotStop

What a *query* does wrong is no exception but an outcome with problems (``answer.Answer``). Each error
says what is wrong, where, and what to try, and prints as ``kind: what, where, what to try``; the
alternative, a bare message, left the last of the three out too often.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar


class TrustUQAError(Exception):
    """Root of all errors: ``what`` is wrong, ``where``, and a ``hint`` at what to try."""

    exit_code: ClassVar[int] = 1

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        self.what = what
        self.where = where
        self.hint = hint
        super().__init__(what, where, hint)

    def __reduce__(self) -> tuple[object, ...]:
        """Errors cross process borders and are copied; exceptions with keywords need help for that."""
        return _again, (type(self), self.what, self.where, self.hint)

    @property
    def kind(self) -> str:
        """The class name as words: ``UnknownDataset`` is ``unknown dataset``."""
        words = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]*", type(self).__name__)
        return " ".join(word if word.isupper() else word.lower() for word in words)

    def __str__(self) -> str:
        parts = [self.what, self.where, self.hint]
        return f"{self.kind}: " + ", ".join(part for part in parts if part)


def _again(kind: type[TrustUQAError], what: str, where: str, hint: str) -> TrustUQAError:
    return kind(what, where=where, hint=hint)


class UsageError(TrustUQAError):
    """The call itself is wrong."""

    exit_code = 2


class NotBuilt(UsageError):
    """Foreseen, but not in this version."""


class MissingFile(UsageError):
    """A file that was named is not there."""


class MissingExtra(UsageError):
    """An optional package is needed and not installed."""

    @classmethod
    def of(cls, extra: str, need: str, package: str, instead: str = "") -> MissingExtra:
        """``need`` (as ``RDF needs``) a ``package`` of ``extra``; ``instead``: what else can be done."""
        install = f'try: pip install "trustuqa-neo4j[{extra}]"'
        return cls(
            f"{need} the Python package {package!r}",
            where="which is not installed",
            hint=", ".join(filter(None, (install, instead))),
        )


@contextmanager
def importing(extra: str, need: str, instead: str = "") -> Iterator[None]:
    """Wraps imports; one that fails becomes the error that says how to install ``extra``.

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
    """What was asked for would send what may not leave the machine."""


class UnknownFormat(UsageError):
    """No loader has this name."""


class DataError(TrustUQAError):
    """Files, datasets or loads are at fault."""


class UnreadableFile(DataError):
    """A file is there and cannot be read as what it should be."""


class UnreadableDatabase(DataError):
    """A database that is to be read from cannot be opened, or does not give what it has."""


class MalformedLine(DataError):
    """One line of a file has the wrong form; ``where`` is ``file:line``."""


class UnknownDataset(DataError):
    """No dataset has this name."""


class UnknownSource(DataError):
    """The dataset has no source of this name."""


class IncompleteDataset(DataError):
    """The dataset's load has not finished, so it cannot be asked."""


class DatasetExists(DataError):
    """The dataset is there with other content."""


class LoadRunning(DataError):
    """Another process is loading this dataset."""


class LoadTakenOver(DataError):
    """Another process went on with this load."""


class OtherEmbedder(DataError):
    """The database holds vectors of another model."""


class Cancelled(TrustUQAError):
    """A question that its caller cancelled."""


class CacheUnusable(DataError):
    """The file of cached replies is damaged, locked, or not ours."""


class AskingError(TrustUQAError):
    """A question cannot be asked as it was to be."""


class LimitReached(AskingError):
    """The next call of the model would pass what a question or a run may use."""


class PromptTooLong(AskingError):
    """The prompt is longer than what the model can read."""


class ModelError(TrustUQAError):
    """The language model cannot be used."""

    exit_code = 3


class ModelUnreachable(ModelError):
    """No model answers at the address, or the connection was cut."""


class ModelTimedOut(ModelError):
    """No reply in time."""


class ModelKeyRefused(ModelError):
    """The provider refused the key."""


class UnknownModel(ModelError):
    """The provider has no model of this name, or nothing at this address."""


class ModelBusy(ModelError):
    """Too many requests, or the quota is used up."""


class ModelRefused(ModelError):
    """The provider does not take the request."""


class ModelFailed(ModelError):
    """A fault of the provider's server, or of the package that talks to it."""


class UnusableReply(ModelError):
    """What came is no reply that can be read."""


class DatabaseError(TrustUQAError):
    """The database cannot be used."""

    exit_code = 3


class Unreachable(DatabaseError):
    """No Neo4j answers at the address."""


class AuthenticationFailed(DatabaseError):
    """The server refused user name or password."""


class UnknownDatabase(DatabaseError):
    """The server has no database of this name."""


class ServerTooOld(DatabaseError):
    """The server is older than what this package is tested with."""


class SchemaTooNew(DatabaseError):
    """The database was written by a newer version of this package."""


class SchemaTooOld(DatabaseError):
    """The database was written by a version whose data must be loaded again."""


class ReadOnlyServer(DatabaseError):
    """The server or user may only read."""


class TimedOut(DatabaseError):
    """A transaction took longer than its timeout."""


class StatementFailed(DatabaseError):
    """The server refused a statement for a reason none of the others names."""


class EmbeddedError(DatabaseError):
    """The embedded server cannot be used."""


class JavaNotFound(EmbeddedError):
    """No Java that is new enough."""


class DownloadFailed(EmbeddedError):
    """A jar could not be fetched."""


class ChecksumMismatch(EmbeddedError):
    """A jar that was fetched is not the one that was locked."""


class HomeNotUsable(EmbeddedError):
    """The folder ``TUQA_HOME`` cannot be made or written."""


class DiskFull(EmbeddedError):
    """Not enough disk space."""


class PortTaken(EmbeddedError):
    """A port that was asked for is in use."""


class ServerDidNotStart(EmbeddedError):
    """The server process ended or stayed silent."""


class ServerDidNotStop(EmbeddedError):
    """The server process did not end in time."""
