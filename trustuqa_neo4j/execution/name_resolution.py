"""The meanings of the names in a query, read in one round trip, and a second one for similar names.

Relations are resolved before any search, since a query with an unknown relation is *not askable*. Other names
are resolved by each search, which tries the tiers in order until one has facts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from typing import Literal as Either

from ..errors import UnknownDataset, UnknownSource, format_list
from ..language.ast import Literal as Name
from ..language.ast import Problem, ProblemKind
from ..language.selectors import find_selector
from ..matching import (
    MatchTier,
    NameCandidate,
    NameMatch,
    ScoredName,
    match_tiers,
    normalize_name,
    sort_by_similarity,
)
from ..matching.similarity import (
    COLUMN_THRESHOLD,
    RELATION_THRESHOLD,
    RELATION_THRESHOLD_BY_LETTERS,
    SURE,
    suggest_names,
)
from ..model.dataset import Scope, make_incomplete_error, name_sources
from ..model.dataset_limit import is_within_limit
from ..model.facts import MAX_KEY_LENGTH, make_row_key
from ..ontology.entailment import Entailments, RelationUse
from ..ontology.schema_knowledge import SchemaKnowledge
from ..planning.operations import Constant, Plan, RelationStats, Search, Traverse, walk_operations
from ..planning.planner import FirstStep
from ..reads.nearest import near_relations
from ..reads.reader import Reader, Row
from ..values import is_equal_value, read_value
from .derivation import Facts

# Kinds of rows of ``resolve_names`` that are not names.
_NAMED: dict[str, Either["key", "alias"]] = {"key": "key", "alias": "alias"}

MAX_LISTED_SOURCES = 1_000  # sources of a dataset that a wrong name of a table is compared with

# Normalized names of the row number, which every table has as a relation.
ROW_NUMBER = frozenset(("row number", "row", "row index", "row num"))


@dataclass(frozen=True, slots=True)
class ClassHead:
    """A class that stands for its members as the head of a table; ``facts`` prove the membership."""

    name: str
    members: tuple[int, ...]
    facts: Facts


@dataclass
class ResolvedNames:
    """Match tiers of each name in the query, and the statistics of its relations.

    ``columns`` are the relations of the table in scope. Searches add their tier to ``matches``. ``stamps``
    identify the schema knowledge of each dataset. ``class_heads`` are the heads of
    tables that stand for the members of a class. ``source`` is the one source that is asked: that of
    the scope, else the only source of the dataset if it is a table. ``entailments`` are the rules of the
    ontology by which facts follow from others; None if there are none. ``tables`` are the names in each
    source that a search reads alone. ``first_facts`` are rows of facts by their statement, node, relation and
    source.
    """

    relations: dict[str, tuple[MatchTier, ...]] = field(default_factory=dict)
    entities: dict[str, tuple[MatchTier, ...]] = field(default_factory=dict)
    statistics: dict[str, RelationStats] = field(default_factory=dict)
    columns: dict[str, RelationStats] = field(default_factory=dict)
    has_vectors: bool = False
    is_table: bool = False
    matches: list[NameMatch] = field(default_factory=list)
    stamps: dict[str, str] = field(default_factory=dict)
    source: str | None = None
    class_heads: dict[Constant, ClassHead] = field(default_factory=dict)
    entailments: Entailments | None = None
    tables: dict[str, ResolvedNames] = field(default_factory=dict)
    first_facts: dict[tuple[str, int, str, str | None], Row] = field(default_factory=dict)

    def add_table(self, names: ResolvedNames) -> None:
        """Add the names in a source that a search reads alone; what searches match is collected here."""
        assert names.source is not None
        names.matches, names.class_heads = self.matches, self.class_heads
        names.tables = self.tables
        self.tables[names.source] = names

    @property
    def has_columns(self) -> bool:
        """Return whether the query reads columns of tables, so that nodes may be rows."""
        return bool(self.columns) or any(stats.is_column for stats in self.statistics.values())

    @property
    def subject(self) -> str | None:
        """Return the column that names the rows: the first with text, else the first."""
        by_place = sorted(
            (statistics.column_index, name)
            for name, statistics in self.columns.items()
            if statistics.column_index is not None
        )
        texts = (
            name
            for _, name in by_place
            if (self.columns[name].numbers + self.columns[name].dates) * 2
            < self.columns[name].facts
        )
        return next(texts, by_place[0][1] if by_place else None)

    def read_relation(self, name: str, vocabulary: SchemaKnowledge) -> str | None:
        """Return the relation of graphs that ``name`` means; None if it means several, or a column."""
        tiers = self.relations.get(name)
        if not tiers:
            return vocabulary.find_relation(name)
        if len(tiers[0].names) != 1 or self.statistics.get(name, RelationStats()).is_column:
            return None
        return tiers[0].names[0]

    def is_selector(self, name: str) -> bool:
        return find_selector(name) is not None and not self.entities.get(name)

    @property
    def keys(self) -> frozenset[str]:
        return frozenset(
            name
            for name, tiers in self.entities.items()
            if any(candidate.how != "name" for tier in tiers for candidate in tier.candidates)
        )

    def is_row_number(self, name: str) -> bool:
        """Recognize the row number, unless a relation of the data has this name."""
        return normalize_name(name) in ROW_NUMBER and not self.relations.get(name)


def resolve_names(
    relations: Iterable[str],
    things: Iterable[str],
    scope: Scope,
    reader: Reader,
    step: FirstStep | None = None,
) -> ResolvedNames:
    """Resolve the names of a query. The facts of its first ``step`` are read with them, if that is simple."""
    relation_names, entity_names = sorted(relations), sorted(things)
    rows = reader.run(
        "resolve_names", **_list_parameters(relation_names, entity_names, scope, step)
    )
    states = [row for row in rows if row["what"] == "dataset"]
    _check_scope(reader, states, scope)
    source = next((s["known"]["source"] for s in states if s["known"]["source"] is not None), None)
    names = ResolvedNames(
        source=source,
        has_vectors=any(state["known"]["embedded"] for state in states),
        is_table=any(state["known"]["kind"] == "table" for state in states),
        columns={r["name"]: _statistics(r) for r in rows if r["what"] == "column" or (
            r["what"] == "relation" and source is not None)},
        stamps={s["name"]: s["known"]["vocabulary"] for s in states if s["known"]["vocabulary"]},
    )  # fmt: skip
    add_names(names, rows, relation_names, entity_names)
    names.first_facts = {
        (row["known"]["step"][0], row["id"], row["name"], scope.source): row["known"]
        for row in rows
        if row["what"] == "facts"
    }
    if source is not None and names.is_table:
        _add_lines(names, scope, source, reader)
    return names


def _list_parameters(
    relations: Iterable[str], things: Iterable[str], scope: Scope, step: FirstStep | None = None
) -> dict[str, Any]:
    entity_names = sorted(things)
    return {
        "datasets": list(scope.datasets),
        "source": scope.source,
        "relations": sorted({normalize_name(name) for name in relations}),
        "names": sorted({normalize_name(name) for name in entity_names}),
        "keys": [name for name in entity_names if len(name) <= MAX_KEY_LENGTH],
        "steps": [] if step is None else [_list_step(step)],
    }


def _list_step(step: FirstStep) -> list[str]:
    statement = "facts_from_heads" if step.from_head else "facts_to_tails"
    return [statement, normalize_name(step.name), normalize_name(step.relation)]


def resolve_tables(
    tables: Sequence[tuple[int, Name]], scope: Scope, reader: Reader
) -> tuple[dict[str, str], list[Problem]]:
    """Return the sources that ``tables`` of steps mean, and problems of those that mean none or several."""
    parameters = {"datasets": list(scope.datasets)}
    texts = sorted({table.text.lower() for _, table in tables})
    rows = reader.run("find_tables", **parameters, names=texts)
    nearest: dict[str, list[str]] = {}
    for row in rows:  # best first
        nearest.setdefault(row["text"], row["sources"])
    sources: dict[str, str] = {}
    problems: list[Problem] = []
    for step, table in tables:
        matches = nearest.get(table.text.lower(), [])
        message = ""
        if scope.source is not None and matches and scope.source not in matches:
            message = f"{_describe_scope(scope)} is asked alone, not {table.text!r}"
        elif scope.source is not None and matches:
            sources[table.text] = scope.source
        elif len(matches) == 1:
            sources[table.text] = matches[0]
        elif matches:
            titles = [*name_sources(matches).values()]
            message = f"{table.text!r} is the name of several tables: {format_list(titles, 5)}"
        else:
            known = reader.run("list_first_sources", **parameters, limit=MAX_LISTED_SOURCES)
            titles = [*name_sources([row["name"] for row in known]).values()]
            similar = format_list(sort_by_similarity(table.text, titles), 3)
            message = f"{_describe_scope(scope)} has no table {table.text!r}; it has {similar}"
        if message:
            problems.append(Problem(ProblemKind.UNKNOWN_TABLE, message, step, table.position))
    return sources, problems


def _describe_scope(scope: Scope) -> str:
    """Without the folders of the source, since the message goes to a model too."""
    title = "" if scope.source is None else f"{name_sources([scope.source])[scope.source]} of "
    return f"{title}{', '.join(scope.datasets)}"


_LINE = re.compile(r"\[?line_([1-9]\d{0,8})\]?")
"""A row of a table in the notation of the paper; the first row is ``[line_1]``."""


def _add_lines(names: ResolvedNames, scope: Scope, source: str, reader: Reader) -> None:
    """Resolve ``[line_k]`` to the row k of the table, unless something has that name."""
    lines = {name: _LINE.fullmatch(name) for name, tiers in names.entities.items() if not tiers}
    keys = {name: make_row_key(source, int(line[1])) for name, line in lines.items() if line}
    if not keys:
        return
    parameters = {"datasets": list(scope.datasets), "source": source}
    rows = reader.run(
        "resolve_names", **parameters, relations=[], names=[], keys=[*keys.values()], steps=[]
    )
    nodes = {row["name"]: row["id"] for row in rows if row["what"] == "key"}
    for name, key in keys.items():
        if key in nodes:
            candidate = NameCandidate(name, nodes[key], "key")
            names.entities[name] = (MatchTier("exact", (candidate,)),)


def add_names(
    names: ResolvedNames, rows: list[Row], relations: Iterable[str], things: Iterable[str]
) -> None:
    for name in relations:
        names.relations[name] = _match(name, {"relation"}, rows)
        names.statistics[name] = merge_statistics(
            row
            for row in rows
            if row["what"] == "relation" and row["folded"] == normalize_name(name)
        )
    for name in things:
        names.entities[name] = _match(name, {"node", "alias", "key"}, rows)


def _check_scope(reader: Reader, states: list[Row], scope: Scope) -> None:
    states_by_name = {state["name"]: state for state in states}
    for dataset in scope.datasets:
        if dataset not in states_by_name:
            loaded = [row["name"] for row in reader.run("list_datasets")]
            near = suggest_names(dataset, [*filter(is_within_limit, loaded)], most=1)
            hint = f"did you mean {near[0]!r}?" if near else "`tuqa datasets` lists what is loaded"
            raise UnknownDataset(f"no dataset {dataset!r}", hint=hint)
        if states_by_name[dataset]["folded"] is None:
            loads = reader.run("unfinished_loads", dataset=dataset)
            raise make_incomplete_error(dataset, loads)
    if scope.source is not None and all(s["known"]["source"] is None for s in states):
        names = ", ".join(map(repr, scope.datasets))
        raise UnknownSource(
            f"no source {scope.source!r}",
            where=f"dataset {names}",
            hint="`tuqa datasets --json` lists its sources",
        )


def _match(text: str, what: set[str], rows: list[Row]) -> tuple[MatchTier, ...]:
    folded = normalize_name(text)
    return match_tiers(
        text,
        (
            NameCandidate(row["name"], row["id"], _NAMED.get(row["what"], "name"))
            for row in rows
            if row["what"] in what
            and (row["name"] == text if row["folded"] is None else row["folded"] == folded)
            and (row["what"] != "node" or not _differs_in_value(text, row["name"]))
        ),
    )


def _differs_in_value(text: str, name: str) -> bool:
    """Compare as numbers or dates: ``-850`` and ``850`` have the same normalized form."""
    if text == name or not any(sign.isdigit() for sign in name):
        return False
    value, name_value = read_value(text), read_value(name)
    return value is not None and name_value is not None and not is_equal_value(name_value, value)


def _statistics(row: Row) -> RelationStats:
    figures = row["known"]
    return RelationStats(
        (row["name"],),
        figures["facts"] or 0,
        figures["numbers"] or 0,
        figures["dates"] or 0,
        figures["held"] or 0,
        frozenset(name for some in figures["qualifiers"] for name in some),
        True in figures["tables"],
        figures["place"],
    )


def merge_statistics(rows: Iterable[Row]) -> RelationStats:
    merged = RelationStats()
    for statistics in map(_statistics, rows):
        merged = RelationStats(
            (*merged.names, *statistics.names),
            merged.facts + statistics.facts,
            merged.numbers + statistics.numbers,
            merged.dates + statistics.dates,
            merged.timed + statistics.timed,
            merged.qualifiers | statistics.qualifiers,
            merged.is_column or statistics.is_column,
            statistics.column_index if merged.column_index is None else merged.column_index,
        )
    return merged


def add_entailments(
    names: ResolvedNames, knowledge: SchemaKnowledge, scope: Scope, reader: Reader
) -> None:
    """Add the rules by which facts follow from others, and relations that only have such facts."""
    entailments = knowledge.entailments
    if not entailments.has_axioms:
        return
    names.entailments = entailments
    premises: dict[tuple[str, str], tuple[RelationUse, ...]] = {}
    for text, tiers in names.relations.items():
        relation = knowledge.find_declared_relation(tiers[0].names[0] if tiers else text)
        if relation is not None and (uses := entailments.premises(relation)):
            premises[text, relation] = uses
    if not premises:
        return
    relations = {use.relation for uses in premises.values() for use in uses}
    rows = reader.run("resolve_names", **_list_parameters(relations, (), scope))
    for (text, relation), uses in premises.items():
        statistics = names.statistics.get(text, RelationStats())
        for use in uses:
            rows_of_use = [r for r in rows if r["what"] == "relation" and r["name"] == use.relation]
            statistics = _add_premise(statistics, merge_statistics(rows_of_use), use)
        if not statistics.facts:
            continue
        if not names.relations.get(text):
            how = "exact" if text == relation else "alias"
            names.relations[text] = (MatchTier(how, (NameCandidate(relation),)),)
        names.statistics[text] = replace(statistics, names=statistics.names or (relation,))


def _add_premise(
    statistics: RelationStats, premise: RelationStats, use: RelationUse
) -> RelationStats:
    # The tails of an inverted use are heads, which are not numbers or dates.
    return replace(
        statistics,
        facts=statistics.facts + premise.facts,
        numbers=statistics.numbers + (0 if use.is_inverted else premise.numbers),
        dates=statistics.dates + (0 if use.is_inverted else premise.dates),
        timed=statistics.timed + premise.timed,
        qualifiers=statistics.qualifiers | premise.qualifiers,
    )


# Relations without a match: resolved to the most similar name, or reported as unknown.


_ALIKE = 0.05  # Columns with less difference in score keep their order: *Team 1* before *Team 2*.


def resolve_relations(
    planned: Plan,
    names: ResolvedNames,
    scope: Scope,
    reader: Reader,
    vocabulary: SchemaKnowledge | None = None,
    table: str | None = None,
) -> list[Problem]:
    """Resolve all relations of the plan that ``table`` is searched for; report those that the scope lacks.

    A label from the schema precedes a similar name. A declared relation without facts is not a problem.
    """
    problems: list[Problem] = []
    for number, name in relations_in(planned, table):
        if names.relations.get(name.text) or names.is_row_number(name.text):
            continue
        declared = vocabulary.find_declared_relation(name.text) if vocabulary else None
        if declared is not None:
            _enter_relation(
                name.text, "alias", (ScoredName(declared, None, 1.0),), names, scope, reader
            )
            continue
        near = resolve_nearest_relation(name.text, names, scope, reader)
        if near:
            message = _missing_message(name.text, near, scope, vocabulary or SchemaKnowledge())
            problems.append(Problem(ProblemKind.UNKNOWN_RELATION, message, number, name.position))
    return problems


def doubtful_relations(
    planned: Plan, names: ResolvedNames, scope: Scope, vocabulary: SchemaKnowledge | None
) -> list[Problem]:
    """Report relations of a graph with classes that were resolved by a low similarity: a doubt.

    Such graphs have designed names, and models invent more of them (``claimStatus`` beside ``claimNumber``).
    """
    if vocabulary is None or not vocabulary.classes or names.is_table:
        return []
    problems = []
    for number, name in relations_in(planned):
        tiers = names.relations.get(name.text, ())
        if tiers and tiers[0].how == "nearest" and tiers[0].score < SURE:
            read = vocabulary.describe_relation(tiers[0].names[0])
            message = f"{scope} has no relation {name.text!r}; it is read as {read}"
            problems.append(
                Problem(ProblemKind.UNKNOWN_RELATION, message, number, name.position, "doubt")
            )
    return problems


def resolve_nearest_relation(
    text: str,
    names: ResolvedNames,
    scope: Scope,
    reader: Reader,
    column_threshold: float = COLUMN_THRESHOLD,
) -> list[str]:
    """Resolve ``text`` by similarity; if no relation is similar enough, return those that exist."""
    if names.is_table:
        existing = sorted(names.columns, key=lambda name: names.columns[name].column_index or 0)
    else:
        parameters = {"datasets": list(scope.datasets), "source": scope.source}
        rows = reader.run("list_relations", **parameters)
        existing = list(dict.fromkeys(row["name"] for row in rows))
    near = near_relations(reader, text, existing, names.has_vectors)
    alike = _similar_columns(text, near, existing) if names.is_table else []
    least = (
        column_threshold
        if names.is_table
        else RELATION_THRESHOLD
        if names.has_vectors
        else RELATION_THRESHOLD_BY_LETTERS
    )
    if near and near[0].score >= least:
        best = alike[0] if near[0] in alike else near[0]
        steps = (best, *(column for column in alike if column is not best))
        _enter_relation(text, "nearest", steps, names, scope, reader)
        return []
    return [column.name for column in near] or ["nothing"]


def _enter_relation(
    text: str,
    how: str,
    steps: Sequence[ScoredName],
    names: ResolvedNames,
    scope: Scope,
    reader: Reader,
) -> None:
    """Resolve ``text`` to the relations ``steps``, best first."""
    best = steps[0].name
    rows = reader.run("resolve_names", **_list_parameters((best,), (), scope))
    relation_rows = [row for row in rows if row["what"] == "relation" and row["name"] == best]
    names.relations[text] = tuple(
        MatchTier(how, (NameCandidate(scored.name),), scored.score) for scored in steps
    )
    names.statistics[text] = merge_statistics(relation_rows)


def _similar_columns(
    text: str, near: Sequence[ScoredName], existing: Sequence[str]
) -> list[ScoredName]:
    """List the columns with nearly the best score that contain all words of ``text``, in table order."""
    words = set(normalize_name(text).split())
    holding = [
        column
        for column in near
        if words
        and words <= set(normalize_name(column.name).split())
        and column.score > near[0].score - _ALIKE
    ]
    return sorted(holding, key=lambda column: existing.index(column.name))


def _missing_message(text: str, near: list[str], scope: Scope, vocabulary: SchemaKnowledge) -> str:
    suggestions = ", ".join(map(vocabulary.describe_relation, near[:3]))
    count = "" if len(near) <= 3 else f" of {len(near)}"
    return f"{scope} has no relation {text!r}; the nearest{count} are {suggestions}"


def relations_in(planned: Plan, table: str | None = None) -> list[tuple[int, Constant]]:
    """List the relations that ``table``, or by None the whole scope, is searched for, with their steps."""
    relations = [
        (step.number, relation)
        for step in planned.steps
        for operation in walk_operations(step.operation)
        if isinstance(operation, Search | Traverse) and operation.table == table
        for relation in operation.relations
        if isinstance(relation, Constant)
    ]
    return sorted(relations, key=lambda pair: pair[1].position)
