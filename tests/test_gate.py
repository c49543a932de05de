"""The gate: how many run at once, and the order of those that wait."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from trustuqa_neo4j.deadline import Cancellation, Deadline
from trustuqa_neo4j.errors import Cancelled, TimedOut
from trustuqa_neo4j.gate import LONG, Gate


def wait_for(gate: Gate, waiting: int) -> None:
    """Wait until so many threads wait at the gate."""
    pause = threading.Event()
    while gate.waiting != waiting:
        pause.wait(0.001)


def enter_for(gate: Gate, seconds: float) -> None:
    with gate.enter(Deadline(seconds)):
        pytest.fail("it had no place")


def run_in_another_thread(work: Callable[[], None]) -> None:
    with ThreadPoolExecutor(1) as thread:
        thread.submit(work).result(60)


def test_those_that_wait_enter_in_the_order_of_their_arrival() -> None:
    gate, order = Gate(1, 1), list[int]()

    def work(number: int) -> None:
        with gate.enter(Deadline(60)):
            order.append(number)

    with ThreadPoolExecutor(20) as threads:
        with gate.enter(Deadline(60)):
            futures: list[Future[None]] = []
            for number in range(20):
                futures.append(threads.submit(work, number))
                wait_for(gate, number + 1)
        for future in futures:
            future.result(60)
    assert order == list(range(20))
    assert (gate.running, gate.waiting) == (0, 0)


def test_no_more_run_at_once_than_there_are_places() -> None:
    gate, most = Gate(3, 3), list[int]()

    def work(_: int) -> None:
        with gate.enter(Deadline(60)):
            most.append(gate.running)

    with ThreadPoolExecutor(16) as threads:
        list(threads.map(work, range(500)))
    assert len(most) == 500
    assert max(most) <= 3
    assert (gate.running, gate.waiting) == (0, 0)


def test_whoever_has_run_for_long_keeps_no_place_from_the_others() -> None:
    gate, others = Gate(1, 2), threading.Event()

    def work() -> None:
        with gate.enter(Deadline(60)):
            others.wait(60)

    with ThreadPoolExecutor(2) as threads, gate.enter(Deadline(60)):
        first = threads.submit(work)
        while gate.running < 2:
            others.wait(0)
        second = threads.submit(work)
        wait_for(gate, 1)
        with pytest.raises(TimedOut, match="no free place among 2"):
            run_in_another_thread(lambda: enter_for(gate, 3 * LONG))
        assert (gate.running, gate.waiting) == (2, 1)
        others.set()
        for future in (first, second):
            future.result(60)
    assert (gate.running, gate.waiting) == (0, 0)


def test_whoever_holds_a_place_takes_no_other() -> None:
    gate = Gate(1, 1)
    with gate.enter(Deadline(60)), gate.enter(Deadline(0.001)):
        assert gate.running == 1
    assert gate.running == 0


def test_places_of_two_gates_are_different() -> None:
    first, second = Gate(1, 1), Gate(1, 1)
    with first.enter(Deadline(60)), second.enter(Deadline(60)):
        assert (first.running, second.running) == (1, 1)
        with first.leave():  # the inner place is of the second gate
            assert (first.running, second.running) == (1, 1)
    assert (first.running, second.running) == (0, 0)


def test_a_place_that_is_left_serves_the_next() -> None:
    gate, order = Gate(1, 1), list[str]()

    def work() -> None:
        with gate.enter(Deadline(60)):
            order.append("next")

    with ThreadPoolExecutor(1) as threads, gate.enter(Deadline(60)):
        future = threads.submit(work)
        wait_for(gate, 1)
        with gate.leave():
            future.result(60)
        order.append("back")
        assert gate.running == 1
    assert order == ["next", "back"]
    assert gate.running == 0


def test_nothing_is_left_without_a_place() -> None:
    gate = Gate(1, 1)
    with gate.leave():
        assert gate.running == 0
    assert gate.running == 0


def test_time_that_is_over_ends_the_wait_and_loses_no_place() -> None:
    gate = Gate(1, 1)
    with (
        gate.enter(Deadline(60)),
        pytest.raises(TimedOut, match="no free place among 1"),
    ):
        run_in_another_thread(lambda: enter_for(gate, 0.01))
    assert (gate.running, gate.waiting) == (0, 0)
    with gate.enter(Deadline(60)):
        assert gate.running == 1


def test_a_cancellation_ends_the_wait() -> None:
    gate, cancelled = Gate(1, 1), Cancellation()

    def work() -> None:
        with gate.enter(Deadline(60, cancelled)):
            pytest.fail("it was cancelled")

    with ThreadPoolExecutor(1) as threads, gate.enter(Deadline(60)):
        future = threads.submit(work)
        wait_for(gate, 1)
        cancelled.set()
        with pytest.raises(Cancelled):
            future.result(60)
        assert (gate.running, gate.waiting) == (1, 0)
    assert gate.running == 0


def test_a_question_that_is_over_while_it_waits_for_a_model_gives_back_one_place() -> None:
    gate, cancelled = Gate(1, 1), Cancellation()
    with (
        pytest.raises(Cancelled),
        gate.enter(Deadline(60, cancelled)),
        gate.leave(),
    ):
        cancelled.set()
    assert (gate.running, gate.waiting) == (0, 0)
    with gate.enter(Deadline(60)):
        assert gate.running == 1


def test_a_cancelled_holder_leaves_its_place_though_it_goes_on() -> None:
    gate, cancelled = Gate(1, 1), Cancellation()
    with gate.enter(Deadline(60, cancelled)):
        cancelled.set()
        assert gate.running == 0

        def enter() -> None:
            with gate.enter(Deadline(60)):
                assert gate.running == 1

        run_in_another_thread(enter)
    assert gate.running == 0
