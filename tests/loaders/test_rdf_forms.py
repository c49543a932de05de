"""``rdf``: every written form of RDF comes to the same facts, and what is none is refused."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from items import facts, items, parts, things, written

from trustuqa_neo4j.errors import DataError, MalformedLine, UnreadableFile
from trustuqa_neo4j.loader import Reading, loader
from trustuqa_neo4j.triples import Fact, Item, Part, Thing

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
    reading = Reading()
    found = items("rdf", written(tmp_path, {name: FORMS[name]}), reading)
    assert found[0] == Part(name, name, "kg")
    assert {(f.head, f.relation, f.tail) for f in facts(found)} == {
        ("http://e.org/rex", "owner", "http://e.org/me"),
        ("http://e.org/rex", "age", "3"),
        ("http://e.org/rex", "dish", f"_:1@{name}"),
    }
    assert things(found) == {
        "http://e.org/rex": Thing("http://e.org/rex", "Réx"),
        "http://e.org/me": Thing("http://e.org/me", "me"),
        f"_:1@{name}": Thing(f"_:1@{name}", None),
    }
    assert bool(reading.remarks) == (name in ("d.nq", "d.trig"))
    again = items("rdf", written(tmp_path, {name + ".gz": gzip.compress(FORMS[name].encode())}))
    assert len(again) == len(found)


def test_lines(tmp_path: Path) -> None:
    expected = {"d.nt": [1, 2, 4], "d.ttl": [2, 2, 3], "d.rdf": [6, 7, 9]}
    for name, lines in expected.items():
        found = items("rdf", written(tmp_path, {name: FORMS[name]}))
        assert [fact.line for fact in facts(found)] == lines


def test_named_graphs_are_told(tmp_path: Path) -> None:
    reading = Reading()
    items("rdf", written(tmp_path, {"d.nq": FORMS["d.nq"]}), reading)
    (remark,) = reading.remarks.values()
    assert (remark.times, remark.places[0]) == (4, "d.nq:1")


def test_several_files(tmp_path: Path) -> None:
    """A label in one names things of another; each is a source."""
    label = '<x:a> <http://www.w3.org/2000/01/rdf-schema#label> "A" .\n'
    files = written(tmp_path, {"f.nt": "<x:a> <x:p> <x:b> .\n", "l.ttl": label})
    found: list[Item] = items("rdf", files)
    assert [part.file for part in parts(found)] == ["f.nt", "l.ttl"]
    assert things(found)["x:a"] == Thing("x:a", "A")
    assert facts(found) == [Fact("x:a", "p", "x:b", 1)]


def test_a_folder(tmp_path: Path) -> None:
    written(tmp_path, {"b.ttl": "", "a/a.owl.gz": "", "c.txt": ""})
    expand = loader("rdf").expand
    assert expand is not None
    assert expand(tmp_path) == [tmp_path / "a/a.owl.gz", tmp_path / "b.ttl"]


BAD: dict[str, tuple[str, str, type[DataError], str, str]] = {
    "no suffix": ("d.txt", N_TRIPLES, UnreadableFile, "its name does not say", "d.txt"),
    "N3": ("d.n3", TURTLE, UnreadableFile, "its name does not say", "d.n3"),
    "text": ("d.owl", "hello", MalformedLine, "unexpected text event", "d.owl:1"),
    "cut": ("d.rdf", RDF_XML[:-30], MalformedLine, "", "d.rdf:"),
    "HTML": ("d.xml", "<html><body>x</body></html>", MalformedLine, "XML namespaces", "d.xml:1"),
    "Latin-1": (
        "d.rdf", RDF_XML.replace("utf-8", "iso-8859-1"), MalformedLine, "only UTF-8", "d.rdf:",
    ),
    "no entity": ("d.rdf", RDF_XML.replace("ENTITY xsd", "ENTITY x"), MalformedLine, "", "d.rdf:"),
    "context elsewhere": (
        "d.jsonld", '{"@context": "http://schema.org/", "name": "x"}', MalformedLine,
        "its @context lies elsewhere", "d.jsonld:",
    ),
    "JSON": ("d.jsonld", "{", MalformedLine, "", "d.jsonld:"),
    "no triple": ("d.jsonld", "{}", UnreadableFile, "no fact in it", "d.jsonld"),
    "no graph in TriG": ("d.trig", ":g { :a :b", MalformedLine, "", "d.trig:"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "content", "kind", "what", "where"), BAD.values(), ids=BAD)
def test_what_is_refused(
    tmp_path: Path, name: str, content: str, kind: type[DataError], what: str, where: str
) -> None:
    with pytest.raises(kind) as caught:
        items("rdf", written(tmp_path, {name: content}))
    assert caught.value.what.lower().startswith(what.lower())
    assert caught.value.where.startswith(where)
    assert caught.value.hint


def test_bad_lines_of_quads_are_passed_over(tmp_path: Path) -> None:
    content = "<x:a> <x:p> <x:b> <x:g> .\n<x:a> <x:p> .\n<x:a> <x:p> <x:c> .\n"
    reading = Reading(skip_bad=1)
    found = items("rdf", written(tmp_path, {"d.nq": content}), reading)
    assert [fact.tail for fact in facts(found)] == ["x:b", "x:c"]
    assert [bad.where for bad in reading.bad] == ["d.nq:2"]
