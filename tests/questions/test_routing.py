from __future__ import annotations

from trustuqa_neo4j.questions.routing import Candidate, choose_datasets, find_content_words


def content(question: str) -> list[str]:
    words = find_content_words(question)
    return [words.words[i] for i in words.positions]


def test_stop_words_and_numbers_are_no_content() -> None:
    assert content("Which was a director of Amélie in 2001?") == ["director", "amelie"]
    assert content("who is it?") == []
    assert content("") == []


def test_a_marked_name_is_content_whatever_its_words() -> None:
    assert content("who starred in [It]") == ["starred", "it"]
    assert content('who wrote "1984"') == ["wrote", "1984"]


def test_a_name_may_have_stop_words_and_numbers_but_not_alone() -> None:
    words = find_content_words("who flew the Apollo 11")
    texts = {words.text(span) for span in words.spans}
    assert {"the apollo 11", "apollo 11", "apollo"} <= texts
    assert not texts & {"who", "the", "11"}


def candidate(dataset: str, score: float, **credits_of: float) -> Candidate:
    return Candidate(dataset, score, credits_of)


def test_near_rivals_are_asked_in_turn() -> None:
    ranked = [candidate("a", 0.8, x=0.8), candidate("b", 0.5, x=0.5), candidate("c", 0.1, x=0.1)]
    assert choose_datasets(ranked, joined=False) == (("a",), ("b",))
    assert choose_datasets(ranked, joined=True) == (("a",), ("b",))
    assert choose_datasets([], joined=True) == ()


def test_datasets_that_know_further_words_are_asked_together() -> None:
    ranked = [candidate("a", 0.5, x=0.8, y=0.8), candidate("b", 0.4, z=0.8)]
    assert choose_datasets(ranked, joined=True) == (("a", "b"),)
    assert choose_datasets(ranked, joined=False) == (("a",), ("b",))


def test_there_are_at_most_three_turns() -> None:
    ranked = [candidate(name, 0.5, x=0.5) for name in "abcde"]
    assert choose_datasets(ranked, joined=False) == (("a",), ("b",), ("c",))
