"""``OptionRow``: a row of a table of options, which are the fields of a dataclass.

The keywords of Python, the options of the shell, the fields of HTTP, the arguments of agents and the settings
are made from the rows, so all of them have the same range and the same help.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from numbers import Integral, Real
from typing import Any

from .errors import UsageError

QUESTION, MODEL, LIMITS, PROMPT, OUTPUT = GROUPS = (
    "Question options", "Model options", "Limits", "Prompt options", "Output options",
)  # fmt: skip
"""Sections of the help in the shell."""


@dataclass(frozen=True, slots=True)
class Kind:
    """The allowed values of an option: their type and range, and the same in words.

    ``type`` None allows all. ``above`` is a minimum that is not allowed itself. ``parse`` reads a text of the
    environment and raises ValueError.
    """

    words: str
    type: Any = None
    least: float | None = None
    most: float | None = None
    above: float | None = None
    choices: tuple[str, ...] = ()
    parse: Callable[[str], Any] = str

    def accepts(self, value: Any) -> bool:
        if self.type is None:
            return True
        if not isinstance(value, self.type) or isinstance(value, bool) != (self.type is bool):
            return False
        if self.type in (Integral, Real):
            return (
                (self.type is Integral or math.isfinite(value))
                and (self.least is None or value >= self.least)
                and (self.most is None or value <= self.most)
                and (self.above is None or value > self.above)
            )
        if self.type is str:
            return value in self.choices if self.choices else bool(value.strip())
        return self is not NAMES or all(isinstance(name, str) for name in value)


def whole(least: int | None = None, most: int | None = None) -> Kind:
    return Kind(f"a whole number{_range(least, most)}", Integral, least, most, parse=int)


def number(
    least: float | None = None, most: float | None = None, *, above: float | None = None
) -> Kind:
    text = f", more than {above:g}" if above is not None else _range(least, most)
    return Kind(f"a number{text}", Real, least, most, above, parse=float)


def _range(least: float | None, most: float | None) -> str:
    if most is not None:
        return f" from {least:g} to {most:g}"
    return "" if least is None else f", at least {least:g}"


def choice(*words: str) -> Kind:
    return Kind(" or ".join(map(repr, words)), str, choices=words)


SWITCH = Kind("True or False", bool)
TEXT = Kind("a text that is not empty", str)
NAMES = Kind("a list of names", Sequence)
OBJECT = Kind('a JSON object, as {"top_k": 20}', Mapping, parse=json.loads)
ANYTHING = Kind("a value")
PAST = Kind("an answer, what its to_dict() returned, or a list of these", object)

_JSON_TYPES: Mapping[Any, Any] = {
    Integral: int, Real: float, str: str, bool: bool, Sequence: list[str], Mapping: dict[str, str],
    object: dict[str, Any] | list[dict[str, Any]],
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionRow:
    """A row of the table.

    ``shell`` is the option in the shell as its usage shows it: ``--votes N``, ``--reader on|off``,
    ``--no-cache`` for a switch that is on by default; without one, the shell does not have it. ``note``
    follows the help there, and ``off`` replaces the help of an option that switches off. ``http`` are further
    limits of the field of HTTP; None: there is no such field.
    """

    kind: Kind
    default: Any
    help: str
    group: str
    shell: str = ""
    note: str = ""
    off: str = ""
    http: Mapping[str, Any] | None = None

    def check(self, name: str, value: Any) -> None:
        """Refuse a value without a meaning.

        Raises:
            UsageError
        """
        if self.kind.accepts(value):
            return
        default = "" if self.default in (None, (), {}) else f" for the default, {self.default!r}"
        raise UsageError(
            f"{name}={value!r} is not {self.kind.words}", hint=f"leave {name} out{default}"
        )

    @property
    def json_type(self) -> Any:
        kind = _JSON_TYPES[self.kind.type]
        return kind | None if self.schema["default"] is None else kind

    @property
    def schema(self) -> dict[str, Any]:
        """Default, description and range, as pydantic's ``Field`` takes them."""
        limits = {"ge": self.kind.least, "le": self.kind.most, "gt": self.kind.above}
        ranges = {name: limit for name, limit in limits.items() if limit is not None}
        return {
            "default": self.default, "description": self.help, **ranges, **(self.http or {})
        }  # fmt: skip


def option(
    default: Any,
    kind: Kind,
    group: str,
    shell: str,
    help: str,  # noqa: A002 # as click calls it
    *,
    note: str = "",
    off: str = "",
    http: Mapping[str, Any] | None = None,
) -> Any:
    """Make a field of a dataclass that is a row."""
    row = OptionRow(
        kind=kind, default=default, help=help, group=group, shell=shell, note=note, off=off, http=http
    )  # fmt: skip
    if isinstance(default, dict):
        return field(default_factory=default.copy, metadata={"option": row})
    return field(default=default, metadata={"option": row})


def list_options(table: type) -> dict[str, OptionRow]:
    """The rows of a dataclass by name."""
    return {f.name: f.metadata["option"] for f in fields(table) if "option" in f.metadata}
