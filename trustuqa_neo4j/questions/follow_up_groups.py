"""The last result for each value of a column or relation: *and per country?*, *broken down by section*."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ..language.ast import Argument, Call, ListValue, Literal, Query, Reference, Step
from ..language.functions import GROUPS, KEEP, TABLE_OF_PATHS, get_row
from ..language.query_edits import (
    HEAD,
    RELATION,
    VALUE,
    ConditionalSearch,
    append,
    append_call,
    get_relation,
    get_search,
    is_summary,
    list_selections,
    make_call,
    order_steps,
)
from ..lexicon.forms import stem
from ..lexicon.words import WORDS
from ..semantic_parser.row_plans import PlanFailure, plain_name, write_group_value, write_path
from .follow_up import COUNT, find_operation, list_words, read_distributive, read_group
from .query_editor import Edit, QueryEditor, write

_SURE = 0.9  # of a group that has the whole name of a column or relation
_OTHERS = WORDS.follow_ups.other_groups


def group_result(editor: QueryEditor, text: str) -> Iterator[Edit]:
    """Compute the last number for each value of the column or relation that a fragment names."""
    noun = read_group(text)
    summary = editor.last.steps[-1].value
    if isinstance(summary, Call) and summary.function == GROUPS and not noun:
        yield from _change_values(editor, summary, text)
    if not noun or not isinstance(summary, Call) or not is_summary(summary):
        return
    function = get_row(summary.function)
    if not function.in_groups:
        return
    groups = [*find_columns(editor, noun)]
    if not groups and not _OTHERS.isdisjoint(list_words(text)):
        # *in each of the other districts*, after one for Riverside: of what it was selected by
        groups = [selection.relation for selection in list_selections(editor.last)]
    for group in groups:
        try:
            query = _make_groups(editor, function.name, group, text)
        except PlanFailure:  # the name has signs of the language
            continue
        if query is not None:
            yield from write(query, _SURE / len(groups))


def _change_values(editor: QueryEditor, groups: Call, text: str) -> Iterator[Edit]:
    """Compute another number of the last groups: *and how many clubs for each?*, *the average of each*."""
    rest = read_distributive(text)
    operation = find_operation(rest, f"{editor.last_question} {editor.row_noun}") if rest else ""
    given = {str(argument.name): argument.value for argument in groups.arguments}
    old = given.get("values")
    measured = re.search(r"\((.*)\)", old.text) if isinstance(old, Literal) else None
    function = get_row(operation)
    if measured is None or not function.in_groups or not (measured[1] or operation == COUNT):
        return
    given["values"] = Literal(write_group_value(operation, measured[1]), 0)
    number = editor.last.steps[-1].number
    steps = (*editor.last.steps[:-1], Step(number, make_call(GROUPS, given)))
    yield from write(replace(editor.last, steps=steps), _SURE)


def find_columns(editor: QueryEditor, noun: list[str]) -> Iterator[str]:
    """Find the columns or relations with all words of the noun, the shortest names first."""
    said = {*map(stem, noun)}
    stems = {name: editor.find_stems(name) for name in editor.relations}
    found = [name for name in stems if said and said <= stems[name]]
    shortest = min((len(stems[name]) for name in found), default=0)
    yield from (name for name in found if len(stems[name]) == shortest)


def _make_groups(editor: QueryEditor, function: str, group: str, text: str) -> Query | None:
    members, measured = _find_measure(editor)
    chosen = [s for s in list_selections(editor.last) if s.relation == group]
    # A count of values, *how many flags*, is not a count of their rows.
    if (function == COUNT) != (measured is None) or (chosen and not _is_only(editor, chosen[0])):
        return None
    by, number = plain_name(group), ""
    columns = [write_column(group)]
    if function != COUNT and measured is not None:
        number = plain_name(measured)
        columns.append(write_column(measured))
    value = write_group_value(function, number)
    rows = {HEAD: members} if members is not None and not chosen else {}
    names = ListValue(tuple(columns), 0)
    query = append_call(editor.last, TABLE_OF_PATHS, columns=names, **rows)
    end, values = query.steps[-1].number, Literal(value, 0)
    query = append_call(query, GROUPS, set=end, by=Literal(by, 0), values=values)
    if chosen and not _OTHERS.isdisjoint(list_words(text)):
        rest = make_call(KEEP, {"set": Reference(end + 1, 0), "column": Literal(by, 0)})
        other = Argument(VALUE, "!=", Literal(chosen[0].texts[0], 0), 0)
        query = append(query, replace(rest, arguments=(*rest.arguments, other)))
    return order_steps(query, query.steps[-1].number)


def _is_only(editor: QueryEditor, chosen: ConditionalSearch) -> bool:
    """True if the last query selects by one value of the groups alone, so that there are other groups."""
    return len([*list_selections(editor.last)]) == 1 and len(chosen.texts) == 1


def _find_measure(editor: QueryEditor) -> tuple[int | None, str | None]:
    """Find the step of the members of the last result, None for all rows, and what is summed up of them."""
    number, value = editor.asked
    search = get_search(value)
    if search is None or not {*search} <= {HEAD, RELATION}:
        return number, None
    head = search.get(HEAD)
    if head is None:
        return None, get_relation(search)
    step = head.value.step if isinstance(head.value, Reference) else number
    return step, get_relation(search)


def write_column(name: str) -> Literal:
    return Literal(write_path(name, plain_name(name)), 0)
