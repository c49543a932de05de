"""``table``: rows without the empty cells at their end are read where no cell can stand in a wrong column."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.tables import one

from trustuqa_neo4j.errors import MalformedLine
from trustuqa_neo4j.loading.formats import ReadOptions

NOTE = "a row shorter than the header, which is read with empty cells at its end"

SHIPS = (
    "ship,port,tons,remark\nAda,Kiel,120,\nBea,Bonn,95,old\nCleo,Kiel,130,sold\nDora,Kiel,70,new\n"
)
CAVES = "cave\tmap\tremark\n" + "".join(
    f"cave {name}\tnorth/{name}\t{remark}\n"
    for name, remark in zip("abcdef", ["", "wet", "dry", "deep", "old", "new"], strict=True)
)


def cells(line: str) -> list[str]:
    return line.split("\t" if "\t" in line else ",")


@pytest.mark.parametrize(
    ("table", "line", "padded"),
    [
        pytest.param(SHIPS, "Eva,Ulm,80", ["Eva", "Ulm", "80", ""], id="a number above texts"),
        pytest.param(SHIPS, "Eva,Kiel,NA", ["Eva", "Kiel", "NA", ""], id="no value in the last cell"),
        pytest.param(
            SHIPS + "Fay,Kiel,,\n", "Eva,Kiel", ["Eva", "Kiel", "", ""], id="a word that recurs"
        ),
        pytest.param(SHIPS, "Eva,,80", ["Eva", "", "80", ""], id="an empty cell in the middle"),
        pytest.param(CAVES, "cave z\tsouth/z", ["cave z", "south/z", ""], id="a sign of its column"),
        pytest.param(SHIPS, "Eva,80", None, id="a lost cell in the middle"),
        pytest.param(SHIPS, "Ulm,80,old", None, id="a lost first cell"),
        pytest.param(SHIPS, "Eva,Ulm", None, id="a text that may be the remark"),
        pytest.param(SHIPS, "Eva,old", None, id="a word of another column"),
        pytest.param(SHIPS, "Eva", None, id="one cell"),
        pytest.param(SHIPS, "Eva,Kiel80", None, id="a lost delimiter after a word that recurs"),
        pytest.param(
            "port,ship,tons\nKiel,Ada,1\nKiel,Bea,2\nKiel,Cleo,3\nKiel,Dora,\n", "Kiel,Eva4", None,
            id="a lost delimiter after a name",
        ),
        pytest.param(
            "ship,port,tons\nAda,Kiel,1\nBea,Ulm,2\nCleo,Kiel,3\nDora,Ulm,4\n", "Eva,Kiel", None,
            id="a column that is never empty",
        ),
        pytest.param(SHIPS, "Well, sold,80", None, id="a comma of a sentence"),
        pytest.param(CAVES, "cave z\tlong", None, id="a lost cell among texts"),
        pytest.param(CAVES, "cave z\tno remark/map", ["cave z", "no remark/map", ""], id="a sign"),
        pytest.param(
            CAVES + "cave y\twest/y\ta/b\n", "cave z\tno remark/map", None, id="a sign of two columns"
        ),
        pytest.param(
            "id,height,width\n1,2,3\n2,3,4\n3,4,5\n", "4,5", None, id="numbers in all columns"
        ),
        pytest.param(
            "name,born,died\nIda,1900-01-02,1950-01-02\nOle,1901-02-03,\nUwe,1902-03-04,1960-01-01\n"
            "Eva,1903-04-05,1970-05-05\n",
            "Kai,1980-01-01", None, id="dates in two columns",
        ),
        pytest.param("a,b,c\nx,1,y\nz,2,w\n", "v,3", None, id="too few rows to compare with"),
    ],
)  # fmt: skip
def test_a_short_row(tmp_path: Path, table: str, line: str, padded: list[str] | None) -> None:
    for content in (table + line + "\n", _with_line_before_rows(table, line)):
        options = ReadOptions()
        if padded is None:
            with pytest.raises(MalformedLine, match=rf"{len(cells(line))} cells? in this row, but"):
                one(tmp_path / "t", content, options)
            assert not options.remarks
            continue
        source = one(tmp_path / "t", content, options)
        assert padded in source.rows
        assert [row for row in source.rows if row != padded] == [
            *map(cells, table.splitlines()[1:])
        ]
        number = content.splitlines().index(line) + 1
        assert {note: remark.places for note, remark in options.remarks.items()} == {
            NOTE: [f"t:{number}"]
        }


def _with_line_before_rows(table: str, line: str) -> str:
    header, *rows = table.splitlines()
    return "\n".join([header, line, *rows]) + "\n"


def test_one_note_counts_the_short_rows(tmp_path: Path) -> None:
    options = ReadOptions()
    one(tmp_path / "t", SHIPS + "Eva,Kiel,80\n" * 200, options)
    assert {note: remark.times for note, remark in options.remarks.items()} == {NOTE: 200}


def test_rows_long_after_the_first_ones_are_evidence(tmp_path: Path) -> None:
    short = "".join(f"ship {n},Kiel,{n}\n" for n in range(100))
    header, _, rows = SHIPS.partition("\n")
    assert len(one(tmp_path / "t", f"{header}\n{short}{rows}").rows) == 104


def test_a_line_that_the_file_ends_in_may_be_cut_off(tmp_path: Path) -> None:
    with pytest.raises(MalformedLine, match="3 cells in this row, but the header has 4"):
        one(tmp_path / "t", f"{SHIPS}Eva,Kiel,8")
    assert len(one(tmp_path / "t", f"{SHIPS}Eva,Kiel,80,").rows) == 5


def test_a_row_beside_a_malformed_line_is_malformed(tmp_path: Path) -> None:
    # A line break in a cell without quotes makes two short lines of one.
    halves = "Eva,Kiel,80\nthe remark goes on here\n"
    options = ReadOptions(skip_bad=2)
    source = one(tmp_path / "t", f"{SHIPS}{halves}Fay,Bonn,81,\nGil,Kiel,82\n", options)
    assert [error.where for error in options.bad] == ["t:6", "t:7"]
    assert [row[0] for row in source.rows[4:]] == ["Fay", "Gil"]


def test_longer_rows_stay_malformed(tmp_path: Path) -> None:
    with pytest.raises(MalformedLine, match="5 cells in this row, but the header has 4"):
        one(tmp_path / "t", f"{SHIPS}Eva,Kiel,80,old,new\n")
    assert one(tmp_path / "t", f"{SHIPS}Eva,Kiel,80,old,\n").rows[-1] == [
        "Eva",
        "Kiel",
        "80",
        "old",
    ]
