"""Verification of demonstrations: only those whose query works are used.

Several run at a time, each in its own transaction; a page of results is written at once. After an
interruption the next run continues.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from .. import pipeline
from ..answer import Answer, Value
from ..deadline import TIMEOUT
from ..demonstrations.templates import mask_literals
from ..errors import StatementFailed, TimedOut, UnknownSource, format_list
from ..graph import demonstrations, vectors
from ..graph.connection import Connection, Encoding
from ..graph.demonstrations import Verdict
from ..graph.interrupts import InterruptGuard, defer_interrupts
from ..loading.request import Progress
from ..model.dataset import Scope
from ..model.demonstration import Demonstration, DemonstrationState, split_group
from ..questions.voting import meaning

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Verified:
    """Numbers of queries by outcome, and of patterns that got a vector."""

    verified: int = 0
    failed: int = 0
    embedded: int = 0
    runs: int = 0


@dataclass(frozen=True)
class Verifier:
    """Runs the demonstrations of a dataset or group: ``workers`` at a time, each for ``timeout`` seconds."""

    connection: Connection
    dataset: str
    encoding: Encoding | None = None
    workers: int = 2
    timeout: float = TIMEOUT

    def run(self, states: Sequence[DemonstrationState], progress: Progress) -> Verified:
        """Verify all demonstrations in any of ``states``; add missing vectors of patterns.

        Raises:
            KeyboardInterrupt: finished results are written.
        """
        demonstrations.check_complete(self.connection, self.dataset)
        total = demonstrations.count_demonstrations(self.connection, self.dataset).of(states)
        counts: dict[DemonstrationState, int] = {"verified": 0, "runs": 0, "failed": 0}
        try:
            with defer_interrupts() as guard:
                if total:
                    progress.begin("verify", total, "queries")
                    self._judge_all(states, progress, counts, guard)
                embedded = self._embed(progress, guard)
        except KeyboardInterrupt as error:
            done = sum(counts.values())
            what = f"interrupted: {done:,} of {total:,} were run and are kept"
            raise KeyboardInterrupt(f"{what}, `tuqa demonstrations verify` goes on") from error
        return Verified(counts["verified"], counts["failed"], embedded, counts["runs"])

    def judge_stored(self, stored: Sequence[Demonstration]) -> list[Verdict]:
        # The verdicts of a few stored demonstrations, which are written.
        with ThreadPoolExecutor(self.workers, thread_name_prefix="verify") as pool:
            verdicts = [*pool.map(self.judge, stored)]
        demonstrations.write_verdicts(self.connection, self.dataset, verdicts)
        if self.encoding is not None:
            vectors.embed(self.connection, self.dataset, self.encoding)
        return verdicts

    def one(self, demonstration: Demonstration) -> Demonstration:
        # Verifies a stored demonstration.
        (verdict,) = self.judge_stored([demonstration])
        return replace(demonstration, state=verdict.state, why=verdict.why)

    def judge(self, demonstration: Demonstration) -> Verdict:
        scope = Scope(split_group(self.dataset), demonstration.source)
        try:
            answer = self.connection.read(
                lambda reader: pipeline.run(demonstration.query, scope, reader, evidence=0),
                self.timeout,
                self.encoding,
            )
        except (UnknownSource, TimedOut, StatementFailed) as error:
            return Verdict(demonstration, "failed", f"{error.kind}: {error.summary}")
        why = _why_not(demonstration, answer)
        if why:
            return Verdict(demonstration, "failed", why)
        masked = mask_literals(demonstration.question, demonstration.query)
        state: DemonstrationState = "runs" if demonstration.answers is None else "verified"
        return Verdict(demonstration, state, "", masked.template, masked.query)

    def _judge_all(
        self,
        states: Sequence[DemonstrationState],
        progress: Progress,
        counts: dict[DemonstrationState, int],
        guard: InterruptGuard,
    ) -> None:
        with ThreadPoolExecutor(self.workers, thread_name_prefix="verify") as pool:
            for page in demonstrations.read_pages(self.connection, self.dataset, states):
                verdicts: list[Verdict] = []
                try:
                    for verdict in pool.map(self.judge, page):
                        verdicts.append(verdict)
                        counts[verdict.state] += 1
                        progress.advance(sum(counts.values()))
                        guard.raise_pending()
                finally:
                    demonstrations.write_verdicts(self.connection, self.dataset, verdicts)

    def _embed(self, progress: Progress, guard: InterruptGuard) -> int:
        if self.encoding is None:
            return 0
        begun = False

        def told(done: int) -> None:
            nonlocal begun
            if not begun:
                begun = True
                count = demonstrations.count_demonstrations(self.connection, self.dataset).patterns
                progress.begin("embed", count, "patterns")
            progress.advance(done)
            guard.raise_pending()

        return vectors.embed(self.connection, self.dataset, self.encoding, told)


def right(labels: Sequence[Value], answer: Answer) -> bool:
    """Compare the values of ``answer`` with ``labels``, ignoring order and spelling."""
    values = replace(answer, columns=None, rows=None)
    return meaning(values) == meaning(Answer("answered", tuple(labels)))


def _why_not(demonstration: Demonstration, answer: Answer) -> str:
    """Explain why an answer does not verify a demonstration; empty if it does."""
    if answer.outcome != "answered":
        problems = "; ".join(
            f"{problem.kind}: {problem.message}" for problem in answer.problems[:_SHOWN]
        )
        return f"{answer.outcome.replace('_', ' ')}{': ' if problems else ''}{problems}"
    labels = demonstration.answers
    if labels is None or right(labels, answer):
        return ""
    return f"it gives {_told(answer.values)}, and the answer is {_told(labels)}"


def _told(values: Sequence[Value]) -> str:
    return format_list([repr(value)[:80] for value in values], _SHOWN) or "nothing"
