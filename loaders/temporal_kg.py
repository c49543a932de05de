"""``temporal-kg``: facts that held for a time: head, relation, tail, start, end in columns.

Four columns are head, relation, tail and the time. With a header the times may stand in any column behind
the third, and what is no time is a qualifier, as in ``kg``. A time is kept as an interval: a fact for
each year between, as the paper writes it down, would be a hundred edges for one reign.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from trustuqa_neo4j.errors import UnreadableFile
from trustuqa_neo4j.loader import File, Loader, Reading
from trustuqa_neo4j.triples import Fact, Held, Item
from trustuqa_neo4j.values import BadDate, Days, ValueOptions, between, read_date

from .columns import THREE, Form, Records, no_fact, qualifiers, records
from .times import when

REVERSED = "the end precedes the start"
ONLY_YEAR = "a date that no calendar has, of which the year is kept"
Dates: TypeAlias = Callable[[str, str], tuple[Held | None, str]]
_FORM = Form((5, 4), "head, relation, tail, start, end")
_REMEMBERED = 1 << 16
"""Pairs of dates; in real graphs they repeat."""
_HINT = (
    "a date is YYYY, YYYY-MM or YYYY-MM-DD with ## for what is not known, #### or nothing at all where "
    "none is; --dates dmy or mdy says what 05/03/1999 is; --skip-bad N passes over up to N bad lines"
)


def read(files: Sequence[File], reading: Reading) -> Iterator[Item]:
    """The facts of each file, in its order.

    Raises:
        MissingFile, UnreadableFile, MalformedLine
    """
    for file in files:
        yield reading.part(file.name, file.name, "temporal-kg")
        yield from facts(file, reading)


def facts(file: File, reading: Reading) -> Iterator[Fact]:
    """The facts of one file; an interval written in reverse is told in a remark.

    Raises:
        MissingFile, UnreadableFile, MalformedLine
    """
    dates = _dates(reading.values)
    number = 0
    with records(file, reading, _FORM) as found:
        columns = _columns(file, found)
        start, end, others = columns.start, columns.end, columns.others
        for line, fields in found.rows:
            try:
                held, odd = dates(
                    "" if start is None else fields[start], "" if end is None else fields[end]
                )
            except BadDate as error:
                reading.malformed(str(error), f"{file.name}:{line}", _HINT)
                continue
            if odd:
                reading.remark(odd, f"{file.name}:{line}")
            number = line
            named = qualifiers(columns.names, [fields[n] for n in others]) if others else ()
            yield Fact(fields[0], fields[1], fields[2], line, held, named)
    if not number:
        raise no_fact(file)


@dataclass(frozen=True, slots=True)
class _Columns:
    """Where the times stand, None for one that no column says, and the columns that are qualifiers."""

    start: int | None
    end: int | None
    others: tuple[int, ...] = ()
    names: tuple[str, ...] = ()


def _columns(file: File, found: Records) -> _Columns:
    roles = dict[str | None, int]()
    for column, name in enumerate(found.further, THREE):
        roles.setdefault(when(name), column)
    if "start" in roles or "end" in roles:
        start, end = roles.get("start"), roles.get("end")
    elif "time" in roles:
        start = end = roles["time"]
    elif found.width in _FORM.widths:
        return _Columns(THREE, found.width - 1)
    else:
        raise UnreadableFile(
            "no column says when facts hold",
            where=f"{file.name}:{found.header}",
            hint="call the columns start and end, or time; a graph without times is kg",
        )
    others = tuple(n for n in range(THREE, found.width) if n not in (start, end))
    return _Columns(start, end, others, tuple(found.further[n - THREE] for n in others))


def _dates(options: ValueOptions) -> Dates:
    """What turns two dates into the time between them, and what is odd about them, if anything."""

    @lru_cache(_REMEMBERED)
    def date(written: str) -> tuple[Days | None, str, str]:
        """Its days, the text that is kept of it, and what is odd."""
        try:
            days = read_date(written, options.dates)
        except BadDate as error:
            if error.year is None:
                raise
            return error.year, written.strip(), ONLY_YEAR
        return days, "" if days is None else written.strip(), ""

    @lru_cache(_REMEMBERED)
    def held(start: str, end: str) -> tuple[Held | None, str]:
        first, last = date(start), date(end)
        odd = first[2] or last[2]
        found = between(first[0], last[0])
        if found is None:
            return None, odd
        held = Held(found.start, found.end, first[1], last[1])
        return held, REVERSED if found.reversed else odd

    return held


LOADER = Loader(
    name="temporal-kg",
    summary="temporal graph: head, relation, tail, start, end by line, or one time (tab, | or comma)",
    kind="temporal-kg",
    read=read,
)
