"""Models of patterns for alignment, and the binding of their columns to the table of the question.

A column is bound, in this order, to: the column that the question names; the column that holds the compared
name; the column of the same name; the most similar name. If a column has none, the pattern cannot be used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from ..language.ast import Call, Literal, Query, walk_literals
from ..language.printer import print_query
from ..language.words import stem
from ..matching import normalize_name, score_names
from ..model.demonstration import QuestionPattern
from .alignment import Alignment, Span
from .slots import Comparison, Mention, Slot, describe_slots, find_comparisons
from .table_columns import TableProfile, find_column_spans, stem_words
from .templates import MaskedDemonstration, find_parameter, mask_literals
from .words import split_question

# Demonstrations of a graph share its relations. Demonstrations of a table may come from another table, so the
# words that name columns become slots too.

_COLUMN_PARAMETERS = frozenset(("relation", "key", "node1", "column", "by"))
_ROW_NUMBER_COLUMNS = frozenset(("row number", "row index"))  # Columns that every table has.


@dataclass(frozen=True, slots=True)
class PatternColumn:
    """A column of a demonstration with the positions of its literals in the query.

    ``slot`` is the number of the slot for the words that name it, None if no words do; ``slot_words`` are
    these words. ``is_target``: the answer comes from this column.
    """

    name: str
    positions: frozenset[int]
    slot: int | None
    slot_words: tuple[str, ...]
    is_target: bool


@dataclass(frozen=True)
class PatternModel:
    """A pattern with its words and slots: first for names, then for comparisons, then for columns."""

    pattern: QuestionPattern
    masked: MaskedDemonstration
    parsed: Query
    words: tuple[str, ...]
    slots: tuple[Slot, ...]
    comparisons: tuple[Comparison, ...] = ()
    columns: tuple[PatternColumn, ...] = ()

    @property
    def query_form(self) -> str:
        """The query without names and, for a table, without columns."""
        markers = {
            position: "{}" for literal in self.masked.literals for position in literal.positions
        }
        markers |= {position: "[]" for column in self.columns for position in column.positions}
        parsed = replace(self.parsed, target=()) if self.columns else self.parsed
        return print_query(
            parsed, lambda literal: markers.get(literal.position) or repr(literal.text)
        )

    @property
    def stems(self) -> frozenset[str]:
        return frozenset(map(stem, self.words))


@lru_cache(maxsize=8192)
def build_pattern_model(pattern: QuestionPattern, is_table: bool) -> PatternModel | None:
    masked = mask_literals(pattern.question, pattern.query)
    if masked.parsed is None:
        return None
    words = [word.text for word in split_question(pattern.question).words]
    slot_spans = {
        (literal.first, literal.last): number for number, literal in enumerate(masked.literals)
    }
    comparisons = tuple(find_comparisons(words, masked.literals, masked.parsed))
    for comparison in comparisons:
        slot_spans[comparison.first, comparison.last] = len(slot_spans)
    columns = _find_columns(words, masked.parsed, slot_spans) if is_table else ()
    template_words = _insert_slot_markers(words, slot_spans)
    return PatternModel(
        pattern, masked, masked.parsed, template_words, describe_slots(masked), comparisons, columns
    )


def _find_columns(
    words: Sequence[str], parsed: Query, slot_spans: dict[tuple[int, int], int]
) -> tuple[PatternColumn, ...]:
    """Find the columns of a query, and add the words that name them to ``slot_spans``."""
    positions_by_column: dict[str, set[int]] = {}
    names: dict[str, str] = {}
    for literal in relation_literals(parsed):
        positions_by_column.setdefault(normalize_name(literal.text), set()).add(literal.position)
        names.setdefault(normalize_name(literal.text), literal.text)
    targets = {normalize_name(target): target for target in parsed.target}
    for column, target in targets.items():
        positions_by_column.setdefault(column, set())
        names.setdefault(column, target)
    for row_column in _ROW_NUMBER_COLUMNS:
        positions_by_column.pop(row_column, None)
    slots = _number_columns(words, positions_by_column, slot_spans)
    answer_column = _answer_column(parsed)
    if answer_column in positions_by_column and answer_column not in slots:
        # The words of the target name the answer column, though it has another name.
        for column in targets:
            if column in slots and not positions_by_column.get(column):
                slots[answer_column] = slots[column]
    slot_words = {slot: tuple(words[first:last]) for (first, last), slot in slot_spans.items()}
    return tuple(
        PatternColumn(
            names[column],
            frozenset(positions),
            slots.get(column),
            slot_words.get(slots.get(column, -1), ()),
            column in targets,
        )
        for column, positions in positions_by_column.items()
    )


def _number_columns(
    words: Sequence[str], columns: Iterable[str], slot_spans: dict[tuple[int, int], int]
) -> dict[str, int]:
    stems = [stem(word) for word in words]
    candidates = sorted(
        (-span.fit, span.first - span.last, span.first, span.last, column)
        for column in columns
        for span in find_column_spans(stems, stem_words(column))
    )
    slots: dict[str, int] = {}
    for _, _, first, last, column in candidates:
        if column not in slots and all(last <= start or end <= first for start, end in slot_spans):
            slots[column] = slot_spans[first, last] = len(slot_spans)
    return slots


def _answer_column(parsed: Query) -> str:
    last = parsed.steps[-1].value
    columns = [
        normalize_name(literal.text) for literal in relation_literals(Query(parsed.steps[-1:]))
    ]
    return columns[-1] if isinstance(last, Call) and columns else ""


def _insert_slot_markers(
    words: Sequence[str], slot_spans: dict[tuple[int, int], int]
) -> tuple[str, ...]:
    template_words: list[str] = []
    position = 0
    for (first, last), number in sorted(slot_spans.items()):
        template_words += [*words[position:first], f"{{{number}}}"]
        position = last
    return (*template_words, *words[position:])


def relation_literals(parsed: Query) -> Iterator[Literal]:
    for step in parsed.steps:
        for literal, call, argument in walk_literals(step.value):
            if call and argument and find_parameter(call, argument.name) in _COLUMN_PARAMETERS:
                yield literal


_MIN_COLUMN_SIMILARITY = 0.3  # Least similarity of two column names.
_VALUE_FIT, _NO_VALUE_FIT = 0.95, 0.5
"""Fit of a column that holds the compared name, and of one that does not."""
_UNNAMED_FIT = 0.6  # Fit of a column that only the question of the demonstration names.
_MERGED_FIT = 0.5  # Fit of two columns that are bound to one column.


@dataclass(frozen=True, slots=True)
class ColumnBinding:
    """Table columns by the normalized column names of the demonstration, and the fit (0 to 1)."""

    dataset: str
    columns: Mapping[str, str]
    fit: float


def bind_columns(
    model: PatternModel, alignment: Alignment, table: TableProfile, stems: Sequence[str]
) -> ColumnBinding | None:
    """Bind each column of the model, for a question with ``stems``; None if one cannot be bound."""
    columns: dict[str, str] = {}
    fit = 1.0
    for column in model.columns:
        span = None if column.slot is None else alignment.spans[column.slot]
        has_same_words = span is not None and (
            tuple(stems[span.first : span.last]) == tuple(map(stem, column.slot_words))
        )
        if has_same_words and is_of_table(model.pattern, table):
            # The words name this column in the demonstration, whatever else they are similar to.
            columns[normalize_name(column.name)] = column.name
            continue
        value_columns = _columns_with_value(model, alignment, column)
        match = _bind_column(column, span, value_columns, table)
        if match is None:
            if column.positions:
                return None
            continue
        columns[normalize_name(column.name)], column_fit = match
        fit *= column_fit if column.positions else 1.0
    bound_columns = [
        columns[normalize_name(column.name)] for column in model.columns if column.positions
    ]
    return ColumnBinding(
        table.dataset, columns, fit * _MERGED_FIT ** (len(bound_columns) - len(set(bound_columns)))
    )


def is_of_table(pattern: QuestionPattern, table: TableProfile) -> bool:
    """True if the demonstrations of the pattern are about this table."""
    return pattern.dataset == table.dataset and pattern.source in (None, table.source)


def _columns_with_value(
    model: PatternModel, alignment: Alignment, column: PatternColumn
) -> frozenset[str] | None:
    """The table columns that hold the name compared with ``column``; None if it is no name."""
    columns: frozenset[str] | None = None
    for slot, span in zip(model.slots, alignment.spans, strict=False):
        slot_relations = {
            normalize_name(name)
            for role in slot.roles
            if role.side == "tail"
            for name in role.relations
        }
        if (
            normalize_name(column.name) not in slot_relations
            or span is None
            or not isinstance(span.value, Mention)
        ):
            continue
        if span.value.columns:
            columns = span.value.columns if columns is None else columns & span.value.columns
    return columns


def _bind_column(
    column: PatternColumn,
    span: Span | None,
    value_columns: frozenset[str] | None,
    table: TableProfile,
) -> tuple[str, float] | None:
    if span is not None and isinstance(span.value, str):
        if value_columns is None or span.value in value_columns:
            return span.value, 1.0
        return (
            (sorted(value_columns)[0], _VALUE_FIT * _NO_VALUE_FIT)
            if value_columns
            else (span.value, _NO_VALUE_FIT)
        )
    name_fit = 1.0 if column.slot is None else _UNNAMED_FIT
    same_name = next(
        (
            name
            for name in table.column_names
            if normalize_name(name) == normalize_name(column.name)
        ),
        None,
    )
    if same_name is not None and (value_columns is None or same_name in value_columns):
        return same_name, name_fit
    if value_columns:
        return _nearest_column(column.name, sorted(value_columns))[0], _VALUE_FIT * name_fit
    name, score = _nearest_column(column.name, table.column_names)
    return (name, score * name_fit) if score >= _MIN_COLUMN_SIMILARITY else None


def _nearest_column(name: str, columns: Sequence[str]) -> tuple[str, float]:
    ranked = score_names(name, [(None, column) for column in columns])
    return (ranked[0].name, ranked[0].score) if ranked else ("", 0.0)
