"""Slots of a template, and what can fill them: mentions, comparisons and guessed names of a question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal as OneOf
from typing import TypeAlias

from ..language.ast import Call, Literal, Query, walk, walk_literals
from ..matching import normalize_name
from ..model.dataset import Scope
from ..reads.nearest import Pool, near_nodes
from ..reads.reader import Reader
from ..values import is_equal_value
from .alignment import Span
from .table_columns import TableProfile, find_cells
from .templates import MaskedDemonstration, MaskedLiteral, find_parameter
from .words import QuestionWords, read_number_or_date

# Mentions may overlap: the alignment selects among them. Taking the longest mention (the usual rule) is wrong
# for one of the two readings of *who directed The Directors*.

MAX_NAME_WORDS = 8  # words of a name without marks
_MAX_VALUE_WORDS = 4

# A ``year`` can be a number as well.
MentionKind: TypeAlias = OneOf["name", "number", "year", "date"]


@dataclass(frozen=True, slots=True)
class Mention:
    """Words of a question, from ``first`` to before ``last``, that are a name, a number or a date.

    ``datasets`` and ``columns`` (of the table of the question) hold the name. ``is_marked``: the name stands
    in brackets or quotes, so it is a name even if the data do not have it.
    """

    first: int
    last: int
    text: str
    kind: MentionKind
    datasets: frozenset[str] = frozenset()
    columns: frozenset[str] = frozenset()
    is_marked: bool = False

    @property
    def is_known(self) -> bool:
        return bool(self.datasets) or self.kind != "name"


@dataclass(frozen=True, slots=True)
class _NameOwners:
    datasets: set[str] = field(default_factory=set)
    columns: set[str] = field(default_factory=set)


def find_mentions(
    reader: Reader, question: QuestionWords, scope: Scope, table: TableProfile | None = None
) -> tuple[Mention, ...]:
    """Find all mentions in one round trip, or in none if the cells of the table are in memory."""
    marked = tuple(_marked_mentions(question))
    spans = [
        (first, last)
        for first, last in iter_word_runs(len(question.words), MAX_NAME_WORDS)
        if not any(mention.first < last and first < mention.last for mention in marked)
    ]
    values = tuple(_value_mentions(question, spans))
    if table is not None and table.cell_columns:
        return (*_cell_mentions(question, spans, marked, table), *values)
    span_names = {span: normalize_name(question.text_between(*span)) for span in spans}
    names = sorted({*span_names.values(), *(normalize_name(mention.text) for mention in marked)})
    columns = list(table.column_names) if table is not None else []
    parameters = {"datasets": list(scope.datasets), "names": names, "source": scope.source}
    owners_by_name: dict[str, _NameOwners] = {}
    for row in reader.run("find_mentions", columns=columns, **parameters):
        holding_columns = [column for column in row["columns"] if column is not None]
        if columns and not holding_columns:
            continue
        owners = owners_by_name.setdefault(row["folded"], _NameOwners())
        owners.datasets.add(row["dataset"])
        owners.columns.update(holding_columns)
    mentions = [
        Mention(*span, question.text_between(*span), "name", *_freeze_owners(owners_by_name[name]))
        for span, name in span_names.items()
        if name in owners_by_name
    ]
    mentions += [
        replace(mention, datasets=datasets, columns=owner_columns)
        for mention in marked
        for datasets, owner_columns in (
            _freeze_owners(owners_by_name.get(normalize_name(mention.text))),
        )
    ]
    return (*mentions, *values)


def _cell_mentions(
    question: QuestionWords,
    spans: list[tuple[int, int]],
    marked: tuple[Mention, ...],
    table: TableProfile,
) -> Iterator[Mention]:
    datasets = frozenset((table.dataset,))
    for span in spans:
        name, columns = find_cells(question, *span, table)
        if columns:
            yield Mention(*span, name, "name", datasets, columns)
    for mention in marked:
        name, columns = find_cells(question, mention.first, mention.last, table)
        owner_datasets = datasets if columns else frozenset()
        yield replace(mention, text=name or mention.text, datasets=owner_datasets, columns=columns)


def _freeze_owners(owners: _NameOwners | None) -> tuple[frozenset[str], frozenset[str]]:
    return (frozenset(owners.datasets), frozenset(owners.columns)) if owners else (frozenset(),) * 2


def iter_word_runs(word_count: int, max_words: int) -> Iterator[tuple[int, int]]:
    for first in range(word_count):
        for last in range(first + 1, min(first + max_words, word_count) + 1):
            yield first, last


def _marked_mentions(question: QuestionWords) -> Iterator[Mention]:
    for name in question.marked_names:
        word_positions = [
            position
            for position, word in enumerate(question.words)
            if name.start <= word.start and word.end <= name.end
        ]
        if word_positions:
            kind = classify_text(name.text)
            yield Mention(
                word_positions[0], word_positions[-1] + 1, name.text, kind, is_marked=True
            )


def _value_mentions(question: QuestionWords, spans: list[tuple[int, int]]) -> Iterator[Mention]:
    """Yield numbers and dates, each with as few words as possible."""
    for first, last in spans:
        if last - first > _MAX_VALUE_WORDS:
            continue
        text = question.text_between(first, last)
        value = read_number_or_date(text)
        if value is None:
            continue
        parts = [(first + 1, last), (first, last - 1)] if last - first > 1 else []
        shorter_values = [read_number_or_date(question.text_between(*part)) for part in parts]
        if not any(part is not None and is_equal_value(part, value) for part in shorter_values):
            yield Mention(first, last, text, classify_text(text))


def classify_text(text: str) -> MentionKind:
    value = read_number_or_date(text)
    if value is None:
        return "name"
    if value.start is None:
        return "number"
    return "year" if value.number is not None else "date"


RoleSide = OneOf["head", "tail", "any"]

_KIND_FIT: dict[tuple[MentionKind, MentionKind], float] = {
    ("name", "name"): 1.0, ("name", "year"): 0.5, ("name", "number"): 0.3, ("name", "date"): 0.3,
    ("number", "number"): 1.0, ("number", "year"): 0.8, ("number", "date"): 0.2, ("number", "name"): 0.2,
    ("year", "year"): 1.0, ("year", "date"): 0.7, ("year", "number"): 0.6, ("year", "name"): 0.2,
    ("date", "date"): 1.0, ("date", "year"): 0.8, ("date", "number"): 0.2, ("date", "name"): 0.2,
}  # fmt: skip
"""Fit of (kind in the demonstration, kind in the question)."""
UNKNOWN_FIT = 0.9  # Fit of a marked name that the data do not have, relative to one that they have.


@dataclass(frozen=True, slots=True)
class Role:
    """The place of a literal in a query: a side of some relations."""

    relations: tuple[str, ...]
    side: RoleSide


@dataclass(frozen=True, slots=True)
class Slot:
    """A gap in a template: the kind of value it takes, and its roles in the query."""

    kind: MentionKind
    roles: tuple[Role, ...]


def describe_slots(masked: MaskedDemonstration) -> tuple[Slot, ...]:
    if masked.parsed is None:
        return ()
    roles = list(_literal_roles(masked.parsed))
    return tuple(
        Slot(
            classify_text(literal.query_text),
            tuple(dict.fromkeys(role for position, role in roles if position in literal.positions)),
        )
        for literal in masked.literals
    )


def match_slot(slot: Slot, mentions: Sequence[Mention]) -> tuple[Span, ...]:
    return tuple(
        Span(
            mention.first,
            mention.last,
            _KIND_FIT[slot.kind, mention.kind] * (1.0 if mention.is_known else UNKNOWN_FIT),
            mention,
        )
        for mention in mentions
    )


def _literal_roles(parsed: Query) -> Iterator[tuple[int, Role]]:
    literals = [entry for step in parsed.steps for entry in walk_literals(step.value)]
    for literal, call, argument in reversed(literals):
        role = Role((), "any")
        if call is not None and argument is not None:
            relations, keys = _literal_texts(call, "relation"), _literal_texts(call, "key")
            name = find_parameter(call, argument.name)
            if name in ("head_entity", "tail_entity"):
                role = Role(relations or keys, "head" if name == "head_entity" else "tail")
            elif name == "value":
                role = Role(keys or relations, "tail")
        yield literal.position, role


def _literal_texts(call: Call, parameter: str) -> tuple[str, ...]:
    return tuple(
        argument.value.text
        for argument in call.arguments
        if isinstance(argument.value, Literal) and find_parameter(call, argument.name) == parameter
    )


_COMPARISON_WORDS: Mapping[str, tuple[str, ...]] = {
    ">": ("more than", "over", "above", "greater than", "higher than", "larger than", "bigger than",
          "longer than", "exceeding", "after", "later than"),
    "<": ("less than", "fewer than", "under", "below", "lower than", "smaller than", "shorter than",
          "before", "earlier than", "prior to"),
    ">=": ("at least", "no less than", "no fewer than", "a minimum of", "since"),
    "<=": ("at most", "no more than", "a maximum of", "up to"),
}  # fmt: skip
COMPARISON_OPERATORS = {
    tuple(words.split()): sign for sign, phrases in _COMPARISON_WORDS.items() for words in phrases
}
_MAX_COMPARISON_WORDS = max(map(len, COMPARISON_OPERATORS))
_OTHER_OPERATOR_FIT = 0.9  # Fit of a comparison whose operator differs from the demonstration.


@dataclass(frozen=True, slots=True)
class Comparison:
    """Words of a demonstration that state an operator, and the positions of the literals it applies to."""

    first: int
    last: int
    operator: str
    positions: frozenset[int]


def find_comparisons(
    words: Sequence[str], literals: Sequence[MaskedLiteral], parsed: Query
) -> Iterator[Comparison]:
    operators = dict(_comparison_operators(parsed))
    for literal in literals:
        signs = {operators[position] for position in literal.positions if position in operators}
        for length in range(min(_MAX_COMPARISON_WORDS, literal.first), 0, -1):
            sign = COMPARISON_OPERATORS.get(tuple(words[literal.first - length : literal.first]))
            if sign is not None and signs == {sign}:
                yield Comparison(literal.first - length, literal.first, sign, literal.positions)
                break


def match_comparison(words: Sequence[str], operator: str) -> Iterator[Span]:
    """Find comparison words that can replace those of ``operator``."""
    for first in range(len(words)):
        for last in range(first + 1, min(first + _MAX_COMPARISON_WORDS, len(words)) + 1):
            sign = COMPARISON_OPERATORS.get(tuple(words[first:last]))
            if sign is not None:
                yield Span(first, last, 1.0 if sign == operator else _OTHER_OPERATOR_FIT, sign)


def _comparison_operators(parsed: Query) -> Iterator[tuple[int, str]]:
    for step in parsed.steps:
        for value in walk(step.value):
            for argument in value.arguments if isinstance(value, Call) else ():
                if isinstance(argument.value, Literal) and argument.operator in _COMPARISON_WORDS:
                    yield argument.value.position, argument.operator


MIN_NAME_SIMILARITY = 0.7
"""A name is guessed from this similarity on. It is strict since no model read the question."""
_MIN_SUGGESTION_SIMILARITY, _MAX_SUGGESTIONS = 0.25, 3
"""Suggestions if no name is similar enough: least similarity, and number."""
_ASSUMED_FACTS = 1_000_000
"""Assumed number of facts of the relations, so that the name indexes are searched first."""


@dataclass(frozen=True, slots=True)
class GuessedName:
    text: str
    name: str
    score: float


@dataclass(frozen=True, slots=True)
class UnknownName:
    """Words without a similar name, and the nearest names."""

    text: str
    nearest: tuple[str, ...] = ()

    @property
    def is_capitalized(self) -> bool:
        """True if each word begins with a capital or a digit, the first one with a capital."""
        words = self.text.split()
        return words[0][0].isupper() and all(w[0].isupper() or w[0].isdigit() for w in words)


def guess_name(
    reader: Reader, text: str, slot: Slot, scope: Scope, embedded: bool
) -> GuessedName | UnknownName:
    """Find the nearest name for the first role of the slot."""
    role = slot.roles[0] if slot.roles else Role((), "any")
    pool = Pool(role.relations, role.side, scope.source, _ASSUMED_FACTS)
    ranked = near_nodes(reader, text, scope.datasets, pool, embedded)
    if not ranked or ranked[0].score < MIN_NAME_SIMILARITY:
        suggestions = dict.fromkeys(
            candidate.name for candidate in ranked if candidate.score >= _MIN_SUGGESTION_SIMILARITY
        )
        return UnknownName(text, tuple(suggestions)[:_MAX_SUGGESTIONS])
    return GuessedName(text, ranked[0].name, ranked[0].score)
