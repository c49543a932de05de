"""The files of the benchmark of public files: splits, digests, archives, hints and openings."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from bench.real_files import files, final_openings
from bench.real_files.__main__ import read_questions
from bench.real_files.files import PARTS, WrongFile, provide_file, read_files, read_split
from bench.real_files.loads import find_option

CONTENT = b"name,age\nAnn,3\n"
FILE = files.PackageFile(
    "a-people", "people", "1.0", "people/data/people.csv", "wheel", sha256(CONTENT).hexdigest()
)


def test_each_file_is_in_one_part_and_has_questions() -> None:
    split, known = read_split(), read_files()
    ids = [name for part in PARTS for name in split[part]]
    assert sorted(ids) == sorted(known)
    by_file = read_questions(ids)
    assert sum(map(len, by_file.values())) == 700
    assert all(by_file.values())
    for questions in by_file.values():
        assert all(bool(q.answers) == q.is_answerable for q in questions)


def test_an_author_has_a_third_in_each_part_or_all_in_one() -> None:
    """The files of an author that rules have not seen stay with those that no rule has seen."""
    whole = {"fit": "d", "decide": "e", "final": "fg"}
    for part, names in read_split().items():
        authors = [*"aaabbbccc", *(author for author in whole[part] for _ in range(8))]
        assert sorted(name[0] for name in names) == authors


def make_wheel() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as wheel:
        wheel.writestr("people/other.csv", "name\n")
        wheel.writestr("people/data/people.csv", CONTENT)
    return stream.getvalue()


def make_sdist(name: str, content: bytes) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as tar:
        member = tarfile.TarInfo(name)
        member.size = len(content)
        tar.addfile(member, io.BytesIO(content))
    return stream.getvalue()


def test_a_file_is_read_from_a_wheel_or_below_the_folder_of_a_source_archive() -> None:
    assert files.read_member(make_wheel(), FILE.path) == CONTENT
    archive = make_sdist("people-1.0/people/data/people.csv", CONTENT)
    assert files.read_member(archive, FILE.path) == CONTENT
    with pytest.raises(WrongFile, match=r"no people\.csv2 in the archive"):
        files.read_member(archive, "people.csv2")


def test_a_file_comes_from_its_package_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched: list[str] = []

    def fetch(file: files.PackageFile) -> bytes:
        fetched.append(file.id)
        return CONTENT

    monkeypatch.setattr(files, "fetch_content", fetch)
    path = provide_file(FILE, tmp_path)
    assert (path.name, path.read_bytes()) == ("people.csv", CONTENT)
    assert provide_file(FILE, tmp_path) == path
    assert fetched == ["a-people"]


def test_another_content_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = replace(FILE, sha256="0" * 64)
    monkeypatch.setattr(files, "fetch_content", lambda _: CONTENT)
    with pytest.raises(WrongFile, match=r"people 1\.0: people\.csv has the digest"):
        provide_file(other, tmp_path)
    assert not list(tmp_path.iterdir())
    path = provide_file(FILE, tmp_path)
    path.write_bytes(b"changed")
    with pytest.raises(WrongFile, match="has the digest"):
        provide_file(FILE, tmp_path)


@pytest.mark.parametrize(
    ("message", "option"),
    [
        ("error: two headers\nhint: give --header 3 or --skip 2", ("--header", "3")),
        ("error: which\nhint: write --delimiter ';', or --header none", ("--delimiter", ";")),
        ("error: which\nhint: choose with --dates dmy.", ("--dates", "dmy")),
        ("error: which\nhint: give --dataset x, or --sheet Data", ("--sheet", "Data")),
        ("error: which\nhint: name it with --sheet NAME", ()),
        ("error: --header 3 is not there\nhint: open the file", ()),
        ("error: no hint", ()),
    ],
)
def test_the_option_of_the_first_hint_is_followed(message: str, option: tuple[str, ...]) -> None:
    assert find_option(message) == option


def test_an_opening_is_recorded_with_the_digest_of_the_reader(tmp_path: Path) -> None:
    path = tmp_path / "openings.jsonl"
    final_openings.record_opening(path=path)
    final_openings.record_opening(path=path)
    entries = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(entries) == 2
    assert entries[0]["reader"] == final_openings.digest_reader()


def test_the_digest_changes_with_the_code_and_words_of_the_reader(tmp_path: Path) -> None:
    module = tmp_path / "semantic_parser" / "gate.py"
    words = tmp_path / "semantic_parser" / "words.toml"
    module.parent.mkdir()
    module.write_text("A = 1\n", encoding="utf-8")
    digests = [final_openings.digest_reader(tmp_path)]
    words.write_text("a = 1\n", encoding="utf-8")
    digests.append(final_openings.digest_reader(tmp_path))
    module.write_text("A = 2\n", encoding="utf-8")
    digests.append(final_openings.digest_reader(tmp_path))
    assert len(set(digests)) == 3


def test_the_final_part_is_not_opened_by_chance(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bench.real_files", "--cache", str(tmp_path)]
    for words in (["--part", "final"], ["--part", "fit", "--final"]):
        done = subprocess.run(
            [*command, *words],
            cwd=final_openings.ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 2
        assert "belong together" in done.stderr
