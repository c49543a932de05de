"""``r2rml``: what is wrong with mappings, tables, queries and values, and how that is told."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from support.items import facts, items, written
from support.r2rml_mapping import DOGS, OWNERS, PREFIXES, mapping, read

from trustuqa_neo4j.errors import (
    MalformedLine,
    MissingExtra,
    TrustUQAError,
    UnreadableFile,
    UsageError,
)
from trustuqa_neo4j.loading.formats import ReadOptions

NAME = 'rr:predicate :name ; rr:objectMap [ rr:column "name" ]'
SUBJECT = 'rr:subjectMap [ rr:template "http://e.org/{id}" ]'


def obj(term: str) -> str:
    return mapping(f"rr:predicate :p ; rr:objectMap [ {term} ]")


BAD: dict[str, tuple[str, str, str]] = {
    "no such table": (
        mapping(NAME, 'rr:tableName "dog"'), "no table 'dog' in dogs.csv", "similar names: dogs",
    ),
    "no such column": (
        obj('rr:column "nam"'), "no column 'nam' in the logical table", "similar names: name",
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
        "no column 'i'", "similar names: id",
    ),
    "a query that fails": (
        mapping(NAME, 'rr:sqlQuery "select nowhere from dogs"'),
        "its query fails: no such column: nowhere", "check that its tables and columns exist",
    ),
    "no SQL": (mapping(NAME, 'rr:sqlQuery "select from where"'), "its query fails: ", "check that"),
    "a query that writes": (
        mapping(NAME, 'rr:sqlQuery "delete from dogs"'), "the query may change data", "SELECT",
    ),
    "two statements": (
        mapping(NAME, 'rr:sqlQuery "select 1; select 2"'), "the query may change data, or is more", "SELECT",
    ),
    "a query that writes in a part": (
        mapping(NAME, 'rr:sqlQuery "with d as (delete from dogs returning *) select * from d"'),
        "the query may change data", "SELECT",
    ),
    "a query that makes a table": (
        mapping(NAME, 'rr:sqlQuery "select * into cats from dogs"'), "the query may change data", "SELECT",
    ),
    "open brace": (obj('rr:template "x{id"'), "an unpaired brace or backslash after 'x'", "see"),
    "closed brace": (obj('rr:template "x}{id}"'), "an unpaired brace or backslash after", "see"),
    "escaped only": (obj('rr:template "x\\\\{id\\\\}"'), "no column in braces", "see"),
    "empty braces": (obj('rr:template "x{ }"'), "braces without a column", "see"),
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
        mapping(NAME, subject='rr:subject "x"'), "the triples map 'dogs' has literals as subjects", "see",
    ),
    "subject of the type text": (
        mapping(NAME, subject='rr:subjectMap [ rr:column "id" ; rr:termType rr:Literal ]'),
        "subject map with the term type 'Literal'", "see",
    ),
    "no such term type": (
        obj('rr:column "id" ; rr:termType :Thing'), "object map with the term type 'Thing'", "see",
    ),
    "predicate as text": (mapping('rr:predicate "p" ; rr:object :x'), "the predicate is not an IRI", "see"),
    "class as text": (
        mapping(NAME, subject='rr:subjectMap [ rr:column "id" ; rr:class "Dog" ]'),
        "the class is not an IRI", "see",
    ),
    "graph as text": (
        mapping(NAME + ' ; rr:graphMap [ rr:constant "g" ]'), "the graph is not an IRI", "see",
    ),
    "no predicate": (mapping("rr:object :x"), "a predicate-object map without predicate", "see"),
    "no object": (mapping("rr:predicate :x"), "a predicate-object map without object", "see"),
    "no term": (obj("rr:datatype xsd:int"), "object map needs one rr:constant, rr:column", "see"),
    "two terms": (obj('rr:column "id" ; rr:template "{id}"'), "object map needs one", "see"),
    "no language": (obj('rr:column "id" ; rr:language "english"'), "'english' is not a language tag", "see"),
    "no parent": (obj("rr:parentTriplesMap <#cats>"), "the parent 'cats' is not a triples map", "see"),
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
        UsageError, "several mappings, m.ttl, n.ttl\nhint: give MAPPING",
    ),
    "no mapping": ({"dogs.csv": DOGS}, UsageError, "none of the files is an R2RML mapping, dogs.csv"),
    "an ontology for a mapping": (
        {"o.ttl": PREFIXES + ":a rdfs:subClassOf :b .", "dogs.csv": DOGS},
        UsageError, "none of the files is an R2RML mapping, o.ttl, dogs.csv",
    ),
    "no Turtle": ({"m.ttl": "TriplesMap: dogs\n", "dogs.csv": DOGS}, MalformedLine, "m.ttl:1"),
    "no RDF": ({"m.r2rml": "{}", "dogs.csv": DOGS}, MalformedLine, "m.r2rml:1"),
    "no data": ({"m.ttl": mapping(NAME)}, UsageError, "a mapping without data, m.ttl"),
    "no rows": ({"m.ttl": mapping(NAME), "dogs.csv": "id,name\n"}, UnreadableFile, "no fact in it, m.ttl"),
}  # fmt: skip


@pytest.mark.parametrize(("contents", "kind", "message"), FILES.values(), ids=FILES)
def test_invalid_combinations_of_files(
    tmp_path: Path, contents: dict[str, str], kind: type[TrustUQAError], message: str
) -> None:
    with pytest.raises(kind) as caught:
        items("r2rml", written(tmp_path, contents))
    assert message in str(caught.value)
    assert caught.value.hint


def test_values_that_are_no_iri_are_skipped_and_listed(tmp_path: Path) -> None:
    content = obj('rr:column "name" ; rr:termType rr:IRI')
    with pytest.raises(
        MalformedLine, match=r"'Älla Böhm' is not an IRI: it contains ' ', dogs\.csv:3"
    ):
        read(tmp_path, content)
    reading = ReadOptions(skip_bad=1)
    assert len(facts(read(tmp_path, content, reading=reading))) == 2
    assert [bad.where for bad in reading.bad] == ["dogs.csv:3"]


def test_empty_texts_are_skipped(tmp_path: Path) -> None:
    reading = ReadOptions()
    query = "rr:sqlQuery \"select id, trim(replace(name, 'Rex', '')) as name from dogs\""
    assert len(facts(read(tmp_path, mapping(NAME, query), reading=reading))) == 2
    assert reading.remarks["empty text, skipped"].times == 1


def test_queries_without_rows_are_allowed(tmp_path: Path) -> None:
    """Others may have some."""
    more = (
        '<#none> rr:logicalTable [ rr:sqlQuery "select * from dogs where id > 9" ] ;'
        ' rr:subjectMap [ rr:template "http://e.org/{id}" ; rr:class :Dog ] .'
    )
    assert len(facts(read(tmp_path, mapping(NAME) + more))) == 3


def test_relative_names_in_a_mapping_without_a_base(tmp_path: Path) -> None:
    content = mapping(NAME).replace("@base <http://e.org/base/> .", "")
    content = content.replace("http://e.org/dog/{id}", "dog/{id}")
    result = facts(read(tmp_path, content))
    assert [fact.head for fact in result] == ["dog/1", "dog/2", "dog/3"]


def test_missing_sql_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in tuple(sys.modules):
        if name.startswith("trustuqa_neo4j.loaders._"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    with pytest.raises(MissingExtra, match=r"(?s)sqlalchemy.*trustuqa-neo4j\[formats\]"):
        read(tmp_path, mapping(NAME), {"dogs.csv": DOGS, "owners.csv": OWNERS})
