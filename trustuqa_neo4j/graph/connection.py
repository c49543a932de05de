"""A database to read from and write to.

It runs *programs* (``compiling.Program``): generators that yield statements and are sent their rows, each
in one read transaction with the driver's retries. Everything sent is a statement of ``cypher/``; there
is no way to run text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import neo4j

from ..compiling import Encode, Program, Read, Request, Row
from ..errors import StatementFailed
from ..settings import Settings
from . import schema
from .accepting import DRIVER_OPTIONS, auth, check_address, check_schema, check_version, numbers
from .statements import statement
from .translate import translated

if TYPE_CHECKING:
    from typing_extensions import LiteralString

T = TypeVar("T")

TIMEOUT = 60.0
"""Seconds that a transaction may take unless the caller says otherwise."""

Encoding: TypeAlias = Callable[[Sequence[str], str], "list[list[float]] | None"]
"""Texts, and the model that embedded the names of the database → their vectors, None where they would be
those of another model."""

# Two processes that prepare a fresh database at once: IF NOT EXISTS looks before the other has committed.
_MADE_MEANWHILE = "Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists"


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
        result = self._transaction.run(text_of(name, parameters), parameters)
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
            driver = neo4j.GraphDatabase.driver(uri, auth=auth(settings), **DRIVER_OPTIONS)
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
            self.filters_vectors = numbers(version) >= (2026, 2)
            found = session.execute_read(lambda tx: Transaction(tx).run("schema_version").rows)
        check_schema(found, self.where)
        self._ready = True
        return version

    def read(
        self,
        program: Callable[[], Program[T]],
        timeout: float = TIMEOUT,
        encode: Encoding | None = None,
    ) -> T:
        """Run ``program()`` in one read transaction; retried as a whole, hence the callable.

        ``encode`` is called only where the program asks for vectors and the database holds some.
        """

        @neo4j.unit_of_work(timeout=timeout)
        def work(transaction: neo4j.ManagedTransaction) -> T:
            running = program()
            try:
                request = next(running)
                while True:
                    request = running.send(reply(Transaction(transaction), request))
            except StopIteration as end:
                return cast(T, end.value)

        def reply(transaction: Transaction, request: Request) -> list[Row]:
            if isinstance(request, Read):
                return transaction.run(request.statement, **request.parameters).rows
            held = transaction.run("embedder").rows if encode else []
            return encoded(request, held, encode)

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
            result = transaction.run(text_of(name, parameters), parameters)
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
            return _reply(session.run(text_of(name, parameters), parameters))

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


def encoded(request: Encode, held: list[Row], encode: Encoding | None) -> list[Row]:
    """The vectors asked for; none where they could not be compared with those of the database."""
    model = held[0]["embedder"] if held else None
    vectors = encode(request.texts, model) if encode and model else None
    return [{"vector": vector} for vector in vectors or ()]


def text_of(name: str, parameters: Mapping[str, Any]) -> LiteralString:
    """The text of a statement, once it is seen that these are its parameters."""
    found = statement(name)
    found.check(parameters)
    return cast("LiteralString", found.text)  # type: ignore[redundant-cast]  # a file of the package is as literal as it gets


def _reply(result: neo4j.Result) -> Reply:
    # Not `record.data()`: it looks into every list for nodes, which no statement returns.
    rows = [dict(record.items()) for record in result]  # type: ignore[no-untyped-call]
    counters = result.consume().counters
    return Reply(rows, counters.nodes_created, counters.relationships_created)
