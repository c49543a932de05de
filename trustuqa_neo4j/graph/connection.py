"""Connection: reads and writes in transactions, checks of the server, and the driver's errors as ours.

It runs only the statements of ``cypher/``, by name. A ``read`` is one read transaction with the driver's
retries, and takes a place of the gate.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from threading import Event, get_ident
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast
from uuid import uuid4

import neo4j
from neo4j import exceptions

from ..deadline import TIMEOUT, Deadline, check_cancelled, on_cancel
from ..errors import (
    AuthenticationFailed,
    DatabaseError,
    DataError,
    IncompleteDataset,
    ReadOnlyServer,
    SchemaOutdated,
    SchemaTooNew,
    SchemaTooOld,
    ServerTooOld,
    StatementFailed,
    TimedOut,
    TrustUQAError,
    UnknownDatabase,
    UnknownDataset,
    Unreachable,
    UsageError,
    undo_on_failure,
)
from ..gate import Gate
from ..reads.reader import Reader, Row, StoredModel
from ..settings import Settings
from ..wording import CallOption
from . import migrations
from .disk_space import DiskSpace
from .statements import ADDING, HIDING, PUBLIC, fill_empty_lists, get_statement, is_hiding
from .versions import (
    GRACE,
    SEEN_AGAIN,
    DatasetVersion,
    KnownVersions,
    TransactionVersions,
    VersionChanged,
    list_versions,
    make_replaced_error,
    read_version,
)

if TYPE_CHECKING:
    from typing import LiteralString


# Which addresses, servers and databases will do, and the options of the driver.


OLDEST = (5, 26)

# Notifications are off in each session (they are for people who write Cypher), so that they are off
# with a caller's driver too.
DRIVER_OPTIONS: Mapping[str, Any] = {
    "telemetry_disabled": True,
    "user_agent": "trustuqa-neo4j",
    "connection_timeout": 10.0,
    "max_transaction_retry_time": 15.0,
}

RETRY_READS = 2.0
"""Seconds after which a read is not tried again: three attempts, since somebody waits for the answer."""


def check_address(uri: str | None) -> str:
    # The driver also takes HTTP, but HTTP has no transactions.
    if uri is None or not re.match(r"(bolt|neo4j)(\+s|\+ssc)?://", uri):
        raise _make_address_error(_hide_query(str(uri)))
    return uri


def _make_address_error(where: str, reason: Exception | None = None) -> Unreachable:
    return Unreachable(
        "the address cannot be used" + (f" ({_first_line(reason)})" if reason else ""),
        where=where,
        hint="addresses look like bolt://localhost:7687 or neo4j+s://host",
    )


def _hide_query(uri: str) -> str:
    """An address as it may stand in messages: somebody may have put a password behind the ``?``."""
    return uri.partition("?")[0]


def check_version(agent: str, where: str) -> str:
    # The server's ``agent`` is like ``Neo4j/2026.08.1``.
    product, _, version = agent.partition("/")
    version_numbers = numbers(version)
    if version_numbers and version_numbers < OLDEST:
        raise ServerTooOld(
            f"the server is {product} {version}", where=where, hint="use Neo4j 5.26 or newer"
        )
    return version


def numbers(version: str) -> tuple[int, ...]:
    # Empty where the version does not begin with two numbers.
    match = re.match(r"(\d+)\.(\d+)", version)
    return (int(match[1]), int(match[2])) if match else ()


def check_schema(rows: list[Row], where: str) -> None:
    version = migrations.version(rows)
    if 0 < version < migrations.OLDEST_VERSION:
        raise SchemaTooOld(
            f"the database has schema version {version}, this package needs {migrations.OLDEST_VERSION}",
            where=where,
            hint="load the files again into an empty database: of the embedded server, in another TUQA_HOME",
        )
    if version > migrations.VERSION:
        raise SchemaTooNew(
            f"the database has schema version {version}, this package knows {migrations.VERSION}",
            where=where,
            hint="update trustuqa-neo4j, or use another database",
        )


def check_migrated(rows: list[Row], where: str) -> None:
    if not migrations.is_outdated(rows):
        return
    if rows[0]["migration"] is not None:
        raise SchemaOutdated(
            "the migration of the database has not finished",
            where=where,
            hint="`tuqa neo4j migrate` goes on with it; until then no dataset can be used",
        )
    raise SchemaOutdated(
        f"the database has schema version {migrations.version(rows)}, this package needs "
        f"{migrations.VERSION}",
        where=where,
        hint="`tuqa neo4j migrate` brings its datasets up to date",
    )


def auth(settings: Settings) -> tuple[str, str] | None:
    settings.check_secret("password")
    return None if settings.password is None else (settings.username, settings.password)


# The driver's errors → ours, each with what to try.


_TRY_SERVER = "start a server there, correct NEO4J_URI, or unset it to use the embedded server"

# Server codes (their beginnings) → our error and what to try.
_CODES: tuple[tuple[str, type[DatabaseError], str], ...] = (
    ("Neo.ClientError.Security.Forbidden", ReadOnlyServer, "use an account that may do this"),
    ("Neo.ClientError.Security", AuthenticationFailed, "check NEO4J_USERNAME and NEO4J_PASSWORD"),
    ("Neo.ClientError.Database.DatabaseNotFound", UnknownDatabase, "check NEO4J_DATABASE"),
    (
        "Neo.ClientError.Transaction.TransactionTimedOut",
        TimedOut,
        f"allow more time ({CallOption.TIMEOUT})",
    ),
    (
        "Neo.ClientError.General.ForbiddenOnReadOnlyDatabase",
        ReadOnlyServer,
        "use one that is writable",
    ),
    (
        "Neo.ClientError.General.WriteOnReadOnlyAccessDatabase",
        ReadOnlyServer,
        "use one that is writable",
    ),
    ("Neo.ClientError.Cluster.NotALeader", ReadOnlyServer, "use a neo4j:// address for a cluster"),
    ("Neo.TransientError.General.OutOfMemory", StatementFailed, "give the server more memory"),
    ("Neo.TransientError.General.MemoryPool", StatementFailed, "give the server more memory"),
)


@contextmanager
def translated(where: str) -> Iterator[None]:
    # ``where`` is the server's address.
    try:
        yield
    except TrustUQAError:
        raise
    except exceptions.Neo4jError as error:
        raise _of_server(error, where) from error
    except exceptions.UnsupportedServerProduct as error:
        raise ServerTooOld(
            "the server speaks no protocol of this driver",
            where=where,
            hint="use Neo4j 5.26 or newer",
        ) from error
    except (exceptions.ServiceUnavailable, exceptions.SessionExpired) as error:
        raise Unreachable(_first_line(error), where=where, hint=_TRY_SERVER) from error
    except UnicodeEncodeError as error:
        name = error.object[max(0, error.start - 20) : error.end + 20]
        raise UsageError(
            "a name is not a text: it holds half a character",
            where=repr(name),
            hint="write it in UTF-8",
        ) from error
    except exceptions.ConfigurationError as error:
        raise _make_address_error(where, error) from error
    except exceptions.DriverError as error:
        raise Unreachable(_first_line(error), where=where, hint=_TRY_SERVER) from error
    except ValueError as error:
        # The driver has no class of its own for a name that DNS does not have. Any other ValueError is a
        # fault of the work that was done, which no other address mends.
        if not isinstance(error.__cause__, OSError):
            raise
        raise _make_address_error(where, error) from error


def _of_server(error: exceptions.Neo4jError, where: str) -> DatabaseError:
    code = error.code or ""
    for beginning, kind, hint in _CODES:
        if code.startswith(beginning):
            return kind(_first_line(error.message or code), where=where, hint=hint)
    return StatementFailed(f"{_first_line(error.message or '')} ({code})", where=where)


def _first_line(error: object) -> str:
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0].rstrip(".: ")


T = TypeVar("T")

_METADATA_KEY = "trustuqa"
_TERMINATE_AGAIN = 0.05
"""Seconds after which the server is asked again to terminate a cancelled transaction."""

_LOOK_AGAIN = 0.01
"""Seconds between two looks for a version while the server commits a switch."""


class Encoding(Protocol):
    """The embedding model of a client."""

    def find_identity(self) -> str | None:
        """Return what tells its vectors from those of other models; None if there is no model."""

    def encode(self, texts: Sequence[str]) -> list[list[float]]: ...


# Two processes that prepare a fresh database at once: IF NOT EXISTS looks before the other has committed.
_MADE_MEANWHILE = "Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists"
_NAME_OF_INDEX = "Neo.ClientError.Schema.IndexWithNameAlreadyExists"


@dataclass(frozen=True, slots=True)
class Reply:
    rows: list[Row]
    nodes: int
    relationships: int


class Transaction:
    def __init__(self, transaction: neo4j.ManagedTransaction) -> None:
        self._transaction = transaction

    def run(self, name: str, /, **parameters: Any) -> Reply:
        text = text_of(name, parameters)
        result = self._transaction.run(text, fill_empty_lists(name, parameters))
        return _reply(result)


@dataclass(frozen=True)
class TransactionReader:
    transaction: Transaction
    encoding: Encoding | None
    deadline: Deadline
    versions: TransactionVersions | None = None

    def run(self, name: str, /, **parameters: Any) -> list[Row]:
        self.deadline.left()
        if self.versions is None:
            return self.transaction.run(name, **parameters).rows
        return self._run_for_version(self.versions, name, parameters)

    def _run_for_version(
        self, versions: TransactionVersions, name: str, parameters: dict[str, Any]
    ) -> list[Row]:
        statement = get_statement(name)
        sent = versions.translate(statement.stored, parameters)
        if PUBLIC in statement.parameters:
            sent[PUBLIC] = versions.public
        hidden = versions.hidden
        if hidden and is_hiding(name):
            rows = self.transaction.run(name + HIDING, **sent, **{ADDING: hidden}).rows
        else:
            rows = self.transaction.run(name, **sent).rows
        for dataset, version in list_versions(name, parameters, rows).items():
            versions.learn(dataset, version)
        return rows

    def find_model(self) -> StoredModel | None:
        return self._model

    @cached_property
    def _model(self) -> StoredModel | None:
        if self.encoding is None:
            return None
        models = [row for row in self.run("list_embedding_models") if row["identity"] is not None]
        # The model is opened only if it may be of use.
        identity = self.encoding.find_identity() if models else None
        return next((StoredModel(**row) for row in models if row["identity"] == identity), None)

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        if self.encoding is None or self._model is None:
            return []
        return self.encoding.encode(texts)


class Connection:
    """A synchronous connection. Threads may share it."""

    def __init__(
        self,
        driver: neo4j.Driver,
        database: str | None = None,
        where: str = "",
        *,
        migrates: bool = False,
    ) -> None:
        # ``migrates``: the database may be of an older version.
        self.driver = driver
        self._migrates = migrates
        self._database = database
        self._ready = False
        self._is_lost = False
        self.where = where
        self.vectors: bool = False
        self.filters_vectors: bool = False
        self.disk: DiskSpace | None = None
        self.settings: Settings | None = None
        self.gate: Gate = Gate()
        self._versions = KnownVersions()
        # Behind a routing address the next read may reach another server: it waits for what was written.
        is_routed = isinstance(driver, neo4j.Neo4jDriver)
        self.bookmarks: neo4j.api.BookmarkManager | None = (
            neo4j.GraphDatabase.bookmark_manager() if is_routed else None
        )

    @classmethod
    def open(cls, settings: Settings, *, migrates: bool = False) -> Connection:
        # Refuses a server that is too old or has another schema.
        uri = check_address(settings.uri)
        where = _hide_query(uri)
        disk = DiskSpace.from_settings(settings)
        try:
            driver = neo4j.GraphDatabase.driver(uri, auth=auth(settings), **DRIVER_OPTIONS)
        except (exceptions.DriverError, ValueError) as error:
            # The driver's message quotes the address with what stands behind the "?".
            raise _make_address_error(where) from error
        connection = cls(driver, settings.database, where, migrates=migrates)
        connection.disk = disk
        connection.settings = settings
        with undo_on_failure(driver.close):
            connection.ping()
        return connection

    def close(self) -> None:
        self.driver.close()

    def ping(self) -> str:
        with translated(self.where), self._session("READ") as session:
            try:
                info = self.driver.get_server_info()
            except ValueError as error:
                # Before anything is sent, it can only be the address.
                raise _make_address_error(self.where, error) from error
            version = check_version(info.agent, self.where)
            # Bolt 6 carries vectors as such; from 2026.02 on their index can filter by dataset.
            self.vectors = info.protocol_version >= (6, 0)
            self.filters_vectors = numbers(version) >= (2026, 2)
            rows = session.execute_read(lambda tx: Transaction(tx).run("get_schema_version").rows)
        check_schema(rows, self.where)
        if not self._migrates:
            check_migrated(rows, self.where)
        self._ready = True
        self._is_lost = False
        return version

    def read(
        self,
        work: Callable[[Reader], T],
        timeout: float = TIMEOUT,
        encoding: Encoding | None = None,
        deadline: Deadline | None = None,
    ) -> T:
        """Do ``work`` in one read transaction; the driver may repeat it as a whole.

        ``timeout`` is in seconds and includes the wait for a free place; ``deadline`` is that of a question
        with several reads, and its cancellation ends the statement that runs on the server. ``encoding`` is
        asked only if ``work`` asks for vectors and the database has some.
        """
        self._check()
        deadline = deadline or Deadline(timeout)
        cancelled = deadline.cancelled
        with self.gate.enter(deadline):
            if self._is_lost:
                # One read has tried again and again; each of those that waited meanwhile tries once.
                self.ping()
            remaining = max(deadline.left(), 0.001)
            token = uuid4().hex if cancelled is not None else None

            @neo4j.unit_of_work(
                timeout=remaining, metadata={_METADATA_KEY: token} if token else None
            )
            def in_transaction(transaction: neo4j.ManagedTransaction) -> T:
                reader = TransactionReader(Transaction(transaction), encoding, deadline)
                versions = TransactionVersions(self._versions, partial(_look_up, reader))
                with deadline.applied():
                    try:
                        result = work(replace(reader, versions=versions))
                    except DataError as error:
                        versions.confirm()  # what it met may be gone since a load took its place
                        # While a switch is committed, its changes are not visible at one moment.
                        if isinstance(error, UnknownDataset | IncompleteDataset) and any(
                            row["age"] is not None for row in _find_switches(reader)
                        ):
                            raise VersionChanged from error
                        raise
                    versions.confirm()
                return result

            try:
                with (
                    self._terminated_at_cancel(token, cancelled),
                    translated(self.where),
                    self._session("READ", max_transaction_retry_time=RETRY_READS) as session,
                ):
                    return _repeat_for_version(partial(session.execute_read, in_transaction))
            except DatabaseError as error:
                self._is_lost = isinstance(error, Unreachable)
                check_cancelled(cancelled)
                raise

    @contextmanager
    def _terminated_at_cancel(self, token: str | None, cancelled: Event | None) -> Iterator[None]:
        ended, reading_thread = Event(), get_ident()

        def terminate() -> None:
            if get_ident() == reading_thread:
                return  # nothing was sent yet: the reader refuses the first statement
            # The transaction may begin just now, so the server is asked until the read has ended.
            while not ended.is_set():
                with translated(self.where), self._session("READ") as session:
                    session.run(
                        text_of("terminate_transaction", {"token": token}), token=token
                    ).consume()
                ended.wait(_TERMINATE_AGAIN)

        def terminate_if_reachable() -> None:
            # A server that is gone runs nothing.
            with suppress(Unreachable):
                terminate()

        try:
            with on_cancel(cancelled, terminate_if_reachable):
                yield
        finally:
            ended.set()

    def read_one(self, name: str, /, **parameters: Any) -> list[Row]:
        """Run one reading statement as it is: names of datasets are stored names where it asks for them."""
        return self.read(lambda reader: _read_stored(reader).run(name, **parameters))

    def find_version(self, dataset: str) -> DatasetVersion:
        """The version of a dataset that readers see; for a dataset that does not exist, an empty one."""
        version = self.read(lambda reader: _look_up(_read_stored(reader), dataset))
        self._versions.set(dataset, version)
        return version or DatasetVersion(dataset)

    def stream(
        self, name: str, take: Callable[[Iterator[list[Any]]], T], /, **parameters: Any
    ) -> T:
        # Pass the rows of one reading statement to ``take`` as they come. Neither side holds all
        # rows, so there may be any number of them, and no timeout. After a lost connection ``take``
        # is called again from the first row on.
        @neo4j.unit_of_work(timeout=0)
        def work(transaction: neo4j.ManagedTransaction) -> T:
            result = transaction.run(text_of(name, parameters), parameters)
            return take(record.values() for record in result)

        self._check()
        with translated(self.where), self._session("READ") as session:
            return session.execute_read(work)

    @contextmanager
    def iterate(self, name: str, /, **parameters: Any) -> Iterator[Iterator[list[Any]]]:
        # The rows of one reading statement, in a transaction that lasts as long as the block. As
        # ``stream``, but a lost connection is an error.
        self._check()
        with (
            translated(self.where),
            self._session("READ") as session,
            session.begin_transaction(timeout=0) as transaction,
        ):
            result = transaction.run(text_of(name, parameters), parameters)
            yield (record.values() for record in result)

    def write(self, work: Callable[[Transaction], T], timeout: float | None = None) -> T:
        # The driver may repeat ``work`` as a whole.
        @neo4j.unit_of_work(timeout=timeout)
        def in_transaction(transaction: neo4j.ManagedTransaction) -> T:
            return work(Transaction(transaction))

        self._check()
        with translated(self.where), self._session("WRITE") as session:
            return session.execute_write(in_transaction)

    def write_one(self, name: str, /, **parameters: Any) -> list[Row]:
        """Run one writing statement."""
        return self.write(lambda tx: tx.run(name, **parameters).rows)

    def run_alone(self, name: str, /, **parameters: Any) -> Reply:
        # For statements that make transactions of their own (``IN TRANSACTIONS``).
        self._check()
        with translated(self.where), self._session("WRITE") as session:
            return _reply(session.run(text_of(name, parameters), parameters))

    def prepare(self) -> None:
        # Waits until constraints and indexes are online.
        if not migrations.list_pending(self.read_schema_version()):
            return
        with self.locked_schema():
            rows = self.read_schema_version()
            check_migrated(rows, self.where)
            if migrations.list_pending(rows):
                self.define_schema([*migrations.constraint_names(), *migrations.index_names()])
                self.finish_schema()

    def read_schema_version(self) -> list[Row]:
        return self.write_one("get_schema_version")

    def define_schema(self, names: Sequence[str]) -> None:
        for name in names:
            self.define(name)
        indexes = {*migrations.index_names()}
        self.await_indexes([name for name in names if name in indexes])

    def finish_schema(self) -> None:
        for name in migrations.OUTDATED_INDEXES:
            self.define("drop_index", index=name)
        version = migrations.VERSION
        self.write_one("set_schema_version", version=version)

    @contextmanager
    def locked_schema(self) -> Iterator[None]:
        # Two processes that make constraints at once collide, and one that waits for its indexes holds up
        # the constraints of the other.
        self.write_one("create_schema_lock")
        with (
            translated(self.where),
            self._session("WRITE") as session,
            session.begin_transaction(timeout=0) as transaction,
        ):
            transaction.run(text_of("lock_schema", {})).consume()
            yield
            transaction.commit()

    def await_indexes(self, names: Iterable[str]) -> None:
        # By name: a wait for all indexes locks them, and other programs can then make no constraint.
        for name in names:
            self.write_one("await_index", index=name)

    def define(self, name: str, **parameters: Any) -> None:
        try:
            self.write_one(name, **parameters)
        except StatementFailed as error:
            cause = error.__cause__
            code = cause.code if isinstance(cause, exceptions.Neo4jError) else None
            if code == _NAME_OF_INDEX:
                # A server that is killed while it makes a constraint leaves the constraint's index behind.
                self.define("drop_index", index=name)
                self.define(name, **parameters)
            elif code != _MADE_MEANWHILE:  # by another process
                raise

    def _session(self, access: str, **options: Any) -> neo4j.Session:
        return self.driver.session(
            database=self._database,
            default_access_mode=access,
            notifications_min_severity="OFF",
            bookmark_manager=self.bookmarks,
            **options,
        )

    def _check(self) -> None:
        if not self._ready:
            self.ping()


def _read_stored(reader: Reader) -> TransactionReader:
    """The reader of the same transaction that takes names of datasets as they are stored."""
    assert isinstance(reader, TransactionReader)
    return replace(reader, versions=None)


def _look_up(reader: TransactionReader, dataset: str) -> DatasetVersion | None:
    """The version of a dataset that readers see; None if there is no such dataset.

    The server changes the names of both versions in one commit, but not at one moment: a statement may find
    neither. Then the version that lost the name is already recorded as one of this dataset.
    """
    end = monotonic() + GRACE
    while True:
        rows = reader.run("get_version", dataset=dataset)
        if rows:
            return read_version(rows[0])
        if monotonic() > end or not _find_switches(reader, dataset):
            return None
        sleep(_LOOK_AGAIN)


def _find_switches(reader: TransactionReader, dataset: str | None = None) -> list[Row]:
    """Find versions that may take the place of others now, not those that had their time long ago."""
    versions = reader.run("list_versions", dataset=dataset)
    return [row for row in versions if row["age"] is None or row["age"] < 1000 * GRACE]


def _repeat_for_version(read: Callable[[], T]) -> T:
    cause: BaseException | None = None
    for _ in range(SEEN_AGAIN):
        try:
            return read()
        except VersionChanged as changed:
            cause = changed.__cause__
    raise cause or make_replaced_error()


def text_of(name: str, parameters: Mapping[str, Any]) -> LiteralString:
    checked = get_statement(name)
    checked.check(parameters)
    return cast("LiteralString", checked.text)  # type: ignore[redundant-cast]  # a file of the package is as literal as it gets


def _reply(result: neo4j.Result) -> Reply:
    # Not `record.data()`: it looks into every list for nodes, which no statement returns.
    rows = [dict(record.items()) for record in result]  # type: ignore[no-untyped-call]
    counters = result.consume().counters
    return Reply(rows, counters.nodes_created, counters.relationships_created)
