"""The edits that compute with the last result: compared with another, its next place, ordered anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from ..language.ast import ListValue, Literal, Query, Reference, Step
from ..language.functions import (
    ASCENDING,
    DAYS_BETWEEN,
    DESCENDING,
    DIFFERENCE,
    DISTINCT,
    FIRST,
    GREATER,
    LESS,
    NUMBER_DIFFERENCE,
    SORT,
    TABLE_OF_PATHS,
    YEARS_BETWEEN,
)
from ..language.query_edits import (
    HEAD,
    RELATION,
    SEARCH,
    TAIL,
    append_call,
    get_relation,
    get_search,
    make_call,
    order_steps,
    read_query,
    replace_literal,
    widen,
)
from ..language.selectors import EXTREMES
from ..lexicon.lexicon import load_lexicon
from ..lexicon.words import WORDS
from ..matching import normalize_name
from ..semantic_parser.row_plans import PlanFailure, plain_name
from ..values import read_value
from .follow_up import FollowUp, asks_whether, list_words
from .follow_up_edits import Edits, replace_conditions
from .follow_up_groups import find_columns, write_column
from .follow_up_names import SAME_PLACE, put_name
from .query_editor import Edit, QueryEditor, get_single_relation, project, write

_TIME_ENDS = frozenset(WORDS.follow_ups.time_ends)
_AMOUNTS = WORDS.grammar.diminishing | {"more"}
_UNITS = {"years": YEARS_BETWEEN, "days": DAYS_BETWEEN}


def compare(editor: QueryEditor, follow_up: FollowUp) -> Iterator[Edit]:
    """Compare the last result with that for another name: *how many more is that than in Malm?*."""
    if len(editor.values) != 1:
        return
    if read_value(follow_up.rest) is not None:
        yield from _compare_number(editor, follow_up)
        return
    if editor.extremes and not editor.has_numbers:
        editor = _show_measure(editor)
        edits = [*_ask_of_name(editor, follow_up.name)]
    else:
        fragment = replace(follow_up, old="")
        edits = [*put_name(editor, fragment)] or [*replace_conditions(editor, fragment)]
    function = _choose_function(editor, follow_up.old)
    for edit in edits:
        other = read_query(edit.query)
        if other is not None and function is not None:
            joined, *ends = editor.join_result(other)
            if "than" not in list_words(follow_up.text):
                ends.reverse()  # *do the flats in Malm have more?*
            yield from write(append_call(joined, function, *ends), edit.probability)


def _compare_number(editor: QueryEditor, follow_up: FollowUp) -> Iterator[Edit]:
    """Compare the last result with a number: *is that more than 40?*."""
    function = _choose_function(editor, follow_up.old)
    if function in (GREATER, LESS) and editor.has_numbers:
        number = Literal(follow_up.name, 0)
        yield from write(append_call(editor.last, function, editor.final, number), SAME_PLACE)


def _show_measure(editor: QueryEditor) -> QueryEditor:
    """Return the editor of what the last superlative measured: the seats of the hall with most seats."""
    step, relation = editor.members.step, editor.extremes[0]
    if step is None:
        return editor
    return QueryEditor(editor.context, editor.scope, project(editor.last, step, relation))


def _ask_of_name(editor: QueryEditor, name: str) -> Iterator[Edit]:
    """Ask for the relation that the last query ends with, of the row or node with a name."""
    relation = get_relation(get_search(editor.last.steps[-1].value))
    naming = editor.naming if relation and normalize_name(relation) in editor.columns else None
    parameter = TAIL if naming else HEAD
    if relation is None or not editor.has_name(parameter, naming, name):
        return
    parameters = {parameter: Literal(name, 0), RELATION: Literal(naming or relation, 0)}
    query = Query((Step(1, make_call(SEARCH, parameters)),), ())
    yield from write(project(query, 1, relation) if naming else query, SAME_PLACE)


def set_beside(editor: QueryEditor, follow_up: FollowUp) -> Iterator[Edit]:
    """Ask of another name, and for the difference to it: *vs Malm?* may mean both."""
    yield from [*put_name(editor, follow_up)] or [*replace_conditions(editor, follow_up)]
    if editor.has_numbers:
        yield from compare(editor, follow_up)


def _choose_function(editor: QueryEditor, said: str) -> str | None:
    """Choose what compares; None for a word that may mean either end, or that measures something else."""
    words, are_dates = list_words(said), all(map(_is_date, editor.values))
    if not _measures_last(editor, words):
        return None
    if not asks_whether(said):
        units = [_UNITS[word] for word in words if word in _UNITS]
        is_counted = not WORDS.times.counted_periods.isdisjoint(words)
        if is_counted or units:
            return units[0] if units and are_dates else None
        return NUMBER_DIFFERENCE
    ends = {EXTREMES[word] for word in _list_extremes(words) if (word in _TIME_ENDS) == are_dates}
    return None if len(ends) != 1 else GREATER if ends.pop() else LESS


def _measures_last(editor: QueryEditor, words: Sequence[str]) -> bool:
    """False for *older* after a question for a salary: the comparative measures another column."""
    dimensions = load_lexicon().dimensions
    relation = editor.extremes[0] if editor.extremes else get_relation(get_search(editor.asked[1]))
    said = [*list_words(editor.last_question), *list_words(normalize_name(relation or ""))]
    return all(
        dimensions[word] in [dimensions.get(other) for other in said]
        or not {*said}.isdisjoint(
            chain(dimensions[word].columns, *dimensions[word].extremes.values())
        )
        for word in words
        if word in dimensions and dimensions[word].extremes
    )


def _list_extremes(words: Sequence[str]) -> Iterator[str]:
    """Yield the ends of orders that comparatives mean: *older* is an earlier day, and more years."""
    lexicon = load_lexicon()
    amounts = [word for word in words if word in _AMOUNTS]
    for word in amounts or words:
        dimension = lexicon.dimensions.get(word)
        yield from (o for o in lexicon.operators.get(word, ()) if o in EXTREMES)
        yield from dimension.extremes if dimension else ()


def _is_date(value: object) -> bool:
    read = read_value(value) if isinstance(value, str) else None
    return read is not None and read.start is not None


def take_place(editor: QueryEditor, follow_up: FollowUp) -> Iterator[Edit]:
    """Select the next one in the order of the last superlative: *and the second?*."""
    ordinal = list_words(follow_up.rest)[0]
    digits = "".join(filter(str.isdigit, ordinal))
    place = WORDS.numbers.ordinals.get(ordinal) or int(digits or 2)
    for step in editor.last.steps:
        search = get_search(step.value) or {}
        end = search[TAIL].value if TAIL in search else None
        is_upper = EXTREMES.get(end.text.casefold()) if isinstance(end, Literal) else None
        if isinstance(end, Literal) and is_upper is not None and get_relation(search) is not None:
            order = DESCENDING if is_upper else ASCENDING
            query, bound = _select_place(editor.last, step.number, order, place)
            query = replace_literal(query, end, Reference(bound, 0))
            yield from write(order_steps(query, editor.final), SAME_PLACE)


def _select_place(last: Query, step: int, order: str, place: int) -> tuple[Query, int]:
    """Append the value at a place in the order of what a search may find; return its step."""
    query = widen(last, step)
    query = append_call(query, DISTINCT, set=query.steps[-1].number)
    query = append_call(query, SORT, set=query.steps[-1].number, order=Literal(order, 0))
    end = query.steps[-1].number
    for number in (place, place - 1):
        query = append_call(query, FIRST, set=end, number=Literal(str(number), 0))
    # Not the last of the first ones, which there is also where there are fewer.
    return append_call(query, DIFFERENCE, end + 1, end + 2), end + 3


def sort_members(editor: QueryEditor, follow_up: FollowUp) -> Iterator[Edit]:
    """Show the rows of the last answer in the order of a column: *sort them by fee, cheapest first*."""
    step, naming, order = editor.members.step, editor.naming, _read_order(follow_up.old)
    is_list = editor.names_rows and len(editor.values) > 1
    if step is None or naming is None or order is None or not (is_list and editor.is_rows(step)):
        return
    columns = [*find_columns(editor, list_words(follow_up.rest))]
    if not columns:  # *by hiring date*, of a column *hired*
        queries = [query for query, _ in editor.read_sure(follow_up.rest)]
        columns = [*filter(None, map(get_single_relation, queries))]
    for column in columns:
        try:
            names = ListValue((write_column(naming), write_column(column)), 0)
            by = Literal(plain_name(column), 0)
        except PlanFailure:  # the name has signs of the language
            continue
        query = append_call(editor.last, TABLE_OF_PATHS, **{HEAD: step}, columns=names)
        end = query.steps[-1].number
        query = append_call(query, SORT, set=end, by=by, order=Literal(order, 0))
        yield from write(order_steps(query, query.steps[-1].number), SAME_PLACE / len(columns))


def _read_order(said: str) -> str | None:
    """Read *cheapest first*, *high to low*, *descending*; the least first without any, None if unclear."""
    words = [word for word in list_words(said) if word != FIRST]
    ends = [{EXTREMES[name] for name in _list_extremes([word])} for word in words]
    ends = [found for found in ends if found]
    if not ends and "to" in words:
        return None  # *from Z to A*
    if not ends:
        is_upper = DESCENDING in words or not WORDS.follow_ups.rankings.isdisjoint(words)
        return DESCENDING if is_upper else ASCENDING
    return None if len(ends[0]) > 1 else DESCENDING if ends[0] == {True} else ASCENDING


RESULT_EDITS: Mapping[str, Edits] = {
    edit.__name__: edit for edit in (compare, set_beside, take_place, sort_members)
}
