"""``metaqa``: lines with bars, folders, and the pack's counts."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.items import facts, items, parts, written

from trustuqa_neo4j.errors import DataError, MalformedLine, MissingFile, UnreadableFile
from trustuqa_neo4j.loading.formats import File, ReadOptions, get_loader
from trustuqa_neo4j.model.facts import Fact, Item, SourceStart

EXPAND = get_loader("metaqa").expand


def read(folder: Path, content: str | bytes, options: ReadOptions | None = None) -> list[Item]:
    return items("metaqa", written(folder, {"kb.txt": content}), options)


def test_a_bar_is_the_only_delimiter(tmp_path: Path) -> None:
    content = 'Crouching Tiger, Hidden Dragon, I|r\t|b"\na,b,c|r\tr\tr|d\n'
    expected = [
        SourceStart("kb.txt", "kb.txt", "kg"),
        Fact("Crouching Tiger, Hidden Dragon, I", "r\t", 'b"', 1),
        Fact("a,b,c", "r\tr\tr", "d", 2),
    ]
    assert read(tmp_path, content) == expected
    assert read(tmp_path, gzip.compress(content.encode(), mtime=0)) == expected


@pytest.mark.parametrize(
    ("content", "kind", "what", "where"),
    [
        (b"", UnreadableFile, "the file is empty", "kb.txt"),
        (b"a\tr\tb\n", UnreadableFile, "no line of the first 1 has three columns", "kb.txt:1"),
        (b"a,r,b\n", UnreadableFile, "no line of the first 1 has three columns", "kb.txt:1"),
        (b"head|relation|tail\n", UnreadableFile, "no fact in it", "kb.txt"),
        (b"a|r|b\na|r\n", MalformedLine, "2 columns where 3 are needed", "kb.txt:2"),
        (b"a|r|b\na||b\n", MalformedLine, "the relation is empty", "kb.txt:2"),
        (b"a|r|b\n\0|r|b\n", UnreadableFile, "a NUL character", "kb.txt:2"),
        (b"a|r|\xff\n", UnreadableFile, "not UTF-8 text", "kb.txt:1"),
        (
            gzip.compress(b"a|r|b\n" * 99, mtime=0)[:-9],
            UnreadableFile,
            "its gzip data",
            "kb.txt, after line",
        ),
    ],
)
def test_what_is_refused(
    tmp_path: Path, content: bytes, kind: type[DataError], what: str, where: str
) -> None:
    with pytest.raises(kind) as caught:
        read(tmp_path, content)
    assert caught.value.what.startswith(what)
    assert caught.value.where.startswith(where)
    assert caught.value.hint


def test_what_to_put_between_columns(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="put a vertical bar between head, relation and tail"):
        read(tmp_path, "a\tr\tb\n")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(MissingFile):
        items("metaqa", [File(tmp_path / "gone", "gone")])


@pytest.mark.parametrize("name", ["kb.txt", "kb.txt.gz"])
def test_a_folder_is_its_kb(tmp_path: Path, name: str) -> None:
    assert EXPAND
    written(tmp_path, {name: "a|r|b\n", "1-hop/vanilla/qa_test.txt": "q\ta\n", "other.txt": "x"})
    assert EXPAND(tmp_path) == [tmp_path / name]


def test_a_folder_without_one(tmp_path: Path) -> None:
    assert EXPAND
    with pytest.raises(UnreadableFile) as caught:
        EXPAND(tmp_path)
    assert caught.value.what == "a folder without kb.txt or kb.txt.gz"
    assert caught.value.where == str(tmp_path)


names = st.text(
    st.characters(exclude_characters="|\r\n\0\ufeff", exclude_categories=["Cs"]), min_size=1
).filter(lambda name: bool(name.strip()))


@settings(max_examples=60)
@given(st.lists(st.tuples(names, names, names), min_size=1))
def test_whatever_bars_separate_is_read_as_written(
    tmp_path_factory: pytest.TempPathFactory, input_facts: list[tuple[str, str, str]]
) -> None:
    assume(input_facts[0][0].strip().casefold() not in {"head", "subject", "source", "h"})
    content = "".join("|".join(fact) + "\n" for fact in input_facts)
    result = facts(read(tmp_path_factory.getbasetemp(), content))
    assert result == [Fact(*fact, number) for number, fact in enumerate(input_facts, 1)]


@pytest.mark.packs
def test_the_pack(packs: Path) -> None:
    assert EXPAND
    (path,) = EXPAND(packs / "metaqa")
    result = items("metaqa", [File(path, "kb")])
    assert len(parts(result)) == 1
    assert len(result) == 1 + 133_582
    assert len({name for fact in facts(result) for name in (fact.head, fact.tail)}) == 43_234
    assert Counter(fact.relation for fact in facts(result)) == {
        "starred_actors": 33_718, "has_tags": 28_719, "written_by": 19_127, "release_year": 16_715,
        "directed_by": 15_957, "has_genre": 15_485, "in_language": 3_428, "has_imdb_rating": 314,
        "has_imdb_votes": 119,
    }  # fmt: skip
    assert facts(result) == facts(items("kg", [File(path, "kb")]))
