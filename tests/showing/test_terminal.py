"""Blocks as text, in terminals wide and narrow."""

from __future__ import annotations

import pytest
from answers import ODD
from rich.cells import cell_len
from rich.console import Console

from trustuqa_neo4j.showing.blocks import Block, Grid, Item, Lines, Outline
from trustuqa_neo4j.showing.terminal import renderable, text

FACTS = Grid(
    ("from", "relation", "to", "where"),
    (
        ("Ada", "bakes", "rye bread with caraway", "town, bakers.csv:3"),
        ("Bo", "bakes", "rye [1999 – …]", "town, bakers.csv:4"),
    ),
    title="facts",
    headed=False,
)
WIDE = Grid(
    tuple(f"column {n}" for n in range(8)), (tuple("abcdefgh"), tuple("ijklmnop")), more="… 3 more"
)


def drawn(*blocks: Block, width: int = 80) -> list[str]:
    console = Console(width=width, color_system=None)
    with console.capture() as capture:
        console.print(renderable(blocks), crop=False)
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
    grid = Grid(("a", "b"), (("x" * 100, "y z " * 40),))
    lines = drawn(grid, width=width)
    assert max(map(cell_len, lines)) <= width
    assert "".join(lines).count("x") == 100
    assert "".join(lines).count("y") == 40


def test_values_are_never_folded() -> None:
    """What is copied from a terminal is the whole value."""
    long = "word " * 50 + "end"
    assert drawn(Lines("answer", (long,)), width=40) == [long]
    assert drawn(Lines("answer", ("two\nlines", "one")), width=40) == ["two", "  lines", "one"]


def test_everything_else_fits() -> None:
    blocks = (
        Lines("note", ("a note of some length " * 5,)),
        Lines("hint", ("who bakes what and where and why " * 3,), title="could be asked:"),
        Outline("steps", (Item("1  Find", "search('a', 'b')" * 9, "2 nodes " * 20, ("x" * 300,)),)),
        FACTS,
    )
    assert max(map(cell_len, drawn(*blocks, width=40))) <= 40


def test_outlines() -> None:
    item = Item("1  Find", "search()", "2 nodes", ("search.cypher {}",))
    assert drawn(Outline("steps", (item, Item("2", "count()", "")))) == [
        "", "steps", "  1  Find", "    search()", "    → 2 nodes", "    search.cypher {}",
        "  2", "    count()",
    ]  # fmt: skip
    assert drawn(Outline("stages", (item,), spaced=True)) == [
        "", "1  Find", "  search()", "  → 2 nodes", "  search.cypher {}",
    ]  # fmt: skip


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("width", [40, 200])
def test_data_steers_nothing(odd: str, width: int) -> None:
    blocks = (
        Lines("answer", (odd,), title=odd, more=odd),
        Lines("note", (odd,)),
        Grid((odd, "b"), ((odd, odd),), title=odd, more=odd),
        Grid((odd, "b"), ((odd, odd),), headed=False),
        Outline(odd, (Item(odd, odd, odd, (odd,)),)),
    )
    for said in ("\n".join(drawn(*blocks, width=width)), text(renderable(blocks))):
        assert not set("\x1b\x07\x9b\x7f\0\r\u202e\u2066\u2028\ud800") & set(said)
        assert "😄" not in said
        if odd.startswith("["):
            assert said.count("[/red]") == 16


def test_text_has_no_styles_and_no_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "20")
    said = text(renderable([Lines("answer", ("x" * 500,)), FACTS]))
    assert said.split("\n")[0] == "x" * 500
    assert "  Ada  bakes  rye bread with caraway  town, bakers.csv:3" in said
    assert "\x1b" not in said


def test_nothing_is_nothing() -> None:
    assert text(renderable([])) == ""
    assert drawn(Grid(("a", "b"), ()))[0].split() == ["a", "b"]
