"""The functions of the query language, declared once.

Parser, check, plan and prompt read this table; nothing else knows a function's name or parameters. Below
the functions of the papers stand those that models invent again and again: declared where they have one
meaning that needs no look at the question, ``loose`` since every model names their operands otherwise.
What is not here is refused by name.
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import lru_cache

from .declaring import Function as Function
from .declaring import Parameter as Parameter
from .declaring import Shown as Shown
from .invented import INVENTED

_SEARCHES = (
    Function(
        "get_information",
        "get_information(head_entity, relation, tail_entity, key, value): what stands in the graph; "
        "the parameter left out is asked for",
        parameters=(
            Parameter("head_entity", ("head",), ordered=True, repeats=True),
            Parameter("relation", repeats=True),
            Parameter("tail_entity", ("tail",), ordered=True, repeats=True),
            Parameter("key", ("column",), ordered=True, repeats=True),
            Parameter("value", ordered=True, repeats=True),
            Parameter("row_number", ("row",), ordered=True, repeats=True),
        ),
    ),
    Function(
        "search_node",
        "search_node(node1, condition): what node1 leads to under the condition",
        parameters=(
            Parameter("node1", ("node", "relation", "node_1")),
            Parameter("condition"),
            Parameter("scope"),
        ),
        placed=True,
        needed=("node1",),
        shown="never",
    ),
    Function(
        "search_condition",
        "search_condition(node1, node2, op): the conditions under which node1 leads to node2",
        parameters=(
            Parameter("node1", ("relation", "node_1")),
            Parameter("node2", ("node2_value", "node_2_value", "node_2", "value"), ordered=True),
            Parameter("op", ("operator",)),
            Parameter("scope"),
        ),
        placed=True,
        needed=("node1", "node2"),
        shown="never",
    ),
)

_SETS = (
    Function(
        "set_intersection", "set_intersection(set1, set2): members of both",
        ("intersection", "intersect", "set_intersect"), 1, None,
    ),
    Function("set_union", "set_union(set1, set2): members of either", ("union",), 1, None),
    Function("set_difference", "set_difference(set1, set2): members of the first only", (), 2, None),
    Function(
        "set_negation", "set_negation(set): all others, of the same kind",
        ("negation", "complement"), 1, 2, (Parameter("universe"),),
    ),
    Function(
        "keep",
        "keep(set, value op x, column): what of a set, or table by its column, fits; value='highest' too",
        ("filter",), 1, 1,
        (Parameter("value", ordered=True, repeats=True), Parameter("column", ("key", "relation"))),
        needed=("value",),
    ),
)  # fmt: skip

_FIGURES = (
    Function("count", "count(set): how many distinct members",
             ("size", "set_count", "count_unique", "distinct_count", "count_distinct"), 1, None, (
        Parameter("distinct", ("unique",)), Parameter("column", ("key", "relation")),
        Parameter("value", ordered=True),
    )),
    Function("max", "max(set): the largest member",
             ("maximum", "largest", "find_max", "set_max"), 1, None, (Parameter("column", ("key",)),)),
    Function("min", "min(set): the smallest member",
             ("minimum", "smallest", "find_min", "set_min"), 1, None, (Parameter("column", ("key",)),)),
    Function("sum", "sum(set): the sum of all entries",
             ("total", "add", "addition", "calculate_sum"), 1, None, (Parameter("column", ("key",)),),
             loose=True),
    Function("mean", "mean(set): the mean of all entries",
             ("average", "avg"), 1, None, (Parameter("column", ("key",)),)),
)  # fmt: skip

_ROWS = (
    Function(
        "previous_row", "previous_row(set): the row above each", ("prev_row",), 1, 1, shown="tables"
    ),
    Function("next_row", "next_row(set): the row below each", (), 1, 1, shown="tables"),
    Function(
        "row_number",
        "row_number(set): which row each is, from 1",
        (),
        1,
        1,
        loose=True,
        shown="never",
    ),
)

_TABLES = (
    Function(
        "get_table",
        "get_table(head_entity, columns): one row per way along the paths "
        "'relation > relation#2 > ^relation as name', out of heads, members of a class, or all there are; "
        "'relation? as name' may be missing",
        parameters=(
            Parameter("head_entity", ("head", "set")),
            Parameter("columns", ("column", "paths", "path"), repeats=True),
        ),
        placed=True,
        needed=("columns",),
    ),
    Function(
        "calculate", "calculate(set, expression, name): the table with a computed column",
        ("calculator", "calculation"), 1, 1,
        (Parameter("expression", ("formula",)), Parameter("name")), placed=True, needed=("expression",),
    ),
    Function(
        "group_by",
        "group_by(set, by, values): one row per group, values such as 'sum(a * b) / count() as mean'",
        ("groupby",), 1, 1, (Parameter("by", repeats=True), Parameter("values", ("value",), repeats=True)),
        placed=True,
    ),
    Function(
        "count_by", "count_by(set, column): how often each member occurs",
        ("count_by_key", "count_by_value", "count_by_group", "count_each", "count_occurrences",
         "calculate_frequency", "frequency", "value_counts"),
        1, 1, (Parameter("column", ("key", "by", "relation")),), placed=True, shown="never",
    ),
    Function("argmax", "argmax(counts): what stands beside the largest number of two columns",
             ("arg_max",), 1, 1, loose=True, shown="never"),
    Function("argmin", "argmin(counts): what stands beside the smallest",
             ("arg_min",), 1, 1, loose=True, shown="never"),
)  # fmt: skip

FUNCTIONS: tuple[Function, ...] = (
    *_SEARCHES, *_SETS, *_FIGURES, *_ROWS, *_TABLES, *INVENTED,
)  # fmt: skip

_BY_NAME = {name: f for f in reversed(FUNCTIONS) for name in (f.name, *f.synonyms)}

_LONGEST = 60  # no slip of a name is longer; comparing is not linear in what is compared

FUNCTION_NAMES = tuple(_BY_NAME)
"""Every name of a function, synonyms included."""

PARAMETER_NAMES = tuple(
    dict.fromkeys(
        name
        for f in FUNCTIONS
        for p in (*f.parameters, Parameter("set"))
        for name in (p.name, *p.synonyms)
    )
)
"""Every name of a parameter, synonyms included."""


def find(name: str) -> Function | None:
    """The function called ``name``, by itself or a synonym, whatever its case; or None."""
    return _BY_NAME.get(name.casefold())


@lru_cache(maxsize=256)
def nearest(name: str, names: tuple[str, ...] = FUNCTION_NAMES) -> str | None:
    """Which of ``names``, by default the functions', ``name`` is most likely a slip of; or None."""
    return next(iter(get_close_matches(name.casefold()[:_LONGEST], names, n=1, cutoff=0.6)), None)
