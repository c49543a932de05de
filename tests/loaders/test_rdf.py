"""N-Triples and Turtle as ``kg``: keys, names, relations, lines, and what is refused and how."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from items import facts, items, parts, things, written

from trustuqa_neo4j.errors import (
    DataError,
    MalformedLine,
    MissingExtra,
    MissingFile,
    UnreadableFile,
)
from trustuqa_neo4j.loader import File, Reading
from trustuqa_neo4j.triples import Fact, Item, Part, Thing

PREFIXES = (
    "@prefix : <http://e.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . "
    "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n"
)


def nt(folder: Path, content: str | bytes, reading: Reading | None = None) -> list[Item]:
    return items("kg", written(folder, {"g.nt": content}), reading)


def ttl(folder: Path, content: str, reading: Reading | None = None) -> list[Item]:
    return items("kg", written(folder, {"g.ttl": PREFIXES + content}), reading)


def e(name: str) -> str:
    return f"http://e.org/{name}"


def test_ntriples(tmp_path: Path) -> None:
    content = (
        "# made by hand\n"
        "<http://e.org/a> <http://e.org/knows> <http://e.org/b> .\n\n"
        '<http://e.org/a> <http://e.org/age> "42"^^<http://www.w3.org/2001/XMLSchema#integer> . # yes\r\n'
        '<http://e.org/b> <http://e.org/motto> "Per \\u00e1spera\\n\\"ad astra\\""@la .'
    )
    expected: list[Item] = [
        Part("g.nt", "g.nt", "kg"),
        Thing(e("a"), "a"),
        Thing(e("b"), "b"),
        Fact(e("a"), "knows", e("b"), 2),
        Fact(e("a"), "age", "42", 4),
        Fact(e("b"), "motto", 'Per áspera\n"ad astra"', 5),
    ]
    assert nt(tmp_path, content) == expected
    zipped = items("kg", written(tmp_path, {"g.nt.gz": gzip.compress(content.encode(), mtime=0)}))
    assert zipped[1:] == expected[1:]


def test_turtle_gives_the_line_in_which_a_tail_ends(tmp_path: Path) -> None:
    content = ':a :p :b ;\n  :q 1.5,\n 2 .\n\n:c :r """two\nlines""" . :c :s :d .\n:e :f\n:g\n.\n:h :i true .'
    assert [(f.relation, f.tail, f.line) for f in facts(ttl(tmp_path, content))] == [
        ("p", e("b"), 2),
        ("q", "1.5", 3),
        ("q", "2", 4),
        ("r", "two\nlines", 7),
        ("s", e("d"), 7),
        ("f", e("g"), 9),
        ("i", "true", 11),
    ]


def test_very_long_lines(tmp_path: Path) -> None:
    """The parser asks for so many bytes and must never get more."""
    text = "é" * 300_000
    content = f':a :p "{text}" .\n:b :p "x{text}" .\n'
    assert [(f.tail, f.line) for f in facts(ttl(tmp_path, content))] == [(text, 2), ("x" + text, 3)]


@pytest.mark.parametrize(
    ("labels", "name", "aliases"),
    [
        ('"A"', "A", ()),
        ('"A"@fr', "A", ()),
        ('"B"@fr, "A"@en', "A", ("B",)),
        ('"B"@fr, "C", "A"@en-GB', "A", ("B", "C")),
        ('"B"@fr, "A"', "A", ("B",)),
        ('"A"@fr, "B"@de, "A"@it', "A", ("B",)),
        ('"A"@en, "B"@en', "A", ("B",)),
        ('" ", ""', "a", ()),
    ],
)
def test_names_are_labels(tmp_path: Path, labels: str, name: str, aliases: tuple[str, ...]) -> None:
    """English, then without language, then the first; the others are aliases."""
    found = ttl(tmp_path, f":a :p :b .\n:a rdfs:label {labels} .")
    assert things(found)[e("a")] == Thing(e("a"), name, aliases)
    assert [fact.relation for fact in facts(found)] == ["p"]


def test_other_labels_are_aliases(tmp_path: Path) -> None:
    content = ':a skos:altLabel "X"@en, "Y" ; rdfs:label "A"@fr ; skos:prefLabel "P"@en ; :p :b .\n'
    content += ':b skos:altLabel "Z" .'
    found = things(ttl(tmp_path, content))
    assert found[e("a")] == Thing(e("a"), "P", ("X", "Y", "A"))
    assert found[e("b")] == Thing(e("b"), "b", ("Z",))


def test_a_label_that_is_a_thing_is_a_fact(tmp_path: Path) -> None:
    found = facts(ttl(tmp_path, ":a rdfs:label :b ."))
    assert found == [Fact(e("a"), "label", e("b"), 2)]


@pytest.mark.parametrize(
    ("iri", "name"),
    [
        ("http://dbpedia.org/resource/Neil_Armstrong", "Neil_Armstrong"),
        ("http://e.org/o#Mission", "Mission"),
        ("http://e.org/a/b#", "b"),
        ("http://e.org/a/", "a"),
        ("http://e.org/Caf%C3%A9%20%2F%201", "Café / 1"),
        ("http://e.org/%FF", "%FF"),
        ("http://e.org/%20", "http://e.org/%20"),
        ("urn:isbn:0451450523", "0451450523"),
        ("http://e.org/a?b=c", "a?b=c"),
        ("http://e.org/日本", "日本"),
        ("x:", "x:"),
    ],
)
def test_without_a_label_the_local_name_is_the_name(tmp_path: Path, iri: str, name: str) -> None:
    assert things(nt(tmp_path, f"<{iri}> <x:p> <x:b> .\n"))[iri].name == name


RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


def test_relations_are_local_names_unless_two_are_the_same(tmp_path: Path) -> None:
    """In which order, and in which of the files, they stand makes no difference."""
    one = f"<x:a> <http://e.org/name> <x:b> .\n<x:a> <{RDF_TYPE}> <x:C> .\n"
    one += "<x:a> <http://e.org/born%20in> <x:d> .\n"
    two = "<x:a> <http://f.org/name> <x:b> .\n<x:a> <http://e.org/type> <x:b> .\n<x:a> <x:only> <x:b> .\n"
    found = items("kg", written(tmp_path, {"one.nt": one, "two.nt": two}))
    assert [fact.relation for fact in facts(found)] == [
        "http://e.org/name", "type", "born in", "http://f.org/name", "http://e.org/type", "only",
    ]  # fmt: skip
    assert [fact.relation for fact in facts(nt(tmp_path, one))] == ["name", "type", "born in"]


def test_predicates_of_labels_take_no_relation(tmp_path: Path) -> None:
    found = facts(ttl(tmp_path, ':a rdfs:label "A" ; :label "B" .'))
    assert [fact.relation for fact in found] == ["label"]


def test_blank_nodes_are_unnamed_and_keyed_by_file_and_order(tmp_path: Path) -> None:
    content = PREFIXES + ':a :p [ :q 1 ; :r _:x ] . _:x :s _:y . _:z rdfs:label "Z" ; :t _:x .'
    files = written(tmp_path, {"one.ttl": content, "two.ttl": content})
    found = items("kg", files)
    assert found == items("kg", files)
    assert {key: thing.name for key, thing in things(found).items() if key.startswith("_:")} == {
        "_:1@one.ttl": None, "_:2@one.ttl": None, "_:3@one.ttl": None, "_:4@one.ttl": "Z",
        "_:1@two.ttl": None, "_:2@two.ttl": None, "_:3@two.ttl": None, "_:4@two.ttl": "Z",
    }  # fmt: skip
    assert [(f.head, f.relation, f.tail) for f in facts(found)][:6] == [
        ("_:1@one.ttl", "q", "1"), ("_:1@one.ttl", "r", "_:2@one.ttl"), (e("a"), "p", "_:1@one.ttl"),
        ("_:2@one.ttl", "s", "_:3@one.ttl"), ("_:4@one.ttl", "t", "_:2@one.ttl"),
        ("_:1@two.ttl", "q", "1"),
    ]  # fmt: skip


def test_labels_of_one_file_name_things_of_another(tmp_path: Path) -> None:
    label = '<x:a> <http://www.w3.org/2000/01/rdf-schema#label> "A" .\n'
    files = written(tmp_path, {"f.nt": "<x:a> <x:p> <x:b> .\n", "l.nt": label, "t": "a\tr\tb\n"})
    found = items("kg", files)
    assert [part.file for part in parts(found)] == ["f.nt", "l.nt", "t"]
    assert things(found) == {"x:a": Thing("x:a", "A"), "x:b": Thing("x:b", "b")}
    assert facts(found) == [Fact("x:a", "p", "x:b", 1), Fact("a", "r", "b", 1)]


def test_an_empty_text_is_no_tail(tmp_path: Path) -> None:
    reading = Reading()
    found = ttl(tmp_path, ':a :p "" ; :q " " ; :r :b .', reading)
    assert [fact.relation for fact in facts(found)] == ["r"]
    assert reading.remarks["an empty text is no tail"].times == 2
    assert reading.remarks["an empty text is no tail"].places == ["g.ttl:2", "g.ttl:2"]


def test_bad_lines_of_ntriples_are_passed_over_and_listed(tmp_path: Path) -> None:
    good = "<x:a> <x:p> <x:b> .\n"
    content = (
        good + "<x:a> <x:p> .\n" + good + "<a> <b> <c d> .\n" + good
        + "<x:a> <x:p> <x:b> <x:g> .\n" + good + "<x:a>\n<x:p> <x:b> .\n" + good
        + "<x:a> <x:p> <<( <x:a> <x:p> <x:b> )>> .\n" + '<x:a> <x:p> "open'
    )  # fmt: skip
    reading = Reading(skip_bad=9)
    assert [fact.line for fact in facts(nt(tmp_path, content, reading))] == [1, 3, 5, 7, 10]
    assert [bad.where for bad in reading.bad] == [
        f"g.nt:{line}" for line in (2, 4, 6, 8, 9, 11, 12)
    ]
    assert reading.bad[0].what == "the object of a triple must be an IRI, a blank node or a literal"
    with pytest.raises(MalformedLine, match=r"g\.nt:4, .*--skip-bad N"):
        nt(tmp_path, content, Reading(skip_bad=1))


BAD: dict[str, tuple[str, str | bytes, type[DataError], str, str]] = {
    "empty": ("g.nt", "", UnreadableFile, "the file is empty", "g.nt"),
    "blank": ("g.nt", "\n\n", UnreadableFile, "no fact in it", "g.nt"),
    "comments": ("g.ttl", "# nothing\n", UnreadableFile, "no fact in it", "g.ttl"),
    "prefixes": ("g.ttl", PREFIXES, UnreadableFile, "no fact in it", "g.ttl"),
    "labels": ("g.ttl", PREFIXES + ':a rdfs:label "A" .', UnreadableFile, "no fact in it", "g.ttl"),
    "columns": ("g.nt", "a\tr\tb\n", MalformedLine, "the subject of a triple must be", "g.nt:1"),
    "Turtle in N-Triples": ("g.nt", PREFIXES, MalformedLine, "the subject of a triple must be", "g.nt:1"),
    "unknown prefix": (
        "g.ttl", PREFIXES + ":a :b :c .\n:a x:b :c .\n", MalformedLine,
        "the prefix x: has not been declared", "g.ttl:3",
    ),
    "no dot": (
        "g.ttl", PREFIXES + ":a :b :c\n\n:d :e :f .\n", MalformedLine,
        "a dot is expected at the end of statements", "g.ttl:4",
    ),
    "relative IRI": ("g.ttl", "<a> <b> <c> .", MalformedLine, "no scheme found", "g.ttl:1"),
    "open text": (
        "g.ttl", PREFIXES + ':a :b """c .\n\n\n:d :e :f .\n', MalformedLine,
        "unexpected end of file", "g.ttl:2",
    ),
    "NUL": ("g.ttl", ":a\0 :b :c .", UnreadableFile, "a NUL character", "g.ttl:1"),
    "not UTF-8": ("g.nt", b"<x:a> <x:b> <x:c> .\n\xff", UnreadableFile, "not UTF-8 text", "g.nt:2"),
    "broken gzip": (
        "g.nt.gz", gzip.compress(b"<x:a> <x:b> <x:c> .\n" * 99, mtime=0)[:-20], UnreadableFile,
        "its gzip data is damaged", "g.nt.gz, after line",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("name", "content", "kind", "what", "where"), BAD.values(), ids=BAD)
def test_what_is_refused(
    tmp_path: Path, name: str, content: str | bytes, kind: type[DataError], what: str, where: str
) -> None:
    with pytest.raises(kind) as caught:
        items("kg", written(tmp_path, {name: content}))
    assert caught.value.what.startswith(what)
    assert caught.value.where.startswith(where)
    assert caught.value.hint


def test_errors_in_turtle_are_never_passed_over(tmp_path: Path) -> None:
    with pytest.raises(MalformedLine, match=r"g\.ttl:2, correct it there"):
        ttl(tmp_path, ":a :b .\n:a :b :c .", Reading(skip_bad=9))


@pytest.mark.parametrize("name", ["o.rdf", "o.owl", "o.XML.gz", "o.jsonld", "o.nq", "o.trig"])
def test_forms_of_rdf_that_are_not_of_kg(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnreadableFile, match=r"kg does not read .* files, o\..*load it as rdf"):
        items("kg", written(tmp_path, {name: "a\tr\tb\n"}))


def test_n3_is_no_form_of_rdf(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"kg does not read \.n3 files.*write it as Turtle"):
        items("kg", written(tmp_path, {"o.n3": "a\tr\tb\n"}))


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(MissingFile, match=r"no such file, gone\.nt"):
        items("kg", [File(tmp_path / "gone.nt", "gone.nt")])
    with pytest.raises(UnreadableFile, match=r"a folder, here\.ttl"):
        items("kg", [File(tmp_path, "here.ttl")])


def test_without_the_parser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyoxigraph", None)
    with pytest.raises(MissingExtra, match=r"pyoxigraph.*trustuqa-neo4j\[rdf\]"):
        nt(tmp_path, "<x:a> <x:p> <x:b> .\n")
    assert facts(items("kg", written(tmp_path, {"t": "a\tr\tb\n"})))


def test_progress_is_of_the_reading_that_gives_facts(tmp_path: Path) -> None:
    told: list[int] = []
    content = "<x:a> <x:p> <x:b> .\n" * 5000
    nt(tmp_path, content, Reading(progress=lambda _, done: told.append(done)))
    assert told == sorted(told)
    assert 4 <= len(told) <= 6


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff"), min_size=1)
names = st.from_regex(r"[A-Za-z][A-Za-z0-9_.-]*", fullmatch=True)


def literal(text: str) -> str:
    escaped = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"}
    return '"' + "".join(escaped.get(letter, letter) for letter in text) + '"'


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(names, names, texts.filter(lambda text: bool(text.strip()))), min_size=1))
def test_whatever_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, triples: list[tuple[str, str, str]]
) -> None:
    content = "".join(
        f"<x:{head}> <x:p> {literal(text)} .\n<x:{head}> <x:p> <x:{tail}> .\n"
        for head, tail, text in triples
    )
    for name in ("g.nt", "g.ttl"):
        found = items("kg", written(tmp_path_factory.getbasetemp(), {name: content}))
        expected = [
            fact
            for number, (head, tail, text) in enumerate(triples)
            for fact in (
                Fact(f"x:{head}", "p", text, 2 * number + 1),
                Fact(f"x:{head}", "p", f"x:{tail}", 2 * number + 2),
            )
        ]
        assert facts(found) == expected
