"""``r2rml``: what is wrong with mappings, tables, queries and values, and how that is told."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from items import facts, items, written
from mapped import DOGS, OWNERS, PREFIXES, mapping, read

from trustuqa_neo4j.errors import (
    MalformedLine,
    MissingExtra,
    TrustUQAError,
    UnreadableFile,
    UsageError,
)
from trustuqa_neo4j.loader import Reading

NAME = 'rr:predicate :name ; rr:objectMap [ rr:column "name" ]'
SUBJECT = 'rr:subjectMap [ rr:template "http://e.org/{id}" ]'


def obj(term: str) -> str:
    return mapping(f"rr:predicate :p ; rr:objectMap [ {term} ]")


BAD: dict[str, tuple[str, str, str]] = {
    "no such table": (
        mapping(NAME, 'rr:tableName "dog"'), "no table 'dog' in dogs.csv", "the nearest are dogs",
    ),
    "no such column": (
        obj('rr:column "nam"'), "no column 'nam' in the logical table", "the nearest are name",
    ),
    "no such column in a template": (obj('rr:template "x{nam}"'), "no column 'nam'", "name"),
    "no such column of a query": (
        mapping(NAME, 'rr:sqlQuery "select id from dogs"'), "no column 'name'", "there are id",
    ),
    "a column twice": (
        mapping(NAME, 'rr:sqlQuery "select id, name, name from dogs"'), "several columns 'name'", "name",
    ),
    "no such column of a join": (
        obj('rr:parentTriplesMap <#dogs> ; rr:joinCondition [ rr:child "id" ; rr:parent "i" ]'),
        "no column 'i'", "the nearest are id",
    ),
    "a query that fails": (
        mapping(NAME, 'rr:sqlQuery "select nowhere from dogs"'),
        "its query fails: no such column: nowhere", "see that its tables and columns are there",
    ),
    "no SQL": (mapping(NAME, 'rr:sqlQuery "select from where"'), "its query fails: ", "see that"),
    "a query that writes": (
        mapping(NAME, 'rr:sqlQuery "delete from dogs"'), "a query that does not only read", "SELECT",
    ),
    "open brace": (obj('rr:template "x{id"'), "a brace or backslash that stands alone, behind 'x'", "see"),
    "closed brace": (obj('rr:template "x}{id}"'), "a brace or backslash that stands alone", "see"),
    "escaped only": (obj('rr:template "x\\\\{id\\\\}"'), "no column in braces", "see"),
    "empty braces": (obj('rr:template "x{ }"'), "a pair of braces without a column", "see"),
    "no logical table": (
        f"{PREFIXES}<#dogs> {SUBJECT} .", "the triples map 'dogs' has no logical table", "see",
    ),
    "two logical tables": (
        mapping(NAME, 'rr:tableName "dogs" ; rr:sqlQuery "select 1"'), "a logical table needs one", "see",
    ),
    "no subject": (
        f'{PREFIXES}<#dogs> rr:logicalTable [ rr:tableName "dogs" ] .',
        "the triples map 'dogs' has no subjects", "see",
    ),
    "two subjects": (
        mapping(NAME, subject=f"{SUBJECT} ; rr:subject :x"), "the triples map 'dogs' has 2 subjects", "see",
    ),
    "subject as text": (
        mapping(NAME, subject='rr:subject "x"'), "the triples map 'dogs' has texts for subjects", "see",
    ),
    "subject of the type text": (
        mapping(NAME, subject='rr:subjectMap [ rr:column "id" ; rr:termType rr:Literal ]'),
        "subject map with the term type 'Literal'", "see",
    ),
    "no such term type": (
        obj('rr:column "id" ; rr:termType :Thing'), "object map with the term type 'Thing'", "see",
    ),
    "predicate as text": (mapping('rr:predicate "p" ; rr:object :x'), "a predicate that is no IRI", "see"),
    "class as text": (
        mapping(NAME, subject='rr:subjectMap [ rr:column "id" ; rr:class "Dog" ]'),
        "a class without an IRI", "see",
    ),
    "graph as text": (
        mapping(NAME + ' ; rr:graphMap [ rr:constant "g" ]'), "a graph that is no IRI", "see",
    ),
    "no predicate": (mapping("rr:object :x"), "a predicate-object map without predicate", "see"),
    "no object": (mapping("rr:predicate :x"), "a predicate-object map without object", "see"),
    "no term": (obj("rr:datatype xsd:int"), "object map needs one rr:constant, rr:column", "see"),
    "two terms": (obj('rr:column "id" ; rr:template "{id}"'), "object map needs one", "see"),
    "no language": (obj('rr:column "id" ; rr:language "english"'), "'english' is no tag", "see"),
    "no parent": (obj("rr:parentTriplesMap <#cats>"), "a parent that is no triples map, 'cats'", "see"),
    "half a join": (
        obj('rr:parentTriplesMap <#dogs> ; rr:joinCondition [ rr:child "id" ]'),
        "a join without rr:parent", "see",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("content", "what", "hint"), BAD.values(), ids=BAD)
def test_bad_mappings(tmp_path: Path, content: str, what: str, hint: str) -> None:
    with pytest.raises(UnreadableFile) as caught:
        read(tmp_path, content)
    assert caught.value.what.replace("base/", "").startswith(what)
    assert caught.value.where == "m.ttl:5"
    assert hint in caught.value.hint


FILES: dict[str, tuple[dict[str, str], type[TrustUQAError], str]] = {
    "two mappings": (
        {"m.ttl": mapping(NAME), "n.ttl": mapping(NAME), "dogs.csv": DOGS},
        UsageError, "several mappings, m.ttl, n.ttl, give MAPPING",
    ),
    "no mapping": ({"dogs.csv": DOGS}, UsageError, "none of the files is a mapping in R2RML, dogs.csv"),
    "an ontology for a mapping": (
        {"o.ttl": PREFIXES + ":a rdfs:subClassOf :b .", "dogs.csv": DOGS},
        UsageError, "none of the files is a mapping in R2RML, o.ttl, dogs.csv",
    ),
    "no Turtle": ({"m.ttl": "TriplesMap: dogs\n", "dogs.csv": DOGS}, MalformedLine, "m.ttl:1"),
    "no RDF": ({"m.r2rml": "{}", "dogs.csv": DOGS}, MalformedLine, "m.r2rml:1"),
    "no data": ({"m.ttl": mapping(NAME)}, UsageError, "a mapping, and no data, m.ttl"),
    "no rows": ({"m.ttl": mapping(NAME), "dogs.csv": "id,name\n"}, UnreadableFile, "no fact in it, m.ttl"),
}  # fmt: skip


@pytest.mark.parametrize(("contents", "kind", "told"), FILES.values(), ids=FILES)
def test_files_that_do_not_go_together(
    tmp_path: Path, contents: dict[str, str], kind: type[TrustUQAError], told: str
) -> None:
    with pytest.raises(kind) as caught:
        items("r2rml", written(tmp_path, contents))
    assert told in str(caught.value)
    assert caught.value.hint


def test_values_that_are_no_iri_are_passed_over_and_listed(tmp_path: Path) -> None:
    content = obj('rr:column "name" ; rr:termType rr:IRI')
    with pytest.raises(
        MalformedLine, match=r"'Älla Böhm' is no IRI: it has ' ' in it, dogs\.csv:3"
    ):
        read(tmp_path, content)
    reading = Reading(skip_bad=1)
    assert len(facts(read(tmp_path, content, reading=reading))) == 2
    assert [bad.where for bad in reading.bad] == ["dogs.csv:3"]


def test_an_empty_text_is_no_tail(tmp_path: Path) -> None:
    reading = Reading()
    query = "rr:sqlQuery \"select id, trim(replace(name, 'Rex', '')) as name from dogs\""
    assert len(facts(read(tmp_path, mapping(NAME, query), reading=reading))) == 2
    assert reading.remarks["an empty text is no tail"].times == 1


def test_a_query_without_rows_is_no_error(tmp_path: Path) -> None:
    """Others may have some."""
    more = (
        '<#none> rr:logicalTable [ rr:sqlQuery "select * from dogs where id > 9" ] ;'
        ' rr:subjectMap [ rr:template "http://e.org/{id}" ; rr:class :Dog ] .'
    )
    assert len(facts(read(tmp_path, mapping(NAME) + more))) == 3


def test_relative_names_in_a_mapping_without_a_base(tmp_path: Path) -> None:
    content = mapping(NAME).replace("@base <http://e.org/base/> .", "")
    content = content.replace("http://e.org/dog/{id}", "dog/{id}")
    found = facts(read(tmp_path, content))
    assert [fact.head for fact in found] == ["dog/1", "dog/2", "dog/3"]


def test_without_what_reads_databases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in tuple(sys.modules):
        if name.startswith(("trustuqa_neo4j.loaders.r2rml_", "trustuqa_neo4j.loaders.databases")):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    with pytest.raises(MissingExtra, match=r"sqlalchemy.*trustuqa-neo4j\[sql\]"):
        read(tmp_path, mapping(NAME), {"dogs.csv": DOGS, "owners.csv": OWNERS})
