"""A question → queries that demonstrations like it suggest, best first: the writer that needs no model.

The nearest patterns are laid against the question (``aligning``), what the question names goes into their
blanks, and each gives a query; patterns that give the same one speak for it together. What the queries find
is the caller's to see: which of them is the answer, and whether any is, is then ``deciding``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..compiling import Program, Read
from ..dataset import Scope
from .aligning import Span, Weights, align
from .blanks import UNKNOWN, Blank, fits
from .columns import Table, naming, read_table
from .comparisons import comparing
from .demonstration import Demonstration, Pattern
from .guessing import Guess, Unknown, guess
from .leaving import without
from .mentions import LONGEST, Mention, find_mentions
from .rebinding import rebind
from .retrieving import Askable, askable_of, near_patterns
from .shaping import Shape, shape
from .sourcing import find_source
from .suggesting import Candidate, Fitted, supported
from .words import Wording, read_words, stem

MOST = 5
"""Queries that are suggested."""
RETRIEVED = 60
"""Patterns that are retrieved."""
_ALIGNED = 25
"""Patterns that are laid against the question: those that share most with it, whatever the order."""
_SURE = 0.9
"""Where a pattern fits so well, no names are guessed."""
_GUESSED = 0.4
"""How well words fit a blank that nothing is known of."""
_GUESSES = 4
"""Look-ups of near names for one question."""
_SHOWN = 3
"""Patterns that are shown where nothing is answered."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """What may be asked, best first, and the patterns nearest to the question.

    ``askable`` is how far each dataset can be asked; empty where the patterns were given.
    """

    queries: tuple[Candidate, ...]
    nearest: tuple[Pattern, ...]
    askable: Mapping[str, Askable] = field(default_factory=dict)


@dataclass(frozen=True)
class _Asked:
    """A question, and what is known of it."""

    wording: Wording
    stems: tuple[str, ...]
    scope: Scope
    table: Table | None
    mentions: tuple[Mention, ...]
    columns: tuple[Span, ...]
    weights: Weights
    wordings: Mapping[str, int]


def candidates(
    question: str,
    scope: Scope,
    embedded: bool,
    patterns: Sequence[Pattern] | None = None,
    leaving: Demonstration | None = None,
) -> Program[Candidates]:
    """Queries for ``question`` after ``patterns``, by default those near to it in the scope's datasets.

    ``leaving`` is a demonstration that is passed over, as if it had never been given.
    """

    def retrieve(text: str) -> Program[list[Pattern]]:
        found = yield from near_patterns(text, askable, RETRIEVED, embedded)
        return found if leaving is None else without(found, leaving)

    given = patterns
    askable: Mapping[str, Askable] = {}
    if patterns is None:
        askable = yield from askable_of(scope.datasets)
        patterns = yield from retrieve(question)
    wording = read_words(question)
    source, settled = yield from find_source(wording, scope, patterns)
    if not settled:
        patterns = [pattern for pattern in patterns if pattern.source is None]
    within = Scope(scope.datasets, source)
    table = yield from read_table(within)
    mentions = yield from find_mentions(wording, within, table)
    stems = tuple(stem(word.text) for word in wording.words)
    columns = _columns(stems, table)
    if given is None and table is not None:
        alike = yield from retrieve(_form(wording, mentions, columns))
        patterns = list({(p.dataset, p.question, p.query): p for p in (*patterns, *alike)}.values())
    shapes = [one for p in patterns if (one := shape(p, table is not None)) is not None]
    weights = Weights.of((one.words, one.skeleton) for one in shapes)
    wordings: dict[str, int] = {}
    for pattern in patterns:
        wordings[pattern.template] = max(pattern.count, wordings.get(pattern.template, 0))
    asked = _Asked(wording, stems, within, table, mentions, columns, weights, wordings)
    chosen = _likest(shapes, asked)
    fitted = [_fit(one, asked) for one in chosen]
    if max((one.score for one in fitted), default=0.0) < _SURE:
        runs = _guessable(asked)
        again = [_fit(one, asked, runs) for one in chosen]
        fitted += yield from _guessed(again, asked, embedded)
    if table is not None:
        fitted = list(_rebound(fitted, table))
    fitted.sort(key=lambda one: -one.score)
    nearest = tuple(dict.fromkeys(one.shape.pattern for one in fitted))[:_SHOWN]
    found = yield from _labelled(tuple(supported(fitted, within))[:MOST])
    return Candidates(found, nearest, askable)


def _labelled(found: tuple[Candidate, ...]) -> Program[tuple[Candidate, ...]]:
    """With what is known of how many things their demonstrations had to find."""
    if not found:
        return ()
    keys = [_key(each.pattern) for each in found]
    datasets, named = ({*part} for part in zip(*keys, strict=True))
    given = {"datasets": sorted(datasets), "keys": sorted(named)}
    rows = yield Read("labels_of_demonstrations", given)
    single = {(row["dataset"], row["key"]) for row in rows if row["labels"] == 1}
    return tuple(replace(each, single=key in single) for each, key in zip(found, keys, strict=True))


def _key(pattern: Pattern) -> tuple[str, str]:
    shown = Demonstration(pattern.question, pattern.query, source=pattern.source)
    return pattern.dataset, shown.key


def _columns(stems: Sequence[str], table: Table | None) -> tuple[Span, ...]:
    """The words that name columns of the table."""
    if table is None:
        return ()
    return tuple(
        replace(span, what=column.name)
        for column in table.columns
        for span in naming(stems, column.stems)
    )


def _form(wording: Wording, mentions: Sequence[Mention], columns: Sequence[Span]) -> str:
    """What a question says besides names and columns, which are those of other tables in demonstrations."""
    spans = [(span.first, span.last) for span in columns if span.fit >= _SURE]
    spans += [(mention.first, mention.last) for mention in mentions if mention.kind == "name"]
    named = {at for first, last in spans for at in range(first, last)}
    return " ".join(word.text for at, word in enumerate(wording.words) if at not in named)


def _likest(shapes: Sequence[Shape], asked: _Asked) -> list[Shape]:
    """Those that share most telling words with the question, in whatever order."""
    said = set(asked.stems)

    def shared(one: Shape) -> float:
        alike = sum(asked.weights.weight(word) for word in one.stems & said)
        return alike - sum(asked.weights.weight(word) for word in one.stems - said) / 2

    return sorted(shapes, key=shared, reverse=True)[:_ALIGNED]


def _fit(one: Shape, asked: _Asked, further: Sequence[Span] = ()) -> Fitted:
    dataset = one.pattern.dataset
    here = [m for m in asked.mentions if not m.datasets or dataset in m.datasets]
    words = [word.text for word in asked.wording.words]
    spans: list[Sequence[Span]] = [
        (*fits(blank, here), *(further if blank.kind == "name" else ())) for blank in one.blanks
    ]
    spans += [tuple(comparing(words, each.operator)) for each in one.comparisons]
    said = {column.number for column in one.columns if column.number is not None}
    spans += [asked.columns] * len(said)
    undisputed = one.pattern.count / asked.wordings[one.pattern.template]
    return Fitted(one, align(one.words, asked.stems, spans, asked.weights), undisputed)


def _rebound(fitted: Iterable[Fitted], table: Table) -> Iterator[Fitted]:
    """Those whose columns are found in the table."""
    for one in fitted:
        bound = rebind(one.shape, one.alignment, table)
        if bound is not None:
            yield replace(one, bound=bound)


def _guessable(asked: _Asked) -> list[Span]:
    """Runs that may be a name though nothing is called so: no word of a template begins or ends them."""
    marked = [m for m in asked.mentions if m.marked]
    strange = [word not in asked.weights.weights for word in asked.stems]
    return [
        Span(first, last, _GUESSED)
        for first in range(len(strange))
        for last in range(first + 1, min(first + LONGEST, len(strange)) + 1)
        if strange[first] and strange[last - 1]
        if not any(m.first < last and first < m.last for m in marked)
    ]


def _guessed(fitted: Iterable[Fitted], asked: _Asked, embedded: bool) -> Program[list[Fitted]]:
    """Those of which what was guessed is near a name, by how near, or must be one; few are looked up."""
    known: dict[tuple[str, Blank], Guess | Unknown] = {}
    found: list[Fitted] = []
    for each in sorted(fitted, key=lambda one: -one.score):
        spans = list(each.alignment.spans)
        gained = 0.0
        for number, blank in enumerate(each.shape.blanks):
            span = spans[number]
            if span is None or span.what is not None:
                continue
            said = asked.wording.said(span.first, span.last)
            if (said, blank) not in known:
                if len(known) >= _GUESSES:
                    break
                known[said, blank] = yield from guess(said, blank, asked.scope, embedded)
            near = known[said, blank]
            if isinstance(near, Unknown) and not _is_name(near, each, asked):
                break
            fit = UNKNOWN if isinstance(near, Unknown) else near.score
            gained += fit - span.fit
            spans[number] = replace(span, fit=fit, what=near)
        else:
            if gained:
                alignment = replace(each.alignment.regained(gained), spans=tuple(spans))
                found.append(replace(each, alignment=alignment))
    return found


def _is_name(said: Unknown, fitted: Fitted, asked: _Asked) -> bool:
    """Whether words are a name though nothing is called so: written as one, and all else is as demonstrated.

    Of a table that is asked after those of others, too little else is sure for that.
    """
    return asked.table is None and said.capital and fitted.alignment.worded
