"""Tables in workbooks: XLSX, XLS, ODS: each sheet with a cell in it is one.

Lines are rows of the sheet, as they are numbered there.
"""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from trustuqa_neo4j.errors import UnreadableFile

from .content import BROKEN_ZIP, OLE, Content
from .rows import Table
from .workbooks import Locked, Sheet, Unreadable, sheets
from .xls import sheets_apart

_TOLD_EVERY = 1000
_LOCKED = "EncryptedPackage".encode("utf-16-le")
"""What XLSX with a password holds, inside of a file like XLS."""


def tables(content: Content) -> Iterator[Table]:
    """The tables of a workbook, in its order; a single one has the name of the workbook.

    Raises:
        MissingFile, UnreadableFile: also when it is damaged or asks for a password.
    """
    with content.opened() as raw:
        found = _sheets(raw, content.place)
        if not found:
            hint = "give a workbook with a header and rows"
            raise UnreadableFile("no cell in any sheet", where=content.place, hint=hint)
        for sheet in found:
            of_sheet = f"#{sheet.name}" if len(found) > 1 else ""
            _, header = next(sheet.rows)
            rows = _telling(sheet, content, raw)
            yield Table(content.name + of_sheet, content.place + of_sheet, header, rows)


def _telling(sheet: Sheet, content: Content, raw: BinaryIO) -> Iterator[tuple[int, list[str]]]:
    for count, row in enumerate(sheet.rows, 1):
        yield row
        if not count % _TOLD_EVERY:
            content.told(raw)


def _sheets(raw: BinaryIO, place: str) -> list[Sheet]:
    with tempfile.TemporaryDirectory(prefix="tuqa-") as folder:
        try:
            suffix = _suffix(raw)
            path = Path(folder, f"book{suffix}")
            with path.open("wb") as copied:
                shutil.copyfileobj(raw, copied)
            return sheets_apart(str(path)) if suffix == ".xls" else sheets(str(path))
        except Locked as error:
            hint = "save it without one"
            raise UnreadableFile("protected by a password", where=place, hint=hint) from error
        except Unreadable as error:
            raise UnreadableFile(
                f"the workbook cannot be read ({error})",
                where=place,
                hint="open and save it again, or save it as CSV",
            ) from error


def _suffix(raw: BinaryIO) -> str:
    """The suffix that goes with the content.

    Raises:
        Locked
    """
    first = raw.read(len(OLE))
    raw.seek(0)
    if first == OLE:
        if _LOCKED in raw.read():
            raise Locked
        raw.seek(0)
        return ".xls"
    try:
        with zipfile.ZipFile(raw) as archive:
            names = archive.namelist()
    except BROKEN_ZIP:
        names = []
    raw.seek(0)
    if "content.xml" in names:
        return ".ods"
    return ".xlsb" if "xl/workbook.bin" in names else ".xlsx"
