"""Mutation operators: each makes correct queries wrong in one way. ``make_mutants`` applies all of them.

The parts: constants, columns and aggregates, hops of a path, names of relations and classes, directions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from random import Random
from typing import TypeAlias

from bench.mutations.data_profile import TYPE, DataProfile, RelationProfile
from bench.mutations.sites import (
    CallSite,
    ColumnKind,
    ColumnKinds,
    ValueSite,
    call_sites,
    column_uses,
    expression_of,
    find_operand,
    kind_of,
    list_aggregates,
    make_argument,
    make_literal,
    make_text_value,
    parameter_texts,
    relation_sites,
    rename_columns,
    replace_step,
    step_columns,
    table_sites,
    used_columns,
    value_sites,
    write_aggregate,
    write_expression,
)
from trustuqa_neo4j.language.ast import Argument, Call, ListValue, Literal, Query, Reference, Step
from trustuqa_neo4j.language.columns import Aggregate, ColumnPath, PathStep
from trustuqa_neo4j.language.parser import parse_query
from trustuqa_neo4j.language.printer import UnprintableName, print_query
from trustuqa_neo4j.matching import normalize_name
from trustuqa_neo4j.values import read_value

_FIRST = ("Quorvane", "Zelthic", "Brandimar", "Ostrelund", "Kympha", "Vordel", "Tarquilo", "Ysmere")
_LAST = (
    "Holdings",
    "Expanse",
    "Ravine",
    "Lantern",
    "Mowbridge",
    "Tessera",
    "Harrowgate",
    "Piscary",
)
_ORDER = (">", "<", ">=", "<=")


def hallucinated_value(query: Query, profile: DataProfile, rng: Random) -> Iterator[Query]:
    """A constant that is not in the data."""
    for call_site in call_sites(query, "get_information", "keep"):
        for argument in call_site.arguments_of("head_entity", "tail_entity", "value"):
            if argument.operator == "=" and not _is_class(call_site, argument):
                for old in _literals(argument):
                    new = make_literal(_invent_constant(old, profile, rng))
                    yield call_site.replace_argument(argument, replace(argument, value=new))


def _literals(argument: Argument) -> list[Literal]:
    value = argument.value
    members = value.members if isinstance(value, ListValue) else (value,)
    return [member for member in members if isinstance(member, Literal)]


def _invent_constant(old: Literal, profile: DataProfile, rng: Random) -> str:
    """A constant like ``old`` that is not in the data."""
    value = read_value(old.text)
    while True:
        if old.text.isdigit():
            invented = str(int(old.text) * 10 + rng.randint(11, 89))
        elif value is not None and value.start is not None:
            invented = f"{rng.randint(2101, 2899)}-0{rng.randint(1, 9)}-{rng.randint(10, 28)}"
        else:
            invented = f"{rng.choice(_FIRST)} {rng.choice(_LAST)}"
        if normalize_name(invented) not in profile.words:
            return invented


def order_of_text(query: Query, profile: DataProfile, rng: Random) -> Iterator[Query]:
    """``=`` of text or nodes becomes an order comparison; an ordered value becomes text."""
    for call_site in call_sites(query, "get_information"):
        for tail, by in (("tail_entity", "relation"), ("value", "key")):
            parameter = by if call_site.arguments_of(by) else "relation"
            names = call_site.literals_of(parameter)
            relation = profile.relation(names[0]) if len(names) == 1 else None
            if relation is None:
                continue
            has_no_order = relation.leads_to_nodes or relation.is_text
            for argument in call_site.arguments_of(tail):
                if argument.operator not in _ORDER:
                    if has_no_order and _literals(argument):
                        new = replace(argument, operator=rng.choice(_ORDER))
                        yield call_site.replace_argument(argument, new)
                    continue
                texts = sorted(
                    text.name
                    for text in profile.relations.values()
                    if (text.is_text or text.leads_to_nodes) and profile.same_domain(relation, text)
                )
                old = call_site.arguments_of(parameter)[0]
                for name in texts[:3]:
                    yield call_site.replace_argument(old, replace(old, value=make_literal(name)))
                break


def _is_class(call_site: CallSite, argument: Argument) -> bool:
    if argument in call_site.arguments_of("head_entity"):
        return False
    has_key = argument in call_site.arguments_of("value") and call_site.arguments_of("key")
    names = call_site.literals_of("key" if has_key else "relation")
    return [normalize_name(name) for name in names] == [TYPE]


# Columns and aggregates.

_AGGREGATES = ("sum", "mean", "count", "max", "min")
_ADDING = ("sum", "mean")


def dropped_column(query: Query, profile: DataProfile, rng: Random) -> Iterator[Query]:  # noqa: ARG001
    """The answer without one of its columns."""
    used = used_columns(query)
    for table in table_sites(query):
        for index, path in enumerate(table.paths):
            if len(table.paths) > 1 and path.name not in used:
                yield table.replace_path(index)
    for call_site in call_sites(query, "group_by"):
        if call_site.step != query.steps[-1].number:
            continue
        all_texts = parameter_texts(call_site, "by") + parameter_texts(call_site, "values")
        has_several = len(all_texts) > 1
        for name in ("by", "values"):
            for argument in call_site.arguments_of(name):
                texts = parameter_texts(call_site, name)
                for dropped in texts if has_several else ():
                    rest = [text for text in texts if text != dropped]
                    new = replace(argument, value=make_text_value(rest)) if rest else None
                    yield call_site.replace_argument(argument, new)
    for dropped in query.target if len(query.target) > 1 else ():
        yield replace(query, target=tuple(name for name in query.target if name != dropped))


def wrong_aggregate(query: Query, profile: DataProfile, rng: Random) -> Iterator[Query]:  # noqa: ARG001
    """Another of sum, mean, count, max and min; no sum or mean of text and nodes."""
    columns_of = step_columns(query, profile)
    for call_site in call_sites(query, "group_by"):
        table = columns_of.get(find_operand(call_site) or 0, {})
        for aggregate in list_aggregates(call_site):
            can_add = table.get(aggregate.column or "") in ("number", None)
            for function in _other_functions(aggregate.function, can_add):
                if aggregate.column is not None:
                    new = replace(aggregate, function=function)
                    yield _replace_aggregate(call_site, aggregate, new)
    for call_site in call_sites(query, *_AGGREGATES):
        can_add = _operand_kind(query, call_site, columns_of, profile) in ("number", None)
        for function in _other_functions(call_site.function, can_add):
            yield call_site.put(replace(call_site.call, function=function))


def _other_functions(function: str, can_add: bool) -> Iterator[str]:
    plain = "count" if function == "count_distinct" else function
    for candidate in _AGGREGATES if plain in _AGGREGATES else ():
        if candidate != plain and (can_add or candidate not in _ADDING):
            yield candidate


def _replace_aggregate(call_site: CallSite, old: Aggregate, new: Aggregate) -> Query:
    (argument, *_) = call_site.arguments_of("values")
    aggregates = [new if a == old else a for a in list_aggregates(call_site)]
    value = make_text_value([write_aggregate(aggregate) for aggregate in aggregates])
    return call_site.replace_argument(argument, replace(argument, value=value))


def type_fault(query: Query, profile: DataProfile, rng: Random) -> Iterator[Query]:
    """Order and arithmetic of text or nodes; days between values that are not dates."""
    yield from order_of_text(query, profile, rng)
    columns_of = step_columns(query, profile)
    for call_site in call_sites(query, "group_by"):
        table = columns_of.get(find_operand(call_site) or 0, {})
        for aggregate in list_aggregates(call_site):
            for function, name in product(
                _ADDING, _columns_of_kinds(table, "text", "node", "date")
            ):
                new = replace(aggregate, function=function, column=name)
                yield _replace_aggregate(call_site, aggregate, new)
    for call_site in call_sites(query, "calculate"):
        yield from _calculate_faults(call_site, columns_of.get(find_operand(call_site) or 0, {}))
    for call_site in call_sites(query, *_AGGREGATES):
        yield from _sum_faults(query, call_site, columns_of, profile)


def _sum_faults(
    query: Query, call_site: CallSite, columns_of: dict[int, ColumnKinds], profile: DataProfile
) -> Iterator[Query]:
    """Sums of values that are not numbers."""
    for column in call_site.arguments_of("column"):
        for name in _columns_of_kinds(
            columns_of.get(find_operand(call_site) or 0, {}), "text", "node", "date"
        ):
            yield call_site.put(replace(_put_column(call_site, column, name), function="sum"))
    if _operand_kind(query, call_site, columns_of, profile) in ("text", "node"):
        for function in _ADDING:
            yield call_site.put(replace(call_site.call, function=function))


def _put_column(call_site: CallSite, old: Argument, name: str) -> Call:
    arguments = (
        replace(a, value=make_literal(name)) if a is old else a for a in call_site.call.arguments
    )
    return replace(call_site.call, arguments=tuple(arguments))


def _calculate_faults(call_site: CallSite, table: ColumnKinds) -> Iterator[Query]:
    expression = expression_of(call_site)
    if expression is None:
        return
    for operation, column in column_uses(expression):
        wrong: tuple[ColumnKind, ...] = (
            ("text", "node", "number") if operation == "days_between" else ("text", "node", "date")
        )
        for name in _columns_of_kinds(table, *wrong):
            text = write_expression(rename_columns(expression, {column: name}))
            (argument, *_) = call_site.arguments_of("expression")
            new = replace(argument, value=make_literal(text))
            yield call_site.replace_argument(argument, new)


def _columns_of_kinds(table: ColumnKinds, *kinds: ColumnKind) -> list[str]:
    return [name for name, kind in table.items() if kind in kinds]


def _operand_kind(
    query: Query, call_site: CallSite, columns_of: dict[int, ColumnKinds], profile: DataProfile
) -> ColumnKind | None:
    """The kind of values in the operand of a function."""
    number = find_operand(call_site)
    names = parameter_texts(call_site, "column")
    if names:
        return columns_of.get(number or 0, {}).get(names[0])
    if number in columns_of:
        kinds = list(columns_of[number].values())
        return kinds[0] if len(kinds) == 1 else None
    for search in call_sites(query, "get_information"):
        if search.step == number and search.call in [step.value for step in query.steps]:
            return _search_kind(search, profile)
    return None


def _search_kind(search: CallSite, profile: DataProfile) -> ColumnKind | None:
    """The kind of values that a search returns."""
    tails, values = search.arguments_of("tail_entity"), search.arguments_of("value")
    relations, keys = search.arguments_of("relation"), search.arguments_of("key")
    if tails and keys and not values:
        parameter = "key"
    elif values and relations and keys and not tails:
        parameter = "relation"
    elif tails or values:
        return "node"
    else:
        parameter = "key" if keys else "relation"
    names = search.literals_of(parameter)
    return kind_of(profile.relation(names[0])) if len(names) == 1 else None


def broken_reference(query: Query, profile: DataProfile, rng: Random) -> Iterator[Query]:  # noqa: ARG001
    """A reference to a missing step, to a later step, or to the step itself."""
    numbers = [step.number for step in query.steps]
    for site in value_sites(query):
        if isinstance(site.value, Reference):
            later = [number for number in numbers if number > site.step][:1]
            for number in (max(numbers) + 7, site.step, *later):
                yield site.put(replace(site.value, step=number))


# Hops of a path.


def dropped_hop(query: Query, profile: DataProfile, rng: Random) -> Iterator[Query]:  # noqa: ARG001
    """A path or a chain of searches without one of its hops; the last hop to a value stays."""
    for table in table_sites(query):
        for index, path in enumerate(table.paths):
            for place in range(len(path.steps) - 1):
                steps = (*path.steps[:place], *path.steps[place + 1 :])
                yield table.replace_path(index, replace(path, steps=steps))
    for call_site in call_sites(query, "get_information"):
        before = _chained_argument(query, call_site)
        if before is not None:
            is_last = query.steps[-1].number == call_site.step
            if not is_last:
                yield replace_step(query, call_site.step, before.value)
            elif not _leads_to_value(call_site, profile) and query.steps[
                -2:-1
            ] == _referenced_steps(query, before):
                yield replace(query, steps=query.steps[:-1])
        key = [] if call_site.arguments_of("value") else call_site.arguments_of("key")
        shows_ids = profile.has_ids and any(_names_value_relation(a, profile) for a in key)
        if key and call_site.arguments_of("relation") and not shows_ids:
            yield call_site.replace_argument(key[0], None)


def identifier_output(query: Query, profile: DataProfile, rng: Random) -> Iterator[Query]:  # noqa: ARG001
    """The query without its last hop to a value, so that it returns nodes without a name."""
    for table in table_sites(query):
        for index, path in enumerate(table.paths):
            if len(path.steps) > 1 and _leads_to_ids(path.steps[-2], profile):
                yield table.replace_path(index, replace(path, steps=path.steps[:-1]))
    for call_site in call_sites(query, "get_information"):
        relations, heads = (
            call_site.arguments_of("relation", "key"),
            call_site.arguments_of("head_entity"),
        )
        if query.steps[-1].number != call_site.step or not relations or not profile.has_ids:
            continue
        key = call_site.arguments_of("key")
        key = [
            argument
            for argument in key
            if _names_value_relation(argument, profile) and not call_site.arguments_of("value")
        ]
        if len(relations) == 2 and len(key) == 1:
            yield call_site.replace_argument(key[0], None)
        elif len(relations) == 1 and heads and _leads_to_value(call_site, profile):
            before = _chained_argument(query, call_site)
            if before is not None and query.steps[-2:-1] == _referenced_steps(query, before):
                yield replace(query, steps=query.steps[:-1])


def extra_hop(query: Query, profile: DataProfile, rng: Random) -> Iterator[Query]:
    """A hop twice, or another relation between two hops or after the last one."""
    names = sorted(profile.relations)
    for table in table_sites(query):
        for index, path in enumerate(table.paths):
            place = rng.randint(0, len(path.steps))
            yield table.replace_path(index, _insert_hop(path, place, PathStep(rng.choice(names))))
            place = rng.randrange(len(path.steps))
            yield table.replace_path(index, _insert_hop(path, place, path.steps[place]))
    last = query.steps[-1]
    for call_site in call_sites(query, "get_information"):
        for head in call_site.arguments_of("head_entity"):
            if isinstance(head.value, Reference):
                new = replace(head, value=_search(head, rng.choice(names)))
                yield call_site.replace_argument(head, new)
        if call_site.call is last.value:
            number = max(step.number for step in query.steps) + 1
            head = make_argument("head_entity", Reference(last.number, 0))
            step = Step(number, _search(head, rng.choice(names)))
            yield replace(query, steps=(*query.steps, step))


def _insert_hop(path: ColumnPath, place: int, step: PathStep) -> ColumnPath:
    return replace(path, steps=(*path.steps[:place], step, *path.steps[place:]))


def _search(head: Argument, relation: str) -> Call:
    return Call("get_information", (head, make_argument("relation", make_literal(relation))), 0)


def _chained_argument(query: Query, call_site: CallSite) -> Argument | None:
    """The reference to an earlier step, if the step only follows one relation from it."""
    step = next(step for step in query.steps if step.number == call_site.step)
    if step.value is not call_site.call or len(call_site.arguments_of("relation", "key")) != 1:
        return None
    ends = call_site.arguments_of("head_entity", "tail_entity", "value")
    if len(ends) != 1 or ends[0].operator != "=" or not isinstance(ends[0].value, Reference):
        return None
    return ends[0]


def _referenced_steps(query: Query, before: Argument) -> tuple[Step, ...]:
    assert isinstance(before.value, Reference)
    return tuple(step for step in query.steps if step.number == before.value.step)


def _leads_to_value(call_site: CallSite, profile: DataProfile) -> bool:
    """Whether a search for tails returns values."""
    relation = call_site.arguments_of("relation", "key")[0]
    return bool(call_site.arguments_of("head_entity")) and _names_value_relation(relation, profile)


def _names_value_relation(argument: Argument, profile: DataProfile) -> bool:
    """Whether the argument names a relation to values."""
    value = argument.value
    relation = profile.relation(value.text) if isinstance(value, Literal) else None
    return relation is not None and not relation.leads_to_nodes


def _leads_to_ids(step: PathStep, profile: DataProfile) -> bool:
    relation = profile.relation(step.relation)
    if relation is None:
        return False
    if step.backwards:
        return all(profile.graph.name(head) is None for head in relation.heads)
    return relation.leads_to_ids


# Names of relations and classes, existing and invented.

NAMES_PER_SITE = 2
"""Number of other names for one place."""

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_ENDINGS = ("status", "category", "owner", "region", "rank", "supervisor", "currency", "reviewer")


def any_relation(query: Query, profile: DataProfile, rng: Random) -> Iterator[Query]:
    """A relation with another domain."""
    return _rename_relations(
        query, profile, rng, lambda old, new: not profile.same_domain(old, new)
    )


def same_domain(query: Query, profile: DataProfile, rng: Random) -> Iterator[Query]:
    """A relation with the same domain and another range."""
    return _rename_relations(
        query, profile, rng,
        lambda old, new: profile.same_domain(old, new) and not profile.same_range(old, new),
    )  # fmt: skip


def parallel_path(query: Query, profile: DataProfile, rng: Random) -> Iterator[Query]:
    """A relation with the same domain and range."""
    return _rename_relations(
        query, profile, rng,
        lambda old, new: profile.same_domain(old, new) and profile.same_range(old, new),
    )  # fmt: skip


def _rename_relations(
    query: Query,
    profile: DataProfile,
    rng: Random,
    fits: Callable[[RelationProfile, RelationProfile], bool],
) -> Iterator[Query]:
    for mention in relation_sites(query, profile):
        if normalize_name(mention.relation.name) == TYPE:
            continue
        others = (
            name
            for name, relation in profile.relations.items()
            if relation is not mention.relation
            and normalize_name(name) != TYPE
            and fits(mention.relation, relation)
        )
        for name in sample_names(others, rng, 1):
            yield mention.put(name)


def invented_relation(query: Query, profile: DataProfile, rng: Random) -> Iterator[Query]:
    """A relation that does not exist, with a name in the style of the original."""
    existing = {normalize_name(name) for name in profile.relations} | profile.words
    for mention in relation_sites(query, profile):
        invented = _invent_name(mention.relation.name, rng)
        if normalize_name(invented) not in existing:
            yield mention.put(invented)


def _invent_name(name: str, rng: Random) -> str:
    """A name with the same beginning and another end."""
    words: list[str] = _WORDS.findall(name) or [name]
    ending = rng.choice(_ENDINGS)
    if "_" in name:
        return f"{words[0].lower()}_{ending}"
    return words[0] + ending.capitalize()


def wrong_class(query: Query, profile: DataProfile, rng: Random) -> Iterator[Query]:
    """Members of another class."""
    for site, name in _class_sites(query, profile):
        others = (
            other
            for other, members in profile.classes.items()
            if normalize_name(other) != normalize_name(name) and members
        )
        for other in sample_names(others, rng):
            yield site.put(make_literal(other))


def invented_class(query: Query, profile: DataProfile, rng: Random) -> Iterator[Query]:
    """Members of a class that does not exist."""
    existing = {normalize_name(name) for name in profile.classes} | profile.words
    for site, name in _class_sites(query, profile):
        invented = _invent_name(name, rng)
        if normalize_name(invented) not in existing:
            yield site.put(make_literal(invented))


def _class_sites(query: Query, profile: DataProfile) -> Iterator[tuple[ValueSite, str]]:
    """The places of class names, with the names."""
    if not profile.classes:
        return
    for call_site in call_sites(query, "get_information"):
        for value in _class_literals(call_site):
            yield next(site for site in value_sites(query) if site.value is value), value.text


def _class_literals(call_site: CallSite) -> list[Literal]:
    for relation, tail in (("relation", "tail_entity"), ("key", "value")):
        if [normalize_name(name) for name in call_site.literals_of(relation)] == [TYPE]:
            return [a.value for a in call_site.arguments_of(tail) if isinstance(a.value, Literal)]
    return []


def sample_names(names: Iterable[str], rng: Random, limit: int = NAMES_PER_SITE) -> list[str]:
    """At most ``limit`` of the names; the order of ``names`` does not matter."""
    ordered = sorted(names)
    return ordered if len(ordered) <= limit else sorted(rng.sample(ordered, limit))


# Directions.


def direction(query: Query, profile: DataProfile, rng: Random) -> Iterator[Query]:  # noqa: ARG001
    """Each relation in the other direction."""
    for call_site in call_sites(query, "get_information"):
        yield from _reverse_search(call_site)
    for table in table_sites(query):
        for index, path in enumerate(table.paths):
            for place, step in enumerate(path.steps):
                reversed_step = replace(step, backwards=not step.backwards)
                steps = (*path.steps[:place], reversed_step, *path.steps[place + 1 :])
                yield table.replace_path(index, replace(path, steps=steps))


def _reverse_search(call_site: CallSite) -> Iterator[Query]:
    heads = call_site.arguments_of("head_entity")
    tails = call_site.arguments_of("tail_entity", "value")
    relations = call_site.arguments_of("relation", "key")
    if any(tail.operator != "=" for tail in tails) or not relations:
        return
    if len(heads) == 1 and not tails:
        yield call_site.replace_argument(heads[0], replace(heads[0], name="tail_entity"))
    elif (
        len(tails) == 1
        and not heads
        and (len(relations) == 1 or call_site.arguments_of("tail_entity"))
    ):
        yield call_site.replace_argument(tails[0], replace(tails[0], name="head_entity"))
    elif len(heads) == len(tails) == len(relations) == 1:
        yield call_site.replace_arguments(
            (heads[0], replace(heads[0], value=tails[0].value)),
            (tails[0], replace(tails[0], value=heads[0].value)),
        )


# The table of operators.

Operation: TypeAlias = Callable[[Query, DataProfile, Random], Iterator[Query]]


@dataclass(frozen=True)
class Operator:
    """One way to make a query wrong.

    A ``structural`` operator makes queries that do not fit the data or name something that does not exist.
    The others make queries that a user could mean.
    """

    operate: Operation
    structural: bool = True


OPERATORS: Mapping[str, Operator] = {
    "direction": Operator(direction),
    "any relation": Operator(any_relation),
    "same domain": Operator(same_domain, structural=False),
    "parallel path": Operator(parallel_path, structural=False),
    "wrong class": Operator(wrong_class),
    "dropped hop": Operator(dropped_hop),
    "extra hop": Operator(extra_hop),
    "invented relation": Operator(invented_relation),
    "invented class": Operator(invented_class),
    "hallucinated value": Operator(hallucinated_value),
    "identifier output": Operator(identifier_output),
    "dropped column": Operator(dropped_column, structural=False),
    "wrong aggregate": Operator(wrong_aggregate, structural=False),
    "type fault": Operator(type_fault),
    "broken reference": Operator(broken_reference),
}

TWO = "two at once"
"""Name of the combination of two operators."""


PAIRS = 10
"""Maximum number of mutants of a query by two operators."""


@dataclass(frozen=True)
class CorrectQuery:
    """A correct query, with its question and labels if they are known."""

    id: str
    query: str
    question: str = ""
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Mutant:
    """A query made wrong by an operator."""

    text: str
    operator: str
    origin: CorrectQuery


def make_mutants(origin: CorrectQuery, profile: DataProfile, seed: int = 0) -> Iterator[Mutant]:
    """The mutants of a query, each text once; they depend only on the query and the seed.

    Raises:
        ValueError: the query has a syntax error.
    """
    query = parse_query(origin.query)
    if not isinstance(query, Query):
        raise ValueError(f"{origin.id}: {query[0].message}")
    texts = {print_query(query)}

    def new_mutants(name: str, queries: Iterable[Query]) -> Iterator[Mutant]:
        for changed in queries:
            text = write_readable(changed)
            if text is not None and text not in texts:
                texts.add(text)
                yield Mutant(text, name, origin)

    for name, operator in OPERATORS.items():
        yield from new_mutants(name, operator.operate(query, profile, _rng(seed, origin, name)))
    yield from islice(new_mutants(TWO, _apply_two(query, profile, _rng(seed, origin, TWO))), PAIRS)


def _rng(seed: int, origin: CorrectQuery, name: str) -> Random:
    return Random(f"{seed}/{origin.id}/{name}")  # no secret


def _apply_two(query: Query, profile: DataProfile, rng: Random) -> Iterator[Query]:
    """Mutants of mutants, for random pairs of operators."""
    for _ in range(4 * PAIRS):
        changed: Query | None = query
        for name in rng.sample(sorted(OPERATORS), 2):
            candidates = (
                [] if changed is None else list(OPERATORS[name].operate(changed, profile, rng))
            )
            changed = rng.choice(candidates) if candidates else None
        if changed is not None:
            yield changed


def write_readable(query: Query) -> str | None:
    """Write a query as text; None if no text is parsed as this query."""
    try:
        text = print_query(query)
    except UnprintableName:
        return None
    return text if isinstance(parse_query(text), Query) else None


def sample_mutants(mutants: Sequence[Mutant], seed: int, limit: int | None) -> list[Mutant]:
    """At most ``limit`` mutants, evenly from all operators."""
    if limit is None or limit >= len(mutants):
        return list(mutants)
    by_operator: dict[str, list[Mutant]] = {}
    for mutant in mutants:
        by_operator.setdefault(mutant.operator, []).append(mutant)
    for name, group in by_operator.items():
        Random(f"{seed}/{name}").shuffle(group)  # no secret
    chosen: list[Mutant] = []
    while len(chosen) < limit and by_operator:
        for name in list(by_operator):
            if len(chosen) < limit:
                chosen.append(by_operator[name].pop())
            if not by_operator[name]:
                del by_operator[name]
    return chosen
