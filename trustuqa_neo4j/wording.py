"""Options in messages, in the words of the caller: ``--replace`` in the shell, ``mode="replace"`` in Python.

People at a server, and agents, see the field of a form, or the command that has the option.

``f"{CallOption.REPLACE} replaces it"`` has a placeholder, which `render_options` turns into the words. Errors
and notes are rendered when they are created. Whole commands (``tuqa drop films``) stay for both callers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from shlex import quote
from typing import Literal, TypeAlias

_START, _SEPARATOR, _END = "\ue000", "\ue001", "\ue002"  # private characters
_PLACEHOLDER = re.compile(f"{_START}([^{_END}]*){_END}")
_NAME = re.compile("[a-z]+(?:_[a-z]+)*")
_ARGUMENT = re.compile(r'(\w+)="?\{')


LoadChange: TypeAlias = dict[str, str | int | dict[str, str]]
"""Arguments of a load, by name."""

Caller: TypeAlias = Literal["python", "shell", "serve", "mcp"]
"""A message is for a program, for a person in the shell, or for somebody at the server of this command."""


class CallOption(Enum):
    """An option of a call: its name in the shell, and the argument in Python with places for its value."""

    APPEND = ("--append", 'mode="append"')
    COLUMNS = ("--columns", "columns={0}")
    COLUMN_DATES = ("--dates", "values=ValueOptions(columns={{{0!r}: ValueOptions(dates={1!r})}})")
    COLUMN_DECIMAL = (
        "--decimal",
        "values=ValueOptions(columns={{{0!r}: ValueOptions(decimal={1!r})}})",
    )
    DATASET = ("--dataset", "dataset={0}")
    DATES = ("--dates", "values=ValueOptions(dates={0!r})")
    DECIMAL = ("--decimal", "values=ValueOptions(decimal={0!r})")
    DELIMITER = ("--delimiter", "delimiter={0!r}")
    DRY_RUN = ("--dry-run", "dry_run=True")
    ENCODING = ("--encoding", "encoding={0!r}")
    EVIDENCE = ("--evidence", "evidence={0}")
    HEADER = ("--header", "header={0}")
    HEADER_TEXT = ("--header", "header={0!r}")
    LLM = ("--llm", 'llm="{0}"')
    NO_CACHE = ("--no-cache", "keep=False")
    NO_EMBEDDINGS = ("--no-embeddings", "embeddings=False")
    NULL = ("--null", "values=ValueOptions(null=frozenset({{{0!r}}}))")
    COLUMN_NULL = (
        "--null",
        "values=ValueOptions(columns={{{0!r}: ValueOptions(null=frozenset({{{1!r}}}))}})",
    )
    OVERWRITE = ("--replace", "overwrite=True")
    PICK = ("--pick", "pick={0}")
    RENAME = ("--rename", "rename={{{0!r}: {1!r}}}")
    REPLACE = ("--replace", 'mode="replace"')
    REPLACE_EXPORT = ("--replace", "replace=True")
    REPLACE_ALL = ("--replace-all", 'mode="replace-all"')
    SHEET = ("--sheet", "sheets=[{0!r}]")
    SKIP_BAD = ("--skip-bad", "skip_bad={0}")
    SKIP_END = ("--skip-end", "skip_end={0}")
    SOURCE = ("--source", "source={0}")
    SPLIT = ("--split", "split={{{0!r}: {1!r}}}")
    TIMEOUT = ("--timeout", "timeout={0}")
    TYPE = ("--type", "types={{{0!r}: {1!r}}}")

    def __str__(self) -> str:
        return self.with_value()

    def with_value(self, *value: str) -> str:
        """The option with its value, or with name and value of a pair."""
        return f"{_START}{_SEPARATOR.join((self.name, *value))}{_END}"

    def in_shell(self, *value: str) -> str:
        name: str = self.value[0]
        return f"{name} {quote('='.join(value))}" if value else name

    def in_python(self, *value: str) -> str:
        argument: str = self.value[1]
        if value:
            return argument.format(*value)
        name = _ARGUMENT.search(argument)
        return argument if name is None else name[1]

    def to_arguments(self, *value: str) -> LoadChange:
        """The argument of a load; empty for an option without a value, and for options of other calls."""
        if not value or value[-1] in _UNKNOWN:
            return {}
        if self in _COLUMN_FIELDS:
            return {_COLUMN_FIELDS[self]: {value[0]: value[1]}}
        if self not in _READING:
            return {}
        return {_FIELDS[self]: int(value[0]) if self is CallOption.SKIP_END else value[0]}

    def at_server(self, command: str, *value: str) -> str:
        """The field of a form or of JSON; for other options, the command that has them."""
        if self is CallOption.LLM or (self is CallOption.TIMEOUT and command == "mcp"):
            return f"tuqa {command} {self.in_shell(*value)}"
        field = _FIELDS.get(self)
        if field is not None:
            return "=".join((field, *value))
        if command == "serve" and self in _COLUMN_FIELDS:
            column = _COLUMN_FIELDS[self]
            if not value:
                return column
            return f"{column}={json.dumps({value[0]: value[1]}, ensure_ascii=False)}"
        return f"{'tuqa ask' if self in _ASKING else 'tuqa-load'} {self.in_shell(*value)}"


_FIELDS = {
    CallOption.APPEND: "mode=append",
    CallOption.DATASET: "dataset",
    CallOption.DELIMITER: "delimiter",
    CallOption.ENCODING: "encoding",
    CallOption.HEADER: "header",
    CallOption.HEADER_TEXT: "header",
    CallOption.PICK: "pick",
    CallOption.REPLACE: "mode=replace",
    CallOption.REPLACE_ALL: "mode=replace-all",
    CallOption.SKIP_END: "skip_end",
    CallOption.SOURCE: "source",
    CallOption.TIMEOUT: "timeout",
}  # of the forms and bodies of the server
_COLUMN_FIELDS = {
    CallOption.RENAME: "rename",
    CallOption.SPLIT: "split",
    CallOption.TYPE: "types",
}  # JSON objects by column
_READING = (
    CallOption.DELIMITER,
    CallOption.ENCODING,
    CallOption.HEADER,
    CallOption.HEADER_TEXT,
    CallOption.SKIP_END,
)
_UNKNOWN = ("N", "NAME", "WORD")  # a person has to say it
_ASKING = (CallOption.EVIDENCE, CallOption.NO_CACHE)


def name_option(name: str) -> str:
    """The option of a question that is called ``name`` in Python, ``--`` and its words in the shell."""
    return f"{_START}{name}{_END}"


_caller: Caller = "python"


@contextmanager
def use_words_of(caller: Caller) -> Iterator[None]:
    """Name options as ``caller`` knows them; as in Python is the default."""
    global _caller  # a process has one kind of caller
    before, _caller = _caller, caller
    try:
        yield
    finally:
        _caller = before


def render_options(text: str) -> str:
    """Replace the placeholders of options by the words of the caller."""
    return _PLACEHOLDER.sub(_render, text) if _START in text else text


def read_changes(text: str) -> list[LoadChange]:
    """The arguments for another load that the placeholders of a note name."""
    named = [match[1].split(_SEPARATOR) for match in _PLACEHOLDER.finditer(text)]
    changes = [
        CallOption[name].to_arguments(*value)
        for name, *value in named
        if name in CallOption.__members__
    ]
    return [change for change in changes if change]


def _render(placeholder: re.Match[str]) -> str:
    name, *value = placeholder[1].split(_SEPARATOR)
    if name not in CallOption.__members__:
        if not _NAME.fullmatch(placeholder[1]):
            return placeholder[0]  # of a file or a question
        flag = f"--{name.replace('_', '-')}"
        return {"python": name, "shell": flag}.get(_caller, f"tuqa ask {flag}")
    option = CallOption[name]
    if _caller == "python":
        return option.in_python(*value)
    if _caller == "shell":
        return option.in_shell(*value)
    return option.at_server(_caller, *value)
