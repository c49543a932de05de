"""Operators, rewrites and instances on a small graph of claims and policies, without a database."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from bench import mutations
from bench.mutations.corpora import (
    draw_instance,
    empty_questions,
    narrow_query,
    replace_constants,
    write_graph,
)
from bench.mutations.data_profile import DataProfile, Graph, profile_graph, read_graph
from bench.mutations.operators import (
    OPERATORS,
    TWO,
    CorrectQuery,
    Mutant,
    make_mutants,
    sample_mutants,
)
from bench.mutations.rewrites import REWRITES
from trustuqa_neo4j.language.ast import Query
from trustuqa_neo4j.language.parser import parse_query
from trustuqa_neo4j.language.printer import print_query

FACTS = (
    ("claim-1", "type", "c/Claim"), ("claim-2", "type", "c/Claim"),
    ("policy-1", "type", "c/Policy"), ("policy-2", "type", "c/Policy"),
    ("claim-1", "against", "policy-1"), ("claim-2", "against", "policy-2"),
    ("policy-1", "hasClaim", "claim-1"), ("policy-2", "hasClaim", "claim-2"),
    ("claim-1", "claimNumber", "701"), ("claim-2", "claimNumber", "702"),
    ("claim-1", "opened", "2019-01-15"), ("claim-2", "opened", "2019-06-02"),
    ("claim-1", "closed", "2019-01-31"), ("claim-2", "closed", "2019-06-27"),
    ("claim-1", "cause", "fire"), ("claim-2", "cause", "flood"),
    ("policy-1", "policyNumber", "336"), ("policy-2", "policyNumber", "337"),
    ("policy-1", "city", "Austin"), ("policy-2", "city", "Dallas"),
)  # fmt: skip
NAMES = {
    "claim-1": None, "claim-2": None, "policy-1": None, "policy-2": None, "c/Claim": "Claim",
    "c/Policy": "Policy",
}  # fmt: skip

TABLE = (
    "Query1: get_information(relation='type', tail_entity='Claim')\n"
    "Query2: get_table(head_entity=output_of_query1, columns=["
    "'against > policyNumber as policy', 'claimNumber as claim', 'opened', 'closed', 'cause'])\n"
    "Query3: calculate(set=output_of_query2, expression='days_between(opened, closed)', name='days')\n"
    "Query4: group_by(set=output_of_query3, by=['policy', 'cause'], values='sum(days) as total')"
)
CHAIN = (
    "Query1: get_information(relation='cause', tail_entity='fire')\n"
    "Query2: get_information(head_entity=output_of_query1, relation='against')\n"
    "Query3: get_information(head_entity=output_of_query2, relation='city')"
)


@pytest.fixture(scope="module")
def known() -> DataProfile:
    return profile_graph(Graph(FACTS, NAMES))


def read(text: str) -> Query:
    found = parse_query(text)
    assert isinstance(found, Query), found
    return found


def made(name: str, text: str, known: DataProfile) -> list[str]:
    return [print_query(each) for each in OPERATORS[name].operate(read(text), known, Random(1))]


def rewritten(name: str, text: str, known: DataProfile) -> list[str]:
    return [print_query(each) for each in REWRITES[name](read(text), known)]


def test_the_outline_follows_from_the_facts(known: DataProfile) -> None:
    against, opened, cause = (known.relations[name] for name in ("against", "opened", "cause"))
    assert against.leads_to_ids
    assert against.leads_to_nodes
    assert opened.is_dated
    assert not opened.is_numeric
    assert cause.is_text
    assert known.relations["claimNumber"].is_numeric
    assert known.inverses == {"against": "hasClaim", "hasClaim": "against"}
    assert known.same_domain(against, cause)
    assert not known.same_range(against, cause)
    assert known.same_range(opened, known.relations["closed"])
    assert {name: len(each) for name, each in known.classes.items()} == {"Claim": 2, "Policy": 2}


FORMS = [
    ("get_information(head_entity='a', relation='cause')",
     "get_information(tail_entity='a', relation='cause')"),
    ("get_information(relation='cause', tail_entity='a')",
     "get_information(relation='cause', head_entity='a')"),
    ("get_information(head_entity='a', relation='cause', tail_entity='b')",
     "get_information(head_entity='b', relation='cause', tail_entity='a')"),
    ("get_table(head_entity='a', columns='^against > city as town')",
     "get_table(head_entity='a', columns='against > city as town')"),
    ("get_information(relation='cause', tail_entity='a', key='city')",
     "get_information(relation='cause', head_entity='a', key='city')"),
]  # fmt: skip


@pytest.mark.parametrize(("right", "wrong"), FORMS)
def test_directions(right: str, wrong: str, known: DataProfile) -> None:
    assert made("direction", right, known)[0] == f"Query1: {wrong}"


def test_what_is_compared_by_order_has_no_direction(known: DataProfile) -> None:
    assert not made("direction", "get_information(relation='claimNumber', tail_entity>700)", known)


@pytest.mark.parametrize(
    ("name", "allowed"),
    [
        ("any relation", {"hasClaim", "policyNumber", "city"}),
        ("same domain", {"claimNumber", "against", "opened", "closed"}),
    ],
)
def test_other_relations_are_of_the_kind_that_is_said(
    name: str, allowed: set[str], known: DataProfile
) -> None:
    (found,) = made(name, "get_information(relation='cause', tail_entity='fire')", known)
    assert found.split("'")[1] in allowed


def test_a_parallel_path_leads_to_the_same(known: DataProfile) -> None:
    found = made("parallel path", "get_table(head_entity='a', columns=['opened', 'cause'])", known)
    assert found == ["Query1: get_table(head_entity='a', columns=['closed as opened', 'cause'])"]


def test_invented_names_are_not_there(known: DataProfile) -> None:
    text = "get_information(relation='type', tail_entity='Claim')"
    (relation,) = made("invented relation", "get_information(relation='claimNumber')", known)
    (kind,) = made("invented class", text, known)
    assert relation.split("'")[1] not in known.relations
    assert relation.split("'")[1].startswith("claim")
    assert kind.split("'")[3] not in known.classes
    assert made("wrong class", text, known) == [f"Query1: {text}".replace("Claim", "Policy")]


def test_dropped_hops_of_paths_and_chains(known: DataProfile) -> None:
    found = made("dropped hop", TABLE, known)
    assert len(found) == 1
    assert "'policyNumber as policy'" in found[0]
    shorter = (
        "Query1: get_information(relation='cause', tail_entity='fire')\n"
        "Query3: get_information(head_entity=output_of_query1, relation='city')"
    )
    assert made("dropped hop", CHAIN, known) == [shorter]


def test_the_last_hop_to_a_value_left_out_shows_ids(known: DataProfile) -> None:
    assert "'against as policy'" in made("identifier output", TABLE, known)[0]
    assert made("identifier output", CHAIN, known) == [print_query(read(CHAIN)).rpartition("\n")[0]]
    key = "get_information(relation='type', tail_entity='Claim', key='claimNumber')"
    assert made("identifier output", key, known) == [
        "Query1: get_information(relation='type', tail_entity='Claim')"
    ]


def test_extra_hops_walk_again_or_elsewhere(known: DataProfile) -> None:
    assert any("against > against" in text for text in made("extra hop", TABLE, known)) or any(
        "policyNumber > policyNumber" in text for text in made("extra hop", TABLE, known)
    )
    assert made("extra hop", CHAIN, known)[-1].count("Query4: get_information(head_entity=") == 1


@pytest.mark.parametrize("value", ["'fire'", "701", "'2019-01-15'"])
def test_hallucinated_values_are_nowhere(value: str, known: DataProfile) -> None:
    text = f"get_information(relation='cause', tail_entity={value})"
    (found,) = made("hallucinated value", text, known)
    new = found.split("'")[3]
    assert new not in {tail for _, _, tail in FACTS}
    assert new.isdigit() == value.isdigit()
    assert new.startswith("2") == value.startswith("'2")


def test_columns_that_are_used_are_not_dropped(known: DataProfile) -> None:
    found = made("dropped column", TABLE, known)
    assert [text.rpartition("\n")[2] for text in found[1:]] == [
        "Query4: group_by(set=output_of_query3, by='cause', values='sum(days) as total')",
        "Query4: group_by(set=output_of_query3, by='policy', values='sum(days) as total')",
        "Query4: group_by(set=output_of_query3, by=['policy', 'cause'])",
    ]
    assert "'claimNumber as claim'" not in found[0]
    assert "'opened'" in found[0]
    two = "## Target type: {a, b}\nQuery1: get_information(relation='cause', tail_entity='fire')"
    assert [text.split("\n")[0] for text in made("dropped column", two, known)] == [
        "## Target type: {b}", "## Target type: {a}",
    ]  # fmt: skip


def test_wrong_aggregates_of_text_add_nothing(known: DataProfile) -> None:
    found = made("wrong aggregate", TABLE, known)
    assert [text.split("values='")[1].split("(")[0] for text in found] == [
        "mean", "count", "max", "min",
    ]  # fmt: skip
    counted = "Query1: get_information(relation='cause')\nQuery2: count(set=output_of_query1)"
    assert [text.split("Query2: ")[1][:3] for text in made("wrong aggregate", counted, known)] == [
        "max", "min",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("search", "adds"),
    [
        ("relation='type', tail_entity='Claim', key='claimNumber', value='701'", False),
        ("relation='type', tail_entity='Claim', key='claimNumber'", True),
        ("relation='claimNumber', key='cause', value='fire'", True),
        ("head_entity='a', relation='opened'", False),
        ("tail_entity='a', relation='against'", False),
    ],
)
def test_sums_are_wrong_aggregates_only_of_numbers(
    search: str, adds: bool, known: DataProfile
) -> None:
    text = f"Query1: get_information({search})\nQuery2: count(set=output_of_query1)"
    found = [each.split("Query2: ")[1][:3] for each in made("wrong aggregate", text, known)]
    assert ("sum" in found) == adds


def test_type_faults(known: DataProfile) -> None:
    found = made("type fault", TABLE, known)
    assert any("tail_entity" in text and "='Claim'" not in text.split("\n")[0] for text in found)
    assert any("sum(cause) as total" in text for text in found)
    assert any("days_between(cause, closed)" in text for text in found)
    ordered = made("type fault", "get_information(relation='claimNumber', tail_entity>700)", known)
    assert [text.split("'")[1] for text in ordered] == ["against", "cause", "type"]
    counted = "Query1: get_information(relation='cause')\nQuery2: count(set=output_of_query1)"
    assert [text.split("Query2: ")[1][:4] for text in made("type fault", counted, known)] == [
        "sum(", "mean",
    ]  # fmt: skip


def test_broken_references(known: DataProfile) -> None:
    found = made("broken reference", CHAIN, known)
    assert [text.split("Query2: get_information(head_entity=")[1][:16] for text in found[:3]] == [
        "output_of_query1"[:-1] + "1", "output_of_query2", "output_of_query3",
    ]  # fmt: skip
    assert "output_of_query10" in found[0]


def test_mutants_are_readable_new_and_the_same_each_time(known: DataProfile) -> None:
    origin = CorrectQuery("1", TABLE)
    found = list(make_mutants(origin, known))
    assert found == list(make_mutants(origin, known))
    assert found != list(make_mutants(origin, known, seed=1))
    texts = [each.text for each in found]
    assert len(set(texts)) == len(texts)
    assert print_query(read(TABLE)) not in texts
    assert all(print_query(read(text)) == text for text in texts)
    assert {each.operator for each in found} == {*OPERATORS, TWO} - {"hallucinated value"}


def test_a_query_that_cannot_be_read_has_no_mutants(known: DataProfile) -> None:
    with pytest.raises(ValueError, match="1: no step found"):
        list(make_mutants(CorrectQuery("1", "nothing"), known))


def test_samples_are_drawn_evenly(known: DataProfile) -> None:
    found = list(make_mutants(CorrectQuery("1", TABLE), known))
    chosen = sample_mutants(found, 1, 20)
    counts = Counter(each.operator for each in chosen)
    assert len(chosen) == 20
    assert min(counts[name] for name in {each.operator for each in found}) >= 1
    assert chosen == sample_mutants(found, 1, 20)
    assert sample_mutants(found, 1, None) == found
    assert all(isinstance(each, Mutant) for each in chosen)


def test_narrowed_queries_name_a_value(known: DataProfile) -> None:
    equal, *more = narrow_query(CorrectQuery("1", TABLE, "How long was each?"), known)
    assert equal.id == "1 (equal)"
    assert equal.question.startswith("How long was each, where the ")
    assert narrowed_value(equal.query) in equal.question
    assert "key=" in equal.query.split("\n")[0]
    assert all(">=" in each.query for each in more)
    assert not list(narrow_query(CorrectQuery("1", CHAIN), known))


def narrowed_value(query: str) -> str:
    return query.split("value='")[1].split("'")[0]


def test_rewrites(known: DataProfile) -> None:
    (renamed,) = rewritten("renamed columns", TABLE, known)
    assert "days_between(opened_of_it, closed_of_it)" in renamed
    assert "by=['policy_of_it', 'cause_of_it'], values='sum(days_of_it) as total_of_it'" in renamed
    (root,) = rewritten("other root", TABLE, known)
    assert "Query1: get_information(relation='against')" in root
    assert "'policyNumber as policy', '^against > claimNumber as claim'" in root
    (inverse,) = rewritten("inverse relation", TABLE, known)
    assert "'^hasClaim > policyNumber as policy'" in inverse
    assert rewritten("as a path", "get_information(relation='cause', tail_entity='a')", known) == [
        "Query1: get_table(head_entity='a', columns='^cause as found')"
    ]


def test_steps_in_another_order(known: DataProfile) -> None:
    nested = rewritten("nested steps", CHAIN, known)
    inside = "get_information(relation='cause', tail_entity='fire')"
    assert f"head_entity={inside}" in nested[0]
    assert rewritten("unnested steps", nested[0], known)[0].startswith(f"Query4: {inside}")
    assert not rewritten("reordered steps", CHAIN, known)
    both = (
        "Query1: get_information(relation='cause')\nQuery2: get_information(relation='city')\n"
        "Query3: set_union(output_of_query1, output_of_query2)"
    )
    swapped = (
        "Query1: get_information(relation='city')\nQuery2: get_information(relation='cause')\n"
        "Query3: set_union(output_of_query2, output_of_query1)"
    )
    assert rewritten("reordered steps", both, known) == [swapped]


def test_empty_questions_name_what_is_there(known: DataProfile) -> None:
    found = list(empty_questions(known, 1, 5))
    assert len(found) == 5
    for text in found:
        assert "Query4: get_information(head_entity=output_of_query3" in text
        assert print_query(read(text))
    (other,) = replace_constants(CorrectQuery("1", CHAIN), known, 3)
    assert "'fire'" in other or "'flood'" in other


def test_instances_keep_to_the_make_of_the_data(known: DataProfile) -> None:
    drawn = draw_instance(known, 1)
    assert drawn == draw_instance(known, 1)
    assert set(drawn.facts) != set(draw_instance(known, 2).facts)
    again = profile_graph(drawn)
    assert again.inverses == known.inverses
    for name, relation in known.relations.items():
        other = again.relations[name]
        assert (
            other.leads_to_ids, other.leads_onward, other.is_numeric, other.is_dated,
        ) == (
            relation.leads_to_ids, relation.leads_onward, relation.is_numeric, relation.is_dated,
        )  # fmt: skip
    assert {name: len(each) for name, each in again.classes.items()} == {"Claim": 4, "Policy": 4}
    heads = Counter(head for head, name, _ in drawn.facts if name == "against")
    assert set(heads.values()) == {1}
    assert len(heads) == 4


def test_a_graph_is_read_as_it_was_written(tmp_path: Path, known: DataProfile) -> None:
    write_graph(known.graph, tmp_path / "graph")
    found = read_graph(tmp_path / "graph")
    assert replace(found, names={}) == Graph(tuple(sorted(FACTS)))
    assert dict(found.names) == NAMES


def test_the_operators_know_nothing_of_the_check() -> None:
    """What it takes for granted is not to be taken for granted when it is measured."""
    folder = Path(mutations.__file__).parent
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                names = {*(node.module or "").split("."), *(alias.name for alias in node.names)}
                runs_queries = path.name == "measure.py" and "pipeline" in names
                assert runs_queries or not names & {"validation", "pipeline", "execution"}, path
            assert not isinstance(node, ast.Import) or "trustuqa" not in node.names[0].name, path
