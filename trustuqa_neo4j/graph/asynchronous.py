"""The asynchronous connection: it runs the very programs that the synchronous one runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar, cast

import neo4j

from ..compiling import Program, Read, Request, Row
from ..settings import Settings
from .accepting import DRIVER_OPTIONS, auth, check_address, check_schema, check_version
from .connection import TIMEOUT, Encoding, encoded, text_of
from .translate import translated

T = TypeVar("T")


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
            driver = neo4j.AsyncGraphDatabase.driver(uri, auth=auth(settings), **DRIVER_OPTIONS)
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
                text = text_of("schema_version", {})
                result = await session.run(text)
                found = await result.data()
        check_schema(found, self.where)
        self._ready = True
        return version

    async def read(
        self,
        program: Callable[[], Program[T]],
        timeout: float = TIMEOUT,
        encode: Encoding | None = None,
    ) -> T:
        """As ``Connection.read``; ``encode`` is called in a thread."""

        @neo4j.unit_of_work(timeout=timeout)
        async def work(transaction: neo4j.AsyncManagedTransaction) -> T:
            running = program()
            try:
                request = next(running)
                while True:
                    request = running.send(await reply(transaction, request))
            except StopIteration as end:
                return cast(T, end.value)

        async def reply(transaction: neo4j.AsyncManagedTransaction, request: Request) -> list[Row]:
            if isinstance(request, Read):
                return await rows(transaction, request.statement, dict(request.parameters))
            held = await rows(transaction, "embedder", {}) if encode else []
            return await asyncio.to_thread(encoded, request, held, encode)

        async def rows(
            transaction: neo4j.AsyncManagedTransaction, name: str, parameters: dict[str, Any]
        ) -> list[Row]:
            result = await transaction.run(text_of(name, parameters), parameters)
            return [dict(record.items()) async for record in result]  # type: ignore[no-untyped-call]

        if not self._ready:
            await self.ping()
        with translated(self.where):
            async with self._session() as session:
                return await session.execute_read(work)

    def _session(self) -> neo4j.AsyncSession:
        return self._driver.session(
            database=self._database, default_access_mode="READ", notifications_min_severity="OFF"
        )
