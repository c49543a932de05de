"""``temporal-kg``: facts with a time, as columns of head, relation, tail, start and end.

A fourth column alone is one time. With a header the times may be in any column after the third, and the
other columns are qualifiers, as in ``kg``. A time is stored as one interval. The paper stores a fact for
each year, which would be a hundred edges for one reign.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from trustuqa_neo4j.errors import UnreadableFile
from trustuqa_neo4j.loading.fact_columns import TRIPLE_WIDTH, time_role
from trustuqa_neo4j.loading.formats import File, Loader, ReadOptions
from trustuqa_neo4j.model.facts import Fact, Item, ValidTime
from trustuqa_neo4j.values import BadDate, Days, ValueOptions, make_interval, read_date
from trustuqa_neo4j.wording import CallOption

from ._text import SKIP_BAD_LINES
from ._triples import (
    REVERSED,
    ColumnFormat,
    FactRecords,
    make_qualifiers,
    no_fact_error,
    open_records,
)

INVALID_DAY = "an impossible date, of which only the year is stored"
_IntervalReader: TypeAlias = Callable[[str, str], tuple[ValidTime | None, str]]
_COLUMNS = ColumnFormat((5, 4), "head, relation, tail, start, end")
_CACHE_SIZE = 1 << 16
"""Dates and pairs of dates to remember; in real graphs they repeat."""
_HINT = (
    "a date is YYYY, YYYY-MM or YYYY-MM-DD, with ## for an unknown part, and #### or nothing for no date; "
    f"{CallOption.DATES.with_value('dmy')} or mdy says what 05/03/1999 is; {SKIP_BAD_LINES}"
)


def read_items(files: Sequence[File], options: ReadOptions) -> Iterator[Item]:
    for file in files:
        yield options.part(file.name, file.name, "temporal-kg")
        yield from read_facts(file, options)


def read_facts(file: File, options: ReadOptions) -> Iterator[Fact]:
    read_interval = _interval_reader(options.values)
    has_facts = False
    with open_records(file, options, _COLUMNS) as records:
        columns = _find_columns(file, records)
        start, end = columns.start, columns.end
        for line, fields in records.rows:
            try:
                valid_time, remark = read_interval(
                    "" if start is None else fields[start], "" if end is None else fields[end]
                )
            except BadDate as error:
                options.malformed(str(error), f"{file.name}:{line}", _HINT)
                continue
            if remark:
                options.remark(remark, f"{file.name}:{line}")
            has_facts = True
            qualifiers: tuple[tuple[str, str], ...] = ()
            if columns.qualifiers:
                qualifiers = make_qualifiers(columns.names, [fields[n] for n in columns.qualifiers])
            yield Fact(fields[0], fields[1], fields[2], line, valid_time, qualifiers)
    if not has_facts:
        raise no_fact_error(file)


@dataclass(frozen=True, slots=True)
class _Columns:
    # ``start`` or ``end`` is None where there is no such column.
    start: int | None
    end: int | None
    qualifiers: tuple[int, ...] = ()
    names: tuple[str, ...] = ()


def _find_columns(file: File, records: FactRecords) -> _Columns:
    roles = dict[str | None, int]()
    for column, name in enumerate(records.extra_columns, TRIPLE_WIDTH):
        roles.setdefault(time_role(name), column)
    if "start" in roles or "end" in roles:
        start, end = roles.get("start"), roles.get("end")
    elif "time" in roles:
        start = end = roles["time"]
    elif records.width in _COLUMNS.widths:
        return _Columns(TRIPLE_WIDTH, records.width - 1)
    else:
        raise UnreadableFile(
            "no column says when facts hold",
            where=f"{file.name}:{records.header}",
            hint="call the columns start and end, or time; a graph without times is kg",
        )
    qualifiers = tuple(n for n in range(TRIPLE_WIDTH, records.width) if n not in (start, end))
    names = tuple(records.extra_columns[n - TRIPLE_WIDTH] for n in qualifiers)
    return _Columns(start, end, qualifiers, names)


def _interval_reader(options: ValueOptions) -> _IntervalReader:
    # The second value is a remark or empty.
    @lru_cache(_CACHE_SIZE)
    def parse_date(text: str) -> tuple[Days | None, str, str]:
        # Days, the text to store, and a remark.
        try:
            days = read_date(text, options.dates)
        except BadDate as error:
            if error.year is None:
                raise
            return error.year, text.strip(), INVALID_DAY
        return days, "" if days is None else text.strip(), ""

    @lru_cache(_CACHE_SIZE)
    def read_interval(start_text: str, end_text: str) -> tuple[ValidTime | None, str]:
        start, end = parse_date(start_text), parse_date(end_text)
        remark = start[2] or end[2]
        interval = make_interval(start[0], end[0])
        if interval is None:
            return None, remark
        valid_time = ValidTime(interval.start, interval.end, start[1], end[1])
        return valid_time, REVERSED if interval.reversed else remark

    return read_interval


LOADER = Loader(
    name="temporal-kg",
    summary="temporal graph: head, relation, tail, start, end by line, or one time (tab, | or comma)",
    kind="temporal-kg",
    read=read_items,
    aliases=("temporal", "tkg"),
    reads=frozenset(),
)
