"""The sheets of a workbook as rows of text, read by calamine, which takes it whole into memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from .cells import text_in_workbook

if TYPE_CHECKING:
    from python_calamine import CalamineSheet


class Sheet(NamedTuple):
    """A sheet: its name, and number and cells of each row that is not empty."""

    name: str
    rows: Iterator[tuple[int, list[str]]]


class Unreadable(Exception):
    """Why a workbook cannot be read."""


class Locked(Unreadable):
    """It asks for a password."""


def sheets(path: str) -> list[Sheet]:
    """The sheets with a cell, hidden ones too, in the order of the workbook.

    ``path`` says by its suffix which kind it is: of what has none, calamine never says what is wrong.

    Raises:
        Unreadable
    """
    # Here, since listing the formats needs none of it.
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError, SheetTypeEnum

    try:
        book = CalamineWorkbook.from_path(path)
        found = [
            book.get_sheet_by_name(sheet.name)
            for sheet in book.sheets_metadata
            if sheet.typ == SheetTypeEnum.WorkSheet
        ]
    except PasswordError as error:
        raise Locked from error
    except (CalamineError, OSError) as error:
        raise Unreadable(str(error)) from error
    return [Sheet(sheet.name, _rows(sheet)) for sheet in found if _is_filled(sheet)]


def _is_filled(sheet: CalamineSheet) -> bool:
    return any(value != "" for values in sheet.iter_rows() for value in values)


def _rows(sheet: CalamineSheet) -> Iterator[tuple[int, list[str]]]:
    for number, values in enumerate(sheet.iter_rows(), 1):
        cells = [text_in_workbook(value) for value in values]
        if any(cells):
            yield number, cells
