"""The table of functions of the query language.

Parser, validation, planner and prompt read this table; nothing else knows the name or the parameters of a
function. It has the functions of the papers, and functions that models often invent: those whose meaning does
not depend on the question. They take operands by any name, since every model names them differently.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from ..matching import suggest_names

# Data for which a prompt describes a function.
Shown: TypeAlias = Literal["always", "tables", "briefly", "never"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A named parameter.

    ``ordered`` parameters also take ``<``, ``>=`` and so on; ``repeats``: it may occur several times;
    ``by_name``: no value by position goes to it.
    """

    name: str
    synonyms: tuple[str, ...] = ()
    ordered: bool = False
    repeats: bool = False
    by_name: bool = False


@dataclass(frozen=True, slots=True)
class Function:
    """A function: its name, its line in the prompt, its operands and its parameters.

    Operands are results, values or lists, given by position or as ``set``, ``set1`` …, and by any name
    where ``free_names``; ``max_operands`` None is any number. ``computes``: what it makes of numbers and
    dates that stand in the query is an answer, though no fact has it. Further values by position go to the
    parameters in their order where ``positional``. Parsing understands functions that are never ``shown``.
    """

    name: str
    prompt: str
    synonyms: tuple[str, ...] = ()
    min_operands: int = 0
    max_operands: int | None = 0
    parameters: tuple[Parameter, ...] = ()
    free_names: bool = False
    positional: bool = False
    required: tuple[str, ...] = ()
    shown: Shown = "always"
    computes: bool = False

    @property
    def signature(self) -> str:
        """The name and the parameters as the prompt shows them, such as ``count(set)``."""
        return self.prompt.partition(":")[0]

    def parameter(self, name: str) -> Parameter | None:
        name = name.casefold()
        parameter = next((p for p in self.parameters if name in (p.name, *p.synonyms)), None)
        if parameter is None and name[-1:].isdecimal():  # head_entity1, head_entity2: any of them
            bare = name.rstrip("0123456789_")
            parameter = next((p for p in self.parameters if p.repeats and p.name == bare), None)
        return parameter


_OPTIONS = (
    Parameter("operator", ("op", "comparison", "operation", "comparison_operator", "comparator", "option",
                           "function")),
    Parameter("unit"),
)  # fmt: skip
_NUMBER = (Parameter("number", ("n", "limit")),)

# Functions that models invent although no prompt shows them.
INVENTED = (
    Function(
        "difference", "difference(a, b): how far two numbers or dates are apart; of sets, as set_difference",
        ("subtract", "subtraction"), 1, 2, (Parameter("unit"),), free_names=True, positional=True,
        computes=True,
    ),
    Function(
        "distance", "distance(a, b): how far two numbers or dates are apart; of one range or score, its ends",
        (), 1, 2, (Parameter("unit"),), free_names=True, positional=True,
        shown="never", computes=True,
    ),
    Function(
        "duration", "duration(start, end): how long, such as '5 years'; of one range, its length",
        ("time_difference", "time_duration", "time_span", "length"),
        1, 2, (Parameter("unit"),), free_names=True, positional=True,
        shown="briefly", computes=True,
    ),
    Function(
        "year_difference", "year_difference(a, b): how many years two dates are apart",
        ("calculate_years", "years_between"),
        1, 2, (Parameter("unit"),), free_names=True,
        shown="never", computes=True,
    ),
    Function(
        "days_difference", "days_difference(a, b): how many days two dates are apart",
        ("days_between",), 1, 2, (Parameter("unit"),), free_names=True, computes=True,
    ),
    Function("product", "product(a, b): a times b",
             ("multiply", "multiplication"), 2, None, free_names=True, shown="never", computes=True),
    Function("ratio", "ratio(a, b): a divided by b",
             ("divide", "division", "quotient"), 2, 2, free_names=True, shown="never", computes=True),
    Function("number", "number(value): the number that a value is",
             ("value", "int", "float", "integer", "to_number"), 1, 1, free_names=True, shown="never"),
    Function("abs", "abs(a): without its sign",
             ("absolute",), 1, 1, free_names=True, shown="never", computes=True),
    Function("year", "year(date): the year of a date", (), 1, 1, free_names=True, computes=True),
    Function("sort", "sort(set, order, by): by value, smallest first; a table by one of its columns",
             ("sorted", "order"), 1, 1,
             (Parameter("order", ("ascending", "reverse", "descending")), Parameter("by", ("key", "column"))),
             positional=True, shown="briefly"),
    Function("first", "first(set, number): the first member, or so many",
             ("first_row", "limit"), 1, 1, _NUMBER, free_names=True,
             positional=True, shown="briefly"),
    Function("last", "last(set, number): the last member, or so many", ("last_row",), 1, 1,
             _NUMBER, free_names=True, positional=True, shown="briefly"),
    Function("mode", "mode(set): the most frequent members",
             ("most", "most_frequent", "most_common", "most_occurrences",
              "get_highest_frequency_entity"), 1, 1, free_names=True, shown="briefly"),
    Function("distinct", "distinct(set): each member once",
             ("unique",), 1, 1,
             (Parameter("column", ("key", "relation")),), shown="briefly"),
    Function("contains", "contains(set, member): yes or no",
             ("is_in", "is_member", "check_membership", "check_inclusion", "is_included"), 2, 2,
             free_names=True),
    Function("equals", "equals(a, b): yes or no",
             ("equal", "check_equality", "is_same"), 2, 2,
             free_names=True, shown="briefly", computes=True),
    Function("is_empty", "is_empty(set): yes or no", ("check_empty",), 1, 1, free_names=True,
             shown="briefly"),
    Function("exists", "exists(set): whether it has members, yes or no",
             ("exist", "not_empty"), 1, 1, free_names=True, shown="briefly"),
    Function("holds", "holds(condition): yes or no",
             ("check_condition", "check_expression", "convert_to_yes_no"), 1, 1, free_names=True,
             shown="never"),
    Function("if", "if(condition, a, b): a where it holds, else b",
             ("if_else", "ifelse", "if_then_else", "if_condition", "conditional", "conditions"), 2, 3,
             free_names=True, shown="briefly"),
    Function("compare", "compare(a, b): the larger",
             ("comparison", "comparator"),
             2, 2, _OPTIONS, free_names=True, positional=True, shown="briefly"),
    Function("smaller", "smaller(a, b): the smaller or earlier of two, named as compare names the larger",
             ("lesser", "earlier", "earlier_date"), 2, 2, free_names=True, shown="briefly"),
    Function("greater_than", "greater_than(a, b): yes or no",
             ("is_greater", "compare_greater", "compare_greater_than",
              "check_if_larger", "if_greater"), 2, 2, free_names=True, shown="never", computes=True),
    Function("less_than", "less_than(a, b): yes or no",
             ("is_less", "if_less"), 2, 2, free_names=True, shown="never", computes=True),
    Function("at_least", "at_least(a, b): yes or no",
             ("greater_than_or_equal_to", "greater_than_or_equal", "greater_or_equal"), 2, 2, free_names=True,
             shown="never", computes=True),
    Function("at_most", "at_most(a, b): yes or no",
             ("less_than_or_equal_to", "less_than_or_equal", "less_or_equal"), 2, 2, free_names=True,
             shown="never", computes=True),
)  # fmt: skip


_FACT_KEYS = (
    Parameter("key_value", ordered=True, repeats=True, by_name=True),
    Parameter("time", by_name=True),
    Parameter("qualifier", by_name=True),
)
"""A time or qualifier of the facts, and conditions on it."""

TABLE = Parameter("table", ("source", "table_name"), by_name=True)
"""The table, or another source, that a search reads alone."""

_SEARCHES = (
    Function(
        "get_information",
        "get_information(head_entity, relation, tail_entity, key, value): what stands in the graph; "
        "the parameter left out is asked for",
        ("gi",),
        parameters=(
            Parameter("head_entity", ("head", "h"), ordered=True, repeats=True),
            Parameter("relation", ("r",), repeats=True),
            Parameter("tail_entity", ("tail", "t"), ordered=True, repeats=True),
            Parameter("key", ("column", "k"), ordered=True, repeats=True),
            Parameter("value", ("v",), ordered=True, repeats=True),
            Parameter("row_number", ("row",), ordered=True, repeats=True),
            TABLE,
        ),
    ),
    Function(
        "search_node",
        "search_node(node1, condition): what node1 leads to under the condition",
        ("sn",),
        parameters=(
            Parameter("node1", ("node", "node_1", "n1")),
            Parameter("condition", ("c",)),
            Parameter("scope", ("s",)),
            Parameter("node2", ("node_2", "n2"), ordered=True, repeats=True, by_name=True),
            *_FACT_KEYS,
            Parameter("relation", by_name=True),
            TABLE,
        ),
        positional=True,
        shown="never",
    ),
    Function(
        "search_condition",
        "search_condition(node1, node2, op): the conditions under which node1 leads to node2",
        ("sc",),
        parameters=(
            Parameter("node1", ("relation", "node_1", "n1")),
            Parameter(
                "node2",
                ("node2_value", "node_2_value", "node_2", "value", "n2"),
                ordered=True,
                repeats=True,
            ),
            Parameter("op", ("operator",)),
            Parameter("scope", ("s", "condition", "c")),
            *_FACT_KEYS,
            TABLE,
        ),
        positional=True,
        shown="never",
    ),
)

_SETS = (
    Function(
        "set_intersection", "set_intersection(set1, set2): members of both",
        ("intersection", "intersect", "set_interaction"), 1, None,
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
        required=("value",),
    ),
)  # fmt: skip

_FIGURES = (
    Function("count", "count(set): how many distinct members",
             ("size", "count_unique", "distinct_count", "count_distinct"), 1, None, (
        Parameter("distinct", ("unique",)), Parameter("column", ("key", "relation")),
        Parameter("value", ordered=True),
    )),
    Function("max", "max(set): the largest member",
             ("maximum", "largest"), 1, None, (Parameter("column", ("key",)),)),
    Function("min", "min(set): the smallest member",
             ("minimum", "smallest"), 1, None, (Parameter("column", ("key",)),)),
    Function("sum", "sum(set): the sum of all entries",
             ("total", "add", "addition"), 1, None, (Parameter("column", ("key",)),),
             free_names=True, computes=True),
    Function("mean", "mean(set): the mean of all entries",
             ("average", "avg"), 1, None, (Parameter("column", ("key",)),), computes=True),
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
        free_names=True,
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
            TABLE,
        ),
        positional=True,
        required=("columns",),
    ),
    Function(
        "calculate", "calculate(set, expression, name): the table with a computed column",
        ("calculator", "calculation"), 1, 1,
        (Parameter("expression", ("formula",)), Parameter("name")), positional=True, required=("expression",),
    ),
    Function(
        "group_by",
        "group_by(set, by, values): one row per group, values such as 'sum(a * b) / count() as mean'",
        ("groupby",), 1, 1, (Parameter("by", repeats=True), Parameter("values", ("value",), repeats=True)),
        positional=True,
    ),
    Function(
        "count_by", "count_by(set, column): how often each member occurs",
        ("count_by_key", "count_by_group", "count_each", "count_occurrences",
         "frequency", "value_counts"),
        1, 1, (Parameter("column", ("key", "by", "relation")),), positional=True, shown="briefly",
    ),
    Function("argmax", "argmax(counts): what stands beside the largest number of two columns",
             ("arg_max",), 1, 1, free_names=True, shown="briefly"),
    Function("argmin", "argmin(counts): what stands beside the smallest",
             ("arg_min",), 1, 1, free_names=True, shown="briefly"),
)  # fmt: skip

FUNCTIONS: tuple[Function, ...] = (
    *_SEARCHES, *_SETS, *_FIGURES, *_ROWS, *_TABLES, *INVENTED,
)  # fmt: skip

_BY_NAME = {name: f for f in reversed(FUNCTIONS) for name in (f.name, *f.synonyms)}

MAX_MISSPELLED = 60  # Longer misspellings are cut, since comparing takes quadratic time.

FUNCTION_NAMES = tuple(_BY_NAME)

_ABBREVIATIONS = frozenset(name for function in _SEARCHES for name in function.synonyms)
_SUGGESTED = tuple(name for name in FUNCTION_NAMES if name not in _ABBREVIATIONS)

PARAMETER_NAMES = tuple(
    dict.fromkeys(
        name
        for f in FUNCTIONS
        for p in (*f.parameters, Parameter("set"))
        for name in (p.name, *p.synonyms)
    )
)


def find_function(name: str) -> Function | None:
    """The function with this name or synonym, in any case, or whose name ``name`` is composed of."""
    return _BY_NAME.get(name.casefold()) or _find_composed(name)


_NAME_WORDS = re.compile(r"[a-z]+|[A-Z][a-z]*")
_VERBS = frozenset(
    ("calc", "calculate", "compute", "determine", "extract", "find", "get", "return")
)
_QUESTION_WORDS = frozenset(("check", "if", "is"))
_NOUNS = frozenset(
    ("column", "element", "entities", "entity", "result", "results", "set", "sets", "the", "value", "values")
)  # fmt: skip
_TRUTHS = frozenset(
    ("contains", "equals", "exists", "greater_than", "less_than", "at_least", "at_most")
)
_DIFFERENCES = {"year": "year_difference", "years": "year_difference",
                "day": "days_difference", "days": "days_difference"}  # fmt: skip
_ORDER_WORDS = frozenset(
    ("above", "after", "before", "below", "bigger", "earlier", "equal", "equality", "fewer", "greater",
     "higher", "larger", "later", "less", "longer", "lower", "more", "older", "shorter", "smaller", "younger")
)  # fmt: skip
_RELATIVE = frozenset(("percent", "percentage", "rate", "ratio", "relative", "set", "sets"))


@lru_cache(maxsize=256)
def _find_composed(name: str) -> Function | None:
    """Read ``get_average`` as the average, ``calculate_age_difference`` as a distance, ``compare_ages``.

    A verb before the name of a function and a noun after it do not change the meaning.
    """
    words = [word.casefold() for word in _NAME_WORDS.findall(name[:MAX_MISSPELLED])]
    content = [word for word in words if word not in _VERBS | _QUESTION_WORDS | _NOUNS]
    if len(words) < 2 or not content:
        return None
    function = _BY_NAME.get("_".join(content))
    if function is not None and (content != ["difference"] or "set" in words):
        is_question = not _QUESTION_WORDS.isdisjoint(words)
        return None if is_question and function.name not in _TRUTHS else function
    if content[-1] in ("difference", "diff") and _RELATIVE.isdisjoint(words):
        units = (_DIFFERENCES[word] for word in content if word in _DIFFERENCES)
        return _BY_NAME[next(units, "distance")]
    if content[0] == "compare" and len(content) == 2 and content[1] not in _ORDER_WORDS:
        return _BY_NAME["compare"]
    return None


@lru_cache(maxsize=256)
def suggest_function(name: str) -> str | None:
    """The function name that ``name`` is most likely a misspelling of, or None."""
    return next(iter(suggest_names(name[:MAX_MISSPELLED], _SUGGESTED, 1, 0.6)), None)


ASCENDING, DESCENDING = "ascending", "descending"

MOST = {"most": True, "least": False}  # Words that select the most or the least frequent value.

EXTREMES = {
    "highest": True, "max": True, "maximum": True, "largest": True, "latest": True,
    "lowest": False, "min": False, "minimum": False, "smallest": False, "earliest": False,
    "greatest": True, "biggest": True, "tallest": True, "longest": True, "heaviest": True,
    "newest": True, "most recent": True, "shortest": False, "fewest": False, "lightest": False,
}  # fmt: skip
"""Words that select one end of an order: the upper end (True) or the lower end.

*Oldest* is ambiguous (the greatest age, the earliest date), and so is *fastest*: they are left out.
"""


# Normalized keys that mean the time of a fact, unless the fact has a qualifier of that name.
TIMES = {
    "time": "time", "start time": "start time", "end time": "end time",
    "year": "time", "date": "date", "start": "start time", "end": "end time",
    "duration": "duration",
}  # fmt: skip


def find_selector(text: str) -> str | None:
    """Return the word by which ``text`` selects among values (``most``, ``highest``), or None."""
    word = text.strip().casefold()
    return word if word in MOST or word in EXTREMES else None
