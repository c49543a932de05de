"""Which of the suggested queries is the answer, and how sure that is: by what they found.

Queries that find the same speak for each other. One that was refused says nothing; that nothing was found is
an answer only where no query that found something comes near, since a wrong query mostly finds nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from .suggesting import Candidate

THRESHOLD = 0.45
"""How sure an answer must be where nobody measured how sure it has to be (``calibrating``)."""
_CHOOSING, _SPEAKING = 8, 2
"""How much less a query says the less it fits: in choosing an answer, and in seeing how sure it is."""
_ALONE = 0.6
"""So much of its score an answer loses if all others are against it."""
_SEVERAL = 0.5
"""What is left of the score of several things, where one was the answer of the demonstration."""
_WORDED = 0.9
"""That nothing was found is told only where the question is worded as the demonstration, but for names."""
_NOTHING = 0.5
"""What having found nothing counts, beside having found something."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A suggested query that was run: what it says, equal where two say the same; None where it was refused.

    ``values`` is how many things it found.
    """

    candidate: Candidate
    said: Hashable | None
    values: int = 1


@dataclass(frozen=True, slots=True)
class Decision:
    """Which of those tried is the answer, by its place, None where none is; and how sure that is (0 to 1)."""

    place: int | None
    score: float


def decide(tried: Sequence[Tried], threshold: float = THRESHOLD) -> Decision:
    """The answer among ``tried``; none that is less sure than ``threshold``."""
    won = _most(tried, _CHOOSING)
    if won is None:
        return Decision(None, 0.0)
    speaking = _worth(tried, _SPEAKING)
    share = speaking[won] / sum(speaking.values())
    place = max(
        (at for at, each in enumerate(tried) if each.said == won),
        key=lambda at: (tried[at].candidate.score, -at),
    )
    candidate = tried[place].candidate
    several = candidate.single and tried[place].values > 1
    score = candidate.score * candidate.support * (1 - _ALONE * (1 - share))
    score *= _SEVERAL if several else 1.0
    sure = score >= threshold and (tried[place].values > 0 or candidate.score >= _WORDED)
    return Decision(place if sure else None, score)


def _most(tried: Sequence[Tried], power: float) -> Hashable | None:
    worth = _worth(tried, power)
    return max(worth, key=lambda said: worth[said], default=None)


def _worth(tried: Sequence[Tried], power: float) -> dict[Hashable, float]:
    """What speaks for each answer."""
    worth: dict[Hashable, float] = defaultdict(float)
    for each in tried:
        if each.said is not None:
            weight: float = each.candidate.score**power
            worth[each.said] += weight * (1.0 if each.values else _NOTHING)
    return worth
