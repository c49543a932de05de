"""``--bulk``: a whole embedded database made by the import tool, from the same items in the same batches.

Four steps: read into files, import them beside the server's data, exchange the two while the server stands
still, and index. Until the exchange nothing has changed; after it, the dataset is one that can only be
dropped or imported again, until its records are written. From then on the load is like any other and is
gone on with by the same command.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import DatabaseError, EmbeddedError, IncompleteDataset, UsageError
from ..graph import adopting, importing, loads
from ..graph.embedded import EmbeddedServer
from ..graph.embedded.extras import embedded_extra
from ..graph.embedded.jars import check_space
from ..graph.figures import Catalogue
from ..graph.loads import Beginning
from ..graph.unbroken import Interruptions, unbroken
from ..values import ValueOptions
from . import apart
from .load import Interrupted, Job, Work, by_batches

if TYPE_CHECKING:
    from ..graph.collecting import Collector  # with numpy, which only this needs

SPACE = 8
"""Bytes that files, store and indexes take together for each byte of input, at the least."""

_WAIT = 0.5


@dataclass(frozen=True, slots=True)
class Bulk:
    """Loads into the database of ``server``; ``collecting`` makes what the batches are given to."""

    server: EmbeddedServer
    collecting: Callable[[Path, str, ValueOptions], Collector] | None = None

    def __call__(self, job: Job) -> None:
        """Load what ``job`` says.

        Raises:
            UsageError, DataError, DatabaseError
        """
        if self._is_begun(job):
            by_batches(job)
            return
        try:
            with importing.workplace(self.server.home) as folder:
                collector = self._read(job, folder)
                self._import(job, collector)
                self._exchange(job, folder)
        except Interrupted:
            raise
        except KeyboardInterrupt as error:
            raise Interrupted(
                f"interrupted: nothing of {job.request.dataset!r} is stored yet, run the same "
                "command again"
            ) from error
        with job.connecting() as connection:
            adopting.index(connection)
            _Adoption(connection, job, imported=collector.catalogue).run()

    def _is_begun(self, job: Job) -> bool:
        """Whether the dataset is there, to be gone on with or complete; otherwise nothing may be.

        Raises:
            UsageError, DataError, EmbeddedError
        """
        request = job.request
        with job.connecting() as connection:
            if request.dataset not in adopting.held(connection):
                adopting.check_empty(connection)
                self._check_alone()
                return False
            if request.mode != "new":
                raise UsageError(
                    f"--bulk fills an empty database, and {request.dataset!r} is there",
                    where=connection.where,
                    hint=f"give --{request.mode} without --bulk",
                )
            if loads.look(connection, job.wanted(), "new") == "other":
                raise IncompleteDataset(
                    f"an unfinished load of {request.dataset!r} from other content is in the way",
                    where=connection.where,
                    hint="drop it (`tuqa drop`), or load without --bulk",
                )
        return True

    def _check_alone(self) -> None:
        users = importing.others(self.server.home)
        if users:
            raise EmbeddedError(
                "the embedded server is used by another Python client, and --bulk has to stop it",
                where=f"process {', '.join(map(str, users))}",
                hint="close that client, or load without --bulk",
            )

    def _read(self, job: Job, folder: Path) -> Collector:
        """Everything that the files hold, as files of the import tool."""
        with embedded_extra():
            from ..graph.collecting import Collector
        request, report = job.request, job.report
        size = sum(identity.size for identity in job.known.values())
        check_space(folder, SPACE * size)
        collector = (self.collecting or Collector)(folder, request.dataset, request.values)
        read = 0
        batches = apart.batches(request, tuple(job.known), size, job.progress, report)
        with closing(collector), closing(batches):
            for batch in batches:
                collector.add(batch)
                read += batch.read + batch.beside
            collector.finish(request.dataset, request.loader.kind, request.values_text)
        job.check_unchanged()
        report.facts = collector.catalogue.facts
        report.repeated = read - report.facts
        return collector

    def _import(self, job: Job, collector: Collector) -> None:
        size = collector.sheets.size
        job.progress.begin("import", size)
        importing.make_store(
            self.server, collector.sheets, lambda part: job.progress.advance(int(part * size))
        )

    def _exchange(self, job: Job, folder: Path) -> None:
        """Put the new store in place of the empty one, once nobody else uses it."""
        with unbroken() as interruptions:
            self._wait(job, interruptions)
            with job.connecting() as connection:
                adopting.check_empty(connection)
            interruptions.let_through()
            job.progress.begin("index", 0)
            try:
                importing.exchange(self.server, folder)
            except (DatabaseError, OSError):
                with suppress(DatabaseError), job.connecting():
                    pass  # the server runs as before
                raise

    def _wait(self, job: Job, interruptions: Interruptions) -> None:
        told: list[int] = []
        while users := importing.others(self.server.home):
            if users != told:
                names = ", ".join(map(str, users))
                job.progress.begin(f"wait for process {names} to close its client", 0)
                told = users
            time.sleep(_WAIT)
            interruptions.let_through()


@dataclass
class _Adoption(Work):
    """The end of a load whose nodes and facts are in the database, and its records not yet."""

    imported: Catalogue = field(kw_only=True)

    def _begin(self) -> Beginning:
        imported = self.imported
        number = adopting.adopt(self.connection, self.job.wanted(), self.owner, imported)
        return Beginning("new", number, imported.position, imported.facts)

    def _hubs(self) -> Sequence[int]:
        return (
            self.imported.hubs
        )  # counted on the way: to ask all nodes takes a second a million facts

    def _write(self, beginning: Beginning) -> None:
        sources = self.imported.sources
        self.job.report.sources = len(sources)
        self._complete(beginning.number, {source.kind for source in sources.values()})
