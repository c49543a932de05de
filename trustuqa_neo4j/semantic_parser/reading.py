"""What a parser returns for a question: queries that it may mean, and names of the data in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from ..lexicon.words import WORDS
from ..matching import normalize_name
from ..values import read_value
from .question import PlainQuestion

MIN_PROBABILITY = 0.6  # of a reading that is answered
MAX_RANKED = 10  # readings that a parser returns
_MIN_EXPLAINED = 0.7  # share of the content words


@dataclass(frozen=True, slots=True)
class QuestionReading:
    """A query for a question; ``probability`` is how often such a reading is right.

    ``unexplained`` are content words that the query does not use. ``refusal`` says why the query cannot be
    what the question means, such as a name that is left out, and is empty if it can. ``linked_words`` are
    those of the unexplained words that cells or nodes have: nothing fits them and the others. ``datasets``
    are empty until the readings of several datasets are collected. ``sources`` are tables that are read as
    one. ``left_out`` are those of the unexplained words that an answer must tell.
    """

    query: str
    probability: float
    source: str | None
    members: tuple[str | float, ...]
    unexplained: tuple[str, ...]
    refusal: str = ""
    linked_words: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def unknown_words(self) -> tuple[str, ...]:
        """The words that the query does not use and the data do not have."""
        return tuple(word for word in self.unexplained if word not in self.linked_words)

    @property
    def is_explained(self) -> bool:
        return not self.refusal

    @property
    def is_sure(self) -> bool:
        """True if it may be answered: it leaves nothing out that it may not, and is probable."""
        return self.is_explained and self.probability >= MIN_PROBABILITY


@dataclass(frozen=True, slots=True)
class QuestionLink:
    """The words ``text`` of a question may mean one of ``names``, or the column itself if it is empty.

    In a table the names are cells of ``column``. In a graph they are names of ``nodes``, with the relations
    from them and to them.
    """

    text: str
    names: tuple[str, ...] = ()
    column: str | None = None
    source: str | None = None
    relations_from: tuple[str, ...] = ()
    relations_to: tuple[str, ...] = ()
    nodes: tuple[int, ...] = field(default=(), compare=False)
    dataset: str | None = None

    def __str__(self) -> str:
        column = "" if self.column is None else repr(self.column)
        if not self.names:
            return f"{self.text!r} is the column {column}"
        place = f" in {column}" if column else ""
        return f"{self.text!r} is {' or '.join(map(repr, self.names))}{place}"

    @property
    def relations(self) -> tuple[str, ...]:
        column = () if self.column is None else (self.column,)
        return (*column, *self.relations_from, *self.relations_to)

    @property
    def is_literal(self) -> bool:
        """True if the question has all names as they are written, but for the case."""
        return all(name.casefold() == self.text.casefold() for name in self.names)


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """The readings with different answers, best first, and the links."""

    readings: tuple[QuestionReading, ...] = ()
    links: tuple[QuestionLink, ...] = ()


def explains_enough(question: PlainQuestion, unexplained: frozenset[int]) -> bool:
    return len(unexplained) <= (1 - _MIN_EXPLAINED) * len(question.content)


def write_words(question: PlainQuestion, positions: frozenset[int]) -> tuple[str, ...]:
    return tuple(question.words[position] for position in sorted(positions))


NUMBER_KINDS = WORDS.grammar.number_questions
AMOUNT_KINDS = WORDS.grammar.amount_questions
_REQUESTED = WORDS.grammar.requesters  # *can you show …* is no question for yes or no
_DATE = re.compile(r"\d{1,4}([/.-])\d{1,2}\1\d{1,4}")
_CODE = re.compile(r"(?=\D*\d)[^a-z\s]+")
_TRUTHS = frozenset(("yes", "no", "true", "false"))
_TIME_WORDS = WORDS.times.seasons | WORDS.times.longer_periods | {*WORDS.times.months}
_MAX_BESIDE_TIME = 5  # letters of a word beside a time, such as *early*
_REASONS = WORDS.nouns.reasons


def fits_question_word(
    question: PlainQuestion, members: Sequence[str | float], relations: Sequence[str]
) -> bool:
    """False if the answer cannot be what the question word asks for, such as a name for *when*.

    ``relations`` are the relations or columns that the answer comes from.
    """
    kind = question.kind
    if kind in NUMBER_KINDS:
        # The rows of groups have their names too.
        return any(isinstance(member, float) or has_number(member) for member in members)
    if kind == "when":
        return any(_is_time(member) for member in members)
    # *which people* are not answered by their numbers
    if kind == "who" or not question.asked_words.isdisjoint(WORDS.nouns.persons):
        return not all(not isinstance(member, str) or _is_no_person(member) for member in members)
    if kind == "why":
        words = {word for relation in relations for word in normalize_name(relation).split()}
        return bool(words & _REASONS)
    if kind in WORDS.grammar.auxiliaries and not _REQUESTED & set(question.words[1:2]):
        return question.has_cue("or") or {*members} <= {"yes", "no"}
    return True


@lru_cache(maxsize=4096)
def normalize_member(member: str | float) -> str:
    """Normalize a member of an answer; many readings of a question have the same."""
    return normalize_name(str(member))


@lru_cache(maxsize=4096)
def has_number(text: str) -> bool:
    """True for a number, also with a unit or a short word; not for a date."""
    value = read_value(text)
    if value is not None and (value.number is not None or value.start is not None):
        return value.number is not None
    if value is None and (text[:1].isalpha() or _DATE.fullmatch(text)):
        return False  # a code, or a date whose month is not clear
    return any(sign.isdigit() for sign in text) and not any(
        word.isalpha() and len(word) > 4 for word in text.split()
    )


def _is_no_person(text: str) -> bool:
    """True for a value, a code such as ``O-3``, and yes or no."""
    return text.casefold() in _TRUTHS or read_value(text) is not None or bool(_CODE.fullmatch(text))


def _is_time(member: str | float) -> bool:
    if not isinstance(member, str):
        return False
    value = read_value(member)
    if value is not None:
        return value.start is not None or ":" in member
    words = set(normalize_name(member).split())
    if words & _TIME_WORDS:
        return True
    # *c. 1450*, not *12 Castle Street*
    has_name = any(word.isalpha() and len(word) > _MAX_BESIDE_TIME for word in words)
    return not has_name and any(sign.isdigit() for sign in member)
