"""``--picture`` and ``--tree``: the way from facts to the answer, as a file or in the terminal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from ..answer import Answer, PictureFormat
from ..errors import format_list
from .output import write_file

F = TypeVar("F", bound=Callable[..., Any])

_FORMATS: dict[str, PictureFormat] = {".svg": "svg", ".mmd": "mermaid", ".dot": "dot"}


def _check_suffix(_: click.Context, __: click.Parameter, value: Path | None) -> Path | None:
    if value is not None and value.suffix.lower() not in _FORMATS:
        allowed = format_list(list(_FORMATS), len(_FORMATS), conjunction="or")
        raise click.BadParameter(f"{value.name!r} does not end in {allowed}")
    return value


def picture_options(command: F) -> F:
    picture = click.option(
        "--picture",
        type=click.Path(path_type=Path, dir_okay=False),
        callback=_check_suffix,
        help="Draw steps, facts and answer into a file: .svg, .mmd (Mermaid) or .dot (Graphviz).",
        metavar="FILE",
    )
    tree = click.option(
        "--tree", is_flag=True, help="Show below each value the facts it came from."
    )
    return picture(tree(command))


def write_picture(answer: Answer, path: Path | None) -> None:
    if path is not None:
        text = answer.picture(format=_FORMATS[path.suffix.lower()])
        write_file(path, text.encode("utf-8"))
