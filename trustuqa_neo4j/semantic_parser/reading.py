"""``QuestionReading``: a query that a question may mean, its probability, and words that it leaves out."""

from __future__ import annotations

from dataclasses import dataclass

from .question import PlainQuestion

MAX_RANKED = 10  # readings that a parser returns
_MIN_EXPLAINED = 0.7  # share of the content words


@dataclass(frozen=True, slots=True)
class QuestionReading:
    """A query for a question; ``probability`` is how often such a reading is right.

    ``unexplained`` are content words that the query does not use; ``is_explained`` is False if they are too
    many, or a name, a number or the noun that is asked for. ``linked_words`` are those of the
    unexplained words that cells have: no row fits them and the others. ``dataset`` is None until the reading
    is chosen among those of several datasets.
    """

    query: str
    probability: float
    source: str | None
    members: tuple[str | float, ...]
    unexplained: tuple[str, ...]
    is_explained: bool
    linked_words: tuple[str, ...] = ()
    dataset: str | None = None


def explains_enough(question: PlainQuestion, unexplained: frozenset[int]) -> bool:
    return len(unexplained) <= (1 - _MIN_EXPLAINED) * len(question.content)


def write_words(question: PlainQuestion, positions: frozenset[int]) -> tuple[str, ...]:
    return tuple(question.words[position] for position in sorted(positions))
