"""N-Triples and Turtle as ``kg``: keys, names, relations, lines, and what is refused and how."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.items import facts, items, parts, things, written

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.errors import (
    DataError,
    MalformedLine,
    MissingExtra,
    MissingFile,
    UnreadableFile,
)
from trustuqa_neo4j.loading.formats import File, ReadOptions, get_loader
from trustuqa_neo4j.model.facts import Fact, Item, NodeDeclared, SourceStart
from trustuqa_neo4j.values import ValueOptions

PREFIXES = (
    "@prefix : <http://e.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . "
    "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n"
)


def nt(folder: Path, content: str | bytes, options: ReadOptions | None = None) -> list[Item]:
    return items("kg", written(folder, {"g.nt": content}), options)


def ttl(folder: Path, content: str, options: ReadOptions | None = None) -> list[Item]:
    return items("kg", written(folder, {"g.ttl": PREFIXES + content}), options)


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
        SourceStart("g.nt", "g.nt", "kg"),
        NodeDeclared(e("a"), "a"),
        NodeDeclared(e("b"), "b"),
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
    result = ttl(tmp_path, f":a :p :b .\n:a rdfs:label {labels} .")
    assert things(result)[e("a")] == NodeDeclared(e("a"), name, aliases)
    assert [fact.relation for fact in facts(result)] == ["p"]


def test_other_labels_are_aliases(tmp_path: Path) -> None:
    content = ':a skos:altLabel "X"@en, "Y" ; rdfs:label "A"@fr ; skos:prefLabel "P"@en ; :p :b .\n'
    content += ':b skos:altLabel "Z" .'
    result = things(ttl(tmp_path, content))
    assert result[e("a")] == NodeDeclared(e("a"), "P", ("X", "Y", "A"))
    assert result[e("b")] == NodeDeclared(e("b"), "b", ("Z",))


def test_a_label_that_is_a_thing_is_a_fact(tmp_path: Path) -> None:
    result = facts(ttl(tmp_path, ":a rdfs:label :b ."))
    assert result == [Fact(e("a"), "label", e("b"), 2)]


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
    first = f"<x:a> <http://e.org/name> <x:b> .\n<x:a> <{RDF_TYPE}> <x:C> .\n"
    first += "<x:a> <http://e.org/born%20in> <x:d> .\n"
    two = "<x:a> <http://f.org/name> <x:b> .\n<x:a> <http://e.org/type> <x:b> .\n<x:a> <x:only> <x:b> .\n"
    result = items("kg", written(tmp_path, {"one.nt": first, "two.nt": two}))
    assert [fact.relation for fact in facts(result)] == [
        "http://e.org/name", "type", "born in", "http://f.org/name", "http://e.org/type", "only",
    ]  # fmt: skip
    assert [fact.relation for fact in facts(nt(tmp_path, first))] == ["name", "type", "born in"]


def test_predicates_of_labels_take_no_relation(tmp_path: Path) -> None:
    result = facts(ttl(tmp_path, ':a rdfs:label "A" ; :label "B" .'))
    assert [fact.relation for fact in result] == ["label"]


def test_blank_nodes_are_unnamed_and_keyed_by_file_and_order(tmp_path: Path) -> None:
    content = PREFIXES + ':a :p [ :q 1 ; :r _:x ] . _:x :s _:y . _:z rdfs:label "Z" ; :t _:x .'
    files = written(tmp_path, {"one.ttl": content, "two.ttl": content})
    result = items("kg", files)
    assert result == items("kg", files)
    assert {key: thing.name for key, thing in things(result).items() if key.startswith("_:")} == {
        "_:1@one.ttl": None, "_:2@one.ttl": None, "_:3@one.ttl": None, "_:4@one.ttl": "Z",
        "_:1@two.ttl": None, "_:2@two.ttl": None, "_:3@two.ttl": None, "_:4@two.ttl": "Z",
    }  # fmt: skip
    assert [(f.head, f.relation, f.tail) for f in facts(result)][:6] == [
        ("_:1@one.ttl", "q", "1"), ("_:1@one.ttl", "r", "_:2@one.ttl"), (e("a"), "p", "_:1@one.ttl"),
        ("_:2@one.ttl", "s", "_:3@one.ttl"), ("_:4@one.ttl", "t", "_:2@one.ttl"),
        ("_:1@two.ttl", "q", "1"),
    ]  # fmt: skip


def test_labels_of_one_file_name_things_of_another(tmp_path: Path) -> None:
    label = '<x:a> <http://www.w3.org/2000/01/rdf-schema#label> "A" .\n'
    files = written(tmp_path, {"f.nt": "<x:a> <x:p> <x:b> .\n", "l.nt": label, "t": "a\tr\tb\n"})
    result = items("kg", files)
    assert [part.file for part in parts(result)] == ["f.nt", "l.nt", "t"]
    assert things(result) == {"x:a": NodeDeclared("x:a", "A"), "x:b": NodeDeclared("x:b", "b")}
    assert facts(result) == [Fact("x:a", "p", "x:b", 1), Fact("a", "r", "b", 1)]


def test_an_empty_text_is_no_tail(tmp_path: Path) -> None:
    options = ReadOptions()
    result = ttl(tmp_path, ':a :p "" ; :q " " ; :r :b .', options)
    assert [fact.relation for fact in facts(result)] == ["r"]
    assert options.remarks["empty text, skipped"].times == 2
    assert options.remarks["empty text, skipped"].places == ["g.ttl:2", "g.ttl:2"]


def test_bad_lines_of_ntriples_are_skipped_and_listed(tmp_path: Path) -> None:
    good = "<x:a> <x:p> <x:b> .\n"
    content = (
        good + "<x:a> <x:p> .\n" + good + "<a> <b> <c d> .\n" + good
        + "<x:a> <x:p> <x:b> <x:g> .\n" + good + "<x:a>\n<x:p> <x:b> .\n" + good
        + "<x:a> <x:p> <<( <x:a> <x:p> <x:b> )>> .\n" + '<x:a> <x:p> "open'
    )  # fmt: skip
    options = ReadOptions(skip_bad=9)
    assert [fact.line for fact in facts(nt(tmp_path, content, options))] == [1, 3, 5, 7, 10]
    assert [bad.where for bad in options.bad] == [
        f"g.nt:{line}" for line in (2, 4, 6, 8, 9, 11, 12)
    ]
    assert options.bad[0].what == "the object of a triple must be an IRI, a blank node or a literal"
    with pytest.raises(MalformedLine, match=r"g\.nt:4\nhint: .*skip_bad=N"):
        nt(tmp_path, content, ReadOptions(skip_bad=1))


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


def test_errors_in_turtle_are_never_skipped(tmp_path: Path) -> None:
    with pytest.raises(MalformedLine, match=r"g\.ttl:2\nhint: correct the file there"):
        ttl(tmp_path, ":a :b .\n:a :b :c .", ReadOptions(skip_bad=9))


@pytest.mark.parametrize("name", ["o.rdf", "o.owl", "o.XML.gz", "o.jsonld", "o.nq", "o.trig"])
def test_forms_of_rdf_that_are_not_of_kg(tmp_path: Path, name: str) -> None:
    with pytest.raises(
        UnreadableFile, match=r"kg does not read .* files, o\..*\nhint: load it as rdf"
    ):
        items("kg", written(tmp_path, {name: "a\tr\tb\n"}))


def test_relative_iris_belong_to_their_file(tmp_path: Path) -> None:
    files = written(tmp_path, {"my g.ttl": "<#ann> <#knows> <> .", "h.ttl": "<#ann> <#age> 7 ."})
    found = items("kg", files)
    assert facts(found) == [
        Fact("file:///my%20g.ttl#ann", "knows", "file:///my%20g.ttl", 1),
        Fact("file:///h.ttl#ann", "age", "7", 1),
    ]
    assert things(found)["file:///my%20g.ttl#ann"].name == "ann"


def test_the_content_shows_rdf(tmp_path: Path) -> None:
    content = TURTLE.replace("_:d", ":d")
    for name in ("o.txt", "o.n3"):
        from_content = items("kg", written(tmp_path, {name: content}))
        assert facts(from_content) == facts(items("kg", written(tmp_path, {"o.ttl": content})))
        assert facts(items("rdf", written(tmp_path, {name: content}))) == facts(from_content)
    with pytest.raises(UnreadableFile, match=r"kg does not read \.trig files"):
        items("kg", written(tmp_path, {"o.txt": "@prefix : <http://x/> .\n{ :a :b :c . }\n"}))


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(MissingFile, match=r"no such file, gone\.nt"):
        items("kg", [File(tmp_path / "gone.nt", "gone.nt")])
    with pytest.raises(UnreadableFile, match=r"a folder, here\.ttl"):
        items("kg", [File(tmp_path, "here.ttl")])


def test_without_the_parser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyoxigraph", None)
    with pytest.raises(MissingExtra, match=r"pyoxigraph.*\n.*trustuqa-neo4j\[formats\]"):
        nt(tmp_path, "<x:a> <x:p> <x:b> .\n")
    assert facts(items("kg", written(tmp_path, {"t": "a\tr\tb\n"})))


def test_progress_is_of_the_reading_that_gives_facts(tmp_path: Path) -> None:
    positions: list[int] = []
    content = "<x:a> <x:p> <x:b> .\n" * 5000
    nt(tmp_path, content, ReadOptions(progress=lambda _, done: positions.append(done)))
    assert positions == sorted(positions)
    assert 4 <= len(positions) <= 6


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff"), min_size=1)
names = st.from_regex(r"[A-Za-z][A-Za-z0-9_.-]*", fullmatch=True)


def literal(text: str) -> str:
    escaped = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"}
    return '"' + "".join(escaped.get(letter, letter) for letter in text) + '"'


@settings(max_examples=60)
@given(st.lists(st.tuples(names, names, texts.filter(lambda text: bool(text.strip()))), min_size=1))
def test_whatever_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, triples: list[tuple[str, str, str]]
) -> None:
    content = "".join(
        f"<x:{head}> <x:p> {literal(text)} .\n<x:{head}> <x:p> <x:{tail}> .\n"
        for head, tail, text in triples
    )
    for name in ("g.nt", "g.ttl"):
        result = items("kg", written(tmp_path_factory.getbasetemp(), {name: content}))
        expected = [
            fact
            for number, (head, tail, text) in enumerate(triples)
            for fact in (
                Fact(f"x:{head}", "p", text, 2 * number + 1),
                Fact(f"x:{head}", "p", f"x:{tail}", 2 * number + 2),
            )
        ]
        assert facts(result) == expected


# ``rdf``: every written form of RDF comes to the same facts, and what is none is refused.

N_TRIPLES = """\
<http://e.org/rex> <http://e.org/owner> <http://e.org/me> .
<http://e.org/rex> <http://e.org/age> "3"^^<http://www.w3.org/2001/XMLSchema#int> .
<http://e.org/rex> <http://www.w3.org/2000/01/rdf-schema#label> "Réx"@en .
<http://e.org/rex> <http://e.org/dish> _:d .
"""
TURTLE = """\
@prefix : <http://e.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:rex :owner :me ; :age 3 ;
  rdfs:label "Réx"@en ; :dish _:d .
"""
RDF_XML = """\
<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE rdf:RDF [ <!ENTITY xsd "http://www.w3.org/2001/XMLSchema#"> ]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://e.org/"
  xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xml:base="http://e.org/">
<rdf:Description rdf:about="rex">
  <owner rdf:resource="me"/>
  <age rdf:datatype="&xsd;int">3</age>
  <rdfs:label xml:lang="en">Réx</rdfs:label>
  <dish rdf:nodeID="d"/>
</rdf:Description>
</rdf:RDF>
"""
JSON_LD = """\
{"@context": {"@vocab": "http://e.org/", "@base": "http://e.org/",
  "label": "http://www.w3.org/2000/01/rdf-schema#label"},
 "@id": "rex", "owner": {"@id": "me"}, "age": 3,
 "label": {"@value": "Réx", "@language": "en"}, "dish": {"@id": "_:d"}}
"""
FORMS = {
    "d.nt": N_TRIPLES,
    "d.nq": N_TRIPLES.replace(" .\n", " <http://e.org/graph> .\n"),
    "d.ttl": TURTLE,
    "d.trig": TURTLE.replace(":rex", ":graph { :rex").replace("_:d .", "_:d . }"),
    "d.rdf": RDF_XML,
    "d.OWL": RDF_XML,
    "d.xml": RDF_XML,
    "d.jsonld": JSON_LD,
}


@pytest.mark.parametrize("name", FORMS)
def test_forms(tmp_path: Path, name: str) -> None:
    options = ReadOptions()
    result = items("rdf", written(tmp_path, {name: FORMS[name]}), options)
    assert result[0] == SourceStart(name, name, "kg")
    assert {(f.head, f.relation, f.tail) for f in facts(result)} == {
        ("http://e.org/rex", "owner", "http://e.org/me"),
        ("http://e.org/rex", "age", "3"),
        ("http://e.org/rex", "dish", f"_:1@{name}"),
    }
    assert things(result) == {
        "http://e.org/rex": NodeDeclared("http://e.org/rex", "Réx"),
        "http://e.org/me": NodeDeclared("http://e.org/me", "me"),
        f"_:1@{name}": NodeDeclared(f"_:1@{name}", None),
    }
    assert bool(options.remarks) == (name in ("d.nq", "d.trig"))
    reloaded = items("rdf", written(tmp_path, {name + ".gz": gzip.compress(FORMS[name].encode())}))
    assert len(reloaded) == len(result)


def test_lines(tmp_path: Path) -> None:
    expected = {"d.nt": [1, 2, 4], "d.ttl": [2, 2, 3], "d.rdf": [6, 7, 9]}
    for name, lines in expected.items():
        result = items("rdf", written(tmp_path, {name: FORMS[name]}))
        assert [fact.line for fact in facts(result)] == lines


def test_named_graphs_are_told(tmp_path: Path) -> None:
    options = ReadOptions()
    items("rdf", written(tmp_path, {"d.nq": FORMS["d.nq"]}), options)
    (remark,) = options.remarks.values()
    assert (remark.times, remark.places[0]) == (4, "d.nq:1")


def test_several_files(tmp_path: Path) -> None:
    """A label in one names things of another; each is a source."""
    label = '<x:a> <http://www.w3.org/2000/01/rdf-schema#label> "A" .\n'
    files = written(tmp_path, {"f.nt": "<x:a> <x:p> <x:b> .\n", "l.ttl": label})
    result: list[Item] = items("rdf", files)
    assert [part.file for part in parts(result)] == ["f.nt", "l.ttl"]
    assert things(result)["x:a"] == NodeDeclared("x:a", "A")
    assert facts(result) == [Fact("x:a", "p", "x:b", 1)]


def test_a_folder(tmp_path: Path) -> None:
    written(tmp_path, {"b.ttl": "", "a/a.owl.gz": "", "c.txt": ""})
    expand = get_loader("rdf").expand
    assert expand is not None
    assert expand(tmp_path) == [tmp_path / "a/a.owl.gz", tmp_path / "b.ttl"]


BAD_FORMS: dict[str, tuple[str, str, type[DataError], str, str]] = {
    "columns": ("d.txt", "a\tr\tb\n", UnreadableFile, "neither its suffix nor", "d.txt"),
    "rules of N3": ("d.n3", TURTLE + "{ :a :b :c } => {} .", MalformedLine, "", "d.n3:"),
    "text": ("d.owl", "hello", MalformedLine, "unexpected text event", "d.owl:1"),
    "cut": ("d.rdf", RDF_XML[:-30], MalformedLine, "", "d.rdf:"),
    "HTML": ("d.xml", "<html><body>x</body></html>", MalformedLine, "XML namespaces", "d.xml:1"),
    "Latin-1": (
        "d.rdf", RDF_XML.replace("utf-8", "iso-8859-1"), MalformedLine, "only UTF-8", "d.rdf:",
    ),
    "no entity": ("d.rdf", RDF_XML.replace("ENTITY xsd", "ENTITY x"), MalformedLine, "", "d.rdf:"),
    "context elsewhere": (
        "d.jsonld", '{"@context": "http://schema.org/", "name": "x"}', MalformedLine,
        "its @context is a link", "d.jsonld:",
    ),
    "JSON": ("d.jsonld", "{", MalformedLine, "", "d.jsonld:"),
    "no triple": ("d.jsonld", "{}", UnreadableFile, "no fact in it", "d.jsonld"),
    "no graph in TriG": ("d.trig", ":g { :a :b", MalformedLine, "", "d.trig:"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "content", "kind", "what", "where"), BAD_FORMS.values(), ids=BAD_FORMS
)
def test_forms_that_are_refused(
    tmp_path: Path, name: str, content: str, kind: type[DataError], what: str, where: str
) -> None:
    with pytest.raises(kind) as caught:
        items("rdf", written(tmp_path, {name: content}))
    assert caught.value.what.lower().startswith(what.lower())
    assert caught.value.where.startswith(where)
    assert caught.value.hint


def test_bad_lines_of_quads_are_skipped(tmp_path: Path) -> None:
    content = "<x:a> <x:p> <x:b> <x:g> .\n<x:a> <x:p> .\n<x:a> <x:p> <x:c> .\n"
    options = ReadOptions(skip_bad=1)
    result = items("rdf", written(tmp_path, {"d.nq": content}), options)
    assert [fact.tail for fact in facts(result)] == ["x:b", "x:c"]
    assert [bad.where for bad in options.bad] == ["d.nq:2"]


def xml_with_entities(*entities: str) -> str:
    declared = "\n".join(f"<!ENTITY {entity}>" for entity in entities)
    return (
        f"<!DOCTYPE rdf:RDF [\n{declared}\n]>\n"
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e.org/">\n'
        '<rdf:Description rdf:about="http://e.org/a"><e:p>&a;</e:p></rdf:Description></rdf:RDF>'
    )


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize(
    "entities",
    [
        ['b "lol"', 'a "&b;&b;"'],
        ['b "lol"', 'a "&#38;b;&#38;b;"'],
        ['a "' + "x" * 201 + '"'],
        ['a SYSTEM "file:///etc/hostname"'],
        ['% a "x"'],
        ['a\n"&b;"'],
    ],
)
def test_entities_that_grow_are_refused(tmp_path: Path, entities: list[str], encoding: str) -> None:
    content = xml_with_entities(*entities).encode(encoding)
    options = ReadOptions(encoding=encoding)
    with pytest.raises(MalformedLine, match="an entity that is not a short text"):
        items("rdf", written(tmp_path, {"e.rdf": content}), options)


def test_entities_for_namespaces_are_read(tmp_path: Path) -> None:
    content = xml_with_entities('a "http://e.org/#"', 'b "x"')
    (fact,) = facts(items("rdf", written(tmp_path, {"e.rdf": content})))
    assert fact.tail == "http://e.org/#"


# Datatypes.

HARBOURS = """
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:a rdfs:label "Alt" ; :built "0120"^^xsd:gYear ; :closed "1994-11"^^xsd:gYearMonth .
:b rdfs:label "Bar" ; :built "-0310"^^xsd:gYear ; :closed "2001-03-01-05:00"^^xsd:date .
:c rdfs:label "Cos" ; :built "1979+02:00"^^xsd:gYear ; :closed "1994-05"^^xsd:gYearMonth .
:d rdfs:label "Don" ; :built "-0310-05-07"^^xsd:date ; :closed "2016-08-16T12:05:34Z"^^xsd:dateTime .
:a :depth 1.5E1 ; :wait "PT90M"^^xsd:duration . :b :depth 7 ; :wait "PT2H"^^xsd:duration .
:c :depth "2E1"^^xsd:double ; :big "1"^^xsd:boolean . :d :feast "--03-07"^^xsd:gMonthDay ; :big false .
"""
XSD = "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . "


def test_datatypes_say_how_a_relation_is_read(tmp_path: Path) -> None:
    result = ttl(tmp_path, HARBOURS)
    assert dict(parts(result)[0].readings) == {
        "built": "dates iso, type date",
        "closed": "dates iso, type date",
        "feast": "dates iso, type date",
        "wait": "type number",
    }
    tails = {(f.relation, f.tail) for f in facts(result)}
    assert {("big", "true"), ("big", "false"), ("depth", "20"), ("built", "1979+02:00")} <= tails


def test_an_option_overrules_a_datatype(tmp_path: Path) -> None:
    values = ValueOptions(columns={"built": ValueOptions(kind="text")})
    readings = parts(ttl(tmp_path, HARBOURS, ReadOptions(values=values)))[0].readings
    assert "built" not in dict(readings)


def test_modern_years_need_no_reading(tmp_path: Path) -> None:
    content = XSD + ':a :born "1990"^^xsd:gYear, "1990-05-06"^^xsd:date .'
    assert parts(ttl(tmp_path, content))[0].readings == ()


def test_dates_and_numbers_of_one_relation_are_noted(tmp_path: Path) -> None:
    options = ReadOptions()
    content = XSD + ':a :of "0120"^^xsd:gYear, 7 .'
    assert parts(ttl(tmp_path, content, options))[0].readings == ()
    (remark,) = options.remarks
    assert remark.startswith("'of' has dates and numbers: texts such as 0120 are not read as dates")
    assert options.remarks[remark].places == ["g.ttl:2"]


@pytest.mark.parametrize(
    ("query", "values"),
    [
        ("min(get_information(relation='built'))", ("-0310",)),
        ("max(get_information(relation='built'))", ("1979+02:00",)),
        ("max(get_information(relation='closed'))", ("2016-08-16T12:05:34Z",)),
        ("min(get_information(relation='closed'))", ("1994-05",)),
        ("max(get_information(relation='wait'))", ("PT2H",)),
        ("max(get_information(relation='depth'))", ("20",)),
    ],
)
def test_typed_values_are_compared(
    tuqa: TrustUQA, tmp_path: Path, query: str, values: tuple[object, ...]
) -> None:
    path = tmp_path / "harbours.ttl"
    path.write_text(PREFIXES + HARBOURS)
    tuqa.load("rdf", path, dataset="harbours", mode="replace", embeddings=False)
    assert set(tuqa.run(query, "harbours").values) == set(values)
