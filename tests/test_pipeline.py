"""Queries checked against a graph with an ontology: what is refused, doubted, and carried through."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from trustuqa_neo4j import Answer, TrustUQA
from trustuqa_neo4j.answer import Value

ONTOLOGY = """
@prefix : <https://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Ship a owl:Class . :Port a owl:Class ; rdfs:label "harbour" . :Captain a owl:Class .
:homePort a owl:ObjectProperty ; rdfs:domain :Ship ; rdfs:range :Port ; rdfs:label "is at home in" .
:sails a owl:ObjectProperty ; rdfs:domain :Captain ; rdfs:range :Ship .
:shipLength a owl:DatatypeProperty ; rdfs:domain :Ship .
:sunk a owl:DatatypeProperty ; rdfs:domain :Ship .
"""
FACTS = """
@prefix : <https://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:s1 a :Ship ; rdfs:label "Thetis" ; :homePort :p1 ; :shipLength "90" .
:s2 a :Ship ; rdfs:label "Nereus" ; :homePort :p2 ; :shipLength "40" ; :crew "12" .
:p1 a :Port ; rdfs:label "Varna" . :p2 a :Port ; rdfs:label "Bergen" .
:c1 a :Captain ; rdfs:label "Ida" ; :sails :s1 .
"""
SHIPS = "Query1: get_information(relation='type', tail_entity='Ship')\n"


@pytest.fixture
def ships(tuqa: TrustUQA, tmp_path: Path) -> Iterator[TrustUQA]:
    for name, text in (("ships.ttl", FACTS), ("ontology.ttl", ONTOLOGY)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    paths = (str(tmp_path / "ships.ttl"), str(tmp_path / "ontology.ttl"))
    tuqa.load("rdf", *paths, dataset="ships", embeddings=False)
    yield tuqa
    tuqa.drop("ships")


def run(ships: TrustUQA, text: str) -> tuple[str, tuple[str, ...], list[str]]:
    answer = ships.run(text, "ships")
    return (
        answer.outcome,
        tuple(sorted(map(str, answer.values))),
        [problem.kind for problem in answer.problems],
    )


def test_what_fits_is_answered(ships: TrustUQA) -> None:
    text = SHIPS + "Query2: get_information(head_entity=output_of_query1, relation='homePort')"
    assert run(ships, text) == ("answered", ("Bergen", "Varna"), [])


def test_what_the_ontology_excludes_is_refused(ships: TrustUQA) -> None:
    text = SHIPS + "Query2: get_information(head_entity=output_of_query1, relation='sails')"
    assert run(ships, text) == ("rejected", (), ["direction"])


def test_what_nobody_declared_and_the_data_have_is_known(ships: TrustUQA) -> None:
    text = SHIPS + "Query2: get_information(head_entity=output_of_query1, relation='crew')"
    assert run(ships, text) == ("answered", ("12",), [])


def test_what_is_declared_and_has_no_fact_leads_to_nothing(ships: TrustUQA) -> None:
    text = SHIPS + "Query2: get_information(head_entity=output_of_query1, relation='sunk')"
    assert run(ships, text) == ("empty", (), [])
    assert ships.check(text, "ships").good


def test_relations_and_classes_by_their_labels(ships: TrustUQA) -> None:
    text = (
        "Query1: get_information(relation='type', tail_entity='harbour')\n"
        "Query2: get_information(relation='is at home in', tail_entity=output_of_query1)"
    )
    assert run(ships, text) == ("answered", ("Nereus", "Thetis"), [])
    mapped = {(m.given, m.used) for m in ships.run(text, "ships").mapped}
    assert ("is at home in", "homePort") in mapped


def test_a_class_that_is_not_there_is_not_askable(ships: TrustUQA) -> None:
    text = "get_information(relation='type', tail_entity='Submarine')"
    answer = ships.run(text, "ships")
    assert (answer.outcome, [p.kind for p in answer.problems]) == ("not_askable", ["unknown class"])
    assert answer.problems[0].message.endswith("there are Captain, Port, Ship, class, property")


def test_an_invented_relation_that_is_read_as_another_is_doubted(ships: TrustUQA) -> None:
    text = SHIPS + "Query2: get_information(head_entity=output_of_query1, relation='shipLengths')"
    assert ships.check(text, "ships").good
    checked = ships.check(text.replace("shipLengths", "lengthOfShip"), "ships")
    (doubt,) = checked.problems
    assert (checked.outcome, doubt.kind, doubt.severity) == (None, "unknown relation", "doubt")
    assert (
        doubt.message
        == "ships has no relation 'lengthOfShip'; it is read as shipLength (from a Ship to a value)"
    )


def test_the_nearest_relations_are_told_with_their_ends(ships: TrustUQA) -> None:
    answer = ships.run("get_information(head_entity='Thetis', relation='xyz')", "ships")
    assert answer.outcome == "not_askable"
    assert "(from a " in answer.problems[0].message


def test_a_new_load_is_seen_at_once(ships: TrustUQA, tmp_path: Path) -> None:
    text = SHIPS + "Query2: get_information(head_entity=output_of_query1, relation='sails')"
    assert run(ships, text)[0] == "rejected"
    more = tmp_path / "more.ttl"
    more.write_text(FACTS.split("\n:s1")[0] + "\n:s2 :sails :s1 .\n", encoding="utf-8")
    ships.load("rdf", str(more), dataset="ships", mode="append", embeddings=False)
    assert run(ships, text) == ("answered", ("Thetis",), [])


def test_class_as_head_of_a_table_is_its_members(ships: TrustUQA) -> None:
    text = "get_table(head_entity='Ship', columns=['homePort as port', 'shipLength as length'])"
    assert ships.check(text, "ships").problems == ()
    assert run(ships, text) == ("answered", ("40", "90", "Bergen", "Varna"), [])


def test_class_as_head_is_checked_as_its_members_are(ships: TrustUQA) -> None:
    answer = ships.run("get_table(head_entity='Captain', columns=['homePort as port'])", "ships")
    message = (
        "homePort starts from a Ship, but the head is a Captain, which is not a kind of that. "
        "Try sails > homePort."
    )
    assert answer.outcome == "rejected"
    assert [problem.message for problem in answer.problems] == [message]


def test_unknown_class_as_head_is_one_doubt_with_the_nearest_class(ships: TrustUQA) -> None:
    text = "get_table(head_entity='Ships', columns=['homePort as port', 'shipLength as length'])"
    message = (
        "ships has no 'Ships', which homePort, shipLength are to start from; "
        "the nearest class is 'Ship'"
    )
    problems = ships.check(text, "ships").problems
    assert [(p.severity, p.message) for p in problems] == [("doubt", message)]
    answer = ships.run(text, "ships")
    assert answer.outcome == "empty"
    assert [problem.message for problem in answer.problems] == [message]


def test_empty_answer_shows_the_doubt_that_explains_it(ships: TrustUQA) -> None:
    text = "get_information(head_entity='Thetis', relation='crew')"
    answer = ships.run(text, "ships")
    assert answer.outcome == "empty"
    assert [p.message for p in answer.problems] == [
        "crew does not start from 'Thetis'; these do: homePort, shipLength, type"
    ]
    assert [p.message for p in answer.problems] == [
        p.message for p in ships.check(text, "ships").problems
    ]


def test_rows_of_the_only_table_of_a_dataset(tuqa: TrustUQA, tmp_path: Path) -> None:
    path = tmp_path / "pay.csv"
    path.write_text("name,salary\nAnn,1200\nBob,1500\n", encoding="utf-8")
    tuqa.load("table", str(path), dataset="pay", embeddings=False)
    try:
        rows = tuqa.run("get_information(relation='salary', tail_entity>1300)", "pay")
        assert rows.values == ("Bob",)
        line = "get_information(head_entity='[line_1]', relation='salary')"
        assert tuqa.run(line, "pay").values == ("1200",)
        assert tuqa.run("search_node('name', condition=[line_2])", "pay").values == ("Bob",)
    finally:
        tuqa.drop("pay")


def test_a_condition_on_a_time_selects_facts(tuqa: TrustUQA, tmp_path: Path) -> None:
    path = tmp_path / "terms.tsv"
    path.write_text(
        "head\trelation\ttail\tstart\tend\nParis\tmayor\tHidalgo\t2014\t2026\n"
        "Paris\tmayor\tDelanoë\t2001\t2014\nParis\ttwin\tRome\t2014\t2026\n",
        encoding="utf-8",
    )
    tuqa.load("temporal-kg", str(path), dataset="terms", embeddings=False)
    late = "search_condition('start time', '2014')"
    assert tuqa.run(f"search_node('mayor', condition={late})", "terms").values == ("Hidalgo",)
    assert tuqa.run(f"search_condition('mayor', 'Delanoë', c={late})", "terms").outcome == "empty"
    answer = tuqa.run(late, "terms")
    assert (answer.outcome, answer.values) == ("not_askable", ())


POLICIES = """
@prefix : <https://example.org/> .
:p1 a :Policy ; :policyNumber "31003000336" ; :holder :Ann .
:p2 a :Policy ; :policyNumber "31003000337" ; :holder :Bob .
:Claim-7 a :Claim ; :against :p1 .
:Ann :sees :Apollo_11 .
"""


def test_individuals_of_rdf_without_names_are_no_answer(tuqa: TrustUQA, tmp_path: Path) -> None:
    (tmp_path / "policies.ttl").write_text(POLICIES, encoding="utf-8")
    tuqa.load("rdf", str(tmp_path / "policies.ttl"), dataset="policies", embeddings=False)
    try:
        answer = tuqa.run("get_information(relation='type', tail_entity='Policy')", "policies")
        message = (
            "the answer is nodes without a name (a Policy), so it has only ids; "
            "ask for policyNumber instead."
        )
        assert [problem.message for problem in answer.problems] == [message]
        number = "get_information(head_entity='p1', relation='policyNumber')"
        assert tuqa.run(number, "policies").values == ("31003000336",)
        holder = "get_information(relation='holder', tail_entity='Ann', key='policyNumber')"
        assert tuqa.run(holder, "policies").values == ("31003000336",)
        assert tuqa.run("get_information(relation='sees')", "policies").values == ("Apollo_11",)
        claim = "get_information(relation='against', tail_entity='p1', key='against')"
        assert tuqa.run(claim, "policies").outcome == "rejected"
    finally:
        tuqa.drop("policies")


# Proof and notes.

STAFF = "name,region,grade,pay\nAnn,North,A,100\nBob,North,B,on leave\nCid,South,A,300\n"


@pytest.fixture
def staff(tuqa: TrustUQA, tmp_path: Path) -> Iterator[TrustUQA]:
    (tmp_path / "staff.csv").write_text(STAFF, encoding="utf-8")
    # With a second table, rows are answered as rows.
    (tmp_path / "towns.csv").write_text("town\nRye\n", encoding="utf-8")
    files = (str(tmp_path / "staff.csv"), str(tmp_path / "towns.csv"))
    tuqa.load("table", *files, dataset="staff", embeddings=False)
    yield tuqa
    tuqa.drop("staff")


def proof(answer: Answer) -> set[tuple[str, str, str]]:
    return {(fact.head, fact.relation, fact.tail) for fact in answer.evidence}


def test_facts_of_others_are_looked_at_and_prove_nothing(staff: TrustUQA) -> None:
    text = "get_information(relation='region', tail_entity='North', key='grade', value='A')"
    answer = staff.run(text, "staff")
    assert answer.values == ("row 1",)
    assert proof(answer) == {("row 1", "region", "North"), ("row 1", "grade", "A")}
    assert (answer.evidence_total, answer.considered_total) == (2, 4)


def test_a_set_difference_is_proved_by_what_remains(staff: TrustUQA) -> None:
    text = (
        "Query1: get_information(relation='grade', tail_entity='A')\n"
        "Query2: get_information(relation='region', tail_entity='South')\n"
        "Query3: set_difference(output_of_query1, output_of_query2)"
    )
    assert proof(staff.run(text, "staff")) == {("row 1", "grade", "A")}


def test_an_empty_answer_has_no_proof(staff: TrustUQA) -> None:
    text = "get_information(relation='region', tail_entity='South', key='grade', value='B')"
    answer = staff.run(text, "staff")
    assert (answer.outcome, answer.evidence, answer.evidence_total) == ("empty", (), 0)
    assert "no fact proves it; 2 facts looked at" in str(answer)


def test_a_count_of_all_rows_says_why_no_fact_proves_it(staff: TrustUQA) -> None:
    (source,) = (s.name for s in staff.schema("staff").sources if s.name.endswith("staff.csv"))
    text = "count(get_information(relation='row_number', tail_entity>=1))"
    answer = staff.run(text, "staff", source=source)
    assert (answer.outcome, answer.evidence_total) == ("answered", 0)
    assert "no fact proves it: rows are counted, whatever is in them" in str(answer)
    computed = staff.run("difference('1969-07-16', '1969-07-24')", "staff")
    assert "no fact proves it: it was computed from the query alone" in str(computed)


def test_the_counted_facts_prove_a_count(staff: TrustUQA) -> None:
    text = "count(get_information(relation='region', tail_entity='North', key='grade', value='A'))"
    answer = staff.run(text, "staff")
    assert (answer.values, answer.evidence_total) == ((1,), 2)
    assert {fact.head for fact in answer.evidence} == {"row 1"}


@pytest.mark.parametrize(
    ("text", "values", "counted"),
    [
        ("sum(get_information(relation='pay'))", (400,), "is not a number and was left out"),
        (
            "group_by(get_table(columns=['region', 'pay']), by=['region'], values=['sum(pay) as s'])",
            ("North", 100, "South", 300),
            "is not a number and was left out",
        ),
        (
            "get_information(relation='pay', tail_entity>150)",
            ("row 3",),
            "could not be compared and was left out",
        ),
        (
            "sort(get_information(relation='pay'))",
            ("100", "300", "on leave"),
            "is not a number or date and comes last",
        ),
    ],
)
def test_what_was_left_out_is_a_line_of_the_answer(
    staff: TrustUQA, text: str, values: tuple[object, ...], counted: str
) -> None:
    answer = staff.run(text, "staff")
    assert answer.values == values
    (note,) = answer.notes
    assert (note.count, note.total, note.samples) == (1, 3, ("on leave",))
    assert note.message == f"1 of 3 cells {counted}: 'on leave'"
    assert note.message in str(answer).splitlines()
    assert any(note.message in stage.found for stage in answer.trace)
    # The row of a group has all facts of its rows.
    is_shown = "left out" not in counted or "group_by" in text
    assert ("on leave" in {fact.tail for fact in answer.evidence}) == is_shown


def test_facts_shown_of_a_long_answer_are_of_different_members(
    tuqa: TrustUQA, tmp_path: Path
) -> None:
    rows = [f"p{i}\tin\tRome\np{i}\tlikes\ttea\n" for i in range(50)]
    (tmp_path / "long.tsv").write_text("".join(rows), encoding="utf-8")
    tuqa.load("kg", str(tmp_path / "long.tsv"), dataset="long", embeddings=False)
    text = "get_information(relation='in', tail_entity='Rome', key='likes', value='tea')"
    answer = tuqa.run(text, "long")
    assert (len({fact.head for fact in answer.evidence}), answer.evidence_total) == (20, 100)
    tuqa.drop("long")


def test_nodes_without_a_name_are_shown_and_found_by_their_label(
    tuqa: TrustUQA, tmp_path: Path
) -> None:
    database = sqlite3.connect(tmp_path / "shop.db")
    database.executescript(
        "CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, city TEXT);"
        "CREATE TABLE orders (id INTEGER PRIMARY KEY, total INTEGER, customer INTEGER"
        " REFERENCES customer(id));"
        "INSERT INTO customer VALUES (1, 'Ann', 'Paris'), (2, 'Ann', 'Rome'), (3, '', 'Oslo');"
        "INSERT INTO orders VALUES (7, 20, 1), (8, 30, 3);"
    )
    database.close()
    records = [{"total": 20, "customer": {"id": "3"}}, {"total": 30, "customer": {"name": "Ann"}}]
    (tmp_path / "orders.json").write_text(json.dumps(records), encoding="utf-8")
    tuqa.load("sql", str(tmp_path / "shop.db"), dataset="shop", embeddings=False)
    tuqa.load("json", str(tmp_path / "orders.json"), dataset="orders", embeddings=False)
    total, of_orders = "sum(get_information(relation='total'", ", key='type', value='orders'"
    for dataset, condition, heads, relations in (
        ("shop", of_orders, ["order 7", "order 8"], ["total", "type"]),
        ("orders", "", ["row 1", "row 2"], ["total"]),  # records are rows
    ):
        answer = tuqa.run(f"{total}{condition}))", dataset)
        assert answer.values == (50,)
        facts = [(fact.head, fact.relation) for fact in answer.evidence]
        assert facts == [(head, relation) for relation in relations for head in heads]
        assert "\\x1f" not in str(answer.to_dict())

    def values(head: str, relation: str, dataset: str) -> tuple[Value, ...]:
        query = f"get_information(head_entity='{head}', relation='{relation}')"
        return tuqa.run(query, dataset).values

    assert values("Ann", "city", "shop") == ("Paris", "Rome")  # both are meant
    assert values("customer 3", "city", "shop") == ("Oslo",)
    assert values("Order 7", "has customer", "shop") == ("Ann",)
    assert values("customer 3", "id", "orders") == ("3",)
    compared = "get_information(relation='total', key='has customer', value='customer 3')"
    assert tuqa.run(compared, "shop").values == ("30",)
    for dataset in ("shop", "orders"):
        tuqa.drop(dataset)


def test_class_membership_comes_last(ships: TrustUQA) -> None:
    text = "get_table(head_entity='Ship', columns=['is at home in', 'crew'])"
    answer = ships.run(text, "ships")
    relations = [fact.relation for fact in answer.evidence]
    assert relations == ["homePort", "crew", "type"]
    assert {fact.head for fact in answer.evidence} == {"Nereus"}


@pytest.mark.parametrize(
    ("year", "values", "message"),
    [
        ("2009", (), "1 of 3 facts has no start and counts as valid only at its end: '… – 2010'"),
        ("2011", ("Ida",), "1 of 3 facts has no end and counts as still valid: '2008 – …'"),
        (
            "2010",
            ("Bob", "Ida"),
            "1 of 3 facts has no end and counts as still valid: '2008 – …'",
        ),
        (
            "2001",
            ("Cid",),
            "1 of 3 facts has no start and counts as valid only at its end: '… – 2010'",
        ),
    ],
)
def test_an_unknown_start_or_end_that_decides_is_noted(
    tuqa: TrustUQA, tmp_path: Path, year: str, values: tuple[str, ...], message: str
) -> None:
    facts = "Bob\tat\tACME\t\t2010\nIda\tat\tACME\t2008\t\nCid\tat\tACME\t2000\t2002\n"
    (tmp_path / "jobs.tsv").write_text(facts, encoding="utf-8")
    tuqa.load("temporal-kg", str(tmp_path / "jobs.tsv"), dataset="jobs", embeddings=False)
    text = f"get_information(relation='at', tail_entity='ACME', key='time', value='{year}')"
    answer = tuqa.run(text, "jobs")
    assert message in [note.message for note in answer.notes]
    assert set(values) <= {*answer.values}
    tuqa.drop("jobs")


def test_no_leap_day_makes_a_term_of_years_longer(tuqa: TrustUQA, tmp_path: Path) -> None:
    terms = (
        "ACME\thead\tBob\t1992\t1995\nACME\thead\tIda\t1993\t1996\nACME\thead\tCid\t1996\t1998\n"
    )
    (tmp_path / "heads.tsv").write_text(terms, encoding="utf-8")
    tuqa.load("temporal-kg", str(tmp_path / "heads.tsv"), dataset="heads", embeddings=False)
    text = "get_information(head_entity='ACME', relation='head', key='duration', value='longest')"
    assert tuqa.run(text, "heads").values == ("Bob", "Ida")
    tuqa.drop("heads")


@pytest.mark.parametrize(
    ("condition", "values", "messages"),
    [
        (
            ", value='longest'",
            ("Ida",),
            [
                "1 of 4 cells could not be compared and was left out: '… – 2010'",
                "1 of 4 facts has no end and counts as still valid: '2004 – …'",
            ],
        ),
        (
            ", value>'12 months'",
            ("Cid", "Eve", "Ida"),
            [
                "1 of 4 cells could not be compared and was left out: '… – 2010'",
                "1 of 4 facts has no end and counts as still valid: '2004 – …'",
            ],
        ),
        (
            ", value<'12 years'",
            ("Cid", "Eve", "Ida"),
            ["1 of 4 cells could not be compared and was left out: '… – 2010'"],
        ),
        (
            "",
            ("2 years", "5 years", "6 years"),
            ["1 of 4 facts has no end and counts as still valid: '2004 – …'"],
        ),
    ],
)
def test_an_unknown_start_or_end_that_decides_on_a_duration_is_noted(
    tuqa: TrustUQA, tmp_path: Path, condition: str, values: tuple[str, ...], messages: list[str]
) -> None:
    times = ("Bob\t\t2010", "Ida\t2004\t", "Cid\t2000\t2002", "Eve\t1990–1995\t1990–1995")
    facts = "".join(f"{time}\n".replace("\t", "\tat\tACME\t", 1) for time in times)
    (tmp_path / "terms.tsv").write_text(facts, encoding="utf-8")
    tuqa.load("temporal-kg", str(tmp_path / "terms.tsv"), dataset="terms", embeddings=False)
    text = f"get_information(relation='at', tail_entity='ACME', key='duration'{condition})"
    answer = tuqa.run(text, "terms")
    assert sorted(map(str, answer.values)) == [*values]
    assert [note.message for note in answer.notes] == messages
    assert len(answer.evidence) == len(values)
    tuqa.drop("terms")
