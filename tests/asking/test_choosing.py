from __future__ import annotations

from trustuqa_neo4j.asking.choosing import Candidate, Known, chosen, ranked, spans
from trustuqa_neo4j.demonstrating.demonstration import Pattern


def known(names: str = "", words: str = "") -> Known:
    return Known(frozenset(filter(None, names.split("|"))), frozenset(words.split()))


def test_spans_are_folded_and_the_longest_come_first() -> None:
    assert spans("Who directed Amélie?") == (
        "who directed amelie", "who directed", "directed amelie", "who", "directed", "amelie",
    )  # fmt: skip
    assert spans("") == ()


def order(question: str, datasets: dict[str, Known], *patterns: Pattern) -> list[str]:
    return [candidate.dataset for candidate in ranked(question, datasets, patterns)]


def test_the_dataset_that_knows_the_name_comes_first() -> None:
    datasets = {"films": known("alien"), "cities": known("paris")}
    assert order("who directed Alien", datasets) == ["films", "cities"]
    assert order("who governs Paris", datasets) == ["cities", "films"]


def test_what_all_know_tells_nothing() -> None:
    datasets = {"a": known("the"), "b": known("the|the moon"), "c": known("the")}
    assert order("who went to the moon", datasets)[0] == "b"


def test_words_of_relations_tell_where_no_name_does() -> None:
    datasets = {"a": known(words="born in"), "b": known(words="directed by")}
    assert order("who directed most", datasets) == ["b", "a"]


def test_a_question_like_it_tells() -> None:
    datasets = {"a": known("alien"), "b": known("alien")}
    like = Pattern("b", "who directed {0}", "who directed Alien", "q")
    assert order("who directed Alien", datasets, like) == ["b", "a"]
    near = Pattern("a", "x", "x", "q", similarity=0.99)
    assert order("who directed Alien", datasets, like, near) == ["a", "b"]


def test_a_second_one_is_asked_only_for_names_that_the_first_does_not_have() -> None:
    best = Candidate("a", 1.0, ("ann lee",))
    assert chosen([best, Candidate("b", 0.9, ("bob",))]) == ("a", "b")
    assert chosen([best, Candidate("b", 0.9, ("ann",))]) == ("a",)
    assert chosen([best, Candidate("b", 0.5, ("bob",))]) == ("a",)
    assert chosen([Candidate("a", 0.0, ()), Candidate("b", 0.0, ("bob",))]) == ("a",)
    assert chosen([]) == ()
