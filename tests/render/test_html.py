"""Blocks as HTML: well formed, escaped, without scripts, and for every reader."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

import pytest
from support.answers import ODD

from trustuqa_neo4j.render.blocks import Block, OutlineBlock, OutlineItem, TableBlock, TextBlock
from trustuqa_neo4j.render.html import render_html
from trustuqa_neo4j.render.terminal import escape_controls


@dataclass
class Seen(HTMLParser):
    """Tags with their attributes, and the text that is in them; closing tags must match."""

    tags: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text.append(data)


def seen(*blocks: Block) -> Seen:
    found = Seen()
    found.feed(render_html(blocks))
    found.close()
    assert found.open == []
    return found


def every(odd: str) -> tuple[Block, ...]:
    return (
        TextBlock("question", (odd,)),
        TextBlock("answer", (odd, odd), title=odd, footer=odd),
        TextBlock("problem", (f"{odd}\n{odd}",)),
        TextBlock("hint", (odd,), title=odd),
        TableBlock((odd, "b"), ((odd, odd),), title=odd, footer=odd),
        OutlineBlock(odd, (OutlineItem(odd, odd, odd, (odd,)),)),
    )


@pytest.mark.parametrize("odd", [*filter(None, ODD)])
def test_data_is_text_wherever_it_stands(odd: str) -> None:
    found, harmless = seen(*every(odd)), seen(*every("harmless"))
    assert [tag for tag, _ in found.tags] == [tag for tag, _ in harmless.tags]
    assert [set(attrs) for _, attrs in found.tags] == [set(attrs) for _, attrs in harmless.tags]
    if "\n" not in escape_controls(odd):
        assert "".join(found.text).count(escape_controls(odd)) == "".join(harmless.text).count(
            "harmless"
        )
    render_html(every(odd)).encode()


def test_only_tags_that_do_nothing() -> None:
    allowed = {
        "div", "style", "p", "ul", "li", "bdi", "pre", "code", "br", "table", "caption",
        "thead", "tbody", "tr", "th", "td", "details", "summary",
    }  # fmt: skip
    found = seen(*every("x"))
    assert {tag for tag, _ in found.tags} <= allowed
    names = {name for _, attrs in found.tags for name in attrs}
    assert names <= {"class", "role", "aria-label", "scope", "tabindex"}
    assert "url(" not in render_html(every("x"))


def test_tables_say_what_they_are() -> None:
    found = seen(TableBlock(("from", "to"), (("a", "b"),), title="facts", has_header=False))
    assert [attrs for tag, attrs in found.tags if tag == "th"] == [{"scope": "col"}] * 2
    assert "caption" in [tag for tag, _ in found.tags]
    scrolls = next(attrs for _, attrs in found.tags if attrs.get("class") == "tuqa-scroll")
    assert (scrolls["tabindex"], scrolls["aria-label"]) == ("0", "facts")


def test_it_has_no_colours_of_its_own() -> None:
    """So it reads in dark and in light; grey lines are seen on both."""
    style = render_html([]).partition("<style>")[2].partition("</style>")[0]
    colours = style.replace("rgba(128,128,128,.4)", "").replace("color:inherit", "")
    assert "#" not in colours
    assert "rgb" not in colours
    assert "color:" not in colours


def test_steps_are_folded_away() -> None:
    found = seen(OutlineBlock("steps", (OutlineItem("1", "search()", "2 nodes"),)))
    tags = [tag for tag, _ in found.tags]
    assert tags[tags.index("details") : tags.index("details") + 2] == ["details", "summary"]
    assert "open" not in next(attrs for tag, attrs in found.tags if tag == "details")
