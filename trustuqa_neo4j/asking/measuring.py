"""How far a dataset can be asked after its demonstrations: some are asked as if they were not there."""

from __future__ import annotations

from ..answer import Answer
from ..dataset import Scope
from ..demonstrating.calibrating import SAMPLE, Calibration, calibrate
from ..demonstrating.demonstration import Demonstration
from ..demonstrating.offline import candidates
from ..demonstrating.retrieving import some_demonstrations
from .dialogue import Dialogue, look, run
from .trying import try_out
from .verifying import right
from .voting import meaning


def measure(dataset: str, sample: int = SAMPLE) -> Dialogue[Calibration]:
    """The score from which on answers are right often enough; ``sample`` demonstrations are asked."""
    found, _ = yield from look(lambda: some_demonstrations(dataset, sample, ("verified", "failed")))
    # One that failed and has no labels says neither that an answer is right nor that it is wrong.
    known = [each for each in found if each.state == "verified" or each.answers is not None]
    scored: list[tuple[float, bool]] = []
    for each in known:
        scored += [(yield from _ask(each, Scope((dataset,), each.source)))]
    return calibrate(scored)


def _ask(each: Demonstration, scope: Scope) -> Dialogue[tuple[float, bool]]:
    """How sure the answer to its question is without it, 0 where there is none; and whether it is right."""
    found, _ = yield from look(lambda: candidates(each.question, scope, True, leaving=each))
    tries = yield from try_out(found.queries)
    if tries.best is None or not tries.best.values:
        return 0.0, False
    own = None if each.answers is not None else (yield from run([(each.query, scope)]))[0]
    return tries.decision.score, _is_right(each, tries.best, own)


def _is_right(each: Demonstration, answer: Answer, own: Answer | None) -> bool:
    if each.answers is not None:
        return right(each.answers, answer)
    return own is not None and meaning(own) == meaning(answer)
