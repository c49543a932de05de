"""``table``: tables as text: what is read, in which dialect, and what is refused and how."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.tables import found, one

from trustuqa_neo4j.errors import DataError, MalformedLine, MissingFile, UnreadableFile, UsageError
from trustuqa_neo4j.loading.formats import File, ReadOptions, get_loader


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "facts"


AB = [["1", "2"], ["3", "4"]]


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        pytest.param("a,b\n1,2\n3,4\n", AB, id="comma"),
        pytest.param("a\tb\n1\t2\n3\t4\n", AB, id="tab"),
        pytest.param("a;b\n1;2\n3;4\n", AB, id="semicolon"),
        pytest.param("a|b\n1|2\n3|4\n", AB, id="bar"),
        pytest.param("a;b\n1,5;2\n3,25;4\n", [["1,5", "2"], ["3,25", "4"]], id="decimal commas"),
        pytest.param("a;b, c\n1,5;2\n3;4\n", [["1,5", "2"], ["3", "4"]], id="commas here and there"),
        pytest.param("a,b\nx; y,z | z\n", [["x; y", "z | z"]], id="other delimiters in cells"),
        pytest.param('a,b\n"1\t2",2\n"3\t",4\n', [["1\t2", "2"], ["3\t", "4"]], id="tabs in quotes"),
        pytest.param('"a;b","c"\n"1;2","3"\n', [["1;2", "3"]], id="semicolons in quotes"),
        pytest.param("a\nx, y\n", None, id="wider than its header"),
        pytest.param("a\nx\ny\n", [["x"], ["y"]], id="one column"),
        pytest.param("\ufeffa,b\r\n1,2\r\n3,4", AB, id="BOM, CRLF, no line end at the end"),
        pytest.param('\ufeff"a",b\r1,2\r3,4\r', AB, id="BOM before a quote, CR"),
        pytest.param("\n  \na,b\n\n1,2\n   \n\"\"\n3,4\n\n", AB, id="blank lines"),
        pytest.param('a\n1\n\n""\n  \n', [["1"], [""], ["  "]], id="blank lines, one column"),
        pytest.param("a,b\n,\n1,\n", [["", ""], ["1", ""]], id="empty cells"),
        pytest.param("a,b\n 1 , 2\n", [[" 1 ", " 2"]], id="blanks in cells are kept"),
        pytest.param('a,b\n"x\ny","z\r\n"\n', [["x\ny", "z\r\n"]], id="line breaks"),
        pytest.param('a,b\n"say ""hi""",5" gun\n', [['say "hi"', '5" gun']], id="quotes"),
        pytest.param('a,b\n"say \\"hi\\"",x\n', [['say "hi"', "x"]], id="escaped quotes"),
        pytest.param('a,b\n"\\\\","\\"x\\", y"\n', [["\\", '"x", y']], id="escaped backslashes"),
        pytest.param("a,b\nSmith\\, J,1\n", [["Smith, J", "1"]], id="escaped comma"),
        pytest.param("a,b\nC:\\new,\\N\n", [["C:\\new", "\\N"]], id="backslashes"),
        pytest.param('a,b\n"C:\\new\\",1\n', [["C:\\new\\", "1"]], id="backslash before the last quote"),
        pytest.param('a,b\n"C:\\","say ""hi"""\n', [["C:\\", 'say "hi"']], id="backslash and doubled"),
        pytest.param('a\tb\n"1"\t"2"\n3\t4\n', AB, id="quotes between tabs"),
        pytest.param('a\tb\n"Hi" he\tsaid\n', [['"Hi" he', "said"]], id="tabs without quoting"),
        pytest.param("a,b\nnull,NaN\n", [["null", "NaN"]], id="text is text"),
        pytest.param('a|b\n5"|x\n', [['5"', "x"]], id="a quote between bars"),
        pytest.param(
            "a,b\né,e\u0301\n\u2028,\x85\x1c\n", [["é", "e\u0301"], ["\u2028", "\x85\x1c"]],
            id="letters",
        ),
        pytest.param('a,b\nC:\\x,""\n"",1\n', [["C:\\x", ""], ["", "1"]], id="backslash, empty cells"),
    ],
)  # fmt: skip
def test_what_is_read(path: Path, content: str, rows: list[list[str]] | None) -> None:
    for given_content in (content.encode(), gzip.compress(content.encode(), mtime=0)):
        if rows is None:
            with pytest.raises(MalformedLine, match="2 cells in this row, but the header has 1"):
                one(path, given_content)
        else:
            assert one(path, given_content).rows == rows


def test_a_semicolon_in_a_cell_is_no_header(path: Path) -> None:
    """Not even after a blank line, where an escaped quote breaks another row."""
    content = r""""number","name","place"
"1","The \"Mill\"","Riverside"
"2","Hall

Town Hall; Newtown","Long Street"
"3","Square","Old Town"
"4","Bridge","Riverside"
"""
    assert one(path, content).rows == [
        ["1", 'The "Mill"', "Riverside"],
        ["2", "Hall\n\nTown Hall; Newtown", "Long Street"],
        ["3", "Square", "Old Town"],
        ["4", "Bridge", "Riverside"],
    ]


def test_a_mistake_is_no_escape(path: Path) -> None:
    """Read with escapes all rows would be as wide as the header, since csv is not strict then."""
    with pytest.raises(MalformedLine, match="something other than the delimiter"):
        one(path, 'a,b\n"C:\\x",1\n"x"y,1\n')
    assert one(path, "a,b\n'x, y',1\nO'Neil,2\n").rows == [["x, y", "1"], ["O'Neil", "2"]]


def test_one_escape_far_down_decides_for_all_rows(path: Path) -> None:
    content = "a,b\n" + 'x,"\\\\"\n' * 5000 + '"\\"",y\n'
    rows = one(path, content).rows
    assert rows[0] == ["x", "\\"]
    assert rows[-1] == ['"', "y"]


def test_tabs_come_before_commas(tmp_path: Path) -> None:
    content = "a, b, c\td, e, f\n1,2,3\t4,5,6\n"
    assert one(tmp_path / "x.tsv", content).rows == [["1,2,3", "4,5,6"]]
    assert one(tmp_path / "x.csv", content).columns == ("a, b, c", "d, e, f")


def test_lines_are_those_where_rows_begin(path: Path) -> None:
    content = 'a,b\n"x\n\ny",1\n\nz,2\n'
    assert one(path, content).places == [("facts", 2), ("facts", 6)]


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        ("a,b,a", ("a", "b", "a_2")),
        ("a,a,a_2", ("a", "a_3", "a_2")),
        ("a,,", ("a", "column 2", "column 3")),
        ('" a ","\t",b', ("a", "column 2", "b")),
        ('"Home\nport","x\r\n\r\n y","\n"', ("Home port", "x y", "column 3")),
        ('"a  b",A,å', ("a  b", "A", "å")),
    ],
)
def test_headers(path: Path, header: str, columns: tuple[str, ...]) -> None:
    table = one(path, f"{header}\n1,2,3\n")
    assert table.columns == columns
    assert table.rows == [["1", "2", "3"]]


def test_repeated_headers_are_reported(path: Path) -> None:
    options = ReadOptions()
    table = one(path, "client,total,total\nx,1,2\n", options)
    assert table.columns == ("client", "total", "total_2")
    note = (
        "repeated column name, read as 'total_2'; rename={'total_2': 'NAME'} gives it a better one"
    )
    assert options.remarks[note].places == ["facts"]


@pytest.mark.parametrize("content", ["a,b\n", "a,b", "a,b\n\n  \n"])
def test_a_table_without_rows_is_carried_through(path: Path, content: str) -> None:
    options = ReadOptions()
    table = one(path, content, options)
    assert (table.columns, table.rows) == (("a", "b"), [])
    assert options.remarks["no data row"].places == ["facts"]


BAD: dict[str, tuple[bytes, type[DataError], str, str]] = {
    "empty": (b"", UnreadableFile, "the file is empty", "facts"),
    "blank": (b"\n  \n", UnreadableFile, "only blank lines", "facts"),
    "gzip of nothing": (gzip.compress(b"", mtime=0), UnreadableFile, "only blank lines", "facts"),
    "short": (b"a,b\n1,2\n1\n", MalformedLine, "1 cell in this row, but the header has 2", "facts:3"),
    "long": (b"a,b\n1,2,3\n", MalformedLine, "3 cells in this row, but the header has 2", "facts:2"),
    "open quote": (
        b'a,b\n1,2\n"x,y\n3,4\n', MalformedLine, "a quote in this record is never closed", "facts:3",
    ),
    "open quote in the header": (
        b'a,"b\n1,2\n', MalformedLine, "a quote in this record is never closed", "facts:1",
    ),
    "text after a quote": (
        b'a,b\n"x"y,1\n', MalformedLine,
        "something other than the delimiter follows a closing quote", "facts:2",
    ),
    "NUL": (b"a,b\n" + b"1,2\n" * 2000 + b"\0,1\n", UnreadableFile, "a NUL character", "facts:2002"),
    "not UTF-8": (b"a,b\nMa\xb3gosia,1\n", UnreadableFile, "not UTF-8 text", "facts:2"),
    "picture": (b"\x89PNG\r\n\x1a\n\0\0\0", UnreadableFile, "neither text nor", "facts"),
    "control characters": (b"\x01\x02\xff\xfe\n", UnreadableFile, "neither text nor", "facts"),
    "Greek UTF-16 without a mark": (
        "αβγδ,βγδε\nγδ,εζ\n".encode("utf-16-le"), UnreadableFile, "neither text nor", "facts",
    ),
    "PDF": (b"%PDF-1.7\nx", UnreadableFile, "PDF, not a table", "facts"),
    "HTML": (b" <!DOCTYPE html>\n<table>", UnreadableFile, "HTML or XML, not a table", "facts"),
    "JSON": (b'{"a": 1}\n', UnreadableFile, "JSON, not a table", "facts"),
    "gzip of JSON": (gzip.compress(b'[{"a": 1}]', mtime=0), UnreadableFile, "JSON, not a table", "facts"),
    "cut gzip": (
        gzip.compress(b"a,b\n" + b"1,2\n" * 9999, mtime=0)[:-9],
        UnreadableFile, "its gzip data is damaged", "facts",
    ),
    "gzip header alone": (b"\x1f\x8b\x08", UnreadableFile, "its gzip data is damaged", "facts"),
    "long line": (
        b"a,b\n1,2\n" + b"x" * 17_000_000, UnreadableFile, "a line of more than 16,777,216 char", "facts:3",
    ),
    "long record": (
        b'a,b\n"' + (b"x," * 500_000 + b"\n") * 17,
        MalformedLine, "a record of more than 16,777,216 char", "facts:2",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("content", "kind", "what", "where"), BAD.values(), ids=BAD)
def test_what_is_refused(
    path: Path, content: bytes, kind: type[DataError], what: str, where: str
) -> None:
    with pytest.raises(kind) as caught:
        one(path, content)
    assert caught.value.what.startswith(what)
    assert caught.value.where.split(", ")[0] == where
    assert caught.value.hint


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(MissingFile, match=r"no such file, x\.csv"):
        found("table", [File(tmp_path / "x.csv", "x.csv")])
    with pytest.raises(UnreadableFile, match="a folder, f"):
        found("table", [File(tmp_path, "f")])


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "utf-32"])
def test_encodings(path: Path, encoding: str) -> None:
    content = "näme,b\nAmélie,2\n".encode(encoding)
    table = one(path, content, ReadOptions(encoding=encoding))
    assert (table.columns, table.rows) == (("näme", "b"), [["Amélie", "2"]])
    assert one(path, gzip.compress(content, mtime=0), ReadOptions(encoding=encoding)) == table


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32", "cp1252", "latin-1"])
def test_encodings_without_an_option(path: Path, encoding: str) -> None:
    content = "näme,b\nAmélie,2\n".encode(encoding)
    for written in (content, gzip.compress(content, mtime=0)):
        options = ReadOptions()
        table = one(path, written, options)
        assert (table.columns, table.rows) == (("näme", "b"), [["Amélie", "2"]])
        is_western = encoding in ("cp1252", "latin-1")
        remarks = {note: remark.places for note, remark in options.remarks.items()}
        note = "not UTF-8, read as Windows-1252 (näme); encoding names another one"
        assert remarks == ({note: ["facts:1"]} if is_western else {})


def test_a_character_cut_where_the_first_look_ends(path: Path) -> None:
    for shift in range(3):
        content = "a,b\n" + "x" * shift + "é" * 5000 + ",1\n"
        assert len(one(path, content).rows) == 1


def test_bad_rows_are_skipped_and_listed(path: Path) -> None:
    options = ReadOptions(skip_bad=3)
    table = one(path, 'a,b\n1,2\n3\n"x"y,1\n3,4\n5,6,7\n', options)
    assert (table.rows, table.places) == (AB, [("facts", 2), ("facts", 5)])
    assert [bad.where for bad in options.bad] == ["facts:3", "facts:4", "facts:6"]
    with pytest.raises(MalformedLine, match=r"facts:6\nhint: .*skip_bad=N"):
        one(path, path.read_bytes(), ReadOptions(skip_bad=2))


def test_a_bad_header_is_not_passed_over(path: Path) -> None:
    with pytest.raises(MalformedLine, match="the first row is the header"):
        one(path, '"a"b,c\n1,2\n', ReadOptions(skip_bad=9))


def test_several_files_can_be_one_source(tmp_path: Path) -> None:
    files = []
    for name, content in {"1": "a,b\n1,2\n", "2": "b,a\n3,4\n", "3": "a\n5\n"}.items():
        (tmp_path / name).write_text(content)
        files.append(File(tmp_path / name, name))
    joined = found("table", [files[0], File(files[0].path, "again")], ReadOptions(source="all"))
    assert joined["all"].rows == [["1", "2"]] * 2
    assert joined["all"].places == [("1", 2), ("again", 2)]
    assert list(found("table", files)) == ["1", "2", "3"]
    with pytest.raises(
        UsageError, match=r"column 1 is 'a' and 'b', 1 and 2\nhint: .* without source"
    ):
        found("table", files[:2], ReadOptions(source="all"))
    with pytest.raises(UsageError, match="2 and 1 columns, 1 and 3"):
        found("table", [files[0], files[2]], ReadOptions(source="all"))


def test_progress_is_told_in_bytes_of_the_file(path: Path) -> None:
    positions: list[tuple[str, int]] = []
    content = b"a,b\n" + b"1,\\\n" * 5000
    one(path, content, ReadOptions(progress=lambda file, done: positions.append((file.name, done))))
    assert [name for name, _ in positions] == ["facts"] * 5
    assert positions == sorted(positions)
    assert positions[-1][1] <= len(content)


def test_folders_are_expanded(tmp_path: Path) -> None:
    for name in (
        "b.csv",
        "a/z.TSV.gz",
        "a/b.xlsx",
        "a/README",
        "a/x.json",
        ".git/x.csv",
        "~$b.xlsx",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("a,b\n1,2\n")
    expand = get_loader("table").expand
    assert expand is not None
    names = [path.relative_to(tmp_path).as_posix() for path in expand(tmp_path)]
    assert names == ["a/b.xlsx", "a/z.TSV.gz", "b.csv"]
    (tmp_path / ".git" / "x.csv").unlink()
    with pytest.raises(UnreadableFile, match=r"no table in it, .*\.git\nhint: .* \.csv"):
        expand(tmp_path / ".git")
    with pytest.raises(UnreadableFile, match="No such file"):
        expand(tmp_path / "nowhere")


CELLS = st.text(st.characters(exclude_characters="\0\ufeff", exclude_categories=["Cs"]))


@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(CELLS, min_size=n, max_size=n))))
@pytest.mark.parametrize("delimiter", ",\t;|")
def test_whatever_the_csv_module_writes_is_read(
    tmp_path_factory: pytest.TempPathFactory, delimiter: str, rows: list[list[str]]
) -> None:
    width = len(rows[0]) if rows else 2
    written = io.StringIO(newline="")
    writer = csv.writer(written, delimiter=delimiter if width > 1 else ",")
    writer.writerows([[f"h{n}" for n in range(width)], *rows])
    table = one(tmp_path_factory.getbasetemp() / "rows", written.getvalue())
    # Between several columns a row of one blank cell cannot be; a row of several is never blank.
    assert table.rows == rows
