"""Patterns that were laid against a question → the queries that they suggest, each once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..dataset import Scope
from ..mapping import fold
from .aligning import Alignment
from .demonstration import Pattern
from .filling import Filling, fill
from .guessing import Guess, Unknown
from .mentions import Mention
from .rebinding import Bound
from .shaping import Shape
from .words import meant

_ONE, _OTHERS = 0.3, 0.3
"""How much of its score a query loses: half of the first if one pattern alone suggests it, the second if all
others suggest queries of other forms."""
_SPEAKS = 4
"""How much less a pattern speaks for a form the less it fits."""
_DISPUTED = 0.5
"""How much of its score a pattern loses where most demonstrations of its very wording have another query."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A query for a question, how well the pattern fits that it follows, and how much others support it.

    Both are 0 to 1. ``bindings`` are what was put for what, as text. ``single``: the demonstration's answer
    is known, and is one thing. ``unknown`` is what was put that nothing is called.
    """

    query: str
    score: float
    pattern: Pattern
    bindings: tuple[tuple[str, str], ...]
    dataset: str
    source: str | None
    support: float = 1.0
    single: bool = False
    unknown: tuple[Unknown, ...] = ()


@dataclass(frozen=True, slots=True)
class Fitted:
    """A pattern as it was laid against the question."""

    shape: Shape
    alignment: Alignment
    undisputed: float
    bound: Bound | None = None

    @property
    def unknown(self) -> tuple[Unknown, ...]:
        """What fills blanks that nothing is called."""
        spans = (span for span in self.alignment.spans if span is not None)
        return tuple(span.what for span in spans if isinstance(span.what, Unknown))

    @property
    def score(self) -> float:
        """How well words, names and columns fit, and how much its wording means this query."""
        fit = self.alignment.score * (self.bound.fit if self.bound else 1.0)
        return fit * (1 - _DISPUTED * (1 - self.undisputed))


def supported(fitted: Sequence[Fitted], scope: Scope) -> Iterator[Candidate]:
    """Each query once, by its best pattern; that others suggest it, or a query of its form, speaks for it."""
    same: dict[tuple[str, str], list[tuple[Fitted, Candidate]]] = defaultdict(list)
    forms: dict[str, float] = defaultdict(float)
    for one in fitted:
        made = _filled(one, scope) if one.score > 0 else None
        if made is not None:
            same[made.dataset, made.query].append((one, made))
            forms[one.shape.skeleton] += one.score**_SPEAKS
    whole = sum(forms.values())
    scored = []
    for alike in same.values():
        best, made = max(alike, key=lambda each: each[0].score)
        others = forms[best.shape.skeleton] / whole
        doubt = (1 - _ONE / (1 + len(alike))) * (1 - _OTHERS * (1 - others))
        scored.append(replace(made, score=best.score, support=doubt))
    yield from sorted(scored, key=lambda each: -each.score)


def _filled(one: Fitted, scope: Scope) -> Candidate | None:
    """The pattern's query with what stands in its blanks; None where one of them is empty."""
    texts: dict[int, str] = {}
    operators: dict[int, str] = {}
    bindings: list[tuple[str, str]] = []
    for slot, span in zip(one.shape.masked.slots, one.alignment.spans, strict=False):
        if span is None:
            return None
        put = _said(span.what)
        texts |= dict.fromkeys(slot.places, put)
        bindings.append((slot.written, put))
    for number, each in enumerate(one.shape.comparisons, len(one.shape.blanks)):
        span = one.alignment.spans[number]
        if span is not None:
            operators |= dict.fromkeys(each.places, str(span.what))
    target = one.shape.read.target
    if one.bound is not None:
        for column in one.shape.columns:
            found = one.bound.columns.get(fold(column.name))
            if found is not None:
                texts |= dict.fromkeys(column.places, found)
                bindings.append((column.name, found))
        target = tuple(one.bound.columns.get(fold(name), name) for name in target)
    query = fill(one.shape.read, Filling(texts, operators, target))
    if query is None:
        return None
    pattern = one.shape.pattern
    dataset = pattern.dataset if one.bound is None else one.bound.dataset
    made = Candidate(query, one.score, pattern, tuple(bindings), dataset, scope.source)
    return replace(made, unknown=one.unknown)


def _said(what: object) -> str:
    if isinstance(what, Guess):
        return what.name
    if isinstance(what, Unknown):
        return what.said
    assert isinstance(what, Mention)
    if what.kind == "name" or any(sign.isdigit() for sign in what.said):
        return what.said
    value = meant(what.said)
    return what.said if value is None or value.number is None else f"{value.number:g}"
