"""Columns of facts in delimited text: what headers call them, and how lines of facts differ from a table.

A line of facts is head, relation and tail, and for a temporal graph one or two times. Without a header only
the values tell it from a row of a table: relations recur, and times are dates. In doubt it is a table.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from ..values import BadDate, read_date
from .comment_lines import count_comment_lines, find_comment_header
from .delimiters import choose_delimiter
from .edge_lists import find_edge_list

TRIPLE_WIDTH = 3
HEADERS = frozenset({
    ("head", "relation", "tail"), ("subject", "predicate", "object"),
    ("subject", "relation", "object"), ("source", "relation", "target"), ("h", "r", "t"),
})  # fmt: skip
"""The names of the first three columns of a header, whatever other columns there are."""

_RELATION_HEADERS = frozenset({"relation", "predicate"})

TimeRole: TypeAlias = Literal["start", "end", "time"]

_UNIT = r"(?: ?(?:time|date|year))?"
_TIME_NAMES: tuple[tuple[TimeRole, re.Pattern[str]], ...] = (
    ("start", re.compile(rf"(?:valid )?(?:start|begin|beginning|from|since){_UNIT}")),
    ("end", re.compile(rf"(?:valid )?(?:end|finish|to|until|till){_UNIT}")),
    ("time", re.compile(r"time|date|year|when|timestamp|point in time")),
)


def time_role(name: str) -> TimeRole | None:
    # ``time`` is start and end at once.
    plain = re.sub(r"[\s_-]+", " ", name).strip().casefold()
    return next((role for role, names in _TIME_NAMES if names.fullmatch(plain)), None)


def is_header(cells: Sequence[str]) -> bool:
    """Check whether a line of facts is a header: by its first three names, or by ``relation`` and times."""
    names = [cell.strip().casefold() for cell in cells]
    if tuple(names[:TRIPLE_WIDTH]) in HEADERS:
        return True
    times = names[TRIPLE_WIDTH:]
    return len(times) > 0 and names[1] in _RELATION_HEADERS and all(map(time_role, times))


# Condition triples as the TrustUQA paper prints them.

_NAME = r'("(?:[^"]|"")*"|[^",]+)'
CONDITION_TRIPLE = re.compile(rf"\({_NAME}, *{_NAME}, *\[(?:{_NAME}(?:, *{_NAME}, *{_NAME})?)?\]\)")
"""``(node1, node2, [])``, ``(node1, node2, [head])`` or ``(node1, node2, [head, relation, tail])``."""


def has_condition_triples(text: str) -> bool:
    """Check whether the first line that is not blank is a condition triple."""
    first, _, _ = text.lstrip().partition("\n")
    return CONDITION_TRIPLE.fullmatch(first.strip()) is not None


# Delimited text as table or facts.

_DELIMITERS = ("\t", ",", ";", "|")
_FACT_DELIMITERS = "\t|,"
_FACT_WIDTHS = (3, 4, 5)
_SAMPLE_LINES = 50
"""Lines that decide the delimiter, as in the loader of tables."""
_MANY_ROWS = 20
"""So many rows show whether values of a column recur."""
_MOST = 0.95
_JOINTS = 2
"""So many nodes are both head and tail in a graph, however short it is."""
_MAX_TITLE_LINES = 20
_MAX_RELATION_LENGTH = 200
_NUMBER = re.compile(r"[-+]?[\d.,' ]*\d[\d.,]*\s*%?")
_SHORT_NUMBER = re.compile(r"[-+]?\d{1,2}|[-+]?\d+\.\d+")
"""A day or a decimal number by itself: ``read_date`` would take some for years."""

Rows: TypeAlias = list[list[str]]


class DelimitedShape(NamedTuple):
    # ``delimiter`` is empty for a single column. ``alternative`` is the other format that the lines
    # allow; empty: there is no doubt. ``share`` of the ``records`` are as wide as the first. ``columns`` are
    # those of facts.

    format: str
    delimiter: str
    width: int
    alternative: str = ""
    share: float = 1.0
    records: int = 0
    columns: str = ""


def detect_shape(text: str, is_complete: bool, prefers_tab: bool = False) -> DelimitedShape | None:
    """The shape of delimited ``text``; None: only blank lines.

    ``is_complete`` is False for the beginning of a longer text. ``prefers_tab`` takes a tab in the first line
    for the delimiter.
    """
    lines = [line for line in io.StringIO(text, newline="") if line.strip()]
    if not lines:
        return None
    if not is_complete and len(lines) > 1:
        lines.pop()  # it may be cut off
    shape = _detect_columns(lines, is_complete, prefers_tab)
    edges = find_edge_list(lines) if shape.format == "table" else None
    if edges is None:
        return shape
    alternative = "" if edges.is_sure else "table"
    delimiter = edges.delimiter or " "
    return DelimitedShape("kg", delimiter, edges.width, alternative, 1.0, len(lines), edges.columns)


def _detect_columns(lines: list[str], is_complete: bool, prefers_tab: bool) -> DelimitedShape:
    titles = count_title_lines(lines)
    comments = 0 if titles else count_comment_lines(lines)
    if comments:
        return _detect_below_comments(lines[:comments], lines[comments:], prefers_tab)
    lines = lines[titles:]
    delimiter, is_quoted = _detect_delimiter(lines[:_SAMPLE_LINES], prefers_tab)
    if not delimiter:
        return DelimitedShape("table", "", 1, records=len(lines))
    rows = _parse_rows(lines, delimiter, is_quoted)
    if not is_complete and len(rows) > 1 and len(rows[-1]) != len(rows[0]):
        rows.pop()  # after an open quote
    share, width = _score_width(rows)
    format_name, alternative = _detect_format(rows, delimiter, share)
    columns = "head, relation, tail" + ("" if format_name == "kg" else ", time")
    return DelimitedShape(format_name, delimiter, width, alternative, share, len(rows), columns)


def _detect_below_comments(
    comments: list[str], lines: list[str], prefers_tab: bool
) -> DelimitedShape:
    # A table, whose header may be the last comment.
    delimiter, is_quoted = _detect_delimiter(lines[:_SAMPLE_LINES], prefers_tab)
    if not delimiter:
        return DelimitedShape("table", "", 1, records=len(lines))
    rows = _parse_rows(lines, delimiter, is_quoted)
    header = find_comment_header(comments, rows[:_SAMPLE_LINES], delimiter)
    if header is not None:
        rows = [header.names, *rows]
    share, width = _score_width(rows)
    return DelimitedShape("table", delimiter, width, "", share, len(rows))


def count_title_lines(lines: Sequence[str]) -> int:
    """The number of title lines and comments above lines of columns; 0 in doubt.

    A title has fewer columns than the lines below it, and is one text or begins with ``#``.
    """
    for count in range(1, min(len(lines) - 1, _MAX_TITLE_LINES + 1)):
        if not _may_be_title(lines[count - 1]):
            return 0
        if not lines[count].strip():
            continue
        delimiter, is_quoted = _detect_delimiter(lines[count : count + _SAMPLE_LINES], False)
        rows = _parse_rows(lines[count : count + _SAMPLE_LINES], delimiter or ",", is_quoted)
        share, width = _score_width(rows)
        if share >= _MOST and len(rows) > 1 and width > 2:
            titles = _parse_rows(lines[:count], delimiter, is_quoted)
            return count if titles and all(len(cells) < width for cells in titles) else 0
    return 0


def _may_be_title(line: str) -> bool:
    text = line.strip()
    if text.count('"') % 2:
        return False  # a field that goes on in the next line
    return text.startswith("#") or not any(sign in text.replace(", ", " ") for sign in _DELIMITERS)


def _detect_delimiter(lines: Sequence[str], prefers_tab: bool) -> tuple[str, bool]:
    # The delimiter, empty for a single column, and whether fields may be in quotes.
    candidates = [(delimiter, True) for delimiter in _DELIMITERS]
    candidates += [(delimiter, False) for delimiter in "\t|"]
    if prefers_tab and "\t" in lines[0]:
        candidates = [("\t", True), ("\t", False)]
    rows = {candidate: _parse_rows(lines, *candidate) for candidate in candidates}
    # An open quote would make one record of many.
    readings = {sign: rows[sign, True] for sign, is_quoted in candidates if is_quoted}
    signs = choose_delimiter(readings)
    if signs:
        return signs[0], True
    is_spaced = has_spaced_commas(lines)
    best = max(
        rows,
        key=lambda candidate: (
            *_score_width(rows[candidate]),
            len(rows[candidate]),
            not (is_spaced and candidate[0] == ","),
        ),
    )
    return best if _score_width(rows[best]) > (0, 1) else ("", True)


def has_spaced_commas(lines: Sequence[str]) -> bool:
    # A comma before a blank, as in ``Lee, Ann;30``, is one of a text and no delimiter.
    return all(line.count(", ") == line.count(",") for line in lines)


def _parse_rows(lines: Sequence[str], delimiter: str, is_quoted: bool) -> Rows:
    return [row for row in _read_rows(lines, delimiter, is_quoted) if any(map(str.strip, row))]


def _read_rows(lines: Sequence[str], delimiter: str, is_quoted: bool) -> Iterator[list[str]]:
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if is_quoted else csv.QUOTE_NONE
    reader = csv.reader(lines, delimiter=delimiter, quoting=quoting)
    while True:
        try:
            yield next(reader)
        except StopIteration:
            return
        except csv.Error:
            yield ["?"]  # a record that is as wide as no header


def _score_width(rows: Rows) -> tuple[float, int]:
    # The share of records as wide as the first, and that width.
    width = len(rows[0]) if rows else 0
    if width < 2:
        return 0, width
    return sum(len(row) == width for row in rows) / len(rows), width


def _detect_format(rows: Rows, delimiter: str, share: float) -> tuple[str, str]:
    # The format, and the other one that is possible.
    width = len(rows[0])
    if delimiter in _FACT_DELIMITERS and is_header(rows[0]):
        has_times = any(map(time_role, rows[0][TRIPLE_WIDTH:]))
        return ("temporal-kg" if has_times else "kg"), ""
    if delimiter not in _FACT_DELIMITERS or width not in _FACT_WIDTHS:
        return "table", ""
    graph = "kg" if width == TRIPLE_WIDTH else "temporal-kg"
    rows = [row for row in rows if len(row) == width]
    if width > TRIPLE_WIDTH and not _has_times(rows):
        # A time in the first row alone is a doubt too: a header has none.
        return "table", (graph if any(map(_is_date, rows[0][TRIPLE_WIDTH:])) else "")
    if share >= _MOST and _has_relations(rows):
        return graph, "table"
    return "table", ("" if _has_header(rows, delimiter) else graph)


def _has_relations(rows: Rows) -> bool:
    # Relations are words that recur, or lead from node to node. What the first line names recurs too: the
    # name of a column does not.
    heads, relations, tails = ([row[n].strip() for row in rows] for n in range(TRIPLE_WIDTH))
    is_filled = all(all(map(str.strip, row[:TRIPLE_WIDTH])) for row in rows)
    words = sum(map(_is_relation, relations))
    recurs = (
        relations[0] in relations[1:] or heads[0] in heads[1:] + tails[1:] or tails[0] in heads[1:]
    )
    is_graph = len({*heads} & {*tails}) >= _JOINTS or 3 * len(set(relations)) <= 2 * len(rows)
    return is_filled and words >= _MOST * len(rows) and recurs and is_graph


def _is_relation(text: str) -> bool:
    return any(map(str.isalpha, text)) and len(text) <= _MAX_RELATION_LENGTH and not _is_date(text)


def _has_times(rows: Rows) -> bool:
    # All columns after the tail are dates or unknown, from the first row on.
    columns = [[row[n] for row in rows] for n in range(TRIPLE_WIDTH, len(rows[0]))]
    if not all(_is_date(column[0]) or _is_open(column[0]) for column in columns):
        return False
    dates = [sum(map(_is_date, column)) for column in columns]
    fits = [
        count + sum(map(_is_open, column)) for count, column in zip(dates, columns, strict=True)
    ]
    return max(dates) * 2 >= len(rows) and min(fits) >= 0.9 * len(rows)


def _has_header(rows: Rows, delimiter: str) -> bool:
    # The first row is surely no data: its names do not recur, and a column has a word above numbers or
    # dates. With many rows it is enough that relations would hardly recur, or in CSV the first one not.
    first, *rest = rows
    columns = list(zip(*rest, strict=True))
    if not rest or any(name in column for name, column in zip(first, columns, strict=True)):
        return False
    for name, column in zip(first, columns, strict=True):
        typed = sum(map(_is_typed, column))
        if len(rest) > 1 and typed >= 0.9 * len(rest) and name.strip() and not _is_typed(name):
            return True
    if len(rows) < _MANY_ROWS:
        return False
    return 3 * len(set(columns[1])) > 2 * len(rest) or delimiter == ","


def _is_typed(text: str) -> bool:
    return _NUMBER.fullmatch(text.strip()) is not None or _is_date(text)


def _is_open(text: str) -> bool:
    return not text.strip(" #-")


def _is_date(text: str) -> bool:
    plain = text.strip()
    if not plain or _is_open(plain) or _SHORT_NUMBER.fullmatch(plain):
        return False
    try:
        read_date(plain, "dmy")
    except BadDate as error:
        return error.year is not None
    return True
