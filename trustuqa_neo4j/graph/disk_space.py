"""Free space where the embedded server stores its data: a load ends before the disk is full.

Neo4j cannot go on after a write that failed for lack of space, and its log may be damaged then. Space that
is free now is not all there is to take: what the log holds may still have to be written to the store.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..errors import DiskFull
from ..settings import Settings

MB = 1_000_000
RESERVE = 100
"""Megabytes: a large batch in the log, the files that a stop writes, and the next start."""

_FULL = 4 * MB
"""Less space than this is left where a write has failed for lack of it."""


@dataclass(frozen=True, slots=True)
class DiskSpace:
    """The disk with ``folder``, the server's data; ``reserve`` is in bytes."""

    folder: Path
    reserve: int

    @classmethod
    def from_settings(cls, settings: Settings) -> DiskSpace | None:
        """The disk of the embedded server; None for other servers.

        Raises:
            BadSettings: the reserve is not a number.
        """
        if settings.data_folder is None:
            return None
        reserve = settings.read_megabytes("disk_reserve")
        return cls(settings.data_folder, (RESERVE if reserve is None else reserve) * MB)

    def check(self, growth: int = 0) -> None:
        """See that ``growth`` bytes can be stored, and that the server can write its own files.

        Raises:
            DiskFull
        """
        needed = self.reserve + self._count_log_bytes() + growth
        free = self._count_free_bytes()
        if free < needed:
            raise DiskFull(
                f"{free / MB:,.0f} MB are free, and the embedded server needs {needed / MB:,.0f} MB to "
                "go on",
                where=str(self.folder),
                hint="what was complete before is complete; free some space and run the same command "
                "again, or set TUQA_HOME to a folder on another disk",
            )

    def check_server_error(self, error: Exception) -> None:
        """Say that the disk is full if this is why the server failed with ``error``.

        Raises:
            DiskFull
        """
        if self._count_free_bytes() < _FULL:
            raise DiskFull(
                "the disk ran full, and the embedded server cannot go on",
                where=str(self.folder),
                hint="first stop the server: tuqa neo4j stop; then free some space and run the same "
                "command again: what was complete before is complete",
            ) from error

    def _count_free_bytes(self) -> int:
        return shutil.disk_usage(self.folder).free

    def _count_log_bytes(self) -> int:
        total = 0
        for path in (self.folder / "transactions").glob("*/*"):
            with suppress(FileNotFoundError):  # the server removes old logs
                total += path.stat().st_size
        return total
