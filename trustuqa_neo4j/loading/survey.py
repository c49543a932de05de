"""A first reading of the files before anything is written: it checks them, and decides how columns are read.

The cells of tables are counted column by column. So a column is read in one way, and the load reports what it
doubts. The reading of a column is attached to the start of its source.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..errors import UsageError, format_list
from ..matching import suggest_names
from ..model.facts import ALL_RELATIONS, Fact, Item, NodeDeclared, Readings, SourceStart
from ..values import ColumnNote, ColumnSurvey, KindSurvey, ValueOptions, may_be_ambiguous
from ..wording import CallOption
from .request import LoadRequest
from .writer import HUB_DEGREE

NO_OPTIONS = ValueOptions()
MAX_NOTES = 20
"""Columns with a note; the others are counted."""


class Decision(NamedTuple):
    """``readings`` by source, and the words for a ``missing`` value in each column, in ``left_out`` cells.

    ``frequent`` are texts of each column whose nodes will be hubs.
    """

    readings: dict[str, Readings]
    missing: dict[str, dict[str, frozenset[str]]]
    left_out: int
    notes: list[ColumnNote]
    frequent: dict[str, dict[str, frozenset[str]]]


@dataclass
class Survey:
    """The facts, sources and columns of all items."""

    # ``facts`` are distinct if repeated ones are counted, as a load does.
    counts_repeated: bool = False
    facts: int = 0
    repeated: int = 0
    has_tables: bool = False
    sources: dict[str, None] = field(default_factory=dict)
    repeated_columns: set[str] = field(default_factory=set)
    relations: set[str] = field(default_factory=set)
    columns: dict[tuple[str, str], ColumnSurvey] = field(default_factory=dict)
    kinds: dict[tuple[str, str], KindSurvey] = field(default_factory=dict)

    def watch(self, items: Iterator[Item]) -> Iterator[Item]:
        # Yield ``items``, and count them.
        source, file = "", ""
        is_table = False
        fact_hashes: set[int] = set()
        relations, columns = self.relations, dict[str, ColumnSurvey]()
        kinds: dict[str, KindSurvey] = {}
        for item in items:
            if isinstance(item, Fact):
                if self.counts_repeated:
                    self._count_distinct(item, source, fact_hashes)
                else:
                    self.facts += 1
                relation, text = item.relation, item.tail
                relations.add(relation)
                if is_table:
                    kind = kinds.get(relation)
                    if kind is None:
                        kind = self.kinds.setdefault((source, relation), KindSurvey(relation))
                        kinds[relation] = kind
                    kind.add(text, file, item.line)
                if is_table and may_be_ambiguous(text):
                    column = columns.get(relation)
                    if column is None:
                        column = self.columns.setdefault((source, relation), ColumnSurvey(relation))
                        columns[relation] = column
                    column.add(text, file, item.line)
            elif isinstance(item, SourceStart):
                source, file, is_table = item.source, item.file, item.kind == "table"
                columns, kinds = {}, {}
                self._add_source(item)
            elif is_table and isinstance(item, NodeDeclared) and item.position is not None:
                fact_hashes.clear()  # each row is a node of its own
            yield item

    def _add_source(self, start: SourceStart) -> None:
        self.sources[start.source] = None
        self.has_tables |= start.kind == "table"
        self.relations.update(start.columns)
        if len(set(start.columns)) < len(start.columns):
            self.repeated_columns.add(start.source)

    def _count_distinct(self, fact: Fact, source: str, fact_hashes: set[int]) -> None:
        # As a load reports them: repeated facts once, and a fact for each qualifier.
        facts = 1 + len(dict.fromkeys(fact.qualifiers))
        fact_hash = hash((source, fact._replace(line=0)))
        if fact_hash in fact_hashes:
            self.repeated += facts
        else:
            fact_hashes.add(fact_hash)
            self.facts += facts

    def check_columns(self, values: ValueOptions) -> None:
        # Refuse options for columns that no source has.
        for column in values.columns:
            if column not in self.relations:
                nearest = suggest_names(column, sorted(self.relations), most=1)
                names = format_list([*map(repr, sorted(self.relations))], 5)
                hint = f"did you mean {nearest[0]!r}?" if nearest else f"there are {names}"
                what = f"{_name_options(values.columns[column])} for {column!r}: no column"
                raise UsageError(what, hint=hint)

    def _find_comma_sources(self) -> set[str]:
        # Sources that have columns with decimal commas, and none with decimal points.
        signs: dict[str, set[str | None]] = {}
        for (source, _), column in self.columns.items():
            signs.setdefault(source, set()).add(column.find_decimal())
        return {source for source, own in signs.items() if "," in own and "." not in own}

    def decide(self, request: LoadRequest) -> Decision:
        """Decide how the columns of each source are read."""
        readings: dict[str, list[tuple[str, str]]] = {}
        missing: dict[str, dict[str, frozenset[str]]] = {}
        notes: list[ColumnNote] = []
        left_out = 0
        comma_sources = self._find_comma_sources()
        is_benchmark = request.loader.benchmark
        for source, relation in dict.fromkeys([*self.columns, *self.kinds]):
            defaults = request.default_values.of_column(relation)
            if defaults.kind in ("text", "boolean"):
                continue
            fixed = request.fixed_values.of_column(relation)
            options = defaults
            if column := self.columns.get((source, relation)):
                options = column.decide(defaults, fixed, source in comma_sources)
                notes += column.notes
            if kind := self.kinds.get((source, relation)):
                has_words = bool(request.column_values.get(relation, NO_OPTIONS).null)
                options = kind.decide(options, fixed, has_words, only_months=is_benchmark)
                left_out += kind.count_missing(options.null - defaults.null)
                notes += kind.notes
            if options.reading != defaults.reading:
                readings.setdefault(source, []).append((relation, options.reading))
            if options.null != defaults.null:
                missing.setdefault(source, {})[relation] = options.null
        return Decision(
            {source: tuple(pairs) for source, pairs in readings.items()},
            missing,
            left_out,
            notes,
            self._list_frequent(),
        )

    def _list_frequent(self) -> dict[str, dict[str, frozenset[str]]]:
        # Each cell of a source without repeated columns is a fact of its own.
        frequent: dict[str, dict[str, frozenset[str]]] = {}
        for (source, relation), kind in self.kinds.items():
            texts = kind.list_frequent(HUB_DEGREE)
            if texts and source not in self.repeated_columns:
                frequent.setdefault(source, {})[relation] = texts
        return frequent


def attach_readings(items: Iterator[Item], request: LoadRequest) -> Iterator[Item]:
    # The starts of sources get the readings that differ from those of the dataset.
    values = request.default_values
    fixed: dict[str, str] = {}
    if values.reading != request.dataset_values.reading:
        fixed[ALL_RELATIONS] = values.reading
    for column in values.columns:
        fixed[column] = values.of_column(column).reading
    if not (fixed or request.readings):
        return items
    return _replace_readings(items, fixed, request.readings)


def _replace_readings(
    items: Iterator[Item], fixed: dict[str, str], readings: Mapping[str, Readings]
) -> Iterator[Item]:
    for item in items:
        if isinstance(item, SourceStart):
            pairs = fixed | dict(readings.get(item.source, ())) | dict(item.readings)
            yield item._replace(readings=tuple(pairs.items()))
        else:
            yield item


def _name_options(options: ValueOptions) -> str:
    settings = {
        CallOption.DATES: options.dates,
        CallOption.DECIMAL: options.decimal,
        CallOption.TYPE: options.kind,
        CallOption.NULL: options.null,
    }
    return " or ".join(str(option) for option, setting in settings.items() if setting)


def limit_notes(notes: Sequence[ColumnNote]) -> list[ColumnNote]:
    # The first notes; those on further columns have one message.
    further = (
        f"this column is doubtful too ({CallOption.DRY_RUN} with this file alone describes it)"
    )
    return [*notes[:MAX_NOTES], *(ColumnNote(further, note.place) for note in notes[MAX_NOTES:])]
