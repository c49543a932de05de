"""The functions of the query language, declared once.

Parser, check, plan and prompt read this table; nothing else knows a function's name or parameters. Below
the functions of the papers stand those that models invent again and again: declared where they have one
meaning that needs no look at the question, ``loose`` since every model names their operands otherwise.
What is not here is refused by name.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter with a name: other names it goes by, whether ``<`` etc. may stand, how often."""

    name: str
    synonyms: tuple[str, ...] = ()
    ordered: bool = False
    repeats: bool = False


@dataclass(frozen=True, slots=True)
class Function:
    """One function: name, its line for the prompt, and what it takes.

    ``least`` to ``most`` operands (None: any number): results, values or lists, given by position or as
    ``set``, ``set1`` …; by any name where ``loose``. ``parameters`` have names and stand beside them; where
    ``placed``, further values by position are theirs in this order. Those in ``needed`` must be given.
    """

    name: str
    prompt: str
    synonyms: tuple[str, ...] = ()
    least: int = 0
    most: int | None = 0
    parameters: tuple[Parameter, ...] = ()
    loose: bool = False
    placed: bool = False
    needed: tuple[str, ...] = ()

    def parameter(self, given: str) -> Parameter | None:
        """The parameter called ``given``, or None."""
        wanted = given.casefold()
        found = next((p for p in self.parameters if wanted in (p.name, *p.synonyms)), None)
        if found is None and wanted[-1:].isdecimal():  # head_entity1, head_entity2: any of them
            bare = wanted.rstrip("0123456789_")
            found = next((p for p in self.parameters if p.repeats and p.name == bare), None)
        return found


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
        "keep", "keep(set, value op x): the members for which it holds", ("filter",), 1, 1,
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
    Function("previous_row", "previous_row(set): the row above each", ("prev_row",), 1, 1),
    Function("next_row", "next_row(set): the row below each", (), 1, 1),
)

_TABLES = (
    Function(
        "get_table",
        "get_table(head_entity, columns): one row per way along the paths "
        "'relation > relation#2 > ^relation as name'",
        parameters=(
            Parameter("head_entity", ("head", "set")),
            Parameter("columns", ("column", "paths", "path"), repeats=True),
        ),
        placed=True,
        needed=("head_entity", "columns"),
    ),
    Function(
        "calculate", "calculate(set, expression, name): the table with a computed column",
        ("calculator", "calculation"), 1, 1,
        (Parameter("expression", ("formula",)), Parameter("name")), placed=True, needed=("expression",),
    ),
    Function(
        "group_by", "group_by(set, by, values): one row per group, values such as 'sum(a) as total'",
        ("groupby",), 1, 1, (Parameter("by", repeats=True), Parameter("values", ("value",), repeats=True)),
        placed=True,
    ),
)  # fmt: skip

_OPTIONS = (
    Parameter("operator", ("op", "comparison", "operation", "comparison_operator", "comparator")),
    Parameter("unit"),
)

_INVENTED = (
    Function(
        "difference", "difference(a, b): how far two numbers or dates are apart; of sets, as set_difference",
        ("subtract", "subtraction"), 1, 2, (Parameter("unit"),), loose=True, placed=True,
    ),
    Function(
        "distance", "distance(a, b): how far two numbers or dates are apart",
        ("calculate_difference", "calc_difference", "calculate_diff", "abs_difference", "duration",
         "calculate_duration", "get_duration", "time_difference", "time_duration", "time_span",
         "calculate_time_span", "calculate_time_duration", "calculate_time_difference"),
        1, 2, (Parameter("unit"),), loose=True, placed=True,
    ),
    Function(
        "year_difference", "year_difference(a, b): how many years two dates are apart",
        ("years_difference", "calculate_years", "calculate_years_difference", "year_diff", "years_between"),
        1, 2, (Parameter("unit"),), loose=True,
    ),
    Function(
        "days_difference", "days_difference(a, b): how many days two dates are apart",
        ("day_difference", "days_between"), 1, 2, (Parameter("unit"),), loose=True,
    ),
    Function("product", "product(a, b): a times b", ("multiply", "multiplication"), 2, None, loose=True),
    Function("ratio", "ratio(a, b): a divided by b", ("divide", "division", "quotient"), 2, 2, loose=True),
    Function("abs", "abs(a): without its sign", ("absolute", "absolute_value"), 1, 1, loose=True),
    Function("year", "year(date): the year of a date", ("extract_year", "get_year"), 1, 1, loose=True),
    Function("sort", "sort(set, order): by value, smallest first", ("sorted", "order"), 1, 1,
             (Parameter("order", ("ascending", "reverse", "descending")), Parameter("by", ("key",))),
             placed=True),
    Function("first", "first(set): the first member", ("get_first", "first_row"), 1, 1, loose=True),
    Function("last", "last(set): the last member", ("get_last", "last_row"), 1, 1, loose=True),
    Function("mode", "mode(set): the most frequent members",
             ("most", "most_frequent", "most_common", "get_most_common", "most_occurrences",
              "get_highest_frequency_entity"), 1, 1, loose=True),
    Function("distinct", "distinct(set): each member once",
             ("unique", "set_unique", "get_unique_values"), 1, 1,
             (Parameter("column", ("key", "relation")),)),
    Function("contains", "contains(set, member): yes or no",
             ("is_in", "is_member", "check_membership", "check_inclusion", "is_included",
              "set_contains"), 2, 2, loose=True),
    Function("equals", "equals(a, b): yes or no",
             ("equal", "check_equal", "check_equality", "set_equals", "is_equal", "is_same"), 2, 2,
             loose=True),
    Function("is_empty", "is_empty(set): yes or no", ("check_empty",), 1, 1, loose=True),
    Function("if", "if(condition, a, b): a where it holds, else b",
             ("if_else", "ifelse", "if_then_else", "conditional"), 2, 3, loose=True),
    Function("compare", "compare(a, b): the larger",
             ("comparison", "set_comparison", "compare_dates", "compare_date", "compare_count",
              "compare_counts", "compare_numbers", "compare_value", "compare_values", "compare_numeric",
              "compare_amount", "compare_quantity", "compare_scores"),
             2, 2, _OPTIONS, loose=True, placed=True),
    Function("greater_than", "greater_than(a, b): yes or no",
             ("is_greater_than", "is_greater"), 2, 2, loose=True),
    Function("less_than", "less_than(a, b): yes or no", ("is_less_than", "is_less"), 2, 2, loose=True),
)  # fmt: skip

FUNCTIONS: tuple[Function, ...] = (
    *_SEARCHES, *_SETS, *_FIGURES, *_ROWS, *_TABLES, *_INVENTED,
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
