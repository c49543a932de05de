"""Words that compare with what follows them, and the operators of the language that say the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..language.query import Call, Infix, Listing, Literal, LLMQuery, Value
from .aligning import Span
from .masking import Slot

_WORDS: Mapping[str, tuple[str, ...]] = {
    ">": ("more than", "over", "above", "greater than", "higher than", "larger than", "bigger than",
          "longer than", "exceeding", "after", "later than"),
    "<": ("less than", "fewer than", "under", "below", "lower than", "smaller than", "shorter than",
          "before", "earlier than", "prior to"),
    ">=": ("at least", "no less than", "no fewer than", "a minimum of", "since"),
    "<=": ("at most", "no more than", "a maximum of", "up to"),
}  # fmt: skip
OPERATORS = {tuple(words.split()): sign for sign, said in _WORDS.items() for words in said}
"""Words that compare → operator."""
_LONGEST = max(map(len, OPERATORS))
_OTHER = 0.9
"""How well words fit that compare otherwise than those of the demonstration."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Words of a demonstration that compare, from which to before which; the operator, the literals."""

    first: int
    last: int
    operator: str
    places: frozenset[int]


def compared(words: Sequence[str], slots: Sequence[Slot], read: LLMQuery) -> Iterator[Comparison]:
    """The words before blanks that say the operators with which the query compares them."""
    operators = dict(_operators(read))
    for slot in slots:
        signs = {operators[place] for place in slot.places if place in operators}
        for length in range(min(_LONGEST, slot.first), 0, -1):
            sign = OPERATORS.get(tuple(words[slot.first - length : slot.first]))
            if sign is not None and signs == {sign}:
                yield Comparison(slot.first - length, slot.first, sign, slot.places)
                break


def comparing(words: Sequence[str], operator: str) -> Iterator[Span]:
    """Runs of words that compare, for a blank where ``operator`` was."""
    for first in range(len(words)):
        for last in range(first + 1, min(first + _LONGEST, len(words)) + 1):
            sign = OPERATORS.get(tuple(words[first:last]))
            if sign is not None:
                yield Span(first, last, 1.0 if sign == operator else _OTHER, sign)


def _operators(read: LLMQuery) -> Iterator[tuple[int, str]]:
    """The position of each literal that is compared by an order, and the operator."""
    waiting: list[Value] = [step.value for step in read.steps]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Listing):
            waiting += value.members
        elif isinstance(value, Infix):
            waiting += (value.left, value.right)
        elif isinstance(value, Call):
            for argument in value.arguments:
                waiting.append(argument.value)
                if isinstance(argument.value, Literal) and argument.operator in _WORDS:
                    yield argument.value.position, argument.operator
