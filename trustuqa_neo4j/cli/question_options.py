"""Options of commands that are made from the table of a question's options, and sections of the help."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import click

from ..option import GROUPS, LIMITS, NAMES, OBJECT, OUTPUT, PROMPT, QUESTION, SWITCH, OptionRow
from ..questions.options import OPTIONS

if TYPE_CHECKING:
    from ..questions.options import AskOptions

F = TypeVar("F", bound=Callable[..., Any])
Decorator: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]

_OTHER = "Other options"
_SECTIONS = {
    **dict.fromkeys(("question", "dataset", "file"), QUESTION),
    "at_once": LIMITS,
    "show_prompt": PROMPT,
    **dict.fromkeys(
        ("sentence", "why", "explain", "picture", "chart", "tree", "as_json", "as_csv", "quiet"),
        OUTPUT,
    ),
    **dict.fromkeys(("uri", "username", "database", "_click_default_help"), _OTHER),
}
"""Sections of options that are not in the table."""


class TableOption(click.Option):
    """An option that is a row of the table; its value is that of the client."""


class JsonObject(click.ParamType[Mapping[str, Any]]):
    name = "JSON"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Mapping[str, Any]:
        try:
            content = json.loads(value)
        except (ValueError, RecursionError):
            content = None
        if not isinstance(content, dict):
            self.fail(f"{value!r} is not {OBJECT.words}", param, ctx)
        return content


# Options that several commands have.

asked_datasets: Decorator = click.option(
    "--dataset", multiple=True, metavar="NAME",
    help="Dataset to query.  [default: selected by the question]",
)  # fmt: skip
agent_folder: Decorator = click.option(
    "--agent-loads", metavar="FOLDER", help="Let agents load the files in this folder.",
    type=click.Path(exists=True, file_okay=False, resolve_path=True, path_type=Path),
)  # fmt: skip
parallel_queries: Decorator = click.option(
    "--workers", type=click.IntRange(1, 64), default=2, show_default=True,
    help="Number of queries run in parallel.",
)  # fmt: skip


def table_option(name: str, **changes: Any) -> Callable[[F], F]:
    """The row ``name`` as an option of a command; ``changes`` replace what it says."""
    row = OPTIONS[name]
    flag, _, value = row.shell.partition(" ")
    arguments: dict[str, Any] = {
        "default": row.default,
        "show_default": row.default not in (None, ()),
        "help": f"{row.help}  [{row.note}]" if row.note else row.help,
        **(_switch(row, value) if row.kind is SWITCH else {"type": _type(row)}),
    }
    if row.kind is NAMES:
        arguments["multiple"] = True
    if value and "|" not in value:
        arguments["metavar"] = value
    return click.option(flag, name, cls=TableOption, **{**arguments, **changes})


def _switch(row: OptionRow, value: str) -> dict[str, Any]:
    if value == "on|off":
        default, is_on = "on" if row.default else "off", lambda _, __, text: text == "on"
        return {"type": click.Choice(["on", "off"]), "default": default, "callback": is_on}
    if value:
        is_given = lambda _, __, text: text is not None  # noqa: E731
        return {
            "type": click.Choice([value]), "default": None, "show_default": False, "callback": is_given,
        }  # fmt: skip
    flag = {"is_flag": True, "default": False, "show_default": False}
    is_on = lambda _, __, is_off: not is_off  # noqa: E731
    return {**flag, "help": row.off, "callback": is_on} if row.off else flag


def _type(row: OptionRow) -> Any:
    kind = row.kind
    if kind.choices:
        return click.Choice(kind.choices)
    if kind.type is Integral:
        is_bounded = (kind.least, kind.most) != (None, None)
        return click.IntRange(kind.least, kind.most) if is_bounded else int  # type: ignore[arg-type]
    if kind.type is Real:
        least = kind.least if kind.above is None else kind.above
        return click.FloatRange(least, kind.most, min_open=kind.above is not None)
    return JsonObject() if kind is OBJECT else None


def question_options(*groups: str, but: tuple[str, ...] = ()) -> Callable[[F], F]:
    """All rows of ``groups`` that the shell has, ``but`` some."""

    def add_options(command: F) -> F:
        for name, row in reversed([*OPTIONS.items()]):
            if row.shell and row.group in groups and name not in but:
                command = table_option(name)(command)
        return command

    return add_options


def read_question_options(options: Mapping[str, Any]) -> AskOptions:
    """The values of the running command's options that are rows."""
    parameters = click.get_current_context().command.params
    names = [str(p.name) for p in parameters if isinstance(p, TableOption)]
    return cast("AskOptions", {name: options[name] for name in names})


class SectionedCommand(click.Command):
    """Writes its options in sections, in the order of the groups."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        records: dict[str, list[tuple[str, str]]] = {
            name: [] for name in ("Options", *GROUPS, _OTHER)
        }
        for parameter in self.get_params(ctx):
            if (record := parameter.get_help_record(ctx)) is not None:
                name = str(parameter.name)
                is_row = isinstance(parameter, TableOption)
                group = OPTIONS[name].group if is_row else _SECTIONS.get(name, "Options")
                records[group].append(record)
        for group, lines in records.items():
            if lines:
                with formatter.section(group):
                    formatter.write_dl(lines)
