"""Which of several answers to one question is given: that which most of them say.

Answers agree where they say the same things: as sets of typed values, so that neither order nor the way a
number is written parts them (``1,000`` and ``1000.0``). That nothing was found is an answer too; a query
that was refused is none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from ..answer import GOOD, Answer, Value
from ..mapping import fold
from ..values import read_value


@dataclass(frozen=True, slots=True)
class Vote:
    """The place of the answer that won, and the share of all that were asked that said the same."""

    winner: int
    confidence: float


def vote(answers: Sequence[Answer], asked: int) -> Vote | None:
    """The winner among ``answers``, of ``asked`` samples; None where none of them is an answer.

    Among equals the one that found something wins, then the first.
    """
    said = [meaning(answer) if answer.outcome in GOOD else None for answer in answers]
    counts = Counter(each for each in said if each is not None)
    if not counts:
        return None
    order = {each: place for place, each in reversed(list(enumerate(said)))}
    won = max(
        counts, key=lambda each: (counts[each], bool(answers[order[each]].values), -order[each])
    )
    return Vote(order[won], counts[won] / asked)


def meaning(answer: Answer) -> Hashable:
    """What an answer says: equal where two answers mean the same."""
    if answer.rows is not None and answer.columns is not None and len(answer.columns) > 1:
        return frozenset(Counter(tuple(map(_typed, row)) for row in answer.rows).items())
    return frozenset(map(_typed, answer.values))


def _typed(value: Value) -> Hashable:
    """A number with its unit, days, or a name without what seldom counts."""
    if not isinstance(value, str):
        return float(value), None
    read = read_value(value)
    if read is None:
        return fold(value)
    if read.number is not None:
        return read.number, read.unit
    return "days", read.start, read.end
