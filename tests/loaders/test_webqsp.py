"""``webqsp``: facts of ids, their names and aliases, dumps, folders, and what is refused."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.items import facts, items, parts, things, written

from trustuqa_neo4j.errors import MalformedLine, MissingFile, UnreadableFile, UsageError
from trustuqa_neo4j.loading.formats import File, ReadOptions, get_loader
from trustuqa_neo4j.model.facts import Fact, Item, NodeDeclared, SourceStart

EXPAND = get_loader("webqsp").expand
KB = (
    "m.01\tlocation.location.contains\tm.02\n"
    "m.01\tlocation.location.events\tcvt.000001\n"
    "cvt.000001\tevent.date\t1969-07-16\n"
    "m.02\tlocation.location.containedby\tm.01\n"
    "m.03\tlocation.location.containedby\tm.01\n"
)
NAMES = "m.01\tFlorida\nm.02\tMerritt Island\nm.09\tunused\n"
ALIASES = "m.02\tMerritt\nm.02\tThe Island\nm.02\tMerritt\nm.02\tMerritt Island\nm.03\tThe Cape\n"
FILES: dict[str, str | bytes] = {"kb.tsv": KB, "names.tsv": NAMES, "aliases.tsv": ALIASES}
EXPECTED: list[Item] = [
    SourceStart("kb.tsv", "kb.tsv", "kg"),
    NodeDeclared("m.01", "Florida"),
    NodeDeclared("m.02", "Merritt Island", ("Merritt", "The Island")),
    Fact("m.01", "location.location.contains", "m.02", 1),
    NodeDeclared("cvt.000001", None),
    Fact("m.01", "location.location.events", "cvt.000001", 2),
    Fact("cvt.000001", "event.date", "1969-07-16", 3),
    Fact("m.02", "location.location.containedby", "m.01", 4),
    NodeDeclared("m.03", None, ("The Cape",)),
    Fact("m.03", "location.location.containedby", "m.01", 5),
]


def test_facts_with_names(tmp_path: Path) -> None:
    """What is neither an id nor named is a text, and needs no Thing."""
    files = written(tmp_path, FILES)
    assert items("webqsp", files) == EXPECTED
    assert items("webqsp", files[::-1]) == EXPECTED
    zipped = {
        f"in/{name}.gz": gzip.compress(str(text).encode(), mtime=0) for name, text in FILES.items()
    }
    assert items("webqsp", written(tmp_path, dict(zipped)))[1:] == EXPECTED[1:]


def test_names_are_optional(tmp_path: Path) -> None:
    result = items("webqsp", written(tmp_path, {"kb.tsv": KB}))
    assert {key: thing.name for key, thing in things(result).items()} == {
        "m.01": None, "m.02": None, "m.03": None, "cvt.000001": None,
    }  # fmt: skip


def test_what_has_a_name_is_a_thing_whatever_its_id(tmp_path: Path) -> None:
    contents: dict[str, str | bytes] = {
        "kb.tsv": "x\tr\ty\n",
        "names.tsv": "id\tname\ny\tY\ny\tZ\n",
    }
    assert things(items("webqsp", written(tmp_path, contents))) == {
        "y": NodeDeclared("y", "Y", ("Z",))
    }


def test_several_kbs_share_names(tmp_path: Path) -> None:
    contents: dict[str, str | bytes] = {
        "a/kb.tsv": "m.01\tr\tm.02\n", "b/kb.tsv": "m.01\tr\tm.03\n", "names.tsv": NAMES,
    }  # fmt: skip
    result = items("webqsp", written(tmp_path, contents))
    assert [part.source for part in parts(result)] == ["a/kb.tsv", "b/kb.tsv"]
    assert [type(item) for item in result] == [
        SourceStart,
        NodeDeclared,
        NodeDeclared,
        Fact,
        SourceStart,
        NodeDeclared,
        Fact,
    ]


NS = "http://rdf.freebase.com/ns/"
DUMP = (
    f"<{NS}m.01>\t<{NS}location.location.contains>\t<{NS}m.02>\t.\n"
    f'<{NS}m.01>\t<{NS}type.object.name>\t"Floride"@fr\t.\n'
    f'<{NS}m.01>\t<{NS}type.object.name>\t"Florida"@en\t.\n'
    f'<{NS}m.01>\t<{NS}common.topic.alias>\t"The \\"Sunshine\\" State\\u0021"@en\t.\n'
    f'<{NS}m.01>\t<{NS}a.b.population>\t"21538187"^^<http://www.w3.org/2001/XMLSchema#int>\t.\n'
    "\n"
    "m.02\tlocation.location.containedby\tm.01\t.\n"
    f'm.02\ta.b.motto\t"caf\\u00e9\\t\\\\"\t.\n'
    f"<{NS}m.02>\t<http://www.w3.org/2002/07/owl#sameAs>\t<http://e.org/x>\t.\n"
)


def test_dumps(tmp_path: Path) -> None:
    """Their English names name things; those in other languages are left out."""
    expected: list[Item] = [
        SourceStart("kb.nt", "kb.nt", "kg"),
        NodeDeclared("m.01", "Florida", ('The "Sunshine" State!',)),
        NodeDeclared("m.02", None),
        Fact("m.01", "location.location.contains", "m.02", 1),
        Fact("m.01", "a.b.population", "21538187", 5),
        Fact("m.02", "location.location.containedby", "m.01", 7),
        Fact("m.02", "a.b.motto", "café\t\\", 8),
        Fact("m.02", "http://www.w3.org/2002/07/owl#sameAs", "http://e.org/x", 9),
    ]
    assert items("webqsp", written(tmp_path, {"kb.nt": DUMP})) == expected
    zipped = written(tmp_path, {"kb.nt.gz": gzip.compress(DUMP.encode(), mtime=0)})
    assert items("webqsp", zipped)[1:] == expected[1:]


@pytest.mark.parametrize(
    ("written_as", "text"),
    [
        ('"\\U0001F680"', "🚀"),
        ('"\\ud800"', "\\ud800"),
        ('"a\\nb"', "a\nb"),
        ('"open', '"open'),
        ('""x"', '""x"'),
    ],
)
def test_texts_of_dumps(tmp_path: Path, written_as: str, text: str) -> None:
    (fact,) = facts(items("webqsp", written(tmp_path, {"kb.nt": f"m.01\tr\t{written_as}\t.\n"})))
    assert fact.tail == text


@pytest.mark.parametrize(
    "line", ["m.01\tr\tm.02", "m.01\tr\t\t.", "m.01 r m.02 .", "a\tb\tc\td\t."]
)
def test_bad_lines_of_dumps(tmp_path: Path, line: str) -> None:
    files = written(tmp_path, {"kb.nt": f"m.01\tr\tm.02\t.\n{line}\n"})
    with pytest.raises(MalformedLine, match=r"not head, relation, tail and a dot, kb\.nt:2"):
        items("webqsp", files)
    options = ReadOptions(skip_bad=1)
    assert len(facts(items("webqsp", files, options))) == 1
    assert [bad.where for bad in options.bad] == ["kb.nt:2"]


def test_a_dump_of_names_alone(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"no fact in it, kb\.nt"):
        items("webqsp", written(tmp_path, {"kb.nt": 'm.01\ttype.object.name\t"A"@en\t.\n'}))


@pytest.mark.parametrize(
    ("names", "result"),
    [
        (["kb.tsv", "names.tsv", "aliases.tsv"], ["kb.tsv", "names.tsv", "aliases.tsv"]),
        (["kb.tsv.gz", "names.tsv", "questions.jsonl"], ["kb.tsv.gz", "names.tsv"]),
        (["kb.nt.gz", "aliases.tsv.gz"], ["kb.nt.gz", "aliases.tsv.gz"]),
        (["kb.nt", "kb.tsv", "names.tsv.gz"], ["kb.tsv", "names.tsv.gz"]),
    ],
)
def test_folders(tmp_path: Path, names: list[str], result: list[str]) -> None:
    assert EXPAND
    written(tmp_path, dict.fromkeys(names, "x"))
    assert EXPAND(tmp_path) == [tmp_path / name for name in result]


def test_a_folder_without_facts(tmp_path: Path) -> None:
    assert EXPAND
    written(tmp_path, {"names.tsv": "x"})
    with pytest.raises(UnreadableFile, match=r"a folder without kb\.tsv or kb\.nt"):
        EXPAND(tmp_path)


@pytest.mark.parametrize("name", ["facts.tsv", "kbs.tsv", "stdin", "KB.tsv"])
def test_a_file_whose_role_cannot_be_told(tmp_path: Path, name: str) -> None:
    with pytest.raises(
        UsageError,
        match=r"the name of the file does not say what is in it.*\nhint: call them kb\.tsv",
    ):
        items("webqsp", written(tmp_path, FILES | {name: "x"}))


def test_names_without_facts(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no file of facts, names\.tsv\nhint: call them kb\.tsv"):
        items("webqsp", written(tmp_path, {"names.tsv": NAMES}))


@pytest.mark.parametrize("name", ["names.tsv", "aliases.tsv"])
def test_bad_lines_of_names(tmp_path: Path, name: str) -> None:
    files = written(tmp_path, FILES | {name: "m.01\tA\nm.02\nm.03\tB\tC\n"})
    with pytest.raises(
        MalformedLine, match=rf"1 column where 2 are needed.*, {name}:2\nhint: .*skip_bad=N"
    ):
        items("webqsp", files)
    options = ReadOptions(skip_bad=2)
    assert facts(items("webqsp", files, options)) == [
        item for item in EXPECTED if isinstance(item, Fact)
    ]
    assert [bad.where for bad in options.bad] == [f"{name}:2", f"{name}:3"]


@pytest.mark.parametrize(
    ("content", "what", "where"),
    [
        ("", "the file is empty", "kb.tsv"),
        ("m.01|r|m.02\n", "no line of the first 1 has three columns", "kb.tsv:1"),
        ("head\trelation\ttail\n", "no fact in it", "kb.tsv"),
        ("m.01\tr\tm.02\nm.01\t\tm.02\n", "the relation is empty", "kb.tsv:2"),
        ("m.01\tr\tm.02\nm.01\tr\n", "2 columns where 3 are needed", "kb.tsv:2"),
        ("m.01\tr\tm.\0\n", "a NUL character", "kb.tsv:1"),
        (b"m.01\tr\t\xff\n", "not UTF-8 text", "kb.tsv:1"),
        (
            gzip.compress(KB.encode() * 9, mtime=0)[:-9],
            "its gzip data is damaged",
            "kb.tsv, after line",
        ),
    ],
)
def test_what_is_refused(tmp_path: Path, content: str | bytes, what: str, where: str) -> None:
    with pytest.raises((UnreadableFile, MalformedLine)) as caught:
        items("webqsp", written(tmp_path, FILES | {"kb.tsv": content}))
    assert caught.value.what.startswith(what)
    assert caught.value.where.startswith(where)


def test_files_that_are_none(tmp_path: Path) -> None:
    files = written(tmp_path, FILES)
    with pytest.raises(MissingFile, match=r"gone/names\.tsv"):
        items("webqsp", [files[0], File(tmp_path / "gone" / "names.tsv", "gone/names.tsv")])
    (tmp_path / "aliases").mkdir()
    with pytest.raises(UnreadableFile, match="a folder, aliases"):
        items("webqsp", [files[0], File(tmp_path / "aliases", "aliases")])


ids = st.one_of(
    st.integers(1, 40).map(lambda number: f"m.0{number}"),
    st.integers(1, 9).map(lambda n: f"cvt.{n}"),
)
letters = st.characters(exclude_characters="\t\r\n\0\ufeff", exclude_categories=["Cs"])
texts = st.text(letters).filter(lambda text: bool(text.strip()))


@settings(max_examples=60)
@given(
    st.lists(st.tuples(ids, texts, ids), min_size=1),
    st.dictionaries(ids, texts, min_size=1),
    st.lists(st.tuples(ids, texts), min_size=1),
)
def test_whatever_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory,
    given_facts: list[tuple[str, str, str]],
    named: dict[str, str],
    aliases: list[tuple[str, str]],
) -> None:
    def lines(rows: list[tuple[str, ...]]) -> str:
        return "".join("\t".join(row) + "\n" for row in rows)

    contents: dict[str, str | bytes] = {
        "kb.tsv": lines([*given_facts]),
        "names.tsv": lines([*named.items()]),
        "aliases.tsv": lines([*aliases]),
    }
    result = items("webqsp", written(tmp_path_factory.getbasetemp(), contents))
    assert facts(result) == [Fact(*fact, number) for number, fact in enumerate(given_facts, 1)]
    keys_of_facts = {key for head, _, tail in given_facts for key in (head, tail)}
    assert set(things(result)) == keys_of_facts
    for key, thing in things(result).items():
        assert thing.name == named.get(key)
        assert set(thing.aliases) == {text for k, text in aliases if k == key} - {thing.name}


@pytest.mark.long
@pytest.mark.packs
def test_the_pack(packs: Path) -> None:
    """Of its 19,738 aliases 38 are the name again, and 5 stand twice."""
    assert EXPAND
    files = [File(path, path.name) for path in EXPAND(packs / "webqsp")]
    assert [file.name for file in files] == ["kb.tsv.gz", "names.tsv", "aliases.tsv"]
    result = items("webqsp", files)
    assert len(facts(result)) == 639_114
    nodes = things(result)
    assert sum(thing.name is not None for thing in nodes.values()) == 14_515
    assert sum(len(thing.aliases) for thing in nodes.values()) == 19_738 - 38 - 5
    ids = [key for key in nodes if not key.startswith("cvt.")]
    assert len(ids) == 14_787
    assert all(nodes[key].name is None for key in nodes if key.startswith("cvt."))
