"""``Teaching``: the demonstrations of a client, and the calibration of a dataset on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace

from ..answer import Answer
from ..deadline import TIMEOUT, Deadline
from ..demonstrations.offline_writer import suggest_queries
from ..demonstrations.retrieval import read_demonstration, sample_demonstrations
from ..demonstrations.selection import CALIBRATION_SAMPLE, Calibration, calibrate
from ..errors import DataError, IncompleteDataset, UnknownDataset, UsageError
from ..graph import catalog, demonstrations
from ..graph.catalog import DEMONSTRATION_STATES, DEMONSTRATIONS_PER_BATCH
from ..graph.connection import Connection, Encoding
from ..graph.demonstrations import DemonstrationCounts, StateCounts
from ..graph.interrupts import defer_interrupts
from ..loading.request import Progress
from ..model.dataset import Scope
from ..model.demonstration import (
    USABLE_STATES,
    Demonstration,
    DemonstrationList,
    DemonstrationState,
    format_group,
    name_group,
    split_group,
)
from ..questions.context import QuerySession
from ..questions.voting import meaning, try_out
from ..wording import CallOption
from .acceptance import Acceptance, ConfirmedQuestion, confirm_question, list_answering_datasets
from .jsonl import check
from .verify import Verified, Verifier, right


def measure(session: QuerySession, dataset: str, sample: int = CALIBRATION_SAMPLE) -> Calibration:
    """Calibrate the threshold on at most ``sample`` demonstrations, each asked without itself."""
    demonstrations, _ = session.read(
        lambda reader: sample_demonstrations(reader, dataset, sample, (*USABLE_STATES, "failed"))
    )
    # One that failed and has no labels says neither that an answer is right nor that it is wrong.
    labelled = [
        demonstration
        for demonstration in demonstrations
        if demonstration.state in USABLE_STATES or demonstration.answers is not None
    ]
    return calibrate(
        [
            _ask(session, demonstration, Scope(split_group(dataset), demonstration.source))
            for demonstration in labelled
        ]
    )


def _ask(session: QuerySession, demonstration: Demonstration, scope: Scope) -> tuple[float, bool]:
    """Answer the question without its demonstration; return the score (0 for none), and if it is right."""
    candidates, _ = session.read(
        lambda reader: suggest_queries(
            reader, demonstration.question, scope, True, excluded=demonstration
        )
    )
    tries = try_out(session, candidates.queries)
    if tries.best is None or tries.place is None or not tries.best.values:
        return 0.0, False
    own = None if demonstration.answers is not None else session.run(demonstration.query, scope)
    return candidates.queries[tries.place].score, _is_right(demonstration, tries.best, own)


def _is_right(demonstration: Demonstration, answer: Answer, own: Answer | None) -> bool:
    if demonstration.answers is not None:
        return right(demonstration.answers, answer)
    return own is not None and meaning(own) == meaning(answer)


# Demonstrations of a client's datasets: added, stored, verified, listed and dropped.


LONGEST = 3_600.0  # seconds for a calibration
_UNVERIFIED: tuple[DemonstrationState, ...] = ("candidate",)


MAX_WHY = 1_000
"""Characters of the reason why an answer is wrong."""

MAX_WRONG_VALUES = 20
"""Values that are kept of a wrong answer."""


@dataclass(frozen=True)
class Teaching:
    """The demonstrations of a client; ``allowed`` refuses datasets out of its scope.

    ``dataset`` of its methods is a dataset, or a list of those that the demonstrations need together.
    ``encoding`` computes the vectors of patterns; None for no vectors.
    """

    connection: Connection
    encoding: Encoding | None
    allowed: Callable[[str], None]

    def add(
        self,
        dataset: str | Sequence[str],
        given: Demonstration,
        *,
        overwrite: bool = False,
        verify: bool = True,
    ) -> Demonstration:
        """Store a demonstration and verify it, unless ``verify`` is false; return its state.

        Raises:
            UsageError, UnknownDataset, IncompleteDataset, DatabaseError
            DataError: a usable query exists for the question, and ``overwrite`` is false.
        """
        group = self._group(dataset)
        written = self.store(dataset, [given], overwrite=overwrite)
        if written.kept:
            raise DataError(
                "the question has another query or other answers already, and they run",
                where=f"dataset {format_group(group)!r}, question {given.question!r}",
                hint=f"replace it ({CallOption.OVERWRITE}), or leave it",
            )
        if verify:
            return self._verifier(group).one(given)
        if written.same:  # it may have been run before
            stored = demonstrations.list_demonstrations(self.connection, group)
            return next((row for row in stored if row.key == given.key), given)
        return replace(given, state="candidate", why="")

    def teach(self, dataset: str | Sequence[str], given: Demonstration) -> Demonstration:
        """Store a demonstration as ``add`` does, whose query runs first and must have an answer.

        Raises:
            UsageError: the query has no answer; and as ``add``.
        """
        session = QuerySession(self.connection, self.encoding, Deadline(TIMEOUT), evidence=0)
        answer = session.run(given.query, Scope(split_group(self._group(dataset)), given.source))
        if answer.outcome != "answered":
            raise UsageError(
                f"the query is {answer.outcome.replace('_', ' ')}, not answered",
                where="; ".join(problem.message for problem in answer.problems),
                hint="correct the query, then teach it",
            )
        return self.add(dataset, given)

    def store_written(
        self, dataset: str | Sequence[str], written: Sequence[Demonstration], workers: int = 2
    ) -> int:
        """Store queries of a model, with the expected answers, and verify them; return how many are right.

        Raises:
            UsageError, UnknownDataset, IncompleteDataset, DatabaseError
        """
        self.store(dataset, written)
        verdicts = self._verifier(self._group(dataset), workers).judge_stored(written)
        return sum(verdict.state == "verified" for verdict in verdicts)

    def accept(
        self, answer: Answer, pick: int | None = None, *, overwrite: bool = False
    ) -> Acceptance:
        """Store the question of ``answer`` as a verified demonstration, with the query that is confirmed.

        That is the query of the answer, or of its reading ``pick`` (from 1). The query runs again, and its
        answer is the expected one. A demonstration that exists already is returned as it is.

        Raises:
            UsageError, UnknownDataset, UnknownSource, IncompleteDataset, TimedOut, DatabaseError
            DataError: the question was not answered, its query has another answer by now, or a usable query
                exists for it and ``overwrite`` is false.
        """
        confirmed = confirm_question(answer, pick)
        datasets = confirmed.datasets
        self._group(datasets)
        stored = self._find_stored(confirmed)
        source = confirmed.source if stored is None else stored.source
        session = QuerySession(self.connection, self.encoding, Deadline(TIMEOUT), evidence=0)
        now = session.run(confirmed.query, Scope(datasets, source))
        is_shown = pick is None and answer.truncated is None
        if now.outcome != "answered" or (is_shown and meaning(now) != meaning(answer)):
            raise DataError(
                "the query does not give this answer now",
                where=f"dataset {format_group(name_group(datasets))!r}, question {confirmed.question!r}",
                hint="ask again",
            )
        if stored is not None and stored.query == confirmed.query:
            if stored.answers is not None and right(stored.answers, now):
                return Acceptance(datasets, stored, False)
            overwrite = overwrite or stored.answers is None
        accepted = Demonstration(
            confirmed.question,
            confirmed.query,
            tuple(map(str, now.values)),
            source,
            {} if stored is None else stored.fields,
        )
        return Acceptance(datasets, self.add(datasets, accepted, overwrite=overwrite), True)

    def reject(self, answer: Answer, why: str = "") -> Demonstration:
        """Keep the question of a wrong ``answer`` with its query, for whoever looks after the data.

        ``listed(dataset, ("wrong",))`` lists such queries; no question follows them.

        Raises:
            UsageError: the answer has no question or no query; or as ``store``.
        """
        if answer.question is None or answer.llm_query is None or not answer.datasets:
            raise UsageError(
                "the answer has no question, or no query", hint="reject an answer of `ask`"
            )
        datasets = list_answering_datasets(answer)
        source = answer.source if len(datasets) == 1 else None
        values = tuple(map(str, answer.values[:MAX_WRONG_VALUES]))
        given = Demonstration(answer.question, answer.llm_query, values, source, why=why)
        return self.store_wrong(datasets, given)

    def store_wrong(self, dataset: str | Sequence[str], given: Demonstration) -> Demonstration:
        """Store a query that does not answer its question, as ``reject`` does.

        Raises:
            UsageError, UnknownDataset, IncompleteDataset, DatabaseError
        """
        if len(given.why) > MAX_WHY:
            raise UsageError(
                f"a reason of {len(given.why):,} characters", hint=f"write at most {MAX_WHY:,}"
            )
        wrong = replace(given, state="wrong")
        self.store(dataset, [wrong])
        return wrong

    def save(self, dataset: str | Sequence[str], given: Demonstration) -> Demonstration:
        """Save a question with its query, so that people find it; ``listed(dataset, ("saved",))`` lists them.

        Raises:
            UsageError, UnknownDataset, IncompleteDataset, DatabaseError
        """
        saved = replace(given, state="saved", why="")
        self.store(dataset, [saved])
        return saved

    def store(
        self,
        dataset: str | Sequence[str],
        given: Sequence[Demonstration],
        *,
        overwrite: bool = False,
        progress: Progress | None = None,
    ) -> DemonstrationCounts:
        """Store demonstrations as candidates; identical ones stay unchanged.

        A new query for a known question replaces the old one, a usable one only with ``overwrite``. The
        last one of several for a question counts.

        Raises:
            UsageError, UnknownDataset, IncompleteDataset, DatabaseError
        """
        group = self._group(dataset)
        if len(split_group(group)) > 1 and any(row.source is not None for row in given):
            raise UsageError(
                "a demonstration of several datasets has no source",
                where=f"datasets {format_group(group)}",
                hint="leave the source out, or give one dataset",
            )
        rows = list({check(row).key: row for row in given}.values())
        progress = progress or Progress()
        progress.begin("store", len(rows), "demonstrations")
        counts = DemonstrationCounts()
        with defer_interrupts() as guard:
            for start in range(0, len(rows), DEMONSTRATIONS_PER_BATCH):
                batch = rows[start : start + DEMONSTRATIONS_PER_BATCH]
                counts += demonstrations.write_demonstrations(
                    self.connection, group, batch, overwrite
                )
                progress.advance(start + len(batch))
                guard.raise_pending()
        return counts

    def verify(
        self,
        dataset: str | Sequence[str],
        *,
        again: bool = False,
        workers: int = 2,
        timeout: float = TIMEOUT,
        progress: Progress | None = None,
    ) -> Verified:
        """Run the queries of candidates, or of all with ``again``; only usable ones are used.

        A query runs if it has a result. It is verified if its result is exactly the expected answers.
        Patterns without a vector get one. Then the dataset is calibrated.

        Raises:
            UnknownDataset, IncompleteDataset, DatabaseError
        """
        verifier = self._verifier(self._group(dataset), workers, timeout)
        progress = progress or Progress()
        done = verifier.run(DEMONSTRATION_STATES if again else _UNVERIFIED, progress)
        if done.verified or done.runs or done.failed:
            self.measure(dataset, progress)
        return done

    def measure(
        self, dataset: str | Sequence[str], progress: Progress | None = None
    ) -> Calibration:
        """Calibrate the dataset: ask some demonstrations without themselves, and store the threshold.

        Raises:
            UnknownDataset, IncompleteDataset, DatabaseError
        """
        group = self._group(dataset)
        if progress is not None:
            progress.begin("measure", 0, "questions")
        session = QuerySession(self.connection, self.encoding, Deadline(LONGEST), evidence=0)
        calibration = measure(session, group)
        patterns = demonstrations.count_demonstrations(self.connection, group).patterns
        figures = {
            "threshold": calibration.threshold,
            "share": calibration.share,
            "precision": calibration.precision,
            "patterns": patterns,
        }
        demonstrations.write_calibration(self.connection, group, figures)
        return calibration

    def listed(
        self,
        dataset: str | Sequence[str],
        states: Sequence[DemonstrationState] = DEMONSTRATION_STATES,
    ) -> DemonstrationList:
        """List the demonstrations in any of ``states``, sorted by question.

        Raises:
            UnknownDataset, IncompleteDataset, DatabaseError
        """
        group = self._group(dataset)
        return DemonstrationList(demonstrations.list_demonstrations(self.connection, group, states))

    def counts(self, dataset: str | Sequence[str]) -> StateCounts:
        """Count the demonstrations in each state, and the patterns of the usable ones.

        Raises:
            UnknownDataset, IncompleteDataset, DatabaseError
        """
        return demonstrations.count_demonstrations(self.connection, self._group(dataset))

    def drop(
        self,
        dataset: str | Sequence[str],
        states: Sequence[DemonstrationState] = DEMONSTRATION_STATES,
        *,
        source: str | None = None,
        question: str | None = None,
    ) -> int:
        """Delete demonstrations in any of ``states``, or those of a source or question; return their number.

        Raises:
            UnknownDataset, IncompleteDataset, DatabaseError
        """
        group = self._group(dataset)
        return catalog.delete_demonstrations(self.connection, group, states, source, question)

    def shared(self, dataset: str) -> dict[tuple[str, ...], StateCounts]:
        """Count the demonstrations that need ``dataset`` and others, by the datasets that they need.

        Raises:
            UnknownDataset, IncompleteDataset, DatabaseError
        """
        self._group(dataset)
        groups = catalog.list_groups(self.connection, dataset)
        counts = {
            split_group(group): demonstrations.count_demonstrations(self.connection, group)
            for group in groups
        }
        return {datasets: count for datasets, count in counts.items() if count.total}

    def verify_replaced(
        self, dataset: str, progress: Progress | None = None
    ) -> dict[tuple[str, ...], Verified]:
        """Verify what the replacement of data made candidates; return the numbers by datasets.

        Demonstrations stay candidates if they also need an incomplete dataset, or one out of the client's
        scope.

        Raises:
            UnknownDataset, IncompleteDataset, DatabaseError
        """
        verified: dict[tuple[str, ...], Verified] = {}
        for datasets in ((dataset,), *self.shared(dataset)):
            with (
                nullcontext() if len(datasets) == 1 else suppress(UnknownDataset, IncompleteDataset)
            ):
                if self.counts(datasets).candidate:
                    verified[datasets] = self.verify(datasets, progress=progress)
        return verified

    def _group(self, dataset: str | Sequence[str]) -> str:
        """Name the group of complete datasets in the scope of the client."""
        group = name_group(dataset)
        for name in split_group(group):
            self.allowed(name)
        demonstrations.check_complete(self.connection, group)
        return group

    def _find_stored(self, confirmed: ConfirmedQuestion) -> Demonstration | None:
        """Find the usable demonstration of the question, for its source or for the whole dataset."""
        question = confirmed.question
        sources = dict.fromkeys((confirmed.source, None))
        keys = [Demonstration(question, "", source=source).key for source in sources]
        rows = self.connection.read_one(
            "find_demonstrations", datasets=[name_group(confirmed.datasets)], keys=keys
        )
        names = ("question", "query", "answers", "source", "fields", "state", "why")
        by_source = {
            row["source"]: read_demonstration([row[name] for name in names]) for row in rows
        }
        return next((by_source[source] for source in sources if source in by_source), None)

    def _verifier(self, group: str, workers: int = 1, timeout: float = TIMEOUT) -> Verifier:
        return Verifier(self.connection, group, self.encoding, workers, timeout)
