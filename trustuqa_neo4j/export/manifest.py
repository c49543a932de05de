"""``Manifest``, the description of an export (``manifest.json``), and declarations as JSON lines.

A declaration of a class or a relation is one object without its empty fields: it has lists of names, or lists
of such lists, which CSV cannot express.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias, get_args

from ..model.facts import ClassDeclared, Declaration, Readings, RelationDeclared, SourceKind
from ..values import ValueOptions, is_value_options
from ..wording import CallOption

_TYPES: dict[str, type[ClassDeclared] | type[RelationDeclared]] = {
    "class": ClassDeclared,
    "relation": RelationDeclared,
}


def format_declaration(source: str, declared: Declaration) -> str:
    kind = "class" if isinstance(declared, ClassDeclared) else "relation"
    content = {"source": source, kind: declared.name}
    content |= {
        field: getattr(declared, field)
        for field, default in declared._field_defaults.items()
        if getattr(declared, field) != default
    }
    return json.dumps(content, ensure_ascii=False) + "\n"


def parse_declaration(line: str) -> tuple[str, Declaration]:
    # ValueError if the line is not a declaration.
    content = json.loads(line)
    if not isinstance(content, dict):
        raise ValueError("no object")
    kind = next((kind for kind in _TYPES if kind in content), None)
    if kind is None:
        raise ValueError("neither a class nor a relation")
    source, name = content.pop("source", None), content.pop(kind)
    unknown = content.keys() - {*_TYPES[kind]._fields[1:]}
    if unknown:
        raise ValueError(f"a {kind} has no {', '.join(sorted(unknown))}")
    if not isinstance(source, str) or not isinstance(name, str):
        raise ValueError("source and name are to be texts")
    values = {field: _parse_field(field, value) for field, value in content.items()}
    return source, _TYPES[kind](name, **values)


def _parse_field(field: str, value: Any) -> Any:
    if field == "comment" and isinstance(value, str):
        return value
    if field == "is_transitive" and isinstance(value, bool):
        return value
    if field == "values" and (value is None or isinstance(value, bool)):
        return value
    if field in ("domains", "ranges") and isinstance(value, list):
        return tuple(_parse_names(field, union) for union in value)
    return _parse_names(field, value)


def _parse_names(field: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise ValueError(f"{field} cannot be {json.dumps(value, ensure_ascii=False)[:100]}")
    return tuple(value)


MANIFEST_FILE = "manifest.json"
FORMAT = "trustuqa-neo4j export"
VERSION = 4
OLDER_VERSIONS = (1, 2, 3)
"""Versions that can be read as well: 1 has no declarations, 2 no readings of columns, 3 no whole cells."""

# The file of names has a line for each alias of a node, one if it has none.
NAME_COLUMNS = ("key", "kind", "name", "alias")
# From this row on, each row is one line below the row before.
LINE_COLUMNS = ("row", "file", "line")
FACT_COLUMNS = ("head", "relation", "tail")
# As written, and as days.
TIME_COLUMNS = ("start", "end", "first_day", "last_day")
QUALIFIER_COLUMN = "qualifiers"
CELL_COLUMN = "cell"
FILE_COLUMN = "file"
LINE_COLUMN = "line"

Form: TypeAlias = Literal["table", "facts"]


@dataclass(frozen=True, slots=True)
class ExportedSource:
    # ``lines`` is the file with the places of table rows; None: one source file, from line 2 on.
    # Facts have columns for a time if ``held``, for qualifiers if ``qualified``, and for whole cells if
    # ``split``. ``declared`` is the number of classes and relations that the source declares.
    # ``readings``: see ``SourceStart``.
    name: str
    kind: SourceKind
    files: tuple[str, ...]
    columns: tuple[str, ...]
    form: Form
    file: str
    lines: str | None = None
    rows: int = 0
    held: bool = False
    qualified: bool = False
    declared: int = 0
    readings: Readings = ()
    split: bool = False

    @property
    def header(self) -> tuple[str, ...]:
        if self.form == "table":
            return self.columns
        return (
            *FACT_COLUMNS,
            *(TIME_COLUMNS if self.held else ()),
            *((QUALIFIER_COLUMN,) if self.qualified else ()),
            *((CELL_COLUMN,) if self.split else ()),
            *((FILE_COLUMN,) if len(self.files) > 1 else ()),
            LINE_COLUMN,
        )


@dataclass(frozen=True, slots=True)
class Manifest:
    # ``names`` has the nodes that their keys do not describe.
    dataset: str
    values: ValueOptions
    nodes: int
    facts: int
    names: str | None
    sources: tuple[ExportedSource, ...]
    declarations: str | None = None

    def to_json(self) -> str:
        content = {"format": FORMAT, "version": VERSION, **asdict(self)}
        content["values"]["null"] = sorted(self.values.null)
        del content["values"]["columns"]
        return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def parse_manifest(text: str) -> Manifest:
    # ValueError if ``text`` is not a manifest, or has another version.
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError("it is not JSON") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ValueError("it does not say that this is an export")
    if content.get("version") not in (VERSION, *OLDER_VERSIONS):
        raise ValueError(
            f"it has version {content.get('version')!r}, and this package reads those up to {VERSION}"
        )
    try:
        return Manifest(
            str(content["dataset"]),
            _parse_values(content["values"]),
            int(content["nodes"]),
            int(content["facts"]),
            _check_file_name(content["names"]),
            tuple(_parse_source(source) for source in content["sources"]),
            _check_file_name(content.get("declarations")),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"it is incomplete ({error})") from error


def _parse_values(content: dict[str, Any]) -> ValueOptions:
    return ValueOptions(content["dates"], content["decimal"], frozenset(content["null"]))


def _parse_source(content: dict[str, Any]) -> ExportedSource:
    for field, allowed in (("kind", get_args(SourceKind)), ("form", get_args(Form))):
        if content[field] not in allowed:
            raise ValueError(f"{content[field]!r} is not a valid {field}")
    file = _check_file_name(content["file"])
    if file is None:
        raise ValueError("a source has no file")
    if not content["files"]:
        raise ValueError("a source was read from no file")
    return ExportedSource(
        str(content["name"]),
        content["kind"],
        tuple(map(str, content["files"])),
        tuple(map(str, content["columns"])),
        content["form"],
        file,
        _check_file_name(content["lines"]),
        int(content["rows"]),
        bool(content["held"]),
        bool(content["qualified"]),
        int(content.get("declared", 0)),
        _parse_readings(content.get("readings", [])),
        bool(content.get("split", False)),
    )


def _parse_readings(content: Any) -> Readings:
    readings = tuple((str(relation), str(text)) for relation, text in content)
    for _, text in readings:
        if not is_value_options(text):
            raise ValueError(f"{text!r} is not a way to read values")
    return readings


def _check_file_name(name: str | None) -> str | None:
    # The file is beside the manifest: its name must not lead anywhere else.
    if name is not None and (not isinstance(name, str) or re.search(r"[/\\\0]|^\.*$", name)):
        raise ValueError(f"{name!r} is not a file beside it")
    return name


def format_value_options(values: ValueOptions) -> str:
    # The options of ``tuqa-load``; empty if it needs none.
    options = {CallOption.DATES: values.dates, CallOption.DECIMAL: values.decimal}
    parts = [option.with_value(value) for option, value in options.items() if value]
    return " ".join(parts + [CallOption.NULL.with_value(word) for word in sorted(values.null)])
