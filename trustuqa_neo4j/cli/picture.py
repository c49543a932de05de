"""``--picture`` and ``--tree``: the way from facts to the answer, as a file or in the terminal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from ..answer import Answer, PictureFormat
from ..errors import format_list
from ..questions.options import OPTIONS
from ..render.evidence_graph import MAX_FACTS
from .output import write_file
from .question_options import table_option

F = TypeVar("F", bound=Callable[..., Any])

_FORMATS: dict[str, PictureFormat] = {".svg": "svg", ".mmd": "mermaid", ".dot": "dot"}


def _check_suffix(_: click.Context, __: click.Parameter, value: Path | None) -> Path | None:
    if value is not None and value.suffix.lower() not in _FORMATS:
        allowed = format_list(list(_FORMATS), len(_FORMATS), conjunction="or")
        raise click.BadParameter(f"{value.name!r} does not end in {allowed}")
    return value


def picture_options(command: F) -> F:
    """Add the options that show or draw facts."""
    default = f"default: {OPTIONS['evidence'].default}; {MAX_FACTS} with --picture"
    evidence = table_option(
        "evidence", default=None, show_default=False, help=f"Number of facts to show.  [{default}]"
    )
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
    return evidence(picture(tree(command)))


def limit_facts(evidence: int | None, picture: Path | None) -> dict[str, int]:
    """Return the option that sets how many facts an answer has; none for the default."""
    if evidence is None and picture is None:
        return {}
    return {"evidence": MAX_FACTS if evidence is None else evidence}


def write_picture(answer: Answer, path: Path | None) -> None:
    if path is not None:
        text = answer.picture(format=_FORMATS[path.suffix.lower()])
        write_file(path, text.encode("utf-8"))
