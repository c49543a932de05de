"""``get_information`` → searches: the paper's Table 1 as data.

A row says which parameters were given and which search that is. What the catalogue knows of the relations
decides whether ``key`` is a qualifier, a time or a second relation; a single head never does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from ..language.binding import Bound
from ..language.query import Argument, Problem, Value
from ..mapping import fold
from .operations import Apply, Catalogue, Known, Members, Name, Operation, Search, Test

TIMES = {
    "time": "time", "start time": "start time", "end time": "end time",
    "year": "time", "date": "time", "start": "start time", "end": "end time",
}  # fmt: skip
"""Folded keys that ask when facts held, where these have no qualifier of that name."""

_ALONE = frozenset(("time", "start time", "end time"))
"""Those that ask so also without a relation."""
_SHORT = frozenset(("start", "end"))

Planning: TypeAlias = Callable[[Value], Operation]
"""How the values inside a call are planned."""


class Unplannable(Exception):  # a way out of the recursion, never seen outside
    """No row of the table fits; says why."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(problem)


@dataclass(frozen=True)
class _Given:
    """The parameters of one ``get_information``, in the paper's letters."""

    position: int
    h: tuple[Operation, ...] | None = None
    r: tuple[Operation, ...] = ()
    k: tuple[Operation, ...] = ()
    t: tuple[Test, ...] = ()
    v: tuple[Test, ...] = ()

    @property
    def letters(self) -> str:
        """Which are given."""
        given = (self.h is not None, self.r, self.t, self.k, self.v)
        return "".join(letter for letter, there in zip("hrtkv", given, strict=True) if there)

    def search(self, wanted: str, **more: object) -> Search:
        """Facts of (h, r, t)."""
        parts = {"relations": self.r, "heads": self.h, "tests": self.t, **more}
        return Search(wanted, self.position, **parts)  # type: ignore[arg-type]  # names as declared

    def key(self, wanted: str, **more: object) -> Search:
        """Facts of k whose tails pass v."""
        return self.search(wanted, **{"relations": self.k, "heads": None, "tests": self.v, **more})


Row: TypeAlias = Callable[[_Given], Operation]


def _both(*searches: Operation, position: int) -> Operation:
    return Apply("set_intersection", searches, position)


# Which parameters are given → what is searched (the paper's Table 1, and what its text implies).
_TABLE: dict[str, Row] = {
    "h": lambda g: g.search("relations"),
    "t": lambda g: g.search("relations"),
    "r": lambda g: g.search("tails"),
    "k": lambda g: g.key("tails"),
    "hr": lambda g: g.search("tails"),
    "hk": lambda g: g.key("tails", heads=g.h),
    "rt": lambda g: g.search("heads"),
    "kv": lambda g: g.key("heads"),
    "ht": lambda g: g.search("relations"),
    "hrt": lambda g: g.search("heads"),
    "hkv": lambda g: g.key("heads", heads=g.h),
    "rtk": lambda g: g.search("tails", relations=g.k, heads=(g.search("heads"),), tests=()),
    "rkv": lambda g: g.search("tails", heads=(g.key("heads"),)),
    "rtkv": lambda g: _both(g.search("heads"), g.key("heads"), position=g.position),
    "hrk": lambda g: g.search("tails", relations=g.k, heads=(g.search("tails"),), tests=()),
    "hrtk": lambda g: g.search("tails", relations=g.k, heads=(g.search("tails"),), tests=()),
    "hrkv": lambda g: g.key("heads", heads=(g.search("tails"),)),
    "hrtkv": lambda g: g.key("heads", heads=(g.search("tails"),)),
}

# The same where k is a qualifier of r's facts, or asks when they held.
_OF_FACTS: dict[str, Row] = {
    "hrk": lambda g: g.search("key"),
    "hrtk": lambda g: g.search("key"),
    "hrkv": lambda g: g.search("tails"),
    "hrtkv": lambda g: g.search("tails"),
    "rtk": lambda g: g.search("key"),
    "rtkv": lambda g: g.search("heads"),
    "rkv": lambda g: g.search("tails"),
    "rk": lambda g: g.search("key"),
    "hk": lambda g: g.search("key"),
    "tk": lambda g: g.search("key"),
    "htk": lambda g: g.search("key"),
}


def information(bound: Bound, catalogue: Catalogue, planning: Planning) -> Operation:
    """The search that the parameters given mean.

    Raises:
        Unplannable: no row of the table fits.
    """
    given = _read(bound, catalogue, planning)
    if isinstance(given, tuple):
        return given[0]
    letters = given.letters
    if kind := _of_facts(given, catalogue):
        row = _OF_FACTS.get(letters)
        if row is not None:
            found = row(given)
            assert isinstance(found, Search)  # rows of that table are
            assert isinstance(given.k[0], Name)
            key = given.k[0].text
            time = kind == "time"
            name = TIMES[fold(key)] if time else key
            return replace(found, key=name, time=time, values=given.v)
    row = _TABLE.get(letters)
    if row is None:
        raise Unplannable(_no_row(given, bound))
    return row(given)


def _no_row(given: _Given, bound: Bound) -> Problem:
    named = ", ".join(dict.fromkeys(name for name, _ in bound.parameters)) or "no parameter"
    if given.t and given.v:
        message = (
            "tail_entity and value clash: two values need two relations, given as relation and key"
        )
    else:
        rows = " · ".join(", ".join(letters) for letters in _TABLE)
        message = f"get_information with {named} means nothing; these do: {rows}"
    return Problem("unknown combination", message, None, bound.position)


def _read(bound: Bound, catalogue: Catalogue, planning: Planning) -> _Given | tuple[Operation]:
    """The parameters; where relations come in pairs with their values, the whole operation."""
    relations = bound.given("relation")
    keys, bounds = _ordered(bound.given("key"))
    given, further = _ordered(bound.given("head_entity"))
    heads = terms(given, planning)
    t = tests((*bound.given("tail_entity"), *further, *bounds), planning)
    v = tests(bound.given("value"), planning)
    named, tested = relations or keys, t or v
    if len(named) > 1 and len(named) == len(tested) and not (relations and keys) and not (t and v):
        pairs = tuple(
            Search("heads", bound.position, terms((r,), planning), heads or None, (test,))
            for r, test in zip(named, tested, strict=True)
        )
        return (_both(*pairs, position=bound.position),)
    r = terms(relations, planning)
    k = terms(keys, planning)
    # Where only one of a pair is given, both names mean the same.
    if k and not r and not (t and v) and not _asks_time(k, catalogue):
        r, k = k, ()
    if v and not k and not t:
        t, v = v, ()
    h = heads if given else None
    rows = tests(bound.given("row_number"), planning)
    if not rows:
        return _Given(bound.position, h, r, k, t, v)
    numbered = Search("heads", bound.position, (Name("row_number", bound.position),), h, rows)
    if t and h is None and not k:
        found = Search("heads", bound.position, r, None, t)
        return (_both(found, numbered, position=bound.position),)
    return _Given(bound.position, (numbered,), r, k, t, v)


def _ordered(
    arguments: tuple[Argument, ...],
) -> tuple[tuple[Argument, ...], tuple[Argument, ...]]:
    """What is named, and what is compared: heads and keys have no order, what they lead to has."""
    return (
        tuple(a for a in arguments if a.operator == "="),
        tuple(a for a in arguments if a.operator != "="),
    )


def _asks_time(k: tuple[Operation, ...], catalogue: Catalogue) -> bool:
    """Whether k alone asks for a time: it must not be a relation of the data itself."""
    if len(k) != 1 or not isinstance(k[0], Name) or fold(k[0].text) not in _ALONE:
        return False
    return not catalogue.get(k[0].text, Known()).facts


def _of_facts(given: _Given, catalogue: Catalogue) -> str | None:
    """Whether k is a ``time`` or a ``qualifier`` of r's facts; None: a relation like any other."""
    if len(given.k) != 1 or not isinstance(given.k[0], Name):
        return None
    key = given.k[0].text
    known = [catalogue.get(r.text, Known()) for r in given.r if isinstance(r, Name)]
    word = fold(key)
    if any(word == fold(name) for of in known for name in of.qualifiers):
        return "qualifier"
    if word not in TIMES:
        return None
    if not given.r:
        return "time" if _asks_time(given.k, catalogue) else None
    if not any(of.held for of in known):
        return None
    # Words that are no times of the language: a relation of that name is what is meant.
    return None if word in _SHORT and catalogue.get(key, Known()).facts else "time"


def terms(arguments: tuple[Argument, ...], planning: Planning) -> tuple[Operation, ...]:
    """What stands for nodes in arguments, lists taken apart."""
    return tuple(term for a in arguments for term in _flat(planning(a.value)))


def tests(arguments: tuple[Argument, ...], planning: Planning) -> tuple[Test, ...]:
    """The tests that arguments are."""
    return tuple(Test(a.operator, _flat(planning(a.value)), a.position) for a in arguments)


def _flat(operation: Operation) -> tuple[Operation, ...]:
    if isinstance(operation, Members):
        return tuple(term for member in operation.members for term in _flat(member))
    return (operation,)
