"""``json``: objects as nodes, their keys and names, what is carried through, and what is refused and how."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support import items as item_reading
from support.items import items, parts, things, written

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.errors import MalformedLine, UnreadableFile
from trustuqa_neo4j.loading.formats import ReadOptions, get_loader
from trustuqa_neo4j.model.facts import Fact, Item, NodeDeclared, SourceStart
from trustuqa_neo4j.values import read_value

NESTED = "an array in an array: its elements count as those of the outer one"
COLUMNS = (
    "these members look like the columns of a table, and are read as lists; write a record for each row, "
    "in pandas with orient='records'"
)
NEST = '{"of": {"x": 1}, "d": '
"""The beginning of a document that is not a list of records; ``}`` ends it."""

CONSTANT = "NaN or Infinity, which JSON does not have, stored as text"


def doc(folder: Path, content: str | bytes, options: ReadOptions | None = None) -> list[Item]:
    return items("json", written(folder, {"d.json": content}), options)


def by_line(folder: Path, content: str | bytes, options: ReadOptions | None = None) -> list[Item]:
    return items("json", written(folder, {"d.jsonl": content}), options)


def facts(result: list[Item]) -> list[Fact]:
    return [fact for fact in item_reading.facts(result) if fact.relation != "type"]


def classes(result: list[Item]) -> list[tuple[str, str]]:
    """Key and class of each object, with the texts of ``type`` that are not a class."""
    return [(f.head, f.tail) for f in item_reading.facts(result) if f.relation == "type"]


def fact_rows(result: list[Item]) -> list[tuple[str, str, str, int]]:
    return [(f.head, f.relation, f.tail, f.line) for f in facts(result)]


def test_an_array_of_records(tmp_path: Path) -> None:
    result = doc(
        tmp_path,
        '[{"name": "Rome", "area": 1285, "capital": true, "mayor": {"title": "R. G.", "born": "1966"}},\n'
        ' {"label": "Oslo", "lakes": null, "motto": "", "twins": ["Kiel", "Riga"]}, {"@id": "x", "a": 1}]',
    )
    assert result == [
        SourceStart("d.json", "d.json", "kg"),
        NodeDeclared("mayor", "mayor"),
        NodeDeclared("d", "d"),
        NodeDeclared("d.json#/0", "Rome"),
        Fact("d.json#/0", "name", "Rome", 1),
        Fact("d.json#/0", "area", "1285", 1),
        Fact("d.json#/0", "capital", "true", 1),
        NodeDeclared("d.json#/0/mayor", "R. G."),
        Fact("d.json#/0/mayor", "title", "R. G.", 1),
        Fact("d.json#/0/mayor", "born", "1966", 1),
        Fact("d.json#/0/mayor", "type", "mayor", 1),
        Fact("d.json#/0", "mayor", "d.json#/0/mayor", 1),
        Fact("d.json#/0", "type", "d", 1),
        NodeDeclared("d.json#/1", "Oslo"),
        Fact("d.json#/1", "label", "Oslo", 2),
        Fact("d.json#/1", "motto", "", 2),
        Fact("d.json#/1", "twins", "Kiel", 2),
        Fact("d.json#/1", "twins", "Riga", 2),
        Fact("d.json#/1", "type", "d", 2),
        NodeDeclared("@id\x1fx", None, label="x"),
        Fact("@id\x1fx", "@id", "x", 3),
        Fact("@id\x1fx", "a", "1", 3),
        Fact("@id\x1fx", "type", "d", 3),
    ]


def test_one_object_of_arrays(tmp_path: Path) -> None:
    """Objects in them are what the member is called, unless they say what they are."""
    result = doc(
        tmp_path,
        '{"title": "Atlas", "cities": [{"name": "Rome"}, {"name": "Oslo", "type": "Capital"}], "x": [1],'
        ' "press": {"owner": [{"name": "Ann"}], "at": {"no": 5}}}',
    )
    assert fact_rows(result) == [
        ("d.json#", "title", "Atlas", 1),
        ("d.json#/cities/0", "name", "Rome", 1),
        ("d.json#", "cities", "d.json#/cities/0", 1),
        ("d.json#/cities/1", "name", "Oslo", 2),
        ("d.json#", "cities", "d.json#/cities/1", 2),
        ("d.json#", "x", "1", 1),
        ("d.json#/press/owner/0", "name", "Ann", 1),
        ("d.json#/press", "owner", "d.json#/press/owner/0", 1),
        ("d.json#/press/at", "no", "5", 1),
        ("d.json#/press", "at", "d.json#/press/at", 1),
        ("d.json#", "press", "d.json#/press", 1),
    ]
    assert classes(result) == [
        ("d.json#/cities/0", "cities"), ("d.json#/cities/1", "Capital"), ("d.json#/press/owner/0", "owner"),
        ("d.json#/press/at", "at"), ("d.json#/press", "press"),
    ]  # fmt: skip
    assert {item.key for item in result[1:6] if isinstance(item, NodeDeclared)} == {
        "cities", "Capital", "owner", "at", "press",
    }  # fmt: skip
    assert things(result)["d.json#"].name == "Atlas"
    assert things(result)["d.json#/press"] == NodeDeclared("d.json#/press", None, label="press")


def test_records_by_line(tmp_path: Path) -> None:
    content = '{"a": 1, "in": [{"@c": null, "b": 2}]}\r\n\n{"a": 2}\n'
    expected = [
        ("d.jsonl:1#", "a", "1", 1),
        ("d.jsonl:1#/in/0", "b", "2", 1),
        ("d.jsonl:1#", "in", "d.jsonl:1#/in/0", 1),
        ("d.jsonl:3#", "a", "2", 3),
    ]
    assert fact_rows(by_line(tmp_path, content)) == expected
    assert fact_rows(by_line(tmp_path, gzip.compress(content.encode()))) == expected
    result = by_line(tmp_path, content)
    assert classes(result) == [("d.jsonl:1#/in/0", "in"), ("d.jsonl:1#", "d"), ("d.jsonl:3#", "d")]
    labels = [thing.label for thing in things(result).values() if thing.name is None]
    assert labels == ["d 1", "in 1.1", "d 3"]
    single = items("json", written(tmp_path, {"e.x.NDJSON": '{"@id": 1, "a": 1}'}))
    assert fact_rows(single) == [("@id\x1f1", "@id", "1", 1), ("@id\x1f1", "a", "1", 1)]
    assert classes(single) == [("@id\x1f1", "e.x")]


def test_what_has_a_record_a_line_is_seen_without_a_suffix(tmp_path: Path) -> None:
    assert [line for *_, line in fact_rows(doc(tmp_path, '\n{"a": 1}\n{"a": 2}\n'))] == [2, 3]
    assert fact_rows(doc(tmp_path, '{"a": 1}\n\n')) == [("d.json#", "a", "1", 1)]


@pytest.mark.parametrize(
    "number",
    ["0", "-0", "1.50", "1.5E5", "-1.0e-7", "12345678901234567890123456789", "9" * 5000],
)
def test_numbers_are_as_written(tmp_path: Path, number: str) -> None:
    assert [f.tail for f in facts(doc(tmp_path, f'{{"a": {number}, "b": [{number}]}}'))] == [
        number
    ] * 2
    assert [f.tail for f in facts(by_line(tmp_path, f'{{"a": {number}}}'))] == [number]


@pytest.mark.parametrize(
    ("number", "text"),
    [("1e1", "10"), ("1E5", "100000"), ("-2e0", "-2"), ("5E20", "5e+20"), ("1e999", "1e+999")],
)
def test_a_number_that_would_be_a_code_is_written_out(
    tmp_path: Path, number: str, text: str
) -> None:
    for content in (f'[{{"a": {number}}}]', f'{{"a": {number}}}', f'[{{"in": {{"a": {number}}}}}]'):
        assert text in [f.tail for f in facts(doc(tmp_path, content))]
        value = read_value(text)
        assert (None if value is None else value.number) == (
            None if number == "1e999" else float(number)
        )
    assert [f.tail for f in facts(doc(tmp_path, f'[{{"a": "{number}"}}]'))] == [number]


def test_ids(tmp_path: Path) -> None:
    """Of records of a class, or else of a place in the file; ``@id`` is one everywhere."""
    result = items(
        "json",
        written(
            tmp_path,
            {
                "a.json": '{"people": [{"id": 7, "boss": {"id": 8}}],'
                ' "places": [{"id": 7}, {"_id": "x", "@a": null}]}',
                "b.json": '[{"id": 7, "type": "Dog"}, {"id": 7}, {"@id": 7, "a": 1}, {"id": true, "_id": 9}]',
                "c.json": '[{"id": "7", "@type": "Dog", "is": {"@id": "7"}}, {"id": " "}]',
            },
        ),
    )
    keys = [
        thing.key for thing in things(result).values() if "#" in thing.key or "\x1f" in thing.key
    ]
    assert keys == [
        "a.json#",
        "a.json#/people\x1f7",
        "a.json#/people/boss\x1f8",
        "a.json#/places\x1f7",
        "a.json#/places\x1fx",
        "Dog\x1f7",
        "b.json#\x1f7",
        "@id\x1f7",
        "b.json#\x1f9",
        "c.json#/1",
    ]
    labels = [thing.label for thing in things(result).values() if thing.label]
    assert labels == [
        "a",
        "people 7",
        "boss 8",
        "place 7",
        "place x",
        "Dog 7",
        "b 7",
        "7",
        "b 9",
        "c 2",
    ]


def test_what_is_named_later_has_its_name_from_the_first(tmp_path: Path) -> None:
    first = '{"@id": "a", "knows": {"@id": "b"}, "of": {"id": 1, "type": "T"}}'
    result = items(
        "json",
        written(
            tmp_path,
            {
                "a.jsonl": first,
                "b.jsonl": '{"@id": "b", "name": "Bob"}\n{"@id": "b", "name": "Robert"}\n'
                '{"id": 1, "type": "T", "name": "One"}\n{"@id": "a"}\n{"@id": "c"}',
            },
        ),
    )
    assert {thing.key: thing.name for thing in things(result).values()} == {
        "T": "T", "a": "a", "b": "b", "@id\x1fa": None, "@id\x1fb": "Bob", "T\x1f1": "One",
    }  # fmt: skip
    assert fact_rows(result)[:2] == [
        ("@id\x1fa", "@id", "a", 1), ("@id\x1fa", "knows", "@id\x1fb", 1),
    ]  # fmt: skip


def test_a_text_that_is_an_id_is_a_text(tmp_path: Path) -> None:
    result = doc(tmp_path, '[{"@id": "a", "name": "Ann"}, {"knows": "a"}, {"knows": {"@id": "a"}}]')
    assert [f.tail for f in facts(result) if f.relation == "knows"] == ["a", "@id\x1fa"]


@pytest.mark.parametrize(
    ("members", "name"),
    [
        ('"label": "c", "title": "b", "name": "a"', "a"),
        ('"label": "c", "title": "b", "name": 5', "b"),
        ('"label": "c", "title": " ", "name": null', "c"),
        ('"name": {"first": "a"}', None),
        ('"Name": "a"', None),
    ],
)
def test_names(tmp_path: Path, members: str, name: str | None) -> None:
    node = things(doc(tmp_path, f"{NEST}[{{{members}}}]}}"))["d.json#/d/0"]
    assert (node.name, node.label) == (name, "" if name else "d 1")


@pytest.mark.parametrize(
    ("member", "tails"),
    [
        ('"type": "A"', ["A"]),
        ('"@type": "A"', ["A"]),
        ('"@type": ["A", "B"]', ["A", "B"]),
        ('"@type": "A", "type": "B"', ["A", "B"]),
        ('"type": 5', ["5", "d"]),
        ('"type": ["A", 5]', ["A", "5", "d"]),
        ('"type": ""', ["", "d"]),
        ('"type": {"x": 1}', ["d.json#/d/0/type", "d"]),
        ('"x": {}, "y": []', ["d"]),
        ('"x": {"@id": "b"}', ["d"]),
    ],
)
def test_types(tmp_path: Path, member: str, tails: list[str]) -> None:
    result = doc(tmp_path, f"{NEST}[{{{member}}}]}}")
    assert [tail for head, tail in classes(result) if head == "d.json#/d/0"] == tails


def test_names_of_members(tmp_path: Path) -> None:
    options = ReadOptions()
    result = doc(tmp_path, '[{" a\\n b ": 1, "c/d~e": {"x": 1, "@y": null}, "": 2}]', options)
    assert [(f.head, f.relation) for f in facts(result)] == [
        ("d.json#/0", "a b"),
        ("d.json#/0/c~1d~0e", "x"),
        ("d.json#/0", "c/d~e"),
        ("d.json#/0", "unnamed"),
    ]
    assert list(options.remarks) == ["a member without a name, called unnamed"]


@pytest.mark.parametrize(
    ("content", "tails", "remark"),
    [
        ('[{"a": [1, [2, [3]]]}]', ["1", "2", "3"], NESTED),
        ('[[{"a": 1}], {"a": 2}]', ["1", "2"], NESTED),
        ('[{"a": 1, "a": 2}]', ["1", "2"], "an object has a member twice, and each is a fact"),
        ('{"a": 1, "a": 2}', ["1", "2"], "an object has a member twice, and each is a fact"),
        ('{"a": [NaN, {"b": -Infinity}]}', ["NaN", "-Infinity", "d.json#/a/1"], CONSTANT),
        ('{"a": ["Ann", "Bob"], "b": [3, 4]}', ["Ann", "Bob", "3", "4"], COLUMNS),
        (
            '{"a": {"0": "Ann", "1": "Bob"}, "b": {"0": 3, "1": 4}}',
            ["Ann", "Bob", "d.json#/a", "3", "4", "d.json#/b"], COLUMNS,
        ),
        ('{"columns": ["a"], "data": [1]}', ["a", "1"], COLUMNS),
        ('[{}, {"a": null}, {"@id": "x"}, {"a": 1}]', ["1"], "a record without a fact, skipped"),
    ],
)  # fmt: skip
def test_what_is_remarked(tmp_path: Path, content: str, tails: list[str], remark: str) -> None:
    options = ReadOptions()
    result = doc(tmp_path, content, options)
    assert [f.tail for f in facts(result)] == tails
    assert list(options.remarks) == [remark]


def test_names_that_look_like_data_are_remarked(tmp_path: Path) -> None:
    content = json.dumps({"all": {str(n): n for n in range(1001)}})
    for given_as in (content, f"[{content}]", f'{content[:-1]}, "pad": "{"x" * 3_000_000}"}}'):
        options = ReadOptions()
        assert len(facts(doc(tmp_path, given_as, options))) >= 1002
        assert list(options.remarks) == [
            "an object of more than 1,000 members: each name becomes a relation"
        ]


def test_mixed_arrays(tmp_path: Path) -> None:
    result = facts(doc(tmp_path, '[{"a": [1, "x", {"b": 2, "@c": null}, null, false, [3]]}]'))
    assert [f.tail for f in result] == ["1", "x", "2", "d.json#/0/a/2", "false", "3"]


@pytest.mark.parametrize("content", ['[{"a": 1}, 5, {"a": 2}]', '[{"a": 1}, null, {"a": 2}]'])
def test_a_record_that_is_no_object(tmp_path: Path, content: str) -> None:
    with pytest.raises(
        MalformedLine, match=r"a record that is not an object, d.json:2\nhint: records are"
    ):
        doc(tmp_path, content)
    options = ReadOptions(skip_bad=1)
    assert [f.line for f in facts(doc(tmp_path, content, options))] == [1, 3]
    assert [error.where for error in options.bad] == ["d.json:2"]


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b" \n ", "not JSON: it ends too early (expecting value), d.json, line 2, column 2"),
        (b"[]", "no fact in it, d.json"),
        (b"{}", "no fact in it, d.json"),
        (b"[{}]", "no fact in it, d.json"),
        (b'"x"', "a single value, not a record, d.json\nhint: give an object"),
        (b"5", "a single value"),
        (b'[{"a": 1},\n {"a": x}]', "not JSON: expecting value, d.json, line 2, column 8"),
        (b'[{"a": 1}', "not JSON: it ends too early (expecting ',' delimiter), d.json, line 1, column 10"),
        (b'[{"a": "b\nc"}]', "not JSON: invalid control character at, d.json, line 1, column 10"),
        (b"[{'a': 1}]", "not JSON: expecting property name enclosed in double quotes, d.json, line 1"),
        (b'[{"a": 1}]\n[2]', "not JSON: text after the end of the document, d.json, line 2, column 1"),
        (b'[{"a": "b\0"}]', "a NUL character: this is not text in this encoding, d.json:1"),
        (b'[{"a": "\xff"}]', "not UTF-8 text (invalid start byte), d.json, after line 0\nhint: name"),
        (gzip.compress(b'[{"a": 1}]' * 1000, mtime=0)[:-20], "its gzip data is damaged"),
        (b"[" * 100_000, "objects and arrays nested more than 100 deep"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "objects and arrays nested more than 100 deep"),
    ],
)  # fmt: skip
def test_what_is_refused(tmp_path: Path, content: bytes, what: str) -> None:
    with pytest.raises(UnreadableFile) as caught:
        doc(tmp_path, content)
    assert what in str(caught.value)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('{"a": x}', "not JSON: expecting value, column 7"),
        ('{"a": 1', "not JSON: expecting ',' delimiter, column 9"),
        ('{"a": 1} {}', "not JSON: extra data, column 10"),
        ("5", "a record that is not an object"),
        ('"x"', "a record that is not an object"),
        ('{"a": "\\ud800"}', "an escape sequence for half a character"),
        ('{"\\udc00": 1}', "an escape sequence for half a character"),
        ('{"a":' * 101 + "1" + "}" * 101, "objects and arrays nested more than 100 deep"),
        ("[" * 100_000, "objects and arrays nested more than 100 deep"),
    ],
)
def test_a_bad_line(tmp_path: Path, line: str, what: str) -> None:
    content = f'{{"a": 1}}\n{line}\n{{"a": 2}}\n'
    with pytest.raises(MalformedLine) as caught:
        by_line(tmp_path, content)
    assert str(caught.value).startswith(f"{what}, d.jsonl:2\nhint: ")
    options = ReadOptions(skip_bad=1)
    assert [f.tail for f in facts(by_line(tmp_path, content, options))] == ["1", "2"]


def test_a_line_that_is_not_text(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"not UTF-8 text .*, d.jsonl:2\nhint: name"):
        by_line(tmp_path, b'{"a": 1}\n{"a": "\xe9"}\n')
    with pytest.raises(UnreadableFile, match="its gzip data is damaged"):
        by_line(tmp_path, gzip.compress(b'{"a": 1}\n' * 1000)[:-20])


def test_depth(tmp_path: Path) -> None:
    def nested(depth: int) -> str:
        return '{"a":' * depth + "1" + "}" * depth

    assert len(facts(doc(tmp_path, nested(100)))) == 100
    assert len(facts(by_line(tmp_path, nested(100)))) == 100
    with pytest.raises(MalformedLine, match="nested more than 100 deep"):
        doc(tmp_path, nested(101))


def test_characters(tmp_path: Path) -> None:
    """Both halves of a character, a NUL as an escape, a mark of the byte order, other encodings."""
    content = '[{"a": "\\ud83d\\ude00 \\\\ud800 é", "b": "x\\u0000y"}]'
    expected = ["😀 \\ud800 é", "x\0y"]
    assert [f.tail for f in facts(doc(tmp_path, content))] == expected
    assert [f.tail for f in facts(doc(tmp_path, b"\xef\xbb\xbf" + content.encode()))] == expected
    assert [
        f.tail
        for f in facts(doc(tmp_path, content.encode("utf-16"), ReadOptions(encoding="utf-16")))
    ] == expected
    assert [
        f.tail
        for f in facts(doc(tmp_path, content.encode("latin-1"), ReadOptions(encoding="latin-1")))
    ] == expected
    marked = ReadOptions(encoding="utf-8")
    assert [
        f.tail for f in facts(doc(tmp_path, b"\xef\xbb\xbf" + content.encode(), marked))
    ] == expected


def test_half_characters_cost_a_record(tmp_path: Path) -> None:
    options = ReadOptions(skip_bad=2)
    result = doc(tmp_path, '[{"@id": "a", "x": "\\ud800"}, {"@id": "a", "x": "b"}]', options)
    assert fact_rows(result) == [("@id\x1fa", "@id", "a", 2), ("@id\x1fa", "x", "b", 2)]
    assert things(result).keys() == {"d", "@id\x1fa"}
    assert [str(error.what) for error in options.bad] == ["an escape sequence for half a character"]


def test_contexts_are_nodes_like_any_other(tmp_path: Path) -> None:
    """This is JSON: what JSON-LD makes of it is another matter."""
    result = doc(tmp_path, '{"@context": {"a": "http://e.org/a"}, "@graph": [{"a": 1}]}')
    assert ("d.json#", "@graph", "d.json#/@graph/0", 1) in fact_rows(result)
    assert classes(result) == [("d.json#/@graph/0", "d")]


def test_sources(tmp_path: Path) -> None:
    content = '[{"a": {"b": 1, "@c": null}}]'
    files = written(tmp_path, {"a.json": content, "b.json": content})
    result = items("json", files, ReadOptions(source="s"))
    assert [part.source for part in parts(result)] == ["s", "s"]
    assert [f.head for f in facts(result)] == [
        "s:a.json#/0/a", "s:a.json#/0", "s:b.json#/0/a", "s:b.json#/0",
    ]  # fmt: skip


def test_folders(tmp_path: Path) -> None:
    for name in ("b.json", "a.jsonl", "x/c.ndjson.gz", "x/d.JSON.gz", "e.csv", ".f.json"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    expand = get_loader("json").expand
    assert expand is not None
    assert [path.name for path in expand(tmp_path)] == [
        "a.jsonl",
        "b.json",
        "c.ndjson.gz",
        "d.JSON.gz",
    ]


BIG = "x" * 700_000


def test_what_does_not_fit_is_read_as_what_does(tmp_path: Path) -> None:
    """Objects and arrays larger than the window, named at their end, nested, in arrays of arrays."""
    plain: Any = {
        "data": {
            "items": [{"n": n, "deep": {"id": n % 3}, "text": BIG} for n in range(4)],
            "nested": [
                [{"a": BIG}, {"b": [BIG, {"c": BIG, "id": 9, "type": "T", "name": "nine"}]}]
            ],
            "by": {"@id": "z"},
            "name": "data itself",
        },
        "many": [{"@id": "z", "text": [BIG, BIG], "also": [], "none": {}, "title": "Zed"}],
        "name": "all",
    }
    big = json.dumps(plain, indent=1)
    assert len(big) > 6_000_000
    small = big.replace(BIG, "x")
    result = doc(tmp_path, big)
    shortened = [
        item._replace(tail="x") if isinstance(item, Fact) and item.tail == BIG else item
        for item in result
    ]
    # A class is told with what is whole before, with what is opened where it begins: all the same.
    assert sorted(map(repr, shortened)) == sorted(map(repr, doc(tmp_path, small)))
    assert things(result)["d.json#"].name == "all"
    assert things(result)["d.json#/data"].name == "data itself"
    assert things(result)["@id\x1fz"].name == "Zed"
    assert things(result)["T\x1f9"].name == "nine"


def test_what_is_wrong_far_inside_is_found(tmp_path: Path) -> None:
    lines = [f'  {{"n": {n}, "text": "{"x" * 1000}"}},\n' for n in range(5000)]
    lines[4000] = '  {"n": 1, "text" "x"},\n'
    with pytest.raises(
        UnreadableFile, match=r"expecting ':' delimiter, d.json, line 4002, column 19"
    ):
        doc(tmp_path, "[\n" + "".join(lines) + "]")
    lines[4000] = ""
    with pytest.raises(UnreadableFile, match=r"not JSON: it ends too early .*line 5001, column 1"):
        doc(tmp_path, "[\n" + "".join(lines))
    with pytest.raises(UnreadableFile, match=r"expecting ',' or '}', d.json, line 5001, column 1"):
        doc(tmp_path, '{"all": [\n' + "".join(lines)[:-2] + "]\n]")
    with pytest.raises(UnreadableFile, match="expecting the name of a member, in double quotes"):
        doc(tmp_path, '{"all": [\n' + "".join(lines)[:-2] + "], 5: 6}")
    with pytest.raises(UnreadableFile, match="nested more than 100 deep"):
        doc(tmp_path, '{"a":' * 200 + "[\n" + "".join(lines)[:-2] + "]" + "}" * 200)


def test_a_text_that_is_too_long(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="a text of more than 16,777,216 characters"):
        doc(tmp_path, f'[{{"a": "{"x" * 18_000_000}"}}]')


def test_numbers_at_the_edge_of_the_window(tmp_path: Path) -> None:
    for pad in range(8):
        content = '{"a": [' + " " * ((1 << 20) - 10 + pad) + '123456789, true, null, "x", -1.5e3 ]}'
        assert [f.tail for f in facts(doc(tmp_path, content))] == [
            "123456789", "true", "x", "-1.5e3",
        ]  # fmt: skip


scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(st.characters(exclude_categories=["Cs"])),
    st.floats(allow_nan=False),
)  # fmt: skip
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.text("abid@/~ ", max_size=4), inner, max_size=4),
    ),
    max_leaves=15,
)


@given(
    records=st.lists(st.dictionaries(st.text("abid@", max_size=3), values, max_size=5), min_size=1)
)
@example(records=[{"@id": [False]}])
@example(records=[{"": {}}, {"@id": [False]}])
@example(records=[{"@id": {"a": "x"}}, {"a": {"@id": [1, "y"]}}])
@example(records=[{"a": ["", False]}])
@settings(max_examples=60)
def test_every_scalar_is_a_fact(
    tmp_path_factory: pytest.TempPathFactory, records: list[dict[str, Any]]
) -> None:
    """Whatever is in a document, each text and number of it is the tail of a fact.

    An empty text is missing among the values of a cell.
    """
    folder = tmp_path_factory.mktemp("any")

    def leaves(value: object) -> list[str]:
        if isinstance(value, dict):
            if value.keys() == {"@id"} and isinstance(value["@id"], (str, int, float)):
                return []
            return [leaf for nested in value.values() for leaf in leaves(nested)]
        if isinstance(value, list):
            return [leaf for nested in value for leaf in leaves(nested)]
        if value is None:
            return []
        return [value if isinstance(value, str) else json.dumps(value)]

    texts = leaves(records)
    content = json.dumps(records)
    if not any(r for r in records) or not texts:
        return
    result = doc(folder, content)
    assert {*filter(None, texts)} <= {f.tail for f in facts(result)}
    assert result == doc(folder, content)


def test_loaded_and_asked(tuqa: TrustUQA, tmp_path: Path) -> None:
    path = tmp_path / "films.json"
    path.write_text(
        '{"films": [{"id": 1, "title": "Alien", "year": 1979, "by": {"@id": "rs"}, "odd": "x\\u0000y"},'
        ' {"id": 2, "title": "Heat", "year": 1995, "by": {"@id": "mm"}}],'
        ' "people": [{"@id": "rs", "name": "Ridley Scott"}, {"@id": "mm", "name": "Michael Mann"}]}'
    )
    report = tuqa.load("json", path, dataset="films-json", embeddings=False)
    assert report.facts == 21
    query = "get_information(head_entity='Alien', relation='by')"
    answer = tuqa.run(query, "films-json")
    assert answer.values == ("Ridley Scott",)
    assert answer.evidence[0].line == 1
    count = tuqa.run("count(get_information(relation='type', tail_entity='films'))", "films-json")
    assert count.values in ((2,), ("2",))
    odd = tuqa.run("get_information(head_entity='Alien', relation='odd')", "films-json")
    assert odd.values == ("x\0y",)


@pytest.mark.parametrize(
    ("place", "label"),
    [
        ("customers", "customer 1"),
        ("categories", "category 1"),
        ("addresses", "address 1"),
        ("boxes", "box 1"),
        ("branches", "branch 1"),
        ("order items", "order item 1"),
        ("employees", "employee 1"),
        ("houses", "house 1"),
        ("prizes", "prize 1"),
        ("status", "status 1"),
        ("class", "class 1"),
        ("analysis", "analysis 1"),
        ("Kunden", "Kunden 1"),
    ],
)
def test_a_record_is_called_by_the_singular_of_its_place(
    tmp_path: Path, place: str, label: str
) -> None:
    content = json.dumps({place: [{"size": 3}], "of": {"x": 1}})
    result = items("json", written(tmp_path, {"a.json": content}))
    assert label in [node.label for node in things(result).values()]
