"""Demonstrations run: a query is shown, or asked after, only once it was seen to work.

Several run at a time, each in a transaction of its own; what they came to is written a page at a time. So
whatever ends this, what was judged stays judged, and the next run goes on with the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from .. import engine
from ..answer import Answer, Value
from ..dataset import Scope
from ..demonstrating.demonstration import Demonstration, State
from ..demonstrating.masking import mask
from ..errors import StatementFailed, TimedOut, UnknownSource
from ..graph import demonstrations, patterns
from ..graph.connection import Connection, Encoding
from ..graph.demonstrations import Verdict
from ..graph.unbroken import Interruptions, unbroken
from ..loading import Progress
from .voting import meaning

TIMEOUT = 60.0
"""Seconds that one query may take unless the caller says otherwise."""
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Verified:
    """How many queries were run with which outcome, and how many patterns got a vector."""

    verified: int = 0
    failed: int = 0
    embedded: int = 0


@dataclass(frozen=True)
class Verifier:
    """Runs the demonstrations of one dataset: ``workers`` at a time, each for at most ``timeout`` seconds."""

    connection: Connection
    dataset: str
    encode: Encoding | None = None
    workers: int = 2
    timeout: float = TIMEOUT

    def run(self, states: Sequence[State], progress: Progress) -> Verified:
        """Run all demonstrations in any of ``states``, and give patterns without a vector theirs.

        Raises:
            UnknownDataset, IncompleteDataset, DatabaseError: what was judged by then is written.
            KeyboardInterrupt: likewise; it says how to go on.
        """
        demonstrations.check(self.connection, self.dataset)
        total = demonstrations.count(self.connection, self.dataset).of(states)
        counts: dict[State, int] = {"verified": 0, "failed": 0}
        try:
            with unbroken() as interruptions:
                if total:
                    progress.begin("verify", total, "queries")
                    self._judge_all(states, progress, counts, interruptions)
                embedded = self._embed(progress, interruptions)
        except KeyboardInterrupt as error:
            done = sum(counts.values())
            what = f"interrupted: {done:,} of {total:,} were run and are kept"
            raise KeyboardInterrupt(f"{what}, `tuqa demonstrations verify` goes on") from error
        return Verified(counts["verified"], counts["failed"], embedded)

    def one(self, given: Demonstration) -> Demonstration:
        """Run one that is stored, and tell how it then stands.

        Raises:
            UnknownDataset, IncompleteDataset, DatabaseError
        """
        verdict = self.judge(given)
        demonstrations.note(self.connection, self.dataset, [verdict])
        if self.encode is not None:
            patterns.embed(self.connection, self.dataset, self.encode)
        return replace(given, state=verdict.state, why=verdict.why)

    def judge(self, demonstration: Demonstration) -> Verdict:
        """What running one comes to."""
        scope = Scope((self.dataset,), demonstration.source)
        try:
            answer = self.connection.read(
                lambda: engine.run(demonstration.query, scope, evidence=0),
                self.timeout,
                self.encode,
            )
        except (UnknownSource, TimedOut, StatementFailed) as error:
            return Verdict(demonstration, "failed", str(error))
        why = _why_not(demonstration, answer)
        if why:
            return Verdict(demonstration, "failed", why)
        masked = mask(demonstration.question, demonstration.query)
        return Verdict(demonstration, "verified", "", masked.template, masked.query)

    def _judge_all(
        self,
        states: Sequence[State],
        progress: Progress,
        counts: dict[State, int],
        interruptions: Interruptions,
    ) -> None:
        with ThreadPoolExecutor(self.workers, thread_name_prefix="verify") as pool:
            for page in demonstrations.pages(self.connection, self.dataset, states):
                verdicts: list[Verdict] = []
                try:
                    for verdict in pool.map(self.judge, page):
                        verdicts.append(verdict)
                        counts[verdict.state] += 1
                        progress.advance(sum(counts.values()))
                        interruptions.let_through()
                finally:
                    demonstrations.note(self.connection, self.dataset, verdicts)

    def _embed(self, progress: Progress, interruptions: Interruptions) -> int:
        if self.encode is None:
            return 0
        begun = False

        def told(done: int) -> None:
            nonlocal begun
            if not begun:
                begun = True
                count = demonstrations.count(self.connection, self.dataset).patterns
                progress.begin("embed", count, "patterns")
            progress.advance(done)
            interruptions.let_through()

        return patterns.embed(self.connection, self.dataset, self.encode, told)


def right(labels: Sequence[Value], answer: Answer) -> bool:
    """Whether the values of ``answer`` are what ``labels`` say, in any order and writing."""
    values = replace(answer, columns=None, rows=None)
    return meaning(values) == meaning(Answer("answered", tuple(labels)))


def _why_not(demonstration: Demonstration, answer: Answer) -> str:
    """Why an answer does not verify a demonstration; empty where it does."""
    if answer.outcome != "answered":
        said = "; ".join(
            f"{problem.kind}: {problem.message}" for problem in answer.problems[:_SHOWN]
        )
        return f"{answer.outcome.replace('_', ' ')}{': ' if said else ''}{said}"
    labels = demonstration.answers
    if labels is None or right(labels, answer):
        return ""
    return f"it gives {_told(answer.values)}, and the answer is {_told(labels)}"


def _told(values: Sequence[Value]) -> str:
    more = f" and {len(values) - _SHOWN:,} more" if len(values) > _SHOWN else ""
    return (", ".join(repr(value)[:80] for value in values[:_SHOWN]) or "nothing") + more
