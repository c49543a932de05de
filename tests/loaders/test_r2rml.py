"""``r2rml``: what each feature of the recommendation comes to, in facts, things and lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.items import facts, items, parts, things, written
from support.r2rml_mapping import DOGS, PREFIXES, mapping, read, read_sqlite, triples

from trustuqa_neo4j.errors import UnreadableDatabase, UnreadableFile
from trustuqa_neo4j.loading.formats import File, ReadOptions, get_loader
from trustuqa_neo4j.model.facts import (
    ClassDeclared,
    Fact,
    NodeDeclared,
    RelationDeclared,
    SourceStart,
)

duckdb = pytest.importorskip("duckdb")

NAME = 'rr:predicate :name ; rr:objectMap [ rr:column "name" ]'


def test_a_table(tmp_path: Path) -> None:
    """NULL makes no term; the lines are those of the CSV file."""
    content = mapping(
        'rr:predicate :owner ; rr:objectMap [ rr:template "http://e.org/owner/{owner}" ]',
        subject='rr:subjectMap [ rr:template "http://e.org/dog/{id}" ; rr:class :Dog ]',
    )
    result = read(tmp_path, content)
    assert parts(result) == [
        SourceStart("m.ttl", "m.ttl", "kg"),
        SourceStart("m.ttl", "dogs.csv", "kg"),
    ]
    dog, owner = "http://e.org/dog/", "http://e.org/owner/"
    assert facts(result) == [
        Fact(f"{dog}1", "type", "http://e.org/Dog", 2),
        Fact(f"{dog}1", "owner", f"{owner}7", 2),
        Fact(f"{dog}2", "type", "http://e.org/Dog", 3),
        Fact(f"{dog}3", "type", "http://e.org/Dog", 4),
        Fact(f"{dog}3", "owner", f"{owner}8", 4),
    ]
    assert things(result)[f"{dog}1"] == NodeDeclared(f"{dog}1", None)
    assert things(result)[f"{owner}7"] == NodeDeclared(f"{owner}7", None)
    assert things(result)["http://e.org/Dog"] == NodeDeclared("http://e.org/Dog", "Dog")


def test_the_order_is_stable(tmp_path: Path) -> None:
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
    result = read(tmp_path, mapping(f"rr:predicate :p ; rr:objectMap [ {what} ]"))
    assert ("dog/2", "p", term) in triples(result)


def test_percent_encoding_in_templates(tmp_path: Path) -> None:
    """All but letters, digits, ``-._~`` and what lies beyond ASCII."""
    predicate_object = 'rr:predicate :p ; rr:objectMap [ rr:template "http://e.org/{name}" ]'
    result = read(
        tmp_path, mapping(predicate_object), {"dogs.csv": 'id,name\n1,"a-b.c_d~é日/:?#[]@ %+&\'"\n'}
    )
    tail = "a-b.c_d~é日%2F%3A%3F%23%5B%5D%40%20%25%2B%26%27"
    assert triples(result) == [("dog/1", "p", tail)]


def test_shortcuts_and_several_of_each(tmp_path: Path) -> None:
    predicate_object = (
        "rr:predicate :p, :q ; rr:predicateMap [ rr:constant :r ] ;"
        ' rr:object :x, "y" ; rr:objectMap [ rr:column "name" ]'
    )
    content = mapping(predicate_object, subject="rr:subject :all")
    result = {fact for fact in triples(read(tmp_path, content)) if fact[0] == "all"}
    tails = ("x", "y", "Rex", "Älla Böhm", "Fido")
    assert result == {("all", relation, tail) for relation in "pqr" for tail in tails}


def test_predicates_of_rows(tmp_path: Path) -> None:
    predicate_object = 'rr:predicateMap [ rr:template "http://e.org/by/{owner}" ] ; rr:object :x'
    assert triples(read(tmp_path, mapping(predicate_object))) == [
        ("dog/1", "7", "x"),
        ("dog/3", "8", "x"),
    ]


OWNER = (
    '<#owners> rr:logicalTable [ rr:tableName "owners" ] ;'
    ' rr:subjectMap [ rr:template "http://e.org/owner/{id}" ] .\n'
)


def test_joins(tmp_path: Path) -> None:
    """NULL is the same as nothing, not even as NULL."""
    predicate_object = (
        "rr:predicate :of ; rr:objectMap [ rr:parentTriplesMap <#owners> ;"
        ' rr:joinCondition [ rr:child "owner" ; rr:parent "id" ] ]'
    )
    result = read(tmp_path, mapping(predicate_object) + OWNER)
    assert triples(result) == [("dog/1", "of", "owner/7"), ("dog/3", "of", "owner/8")]
    both = predicate_object[:-1] + '; rr:joinCondition [ rr:child "name" ; rr:parent "name" ] ]'
    tables = {"dogs.csv": DOGS, "owners.csv": "id,name\n7,Rex\n7,Fido\n8,\n"}
    result = read(tmp_path, mapping(both) + OWNER, tables)
    assert triples(result) == [("dog/1", "of", "owner/7")]


def test_a_parent_without_a_join_uses_the_same_row(tmp_path: Path) -> None:
    predicate_object = "rr:predicate :of ; rr:objectMap [ rr:parentTriplesMap <#owners> ]"
    owner = OWNER.replace('"owners"', '"dogs"').replace("{id}", "{owner}")
    result = read(tmp_path, mapping(predicate_object) + owner)
    assert triples(result) == [("dog/1", "of", "owner/7"), ("dog/3", "of", "owner/8")]


def test_graphs_are_not_kept_apart(tmp_path: Path) -> None:
    for graph, is_reported in (("rr:graph :g", True), ("rr:graph rr:defaultGraph", False)):
        for content in (
            mapping(NAME + f" ; {graph}"),
            mapping(NAME, subject=f'rr:subjectMap [ rr:template "http://e.org/{{id}}" ; {graph} ]'),
        ):
            reading = ReadOptions()
            assert len(facts(read(tmp_path, content, reading=reading))) == 3
            assert (
                any(what.startswith("graphs are not kept apart") for what in reading.remarks)
                == is_reported
            )


def test_lines_of_query_rows(tmp_path: Path) -> None:
    """Lines of a query are its rows, sorted by their values."""
    content = mapping(NAME, 'rr:sqlQuery "select name, length(name) as id from dogs"')
    result = read(tmp_path, content)
    assert parts(result)[1].file == "m.ttl#dogs"
    assert [(fact.tail, fact.line) for fact in facts(result)] == [
        ("Fido", 1), ("Rex", 2), ("Älla Böhm", 3),
    ]  # fmt: skip


def test_labels_are_names(tmp_path: Path) -> None:
    content = mapping(
        'rr:predicate rdfs:label ; rr:objectMap [ rr:column "name" ] ] ;'
        " rr:predicateObjectMap [ rr:predicate :like ; rr:object :dogs"
    )
    ontology = PREFIXES + ':dogs rdfs:label "the dogs" .'
    result = read(tmp_path, content, ontology=ontology)
    assert [fact.relation for fact in facts(result)] == ["like"] * 3
    assert things(result)["http://e.org/dog/1"] == NodeDeclared("http://e.org/dog/1", "Rex")
    assert things(result)["http://e.org/dogs"] == NodeDeclared("http://e.org/dogs", "the dogs")


def test_relations_of_the_same_local_name_stay_whole(tmp_path: Path) -> None:
    result = read(tmp_path, mapping("rr:predicate :p, <http://f.org/p>, :q ; rr:object :x"))
    assert {fact.relation for fact in facts(result)} == {"http://e.org/p", "http://f.org/p", "q"}


def test_an_ontology_is_declared(tmp_path: Path) -> None:
    content = mapping(
        NAME, subject='rr:subjectMap [ rr:template "http://e.org/dog/{id}" ; rr:class :Dog ]'
    )
    ontology = PREFIXES + (
        ':Dog rdfs:subClassOf :Animal ; rdfs:label "hound" . :name rdfs:domain :Dog .\n'
        ':name rdfs:comment "As called." . :rex a :Dog .'
    )
    reading = ReadOptions()
    result = read(tmp_path, content, reading=reading, ontology=ontology)
    assert result[-4:] == [
        SourceStart("m.ttl", "ontology.ttl", "kg"),
        ClassDeclared("Dog", ("Animal",), labels=("hound",)),
        ClassDeclared("Animal"),
        RelationDeclared("name", (("Dog",),), comment="As called."),
    ]
    assert things(result)["http://e.org/Dog"] == NodeDeclared("http://e.org/Dog", "Dog", ("hound",))
    assert reading.remarks["ontology statements about individuals are skipped"].times == 1
    reading = ReadOptions()
    read(tmp_path, content, reading=reading, ontology=PREFIXES + ":other rdfs:domain :A .")
    assert "no fact uses a relation that this file declares" in reading.remarks


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
    result = read_sqlite(tmp_path, content, VALUES.format(type=type_, value=value))
    assert facts(result) == [Fact("http://e.org/dog/1", "v", text, 1)]
    assert parts(result)[1].file == "t.db#dogs"


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
    reading = ReadOptions()
    query = "rr:sqlQuery \"SELECT TOP 2 id, ISNULL(name, '?') AS name FROM dogs ORDER BY id\""
    result = read(tmp_path, mapping(NAME, query), reading=reading)
    assert [fact.tail for fact in facts(result)] == ["Rex", "Älla Böhm"]
    assert reading.remarks["query translated from another SQL dialect"].times == 1
    query = 'rr:sqlQuery "SELECT TOP 1 id, owner / 2 AS name FROM dogs ORDER BY id"'
    assert [fact.tail for fact in facts(read(tmp_path, mapping(NAME, query)))] == ["3.5"]


def test_catalogue_and_schema_before_a_table_are_ignored(tmp_path: Path) -> None:
    reading = ReadOptions()
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


def test_templates_that_differ_in_spelling_are_unified(tmp_path: Path) -> None:
    content = (HOLDERS % "").replace("{owner}", "{id}")
    reading = ReadOptions()
    result = read(tmp_path, content, reading=reading)
    assert {fact.tail.rpartition("/")[2] for fact in facts(result) if fact.relation == "owner"} == {
        "Dog-Owner-1", "Dog-Owner-2", "Dog-Owner-3",
    }  # fmt: skip
    what = "DogOwner-{id} is read as Dog-Owner-{id}, which differs only in spelling"
    assert reading.remarks[what].times == 3
    assert reading.remarks[what].places[0] == "dogs.csv:2"


def test_ambiguous_templates_are_not_unified(tmp_path: Path) -> None:
    """Of other columns, or where both are used for subjects and neither is described."""
    for content in (
        HOLDERS % "",
        (HOLDERS % "").replace("{owner}", "{id}").replace("Dog-{id}", "DogOwner-{id}"),
    ):
        reading = ReadOptions()
        result = read(tmp_path, content, reading=reading)
        assert reading.remarks == {}
        assert "DogOwner-" in facts(result)[-1].tail


def test_the_spelling_with_a_class_wins(tmp_path: Path) -> None:
    content = (HOLDERS % "").replace("{owner}", "{id}") + (
        '<#c> rr:logicalTable [ rr:tableName "owners" ] ;\n'
        '  rr:subjectMap [ rr:template "http://e.org/DogOwner-{id}" ; rr:class :Owner ] .\n'
    )
    reading = ReadOptions()
    result = read(tmp_path, content, reading=reading)
    assert not any("Dog-Owner" in fact.head + fact.tail for fact in facts(result))
    assert [remark.times for remark in reading.remarks.values()] == [2]


def test_a_folder_and_a_mapping_by_its_suffix(tmp_path: Path) -> None:
    written(tmp_path, {"m.r2rml": mapping(NAME), "dogs.csv": DOGS, "read.me": "x"})
    r2rml = get_loader("r2rml")
    assert r2rml.expand is not None
    paths = r2rml.expand(tmp_path)
    assert [path.name for path in paths] == ["dogs.csv", "m.r2rml"]
    result = list(r2rml.read([File(path, path.name) for path in paths], ReadOptions()))
    assert len(facts(result)) == 3


def test_a_database_by_its_address(tmp_path: Path) -> None:
    read_sqlite(
        tmp_path, mapping("rr:predicate :p ; rr:object :x"), VALUES.format(type="INT", value=1)
    )
    address = f"sqlite:///{tmp_path / 't.db'}"
    files = [*written(tmp_path, {"m.ttl": mapping("rr:predicate :p ; rr:object :x")})]
    result = list(get_loader("r2rml").read([*files, File(Path(), "shop", address)], ReadOptions()))
    assert triples(result) == [("dog/1", "p", "x")]


LIMITS = "trustuqa_neo4j.loaders._r2rml_triples"
ENDLESS = "WITH RECURSIVE r(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM r) SELECT count(id) AS id FROM r"


def read_duckdb(folder: Path, rows: str) -> list[Fact]:
    """The facts of a mapping of ``rows`` on a DuckDB file with a table and a hostile view."""
    path = folder / "d.duckdb"
    (folder / "secret.txt").write_text("hunter2")
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE dogs (id INT, name TEXT); INSERT INTO dogs VALUES (1, 'Rex')"
        )
        connection.execute(
            f"CREATE VIEW v AS SELECT 1 AS id, content AS name FROM read_text('{folder}/secret.txt')"
        )
    content = mapping(NAME, rows)
    return facts(items("r2rml", [*written(folder, {"m.ttl": content}), File(path, "d.duckdb")]))


def test_a_duckdb_file_is_queried(tmp_path: Path) -> None:
    rows = 'rr:sqlQuery "SELECT id, name FROM dogs"'
    assert [fact.tail for fact in read_duckdb(tmp_path, rows)] == ["Rex"]


@pytest.mark.parametrize(
    "rows",
    [
        "rr:sqlQuery \"SELECT 1 AS id, 2 AS name; COPY (SELECT 1) TO 'FOLDER/stolen.csv'\"",
        "rr:sqlQuery \"FROM (SELECT 1 AS id); COPY (SELECT 1) TO 'FOLDER/stolen.csv'\"",
        "rr:sqlQuery \"SELECT 1 AS id; INSTALL httpfs FROM 'http://127.0.0.1:1/ext'\"",
        "rr:sqlQuery \"SELECT 1 AS id, content AS name FROM read_text('FOLDER/secret.txt')\"",
        "rr:sqlQuery \"SELECT 1 AS id, file AS name FROM glob('FOLDER/*')\"",
        "rr:sqlQuery \"SELECT 1 AS id, * FROM 'FOLDER/secret.txt'\"",
        'rr:tableName "v"',
    ],
)
def test_a_query_reaches_nothing_but_the_database(tmp_path: Path, rows: str) -> None:
    with pytest.raises((UnreadableFile, UnreadableDatabase)):
        read_duckdb(tmp_path, rows.replace("FOLDER", str(tmp_path)))
    assert not (tmp_path / "stolen.csv").exists()


def test_an_endless_query_is_broken_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{LIMITS}.QUERY_SECONDS", 0.2)
    rows = f'rr:sqlQuery "{ENDLESS}"'
    with pytest.raises(UnreadableFile, match="takes longer than"):
        read(tmp_path, mapping(NAME, rows))
    with pytest.raises(UnreadableFile, match="takes longer than"):
        read_duckdb(tmp_path, rows)


def test_a_query_of_too_many_rows_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{LIMITS}.QUERY_ROWS", 2)
    with pytest.raises(UnreadableFile, match="gives more than 2 rows"):
        read(tmp_path, mapping(NAME, 'rr:sqlQuery "SELECT * FROM dogs"'))
