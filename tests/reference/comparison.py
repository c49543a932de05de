"""Compares an answer of the engine with the outcome of the reference interpreter."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from trustuqa_neo4j import Answer

from .interpreter import Outcome
from .model import Member, Table
from .worlds import World

NO_JOIN = frozenset(
    (
        "domain",
        "range",
        "double domain",
        "double range",
        "domain-range",
        "direction",
        "not comparable",
        "identifier output",
    )
)
"""Problems by which a query that can find nothing is refused before it runs."""

_NUMBER_AND_UNIT = re.compile(r"(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(\D*)")


def find_difference(answer: Answer, expected: Outcome, world: World) -> str | None:
    """The kind of the first difference, with both sides; None if the two agree."""
    if answer.outcome != expected.outcome:
        kinds = {str(problem.kind) for problem in answer.problems}
        if answer.outcome == "rejected" and expected.found_nothing and kinds & NO_JOIN:
            return None
        if {answer.outcome, expected.outcome} == {"rejected", "not_askable"}:
            return None  # refused in any case; a query with two faults is refused for one of them
        problems = "; ".join(problem.message for problem in answer.problems)[:200]
        shown, wanted = list(answer.values)[:6], _texts(expected)[:6]
        return (
            f"outcome: {answer.outcome} {shown} ({problems}), "
            f"expected {expected.outcome} {wanted} ({expected.reason})"
        )
    if answer.outcome != "answered":
        return None
    if expected.table is not None and (difference := _compare_tables(answer, expected)):
        return difference
    if expected.table is None and answer.rows is not None:
        return f"values: a table {answer.columns}, expected {_texts(expected)[:6]}"
    if expected.table is None and (difference := _compare_values(answer.values, expected)):
        return difference
    return _compare_proofs(answer, expected, world)


def _texts(expected: Outcome) -> list[str]:
    return list(dict.fromkeys(show(member) for member in expected.values))


def show(member: Member) -> str:
    """A member as the answer shows it; computed numbers and numbers with a unit without their last digits."""
    if member.missing:
        return ""
    if isinstance(member.computed, bool) or (member.computed is None and member.node is not None):
        return member.text
    if member.computed is not None:
        return show_number(float(member.computed))
    return show_text(member.text)


def show_number(number: float) -> str:
    """To 9 digits of the 12 that the engine shows: both are rounded twice, and a last 5 the same way."""
    return f"{float(f'{number:.12g}') + 0.0:.9g}"


def show_text(text: str) -> str:
    match = _NUMBER_AND_UNIT.fullmatch(text)
    return text if match is None else show_number(float(match[1])) + match[2]


def show_value(value: object, of: set[str]) -> str:
    """A value of the engine, as ``show`` shows a member; ``of`` are the texts that are expected."""
    if isinstance(value, int | float):
        return show_number(float(value))
    text = str(value)
    return text if text in of else show_text(text)


def _compare_values(values: Sequence[object], expected: Outcome) -> str | None:
    texts = _texts(expected)
    shown = [show_value(value, set(texts)) for value in values]
    if Counter(shown) != Counter(texts):
        return f"values: {shown[:12]}, expected {texts[:12]}"
    if expected.is_ordered and not _are_in_order(shown, list(expected.values)):
        return f"order: {shown[:12]}, expected {texts[:12]}"
    return None


def _are_in_order(shown: Sequence[str], members: Sequence[Member]) -> bool:
    """Equal members may change places."""
    keys = {show(member): _key(member) for member in members}
    return [keys[text] for text in shown] == [
        keys[text] for text in dict.fromkeys(map(show, members))
    ]


def _key(member: Member) -> object:
    value = member.value
    if value is None:
        return member.text.casefold()
    return (value.number, None) if value.number is not None else (value.first, value.last)


def _compare_tables(answer: Answer, expected: Outcome) -> str | None:
    table = expected.table
    assert table is not None
    if answer.rows is None or answer.columns is None:
        return f"table: values {answer.values[:6]}, expected columns {table.columns}"
    if tuple(answer.columns) != table.columns:
        return f"columns: {answer.columns}, expected {table.columns}"
    texts = {show(cell) for row in table.rows for cell in row}
    shown = [tuple(show_value(cell, texts) for cell in row) for row in answer.rows]
    rows = _rows(table)
    if Counter(shown) != Counter(rows):
        more, less = Counter(shown) - Counter(rows), Counter(rows) - Counter(shown)
        return f"rows: more {list(more.items())[:4]}, missing {list(less.items())[:4]}"
    return None


def _rows(table: Table) -> list[tuple[str, ...]]:
    return [tuple(map(show, row)) for row in table.rows]


def _compare_proofs(answer: Answer, expected: Outcome, world: World) -> str | None:
    if answer.evidence_total > len(answer.evidence):
        return f"proof: {answer.evidence_total} facts, {len(answer.evidence)} shown"
    known: dict[object, object] = {
        place: min(map(str, fact.places)) for fact in world.data.facts for place in fact.places
    }
    places = set()
    for fact in answer.evidence:
        file = fact.file.rpartition("/")[2]
        place = (file, fact.line, fact.relation) if world.is_table else (file, fact.line)
        places.add(known.get(place, place))
    wanted = {known[place] for place in expected.proof}
    if (wanted <= places or expected.is_of_table) and places - wanted <= {
        known[place] for place in expected.considered
    }:
        return _compare_attribution(answer, expected, world, known)
    more, less = sorted(map(str, places - wanted)), sorted(map(str, wanted - places))
    return f"proof: more {more[:5]}, missing {less[:5]}"


def _compare_attribution(
    answer: Answer, expected: Outcome, world: World, known: dict[object, object]
) -> str | None:
    """Each fact is linked with the values or rows that it produced."""
    proofs: dict[object, set[object]] = {}
    if expected.table is None:
        shown = [(value,) for value in answer.values]
        pairs = [((show(member),), member.proof) for member in expected.values]
        texts = set(_texts(expected))
    else:
        shown = list(answer.rows or ())
        pairs = list(zip(_rows(expected.table), expected.table.proofs, strict=True))
        texts = {show(cell) for row in expected.table.rows for cell in row}
    for key, proof in pairs:
        proofs.setdefault(key, set()).update(known[place] for place in proof)
    linked: dict[object, set[object]] = {}
    for fact in answer.evidence:
        file = fact.file.rpartition("/")[2]
        place = (file, fact.line, fact.relation) if world.is_table else (file, fact.line)
        for number in fact.answers:
            key = tuple(show_value(cell, texts) for cell in shown[number])
            linked.setdefault(key, set()).add(known.get(place, place))
    for key, wanted in proofs.items() if len(proofs) > 1 else ():
        places = linked.get(key, set())
        allowed = set() if expected.is_of_table else {known[p] for p in expected.considered}
        if not wanted <= places <= wanted | allowed:
            more, less = sorted(map(str, places - wanted)), sorted(map(str, wanted - places))
            return f"link: of {key} more {more[:5]}, missing {less[:5]}"
    return None


def is_close(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9)
