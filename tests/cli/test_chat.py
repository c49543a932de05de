"""``tuqa chat`` as a person uses it."""

from __future__ import annotations

import pytest
from support.shell import Command


@pytest.mark.usefixtures("films")
def test_questions_follow_each_other(sh: Command) -> None:
    lines = ["who directed Aliens?", "and Alien?", "why?", "and Atlantis?", "  ", "nonsense ;"]
    done = sh("tuqa", "chat", "--dataset", "films", stdin="\n".join(lines))
    assert done.code == 0
    places = [done.out.index(text) for text in ("James Cameron.\n", "Ridley Scott.\n", "step\n")]
    assert places == sorted(places)
    assert "facts" not in done.out[: places[1]]  # only *why?* shows them
    assert "not understood: the data do not explain 'Atlantis'" in done.err


@pytest.mark.usefixtures("films")
def test_a_number_takes_a_reading(sh: Command) -> None:
    done = sh("tuqa", "chat", "--dataset", "films", stdin="Who is the CEO of Alien?\n1\n7\n")
    assert done.code == 0
    first = next(line for line in done.out.splitlines() if line.startswith("  1. "))
    understood, _, value = first.removeprefix("  1. ").partition(" → ")
    assert "did you mean (type its number):" in done.out
    assert f"\n{understood[:1].upper()}{understood[1:]}: {value}.\n" in done.out
    assert f"understood as: {understood}" in done.out
    # Nothing is offered any more.
    assert done.err.count("not askable") + done.out.count("not askable") == 2


@pytest.mark.usefixtures("films")
def test_a_question_that_follows_nothing_is_refused(sh: Command) -> None:
    done = sh(
        "tuqa", "chat", "--dataset", "films", stdin="what about Alien?\nWhere was she born?\n"
    )
    assert done.code == 0
    assert done.err.count("the question follows one that has no answer") == 2


@pytest.mark.usefixtures("films")
def test_an_error_of_one_question_does_not_end_the_talk(sh: Command) -> None:
    stdin = "who directed Alien?\nwho directed Aliens?\n"
    done = sh("tuqa", "chat", "--dataset", "flims", stdin=stdin)
    assert done.code == 0
    assert done.err.count("no dataset 'flims'") == 2
    assert sh("tuqa", "chat", "--dataset", "films", stdin="").code == 0
