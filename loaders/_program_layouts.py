"""The layouts in which programs write tables: pivot tables, loggers (TOA5) and surveys (Qualtrics)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from trustuqa_neo4j.wording import CallOption

from ._summary_rows import RawRow

_HEADER = CallOption.HEADER.with_value("N")

_AGGREGATE = re.compile(
    r"(?:distinct count|sum|count|average|avg|max|min|product|std ?devp?|varp?"
    r"|anzahl|summe|mittelwert|somme|nombre|moyenne)\s+(?:of|von|de)\s+\S.*",
    re.IGNORECASE,
)
"""The first cell of a pivot table."""

_JSON_OBJECT = re.compile(r"\{\s*\".*\"\s*:.*\}")
_LOGGER_MARKS = frozenset(["TS", "RN"])
"""In the place of units: time stamp and number of record."""


class Layout(NamedTuple):
    """The place of the header in a file.

    ``header`` is the index of its first row, and ``height`` the number of its rows; 0: there is none.
    ``names``: the names in it, if they are not the merged cells. ``note``: what was recognized.
    """

    header: int
    height: int
    names: Sequence[str] = ()
    note: str = ""


def find_program_layout(rows: Sequence[RawRow]) -> Layout | None:
    return _find_pivot(rows) or _find_logger(rows) or _find_survey(rows)


def _find_pivot(rows: Sequence[RawRow]) -> Layout | None:
    # The first row has the aggregate and the field of the columns, and the second one the names.
    if len(rows) < 3 or len({len(row.cells) for row in rows[:3]}) > 1:
        return None
    top, names = ([*map(str.strip, row.cells)] for row in rows[:2])
    is_pivot = len(top) > 2 and 1 <= sum(map(bool, top)) <= 2 and all(names)
    if not is_pivot or not _AGGREGATE.fullmatch(top[0]) or len(set(names)) < len(names):
        return None
    what = f"the header of a pivot table is in its second line; {_HEADER} names another one"
    return Layout(1, 1, (), what)


def _find_logger(rows: Sequence[RawRow]) -> Layout | None:
    # A line about the logger, then names, units, and how values were gathered.
    if len(rows) < 4 or not rows[0].cells or rows[0].cells[0].strip() != "TOA5":
        return None
    if len({len(row.cells) for row in rows[1:4]}) > 1:
        return None
    names = [
        name if unit.strip() in _LOGGER_MARKS else f"{name} {unit.strip()}".strip()
        for name, unit in zip(rows[1].cells, rows[2].cells, strict=True)
    ]
    what = f"a file of the form TOA5 has names and units in its header; {_HEADER} names another one"
    return Layout(1, 3, names, what)


def _find_survey(rows: Sequence[RawRow]) -> Layout | None:
    # Codes, questions, and identifiers as JSON.
    if len(rows) < 3 or len({len(row.cells) for row in rows[:3]}) > 1:
        return None
    codes, questions, ids = ([*map(str.strip, row.cells)] for row in rows[:3])
    is_survey = len(ids) > 1 and all(codes) and all(map(_JSON_OBJECT.fullmatch, ids))
    if not is_survey or any(map(_JSON_OBJECT.fullmatch, (*codes, *questions))):
        return None
    names = [
        code if question in ("", code) else f"{code} {question}"
        for code, question in zip(codes, questions, strict=True)
    ]
    what = (
        f"codes, questions and identifiers of a survey are its header; {_HEADER} names another one"
    )
    return Layout(0, 3, names, what)
