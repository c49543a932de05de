"""``table``: two lines of a header, and the name of an index below them; rows of data that only look so."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.tables import one, xlsx

from trustuqa_neo4j.loading.formats import ReadOptions
from trustuqa_neo4j.loading.table_options import TableOptions

ROWS = "oak,3,1,4,2\nelm,5,0,6,1\nash,2,2,3,3\n"
CUTS = "tree,2021 cut,2021 new,2022 cut,2022 new"


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        pytest.param("tree,2021,2021,2022,2022\n,cut,new,cut,new\n", CUTS, id="repeated names"),
        pytest.param(",2021,2021,2022,2022\ntree,cut,new,cut,new\n", CUTS, id="a name below"),
        pytest.param("tree,2021,2021,2022,2022\ntree,cut,new,cut,new\n", CUTS, id="a name in both"),
        pytest.param(
            "tree,2021,2021,2022,2022\nname,cut,new,cut,new\n", f"tree name{CUTS[4:]}",
            id="the same names under each",
        ),
        pytest.param(
            ",2021,2021,2022,2022\n,cut,new,cut,new\ntree,,,,\n", CUTS, id="the name of an index"
        ),
        pytest.param("tree,2021,,2022,\n,cut,new,cut,new\n", CUTS, id="merged cells"),
        pytest.param(
            ",2021,,2022,\n,cut,new,cut,new\ntree,,,,\n", CUTS, id="merged cells and an index"
        ),
        pytest.param(
            ",2021,2021,2022,2022\n,cut,new,cut,new\n,,,,\n", f"column 1{CUTS[4:]}",
            id="an index without a name",
        ),
        pytest.param(
            "Trees of the park\n\ntree,2021,2021,2022,2022\n,cut,new,cut,new\n", CUTS, id="a title"
        ),
        pytest.param(
            "tree,2021,2021,2021,\n,cut,new,old,left\n", "tree,2021 cut,2021 new,2021 old,left",
            id="a name beside those of a group",
        ),
    ],
)  # fmt: skip
def test_two_lines_are_one_header(tmp_path: Path, header: str, columns: str) -> None:
    options = ReadOptions()
    source = one(tmp_path / "t", header + ROWS, options)
    assert list(source.columns) == columns.split(",")
    assert source.rows == [line.split(",") for line in ROWS.splitlines()]
    first = header.count("\n", 0, header.index("2021")) + 1
    count = "three" if header.endswith(",,,,\n") else "two"
    assert {note: remark.places for note, remark in options.remarks.items()} == {
        f"{count} header lines are read as one; header={first} reads the first one alone": [
            f"t:{first}"
        ]
    }
    options = ReadOptions(table=TableOptions(header=(first, first)))
    below = header.count("\n") - first
    assert len(one(tmp_path / "t", header + ROWS, options).rows) == 3 + below


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        pytest.param("tree,cut,cut\noak,3,1\nelm,5,0\nash,2,2\n", 3, id="numbers below the names"),
        pytest.param("tree,a,a,b,b\noak,x,y,z,w\nelm,p,q,r,s\n", 2, id="no numbers"),
        pytest.param(
            f"tree,a,a,b,b\noak,few,many,some,all\n{ROWS}", 4, id="a row of words with its label"
        ),
        pytest.param(f"tree,a,a,b,b\n,n/a,-,unknown,none\n{ROWS}", 4, id="missing values"),
        pytest.param(f"tree,a,a,b,b\n,cut,cut,new,old\n{ROWS}", 4, id="equal names in one group"),
        pytest.param(f"tree,a,b,a,b\noak,x,y,z,w\n{ROWS}", 4, id="names that recur elsewhere"),
        pytest.param(f"tree,a,a,b,b\n,2020,2021,2020,2021\n{ROWS}", 4, id="years above numbers"),
        pytest.param(f"tree,a,a,b,b\n,cut,new,,old\n{ROWS}", 4, id="a name is missing"),
        pytest.param("tree,a,a\n,late,absent\noak,1,2\nelm,3,4\n", 3, id="one group of two"),
        pytest.param(f"tree,a,a,b,b\n\n,cut,new,cut,new\n{ROWS}", 4, id="below a blank line"),
        pytest.param(
            f"tree,a,a,b,b\n,cut,new,cut,new\n,EUR,EUR,USD,USD\n{ROWS}", 5, id="three lines of names"
        ),
    ],
)  # fmt: skip
def test_rows_below_repeated_names_stay_rows(tmp_path: Path, content: str, rows: int) -> None:
    options = ReadOptions()
    source = one(tmp_path / "t", content, options)
    assert len(source.rows) == rows
    assert not any("header lines" in note for note in options.remarks)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param("oak,,,,", id="others have nothing but a name too"),
        pytest.param("oak,1,,,", id="a value"),
        pytest.param("7,,,,", id="a number"),
    ],
)
def test_a_row_is_not_the_name_of_an_index(tmp_path: Path, row: str) -> None:
    end = "fir,,,,\nyew,1,2,3,4\n" if row == "oak,,,," else ""
    content = f",2021,2021,2022,2022\n,cut,new,cut,new\n{row}\n{ROWS}{end}"
    source = one(tmp_path / "t", content)
    assert source.columns == ("column 1", *CUTS.split(",")[1:])
    assert source.rows[0] == row.split(",")


def test_a_workbook_has_the_name_of_its_index_below_the_header(tmp_path: Path) -> None:
    book = xlsx({"S": [
        [None, "2021", None, "2022", None],
        [None, "cut", "new", "cut", "new"],
        ["tree", None, None, None, None],
        ["oak", 3, 1, 4, 2],
        ["elm", 5, 0, 6, 1],
    ]})  # fmt: skip
    repeated = xlsx({"S": [
        ["tree", "2021", "2021", "2022", "2022"],
        [None, "cut", "new", "cut", "new"],
        ["oak", 3, 1, 4, 2],
        ["elm", 5, 0, 6, 1],
    ]})  # fmt: skip
    for content in (book, repeated):
        source = one(tmp_path / "t", content)
        assert list(source.columns) == CUTS.split(",")
        assert [row[0] for row in source.rows] == ["oak", "elm"]
