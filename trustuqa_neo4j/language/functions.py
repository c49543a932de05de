"""The table of functions of the query language.

Parser, validation, planner, executor, proof, description and prompt read the row of a function; what it
computes stands in ``reasoning.functions``. The table has the functions of the papers, and functions that
models often invent: those whose meaning does not depend on the question. They take operands by any name,
since every model names them differently.
"""

from __future__ import annotations

from functools import partial

from .signatures import Function, Parameter, Trait

_OPTIONS = (
    Parameter("operator", ("op", "comparison", "operation", "comparison_operator", "comparator", "option",
                           "function")),
    Parameter("unit"),
)  # fmt: skip
_NUMBER = (Parameter("number", ("n", "limit")),)

# Rows of one kind share most of their columns.
_aggregate = partial(
    Function, min_operands=1, max_operands=None, parameters=(Parameter("column", ("key",)),),
    in_groups=True,
)  # fmt: skip
_brief = partial(Function, min_operands=1, max_operands=1, free_names=True, shown="briefly")
_figure = partial(Function, free_names=True, computes=True, traits=Trait.FIGURE)
_of_each = partial(
    _figure, min_operands=1, max_operands=1, traits=Trait.FIGURE | Trait.OF_EACH, shown="briefly"
)
_date_part = partial(_of_each, traits=Trait.FIGURE | Trait.OF_EACH | Trait.DATE_PART)
_order = partial(
    Function, min_operands=2, max_operands=2, free_names=True, shown="never", computes=True,
    traits=Trait.FIGURE | Trait.ORDERS | Trait.SAYS_YES_OR_NO,
)  # fmt: skip

# Functions that models invent although no prompt shows them.
INVENTED = (
    Function(
        "difference",
        "difference(a, b): how far two numbers or dates are apart; of sets, as set_difference",
        ("subtract", "subtraction"),
        1,
        2,
        (Parameter("unit"),),
        free_names=True,
        positional=True,
        computes=True,
        sign="-",
        traits=Trait.FIGURE | Trait.NAMES_NODES | Trait.MERGES | Trait.SUBTRACTS,
        sentences=("the difference between {} and {}",),
    ),
    _figure(
        "distance",
        "distance(a, b): how far two numbers or dates are apart; of one range or score, its ends",
        (),
        1,
        2,
        (Parameter("unit"),),
        positional=True,
        shown="never",
        traits=Trait.FIGURE | Trait.OF_EACH_AT_TIMES,
        sentences=("the difference between the ends of {}", "the difference between {} and {}"),
    ),
    _figure(
        "duration",
        "duration(start, end): how long, such as '5 years'; of one range, its length",
        ("time_difference", "time_duration", "time_span", "length"),
        1,
        2,
        (Parameter("unit"),),
        positional=True,
        shown="briefly",
        traits=Trait.FIGURE | Trait.OF_EACH_AT_TIMES,
    ),
    _figure(
        "year_difference",
        "year_difference(a, b): how many years two dates are apart",
        ("calculate_years", "years_between"),
        1,
        2,
        (Parameter("unit"),),
        shown="never",
    ),
    _figure(
        "days_difference",
        "days_difference(a, b): how many days two dates are apart",
        ("days_between",),
        1,
        2,
        (Parameter("unit"),),
    ),
    _figure(
        "product",
        "product(a, b): a times b",
        ("multiply", "multiplication"),
        2,
        None,
        shown="never",
        needs="numbers",
        sign="*",
    ),
    _figure(
        "ratio",
        "ratio(a, b): a divided by b",
        ("divide", "division", "quotient"),
        2,
        2,
        shown="never",
        sign="/",
    ),
    Function(
        "number",
        "number(value): the number that a value is",
        ("value", "int", "float", "integer", "to_number"),
        1,
        1,
        free_names=True,
        shown="never",
        traits=Trait.FIGURE | Trait.OF_EACH_AT_TIMES,
    ),
    _of_each("abs", "abs(a): without its sign", ("absolute",), shown="never"),
    _date_part("year", "year(date): the year of a date", shown="always"),
    _date_part("month", "month(date): the month of a date, such as 2008-05", shown="always"),
    _date_part("quarter", "quarter(date): the quarter of a date, such as 2008-Q2"),
    _date_part("decade", "decade(date): the decade of a date, such as 2000s"),
    _date_part("month_name", "month_name(date): the month of any year, such as May"),
    _date_part("weekday", "weekday(date): the day of the week", ("day_of_week",)),
    Function(
        "sort",
        "sort(set, order, by): by value, smallest first; a table by one of its columns",
        ("sorted", "order"),
        1,
        1,
        (
            Parameter("order", ("ascending", "reverse", "descending")),
            Parameter("by", ("key", "column")),
        ),
        positional=True,
        shown="briefly",
        traits=Trait.KEEPS_ROWS | Trait.IS_SUBSET | Trait.OVER_ROWS,
        described="ranked",
    ),
    _brief(
        "first",
        "first(set, number): the first member, or so many",
        ("first_row", "limit"),
        parameters=_NUMBER,
        positional=True,
        from_end=False,
        traits=Trait.KEEPS_ROWS | Trait.IS_SUBSET,
        sentences=("the first of {}",),
        described="ranked",
    ),
    _brief(
        "last",
        "last(set, number): the last member, or so many",
        ("last_row",),
        parameters=_NUMBER,
        positional=True,
        from_end=True,
        traits=Trait.KEEPS_ROWS | Trait.IS_SUBSET,
        sentences=("the last of {}",),
        described="ranked",
    ),
    _brief(
        "mode",
        "mode(set): the most frequent members",
        (
            "most",
            "most_frequent",
            "most_common",
            "most_occurrences",
            "get_highest_frequency_entity",
        ),
        traits=Trait.IS_SUBSET | Trait.OVER_ROWS | Trait.MERGES,
        sentences=("the most frequent of {}",),
    ),
    Function(
        "distinct",
        "distinct(set): each member once",
        ("unique",),
        1,
        1,
        (Parameter("column", ("key", "relation")),),
        shown="briefly",
        traits=Trait.KEEPS_ROWS | Trait.IS_SUBSET | Trait.MERGES | Trait.SUMMARIZES,
        sentences=("{}, each once",),
    ),
    Function(
        "contains",
        "contains(set, member): yes or no",
        ("is_in", "is_member", "check_membership", "check_inclusion", "is_included"),
        2,
        2,
        free_names=True,
        traits=Trait.SAYS_YES_OR_NO | Trait.COMBINES_SETS | Trait.NAMES_NODES,
        sentences=("whether {} has {}",),
    ),
    Function(
        "equals",
        "equals(a, b): yes or no",
        ("equal", "check_equality", "is_same"),
        2,
        2,
        free_names=True,
        shown="briefly",
        computes=True,
        traits=Trait.SAYS_YES_OR_NO | Trait.NAMES_NODES,
    ),
    _brief(
        "is_empty",
        "is_empty(set): yes or no",
        ("check_empty",),
        traits=Trait.SAYS_YES_OR_NO | Trait.SUMMARIZES,
        sentences=("whether there are no {}",),
    ),
    _brief(
        "exists",
        "exists(set): whether it has members, yes or no",
        ("exist", "not_empty"),
        traits=Trait.SAYS_YES_OR_NO | Trait.SUMMARIZES,
        sentences=("whether there are {}",),
    ),
    Function(
        "holds",
        "holds(condition): yes or no",
        ("check_condition", "check_expression", "convert_to_yes_no"),
        1,
        1,
        free_names=True,
        shown="never",
        traits=Trait.SAYS_YES_OR_NO,
    ),
    Function(
        "if",
        "if(condition, a, b): a where it holds, else b",
        ("if_else", "ifelse", "if_then_else", "if_condition", "conditional", "conditions"),
        2,
        3,
        free_names=True,
        shown="briefly",
        traits=Trait.OF_EACH_AT_TIMES,
        sentences=("if {} then {} else {}",),
    ),
    Function(
        "compare",
        "compare(a, b): the larger",
        ("comparison", "comparator"),
        2,
        2,
        _OPTIONS,
        free_names=True,
        positional=True,
        shown="briefly",
        traits=Trait.COMPARES,
        sentences=("the larger of {} and {}",),
    ),
    Function(
        "smaller",
        "smaller(a, b): the smaller or earlier of two, named as compare names the larger",
        ("lesser", "earlier", "earlier_date"),
        2,
        2,
        free_names=True,
        shown="briefly",
        traits=Trait.COMPARES,
        sentences=("the smaller of {} and {}",),
    ),
    _order(
        "greater_than",
        "greater_than(a, b): yes or no",
        ("is_greater", "compare_greater", "compare_greater_than", "check_if_larger", "if_greater"),
        sign=">",
    ),
    _order("less_than", "less_than(a, b): yes or no", ("is_less", "if_less"), sign="<"),
    _order(
        "at_least",
        "at_least(a, b): yes or no",
        ("greater_than_or_equal_to", "greater_than_or_equal", "greater_or_equal"),
        sign=">=",
    ),
    _order(
        "at_most",
        "at_most(a, b): yes or no",
        ("less_than_or_equal_to", "less_than_or_equal", "less_or_equal"),
        sign="<=",
    ),
)


_FACT_KEYS = (
    Parameter("key_value", ordered=True, repeats=True, by_name=True),
    Parameter("time", by_name=True),
    Parameter("qualifier", by_name=True),
)
"""A time or qualifier of the facts, and conditions on it."""

TABLE = Parameter("table", ("source", "table_name"), by_name=True)
"""The table, or another source, that a search reads alone."""

SEARCHES = (
    Function(
        "get_information",
        "get_information(head_entity, relation, tail_entity, key, value): what stands in the graph; "
        "the parameter left out is asked for",
        ("gi",),
        traits=Trait.PUBLISHED,
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
        "set_intersection",
        "set_intersection(set1, set2): members of both",
        ("intersection", "intersect", "set_interaction"),
        1,
        None,
        traits=Trait.PUBLISHED | Trait.COMBINES_SETS | Trait.NAMES_NODES | Trait.MERGES,
        sentences=("{}, and also {}",),
    ),
    Function(
        "set_union",
        "set_union(set1, set2): members of either",
        ("union",),
        1,
        None,
        traits=Trait.PUBLISHED
        | Trait.COMBINES_SETS
        | Trait.NAMES_NODES
        | Trait.MERGES
        | Trait.UNITES,
        sentences=("{}, or {}",),
    ),
    Function(
        "set_difference",
        "set_difference(set1, set2): members of the first only",
        (),
        2,
        None,
        traits=Trait.PUBLISHED
        | Trait.COMBINES_SETS
        | Trait.NAMES_NODES
        | Trait.MERGES
        | Trait.SUBTRACTS,
        sentences=("{}, without {}", "{}, without {}, without {}"),
    ),
    Function(
        "set_negation",
        "set_negation(set): all others, of the same kind",
        ("negation", "complement"),
        1,
        2,
        (Parameter("universe"),),
        traits=Trait.PUBLISHED | Trait.COMBINES_SETS,
        sentences=("all except {}",),
    ),
    Function(
        "keep",
        "keep(set, value op x, column): what of a set, or table by its column, fits; value='highest' too",
        ("filter",),
        1,
        1,
        (Parameter("value", ordered=True, repeats=True), Parameter("column", ("key", "relation"))),
        required=("value",),
        traits=Trait.PUBLISHED | Trait.KEEPS_ROWS | Trait.IS_SUBSET | Trait.NAMES_NODES,
        described="kept",
    ),
)

_FIGURES = (
    Function(
        "count",
        "count(set): how many distinct members",
        ("size", "count_unique", "distinct_count", "count_distinct"),
        1,
        None,
        (
            Parameter("distinct", ("unique",)),
            Parameter("column", ("key", "relation")),
            Parameter("value", ordered=True),
        ),
        traits=Trait.PUBLISHED | Trait.KEEPS_ROWS | Trait.NAMES_NODES,
        in_groups=True,
        sentences=("the number of {}",),
    ),
    _aggregate(
        "max",
        "max(set): the largest member",
        ("maximum", "largest"),
        traits=Trait.PUBLISHED | Trait.IS_SUBSET | Trait.OVER_ROWS | Trait.FIGURE,
        needs="values",
        upper=True,
        sentences=("the greatest of {}",),
    ),
    _aggregate(
        "min",
        "min(set): the smallest member",
        ("minimum", "smallest"),
        traits=Trait.PUBLISHED | Trait.IS_SUBSET | Trait.OVER_ROWS | Trait.FIGURE,
        needs="values",
        upper=False,
        sentences=("the least of {}",),
    ),
    _aggregate(
        "sum",
        "sum(set): the sum of all entries",
        ("total", "add", "addition"),
        free_names=True,
        computes=True,
        traits=Trait.PUBLISHED | Trait.OVER_ROWS | Trait.FIGURE | Trait.COUNTS_REPEATS,
        needs="numbers",
        sign="+",
        of_total=lambda total, _: total,
        sentences=("the sum of {}",),
    ),
    _aggregate(
        "mean",
        "mean(set): the mean of all entries",
        ("average", "avg"),
        computes=True,
        traits=Trait.PUBLISHED | Trait.OVER_ROWS | Trait.FIGURE | Trait.COUNTS_REPEATS,
        needs="numbers",
        of_total=lambda total, count: total / count,
        sentences=("the mean of {}",),
    ),
    _aggregate(
        "median",
        "median(set): the middle of all entries, or the mean of the two in the middle",
        shown="briefly",
        computes=True,
        traits=Trait.OVER_ROWS | Trait.FIGURE | Trait.COUNTS_REPEATS,
        needs="numbers",
        sentences=("the median of {}",),
    ),
    Function(
        "percentage",
        "percentage(part, whole): how many percent of the members of a set are in another",
        ("percent", "percent_of", "share"),
        2,
        2,
        free_names=True,
        shown="briefly",
        traits=Trait.COMBINES_SETS | Trait.NAMES_NODES,
        sentences=("the percentage of {} among {}",),
    ),
)

_ROWS = (
    Function(
        "previous_row",
        "previous_row(set): the row above each",
        ("prev_row",),
        1,
        1,
        shown="tables",
        traits=Trait.PUBLISHED,
        neighbour=-1,
        sentences=("the row before {}",),
    ),
    Function(
        "next_row",
        "next_row(set): the row below each",
        (),
        1,
        1,
        shown="tables",
        traits=Trait.PUBLISHED,
        neighbour=1,
        sentences=("the row after {}",),
    ),
    Function(
        "row_number",
        "row_number(set): which row each is, from 1",
        (),
        1,
        1,
        free_names=True,
        shown="never",
        sentences=("the row number of {}",),
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
        described="groups",
    ),
    Function(
        "calculate",
        "calculate(set, expression, name): the table with a computed column",
        ("calculator", "calculation"),
        1,
        1,
        (Parameter("expression", ("formula",)), Parameter("name")),
        positional=True,
        required=("expression",),
        described="groups",
    ),
    Function(
        "group_by",
        "group_by(set, by, values): one row per group, values such as 'sum(a * b) / count() as mean'",
        ("groupby",),
        1,
        1,
        (Parameter("by", repeats=True), Parameter("values", ("value",), repeats=True)),
        positional=True,
        traits=Trait.GROUPS,
        described="groups",
    ),
    Function(
        "count_by",
        "count_by(set, column): how often each member occurs",
        (
            "count_by_key",
            "count_by_group",
            "count_each",
            "count_occurrences",
            "frequency",
            "value_counts",
        ),
        1,
        1,
        (Parameter("column", ("key", "by", "relation")),),
        positional=True,
        shown="briefly",
        traits=Trait.OVER_ROWS | Trait.GROUPS,
        described="ranked",
    ),
    _brief(
        "argmax",
        "argmax(counts): what stands beside the largest number of two columns",
        ("arg_max",),
        upper=True,
        described="groups",
    ),
    _brief(
        "argmin",
        "argmin(counts): what stands beside the smallest",
        ("arg_min",),
        upper=False,
        described="groups",
    ),
)

FUNCTIONS: tuple[Function, ...] = (
    *SEARCHES,
    *_SETS,
    *_FIGURES,
    *_ROWS,
    *_TABLES,
    *INVENTED,
)

# Signs between operands, which are called as functions are; ``days_between`` stands in expressions alone.
_SIGNS = (
    Function("+", "", computes=True, traits=Trait.FIGURE, needs="numbers"),
    Function("-", "", computes=True, traits=Trait.FIGURE, needs="numbers"),
    Function("*", "", computes=True, traits=Trait.FIGURE, needs="numbers"),
    Function("/", "", computes=True, traits=Trait.FIGURE, needs="numbers"),
    Function("<", "", computes=True, traits=Trait.FIGURE | Trait.ORDERS),
    Function("<=", "", computes=True, traits=Trait.FIGURE | Trait.ORDERS),
    Function(">", "", computes=True, traits=Trait.FIGURE | Trait.ORDERS),
    Function(">=", "", computes=True, traits=Trait.FIGURE | Trait.ORDERS),
    Function("in", "", traits=Trait.COMBINES_SETS | Trait.NAMES_NODES),
    Function("=", "", computes=True, traits=Trait.NAMES_NODES),
    Function("!=", "", computes=True, traits=Trait.NAMES_NODES),
    Function("and", "", traits=Trait.NAMES_NODES | Trait.MERGES),
    Function("or", "", traits=Trait.NAMES_NODES | Trait.MERGES | Trait.UNITES),
    Function("days_between", "", needs="dates"),
)

_ROW_OF = {function.name: function for function in (*FUNCTIONS, *_SIGNS)}


def get_row(name: str) -> Function:
    """Return the row of a function or sign by its name; a row without traits for an undefined function."""
    return _ROW_OF.get(name) or Function(name, "")


def has_trait(name: str, trait: Trait) -> bool:
    return trait in get_row(name).traits


# Functions by what their rows say of them.
FUNCTION_OF_SIGN = {f.sign: f.name for f in FUNCTIONS if f.sign and Trait.ORDERS not in f.traits}
"""Functions by the sign of arithmetic that means the same."""

NEIGHBOURS = {function.neighbour: function.name for function in FUNCTIONS if function.neighbour}
SUMMARIES = tuple(f.name for f in FUNCTIONS if f.in_groups and f.needs == "numbers")
"""Functions that make one number of the numbers of a group."""

ENDS = {f.upper: f.name for f in FUNCTIONS if f.upper is not None and f.in_groups}
ENDS_OF_COUNTS = {f.upper: f.name for f in FUNCTIONS if f.upper is not None and not f.in_groups}
"""Functions that find the upper end (True) or the lower end of values, or what stands beside it."""

TOTAL = FUNCTION_OF_SIGN["+"]  # the summary to which parts add up

ASCENDING, DESCENDING = "ascending", "descending"

# Functions that the planner writes itself, or that need the other members of a source.
TABLE_OF_PATHS, GROUPS, KEEP = "get_table", "group_by", "keep"
MODE, COUNT_BY, ARGMAX = "mode", "count_by", "argmax"
INTERSECTION, UNION, DIFFERENCE, NEGATION = (
    "set_intersection", "set_union", "set_difference", "set_negation",
)  # fmt: skip
DISTINCT, SORT, FIRST = "distinct", "sort", "first"
GREATER, LESS = "greater_than", "less_than"
NUMBER_DIFFERENCE, YEARS_BETWEEN, DAYS_BETWEEN = "difference", "year_difference", "days_difference"

# Normalized keys that mean the time of a fact, unless the fact has a qualifier of that name.
TIMES = {
    "time": "time", "start time": "start time", "end time": "end time",
    "year": "time", "date": "date", "start": "start time", "end": "end time",
    "duration": "duration",
}  # fmt: skip
