"""Edge lists: lines of two nodes, with more about the edge behind them, and how they differ from a table.

Most edge lists have no header that says so. What tells them from a table is that names of the first column
are names of the second one too: whoever is followed also follows.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..values import read_truths, read_value

RELATION = "linked to"
"""The relation of edges whose header names none."""

WEIGHT = "weight"
"""The qualifier of an edge without a header that has a number."""

EDGE_WIDTH = 2
COMMENT_SIGNS = ("#", "%")

_RANGES = ("from", "to")
_HEADERS = frozenset({
    _RANGES, ("source", "target"), ("src", "dst"), ("src", "dest"), ("src", "tgt"), ("head", "tail"),
    ("u", "v"), ("node1", "node2"), ("nodea", "nodeb"), ("id1", "id2"), ("subject", "object"),
    ("sourceid", "targetid"), ("sourcenode", "targetnode"), ("fromnode", "tonode"),
    ("fromnodeid", "tonodeid"), ("fromid", "toid"),
})  # fmt: skip
"""The names of two columns that say nothing about the edge but its direction."""

_DELIMITERS = ("\t", ",", ";", "|")
_NUMBER = re.compile(r"[-+]?\d*\.?\d+(?:[eE][-+]?\d+)?", re.ASCII)
_WHOLE = re.compile(r"\d+", re.ASCII)
_MAX_NAME_LENGTH = 200
_MIN_ROWS = 3
_MIN_COMMON = 2
_MIN_SHARE = 0.3
"""Part of the names in the smaller column that must be in the other one too."""
_MIN_NEW_PAIRS = 0.8
_MOST = 0.95


@dataclass(frozen=True, slots=True)
class EdgeList:
    """How the lines of an edge list are read.

    ``delimiter`` is empty where blanks are between the cells. ``relation`` is that of all edges, and
    ``names`` are those of further columns, ``ends`` those of the two nodes. ``is_sure``: the header says that
    these are edges.
    """

    delimiter: str
    relation: str = RELATION
    names: tuple[str, ...] = ()
    ends: tuple[str, ...] = ("source", "target")
    has_header: bool = False
    is_sure: bool = False

    @property
    def width(self) -> int:
        return EDGE_WIDTH + len(self.names)

    @property
    def columns(self) -> str:
        return ", ".join((*self.ends, *self.names))


class _Rows(NamedTuple):
    # ``first`` may be a header; ``first_names`` and ``second_names`` are without it.
    first: list[str]
    body: list[list[str]]
    delimiter: str

    @property
    def nodes(self) -> set[str]:
        return self._names(0) | self._names(1)

    @property
    def common(self) -> set[str]:
        return self._names(0) & self._names(1)

    @property
    def share(self) -> float:
        return len(self.common) / max(1, min(len(self._names(0)), len(self._names(1))))

    def _names(self, column: int) -> set[str]:
        return {row[column] for row in self.body if row[0] != row[1]}

    def are_numbers(self, column: int, pattern: re.Pattern[str] = _NUMBER) -> bool:
        return all(pattern.fullmatch(row[column]) for row in self.body)


def is_comment(line: str) -> bool:
    return line.lstrip().startswith(COMMENT_SIGNS)


def split_edge(line: str, delimiter: str) -> list[str]:
    """The cells of ``line``; without a delimiter blanks are between them."""
    if not delimiter:
        return line.split()
    if delimiter in "\t|":
        return [cell.strip() for cell in line.rstrip("\r\n").split(delimiter)]
    return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])]


def find_edge_list(lines: Sequence[str], *, is_given: bool = False) -> EdgeList | None:
    """How ``lines`` are read if they are edges; None: they are something else, or in doubt.

    ``is_given``: the user says that they are facts, so that two columns of names are edges without evidence.
    """
    lines = [line for line in lines if line.strip() and not is_comment(line)]
    rows = _split_rows(lines)
    if rows is None:
        return None
    ends, extra = tuple(rows.first[:EDGE_WIDTH]), tuple(rows.first[EDGE_WIDTH:])
    plain = tuple(re.sub(r"[\s_-]+", "", name).casefold() for name in ends)
    if plain in _HEADERS and all(extra):
        values = sum(read_value(name) is not None for name in rows.nodes)
        is_range = plain == _RANGES and 2 * values >= len(rows.nodes)
        if is_given or (rows.common and not is_range):
            return EdgeList(rows.delimiter, RELATION, extra, ends, has_header=True, is_sure=True)
        return None
    has_header = _has_header(rows)
    if not has_header:
        rows = rows._replace(body=[rows.first, *rows.body])
    is_edge_list = all(check(rows, has_header) for check in _CHECKS)
    is_possible = len(rows.first) == EDGE_WIDTH and _has_ids_or_names(rows, has_header)
    if not (is_edge_list or (is_given and is_possible)):
        return None
    names = (WEIGHT,) if extra else ()
    if not has_header:
        return EdgeList(rows.delimiter, names=names)
    return EdgeList(rows.delimiter, ends[1], names, ends, has_header)


def _split_rows(lines: Sequence[str]) -> _Rows | None:
    # By the delimiter that gives all lines two or three cells; blanks count where there is no other sign.
    if any(line.count('"') % 2 for line in lines):
        return None  # a cell goes on in the next line
    for delimiter in (*_DELIMITERS, ""):
        rows = [split_edge(line, delimiter) for line in lines]
        width = len(rows[0]) if rows else 0
        if width < EDGE_WIDTH or not rows[1:]:
            continue
        fits = [row for row in rows if len(row) == width and row[0] and row[1]]
        is_even = len(fits) >= _MOST * len(rows)
        if not is_even or any(len(cell) > _MAX_NAME_LENGTH for row in fits for cell in row):
            return None
        return _Rows(rows[0], fits[1:], delimiter) if fits[0] is rows[0] else None
    return None


def _has_header(rows: _Rows) -> bool:
    # Names of columns do not recur as nodes, and stand above numbers or in a file with a delimiter.
    first = rows.first[:EDGE_WIDTH]
    nodes = {cell for row in rows.body for cell in row[:EDGE_WIDTH]}
    if not nodes.isdisjoint(first) or any(map(_NUMBER.fullmatch, first)):
        return False
    return bool(rows.delimiter) or rows.are_numbers(0, _WHOLE)


def _has_enough_rows(rows: _Rows, _has_header: bool) -> bool:
    return len(rows.body) >= _MIN_ROWS


def _has_common_names(rows: _Rows, _has_header: bool) -> bool:
    return len(rows.common) >= _MIN_COMMON and rows.share >= _MIN_SHARE


def _has_different_edges(rows: _Rows, _has_header: bool) -> bool:
    # Two columns of the same few words, such as yes and no, have the same pairs again and again.
    pairs = {tuple(row[:EDGE_WIDTH]) for row in rows.body}
    return len(pairs) >= _MIN_NEW_PAIRS * len(rows.body) and read_truths(rows.nodes) is None


def _has_ids_or_names(rows: _Rows, has_header: bool) -> bool:
    # Whole numbers are ids of nodes unless a header calls them otherwise; other values are measured.
    if all(rows.are_numbers(column, _WHOLE) for column in range(EDGE_WIDTH)):
        return not has_header
    return sum(read_value(name) is None for name in rows.nodes) >= _MOST * len(rows.nodes)


def _has_weight_alone(rows: _Rows, has_header: bool) -> bool:
    # A third column is the weight of an edge only if it has numbers that are not nodes.
    if len(rows.first) == EDGE_WIDTH:
        return True
    if has_header or len(rows.first) > EDGE_WIDTH + 1 or not rows.are_numbers(EDGE_WIDTH):
        return False
    weights = {row[EDGE_WIDTH] for row in rows.body}
    return len(weights & rows.common) < _MIN_SHARE * len(weights)


_CHECKS: tuple[Callable[[_Rows, bool], bool], ...] = (
    _has_enough_rows,
    _has_common_names,
    _has_different_edges,
    _has_ids_or_names,
    _has_weight_alone,
)
"""All of them must hold for lines whose header does not say that they are edges."""
