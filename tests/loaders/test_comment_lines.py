"""``table``: comments above the rows, of which the last one may be the header, and rows that only look so."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.tables import one

from trustuqa_neo4j.errors import MalformedLine
from trustuqa_neo4j.loading.format_detection import detect_formats
from trustuqa_neo4j.loading.formats import ReadOptions
from trustuqa_neo4j.loading.table_options import TableOptions

HEADER_NOTE = "a comment is the header, the others are not read; header=N names another one"
BELOW_NOTE = "a comment line below the header, which is not read"
PROSE = "# Wells, as measured; see the manual, page 3.\n#\n# Depth in metres, or none | unknown.\n"
WELLS = [["A1", "12", "dry"], ["B2", "7", "wet"], ["C3", "9", "wet"]]


def lines(rows: list[list[str]], delimiter: str) -> str:
    return "".join(delimiter.join(row) + "\n" for row in rows)


@pytest.mark.parametrize("delimiter", ["\t", ",", ";", "|"])
@pytest.mark.parametrize("sign", ["#", "# "])
def test_the_last_comment_is_the_header(tmp_path: Path, delimiter: str, sign: str) -> None:
    header = sign + delimiter.join(["well", "depth", "state"]) + "\n"
    options = ReadOptions()
    source = one(tmp_path / "t", PROSE + header + lines(WELLS, delimiter), options)
    assert (source.columns, source.rows) == (("well", "depth", "state"), WELLS)
    assert {note: remark.places for note, remark in options.remarks.items()} == {
        HEADER_NOTE: ["t:4"]
    }


@pytest.mark.parametrize(
    "comments",
    [
        pytest.param("#well\tdepth\t\t\tstate\n", id="several tabs"),
        pytest.param('# A "well\n# of water"\n#well\tdepth\tstate\n', id="quotes"),
        pytest.param("#well\tdepth\tstate\n#\n# north\n\n", id="comments below it"),
    ],
)
def test_names_in_a_comment(tmp_path: Path, comments: str) -> None:
    path = tmp_path / "wells.tab"
    path.write_text(f"{PROSE}{comments}{lines(WELLS, chr(9))}# south\nD4\t5\twet\n")
    (detected,) = detect_formats([str(path)])
    assert (detected.format, detected.alternative) == ("table", "")
    source = one(path, path.read_text())
    assert source.columns == ("well", "depth", "state")
    assert source.rows == [*WELLS, ["D4", "5", "wet"]]


def test_a_long_preamble_and_short_rows(tmp_path: Path) -> None:
    rows = "".join(
        f"{name}\tnorth/{name}\tremark {name}\n{name}0\twest/{name}\n" for name in "abcdefg"
    )
    content = "# a line, and more\n" * 200 + "#cave\tmap\tremark\n" + rows
    (tmp_path / "caves.tab").write_text(content)
    (detected,) = detect_formats([str(tmp_path / "caves.tab")])
    assert (detected.format, detected.description) == ("table", "TSV, tab")
    source = one(tmp_path / "caves.tab", content)
    assert (source.columns, len(source.rows)) == (("cave", "map", "remark"), 14)
    assert source.rows[1] == ["a0", "west/a", ""]


def test_the_shape_is_that_of_the_rows(tmp_path: Path) -> None:
    path = tmp_path / "wells.csv"
    path.write_text(f"{PROSE}#well;depth;state\n{lines(WELLS, ';')}")
    (detected,) = detect_formats([str(path)])
    assert (detected.format, detected.description) == ("table", "CSV, semicolon, 3 columns")


def test_a_header_below_the_comments(tmp_path: Path) -> None:
    for last in ("", "# well, depth, state\n", "#well,depth,state\n"):
        content = f"{PROSE}{last}well,depth,state\n{lines(WELLS, ',')}"
        if last == "#well,depth,state\n":
            with pytest.raises(MalformedLine):  # two lines that may be the header
                one(tmp_path / "t", content)
            continue
        options = ReadOptions()
        source = one(tmp_path / "t", content, options)
        assert (source.columns, source.rows) == (("well", "depth", "state"), WELLS)
        (note,) = options.remarks
        assert note.startswith("comment lines above the first row are not read")


@pytest.mark.parametrize(
    ("content", "columns", "first"),
    [
        pytest.param(
            "#1,Ann,3\n#2,Bob,4\n#3,Cid,5\n", "#1,Ann,3", "#2,Bob,4", id="values with the sign"
        ),
        pytest.param(
            "#1;Bob\n#2;Ann\nx;y\nz;Bob\n", "column 1,column 2", "#1,Bob", id="some of them"
        ),
        pytest.param(
            "#,name,price\n1,a,2\n2,b,3\n", "#,name,price", "1,a,2", id="the number of a row"
        ),
        pytest.param("#items,price\n3,4\n5,6\n", "#items,price", "3,4", id="a name with the sign"),
        pytest.param(
            "tag,used\n#red,3\n#blue,4\nred,5\n", "tag,used", "#red,3", id="below the header"
        ),
    ],
)
def test_rows_with_the_sign_stay_rows(
    tmp_path: Path, content: str, columns: str, first: str
) -> None:
    source = one(tmp_path / "t", content)
    assert (",".join(source.columns), ",".join(source.rows[0])) == (columns, first)
    assert len(source.rows) == len(content.splitlines()) - ("column 1" not in columns)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("# wells\n#A1\t12\tdry\nB2\t7\twet\nC3\t9\twet\n", id="a row"),
        pytest.param("# wells\n#well\tdepth\nB2\t7\twet\nC3\t9\twet\n", id="too few names"),
        pytest.param(
            "#A1\t12\tdry\n#well\tdepth\tstate\nB2\t7\twet\nC3\t9\twet\n", id="a row above"
        ),
    ],
)
def test_comments_in_doubt_are_not_skipped(tmp_path: Path, content: str) -> None:
    options = ReadOptions(skip_bad=9)
    source = one(tmp_path / "t", content, options)
    assert not any("comment" in note for note in options.remarks)
    assert options.bad or len(source.rows) == len(content.splitlines()) - 1


def test_comments_below_the_header(tmp_path: Path) -> None:
    comments = "# measured later\n#@x\ty\n"
    content = f"{PROSE}#well\tdepth\tstate\n{lines(WELLS, chr(9))}{comments}D4\t5\twet\n"
    options = ReadOptions()
    source = one(tmp_path / "t", content, options)
    assert source.rows == [*WELLS, ["D4", "5", "wet"]]
    assert options.remarks[BELOW_NOTE].places == ["t:8", "t:9"]
    for row in ("#E5\t4\tdry\n", ""):
        with pytest.raises(MalformedLine):
            one(tmp_path / "t", content.replace("# measured later\n", row))


def test_the_option_names_another_header(tmp_path: Path) -> None:
    content = f"{PROSE}#well\tdepth\tstate\n{lines(WELLS, chr(9))}"
    options = ReadOptions(table=TableOptions(header=(5, 5)))
    assert one(tmp_path / "t", content, options).columns == ("A1", "12", "dry")
