"""Blocks as HTML for notebooks: no scripts, no colours of its own, everything escaped.

Text and lines take the colours of the page, so that it reads on dark pages as on light ones. Names stand
in ``bdi``, so that one written from right to left turns nothing around it; MathJax is told to leave the
dollars alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from .blocks import Block, Grid, Item, Lines, Outline
from .plain import plain

_STYLE = """\
.tuqa{line-height:1.4;max-width:80em}
.tuqa p,.tuqa ul{margin:.2em 0}
.tuqa bdi,.tuqa pre{white-space:pre-wrap;overflow-wrap:anywhere}
.tuqa .tuqa-question{font-style:italic}
.tuqa .tuqa-answer{font-weight:bold;font-size:1.1em}
.tuqa .tuqa-problem{border-inline-start:3px solid;padding-inline-start:.6em}
.tuqa .tuqa-scroll{overflow-x:auto;margin:.5em 0}
.tuqa table{border-collapse:collapse;margin:0}
.tuqa caption{text-align:start;caption-side:top;padding:.2em 0;color:inherit}
.tuqa th,.tuqa td{text-align:start;vertical-align:top;padding:.2em .7em;\
border-bottom:1px solid rgba(128,128,128,.4)}
.tuqa tbody tr{background:none}
.tuqa summary{cursor:pointer}
.tuqa pre,.tuqa code{background:none;color:inherit;font-size:.9em}
.tuqa pre{margin:.2em 0}
.tuqa details ul{list-style:none;padding-inline-start:1.2em}
.tuqa td bdi,.tuqa th bdi{display:inline-block;max-width:30em;overflow-wrap:break-word}
"""


def page(blocks: Iterable[Block]) -> str:
    """``blocks`` as one element, which can stand anywhere in a page."""
    inner = "\n".join(part for block in blocks for part in _parts(block))
    return (
        '<div class="tuqa tex2jax_ignore mathjax_ignore" role="group" aria-label="answer">\n'
        f"<style>\n{_STYLE}</style>\n{inner}\n</div>"
    )


def _parts(block: Block) -> Iterator[str]:
    if isinstance(block, Lines):
        yield from _lines(block)
    elif isinstance(block, Grid):
        yield from _grid(block)
    else:
        yield from _outline(block)


def _lines(block: Lines) -> Iterator[str]:
    name = f"tuqa-{block.kind}"
    if block.title:
        yield f"<p>{_text(block.title)}</p>"
    if block.kind == "problem":
        # A problem's second line shows the place in the query, with a caret below it.
        for line in block.lines:
            said, _, place = line.partition("\n")
            shown = f"<pre>{_text(place)}</pre>" if place else ""
            yield f'<div class="{name}">{_bdi(said)}{shown}</div>'
    elif len(block.lines) == 1 or block.kind == "note":
        yield from (f'<p class="{name}">{_bdi(line)}</p>' for line in block.lines)
    else:
        items = "".join(f"<li>{_bdi(line)}</li>" for line in block.lines)
        yield f'<ul class="{name}">{items}</ul>'
    if block.more:
        yield f"<p>{_text(block.more)}</p>"


def _grid(block: Grid) -> Iterator[str]:
    caption = f"<caption>{_text(block.title)}</caption>" if block.title else ""
    head = "".join(f'<th scope="col">{_bdi(column)}</th>' for column in block.columns)
    body = "\n".join(
        f"<tr>{''.join(f'<td>{_bdi(cell)}</td>' for cell in row)}</tr>" for row in block.rows
    )
    label = _text(block.title or "table")
    # A region that scrolls is reached with the keyboard, too.
    yield (
        f'<div class="tuqa-scroll" role="group" tabindex="0" aria-label="{label}"><table>{caption}'
        f"<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>"
    )
    if block.more:
        yield f"<p>{_text(block.more)}</p>"


def _outline(block: Outline) -> Iterator[str]:
    items = "\n".join(map(_item, block.items))
    yield f"<details><summary>{_text(block.title)}</summary>\n<ul>\n{items}\n</ul></details>"


def _item(item: Item) -> str:
    details = "".join(f"<pre>{_text(line)}</pre>" for line in item.details)
    found = f"<br>→ {_bdi(item.found)}" if item.found else ""
    return f"<li>{_bdi(item.label)}<br><code>{_bdi(item.given)}</code>{found}{details}</li>"


def _bdi(text: str) -> str:
    return f"<bdi>{_text(text)}</bdi>"


def _text(text: str) -> str:
    return escape(plain(text))
