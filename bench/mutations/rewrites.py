"""Rewrites that keep the meaning of a query: a check that refuses them is wrong.

A rewrite keeps the answer if the data fits its schema; the measurement compares the answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import TypeAlias

from bench.mutations.data_profile import TYPE, DataProfile
from bench.mutations.operators import write_readable
from bench.mutations.sites import (
    CallSite,
    call_sites,
    expression_of,
    list_aggregates,
    list_references,
    make_argument,
    make_literal,
    make_text_value,
    parameter_texts,
    rename_columns,
    replace_step,
    table_sites,
    value_sites,
    write_aggregate,
    write_expression,
    write_path,
)
from trustuqa_neo4j.language.ast import Argument, Call, Literal, Query, Reference, Step, Value
from trustuqa_neo4j.language.columns import Aggregate, ColumnPath, PathStep
from trustuqa_neo4j.matching import normalize_name

Rewrite: TypeAlias = Callable[[Query, DataProfile], Iterator[Query]]


def rewrite_query(query: Query, profile: DataProfile) -> Iterator[tuple[str, str]]:
    """Name and text of each rewrite."""
    for name, rewrite in REWRITES.items():
        for rewritten in rewrite(query, profile):
            text = write_readable(rewritten)
            if text is not None:
                yield name, text


def renamed_columns(query: Query, profile: DataProfile) -> Iterator[Query]:  # noqa: ARG001
    """Other names for the columns of the steps."""
    columns = {path.name for table in table_sites(query) for path in table.paths}
    for call_site in call_sites(query, "calculate", "group_by"):
        columns.update(parameter_texts(call_site, "name"))
        columns.update(aggregate.name for aggregate in list_aggregates(call_site))
    if not columns:
        return
    names = {name: f"{name}_of_it" for name in columns}
    steps = tuple(
        replace(step, value=_rename_in_step(step.value, query, names)) for step in query.steps
    )
    target = tuple(names.get(name, name) for name in query.target)
    yield replace(query, steps=steps, target=target)


def _rename_in_step(value: Value, query: Query, names: Mapping[str, str]) -> Value:
    """A step with other columns, if the step is one call."""
    call_site = next((c for c in call_sites(query) if c.call is value), None)
    if call_site is None:
        return value
    arguments = (_rename_in_argument(call_site, a, names) for a in call_site.call.arguments)
    return replace(call_site.call, arguments=tuple(arguments))


def _rename_in_argument(
    call_site: CallSite, argument: Argument, names: Mapping[str, str]
) -> Argument:
    def is_for(*parameters: str) -> bool:
        return argument in call_site.arguments_of(*parameters)

    if call_site.function == "get_table" and is_for("columns"):
        paths = next(t for t in table_sites(Query((Step(1, call_site.call),)))).paths
        texts = [write_path(replace(path, name=names[path.name])) for path in paths]
        return replace(argument, value=make_text_value(texts))
    if call_site.function == "calculate" and is_for("expression"):
        expression = expression_of(call_site)
        if expression is not None:
            text = write_expression(rename_columns(expression, names))
            return replace(argument, value=make_literal(text))
    if call_site.function == "group_by" and is_for("values"):
        aggregates = [_rename_aggregate(a, names) for a in list_aggregates(call_site)]
        return replace(argument, value=make_text_value([write_aggregate(a) for a in aggregates]))
    if is_for("name", "by", "column"):
        texts = [names.get(t, t) for t in parameter_texts(call_site, argument.name or "")]
        return replace(argument, value=make_text_value(texts)) if texts else argument
    return argument


def _rename_aggregate(aggregate: Aggregate, names: Mapping[str, str]) -> Aggregate:
    column = None if aggregate.column is None else names.get(aggregate.column, aggregate.column)
    return replace(aggregate, column=column, name=names[aggregate.name])


def other_root(query: Query, profile: DataProfile) -> Iterator[Query]:
    """A table that starts at the tails of one of its relations and goes back to its former root."""
    for table in table_sites(query):
        heads = table.call_site.arguments_of("head_entity")
        first = [
            step for step in query.steps if heads and step.number in list_references(heads[0].value)
        ]
        if len(first) != 1 or not isinstance(heads[0].value, Reference):
            continue
        root = next(
            (c for c in call_sites(query, "get_information") if c.call is first[0].value), None
        )
        if root is None or not _is_class_search(root):
            continue
        for name in dict.fromkeys(p.steps[0].relation for p in table.paths if len(p.steps) > 1):
            relation = profile.relation(name)
            through_relation = [
                p for p in table.paths if p.steps[0] == _first_occurrence(p.steps[0], name)
            ]
            if (
                relation is None
                or not relation.leads_to_nodes
                or any(len(p.steps) == 1 for p in through_relation)
            ):
                continue
            paths = [
                replace(path, steps=path.steps[1:])
                if path in through_relation
                else ColumnPath((PathStep(name, backwards=True), *path.steps), path.name)
                for path in table.paths
            ]
            new_root = Call("get_information", (make_argument("relation", make_literal(name)),), 0)
            moved = table.put(paths)
            steps = (
                Step(first[0].number, new_root) if step.number == first[0].number else step
                for step in moved.steps
            )
            yield replace(moved, steps=tuple(steps))


def _first_occurrence(step: PathStep, name: str) -> PathStep:
    return replace(step, relation=name, backwards=False, walk=1)


def _is_class_search(call_site: CallSite) -> bool:
    names = call_site.literals_of("relation")
    return [normalize_name(name) for name in names] == [TYPE] and len(call_site.call.arguments) == 2


def inverse_relation(query: Query, profile: DataProfile) -> Iterator[Query]:
    """A relation in a path replaced by its inverse in the other direction."""
    for table in table_sites(query):
        for name, inverse in profile.inverses.items():
            paths = [
                replace(path, steps=tuple(_invert_step(step, name, inverse) for step in path.steps))
                for path in table.paths
            ]
            if paths != list(table.paths):
                yield table.put(paths)


def _invert_step(step: PathStep, name: str, inverse: str) -> PathStep:
    if step.relation != name:
        return step
    return replace(step, relation=inverse, backwards=not step.backwards)


def as_a_path(query: Query, profile: DataProfile) -> Iterator[Query]:
    """A search for one relation as a table of one column."""
    for call_site in call_sites(query, "get_information"):
        heads, tails = (
            call_site.arguments_of("head_entity"),
            call_site.arguments_of("tail_entity", "value"),
        )
        relations = call_site.arguments_of("relation", "key")
        if len(relations) != 1 or len(heads) + len(tails) != 1:
            continue
        (by, end) = relations[0].value, (*heads, *tails)[0]
        if end.operator != "=" or not isinstance(by, Literal) or profile.relation(by.text) is None:
            continue
        path = ColumnPath((PathStep(by.text, backwards=bool(tails)),), "found")
        columns = make_argument("columns", make_text_value([write_path(path)]))
        yield call_site.put(
            Call("get_table", (make_argument("head_entity", end.value), columns), 0)
        )


def reordered_steps(query: Query, profile: DataProfile) -> Iterator[Query]:  # noqa: ARG001
    """Two adjacent steps swapped, if the second does not use the first."""
    steps = query.steps
    for index, (first, second) in enumerate(pairwise(steps)):
        if first.number in list_references(second.value) or index + 2 == len(steps):
            continue
        swap = {first.number: second.number, second.number: first.number}
        order = [*steps[:index], second, first, *steps[index + 2 :]]
        moved = (
            Step(swap.get(step.number, step.number), _renumber(step.value, swap)) for step in order
        )
        yield replace(query, steps=tuple(moved))


def _renumber(value: Value, numbers: Mapping[int, int]) -> Value:
    """A value with other numbers in its references."""
    single = Query((Step(0, value),))
    for number in set(list_references(value)) & numbers.keys():
        single = replace_step(single, number, Reference(-numbers[number], 0))
    for number in {n for n in list_references(single.steps[0].value) if n < 0}:
        single = replace_step(single, number, Reference(-number, 0))
    return single.steps[0].value


def nested_steps(query: Query, profile: DataProfile) -> Iterator[Query]:  # noqa: ARG001
    """A step that is used once, nested where it is used."""
    used = [number for step in query.steps for number in list_references(step.value)]
    for step in query.steps[:-1]:
        if used.count(step.number) == 1 and isinstance(step.value, Call):
            yield replace_step(query, step.number, step.value)


def unnested_steps(query: Query, profile: DataProfile) -> Iterator[Query]:  # noqa: ARG001
    """A nested call as a step of its own before the others."""
    outer = {id(step.value) for step in query.steps}
    for site in value_sites(query):
        if isinstance(site.value, Call) and id(site.value) not in outer:
            if list_references(site.value):
                continue
            number = max(step.number for step in query.steps) + 1
            unnested = site.put(Reference(number, 0))
            yield replace(unnested, steps=(Step(number, site.value), *unnested.steps))


def class_as_head(query: Query, profile: DataProfile) -> Iterator[Query]:  # noqa: ARG001
    """A table of the members of a class, with the name of the class as its head."""
    used = [number for step in query.steps for number in list_references(step.value)]
    for table in table_sites(query):
        heads = table.call_site.arguments_of("head_entity")
        if len(heads) != 1:
            continue
        head = heads[0]
        members = head.value
        if isinstance(members, Reference):
            members = next((s.value for s in query.steps if s.number == members.step), members)
        root = next((c for c in call_sites(query, "get_information") if c.call is members), None)
        names = root.literals_of("tail_entity", "value") if root and _is_class_search(root) else []
        if len(names) != 1:
            continue
        rewritten = table.call_site.replace_argument(
            head, replace(head, value=make_literal(names[0]))
        )
        if isinstance(head.value, Reference) and used.count(head.value.step) == 1:
            steps = tuple(s for s in rewritten.steps if s.number != head.value.step)
            rewritten = replace(rewritten, steps=steps)
        yield rewritten


REWRITES: Mapping[str, Rewrite] = {
    "renamed columns": renamed_columns,
    "other root": other_root,
    "inverse relation": inverse_relation,
    "as a path": as_a_path,
    "reordered steps": reordered_steps,
    "nested steps": nested_steps,
    "unnested steps": unnested_steps,
    "class as head": class_as_head,
}
