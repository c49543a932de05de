"""Facts and the condition triples that follow from them."""

from __future__ import annotations

from trustuqa_neo4j.model.facts import ConditionTriple, Fact


def test_a_fact_is_two_condition_triples() -> None:
    """TrustUQA, section 3.1: the head has the relation; under the head, the relation leads to the tail."""
    assert Fact("Alien", "directed_by", "Ridley Scott", 3).triples() == (
        ConditionTriple("Alien", "directed_by"),
        ConditionTriple("directed_by", "Ridley Scott", ("Alien",)),
    )


def test_a_condition_is_empty_unless_given() -> None:
    assert ConditionTriple("a", "b").condition == ()
