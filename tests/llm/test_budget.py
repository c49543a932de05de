"""Limits of questions and runs, under one or many threads."""

from __future__ import annotations

from threading import Thread

import pytest

from trustuqa_neo4j.errors import LimitReached
from trustuqa_neo4j.llm.budget import Limits, Meter, Reserved, needed, prompt_tokens
from trustuqa_neo4j.llm.messages import Message, Sampling, Usage


def test_what_is_reserved_counts_until_it_is_settled() -> None:
    meter = Meter(Limits(max_calls=2, max_tokens=100))
    first = meter.reserve(1, 60)
    with pytest.raises(
        LimitReached, match="60 of 100 tokens are used, the next call of the model needs 50"
    ):
        meter.reserve(1, 50)
    meter.settle(first, Usage(10, 10, calls=1))
    second = meter.reserve(1, 80)
    assert second == Reserved(1, 80)
    with pytest.raises(
        LimitReached, match="2 of 2 calls are used, the next call of the model needs 1"
    ):
        meter.reserve(1, 0)
    meter.settle(second, Usage(calls=1))
    assert meter.used == Usage(10, 10, calls=2)


def test_a_limit_of_the_run_leaves_the_question_as_it_was() -> None:
    run = Meter(Limits(max_calls=1), of="run")
    one, two = (Meter(Limits(max_calls=5), within=run) for _ in range(2))
    one.settle(one.reserve(1, 1), Usage(1, 1, calls=1))
    with pytest.raises(LimitReached, match="limit of this run"):
        two.reserve(1, 1)
    assert two.used == Usage()
    assert run.used.calls == 1


def test_what_came_from_the_cache_passes_no_limit() -> None:
    run = Meter(Limits(max_calls=0))
    Meter(Limits(max_calls=0, max_tokens=0), within=run).add(Usage(cached=1))
    assert run.used == Usage(cached=1)


def test_without_limits_it_counts() -> None:
    meter = Meter()
    meter.settle(meter.reserve(10, 10**9), Usage(5, 5, calls=10))
    assert meter.used.tokens == 10


def test_threads_cannot_pass_a_limit_together() -> None:
    run = Meter(Limits(max_calls=50), of="run")
    refused: list[LimitReached] = []

    def work() -> None:
        for _ in range(20):
            try:
                run.settle(run.reserve(1, 1), Usage(calls=1))
            except LimitReached as error:
                refused.append(error)

    threads = [Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert run.used.calls == 50
    assert len(refused) == 8 * 20 - 50


def test_replies_are_reserved_in_full_where_their_length_is_given() -> None:
    messages = [Message("user", "four words are here")]
    assert needed(messages, 5, None) == prompt_tokens(messages)
    assert needed(messages, 5, 100) == prompt_tokens(messages) + 500


@pytest.mark.parametrize("wrong", [{"n": 0}, {"timeout": 0}, {"temperature": -1}])
def test_what_is_no_sampling(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="no sampling"):
        Sampling(**wrong)
