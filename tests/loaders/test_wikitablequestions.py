"""``wikitablequestions``: its dialect, its layouts, and the whole pack."""

from __future__ import annotations

import csv
import io
import tarfile
from pathlib import Path

import pytest
from support.tables import found, zipped

from trustuqa_neo4j.errors import MalformedLine, UnreadableFile
from trustuqa_neo4j.loading.formats import File, ReadOptions, get_loader
from trustuqa_neo4j.loading.table_options import TableOptions

NAME = "csv/204-csv/963.csv"
CONTENT = '"Home\nport","Crew"\n"say \\"hi\\"","back\\\\slash"\n"","C:\\\\"\n'
ROWS = [['say "hi"', "back\\slash"], ["", "C:\\"]]


def released(folder: Path) -> Path:
    """The layout of the repository, with the siblings of each table."""
    for name in (
        NAME,
        "csv/204-csv/963.tsv",
        "csv/204-csv/963.html",
        "page/204-page/963.json",
        "README.md",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(CONTENT)
    return folder


@pytest.mark.parametrize("subfolder", ["", "csv", "csv/204-csv"])
def test_a_folder_of_the_released_layout(tmp_path: Path, subfolder: str) -> None:
    expand = get_loader("wikitablequestions").expand
    assert expand is not None
    paths = expand(released(tmp_path) / subfolder)
    assert paths == [tmp_path / NAME]
    tables = found("wikitablequestions", [File(path, str(path)) for path in paths])
    assert list(tables) == [NAME]
    assert tables[NAME].columns == ("Home port", "Crew")
    assert tables[NAME].rows == ROWS
    assert tables[NAME].places == [(str(tmp_path / NAME), 3), (str(tmp_path / NAME), 4)]


def test_the_folder_one_stands_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(released(tmp_path) / "csv" / "204-csv")
    expand = get_loader("wikitablequestions").expand
    assert expand is not None
    assert list(found("wikitablequestions", [File(p, str(p)) for p in expand(Path())])) == [NAME]


@pytest.mark.parametrize("top", ["", "WikiTableQuestions-1.0.2/", "./"])
def test_archives(tmp_path: Path, top: str) -> None:
    (tmp_path / "pack").write_bytes(
        zipped({f"{top}{NAME}": CONTENT, f"{top}csv/204-csv/963.tsv": "x"})
    )
    options = ReadOptions()
    tables = found("wikitablequestions", [File(tmp_path / "pack", "pack")], options)
    assert {name: table.rows for name, table in tables.items()} == {NAME: ROWS}
    assert not options.remarks


def test_the_archive_in_a_folder(tmp_path: Path) -> None:
    expand = get_loader("wikitablequestions").expand
    assert expand is not None
    (tmp_path / "tables.tar.gz").touch()
    assert expand(tmp_path) == [tmp_path / "tables.tar.gz"]
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(
        UnreadableFile, match=r"no table of WikiTableQuestions in it, .*\n.*963\.csv"
    ):
        expand(empty)


def test_a_file_called_otherwise_has_its_own_name(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(CONTENT)
    assert found("wikitablequestions", [File(tmp_path / "x.csv", "x.csv")])["x.csv"].rows == ROWS


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (zipped({"x.csv": "a,b\n"}), "no table of WikiTableQuestions in it"),
        (b"PAR1", "not a table of WikiTableQuestions"),
        (b"\0", "neither text nor a supported kind of table"),
    ],
)
def test_what_is_refused(tmp_path: Path, content: bytes, what: str) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(UnreadableFile) as caught:
        found("wikitablequestions", [File(tmp_path / "x", "x")])
    assert (caught.value.what, caught.value.where) == (what, "x")


def test_the_same_table_twice(tmp_path: Path) -> None:
    (tmp_path / "pack").write_bytes(zipped({NAME: CONTENT}))
    file = File(released(tmp_path) / NAME, "released")
    with pytest.raises(UnreadableFile, match=f"a second table called '{NAME}', released and pack/"):
        found("wikitablequestions", [file, File(tmp_path / "pack", "pack")])


def test_bad_rows(tmp_path: Path) -> None:
    (tmp_path / "x").write_text(CONTENT + '"a"\n')
    with pytest.raises(MalformedLine, match="1 cell in this row, but the header has 2, x:5"):
        found("wikitablequestions", [File(tmp_path / "x", "x")])


@pytest.mark.long
@pytest.mark.packs
@pytest.mark.parametrize("name", ["wikitablequestions", "table"])
def test_the_pack(packs: Path, name: str) -> None:
    """``table`` finds out by itself how these tables are escaped."""
    path = packs / "wtq" / "tables.tar.gz"
    # ``table`` reads rows of sums if it is told to.
    options = ReadOptions(table=TableOptions(skip_end=0)) if name == "table" else ReadOptions()
    tables = found(name, [File(path, "tables.tar.gz")], options)
    assert len(tables) == 2108
    assert not options.bad
    # The header is the first line of each table; one has names for 2 of its 20 columns. Seven notes doubt
    # headers such as 1967 and names that recur, two are on rows of names below, one on rows that repeat it.
    of_headers = [remark.partition(";")[0] for remark in options.remarks if "header" in remark]
    empty = "18 of 20 names in the header are empty"
    assert (len(of_headers), empty in of_headers) == ((11, True) if name == "table" else (0, False))
    repeated = empty = broken = 0
    with tarfile.open(path) as archive:
        for member in archive:
            content = archive.extractfile(member)
            assert content is not None
            text = io.StringIO(content.read().decode(), newline="")
            header, *rows = csv.reader(text, escapechar="\\", doublequote=False)
            if name == "table":
                rows = [row for row in rows if row != header]
                if member.name.endswith("204-csv/518.csv"):
                    rows.insert(0, header)  # its first row is no header
            assert tables[member.name].rows == rows
            assert {len(row) for row in rows} == {len(header)}
            repeated += len(set(header)) < len(header)
            empty += "" in header
            broken += any("\n" in cell for cell in header)
            assert not any("\n" in column or not column for column in tables[member.name].columns)
    assert (repeated, empty, broken) == (89, 57, 312)


@pytest.mark.packs
def test_the_folder_of_the_pack(packs: Path) -> None:
    expand = get_loader("wikitablequestions").expand
    assert expand is not None
    assert expand(packs / "wtq") == [packs / "wtq" / "tables.tar.gz"]
