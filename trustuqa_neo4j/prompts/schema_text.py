"""The schema as text: tables with columns and a sample row, graphs with relations, and classes.

Relations get details (kinds, ranges, samples) while there is room for them, the others only their names. The
caller decides how many are shown (`PromptContents`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache

from ..lexicon.forms import stem
from ..matching import split_words
from ..matching.invisible import replace_invisible
from ..model.dataset import SAMPLES, Schema, SchemaRelation, SchemaSource
from ..semantic_parser.reading import QuestionLink
from ..values.value import format_day_range, format_number_range
from .prompt_input import (
    MAX_TABLES,
    WHOLE_HEADERS,
    NeighbourFact,
    PromptInput,
    RankedRelation,
    RelationKey,
    count_tables,
    detailed_tables,
    list_graphs,
    name_tables,
    remembered_lines,
    shown_tables,
)
from .question_hints import ReadingHint

# Names, cells and questions can contain text that poses as an instruction. So each is a JSON string in double
# quotes, and the instruction says that quoted text is data. Line ends and invisible characters are escaped.
# Tags around all data would not show where each name ends.

_ESCAPED = re.compile(
    '["\\\\\x00-\x1f\x7f-\x9f\u2028\u2029'  # quotes, controls, other ends of lines
    "\u202a-\u202e\u2066-\u2069"  # turn the direction of what follows
    "\ud800-\udfff]"  # half characters
)
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}

MAX_TEXT = 80  # characters of a cell or an entity name

MAX_NAME = 200
"""Characters of a schema name that are shown; more, since the model must copy it exactly."""


def quote_text(text: str, longest: int | None = None) -> str:
    """Quote and escape ``text``; if it is longer than ``longest``, cut it and add … after the quotes."""
    cut = text if longest is None else text[:longest]
    escaped = _ESCAPED.sub(lambda match: _escape_character(match[0]), cut)
    escaped = replace_invisible(escaped, _escape_character)
    return f'"{escaped}"' + "…" * (len(cut) < len(text))


@lru_cache(maxsize=4_096)
def quote_name(name: str) -> str:
    return quote_text(name, MAX_NAME)


def join_names(names: Iterable[str]) -> str:
    return "|".join(map(quote_name, names))


def _escape_character(character: str) -> str:
    if character in _SHORT:
        return _SHORT[character]
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[n] << 8 | units[n + 1]:04x}" for n in range(0, len(units), 2))


MAX_FACTS = 25  # facts of each step of a neighbourhood
MAX_CLASSES = 60  # Those with the most members come first.
MAX_COMMENT = 200  # characters of a comment

MAX_SAMPLES = 3
MAX_CELLS = 3  # texts of the question that are cells of a table
FEW_COLUMNS = 4  # of a table that is shown by a part of its header
MAX_LEADS_ON = 6  # relations from nodes without names
MIN_KIND_SHARE = 0.05  # A rarer kind of values is not mentioned.

_KINDS = {"number": "numbers", "date": "dates", "year": "years"}


@dataclass(frozen=True, slots=True)
class PromptFragment:
    part: str
    text: str
    sent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PromptContents:
    """How much a prompt shows: numbers of demonstrations and relations, and flags for the rest.

    ``detailed`` relations of graphs have kinds, ranges and samples. ``tables``: of each dataset, beside those
    shown in full. ``heads``: samples of the heads of relations, too.
    """

    demonstrations: int
    relations: int
    detailed: int
    tables: int = MAX_TABLES
    heads: bool = False
    samples: bool = True
    neighbourhoods: bool = True
    hints: bool = True
    worked_examples: bool = True


@dataclass(frozen=True, slots=True)
class _DatasetView:
    prompt_input: PromptInput
    schema: Schema
    ranked: Sequence[RankedRelation]
    shown: Set[RelationKey]
    detailed: Set[RelationKey]
    has_values: bool
    has_heads: bool

    def relations(self) -> list[SchemaRelation]:
        return [relation for dataset, relation in self.ranked if dataset == self.schema.dataset]

    def is_shown(self, name: str) -> bool:
        return (self.schema.dataset, name) in self.shown


def describe_data(
    prompt_input: PromptInput, ranked: Sequence[RankedRelation], contents: PromptContents
) -> Iterator[PromptFragment]:
    """Describe the data; ``contents`` says how many of the ``ranked`` relations are shown."""
    shown = ranked[: contents.relations]
    if len(ranked) == contents.relations == contents.detailed:
        # The same for each question over the data.
        ranked = shown = sorted(ranked, key=_by_facts)
    shown_keys = {(dataset, relation.name) for dataset, relation in shown}
    detailed = {(dataset, relation.name) for dataset, relation in shown[: contents.detailed]}
    for schema in prompt_input.schemas:
        has_values = contents.samples and not prompt_input.private
        view = _DatasetView(
            prompt_input, schema, ranked, shown_keys, detailed, has_values, contents.heads
        )
        detailed_names = {table.name for table in detailed_tables(schema, prompt_input.sources)}
        tables = shown_tables(schema, prompt_input.sources)
        for table in tables:
            if table.name in detailed_names:
                yield from _table_fragments(view, table)
        further = [table for table in tables if table.name not in detailed_names]
        yield from _header_fragments(view, further[: contents.tables], len(detailed_names))
        yield from _unnamed_table_fragments(view)
        yield from _class_fragments(view)
        yield from _graph_fragments(view)
        if schema.notes:
            notes = "\n".join(map(quote_text, schema.notes))
            text = f"Notes of its owner about dataset {quote_name(schema.dataset)}:\n{notes}"
            yield PromptFragment("schema", text, _SCHEMA)


def _by_facts(ranked: RankedRelation) -> tuple[int, str, str]:
    dataset, relation = ranked
    return -relation.facts, dataset, relation.name


def describe_links(prompt_input: PromptInput, contents: PromptContents) -> Iterator[PromptFragment]:
    """Describe the data around the names of the question, and what the question may mean."""
    if contents.neighbourhoods:
        yield from _neighbourhood_fragments(prompt_input)
    if contents.hints:
        yield from _hint_fragments(prompt_input)


def format_row(cells: Sequence[tuple[str, str]]) -> str:
    return "|".join(f"{quote_name(column)}:{quote_text(cell, MAX_TEXT)}" for column, cell in cells)


def _table_fragments(view: _DatasetView, table: SchemaSource) -> Iterator[PromptFragment]:
    columns = [column for column in table.columns if view.is_shown(column)]
    name = name_tables(view.schema)[table.name]
    head = f"Table {quote_name(name)} of dataset {quote_name(view.schema.dataset)}"
    sample = (
        view.prompt_input.find_sample(view.schema.dataset, table.name) if view.has_values else None
    )
    if sample is not None:
        cells = [cell for cell in sample.cells if view.is_shown(cell[0])]
        yield PromptFragment(
            "schema", f"{head}; its columns, each with its value in the first row:", _SCHEMA
        )
        yield PromptFragment("sample", format_row(cells), ("sample row",))
    else:
        yield PromptFragment("schema", f"{head}; its columns:\n{join_names(columns)}", _SCHEMA)
    own_columns = view.prompt_input.columns.get((view.schema.dataset, table.name))
    relations = own_columns or {relation.name: relation for relation in view.relations()}
    by_kinds: dict[str, list[str]] = {}
    for name in dict.fromkeys(columns):
        by_kinds.setdefault(_column_kinds(view, relations[name]), []).append(name)
    by_kinds.pop("text", None)
    if by_kinds:
        kinds = "; ".join(f"{join_names(names)} {kind}" for kind, names in by_kinds.items())
        text = f"Columns that are not just text: {kinds}"
        yield PromptFragment("schema", text, (*_SCHEMA, *(_VALUES * view.has_values)))
    if view.has_values:
        few = [
            relations[name] for name in dict.fromkeys(columns) if _has_few_values(relations[name])
        ]
        values = "; ".join(f"{quote_name(r.name)}: {_join_values(r.samples)}" for r in few)
        if values:
            text = f"Columns with few values, which are all: {values}"
            yield PromptFragment("schema", text, (*_SCHEMA, *_VALUES))
    yield from _omission_fragment(len(set(table.columns)) - len(set(columns)), "columns of it")


def _has_few_values(relation: SchemaRelation) -> bool:
    """True for texts of one table that repeat, if the catalog has all of them."""
    is_text = next(iter(relation.tails.shares), "text") == "text"
    is_complete = 1 < len(relation.samples) < min(SAMPLES, relation.facts)
    return len(relation.sources) == 1 and is_text and is_complete


def _header_fragments(
    view: _DatasetView, tables: Sequence[SchemaSource], detailed: int
) -> Iterator[PromptFragment]:
    """Describe tables by their columns and the texts of the question that are cells of theirs.

    The first ones have all their columns; the others those that the question may name, or the first ones.
    """
    titles = name_tables(view.schema)
    stems = {stem(word) for word in split_words(view.prompt_input.question)}
    by_columns: dict[str, list[str]] = {}
    has_cells = False
    for rank, table in enumerate(tables, detailed):
        columns = [column for column in dict.fromkeys(table.columns) if view.is_shown(column)]
        if not columns:
            continue
        is_whole = rank < WHOLE_HEADERS
        cells = view.prompt_input.cells.get((view.schema.dataset, table.name), ())
        shown = cells[:MAX_CELLS] if is_whole and view.has_values else ()
        has_cells = has_cells or bool(shown)
        matches = f" (has the cells {join_names(shown)})" if shown else ""
        header = _join_header(columns if is_whole else _choose_columns(columns, stems))
        mark = "" if is_whole or len(columns) <= FEW_COLUMNS else "…"
        title = f"{quote_name(titles[table.name])}{matches}"
        by_columns.setdefault(f"{header}{mark}", []).append(title)
    if not by_columns:
        return
    lines = [f"Further tables of dataset {quote_name(view.schema.dataset)}, and their columns:"]
    lines += [f"{', '.join(names)}: {columns}" for columns, names in by_columns.items()]
    yield PromptFragment("schema", "\n".join(lines), (*_SCHEMA, *(_VALUES * has_cells)))


def _choose_columns(columns: Sequence[str], stems: Set[str]) -> list[str]:
    """The columns with one of the stems, then the first ones, ``FEW_COLUMNS`` in all, in their order."""
    places = range(len(columns))
    is_named = [not stems.isdisjoint(_stem_words(column)) for column in columns]
    chosen = sorted(places, key=lambda place: (not is_named[place], place))[:FEW_COLUMNS]
    return [columns[place] for place in sorted(chosen)]


@lru_cache(maxsize=4_096)
def _stem_words(column: str) -> frozenset[str]:
    return frozenset(map(stem, split_words(column)))


def _join_header(columns: Sequence[str]) -> str:
    """Columns with ``|`` between them in one pair of quotes, or in one pair each if that is not clear."""
    if any("|" in column or len(column) > MAX_NAME for column in columns):
        return join_names(columns)
    return quote_text("|".join(columns))


def _column_kinds(view: _DatasetView, relation: SchemaRelation) -> str:
    """Kinds of a column; the range is known if the figures are those of one table, and shown of few."""
    has_range = len(relation.sources) == 1 and not view.prompt_input.sources
    return _format_kinds(relation, "text", view.has_values and has_range)


def _unnamed_table_fragments(view: _DatasetView) -> Iterator[PromptFragment]:
    """Describe the columns of many tables if none of these is shown as a table."""
    if shown_tables(view.schema, view.prompt_input.sources):
        return
    table_count = count_tables(view.schema)
    if not table_count:
        return
    columns = [relation.name for relation in view.relations() if "rows" in relation.leads_from]
    shown = [name for name in columns if view.is_shown(name)]
    head = (
        f"{table_count:,} tables of dataset {quote_name(view.schema.dataset)}; columns of theirs:"
    )
    yield PromptFragment("schema", f"{head}\n{join_names(shown)}", _SCHEMA)
    yield from _omission_fragment(len(columns) - len(shown), "columns")


def _class_fragments(view: _DatasetView) -> Iterator[PromptFragment]:
    classes = view.schema.classes
    if not classes:
        return
    lines = [
        f"Classes of dataset {quote_name(view.schema.dataset)}; the relation type leads to them:"
    ]
    for schema_class in classes[:MAX_CLASSES]:
        parents = f" (a kind of {join_names(schema_class.kind_of)})" if schema_class.kind_of else ""
        labels = f", also called {join_names(schema_class.labels)}" if schema_class.labels else ""
        lines.append(
            f"{quote_name(schema_class.name)}{parents}{labels}{_format_comment(schema_class.comment)}"
        )
    yield PromptFragment("schema", "\n".join(lines), _SCHEMA)
    yield from _omission_fragment(len(classes) - MAX_CLASSES, "classes")


def _format_comment(text: str) -> str:
    return f": {quote_text(text, MAX_COMMENT)}" if text else ""


def _graph_fragments(view: _DatasetView) -> Iterator[PromptFragment]:
    graphs = list_graphs(view.schema)
    if not graphs:
        return
    title = (
        f"Graph {quote_name(_source_title(graphs[0]))}"
        if len(graphs) == 1
        else f"{len(graphs):,} graphs"
    )
    dataset = view.schema.dataset
    lines = [f"{title} of dataset {quote_name(dataset)}; its relations lead from a name to:"]
    further: list[str] = []
    omitted = 0
    for relation in view.relations():
        if "names" not in relation.leads_from:
            continue
        key = (dataset, relation.name)
        if key in view.detailed:
            lines.append(_describe_relation(view, relation, graphs))
        elif key in view.shown:
            further.append(relation.name)
        else:
            omitted += 1
    if further:
        lines.append(f"Further relations: {join_names(further)}")
    yield PromptFragment("schema", "\n".join(lines), (*_SCHEMA, *(_VALUES * view.has_values)))
    yield from _omission_fragment(omitted, "relations")


def _describe_relation(view: _DatasetView, relation: SchemaRelation, graphs: Sequence[str]) -> str:
    """Return the line of a relation, which the data alone decide: it is remembered for all prompts."""
    heads: Sequence[str] = ()
    if view.has_heads:
        heads = view.prompt_input.heads.get((view.schema.dataset, relation.name), ())
    named_graphs = tuple(graphs) if len(graphs) <= MAX_SAMPLES else ()
    key = (relation.name, view.has_values, named_graphs, tuple(heads))
    lines = remembered_lines(view.schema)
    if key not in lines:
        lines[key] = _format_relation(relation, view.has_values, named_graphs, heads)
    return lines[key]


def _format_relation(
    relation: SchemaRelation, has_values: bool, graphs: Sequence[str], heads: Sequence[str]
) -> str:
    kinds = _format_kinds(relation, "names", has_values) or "names"
    start = f"from {_join_classes(relation.starts_from)} to " if relation.starts_from else ""
    if relation.starts_nameless and not start:
        start = "from what has no name to "
    target = (
        f"{_join_classes(relation.leads_to)}" if relation.leads_to and kinds == "names" else kinds
    )
    if relation.leads_on:
        further = join_names(relation.leads_on[:MAX_LEADS_ON])
        rest = "…" if len(relation.leads_on) > MAX_LEADS_ON else ""
        target = f"what has no name, from there {further}{rest}"
    parts = [f"{quote_name(relation.name)}: {start}{target}{_format_comment(relation.comment)}"]
    if relation.held:
        parts.append(f"held {_format_valid_range(relation) if has_values else 'for a time'}")
    if relation.qualifiers:
        parts.append(f"qualifiers {join_names(relation.qualifiers)}")
    sources = [name for name in graphs if name in relation.sources]
    if 0 < len(sources) < len(graphs):
        parts.append(f"in {join_names(map(_source_title, sources))}")
    # For numbers and dates the range says more than samples.
    if has_values and relation.samples and "names" in kinds and not relation.leads_on:
        parts.append(f"such as {_join_values(relation.samples[:MAX_SAMPLES])}")
    if heads:
        parts.append(f"heads such as {_join_values(heads)}")
    return "; ".join(parts)


def _join_values(values: Sequence[str]) -> str:
    return "|".join(quote_text(value, MAX_TEXT) for value in values)


def _join_classes(classes: Sequence[str]) -> str:
    return " or ".join(map(quote_name, classes))


def _format_valid_range(relation: SchemaRelation) -> str:
    if relation.first is None or relation.last is None:
        return "for a time"
    return format_day_range(relation.first, relation.last)


def _source_title(source: str) -> str:
    """The file name of a source; the model must not see the folders."""
    return source.replace("\\", "/").rstrip("/").rpartition("/")[2] or source


def _format_kinds(relation: SchemaRelation, default_kind: str, ranges: bool) -> str:
    """Kinds of tails, for example ``numbers 0 to 12``; several kinds with their shares."""
    shares = {
        kind: share for kind, share in relation.tails.shares.items() if share >= MIN_KIND_SHARE
    }
    parts = []
    for kind, share in shares.items():
        word = _KINDS.get(kind, default_kind)
        percent = f" {share:.0%}" if len(shares) > 1 else ""
        parts.append(f"{word}{percent}{_format_range(relation, kind) if ranges else ''}")
    return ", ".join(parts) or default_kind


def _format_range(relation: SchemaRelation, kind: str) -> str:
    if kind == "number" and relation.lowest is not None and relation.highest is not None:
        return f" ({format_number_range(relation.lowest, relation.highest)})"
    if kind in ("date", "year") and relation.earliest is not None and relation.latest is not None:
        return f" ({format_day_range(relation.earliest, relation.latest)})"
    return ""


def _omission_fragment(count: int, noun: str) -> Iterator[PromptFragment]:
    if count > 0:
        yield PromptFragment("schema", f"({count:,} more {noun} are not shown)", _SCHEMA)


def _neighbourhood_fragments(prompt_input: PromptInput) -> Iterator[PromptFragment]:
    for neighbourhood in prompt_input.neighbourhoods:
        verb = "means" if neighbourhood.is_certain else "may mean"
        lines = [f"The question {verb} {quote_text(neighbourhood.name, MAX_TEXT)}."]
        lines += _format_facts(
            "Facts of it", _most_similar_facts(prompt_input, neighbourhood.first_step)
        )
        lines += _format_facts(
            "Facts one step further", _most_similar_facts(prompt_input, neighbourhood.second_step)
        )
        yield PromptFragment("linked", "\n".join(lines), _VALUES)


def _hint_fragments(prompt_input: PromptInput) -> Iterator[PromptFragment]:
    """Describe the readings of the question; without a value they contain its words and the schema alone."""
    hints = prompt_input.hints
    if hints.synonyms:
        meanings = (
            f"{quote_text(synonym.phrase)} means {quote_name(synonym.name)}"
            for synonym in hints.synonyms
        )
        has_values = any(synonym.kind == "name" for synonym in hints.synonyms)
        text = f"In these data {', '.join(meanings)}."
        yield PromptFragment("hints", text, (*_SCHEMA, *(_VALUES * has_values)))
    if hints.readings:
        lines = ["Queries that the question may mean, proposed by a program that can be wrong:"]
        lines += map(_format_reading, hints.readings)
        has_values = any(hint.has_values for hint in hints.readings)
        yield PromptFragment("hints", "\n".join(lines), (*_SCHEMA, *(_VALUES * has_values)))
    if hints.links:
        lines = ["Words of the question in the data, linked by a program that can be wrong:"]
        lines += _format_links(prompt_input)
        has_values = not all(link.is_literal for link in hints.links)
        yield PromptFragment("hints", "\n".join(lines), (*_SCHEMA, *(_VALUES * has_values)))


def _format_links(prompt_input: PromptInput) -> Iterator[str]:
    names = {schema.dataset: name_tables(schema) for schema in prompt_input.schemas}
    by_text: dict[str, dict[str, dict[str, None]]] = {}
    for link in prompt_input.hints.links:
        table = names.get(link.dataset or "", {}).get(link.source or "")
        title = table if table is not None and prompt_input.has_several_sources else ""
        by_title = by_text.setdefault(link.text, {})
        by_title.setdefault(title, {})[_format_link(link)] = None
    for text, by_table in by_text.items():
        by_meanings: dict[tuple[str, ...], list[str]] = {}
        for title, meanings in by_table.items():
            by_meanings.setdefault(tuple(meanings), []).append(title)
        parts = (
            " or ".join(meanings) + (f" of {join_names(titles)}" if all(titles) else "")
            for meanings, titles in by_meanings.items()
        )
        yield f"{quote_text(text)}: {' or '.join(parts)}"


def _format_link(link: QuestionLink) -> str:
    if link.column is not None and not link.names:
        return f"the column {quote_name(link.column)}"
    names = "|".join(quote_text(name, MAX_NAME) for name in link.names)
    if link.column is not None:
        return f"{names} in {quote_name(link.column)}"
    ends = (("from it", link.relations_from), ("to it", link.relations_to))
    relations = "; ".join(f"{end} {join_names(shown)}" for end, shown in ends if shown)
    return f"{names} ({relations})" if relations else names


def _format_reading(hint: ReadingHint) -> str:
    omitted = f"; words not used: {join_names(hint.unexplained)}" if hint.unexplained else ""
    return f"{hint.probability:.0%}: {quote_text(hint.query)}{omitted}"


def _most_similar_facts(
    prompt_input: PromptInput, facts: Sequence[NeighbourFact]
) -> Sequence[NeighbourFact]:
    similarity = prompt_input.similarity
    return sorted(facts, key=lambda fact: -similarity.get(fact.relation, -1.0))[:MAX_FACTS]


def _format_facts(head: str, facts: Sequence[NeighbourFact]) -> list[str]:
    """Format facts as triples; for nodes without names, list only the relations."""
    triples = [
        f"[{quote_text(fact.head, MAX_TEXT)}, {quote_name(fact.relation)}, {quote_text(fact.tail, MAX_TEXT)}]"
        for fact in facts
        if fact.head is not None and fact.tail is not None
    ]
    lines = [f"{head}: {'|'.join(triples)}"] if triples else []
    for description, is_headless, is_tailless in _NAMELESS_ENDS:
        nameless = (
            fact
            for fact in facts
            if (fact.head is None, fact.tail is None) == (is_headless, is_tailless)
        )
        if relations := join_names(dict.fromkeys(fact.relation for fact in nameless)):
            lines.append(f"{head}, {description}: {relations}")
    return lines


_NAMELESS_ENDS = (
    ("to what has no name", False, True),
    ("from what has no name", True, False),
    ("between what has no names", True, True),
)

_SCHEMA = ("schema",)
_VALUES = ("cell values",)
