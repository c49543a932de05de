"""Facts that follow from stored facts by an ontology: against a naive closure, and over a real server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from trustuqa_neo4j import Answer, TrustUQA
from trustuqa_neo4j.execution import inference
from trustuqa_neo4j.execution.derivation import Facts
from trustuqa_neo4j.execution.inference import Inference
from trustuqa_neo4j.model.facts import ClassDeclared, RelationDeclared
from trustuqa_neo4j.ontology.entailment import Entailments
from trustuqa_neo4j.ontology.ontology import Ontology

RELATIONS = ("p", "q", "r", "s")
CLASSES = (10, 11, 12)  # nodes called "10", "11", "12"
NODES = range(5)

Triple = tuple[int, str, int]

NAMES = st.lists(st.sampled_from(RELATIONS), max_size=2, unique=True).map(tuple)
RELATION_AXIOMS = st.tuples(NAMES, NAMES, st.booleans())
PARENTS = st.lists(st.sampled_from([str(node) for node in CLASSES]), max_size=2).map(tuple)
FACTS = st.sets(
    st.tuples(
        st.sampled_from(NODES), st.sampled_from(RELATIONS), st.sampled_from((*NODES, *CLASSES))
    )
    | st.tuples(st.sampled_from(NODES), st.just("type"), st.sampled_from(CLASSES)),
    max_size=10,
)


class MemoryFacts:
    """Stored facts in memory; the id of a fact is its place. It is the reader of the classes too."""

    def __init__(self, triples: set[Triple]) -> None:
        self.triples = sorted(triples)

    def _select(self, nodes: set[int] | None, place: int, relations: Sequence[str]) -> Facts:
        rows = [
            (number, triple)
            for number, triple in enumerate(self.triples)
            if triple[1] in relations and (nodes is None or triple[place] in nodes)
        ]
        heads, tails = [t[0] for _, t in rows], [t[2] for _, t in rows]
        return Facts(heads, tails, [[number] for number, _ in rows], tuple(relations))

    def stored_from(self, heads: Sequence[int], relations: Sequence[str]) -> Facts:
        return self._select({*heads}, 0, relations)

    def stored_to(self, tails: Sequence[int], relations: Sequence[str]) -> Facts:
        return self._select({*tails}, 2, relations)

    def all_stored(self, relations: Sequence[str]) -> Facts:
        return self._select(None, 0, relations)

    def run(self, name: str, /, **parameters: Any) -> list[dict[str, Any]]:
        if name == "node_values":
            return [{"ids": parameters["nodes"], "names": [str(n) for n in parameters["nodes"]]}]
        assert name == "nodes_by_name"
        return [{"nodes": [[name, int(name)] for name, _ in parameters["names"]]}]


def close(triples: set[Triple], ontology: Ontology) -> set[Triple]:
    """Apply the rules again and again; chains that come back to their start are not facts."""
    closed = set(triples)
    while True:
        added: set[Triple] = set()
        for head, relation, tail in closed:
            if relation == "type":
                added |= {(head, "type", int(c)) for c in ontology.superclasses(str(tail))}
            declared = ontology.relations.get(relation, RelationDeclared(relation))
            added |= {(head, parent, tail) for parent in declared.parents}
            for name, inverse in ontology.relations.items():
                if relation in inverse.inverses or name in declared.inverses:
                    added.add((tail, name, head))
            added |= {(tail, name, head) for name in declared.inverses}
            if declared.is_transitive:
                added |= {
                    (head, relation, end)
                    for start, name, end in closed
                    if (start, name) == (tail, relation) and end != head
                }
        if added <= closed:
            return closed
        closed |= added


def pairs(facts: Facts) -> set[tuple[int, int]]:
    assert len(set(zip(facts.heads, facts.tails, strict=True))) == len(facts)
    return set(zip(facts.heads, facts.tails, strict=True))


# A symmetric relation has the chains of a transitive one below it both ways round.
CHAIN_BELOW_SYMMETRIC = {"p": ((), ("p",), False), "q": (("p",), (), True)}
PLAIN: tuple[tuple[str, ...], tuple[str, ...], bool] = ((), (), False)


@given(
    FACTS,
    st.fixed_dictionaries(dict.fromkeys(RELATIONS, RELATION_AXIOMS)),
    st.fixed_dictionaries({str(node): PARENTS for node in CLASSES}),
)
@example(
    {(0, "q", 1), (1, "q", 2)},
    dict.fromkeys(RELATIONS, PLAIN) | CHAIN_BELOW_SYMMETRIC,
    {str(node): () for node in CLASSES},
)
def test_all_searches_find_what_the_closure_has(
    triples: set[Triple],
    axioms: Mapping[str, tuple[tuple[str, ...], tuple[str, ...], bool]],
    parents: Mapping[str, tuple[str, ...]],
) -> None:
    ontology = Ontology.from_declarations(
        [ClassDeclared(name, parents=names) for name, names in parents.items()],
        [
            RelationDeclared(name, parents=above, inverses=inverses, is_transitive=is_transitive)
            for name, (above, inverses, is_transitive) in axioms.items()
        ],
    )
    stored = MemoryFacts(triples)
    inferring = Inference(Entailments(ontology), ["memory"], stored, stored)
    closed = close(triples, ontology)
    several = {(head, tail) for head, name, tail in closed if name in ("p", "type")}
    both = inferring.all_facts(["p", "type"])
    assert set(zip(both.heads, both.tails, strict=True)) == several
    for relation in (*RELATIONS, "type"):
        expected = {(head, tail) for head, name, tail in closed if name == relation}
        facts = inferring.all_facts([relation])
        assert pairs(facts) == expected
        assert all(facts.ids)
        for node in (*NODES, *CLASSES):
            from_node = pairs(inferring.facts_from([node], [relation]))
            assert from_node == {pair for pair in expected if pair[0] == node}
            to_node = pairs(inferring.facts_to([node], [relation]))
            assert to_node == {pair for pair in expected if pair[1] == node}


ONTOLOGY = """
@prefix : <http://example.org/school#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
:Person a owl:Class . :Pupil rdfs:subClassOf :Person .
:Teacher rdfs:subClassOf :Person . :Head rdfs:subClassOf :Teacher .
:teaches owl:inverseOf :taughtBy . :leads rdfs:subPropertyOf :worksFor .
:marriedTo a owl:SymmetricProperty .
:partOf a owl:ObjectProperty , owl:TransitiveProperty ; owl:inverseOf :hasPart .
:Ana a :Head ; :teaches :Latin ; :leads :Languages ; :marriedTo :Cem ; :salary 50 .
:Bea a :Teacher ; :teaches :Greek ; :worksFor :Languages ; :salary 40 .
:Dov a :Pupil ; :learns :Latin .
:Languages :partOf :Arts . :Arts :partOf :School . :Phonetics :partOf :Languages .
"""


@pytest.fixture(scope="module")
def school(client: TrustUQA, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrustUQA]:
    file = tmp_path_factory.mktemp("school") / "school.ttl"
    file.write_text(ONTOLOGY, encoding="utf-8")
    client.load("rdf", file, dataset="school", embeddings=False)
    yield client
    client.drop("school")


def ask(school: TrustUQA, query: str, *, inference: bool = True) -> Answer:
    return school.run(query, "school", inference=inference)


@pytest.mark.parametrize(
    ("query", "values", "stored"),
    [
        ("get_information(relation='type', tail_entity='Person')", ["Ana", "Bea", "Dov"], []),
        ("get_information(relation='type', tail_entity='Teacher')", ["Ana", "Bea"], ["Bea"]),
        ("get_information(head_entity='Ana', relation='type')", ["Head", "Person", "Teacher"], ["Head"]),
        ("get_information(head_entity='Latin', relation='taughtBy')", ["Ana"], []),
        ("get_information(relation='taughtBy', tail_entity='Ana')", ["Latin"], []),
        ("get_information(relation='worksFor', tail_entity='Languages')", ["Ana", "Bea"], ["Bea"]),
        ("get_information(head_entity='Cem', relation='marriedTo')", ["Ana"], []),
        ("get_information(head_entity='Phonetics', relation='partOf')",
         ["Arts", "Languages", "School"], ["Languages"]),
        ("get_information(head_entity='School', relation='hasPart')",
         ["Arts", "Languages", "Phonetics"], []),
        ("count(get_information(relation='type', tail_entity='Person'))", [3], [0]),
        ("get_table(head_entity='Person', columns=['salary'])", ["40", "50"], []),
        ("get_information(head_entity='Greek', relation='taughtBy', key='salary', value<45)", ["Bea"], []),
        ("search_node('Greek')", ["taughtBy"], []),
        ("set_difference(search_condition('type', 'Person'), search_condition('type', 'Teacher'))",
         ["Dov"], []),
        ("get_information(relation='hasPart', tail_entity starts with 'Phon')",
         ["Arts", "Languages", "School"], []),
    ],
)  # fmt: skip
def test_inferred_facts_answer(
    school: TrustUQA, query: str, values: list[Any], stored: list[Any]
) -> None:
    assert sorted(ask(school, query).values) == values
    assert sorted(ask(school, query, inference=False).values) == stored


@pytest.mark.parametrize(
    ("query", "facts"),
    [
        ("get_information(head_entity='Latin', relation='taughtBy')",
         [("Ana", "teaches", "Latin", "Latin taughtBy Ana, since teaches is the inverse of taughtBy")]),
        ("get_information(relation='worksFor', tail_entity='Languages')",
         [("Ana", "leads", "Languages", "Ana worksFor Languages, since leads is a kind of worksFor"),
          ("Bea", "worksFor", "Languages", None)]),
        ("get_information(head_entity='Dov', relation='type', tail_entity='Person')",
         [("Dov", "type", "Pupil", "Dov type Person, since Pupil is a subclass of Person")]),
        ("get_information(head_entity='Languages', relation='partOf', tail_entity='School')",
         [("Arts", "partOf", "School", "Languages partOf School, since partOf is transitive"),
          ("Languages", "partOf", "Arts", "Languages partOf School, since partOf is transitive")]),
    ],
)  # fmt: skip
def test_a_proof_names_stored_facts_and_the_axiom(
    school: TrustUQA, query: str, facts: list[tuple[str, ...]]
) -> None:
    evidence = ask(school, query).evidence
    assert sorted((f.head, f.relation, f.tail, f.inferred) for f in evidence) == facts


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("Who is Latin taught by?", ("Ana",)),
        ("Who works for Languages?", ("Ana", "Bea")),
        ("Who is Cem married to?", ("Ana",)),
        ("What parts does School have?", ("Arts", "Languages", "Phonetics")),
        ("List all teachers", ("Ana", "Bea")),
        ("How many persons are there?", (3,)),
        ("How many pupils are there?", (1,)),
    ],
)
def test_plain_questions_use_inferred_facts(
    school: TrustUQA, question: str, values: tuple[str, ...]
) -> None:
    answer = school.ask(question, dataset="school")
    assert (answer.values, answer.origin) == (values, "read")


def test_plain_questions_without_inference_know_stored_facts_alone(school: TrustUQA) -> None:
    answer = school.ask("List all teachers", dataset="school", inference=False)
    assert (answer.values, answer.origin) == (("Bea",), "read")
    answer = school.ask("How many persons are there?", dataset="school", inference=False)
    assert (answer.outcome, answer.values) == ("not_askable", ())


def test_an_answer_with_inferred_facts_is_json_and_text(school: TrustUQA) -> None:
    answer = ask(school, "get_information(head_entity='Cem', relation='marriedTo')")
    assert Answer.from_dict(answer.to_dict()).evidence == answer.evidence
    assert "Cem marriedTo Ana, since marriedTo is symmetric" in str(answer)


def test_the_schema_lists_relations_with_inferred_facts_alone(school: TrustUQA) -> None:
    schema = school.schema("school")
    inferred = {r.name: (r.starts_from, r.comment) for r in schema.relations if not r.facts}
    assert inferred == {
        "hasPart": ((), "inferred: partOf is the inverse of hasPart"),
        "taughtBy": ((), "inferred: teaches is the inverse of taughtBy"),
    }
    members = {c.name: c.members for c in schema.classes}
    assert members == {
        "Head": 1, "Person": 3, "Pupil": 1, "Teacher": 2, "class": 4, "property": 7,
    }  # fmt: skip


def test_an_exported_ontology_still_answers(school: TrustUQA, tmp_path: Path) -> None:
    school.export("school", tmp_path / "school")
    school.load("exported", tmp_path / "school", dataset="copy", embeddings=False)
    try:
        answer = school.run(
            "get_information(head_entity='School', relation='hasPart')", dataset="copy"
        )
        assert len(answer.values) == 3
    finally:
        school.drop("copy")


def test_chains_without_bound_are_refused(
    school: TrustUQA, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inference, "MAX_CHAIN_FACTS", 3)
    answer = ask(school, "get_information(relation='partOf')")
    assert answer.outcome == "rejected"
    assert "chains of a transitive relation" in answer.problems[0].message


def test_a_class_node_goes_with_its_last_declaration(tuqa: TrustUQA, tmp_path: Path) -> None:
    prefixes = "".join(ONTOLOGY.splitlines(keepends=True)[:4])
    files = {
        "axioms.ttl": ":Pupil rdfs:subClassOf :Person .",
        "more.ttl": ":Teacher rdfs:subClassOf :Person .",
        "facts.ttl": ":Dov a :Pupil . :Ana a :Teacher . :Eva a :Person .",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(prefixes + text, encoding="utf-8")
    tuqa.load("rdf", *(tmp_path / name for name in files), dataset="d", embeddings=False)
    sources = {source.name.rsplit("/", 1)[-1]: source.name for source in tuqa.datasets()[0].sources}
    people = "get_information(relation='type', tail_entity='Person')"
    assert set(tuqa.run(people, "d").values) == {"Ana", "Dov", "Eva"}
    tuqa.drop("d", sources["axioms.ttl"])
    assert set(tuqa.run(people, "d").values) == {"Ana", "Eva"}
    tuqa.drop("d", sources["facts.ttl"])
    nodes = tuqa.datasets()[0].nodes
    tuqa.drop("d", sources["more.ttl"])
    # Teacher, Person, and what both are.
    assert (nodes, tuqa.datasets()[0].nodes) == (3, 0)
