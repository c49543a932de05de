"""``table``: archives: which members are read, what they are called, and what is refused and how."""

from __future__ import annotations

import bz2
import gzip
import io
import random
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from support.tables import found, xlsx, zipped

from trustuqa_neo4j.errors import UnreadableFile
from trustuqa_neo4j.loading.formats import File, ReadOptions

Pack = Callable[[dict[str, bytes]], bytes]


def tarred(mode: str = "w", form: int = tarfile.PAX_FORMAT) -> Pack:
    def pack(members: dict[str, bytes]) -> bytes:
        written = io.BytesIO()
        with tarfile.open(fileobj=written, mode=mode, format=form) as archive:  # type: ignore[call-overload]
            for name, content in members.items():
                header = tarfile.TarInfo(name)
                header.size = len(content)
                archive.addfile(header, io.BytesIO(content))
        return written.getvalue()

    return pack


PACKS: dict[str, Pack] = {
    "tar": tarred(),
    "old tar": tarred(form=tarfile.USTAR_FORMAT),
    "tar.gz": tarred("w:gz"),
    "tar.bz2": tarred("w:bz2"),
    "tar.xz": tarred("w:xz"),
    "zip": lambda members: zipped(dict(members)),
}
MEMBERS = {
    "csv/2.csv": b"a,b\n1,2\n",
    "./csv/10.tsv": b"a\tb\n3\t4\n",
    "csv/1.CSV.gz": gzip.compress(b"a;b\n5;6\n", mtime=0),
    "books/x.xlsx": xlsx({"S": [["a"], [7]], "T": [["a"], [8]]}),
    "README.md": b"\xff",
    "csv/.2.csv": b"\xff",
    "__MACOSX/csv/2.csv": b"\xff",
    "books/~$x.xlsx": b"\xff",
}
ROWS = {
    "csv/2.csv": [["1", "2"]], "csv/10.tsv": [["3", "4"]], "csv/1.CSV.gz": [["5", "6"]],
    "books/x.xlsx#S": [["7"]], "books/x.xlsx#T": [["8"]],
}  # fmt: skip


def file(folder: Path, content: bytes, name: str = "pack") -> File:
    (folder / name).write_bytes(content)
    return File(folder / name, name)


@pytest.mark.parametrize("pack", PACKS.values(), ids=PACKS)
def test_members_are_sources(tmp_path: Path, pack: Pack) -> None:
    options = ReadOptions()
    tables = found("table", [file(tmp_path, pack(MEMBERS))], options)
    assert {name: table.rows for name, table in tables.items()} == ROWS
    assert list(tables) == list(ROWS)
    assert tables["csv/2.csv"].places == [("pack/csv/2.csv", 2)]
    assert options.remarks["not a table, skipped"].places == ["pack/README.md"]


def test_members_can_be_one_source(tmp_path: Path) -> None:
    members = {"1.csv": b"a,b\n1,2\n", "2.csv": b"a;b\n3;4\n5\n"}
    options = ReadOptions(source="all", skip_bad=1)
    tables = found("table", [file(tmp_path, tarred()(members))], options)
    assert tables["all"].rows == [["1", "2"], ["3", "4"]]
    assert tables["all"].places == [("pack/1.csv", 2), ("pack/2.csv", 2)]
    assert [bad.where for bad in options.bad] == ["pack/2.csv:3"]


def test_what_several_have_is_told_apart_by_the_archive(tmp_path: Path) -> None:
    first = file(tmp_path, tarred()({"x.csv": b"a\n1\n", "y.csv": b"a\n2\n"}), "one.tar")
    two = file(tmp_path, zipped({"x.csv": "a\n3\n", "z.csv": "a\n4\n"}), "two.zip")
    alone = file(tmp_path, b"a\n5\n", "z.csv")
    tables = found("table", [first, two, alone])
    assert {name: table.rows[0][0] for name, table in tables.items()} == {
        "one.tar/x.csv": "1", "y.csv": "2", "two.zip/x.csv": "3", "two.zip/z.csv": "4", "z.csv": "5",
    }  # fmt: skip


def test_a_big_member_is_not_kept_in_memory(tmp_path: Path) -> None:
    content = b"a,b\n" + b"x" * 1_000_000 + b",1\n" + (b"y" * 99 + b",2\n") * 180_000
    assert len(content) > 1 << 24
    tables = found("table", [file(tmp_path, tarred("w:gz")({"x.csv": content}))])
    assert len(tables["x.csv"].rows) == 180_001


def test_progress_is_that_of_the_archive(tmp_path: Path) -> None:
    positions: list[tuple[str, int]] = []
    content = tarred("w:gz")({f"{n}.csv": b"a\n" + b"1\n" * 1500 for n in range(3)})
    options = ReadOptions(progress=lambda file, done: positions.append((file.name, done)))
    found("table", [file(tmp_path, content)], options)
    assert {name for name, _ in positions} == {"pack"}
    assert positions == sorted(positions)
    assert positions[-1][1] <= len(content)


def test_the_same_path_twice_in_one_archive(tmp_path: Path) -> None:
    written = io.BytesIO(tarred()({"x.csv": b"a\n1\n"})[:1024] + tarred()({"x.csv": b"a\n2\n"}))
    with pytest.raises(
        UnreadableFile, match=r"a second table called 'x.csv', pack/x.csv and pack/x"
    ):
        found("table", [file(tmp_path, written.getvalue())])


def test_links_are_no_members(tmp_path: Path) -> None:
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w") as archive:
        header = tarfile.TarInfo("x.csv")
        header.type, header.linkname = tarfile.SYMTYPE, "elsewhere"
        archive.addfile(header)
    with pytest.raises(UnreadableFile, match=r"no table in it, pack\nhint: a table in it needs"):
        found("table", [file(tmp_path, written.getvalue())])


def locked() -> bytes:
    """A zip whose one member is marked as encrypted."""
    content = bytearray(zipped({"x.csv": "a\n1\n"}))
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(mark) + place] |= 1
    return bytes(content)


def of_another_kind() -> bytes:
    """A zip whose one member is compressed by a method that is not known."""
    content = bytearray(zipped({"x.csv": "a\n1\n"}))
    for mark, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        content[content.index(mark) + place] = 97
    return bytes(content)


def damaged(content: bytes, at: int, size: int = 1) -> bytes:
    return (
        content[:at] + bytes(255 - byte for byte in content[at : at + size]) + content[at + size :]
    )


PLAIN = tarred()({"x.csv": b"a\n" + b"1\n" * 999, "y.csv": b"a\n2\n"})
NOISE = bytes(random.Random(1).choices(b"0123456789\n", k=60_000))
PACKED = gzip.compress(tarred()({"x.csv": b"a\n" + NOISE}), mtime=0)
BAD = {
    "nothing in a zip": (zipped({}), "no table in it"),
    "nothing in a tar": (tarred("w:gz")({}), "neither text nor a supported kind of table"),
    "no table": (zipped({"a/README": "x"}), "no table in it"),
    "cut zip": (zipped({"x.csv": "a\n1\n"})[:-9], "the archive is damaged (File is not a zip file)"),
    "damaged zip": (damaged(zipped({"x.csv": "a\n" + "12\n" * 99}), 40), "the archive is damaged ("),
    "locked zip": (locked(), "protected by a password"),
    "unknown compression": (of_another_kind(), "an unsupported compression method"),
    "cut tar": (PLAIN[:1500], "the archive is damaged (unexpected end of data)"),
    "tar cut between members": (PLAIN[:2560], "the archive is damaged (a member's header is damaged, or"),
    "damaged header": (damaged(PLAIN, 2560 + 120), "the archive is damaged (a member's header is damaged"),
    "cut tar.gz": (PACKED[:-2000], "the archive is damaged (Compressed file ended before"),
    "tar.gz without its end": (PACKED[:-4], "the archive is damaged (Compressed file ended before"),
    "tar.gz, wrong checksum": (damaged(PACKED, len(PACKED) - 8), "the archive is damaged (CRC check fail"),
    "tar.bz2, cut": (tarred("w:bz2")({"x.csv": NOISE})[:-99], "the archive is damaged (Compressed file"),
    "tar.xz, cut": (tarred("w:xz")({"x.csv": NOISE})[:-99], "the archive is damaged (Compressed file"),
    "bz2 without tar": (bz2.compress(b"a,b\n"), "compressed, but there is no tar archive inside"),
    "bz2 of nothing good": (b"BZh9" + bytes(99), "the archive is damaged (Invalid data stream)"),
}  # fmt: skip


@pytest.mark.parametrize(("content", "what"), BAD.values(), ids=BAD)
def test_what_is_refused(tmp_path: Path, content: bytes, what: str) -> None:
    with pytest.raises(UnreadableFile) as caught:
        found("table", [file(tmp_path, content)])
    assert caught.value.what.startswith(what)
    assert caught.value.where.startswith("pack")
    assert caught.value.hint


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("x.csv", b"", "the file is empty"),
        ("x.csv", zipped({"y.csv": "a\n"}), "an archive in an archive"),
        ("x.csv", b"\x00\x01", "neither text nor a supported kind"),
        ("x.xlsx", b"PK\x03\x04", "the workbook cannot be read"),
        ("x.csv.gz", gzip.compress(b"a\n" * 99, mtime=0)[:-5], "its gzip data is damaged"),
    ],
)
def test_members_that_are_refused(tmp_path: Path, name: str, content: bytes, what: str) -> None:
    for pack in (PACKS["zip"], PACKS["tar.gz"]):
        with pytest.raises(UnreadableFile) as caught:
            found("table", [file(tmp_path, pack({name: content}))])
        assert caught.value.what.startswith(what)
        assert caught.value.where.startswith(f"pack/{name}")


def test_a_member_whose_name_is_not_utf_8(tmp_path: Path) -> None:
    content = tarred(form=tarfile.USTAR_FORMAT)({"\udcff.csv": b"a\n1\n"})
    with pytest.raises(UnreadableFile, match="whose name is not UTF-8, pack, "):
        found("table", [file(tmp_path, content)])


def test_folders_in_a_zip_are_no_members(tmp_path: Path) -> None:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr("folder.csv/", "")
        archive.writestr("folder.csv/x.csv", "a\n1\n")
    tables = found("table", [file(tmp_path, written.getvalue())])
    assert list(tables) == ["folder.csv/x.csv"]
