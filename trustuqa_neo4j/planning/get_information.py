"""Table 1 of the paper as data: the parameters of ``get_information`` → a search.

The catalog decides whether ``key`` is a qualifier, a time or a second relation. The head never decides it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from ..language.ast import Argument, Problem, ProblemKind, Value
from ..language.binder import BoundCall
from ..language.functions import DISTINCT, INTERSECTION, TIMES
from ..language.lexer import TEXT_OPERATORS
from ..language.selectors import find_selector
from ..matching import normalize_name
from .operations import (
    Apply,
    Condition,
    Constant,
    Operation,
    Option,
    RelationCatalog,
    RelationStats,
    Search,
    Union,
)

_TIMES_WITHOUT_RELATION = frozenset(("time", "start time", "end time"))
_WEAK_TIMES = frozenset(("start", "end", "duration"))  # a relation of that name comes first

PlanValue: TypeAlias = Callable[[Value], Operation]


class PlanError(Exception):
    # Raised and caught inside the planner.
    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(problem)


@dataclass(frozen=True)
class _Parameters:
    position: int
    h: tuple[Operation, ...] | None = None
    r: tuple[Operation, ...] = ()
    k: tuple[Operation, ...] = ()
    t: tuple[Condition, ...] = ()
    v: tuple[Condition, ...] = ()

    @property
    def letters(self) -> str:
        present = {"h": self.h is not None, "r": self.r, "t": self.t, "k": self.k, "v": self.v}
        return "".join(letter for letter, is_present in present.items() if is_present)

    def search(self, output: str, **changes: object) -> Search:
        """Search facts (h, r, t)."""
        fields = {"relations": self.r, "heads": self.h, "conditions": self.t, **changes}
        return Search(output, self.position, **fields)  # type: ignore[arg-type]  # names of fields

    def search_key(self, output: str, heads: tuple[Operation, ...] | None = None) -> Search:
        """Search facts (heads, k, v)."""
        return self.search(output, relations=self.k, heads=heads, conditions=self.v)

    def follow_key(self, heads: str) -> Search:
        """Search the tails of k, from the heads or tails of the facts (h, r, t)."""
        return self.search("tails", relations=self.k, heads=(self.search(heads),), conditions=())


SearchRule: TypeAlias = Callable[[_Parameters], Operation]


def _intersect_conditions(searches: Sequence[Search], position: int) -> Operation:
    """Find the heads that all searches find; ``highest`` selects among those that the others find."""
    plain = [search for search in searches if not _selects(search)]
    if not plain or len(plain) == len(searches):
        return Apply(INTERSECTION, tuple(searches), position)
    rest: Operation = Apply(INTERSECTION, tuple(plain), position)
    rest = rest if len(plain) > 1 else plain[0]
    selecting = (replace(search, heads=(rest,)) for search in searches if _selects(search))
    return Apply(INTERSECTION, (*plain, *selecting), position)


def _selects(search: Search) -> bool:
    terms = [
        term
        for condition in search.conditions
        if condition.operator not in TEXT_OPERATORS
        for term in condition.terms
    ]
    return any(isinstance(term, Constant) and find_selector(term.text) for term in terms)


# The parameters that are present → the search (Table 1, and what the text of the paper implies).
_SEARCHES: dict[str, SearchRule] = {
    "h": lambda p: p.search("relations"),
    "t": lambda p: p.search("relations"),
    "r": lambda p: p.search("tails"),
    "k": lambda p: p.search_key("tails"),
    "hr": lambda p: p.search("tails"),
    "hk": lambda p: p.search_key("tails", p.h),
    "rt": lambda p: p.search("heads"),
    "kv": lambda p: p.search_key("heads"),
    "ht": lambda p: p.search("relations"),
    "hrt": lambda p: p.search("heads"),
    "hkv": lambda p: p.search_key("heads", p.h),
    "rtk": lambda p: p.follow_key("heads"),
    "rkv": lambda p: p.search("tails", heads=(p.search_key("heads"),)),
    "rtkv": lambda p: _intersect_conditions(
        (Search("heads", p.position, p.r, None, p.t), Search("heads", p.position, p.k, None, p.v)),
        p.position,
    ),
    "hrk": lambda p: p.follow_key("tails"),
    "hrtk": lambda p: p.follow_key("tails"),
    "hrkv": lambda p: p.search_key("heads", (p.search("tails"),)),
    "hrtkv": lambda p: p.search_key("heads", (p.search("tails"),)),
}

# The part of the facts that is returned where k is a qualifier or the time of the facts of r.
_FACT_KEY_OUTPUTS = {
    "hrk": "key", "hrtk": "key", "hrkv": "tails", "hrtkv": "tails", "rtk": "key", "rtkv": "heads",
    "rkv": "tails", "rk": "key", "hk": "key", "tk": "key", "htk": "key", "hkv": "tails", "tkv": "heads",
    "htkv": "tails",
}  # fmt: skip


def plan_get_information(
    call: BoundCall, catalog: RelationCatalog, plan_value: PlanValue
) -> Operation:
    """Find the search that the parameters of ``get_information`` mean, or raise PlanError."""
    parameters = _read_parameters(call, catalog, plan_value)
    if not isinstance(parameters, _Parameters):
        return parameters
    letters = parameters.letters
    role = _fact_key_role(parameters, catalog)
    if role and letters in _FACT_KEY_OUTPUTS:
        return _search_key_of_facts(parameters, role)
    if letters not in _SEARCHES:
        raise PlanError(_unknown_combination(parameters, call))
    return _SEARCHES[letters](parameters)


def _unknown_combination(parameters: _Parameters, call: BoundCall) -> Problem:
    names = ", ".join(dict.fromkeys(name for name, _ in call.parameters)) or "no parameter"
    if parameters.t and parameters.v:
        message = (
            "tail_entity and value clash: two values need two relations, given as relation and key"
        )
    else:
        rows = " · ".join(", ".join(letters) for letters in _SEARCHES)
        message = (
            f"get_information cannot be called with {names}; possible combinations of head_entity (h), "
            f"relation (r), tail_entity (t), key (k) and value (v): {rows}"
        )
    return Problem(ProblemKind.UNKNOWN_COMBINATION, message, None, call.position)


def _read_parameters(
    call: BoundCall, catalog: RelationCatalog, plan_value: PlanValue
) -> _Parameters | Operation:
    position = call.position
    relations = call.get_arguments("relation")
    # Heads and keys have no order: an order on one is a condition on its tail.
    keys, key_bounds = _split_comparisons(call.get_arguments("key"))
    all_heads = call.get_arguments("head_entity")
    name_conditions = plan_conditions(
        tuple(a for a in all_heads if a.operator in TEXT_OPERATORS), plan_value
    )
    head_arguments, head_bounds = _split_comparisons(
        tuple(a for a in all_heads if a.operator not in TEXT_OPERATORS)
    )
    heads = plan_terms(head_arguments, plan_value) if head_arguments else None
    tail_arguments = (*call.get_arguments("tail_entity"), *head_bounds, *key_bounds)
    t = plan_conditions(tail_arguments, plan_value)
    v = plan_conditions(call.get_arguments("value"), plan_value)
    names, conditions = relations or keys, t or v
    if len(names) == len(conditions) > 1 and not (relations and keys) and not (t and v):
        searches = [
            Search("heads", position, plan_terms((name,), plan_value), heads or None, (condition,))
            for name, condition in zip(names, conditions, strict=True)
        ]
        return _intersect_conditions(searches, position)
    r, k = plan_terms(relations, plan_value), plan_terms(keys, plan_value)
    # If only one of a pair is present, both names mean the same.
    if r and not k and _is_time_alone(r, catalog):
        r, k = k, r
        t, v = ((), t) if not v else (t, v)
    if k and not r and not (t and v) and not _is_time_alone(k, catalog):
        r, k = k, ()
    if v and not k and not t:
        t, v = v, ()
    if name_conditions:
        heads = (_filter_heads(r, heads, name_conditions, catalog),)
    row_numbers = plan_conditions(call.get_arguments("row_number"), plan_value)
    if not row_numbers:
        return _Parameters(position, heads, r, k, t, v)
    rows = Search("heads", position, (Constant("row_number", position),), heads, row_numbers)
    if t and heads is None and not k:
        return _intersect_conditions((Search("heads", position, r, None, t), rows), position)
    return _Parameters(position, (rows,), r, k, t, v)


def _filter_heads(
    relations: tuple[Operation, ...],
    heads: tuple[Operation, ...] | None,
    conditions: tuple[Condition, ...],
    catalog: RelationCatalog,
) -> Operation:
    """Keep the heads of the relations whose names fulfil conditions on texts."""
    operator, position = conditions[0].operator, conditions[0].position
    names = [relation.text for relation in relations if isinstance(relation, Constant)]
    if not relations:
        message = f"head_entity {operator} needs a relation, whose heads are searched"
        raise PlanError(Problem(ProblemKind.UNKNOWN_COMBINATION, message, None, position))
    if any(catalog.get(name, RelationStats()).is_column for name in names):
        message = (
            f"head_entity {operator} compares names, and rows of a table have none; "
            f"compare a column: relation='…', tail_entity {operator} '…'"
        )
        raise PlanError(Problem(ProblemKind.UNKNOWN_COMBINATION, message, None, position))
    candidates = Apply(DISTINCT, (Search("heads", position, relations, heads),), position)
    options = tuple(
        Option("value", c.operator, c.terms[0] if len(c.terms) == 1 else Union(c.terms, c.position))
        for c in conditions
    )
    return Apply("keep", (candidates,), position, options)


def _split_comparisons(
    arguments: tuple[Argument, ...],
) -> tuple[tuple[Argument, ...], tuple[Argument, ...]]:
    return (
        tuple(a for a in arguments if a.operator == "="),
        tuple(a for a in arguments if a.operator != "="),
    )


def _is_time_alone(k: tuple[Operation, ...], catalog: RelationCatalog) -> bool:
    """Return whether k without a relation means a time: the data must have no relation of that name."""
    if len(k) != 1 or not isinstance(k[0], Constant):
        return False
    return normalize_name(k[0].text) in _TIMES_WITHOUT_RELATION and not _has_facts(k[0], catalog)


def _has_facts(relation: Constant, catalog: RelationCatalog) -> bool:
    return catalog.get(relation.text, RelationStats()).facts > 0


def _fact_key_role(parameters: _Parameters, catalog: RelationCatalog) -> str | None:
    """Return ``time`` or ``qualifier`` if k is one of the facts of r; None if k is a relation."""
    key = parameters.k[0] if len(parameters.k) == 1 else None
    if not isinstance(key, Constant):
        return None
    word = normalize_name(key.text)
    stats = [catalog.get(r.text, RelationStats()) for r in parameters.r if isinstance(r, Constant)]
    if any(word == normalize_name(name) for relation in stats for name in relation.qualifiers):
        return "qualifier"
    if word not in TIMES:
        return None
    if not parameters.r:
        return "time" if _is_time_alone(parameters.k, catalog) else None
    if not any(relation.timed for relation in stats):
        return None
    return None if word in _WEAK_TIMES and _has_facts(key, catalog) else "time"


def plan_key_of_fact(
    position: int,
    keys: tuple[Operation, ...],
    fact: tuple[Operation, ...],
    catalog: RelationCatalog,
) -> Search | None:
    """Plan the search for a time or qualifier of the fact [h, r, t] or [h, r]; None if it is none."""
    if len(fact) not in (2, 3):
        return None
    head, relation, *tail = fact
    t = tuple(Condition("=", (term,), term.position) for term in tail)
    parameters = _Parameters(position, (head,), (relation,), keys, t)
    role = _fact_key_role(parameters, catalog)
    if role is None:
        return None
    return _search_key_of_facts(parameters, role)


def plan_facts_at_time(
    condition: tuple[Operation, ...],
    relations: tuple[Operation, ...],
    tails: tuple[Condition, ...],
    catalog: RelationCatalog,
) -> Search | None:
    """Plan the search for facts at a time; None unless the condition is search_condition('time', V)."""
    match condition:
        case (Search(output="heads", key=None, relations=(Constant() as word,)) as time,):
            parameters = _Parameters(time.position, None, relations, (word,))
            if _fact_key_role(parameters, catalog) == "time":
                return replace(
                    time, output="tails", relations=relations, conditions=tails, is_time=True,
                    key=TIMES[normalize_name(word.text)], key_conditions=time.conditions,
                )  # fmt: skip
    return None


def _search_key_of_facts(parameters: _Parameters, role: str) -> Search:
    (key,) = parameters.k
    assert isinstance(key, Constant)  # only a constant has a role
    name = TIMES[normalize_name(key.text)] if role == "time" else key.text
    search = parameters.search(_FACT_KEY_OUTPUTS[parameters.letters])
    return replace(search, key=name, is_time=role == "time", key_conditions=parameters.v)


def plan_terms(arguments: tuple[Argument, ...], plan_value: PlanValue) -> tuple[Operation, ...]:
    return tuple(term for a in arguments for term in _flatten(plan_value(a.value)))


def plan_conditions(
    arguments: tuple[Argument, ...], plan_value: PlanValue
) -> tuple[Condition, ...]:
    return tuple(
        Condition(a.operator, _flatten(plan_value(a.value)), a.position) for a in arguments
    )


def _flatten(operation: Operation) -> tuple[Operation, ...]:
    if isinstance(operation, Union):
        return tuple(term for member in operation.members for term in _flatten(member))
    return (operation,)
