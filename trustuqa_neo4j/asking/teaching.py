"""Demonstrations of a client's datasets: added, stored, verified, listed and dropped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..demonstrating.calibrating import Calibration
from ..demonstrating.demonstration import Demonstration, State
from ..errors import DataError
from ..graph import demonstrations, discarding
from ..graph.connection import Connection, Encoding
from ..graph.demonstrations import Counts, Written
from ..graph.discarding import BATCH, STATES
from ..graph.unbroken import unbroken
from ..loading import Progress
from .driving import Clock, drive
from .measuring import measure
from .recorded import check
from .verifying import TIMEOUT, Verified, Verifier
from .world import Here, Shown

LONGEST = 3_600.0
"""Seconds that measuring may take."""
_UNVERIFIED: tuple[State, ...] = ("candidate",)


@dataclass(frozen=True)
class Teaching:
    """What a client can do with demonstrations; ``allowed`` refuses datasets out of its scope.

    ``encode`` gives patterns their vectors, as it gives those of names in queries; None: they get none.
    """

    connection: Connection
    encode: Encoding | None
    allowed: Callable[[str], None]

    def add(
        self,
        dataset: str,
        given: Demonstration,
        *,
        overwrite: bool = False,
        verify: bool = True,
    ) -> Demonstration:
        """Store one, run it unless that is not wished, and tell how it then stands.

        Raises:
            UsageError, UnknownDataset, IncompleteDataset, DatabaseError
            DataError: the question has another query that is verified, and is not to be overwritten.
        """
        written = self.store(dataset, [given], overwrite=overwrite)
        if written.kept:
            raise DataError(
                "the question has another query or other answers already, and is verified",
                where=f"dataset {dataset!r}, question {given.question!r}",
                hint="replace it (--replace), or leave it",
            )
        if verify:
            return self._verifier(dataset).one(given)
        if written.same:  # it may have been run before
            stored = demonstrations.listed(self.connection, dataset)
            return next((each for each in stored if each.key == given.key), given)
        return replace(given, state="candidate", why="")

    def store(
        self,
        dataset: str,
        given: Sequence[Demonstration],
        *,
        overwrite: bool = False,
        progress: Progress | None = None,
    ) -> Written:
        """Store demonstrations as candidates; those that are there just so stay as they are.

        One whose question has another query already takes its place, but verified ones give way only with
        ``overwrite``. Each question of a source is stored once: the last one counts.

        Raises:
            UsageError, UnknownDataset, IncompleteDataset, DatabaseError
        """
        self.allowed(dataset)
        demonstrations.check(self.connection, dataset)
        rows = list({check(each).key: each for each in given}.values())
        progress = progress or Progress()
        progress.begin("store", len(rows), "demonstrations")
        counts = Written()
        with unbroken() as interruptions:
            for start in range(0, len(rows), BATCH):
                batch = rows[start : start + BATCH]
                counts += demonstrations.write(self.connection, dataset, batch, overwrite)
                progress.advance(start + len(batch))
                interruptions.let_through()
        return counts

    def verify(
        self,
        dataset: str,
        *,
        again: bool = False,
        workers: int = 2,
        timeout: float = TIMEOUT,
        progress: Progress | None = None,
    ) -> Verified:
        """Run the queries of candidates, ``again``: of all; only those that work are asked after.

        One works if it finds something and, where its answers are known, gives just these. Patterns that
        have no vector yet get theirs. Where any was run, it is then measured how far the dataset can be
        asked.

        Raises:
            UnknownDataset, IncompleteDataset, DatabaseError
        """
        self.allowed(dataset)
        verifier = self._verifier(dataset, workers, timeout)
        progress = progress or Progress()
        done = verifier.run(STATES if again else _UNVERIFIED, progress)
        if done.verified or done.failed:
            self.measure(dataset, progress)
        return done

    def measure(self, dataset: str, progress: Progress | None = None) -> Calibration:
        """Ask some demonstrations as if they were not there, and record how sure an answer has to be.

        Raises:
            UnknownDataset, IncompleteDataset, DatabaseError
        """
        self.allowed(dataset)
        if progress is not None:
            progress.begin("measure", 0, "questions")
        world = Here(self.connection, self.encode, None, Shown(evidence=0))
        found = drive(measure(dataset), world, Clock(LONGEST))
        patterns = demonstrations.count(self.connection, dataset).patterns
        figures = {
            "threshold": found.threshold,
            "share": found.share,
            "precision": found.precision,
            "patterns": patterns,
        }
        demonstrations.note_askable(self.connection, dataset, figures)
        return found

    def listed(self, dataset: str, states: Sequence[State] = STATES) -> list[Demonstration]:
        """The demonstrations in any of ``states``, by their questions.

        Raises:
            UnknownDataset, IncompleteDataset, DatabaseError
        """
        self.allowed(dataset)
        demonstrations.check(self.connection, dataset)
        return demonstrations.listed(self.connection, dataset, states)

    def counts(self, dataset: str) -> Counts:
        """How many there are in each state, and how many patterns the verified ones have.

        Raises:
            UnknownDataset, IncompleteDataset, DatabaseError
        """
        self.allowed(dataset)
        demonstrations.check(self.connection, dataset)
        return demonstrations.count(self.connection, dataset)

    def drop(
        self,
        dataset: str,
        states: Sequence[State] = STATES,
        *,
        source: str | None = None,
        question: str | None = None,
    ) -> int:
        """Delete demonstrations in any of ``states``, of one source or question where given; how many.

        Raises:
            UnknownDataset, IncompleteDataset, DatabaseError
        """
        self.allowed(dataset)
        demonstrations.check(self.connection, dataset)
        return discarding.drop(self.connection, dataset, states, source, question)

    def _verifier(self, dataset: str, workers: int = 1, timeout: float = TIMEOUT) -> Verifier:
        return Verifier(self.connection, dataset, self.encode, workers, timeout)
