"""Files of benchmarks as their authors release them, with a few questions each.

They are written from the published descriptions of the formats.
"""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

from support.data_packs import jsonl, lines


def wikisql(folder: Path) -> Path:
    """Five questions: a cell, a comparison with a number in words, a count, two rows, and no answer."""
    table = {
        "id": "1-10-1",
        "header": ["Nation", "Gold", "Trainer"],
        "types": ["text", "real", "text"],
        "rows": [["Norway", 14, "Olsen"], ["Germany", 12, "Weber"], ["Canada", 11, "Weber"]],
    }
    jsonl(folder / "data" / "test.tables.jsonl", table)
    asked: list[tuple[str, int, int, list[list[Any]]]] = [
        ("What is the gold of Norway?", 1, 0, [[0, 0, "norway"]]),
        ("Which nation has more than 13 gold?", 0, 0, [[1, 1, "13 medals"]]),
        ("How many nations does Weber train?", 0, 3, [[2, 0, "Weber"]]),
        ("Which nations does Weber train?", 0, 0, [[2, 0, "Weber"]]),
        ("What is the gold of Peru?", 1, 0, [[0, 0, "Peru"]]),
    ]
    jsonl(
        folder / "data" / "test.jsonl",
        *(
            {"phase": 1, "table_id": "1-10-1", "question": question,
             "sql": {"sel": column, "agg": aggregate, "conds": conditions}}
            for question, column, aggregate, conditions in asked
        ),
    )  # fmt: skip
    return folder


def wtq(folder: Path) -> Path:
    """Two questions; one answer has a bar in it, one has two members."""
    table = folder / "csv" / "204-csv" / "1.csv"
    table.parent.mkdir(parents=True)
    table.write_text('"Nation","Gold"\n"Norway","14"\n"Germany","12"\n"A|B","11"\n')
    lines(
        folder / "data" / "pristine-unseen-tables.tsv",
        """
        id / utterance / context / targetValue
        nu-0 / what is the gold of norway? / csv/204-csv/1.csv / 14
        nu-1 / who has less than 13 gold? / csv/204-csv/1.csv / Germany|A\\pB
        """,
    )
    return folder


def metaqa(folder: Path) -> Path:
    """One question of one hop and one of two; there is a second wording of the first, which is not read."""
    lines(
        folder / "kb.txt",
        """
        Alien / directed_by / Ridley Scott
        Blade Runner / directed_by / Ridley Scott
        Gladiator / directed_by / Ridley Scott
        """,
        "|",
    )
    one = "who directed [Alien] / Ridley Scott"
    lines(folder / "1-hop" / "vanilla" / "qa_test.txt", one)
    lines(folder / "1-hop" / "ntm" / "qa_test.txt", one)
    two = "which films share a director with [Alien] / Blade Runner|Gladiator"
    lines(folder / "2-hop" / "vanilla" / "qa_test.txt", two)
    return folder


def webqsp(folder: Path) -> Path:
    """One question through two nodes with names, one through a node without, one without an answer."""
    lines(
        folder / "kb.tsv",
        """
        m.01 / people.person.languages / m.02
        m.01 / people.person.spouse_s / cvt.1
        cvt.1 / people.marriage.spouse / m.03
        """,
    )
    lines(folder / "names.tsv", "m.01 / Bob Marley\nm.02 / English\nm.03 / Rita Marley")
    lines(folder / "aliases.tsv", "m.02 / English Language")

    def question(number: int, text: str, chain: list[str], *answers: tuple[str, str]) -> Any:
        return {
            "QuestionId": f"WebQTest-{number}",
            "RawQuestion": text,
            "Parses": [
                {
                    "TopicEntityName": "Bob Marley",
                    "TopicEntityMid": "m.01",
                    "InferentialChain": chain,
                    "Answers": [
                        {"AnswerType": "Entity", "AnswerArgument": key, "EntityName": name}
                        for key, name in answers
                    ],
                }
            ],
        }

    document = {
        "Version": "1.0",
        "Questions": [
            question(
                0,
                "what languages does bob marley speak?",
                ["people.person.languages"],
                ("m.02", "English Language"),
            ),
            question(
                1,
                "who is the spouse of bob marley?",
                ["people.person.spouse_s", "people.marriage.spouse"],
                ("m.03", "Rita Marley"),
            ),
            question(2, "who was bob marley's horse?", []),
        ],
    }
    (folder / "data").mkdir()
    (folder / "data" / "WebQSP.test.json").write_text(json.dumps(document))
    return folder


def cronquestions(folder: Path, **changes: Any) -> Path:
    """A simple question of an entity, and a complex one of a time."""
    graph = folder / "data" / "wikidata_big" / "kg"
    lines(graph / "full.txt", "Q1 / P54 / Q11 / 1990 / 1992\nQ1 / P54 / Q12 / 1993 / 1995")
    lines(graph / "wd_id2entity_text.txt", "Q1 / Ann Lee\nQ11 / Red Star\nQ12 / Blue Star")
    lines(graph / "wd_id2relation_text.txt", "P54 / member of sports team")
    first = {
        "question": "Which team did Q1 play for in 1991?",
        "paraphrases": ["Which team did Ann Lee play for in 1991?", "Whom did Ann Lee play for?"],
        "answers": {"Q11"},
        "answer_type": "entity",
        "type": "simple_entity",
        "entities": {"Q1"},
        "times": {1991},
        "uniq_id": 7,
        **changes,
    }
    second = {
        **first,
        "paraphrases": ["When did Ann Lee play their last game?"],
        "answers": {1995},
        "answer_type": "time",
        "type": "first_last",
        "uniq_id": 8,
    }
    questions = folder / "data" / "wikidata_big" / "questions" / "test.pickle"
    questions.parent.mkdir(parents=True)
    questions.write_bytes(pickle.dumps([first, second]))
    return folder


def multitq(folder: Path) -> Path:
    """A question of an entity, whose name has underscores in the graph, and one of a month."""
    lines(
        folder / "kg" / "full.txt",
        """
        Jack_Straw / Make_a_visit / Iraq / 2005-02-01
        Envoy_(United_Nations) / Make_a_visit / Iraq / 2005-04-01
        """,
    )
    kinds = {"qtype": "equal", "qlabel": "Single"}
    questions = folder / "questions" / "test.json"
    questions.parent.mkdir(parents=True)
    questions.write_text(
        json.dumps(
            [
                {"quid": 1, "question": "Who visited Iraq on 2005-04-01?",
                 "answers": ["Envoy (United Nations)"], "answer_type": "entity",
                 "time_level": "day", **kinds},
                {"quid": 2, "question": "When did Jack Straw visit Iraq?", "answers": ["2005-02"],
                 "answer_type": "time", "time_level": "month", **kinds},
            ]
        )
    )  # fmt: skip
    return folder


WRITERS = {
    "wikisql": wikisql,
    "wtq": wtq,
    "metaqa": metaqa,
    "webqsp": webqsp,
    "cronquestions": cronquestions,
    "multitq": multitq,
}
"""Benchmark → what writes its files."""


ACME_NAMESPACE = "https://example.org/in/"
_ACME_PREFIXES = f"""\
@prefix in: <{ACME_NAMESPACE}> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix rr: <http://www.w3.org/ns/r2rml#> .
@prefix q: <http://models.data.world/benchmarks/QandA#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix t: <https://example.org/t/> .
"""
_ACME_MAPPING = """
<#claim> rr:logicalTable [ rr:tableName "Claim" ] ;
  rr:subjectMap [ rr:template "https://example.org/d/Claim-{id}" ; rr:class in:Claim ] ;
  rr:predicateObjectMap [ rr:predicate in:claimNumber ; rr:objectMap [ rr:column "number" ] ] ;
  rr:predicateObjectMap [ rr:predicate in:closed ; rr:objectMap [ rr:column "closed" ] ] ;
  rr:predicateObjectMap [
    rr:predicate in:against ; rr:objectMap [ rr:template "https://example.org/d/Policy-{policy}" ] ] .
<#policy> rr:logicalTable [ rr:tableName "Policy" ] ;
  rr:subjectMap [ rr:template "https://example.org/d/Policy-{id}" ; rr:class in:Policy ] ;
  rr:predicateObjectMap [ rr:predicate in:premium ; rr:objectMap [ rr:column "premium" ] ] ;
  rr:predicateObjectMap [ rr:predicate in:policyNumber ; rr:objectMap [ rr:column "number" ] ] .
"""
_ACME_ONTOLOGY = """
in:Claim a owl:Class . in:Policy a owl:Class .
in:against a owl:ObjectProperty ; rdfs:domain in:Claim ; rdfs:range in:Policy .
in:claimNumber a owl:DatatypeProperty ; rdfs:domain in:Claim .
in:policyNumber a owl:DatatypeProperty ; rdfs:domain in:Policy .
in:premium a owl:DatatypeProperty ; rdfs:domain in:Policy .
"""
_ACME_DDL = """\
CREATE TABLE Claim
(
    id int NOT NULL , number varchar(9) NULL , closed datetime NULL , policy int NULL ,
    PRIMARY KEY (id ASC),
    FOREIGN KEY (policy) REFERENCES Agreement(id)
)

CREATE TABLE Policy
( id int NOT NULL , number varchar(9) NULL , premium decimal(9,2) NULL, PRIMARY KEY (id ASC) )
"""
ACME_QUERIES = {
    "IQ_claims": ("LQLS", "SELECT number FROM claim", "SELECT ?n { ?c in:claimNumber ?n }"),
    "IQ_days": (
        "HQLS",
        'SELECT DATE_DIFF(closed, closed, "day") FROM claim WHERE id = 1',
        """SELECT (fn:date_diff(?d, ?d, 'day') AS ?n) {
        SERVICE in:mapped { ?c in:claimNumber 'C-1' ; in:closed ?d . } }""",
    ),
    "IQ_premiums": (
        "HQHS",
        "SELECT claim.number, premium FROM claim JOIN policy ON claim.policy = policy.id",
        "SELECT ?n ?p { ?c in:claimNumber ?n ; in:against [ in:premium ?p ] }",
    ),
    "IQ_none": ("LQHS", "SELECT nothing FROM nowhere", "SELECT ?x WHERE"),
}
"""Question → its quadrant and its reference queries; those of the last cannot be run."""


def acme(folder: Path) -> Path:
    """Two claims against policies, four questions, and no file outside its folder ``ACME``."""
    root = folder / "ACME"
    lines(root / "data" / "Claim.csv", "id,number,closed,policy\r\n1,C-1,2020-02-03,1\r\n2,C-2,,2")
    lines(root / "data" / "Policy.csv", "id,number,premium\r\n1,P-1,10.50\r\n2,P-2,20")
    lines(root / "data" / "insurance.r2rml", _ACME_PREFIXES + _ACME_MAPPING)
    lines(root / "ontology" / "insurance.ttl", _ACME_PREFIXES + _ACME_ONTOLOGY)
    lines(root / "DDL" / "small.ddl", _ACME_DDL)
    prefixes = f"PREFIX in: <{ACME_NAMESPACE}> PREFIX fn: <http://data.world/function/functions#> "
    inquiries = [
        f't:{name} a q:Inquiry ; q:prompt "Question  {name}?" ; q:expects t:s-{name}, t:g-{name} .\n'
        f't:s-{name} q:inLanguage q:SQL ; dct:title "{quadrant}: {name}" ; q:queryText """{sql}""" .\n'
        f't:g-{name} q:inLanguage q:SPARQL ; q:queryText """{prefixes}{sparql}""" .\n'
        for name, (quadrant, sql, sparql) in ACME_QUERIES.items()
    ]
    lines(root / "investigation" / "small.ttl", _ACME_PREFIXES + "".join(inquiries))
    return folder
