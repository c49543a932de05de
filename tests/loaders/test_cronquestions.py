"""``cronquestions``: the release's three files, the pack, folders, and what is refused."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.items import facts, items, parts, things, written

from trustuqa_neo4j.errors import MalformedLine, MissingFile, UnreadableFile, UsageError
from trustuqa_neo4j.loading.formats import File, ReadOptions, get_loader
from trustuqa_neo4j.model.facts import Fact, NodeDeclared, SourceStart, ValidTime
from trustuqa_neo4j.values import OPEN

EXPAND = get_loader("cronquestions").expand
FULL = "Q1\tP39\tQ2\t1861\t1865\nQ1\tP26\tQ3\t1842\t1865\nQ4\tP39\tQ2\t1829\t####\n"
ENTITIES = (
    "Q1\tAbraham Lincoln\nQ2\tPresident of the United States\nQ3\tMary Todd Lincoln\nQ9\tunused\n"
)
RELATIONS = "P39\tposition held\nP26\tspouse\n"
RELEASE: dict[str, str | bytes] = {
    "full.txt": FULL, "wd_id2entity_text.txt": ENTITIES, "wd_id2relation_text.txt": RELATIONS,
}  # fmt: skip


def test_the_release(tmp_path: Path) -> None:
    """Ids are keys, relations are known by name; without a name an id is its own."""
    expected = [
        SourceStart("full.txt", "full.txt", "temporal-kg"),
        NodeDeclared("Q1", "Abraham Lincoln"),
        NodeDeclared("Q2", "President of the United States"),
        Fact("Q1", "position held", "Q2", 1, ValidTime(18610101, 18651231, "1861", "1865")),
        NodeDeclared("Q3", "Mary Todd Lincoln"),
        Fact("Q1", "spouse", "Q3", 2, ValidTime(18420101, 18651231, "1842", "1865")),
        Fact("Q4", "position held", "Q2", 3, ValidTime(18290101, OPEN, "1829", "")),
    ]
    files = written(tmp_path, RELEASE)
    assert items("cronquestions", files) == expected
    assert items("cronquestions", files[::-1]) == expected
    zipped = {
        f"{name}.gz": gzip.compress(str(text).encode(), mtime=0) for name, text in RELEASE.items()
    }
    assert items("cronquestions", written(tmp_path, dict(zipped)))[1:] == expected[1:]


def test_without_names_ids_are_names(tmp_path: Path) -> None:
    result = items("cronquestions", written(tmp_path, {"full.txt": FULL}))
    assert not things(result)
    assert [fact.relation for fact in facts(result)] == ["P39", "P26", "P39"]


def test_a_second_name_is_an_alias_and_an_empty_one_is_none(tmp_path: Path) -> None:
    named = "id\ttext\nQ1\tLincoln\n\nQ1\tAbe\nQ1\tLincoln\nQ2\t\nQ3\t \n"
    result = items("cronquestions", written(tmp_path, RELEASE | {"wd_id2entity_text.txt": named}))
    assert things(result) == {"Q1": NodeDeclared("Q1", "Lincoln", ("Abe",))}


def test_the_pack_form(tmp_path: Path) -> None:
    content = "head\trelation\ttail\tstart\tend\nAbraham Lincoln\tspouse\tMary Todd\t1842\t1865\n"
    result = items("cronquestions", written(tmp_path, {"kg.tsv": content}))
    assert len(result) == 2
    assert facts(result)[0].line == 2


@pytest.mark.parametrize("given_folder", [".", "data", "data/wikidata_big", "data/wikidata_big/kg"])
@pytest.mark.parametrize("zipped", ["", ".gz"])
def test_folders_of_the_release(tmp_path: Path, given_folder: str, zipped: str) -> None:
    assert EXPAND
    kg = tmp_path / "data" / "wikidata_big" / "kg"
    names = [f"{name}{zipped}" for name in RELEASE]
    written(kg, dict.fromkeys([*names, "train.txt", "valid.txt"], "x"))
    result = EXPAND(tmp_path / given_folder)
    assert [path.resolve() for path in result] == [(kg / name).resolve() for name in names]
    assert all(".." not in path.parts for path in result)


def test_the_folder_of_the_pack_is_its_kg(tmp_path: Path) -> None:
    assert EXPAND
    written(tmp_path, dict.fromkeys(("kg.tsv.gz", "ids/kg.tsv.gz", "wikidata12k.tsv.gz"), "x"))
    assert EXPAND(tmp_path) == [tmp_path / "kg.tsv.gz"]
    assert EXPAND(tmp_path / "ids") == [tmp_path / "ids" / "kg.tsv.gz"]


def test_a_folder_with_neither(tmp_path: Path) -> None:
    assert EXPAND
    with pytest.raises(
        UnreadableFile, match=r"a folder without kg\.tsv or wikidata_big/kg/full\.txt"
    ):
        EXPAND(tmp_path)


def test_names_alone(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match=r"names without facts, wd_id2entity_text\.txt\nhint: give full"
    ):
        items("cronquestions", written(tmp_path, {"wd_id2entity_text.txt": ENTITIES}))


@pytest.mark.parametrize("name", ["wd_id2entity_text.txt", "wd_id2relation_text.txt"])
@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("Q5", "1 column where 2 are needed, split at tab"),
        ("Q5\ta\tb", "3 columns where 2 are needed, split at tab"),
        ("\tnameless", "the id is empty"),
    ],
)
def test_bad_lines_of_names(tmp_path: Path, name: str, line: str, what: str) -> None:
    files = written(tmp_path, RELEASE | {name: f"Q1\tA\n{line}\nQ2\tB\n"})
    with pytest.raises(MalformedLine) as caught:
        items("cronquestions", files)
    assert (caught.value.what, caught.value.where) == (what, f"{name}:2")
    options = ReadOptions(skip_bad=1)
    assert len(facts(items("cronquestions", files, options))) == 3
    assert [bad.where for bad in options.bad] == [f"{name}:2"]


@pytest.mark.parametrize(
    ("content", "what", "where"),
    [
        ("", "the file is empty", "full.txt"),
        ("Q1\tP39\tQ2\n", "no line of the first 1 has five or four columns", "full.txt:1"),
        ("head\trelation\ttail\tstart\tend\n", "no fact in it", "full.txt"),
        ("Q1\tP39\tQ2\t1861\tlater\n", "'later' is not a date", "full.txt:1"),
        ("Q1\tP39\tQ2\t1861\t1865\nQ1\tP39\n", "2 columns where 5 are needed", "full.txt:2"),
        ("Q1\tP39\tQ\0\t1861\t1865\n", "a NUL character", "full.txt:1"),
        (b"Q1\tP39\t\xff\t1861\t1865\n", "not UTF-8 text", "full.txt:1"),
        (
            gzip.compress(FULL.encode() * 9, mtime=0)[:-9],
            "its gzip data is damaged",
            "full.txt, after line",
        ),
    ],
)
def test_what_is_refused(tmp_path: Path, content: str | bytes, what: str, where: str) -> None:
    with pytest.raises((UnreadableFile, MalformedLine)) as caught:
        items("cronquestions", written(tmp_path, RELEASE | {"full.txt": content}))
    assert caught.value.what.startswith(what)
    assert caught.value.where.startswith(where)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    files = written(tmp_path, RELEASE)
    gone = File(tmp_path / "gone" / "wd_id2entity_text.txt", "gone/wd_id2entity_text.txt")
    with pytest.raises(MissingFile, match="gone"):
        items("cronquestions", [files[0], gone])


ids = st.integers(1, 30).map(lambda number: f"Q{number}")
years = st.one_of(st.integers(1000, 2100).map(str), st.just("####"))
letters = st.characters(exclude_characters="\t\r\n\0\ufeff", exclude_categories=["Cs"])


@settings(max_examples=60)
@given(
    st.lists(st.tuples(ids, ids, years, years), min_size=1),
    st.dictionaries(ids, st.text(letters).filter(lambda t: bool(t.strip())), min_size=1),
)
def test_whatever_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[tuple[str, str, str, str]],
    named: dict[str, str],
) -> None:
    full = "".join(f"{h}\tP1\t{t}\t{start}\t{end}\n" for h, t, start, end in rows)
    entities = "".join(f"{key}\t{name}\n" for key, name in named.items())
    contents: dict[str, str | bytes] = {"full.txt": full, "wd_id2entity_text.txt": entities}
    result = items("cronquestions", written(tmp_path_factory.getbasetemp(), contents))
    assert [(f.head, f.relation, f.tail) for f in facts(result)] == [
        (h, "P1", t) for h, t, *_ in rows
    ]
    keys_of_facts = {key for h, t, *_ in rows for key in (h, t)}
    assert things(result) == {
        key: NodeDeclared(key, name) for key, name in named.items() if key in keys_of_facts
    }


@pytest.mark.packs
@pytest.mark.parametrize(
    ("name", "count"),
    [("kg.tsv.gz", 8_773), ("ids/kg.tsv.gz", 8_823), ("wikidata12k.tsv.gz", 40_621)],
)
def test_the_pack(packs: Path, name: str, count: int) -> None:
    result = items("cronquestions", [File(packs / "cronquestions" / name, name)])
    assert len(facts(result)) == count
    assert len(result) == count + 1
    assert parts(result) == [SourceStart(name, name, "temporal-kg")]
    assert all(fact.held for fact in facts(result))


@pytest.mark.packs
def test_the_folder_of_the_real_pack(packs: Path) -> None:
    assert EXPAND
    assert EXPAND(packs / "cronquestions") == [packs / "cronquestions" / "kg.tsv.gz"]
