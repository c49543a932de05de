"""Tables and JSON on stdout."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from ..showing import terminal

if TYPE_CHECKING:
    from rich.console import RenderableType


def draw(what: RenderableType) -> None:
    """Draw on stdout, as wide as it needs to be where that is no terminal."""
    click.echo(terminal.text(what, terminal=sys.stdout.isatty()))


def json_of(value: Any, indent: int | None = None) -> str:
    """``value`` as JSON, with escapes only where stdout cannot say its characters."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return json.dumps(value, indent=indent)
    return text
