"""Blocks as HTML for notebooks: no scripts, no colours of its own, everything escaped.

Text and lines take the colours of the page, dark or light. Names stand in ``bdi``, so that a name written
from right to left turns nothing around it; a class keeps MathJax away from dollar signs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from .blocks import Block, OutlineBlock, OutlineItem, TableBlock, TextBlock
from .terminal import escape_controls

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


def render_html(blocks: Iterable[Block], label: str = "answer") -> str:
    # One element, which can stand anywhere in a page.
    content = "\n".join(part for block in blocks for part in _block(block))
    return (
        f'<div class="tuqa tex2jax_ignore mathjax_ignore" role="group" aria-label="{label}">\n'
        f"<style>\n{_STYLE}</style>\n{content}\n</div>"
    )


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, TextBlock):
        yield from _text_block(block)
    elif isinstance(block, TableBlock):
        yield _table(block)
    else:
        items = "\n".join(map(_outline_item, block.items))
        summary = f"<summary>{_escape(block.title)}</summary>"
        yield f"<details>{summary}\n<ul>\n{items}\n</ul></details>"
    if not isinstance(block, OutlineBlock) and block.footer:
        yield f"<p>{_escape(block.footer)}</p>"


def _text_block(block: TextBlock) -> Iterator[str]:
    name = f"tuqa-{block.kind}"
    if block.title:
        yield f"<p>{_escape(block.title)}</p>"
    if block.kind == "problem":
        # A problem's second line shows the place in the query, with a caret below it.
        for line in block.lines:
            message, _, place = line.partition("\n")
            excerpt = f"<pre>{_escape(place)}</pre>" if place else ""
            yield f'<div class="{name}">{_bdi(message)}{excerpt}</div>'
    elif len(block.lines) == 1 or block.kind == "note":
        yield from (f'<p class="{name}">{_bdi(line)}</p>' for line in block.lines)
    else:
        items = "".join(f"<li>{_bdi(line)}</li>" for line in block.lines)
        yield f'<ul class="{name}">{items}</ul>'


def _table(block: TableBlock) -> str:
    caption = f"<caption>{_escape(block.title)}</caption>" if block.title else ""
    head = "".join(f'<th scope="col">{_bdi(column)}</th>' for column in block.columns)
    body = "\n".join(
        f"<tr>{''.join(f'<td>{_bdi(cell)}</td>' for cell in row)}</tr>" for row in block.rows
    )
    label = _escape(block.title or "table")
    # A region that scrolls can be reached with the keyboard, too.
    return (
        f'<div class="tuqa-scroll" role="group" tabindex="0" aria-label="{label}"><table>{caption}'
        f"<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>"
    )


def _outline_item(item: OutlineItem) -> str:
    details = "".join(f"<pre>{_escape(line)}</pre>" for line in item.details)
    output = f"<br>→ {_bdi(item.output)}" if item.output else ""
    return f"<li>{_bdi(item.label)}<br><code>{_bdi(item.input)}</code>{output}{details}</li>"


def _bdi(text: str) -> str:
    return f"<bdi>{_escape(text)}</bdi>"


def _escape(text: str) -> str:
    return escape(escape_controls(text))
