"""Blocks as text, in terminals wide and narrow."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from rich.console import Console
from support.answers import ODD

from trustuqa_neo4j.render.blocks import Block, OutlineBlock, OutlineItem, TableBlock, TextBlock
from trustuqa_neo4j.render.terminal import escape_controls, render_blocks, render_text, shorten_line

FACTS = TableBlock(
    ("from", "relation", "to", "where"),
    (
        ("Ada", "bakes", "rye bread with caraway", "town, bakers.csv:3"),
        ("Bo", "bakes", "rye [1999 – …]", "town, bakers.csv:4"),
    ),
    title="facts",
    has_header=False,
)
WIDE = TableBlock(
    tuple(f"column {n}" for n in range(8)),
    (tuple("abcdefgh"), tuple("ijklmnop")),
    footer="… 3 more",
)


def drawn(*blocks: Block, width: int = 80) -> list[str]:
    console = Console(width=width, color_system=None)
    with console.capture() as capture:
        console.print(render_blocks(blocks), crop=False)
    return [line.rstrip() for line in capture.get().splitlines()]


def test_facts_are_a_table() -> None:
    assert drawn(FACTS) == [
        "",
        "facts",
        "  Ada  bakes  rye bread with caraway  town, bakers.csv:3",
        "  Bo   bakes  rye [1999 – …]          town, bakers.csv:4",
    ]


def test_facts_in_a_narrow_terminal_are_sentences() -> None:
    assert drawn(FACTS, width=40) == [
        "",
        "facts",
        "  Ada · bakes · rye bread with caraway",
        "    town, bakers.csv:3",
        "  Bo · bakes · rye [1999 – …]",
        "    town, bakers.csv:4",
    ]


def test_a_table_too_wide_is_a_list_of_its_rows() -> None:
    assert drawn(WIDE, width=100)[0].split("  ")[:2] == ["column 0", "column 1"]
    narrow = drawn(WIDE, width=40)
    assert narrow[:2] == ["column 0: a", "column 1: b"]
    assert narrow[7:10] == ["column 7: h", "", "column 0: i"]
    assert narrow[-1] == "… 3 more"


@pytest.mark.parametrize("width", [40, 60, 80])
def test_columns_with_room_fold_their_cells(width: int) -> None:
    grid = TableBlock(("a", "b"), (("x" * 100, "y z " * 40),))
    lines = drawn(grid, width=width)
    assert max(map(cell_len, lines)) <= width
    assert "".join(lines).count("x") == 100
    assert "".join(lines).count("y") == 40


def test_values_are_never_folded() -> None:
    """What is copied from a terminal is the whole value."""
    long = "word " * 50 + "end"
    assert drawn(TextBlock("answer", (long,)), width=40) == [long]
    assert drawn(TextBlock("answer", ("two\nlines", "one")), width=40) == ["two", "  lines", "one"]


def test_everything_else_fits() -> None:
    blocks = (
        TextBlock("note", ("a note of some length " * 5,)),
        TextBlock("hint", ("who bakes what and where and why " * 3,), title="could be asked:"),
        OutlineBlock(
            "steps",
            (OutlineItem("1  Find", "search('a', 'b')" * 9, "2 nodes " * 20, ("x" * 300,)),),
        ),
        FACTS,
    )
    assert max(map(cell_len, drawn(*blocks, width=40))) <= 40


def test_outlines() -> None:
    item = OutlineItem("1  Find", "search()", "2 nodes", ("search.cypher {}",))
    assert drawn(OutlineBlock("steps", (item, OutlineItem("2", "count()", "")))) == [
        "", "steps", "  1  Find", "    search()", "    → 2 nodes", "    search.cypher {}",
        "  2", "    count()",
    ]  # fmt: skip
    assert drawn(OutlineBlock("stages", (item,), is_spaced=True)) == [
        "", "1  Find", "  search()", "  → 2 nodes", "  search.cypher {}",
    ]  # fmt: skip


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("width", [40, 200])
def test_data_steers_nothing(odd: str, width: int) -> None:
    blocks = (
        TextBlock("answer", (odd,), title=odd, footer=odd),
        TextBlock("note", (odd,)),
        TableBlock((odd, "b"), ((odd, odd),), title=odd, footer=odd),
        TableBlock((odd, "b"), ((odd, odd),), has_header=False),
        OutlineBlock(odd, (OutlineItem(odd, odd, odd, (odd,)),)),
    )
    for said in ("\n".join(drawn(*blocks, width=width)), render_text(render_blocks(blocks))):
        assert not set("\x1b\x07\x9b\x7f\0\r\u202e\u2066\u2028\ud800") & set(said)
        assert "😄" not in said
        if odd.startswith("["):
            assert said.count("[/red]") == 16


def test_text_has_no_styles_and_no_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "20")
    said = render_text(render_blocks([TextBlock("answer", ("x" * 500,)), FACTS]))
    assert said.split("\n")[0] == "x" * 500
    assert "  Ada  bakes  rye bread with caraway  town, bakers.csv:3" in said
    assert "\x1b" not in said


def test_nothing_is_nothing() -> None:
    assert render_text(render_blocks([])) == ""
    assert drawn(TableBlock(("a", "b"), ()))[0].split() == ["a", "b"]


# Text from the data that steers nothing.


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Ada", "Ada"),
        ("\x1b[31mred\x07", "␛[31mred␇"),
        ("\x7f\x9b\x00", "␡�␀"),
        ("a\r\nb\rc\nd\te", "a\nb␍c\nd\te"),
        ("a\u2028b\u2029c", "a\nb\nc"),
        ("\u202egnp.exe", "�gnp.exe"),
        ("\u2066a\u2069", "�a�"),
        ("שלום\u200f!", "שלום\u200f!"),
        ("👩‍🚀", "👩‍🚀"),
        ("\ud800", "�"),
        ("pay\u200bpal\u00ad\ufeff\u2060", "pay�pal���"),
        ("a\u200db\u200ec\ufe0f", "a�b�c�"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("क्\u200dष", "क्\u200dष"),
        ("❤\ufe0f 1\ufe0f\u20e3", "❤\ufe0f 1\ufe0f\u20e3"),
        ("\U0001f3f4\U000e0067\U000e0062\U000e007f", "\U0001f3f4\U000e0067\U000e0062\U000e007f"),
        ("a\U000e0067", "a�"),
    ],
)
def test_what_is_shown(name: str, shown: str) -> None:
    assert escape_controls(name) == shown
    assert escape_controls(shown) == shown


def test_one_line_of_many() -> None:
    assert shorten_line("a\n  b\tc", 10) == "a b c"
    assert shorten_line("x" * 10, 10) == "x" * 10
    assert shorten_line("x" * 11, 10) == "x" * 9 + "…"
    assert shorten_line("x " * 10**6, 10) == "x x x x x…"
