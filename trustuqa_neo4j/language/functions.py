"""The functions of the query language, declared once.

Parser, check, plan and prompt read this table; nothing else knows a function's name or parameters. A
function that the language has and this version cannot run yet is declared with ``built=False``, so
that it is refused as *not built* and never mistaken for an invented one.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: its name, the other names it may be given by, whether ``<`` etc. may stand."""

    name: str
    synonyms: tuple[str, ...] = ()
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class Function:
    """One function: name, synonyms, parameters, and its line for the prompt."""

    name: str
    parameters: tuple[Parameter, ...]
    prompt: str
    synonyms: tuple[str, ...] = ()
    built: bool = True

    def parameter(self, given: str) -> Parameter | None:
        """The parameter called ``given``, or None."""
        wanted = given.casefold()
        return next((p for p in self.parameters if wanted in (p.name, *p.synonyms)), None)


_SETS = (Parameter("set"),)

FUNCTIONS: tuple[Function, ...] = (
    Function(
        "get_information",
        (
            Parameter("head_entity", ("head",)),
            Parameter("relation"),
            Parameter("tail_entity", ("tail",), ordered=True),
            Parameter("key", ("column",)),
            Parameter("value", ordered=True),
        ),
        "get_information(head_entity, relation, tail_entity, key, value): what stands in the graph; "
        "the parameter left out is asked for",
    ),
    Function("count", _SETS, "count(set): how many distinct members", built=False),
    Function("max", _SETS, "max(set): the largest member", built=False),
    Function("min", _SETS, "min(set): the smallest member", built=False),
    Function("sum", _SETS, "sum(set): the sum of all entries", built=False),
    Function("mean", _SETS, "mean(set): the mean of all entries", ("average",), built=False),
    Function(
        "set_intersection", _SETS, "set_intersection(set1, set2): in both", ("intersection",), False
    ),
    Function("set_union", _SETS, "set_union(set1, set2): in either", ("union",), False),
    Function("set_difference", _SETS, "set_difference(set1, set2): in the first only", (), False),
    Function(
        "difference",
        _SETS,
        "difference(a, b): how far two numbers or dates are apart",
        ("subtract",),
        built=False,
    ),
    Function("set_negation", _SETS, "set_negation(set): all others", built=False),
    Function("keep", _SETS, "keep(set, value op x): the members for which it holds", built=False),
    Function("previous_row", _SETS, "previous_row(set): the row above", built=False),
    Function("next_row", _SETS, "next_row(set): the row below", built=False),
    Function("get_table", _SETS, "get_table(head_entity, columns): a table of paths", built=False),
    Function("calculate", _SETS, "calculate(set, expression, name): a new column", built=False),
    Function("group_by", _SETS, "group_by(set, by, values): one row per group", built=False),
)

_BY_NAME = {name: f for f in FUNCTIONS for name in (f.name, *f.synonyms)}

FUNCTION_NAMES = tuple(_BY_NAME)
"""Every name of a function, synonyms included."""

PARAMETER_NAMES = tuple(
    dict.fromkeys(name for f in FUNCTIONS for p in f.parameters for name in (p.name, *p.synonyms))
)
"""Every name of a parameter, synonyms included."""


def find(name: str) -> Function | None:
    """The function called ``name``, by itself or a synonym, whatever its case; or None."""
    return _BY_NAME.get(name.casefold())


def nearest(name: str) -> str | None:
    """The declared name that ``name`` is most likely a slip of, or None."""
    return next(iter(get_close_matches(name.casefold(), _BY_NAME, n=1, cutoff=0.6)), None)
