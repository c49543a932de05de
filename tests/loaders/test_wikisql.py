"""``wikisql``: JSON lines as released, CSV files by id, and the pack."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import tarfile
from pathlib import Path

import pytest
from support.tables import Found, found

from trustuqa_neo4j.errors import MalformedLine, UnreadableFile
from trustuqa_neo4j.loading.formats import File, ReadOptions, get_loader

FIRST = (
    '{"id": "1-10015132-11", "header": ["Player", "No.", ""], "types": ["text", "real", "text"], '
    '"rows": [["Ann", 21, 1.0], ["B\\u00e9a", 1e3, null], ["", -0.50, true]], "name": "table_1"}'
)
SECOND = '{"id": "2-1-1", "header": ["Player"], "rows": []}'
ROWS = [["Ann", "21", "1.0"], ["Béa", "1e3", ""], ["", "-0.50", "true"]]


def read(path: Path, content: str | bytes, options: ReadOptions | None = None) -> dict[str, Found]:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return found("wikisql", [File(path, path.name)], options)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_json_lines(tmp_path: Path, pack) -> None:  # type: ignore[no-untyped-def]
    options = ReadOptions()
    content = pack(f"\ufeff{SECOND}\n\n{FIRST}\n".encode())
    tables = read(tmp_path / "x.tables.jsonl", content, options)
    assert list(tables) == ["2-1-1", "1-10015132-11"]
    table = tables["1-10015132-11"]
    assert (table.columns, table.rows) == (("Player", "No.", "column 3"), ROWS)
    assert table.places == [("x.tables.jsonl", 3)] * 3
    assert tables["2-1-1"].columns == ("Player",)
    assert options.remarks["no data row"].places == ["x.tables.jsonl"]


def test_csv_by_id(tmp_path: Path) -> None:
    content = 'Year,Work\n2005,"Hedwig, and ""more"""\n'
    tables = read(tmp_path / "2-11308224-9.csv", content)
    assert tables["2-11308224-9"].rows == [["2005", 'Hedwig, and "more"']]
    assert list(read(tmp_path / "other.csv", content)) == ["other"]
    assert list(read(tmp_path / "stdin", content)) == ["stdin"]


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2"])
def test_the_archive_as_released(tmp_path: Path, mode: str) -> None:
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in {
            "data/dev.jsonl": "{}", "data/dev.tables.jsonl": FIRST, "data/train.db": "\0",
            "data/._x.tables.jsonl": "\0", "tables/2-2-2.csv": "a\n1\n",
        }.items():  # fmt: skip
            header = tarfile.TarInfo(name)
            header.size = len(content)
            archive.addfile(header, io.BytesIO(content.encode()))
    tables = read(tmp_path / "data.tar.bz2", written.getvalue())
    assert list(tables) == ["1-10015132-11", "2-2-2"]
    assert tables["1-10015132-11"].places[0] == ("data.tar.bz2/data/dev.tables.jsonl", 1)


def test_folders(tmp_path: Path) -> None:
    expand = get_loader("wikisql").expand
    assert expand is not None
    (tmp_path / "data.tar.bz2").touch()
    assert expand(tmp_path) == [tmp_path / "data.tar.bz2"]
    names = ["data/dev.tables.jsonl", "data/test.tables.jsonl", "tables/2-2-2.csv"]
    for name in [*names, "data/dev.jsonl", "data/dev.db", "tables/questions.csv"]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert expand(tmp_path) == [tmp_path / name for name in names]
    (tmp_path / "empty").mkdir()
    with pytest.raises(UnreadableFile, match="no table of WikiSQL in it"):
        expand(tmp_path / "empty")


BAD = {
    "no JSON": ('{"id": "1", ', "not JSON: "),
    "half a line": (FIRST[:99], "not JSON: "),
    "no object": ("[1]", "not an object"),
    "no id": ('{"header": ["a"], "rows": []}', "the id is missing or not a text"),
    "an id that is a number": ('{"id": 1, "header": ["a"], "rows": []}', None),
    "an empty id": ('{"id": " ", "header": ["a"], "rows": []}', "the id is missing or not a text"),
    "no header": ('{"id": "1", "rows": []}', "the header is missing or not a list of names"),
    "empty header": ('{"id": "1", "header": [], "rows": []}', "the header is missing or not a list of names"),
    "no rows": ('{"id": "1", "header": ["a"]}', "the rows are missing or not lists of cells"),
    "rows that are none": ('{"id": "1", "header": ["a"], "rows": ["a"]}', "the rows are missing"),
    "a list in a cell": (
        '{"id": "1", "header": ["a"], "rows": [[[1]]]}', "a cell that is a list or an object",
    ),
    "half a character": ('{"id": "1", "header": ["\\ud800"], "rows": []}', "an escape sequence for half"),
    "deep": ('{"a":' * 100_000, "nested too deep"),
}  # fmt: skip


@pytest.mark.parametrize(("line", "what"), BAD.values(), ids=BAD)
def test_lines_that_are_refused(tmp_path: Path, line: str, what: str | None) -> None:
    content = f"{SECOND}\n{line}\n{FIRST}\n"
    if what is None:
        assert "1" in read(tmp_path / "x.jsonl", content)
        return
    with pytest.raises(MalformedLine) as caught:
        read(tmp_path / "x.jsonl", content)
    assert caught.value.what.startswith(what)
    assert caught.value.where == "x.jsonl:2"
    options = ReadOptions(skip_bad=1)
    assert read(tmp_path / "x.jsonl", content, options)["1-10015132-11"].rows == ROWS
    assert len(options.bad) == 1


def test_rows_of_another_width(tmp_path: Path) -> None:
    line = '{"id": "1", "header": ["a", "b"], "rows": [["1", "2"], ["3"], ["4", "5"]]}'
    with pytest.raises(MalformedLine, match=r"1 cell in this row, but the header has 2, x:1"):
        read(tmp_path / "x", line)
    assert read(tmp_path / "x", line, ReadOptions(skip_bad=1))["1"].rows == [["1", "2"], ["4", "5"]]


def test_the_same_id_twice(tmp_path: Path) -> None:
    with pytest.raises(
        UnreadableFile, match=r"a second table called '2-1-1', x and x\nhint: give one"
    ):
        read(tmp_path / "x", f"{SECOND}\n{SECOND}\n")


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"PAR1", "not a table of WikiSQL"),
        (b"", "the file is empty"),
        (b"\0\1", "neither text nor a supported kind of table"),
        (bz2.compress(b"x"), "compressed, but there is no tar archive inside"),
        (b"\n \n", "only blank lines"),
    ],
)
def test_what_is_refused(tmp_path: Path, content: bytes, what: str) -> None:
    with pytest.raises(UnreadableFile) as caught:
        read(tmp_path / "x", content)
    assert (caught.value.what, caught.value.where) == (what, "x")


def test_numbers_stay_as_they_are_written(tmp_path: Path) -> None:
    long = "1" * 5000
    line = f'{{"id": "1", "header": ["a"], "rows": [[{long}], [0.10], [NaN]]}}'
    assert read(tmp_path / "x", line)["1"].rows == [[long], ["0.10"], ["NaN"]]


@pytest.mark.packs
def test_the_pack(packs: Path) -> None:
    expand = get_loader("wikisql").expand
    assert expand is not None
    tables = found("wikisql", [File(path, path.name) for path in expand(packs / "wikisql")])
    assert list(tables) == ["2-11308224-9", "2-17807292-3"]
    for name, table in tables.items():
        with (packs / "wikisql" / "tables" / f"{name}.csv").open(newline="") as file:
            assert [list(table.columns), *table.rows] == list(csv.reader(file))
    with (packs / "wikisql" / "questions.jsonl").open() as file:
        assert {json.loads(line)["table"] for line in file} <= set(tables)
