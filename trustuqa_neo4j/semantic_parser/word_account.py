"""One account of the words of a question: what a reading uses of them, and what it leaves out.

Readings of tables and of graphs are refused by the same rules: no name, number or word that selects is left
out, and the answer fits the question word. The account of their kind says what the data make of a word.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, NamedTuple, TypeVar

from .question import PlainQuestion

Reading = TypeVar("Reading")


@dataclass(frozen=True, slots=True)
class Explanation:
    """The words of a question that a reading leaves out, and why it may not do so.

    ``unexplained`` are the positions of these words; ``refusal`` is empty if they may be left out.
    ``evidence`` is what the calibration weighs: kinds of words left out, and whether they may be left out.
    """

    unexplained: frozenset[int]
    refusal: str
    evidence: Mapping[str, float]


class WeighedReading(NamedTuple, Generic[Reading]):
    """A reading with what it leaves out, and the features that rank it or the evidence that it is right."""

    reading: Reading
    explanation: Explanation
    features: Mapping[str, float]


class WordAccount(ABC):
    """Accounts for the words of a question, by their positions, in one reading."""

    @property
    @abstractmethod
    def question(self) -> PlainQuestion: ...

    @property
    @abstractmethod
    def explained(self) -> frozenset[int]:
        """Words that the reading uses, or that say no more than the reading and the data say."""

    @cached_property
    def unexplained(self) -> frozenset[int]:
        return self.question.content - self.explained

    @property
    def left_out(self) -> frozenset[int]:
        """Words that the reading leaves out, but for those that say nothing."""
        return self.unexplained

    @property
    @abstractmethod
    def naming(self) -> frozenset[int]:
        """Words that name something, or an operation."""

    @property
    @abstractmethod
    def selecting(self) -> frozenset[int]:
        """Words that no reading may pass over."""

    @abstractmethod
    def fits_question_word(self) -> bool:
        """Return whether the answer can be what *who*, *when* or *how many* asks for."""

    @property
    def answers_several(self) -> bool:
        """Return whether the answer has several things that are asked for, such as columns."""
        return False

    @abstractmethod
    def weigh_words(self) -> Iterator[tuple[str, float]]:
        """Yield what is left out, by kind of word."""

    def find_refusals(self) -> Iterator[str]:
        """Yield why the reading cannot be what the question means."""
        if self.left_out & self.naming:
            yield "a name, a number or an operation is left out"
        marked = (range(first, last) for first, last in self.question.marked_spans)
        if any(self.explained.isdisjoint(positions) for positions in marked):
            yield "a text in quotes is left out"
        if not self.selecting <= self.explained:
            yield "a word that selects is left out"
        if not self.fits_question_word():
            asked = repr(self.question.kind) if self.question.kind else "the question"
            yield f"{asked} asks for another kind of answer"
        if self.question.further_question is not None and not self.answers_several:
            yield "the question asks for two things"

    def explain(self) -> Explanation:
        """Return what is left out, and the first reason why it may not be."""
        refusal = next(self.find_refusals(), "")
        evidence = {**dict(self.weigh_words()), "refused": float(bool(refusal))}
        return Explanation(self.unexplained, refusal, evidence)
