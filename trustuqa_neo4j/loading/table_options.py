"""Options of tables: where the header is, and which sheets and columns are read, under which names.

Names of columns in options are those after ``rename``. A dataset keeps the options of its first load, as a
text in the record of the load.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from ..errors import UsageError, format_list
from ..matching import suggest_names
from ..values import ValueKind, ValueOptions, parse_value_options

MAX_HEADER_LINES = 5

NO_HEADER = (0, 0)
"""``header`` of a table whose first line is a row."""


@dataclass(frozen=True, slots=True)
class TableOptions:
    """How tables are read.

    ``header``: first and last line of the header, or ``NO_HEADER``. ``skip``: lines above it, or above the
    first row, that are not read. Without both, a header below the first line, and that there is none, are
    recognized where they are beyond doubt. ``skip_end``: rows at the end that are not read; without it rows
    that sum up others are not read. ``delimiter`` between the cells of text; empty: it is to be found.
    ``sheets`` of workbooks and ``columns`` that are read; empty: all. ``rename``: old to new name. ``split``:
    column to the separator between several values in a cell.
    """

    header: tuple[int, int] | None = None
    skip: int | None = None
    skip_end: int | None = None
    delimiter: str = ""
    sheets: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    rename: Mapping[str, str] = field(default_factory=dict, hash=False)
    split: Mapping[str, str] = field(default_factory=dict, hash=False)
    optional_names: frozenset[str] = field(default=frozenset(), compare=False)
    """Names of sheets and columns of an earlier load, which need not exist in this one."""

    def check(self) -> None:
        """Raises UsageError for options that contradict each other or mean nothing."""
        if self.delimiter and not is_delimiter(self.delimiter):
            hint = f"give one sign, or {', '.join(DELIMITER_NAMES.values())}"
            raise UsageError(f"the delimiter {self.delimiter!r}", hint=hint)
        first, last = self.header or (1, 1)
        if self.header != NO_HEADER and not 1 <= first <= last < first + MAX_HEADER_LINES:
            hint = f"give a line from 1, at most {MAX_HEADER_LINES} lines as FIRST-LAST, or none"
            raise UsageError(f"a header in the lines {first} to {last}", hint=hint)
        if min(self.skip or 0, self.skip_end or 0) < 0:
            raise UsageError("a negative number of lines to skip", hint="give a number from 0")
        if self.header not in (None, NO_HEADER) and self.skip is not None:
            hint = "give one of them: the header is the first line that is not skipped"
            raise UsageError("a line of the header, and lines to skip above it", hint=hint)
        empty = [name for name, separator in self.split.items() if not separator]
        if empty:
            hint = "give the text between two values, such as ;"
            raise UsageError(f"no separator for {empty[0]!r}", hint=hint)
        new_names = [name.strip() for name in self.rename.values()]
        repeated = {name for name in new_names if not name or new_names.count(name) > 1}
        if repeated:
            name = min(repeated)
            what = f"two columns renamed to {name!r}" if name else "an empty new name of a column"
            raise UsageError(what, hint="give each column a name of its own")

    @property
    def skipped_lines(self) -> int | None:
        """The number of lines above the header; None if the header is to be found."""
        if self.header is None:
            return self.skip
        return self.skip or 0 if self.header == NO_HEADER else self.header[0] - 1

    @property
    def header_lines(self) -> int:
        """The number of lines of the header."""
        if self.header == NO_HEADER:
            return 0
        return 1 if self.header is None else self.header[1] - self.header[0] + 1

    def merge(self, base: TableOptions) -> TableOptions:
        """These options, and those of ``base`` in the place of the ones that are not given."""
        if self == TableOptions():
            return base
        settings = {f.name: getattr(self, f.name) or getattr(base, f.name) for f in fields(self)}
        if self.header is not None or self.skip is not None:
            settings |= {"header": self.header, "skip": self.skip}
        if self.skip_end is not None:
            settings["skip_end"] = self.skip_end
        settings["optional_names"] = base.optional_names - self.names
        return TableOptions(**settings)

    @property
    def names(self) -> frozenset[str]:
        """All names of sheets and columns in these options."""
        return frozenset([*self.sheets, *self.columns, *self.rename, *self.split])

    def to_dict(self) -> dict[str, Any]:
        """The options that are set."""
        default = TableOptions()
        names = [f.name for f in fields(self) if f.compare]
        settings = {name: getattr(self, name) for name in names}
        return {name: s for name, s in settings.items() if s != getattr(default, name)}

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any]) -> TableOptions:
        """Read ``to_dict``; lists may stand for tuples."""
        names = {f.name for f in fields(cls) if f.compare} & settings.keys()
        values: dict[str, Any] = {name: settings[name] for name in names}
        for name, value in values.items():
            if isinstance(value, list):
                values[name] = tuple(value)
        return cls(**values)


DEFAULT_TABLE_OPTIONS = TableOptions()

DELIMITER_NAMES = {
    "\t": "tabs",
    ",": "commas",
    ";": "semicolons",
    "|": "vertical bars",
    " ": "blanks",
}
_DELIMITER_WORDS = {
    **{name: sign for sign, name in DELIMITER_NAMES.items()},
    "tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "bar": "|", "pipe": "|", "blank": " ",
    "space": " ",
}  # fmt: skip


def is_delimiter(sign: str) -> bool:
    # A letter or digit would cut words, and a quote or line end has a meaning of its own.
    return len(sign) == 1 and not sign.isalnum() and sign not in "\"'\r\n\0\\.-+"


def parse_delimiter(text: str) -> str:
    # A sign, or its name.
    return _DELIMITER_WORDS.get(text.casefold(), text)


def parse_header(text: str) -> tuple[int, int]:
    # Read ``3``, ``1-2`` or ``none``.
    if text.strip().lower() == "none":
        return NO_HEADER
    first, dash, last = text.partition("-")
    is_line = first.strip().isdecimal() and (not dash or last.strip().isdecimal())
    if not is_line or (int(first), dash) == (0, ""):
        hint = (
            "give its line from 1, first and last line as 1-2, or none if the first line is a row"
        )
        raise UsageError(f"header {text!r}", hint=hint)
    return int(first), int(last if dash else first)


_KINDS: Mapping[str, ValueKind] = {
    "text": "text", "string": "text", "str": "text",
    "number": "number", "decimal": "number", "float": "number", "integer": "number", "int": "number",
    "date": "date", "datetime": "date", "boolean": "boolean", "bool": "boolean",
}  # fmt: skip


def add_types(values: ValueOptions, types: Mapping[str, str]) -> ValueOptions:
    # ``values`` with the types of single columns.
    columns = dict(values.columns)
    for name, text in types.items():
        kind = _KINDS.get(text.lower())
        if kind is None:
            nearest = suggest_names(text, _KINDS, most=1)
            near = f"did you mean {nearest[0]}? " if nearest else ""
            hint = f"{near}types are text, number (or decimal), date and boolean (yes or no)"
            raise UsageError(f"no type {text!r}", where=f"column {name!r}", hint=hint)
        columns[name] = replace(columns.get(name, ValueOptions()), kind=kind)
    return replace(values, columns=columns)


def format_options(table: TableOptions, values: ValueOptions) -> str:
    # The options of a load as text, those of columns included; empty without any.
    settings = table.to_dict()
    columns = {name: options.text for name, options in sorted(values.columns.items())}
    if columns:
        settings["values"] = columns
    texts = [json.dumps(settings, ensure_ascii=False, sort_keys=True)] if settings else []
    return "; ".join([*texts, *filter(None, [values.text])])


def parse_options(text: str) -> tuple[TableOptions, dict[str, ValueOptions]]:
    # The options of tables and of columns in a text of ``format_options``.
    if not text.startswith("{"):
        return DEFAULT_TABLE_OPTIONS, {}
    settings, _ = json.JSONDecoder().raw_decode(text)
    columns = {n: parse_value_options(options) for n, options in settings.get("values", {}).items()}
    table = TableOptions.from_dict(settings)
    return replace(table, optional_names=table.names), columns


def check_names(what: str, names: Collection[str], existing: Collection[str]) -> None:
    # Refuse names of sheets or columns in options that no table has.
    for name in names:
        if name not in existing:
            nearest = suggest_names(name, sorted(existing), most=1)
            listed = f"there are {format_list([*map(repr, sorted(existing))], 5)}"
            listed = listed if existing else "the inputs have none"
            hint = f"did you mean {nearest[0]!r}?" if nearest else listed
            raise UsageError(f"{what} {name!r}", hint=hint)
