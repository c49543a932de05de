"""A database to read from and write to: the synchronous and the asynchronous connection.

Both run *programs* (``engine.Program``): generators that yield statements and are sent their rows, each
in one read transaction with the driver's retries. Everything sent is a statement of ``cypher/``; there
is no way to run text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

import neo4j

from ..compiling import Program, Read, Row
from ..errors import SchemaTooNew, SchemaTooOld, ServerTooOld, StatementFailed, Unreachable
from ..settings import Settings
from . import schema
from .statements import statement
from .translate import translated

if TYPE_CHECKING:
    from typing_extensions import LiteralString

T = TypeVar("T")

OLDEST = (5, 26)
TIMEOUT = 60.0
"""Seconds that a transaction may take unless the caller says otherwise."""

# Two processes that prepare a fresh database at once: IF NOT EXISTS looks before the other has committed.
_MADE_MEANWHILE = "Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists"

# Notifications are off in each session (they are for people who write Cypher), so that they are off
# with a caller's driver too.
DRIVER_OPTIONS: Mapping[str, Any] = {
    "telemetry_disabled": True,
    "user_agent": "trustuqa-neo4j",
    "connection_timeout": 10.0,
    "max_transaction_retry_time": 15.0,
}


@dataclass(frozen=True, slots=True)
class Reply:
    """Rows of a statement, and how many nodes and relationships it made."""

    rows: list[Row]
    nodes: int
    relationships: int


class Transaction:
    """A transaction in which statements run by name."""

    def __init__(self, transaction: neo4j.ManagedTransaction) -> None:
        self._transaction = transaction

    def run(self, name: str, /, **parameters: Any) -> Reply:
        """Run the statement ``name``."""
        result = self._transaction.run(_text(name, parameters), parameters)
        return _reply(result)


class Connection:
    """A synchronous connection; safe to share between threads, as the driver is."""

    def __init__(self, driver: neo4j.Driver, database: str | None = None, where: str = "") -> None:
        self.driver = driver
        self._database = database
        self._ready = False
        self.where = where
        self.vectors = False
        self.filters_vectors = False

    @classmethod
    def open(cls, settings: Settings) -> Connection:
        """Connect to ``settings.uri``, and see that a server that will do is there.

        Raises:
            Unreachable, AuthenticationFailed, UnknownDatabase, ServerTooOld, SchemaTooNew
        """
        uri = check_address(settings.uri)
        with translated(uri):
            driver = neo4j.GraphDatabase.driver(uri, auth=_auth(settings), **DRIVER_OPTIONS)
        connection = cls(driver, settings.database, uri)
        try:
            connection.ping()
        except BaseException:
            driver.close()
            raise
        return connection

    def close(self) -> None:
        """Close the driver."""
        self.driver.close()

    def ping(self) -> str:
        """The server's version, once it has answered.

        Raises:
            Unreachable, AuthenticationFailed, UnknownDatabase, ServerTooOld, SchemaTooNew
        """
        with translated(self.where), self._session("READ") as session:
            info = self.driver.get_server_info()
            version = check_version(info.agent, self.where)
            # Bolt 6 carries vectors as such; from 2026.02 on their index can filter by dataset.
            self.vectors = info.protocol_version >= (6, 0)
            self.filters_vectors = _numbers(version) >= (2026, 2)
            found = session.execute_read(lambda tx: Transaction(tx).run("schema_version").rows)
        check_schema(found, self.where)
        self._ready = True
        return version

    def read(self, program: Callable[[], Program[T]], timeout: float = TIMEOUT) -> T:
        """Run ``program()`` in one read transaction; retried as a whole, hence the callable."""

        @neo4j.unit_of_work(timeout=timeout)
        def work(transaction: neo4j.ManagedTransaction) -> T:
            running = program()
            try:
                read = next(running)
                while True:
                    read = running.send(
                        Transaction(transaction).run(read.statement, **read.parameters).rows
                    )
            except StopIteration as end:
                return cast(T, end.value)

        self._check()
        with translated(self.where), self._session("READ") as session:
            return session.execute_read(work)

    def read_one(self, name: str, /, **parameters: Any) -> list[Row]:
        """The rows of one reading statement."""

        def program() -> Program[list[Row]]:
            return (yield Read(name, parameters))

        return self.read(program)

    def stream(
        self, name: str, take: Callable[[Iterator[list[Any]]], T], /, **parameters: Any
    ) -> T:
        """What ``take`` makes of the rows of one reading statement, which it is given as they come.

        Neither side ever holds all rows, so there may be any number of them, and no timeout. Where the
        connection was lost, ``take`` is called again from the first row on.
        """

        @neo4j.unit_of_work(timeout=0)
        def work(transaction: neo4j.ManagedTransaction) -> T:
            result = transaction.run(_text(name, parameters), parameters)
            return take(record.values() for record in result)

        self._check()
        with translated(self.where), self._session("READ") as session:
            return session.execute_read(work)

    def write(self, work: Callable[[Transaction], T], timeout: float | None = None) -> T:
        """Run ``work`` in one write transaction; it may be retried as a whole."""

        @neo4j.unit_of_work(timeout=timeout)
        def in_transaction(transaction: neo4j.ManagedTransaction) -> T:
            return work(Transaction(transaction))

        self._check()
        with translated(self.where), self._session("WRITE") as session:
            return session.execute_write(in_transaction)

    def run_alone(self, name: str, /, **parameters: Any) -> Reply:
        """Run a statement that makes transactions of its own (``IN TRANSACTIONS``)."""
        self._check()
        with translated(self.where), self._session("WRITE") as session:
            return _reply(session.run(_text(name, parameters), parameters))

    def prepare(self) -> None:
        """Make or migrate constraints and indexes, and wait until they are online."""
        found = self.write(lambda tx: tx.run("schema_version").rows)
        for migration in schema.pending(found):
            for name in migration.statements:
                self.define(name)
            self.write(lambda tx: tx.run("await_indexes").rows)
            version = migration.version
            self.write(lambda tx, v=version: tx.run("set_schema_version", version=v))  # type: ignore[misc]

    def define(self, name: str, **parameters: Any) -> None:
        """Run a statement that makes a constraint or index, which others may make meanwhile."""
        try:
            self.write(lambda tx: tx.run(name, **parameters).rows)
        except StatementFailed as error:
            cause = error.__cause__
            code = cause.code if isinstance(cause, neo4j.exceptions.Neo4jError) else None
            if code != _MADE_MEANWHILE:
                raise

    def _session(self, access: str) -> neo4j.Session:
        return self.driver.session(
            database=self._database, default_access_mode=access, notifications_min_severity="OFF"
        )

    def _check(self) -> None:
        if not self._ready:
            self.ping()


class AsyncConnection:
    """An asynchronous connection, for programs only; loading is synchronous."""

    def __init__(
        self, driver: neo4j.AsyncDriver, database: str | None = None, where: str = ""
    ) -> None:
        self._driver = driver
        self._database = database
        self._ready = False
        self.where = where

    @classmethod
    def open(cls, settings: Settings) -> AsyncConnection:
        """A connection to ``settings.uri``, made on first use."""
        uri = check_address(settings.uri)
        with translated(uri):
            driver = neo4j.AsyncGraphDatabase.driver(uri, auth=_auth(settings), **DRIVER_OPTIONS)
        return cls(driver, settings.database, uri)

    async def close(self) -> None:
        """Close the driver."""
        await self._driver.close()

    async def ping(self) -> str:
        """As ``Connection.ping``."""
        with translated(self.where):
            info = await self._driver.get_server_info()
            version = check_version(info.agent, self.where)
            async with self._session() as session:
                text = _text("schema_version", {})
                result = await session.run(text)
                found = await result.data()
        check_schema(found, self.where)
        self._ready = True
        return version

    async def read(self, program: Callable[[], Program[T]], timeout: float = TIMEOUT) -> T:
        """As ``Connection.read``."""

        @neo4j.unit_of_work(timeout=timeout)
        async def work(transaction: neo4j.AsyncManagedTransaction) -> T:
            running = program()
            try:
                read = next(running)
                while True:
                    name, parameters = read.statement, read.parameters
                    result = await transaction.run(_text(name, parameters), dict(parameters))
                    read = running.send(await result.data())
            except StopIteration as end:
                return cast(T, end.value)

        if not self._ready:
            await self.ping()
        with translated(self.where):
            async with self._session() as session:
                return await session.execute_read(work)

    def _session(self) -> neo4j.AsyncSession:
        return self._driver.session(
            database=self._database, default_access_mode="READ", notifications_min_severity="OFF"
        )


def check_address(uri: str | None) -> str:
    """``uri``, if it is one of the Bolt protocol; the driver also takes HTTP, without transactions.

    Raises:
        Unreachable
    """
    if uri is None or not re.match(r"(bolt|neo4j)(\+s|\+ssc)?://", uri):
        raise Unreachable(
            "the address cannot be used",
            where=str(uri),
            hint="addresses look like bolt://localhost:7687 or neo4j+s://host",
        )
    return uri


def check_version(agent: str, where: str) -> str:
    """The version in a server's ``agent`` (``Neo4j/2026.08.1``).

    Raises:
        ServerTooOld: it is older than the oldest that this package is tested with.
    """
    product, _, version = agent.partition("/")
    numbers = _numbers(version)
    if numbers and numbers < OLDEST:
        raise ServerTooOld(
            f"the server is {product} {version}", where=where, hint="use Neo4j 5.26 or newer"
        )
    return version


def _numbers(version: str) -> tuple[int, ...]:
    """The first two numbers of a version; none where it does not begin with them."""
    found = re.match(r"(\d+)\.(\d+)", version)
    return (int(found[1]), int(found[2])) if found else ()


def check_schema(found: list[Row], where: str) -> None:
    """See that the database was not written by a newer version of this package, nor by too old a one.

    Raises:
        SchemaTooNew, SchemaTooOld
    """
    version = schema.version(found)
    if 0 < version < schema.OLDEST:
        raise SchemaTooOld(
            f"the database has schema version {version}, this package needs {schema.OLDEST}",
            where=where,
            hint="use an empty database and load the files again (`tuqa neo4j clean` empties the "
            "embedded one)",
        )
    if version > schema.VERSION:
        raise SchemaTooNew(
            f"the database has schema version {version}, this package knows {schema.VERSION}",
            where=where,
            hint="update trustuqa-neo4j, or use another database",
        )


def _auth(settings: Settings) -> tuple[str, str] | None:
    return None if settings.password is None else (settings.username, settings.password)


def _text(name: str, parameters: Mapping[str, Any]) -> LiteralString:
    found = statement(name)
    found.check(parameters)
    return cast("LiteralString", found.text)  # type: ignore[redundant-cast]  # a file of the package is as literal as it gets


def _reply(result: neo4j.Result) -> Reply:
    rows = [record.data() for record in result]
    counters = result.consume().counters
    return Reply(rows, counters.nodes_created, counters.relationships_created)
