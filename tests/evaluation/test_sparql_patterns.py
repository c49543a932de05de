"""SPARQL checked by the rules of validation: what its patterns demand, and what they leave open."""

from __future__ import annotations

from typing import Any

import pytest

from trustuqa_neo4j.errors import StatementFailed
from trustuqa_neo4j.evaluation.sparql_patterns import Vocabulary, check_sparql, read_sparql
from trustuqa_neo4j.model.facts import ClassDeclared, RelationDeclared
from trustuqa_neo4j.ontology.ontology import Ontology
from trustuqa_neo4j.ontology.schema_knowledge import SchemaKnowledge

NAMESPACE = "https://example.org/in/"
CALL = "SERVICE<http://127.0.0.1:9/>{?a ?b ?c}"
CLASSES = ("Author", "Book", "Novel", "Shop")
RELATIONS = {
    "name": ("Author", None), "title": ("Book", None), "wrote": ("Author", "Book"),
    "soldBy": ("Book", "Shop"), "owner": ("Shop", "Author"), "city": ("Shop", None),
}  # fmt: skip
VOCABULARY = Vocabulary(
    {NAMESPACE + name: name for name in RELATIONS}, {NAMESPACE + name: name for name in CLASSES}
)
KNOWLEDGE = SchemaKnowledge(
    Ontology.from_declarations(
        [ClassDeclared(name, ("Book",) if name == "Novel" else ()) for name in CLASSES],
        [
            RelationDeclared(
                name, ((start,),), () if end is None else ((end,),), values=end is None
            )
            for name, (start, end) in RELATIONS.items()
        ],
    )
)


def kinds(pattern: str, head: str = "SELECT *") -> list[str]:
    _, tree = read_sparql(f"PREFIX in: <{NAMESPACE}> {head} {{ {pattern} }}")
    return [str(problem.kind) for problem in check_sparql(tree, VOCABULARY, KNOWLEDGE)]


@pytest.mark.parametrize(
    ("pattern", "kind"),
    [
        ("?b a in:Book ; in:name ?n", "domain"),
        ("?a in:wrote ?x . ?x a in:Shop", "range"),
        ("?x in:name ?n ; in:title ?t", "double domain"),
        ("?a in:wrote ?x . ?b in:soldBy ?x ; in:title ?t", "double range"),
        ("?a in:wrote ?b . ?b in:city ?c", "domain-range"),
        ("?b a in:Book . ?b in:wrote ?a . ?a a in:Author", "direction"),
        ("?a in:writes ?b", "unknown relation"),
        ("?a a in:Poet", "unknown class"),
        ("?a in:wrote [ in:city ?c ]", "domain-range"),
        ("?a in:wrote/in:city ?c", "domain-range"),
        ("?a (in:wrote)/(in:city) ?c", "domain-range"),
        ("?s ^in:soldBy ?b . ?b in:name ?n", "double domain"),
        ("?a in:wrote|in:writes ?b", "unknown relation"),
        ("?a in:wrote ?b OPTIONAL { ?b in:city ?c }", "domain-range"),
        ("?b in:title ?t FILTER NOT EXISTS { ?b in:city ?c }", "double domain"),
        ("?b in:title ?t MINUS { ?b in:city ?c }", "double domain"),
        ("?b in:title ?t { SELECT ?b { ?b in:city ?c } }", "double domain"),
        ("{ ?b in:title ?t } { { ?b in:city ?c } }", "double domain"),
        ("{ ?x in:name ?n } UNION { ?x in:title ?t . ?x in:city ?c }", "double domain"),
    ],
)
def test_a_pattern_against_the_ontology(pattern: str, kind: str) -> None:
    assert kinds(pattern) == [kind]


@pytest.mark.parametrize(
    "pattern",
    [
        "?a in:wrote ?b . ?b in:soldBy ?s . ?s in:city ?c",
        "?n a in:Novel ; in:title ?t",
        "{ ?x in:name ?n } UNION { ?x in:title ?n }",
        "?x a ?k OPTIONAL { ?x in:name ?n } OPTIONAL { ?x in:title ?t }",
        "?s ^in:soldBy/in:title ?t",
        "?a in:wrote/in:soldBy/in:owner ?o",
        "?b in:title|in:name ?t . ?b a in:Shop",
        "?b (in:soldBy/in:owner/in:wrote)* ?x . ?x in:city ?c",
        "?x ?p ?y . ?y in:city ?c",
        "?x rdfs:label ?l",
        "?b in:title ?t { SELECT (COUNT(?b) AS ?n) { ?b in:city ?c } }",
        "?b in:title ?t { SELECT ?x { ?b in:city ?x } }",
        "SERVICE in:mapped { ?b in:title ?t }",
        "",
    ],
)
def test_a_pattern_that_fits(pattern: str) -> None:
    assert kinds(pattern) == []


def test_a_message_speaks_of_subject_and_object() -> None:
    text = (
        f"BASE <{NAMESPACE}> SELECT ?n {{ ?b a <Book> ; <wrote> ?a . ?a a <Author> ; <name> ?n }}"
    )
    (problem,) = check_sparql(read_sparql(text)[1], VOCABULARY, KNOWLEDGE)
    assert problem.message.endswith("exchange subject and object (in a path, wrote and ^wrote).")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("I do not know.", "not a SELECT or ASK query"),
        ("", "not a SELECT or ASK query"),
        ("INSERT DATA { <a:a> <a:b> <a:c> }", "not a SELECT or ASK query"),
        ("DROP ALL", "not a SELECT or ASK query"),
        ("SELECT * { ?s ?p ?o } ; DELETE WHERE { ?s ?p ?o }", "not a SELECT or ASK query"),
        ("CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }", "a CONSTRUCT query"),
        ("DESCRIBE <a:a>", "a DESCRIBE query"),
        ("SELECT * { SERVICE ?where { ?s ?p ?o } }", "SERVICE asks another server"),
        ("SELECT * { ?s ?p 1SERVICE ?where { ?s ?p ?o } }", "SERVICE asks another server"),
        (f'SELECT * {{ ?s ?p "\\u0022 }} #" . {CALL} }}', r"the escape \\u0022"),
        (f"SELECT * {{ ?s ?p ?o . S\\u0045RVICE {CALL[7:]} }}", r"the escape \\u0045"),
        ('SELECT * { ?s ?p "\\UFFFFFFFF" }', r"the escape \\UFFFFFFFF"),
        ("SELECT * { ?s ?p ?o . SERVICE #\n<http://127.0.0.1:9/> {} }", "SERVICE asks another"),
        ("SELECT * " + "{" * 2_000 + "}" * 2_000, "not a SELECT or ASK query"),
    ],
)
def test_what_is_not_run(text: str, reason: str) -> None:
    with pytest.raises(StatementFailed, match=reason) as raised:
        read_sparql(text)
    assert raised.value.hint


@pytest.mark.parametrize("service", ["SERVICE SILENT <http://127.0.0.1:9/>", CALL[:-10]])
def test_a_service_is_the_graph(service: str) -> None:
    text, tree = read_sparql(f"ASK {{ {service} {{ ?s ?p ?o }} }}")
    assert "SERVICE" not in text
    found: Any = tree.where.part[0]
    assert found.name == "GroupOrUnionGraphPattern"


def test_a_comment_ends_where_that_of_the_engine_ends() -> None:
    text, tree = read_sparql(f"SELECT * {{ ?s ?p ?o #\r . {CALL} \n}}")
    assert text == "SELECT * { ?s ?p ?o #\n . {?a ?b ?c} \n}"
    assert [part.name for part in tree.where.part] == ["TriplesBlock", "GroupOrUnionGraphPattern"]


def test_a_name_may_be_service() -> None:
    text = f"PREFIX in: <{NAMESPACE}> SELECT ?service {{ ?a in:serviceArea ?service }}"
    assert read_sparql(text)[0] == text
