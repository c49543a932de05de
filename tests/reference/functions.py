"""Sets, figures, truths and comparisons: the functions that look at members alone."""

from __future__ import annotations

from calendar import day_name, month_name, monthrange, weekday
from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import median

from .conditions import (
    are_numbers,
    are_same,
    find_extremes,
    find_frequent,
    keep_members,
    natural_key,
    rank,
)
from .durations import count_days, write_length
from .model import OPEN, UNITS, Bag, Member, Refusal, Result, Table, Unspecified, Value, convert
from .searches import distinct, intersect


def proof_of(members: Bag) -> frozenset[object]:
    return frozenset().union(*(member.proof for member in members))


def make_number(number: float, proof: frozenset[object] = frozenset()) -> Member:
    return Member(f"{number:g}", Value(number), None, None, proof, number)


def make_truth(holds: bool, proof: frozenset[object] = frozenset()) -> Bag:
    return (Member("yes" if holds else "no", None, None, None, proof, holds),)


def single(members: Bag) -> Member:
    """The only distinct member."""
    different = distinct(members)
    if len(different) != 1:
        raise Refusal("one value is needed")
    return different[0]


def require_number(member: Member) -> float:
    if member.value is None or member.value.number is None:
        raise Refusal("a number is needed")
    return member.value.number


# Sets


def unite(sets: Sequence[Bag]) -> Bag:
    return distinct(tuple(member for members in sets for member in members))


def subtract(sets: Sequence[Bag]) -> Bag:
    """Members of the first alone; rows of a table minus cells removes the rows of the cells."""
    others = [member for members in sets[1:] for member in members]
    rows = {member.row for member in others if member.row is not None}
    first = distinct(sets[0])
    rest = tuple(m for m in first if not any(are_same(m, other) for other in others))
    if len(sets) == 2 and len(rest) == len(first) and rows & {m.node for m in first}:
        return tuple(m for m in first if m.node not in rows)
    return rest


def contains(sets: Sequence[Bag]) -> Bag:
    """Whether the smaller set is in the larger; nodes of one name are the same here."""
    first, second = (distinct(members) for members in sets)
    small, large = (second, first) if len(second) <= len(first) else (first, second)
    is_within = bool(small) and all(any(are_same(a, b, True) for b in large) for a in small)
    return make_truth(is_within, proof_of(sets[0]) | proof_of(sets[1]))


def are_equal(first: Bag, second: Bag) -> bool:
    return (
        bool(first) == bool(second)
        and all(any(are_same(a, b, True) for b in second) for a in first)
        and all(any(are_same(b, a, True) for a in first) for b in second)
    )


# Figures


def count(members: Bag, is_distinct: bool = True) -> Bag:
    counted = distinct(members) if is_distinct else members
    return (make_number(float(len(counted)), proof_of(members)),)


def find_edge(members: Bag, upper: bool) -> Bag:
    """The largest or smallest member, as written."""
    edge = find_extremes(members, upper)
    if len({member.text for member in edge}) > 1 or len({m.identity for m in edge}) > 1:
        raise Unspecified("equal extremes, written in several ways")
    return edge


def is_time(text: str) -> bool:
    hours, colon, rest = text.partition(":")
    return bool(colon) and hours.isdigit() and rest.replace(":", "").replace(".", "").isdigit()


def choose_unit(members: Bag) -> str | None:
    """The most frequent unit; of several, the first by the alphabet."""
    units = [m.value.unit for m in members if m.value is not None and m.value.unit]
    return min(units, key=lambda unit: (-units.count(unit), unit), default=None)


def write_like(
    number: float, operands: Bag, proof: frozenset[object], used: str | None = None
) -> Member:
    """A result in the unit that all operands have, else in the one ``used`` of several that fit.

    Times are written as times.
    """
    texts = [member.text.strip() for member in operands]
    if texts and all(map(is_time, texts)):
        if abs(number) < 60:
            return make_number(number, proof)
        return Member(_write_time(number, texts), Value(number), None, None, proof, None)
    units = {m.value.unit if m.value else None for m in operands}
    unit = units.pop() if len(units) == 1 else None if None in units else used
    has_word = unit is not None and unit not in ("$", "€", "clock") and unit in UNITS
    if not has_word:
        return make_number(number, proof)
    blank = "" if unit == "%" else " "
    return Member(f"{number:.12g}{blank}{unit}", Value(number, unit), None, None, proof, None)


def _write_time(seconds: float, texts: Sequence[str]) -> str:
    """With as many parts as the longest of the texts, and with its decimals, but at least hundredths."""
    colons = max(text.count(":") for text in texts)
    decimals = max(2, *(len(text.partition(".")[2]) for text in texts))
    sign, seconds = ("-" if seconds < 0 else ""), round(abs(seconds), decimals)
    parts = [int(seconds) // 60**place for place in range(colons, -1, -1)]
    text = ":".join([str(parts[0]), *(f"{part % 60:02d}" for part in parts[1:])])
    fraction = f"{seconds % 1:.{decimals}f}".rstrip("0")[1:]
    return sign + text + ("" if fraction == "." else fraction)


def add(members: Bag, name: str = "sum") -> Bag:
    """The sum, the mean or the median of all entries that are numbers, in their unit."""
    numeric = tuple(m for m in members if m.value is not None and m.value.number is not None)
    if not numeric:
        raise Refusal("no numbers")
    units = [m.value.unit for m in numeric if m.value and m.value.unit]
    kinds = {UNITS.get(unit, (unit,))[0] for unit in units}
    if len(kinds) > 1:
        raise Refusal("several units")
    unit = choose_unit(numeric)
    numbers = [convert(m.value, unit) for m in numeric if m.value is not None]
    total = sum(number for number in numbers if number is not None)
    proof = proof_of(members if len(numeric) == len(members) else numeric)
    number = total / len(numbers) if name == "mean" else total
    if name == "median":
        number = median(number for number in numbers if number is not None)
    return (write_like(number, members, proof, unit),)


def find_percentage(sets: Sequence[Bag]) -> Bag:
    """How many percent of the second set are in the first."""
    part, whole = (distinct(members) for members in sets)
    if not whole:
        return ()
    common = intersect((whole, part))
    share = 100 * len(common) / len(whole)
    number = make_number(share, proof_of(tuple(m for s in sets for m in s)))
    return (replace(number, text=f"{number.text}%", value=Value(share, "%")),)


def plus(sets: Sequence[Bag]) -> Bag:
    """The sum of operands, each of which has a number."""
    for members in sets:
        if not any(m.value is not None and m.value.number is not None for m in members):
            raise Refusal("a number is needed")
    return add(tuple(m for members in sets for m in members))


def measure_distance(sets: Sequence[Bag], unit: str = "") -> Bag:
    """How far two numbers or dates are apart; dates in days, or in the unit."""
    if len(sets) == 1:
        members = distinct(sets[0])
        if len(members) != 2:
            raise Unspecified("the distance of one, or of many")
        sets = [(member,) for member in members]
    first, second = (single(members) for members in sets)
    proof = first.proof | second.proof
    number = abs(_difference(first, second, unit or "days"))
    if unit:
        return (make_number(number, proof),)
    return (write_like(number, (first, second), proof, first.value.unit if first.value else None),)


def _difference(first: Member, second: Member, unit: str) -> float:
    a, b = first.value, second.value
    if a is None or b is None:
        raise Refusal("no number and no date")
    are_dates = a.first is not None and b.first is not None
    if a.number is not None and b.number is not None and not (are_dates and unit == "years"):
        number = convert(b, a.unit)
        if number is None:
            raise Refusal("several units")
        return a.number - number
    if a.first is None or b.first is None:
        raise Refusal("a number and a date")
    if unit == "years":
        return a.first // 10000 - b.first // 10000
    return float(count_days(b.first, a.first))


def measure_duration(sets: Sequence[Bag]) -> Bag:
    first, second = (single(members) for members in sets) if len(sets) == 2 else (None, None)
    if first is None or second is None:
        raise Unspecified("the duration of one")
    proof = first.proof | second.proof
    a, b = first.value, second.value
    if a is None or b is None or a.first is None or b.first is None:
        return measure_distance(sets)
    text, value = write_length(a.first, b.first)
    return (Member(text, value, None, None, proof),)


def measure_years(sets: Sequence[Bag]) -> Bag:
    return _measure_dates(sets, "years")


def measure_days(sets: Sequence[Bag]) -> Bag:
    return _measure_dates(sets, "days")


def _measure_dates(sets: Sequence[Bag], unit: str) -> Bag:
    for members in sets:
        for member in members:
            if (
                member.value is not None
                and member.value.number is not None
                and (member.value.first is None or unit == "days")
            ):
                raise Unspecified(f"{unit} between numbers")
    return measure_distance(sets, unit)


def multiply(sets: Sequence[Bag]) -> Bag:
    members = [single(s) for s in sets]
    product = 1.0
    for member in members:
        product *= require_number(member)
    return (make_number(product, proof_of(tuple(members))),)


def divide(sets: Sequence[Bag]) -> Bag:
    first, second = single(sets[0]), single(sets[1])
    divisor, dividend = require_number(second), require_number(first)
    if divisor == 0:
        raise Refusal("division by zero")
    return (make_number(dividend / divisor, first.proof | second.proof),)


def minus(sets: Sequence[Bag]) -> Bag:
    first, second = single(sets[0]), single(sets[1])
    number, unit = _difference(first, second, "days"), first.value.unit if first.value else None
    return (write_like(number, (first, second), first.proof | second.proof, unit),)


def read_number(members: Bag) -> Bag:
    def read(member: Member) -> Member:
        if (
            member.value is not None
            and member.value.number is None
            and member.value.first is not None
        ):
            return member
        return replace(make_number(require_number(member), member.proof), row=member.row)

    return tuple(map(read, members))


def make_absolute(members: Bag) -> Bag:
    return tuple(write_like(abs(require_number(m)), (m,), m.proof) for m in members)


def read_year(members: Bag) -> Bag:
    def read(member: Member) -> Member:
        if member.value is None or member.value.first is None or member.value.first >= OPEN:
            raise Refusal("no year")
        return replace(
            make_number(float(member.value.first // 10000), member.proof), row=member.row
        )

    return tuple(map(read, members))


def read_part(part: str) -> Callable[[Bag], Bag]:
    """Quarter, decade, month of any year and day of the week: both ends of the date are in it."""

    def read(member: Member) -> Member:
        first, last = (member.value.first, member.value.last) if member.value else (None, None)
        if (
            first is None
            or last is None
            or last >= OPEN
            or (first < 10000 and part != "month_name")
        ):
            raise Refusal(f"no {part}")
        written = {_write_part(part, day) for day in (first, last)}
        is_whole = {"weekday": first == last, "month_name": first // 100 == last // 100}
        if len(written) > 1 or not is_whole.get(part, True):
            raise Refusal(f"no {part}")
        text, days = written.pop()
        value = Value(None, None, *days) if days else None
        return Member(text, value, None, member.row, member.proof)

    return lambda members: tuple(map(read, members))


def _write_part(part: str, day: int) -> tuple[str, tuple[int, int] | None]:
    """A part of a day, with its own first and last day where it has a year."""
    year, month = day // 10000, day // 100 % 100
    if part == "quarter":
        number = 1 + (month - 1) // 3
        last = year * 10000 + number * 300
        days = last - 199, last + monthrange(year, number * 3)[1]
        return f"{year}-Q{number}", days
    if part == "decade":
        year -= year % 10
        return f"{year}s", (year * 10000 + 101, (year + 9) * 10000 + 1231)
    if part == "month_name":
        return month_name[month], None
    return day_name[weekday(year, month, day % 100)], None


def read_month(members: Bag) -> Bag:
    def read(member: Member) -> Member:
        value = member.value
        if value is None or value.first is None or value.first // 100 != (value.last or 0) // 100:
            raise Refusal("no month")
        if value.first < 10000:
            raise Refusal("a day without a year")
        month = value.first // 100
        days = Value(None, None, month * 100 + 1, month * 100 + monthrange(*divmod(month, 100))[1])
        return Member(f"{month // 100:04}-{month % 100:02}", days, None, member.row, member.proof)

    return tuple(map(read, members))


# Order


def sort(members: Bag, is_descending: bool) -> Bag:
    """By value, those without one last; mostly texts by the alphabet."""
    readable = [m for m in members if m.value is not None]
    rest = tuple(m for m in members if m.value is None)
    if not readable:
        return tuple(sorted(members, key=lambda m: m.text.casefold(), reverse=is_descending))
    if rest:
        raise Unspecified("texts among numbers")
    by_number = are_numbers([m.value for m in readable if m.value])
    units = {m.value.unit for m in readable if m.value}
    unit = min((u for u in units if u), default=None)
    if by_number and len(units) > 1:
        raise Unspecified("numbers of several units")
    keys = [rank(m.value, by_number, unit) for m in readable if m.value]
    if None in keys:
        raise Unspecified("numbers among dates")
    order = sorted(range(len(readable)), key=lambda p: keys[p] or (0, 0), reverse=is_descending)
    return tuple(readable[place] for place in order)


def find_modes(members: Bag) -> Bag:
    if len(members) == len(distinct(members)) > 1:
        raise Refusal("each occurs once")
    return distinct(find_frequent(members, True))


def count_each(members: Bag, column: str) -> Table:
    groups: dict[object, list[Member]] = {}
    for member in members:
        groups.setdefault(member.identity, []).append(member)
    rows = tuple(
        (
            replace(group[0], proof=proof_of(tuple(group))),
            make_number(float(len(group)), proof_of(tuple(group))),
        )
        for group in groups.values()
    )
    return Table((column, "count"), rows, tuple(row[0].proof for row in rows))


# Truths


def holds(members: Bag) -> bool:
    """Whether a condition holds: yes, a number except 0, or a set with members."""
    if len(members) == 1:
        (member,) = members
        if member.computed is not None:
            return bool(member.computed)
        if member.text.casefold() in ("no", "false"):
            return False
    return bool(members)


def compare_sets(operator: str) -> Callable[[Sequence[Bag]], Bag]:
    def compare_two(sets: Sequence[Bag]) -> Bag:
        first, second = sets
        proof = proof_of(first) | proof_of(second)
        if operator in ("=", "!="):
            return make_truth(are_equal(first, second) == (operator == "="), proof)
        are_texts = len(first) == len(second) == 1 and not (first[0].value or second[0].value)
        if are_texts and any(map(str.isdigit, first[0].text)):
            raise Unspecified("texts with numbers")
        return make_truth(bool(keep_members(first, operator, second)), proof)

    return compare_two


def is_truth(members: Bag) -> bool:
    return len(members) == 1 and isinstance(members[0].computed, bool)


def both(sets: Sequence[Bag]) -> Bag:
    if all(map(is_truth, sets)):
        return make_truth(all(map(holds, sets)), proof_of(tuple(m for s in sets for m in s)))
    return intersect(sets)


def either(sets: Sequence[Bag]) -> Bag:
    if all(map(is_truth, sets)):
        return make_truth(any(map(holds, sets)), proof_of(tuple(m for s in sets for m in s)))
    return unite(sets)


FUNCTIONS: dict[str, Callable[[Sequence[Bag]], Result]] = {
    "set_intersection": intersect,
    "set_union": unite,
    "set_difference": subtract,
    "max": lambda sets: find_edge(tuple(m for s in sets for m in s), True),
    "min": lambda sets: find_edge(tuple(m for s in sets for m in s), False),
    "sum": lambda sets: add(tuple(m for s in sets for m in s)),
    "mean": lambda sets: add(tuple(m for s in sets for m in s), "mean"),
    "median": lambda sets: add(tuple(m for s in sets for m in s), "median"),
    "percentage": find_percentage,
    "distance": measure_distance,
    "duration": measure_duration,
    "year_difference": measure_years,
    "days_difference": measure_days,
    "product": multiply,
    "ratio": divide,
    "number": lambda sets: read_number(sets[0]),
    "abs": lambda sets: make_absolute(sets[0]),
    "year": lambda sets: read_year(sets[0]),
    "month": lambda sets: read_month(sets[0]),
    "quarter": lambda sets: read_part("quarter")(sets[0]),
    "decade": lambda sets: read_part("decade")(sets[0]),
    "month_name": lambda sets: read_part("month_name")(sets[0]),
    "weekday": lambda sets: read_part("weekday")(sets[0]),
    "mode": lambda sets: find_modes(sets[0]),
    "contains": contains,
    "equals": compare_sets("="),
    "is_empty": lambda sets: make_truth(not sets[0], proof_of(sets[0])),
    "exists": lambda sets: make_truth(bool(sets[0]), proof_of(sets[0])),
    "holds": lambda sets: make_truth(holds(sets[0]), proof_of(sets[0])),
    "greater_than": compare_sets(">"),
    "less_than": compare_sets("<"),
    "at_least": compare_sets(">="),
    "at_most": compare_sets("<="),
    "and": both,
    "or": either,
    "+": plus,
    "-": minus,
    "*": multiply,
    "/": divide,
    **{operator: compare_sets(operator) for operator in ("=", "!=", "<", "<=", ">", ">=")},
}
"""The functions of members, by name; the others need the data, tables or the query."""

NOTHING_OF_NOTHING = frozenset(
    ("max", "min", "sum", "mean", "median", "difference", "distance", "duration", "year_difference",
     "days_difference", "product", "ratio", "number", "abs", "year", "month",
     "quarter", "decade", "month_name", "weekday", "+", "-", "*", "/", "<", "<=", ">", ">=",
     "greater_than", "less_than", "at_least", "at_most")
)  # fmt: skip
"""Functions without a result if an operand is empty."""

__all__ = ["FUNCTIONS", "NOTHING_OF_NOTHING", "natural_key"]
