"""``exported``: what it yields, and exports that were changed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from support.items import items

from trustuqa_neo4j.errors import MalformedLine, TrustUQAError, UnreadableFile, UsageError
from trustuqa_neo4j.loading.formats import File, ReadOptions, get_loader
from trustuqa_neo4j.model.facts import (
    ClassDeclared,
    Fact,
    NodeDeclared,
    RelationDeclared,
    SourceStart,
    ValidTime,
    make_row_key,
    make_row_node,
)
from trustuqa_neo4j.values import ValueOptions
from trustuqa_neo4j.wording import use_words_of

TABLE = {
    "name": "t.csv", "kind": "table", "files": ["t.csv", "u.csv"], "columns": ["a", "b", "a"],
    "form": "table", "file": "1-t.csv", "lines": "1-t.lines.csv", "rows": 3, "held": False,
    "qualified": False,
}  # fmt: skip
GRAPH = {
    "name": "g", "kind": "temporal-kg", "files": ["g.tsv", "h.tsv"], "columns": [],
    "form": "facts", "file": "2-g.csv", "lines": None, "rows": 2, "held": True, "qualified": True,
}  # fmt: skip
MANIFEST = {
    "format": "trustuqa-neo4j export", "version": 1, "dataset": "d",
    "values": {"dates": None, "decimal": None, "null": []}, "nodes": 9, "facts": 9,
    "names": "names.csv", "sources": [TABLE, GRAPH],
}  # fmt: skip
FILES = {
    "1-t.csv": 'a,b,a\n1,2,3\n"x\ny","",z\n7,8,9\n',
    "1-t.lines.csv": "row,file,line\n1,t.csv,2\n3,u.csv,5\n",
    "2-g.csv": "head,relation,tail,start,end,first_day,last_day,qualifiers,file,line\n"
    'm.1,r,c,1990,,19900101,100000000000,"[[""by"", ""m.2""], [""by"", ""z""]]",g.tsv,4\n'
    "x,r,m.3,,,,,,g.tsv,4\n",
    "names.csv": "key,kind,name,alias\nm.1,named,One,Uno\nm.1,named,One,Eins\n"
    "m.2,unnamed,,\nm.3,named,Three,\n",
}


def export(folder: Path, manifest: Any = MANIFEST, **changed: str | None) -> Path:
    """An export in ``folder``, some of its files changed or (None) left out."""
    folder.mkdir(exist_ok=True)
    content: dict[str, str | None] = {"manifest.json": json.dumps(manifest), **FILES}
    for name, text in (content | changed).items():
        if text is not None:
            (folder / name).write_text(text, encoding="utf-8", newline="")
    return folder


def read(folder: Path, options: ReadOptions | None = None) -> list[Any]:
    expand = get_loader("exported").expand
    assert expand is not None
    files = [File(path, path.name) for path in expand(folder)]
    return items("exported", files, options)


def test_what_it_yields(tmp_path: Path) -> None:
    columns = ("a", "b", "a")
    keys = [make_row_key("t.csv", n) for n in (1, 2, 3)]
    assert read(export(tmp_path)) == [
        SourceStart("t.csv", "t.csv", "table", columns),
        make_row_node("t.csv", 1), Fact(keys[0], "a", "1", 2), Fact(keys[0], "b", "2", 2),
        Fact(keys[0], "a", "3", 2),
        make_row_node("t.csv", 2), Fact(keys[1], "a", "x\ny", 3), Fact(keys[1], "b", "", 3),
        Fact(keys[1], "a", "z", 3),
        SourceStart("t.csv", "u.csv", "table", columns),
        make_row_node("t.csv", 3), Fact(keys[2], "a", "7", 5), Fact(keys[2], "b", "8", 5),
        Fact(keys[2], "a", "9", 5),
        SourceStart("g", "g.tsv", "temporal-kg"),
        NodeDeclared("m.1", "One", ("Uno", "Eins")), NodeDeclared("m.2", None),
        Fact("m.1", "r", "c", 4, ValidTime(19900101, 100000000000, "1990"), (("by", "m.2"), ("by", "z"))),
        NodeDeclared("m.3", "Three"), Fact("x", "r", "m.3", 4),
        SourceStart("g", "h.tsv", "temporal-kg"),
    ]  # fmt: skip


DECLARED = MANIFEST | {
    "version": 2, "declarations": "said.jsonl", "sources": [TABLE, {**GRAPH, "declared": 2}],
}  # fmt: skip
CLASS = '{"source": "g", "class": "C", "parents": ["P"], "comment": "c"}\n'
RELATION = '{"source": "g", "relation": "r", "domains": [["C", "D"], ["E"]], "values": false}\n'


def test_declarations_come_behind_the_facts_of_their_source(tmp_path: Path) -> None:
    result = read(export(tmp_path, DECLARED, **{"said.jsonl": CLASS + RELATION}))
    assert result[-3:] == [
        SourceStart("g", "h.tsv", "temporal-kg"),
        ClassDeclared("C", ("P",), comment="c"),
        RelationDeclared("r", (("C", "D"), ("E",)), values=False),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (CLASS, "1 declarations of g, but the manifest says 2, said.jsonl"),
        (CLASS + RELATION + CLASS, "more declarations than the manifest says, said.jsonl:3"),
        (
            CLASS + RELATION.replace('"g"', '"h"'),
            "a declaration of h, but one of g is expected, said.jsonl:2",
        ),
        (CLASS + "[]\n", "not a declaration (no object), said.jsonl:2"),
        (CLASS + "{\n", "not a declaration (Expecting"),
        (CLASS + "[" * 100_000, "not a declaration ("),
        (CLASS + '{"source": "g"}', "(neither a class nor a relation)"),
        (CLASS + '{"source": "g", "class": 1}', "(source and name are to be texts)"),
        (CLASS + RELATION.replace("values", "value"), "(a relation has no value)"),
        (CLASS + RELATION.replace('["E"]', '"E"'), '(domains cannot be "E")'),
        (CLASS + RELATION.replace("false", "0"), "(values cannot be 0)"),
        (CLASS.replace('"c"', "null") + RELATION, "(comment cannot be null)"),
        ("", "the file is empty"),
    ],
)
def test_declarations_that_were_changed(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises((MalformedLine, UnreadableFile), match=re.escape(message)):
        read(export(tmp_path, DECLARED, **{"said.jsonl": text}))


def test_the_encoding_is_its_own(tmp_path: Path) -> None:
    changed = {"1-t.csv": 'a,b,a\n1,2,é\n"x\ny","",z\n7,8,9\n'}
    result = read(export(tmp_path, **changed), ReadOptions(encoding="latin-1"))
    assert Fact(make_row_key("t.csv", 1), "a", "é", 2) in result


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("1-t.csv", "a,b,a\n1,2,3\n", "no row 3 at this point|1 rows, but the manifest says 3"),
        ("1-t.csv", "a,b\n1,2\n", "the header differs from the manifest"),
        ("1-t.csv", "a,b,a\n1,2\n", "2 cells in this row, where 3 are needed"),
        ("1-t.csv", 'a,b,a\n1,2,"3\n', "unexpected end of data"),
        ("1-t.csv", FILES["1-t.csv"] + "1,2,3\n", "4 rows, but the manifest says 3"),
        ("1-t.lines.csv", "row,file,line\n1,t.csv,2\n9,u.csv,5\n", "no row 9 at this point"),
        ("1-t.lines.csv", "row,file,line\n1,t.csv,x\n", "'x' is not a line"),
        ("2-g.csv", FILES["2-g.csv"].replace("19900101", "1990-01-01"), "row 1 is not a fact"),
        ("2-g.csv", FILES["2-g.csv"].replace('""by"", ""m.2""', "1"), "row 1 is not a fact"),
        ("names.csv", FILES["names.csv"] + "m.4,named,Four,\n", "no fact has 'm.4' at this point"),
        ("names.csv", FILES["names.csv"].replace("m.1", "m.7"), "no fact has 'm.7' at this point"),
        (
            "names.csv",
            FILES["names.csv"].replace("m.2,unnamed", "m.2,row"),
            "'m.2' cannot have the kind 'row'",
        ),
        ("names.csv", "key,kind,name,alias\nm.1,x,One,\n", "'m.1' cannot have the kind 'x'"),
        ("names.csv", "", "the file is empty"),
        ("2-g.csv", "head\0", "a NUL character"),
    ],
)
def test_a_file_that_was_changed(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises((MalformedLine, UnreadableFile), match=message) as caught:
        read(export(tmp_path, **{name: text}))
    assert "empty" in message or "NUL" in message or "give the folder" in caught.value.hint


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 5}, "it has version 5, and this package reads those up to 4"),
        ({"declarations": "../x"}, "'../x' is not a file beside it"),
        ({"sources": [{**TABLE, "declared": "x"}]}, "invalid literal"),
        ({"format": "x"}, "it does not say that this is an export"),
        ({"sources": [{**TABLE, "kind": "x"}]}, "'x' is not a valid kind"),
        ({"sources": [{**TABLE, "file": "../x"}]}, "'../x' is not a file beside it"),
        ({"sources": [{**TABLE, "file": ".."}]}, "'..' is not a file beside it"),
        ({"sources": [{**TABLE, "file": "C:\\x"}]}, "is not a file beside it"),
        ({"sources": [{**TABLE, "file": None}]}, "a source has no file"),
        ({"sources": [{**TABLE, "files": []}]}, "a source was read from no file"),
        ({"sources": [1]}, "it is incomplete"),
        ({"values": None}, "it is incomplete"),
        ({"names": 5}, "is not a file beside it"),
    ],
)
def test_a_manifest_that_is_none(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(UnreadableFile, match=re.escape(message)):
        read(export(tmp_path, MANIFEST | change))


def test_what_is_no_export(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"a folder without manifest\.json"):
        read(tmp_path)
    for text in ("", "[", "[]", "[" * 100_000):
        (tmp_path / "manifest.json").write_text(text)
        with pytest.raises(UnreadableFile, match=r"manifest\.json\nhint: give the folder"):
            read(tmp_path)
    (tmp_path / "manifest.json").write_bytes(b"\xff")
    with pytest.raises(UnreadableFile, match=r"manifest\.json\nhint: give the folder"):
        read(tmp_path)


def test_files_without_their_folder(tmp_path: Path) -> None:
    export(tmp_path)
    for name, message in (
        ("1-t.csv", "no manifest.json among"),
        ("manifest.json", "which is missing"),
    ):
        with pytest.raises(UnreadableFile, match=message):
            list(get_loader("exported").read([File(tmp_path / name, name)], ReadOptions()))


@pytest.mark.parametrize(
    ("options", "needed", "message"),
    [
        (
            ReadOptions(values=ValueOptions("dmy")),
            ValueOptions(),
            "given: --dates dmy\nhint: omit --dates",
        ),
        (
            ReadOptions(),
            ValueOptions("mdy", ",", frozenset({"n/a", "a b"})),
            "given: no options\nhint: give --dates mdy --decimal , --null 'a b' --null n/a",
        ),
        (
            ReadOptions(source="x"),
            ValueOptions(),
            "an export has the names of its sources itself, d\nhint: omit",
        ),
    ],
)
def test_options_that_contradict_it(
    tmp_path: Path, options: ReadOptions, needed: ValueOptions, message: str
) -> None:
    values = {"dates": needed.dates, "decimal": needed.decimal, "null": sorted(needed.null)}
    with use_words_of("shell"), pytest.raises(UsageError, match=re.escape(message)) as caught:
        read(export(tmp_path, MANIFEST | {"values": values}), options)
    assert isinstance(caught.value, TrustUQAError)
