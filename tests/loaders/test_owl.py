"""Axioms of OWL and RDFS as declarations: what each kind comes to, and what must be survived."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.items import facts, items, things, written

from trustuqa_neo4j.errors import MalformedLine, UnreadableFile
from trustuqa_neo4j.loading.formats import ReadOptions
from trustuqa_neo4j.model.facts import ClassDeclared, Fact, Item, NodeDeclared, RelationDeclared

BASE = "http://e.org/"
AXIOM_NAMES = ("kind of", "domain", "range", "inverse of", "disjoint with")

PREFIXES = (
    "@prefix : <http://e.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> . "
    "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . "
    "@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . "
    "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . "
    "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n"
)


def read(folder: Path, content: str, options: ReadOptions | None = None) -> list[Item]:
    return items("rdf", written(folder, {"o.ttl": PREFIXES + content}), options)


def classes(result: list[Item]) -> dict[str, ClassDeclared]:
    return {item.name: item for item in result if isinstance(item, ClassDeclared)}


def relations(result: list[Item]) -> dict[str, RelationDeclared]:
    return {
        item.name: item
        for item in result
        if isinstance(item, RelationDeclared) and item.name not in AXIOM_NAMES
    }


def is_of_axiom(fact: Fact) -> bool:
    return fact.relation in (*AXIOM_NAMES, "definition") or fact.tail in ("class", "property")


def data_facts(result: list[Item]) -> list[Fact]:
    return [fact for fact in facts(result) if not is_of_axiom(fact)]


def axioms(result: list[Item]) -> list[tuple[str, str, str, int]]:
    """Return the facts that say what is declared, with short names and lines."""
    return [
        (f.head.removeprefix(BASE), f.relation, f.tail.removeprefix(BASE), f.line)
        for f in facts(result)
        if is_of_axiom(f)
    ]


def test_classes(tmp_path: Path) -> None:
    result = classes(
        read(
            tmp_path,
            ":Dog a owl:Class ; rdfs:subClassOf :Animal, owl:Thing ; owl:disjointWith :Cat ;\n"
            ' rdfs:label "hound"@en, "Hund"@de ; skos:altLabel "Dog", "doggy" ;\n'
            ' rdfs:comment "Chien."@fr, "Barks\\nand bites."@en .\n'
            ":Cat owl:equivalentClass :Felis .\n",
        )
    )
    assert result == {
        "Dog": ClassDeclared(
            "Dog", ("Animal",), ("Cat",), ("hound", "Hund", "doggy"), "Barks and bites."
        ),
        "Animal": ClassDeclared("Animal"),
        "Cat": ClassDeclared("Cat", ("Felis",), ("Dog",)),
        "Felis": ClassDeclared("Felis", ("Cat",)),
    }


def test_a_class_is_named_by_its_local_name_unless_that_is_a_number(tmp_path: Path) -> None:
    """Its node in the graph has the same name, and the labels as aliases."""
    result = read(
        tmp_path,
        ':Dog a owl:Class ; rdfs:label "a dog" . :rex a :Dog, :GO_12 ; rdfs:label "Rex" .\n'
        ':GO_12 rdfs:subClassOf :Dog ; rdfs:label "growling" . :Q5 rdfs:subClassOf :Dog .',
    )
    assert set(classes(result)) == {"Dog", "growling", "Q5"}
    assert classes(result)["growling"].labels == ("GO_12",)
    assert things(result) == {
        "http://e.org/rex": NodeDeclared("http://e.org/rex", "Rex"),
        "http://e.org/Dog": NodeDeclared("http://e.org/Dog", "Dog", ("a dog",)),
        "http://e.org/GO_12": NodeDeclared("http://e.org/GO_12", "growling", ("GO_12",)),
        "http://e.org/Q5": NodeDeclared("http://e.org/Q5", "Q5"),
    }
    assert [fact.relation for fact in data_facts(result)] == ["type", "type"]


@pytest.mark.parametrize(
    ("axiom", "parents"),
    [
        (":A rdfs:subClassOf [ owl:intersectionOf ( :B :C ) ] .", {"A": ("B", "C")}),
        (":A owl:equivalentClass [ owl:intersectionOf ( :B :C ) ] .", {"A": ("B", "C")}),
        (":A owl:intersectionOf ( :B :C ) .", {"A": ("B", "C")}),
        (":A owl:equivalentClass [ owl:unionOf ( :B :C ) ] .", {"B": ("A",), "C": ("A",)}),
        (":A owl:unionOf ( :B :C ) .", {"B": ("A",), "C": ("A",)}),
        ("[ owl:unionOf ( :B :C ) ] rdfs:subClassOf :A .", {"B": ("A",), "C": ("A",)}),
        ("[ owl:intersectionOf ( :B :C ) ] rdfs:subClassOf :A .", {}),
        (":A rdfs:subClassOf [ owl:unionOf ( :B :C ) ] .", {}),
        (":A rdfs:subClassOf :A .", {}),
        (
            ":A owl:equivalentClass [ owl:intersectionOf ( :B [ owl:onProperty :p ] ) ] .",
            {"A": ("B",)},
        ),
    ],
)
def test_parents_of_expressions(
    tmp_path: Path, axiom: str, parents: dict[str, tuple[str, ...]]
) -> None:
    result = classes(read(tmp_path, axiom))
    assert {
        name: declared.parents for name, declared in result.items() if declared.parents
    } == parents


def test_disjoint_classes(tmp_path: Path) -> None:
    result = classes(
        read(
            tmp_path,
            "[] a owl:AllDisjointClasses ; owl:members ( :A :B :C ) .\n:D owl:complementOf :E .\n"
            ":F owl:disjointUnionOf ( :G :H ) .",
        )
    )
    assert {name: (declared.parents, declared.disjoint) for name, declared in result.items()} == {
        "A": ((), ("B", "C")), "B": ((), ("A", "C")), "C": ((), ("A", "B")),
        "D": ((), ("E",)), "E": ((), ("D",)),
        "F": ((), ()), "G": (("F",), ("H",)), "H": (("F",), ("G",)),
    }  # fmt: skip


def test_relations(tmp_path: Path) -> None:
    result = relations(
        read(
            tmp_path,
            ":owns a owl:ObjectProperty ; rdfs:domain :Person ; rdfs:range :Dog ; owl:inverseOf :owner ;\n"
            ' rdfs:subPropertyOf :has ; rdfs:label "possesses" ; rdfs:comment "By law." .\n'
            ":born a owl:DatatypeProperty ; rdfs:domain :Person, :Living ; rdfs:range xsd:date .\n"
            ":kin a owl:SymmetricProperty ; owl:equivalentProperty :relative .\n",
        )
    )
    assert result == {
        "owns": RelationDeclared(
            "owns", (("Person",),), (("Dog",),), False, (), ("owner",), ("has",), ("possesses",),
            "By law.",
        ),
        "owner": RelationDeclared("owner", inverses=("owns",)),
        "has": RelationDeclared("has"),
        "born": RelationDeclared(
            "born", (("Person",), ("Living",)), values=True, datatypes=("date",)
        ),
        "kin": RelationDeclared("kin", inverses=("kin",), parents=("relative",)),
        "relative": RelationDeclared("relative", parents=("kin",)),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("expression", "unions"),
    [
        (":A", (("A",),)),
        ("owl:Thing", ()),
        ("[ owl:unionOf ( :A :B ) ]", (("A", "B"),)),
        ("[ owl:unionOf ( :A [ owl:unionOf ( :B :A ) ] ) ]", (("A", "B"),)),
        ("[ owl:intersectionOf ( :A :B ) ]", (("A",), ("B",))),
        ("[ owl:unionOf ( [ owl:intersectionOf ( :A :B ) ] :C ) ]", (("A", "C"), ("B", "C"))),
        ("[ owl:unionOf ( :A owl:Thing ) ]", ()),
        ("[ owl:unionOf ( :A [ owl:complementOf :B ] ) ]", ()),
        ("[ owl:intersectionOf ( :A [ owl:onProperty :q ; owl:allValuesFrom :B ] ) ]", (("A",),)),
        ("[ owl:unionOf () ]", ()),
    ],
)
def test_domains(tmp_path: Path, expression: str, unions: tuple[tuple[str, ...], ...]) -> None:
    result = relations(read(tmp_path, f":p rdfs:domain {expression} ; rdfs:range {expression} ."))
    assert result["p"].domains == unions
    assert result["p"].ranges == unions


@pytest.mark.parametrize(
    ("range_", "values", "datatypes"),
    [
        ("xsd:dateTime", True, ("date",)),
        ("xsd:gYear", True, ("date",)),
        ("xsd:decimal", True, ("number",)),
        ("xsd:nonNegativeInteger", True, ("number",)),
        ("xsd:unsignedByte", True, ("number",)),
        ("owl:real", True, ("number",)),
        ("xsd:string", True, ("text",)),
        ("xsd:time", True, ("text",)),
        ("xsd:boolean", True, ("text",)),
        ("rdf:langString", True, ("text",)),
        ("rdfs:Literal", True, ()),
        ("rdfs:Resource", None, ()),
        ("owl:Thing", False, ()),
        (
            "[ a rdfs:Datatype ; owl:onDatatype xsd:int ; owl:withRestrictions () ]",
            True,
            ("number",),
        ),
        ("[ a rdfs:Datatype ; owl:unionOf ( xsd:int xsd:date ) ]", True, ("date", "number")),
        ('[ a rdfs:Datatype ; owl:oneOf ( "a" "b" ) ]', True, ()),
        (":grade . :grade a rdfs:Datatype ; owl:equivalentClass xsd:int", True, ("number",)),
    ],
)
def test_ranges_of_values(
    tmp_path: Path, range_: str, values: bool | None, datatypes: tuple[str, ...]
) -> None:
    result = read(tmp_path, f":p rdfs:range {range_} .")
    assert relations(result)["p"] == RelationDeclared("p", values=values, datatypes=datatypes)
    assert not classes(result)


@pytest.mark.parametrize(
    ("axioms", "expected"),
    [
        (":p rdfs:range xsd:date, xsd:int .", RelationDeclared("p", values=True)),
        (":p a owl:ObjectProperty ; rdfs:range xsd:date .", RelationDeclared("p")),
        (":p a owl:DatatypeProperty ; rdfs:range :A .", RelationDeclared("p")),
        (":p rdfs:range :A, :B . :A owl:disjointWith :B .", RelationDeclared("p", values=False)),
    ],
)
def test_contradictory_ranges_are_left_out(
    tmp_path: Path, axioms: str, expected: RelationDeclared
) -> None:
    """Kept, they would make every query about the relation wrong."""
    options = ReadOptions()
    assert relations(read(tmp_path, axioms, options))["p"] == expected
    assert options.remarks["ranges that contradict each other are left out"].places == ["o.ttl:2"]


def test_what_cannot_be_declared_is_told(tmp_path: Path) -> None:
    options = ReadOptions()
    read(
        tmp_path,
        ":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :B ] .\n"
        ":A rdfs:subClassOf [ owl:oneOf ( :x :y ) ] .\n:A rdfs:subClassOf [ owl:unionOf ( :B :C ) ] .\n"
        ":p owl:inverseOf [ owl:inverseOf :q ] .\n:r rdfs:domain [ owl:unionOf _:open ] .\n"
        "_:open rdf:first :A .",
        options,
    )
    assert {what: remark.places for what, remark in options.remarks.items()} == {
        "a restriction is not a named class and is left out": ["o.ttl:2"],
        "a class expression other than a union or an intersection is left out": ["o.ttl:3"],
        "a union as a parent is left out": ["o.ttl:4"],
        "a relation without a name is left out": ["o.ttl:5", "o.ttl:5"],
        "a list without an end is read as far as possible": ["o.ttl:6"],
    }


def test_cycles(tmp_path: Path) -> None:
    result = read(
        tmp_path,
        ":A rdfs:subClassOf :B . :B rdfs:subClassOf :C . :C rdfs:subClassOf :A .\n"
        ":p rdfs:subPropertyOf :q ; rdfs:domain :p . :q rdfs:subPropertyOf :p .\n"
        "_:l rdf:first :A ; rdf:rest _:l . :r rdfs:domain [ owl:unionOf _:l ] .\n"
        "_:u owl:unionOf ( _:u :A ) . :s rdfs:range _:u .\n",
    )
    parents = {name: declared.parents for name, declared in classes(result).items()}
    assert parents == {"A": ("B",), "B": ("C",), "C": ("A",), "p": ()}
    assert relations(result)["p"].domains == (("p",),)  # a class as its own domain
    assert relations(result)["r"].domains == (("A",),)
    assert relations(result)["s"].ranges == ()


def test_what_is_said_of_terms_is_no_fact(tmp_path: Path) -> None:
    result = read(
        tmp_path,
        "<http://e.org/> a owl:Ontology ; owl:versionInfo 1 ; :author :me .\n"
        ":A a owl:Class ; rdfs:isDefinedBy <http://e.org/> ; :coined 1901 . :me a owl:NamedIndividual .\n"
        ':p a owl:AnnotationProperty ; :status "new" . :x rdfs:comment "Said." ; owl:sameAs :y .\n'
        "[] owl:members ( :A :B ) .  :x :list ( :y ) .",
    )
    assert [fact.relation for fact in data_facts(result)] == [
        "coined", "comment", "sameAs", "first", "list", "rest",
    ]  # fmt: skip
    assert relations(result) == {"p": RelationDeclared("p")}


def test_terms_are_those_of_all_files(tmp_path: Path) -> None:
    data = PREFIXES + ':rex a :Dog ; :owner :me . :Dog rdfs:comment "Barks." .'
    ontology = PREFIXES + ":Dog a owl:Class . :owner a owl:ObjectProperty . :me a :Person ."
    options = ReadOptions()
    result = items("rdf", written(tmp_path, {"d.ttl": data, "o.ttl": ontology}), options)
    assert [fact.relation for fact in data_facts(result)] == ["type", "owner", "type"]
    assert (set(classes(result)), set(relations(result))) == ({"Dog"}, {"owner"})
    assert options.remarks == {}


def test_relations_are_named_as_facts_name_them(tmp_path: Path) -> None:
    """What is only declared never changes them."""
    result = read(
        tmp_path,
        "@prefix f: <http://f.org/> . :x :p :y ; :q :y ; f:q :y .\n"
        ":p rdfs:domain :A . f:p rdfs:domain :A . :q rdfs:domain :A . f:r rdfs:domain :A .\n"
        "f:type rdfs:domain :A . :s rdfs:domain :A . f:s rdfs:domain :A .",
    )
    assert [fact.relation for fact in data_facts(result)] == [
        "p",
        "http://e.org/q",
        "http://f.org/q",
    ]
    assert list(relations(result)) == [
        "p", "http://f.org/p", "http://e.org/q", "r", "http://f.org/type", "http://e.org/s",
        "http://f.org/s",
    ]  # fmt: skip


def test_an_ontology_of_another_dataset_is_told(tmp_path: Path) -> None:
    what = "no fact uses a relation that this file declares"
    for data, line in ((":x :p :y .", False), (":x :other :y .", True)):
        options = ReadOptions()
        read(tmp_path, f"{data} :p rdfs:domain :A .", options)
        assert (what in options.remarks) == line


def test_an_ontology_alone(tmp_path: Path) -> None:
    """It may be meant for facts that are loaded already."""
    options = ReadOptions()
    result = read(tmp_path, ":p rdfs:domain :A .", options)
    assert not data_facts(result)
    assert options.remarks == {}
    assert relations(result)["p"].domains == (("A",),)


def test_declarations_are_facts_that_can_be_asked_for(tmp_path: Path) -> None:
    result = read(
        tmp_path,
        ":Dog a owl:Class ; rdfs:subClassOf :Animal, owl:Thing ; owl:disjointWith :Cat .\n"
        ':owns rdfs:domain [ owl:unionOf ( :Person :Firm ) ] ; rdfs:range :Dog ; rdfs:comment "By law." .\n'
        ":owns owl:inverseOf :owner ; rdfs:subPropertyOf :has .\n"
        ":weight rdfs:range xsd:decimal .",
    )
    assert {*axioms(result)} == {
        ("Dog", "type", "class", 2),
        ("Animal", "type", "class", 2),
        ("Cat", "type", "class", 2),
        ("Person", "type", "class", 3),
        ("Firm", "type", "class", 3),
        ("Dog", "kind of", "Animal", 2),
        ("Dog", "disjoint with", "Cat", 2),
        ("Cat", "disjoint with", "Dog", 2),
        ("owns", "type", "property", 3),
        ("owner", "type", "property", 4),
        ("has", "type", "property", 4),
        ("weight", "type", "property", 5),
        ("owns", "domain", "Person", 3),
        ("owns", "domain", "Firm", 3),
        ("owns", "range", "Dog", 3),
        ("owns", "inverse of", "owner", 4),
        ("owner", "inverse of", "owns", 4),
        ("owns", "kind of", "has", 4),
        ("weight", "range", "number", 5),
        ("owns", "definition", "By law.", 3),
    }
    declared = {item.name: item for item in result if isinstance(item, RelationDeclared)}
    assert declared["kind of"].is_transitive


def test_a_relation_of_the_data_is_not_one_of_declarations(tmp_path: Path) -> None:
    result = read(tmp_path, ":x :domain :y . :p rdfs:domain :A .")
    assert [(f.head, f.relation) for f in facts(result) if "domain" in f.relation] == [
        ("http://e.org/x", "domain"),
        ("http://e.org/p", "domain (axiom)"),
    ]


def test_a_hundred_thousand_axioms(tmp_path: Path) -> None:
    content = "".join(
        f":C{n} rdfs:subClassOf :C{n // 2} . :p{n} rdfs:domain [ owl:unionOf ( :C{n} :C{n // 3} ) ] .\n"
        for n in range(1, 20_000)
    )
    result = read(tmp_path, content)
    assert len(classes(result)) == 20_000
    assert len(relations(result)) == 19_999


def test_what_is_no_rdf(tmp_path: Path) -> None:
    with pytest.raises(MalformedLine, match=r"o\.owl:1\nhint: correct the file there"):
        items("rdf", written(tmp_path, {"o.owl": "Class: Dog\n"}))
    with pytest.raises(MalformedLine, match=r"o\.ttl:1\nhint: correct the file there"):
        items("rdf", written(tmp_path, {"o.ttl": "Class: Dog\n"}))
    with pytest.raises(UnreadableFile, match="no fact in it"):
        items("rdf", written(tmp_path, {"o.ttl": PREFIXES}))
