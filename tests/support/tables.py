"""What the loaders of tables yield, gathered by source; and workbooks, written by hand."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

from trustuqa_neo4j.loading.formats import File, ReadOptions, get_loader
from trustuqa_neo4j.model.facts import Fact, NodeDeclared, SourceStart, make_row_node


@dataclass
class Found:
    """A source: its columns, its rows as cells, where each was said (file, line)."""

    columns: tuple[str, ...]
    rows: list[list[str]] = field(default_factory=list)
    places: list[tuple[str, int]] = field(default_factory=list)


def found(name: str, files: list[File], reading: ReadOptions | None = None) -> dict[str, Found]:
    """The sources that the loader ``name`` finds in ``files``, everything in them checked for form."""
    sources: dict[str, Found] = {}
    part = SourceStart("", "", "table")
    for item in get_loader(name).read(files, reading or ReadOptions()):
        if isinstance(item, SourceStart):
            part = item
            assert part.kind == "table"
            source = sources.setdefault(part.source, Found(part.columns))
            assert source.columns == part.columns
        elif isinstance(item, NodeDeclared):
            assert item == make_row_node(part.source, len(source.rows) + 1)
            source.rows.append([])
            key = item.key
        else:
            assert isinstance(item, Fact)
            assert item.head == key
            assert item.relation == part.columns[len(source.rows[-1])]
            if not source.rows[-1]:
                source.places.append((part.file, item.line))
            assert source.places[-1] == (part.file, item.line)
            source.rows[-1].append(item.tail)
    assert all(len(cells) == len(s.columns) for s in sources.values() for cells in s.rows)
    return sources


def one(path: Path, content: bytes | str, reading: ReadOptions | None = None) -> Found:
    """The one source that ``table`` finds in a file with this content."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    (source,) = found("table", [File(path, path.name)], reading).items()
    assert source[0] == path.name
    return source[1]


def zipped(members: dict[str, bytes | str]) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            # Without the time of today, since tests have these bytes in their names.
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return written.getvalue()


MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
DOCUMENT = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
XML = '<?xml version="1.0" encoding="UTF-8"?>'


class Shown(NamedTuple):
    """A number with the format in which a workbook shows it."""

    value: float
    code: str


def xlsx(
    sheets: dict[str, list[list[str | float | bool | Shown | None]]],
    dated: int = -1,
    merged: tuple[str, ...] = (),
) -> bytes:
    """A workbook; numbers in the column ``dated`` are shown as dates; ``merged`` are ranges (``A1:A2``)."""
    ranges = "".join(f'<mergeCell ref="{cells}"/>' for cells in merged)
    after = f"<mergeCells>{ranges}</mergeCells>" if merged else ""
    shown = (c for rows in sheets.values() for row in rows for c in row if isinstance(c, Shown))
    codes = {code: number for number, code in enumerate(dict.fromkeys(c.code for c in shown), 2)}
    types = "http://schemas.openxmlformats.org/package/2006/content-types"
    own = "".join(
        f'<numFmt numFmtId="{200 + n}" formatCode="{escape(code, {chr(34): "&quot;"})}"/>'
        for code, n in codes.items()
    )
    used = "".join(f'<xf numFmtId="{200 + n}"/>' for n in codes.values())
    styles = (
        f'<numFmts>{own}</numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="22"/>{used}</cellXfs>'
    )
    book = f'<Relationship Id="r" Type="{DOCUMENT}/officeDocument" Target="xl/workbook.xml"/>'
    members: dict[str, bytes | str] = {
        "[Content_Types].xml": f'{XML}<Types xmlns="{types}"/>',
        "_rels/.rels": f'{XML}<Relationships xmlns="{PACKAGE}">{book}</Relationships>',
        "xl/styles.xml": f'{XML}<styleSheet xmlns="{MAIN}">{styles}</styleSheet>',
    }
    listed, related = "", ""
    for number, (name, rows) in enumerate(sheets.items(), 1):
        sheet = f'Id="r{number}" Type="{DOCUMENT}/worksheet" Target="worksheets/{number}.xml"'
        listed += f'<sheet name="{escape(name)}" sheetId="{number}" r:id="r{number}"/>'
        related += f"<Relationship {sheet}/>"
        body = "".join(
            f'<row r="{n}">{"".join(_cell(c, n, v, c == dated, codes) for c, v in enumerate(values))}</row>'
            for n, values in enumerate(rows, 1)
        )
        members[f"xl/worksheets/{number}.xml"] = (
            f'{XML}<worksheet xmlns="{MAIN}"><sheetData>{body}</sheetData>{after}</worksheet>'
        )
    members["xl/workbook.xml"] = (
        f'{XML}<workbook xmlns="{MAIN}" xmlns:r="{DOCUMENT}"><sheets>{listed}</sheets></workbook>'
    )
    members["xl/_rels/workbook.xml.rels"] = (
        f'{XML}<Relationships xmlns="{PACKAGE}">{related}</Relationships>'
    )
    return zipped(members)


def _cell(
    column: int,
    row_number: int,
    value: str | float | bool | Shown | None,
    dated: bool,
    codes: dict[str, int],
) -> str:
    place = f'r="{"ABCDEFGH"[column]}{row_number}"'
    if value is None:
        return ""
    if isinstance(value, Shown):
        return f'<c {place} s="{codes[value.code]}"><v>{value.value}</v></c>'
    if isinstance(value, bool):
        return f'<c {place} t="b"><v>{value:d}</v></c>'
    if isinstance(value, str):
        text = escape(value)
        return f'<c {place} t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'
    return f'<c {place} s="{dated:d}"><v>{value}</v></c>'


def ods(content: str, locked: bool = False) -> bytes:
    """A workbook in the Open Document format; ``content`` are the rows of its one sheet, as XML."""
    space = "urn:oasis:names:tc:opendocument:xmlns"
    key = "<manifest:encryption-data/>" if locked else ""
    manifest = (
        f'{XML}<manifest:manifest xmlns:manifest="{space}:manifest:1.0">'
        f'<manifest:file-entry manifest:full-path="content.xml">{key}</manifest:file-entry>'
        "</manifest:manifest>"
    )
    body = (
        f'{XML}<o:document-content xmlns:o="{space}:office:1.0" xmlns:table="{space}:table:1.0"'
        f' xmlns:text="{space}:text:1.0" xmlns:office="{space}:office:1.0"><o:body><o:spreadsheet>'
        f'<table:table table:name="S">{content}</table:table>'
        "</o:spreadsheet></o:body></o:document-content>"
    )
    return zipped({
        "mimetype": "application/vnd.oasis.opendocument.spreadsheet",
        "META-INF/manifest.xml": manifest,
        "content.xml": body if not locked else b"\x01\x02",
    })  # fmt: skip
