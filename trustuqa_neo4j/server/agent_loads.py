"""Loads of agents that speak over standard input and output: bounded and in turn, as over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..client import TrustUQA
from ..loading.request import LoadReport
from ..mcp.server import ClientChanges
from .loads import Loads
from .options import LOAD_LIMITS, ReadLimits, ServerOptions
from .uploads import Uploads
from .workspace import open_workspace


class BoundedChanges(ClientChanges):
    """Loads files in a process with limits of memory, time and size, one at a time."""

    def __init__(
        self, tuqa: TrustUQA, timeout: float, uploads: Uploads, limits: ReadLimits
    ) -> None:
        super().__init__(tuqa, timeout)
        self.limits = limits
        self._loads = Loads(tuqa, uploads, ServerOptions("", load=limits))

    async def load(self, path: str, *, dataset: str, format: str | None) -> LoadReport:  # noqa: A002
        await self.wait_for_database()
        return await self._loads.load_path(path, dataset=dataset, format=format)


@contextmanager
def open_changes(
    tuqa: TrustUQA, timeout: float, limits: ReadLimits = LOAD_LIMITS
) -> Iterator[BoundedChanges]:
    """Yield what loads for agents; its temporary files go at the end.

    Raises:
        DiskFull
    """
    settings = tuqa.connection.settings
    assert settings is not None, "a client of a command has settings"
    with open_workspace(settings.home / "uploads") as workspace:
        yield BoundedChanges(tuqa, timeout, Uploads(workspace), limits)
