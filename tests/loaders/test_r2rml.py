"""``r2rml``: what each feature of the recommendation comes to, in facts, things and lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from items import facts, parts, things, written
from mapped import DOGS, PREFIXES, mapping, read, read_sqlite, triples

from trustuqa_neo4j.loader import File, Reading, loader
from trustuqa_neo4j.triples import ClassDeclared, Fact, Part, RelationDeclared, Thing

NAME = 'rr:predicate :name ; rr:objectMap [ rr:column "name" ]'


def test_a_table(tmp_path: Path) -> None:
    """NULL makes no term; the lines are those of the CSV file."""
    content = mapping(
        'rr:predicate :owner ; rr:objectMap [ rr:template "http://e.org/owner/{owner}" ]',
        subject='rr:subjectMap [ rr:template "http://e.org/dog/{id}" ; rr:class :Dog ]',
    )
    found = read(tmp_path, content)
    assert parts(found) == [Part("m.ttl", "m.ttl", "kg"), Part("m.ttl", "dogs.csv", "kg")]
    dog, owner = "http://e.org/dog/", "http://e.org/owner/"
    assert facts(found) == [
        Fact(f"{dog}1", "type", "http://e.org/Dog", 2),
        Fact(f"{dog}1", "owner", f"{owner}7", 2),
        Fact(f"{dog}2", "type", "http://e.org/Dog", 3),
        Fact(f"{dog}3", "type", "http://e.org/Dog", 4),
        Fact(f"{dog}3", "owner", f"{owner}8", 4),
    ]
    assert things(found)[f"{dog}1"] == Thing(f"{dog}1", None)
    assert things(found)[f"{owner}7"] == Thing(f"{owner}7", None)
    assert things(found)["http://e.org/Dog"] == Thing("http://e.org/Dog", "Dog")


def test_it_is_the_same_each_time(tmp_path: Path) -> None:
    content = mapping(NAME, 'rr:sqlQuery "select * from dogs order by random()"')
    assert read(tmp_path, content) == read(tmp_path, content)


@pytest.mark.parametrize(
    "rows",
    [
        'rr:tableName "dogs"',
        'rr:tableName "DOGS"',
        'rr:tableName "\\"dogs\\""',
        'rr:tableName "`dogs`"',
        'rr:tableName "[dbo].[dogs]"',
        'rr:tableName "shop.my-schema.dogs"',
        'rr:tableName "\\"shop\\".\\"dogs\\""',
        'rr:sqlQuery "SELECT * FROM dogs;"',
        "rr:sqlQuery \"-- all\\n select ID, Name from dogs where name <> ':x'\" ; rr:sqlVersion rr:SQL2008",
        'a rr:R2RMLView ; rr:sqlQuery "with d as (select * from dogs) select * from d"',
    ],
)
def test_logical_tables(tmp_path: Path, rows: str) -> None:
    assert triples(read(tmp_path, mapping(NAME, rows))) == [
        ("dog/1", "name", "Rex"), ("dog/2", "name", "Älla Böhm"), ("dog/3", "name", "Fido"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("what", "term"),
    [
        ('rr:column "name"', "Älla Böhm"),
        ('rr:column "\\"name\\""', "Älla Böhm"),
        ('rr:column "NAME"', "Älla Böhm"),
        ('rr:column "name" ; rr:language "de-CH"', "Älla Böhm"),
        ('rr:column "id" ; rr:datatype xsd:int', "2"),
        ('rr:template "{id}: {name}!" ; rr:termType rr:Literal', "2: Älla Böhm!"),
        ('rr:template "\\\\{{id}\\\\} \\\\\\\\ {name}" ; rr:language "en"', "{2} \\ Älla Böhm"),
        ('rr:template "http://e.org/d/{name}"', "d/Älla%20Böhm"),
        ('rr:template "http://e.org/{\\"id\\"}/{name}"', "2/Älla%20Böhm"),
        ('rr:template "d/{id}"', "base/d/2"),
        ('rr:column "id" ; rr:termType rr:IRI', "base/2"),
        ('rr:column "id" ; rr:termType rr:BlankNode', "_:2@m.ttl"),
        ('rr:template "n{id}" ; rr:termType rr:BlankNode', "_:n2@m.ttl"),
        ("rr:constant :always", "always"),
        ('rr:constant "text"', "text"),
    ],
)
def test_term_maps(tmp_path: Path, what: str, term: str) -> None:
    found = read(tmp_path, mapping(f"rr:predicate :p ; rr:objectMap [ {what} ]"))
    assert ("dog/2", "p", term) in triples(found)


def test_what_is_percent_encoded(tmp_path: Path) -> None:
    """All but letters, digits, ``-._~`` and what lies beyond ASCII."""
    said = 'rr:predicate :p ; rr:objectMap [ rr:template "http://e.org/{name}" ]'
    found = read(tmp_path, mapping(said), {"dogs.csv": 'id,name\n1,"a-b.c_d~é日/:?#[]@ %+&\'"\n'})
    tail = "a-b.c_d~é日%2F%3A%3F%23%5B%5D%40%20%25%2B%26%27"
    assert triples(found) == [("dog/1", "p", tail)]


def test_shortcuts_and_several_of_each(tmp_path: Path) -> None:
    said = (
        "rr:predicate :p, :q ; rr:predicateMap [ rr:constant :r ] ;"
        ' rr:object :x, "y" ; rr:objectMap [ rr:column "name" ]'
    )
    content = mapping(said, subject="rr:subject :all")
    found = {fact for fact in triples(read(tmp_path, content)) if fact[0] == "all"}
    tails = ("x", "y", "Rex", "Älla Böhm", "Fido")
    assert found == {("all", relation, tail) for relation in "pqr" for tail in tails}


def test_predicates_of_rows(tmp_path: Path) -> None:
    said = 'rr:predicateMap [ rr:template "http://e.org/by/{owner}" ] ; rr:object :x'
    assert triples(read(tmp_path, mapping(said))) == [("dog/1", "7", "x"), ("dog/3", "8", "x")]


OWNER = (
    '<#owners> rr:logicalTable [ rr:tableName "owners" ] ;'
    ' rr:subjectMap [ rr:template "http://e.org/owner/{id}" ] .\n'
)


def test_joins(tmp_path: Path) -> None:
    """NULL is the same as nothing, not even as NULL."""
    said = (
        "rr:predicate :of ; rr:objectMap [ rr:parentTriplesMap <#owners> ;"
        ' rr:joinCondition [ rr:child "owner" ; rr:parent "id" ] ]'
    )
    found = read(tmp_path, mapping(said) + OWNER)
    assert triples(found) == [("dog/1", "of", "owner/7"), ("dog/3", "of", "owner/8")]
    both = said[:-1] + '; rr:joinCondition [ rr:child "name" ; rr:parent "name" ] ]'
    tables = {"dogs.csv": DOGS, "owners.csv": "id,name\n7,Rex\n7,Fido\n8,\n"}
    found = read(tmp_path, mapping(both) + OWNER, tables)
    assert triples(found) == [("dog/1", "of", "owner/7")]


def test_a_parent_without_a_join_is_made_of_the_same_row(tmp_path: Path) -> None:
    said = "rr:predicate :of ; rr:objectMap [ rr:parentTriplesMap <#owners> ]"
    owner = OWNER.replace('"owners"', '"dogs"').replace("{id}", "{owner}")
    found = read(tmp_path, mapping(said) + owner)
    assert triples(found) == [("dog/1", "of", "owner/7"), ("dog/3", "of", "owner/8")]


def test_graphs_are_told_and_their_facts_kept(tmp_path: Path) -> None:
    for graph, told in (("rr:graph :g", True), ("rr:graph rr:defaultGraph", False)):
        for content in (
            mapping(NAME + f" ; {graph}"),
            mapping(NAME, subject=f'rr:subjectMap [ rr:template "http://e.org/{{id}}" ; {graph} ]'),
        ):
            reading = Reading()
            assert len(facts(read(tmp_path, content, reading=reading))) == 3
            assert any(what.startswith("graphs are not told") for what in reading.remarks) == told


def test_queries_have_places_of_their_own(tmp_path: Path) -> None:
    """Lines of a query are its rows, sorted by their values."""
    content = mapping(NAME, 'rr:sqlQuery "select name, length(name) as id from dogs"')
    found = read(tmp_path, content)
    assert parts(found)[1].file == "m.ttl#dogs"
    assert [(fact.tail, fact.line) for fact in facts(found)] == [
        ("Fido", 1), ("Rex", 2), ("Älla Böhm", 3),
    ]  # fmt: skip


def test_labels_are_names(tmp_path: Path) -> None:
    content = mapping(
        'rr:predicate rdfs:label ; rr:objectMap [ rr:column "name" ] ] ;'
        " rr:predicateObjectMap [ rr:predicate :like ; rr:object :dogs"
    )
    ontology = PREFIXES + ':dogs rdfs:label "the dogs" .'
    found = read(tmp_path, content, ontology=ontology)
    assert [fact.relation for fact in facts(found)] == ["like"] * 3
    assert things(found)["http://e.org/dog/1"] == Thing("http://e.org/dog/1", "Rex")
    assert things(found)["http://e.org/dogs"] == Thing("http://e.org/dogs", "the dogs")


def test_relations_of_the_same_local_name_stay_whole(tmp_path: Path) -> None:
    found = read(tmp_path, mapping("rr:predicate :p, <http://f.org/p>, :q ; rr:object :x"))
    assert {fact.relation for fact in facts(found)} == {"http://e.org/p", "http://f.org/p", "q"}


def test_an_ontology_is_declared(tmp_path: Path) -> None:
    content = mapping(
        NAME, subject='rr:subjectMap [ rr:template "http://e.org/dog/{id}" ; rr:class :Dog ]'
    )
    ontology = PREFIXES + (
        ':Dog rdfs:subClassOf :Animal ; rdfs:label "hound" . :name rdfs:domain :Dog .\n'
        ':name rdfs:comment "As called." . :rex a :Dog .'
    )
    reading = Reading()
    found = read(tmp_path, content, reading=reading, ontology=ontology)
    assert found[-4:] == [
        Part("m.ttl", "ontology.ttl", "kg"),
        ClassDeclared("Dog", ("Animal",), labels=("hound",)),
        ClassDeclared("Animal"),
        RelationDeclared("name", (("Dog",),), comment="As called."),
    ]
    assert things(found)["http://e.org/Dog"] == Thing("http://e.org/Dog", "Dog", ("hound",))
    assert reading.remarks["what an ontology says of single things is left out"].times == 1
    reading = Reading()
    read(tmp_path, content, reading=reading, ontology=PREFIXES + ":other rdfs:domain :A .")
    assert "none of the relations that it declares has a fact here" in reading.remarks


VALUES = """
CREATE TABLE dogs (id INTEGER PRIMARY KEY, v {type});
INSERT INTO dogs VALUES (1, {value});
"""


@pytest.mark.parametrize(
    ("type_", "value", "text"),
    [
        ("INTEGER", "42", "42"),
        ("BIGINT", "9007199254740993", "9007199254740993"),
        ("REAL", "80.25", "80.25"),
        ("DOUBLE", "0.1 + 0.2", "0.3"),
        ("DOUBLE", "1e20", "100000000000000000000"),
        ("DOUBLE", "1e-7", "0.0000001"),
        ("DOUBLE", "9e999", "INF"),
        ("DECIMAL(10,2)", "12.5", "12.50"),
        ("DECIMAL(10,2)", "12.345", "12.345"),
        ("NUMERIC(10,2)", "1000", "1000"),
        ("BOOLEAN", "1", "true"),
        ("BOOLEAN", "0", "false"),
        ("DATE", "'1981-10-10'", "1981-10-10"),
        ("DATETIME", "'2009-10-10 12:12:22'", "2009-10-10T12:12:22"),
        ("DATETIME", "'2009-10-10'", "2009-10-10"),
        ("TIMESTAMP", "'2009-10-10 12:12:22.5'", "2009-10-10T12:12:22.5"),
        ("BLOB", "x'89504e47'", "89504E47"),
        ("VARCHAR(20)", "'None'", "None"),
    ],
)
def test_the_natural_mapping_of_values(tmp_path: Path, type_: str, value: str, text: str) -> None:
    content = mapping('rr:predicate :v ; rr:objectMap [ rr:column "v" ]')
    found = read_sqlite(tmp_path, content, VALUES.format(type=type_, value=value))
    assert facts(found) == [Fact("http://e.org/dog/1", "v", text, 1)]
    assert parts(found)[1].file == "t.db#dogs"


def test_values_without_a_float(tmp_path: Path) -> None:
    """Decimals of CSV files are never floats; divided, they keep what is behind the point."""
    tables = {"dogs.csv": "id,name\n1,12.10\n2,16000\n"}
    assert [fact.tail for fact in facts(read(tmp_path, mapping(NAME), tables))] == [
        "12.10",
        "16000",
    ]
    query = 'rr:sqlQuery "select id, case when id = 2 then name/12 end as name from dogs"'
    assert [fact.tail for fact in facts(read(tmp_path, mapping(NAME, query), tables))] == [
        "1333.33333333333"
    ]
    whole = 'rr:sqlQuery "select id, 16001/2 as name from dogs"'
    assert {fact.tail for fact in facts(read(tmp_path, mapping(NAME, whole), tables))} == {"8000"}


def test_queries_in_another_dialect_are_translated(tmp_path: Path) -> None:
    reading = Reading()
    query = "rr:sqlQuery \"SELECT TOP 2 id, ISNULL(name, '?') AS name FROM dogs ORDER BY id\""
    found = read(tmp_path, mapping(NAME, query), reading=reading)
    assert [fact.tail for fact in facts(found)] == ["Rex", "Älla Böhm"]
    assert reading.remarks["a query in another dialect of SQL is translated"].times == 1
    query = 'rr:sqlQuery "SELECT TOP 1 id, owner / 2 AS name FROM dogs ORDER BY id"'
    assert [fact.tail for fact in facts(read(tmp_path, mapping(NAME, query)))] == ["3.5"]


def test_what_is_passed_over_in_names_of_tables_is_told(tmp_path: Path) -> None:
    reading = Reading()
    read(tmp_path, mapping(NAME, 'rr:tableName "a.b-c.dogs"'), reading=reading)
    (remark,) = reading.remarks.values()
    assert remark.places == ["m.ttl:5"]


HOLDERS = PREFIXES + (
    '<#a> rr:logicalTable [ rr:tableName "owners" ] ;\n'
    '  rr:subjectMap [ rr:template "http://e.org/Dog-Owner-{id}"%s ] ;\n'
    '  rr:predicateObjectMap [ rr:predicate :name ; rr:objectMap [ rr:column "name" ] ] .\n'
    '<#b> rr:logicalTable [ rr:tableName "dogs" ] ;\n'
    '  rr:subjectMap [ rr:template "http://e.org/Dog-{id}" ] ;\n'
    '  rr:predicateObjectMap [ rr:predicate :owner ;'
    ' rr:objectMap [ rr:template "http://e.org/DogOwner-{owner}" ] ] .\n'
)  # fmt: skip


def test_templates_of_two_spellings_are_one(tmp_path: Path) -> None:
    content = (HOLDERS % "").replace("{owner}", "{id}")
    reading = Reading()
    found = read(tmp_path, content, reading=reading)
    assert {fact.tail.rpartition("/")[2] for fact in facts(found) if fact.relation == "owner"} == {
        "Dog-Owner-1", "Dog-Owner-2", "Dog-Owner-3",
    }  # fmt: skip
    what = "DogOwner-{id} is read as Dog-Owner-{id}, which is the same but for its spelling"
    assert reading.remarks[what].times == 3
    assert reading.remarks[what].places[0] == "dogs.csv:2"


def test_templates_that_may_mean_different_things_stay_as_they_are(tmp_path: Path) -> None:
    """Of other columns, or where both are used for subjects and neither is described."""
    for content in (
        HOLDERS % "",
        (HOLDERS % "").replace("{owner}", "{id}").replace("Dog-{id}", "DogOwner-{id}"),
    ):
        reading = Reading()
        found = read(tmp_path, content, reading=reading)
        assert reading.remarks == {}
        assert "DogOwner-" in facts(found)[-1].tail


def test_what_has_a_class_is_spelt_right(tmp_path: Path) -> None:
    content = (HOLDERS % "").replace("{owner}", "{id}") + (
        '<#c> rr:logicalTable [ rr:tableName "owners" ] ;\n'
        '  rr:subjectMap [ rr:template "http://e.org/DogOwner-{id}" ; rr:class :Owner ] .\n'
    )
    reading = Reading()
    found = read(tmp_path, content, reading=reading)
    assert not any("Dog-Owner" in fact.head + fact.tail for fact in facts(found))
    assert [remark.times for remark in reading.remarks.values()] == [2]


def test_a_folder_and_a_mapping_by_its_suffix(tmp_path: Path) -> None:
    written(tmp_path, {"m.r2rml": mapping(NAME), "dogs.csv": DOGS, "read.me": "x"})
    r2rml = loader("r2rml")
    assert r2rml.expand is not None
    paths = r2rml.expand(tmp_path)
    assert [path.name for path in paths] == ["dogs.csv", "m.r2rml"]
    found = list(r2rml.read([File(path, path.name) for path in paths], Reading()))
    assert len(facts(found)) == 3


def test_a_database_by_its_address(tmp_path: Path) -> None:
    read_sqlite(
        tmp_path, mapping("rr:predicate :p ; rr:object :x"), VALUES.format(type="INT", value=1)
    )
    address = f"sqlite:///{tmp_path / 't.db'}"
    files = [*written(tmp_path, {"m.ttl": mapping("rr:predicate :p ; rr:object :x")})]
    found = list(loader("r2rml").read([*files, File(Path(), "shop", address)], Reading()))
    assert triples(found) == [("dog/1", "p", "x")]
